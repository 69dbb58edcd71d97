//! The contract of the port, by the ports' own suite.

mod common;

use common::Repo;
use std::fs;
use std::path::Path;
use understory_adapter_worktree::GitWorktree;
use understory_ports::conformance::worktree::{Fixture, suite};
use understory_ports::worktree::Worktree;

struct OnDisk {
    repo: Repo,
    worktree: GitWorktree,
}

impl OnDisk {
    fn over(repo: Repo) -> Box<dyn Fixture> {
        let worktree = repo.worktree();
        Box::new(OnDisk { repo, worktree })
    }
}

impl Fixture for OnDisk {
    fn worktree(&self) -> &dyn Worktree {
        &self.worktree
    }

    fn root(&self) -> &Path {
        &self.repo.root
    }

    fn write(&self, path: &str, bytes: &[u8], executable: bool) -> Result<(), String> {
        let _ = fs::remove_file(self.repo.root.join(path));
        self.repo.write(path, bytes);
        if executable {
            self.repo.executable(path);
        }
        Ok(())
    }

    fn link(&self, path: &str, target: &str) -> Result<(), String> {
        self.repo.link(path, target);
        Ok(())
    }

    fn remove(&self, path: &str) -> Result<(), String> {
        fs::remove_file(self.repo.root.join(path)).map_err(|e| e.to_string())
    }
}

#[tokio::test]
async fn a_git_work_tree_keeps_the_contract() {
    suite(&|| OnDisk::over(Repo::git())).await.assert_passed(&[]);
}

#[tokio::test]
async fn a_plain_folder_keeps_the_contract() {
    suite(&|| OnDisk::over(Repo::plain())).await.assert_passed(&[]);
}
