#!/usr/bin/env bash
# What each stage of the engine costs on a tree, beside ripgrep over the same files.
# usage: benches/stages.sh DIR | --generated FILES
set -eu
usage="usage: benches/stages.sh DIR | --generated FILES"
case "${1:?$usage}" in
    --generated) set -- --generated "${2:?$usage}" ;;
    *) set -- "$(cd "$1" && pwd)" ;;
esac
cd "$(dirname "$0")/.."
cargo build --release -q -p understory-engine --example stages
target/release/examples/stages "$@"
if [ "$1" != --generated ] && command -v rg >/dev/null; then
    echo "ripgrep, the pattern of grep above:"
    ( cd "$1" && time rg -c 'timeout|retry' >/dev/null ) 2>&1 | grep -E 'real|user|sys' || true
fi
