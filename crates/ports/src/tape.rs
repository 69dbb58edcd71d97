//! The port of recordings: the calls of a session and their answers, kept to be given again.
//!
//! A session hands every call to its tape at its dispatch, so that all tools are recorded in one form. A tape either
//! records (the session answers and tells it) or replays (it answers, and the session touches no other port).

use serde::{Deserialize, Serialize};
use serde_json::Value;
use understory_core::answer::BackendIdentity;
use understory_core::fingerprint::Fingerprint;
use understory_core::{Limits, Refusal};

/// The name under which preparing is recorded; no tool has it.
pub const PREPARE: &str = "prepare";

/// What a session's calls were made under. Calls of one head are not answered by those of another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TapeHead {
    /// Which backend answers `search_code`. Not compared: a replay has none.
    pub backend: BackendIdentity,
    /// The tools, in the order in which the model has them.
    pub tools: Vec<String>,
    /// Sha-256 of the tools' names and schemas, as 64 hexadecimal digits.
    pub schemas: String,
    /// The bounds of the answers.
    pub limits: Limits,
}

impl TapeHead {
    /// Whether a call under `self` can be answered by one that was recorded under `other`.
    pub fn agrees(&self, other: &TapeHead) -> bool {
        self.tools == other.tools && self.schemas == other.schemas && self.limits == other.limits
    }
}

/// What is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TapeCall {
    /// The tool, or [`PREPARE`].
    pub tool: String,
    /// The effective arguments after defaults and clamps; arguments that are refused are as given.
    pub request: Value,
    /// Names the staged set; `None` when nothing is staged. With the order of the calls it stands for the tree, whose
    /// fingerprint nobody can compute where the repository is absent.
    pub staged: Option<Fingerprint>,
}

/// What was answered.
#[derive(Clone, Debug, PartialEq)]
pub struct TapeResult {
    /// The tree; `None` when the call was refused before one was taken.
    pub tree: Option<Fingerprint>,
    /// Whether the text was cut; `None` for a refusal.
    pub cut: Option<bool>,
    /// Whether the text was fenced; `None` for a refusal.
    pub fenced: Option<bool>,
    /// The answer as JSON, without its request: redacted, no host path, no time.
    pub answer: Value,
}

/// A recording of the calls of sessions. Several sessions may share one.
///
/// No method does more than to read or append a line: they may be called from an async executor.
#[cfg_attr(feature = "testing", mockall::automock)]
pub trait Tape: Send + Sync {
    /// The backend that was recorded; `None` when this tape records, or holds no session.
    fn backend(&self) -> Option<BackendIdentity>;

    /// Asked before anything else of a call is done. `None`: this tape records; answer the call and tell
    /// [`Tape::record`]. Otherwise the recorded answer, or `search_code.not_recorded` with the nearest recorded call. The
    /// k-th time that a call is asked gives what was answered the k-th time.
    fn replay(&self, head: &TapeHead, call: &TapeCall) -> Option<Result<TapeResult, Refusal>>;

    /// Takes an answer. A failure to keep it does not end a run: the tape remembers it for its owner, and keeps nothing
    /// after it.
    fn record(&self, head: &TapeHead, call: &TapeCall, result: &TapeResult);
}
