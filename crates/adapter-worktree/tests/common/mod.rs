//! Small repositories for the tests, made with git's library: no program runs.
#![allow(dead_code, reason = "each test binary uses a part")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use understory_adapter_worktree::GitWorktree;
use understory_core::path::RepoPath;
use understory_core::staged::StagedSet;
use understory_core::tree::Tree;
use understory_ports::context::CallContext;
use understory_ports::worktree::WorktreeError;

/// A directory with a repository (or none) in it and a cache beside it.
pub struct Repo {
    pub dir: TempDir,
    pub root: PathBuf,
    pub cache: PathBuf,
}

impl Repo {
    /// A folder that is no repository.
    pub fn plain() -> Repo {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap().join("repo");
        fs::create_dir(&root).unwrap();
        let cache = dir.path().join("cache");
        Repo { dir, root, cache }
    }

    /// An empty repository.
    pub fn git() -> Repo {
        let repo = Repo::plain();
        git2::Repository::init(&repo.root).unwrap();
        repo
    }

    pub fn open(&self) -> git2::Repository {
        git2::Repository::open(&self.root).unwrap()
    }

    pub fn write(&self, path: &str, contents: impl AsRef<[u8]>) -> &Self {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, contents).unwrap();
        self
    }

    pub fn link(&self, path: &str, target: &str) -> &Self {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(target, path).unwrap();
        self
    }

    pub fn executable(&self, path: &str) -> &Self {
        fs::set_permissions(self.root.join(path), fs::Permissions::from_mode(0o755)).unwrap();
        self
    }

    /// Adds paths to the index, ignored ones too.
    pub fn add(&self, paths: &[&str]) -> &Self {
        add(&self.open(), paths);
        self
    }

    pub fn commit(&self) -> String {
        commit(&self.open())
    }

    pub fn worktree(&self) -> GitWorktree {
        GitWorktree::new(Some(self.cache.clone())).with_user_excludes(None)
    }

    pub fn snapshot(&self) -> Tree {
        snapshot(&self.root, &self.worktree()).unwrap()
    }
}

pub fn add(repo: &git2::Repository, paths: &[&str]) {
    let mut index = repo.index().unwrap();
    for path in paths {
        index.add_path(Path::new(path)).unwrap();
    }
    index.write().unwrap();
}

pub fn commit(repo: &git2::Repository) -> String {
    let mut index = repo.index().unwrap();
    let tree = repo.find_tree(index.write_tree().unwrap()).unwrap();
    let who = git2::Signature::new("t", "t@example.org", &git2::Time::new(0, 0)).unwrap();
    let parent = repo.head().ok().map(|h| h.peel_to_commit().unwrap());
    let parents: Vec<&git2::Commit<'_>> = parent.iter().collect();
    repo.commit(Some("HEAD"), &who, &who, "c", &tree, &parents)
        .unwrap()
        .to_string()
}

pub fn snapshot(root: &Path, worktree: &GitWorktree) -> Result<Tree, WorktreeError> {
    worktree.snapshot_blocking(root, &StagedSet::new(), &CallContext::new())
}

pub fn paths(tree: &Tree) -> Vec<String> {
    tree.disk().keys().map(|p| p.as_str().to_owned()).collect()
}

pub fn p(text: &str) -> RepoPath {
    RepoPath::new(text).unwrap()
}
