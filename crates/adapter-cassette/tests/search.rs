//! What the code search port's recorder writes, and what its replay refuses.

use async_trait::async_trait;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use understory_adapter_cassette::{Recorder, RecordingSearch, Replay, ReplayedSearch, TapeError};
use understory_core::Answer;
use understory_core::answer::{BackendIdentity, Hit, Line, Symbol};
use understory_core::path::RepoPath;
use understory_core::query::{Mode, SearchQuery};
use understory_core::refusal::{Refusal, RefusalCode};
use understory_core::tree::Tree;
use understory_ports::conformance::tree::Files;
use understory_ports::testing::{MemorySearch, ScriptedSearch};
use understory_ports::{CallContext, Capabilities, CodeSearch, Prepared, SearchError};

struct Bed {
    temp: tempfile::TempDir,
    recorder: Arc<Recorder>,
}

impl Bed {
    fn new() -> Self {
        let temp = tempfile::tempdir().unwrap();
        let recorder = Arc::new(Recorder::open(&temp.path().join("tape")).unwrap());
        Bed { temp, recorder }
    }

    fn around(&self, inner: impl CodeSearch + 'static) -> RecordingSearch {
        RecordingSearch::new(Arc::new(inner), self.recorder.clone())
    }

    fn text(&self) -> String {
        std::fs::read_to_string(self.temp.path().join("tape")).unwrap()
    }

    fn replay(&self) -> ReplayedSearch {
        let replay = Replay::open(&self.temp.path().join("tape")).unwrap();
        ReplayedSearch::new(Arc::new(replay)).unwrap()
    }
}

fn tree(staged: Value) -> (Files, Tree) {
    let files = Files::new(&[("a.py", "def one(x):\n    return x\n")]).unwrap();
    let tree = files.tree(&staged).unwrap();
    (files, tree)
}

fn callers(name: &str) -> SearchQuery {
    SearchQuery::new(Mode::Callers, name)
}

#[tokio::test]
async fn the_same_question_before_and_after_a_write_has_two_answers() {
    let bed = Bed::new();
    let search = bed.around(MemorySearch::new());
    let cx = CallContext::new();
    let (_before, before) = tree(Value::Null);
    let (_after, after) = tree(json!({"b.py": "def two(x):\n    return one(x)\n"}));
    let first = search.search(&before, &callers("one"), &cx).await.unwrap();
    let second = search.search(&after, &callers("one"), &cx).await.unwrap();
    assert_ne!(first.hits, second.hits);
    let replay = bed.replay();
    // The tree is part of what is asked, so the order is free.
    assert_eq!(replay.search(&after, &callers("one"), &cx).await.unwrap(), second);
    assert_eq!(replay.search(&before, &callers("one"), &cx).await.unwrap(), first);
}

#[tokio::test]
async fn what_is_not_recorded_is_refused_with_what_is_near() {
    let bed = Bed::new();
    let search = bed.around(MemorySearch::new());
    let cx = CallContext::new();
    let (_files, plain) = tree(Value::Null);
    search.search(&plain, &callers("one"), &cx).await.unwrap();
    search
        .search(&plain, &SearchQuery::new(Mode::Map, ""), &cx)
        .await
        .unwrap();
    let replay = bed.replay();
    let refused = async |tree: &Tree, query: &SearchQuery| match replay.search(tree, query, &cx).await {
        Err(SearchError::NotRecorded(refusal)) => refusal,
        other => panic!("{other:?}"),
    };
    let refusal = refused(&plain, &callers("ones")).await;
    assert_eq!(refusal.code, RefusalCode::NotRecorded);
    assert!(refusal.suggestions[0].contains(r#""query":"one""#), "{refusal:?}");
    let (_staged_files, staged) = tree(json!({"b.py": "x = 1\n"}));
    let refusal = refused(&staged, &callers("one")).await;
    assert!(refusal.message.contains("over this tree"), "{refusal:?}");
    replay.search(&plain, &callers("one"), &cx).await.unwrap();
    let refusal = refused(&plain, &callers("one")).await;
    assert!(refusal.message.contains("1 time(s)"), "{refusal:?}");
    assert!(matches!(
        replay.prepare(&plain, &cx).await,
        Err(SearchError::NotRecorded(_))
    ));
}

#[tokio::test]
async fn every_kind_of_error_comes_back_as_itself_without_its_detail() {
    let detail = || Some("/home/x/.cache".to_owned());
    let message = || "what the model reads".to_owned();
    let errors: Vec<fn() -> SearchError> = vec![
        || SearchError::Refused(Refusal::new(RefusalCode::NoSymbol, "no such").suggesting(vec!["one".into()])),
        || SearchError::Unsupported("no staged set".into()),
        || SearchError::NoNode("found none".into()),
        || SearchError::Busy,
        || SearchError::NoSandbox("no Landlock".into()),
        || SearchError::Timeout {
            bound: Duration::from_millis(1_500),
            what: "the child".into(),
        },
        || SearchError::NotRecorded(Refusal::new(RefusalCode::NotRecorded, "not there")),
    ];
    let with_detail = [
        SearchError::Unavailable {
            message: message(),
            detail: detail(),
        },
        SearchError::NoIndex {
            message: message(),
            detail: detail(),
        },
        SearchError::BadOutput {
            message: message(),
            detail: detail(),
        },
    ];
    let bed = Bed::new();
    let mut script = ScriptedSearch::new();
    let mut expected = Vec::new();
    for make in &errors {
        expected.push(make().into_refusal());
        script = script.answering(callers("one"), Err(make()));
    }
    for error in with_detail {
        let refusal = match &error {
            SearchError::Unavailable { message, .. } => Refusal::new(RefusalCode::Unavailable, message.as_str()),
            SearchError::NoIndex { message, .. } => Refusal::new(RefusalCode::NoIndex, message.as_str()),
            _ => Refusal::new(RefusalCode::BadOutput, message()),
        };
        expected.push(refusal);
        script = script.answering(callers("one"), Err(error));
    }
    let search = bed.around(script);
    let (_files, tree) = tree(Value::Null);
    let cx = CallContext::new();
    for _ in &expected {
        search.search(&tree, &callers("one"), &cx).await.unwrap_err();
    }
    assert!(!bed.text().contains("/home/x"), "{}", bed.text());
    let replay = bed.replay();
    for refusal in expected {
        let found = replay.search(&tree, &callers("one"), &cx).await.unwrap_err();
        assert_eq!(found.into_refusal(), refusal);
    }
}

/// Answers with a secret.
struct Leaky;

#[async_trait]
impl CodeSearch for Leaky {
    fn identity(&self) -> BackendIdentity {
        BackendIdentity {
            name: "leaky".to_owned(),
            version: "1".to_owned(),
        }
    }

    fn supports(&self) -> Capabilities {
        Capabilities::all()
    }

    async fn prepare(&self, _: &Tree, _: &CallContext) -> Result<Prepared, SearchError> {
        Err(SearchError::Busy)
    }

    async fn search(&self, _: &Tree, query: &SearchQuery, _: &CallContext) -> Result<Answer, SearchError> {
        let symbol = Symbol {
            path: RepoPath::new("a.py").unwrap(),
            start: 1,
            end: 1,
            kind: "file".to_owned(),
            name: "a.py".to_owned(),
            qualified: "a.py".to_owned(),
            signature: String::new(),
            in_degree: 0,
            scope: RepoPath::root(),
            staged: false,
        };
        let mut hit = Hit::new(symbol);
        hit.score = Some(0.1 + 0.2);
        hit.lines.push(Line {
            line: 1,
            text: query.query.clone(),
        });
        Ok(Answer {
            hits: vec![hit],
            ..Answer::default()
        })
    }
}

#[tokio::test]
async fn secrets_do_not_reach_the_tape_and_scores_come_back_to_the_last_bit() {
    let secret = format!("ghp_{}", "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5");
    let bed = Bed::new();
    let search = bed.around(Leaky);
    let (_files, tree) = tree(Value::Null);
    let cx = CallContext::new();
    let query = SearchQuery::new(Mode::Grep, format!("token = \"{secret}\""));
    let given = search.search(&tree, &query, &cx).await.unwrap();
    assert!(
        given.hits[0].lines[0].text.contains(&secret),
        "the recorder changes nothing"
    );
    assert!(!bed.text().contains(&secret), "{}", bed.text());
    let again = bed.replay().search(&tree, &query, &cx).await.unwrap();
    assert!(again.hits[0].lines[0].text.contains("[redacted:"), "{again:?}");
    assert!(again.findings[0].id.starts_with("redaction."), "{again:?}");
    assert_eq!(again.hits[0].score, given.hits[0].score);
}

#[tokio::test]
async fn what_the_caller_stopped_is_not_recorded() {
    let bed = Bed::new();
    let search = bed.around(MemorySearch::new());
    let (_files, tree) = tree(Value::Null);
    let cx = CallContext::new();
    cx.cancel.cancel();
    assert!(matches!(
        search.search(&tree, &callers("one"), &cx).await,
        Err(SearchError::Cancelled)
    ));
    assert_eq!(bed.text().lines().count(), 1, "the heading alone");
    let replay = Replay::open(&bed.temp.path().join("tape")).unwrap();
    assert!(matches!(
        ReplayedSearch::new(Arc::new(replay)),
        Err(TapeError::NoSearch { .. })
    ));
}
