//! The ports of understory: what the use cases need from the outside, as traits, with their contracts.
//!
//! An adapter implements one trait. With the feature `testing` every port has a fake that is stricter than any real
//! implementation, and a mock; with the feature `conformance` it has a suite that any implementation runs with one call.
//!
//! Rules for every method: it may be called from any thread; it does not block an async executor (blocking work runs on
//! a blocking thread); it stops soon after [`CallContext::cancel`] is cancelled or [`CallContext::deadline`] passes, and
//! then returns the error of that name; dropping its future leaves nothing running and no half-written state.

pub mod code_search;
#[cfg(feature = "conformance")]
pub mod conformance;
pub mod context;
pub mod provisioner;
pub mod sandbox;
pub mod tape;
#[cfg(feature = "testing")]
pub mod testing;
pub mod text_search;
pub mod worktree;

pub use code_search::{Capabilities, CodeSearch, IndexReport, Prepared, SearchError};
pub use context::{CallContext, Event, EventSink, Policy, Silent};
pub use provisioner::{Installed, Locator, Pin, ProvisionError, Provisioner, Tool};
pub use sandbox::{Enforcement, Finished, Sandbox, SandboxCommand, SandboxError};
pub use tape::{Tape, TapeCall, TapeHead, TapeResult};
pub use text_search::{TextError, TextSearch};
pub use worktree::{Materialized, Worktree, WorktreeError};
