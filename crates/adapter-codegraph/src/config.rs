//! What the backend is made from.

use crate::program::Program;
use std::path::PathBuf;
use std::sync::Arc;
use understory_core::guard::Guard;
use understory_ports::Tool;
use understory_ports::sandbox::Require;

/// Whose index is searched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IndexKind {
    /// The one that the user keeps in the repository (`.codegraph`). It is copied and read; none is made.
    #[default]
    User,
    /// One that this backend makes and keeps in the cache.
    Managed,
}

/// What the backend is made from. It looks up nothing else.
#[derive(Clone, Debug)]
pub struct CodegraphConfig {
    /// The cache, an absolute path; empty when there is none, and every question is refused then. Copies of indexes and managed ones lie below `codegraph` in it.
    pub cache: PathBuf,
    /// The program that was named, or found otherwise: see [`Program::discover`].
    pub program: Option<Program>,
    /// The pinned CodeGraph, which comes before `program` where it is installed. It is looked for when it is needed, so that
    /// what was installed meanwhile is found. `None` where a program was named.
    pub tool: Option<Tool>,
    /// Whose index.
    pub index: IndexKind,
    /// What is not served.
    pub guard: Arc<Guard>,
    /// git, which CodeGraph asks for the root of a work tree. Without it the tool goes on without an answer.
    pub git: Option<PathBuf>,
    /// What is asked of the sandbox.
    pub require: Require,
}
