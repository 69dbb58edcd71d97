#!/usr/bin/env python3
"""How many answers about ordinary repositories are fenced or redacted.

    run.py BINARY CHECKOUT... [--calls N]

Runs N calls (default 200) of every tool on each checkout through one `understory mcp --stage`, and counts the answers
that were fenced (a finding `injection.*`) and those in which something was replaced (`redaction.*`). The calls are drawn
from the repository: its files, the names of its symbols, words of its lines. They are the same in every run on the same tree.
Exit code 1 when a tool's fenced rate over all checkouts is 1 % or more.
"""

import argparse
import os
import random
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from mcp import Server  # noqa: E402

WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]{3,30}")
# What such a search is most likely to meet a text in that speaks to a model.
PROVOKING = ["prompt", "system", "instructions", "assistant", "password", "secret", "token", "ignore", "tool", "role", "user"]
FINDING = re.compile(r"(injection|redaction)\.")


def drawn(server, seed):
    """Files, symbols and words of the tree, in a random but repeatable order."""
    draw = random.Random(seed)
    _, answer = server.call("list_files", {})
    files = list(answer["paths"])
    for directory in sorted({p.split("/")[0] for p in files if "/" in p}):
        _, answer = server.call("list_files", {"path": directory})
        files += answer.get("paths", [])
    files = sorted(set(files))
    draw.shuffle(files)
    symbols, words, code = [], [], []
    for path in files[:400]:
        text, answer = server.call("read_file", {"path": path, "end": 200})
        if not answer["ok"]:
            continue
        words += draw.sample(found, min(6, len(found))) if (found := sorted(set(WORD.findall(text)))) else []
        _, answer = server.call("search_code", {"mode": "skeleton", "file": path, "limit": 40})
        if answer["ok"] and answer["hits"]:
            code.append(path)
            names = [f"{path}#{h['symbol']['qualified']}" for h in answer["hits"]]
            symbols += draw.sample(names, min(4, len(names)))
    for each in (symbols, words):
        draw.shuffle(each)
    return draw, files, code, symbols, words


def calls(server, seed, count):
    """(tool, arguments) of every tool, `count` of each."""
    draw, files, code, symbols, words = drawn(server, seed)
    out = []
    for i in range(count):
        mode = ["ask", "grep", "callers", "skeleton", "explore", "map"][i % 6] if i % 60 < 59 else "map"
        some = [draw.choice(words) for _ in range(3)] + ([draw.choice(PROVOKING)] if i % 4 == 0 else [])
        arguments = {"mode": mode, "limit": 10 + i % 31}
        if mode in ("ask", "explore"):
            arguments["query"] = " ".join(some)
        elif mode == "grep":
            arguments["query"] = re.escape(some[-1])
        elif mode == "callers":
            arguments |= {"query": draw.choice(symbols), "direction": draw.choice(["in", "out"])}
        elif mode == "skeleton":
            arguments["file"] = draw.choice(code)
        else:
            top = sorted({p.split("/")[0] for p in code if "/" in p})
            arguments["scope"] = draw.choice(top + [""])
        out.append(("search_code", arguments))
    for i in range(count):
        word = draw.choice(PROVOKING) if i % 8 == 0 else draw.choice(words)
        out.append(("search_text", {"pattern": f"(?i){re.escape(word)}", "limit": 80}))
    for i in range(count):
        start = draw.choice([1, 1, 50, 120, 400])
        out.append(("read_file", {"path": files[i % len(files)], "start": start}))
    for i in range(count):
        path = draw.choice(files)
        glob = draw.choice(["*" + os.path.splitext(path)[1], "**/" + os.path.basename(path), "test*", path.split("/")[0] + "/**"])
        out.append(("list_files", {"glob": glob}))
    for i in range(count):
        path = files[(i * 7) % len(files)]
        out += [("stage_write", {"path": path}), ("staged", {}), ("unstage", {"path": path})]
    return out


def measure(binary, checkout, count):
    """Tool -> [calls, refused, fenced, redacted], and the fenced calls."""
    tally, fenced_calls = {}, []
    with tempfile.TemporaryDirectory() as cache:
        server = Server(binary, checkout, cache, stage=True)
        for tool, arguments in calls(server, 7, count):
            if tool == "stage_write":
                _, answer = server.call("read_file", {"path": arguments["path"]})
                if not answer["ok"]:
                    continue
                arguments = arguments | {"content": answer["content"] + "\n"}
            _, answer = server.call(tool, arguments)
            if tool == "read_file" and not answer["ok"] and arguments["start"] > 1:  # the file is shorter
                arguments = arguments | {"start": 1}
                _, answer = server.call(tool, arguments)
            kinds = {m.group(1) for f in answer["findings"] if (m := FINDING.match(f["id"]))}
            row = tally.setdefault(tool, [0, 0, 0, 0])
            row[0] += 1
            row[1] += not answer["ok"]
            row[2] += "injection" in kinds
            row[3] += "redaction" in kinds
            if "injection" in kinds:
                arguments = {k: v for k, v in arguments.items() if k != "content"}
                fenced_calls.append((tool, arguments, sorted(f["id"] for f in answer["findings"] if f["id"].startswith("injection"))))
        server.close()
    return tally, fenced_calls


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("checkouts", nargs="+")
    parser.add_argument("--calls", type=int, default=200)
    options = parser.parse_args()
    total = {}
    print("| repository | tool | calls | refused | fenced | redacted |\n|---|---|---|---|---|---|")
    fenced_calls = []
    for checkout in options.checkouts:
        name = os.path.basename(os.path.normpath(checkout))
        tally, fenced = measure(options.binary, checkout, options.calls)
        fenced_calls += [(name, *f) for f in fenced]
        for tool, row in tally.items():
            print(f"| {name} | `{tool}` | {row[0]} | {row[1]} | {row[2]} | {row[3]} |", flush=True)
            total[tool] = [a + b for a, b in zip(total.get(tool, [0, 0, 0, 0]), row)]
    for tool, row in total.items():
        print(f"| all | `{tool}` | {row[0]} | {row[1]} | {row[2]} ({row[2] / row[0]:.2%}) | {row[3]} |")
    for line in fenced_calls:
        print(*line, file=sys.stderr)
    sys.exit(0 if all(row[2] < row[0] / 100 for row in total.values()) else 1)


if __name__ == "__main__":
    main()
