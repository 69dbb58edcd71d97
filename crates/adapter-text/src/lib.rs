//! Plain text search, reading and listing over a tree, with ripgrep's library crates.
//!
//! [`RipgrepText`] is the [`TextSearch`] port. Patterns have the syntax of Rust's `regex` crate and are matched line by
//! line in linear time; `$` matches before CRLF. Nothing that the guard protects is named, counted or read.

mod cut;
mod list;
mod pattern;
mod read;
mod search;

use async_trait::async_trait;
use std::sync::Arc;
use understory_core::answer::{ListAnswer, ReadAnswer, TextAnswer};
use understory_core::guard::Guard;
use understory_core::path::RepoPath;
use understory_core::query::{ListQuery, ReadQuery, TextQuery};
use understory_core::refusal::{Refusal, RefusalCode};
use understory_core::tree::Tree;
use understory_ports::context::{CallContext, Stop};
use understory_ports::text_search::{TextError, TextSearch};
use understory_tree_reader::Reader;

/// Text search over a tree's files, read where they are.
#[derive(Clone, Debug, Default)]
pub struct RipgrepText {
    guard: Arc<Guard>,
}

impl RipgrepText {
    /// Under this guard.
    pub fn new(guard: Arc<Guard>) -> Self {
        RipgrepText { guard }
    }

    async fn run<Q: Clone + Send + 'static, A: Send + 'static>(
        &self,
        tree: &Tree,
        query: &Q,
        cx: &CallContext,
        answer: fn(&Reader<'_>, &Q, &CallContext) -> Result<A, TextError>,
    ) -> Result<A, TextError> {
        check(cx)?;
        let (tree, guard, query) = (tree.clone(), self.guard.clone(), query.clone());
        let mut inner = cx.clone();
        inner.cancel = cx.cancel.child_token();
        let _cancel_on_drop = inner.cancel.clone().drop_guard();
        let work = move || answer(&Reader::new(&tree, &guard), &query, &inner);
        match tokio::task::spawn_blocking(work).await {
            Ok(done) => done,
            Err(failed) if failed.is_panic() => std::panic::resume_unwind(failed.into_panic()),
            Err(_) => Err(TextError::Cancelled),
        }
    }
}

#[async_trait]
impl TextSearch for RipgrepText {
    async fn search(&self, tree: &Tree, query: &TextQuery, cx: &CallContext) -> Result<TextAnswer, TextError> {
        self.run(tree, query, cx, search::search).await
    }

    async fn read(&self, tree: &Tree, query: &ReadQuery, cx: &CallContext) -> Result<ReadAnswer, TextError> {
        self.run(tree, query, cx, read::read).await
    }

    async fn list(&self, tree: &Tree, query: &ListQuery, cx: &CallContext) -> Result<ListAnswer, TextError> {
        self.run(tree, query, cx, list::list).await
    }
}

fn check(cx: &CallContext) -> Result<(), TextError> {
    match cx.stop() {
        None => Ok(()),
        Some(Stop::Cancelled) => Err(TextError::Cancelled),
        Some(Stop::Deadline) => Err(TextError::Timeout),
    }
}

fn protected() -> Refusal {
    Refusal::new(
        RefusalCode::ProtectedPath,
        "That path is protected: it is not served to a session.",
    )
}

fn no_such_file(path: &RepoPath, why: &str, near: Vec<String>) -> Refusal {
    let mut message = format!("`{}` {why}.", path.display_escaped());
    if !near.is_empty() {
        let near: Vec<String> = near
            .iter()
            .map(|p| format!("`{}`", understory_core::path::escape_control(p)))
            .collect();
        message.push_str(&format!(" Near to it: {}.", near.join(", ")));
    }
    Refusal::new(RefusalCode::NoSuchFile, message).suggesting(near)
}
