#!/bin/sh
# Kills a process two hundred times while it takes a snapshot and writes a tree out, each time at another step, and looks after
# each what the next run finds and leaves. The tests of every change do it five times.
#
#   benches/kill_snapshot.sh [ROUNDS]
set -eu
cd "$(dirname "$0")/.."
UNDERSTORY_ROUNDS="${1:-200}"
export UNDERSTORY_ROUNDS
cargo test --locked --package understory-adapter-worktree --test materialize -- --nocapture what_a_killed_process_left
