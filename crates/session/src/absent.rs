//! What stands behind a session that replays: nothing, and it says so.

use async_trait::async_trait;
use std::path::Path;
use understory_core::answer::{Answer, BackendIdentity, ListAnswer, ReadAnswer, TextAnswer};
use understory_core::query::{ListQuery, ReadQuery, SearchQuery, TextQuery};
use understory_core::refusal::{Refusal, RefusalCode};
use understory_core::staged::StagedSet;
use understory_core::tree::Tree;
use understory_ports::{
    CallContext, Capabilities, CodeSearch, Materialized, Prepared, SearchError, TextError, TextSearch, Worktree,
    WorktreeError,
};

/// No backend, no files. Named as the backend that was recorded.
pub(crate) struct Absent {
    identity: BackendIdentity,
}

impl Absent {
    pub(crate) fn new(identity: Option<BackendIdentity>) -> Self {
        let none = || BackendIdentity {
            name: "none".to_owned(),
            version: "0".to_owned(),
        };
        Absent {
            identity: identity.unwrap_or_else(none),
        }
    }
}

const WHY: &str = "A replayed session has no repository and no backend, only its tape.";

fn refusal() -> Refusal {
    Refusal::new(RefusalCode::Unavailable, WHY)
}

#[async_trait]
impl CodeSearch for Absent {
    fn identity(&self) -> BackendIdentity {
        self.identity.clone()
    }

    fn supports(&self) -> Capabilities {
        Capabilities {
            modes: Vec::new(),
            staged: false,
            scope: false,
            depth_in: 0,
            depth_out: 0,
        }
    }

    async fn prepare(&self, _: &Tree, _: &CallContext) -> Result<Prepared, SearchError> {
        Err(refusal().into())
    }

    async fn search(&self, _: &Tree, _: &SearchQuery, _: &CallContext) -> Result<Answer, SearchError> {
        Err(refusal().into())
    }
}

#[async_trait]
impl TextSearch for Absent {
    async fn search(&self, _: &Tree, _: &TextQuery, _: &CallContext) -> Result<TextAnswer, TextError> {
        Err(refusal().into())
    }

    async fn read(&self, _: &Tree, _: &ReadQuery, _: &CallContext) -> Result<ReadAnswer, TextError> {
        Err(refusal().into())
    }

    async fn list(&self, _: &Tree, _: &ListQuery, _: &CallContext) -> Result<ListAnswer, TextError> {
        Err(refusal().into())
    }
}

#[async_trait]
impl Worktree for Absent {
    async fn snapshot(&self, root: &Path, _: &StagedSet, _: &CallContext) -> Result<Tree, WorktreeError> {
        Err(WorktreeError::NoRoot { path: root.to_owned() })
    }

    async fn materialize(&self, tree: &Tree, _: &CallContext) -> Result<Box<dyn Materialized>, WorktreeError> {
        Err(WorktreeError::NoRoot {
            path: tree.root().to_owned(),
        })
    }
}
