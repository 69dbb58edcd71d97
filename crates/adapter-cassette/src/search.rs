//! The code search port: a wrapper that records, and one that answers from a tape.

use crate::error::TapeError;
use crate::file::Recorder;
use crate::line::{Backend, Line, Search};
use crate::near::{request_nearness, search_refusal};
use crate::record::redacted;
use crate::replay::Replay;
use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use understory_core::answer::{Answer, BackendIdentity, Finding, IndexState};
use understory_core::fingerprint::Fingerprint;
use understory_core::query::SearchQuery;
use understory_core::redact;
use understory_core::refusal::Refusal;
use understory_core::tree::Tree;
use understory_ports::context::Stop;
use understory_ports::{CallContext, Capabilities, CodeSearch, IndexReport, Pin, Prepared, SearchError};

const PREPARE: &str = "prepare";
const SEARCH: &str = "search";

/// Answers as the backend does, and records what it answered. What ended because the caller cancelled or ran out of time
/// is not recorded: that is the caller's doing, and a replay has no part in it.
pub struct RecordingSearch {
    inner: Arc<dyn CodeSearch>,
    recorder: Arc<Recorder>,
}

impl RecordingSearch {
    /// Around a backend.
    pub fn new(inner: Arc<dyn CodeSearch>, recorder: Arc<Recorder>) -> Self {
        RecordingSearch { inner, recorder }
    }

    fn keep(&self, op: &str, request: &Value, tree: &Tree, result: Value) {
        let backend = Backend::new(self.inner.identity(), self.inner.supports());
        self.recorder.append(|tape| {
            let mut lines = Vec::new();
            if tape.end.backend.as_ref() != Some(&backend) {
                lines.push(Line::Backend(backend));
            }
            lines.push(Line::Search(Search {
                n: tape.end.n + 1,
                op: op.to_owned(),
                request: redacted(request),
                tree: tree.fingerprint(),
                result,
            }));
            lines
        });
    }
}

#[async_trait]
impl CodeSearch for RecordingSearch {
    fn identity(&self) -> BackendIdentity {
        self.inner.identity()
    }

    fn supports(&self) -> Capabilities {
        self.inner.supports()
    }

    fn requirements(&self) -> &[Pin] {
        self.inner.requirements()
    }

    async fn prepare(&self, tree: &Tree, cx: &CallContext) -> Result<Prepared, SearchError> {
        let outcome = self.inner.prepare(tree, cx).await;
        if cx.stop().is_none() {
            let result = match &outcome {
                Ok(done) => json!({"ok": TapedPrepared {
                    index: done.index.state,
                    parsed: done.index.parsed,
                    files: done.index.files,
                    findings: done.findings.clone(),
                }}),
                Err(error) => json!({ "error": TapedError::of(error) }),
            };
            self.keep(PREPARE, &Value::Null, tree, result);
        }
        outcome
    }

    async fn search(&self, tree: &Tree, query: &SearchQuery, cx: &CallContext) -> Result<Answer, SearchError> {
        let outcome = self.inner.search(tree, query, cx).await;
        if cx.stop().is_none() {
            let result = match &outcome {
                Ok(answer) => {
                    let mut answer = answer.clone();
                    // A reader of the replay finds nothing left to redact, so what was is told here.
                    let counts = redact::redact_answer(&mut answer);
                    answer.findings.extend(redact::findings(&counts));
                    json!({ "ok": answer })
                }
                Err(error) => json!({ "error": TapedError::of(error) }),
            };
            self.keep(SEARCH, &as_value(query), tree, result);
        }
        outcome
    }
}

/// Answers searches from a tape, each recorded answer once, in the order recorded for its query and tree.
pub struct ReplayedSearch {
    replay: Arc<Replay>,
    backend: Backend,
    /// Searches by what is asked, each a list of positions among the tape's searches.
    recorded: BTreeMap<Key, Vec<usize>>,
    asked: Mutex<BTreeMap<Key, usize>>,
}

/// Operation, tree, query.
type Key = (String, Fingerprint, String);

impl ReplayedSearch {
    /// Over a tape that a [`RecordingSearch`] wrote.
    pub fn new(replay: Arc<Replay>) -> Result<Self, TapeError> {
        let Some(backend) = replay.contents.backends.first().cloned() else {
            return Err(TapeError::NoSearch {
                path: replay.path.clone(),
            });
        };
        let mut recorded: BTreeMap<Key, Vec<usize>> = BTreeMap::new();
        for (i, s) in replay.contents.searches.iter().enumerate() {
            let key = (s.op.clone(), s.tree, s.request.to_string());
            recorded.entry(key).or_default().push(i);
        }
        Ok(ReplayedSearch {
            replay,
            backend,
            recorded,
            asked: Mutex::default(),
        })
    }

    fn find(&self, op: &str, tree: &Tree, request: &Value, cx: &CallContext) -> Result<&Value, SearchError> {
        match cx.stop() {
            None => {}
            Some(Stop::Cancelled) => return Err(SearchError::Cancelled),
            Some(Stop::Deadline) => {
                return Err(SearchError::Timeout {
                    bound: Duration::ZERO,
                    what: "the replay".to_owned(),
                });
            }
        }
        let request = redacted(request);
        let key = (op.to_owned(), tree.fingerprint(), request.to_string());
        let recorded = self.recorded.get(&key).map(Vec::as_slice).unwrap_or_default();
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        let count = asked.entry(key).or_default();
        let searches = &self.replay.contents.searches;
        if let Some(i) = recorded.get(*count) {
            *count += 1;
            return Ok(&searches[*i].result);
        }
        let near = searches.iter().rev().filter(|s| s.op == op).max_by_key(|s| {
            let (equal, words) = request_nearness(&request, &s.request);
            (equal, words, s.tree == tree.fingerprint())
        });
        let other_tree = near.is_some_and(|s| s.request == request);
        let refusal = search_refusal(
            &format!("{op} {request}"),
            near.map(|s| &s.request),
            recorded.len(),
            other_tree,
        );
        Err(SearchError::NotRecorded(refusal))
    }
}

#[async_trait]
impl CodeSearch for ReplayedSearch {
    fn identity(&self) -> BackendIdentity {
        self.backend.identity.clone()
    }

    fn supports(&self) -> Capabilities {
        self.backend.supports()
    }

    async fn prepare(&self, tree: &Tree, cx: &CallContext) -> Result<Prepared, SearchError> {
        let done: TapedPrepared = outcome(self.find(PREPARE, tree, &Value::Null, cx)?)?;
        Ok(Prepared {
            index: IndexReport {
                state: done.index,
                parsed: done.parsed,
                files: done.files,
                took: Duration::ZERO,
            },
            findings: done.findings,
        })
    }

    async fn search(&self, tree: &Tree, query: &SearchQuery, cx: &CallContext) -> Result<Answer, SearchError> {
        outcome(self.find(SEARCH, tree, &as_value(query), cx)?)
    }
}

fn as_value(query: &SearchQuery) -> Value {
    serde_json::to_value(query).unwrap_or(Value::Null)
}

fn outcome<T: for<'a> Deserialize<'a>>(result: &Value) -> Result<T, SearchError> {
    if let Ok(error) = TapedError::deserialize(&result["error"]) {
        return Err(error.into_error());
    }
    T::deserialize(&result["ok"]).map_err(|e| SearchError::BadOutput {
        message: "the tape holds an answer of another form".to_owned(),
        detail: Some(e.to_string()),
    })
}

#[derive(Serialize, Deserialize)]
struct TapedPrepared {
    index: IndexState,
    parsed: u64,
    files: u64,
    findings: Vec<Finding>,
}

/// A [`SearchError`] without its detail, which is the operator's and may name host paths.
#[derive(Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum TapedError {
    Refused { refusal: Refusal },
    Unsupported { message: String },
    Unavailable { message: String },
    NoNode { message: String },
    NoIndex { message: String },
    Timeout { bound_ms: u64, what: String },
    Cancelled,
    Busy,
    BadOutput { message: String },
    NoSandbox { message: String },
    NotRecorded { refusal: Refusal },
}

impl TapedError {
    fn of(error: &SearchError) -> Self {
        let safe = |text: &str| redact::redact(text).text.into_owned();
        let refused = |refusal: &Refusal| {
            let mut refusal = refusal.clone();
            redact::redact_refusal(&mut refusal);
            refusal
        };
        match error {
            SearchError::Refused(r) => TapedError::Refused { refusal: refused(r) },
            SearchError::NotRecorded(r) => TapedError::NotRecorded { refusal: refused(r) },
            SearchError::Unsupported(m) => TapedError::Unsupported { message: safe(m) },
            SearchError::Unavailable { message, .. } => TapedError::Unavailable { message: safe(message) },
            SearchError::NoNode(m) => TapedError::NoNode { message: safe(m) },
            SearchError::NoIndex { message, .. } => TapedError::NoIndex { message: safe(message) },
            SearchError::Timeout { bound, what } => TapedError::Timeout {
                bound_ms: bound.as_millis().min(u128::from(u64::MAX)) as u64,
                what: safe(what),
            },
            SearchError::Cancelled => TapedError::Cancelled,
            SearchError::Busy => TapedError::Busy,
            SearchError::BadOutput { message, .. } => TapedError::BadOutput { message: safe(message) },
            SearchError::NoSandbox(m) => TapedError::NoSandbox { message: safe(m) },
            // A kind that this crate does not know yet still says what it says.
            other => TapedError::BadOutput {
                message: safe(&other.to_string()),
            },
        }
    }

    fn into_error(self) -> SearchError {
        let detail = None;
        match self {
            TapedError::Refused { refusal } => SearchError::Refused(refusal),
            TapedError::NotRecorded { refusal } => SearchError::NotRecorded(refusal),
            TapedError::Unsupported { message } => SearchError::Unsupported(message),
            TapedError::Unavailable { message } => SearchError::Unavailable { message, detail },
            TapedError::NoNode { message } => SearchError::NoNode(message),
            TapedError::NoIndex { message } => SearchError::NoIndex { message, detail },
            TapedError::Timeout { bound_ms, what } => SearchError::Timeout {
                bound: Duration::from_millis(bound_ms),
                what,
            },
            TapedError::Cancelled => SearchError::Cancelled,
            TapedError::Busy => SearchError::Busy,
            TapedError::BadOutput { message } => SearchError::BadOutput { message, detail },
            TapedError::NoSandbox { message } => SearchError::NoSandbox(message),
        }
    }
}
