//! The host's file tree: the one walk of a repository, and trees written out for tools that need files.
//!
//! [`GitWorktree`] is the [`Worktree`] port over a git work tree or a plain folder. It runs no program and writes
//! nothing in the repository: git's library reads HEAD, the index and the configuration, and the walk, the ignore rules
//! and the hashing are done here.

mod git;
mod rules;
mod snapshot;
mod staged;
mod statcache;
mod walk;

use async_trait::async_trait;
use snapshot::UserExcludes;
use std::path::{Path, PathBuf};
use understory_core::staged::StagedSet;
use understory_core::tree::Tree;
use understory_ports::context::CallContext;
use understory_ports::worktree::{Materialized, Worktree, WorktreeError};

/// Git work trees and plain folders on this host.
#[derive(Clone, Debug, Default)]
pub struct GitWorktree {
    cache: Option<PathBuf>,
    user: UserExcludes,
}

impl GitWorktree {
    /// With a cache directory, in which the hashes of files are kept between snapshots. Without one every file is hashed
    /// every time.
    pub fn new(cache: Option<PathBuf>) -> Self {
        GitWorktree {
            cache,
            user: UserExcludes::Configured,
        }
    }

    /// Takes the user's own ignore rules from this file (or from nowhere), not from where git's configuration says.
    pub fn with_user_excludes(mut self, file: Option<PathBuf>) -> Self {
        self.user = UserExcludes::File(file);
        self
    }

    /// [`Worktree::snapshot`] on the calling thread.
    pub fn snapshot_blocking(&self, root: &Path, staged: &StagedSet, cx: &CallContext) -> Result<Tree, WorktreeError> {
        if let Some(stop) = cx.stop() {
            return Err(snapshot::stop_error(stop));
        }
        snapshot::take(root, staged, self.cache.as_deref(), &self.user, cx)
    }
}

#[async_trait]
impl Worktree for GitWorktree {
    async fn snapshot(&self, root: &Path, staged: &StagedSet, cx: &CallContext) -> Result<Tree, WorktreeError> {
        let (this, root, staged) = (self.clone(), root.to_owned(), staged.clone());
        on_blocking_thread(cx, move |cx| this.snapshot_blocking(&root, &staged, cx)).await
    }

    async fn materialize(&self, tree: &Tree, cx: &CallContext) -> Result<Box<dyn Materialized>, WorktreeError> {
        let _ = (tree, cx);
        Err(WorktreeError::Io {
            what: "cannot write a tree to",
            path: self.cache.clone().unwrap_or_default(),
            source: std::io::Error::from(std::io::ErrorKind::Unsupported),
        })
    }
}

/// Runs `work` on a blocking thread. It is cancelled when the returned future is dropped.
async fn on_blocking_thread<T: Send + 'static>(
    cx: &CallContext,
    work: impl FnOnce(&CallContext) -> Result<T, WorktreeError> + Send + 'static,
) -> Result<T, WorktreeError> {
    let mut inner = cx.clone();
    inner.cancel = cx.cancel.child_token();
    let _cancel_on_drop = inner.cancel.clone().drop_guard();
    match tokio::task::spawn_blocking(move || work(&inner)).await {
        Ok(done) => done,
        Err(failed) if failed.is_panic() => std::panic::resume_unwind(failed.into_panic()),
        Err(_) => Err(WorktreeError::Cancelled),
    }
}
