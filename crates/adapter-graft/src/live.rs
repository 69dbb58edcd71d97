//! A tree with its index, ready for queries: which tree Graft is pointed at, and the slot that its index is in.

use crate::adapter::Inner;
use crate::command::{Ask, BUILD_BOUND, Place, build};
use crate::graph::{GRAPH, Graph};
use crate::home::Home;
use crate::output::{INSTALL, json, judge};
use crate::place::{self, At, Why};
use crate::program::{Program, Runner};
use crate::slot::{Making, Shelf, Slot};
use serde::de::DeserializeOwned;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};
use std::time::Instant;
use understory_cli_backend::calls::{blocking, in_cache, of_worktree, stopped, wait_for_lock, waited};
use understory_cli_backend::prepared::confined;
use understory_cli_backend::run::of_sandbox;
use understory_core::answer::{Finding, IndexState};
use understory_core::staged::StagedSet;
use understory_core::tree::Tree;
use understory_ports::{CallContext, Event, Finished, IndexReport, Installed, Materialized, SearchError};
use understory_tree_reader::Reader;

/// The prepared trees: the files on disk, and the last staged set. Taking turns, neither makes the other anew.
#[derive(Default)]
pub struct Kept {
    plain: Option<Arc<Live>>,
    staged: Option<Arc<Live>>,
}

impl Kept {
    fn of(&mut self, tree: &Tree) -> &mut Option<Arc<Live>> {
        match tree.staged().is_empty() {
            true => &mut self.plain,
            false => &mut self.staged,
        }
    }
}

/// A prepared tree. What was written out for it is gone when it is dropped.
pub struct Live {
    root: PathBuf,
    slot: Slot,
    /// Held while it lives: the index stays as it is.
    _lock: File,
    /// What was written out; none where Graft is pointed at the repository.
    written: Option<Box<dyn Materialized>>,
    /// Where Graft is pointed at.
    at: PathBuf,
    hidden: Vec<PathBuf>,
    /// What Graft made of the tree.
    pub graph: Arc<Graph>,
    /// What was done.
    pub report: IndexReport,
    /// What is to be said of it.
    pub findings: Vec<Finding>,
}

/// A tree that Graft can be pointed at.
struct Pointed {
    written: Option<Box<dyn Materialized>>,
    at: PathBuf,
    hidden: Vec<PathBuf>,
    why: Option<Why>,
}

impl Inner {
    /// The home of its processes.
    fn home(&self) -> Home {
        let node = self.chosen.now().and_then(|program| match &program.runner {
            Runner::Node(node) => node.as_deref(),
            Runner::Itself => None,
        });
        Home::of(&self.config.cache, node, self.config.git.as_deref())
    }

    /// The program, if it can be started at all.
    async fn program(&self) -> Result<(&Program, Option<&Path>), SearchError> {
        let config = &self.config;
        let of = |installed: &Installed| Program::discover(None, Some(installed), &config.search, cfg!(windows));
        let chosen = self.chosen.get(config.tool.as_ref(), config.program.as_ref(), of);
        let Some(program) = chosen.await? else {
            return Err(SearchError::Unavailable {
                message: format!(
                    "Graft was not found: it is neither provisioned nor where `--graft-program` points. {INSTALL}"
                ),
                detail: None,
            });
        };
        match &program.runner {
            Runner::Itself => Ok((program, None)),
            Runner::Node(Some(node)) => Ok((program, Some(node))),
            Runner::Node(None) => Err(SearchError::NoNode(format!(
                "Node.js was not found and Graft needs version {} or newer. Install Node.js, or put it on PATH.",
                crate::NODE
            ))),
        }
    }

    /// Runs one command to its end.
    async fn finish(&self, ask: &Ask<'_>, place: Place<'_>, cx: &CallContext) -> Result<Finished, SearchError> {
        let (program, node) = self.program().await?;
        stopped(cx, ask.bound(), "nothing yet")?;
        let (home, version) = (
            place.home.clone(),
            self.known_version().unwrap_or(crate::VERSION).to_owned(),
        );
        in_cache(move || home.freshen(&version)).await?;
        let _turn = waited(cx, ask.bound(), "other processes of Graft", self.turns.acquire()).await?;
        let command = build(&self.config, program, node, ask, place);
        let finished = self
            .sandbox
            .run(command, cx)
            .await
            .map_err(|e| of_sandbox(&e, "Graft"))?;
        *self.reached.lock().unwrap_or_else(PoisonError::into_inner) = Some(finished.enforcement.clone());
        Ok(finished)
    }

    /// Runs one command to its output.
    async fn run(
        &self,
        ask: &Ask<'_>,
        place: Place<'_>,
        root: &Path,
        cx: &CallContext,
    ) -> Result<Vec<u8>, SearchError> {
        let finished = self.finish(ask, place, cx).await?;
        let mut names = vec![
            (place.tree, "<repo>"),
            (root, "<repo>"),
            (self.config.cache.as_path(), "<cache>"),
        ];
        if let Some(program) = self.chosen.now() {
            names.extend(program.read.iter().map(|path| (path.as_path(), "<graft>")));
        }
        judge(&finished, ask, &names).map(<[u8]>::to_vec)
    }

    /// Asks over a prepared tree.
    pub async fn ask<T: DeserializeOwned>(
        &self,
        live: &Live,
        ask: Ask<'_>,
        cx: &CallContext,
    ) -> Result<T, SearchError> {
        let (home, index) = (self.home(), live.slot.index());
        let place = Place {
            tree: &live.at,
            index: &index,
            hidden: &live.hidden,
            home: &home,
        };
        let out = self.run(&ask, place, &live.root, cx).await?;
        json(&out, &ask)
    }

    /// Graft's version where it is known already.
    pub fn known_version(&self) -> Option<&str> {
        let program = self.chosen.now().or(self.config.program.as_ref());
        let told = program.and_then(|program| program.version.as_deref());
        self.version.get().map(String::as_str).or(told)
    }

    /// Asks Node.js for its version, and Graft where its version is not known. Once.
    pub async fn probe(&self, cx: &CallContext) -> Result<String, SearchError> {
        let (_, node) = self.program().await?;
        if !self.config.cache.is_absolute() {
            return Err(no_cache());
        }
        let home = self.home();
        let work = home.work();
        let place = Place {
            tree: &work,
            index: &work,
            hidden: &[],
            home: &home,
        };
        if let (Some(version), Some(())) = (self.known_version(), self.node_is_good.get()) {
            return Ok(version.to_owned());
        }
        if node.is_some() {
            let said = self.run(&Ask::NodeVersion, place, &work, cx).await?;
            let said = String::from_utf8_lossy(&said).trim().to_owned();
            let major = said
                .strip_prefix('v')
                .and_then(|v| v.split('.').next()?.parse::<u32>().ok());
            if major.is_none_or(|major| major < crate::NODE) {
                return Err(SearchError::NoNode(format!(
                    "Node.js {} was found and Graft needs version {} or newer. Update Node.js.",
                    said.chars()
                        .filter(|c| c.is_ascii_graphic())
                        .take(30)
                        .collect::<String>(),
                    crate::NODE
                )));
            }
        }
        let _ = self.node_is_good.set(());
        if let Some(version) = self.known_version() {
            return Ok(version.to_owned());
        }
        let said = match self.run(&Ask::Version, place, &work, cx).await {
            Err(SearchError::BadOutput { message, detail }) => {
                return Err(SearchError::Unavailable {
                    message: format!("Graft does not answer its probe. {message}"),
                    detail,
                });
            }
            other => other?,
        };
        let said = String::from_utf8_lossy(&said).trim().to_owned();
        if !is_version(&said) {
            return Err(SearchError::Unavailable {
                message: format!("Graft does not answer its probe with a version. {INSTALL}"),
                detail: Some(said),
            });
        }
        let _ = self.version.set(said.clone());
        Ok(said)
    }

    /// The prepared tree, and whether this call prepared it.
    pub async fn ready(&self, tree: &Tree, cx: &CallContext) -> Result<(Arc<Live>, bool), SearchError> {
        self.program().await?;
        if !self.config.cache.is_absolute() {
            return Err(no_cache());
        }
        // One call prepares, the others wait for it.
        let what = "the preparation of the index by another call";
        let mut kept = waited(cx, BUILD_BOUND, what, self.kept.lock()).await?;
        let version = self.probe(cx).await?;
        let chosen = {
            let (tree, guard) = (tree.clone(), self.config.guard.clone());
            blocking(move || place::choose(&tree, &Reader::new(&tree, &guard))).await?
        };
        let (options, hidden) = match &chosen {
            At::Repository(hidden) => ("repository", hidden.as_slice()),
            At::WrittenOut(..) => ("written out", &[][..]),
        };
        let slot = Shelf::of(&self.config.cache, tree.root()).slot(&version, options, tree);
        let place = kept.of(tree);
        // Files that are to be out of sight may come and go without a change of the tree.
        if let Some(live) = place
            .as_ref()
            .filter(|live| live.root == tree.root() && live.slot.key() == slot.key() && live.hidden == hidden)
        {
            return Ok((live.clone(), false));
        }
        let started = Instant::now();
        // A tree that a query still works in stays; else it is brought to the new one.
        let old = place.take().and_then(Arc::into_inner).and_then(|old| old.written);
        let pointed = self.point(chosen, tree, old, cx).await?;
        let (lock, graph, state) = self.slot(&slot, tree, &pointed, cx).await?;
        let files = graph.files().count() as u64;
        let live = Arc::new(Live {
            root: tree.root().to_owned(),
            findings: self.findings(&pointed, files, tree),
            slot,
            _lock: lock,
            written: pointed.written,
            at: pointed.at,
            hidden: pointed.hidden,
            graph: Arc::new(graph),
            report: IndexReport {
                state,
                parsed: if state == IndexState::Reused { 0 } else { files },
                files,
                took: started.elapsed(),
            },
        });
        *place = Some(live.clone());
        Ok((live, true))
    }

    /// Puts the tree where Graft can be pointed at it.
    async fn point(
        &self,
        chosen: At,
        tree: &Tree,
        old: Option<Box<dyn Materialized>>,
        cx: &CallContext,
    ) -> Result<Pointed, SearchError> {
        let (tree, why) = match chosen {
            At::Repository(hidden) => {
                return Ok(Pointed {
                    written: None,
                    at: tree.root().to_owned(),
                    hidden,
                    why: None,
                });
            }
            At::WrittenOut(tree, why) => (tree, why),
        };
        let written = match old {
            Some(old) => self.worktree.update(old, &tree, cx).await,
            None => self.worktree.materialize(&tree, cx).await,
        };
        let written = written.map_err(|e| of_worktree(e, "Graft", BUILD_BOUND))?;
        Ok(Pointed {
            at: written.path().to_owned(),
            written: Some(written),
            hidden: Vec::new(),
            why: Some(why),
        })
    }

    /// A slot that is whole, with its lock and its graph: as it is, or made now.
    async fn slot(
        &self,
        slot: &Slot,
        tree: &Tree,
        pointed: &Pointed,
        cx: &CallContext,
    ) -> Result<(File, Graph, IndexState), SearchError> {
        let (mut state, mut is_bad) = (IndexState::Reused, false);
        loop {
            stopped(cx, BUILD_BOUND, "`graft build`")?;
            let opened = slot.clone();
            if !is_bad && let Some(lock) = in_cache(move || opened.open()).await? {
                let index = slot.index();
                match blocking(move || Graph::read(&index)).await? {
                    Ok(graph) => return Ok((lock, graph, state)),
                    Err(_) if state == IndexState::Reused => is_bad = true,
                    Err(e) => return Err(unreadable_graph(&e)),
                }
            }
            let making = slot.clone();
            let held = wait_for_lock(cx, BUILD_BOUND, move || making.try_lock()).await?;
            // Another process may have made it meanwhile.
            let made = slot.clone();
            if is_bad || !in_cache(move || Ok(made.is_whole())).await? {
                state = self.make(slot, tree, pointed, cx).await?;
                is_bad = false;
            }
            drop(held);
        }
    }

    /// Makes an index. For the holder of the slot's lock.
    async fn make(
        &self,
        slot: &Slot,
        tree: &Tree,
        pointed: &Pointed,
        cx: &CallContext,
    ) -> Result<IndexState, SearchError> {
        cx.events.event(Event::Stage {
            name: "index",
            total: None,
        });
        let begin = |seeded: bool| {
            let slot = slot.clone();
            in_cache(move || {
                let making = slot.make()?;
                let seeded = seeded && slot.seed(&making)?;
                Ok((making, seeded))
            })
        };
        let (mut making, seeded) = begin(true).await?;
        let mut built = self.build(&making, tree, pointed, cx).await;
        if seeded && matches!(built, Err(SearchError::NoIndex { .. })) {
            // What was taken over may be what is wrong.
            drop(making);
            (making, _) = begin(false).await?;
            built = self.build(&making, tree, pointed, cx).await;
        }
        built?;
        if pointed.written.is_none() {
            self.check_unchanged(tree, cx).await?;
        }
        let slot = slot.clone();
        in_cache(move || slot.keep(making)).await?;
        Ok(if seeded { IndexState::Updated } else { IndexState::Built })
    }

    async fn build(
        &self,
        making: &Making,
        tree: &Tree,
        pointed: &Pointed,
        cx: &CallContext,
    ) -> Result<(), SearchError> {
        let (home, index) = (self.home(), making.index());
        let place = Place {
            tree: &pointed.at,
            index: &index,
            hidden: &pointed.hidden,
            home: &home,
        };
        match self.run(&Ask::Build, place, tree.root(), cx).await {
            Err(SearchError::BadOutput { message, detail }) => return Err(SearchError::NoIndex { message, detail }),
            other => other?,
        };
        // A build that says it is well may still have written nothing.
        let graph = blocking(move || Graph::read(&index)).await?;
        graph.map(|_| ()).map_err(|e| SearchError::NoIndex {
            message: format!("`graft build` ended well and left no graph that can be read ({GRAPH})."),
            detail: Some(e.to_string()),
        })
    }

    /// An index of a repository that was edited while it was read describes no tree.
    async fn check_unchanged(&self, tree: &Tree, cx: &CallContext) -> Result<(), SearchError> {
        let now = self.worktree.snapshot(tree.root(), &StagedSet::new(), cx).await;
        let now = now.map_err(|e| of_worktree(e, "Graft", BUILD_BOUND))?;
        let changed = tree
            .disk()
            .iter()
            .find(|(path, entry)| now.disk().get(*path) != Some(*entry));
        match changed {
            None => Ok(()),
            Some((path, _)) => Err(SearchError::Unavailable {
                message: format!(
                    "`{}` changed while Graft read the repository. Ask again.",
                    path.display_escaped()
                ),
                detail: None,
            }),
        }
    }

    /// What is to be said of a prepared tree.
    fn findings(&self, pointed: &Pointed, files: u64, tree: &Tree) -> Vec<Finding> {
        let all = tree.files().len();
        let mut out = vec![Finding::note(
            "graft.covers",
            format!("Graft indexes {files} files; the tree has {all}. The others are searched by text alone."),
        )];
        if let Some(why) = pointed.why.filter(|why| *why != Why::Staged) {
            out.push(Finding::note(
                "graft.written_out",
                format!("The tree was written out for Graft: {}.", why.words()),
            ));
        }
        let reached = self.reached.lock().unwrap_or_else(PoisonError::into_inner);
        out.extend(confined("graft.sandbox", reached.as_ref()));
        out
    }
}

fn no_cache() -> SearchError {
    SearchError::Unavailable {
        message: "There is no place for a cache, which Graft needs. Name a writable directory with `--cache`."
            .to_owned(),
        detail: None,
    }
}

fn unreadable_graph(error: &std::io::Error) -> SearchError {
    SearchError::NoIndex {
        message: format!("The graph of the index cannot be read ({GRAPH}). `understory index` makes it anew."),
        detail: Some(error.to_string()),
    }
}

fn is_version(text: &str) -> bool {
    let numbers: Vec<&str> = text.split(['-', '+']).next().unwrap_or_default().split('.').collect();
    numbers.len() == 3
        && numbers.iter().all(|n| n.parse::<u32>().is_ok())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b".-+".contains(&b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_three_numbers() {
        let check = |text: &str, expected: bool| assert_eq!(is_version(text), expected, "{text}");
        check("0.16.0", true);
        check("1.2.3-beta.1", true);
        check("v1.2.3", false);
        check("1.2", false);
        check("graft 1.2.3", false);
        check("1.2.3\nnpm: unreachable", false);
        check("", false);
    }
}
