//! A host's file tree that a test holds in memory.

use super::text::join;
use crate::context::{CallContext, Stop};
use crate::worktree::{Materialized, Worktree, WorktreeError};
use async_trait::async_trait;
use std::any::Any;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use understory_core::answer::NotSearched;
use understory_core::fingerprint::{ContentHash, Fingerprint};
use understory_core::path::RepoPath;
use understory_core::staged::{StagedChange, StagedError, StagedSet};
use understory_core::tree::{EntryKind, Tree, TreeEntry};

#[derive(Clone, Debug)]
struct Held {
    kind: EntryKind,
    executable: bool,
    bytes: Vec<u8>,
}

#[derive(Default)]
struct State {
    files: BTreeMap<RepoPath, Held>,
    head: Option<String>,
    not_searched: NotSearched,
    snapshots: usize,
    written: usize,
    live: BTreeMap<Fingerprint, Weak<tempfile::TempDir>>,
}

/// A [`Worktree`] with one repository, in memory. It counts what it was asked for. Ignore rules, submodules and modes other
/// than the executable bit are not modelled. A tree that is written out lies in a temporary directory.
///
/// Stricter than a real one: a tree of another root is a panic, and so is a link inside the tree to a directory above a
/// staged path.
pub struct MemoryWorktree {
    root: PathBuf,
    state: Mutex<State>,
}

impl MemoryWorktree {
    /// An empty repository at this (imaginary) host path.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        MemoryWorktree {
            root: root.into(),
            state: Mutex::default(),
        }
    }

    /// The repository's root.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Writes or replaces a file.
    pub fn write(&self, path: RepoPath, bytes: impl Into<Vec<u8>>, executable: bool) {
        self.put(path, EntryKind::File, executable, bytes.into());
    }

    /// Makes a symbolic link.
    pub fn link(&self, path: RepoPath, target: &str) {
        self.put(path, EntryKind::Symlink, false, target.into());
    }

    /// Removes a file or link. Says whether there was one.
    pub fn remove(&self, path: &RepoPath) -> bool {
        self.state().files.remove(path).is_some()
    }

    /// Sets the commit of HEAD.
    pub fn commit(&self, id: &str) {
        self.state().head = Some(id.to_owned());
    }

    /// Sets what walks leave out.
    pub fn leaving_out(&self, not_searched: NotSearched) {
        self.state().not_searched = not_searched;
    }

    /// Snapshots taken.
    pub fn snapshots(&self) -> usize {
        self.state().snapshots
    }

    /// Trees written out, one that was already there not counted.
    pub fn written(&self) -> usize {
        self.state().written
    }

    /// Trees written out and not dropped.
    pub fn live(&self) -> usize {
        self.state().live.values().filter(|dir| dir.strong_count() > 0).count()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn put(&self, path: RepoPath, kind: EntryKind, executable: bool, bytes: Vec<u8>) {
        let held = Held {
            kind,
            executable,
            bytes,
        };
        self.state().files.insert(path, held);
    }
}

fn entry(held: &Held) -> TreeEntry {
    TreeEntry {
        kind: held.kind,
        executable: held.executable,
        size: held.bytes.len() as u64,
        hash: ContentHash::of(&held.bytes),
    }
}

fn stopped(cx: &CallContext) -> Result<(), WorktreeError> {
    match cx.stop() {
        None => Ok(()),
        Some(Stop::Cancelled) => Err(WorktreeError::Cancelled),
        Some(Stop::Deadline) => Err(WorktreeError::Timeout),
    }
}

/// Refuses a staged path below a link that leaves the tree.
fn check(files: &BTreeMap<RepoPath, Held>, staged: &StagedSet) -> Result<(), StagedError> {
    for (path, _) in staged.iter() {
        let mut above = path.parent();
        while let Some(dir) = above.filter(|d| !d.is_root()) {
            if let Some(held) = files.get(&dir).filter(|h| h.kind == EntryKind::Symlink)
                && staged.get(&dir).is_none()
            {
                let target = String::from_utf8_lossy(&held.bytes);
                assert!(
                    join(&dir, &target).is_none(),
                    "the fake does not model {path} through {dir}"
                );
                return Err(StagedError::ThroughLink {
                    path: path.clone(),
                    link: dir,
                });
            }
            above = dir.parent();
        }
    }
    Ok(())
}

struct Written(Arc<tempfile::TempDir>);

impl Materialized for Written {
    fn path(&self) -> &Path {
        self.0.path()
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any + Send> {
        self
    }
}

#[async_trait]
impl Worktree for MemoryWorktree {
    async fn snapshot(&self, root: &Path, staged: &StagedSet, cx: &CallContext) -> Result<Tree, WorktreeError> {
        stopped(cx)?;
        if root != self.root {
            return Err(WorktreeError::NoRoot { path: root.to_owned() });
        }
        let mut state = self.state();
        check(&state.files, staged)?;
        state.snapshots += 1;
        let disk = state
            .files
            .iter()
            .map(|(path, held)| (path.clone(), entry(held)))
            .collect();
        Ok(Tree::new(
            self.root.clone(),
            state.head.is_some(),
            state.head.clone(),
            Arc::new(disk),
            staged.clone(),
            state.not_searched,
        ))
    }

    async fn materialize(&self, tree: &Tree, cx: &CallContext) -> Result<Box<dyn Materialized>, WorktreeError> {
        stopped(cx)?;
        assert_eq!(tree.root(), self.root, "a tree of another repository");
        let mut state = self.state();
        if let Some(dir) = state.live.get(&tree.fingerprint()).and_then(Weak::upgrade) {
            return Ok(Box::new(Written(dir)));
        }
        let failed = |source| WorktreeError::Io {
            what: "cannot write",
            path: std::env::temp_dir(),
            source,
        };
        let dir = tempfile::tempdir().map_err(failed)?;
        for file in tree.files() {
            let held = match tree.staged().get(file.path) {
                Some(StagedChange::Write { bytes, executable }) => Held {
                    kind: EntryKind::File,
                    executable: *executable,
                    bytes: bytes.to_vec(),
                },
                Some(StagedChange::Symlink { target }) => Held {
                    kind: EntryKind::Symlink,
                    executable: false,
                    bytes: target.as_bytes().to_vec(),
                },
                _ => match state.files.get(file.path) {
                    Some(held) if entry(held) == file.entry => held.clone(),
                    _ => {
                        return Err(WorktreeError::Changed {
                            path: file.path.clone(),
                        });
                    }
                },
            };
            write(&dir.path().join(file.path.as_str()), &held).map_err(failed)?;
        }
        let dir = Arc::new(dir);
        state.written += 1;
        state.live.insert(tree.fingerprint(), Arc::downgrade(&dir));
        Ok(Box::new(Written(dir)))
    }
}

fn write(at: &Path, held: &Held) -> std::io::Result<()> {
    if let Some(parent) = at.parent() {
        std::fs::create_dir_all(parent)?;
    }
    #[cfg(unix)]
    if held.kind == EntryKind::Symlink {
        return std::os::unix::fs::symlink(String::from_utf8_lossy(&held.bytes).as_ref(), at);
    }
    std::fs::write(at, &held.bytes)?;
    #[cfg(unix)]
    if held.executable {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(at, std::fs::Permissions::from_mode(0o755))?;
    }
    Ok(())
}
