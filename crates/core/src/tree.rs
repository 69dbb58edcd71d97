//! Repository plus staged set: what every answer describes.

use crate::answer::{Finding, NotSearched};
use crate::fingerprint::{self, ContentHash, Fingerprint};
use crate::path::RepoPath;
use crate::staged::{StagedChange, StagedSet};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// What an entry of the manifest is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EntryKind {
    /// A regular file; the hash is of its bytes.
    File,
    /// A symbolic link; the hash is of its target's text. Listed, never followed by search.
    Symlink,
    /// A submodule or nested repository; the hash is of its commit id or name. Its contents are outside the tree.
    Submodule,
}

/// One path of the manifest, as it is on disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreeEntry {
    /// What it is.
    pub kind: EntryKind,
    /// Whether the executable bit is set.
    pub executable: bool,
    /// Size in bytes.
    pub size: u64,
    /// Sha-256, see [`EntryKind`].
    pub hash: ContentHash,
}

/// Where the bytes of a path of the tree are.
#[derive(Clone, Debug)]
pub enum Source {
    /// Staged: these bytes.
    Staged(Arc<[u8]>),
    /// On disk, at this host path.
    Disk(PathBuf),
}

/// A tree: one walk of the repository (the manifest) with the staged set on top. Immutable and cheap to clone.
#[derive(Clone, Debug)]
pub struct Tree {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    root: PathBuf,
    git: bool,
    head: Option<String>,
    disk: Arc<BTreeMap<RepoPath, TreeEntry>>,
    staged: StagedSet,
    not_searched: NotSearched,
    findings: Vec<Finding>,
    fingerprint: OnceLock<Fingerprint>,
    disk_key: OnceLock<Fingerprint>,
}

/// A file of the tree, staged or on disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreeFile<'a> {
    /// Its path.
    pub path: &'a RepoPath,
    /// What it is.
    pub entry: TreeEntry,
    /// Whether it comes from the staged set.
    pub staged: bool,
}

impl Tree {
    /// Puts a tree together from one walk. `root` is the host path of the repository; `head` the commit id of HEAD, if any;
    /// `not_searched` what the walk itself left out (unreadable, nested, bad names).
    pub fn new(
        root: PathBuf,
        git: bool,
        head: Option<String>,
        disk: Arc<BTreeMap<RepoPath, TreeEntry>>,
        staged: StagedSet,
        not_searched: NotSearched,
    ) -> Self {
        Tree {
            inner: Arc::new(Inner {
                root,
                git,
                head,
                disk,
                staged,
                not_searched,
                findings: Vec::new(),
                fingerprint: OnceLock::new(),
                disk_key: OnceLock::new(),
            }),
        }
    }

    /// The same files on disk under another staged set.
    pub fn with_staged(&self, staged: StagedSet) -> Self {
        let i = &self.inner;
        Tree {
            inner: Arc::new(Inner {
                root: i.root.clone(),
                git: i.git,
                head: i.head.clone(),
                disk: i.disk.clone(),
                staged,
                not_searched: i.not_searched,
                findings: i.findings.clone(),
                fingerprint: OnceLock::new(),
                disk_key: i.disk_key.clone(),
            }),
        }
    }

    /// The same tree with notes that the walk left for the record.
    pub fn with_findings(self, findings: Vec<Finding>) -> Self {
        if findings.is_empty() {
            return self;
        }
        let i = &self.inner;
        Tree {
            inner: Arc::new(Inner {
                root: i.root.clone(),
                git: i.git,
                head: i.head.clone(),
                disk: i.disk.clone(),
                staged: i.staged.clone(),
                not_searched: i.not_searched,
                findings,
                fingerprint: i.fingerprint.clone(),
                disk_key: i.disk_key.clone(),
            }),
        }
    }

    /// Notes of the walk for the record, such as a cache that cannot be written. Not part of the fingerprint.
    pub fn findings(&self) -> &[Finding] {
        &self.inner.findings
    }

    /// Host path of the repository's root. Never shown to a model.
    pub fn root(&self) -> &Path {
        &self.inner.root
    }

    /// Whether the repository is a git work tree.
    pub fn is_git(&self) -> bool {
        self.inner.git
    }

    /// Commit id of HEAD, if there is one.
    pub fn head(&self) -> Option<&str> {
        self.inner.head.as_deref()
    }

    /// The manifest: entries on disk by path, staged changes not applied.
    pub fn disk(&self) -> &Arc<BTreeMap<RepoPath, TreeEntry>> {
        &self.inner.disk
    }

    /// The staged set.
    pub fn staged(&self) -> &StagedSet {
        &self.inner.staged
    }

    /// What the walk left out.
    pub fn not_searched(&self) -> NotSearched {
        self.inner.not_searched
    }

    /// The fingerprint of the tree. Computed once.
    pub fn fingerprint(&self) -> Fingerprint {
        *self
            .inner
            .fingerprint
            .get_or_init(|| fingerprint::fingerprint(self.head(), self.inner.disk.iter(), &self.inner.staged))
    }

    /// What names the files on disk alone: the key of a base index. Computed once.
    pub fn disk_key(&self) -> Fingerprint {
        *self
            .inner
            .disk_key
            .get_or_init(|| fingerprint::disk_key(self.inner.disk.iter()))
    }

    /// Every entry of the tree (staged writes in, staged deletions out), in path order.
    pub fn files(&self) -> Vec<TreeFile<'_>> {
        let staged = &self.inner.staged;
        let mut out: Vec<TreeFile<'_>> = Vec::with_capacity(self.inner.disk.len() + staged.len());
        for (path, entry) in self.inner.disk.iter() {
            if staged.is_empty() || !staged.hides(path) {
                out.push(TreeFile {
                    path,
                    entry: *entry,
                    staged: false,
                });
            }
        }
        if !staged.is_empty() {
            for (path, change) in staged.iter() {
                if let Some(entry) = staged_entry(change) {
                    out.push(TreeFile {
                        path,
                        entry,
                        staged: true,
                    });
                }
            }
            out.sort_by(|a, b| a.path.cmp(b.path));
        }
        out
    }

    /// The entry of exactly this path, staged or on disk.
    pub fn get(&self, path: &RepoPath) -> Option<TreeFile<'_>> {
        let staged = &self.inner.staged;
        if let Some((path, change)) = staged.get_key_value(path) {
            return staged_entry(change).map(|entry| TreeFile {
                path,
                entry,
                staged: true,
            });
        }
        if staged.hides(path) {
            return None;
        }
        self.inner.disk.get_key_value(path).map(|(path, entry)| TreeFile {
            path,
            entry: *entry,
            staged: false,
        })
    }

    /// Whether any entry lies in this directory. The root always exists.
    pub fn has_dir(&self, dir: &RepoPath) -> bool {
        if dir.is_root() {
            return true;
        }
        let staged = &self.inner.staged;
        if staged.below(dir).any(|(_, c)| !matches!(c, StagedChange::Delete)) {
            return true;
        }
        self.inner
            .disk
            .range(dir.clone()..)
            .take_while(|(p, _)| p.as_str().starts_with(dir.as_str()))
            .any(|(p, _)| p != dir && p.is_in(dir) && !staged.hides(p))
    }

    /// Where the bytes of a regular file of the tree are; `None` when the tree has no such file.
    pub fn source(&self, path: &RepoPath) -> Option<Source> {
        match self.inner.staged.get(path) {
            Some(StagedChange::Write { bytes, .. }) => return Some(Source::Staged(bytes.clone())),
            Some(_) => return None,
            None => {}
        }
        let file = self.get(path)?;
        (file.entry.kind == EntryKind::File).then(|| Source::Disk(self.inner.root.join(path.as_str())))
    }

    /// The staged link target of a path, if it is staged as a link.
    pub fn staged_link(&self, path: &RepoPath) -> Option<&str> {
        match self.inner.staged.get(path) {
            Some(StagedChange::Symlink { target }) => Some(target),
            _ => None,
        }
    }
}

fn staged_entry(change: &StagedChange) -> Option<TreeEntry> {
    match change {
        StagedChange::Write { bytes, executable } => Some(TreeEntry {
            kind: EntryKind::File,
            executable: *executable,
            size: bytes.len() as u64,
            hash: ContentHash::of(bytes),
        }),
        StagedChange::Symlink { target } => Some(TreeEntry {
            kind: EntryKind::Symlink,
            executable: false,
            size: target.len() as u64,
            hash: ContentHash::of(target.as_bytes()),
        }),
        StagedChange::Delete => None,
    }
}
