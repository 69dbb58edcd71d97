#!/usr/bin/env python3
"""What whole commands cost on a repository, in CPU seconds of the process and its children.

usage: benches/commands.py REPOSITORY [--program target/release/understory] [--runs 20] [--edit FILE ...]

The repository is copied, so it is not touched. Printed are: the cold build with its peak memory, each mode with nothing
changed (the index in the cache, a process a question), and a question after one file changed (a comment at its end; a
definition that others may see). `rg` searches the same lines beside `grep`. Medians of --runs; ratios are of this run alone.
"""
import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile

ADDED = {
    "py": "\n\ndef added_{n}(x):\n    return x\n",
    "ts": "\nexport function added{n}(x: number) {{ return x }}\n",
    "js": "\nexport function added{n}(x) {{ return x }}\n",
    "go": "\nfunc Added{n}(x int) int {{ return x }}\n",
    "rs": "\npub fn added_{n}(x: u32) -> u32 {{ x }}\n",
    "java": "\nclass Added{n} {{ int added(int x) {{ return x; }} }}\n",
    "kt": "\nfun added{n}(x: Int) = x\n",
    "c": "\nint added{n}(int x) {{ return x; }}\n",
    "cc": "\nint added{n}(int x) {{ return x; }}\n",
    "rb": "\ndef added{n}(x) = x\n",
    "php": "\nfunction added{n}($x) {{ return $x; }}\n",
}
COMMENT = {"py": "\n# edited {n}\n", "rb": "\n# edited {n}\n"}


def run(command, cwd):
    """CPU seconds, peak MiB, output."""
    process = subprocess.Popen(command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    output = process.stdout.read()
    _, _, used = os.wait4(process.pid, 0)
    process.returncode = 0
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, output.decode(errors="replace")


def median(command, cwd, runs, between=lambda n: None):
    times = []
    for n in range(runs):
        between(n)
        times.append(run(command, cwd)[0])
    return statistics.median(times)


def edited(repo):
    """The code file of middle size and the biggest one."""
    found = []
    for folder, folders, names in os.walk(repo):
        folders[:] = sorted(f for f in folders if f != ".git")
        found += [os.path.join(folder, n) for n in sorted(names) if n.rsplit(".", 1)[-1] in ADDED]
    found = sorted((os.path.getsize(f), os.path.relpath(f, repo)) for f in found if not os.path.islink(f))
    return [found[len(found) // 2][1], found[-1][1]] if found else []


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repository")
    parser.add_argument("--program", default=os.path.join(os.path.dirname(__file__), "../target/release/understory"))
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--edit", action="append", default=[])
    a = parser.parse_args()
    program = os.path.abspath(a.program)
    if not os.path.exists(program):
        sys.exit(f"{program} is not there: cargo build --release")
    with tempfile.TemporaryDirectory() as temp:
        repo, cache = os.path.join(temp, "repo"), os.path.join(temp, "cache")
        shutil.copytree(a.repository, repo, symlinks=True)
        base = [program, "--cache", cache, "-q"]
        cpu, peak, text = run([*base, "index"], repo)
        print(f"{'cold build':<34} {cpu:8.3f} s   peak {peak:.0f} MiB   {text.strip()}")
        files = a.edit or edited(repo)
        name = "main"
        questions = [
            ("ask", ["ask", "where is the request timeout applied"]),
            ("grep", ["grep", "timeout|retry"]),
            ("callers", ["callers", name]),
            ("skeleton", ["skeleton", files[0]] if files else ["skeleton", "README.md"]),
            ("map", ["map"]),
            ("explore", ["explore", "how is a request retried after an error"]),
        ]
        rg = shutil.which("rg")
        plain = median([rg, "-n", "timeout|retry", "."], repo, a.runs) if rg else None
        for mode, words in questions:
            took = median([*base, *words], repo, a.runs)
            beside = f"   {took / plain:.2f} of rg" if plain and mode == "grep" else ""
            print(f"{mode + ', nothing changed':<34} {took:8.3f} s{beside}")
        if plain:
            print(f"{'rg, the same lines':<34} {plain:8.3f} s")
        for file in files:
            at = os.path.join(repo, file)
            with open(at, "rb") as f:
                original = f.read()
            suffix = file.rsplit(".", 1)[-1]
            for what, form in (("a comment", COMMENT.get(suffix, "\n// edited {n}\n")), ("a definition", ADDED[suffix])):
                def edit(n, form=form):
                    with open(at, "wb") as f:
                        f.write(original + form.format(n=n).encode())
                took = median([*base, "callers", name], repo, a.runs, edit)
                print(f"{'callers, ' + what + ' in':<34} {took:8.3f} s   {file}")
            with open(at, "wb") as f:
                f.write(original)


if __name__ == "__main__":
    main()
