//! Fakes of the ports, each stricter than any real implementation: what a fake does not model fails loudly.

mod code_search;
mod memory;
mod provisioner;
mod sandbox;
mod text;
mod worktree;

pub use crate::code_search::MockCodeSearch;
pub use crate::provisioner::MockProvisioner;
pub use crate::sandbox::MockSandbox;
pub use crate::tape::MockTape;
pub use crate::text_search::MockTextSearch;
pub use crate::worktree::MockWorktree;
pub use code_search::ScriptedSearch;
pub use memory::MemorySearch;
pub use provisioner::{CountingProvisioner, sample_pin};
pub use sandbox::{Act, RecordingSandbox};
pub use text::MemoryText;
pub use worktree::MemoryWorktree;
