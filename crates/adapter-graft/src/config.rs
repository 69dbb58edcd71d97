//! What the backend is made from.

use crate::program::Program;
use std::path::PathBuf;
use std::sync::Arc;
use understory_core::guard::Guard;
use understory_ports::sandbox::Require;

/// What the backend is made from. It looks up nothing else.
#[derive(Clone, Debug)]
pub struct GraftConfig {
    /// The cache, an absolute path; empty when there is none, and every question is refused then. Indexes lie below
    /// `graft/index` in it.
    pub cache: PathBuf,
    /// Graft, if it was found: see [`Program::discover`].
    pub program: Option<Program>,
    /// What is not served.
    pub guard: Arc<Guard>,
    /// git, which Graft asks for the files of a work tree.
    pub git: Option<PathBuf>,
    /// What is asked of the sandbox.
    pub require: Require,
}
