#!/bin/sh
# A hundred thousand random tool calls and as many random frames for the MCP server, always the same ones: no panic, no hang, no
# host path in an answer. The tests of every change make two thousand of each.
#
#   benches/random.sh [ROUNDS]
set -eu
cd "$(dirname "$0")/.."
UNDERSTORY_ROUNDS="${1:-100000}"
export UNDERSTORY_ROUNDS
cargo test --locked --package understory --test random_calls -- --nocapture
cargo test --locked --package understory --test mcp random -- --nocapture
