//! The record of a run: events, one JSON object a line, only ever appended.
//!
//! Every event has `event` (its name) and `time` (milliseconds since 1970). What does not apply is absent, and absent is
//! not zero. No contents, no host path.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::Write;
use std::sync::{Mutex, PoisonError};
use understory_core::answer::{BackendIdentity, IndexState, Severity, Unit};
use understory_core::fingerprint::Fingerprint;
use understory_core::refusal::RefusalCode;
use understory_core::{Limits, RepoPath};

/// What a session writes down.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Event {
    /// The session was opened.
    Opened {
        /// When.
        time: u64,
        /// Version of this form: 1.
        schema: u32,
        /// The backend that answers `search_code`.
        backend: BackendIdentity,
        /// The tools of the session, in order.
        tools: Vec<String>,
        /// The default scope; empty for the whole tree.
        scope: RepoPath,
        /// The bounds.
        limits: Limits,
    },
    /// The index was made ready, or could not be.
    Prepared {
        /// When it was done.
        time: u64,
        /// The backend.
        backend: BackendIdentity,
        /// The tree; absent when there was none to be had.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        fingerprint: Option<Fingerprint>,
        /// Built, updated, reused or foreign; absent when refused.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        index: Option<IndexState>,
        /// Files that were parsed; absent when refused.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        parsed: Option<u64>,
        /// Files that the index covers; absent when refused.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        files: Option<u64>,
        /// Wall time in milliseconds.
        took_ms: u64,
        /// Why not.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        refused: Option<RefusalCode>,
    },
    /// A staged change, or the end of one.
    Staged {
        /// When.
        time: u64,
        /// The path.
        path: RepoPath,
        /// `write`, `symlink`, `delete` or `unstage`.
        change: String,
        /// Size of what was written.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        bytes: Option<u64>,
        /// Sha-256 of what was written, as 64 hexadecimal digits.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        sha256: Option<String>,
    },
    /// A call was answered.
    Call {
        /// When it was done.
        time: u64,
        /// Its number in the session, from 1.
        number: u64,
        /// The tool's name, as called.
        tool: String,
        /// Sha-256 of the arguments as JSON with sorted keys, as 64 hexadecimal digits.
        arguments: String,
        /// The mode, for `search_code`.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        mode: Option<String>,
        /// The tree that it was answered over; absent when refused before one was taken.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        fingerprint: Option<Fingerprint>,
        /// Built, updated, reused or foreign; absent for tools without an index.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        index: Option<IndexState>,
        /// What the answer holds; absent when refused.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        shown: Option<u64>,
        /// What there is; absent when refused.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        total: Option<u64>,
        /// What is counted.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        unit: Option<Unit>,
        /// Whether the text was cut; absent when refused.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        cut: Option<bool>,
        /// Whether the text was fenced; absent when refused.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        fenced: Option<bool>,
        /// The code of the refusal.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        refused: Option<RefusalCode>,
        /// Wall time in milliseconds.
        took_ms: u64,
        /// Bytes that the model reads.
        text_bytes: u64,
    },
    /// A finding, of a call or of preparing.
    Finding {
        /// When.
        time: u64,
        /// The number of the call; absent outside of calls.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        call: Option<u64>,
        /// Its name.
        id: String,
        /// How serious it is.
        severity: Severity,
        /// One sentence.
        message: String,
    },
    /// The session was closed.
    Closed {
        /// When.
        time: u64,
        /// Sums over the session.
        #[serde(flatten)]
        totals: Totals,
        /// Turns of the model, when the host told them.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        turns: Option<u64>,
    },
}

/// Sums over a session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totals {
    /// Calls by tool.
    pub calls: BTreeMap<String, u64>,
    /// Refusals by code.
    pub refusals: BTreeMap<String, u64>,
    /// Findings by name.
    pub findings: BTreeMap<String, u64>,
    /// Bytes that the model read, by tool.
    pub text_bytes: BTreeMap<String, u64>,
    /// Wall time of the calls in milliseconds, by tool.
    pub took_ms: BTreeMap<String, u64>,
}

/// Takes the events of sessions. Must not block for long.
pub trait Record: Send + Sync {
    /// Appends one event. Events of one session come in order.
    fn append(&self, event: &Event);
}

/// Keeps no record.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoRecord;

impl Record for NoRecord {
    fn append(&self, _event: &Event) {}
}

/// Writes each event as a line of JSON. A write that fails does not end a run: the first failure is kept for
/// [`JsonLines::failure`], and nothing is written after it.
pub struct JsonLines<W: Write + Send> {
    state: Mutex<(W, Option<std::io::Error>)>,
}

impl<W: Write + Send> JsonLines<W> {
    /// Over a writer that appends.
    pub fn new(writer: W) -> Self {
        JsonLines {
            state: Mutex::new((writer, None)),
        }
    }

    /// The first failure, once.
    pub fn failure(&self) -> Option<std::io::Error> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).1.take()
    }

    /// The writer.
    pub fn into_inner(self) -> W {
        self.state.into_inner().unwrap_or_else(PoisonError::into_inner).0
    }
}

impl<W: Write + Send> Record for JsonLines<W> {
    fn append(&self, event: &Event) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let (writer, failure) = &mut *state;
        if failure.is_some() {
            return;
        }
        // One write a line, so that two processes that append to one file do not mix their lines.
        let written = serde_json::to_string(event)
            .map_err(std::io::Error::other)
            .and_then(|mut line| {
                line.push('\n');
                writer.write_all(line.as_bytes())?;
                writer.flush()
            });
        *failure = written.err();
    }
}
