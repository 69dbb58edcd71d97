//! The port's implementation: which command answers which mode.

use crate::answers;
use crate::command::{Ask, Named, ROWS};
use crate::config::{CodegraphConfig, IndexKind};
use crate::index::user::DIRECTORY;
use crate::output::Said;
use crate::parse::{self, Unreadable};
use crate::prepared::{Live, Reached};
use crate::program::Program;
use crate::relations::{self, Walk};
use async_trait::async_trait;
use std::sync::{Arc, OnceLock};
use understory_cli_backend::calls::{blocking, stopped};
use understory_cli_backend::chosen::Chosen;
use understory_cli_backend::prepared::{described, prepared};
use understory_cli_backend::texts::Texts;
use understory_cli_backend::trees::without;
use understory_cli_backend::words::{check_file, flat};
use understory_core::answer::{Answer, BackendIdentity, Finding};
use understory_core::near::nearest;
use understory_core::path::RepoPath;
use understory_core::query::{Direction, Mode, SearchQuery};
use understory_core::tree::Tree;
use understory_core::{Refusal, RefusalCode};
use understory_ports::{CallContext, Capabilities, CodeSearch, Pin, Prepared, Sandbox, SearchError, Worktree};
use understory_tree_reader::Reader;

/// How many near names are offered.
const NEAR: usize = 5;

/// Code search by CodeGraph. Cheap to clone; clones share the tree that is prepared.
#[derive(Clone)]
pub struct CodegraphSearch {
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub config: CodegraphConfig,
    pub sandbox: Arc<dyn Sandbox>,
    pub worktree: Arc<dyn Worktree>,
    pub chosen: Chosen<Program>,
    /// What the tool says of itself; known when it ran once.
    pub version: OnceLock<String>,
    pub live: tokio::sync::Mutex<Option<Arc<Live>>>,
    pub reached: Reached,
}

impl CodegraphSearch {
    /// A backend. Touches nothing.
    pub fn new(config: CodegraphConfig, sandbox: Arc<dyn Sandbox>, worktree: Arc<dyn Worktree>) -> Self {
        CodegraphSearch {
            inner: Arc::new(Inner {
                config,
                sandbox,
                worktree,
                chosen: Chosen::default(),
                version: OnceLock::new(),
                live: tokio::sync::Mutex::new(None),
                reached: Reached::default(),
            }),
        }
    }

    /// Runs a query over a prepared tree.
    async fn query(&self, live: &Live, ask: Ask<'_>, cx: &CallContext) -> Result<Said, SearchError> {
        self.inner.run(&ask, live.place(), live.tree_root(), cx).await
    }

    /// Runs work over the tree's text on a blocking thread.
    async fn over_texts<T: Send + 'static>(
        &self,
        tree: &Tree,
        work: impl FnOnce(&mut Texts<'_>) -> T + Send + 'static,
    ) -> Result<T, SearchError> {
        let (tree, guard) = (tree.clone(), self.inner.config.guard.clone());
        blocking(move || work(&mut Texts::new(Reader::new(&tree, &guard)))).await
    }

    async fn explore(
        &self,
        live: &Live,
        tree: &Tree,
        query: &SearchQuery,
        cx: &CallContext,
    ) -> Result<Answer, SearchError> {
        let words = flat(&query.query)?;
        let ask = Ask::Explore(&words);
        let said = self.query(live, ask, cx).await?;
        let found = parse::explore::parse(&said.text).map_err(|why| unreadable(&ask, why))?;
        let (whole, limit) = (!said.cut, query.limit as usize);
        let mut answer = self
            .over_texts(tree, move |texts| answers::explore(&found, whole, limit, texts))
            .await?;
        if said.cut {
            mark_cut(&mut answer);
        }
        Ok(answer)
    }

    async fn ask(
        &self,
        live: &Live,
        tree: &Tree,
        query: &SearchQuery,
        cx: &CallContext,
    ) -> Result<Answer, SearchError> {
        let words = flat(&query.query)?;
        let ask = Ask::Query(&words);
        let said = self.query(live, ask, cx).await?;
        let rows = parse::symbols::parse(&said.text).map_err(|why| cut_or_unreadable(&ask, &said, why))?;
        let (whole, limit) = (rows.len() < ROWS as usize, query.limit as usize);
        self.over_texts(tree, move |texts| answers::ask(&rows, whole, limit, texts))
            .await
    }

    async fn callers(
        &self,
        live: &Live,
        tree: &Tree,
        query: &SearchQuery,
        cx: &CallContext,
    ) -> Result<Answer, SearchError> {
        let words = flat(&query.query)?;
        let (file, name) = match words.rsplit_once('#') {
            Some((file, name)) => (RepoPath::new(file).ok(), name.trim()),
            None => (None, words.trim()),
        };
        if name.is_empty() {
            return Err(no_symbol(&words, Vec::new()));
        }
        let symbol = Named {
            name,
            file: file.as_ref(),
        };
        let ask = if query.depth > 1 {
            Ask::Impact(query.depth, symbol)
        } else {
            Ask::Relations(query.direction, symbol)
        };
        let said = self.query(live, ask, cx).await?;
        let found = parse::relations::parse(&said.text).map_err(|why| cut_or_unreadable(&ask, &said, why))?;
        let definitions = relations::named(found.unwrap_or_default(), name, file.as_ref());
        let walk = Walk {
            direction: query.direction,
            depth: query.depth,
            limit: query.limit as usize,
        };
        let answer = self
            .over_texts(tree, move |texts| relations::answer(&definitions, walk, texts))
            .await?;
        if answer.subjects.is_empty() {
            return Err(no_symbol(&words, self.near(live, name, cx).await?));
        }
        Ok(answer)
    }

    /// Names near to one that is not there, as far as the tool finds any.
    async fn near(&self, live: &Live, name: &str, cx: &CallContext) -> Result<Vec<String>, SearchError> {
        let last = name.rsplit(['.', ':']).next().unwrap_or(name);
        let mut names: Vec<String> = Vec::new();
        // A slip in the last letters leaves the first ones; the tool looks for words by how they begin.
        let start: String = last.chars().take(3).collect();
        for words in [last, start.as_str()] {
            let ask = Ask::Query(words);
            let said = match self.query(live, ask, cx).await {
                Ok(said) => said,
                Err(stopped @ (SearchError::Cancelled | SearchError::Timeout { .. })) => return Err(stopped),
                Err(_) => break,
            };
            for (told, _) in parse::symbols::parse(&said.text).unwrap_or_default() {
                if told.kind != "file" && !names.contains(&told.name) {
                    names.push(told.name);
                }
            }
        }
        Ok(nearest(last, names.iter().map(String::as_str), NEAR))
    }

    async fn skeleton(
        &self,
        live: &Live,
        tree: &Tree,
        query: &SearchQuery,
        cx: &CallContext,
    ) -> Result<Answer, SearchError> {
        let ask = Ask::Outline(&query.file);
        let said = self.query(live, ask, cx).await?;
        let found = parse::outline::parse(&said.text).map_err(|why| unreadable(&ask, why))?;
        // A name alone may lead the tool to another file.
        let Some(outline) = found.filter(|outline| outline.path == query.file.as_str()) else {
            return Err(SearchError::Unsupported(format!(
                "The index of CodeGraph does not hold `{}`: its language is not parsed, or it came after the index. \
                 `read_file` reads it.",
                query.file.display_escaped()
            )));
        };
        let mut answer = self
            .over_texts(tree, move |texts| answers::skeleton(&outline, texts))
            .await?;
        if said.cut {
            mark_cut(&mut answer);
        }
        Ok(answer)
    }

    /// Refuses a file that a session may not name or the tree does not have.
    async fn check_file(&self, tree: &Tree, file: &RepoPath) -> Result<(), SearchError> {
        let path = file.clone();
        self.over_texts(tree, move |texts| check_file(texts.reader(), &path))
            .await?
            .map_err(SearchError::Refused)
    }
}

fn no_symbol(words: &str, near: Vec<String>) -> SearchError {
    let shown: String = understory_core::path::escape_control(words).chars().take(200).collect();
    Refusal::new(
        RefusalCode::NoSymbol,
        format!("CodeGraph's index has no definition of `{shown}`. `ask` finds names by words."),
    )
    .suggesting(near)
    .into()
}

fn unreadable(ask: &Ask<'_>, Unreadable(why): Unreadable) -> SearchError {
    SearchError::BadOutput {
        message: format!(
            "The answer of `codegraph {}` cannot be read: {why}. The version that this is made for is 1.6.",
            ask.word()
        ),
        detail: None,
    }
}

/// What was cut cannot be read as data; that is no fault of the tool.
fn cut_or_unreadable(ask: &Ask<'_>, said: &Said, why: Unreadable) -> SearchError {
    if !said.cut {
        return unreadable(ask, why);
    }
    SearchError::Unsupported(format!(
        "The answer of `codegraph {}` is longer than the 50 KB or 2,000 lines that are read of it. \
         Name one definition as `path#name`, ask with a depth of 1, or use narrower words.",
        ask.word()
    ))
}

/// Says in the answer that the tool's own was not read to its end.
fn mark_cut(answer: &mut Answer) {
    const MARK: &str = "[cut: CodeGraph answered with more than 50 KB or 2,000 lines]";
    answer.counts.exact = false;
    if let Some(source) = answer.hits.iter_mut().rev().find_map(|h| h.source.as_mut()) {
        source.push('\n');
        source.push_str(MARK);
    }
    answer.findings.push(Finding::warning(
        "codegraph.cut",
        "CodeGraph's answer was longer than what is read of it.",
    ));
}

/// That nothing was found says little where the index holds less than the tree, or another state of it.
fn qualify_nothing(answer: &mut Answer, held: u64, all: u64, of_index: &[Finding]) {
    const DOUBTS: [&str; 3] = ["codegraph.stale", "codegraph.partial", "codegraph.foreign_root"];
    if held < all {
        answer.findings.push(Finding::warning(
            "codegraph.not_ranked",
            format!("CodeGraph's index holds {held} files and the tree has {all}: the others were not looked at for these words. `search_text` searches them."),
        ));
    }
    if held < all || of_index.iter().any(|f| DOUBTS.contains(&f.id.as_str())) {
        answer.counts.exact = false;
    }
}

/// What the command line has no answer to, by name.
fn check_supported(query: &SearchQuery) -> Result<(), SearchError> {
    let refuse = |what: &str| Err(SearchError::Unsupported(what.to_owned()));
    match query.mode {
        Mode::Grep => refuse(
            "The CodeGraph backend has no `grep`: use `search_text`, or `ask` for names of symbols. The native backend answers it.",
        ),
        Mode::Map => refuse(
            "The CodeGraph backend has no `map`: use `list_files`, or `explore` with a question. The native backend answers it.",
        ),
        Mode::Callers if query.direction == Direction::Out && query.depth > 1 => refuse(
            "The CodeGraph backend tells what a symbol references to a depth of 1 only: ask again from one of those.",
        ),
        _ if !query.scope.is_root() => refuse(
            "The CodeGraph backend cannot limit an answer to a `scope`: leave it out and name the directory in the words.",
        ),
        _ => Ok(()),
    }
}

#[async_trait]
impl CodeSearch for CodegraphSearch {
    fn identity(&self) -> BackendIdentity {
        let program = self.inner.chosen.now().or(self.inner.config.program.as_ref());
        let known = program.and_then(|p| p.version.as_deref());
        BackendIdentity {
            name: "codegraph".to_owned(),
            version: self
                .inner
                .version
                .get()
                .map(String::as_str)
                .or(known)
                .unwrap_or("unknown")
                .to_owned(),
        }
    }

    fn supports(&self) -> Capabilities {
        Capabilities {
            modes: vec![Mode::Ask, Mode::Callers, Mode::Skeleton, Mode::Explore],
            staged: self.inner.config.index == IndexKind::Managed,
            scope: false,
            depth_in: 3,
            depth_out: 1,
        }
    }

    fn requirements(&self) -> &[Pin] {
        let config = &self.inner.config;
        // Who keeps an index keeps the program that made it; that one is as good.
        let has_own = config.index == IndexKind::User && config.program.is_some();
        let tool = config.tool.as_ref().filter(|_| !has_own);
        tool.map_or(&[], |tool| std::slice::from_ref(tool.pin()))
    }

    async fn prepare(&self, tree: &Tree, cx: &CallContext) -> Result<Prepared, SearchError> {
        stopped(cx, crate::command::BUILD_BOUND, "`codegraph init`")?;
        let (live, is_new) = self.inner.ready(tree, cx).await?;
        Ok(prepared(&live.report, &live.findings, is_new))
    }

    async fn search(&self, tree: &Tree, query: &SearchQuery, cx: &CallContext) -> Result<Answer, SearchError> {
        stopped(cx, crate::command::QUERY_BOUND, "nothing yet")?;
        check_supported(query)?;
        if query.mode == Mode::Skeleton {
            self.check_file(tree, &query.file).await?;
        }
        let (live, is_new) = self.inner.ready(tree, cx).await?;
        let cx = &cx.clone().with_timeout(crate::command::QUERY_BOUND);
        let mut answer = match query.mode {
            Mode::Explore => self.explore(&live, tree, query, cx).await?,
            Mode::Ask => self.ask(&live, tree, query, cx).await?,
            Mode::Callers => self.callers(&live, tree, query, cx).await?,
            Mode::Skeleton => self.skeleton(&live, tree, query, cx).await?,
            Mode::Grep | Mode::Map => unreachable!("refused before anything ran"),
        };
        answer.not_searched = tree.not_searched();
        if answer.hits.is_empty() && matches!(query.mode, Mode::Ask | Mode::Explore) {
            let all = without(tree, DIRECTORY).files().len() as u64;
            qualify_nothing(&mut answer, live.report.files, all, &live.findings);
        }
        described(&mut answer, &live.report, &live.findings, is_new);
        Ok(answer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_is_told_in_the_answer() {
        let mut answer = Answer::default();
        answer.counts.exact = true;
        mark_cut(&mut answer);
        assert!(!answer.counts.exact && answer.findings[0].id == "codegraph.cut");
    }

    #[test]
    fn nothing_found_is_sure_only_in_an_index_of_the_whole_tree() {
        let stale = [Finding::warning("codegraph.stale", "x")];
        let version = [Finding::note("codegraph.version", "x")];
        let check = |held: u64, of_index: &[Finding], exact: bool, said: usize| {
            let mut answer = Answer::default();
            answer.counts.exact = true;
            qualify_nothing(&mut answer, held, 3, of_index);
            assert_eq!((answer.counts.exact, answer.findings.len()), (exact, said), "{held}");
        };
        check(3, &version, true, 0);
        check(4, &[], true, 0);
        check(2, &version, false, 1);
        check(3, &stale, false, 0);
    }
}
