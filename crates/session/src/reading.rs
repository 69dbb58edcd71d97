//! The tools of text: `search_text`, `read_file` and `list_files`. What each does of its own is a [`Reads`]; the way from
//! arguments to an answer is one for all of them.

use crate::answers::{Done, Draft};
use crate::calls::stoppable;
use crate::refusals;
use crate::session::Session;
use serde::Serialize;
use serde_json::Value;
use std::future::Future;
use understory_core::answer::{ListAnswer, Payload, ReadAnswer, Request, TextAnswer};
use understory_core::query::{ListQuery, ReadQuery, TextQuery};
use understory_core::redact::{self, RedactionCounts};
use understory_core::refusal::Refusal;
use understory_core::render::{self, Page};
use understory_core::tree::Tree;
use understory_core::{Counts, Limits, NotSearched, RepoPath};
use understory_ports::{CallContext, TextError, TextSearch};

/// What an answer holds beside its text: its data, the counts, and what was not searched.
type Parts = (Payload, Option<Counts>, Option<NotSearched>);

/// One of the tools of text.
pub(crate) trait Reads {
    /// Its validated arguments.
    type Query: Serialize + Send + Sync;
    /// What the port answers.
    type Answer: Send;
    /// Whether its path names a file or directory that must be in the tree before the port is asked.
    const IN_TREE: bool;

    fn parse(arguments: &Value, limits: &Limits) -> Result<Self::Query, Refusal>;
    fn path(query: &Self::Query) -> &RepoPath;
    fn ask(
        port: &dyn TextSearch,
        tree: &Tree,
        query: &Self::Query,
        cx: &CallContext,
    ) -> impl Future<Output = Result<Self::Answer, TextError>> + Send;
    fn redact(answer: &mut Self::Answer) -> RedactionCounts;
    fn page(query: &Self::Query, answer: &Self::Answer) -> Page;
    fn parts(answer: Self::Answer) -> Parts;
}

pub(crate) struct SearchText;
pub(crate) struct ReadFile;
pub(crate) struct ListFiles;

impl Reads for SearchText {
    type Query = TextQuery;
    type Answer = TextAnswer;
    const IN_TREE: bool = true;

    fn parse(arguments: &Value, limits: &Limits) -> Result<TextQuery, Refusal> {
        TextQuery::from_arguments(arguments, limits)
    }

    fn path(query: &TextQuery) -> &RepoPath {
        &query.path
    }

    async fn ask(
        port: &dyn TextSearch,
        tree: &Tree,
        query: &TextQuery,
        cx: &CallContext,
    ) -> Result<TextAnswer, TextError> {
        port.search(tree, query, cx).await
    }

    fn redact(answer: &mut TextAnswer) -> RedactionCounts {
        redact::redact_text_answer(answer)
    }

    fn page(query: &TextQuery, answer: &TextAnswer) -> Page {
        render::text(query, answer)
    }

    fn parts(answer: TextAnswer) -> Parts {
        let payload = Payload::Text {
            matches: answer.matches,
        };
        (payload, Some(answer.counts), Some(answer.not_searched))
    }
}

impl Reads for ReadFile {
    type Query = ReadQuery;
    type Answer = ReadAnswer;
    // The port knows which links lead to a file, and names what is near.
    const IN_TREE: bool = false;

    fn parse(arguments: &Value, _: &Limits) -> Result<ReadQuery, Refusal> {
        ReadQuery::from_arguments(arguments)
    }

    fn path(query: &ReadQuery) -> &RepoPath {
        &query.path
    }

    async fn ask(
        port: &dyn TextSearch,
        tree: &Tree,
        query: &ReadQuery,
        cx: &CallContext,
    ) -> Result<ReadAnswer, TextError> {
        port.read(tree, query, cx).await
    }

    fn redact(answer: &mut ReadAnswer) -> RedactionCounts {
        redact::redact_read(answer)
    }

    fn page(_: &ReadQuery, answer: &ReadAnswer) -> Page {
        render::read(answer)
    }

    fn parts(answer: ReadAnswer) -> Parts {
        (Payload::Read(answer), None, None)
    }
}

impl Reads for ListFiles {
    type Query = ListQuery;
    type Answer = ListAnswer;
    const IN_TREE: bool = true;

    fn parse(arguments: &Value, _: &Limits) -> Result<ListQuery, Refusal> {
        ListQuery::from_arguments(arguments)
    }

    fn path(query: &ListQuery) -> &RepoPath {
        &query.path
    }

    async fn ask(
        port: &dyn TextSearch,
        tree: &Tree,
        query: &ListQuery,
        cx: &CallContext,
    ) -> Result<ListAnswer, TextError> {
        port.list(tree, query, cx).await
    }

    fn redact(answer: &mut ListAnswer) -> RedactionCounts {
        redact::redact_list(answer)
    }

    fn page(query: &ListQuery, answer: &ListAnswer) -> Page {
        render::list(query, answer)
    }

    fn parts(answer: ListAnswer) -> Parts {
        let payload = Payload::List { paths: answer.paths };
        (payload, Some(answer.counts), Some(answer.not_searched))
    }
}

/// The request that an answer echoes; `None` for arguments that are refused.
pub(crate) fn effective<T: Reads>(arguments: &Value, limits: &Limits) -> Option<Request> {
    T::parse(arguments, limits).ok().map(|query| as_request(&query))
}

fn as_request<T: Serialize>(query: &T) -> Request {
    Request::Other(serde_json::to_value(query).unwrap_or(Value::Null))
}

impl Session {
    /// Answers a call of a tool of text.
    pub(crate) async fn read<T: Reads>(&self, mut draft: Draft, arguments: &Value, cx: &CallContext) -> Done {
        match self.read_page::<T>(&mut draft, arguments, cx).await {
            Ok((page, (payload, counts, missing))) => {
                let page = page.deliver(self.options().limits.text_chars);
                draft.other(payload, counts, missing, page)
            }
            Err(refusal) => draft.refuse(refusal),
        }
    }

    async fn read_page<T: Reads>(
        &self,
        draft: &mut Draft,
        arguments: &Value,
        cx: &CallContext,
    ) -> Result<(Page, Parts), Refusal> {
        let query = T::parse(arguments, &self.options().limits)?;
        draft.request = as_request(&query);
        let path = T::path(&query);
        self.allow(path)?;
        let tree = self.snapshot(draft, cx).await?;
        if T::IN_TREE {
            self.check_place(&tree, path)?;
        }
        let found = stoppable(cx, T::ask(&*self.ports().text, &tree, &query, cx)).await;
        let mut answer = found.unwrap_or(Err(TextError::Cancelled)).map_err(refusals::of_text)?;
        let counts = T::redact(&mut answer);
        draft.redacted(&counts);
        let page = T::page(&query, &answer);
        Ok((page, T::parts(answer)))
    }
}
