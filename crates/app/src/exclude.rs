//! Files that configuration leaves out of the tree.

use async_trait::async_trait;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use understory_core::RepoPath;
use understory_core::guard::{Guard, Verdict};
use understory_core::staged::StagedSet;
use understory_core::tree::{Tree, TreeEntry};
use understory_ports::{CallContext, Materialized, Worktree, WorktreeError};

/// A worktree without the files that match. What the session staged stays: it is in the tree whatever the rules say.
pub struct Excluding {
    inner: Arc<dyn Worktree>,
    globs: Gitignore,
    guard: Guard,
}

/// Puts the globs in front of a worktree; without globs it is the same worktree. They were checked when they were read.
pub fn excluding(inner: Arc<dyn Worktree>, globs: &[String], guard: &Guard) -> Arc<dyn Worktree> {
    if globs.is_empty() {
        return inner;
    }
    let mut builder = GitignoreBuilder::new("");
    for glob in globs {
        // A glob that the guard takes and an ignore file does not leaves nothing out.
        let _ = builder.add_line(None, glob);
    }
    let globs = builder.build().unwrap_or_else(|_| Gitignore::empty());
    let guard = guard.clone();
    Arc::new(Excluding { inner, globs, guard })
}

impl Excluding {
    fn leaves_out(&self, path: &RepoPath) -> bool {
        self.globs.matched_path_or_any_parents(path.as_str(), false).is_ignore()
    }

    fn apply(&self, tree: &Tree) -> Tree {
        let mut left_out = tree.not_searched();
        let mut disk: BTreeMap<RepoPath, TreeEntry> = BTreeMap::new();
        for (path, entry) in tree.disk().iter() {
            if !self.leaves_out(path) {
                disk.insert(path.clone(), *entry);
            } else if self.guard.judge(path) != Verdict::Protected {
                // A protected path is not counted: a count would tell that it is there.
                left_out.excluded += 1;
            }
        }
        Tree::new(
            tree.root().to_owned(),
            tree.is_git(),
            tree.head().map(str::to_owned),
            Arc::new(disk),
            tree.staged().clone(),
            left_out,
        )
        .with_findings(tree.findings().to_vec())
    }
}

#[async_trait]
impl Worktree for Excluding {
    async fn snapshot(&self, root: &Path, staged: &StagedSet, cx: &CallContext) -> Result<Tree, WorktreeError> {
        let tree = self.inner.snapshot(root, staged, cx).await?;
        Ok(self.apply(&tree))
    }

    async fn materialize(&self, tree: &Tree, cx: &CallContext) -> Result<Box<dyn Materialized>, WorktreeError> {
        self.inner.materialize(tree, cx).await
    }

    async fn update(
        &self,
        old: Box<dyn Materialized>,
        tree: &Tree,
        cx: &CallContext,
    ) -> Result<Box<dyn Materialized>, WorktreeError> {
        self.inner.update(old, tree, cx).await
    }
}
