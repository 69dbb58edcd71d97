//! What the backend is made from.

use crate::program::Program;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use understory_core::guard::Guard;
use understory_ports::Tool;
use understory_ports::sandbox::Require;

/// What the backend is made from. It looks up nothing else.
#[derive(Clone, Debug)]
pub struct GraftConfig {
    /// The cache, an absolute path; empty when there is none, and every question is refused then. Indexes lie below
    /// `graft/index` in it.
    pub cache: PathBuf,
    /// The program that was named, or found otherwise: see [`Program::discover`].
    pub program: Option<Program>,
    /// The pinned Graft, which comes before `program` where it is installed. It is looked for when it is needed, so that
    /// what was installed meanwhile is found. `None` where a program was named.
    pub tool: Option<Tool>,
    /// The search path in which Node.js is looked for.
    pub search: OsString,
    /// What is not served.
    pub guard: Arc<Guard>,
    /// git, which Graft asks for the files of a work tree.
    pub git: Option<PathBuf>,
    /// What is asked of the sandbox.
    pub require: Require,
}
