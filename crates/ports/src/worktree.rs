//! The port of the host's file tree: the one walk, and trees written out for tools that need files.

use crate::context::CallContext;
use async_trait::async_trait;
use std::any::Any;
use std::path::{Path, PathBuf};
use understory_core::path::RepoPath;
use understory_core::staged::{StagedError, StagedSet};
use understory_core::tree::Tree;

/// Why a tree cannot be had.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WorktreeError {
    /// The root does not exist or is no directory.
    #[error("{path} is not a directory")]
    NoRoot {
        /// The root, as given.
        path: PathBuf,
    },
    /// A bare repository has no files to search.
    #[error("{path} is a bare git repository: it has no work tree")]
    Bare {
        /// The root, as given.
        path: PathBuf,
    },
    /// A staged path is not allowed over what is on disk.
    #[error(transparent)]
    Staged(#[from] StagedError),
    /// Reading or writing failed as a whole (one unreadable file is counted, not an error).
    #[error("{what} {path}")]
    Io {
        /// What was being done, in the form "cannot read".
        what: &'static str,
        /// Where.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// A file is no longer as the snapshot saw it; a new snapshot sees what it is now.
    #[error("{path:?} changed after the snapshot was taken")]
    Changed {
        /// The file.
        path: RepoPath,
    },
    /// The orchestrator cancelled the call.
    #[error("cancelled")]
    Cancelled,
    /// The deadline passed.
    #[error("timed out")]
    Timeout,
}

/// A tree written out to a directory. Removed when dropped.
pub trait Materialized: Send + Sync {
    /// The directory; valid until this value is dropped.
    fn path(&self) -> &Path;

    /// This value as any, so that [`Worktree::update`] finds its own kind again.
    fn into_any(self: Box<Self>) -> Box<dyn Any + Send>;
}

/// The host's file tree.
#[cfg_attr(feature = "testing", mockall::automock)]
#[async_trait]
pub trait Worktree: Send + Sync {
    /// Walks the repository once and gives the tree: manifest (path, kind, mode, size, sha-256 of the bytes on disk), HEAD,
    /// what was left out, and `staged` on top, checked against links on disk. Writes nothing in the repository and runs
    /// no program. A file that changes while it is walked is hashed as it was at one moment.
    async fn snapshot(&self, root: &Path, staged: &StagedSet, cx: &CallContext) -> Result<Tree, WorktreeError>;

    /// Writes the tree out: the files as on disk when the snapshot was taken (dirty ones too) with the staged set on top;
    /// bytes, executable bits and links kept; nothing in it can change the repository. A file that is no longer as the
    /// snapshot saw it is [`WorktreeError::Changed`]: what is written out is the tree or nothing. The same tree written
    /// out twice at a time is one directory.
    async fn materialize(&self, tree: &Tree, cx: &CallContext) -> Result<Box<dyn Materialized>, WorktreeError>;

    /// Writes another tree out in place of `old`, which is consumed, on success and on failure. What both have need not be
    /// written again.
    async fn update(
        &self,
        old: Box<dyn Materialized>,
        tree: &Tree,
        cx: &CallContext,
    ) -> Result<Box<dyn Materialized>, WorktreeError> {
        drop(old);
        self.materialize(tree, cx).await
    }
}
