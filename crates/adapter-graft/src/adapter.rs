//! The port's implementation: which command answers which mode.

use crate::answers::callers::{Mentions, Walk};
use crate::answers::{ask, callers, explore, grep, map, skeleton};
use crate::command::{Ask, QUERY_BOUND};
use crate::config::GraftConfig;
use crate::graph::Graph;
use crate::live::{Kept, Live};
use crate::parse::{Asked, Called, Grepped, Mapped, Outlined};
use crate::pattern::Pattern;
use crate::program::Program;
use async_trait::async_trait;
use std::sync::{Arc, Mutex, OnceLock};
use understory_cli_backend::calls::{blocking, stopped};
use understory_cli_backend::chosen::Chosen;
use understory_cli_backend::prepared::{described, prepared};
use understory_cli_backend::texts::Texts;
use understory_cli_backend::words::{check_file, flat};
use understory_core::answer::{Answer, BackendIdentity};
use understory_core::limits::COMMAND_LIMIT;
use understory_core::near::nearest;
use understory_core::path::{RepoPath, escape_control};
use understory_core::query::{Mode, SearchQuery, check_query_length};
use understory_core::tree::Tree;
use understory_core::{Refusal, RefusalCode};
use understory_ports::{
    CallContext, Capabilities, CodeSearch, Enforcement, Pin, Prepared, Sandbox, SearchError, Worktree,
};
use understory_tree_reader::Reader;

/// How many near names are offered.
const NEAR: usize = 5;

/// Processes of Graft at one time.
const TURNS: usize = 4;

/// Hits that are asked of `ask`: more than anybody wants to see, so that their number is known. Graft cuts at the limit
/// without a word.
const ASKED: u32 = 2_000;

/// Code search by Graft. Cheap to clone; clones share the trees that are prepared. It cannot install anything: it holds no
/// provisioner, and its sandbox runs nothing with a network.
#[derive(Clone)]
pub struct GraftSearch {
    inner: Arc<Inner>,
}

/// What the clones share.
pub struct Inner {
    pub(crate) config: GraftConfig,
    pub(crate) sandbox: Arc<dyn Sandbox>,
    pub(crate) worktree: Arc<dyn Worktree>,
    pub(crate) chosen: Chosen<Program>,
    /// What the program says of itself; known when it was asked once.
    pub(crate) version: OnceLock<String>,
    /// Set when Node.js was found to be new enough.
    pub(crate) node_is_good: OnceLock<()>,
    pub(crate) kept: tokio::sync::Mutex<Kept>,
    pub(crate) turns: tokio::sync::Semaphore,
    /// What the last process was confined by.
    pub(crate) reached: Mutex<Option<Enforcement>>,
}

impl GraftSearch {
    /// A backend. Touches nothing.
    pub fn new(config: GraftConfig, sandbox: Arc<dyn Sandbox>, worktree: Arc<dyn Worktree>) -> Self {
        GraftSearch {
            inner: Arc::new(Inner {
                config,
                sandbox,
                worktree,
                chosen: Chosen::default(),
                version: OnceLock::new(),
                node_is_good: OnceLock::new(),
                kept: tokio::sync::Mutex::default(),
                turns: tokio::sync::Semaphore::new(TURNS),
                reached: Mutex::new(None),
            }),
        }
    }

    /// Asks Node.js and Graft for their versions, in processes that are sealed as every other; gives Graft's.
    pub async fn probe(&self, cx: &CallContext) -> Result<String, SearchError> {
        self.inner.probe(cx).await
    }

    /// Runs work over the tree's text and the graph on a blocking thread.
    async fn over<T: Send + 'static>(
        &self,
        tree: &Tree,
        live: &Live,
        work: impl FnOnce(&Graph, &mut Texts<'_>) -> T + Send + 'static,
    ) -> Result<T, SearchError> {
        let (tree, guard, graph) = (tree.clone(), self.inner.config.guard.clone(), live.graph.clone());
        blocking(move || work(&graph, &mut Texts::new(Reader::new(&tree, &guard)))).await
    }

    async fn asked(&self, live: &Live, query: &SearchQuery, cx: &CallContext) -> Result<(Asked, u32), SearchError> {
        let words = flat(&query.query)?;
        let most = ASKED.max(query.limit.min(COMMAND_LIMIT));
        let asked = self.inner.ask(live, Ask::Words(&words, most), cx).await?;
        Ok((asked, most))
    }

    async fn ask(
        &self,
        live: &Live,
        tree: &Tree,
        query: &SearchQuery,
        cx: &CallContext,
    ) -> Result<Answer, SearchError> {
        let (asked, most) = self.asked(live, query, cx).await?;
        let query = query.clone();
        self.over(tree, live, move |graph, texts| {
            ask::answer(&asked, most, &query, graph, texts)
        })
        .await
    }

    async fn explore(
        &self,
        live: &Live,
        tree: &Tree,
        query: &SearchQuery,
        cx: &CallContext,
    ) -> Result<Answer, SearchError> {
        let (asked, most) = self.asked(live, query, cx).await?;
        let query = query.clone();
        self.over(tree, live, move |graph, texts| {
            let answer = ask::answer(&asked, most, &query, graph, texts);
            explore::over(answer, graph, texts)
        })
        .await
    }

    async fn grep(
        &self,
        live: &Live,
        tree: &Tree,
        query: &SearchQuery,
        cx: &CallContext,
    ) -> Result<Answer, SearchError> {
        let pattern = Pattern::new(&query.query)?;
        let is_in =
            |path: &str| RepoPath::new(path).is_ok_and(|path| path.is_in(&query.scope) || query.scope.is_root());
        // Later versions refuse a directory in which nothing is indexed.
        let found: Option<Grepped> = match live.graph.files().any(is_in) {
            true => Some(
                self.inner
                    .ask(live, Ask::Grep(&pattern.graft, &query.scope), cx)
                    .await?,
            ),
            false => None,
        };
        let (query, stop) = (query.clone(), cx.clone());
        let answer = self
            .over(tree, live, move |graph, texts| {
                let until = || stop.stop().is_some();
                grep::answer(found.as_ref(), &pattern.own, &query, graph, texts, &until)
            })
            .await?;
        stopped(cx, QUERY_BOUND, "the search of the files that Graft does not index")?;
        Ok(answer)
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
            Some((file, name))
                if RepoPath::new(file.trim()).is_ok_and(|path| tree.get(&path).is_some() || file.contains('/')) =>
            {
                (RepoPath::new(file.trim()).ok(), name.trim())
            }
            _ => (None, words.trim()),
        };
        let is_there = |path: &str| RepoPath::new(path).is_ok_and(|path| tree.get(&path).is_some());
        let named = live.graph.named(name, file.as_ref().map(RepoPath::as_str));
        let subjects: Vec<_> = named.into_iter().filter(|n| is_there(&n.path)).cloned().collect();
        let last = crate::graph::parts(name).pop().unwrap_or_default();
        if subjects.is_empty() {
            return Err(self.no_symbol(live, tree, &words, last).await?);
        }
        // Graft takes the name with the parts joined its own way, or the path of a file.
        let asked = match subjects.iter().any(|n| n.is_file()) {
            true => name.to_owned(),
            false => crate::graph::parts(name).join("."),
        };
        let called: Called = self
            .inner
            .ask(live, Ask::Callers(query.direction, query.depth, &asked), cx)
            .await?;
        let walk = Walk {
            direction: query.direction,
            depth: query.depth,
            limit: query.limit as usize,
            scope: query.scope.clone(),
            name: last,
        };
        self.over(tree, live, move |graph, texts| {
            callers::answer(&called, &subjects, &walk, graph, texts)
        })
        .await
    }

    /// The refusal of a name that is not there: near names, and how many lines still carry it.
    async fn no_symbol(&self, live: &Live, tree: &Tree, words: &str, last: String) -> Result<SearchError, SearchError> {
        let shown: String = escape_control(words).chars().take(200).collect();
        let (near, lines) = self
            .over(tree, live, move |graph, texts| {
                let names: std::collections::BTreeSet<&str> = graph
                    .nodes()
                    .iter()
                    .filter(|n| !n.is_file())
                    .map(|n| n.name.as_str())
                    .collect();
                let near = nearest(&last, names, NEAR);
                (near, Mentions::of(&last, texts).count())
            })
            .await?;
        Ok(Refusal::new(
            RefusalCode::NoSymbol,
            format!("Graft's index has no definition of `{shown}`; {lines} lines of the tree carry the name. `ask` finds names by words, `search_text` finds the lines."),
        )
        .suggesting(near)
        .into())
    }

    async fn skeleton(
        &self,
        live: &Live,
        tree: &Tree,
        query: &SearchQuery,
        cx: &CallContext,
    ) -> Result<Answer, SearchError> {
        let file = &query.file;
        // Graft answers alike for a file without definitions and for one that it does not know.
        if !live.graph.files().any(|path| path == file.as_str()) {
            return Err(SearchError::Unsupported(format!(
                "Graft does not index `{}`: its language is not parsed, or it is left out. `read_file` reads it.",
                file.display_escaped()
            )));
        }
        let outlined: Outlined = self.inner.ask(live, Ask::Skeleton(file), cx).await?;
        let file = file.clone();
        self.over(tree, live, move |graph, texts| {
            skeleton::answer(&outlined, &file, graph, texts)
        })
        .await
    }

    async fn map(
        &self,
        live: &Live,
        tree: &Tree,
        query: &SearchQuery,
        cx: &CallContext,
    ) -> Result<Answer, SearchError> {
        let mapped: Mapped = self.inner.ask(live, Ask::Map, cx).await?;
        let scope = query.scope.clone();
        self.over(tree, live, move |graph, texts| {
            map::answer(&mapped, &scope, graph, texts)
        })
        .await
    }

    /// Refuses a file that a session may not name or the tree does not have, and a scope that is no directory.
    async fn check(&self, tree: &Tree, query: &SearchQuery) -> Result<(), SearchError> {
        let (tree, guard, query) = (tree.clone(), self.inner.config.guard.clone(), query.clone());
        let checked = blocking(move || {
            let reader = Reader::new(&tree, &guard);
            if !tree.has_dir(&query.scope) {
                let message = format!("The tree has no directory `{}`.", query.scope.display_escaped());
                return Err(Refusal::new(RefusalCode::BadScope, message).suggesting(reader.near_dirs(&query.scope)));
            }
            if query.mode != Mode::Skeleton {
                return Ok(());
            }
            check_file(&reader, &query.file)
        });
        checked.await?.map_err(SearchError::Refused)
    }
}

/// Refuses what is asked of files of which Graft reads none: it would answer that nothing matches. `grep` searches them here,
/// and of a file's outline that is said with the file.
fn check_covered(graph: &Graph, tree: &Tree, query: &SearchQuery) -> Result<(), SearchError> {
    let scope = match query.mode {
        Mode::Ask | Mode::Explore | Mode::Map => query.scope.clone(),
        Mode::Callers => RepoPath::root(),
        Mode::Grep | Mode::Skeleton => return Ok(()),
    };
    let is_of = |path: &RepoPath| path.is_in(&scope) || scope.is_root();
    let is_covered = |path: &str| RepoPath::new(path).is_ok_and(|path| is_of(&path) && tree.get(&path).is_some());
    let files = tree.files().iter().filter(|file| is_of(file.path)).count();
    if files == 0 || graph.files().any(is_covered) {
        return Ok(());
    }
    Err(SearchError::Unsupported(format!(
        "Graft reads the language of none of the {files} files here, so `{}` has nothing to say. `grep` and `search_text` search their text; the native backend reads more languages.",
        query.mode.as_str()
    )))
}

#[async_trait]
impl CodeSearch for GraftSearch {
    fn identity(&self) -> BackendIdentity {
        BackendIdentity {
            name: "graft".to_owned(),
            version: self.inner.known_version().unwrap_or("unknown").to_owned(),
        }
    }

    fn supports(&self) -> Capabilities {
        Capabilities::all()
    }

    fn requirements(&self) -> &[Pin] {
        self.inner
            .config
            .tool
            .as_ref()
            .map_or(&[], |tool| std::slice::from_ref(tool.pin()))
    }

    async fn prepare(&self, tree: &Tree, cx: &CallContext) -> Result<Prepared, SearchError> {
        stopped(cx, crate::command::BUILD_BOUND, "`graft build`")?;
        let (live, is_new) = self.inner.ready(tree, cx).await?;
        Ok(prepared(&live.report, &live.findings, is_new))
    }

    async fn search(&self, tree: &Tree, query: &SearchQuery, cx: &CallContext) -> Result<Answer, SearchError> {
        stopped(cx, QUERY_BOUND, "nothing yet")?;
        check_query_length(&query.query)?;
        if query.mode == Mode::Grep {
            Pattern::new(&query.query)?;
        }
        self.check(tree, query).await?;
        let (live, is_new) = self.inner.ready(tree, cx).await?;
        check_covered(&live.graph, tree, query)?;
        let cx = &cx.clone().with_timeout(QUERY_BOUND);
        let mut answer = match query.mode {
            Mode::Ask => self.ask(&live, tree, query, cx).await?,
            Mode::Grep => self.grep(&live, tree, query, cx).await?,
            Mode::Callers => self.callers(&live, tree, query, cx).await?,
            Mode::Skeleton => self.skeleton(&live, tree, query, cx).await?,
            Mode::Map => self.map(&live, tree, query, cx).await?,
            Mode::Explore => self.explore(&live, tree, query, cx).await?,
        };
        let walk = tree.not_searched();
        answer.not_searched.unreadable += walk.unreadable;
        answer.not_searched.nested += walk.nested;
        answer.not_searched.bad_name += walk.bad_name;
        answer.not_searched.excluded += walk.excluded;
        described(&mut answer, &live.report, &live.findings, is_new);
        Ok(answer)
    }
}
