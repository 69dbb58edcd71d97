//! What the program would reach for if it could: its processes as the adapter builds them, in a network of their own that
//! leads nowhere, where the kernel counts what is sent and what finds no way.

use crate::support::{Repo, program};
use async_trait::async_trait;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use understory_adapter_codegraph::{CodegraphConfig, CodegraphSearch, IndexKind, Program, System};
use understory_adapter_worktree::GitWorktree;
use understory_core::guard::Guard;
use understory_core::query::{Mode, SearchQuery};
use understory_core::staged::StagedSet;
use understory_ports::sandbox::{Finished, Network, Outcome, Require};
use understory_ports::{CallContext, CodeSearch, Enforcement, Sandbox, SandboxCommand, SandboxError, Worktree};

/// Runs `"$@"` and tells afterwards what the kernel counted.
const COUNTING: &str = r#"out=$1; shift; "$@"; code=$?; cat /proc/net/snmp /proc/net/snmp6 > "$out"; exit $code"#;

/// The counters that any attempt to reach something raises.
const RAISED: [&str; 8] = [
    "Ip OutRequests",
    "Ip OutNoRoutes",
    "Tcp ActiveOpens",
    "Udp OutDatagrams",
    "Udp6OutDatagrams",
    "Ip6OutRequests",
    "Ip6OutNoRoutes",
    "Ip6OutDiscards",
];

/// What was raised, in the form of `/proc/net/snmp` (two lines a protocol) and of `snmp6` (a line a counter).
fn raised(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut add = |name: String, value: &str| {
        if RAISED.contains(&name.as_str()) && value != "0" {
            out.push(format!("{name} {value}"));
        }
    };
    let lines: Vec<Vec<&str>> = text.lines().map(|l| l.split_whitespace().collect()).collect();
    for pair in lines.windows(2) {
        if let ([names, ..], [values, ..]) = (&pair[0][..], &pair[1][..])
            && names == values
        {
            for (name, value) in pair[0].iter().zip(&pair[1]).skip(1) {
                add(format!("{} {name}", names.trim_end_matches(':')), value);
            }
        }
    }
    for line in lines.iter().filter(|l| l.len() == 2) {
        add(line[0].to_owned(), line[1]);
    }
    out
}

#[expect(clippy::disallowed_methods, reason = "the test stands in for the sandbox")]
fn unshared(words: &[&std::ffi::OsStr], counts: &Path) -> Command {
    let mut command = Command::new("/usr/bin/unshare");
    command.args(["--user", "--map-root-user", "--net", "/bin/sh", "-c", COUNTING, "sh"]);
    command.arg(counts).args(words).stdin(Stdio::null()).env_clear();
    command
}

/// A sandbox that denies nothing but a way out, and counts.
#[derive(Default)]
struct Nowhere {
    seen: Mutex<Vec<(String, Vec<String>)>>,
}

#[async_trait]
impl Sandbox for Nowhere {
    async fn run(&self, command: SandboxCommand, _cx: &CallContext) -> Result<Finished, SandboxError> {
        assert_eq!(command.network, Network::Denied);
        let dir = tempfile::tempdir().unwrap();
        let counts = dir.path().join("counts");
        let mut words = vec![command.program.as_os_str()];
        words.extend(command.args.iter().map(std::ffi::OsString::as_os_str));
        let mut process = unshared(&words, &counts);
        process
            .current_dir(&command.cwd)
            .env("PATH", "/usr/bin:/bin")
            .envs(&command.env);
        let done = tokio::task::spawn_blocking(move || process.output())
            .await
            .unwrap()
            .unwrap();
        let what = command
            .args
            .iter()
            .map(|a| a.to_string_lossy())
            .collect::<Vec<_>>()
            .join(" ");
        let counted = raised(&std::fs::read_to_string(&counts).unwrap());
        self.seen.lock().unwrap().push((what, counted));
        Ok(Finished {
            outcome: Outcome::Exited(done.status.code().unwrap()),
            stdout: done.stdout,
            stderr: done.stderr,
            stderr_dropped: 0,
            wall: Duration::ZERO,
            enforcement: Enforcement::Enforced,
        })
    }
}

#[test]
fn an_attempt_is_counted() {
    let dir = tempfile::tempdir().unwrap();
    let counts = dir.path().join("counts");
    let attempt = ["/bin/bash", "-c", "exec 3<>/dev/tcp/192.0.2.1/80"].map(AsRef::as_ref);
    assert!(!unshared(&attempt, &counts).output().unwrap().status.success());
    assert_eq!(raised(&std::fs::read_to_string(&counts).unwrap()), ["Ip OutNoRoutes 1"]);
    let none = ["/bin/true".as_ref()];
    assert!(unshared(&none, &counts).output().unwrap().status.success());
    assert_eq!(raised(&std::fs::read_to_string(&counts).unwrap()), [""; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn no_connection_is_tried() {
    let repo = Repo::new();
    let cache = tempfile::tempdir().unwrap();
    let cache = cache.path().canonicalize().unwrap();
    let guard = Arc::new(Guard::default());
    let worktree = || GitWorktree::new(Some(cache.clone())).with_guard(guard.clone());
    let config = CodegraphConfig {
        cache: cache.clone(),
        program: Some(program()),
        tool: None,
        index: IndexKind::Managed,
        guard: guard.clone(),
        git: Program::on_path("git", "/usr/bin:/bin".as_ref(), &System::host()),
        require: Require::BestEffort,
    };
    let nowhere = Arc::new(Nowhere::default());
    let search = CodegraphSearch::new(config, nowhere.clone(), Arc::new(worktree()));
    let cx = CallContext::new();
    for added in [false, true] {
        if added {
            repo.write("src/more.py", "def more(x):\n    return x\n");
        }
        let tree = worktree().snapshot(&repo.path(), &StagedSet::new(), &cx).await.unwrap();
        for (mode, words) in [
            (Mode::Explore, "save_order"),
            (Mode::Ask, "order"),
            (Mode::Callers, "check_order"),
        ] {
            search.search(&tree, &SearchQuery::new(mode, words), &cx).await.unwrap();
        }
    }
    let seen = nowhere.seen.lock().unwrap();
    for word in ["init", "sync", "status", "explore", "query", "callers"] {
        assert!(
            seen.iter().any(|(what, _)| what.contains(&format!(" {word} "))),
            "{word}: {seen:?}"
        );
    }
    for (what, counted) in seen.iter() {
        assert!(counted.is_empty(), "{what}: {counted:?}");
    }
}
