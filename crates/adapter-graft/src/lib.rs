//! The [`CodeSearch`](understory_ports::CodeSearch) port over the Graft command line (`@nanonets/graft`).
//!
//! Every process is built from typed parts by one function (`command`), runs under the
//! [`Sandbox`](understory_ports::Sandbox) port with the network denied, works in the cache, and names its tree as a
//! positional argument. With nothing staged that tree is the repository itself, which is only read; otherwise, and where
//! the repository holds what would lead Graft astray (`place`), it is one that the
//! [`Worktree`](understory_ports::Worktree) port wrote out.
//!
//! | mode | command | what is added to it |
//! |---|---|---|
//! | `ask` | `ask --json` | – |
//! | `grep` | `grep --json` | every hit is tried again with the pattern as it was asked, and files that Graft does not index are searched here |
//! | `callers` | `callers --json` | the lines of the caller that carry the name; confidence and way by the graph |
//! | `skeleton` | `skeleton --json` | the nesting, by the spans |
//! | `map` | `map --json` | counts by the graph, over the files of the tree |
//! | `explore` | `ask --json` | the source, from the tree; call paths by the graph |
//!
//! Of the program's output only JSON is read, never text that it wrote for a model. The graph that `build` leaves in the
//! cache is read too (`graph`): whether there is an index, which files it covers, and what the answers leave out.

mod adapter;
mod answers;
mod command;
mod config;
mod graph;
mod home;
mod live;
mod output;
mod parse;
mod pattern;
mod pin;
mod place;
mod program;
mod slot;

pub use adapter::GraftSearch;
pub use config::GraftConfig;
pub use pin::pin;
pub use program::{Program, Runner};

/// The version that this is made for.
pub const VERSION: &str = "0.16.0";

/// The lowest major version of Node.js that it runs on.
pub const NODE: u32 = 20;
