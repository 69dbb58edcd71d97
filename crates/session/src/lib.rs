//! The use cases of understory: prepare a repository, hand a model its tools, answer a call, keep the record.
//!
//! A [`Session`] is one agent's run over one repository: its staged writes, its tools, its record. It knows the ports
//! and no adapter; whoever links it in brings a [`CodeSearch`](understory_ports::CodeSearch), a
//! [`TextSearch`](understory_ports::TextSearch) and a [`Worktree`](understory_ports::Worktree). It has no runtime, no
//! thread and no global state of its own, prints nothing, and reads neither the environment nor the current directory.
//!
//! ```
//! # use std::sync::Arc;
//! # use understory_ports::testing::{MemorySearch, MockTextSearch, MockWorktree};
//! # use understory_ports::CallContext;
//! # use understory_core::{NotSearched, tree::Tree};
//! use understory_session::{Options, Ports, Session};
//! # #[tokio::main(flavor = "current_thread")] async fn main() {
//! # let mut worktree = MockWorktree::new();
//! # worktree.expect_snapshot().returning(|root, staged, _| {
//! #     Ok(Tree::new(root.to_owned(), false, None, Default::default(), staged.clone(), NotSearched::default()))
//! # });
//! # let ports = Ports { search: Arc::new(MemorySearch::new()), text: Arc::new(MockTextSearch::new()), worktree: Arc::new(worktree) };
//! let session = Session::open("/some/repository", ports, Options::default());
//! session.stage_text("pay.py", "def charge(x):\n    return x\n").unwrap();
//! let arguments = serde_json::json!({"mode": "grep", "query": "charge"});
//! let answer = session.call("search_code", &arguments, &CallContext::new()).await;
//! assert!(answer.text.unwrap().starts_with("pay.py:L1-L2 function charge (0←)\n    1: def charge(x):"));
//! # }
//! ```
//!
//! A call never fails: what goes wrong is a refusal in the answer, and the run goes on without the tool.

/// The code of the manual compiles.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/extending.md")]
struct Extending;

mod absent;
mod answers;
mod calls;
mod clock;
mod options;
mod reading;
mod record;
mod refusals;
mod session;
mod staging;
mod taping;
mod toolbox;
mod tools;

pub use answers::model_text;
pub use clock::{Clock, SystemClock};
pub use options::{Options, Ports};
pub use record::{Event, JsonLines, NoRecord, Record, Totals};
pub use session::{Outcome, Session};
pub use toolbox::Toolbox;
pub use tools::{Capability, ToolSet, ToolSpec};

#[cfg(test)]
mod tests;
