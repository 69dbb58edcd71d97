//! A code search that answers from a script.

use crate::code_search::{Capabilities, CodeSearch, IndexReport, Prepared, SearchError};
use crate::context::{CallContext, Stop};
use async_trait::async_trait;
use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use understory_core::answer::{Answer, BackendIdentity, IndexState};
use understory_core::query::SearchQuery;
use understory_core::tree::Tree;

type Step = (SearchQuery, Result<Answer, SearchError>);

/// A [`CodeSearch`] that gives the scripted answers, in order.
///
/// Stricter than a real one: a query that is not the next one of the script is a panic, and so is a script that was not
/// used up when the value is dropped.
#[derive(Default)]
pub struct ScriptedSearch {
    steps: Mutex<VecDeque<Step>>,
    prepares: Mutex<VecDeque<Result<Prepared, SearchError>>>,
}

impl ScriptedSearch {
    /// One with an empty script.
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends a query and its answer.
    pub fn answering(self, query: SearchQuery, answer: Result<Answer, SearchError>) -> Self {
        self.steps
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push_back((query, answer));
        self
    }

    /// Appends what the next `prepare` gives; without a script it says that the index was built.
    pub fn preparing(self, outcome: Result<Prepared, SearchError>) -> Self {
        self.prepares
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push_back(outcome);
        self
    }
}

impl Drop for ScriptedSearch {
    fn drop(&mut self) {
        let left = self.steps.lock().unwrap_or_else(PoisonError::into_inner).len();
        if left > 0 && !std::thread::panicking() {
            panic!("{left} scripted searches were not asked for");
        }
    }
}

/// The error of a call that has to stop.
pub(super) fn stopped(cx: &CallContext) -> Result<(), SearchError> {
    match cx.stop() {
        None => Ok(()),
        Some(Stop::Cancelled) => Err(SearchError::Cancelled),
        Some(Stop::Deadline) => Err(SearchError::Timeout {
            bound: Duration::ZERO,
            what: "the search".to_owned(),
        }),
    }
}

#[async_trait]
impl CodeSearch for ScriptedSearch {
    fn identity(&self) -> BackendIdentity {
        BackendIdentity {
            name: "scripted".to_owned(),
            version: "1".to_owned(),
        }
    }

    fn supports(&self) -> Capabilities {
        Capabilities::all()
    }

    async fn prepare(&self, tree: &Tree, cx: &CallContext) -> Result<Prepared, SearchError> {
        stopped(cx)?;
        let scripted = self.prepares.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        scripted.unwrap_or_else(|| {
            Ok(Prepared {
                index: IndexReport {
                    state: IndexState::Built,
                    parsed: 0,
                    files: tree.files().len() as u64,
                    took: Duration::ZERO,
                },
                findings: Vec::new(),
            })
        })
    }

    async fn search(&self, _tree: &Tree, query: &SearchQuery, cx: &CallContext) -> Result<Answer, SearchError> {
        stopped(cx)?;
        let next = self.steps.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        let Some((expected, answer)) = next else {
            panic!("the script is used up; asked was {query:?}");
        };
        assert_eq!(*query, expected, "another query than the script's next one");
        answer
    }
}
