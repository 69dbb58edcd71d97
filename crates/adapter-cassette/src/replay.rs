//! A tape that answers the calls of a session.

use crate::error::TapeError;
use crate::line::Call;
use crate::near;
use crate::places::Places;
use crate::record::{call_key, taped_key};
use crate::tape::{self, Contents};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use understory_core::answer::BackendIdentity;
use understory_core::refusal::{Refusal, RefusalCode};
use understory_ports::{Tape, TapeCall, TapeHead, TapeResult};

/// Answers from a tape. Touches nothing but the tape's file, which it reads once when it is opened.
pub struct Replay {
    pub(crate) path: PathBuf,
    pub(crate) contents: Contents,
    /// Calls by key, each a list of positions in `contents.calls`.
    calls: BTreeMap<String, Vec<usize>>,
    /// How often each key was asked.
    asked: Mutex<BTreeMap<String, usize>>,
    places: Option<Places>,
}

impl Replay {
    /// Opens a tape for one session: each recorded answer is given once, in the order recorded for its call.
    pub fn open(path: &Path) -> Result<Replay, TapeError> {
        let failed = |source| TapeError::Io {
            what: "read",
            path: path.to_owned(),
            source,
        };
        let bytes = tape::regular(path).and_then(|()| std::fs::read(path)).map_err(failed)?;
        let contents = tape::read(&bytes, path)?;
        let mut calls: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (i, (head, call)) in contents.calls.iter().enumerate() {
            calls
                .entry(taped_key(&contents.heads[*head], call))
                .or_default()
                .push(i);
        }
        Ok(Replay {
            path: path.to_owned(),
            contents,
            calls,
            asked: Mutex::default(),
            places: None,
        })
    }

    /// Opens a tape for a series of processes that each ask a few calls, as a series of processes recorded it. Where a
    /// call was answered differently at different times, how often it was asked is kept in `<tape>.places` beside the
    /// tape; after its last answer comes its first, so that the series can be replayed again.
    pub fn open_series(path: &Path) -> Result<Replay, TapeError> {
        let mut replay = Replay::open(path)?;
        replay.places = Some(Places::beside(path, &replay.contents.end.sum));
        Ok(replay)
    }

    /// Which of the recorded answers of a call is the next one; `None` when all were given.
    fn next(&self, key: &str, recorded: &[usize]) -> Result<Option<usize>, TapeError> {
        let call = |i: &usize| &self.contents.calls[*i].1;
        if let Some(places) = &self.places {
            let first = recorded.first().map(call);
            let same = |i: &usize| first.is_some_and(|f| answers(f) == answers(call(i)));
            if recorded.iter().all(same) {
                return Ok(recorded.first().copied());
            }
            let asked = places.next(key)?;
            return Ok(recorded.get(asked % recorded.len()).copied());
        }
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        let count = asked.entry(key.to_owned()).or_default();
        let next = recorded.get(*count).copied();
        *count += usize::from(next.is_some());
        Ok(next)
    }

    fn find(&self, head: &TapeHead, call: &TapeCall) -> Result<TapeResult, Refusal> {
        let key = call_key(head, call);
        let recorded = self.calls.get(&key).map(Vec::as_slice).unwrap_or_default();
        let next = self.next(&key, recorded).map_err(|e| {
            let message = "The place in the tape cannot be kept, and the tape has several answers to this call.";
            Refusal::new(RefusalCode::Unavailable, message).with_detail(chain(&e))
        })?;
        match next {
            Some(i) => Ok(result(&self.contents.calls[i].1, &call.tool)),
            None => Err(near::refusal(&self.contents, head, call, recorded.len())),
        }
    }
}

impl Tape for Replay {
    fn backend(&self) -> Option<BackendIdentity> {
        self.contents.heads.first().map(|h| h.backend.clone())
    }

    fn replay(&self, head: &TapeHead, call: &TapeCall) -> Option<Result<TapeResult, Refusal>> {
        Some(self.find(head, call))
    }

    fn record(&self, _: &TapeHead, _: &TapeCall, _: &TapeResult) {}
}

/// What is given for a call, without its position.
fn answers(call: &Call) -> impl PartialEq + '_ {
    (&call.answer, call.tree, call.cut, call.fenced)
}

fn result(call: &Call, tool: &str) -> TapeResult {
    let mut answer = call.answer.clone();
    // As asked: on the tape it is redacted.
    if let Some(name) = answer.get_mut("tool").filter(|t| **t == *call.tool) {
        *name = tool.into();
    }
    TapeResult {
        tree: call.tree,
        cut: call.cut,
        fenced: call.fenced,
        answer,
    }
}

fn chain(error: &dyn std::error::Error) -> String {
    match error.source() {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    }
}
