//! A session recorded at its dispatch, and given again without any port.

use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use understory_adapter_cassette::{Recorder, Replay, TapeError};
use understory_core::refusal::RefusalCode;
use understory_core::tree::Tree;
use understory_core::{Limits, NotSearched};
use understory_ports::conformance::tree::Files;
use understory_ports::testing::{CountingProvisioner, MemorySearch, MemoryText, MockWorktree};
use understory_ports::{CallContext, Tape};
use understory_session::{Options, Ports, Session, ToolSet};

const SECRET: &str = "ghp_aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5";

/// A repository of fakes, and the place of a tape.
struct Bed {
    temp: tempfile::TempDir,
    files: Arc<Files>,
}

impl Bed {
    fn new() -> Self {
        let secret = format!("token = \"{SECRET}\"\n");
        let files = Files::new(&[
            (
                "src/a.py",
                "def one(x):\n    return x\n\n\ndef two(x):\n    return one(x)\n",
            ),
            ("conf.py", &secret),
        ]);
        Bed {
            temp: tempfile::tempdir().unwrap(),
            files: Arc::new(files.unwrap()),
        }
    }

    fn tape(&self) -> PathBuf {
        self.temp.path().join("session.tape")
    }

    fn ports(&self) -> Ports {
        let mut worktree = MockWorktree::new();
        let files = self.files.clone();
        worktree
            .expect_snapshot()
            .returning(move |_, staged, _| Ok(files.tree(&Value::Null).unwrap().with_staged(staged.clone())));
        Ports {
            search: Arc::new(MemorySearch::new()),
            text: Arc::new(self.files.iter().fold(MemoryText::new(), |text, (path, _, bytes)| {
                text.holding(path.clone(), bytes)
            })),
            worktree: Arc::new(worktree),
        }
    }

    fn recording(&self, change: impl FnOnce(&mut Options)) -> (Session, Arc<Recorder>) {
        let recorder = Arc::new(Recorder::open(&self.tape()).unwrap());
        let mut options = Options {
            tape: Some(recorder.clone()),
            ..Options::default()
        };
        change(&mut options);
        (
            Session::open(self.temp.path().join("host"), self.ports(), options),
            recorder,
        )
    }

    fn replaying(&self) -> Session {
        // One that knows no tool: it panics when it is asked for any.
        let options = Options {
            provisioner: Some(Arc::new(CountingProvisioner::new())),
            ..Options::default()
        };
        Session::replay(Arc::new(Replay::open(&self.tape()).unwrap()), options)
    }

    fn text(&self) -> String {
        std::fs::read_to_string(self.tape()).unwrap()
    }
}

async fn call(session: &Session, tool: &str, arguments: Value) -> String {
    let answer = session.call(tool, &arguments, &CallContext::new()).await;
    serde_json::to_string(&answer).unwrap()
}

async fn code(session: &Session, tool: &str, arguments: Value) -> (RefusalCode, String) {
    let answer = session.call(tool, &arguments, &CallContext::new()).await;
    let refusal = answer
        .refusal
        .unwrap_or_else(|| panic!("{tool} {arguments} is answered"));
    (refusal.code, refusal.message)
}

/// Every tool, refusals, staged writes, and questions asked twice.
async fn script(session: &Session) -> Vec<String> {
    let callers = || json!({"mode": "callers", "query": "one"});
    let mut all = Vec::new();
    let prepared = session.prepare(&CallContext::new()).await.unwrap();
    all.push(format!("{:?} {:?}", prepared.tree, prepared.index.state));
    all.push(call(session, "search_code", callers()).await);
    all.push(call(session, "search_code", callers()).await);
    all.push(call(session, "search_code", json!({"mode": "map"})).await);
    all.push(call(session, "search_text", json!({"pattern": "return", "limit": "2"})).await);
    all.push(call(session, "read_file", json!({"path": "./conf.py"})).await);
    all.push(call(session, "list_files", json!({})).await);
    all.push(call(session, "list_files", json!({"glob": "*.nope"})).await);
    for (tool, arguments) in [
        ("read_file", json!({"path": "src/b.py"})),
        ("read_file", json!({"path": ".env"})),
        ("search_code", json!({"mode": "sing"})),
        ("search_code", json!({"mode": "callers", "query": "nobody"})),
        (
            "search_code",
            json!({"mode": "grep", "query": "x", "scope": "nowhere", "extra": 1.5e300}),
        ),
        ("search_text", json!({"pattern": "("})),
        ("write_file", json!([1, {"a": 0.1}])),
        ("search_text", json!({"pattern": SECRET, "path": "src"})),
    ] {
        all.push(call(session, tool, arguments).await);
    }
    session
        .stage_text("src/b.py", "def three(x):\n    return one(x)\n")
        .unwrap();
    all.push(call(session, "search_code", callers()).await);
    all.push(call(session, "read_file", json!({"path": "src/b.py"})).await);
    session.stage_delete("src/a.py").unwrap();
    all.push(call(session, "search_code", callers()).await);
    all.push(call(session, "list_files", json!({})).await);
    assert!(session.unstage("src/a.py") && session.unstage("src/b.py"));
    all.push(call(session, "search_code", callers()).await);
    all
}

#[tokio::test]
async fn a_replayed_session_gives_the_same_bytes_and_touches_no_port() {
    let bed = Bed::new();
    let (session, recorder) = bed.recording(|_| {});
    let recorded = script(&session).await;
    assert!(recorder.failure().is_none());
    let replayed = script(&bed.replaying()).await;
    for (was, is) in recorded.iter().zip(&replayed) {
        assert_eq!(was, is);
    }
    assert_eq!(recorded.len(), replayed.len());
}

#[tokio::test]
async fn a_tape_has_the_same_bytes_each_time_and_nothing_of_the_host() {
    let (one, two) = (Bed::new(), Bed::new());
    for bed in [&one, &two] {
        script(&bed.recording(|_| {}).0).await;
    }
    assert_eq!(one.text(), two.text());
    assert!(!one.text().contains(SECRET), "a secret is on the tape");
    let host = one.temp.path().to_str().unwrap();
    assert!(!one.text().contains(host), "a host path is on the tape");
}

#[tokio::test]
async fn several_recorders_in_a_row_write_what_one_writes() {
    let bed = Bed::new();
    let calls = [("list_files", json!({})), ("read_file", json!({"path": "src/a.py"}))];
    for (tool, arguments) in &calls {
        call(&bed.recording(|_| {}).0, tool, arguments.clone()).await;
    }
    let several = bed.text();
    std::fs::remove_file(bed.tape()).unwrap();
    let (session, _) = bed.recording(|_| {});
    for (tool, arguments) in &calls {
        call(&session, tool, arguments.clone()).await;
    }
    assert_eq!(several, bed.text());
}

#[tokio::test]
async fn recorders_at_once_mix_no_lines() {
    let bed = Bed::new();
    let sessions: Vec<Session> = (0..4).map(|_| bed.recording(|_| {}).0).collect();
    let mut running = Vec::new();
    for session in sessions {
        running.push(tokio::spawn(async move {
            for i in 1..=8 {
                call(&session, "read_file", json!({"path": "src/a.py", "start": i})).await;
            }
        }));
    }
    for one in running {
        one.await.unwrap();
    }
    let replay = bed.replaying();
    for _ in 0..4 {
        for i in 1..=8 {
            let answer = call(&replay, "read_file", json!({"path": "src/a.py", "start": i})).await;
            assert!(!answer.contains("not_recorded"), "{answer}");
        }
    }
}

#[tokio::test]
async fn what_is_not_on_the_tape_is_refused_with_the_nearest_call() {
    let bed = Bed::new();
    let (session, _) = bed.recording(|_| {});
    call(&session, "read_file", json!({"path": "src/a.py"})).await;
    call(&session, "search_code", json!({"mode": "callers", "query": "one"})).await;
    let replay = bed.replaying();
    for (tool, arguments, expected) in [
        (
            "search_code",
            json!({"mode": "callers", "query": "ones"}),
            "is call 2: `search_code {",
        ),
        (
            "read_file",
            json!({"path": "src/a.py", "end": 3}),
            "is call 1: `read_file {",
        ),
        ("list_files", json!({}), "The nearest recorded one is call "),
    ] {
        let (found, message) = code(&replay, tool, arguments).await;
        assert_eq!(found, RefusalCode::NotRecorded);
        assert!(message.contains(expected), "{message}");
    }
    replay.stage_text("new.py", "x = 1\n").unwrap();
    let (found, message) = code(&replay, "read_file", json!({"path": "src/a.py"})).await;
    assert_eq!(found, RefusalCode::NotRecorded);
    assert!(
        message.contains("over this staged set. The nearest recorded one is call 1"),
        "{message}"
    );
    replay.unstage("new.py");
    call(&replay, "read_file", json!({"path": "src/a.py"})).await;
    let (found, message) = code(&replay, "read_file", json!({"path": "src/a.py"})).await;
    assert_eq!(found, RefusalCode::NotRecorded);
    assert!(message.contains("each answer was given already"), "{message}");
}

#[tokio::test]
async fn a_session_with_other_tools_or_bounds_is_refused() {
    let bed = Bed::new();
    call(&bed.recording(|_| {}).0, "list_files", json!({})).await;
    let tape = || Arc::new(Replay::open(&bed.tape()).unwrap());
    for (options, expected) in [
        (
            Options {
                tools: ToolSet::read_only().without("read_file"),
                ..Options::default()
            },
            "the tools search_code, search_text, read_file, list_files, and this session has search_code, search_text",
        ),
        (
            Options {
                limits: Limits::command(),
                ..Options::default()
            },
            "bounds of 12000 characters",
        ),
    ] {
        let session = Session::replay(tape(), options);
        let (found, message) = code(&session, "list_files", json!({})).await;
        assert_eq!(found, RefusalCode::NotRecorded);
        assert!(message.contains(expected), "{message}");
    }
}

#[tokio::test]
async fn calls_that_stage_do_it_again_in_the_replay() {
    async fn script(session: &Session) -> Vec<String> {
        let mut all = Vec::new();
        for (tool, arguments) in [
            (
                "stage_write",
                json!({"path": "b.py", "content": "def three(x):\n    return one(x)\n"}),
            ),
            ("staged", json!({})),
            ("search_code", json!({"mode": "callers", "query": "one"})),
            ("stage_write", json!({"path": "../b.py", "content": "x"})),
            (
                "stage_write",
                json!({"path": "b.py", "content": "def other(x):\n    return one(x)\n"}),
            ),
            ("search_code", json!({"mode": "callers", "query": "one"})),
            ("stage_write", json!({"path": "src/a.py", "delete": true})),
            ("list_files", json!({})),
            ("unstage", json!({"path": "./src/a.py"})),
            ("unstage", json!({"path": "src/a.py"})),
            ("unstage", json!({"pith": 1})),
            ("staged", json!({})),
            ("search_code", json!({"mode": "callers", "query": "one"})),
        ] {
            all.push(call(session, tool, arguments).await);
        }
        all
    }
    let bed = Bed::new();
    let staging = |o: &mut Options| o.tools = ToolSet::read_only().with_staging();
    let recorded = script(&bed.recording(staging).0).await;
    assert!(!bed.text().contains("def other(x)\\n"), "{}", bed.text());
    let mut options = Options::default();
    staging(&mut options);
    let replay = || Session::replay(Arc::new(Replay::open(&bed.tape()).unwrap()), options.clone());
    let session = replay();
    assert_eq!(recorded, script(&session).await);
    assert_eq!(session.staged().len(), 1);
    // Other contents are another call, though the answer would be the same.
    let session = replay();
    let other = json!({"path": "b.py", "content": "def trees(x):\n    return one(x)\n"});
    assert_eq!(code(&session, "stage_write", other).await.0, RefusalCode::NotRecorded);
    assert!(session.staged().is_empty());
}

#[tokio::test]
async fn a_series_keeps_its_place_and_begins_again() {
    let bed = Bed::new();
    // The first answer says that the index was built, the second that it was reused.
    let ask = async |session: &Session| call(session, "search_code", json!({"mode": "map"})).await;
    let (session, _) = bed.recording(|_| {});
    let (first, second) = (ask(&session).await, ask(&session).await);
    assert_ne!(first, second);
    let again = async || {
        ask(&Session::replay(
            Arc::new(Replay::open_series(&bed.tape()).unwrap()),
            Options::default(),
        ))
        .await
    };
    let places = Path::new(&bed.tape()).with_extension("tape.places");
    for _ in 0..2 {
        assert_eq!(again().await, first);
        assert_eq!(again().await, second);
    }
    assert!(places.is_file());
    // Another recording begins anew.
    assert_eq!(again().await, first);
    ask(&bed.recording(|_| {}).0).await;
    assert_eq!(again().await, first);
}

#[tokio::test]
async fn a_tape_that_cannot_be_used_is_an_error_and_left_alone() {
    let bed = Bed::new();
    call(&bed.recording(|_| {}).0, "list_files", json!({})).await;
    let whole = bed.text();
    for (text, expected) in [
        ("print('mine')\n".to_owned(), "is not a tape"),
        (
            whole.replace("\"format\":1", "\"format\":2"),
            "has format 2 (answers 1)",
        ),
        (whole[..whole.len() - 5].to_owned(), "is cut off in line 3"),
        (whole.replace("src/a.py", "src/b.py"), "is damaged in line 3"),
        (
            whole
                .lines()
                .filter(|l| !l.contains("\"session\""))
                .map(|l| format!("{l}\n"))
                .collect(),
            "is damaged in line 2",
        ),
    ] {
        std::fs::write(bed.tape(), &text).unwrap();
        for error in [
            Recorder::open(&bed.tape()).err().unwrap(),
            Replay::open(&bed.tape()).err().unwrap(),
        ] {
            assert!(error.to_string().contains(expected), "{error}");
        }
        assert_eq!(bed.text(), text);
    }
    let gone = bed.temp.path().join("gone");
    assert!(matches!(Replay::open(&gone), Err(TapeError::Io { .. })));
    std::fs::write(bed.tape(), "").unwrap();
    assert!(matches!(Replay::open(&bed.tape()), Err(TapeError::NotATape { .. })));
}

#[tokio::test]
async fn a_tape_that_goes_bad_while_it_records_ends_no_run() {
    let bed = Bed::new();
    let (session, recorder) = bed.recording(|_| {});
    call(&session, "list_files", json!({})).await;
    std::fs::OpenOptions::new()
        .append(true)
        .open(bed.tape())
        .and_then(|mut f| std::io::Write::write_all(&mut f, b"not a line\n"))
        .unwrap();
    let text = bed.text();
    assert!(call(&session, "list_files", json!({})).await.contains("\"ok\":true"));
    assert!(matches!(recorder.failure(), Some(TapeError::Damaged { line: 4, .. })));
    assert_eq!(bed.text(), text);
}

/// What the fakes do not show: the identity of the recorded backend stands on a replayed session's record.
#[tokio::test]
async fn a_replay_is_named_as_the_backend_that_was_recorded() {
    let bed = Bed::new();
    call(&bed.recording(|_| {}).0, "list_files", json!({})).await;
    let replay = Replay::open(&bed.tape()).unwrap();
    assert_eq!(replay.backend().unwrap().name, "memory");
    let tree = Tree::new(
        PathBuf::new(),
        false,
        None,
        Default::default(),
        Default::default(),
        NotSearched::default(),
    );
    let ports = Ports::of_tape(&replay);
    assert_eq!(ports.search.identity().name, "memory");
    let refused = ports.search.prepare(&tree, &CallContext::new()).await.unwrap_err();
    assert_eq!(refused.into_refusal().code, RefusalCode::Unavailable);
}

/// A device is no tape: it is not read to an end that it may not have.
#[cfg(unix)]
#[test]
fn a_device_is_no_tape() {
    use std::error::Error as _;
    let device = std::path::Path::new("/dev/zero");
    for error in [Recorder::open(device).err(), Replay::open(device).err()] {
        let source = error.as_ref().and_then(|e| e.source()).map(ToString::to_string);
        assert!(source.is_some_and(|s| s.contains("regular file")), "{error:?}");
    }
}
