//! Trees without what a tool must not find in them.

use std::sync::Arc;
use understory_core::path::RepoPath;
use understory_core::tree::Tree;

/// A tree without one path and what lies below it, on disk and staged.
pub fn without(tree: &Tree, path: &str) -> Tree {
    let Ok(left_out) = RepoPath::new(path) else {
        return tree.clone();
    };
    let is_in = |path: &RepoPath| *path == left_out || path.is_in(&left_out);
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
