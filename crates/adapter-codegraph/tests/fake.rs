//! The backend over a program of the tests' own, under the real sandbox: what reaches the program, and what becomes of
//! the ways in which it can end.
#![cfg(target_os = "linux")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tempfile::TempDir;
use understory_adapter_codegraph::{CodegraphConfig, CodegraphSearch, IndexKind, Program, System, pin};
use understory_adapter_sandbox::{Helper, HostEnvironment, SandboxConfig, SubprocessSandbox};
use understory_adapter_worktree::GitWorktree;
use understory_core::answer::{Answer, IndexState};
use understory_core::guard::Guard;
use understory_core::query::{Mode, SearchQuery};
use understory_core::staged::StagedSet;
use understory_core::tree::Tree;
use understory_core::{RefusalCode, RepoPath};
use understory_ports::sandbox::Require;
use understory_ports::testing::CountingProvisioner;
use understory_ports::{CallContext, CodeSearch, Locator, Provisioner, SearchError, Tool, Worktree};

/// A shell with builtins alone, since nothing else may run in the sandbox.
const FAKE: &str = r#"#!/bin/sh
here=${0%/*}
{ for a in "$@"; do printf '<%s>' "$a"; done; printf '\n'; } >> "$HOME/argv"
show() { while IFS= read -r line || [ -n "$line" ]; do printf '%s\n' "$line"; done < "$here/$1"; }
for last in "$@"; do :; done
case $1 in
status) [ -f "$last/.codegraph/codegraph.db" ] || { printf '{"initialized":false,"version":"1.6.1"}\n'; exit 0; }
    [ -f "$last/src/new.py" ] && printf 'staged %s\n' "$1" >> "$HOME/argv"
    printf '{"initialized":true,"version":"1.6.1","projectPath":"%s","fileCount":2,"pendingChanges":{"added":0,"modified":%s,"removed":0},"index":{"builtWithVersion":"1.6.1","state":"complete","pendingRefs":0}}\n' "$last" "${STALE:-0}" ;;
init|sync|index) [ -f "$last/src/new.py" ] && printf 'staged %s\n' "$1" >> "$HOME/argv"
    printf 'SQLite format 3\000%s' "$1" > "$last/.codegraph/codegraph.db" ;;
*) . "$here/answer.sh" ;;
esac
"#;

const STORE: &str = include_str!("samples/store.py");

struct Host {
    root: TempDir,
}

impl Host {
    fn new(answer: &str) -> Host {
        let host = Host {
            root: tempfile::tempdir().unwrap(),
        };
        for dir in ["repo/src", "repo/.codegraph", "bin", "cache"] {
            fs::create_dir_all(host.path(dir)).unwrap();
        }
        fs::write(host.path("repo/src/store.py"), STORE).unwrap();
        fs::write(host.path("repo/.codegraph/.gitignore"), "*\n!.gitignore\n").unwrap();
        fs::write(
            host.path("repo/.codegraph/codegraph.db"),
            b"SQLite format 3\0the user's",
        )
        .unwrap();
        fs::write(host.path("bin/codegraph"), FAKE).unwrap();
        fs::set_permissions(host.path("bin/codegraph"), fs::Permissions::from_mode(0o755)).unwrap();
        fs::write(host.path("bin/explore.txt"), include_str!("samples/explore.txt")).unwrap();
        fs::write(host.path("bin/callers.json"), include_str!("samples/callers.json")).unwrap();
        fs::write(host.path("bin/outline.txt"), include_str!("samples/outline.txt")).unwrap();
        fs::write(host.path("bin/answer.sh"), answer).unwrap();
        host
    }

    fn path(&self, relative: &str) -> PathBuf {
        self.root.path().canonicalize().unwrap().join(relative)
    }

    fn backend(&self, index: IndexKind) -> CodegraphSearch {
        let system = System {
            platform: "none".into(),
            windows: false,
        };
        self.over(
            Program::discover(None, None, self.path("bin").as_os_str(), &system),
            index,
        )
    }

    fn over(&self, program: Option<Program>, index: IndexKind) -> CodegraphSearch {
        self.with(program, None, index)
    }

    fn with(&self, program: Option<Program>, tool: Option<Tool>, index: IndexKind) -> CodegraphSearch {
        let sandbox = SubprocessSandbox::new(SandboxConfig {
            environment: HostEnvironment::from_variables([("PATH".into(), "/usr/bin:/bin".into())]),
            scratch: self.path("cache/sandbox"),
            helper: Helper::None,
        });
        let config = CodegraphConfig {
            cache: self.path("cache"),
            program,
            tool,
            index,
            guard: Arc::new(Guard::default()),
            git: None,
            require: Require::BestEffort,
        };
        CodegraphSearch::new(config, Arc::new(sandbox), Arc::new(self.worktree()))
    }

    fn worktree(&self) -> GitWorktree {
        GitWorktree::new(Some(self.path("cache")))
            .with_user_excludes(None)
            .with_guard(Arc::new(Guard::default()))
    }

    async fn tree(&self, staged: &StagedSet) -> Tree {
        self.worktree()
            .snapshot(&self.path("repo"), staged, &CallContext::new())
            .await
            .unwrap()
    }

    /// What the program was started with, a line each; only while the backend lives.
    fn starts(&self) -> Vec<String> {
        let Ok(runs) = fs::read_dir(self.path("cache/codegraph/runs")) else {
            return Vec::new();
        };
        let logs = runs.map(|run| fs::read_to_string(run.unwrap().path().join("home/argv")).unwrap_or_default());
        logs.flat_map(|log| log.lines().map(str::to_owned).collect::<Vec<_>>())
            .collect()
    }

    /// Processes of the fake that live.
    fn living(&self) -> Vec<String> {
        let program = self.path("bin/codegraph");
        let mark = program.to_str().unwrap();
        let all = fs::read_dir("/proc").unwrap().filter_map(Result::ok);
        all.filter_map(|entry| fs::read(entry.path().join("cmdline")).ok())
            .map(|line| String::from_utf8_lossy(&line).into_owned())
            .filter(|line| line.contains(mark))
            .collect()
    }
}

fn staged() -> StagedSet {
    let mut set = StagedSet::new();
    let bytes = b"def fresh(): pass\n"[..].into();
    let change = understory_core::staged::StagedChange::Write {
        bytes,
        executable: false,
    };
    set.stage(RepoPath::new("src/new.py").unwrap(), change).unwrap();
    set
}

fn explore(words: &str) -> SearchQuery {
    SearchQuery::new(Mode::Explore, words)
}

async fn one(host: &Host, query: &SearchQuery) -> Result<Answer, SearchError> {
    let tree = host.tree(&StagedSet::new()).await;
    host.backend(IndexKind::User)
        .search(&tree, query, &CallContext::new())
        .await
}

fn code(result: Result<Answer, SearchError>) -> (RefusalCode, String) {
    let refusal = result.unwrap_err().into_refusal();
    (refusal.code, refusal.message)
}

#[tokio::test]
async fn an_answer_is_made_of_the_trees_own_text() {
    let host = Host::new("show explore.txt");
    let answer = one(&host, &explore("save_order check_order validate_fields"))
        .await
        .unwrap();
    let hits: Vec<_> = answer
        .hits
        .iter()
        .map(|h| {
            (
                h.symbol.name.as_str(),
                h.symbol.kind.as_str(),
                h.symbol.start,
                h.symbol.end,
                h.symbol.in_degree,
            )
        })
        .collect();
    assert_eq!(
        hits[..5],
        [
            ("save_order", "method", 15, 19, 1),
            ("check_order", "function", 22, 25, 3),
            ("validate_fields", "function", 28, 29, 1),
            ("src/store.py", "file", 1, 6, 0),
            ("OrderStore", "class", 9, 19, 0),
        ]
    );
    assert_eq!(answer.call_paths, Some(vec![vec![0, 1, 2]]));
    assert_eq!(answer.index, Some(IndexState::Foreign));
    let sources: Vec<&str> = answer.hits.iter().filter_map(|h| h.source.as_deref()).collect();
    assert_eq!(sources[2], "def validate_fields(order):\n    return bool(order)");
    // Every shown line once.
    let shown: usize = sources
        .iter()
        .map(|s| s.lines().filter(|l| !l.trim().is_empty()).count())
        .sum();
    assert_eq!(shown, STORE.lines().filter(|l| !l.trim().is_empty()).count());
}

#[tokio::test]
async fn callers_and_skeleton() {
    let host = Host::new("case $1 in callers) show callers.json;; node) show outline.txt;; esac");
    let answer = one(&host, &SearchQuery::new(Mode::Callers, "check_order"))
        .await
        .unwrap();
    // The recorded answer names a second file, which this tree does not have.
    let hits: Vec<_> = answer
        .hits
        .iter()
        .map(|h| (h.symbol.name.as_str(), h.lines[0].line, h.lines[0].text.as_str()))
        .collect();
    assert_eq!(hits, [("save_order", 17, "        check_order(order)")]);
    assert_eq!(answer.subjects[0].signature, "def check_order(order):");
    let mut query = SearchQuery::new(Mode::Skeleton, "");
    query.file = RepoPath::new("src/store.py").unwrap();
    let answer = one(&host, &query).await.unwrap();
    let shown: Vec<_> = answer
        .hits
        .iter()
        .map(|h| (h.level.unwrap(), h.symbol.qualified.as_str()))
        .collect();
    assert_eq!(
        shown[..5],
        [
            (0, "Base"),
            (1, "Base.save_order"),
            (0, "OrderStore"),
            (1, "OrderStore.__init__"),
            (1, "OrderStore.save_order")
        ]
    );
}

#[tokio::test]
async fn words_reach_the_program_as_they_are() {
    let host = Host::new("show explore.txt");
    let tree = host.tree(&StagedSet::new()).await;
    let backend = host.backend(IndexKind::User);
    let words = [
        "--help",
        "-p /etc",
        "a \"b\" 'c' \\",
        "$(id); `id` && x | y > z *",
        "é 🦎 名前",
        "init",
        "<>%PATH%",
    ];
    for words in words {
        backend
            .search(&tree, &explore(words), &CallContext::new())
            .await
            .unwrap();
        let last = host.starts().pop().unwrap();
        assert!(
            last.starts_with("<explore><-p><") && last.ends_with(&format!("><--><{words}>")),
            "{last}"
        );
    }
    // What would forge lines among the program's own becomes blanks.
    backend
        .search(&tree, &explore("a\nb\tc"), &CallContext::new())
        .await
        .unwrap();
    assert!(host.starts().pop().unwrap().ends_with("<a b c>"));
    // The tree was prepared once.
    assert_eq!(host.starts().iter().filter(|l| l.starts_with("<status>")).count(), 1);
}

#[tokio::test]
async fn what_is_missing_is_named_with_what_to_do() {
    let host = Host::new("show explore.txt");
    let tree = host.tree(&StagedSet::new()).await;
    let nowhere = host.over(None, IndexKind::User);
    let (found, message) = code(nowhere.search(&tree, &explore("x"), &CallContext::new()).await);
    assert!(
        found == RefusalCode::Unavailable && message.contains("understory provision"),
        "{message}"
    );

    let gone = host.backend(IndexKind::User);
    fs::remove_file(host.path("bin/codegraph")).unwrap();
    let (found, _) = code(gone.search(&tree, &explore("x"), &CallContext::new()).await);
    assert_eq!(found, RefusalCode::Unavailable);

    let host = Host::new("show explore.txt");
    fs::write(host.path("repo/.codegraph/codegraph.db"), "").unwrap();
    let (found, message) = code(one(&host, &explore("x")).await);
    assert!(
        found == RefusalCode::NoIndex && message.contains("`codegraph init`"),
        "{message}"
    );
    assert_eq!(host.starts(), Vec::<String>::new(), "nothing ran");
}

#[tokio::test]
async fn a_failure_carries_the_end_of_what_was_said_and_no_place_of_the_host() {
    let host =
        Host::new("i=0; while [ $i -lt 400 ]; do printf 'line %s of %s\\n' $i \"$3\" >&2; i=$((i+1)); done; exit 3");
    let (found, message) = code(one(&host, &explore("x")).await);
    assert_eq!(found, RefusalCode::BadOutput);
    assert!(
        message.contains("code 3") && message.contains("line 399 of <repo>"),
        "{message}"
    );
    assert!(
        !message.contains("line 1 of") && !message.contains("/cache/"),
        "{message}"
    );
    assert!(message.len() < 4_096 + 400, "{}", message.len());

    let host = Host::new("printf 'Error: query exceeds\\n'; exit 1");
    assert!(code(one(&host, &explore("x")).await).1.contains("query exceeds"));
    let host = Host::new("printf 'Usage: codegraph explore\\n'");
    assert_eq!(code(one(&host, &explore("x")).await).0, RefusalCode::BadOutput);
    let host = Host::new("printf 'No relevant code found for \"x\"\\n'");
    let answer = one(&host, &explore("x")).await.unwrap();
    assert!(answer.hits.is_empty() && answer.counts.exact);
    for other in ["a.txt", "b.txt"] {
        fs::write(host.path("repo").join(other), "x\n").unwrap();
    }
    let answer = one(&host, &explore("x")).await.unwrap();
    assert!(answer.hits.is_empty() && !answer.counts.exact);
    assert!(
        answer.findings.iter().any(|f| f.id == "codegraph.not_ranked"),
        "{:?}",
        answer.findings
    );
}

#[tokio::test]
async fn an_outline_of_lines_that_the_tree_does_not_have_is_not_whole() {
    let host =
        Host::new("printf '**`src/store.py`** — 2 symbols\n- `Base` (class) — :4\n- `gone` (function) — :9999\n'");
    let mut question = SearchQuery::new(Mode::Skeleton, "");
    question.file = RepoPath::new("src/store.py").unwrap();
    let answer = one(&host, &question).await.unwrap();
    assert_eq!((answer.counts.total, answer.counts.exact), (1, false), "{answer:?}");
}

#[tokio::test]
async fn an_answer_that_is_too_long_is_cut_and_says_so() {
    let host = Host::new(
        "printf '**`src/store.py`** — x(function)\\n\\n```python\\n'; i=1; while [ $i -lt 2500 ]; do printf '%s\\tx\\n' $i; i=$((i+1)); done; printf '```\\n'",
    );
    let answer = one(&host, &explore("x")).await.unwrap();
    assert!(!answer.counts.exact && answer.findings.iter().any(|f| f.id == "codegraph.cut"));
    let last = answer
        .hits
        .iter()
        .filter_map(|h| h.source.as_deref())
        .next_back()
        .unwrap();
    assert!(last.ends_with("2,000 lines]"), "{last}");
}

#[tokio::test]
async fn a_cancelled_or_late_call_ends_its_process_at_once() {
    let host = Host::new("while :; do :; done");
    let tree = host.tree(&StagedSet::new()).await;
    let backend = host.backend(IndexKind::User);
    backend.prepare(&tree, &CallContext::new()).await.unwrap();

    let cx = CallContext::new();
    let (running, stop) = (backend.clone(), cx.cancel.clone());
    let (query, of) = (explore("x"), tree.clone());
    let call = tokio::spawn(async move { running.search(&of, &query, &cx).await });
    while !host.starts().iter().any(|line| line.starts_with("<explore>")) {
        tokio::task::yield_now().await;
    }
    assert!(!host.living().is_empty());
    let asked = Instant::now();
    stop.cancel();
    assert!(matches!(call.await.unwrap(), Err(SearchError::Cancelled)));
    assert!(asked.elapsed() < Duration::from_secs(10));
    assert_eq!(host.living(), Vec::<String>::new());

    let cx = CallContext::new().with_timeout(Duration::from_millis(700));
    let late = backend.search(&tree, &explore("x"), &cx).await;
    assert!(matches!(late, Err(SearchError::Timeout { .. })), "{late:?}");
    assert_eq!(host.living(), Vec::<String>::new());
}

#[tokio::test]
async fn no_process_outlives_the_run() {
    let host = Host::new("( while :; do :; done ) & ( trap '' TERM; while :; do :; done ) & show explore.txt");
    one(&host, &explore("x")).await.unwrap();
    assert_eq!(host.living(), Vec::<String>::new());
}

#[tokio::test]
async fn the_repository_is_only_read() {
    let host = Host::new("show explore.txt; printf x > \"$3/src/store.py\"; printf x > \"$3/.codegraph/codegraph.db\"");
    let files = ["src/store.py", ".codegraph/codegraph.db", ".codegraph/.gitignore"];
    let read = || files.map(|f| fs::read(host.path("repo").join(f)).unwrap());
    let before = read();
    one(&host, &explore("x")).await.unwrap();
    assert_eq!(read(), before);
    let left: Vec<_> = fs::read_dir(host.path("cache/codegraph/runs")).unwrap().collect();
    assert!(left.is_empty(), "the copy is gone with the backend: {left:?}");
    assert_eq!(fs::read_dir(host.path("repo")).unwrap().count(), 2);
}

#[tokio::test]
async fn a_staged_set_needs_a_managed_index() {
    let host = Host::new("show explore.txt");
    let tree = host.tree(&staged()).await;
    let users = host.backend(IndexKind::User);
    let (found, message) = code(users.search(&tree, &explore("x"), &CallContext::new()).await);
    assert!(
        found == RefusalCode::Unsupported && message.contains("managed"),
        "{message}"
    );

    let managed = host.backend(IndexKind::Managed);
    let plain = host.tree(&StagedSet::new()).await;
    let cx = CallContext::new();
    assert_eq!(
        managed.prepare(&plain, &cx).await.unwrap().index.state,
        IndexState::Built
    );
    assert_eq!(
        managed.prepare(&plain, &cx).await.unwrap().index.state,
        IndexState::Reused
    );
    managed.prepare(&tree, &cx).await.unwrap();
    let starts = host.starts();
    assert!(
        starts.iter().any(|l| l == "staged sync"),
        "over the tree with the staged file: {starts:?}"
    );
    // The files on disk again: the index of before, over a tree without the staged file.
    assert_eq!(
        managed.prepare(&plain, &cx).await.unwrap().index.state,
        IndexState::Reused
    );
    let starts = host.starts();
    assert!(
        !starts.is_empty() && starts.iter().all(|l| l.starts_with("<status>")),
        "{starts:?}"
    );
    drop(managed);
    // Another process finds what the first one kept, and makes nothing.
    let again = host.backend(IndexKind::Managed);
    assert_eq!(
        again.prepare(&plain, &cx).await.unwrap().index.state,
        IndexState::Reused
    );
    assert!(
        host.starts().iter().all(|l| l.starts_with("<status>")),
        "{:?}",
        host.starts()
    );
    // The files on disk changed: what is kept is brought to them.
    fs::write(host.path("repo/src/more.py"), "x = 1\n").unwrap();
    let changed = host.tree(&StagedSet::new()).await;
    assert_eq!(
        again.prepare(&changed, &cx).await.unwrap().index.state,
        IndexState::Updated
    );
}

#[tokio::test]
async fn what_the_command_line_cannot_answer_is_refused_before_anything_runs() {
    let host = Host::new("show explore.txt");
    let mut deep = SearchQuery::new(Mode::Callers, "x");
    (deep.direction, deep.depth) = (understory_core::query::Direction::Out, 2);
    let mut scoped = explore("x");
    scoped.scope = RepoPath::new("src").unwrap();
    for query in [
        SearchQuery::new(Mode::Grep, "x"),
        SearchQuery::new(Mode::Map, ""),
        deep,
        scoped,
    ] {
        assert_eq!(code(one(&host, &query).await).0, RefusalCode::Unsupported, "{query:?}");
    }
    assert_eq!(host.starts(), Vec::<String>::new());
}

#[tokio::test]
async fn what_is_installed_comes_first_and_a_query_installs_nothing() {
    let host = Host::new("show explore.txt");
    let bundle = host.path("prefix").join(format!(
        "node_modules/@colbymchenry/codegraph-{}",
        System::host().platform
    ));
    fs::create_dir_all(bundle.join("lib/dist/bin")).unwrap();
    fs::write(bundle.join("lib/dist/bin/codegraph.js"), "").unwrap();
    // In place of the runtime: its two flags and the script come before the words.
    fs::write(
        bundle.join("node"),
        FAKE.replacen("here=${0%/*}", "here=${0%/*}; shift 3", 1),
    )
    .unwrap();
    fs::set_permissions(bundle.join("node"), fs::Permissions::from_mode(0o755)).unwrap();
    for file in ["answer.sh", "explore.txt"] {
        fs::copy(host.path("bin").join(file), bundle.join(file)).unwrap();
    }
    let provisioner = Arc::new(CountingProvisioner::new().offering("codegraph", "1.6.1", host.path("prefix")));
    let tool = || Some(Tool::new(pin(), Locator::new(provisioner.clone())));
    let (managed, user) = (IndexKind::Managed, IndexKind::User);
    let backend = host.with(None, tool(), managed);
    assert_eq!(backend.requirements(), [pin()]);
    let tree = host.tree(&StagedSet::new()).await;
    let refused = backend.search(&tree, &explore("x"), &CallContext::new()).await;
    assert_eq!(code(refused).0, RefusalCode::Unavailable);
    assert_eq!(provisioner.ensures(), 0);
    provisioner.ensure(&pin(), &CallContext::new()).await.unwrap();
    provisioner.begin_turn();
    let answer = backend.search(&tree, &explore("x"), &CallContext::new()).await.unwrap();
    assert!(!answer.hits.is_empty());
    assert_eq!(backend.identity().version, "1.6.1");
    // Beside the user's index their own program is as good; a managed one is the pin's.
    let own = || {
        Program::discover(
            None,
            None,
            host.path("bin").as_os_str(),
            &System {
                platform: "none".into(),
                windows: false,
            },
        )
    };
    assert!(host.with(own(), tool(), user).requirements().is_empty());
    assert_eq!(host.with(own(), tool(), managed).requirements(), [pin()]);
    assert_eq!(host.with(None, tool(), user).requirements(), [pin()]);
    assert!(host.with(own(), None, managed).requirements().is_empty());
}
