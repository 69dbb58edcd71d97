#!/bin/sh
# Many sessions at once over one repository, each with its own staged set: one answer in fifty is held against a cold build of its
# own tree. Ends with 1 on a wrong answer, a refusal, a child process or a half-written file that is left. The tests of every
# change do the same for a moment.
#
#   benches/soak.sh REPOSITORY [SECONDS [SESSIONS]]
set -eu
repository=$(cd "${1:?name a repository}" && pwd)
cd "$(dirname "$0")/.."
exec cargo run --locked --release --package understory --example soak -- "$repository" "${2:-300}" "${3:-64}"
