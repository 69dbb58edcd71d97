//! Which tree Graft is pointed at: the repository itself, or one that is written out because the repository's own would not
//! be described, or would lead Graft astray.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use understory_core::guard::Verdict;
use understory_core::path::RepoPath;
use understory_core::tree::{EntryKind, Tree};
use understory_tree_reader::Reader;

/// Where Graft keeps settings in a repository. They change which files it takes.
const SETTINGS: &str = ".graft";

/// What Graft is pointed at.
#[derive(Clone, Debug)]
pub enum At {
    /// The repository, with these files out of sight.
    Repository(Vec<PathBuf>),
    /// This tree, written out in the cache.
    WrittenOut(Box<Tree>, Why),
}

/// Why a tree is written out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// Something is staged.
    Staged,
    /// The repository carries settings of Graft.
    Settings,
    /// The root is no repository and holds several: Graft would write into each of them and remove its index.
    Repositories,
}

impl Why {
    /// For the record.
    pub fn words(self) -> &'static str {
        match self {
            Why::Staged => "something is staged",
            Why::Settings => "the repository carries a `.graft` of its own, which has no say here",
            Why::Repositories => "the root is no repository and holds several, which Graft would write into",
        }
    }
}

/// Looks at the repository.
pub fn choose(tree: &Tree, reader: &Reader<'_>) -> At {
    let root = tree.root();
    let why = if !tree.staged().is_empty() {
        Why::Staged
    } else if root.join(SETTINGS).symlink_metadata().is_ok() {
        Why::Settings
    } else if holds_repositories(root) {
        Why::Repositories
    } else {
        return At::Repository(hidden(tree, reader));
    };
    At::WrittenOut(Box::new(without_settings(tree)), why)
}

/// Whether Graft would take the root for a place where several repositories lie.
fn holds_repositories(root: &Path) -> bool {
    let is_repository = |dir: &Path| dir.join(".git").symlink_metadata().is_ok();
    if is_repository(root) {
        return false;
    }
    let Ok(children) = fs::read_dir(root) else { return false };
    children
        .filter_map(Result::ok)
        .filter(|child| is_repository(&child.path()))
        .take(2)
        .count()
        == 2
}

/// Files that the guard protects, and the root's own `.env` files, which are mostly not in the tree.
fn hidden(tree: &Tree, reader: &Reader<'_>) -> Vec<PathBuf> {
    let root = tree.root();
    let mut out: Vec<PathBuf> = tree
        .files()
        .iter()
        .filter(|file| file.entry.kind == EntryKind::File && !reader.is_open(file))
        .map(|file| root.join(file.path.as_str()))
        .collect();
    let entries = fs::read_dir(root).into_iter().flatten().filter_map(Result::ok);
    let is_protected = |name: &str| {
        // Git's own file of a linked work tree is what Graft's git needs.
        let path = RepoPath::new(name).ok().filter(|path| path.as_str() != ".git");
        path.is_some_and(|path| reader.guard().judge(&path) == Verdict::Protected)
    };
    let of_root = entries.filter(|entry| {
        entry.file_type().is_ok_and(|kind| kind.is_file()) && entry.file_name().to_str().is_some_and(is_protected)
    });
    out.extend(of_root.map(|entry| entry.path()));
    out.sort();
    out.dedup();
    out
}

/// The tree without Graft's settings.
fn without_settings(tree: &Tree) -> Tree {
    let Ok(settings) = RepoPath::new(SETTINGS) else {
        return tree.clone();
    };
    let is_in = |path: &RepoPath| *path == settings || path.is_in(&settings);
    let mut staged = tree.staged().clone();
    let dropped: Vec<RepoPath> = staged.iter().map(|(path, _)| path.clone()).filter(is_in).collect();
    for path in &dropped {
        staged.unstage(path);
    }
    if dropped.is_empty() && !tree.disk().keys().any(is_in) {
        return tree.clone();
    }
    let disk = tree.disk().iter().filter(|(path, _)| !is_in(path));
    Tree::new(
        tree.root().to_owned(),
        tree.is_git(),
        tree.head().map(str::to_owned),
        Arc::new(disk.map(|(path, entry)| (path.clone(), *entry)).collect()),
        staged,
        tree.not_searched(),
    )
}
