#!/usr/bin/env bash
# What each stage of the engine costs on a tree, beside ripgrep over the same files.
# usage: benches/stages.sh DIR
set -eu
dir=$(cd "${1:?usage: benches/stages.sh DIR}" && pwd)
cd "$(dirname "$0")/.."
cargo build --release -q -p understory-engine --example stages
target/release/examples/stages "$dir"
if command -v rg >/dev/null; then
    echo "ripgrep, the pattern of grep above:"
    ( cd "$dir" && time rg -c 'timeout|retry' >/dev/null ) 2>&1 | grep -E 'real|user|sys' || true
fi
