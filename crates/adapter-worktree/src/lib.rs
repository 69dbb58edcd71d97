//! The host's file tree: the one walk of a repository, and trees written out for tools that need files.
//!
//! [`GitWorktree`] is the [`Worktree`] port over a git work tree or a plain folder. It runs no program and writes
//! nothing in the repository: git's library reads HEAD, the index and the configuration, and the walk, the ignore rules
//! and the hashing are done here. Trees are written out below the cache, each with a repository of its own.

mod git;
mod materialize;
mod own_git;
mod place;
mod rules;
mod snapshot;
mod staged;
mod statcache;
mod tracked;
mod walk;

use async_trait::async_trait;
use materialize::Live;
use snapshot::UserExcludes;
use std::any::Any;
use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use understory_core::fingerprint::Fingerprint;
use understory_core::guard::Guard;
use understory_core::staged::StagedSet;
use understory_core::tree::Tree;
use understory_ports::context::CallContext;
use understory_ports::worktree::{Materialized, Worktree, WorktreeError};

/// Git work trees and plain folders on this host. Clones share the trees that they have written out.
#[derive(Clone, Default)]
pub struct GitWorktree {
    cache: Option<PathBuf>,
    user: UserExcludes,
    guard: Option<Arc<Guard>>,
    live: Arc<Mutex<HashMap<Key, Slot>>>,
}

/// Which tree: the repository's root and the tree's fingerprint.
type Key = (PathBuf, Fingerprint);

/// The one directory of a tree, while it lives. Its lock is held while the directory is made.
type Slot = Arc<Mutex<Weak<Live>>>;

impl GitWorktree {
    /// With a cache directory, in which the hashes of files are kept between snapshots and trees are written out. Without
    /// one every file is hashed every time, and no tree can be written out.
    pub fn new(cache: Option<PathBuf>) -> Self {
        GitWorktree {
            cache,
            ..GitWorktree::default()
        }
    }

    /// Takes the user's own ignore rules from this file (or from nowhere), not from where git's configuration says.
    pub fn with_user_excludes(mut self, file: Option<PathBuf>) -> Self {
        self.user = UserExcludes::File(file);
        self
    }

    /// Leaves what this guard protects out of the trees that are written out.
    pub fn with_guard(mut self, guard: Arc<Guard>) -> Self {
        self.guard = Some(guard);
        self
    }

    /// [`Worktree::snapshot`] on the calling thread.
    pub fn snapshot_blocking(&self, root: &Path, staged: &StagedSet, cx: &CallContext) -> Result<Tree, WorktreeError> {
        if let Some(stop) = cx.stop() {
            return Err(snapshot::stop_error(stop));
        }
        snapshot::take(root, staged, self.cache.as_deref(), &self.user, cx)
    }

    /// Removes trees that processes which were killed left in the cache, and says how many. Trees of living processes are
    /// not touched. Happens by itself whenever a tree is written out.
    pub fn sweep(&self) -> io::Result<usize> {
        match &self.cache {
            Some(cache) => place::sweep(&cache.join(TREES)),
            None => Ok(0),
        }
    }

    /// [`Worktree::materialize`] and [`Worktree::update`] on the calling thread.
    pub fn materialize_blocking(
        &self,
        old: Option<Box<dyn Materialized>>,
        tree: &Tree,
        cx: &CallContext,
    ) -> Result<Box<dyn Materialized>, WorktreeError> {
        if let Some(stop) = cx.stop() {
            return Err(snapshot::stop_error(stop));
        }
        let cache = self.cache.as_deref().ok_or_else(|| WorktreeError::Io {
            what: "no cache directory was given to write a tree out in; the repository is",
            path: tree.root().to_owned(),
            source: io::ErrorKind::Unsupported.into(),
        })?;
        let slot = {
            let mut live = self.live.lock().unwrap_or_else(PoisonError::into_inner);
            live.retain(|_, slot| Arc::strong_count(slot) > 1 || slot.try_lock().is_ok_and(|s| s.strong_count() > 0));
            let key = (tree.root().to_owned(), tree.fingerprint());
            live.entry(key).or_default().clone()
        };
        let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(live) = slot.upgrade() {
            return Ok(Box::new(Written { live }));
        }
        let trees = cache.join(TREES);
        // What cannot be swept is in nobody's way; a later run tries again.
        let _ = place::sweep(&trees);
        let reused = old
            .and_then(|old| old.into_any().downcast::<Written>().ok())
            .and_then(|old| Arc::into_inner(old.live));
        let mut live = match reused {
            Some(live) => live,
            None => Live::make(&trees)?,
        };
        live.bring_to(tree, self.guard.as_deref(), cache, cx)?;
        let live = Arc::new(live);
        *slot = Arc::downgrade(&live);
        Ok(Box::new(Written { live }))
    }
}

/// Where trees are written out in the cache.
const TREES: &str = "trees";

/// A written tree; the last one to hold it removes it.
struct Written {
    live: Arc<Live>,
}

impl Materialized for Written {
    fn path(&self) -> &Path {
        self.live.path()
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any + Send> {
        self
    }
}

#[async_trait]
impl Worktree for GitWorktree {
    async fn snapshot(&self, root: &Path, staged: &StagedSet, cx: &CallContext) -> Result<Tree, WorktreeError> {
        let (this, root, staged) = (self.clone(), root.to_owned(), staged.clone());
        on_blocking_thread(cx, move |cx| this.snapshot_blocking(&root, &staged, cx)).await
    }

    async fn materialize(&self, tree: &Tree, cx: &CallContext) -> Result<Box<dyn Materialized>, WorktreeError> {
        let (this, tree) = (self.clone(), tree.clone());
        on_blocking_thread(cx, move |cx| this.materialize_blocking(None, &tree, cx)).await
    }

    async fn update(
        &self,
        old: Box<dyn Materialized>,
        tree: &Tree,
        cx: &CallContext,
    ) -> Result<Box<dyn Materialized>, WorktreeError> {
        let (this, tree) = (self.clone(), tree.clone());
        on_blocking_thread(cx, move |cx| this.materialize_blocking(Some(old), &tree, cx)).await
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
