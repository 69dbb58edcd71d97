//! A long session over a generated repository, with the real adapters, recorded and given again after the repository and the
//! cache are gone.

use serde_json::{Value, json};
use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;
use understory_adapter_cassette::{Recorder, Replay};
use understory_adapter_native::{NativeConfig, NativeSearch};
use understory_adapter_text::RipgrepText;
use understory_adapter_worktree::GitWorktree;
use understory_core::guard::Guard;
use understory_ports::CallContext;
use understory_session::{Options, Ports, Session};

const FILES: usize = 12;

fn module(i: usize) -> String {
    let mut text = String::new();
    if i > 0 {
        let _ = writeln!(text, "from m{} import step{}, Box{}", i - 1, i - 1, i - 1);
    }
    let _ = writeln!(
        text,
        "\n\nclass Box{i}:\n    def open(self, x):\n        return step{i}(x)\n\n"
    );
    let below = if i > 0 {
        format!("step{}(x) + Box{}().open(x)", i - 1, i - 1)
    } else {
        "x".to_owned()
    };
    let _ = writeln!(text, "def step{i}(x):\n    return {below}");
    text
}

fn generate(root: &Path) {
    for i in 0..FILES {
        let dir = root.join(if i % 2 == 0 { "pkg/even" } else { "pkg/odd" });
        std::fs::create_dir_all(&dir).unwrap();
        std::fs::write(dir.join(format!("m{i}.py")), module(i)).unwrap();
    }
    std::fs::write(root.join("README.md"), "# Boxes\nEvery step opens a box.\n").unwrap();
    std::fs::write(root.join("conf.py"), "api_key = \"sk-proj-Zx81kQpR4mT7vWn2Lb9yHc3J\"\n").unwrap();
}

/// Everything that an agent asks, with its staged writes and one write on disk in between; `disk` is `None` in the replay.
async fn run(session: &Session, disk: Option<&Path>) -> Vec<String> {
    let mut answers = Vec::new();
    let prepared = session.prepare(&CallContext::new()).await.unwrap();
    answers.push(format!(
        "{:?} {:?} {:?}",
        prepared.tree, prepared.index.state, prepared.findings
    ));
    for round in 0..4 {
        match round {
            1 => session
                .stage_text(
                    "pkg/even/m0.py",
                    "def step0(y):\n    return y\n\n\ndef extra(y):\n    return step0(y)\n",
                )
                .unwrap(),
            2 => session.stage_delete("pkg/odd/m11.py").unwrap(),
            3 => {
                assert!(session.unstage("pkg/even/m0.py") && session.unstage("pkg/odd/m11.py"));
                if let Some(root) = disk {
                    std::fs::write(root.join("pkg/odd/m1.py"), "def other(x):\n    return x\n").unwrap();
                }
            }
            _ => {}
        }
        for (tool, arguments) in [
            ("search_code", json!({"mode": "callers", "query": "step0"})),
            (
                "search_code",
                json!({"mode": "callers", "query": "step3", "direction": "out", "depth": 2}),
            ),
            ("search_code", json!({"mode": "ask", "query": "which step opens a box"})),
            (
                "search_code",
                json!({"mode": "explore", "query": "how does open use step"}),
            ),
            (
                "search_code",
                json!({"mode": "grep", "query": "return step\\d", "scope": "pkg/odd"}),
            ),
            ("search_code", json!({"mode": "skeleton", "file": "pkg/even/m0.py"})),
            ("search_code", json!({"mode": "map"})),
            ("search_code", json!({"mode": "callers", "query": "extra"})),
            ("search_text", json!({"pattern": "Box(0|1)\\b", "limit": 5})),
            ("search_text", json!({"pattern": "api_key"})),
            ("read_file", json!({"path": "pkg/even/m0.py", "end": 4})),
            ("read_file", json!({"path": "pkg/odd/m11.py"})),
            ("list_files", json!({"glob": "*.py"})),
        ] {
            let answer = session.call(tool, &arguments, &CallContext::new()).await;
            answers.push(serde_json::to_string(&answer).unwrap());
        }
    }
    answers
}

#[tokio::test]
async fn a_long_session_replays_with_equal_bytes_when_repository_and_cache_are_gone() {
    let temp = tempfile::tempdir().unwrap();
    let (root, cache, tape) = (
        temp.path().join("repo"),
        temp.path().join("cache"),
        temp.path().join("tape"),
    );
    generate(&root);
    let guard = Arc::new(Guard::default());
    let ports = Ports {
        search: Arc::new(NativeSearch::new(NativeConfig {
            cache: Some(cache.clone()),
            guard: guard.clone(),
        })),
        text: Arc::new(RipgrepText::new(guard)),
        worktree: Arc::new(GitWorktree::new(Some(cache.clone())).with_user_excludes(None)),
    };
    let recorder = Arc::new(Recorder::open(&tape).unwrap());
    let options = Options {
        tape: Some(recorder.clone()),
        ..Options::default()
    };
    let session = Session::open(&root, ports, options);
    let recorded = run(&session, Some(&root)).await;
    session.close();
    drop(session);
    assert!(recorder.failure().is_none());
    assert!(recorded.len() > 40, "{}", recorded.len());
    let answered = recorded.iter().filter(|a| a.contains("\"ok\":true")).count();
    assert!(answered > 40, "{answered} answered: {recorded:#?}");

    std::fs::remove_dir_all(&root).unwrap();
    std::fs::remove_dir_all(&cache).unwrap();
    let replay = Session::replay(Arc::new(Replay::open(&tape).unwrap()), Options::default());
    for (was, is) in recorded.iter().zip(&run(&replay, None).await) {
        assert_eq!(was, is);
    }
    assert!(!root.exists() && !cache.exists());
    let text = std::fs::read_to_string(&tape).unwrap();
    assert!(
        !text.contains(temp.path().to_str().unwrap()),
        "a host path is on the tape"
    );
    assert!(!text.contains("Zx81kQpR4mT7vWn2Lb9yHc3J"), "a secret is on the tape");
    // The tree of each answer is the recorded one: three staged sets and one change on disk are four trees.
    let trees: std::collections::BTreeSet<String> = recorded
        .iter()
        .filter_map(|a| {
            serde_json::from_str::<Value>(a).ok()?["tree"]["fingerprint"]
                .as_str()
                .map(str::to_owned)
        })
        .collect();
    assert_eq!(trees.len(), 4);
}
