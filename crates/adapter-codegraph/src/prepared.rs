//! A tree that is written out with its index beside it, ready for queries.

use crate::adapter::Inner;
use crate::command::{Ask, BUILD_BOUND, Place, build};
use crate::config::IndexKind;
use crate::index::slot::Slot;
use crate::index::user::{self, DIRECTORY, Look};
use crate::output::{INSTALL, MAKE_INDEX, Said, judge};
use crate::parse::status::{self, Status};
use crate::program::{Program, System};
use crate::runs::Run;
use std::ffi::OsStr;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;
use understory_cli_backend::calls::{blocking, in_cache, of_worktree, stopped, wait_for_lock, waited};
use understory_cli_backend::prepared::confined;
use understory_cli_backend::run::of_sandbox;
use understory_cli_backend::trees::without;
use understory_core::answer::{Finding, IndexState};
use understory_core::fingerprint::Fingerprint;
use understory_core::staged::StagedSet;
use understory_core::tree::Tree;
use understory_ports::{CallContext, Enforcement, Event, IndexReport, Installed, Materialized, SearchError};

/// What a prepared tree stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Key {
    root: PathBuf,
    tree: Fingerprint,
    /// Of the user's index.
    look: Option<Look>,
}

/// A prepared tree. Its files and its index are gone when it is dropped.
pub struct Live {
    key: Key,
    tree: Box<dyn Materialized>,
    /// Where the tree was when it was written out: stays so while it lives.
    at: PathBuf,
    index: PathBuf,
    home: PathBuf,
    run: Run,
    /// What was done.
    pub report: IndexReport,
    /// What is to be said of the index.
    pub findings: Vec<Finding>,
}

impl Live {
    /// Where its queries work.
    pub fn place(&self) -> Place<'_> {
        debug_assert_eq!(self.tree.path(), self.at);
        debug_assert_eq!(self.run.index(), self.index);
        Place {
            tree: &self.at,
            index: &self.index,
            home: &self.home,
        }
    }

    /// The repository that it was written out from.
    pub fn tree_root(&self) -> &Path {
        &self.key.root
    }
}

/// What a tree is being prepared from.
struct Making<'a> {
    inner: &'a Inner,
    root: PathBuf,
    run: Run,
    tree: Option<Box<dyn Materialized>>,
    cx: &'a CallContext,
}

impl Making<'_> {
    /// Writes a tree out in place of the last one, with the link to the index in it.
    async fn write(&mut self, tree: &Tree) -> Result<(), SearchError> {
        let written = match self.tree.take() {
            Some(old) => self.inner.worktree.update(old, tree, self.cx).await,
            None => self.inner.worktree.materialize(tree, self.cx).await,
        };
        let written = self
            .tree
            .insert(written.map_err(|e| of_worktree(e, "CodeGraph", BUILD_BOUND))?);
        self.run
            .link_into(written.path())
            .map_err(|e| SearchError::Unavailable {
                message: "The index cannot be linked into the tree in the cache.".to_owned(),
                detail: Some(e.to_string()),
            })
    }

    async fn run(&self, ask: &Ask<'_>) -> Result<Said, SearchError> {
        let (index, home) = (self.run.index(), self.run.home());
        let tree = self.tree.as_ref().map_or(home.as_path(), |tree| tree.path());
        let place = Place {
            tree,
            index: &index,
            home: &home,
        };
        self.inner.run(ask, place, &self.root, self.cx).await
    }

    async fn status(&self) -> Result<Status, SearchError> {
        let said = self.run(&Ask::Status).await?;
        let status = status::parse(&said.text).map_err(|why| SearchError::BadOutput {
            message: format!("The answer of `codegraph status` cannot be read: {}.", why.0),
            detail: None,
        })?;
        let _ = self.inner.version.set(status.version.clone());
        Ok(status)
    }

    fn stage(&self, name: &'static str) {
        self.cx.events.event(Event::Stage { name, total: None });
    }

    /// Makes the index from nothing.
    async fn init(&self) -> Result<Status, SearchError> {
        self.stage("index");
        let status = match self.run(&Ask::Init).await {
            Ok(_) => self.status().await?,
            Err(SearchError::BadOutput { message, detail }) => return Err(SearchError::NoIndex { message, detail }),
            Err(other) => return Err(other),
        };
        if status.initialized && status.is_complete() {
            return Ok(status);
        }
        Err(SearchError::NoIndex {
            message: "`codegraph init` ended and left no whole index.".to_owned(),
            detail: None,
        })
    }

    /// Brings the index to the tree; says whether it can be trusted then.
    async fn sync(&self) -> Result<Option<Status>, SearchError> {
        self.stage("index");
        match self.run(&Ask::Sync).await {
            Ok(_) => {}
            Err(SearchError::BadOutput { .. } | SearchError::NoIndex { .. }) => return Ok(None),
            Err(other) => return Err(other),
        }
        Ok(Some(self.status().await?).filter(Status::is_whole))
    }
}

impl Inner {
    /// The program that is run.
    async fn program(&self) -> Result<&Program, SearchError> {
        let of = |installed: &Installed| Program::discover(None, Some(installed), OsStr::new(""), &System::host());
        let config = &self.config;
        let chosen = self.chosen.get(config.tool.as_ref(), config.program.as_ref(), of);
        chosen.await?.ok_or_else(|| SearchError::Unavailable {
            message: format!("CodeGraph was not found: it is not provisioned and not on PATH. {INSTALL}"),
            detail: None,
        })
    }

    /// Runs one command to its text.
    pub async fn run(
        &self,
        ask: &Ask<'_>,
        place: Place<'_>,
        root: &Path,
        cx: &CallContext,
    ) -> Result<Said, SearchError> {
        let program = self.program().await?;
        stopped(cx, ask.bound(), "nothing yet")?;
        let command = build(&self.config, program, ask, place);
        let finished = self
            .sandbox
            .run(command, cx)
            .await
            .map_err(|e| of_sandbox(&e, "CodeGraph"))?;
        self.enforcement(&finished.enforcement);
        let mut names = vec![
            (place.tree, "<repo>"),
            (root, "<repo>"),
            (self.config.cache.as_path(), "<cache>"),
        ];
        names.extend(program.read.iter().map(|path| (path.as_path(), "<codegraph>")));
        judge(&finished, ask, &names)
    }

    fn enforcement(&self, reached: &Enforcement) {
        *self.reached.lock().unwrap_or_else(PoisonError::into_inner) = Some(reached.clone());
    }

    /// The prepared tree, and whether this call made it.
    pub async fn ready(&self, tree: &Tree, cx: &CallContext) -> Result<(Arc<Live>, bool), SearchError> {
        self.program().await?;
        if !self.config.cache.is_absolute() {
            return Err(SearchError::Unavailable {
                message:
                    "There is no place for a cache, which CodeGraph needs. Name a writable directory with `--cache`."
                        .to_owned(),
                detail: None,
            });
        }
        // What lies where the index is linked to is none of it.
        let tree = without(tree, DIRECTORY);
        let look = match self.config.index {
            IndexKind::Managed => None,
            IndexKind::User => {
                if !tree.staged().is_empty() {
                    return Err(SearchError::Unsupported(
                        "The user's own CodeGraph index does not cover staged writes. A managed index does \
                         (`--codegraph-index managed`); `search_text` and `read_file` see them now."
                            .to_owned(),
                    ));
                }
                let root = tree.root().to_owned();
                let Some(look) = blocking(move || user::look(&root)).await? else {
                    return Err(SearchError::NoIndex {
                        message: format!("The repository has no CodeGraph index. {MAKE_INDEX}"),
                        detail: None,
                    });
                };
                Some(look)
            }
        };
        let mut key = Key {
            root: tree.root().to_owned(),
            tree: tree.fingerprint(),
            look,
        };
        // One call makes it, the others wait for that one.
        let what = "the preparation of the index by another call";
        let mut live = waited(cx, BUILD_BOUND, what, self.live.lock()).await?;
        if let Some(live) = live.as_ref().filter(|live| live.key == key) {
            return Ok((live.clone(), false));
        }
        let started = Instant::now();
        // A tree that a query still works in stays; else it is brought to the new one.
        let old = live.take().and_then(Arc::into_inner).map(|old| old.tree);
        let runs = self.config.cache.join("codegraph").join("runs");
        let making = Making {
            inner: self,
            root: tree.root().to_owned(),
            run: in_cache(move || Run::make(&runs)).await?,
            tree: old,
            cx,
        };
        let (making, state, parsed, status) = match self.config.index {
            IndexKind::User => {
                let (making, status, taken) = self.copy_users(making, &tree).await?;
                key.look = Some(taken);
                (making, IndexState::Foreign, 0, status)
            }
            IndexKind::Managed => self.manage(making, &tree).await?,
        };
        let findings = self.findings(&status, making.tree.as_deref().map(Materialized::path));
        let Some(written) = making.tree else {
            return Err(SearchError::Cancelled);
        };
        let made = Arc::new(Live {
            key,
            at: written.path().to_owned(),
            tree: written,
            index: making.run.index(),
            home: making.run.home(),
            run: making.run,
            report: IndexReport {
                state,
                parsed,
                files: status.file_count,
                took: started.elapsed(),
            },
            findings,
        });
        *live = Some(made.clone());
        Ok((made, true))
    }

    async fn copy_users<'a>(
        &self,
        mut making: Making<'a>,
        tree: &Tree,
    ) -> Result<(Making<'a>, Status, Look), SearchError> {
        let (root, to) = (tree.root().to_owned(), making.run.index());
        let taken = in_cache(move || user::take(&root, &to)).await?;
        making.write(tree).await?;
        let status = making.status().await?;
        if !status.initialized {
            return Err(SearchError::NoIndex {
                message: format!("CodeGraph does not take the repository's index for one. {MAKE_INDEX}"),
                detail: None,
            });
        }
        Ok((making, status, taken))
    }

    async fn manage<'a>(
        &self,
        mut making: Making<'a>,
        tree: &Tree,
    ) -> Result<(Making<'a>, IndexState, u64, Status), SearchError> {
        let slot = Slot::of(&self.config.cache, tree.root());
        let base = tree.with_staged(StagedSet::new());
        let key = base.disk_key().to_string();
        let held = self.wait_for(&slot, making.cx).await?;
        let kept = {
            let slot = slot.clone();
            in_cache(move || Ok(slot.key())).await?
        };
        let (mut state, mut parsed, mut status) = (IndexState::Reused, 0, None);
        if kept.is_some() {
            let (slot, to) = (slot.clone(), making.run.index());
            in_cache(move || slot.take(&to)).await?;
        }
        let is_current = kept.as_ref() == Some(&key);
        if !is_current {
            making.write(&base).await?;
            if kept.is_some() {
                let pending = making.status().await?.pending_changes;
                status = making.sync().await?;
                (state, parsed) = (IndexState::Updated, pending.added + pending.modified);
            }
            // On any doubt it is made anew.
            if status.is_none() {
                making.run.clear().map_err(|e| SearchError::NoIndex {
                    message: "The cache cannot be written.".to_owned(),
                    detail: Some(e.to_string()),
                })?;
                let made = making.init().await?;
                (state, parsed) = (IndexState::Built, made.file_count);
                status = Some(made);
            }
            let (slot, from) = (slot.clone(), making.run.index());
            in_cache(move || slot.keep(&from, &key)).await?;
        }
        drop(held);
        // What is written out so far is the base, or else the tree of an earlier question.
        if is_current || !tree.staged().is_empty() {
            making.write(tree).await?;
            status = None;
        }
        if !tree.staged().is_empty() {
            // From the index of the files on disk each time, so that an answer does not depend on what was staged before.
            status = making.sync().await?;
            if status.is_none() {
                making.run(&Ask::Rebuild).await?;
            }
        }
        let status = match status {
            Some(status) => status,
            None => making.status().await?,
        };
        if !status.is_complete() {
            return Err(SearchError::NoIndex {
                message: "CodeGraph's index is not whole after it was brought to the tree.".to_owned(),
                detail: Some(format!(
                    "it is {:?} with {} references to resolve",
                    status.index.state, status.index.pending_refs
                )),
            });
        }
        Ok((making, state, parsed, status))
    }

    async fn wait_for(&self, slot: &Slot, cx: &CallContext) -> Result<File, SearchError> {
        let slot = slot.clone();
        wait_for_lock(cx, BUILD_BOUND, move || slot.try_lock()).await
    }

    /// What the index says of itself. A user's index is described, never refused.
    fn findings(&self, status: &Status, tree: Option<&Path>) -> Vec<Finding> {
        let mut out = describe(status, tree);
        let reached = self.reached.lock().unwrap_or_else(PoisonError::into_inner);
        out.extend(confined("codegraph.sandbox", reached.as_ref()));
        out
    }
}

fn describe(status: &Status, tree: Option<&Path>) -> Vec<Finding> {
    let built = status
        .index
        .built_with_version
        .as_deref()
        .unwrap_or("an unknown version");
    let mut out = vec![Finding::note(
        "codegraph.version",
        format!("CodeGraph {} over an index made by {built}.", status.version),
    )];
    let p = status.pending_changes;
    if p.added + p.modified + p.removed > 0 {
        out.push(Finding::warning(
            "codegraph.stale",
            format!(
                "Since the index was made {} files came, {} changed and {} went; `codegraph sync` brings it up to date.",
                p.added, p.modified, p.removed
            ),
        ));
    }
    if !status.is_complete() {
        out.push(Finding::warning(
            "codegraph.partial",
            format!(
                "The index is not whole: it is {:?} with {} references to resolve. `codegraph index` makes it anew.",
                status.index.state, status.index.pending_refs
            ),
        ));
    }
    if status.index.reindex_recommended {
        out.push(Finding::note(
            "codegraph.old_index",
            "CodeGraph would rather make the index anew: `codegraph index`.",
        ));
    }
    let is_here = |tree: &Path| {
        let path = Path::new(&status.project_path);
        path == tree || matches!((path.canonicalize(), tree.canonicalize()), (Ok(a), Ok(b)) if a == b)
    };
    if status.worktree_mismatch.is_some() || !tree.is_none_or(is_here) {
        out.push(Finding::warning(
            "codegraph.foreign_root",
            "The index belongs to another work tree.",
        ));
    }
    out
}

/// What the last process was confined by.
pub type Reached = Mutex<Option<Enforcement>>;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::status::{Built, Pending};

    #[test]
    fn states_of_an_index_are_findings() {
        let whole = Status {
            initialized: true,
            version: "1.6.1".into(),
            project_path: "/t".into(),
            index: Built {
                state: "complete".into(),
                ..Built::default()
            },
            ..Status::default()
        };
        let check = |change: &dyn Fn(&mut Status), expected: &[&str]| {
            let mut status = whole.clone();
            change(&mut status);
            let found = describe(&status, Some(Path::new("/t")));
            let ids: Vec<&str> = found.iter().map(|f| f.id.as_str()).skip(1).collect();
            assert_eq!(ids, expected);
            assert!(
                found.iter().all(|f| !f.message.contains("/t")),
                "no host path: {found:?}"
            );
        };
        check(&|_| {}, &[]);
        check(
            &|s| {
                s.pending_changes = Pending {
                    removed: 1,
                    ..Pending::default()
                }
            },
            &["codegraph.stale"],
        );
        check(&|s| s.index.pending_refs = 7, &["codegraph.partial"]);
        check(&|s| s.index.state = "indexing".into(), &["codegraph.partial"]);
        check(&|s| s.index.reindex_recommended = true, &["codegraph.old_index"]);
        check(&|s| s.project_path = "/elsewhere".into(), &["codegraph.foreign_root"]);
    }
}
