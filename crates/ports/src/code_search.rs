//! The port of code search.

use crate::context::CallContext;
use crate::provisioner::Pin;
use async_trait::async_trait;
use std::time::Duration;
use understory_core::answer::{Answer, BackendIdentity, Finding, IndexState};
use understory_core::query::{Mode, SearchQuery};
use understory_core::tree::Tree;
use understory_core::{Refusal, RefusalCode};

/// What a backend can answer. Declared works; undeclared is refused with [`SearchError::Unsupported`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capabilities {
    /// Modes that it answers.
    pub modes: Vec<Mode>,
    /// Whether it answers over a tree with staged changes.
    pub staged: bool,
    /// Whether it can limit an answer to a scope.
    pub scope: bool,
    /// Greatest depth of `callers` in each direction; 0 when the direction is not answered.
    pub depth_in: u32,
    /// As `depth_in`, for what a symbol references.
    pub depth_out: u32,
}

impl Capabilities {
    /// Everything.
    pub fn all() -> Self {
        Capabilities {
            modes: Mode::ALL.to_vec(),
            staged: true,
            scope: true,
            depth_in: 3,
            depth_out: 3,
        }
    }
}

/// What preparing did, for the record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexReport {
    /// Built, updated, reused, or foreign.
    pub state: IndexState,
    /// Files that were read and parsed.
    pub parsed: u64,
    /// Files of the tree that the index covers.
    pub files: u64,
    /// Wall time.
    pub took: Duration,
}

/// The outcome of [`CodeSearch::prepare`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prepared {
    /// What was done to the index.
    pub index: IndexReport,
    /// Notes for the record (an unwritable cache, say).
    pub findings: Vec<Finding>,
}

/// Why a search has no answer. Closed by meaning: each kind is a different thing, and none of them is ever an empty answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SearchError {
    /// A named no that the model should read (unknown symbol, bad pattern, unknown scope, no such file).
    #[error("{0}")]
    Refused(Refusal),
    /// The backend cannot answer this mode, scope or staged set.
    #[error("the backend cannot answer this: {0}")]
    Unsupported(String),
    /// It is not installed, or does not answer its probe.
    #[error("the backend is not available: {message}")]
    Unavailable {
        /// For the model; no host path.
        message: String,
        /// For the operator.
        detail: Option<String>,
    },
    /// Node.js is absent or too old.
    #[error("{0}")]
    NoNode(String),
    /// There is no index and none could be made.
    #[error("there is no index: {message}")]
    NoIndex {
        /// For the model; no host path.
        message: String,
        /// For the operator.
        detail: Option<String>,
    },
    /// The bound passed; what was still running. Worth retrying with a narrower question.
    #[error("timed out after {} s: {what}", .bound.as_secs())]
    Timeout {
        /// The bound.
        bound: Duration,
        /// What was still running.
        what: String,
    },
    /// The orchestrator cancelled the call.
    #[error("cancelled")]
    Cancelled,
    /// Another process holds the index. Worth retrying.
    #[error("another process holds the index")]
    Busy,
    /// It crashed, was killed, or answered what cannot be read.
    #[error("the backend's answer cannot be read: {message}")]
    BadOutput {
        /// For the model; no host path.
        message: String,
        /// For the operator.
        detail: Option<String>,
    },
    /// Required enforcement of the sandbox is missing; nothing ran.
    #[error("the required sandbox is missing: {0}")]
    NoSandbox(String),
    /// A replayed session asks for what is not on its tape.
    #[error("{0}")]
    NotRecorded(Refusal),
}

impl SearchError {
    /// The refusal that the model reads for it.
    pub fn into_refusal(self) -> Refusal {
        match self {
            SearchError::Refused(r) | SearchError::NotRecorded(r) => r,
            SearchError::Unsupported(m) => Refusal::new(RefusalCode::Unsupported, m),
            SearchError::Unavailable { message, detail } => with(RefusalCode::Unavailable, message, detail),
            SearchError::NoNode(m) => Refusal::new(RefusalCode::NoNode, m),
            SearchError::NoIndex { message, detail } => with(RefusalCode::NoIndex, message, detail),
            SearchError::Timeout { bound, what } => Refusal::new(
                RefusalCode::Timeout,
                format!(
                    "The search passed its bound of {} s; still running was {what}. Ask for less (a scope, a narrower query).",
                    bound.as_secs()
                ),
            ),
            SearchError::Cancelled => Refusal::new(RefusalCode::Cancelled, "The call was cancelled."),
            SearchError::Busy => Refusal::new(
                RefusalCode::Busy,
                "Another process holds the index and the deadline passed. Ask again in a moment.",
            ),
            SearchError::BadOutput { message, detail } => with(RefusalCode::BadOutput, message, detail),
            SearchError::NoSandbox(m) => Refusal::new(RefusalCode::NoSandbox, m),
        }
    }
}

fn with(code: RefusalCode, message: String, detail: Option<String>) -> Refusal {
    let refusal = Refusal::new(code, message);
    match detail {
        Some(d) => refusal.with_detail(d),
        None => refusal,
    }
}

impl From<Refusal> for SearchError {
    fn from(refusal: Refusal) -> Self {
        SearchError::Refused(refusal)
    }
}

/// Code search over a tree.
///
/// An answer describes exactly the given tree: what is on disk by its manifest, with its staged set on top. Hits are
/// best first (the order is the mode's, see [`SearchQuery`]), without duplicates, at most `query.limit`;
/// [`Answer::counts`] says how many there are. The same tree and query give the same answer, on any number of threads.
/// An implementation does not redact, fence, cut or render: session does.
#[cfg_attr(feature = "testing", mockall::automock)]
#[async_trait]
pub trait CodeSearch: Send + Sync {
    /// Name and version, for records. Cheap; does no input or output.
    fn identity(&self) -> BackendIdentity;

    /// What it can answer. Constant for one value.
    fn supports(&self) -> Capabilities;

    /// Tools of other projects that have to be installed for it. A session's preparing installs them where its host allows
    /// that; the backend itself only looks for them. Constant for one value; does no input or output.
    fn requirements(&self) -> &[Pin] {
        &[]
    }

    /// Makes the index of the tree's files ready. Idempotent; cheap when it is ready. Never reaches the network and
    /// never installs anything. An implementation that cannot keep an index (an unwritable cache) still prepares, and says
    /// so in a finding.
    async fn prepare(&self, tree: &Tree, cx: &CallContext) -> Result<Prepared, SearchError>;

    /// Answers a query. Prepares first if that was not done. An empty answer means that the whole tree was searched and
    /// nothing was found, or it says what was not (an inexact count, and `not_searched`); anything else is an error.
    async fn search(&self, tree: &Tree, query: &SearchQuery, cx: &CallContext) -> Result<Answer, SearchError>;
}
