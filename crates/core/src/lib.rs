//! Plain data and pure rules of understory.
//!
//! Nothing here does input or output: a path, a staged set, a tree and its fingerprint, a query, an answer, a refusal
//! are values, and the guard, redaction, fencing and rendering are functions over them. The other crates read files,
//! run processes and build indexes, and speak to each other in these types.

pub mod answer;
pub mod fence;
pub mod fingerprint;
pub mod guard;
pub mod json;
pub mod limits;
pub mod near;
pub mod path;
pub mod query;
pub mod redact;
pub mod refusal;
pub mod render;
pub mod staged;
pub mod tree;

pub use answer::{Answer, Counts, Finding, Hit, NotSearched, Severity, Symbol};
pub use fingerprint::{ContentHash, Fingerprint};
pub use guard::{Guard, Verdict};
pub use limits::Limits;
pub use path::{PathError, RepoPath};
pub use query::{Direction, Mode, SearchQuery};
pub use refusal::{Refusal, RefusalCode};
pub use staged::{StagedChange, StagedError, StagedSet};
pub use tree::{EntryKind, Tree, TreeEntry};
