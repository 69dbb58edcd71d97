//! A replay where the kernel refuses everything else: no network, no repository, no home, no cache, no other program, and
//! nothing to write but the file of places beside the tape.

use serde_json::{Value, json};
use std::path::Path;
use std::process::{Command, Output};
use std::time::Duration;
use understory_adapter_sandbox::{Helper, HostEnvironment, SandboxConfig, SubprocessSandbox};
use understory_ports::sandbox::{Limits, Outcome, Require};
use understory_ports::{CallContext, Enforcement, Sandbox, SandboxCommand};

const UNDERSTORY: &str = env!("CARGO_BIN_EXE_understory");

/// The calls of a series, the staged file of each beside it.
fn series() -> Vec<(&'static str, Value, Option<usize>)> {
    let mut out = Vec::new();
    for staged in [None, Some(0), Some(1), Some(2)] {
        for (tool, arguments) in [
            ("search_code", json!({"mode": "callers", "query": "leaf"})),
            (
                "search_code",
                json!({"mode": "callers", "query": "crown", "direction": "out", "depth": 2}),
            ),
            ("search_code", json!({"mode": "ask", "query": "the leaf of the crown"})),
            ("search_code", json!({"mode": "explore", "query": "crown leaf"})),
            ("search_code", json!({"mode": "grep", "query": "leaf"})),
            ("search_code", json!({"mode": "skeleton", "file": "shop.py"})),
            ("search_code", json!({"mode": "map"})),
            ("search_text", json!({"pattern": "return"})),
            ("read_file", json!({"path": "shop.py"})),
            ("read_file", json!({"path": "fresh.py"})),
            ("list_files", json!({})),
        ] {
            out.push((tool, arguments, staged));
        }
    }
    out
}

fn words(
    tape: &Path,
    staged: &[std::path::PathBuf],
    (tool, arguments, at): &(&str, Value, Option<usize>),
) -> Vec<String> {
    let mut words = vec!["tool".to_owned(), (*tool).to_owned(), arguments.to_string()];
    if let Some(at) = at {
        words.extend(["--staged".to_owned(), staged[*at].display().to_string()]);
    }
    words.push(tape.display().to_string());
    words
}

#[expect(clippy::disallowed_methods, reason = "the test starts the command as a user does")]
fn record(repo: &Path, cache: &Path, mut words: Vec<String>) -> Output {
    words.insert(words.len() - 1, "--record".to_owned());
    let done = Command::new(UNDERSTORY)
        .args(words)
        .arg("--repo")
        .arg(repo)
        .arg("--cache")
        .arg(cache)
        .output()
        .unwrap();
    assert!(done.stderr.is_empty(), "{}", String::from_utf8_lossy(&done.stderr));
    done
}

#[tokio::test(flavor = "multi_thread")]
async fn a_replay_needs_its_tape_and_nothing_else() {
    let temp = tempfile::tempdir().unwrap();
    let base = temp.path().canonicalize().unwrap();
    let (repo, cache, tapes, empty) = (
        base.join("repo"),
        base.join("cache"),
        base.join("tapes"),
        base.join("empty"),
    );
    for dir in [&repo, &tapes, &empty] {
        std::fs::create_dir(dir).unwrap();
    }
    std::fs::write(
        repo.join("shop.py"),
        "def leaf(x):\n    return x\n\n\ndef crown(x):\n    return leaf(x)\n",
    )
    .unwrap();
    let staged: Vec<_> = [
        json!({"fresh.py": "from shop import leaf\n\n\ndef fresh(x):\n    return leaf(x)\n"}),
        json!({"shop.py": null}),
        json!({"shop.py": "def leaf(y):\n    return y\n"}),
    ]
    .iter()
    .enumerate()
    .map(|(n, changes)| {
        let at = tapes.join(format!("staged-{n}.json"));
        std::fs::write(&at, changes.to_string()).unwrap();
        at
    })
    .collect();
    let tape = tapes.join("run.tape");
    let series = series();
    assert!(series.len() > 40);
    let recorded: Vec<Output> = series
        .iter()
        .map(|call| record(&repo, &cache, words(&tape, &staged, call)))
        .collect();
    let answered = recorded.iter().filter(|o| o.status.success()).count();
    assert!(answered > 35, "{answered}");
    std::fs::remove_dir_all(&repo).unwrap();
    std::fs::remove_dir_all(&cache).unwrap();

    let sandbox = SubprocessSandbox::new(SandboxConfig {
        environment: HostEnvironment::from_variables([]),
        scratch: base.join("sandbox"),
        helper: Helper::Program(UNDERSTORY.into()),
    });
    for (call, was) in series.iter().zip(&recorded) {
        let mut words = words(&tape, &staged, call);
        words.insert(words.len() - 1, "--replay".to_owned());
        let command = SandboxCommand::new(UNDERSTORY, &empty)
            .args(words)
            .write(&tapes)
            .limits(Limits {
                time: Duration::from_secs(60),
                ..Limits::default()
            })
            .require(Require::Enforced);
        let is = sandbox.run(command, &CallContext::new()).await.unwrap();
        assert_eq!(is.enforcement, Enforcement::Enforced);
        assert_eq!(
            is.outcome,
            Outcome::Exited(was.status.code().unwrap()),
            "{call:?} {}",
            String::from_utf8_lossy(&is.stderr)
        );
        assert_eq!(is.stdout, was.stdout, "{call:?}");
    }
    assert!(!repo.exists() && !cache.exists());
    assert_eq!(std::fs::read_dir(&empty).unwrap().count(), 0);
}
