//! The [`CodeSearch`](understory_ports::CodeSearch) port over the CodeGraph command line (`@colbymchenry/codegraph`).
//!
//! Every process is built from typed parts by one function, runs under the [`Sandbox`](understory_ports::Sandbox) port
//! with the network denied, works in the cache, and reads a tree that the [`Worktree`](understory_ports::Worktree) port
//! wrote out: the repository is never the tool's to write. A query of CodeGraph writes beside its database, so the
//! database is always a private copy, reached through a link in that tree.
//!
//! | mode | command | what it gives |
//! |---|---|---|
//! | `explore` | `explore` | source that the tool picked, cut at definitions, and its call flow |
//! | `ask` | `query --json` | symbols whose names match the words |
//! | `callers`, depth 1 | `callers --json`, `callees --json` | with the lines of the call sites |
//! | `callers` in, depth 2 and 3 | `impact --json` | refused by name where its answer passes the bound |
//! | `skeleton` | `node --symbols-only` | nested by the spans of the definitions |
//! | `grep`, `map`, a scope, `callers` out deeper than 1 | – | refused: the command line has no answer |
//!
//! Whose index it is, [`IndexKind`] says. The user's own is authoritative: it is never made, synchronised or judged, only
//! described in findings. A managed one is made and kept in the cache, and covers staged writes.
//!
//! Text of the tool never reaches an answer: paths, lines and names are parsed out of it, checked against the tree, and
//! the source is read from the tree. Where the tool does not say at which line a definition ends, that is told from the
//! indentation.

mod adapter;
mod answers;
mod command;
mod config;
mod index;
mod output;
mod parse;
mod pin;
mod prepared;
mod program;
mod relations;
mod runs;

pub use adapter::CodegraphSearch;
pub use config::{CodegraphConfig, IndexKind};
pub use pin::pin;
pub use program::{Program, System};
