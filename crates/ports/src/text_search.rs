//! The port of plain text search and reading.

use crate::context::CallContext;
use async_trait::async_trait;
use understory_core::Refusal;
use understory_core::answer::{ListAnswer, ReadAnswer, TextAnswer};
use understory_core::query::{ListQuery, ReadQuery, TextQuery};
use understory_core::tree::Tree;

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TextError {
    /// A named no that the model should read (bad pattern, no such file, protected path).
    #[error("{0}")]
    Refused(Refusal),
    /// The deadline passed.
    #[error("timed out")]
    Timeout,
    /// The orchestrator cancelled the call.
    #[error("cancelled")]
    Cancelled,
}

impl From<Refusal> for TextError {
    fn from(refusal: Refusal) -> Self {
        TextError::Refused(refusal)
    }
}

/// Text search, reading and listing over a tree: the same files, guard and staged set as every other reader.
///
/// Paths that the guard protects are never named, counted or read; a link is read only where what it resolves to is an
/// unguarded file of the tree.
#[cfg_attr(feature = "testing", mockall::automock)]
#[async_trait]
pub trait TextSearch: Send + Sync {
    /// Every line that matches, by path then line, up to the limit; the counts are of all lines.
    async fn search(&self, tree: &Tree, query: &TextQuery, cx: &CallContext) -> Result<TextAnswer, TextError>;

    /// The lines of one file.
    async fn read(&self, tree: &Tree, query: &ReadQuery, cx: &CallContext) -> Result<ReadAnswer, TextError>;

    /// The paths of the tree that lie in a directory and match a glob, in path order.
    async fn list(&self, tree: &Tree, query: &ListQuery, cx: &CallContext) -> Result<ListAnswer, TextError>;
}
