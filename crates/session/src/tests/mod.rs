//! What a session does with a call, over fakes of the ports.

mod arbitrary;
mod calls;
mod errors;
mod policy;
mod record;
mod tools;

use super::*;
use async_trait::async_trait;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use understory_core::answer::*;
use understory_core::query::SearchQuery;
use understory_core::refusal::{Refusal, RefusalCode};
use understory_core::staged::{StagedError, StagedSet};
use understory_core::tree::Tree;
use understory_core::{Limits, RepoPath};
use understory_ports::conformance::tree::Files;
use understory_ports::provisioner::{Locator, Pin, Tool};
use understory_ports::sandbox::{Protection, Sandbox as _, SandboxCommand, SandboxError};
use understory_ports::testing::{Act, CountingProvisioner, MemorySearch, MockTextSearch, RecordingSandbox, sample_pin};
use understory_ports::{
    CallContext, Capabilities, CodeSearch, Materialized, Prepared, SearchError, TextError, Worktree, WorktreeError,
};

/// Files on disk that a test may change between calls.
struct Disk {
    files: Mutex<Files>,
    snapshots: AtomicUsize,
}

#[async_trait]
impl Worktree for Disk {
    async fn snapshot(&self, _: &Path, staged: &StagedSet, _: &CallContext) -> Result<Tree, WorktreeError> {
        self.snapshots.fetch_add(1, Ordering::SeqCst);
        let tree = self.files.lock().unwrap().tree(&Value::Null).unwrap();
        Ok(tree.with_staged(staged.clone()))
    }

    async fn materialize(&self, _: &Tree, _: &CallContext) -> Result<Box<dyn Materialized>, WorktreeError> {
        panic!("a session over an in-process backend writes no tree out");
    }
}

struct FixedClock;

impl Clock for FixedClock {
    fn unix_millis(&self) -> u64 {
        1_700_000_000_000
    }

    fn monotonic(&self) -> Duration {
        Duration::ZERO
    }
}

#[derive(Default)]
struct Kept(Mutex<Vec<Event>>);

impl Record for Kept {
    fn append(&self, event: &Event) {
        self.0.lock().unwrap().push(event.clone());
    }
}

struct Bed {
    session: Session,
    disk: Arc<Disk>,
    record: Arc<Kept>,
}

fn bed_with(
    files: &[(&str, &str)],
    search: Arc<dyn CodeSearch>,
    text: MockTextSearch,
    change: impl FnOnce(&mut Options),
) -> Bed {
    let disk = Arc::new(Disk {
        files: Mutex::new(Files::new(files).unwrap()),
        snapshots: AtomicUsize::new(0),
    });
    let record = Arc::new(Kept::default());
    let mut options = Options {
        record: record.clone(),
        clock: Arc::new(FixedClock),
        ..Options::default()
    };
    change(&mut options);
    let ports = Ports {
        search,
        text: Arc::new(text),
        worktree: disk.clone(),
    };
    let session = Session::open("/nowhere", ports, options);
    Bed { session, disk, record }
}

fn bed(files: &[(&str, &str)]) -> Bed {
    bed_with(files, Arc::new(MemorySearch::new()), MockTextSearch::new(), |_| {})
}

const SHOP: &[(&str, &str)] = &[
    (
        "packages/api/a.py",
        "def one(x):\n    return x\n\n\ndef two(x):\n    return one(x)\n",
    ),
    ("packages/web/b.py", "def three(x):\n    return one(x)\n"),
];

impl Bed {
    async fn call(&self, tool: &str, arguments: Value) -> ToolAnswer {
        self.session.call(tool, &arguments, &CallContext::new()).await
    }

    async fn refused(&self, tool: &str, arguments: Value) -> Refusal {
        let answer = self.call(tool, arguments.clone()).await;
        assert!(
            !answer.ok && answer.text.is_none() && answer.tree.is_none(),
            "{arguments}: {answer:?}"
        );
        answer.refusal.unwrap()
    }
}

impl Bed {
    /// The code of a refusal that may come after a tree was taken.
    async fn refused_as_data(&self, tool: &str, arguments: Value) -> RefusalCode {
        self.call(tool, arguments).await.refusal.unwrap().code
    }
}

fn ids(answer: &ToolAnswer) -> Vec<&str> {
    answer.findings.iter().map(|f| f.id.as_str()).collect()
}
