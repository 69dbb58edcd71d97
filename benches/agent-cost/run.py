#!/usr/bin/env python3
"""What finding an answer costs a scripted explorer, with text search and file reads alone and with `search_code`.

    run.py BINARY FOLDER [--json]

FOLDER holds a checkout of each repository of questions.json in a directory of the name given there. Both policies are fixed
programs (no model) over the same server with the same limits; each call and each byte of text that a model would have
read is counted. An answer counts as found when the lines that prove it were in such a text: the first ten lines of the definition
("where"; all of a shorter one), or the line of every call and the first line of the function that holds it ("callers").
"""

import argparse
import json
import os
import re
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
from mcp import Server  # noqa: E402

BUDGET = 15  # calls for one question
WINDOW = 60  # lines on each side of a hit that are read
STOP = set(
    "a all an and any application are as at be by code decide decided do does file for from given how in into is it its line many none object of "
    "on one only or over program the their this to turned up use used value values what when where whether which who with".split()
)
DEFINES = re.compile(r"^\s*(pub|static|inline|async|def|class|func|fn|function|export|private|public|protected|[a-z_]+ \*?\w+\()")
HEAD = re.compile(r"[a-z][^;]*\(|\s*(pub(\(\w+\))? )?(fn|def|func) ")


class Explorer:
    """Counts calls and bytes, and remembers which lines of which file were shown."""

    def __init__(self, server):
        self.server, self.calls, self.bytes, self.seen = server, 0, 0, set()

    def call(self, tool, **arguments):
        text, answer = self.server.call(tool, arguments)
        self.calls += 1
        self.bytes += len(text.encode())
        return text, answer

    def spent(self):
        return self.calls >= BUDGET

    def read(self, path, start, end):
        if all((path, line) in self.seen for line in range(start, end + 1)):
            return []
        _, answer = self.call("read_file", path=path, start=start, end=end)
        if not answer["ok"]:
            return []
        self.seen |= {(path, line) for line in range(answer["start"], answer["end"] + 1)}
        return answer["content"].splitlines()

    def search(self, pattern, limit=80):
        text, answer = self.call("search_text", pattern=pattern, limit=limit)
        matches = [m for m in answer.get("matches", []) if m["text"].strip()[:80] in text]
        self.seen |= {(m["path"], m["line"]) for m in matches}
        return matches

    def code(self, **arguments):
        text, answer = self.call("search_code", **arguments)
        hits = []
        for hit in answer.get("hits", []):
            at = hit["symbol"]
            if f"{at['path']}:L{at['start']}-L{at['end']}" not in text:
                continue
            hits.append(hit)
            self.seen.add((at["path"], at["start"]))
            self.seen |= {(at["path"], line["line"]) for line in hit.get("lines", []) if line["text"].strip() in text}
            source = hit.get("source", "").splitlines()
            shown = 0
            while shown < len(source) and source[shown].strip() in text:
                shown += 1
            self.seen |= {(at["path"], at["start"] + i) for i in range(shown)}
        return hits


def words(question):
    """The words that say something, longest first."""
    found = dict.fromkeys(w.lower() for w in re.findall(r"[A-Za-z]{3,}", question))
    return sorted((w for w in found if w not in STOP), key=lambda w: (-len(w), w))


def stem(word):
    return re.sub(r"(ies|ing|ion|ed|es|s)$", "", word) if len(word) > 5 else word


def proved(question, seen):
    answer = question["answer"]
    if question["kind"] == "where":
        return all((answer["path"], answer["line"] + i) in seen for i in range(min(10, answer.get("lines", 10))))
    return all((a["path"], a["line"]) in seen and (a["path"], a["definition"]) in seen for a in answer)


def with_text(explorer, question):
    """Searches for the words of the question, reads around the best lines of the best files."""
    if question["kind"] == "callers":
        name = re.split(r"[#.]", question["symbol"])[-1]
        matches = explorer.search(rf"\b{name}\b", 400)
        header = re.compile(rf"\S|\s*(pub(\(\w+\))? )?(fn|def|class|func) {name}\b")
        around = [(m["path"], m["line"]) for m in matches if not header.match(m["text"])]
    else:
        stems = [stem(w) for w in words(question["question"])][:5]
        matches = []
        if len(stems) > 1:
            matches += explorer.search(rf"(?i){stems[0]}.*{stems[1]}|{stems[1]}.*{stems[0]}")
        for each in stems[:3]:
            if not explorer.spent():
                matches += explorer.search(rf"(?i){each}", 200)
        files = {}
        for m in matches:
            here = [w for w in stems if w in m["text"].lower()]
            lines = files.setdefault(m["path"], {})
            lines[m["line"]] = len(here) + 0.5 * bool(DEFINES.match(m["text"]))
        def worth(path):
            in_path = sum(w in path.lower() for w in stems)
            return sum(sorted(files[path].values(), reverse=True)[:5]) + in_path - 2 * ("test" in path.lower()) - 2 * path.endswith((".md", ".txt", ".rst"))
        around = []
        for path in sorted(files, key=lambda p: (-worth(p), p))[:8]:
            best = sorted(files[path], key=lambda n: (-files[path][n], n))
            around += [(path, n) for n in best[:3]]
    for path, line in around:
        if explorer.spent() or proved(question, explorer.seen):
            return
        first = max(1, line - WINDOW)
        lines = explorer.read(path, first, line + WINDOW)[: line - first]
        # The head of the function that holds a call may stand further up.
        while question["kind"] == "callers" and lines and first > 1 and not explorer.spent():
            if any(HEAD.match(text) for text in lines):
                break
            first, last = max(1, first - 2 * WINDOW), first - 1
            lines = explorer.read(path, first, last)


def with_code(explorer, question):
    """Asks by symbol: callers for a name; explore, then ask and the definitions it names, for a question."""
    if question["kind"] == "callers":
        explorer.code(mode="callers", query=question["symbol"], limit=40)
        return
    explorer.code(mode="explore", query=question["question"])
    if proved(question, explorer.seen):
        return
    for hit in explorer.code(mode="ask", query=question["question"], limit=20):
        if explorer.spent() or proved(question, explorer.seen):
            return
        at = hit["symbol"]
        explorer.read(at["path"], at["start"], min(at["end"], at["start"] + 2 * WINDOW))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("folder")
    parser.add_argument("--json", action="store_true", help="every question's figures as JSON")
    options = parser.parse_args()
    with open(os.path.join(HERE, "questions.json"), encoding="utf-8") as file:
        repositories = json.load(file)
    rows = []
    with tempfile.TemporaryDirectory() as cache:
        for repository in repositories:
            server = Server(options.binary, os.path.join(options.folder, repository["directory"]), cache)
            for question in repository["questions"]:
                row = {"repository": repository["directory"], "question": question["question"], "kind": question["kind"]}
                for name, policy in (("text", with_text), ("code", with_code)):
                    explorer = Explorer(server)
                    policy(explorer, question)
                    row[name] = {"calls": explorer.calls, "bytes": explorer.bytes, "found": proved(question, explorer.seen)}
                rows.append(row)
            server.close()
    if options.json:
        json.dump(rows, sys.stdout, indent=1)
        return
    print("| repository | question | text: calls | bytes | found | code: calls | bytes | found |\n|---|---|---|---|---|---|---|---|")
    for row in rows:
        cells = [f"{row[p]['calls']} | {row[p]['bytes']:,} | {'yes' if row[p]['found'] else 'no'}" for p in ("text", "code")]
        print(f"| {row['repository']} | {row['question']} | {' | '.join(cells)} |")
    for kind in ("where", "callers"):
        some = [r for r in rows if r["kind"] == kind]
        cells = []
        for p in ("text", "code"):
            calls, size = sum(r[p]["calls"] for r in some), sum(r[p]["bytes"] for r in some)
            cells.append(f"{calls / len(some):.1f} | {size / len(some):,.0f} | {sum(r[p]['found'] for r in some)} of {len(some)}")
        print(f"| all | {kind}, mean | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
