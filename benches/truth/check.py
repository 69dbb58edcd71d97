#!/usr/bin/env python3
"""Compares `callers` with lists of callers that were written down by reading the code.

    check.py BINARY CHECKOUT TRUTH.json...

CHECKOUT is a checkout of the repository and commit that each truth file names. For every symbol the callers that the
binary finds are compared with those in the file. A caller is `path#qualified` of the enclosing definition, or the path
for code outside any. Imports are no callers. `exact` and `resolved` hits count as found; `possible` and `name` hits are
counted apart. Exit code 0 when every list agrees, 1 otherwise.
"""

import json
import subprocess
import sys
import tempfile

RELATIONS = {"calls", "uses", "inherits", "implements"}
SURE = {"exact", "resolved"}


def callers(binary, checkout, cache, symbol):
    """Caller -> best confidence, as the binary has it."""
    command = [binary, "--repo", checkout, "--cache", cache, "--json", "-n", "1000", "callers", symbol]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    try:
        answer = json.loads(done.stdout)
    except json.JSONDecodeError:
        return None
    if not answer.get("ok"):
        return None
    order = ["exact", "resolved", "possible", "name"]
    found = {}
    for hit in answer["hits"]:
        if hit["relation"] not in RELATIONS or hit["depth"] != 1:
            continue
        at = hit["symbol"]
        name = at["path"] if at["kind"] == "file" else f"{at['path']}#{at['qualified']}"
        if name not in found or order.index(hit["confidence"]) < order.index(found[name]):
            found[name] = hit["confidence"]
    return found


def as_listed(found, wanted):
    """The callers under the names of the list, which may leave the enclosing namespace out."""
    out = {}
    for name, confidence in found.items():
        path, _, qualified = name.partition("#")
        alike = [w for w in wanted if w.startswith(path + "#") and ("." + qualified).endswith("." + w[len(path) + 1 :])]
        out[alike[0] if name not in wanted and alike else name] = confidence
    return out


def compare(binary, checkout, truth, cache):
    """Prints each difference and the two rates; says whether there was none."""
    right = wrong = missed = unsure = 0
    for entry in truth["symbols"]:
        symbol, wanted = entry["symbol"], set(entry["callers"])
        found = callers(binary, checkout, cache, symbol)
        if found is None:
            print(f"  {symbol}: not found")
            missed += len(wanted)
            continue
        found = as_listed(found, wanted)
        sure = {name for name, confidence in found.items() if confidence in SURE}
        right += len(sure & wanted)
        wrong += len(sure - wanted)
        for name in sorted(sure - wanted):
            print(f"  {symbol}: wrong {name} ({found[name]})")
        for name in sorted(wanted - sure):
            missed += 1
            unsure += name in found
            print(f"  {symbol}: missed {name}" + (f" (only {found[name]})" if name in found else ""))
    precision = right / (right + wrong) if right + wrong else 1.0
    recall = right / (right + missed) if right + missed else 1.0
    print(
        f"{truth['language']}: {len(truth['symbols'])} symbols of {truth['repository']}, "
        f"precision {precision:.3f} ({right} of {right + wrong}), recall {recall:.3f} ({right} of {right + missed}), "
        f"{unsure} of the missed as possible or by name"
    )
    return wrong + missed == 0


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    binary, checkout = sys.argv[1:3]
    agrees = True
    with tempfile.TemporaryDirectory() as cache:
        for path in sys.argv[3:]:
            with open(path, encoding="utf-8") as file:
                agrees &= compare(binary, checkout, json.load(file), cache)
    sys.exit(0 if agrees else 1)


if __name__ == "__main__":
    main()
