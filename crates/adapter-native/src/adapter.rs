//! The port's implementation.

use crate::config::NativeConfig;
use crate::texts::{TreeTexts, inputs};
use async_trait::async_trait;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};
use understory_core::answer::{Answer, BackendIdentity, Finding, IndexState, NotSearched};
use understory_core::query::{Mode, SearchQuery};
use understory_core::refusal::{Refusal, RefusalCode};
use understory_core::staged::StagedSet;
use understory_core::tree::{EntryKind, Tree};
use understory_engine::index::Index;
use understory_engine::index::store::Store;
use understory_engine::index::update::{Base, Report, Stopped, Watch, update};
use understory_engine::query::{QueryError, View, answer, not_searched};
use understory_ports::context::{CallContext, Event, Stop};
use understory_ports::{Capabilities, CodeSearch, IndexReport, Prepared, SearchError};
use understory_tree_reader::{Content, MAX_BYTES, Reader, Resolved};

/// How many trees' indexes are kept in memory by one value.
const KEPT: usize = 4;

/// Code search by the in-process engine. Cheap to clone; clones share what they keep in memory.
#[derive(Clone)]
pub struct NativeSearch {
    config: NativeConfig,
    memory: Arc<Mutex<Memory>>,
    /// One build at a time in a process: a second call for the same tree finds the first one's index.
    building: Arc<Mutex<()>>,
}

/// Indexes by what names their files: the disk alone, or the whole tree when something is staged.
#[derive(Default)]
struct Memory {
    known: BTreeMap<[u8; 32], Index>,
    order: Vec<[u8; 32]>,
}

impl Memory {
    fn get(&mut self, key: [u8; 32]) -> Option<Index> {
        let found = self.known.get(&key)?.clone();
        self.order.retain(|k| *k != key);
        self.order.push(key);
        Some(found)
    }

    fn put(&mut self, key: [u8; 32], index: Index) {
        self.known.insert(key, index);
        self.order.retain(|k| *k != key);
        self.order.push(key);
        while self.order.len() > KEPT {
            let oldest = self.order.remove(0);
            self.known.remove(&oldest);
        }
    }
}

/// An index that is ready, and what was done for it.
struct Ready {
    index: Index,
    state: IndexState,
    report: Report,
    findings: Vec<Finding>,
}

/// A lock whose holder panicked guards a cache only: what is in it is whole.
fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

impl NativeSearch {
    /// A backend with these options. Touches nothing.
    pub fn new(config: NativeConfig) -> Self {
        NativeSearch {
            config,
            memory: Arc::default(),
            building: Arc::default(),
        }
    }

    /// The index of a tree: of its files on disk, with the staged set laid over.
    fn ready(&self, tree: &Tree, cx: &CallContext) -> Result<Ready, SearchError> {
        let base = self.ready_base(tree, cx)?;
        if tree.staged().is_empty() {
            return Ok(base);
        }
        let key = overlay_key(tree);
        if let Some(index) = held(&self.memory).get(key) {
            return Ok(Ready { index, ..base });
        }
        let (index, _) = self.update(tree, Some(&Base::from(&base.index)), cx)?;
        held(&self.memory).put(key, index.clone());
        Ok(Ready { index, ..base })
    }

    fn ready_base(&self, tree: &Tree, cx: &CallContext) -> Result<Ready, SearchError> {
        let key = tree.disk_key().0;
        let reused = |index: Index| Ready {
            report: Report {
                files: u64::from(index.meta().files),
                ..Report::default()
            },
            index,
            state: IndexState::Reused,
            findings: Vec::new(),
        };
        if let Some(index) = held(&self.memory).get(key) {
            return Ok(reused(index));
        }
        let _building = self.wait_for_turn(cx)?;
        if let Some(index) = held(&self.memory).get(key) {
            return Ok(reused(index));
        }
        let disk = tree.with_staged(StagedSet::new());
        let store = self
            .config
            .cache
            .as_ref()
            .map(|cache| Store::new(cache, &repository_id(tree.root())));
        let mut findings = Vec::new();
        let mut stored = store.as_ref().and_then(Store::load);
        let whole = |stored: &Option<understory_engine::index::store::Stored>| {
            stored.as_ref().filter(|s| s.disk_key == key).and_then(|s| s.index())
        };
        if let Some(index) = whole(&stored) {
            if let (Some(store), Some(cache)) = (&store, &self.config.cache) {
                store.touch(cache);
            }
            held(&self.memory).put(key, index.clone());
            return Ok(reused(index));
        }
        // Another process may be at it: what it writes is taken up instead of done again.
        let lock = match &store {
            None => None,
            Some(store) => match store.lock(&|| cx.stop().is_some()) {
                Ok(Some(lock)) => {
                    stored = store.load();
                    if let Some(index) = whole(&stored) {
                        held(&self.memory).put(key, index.clone());
                        return Ok(reused(index));
                    }
                    Some(lock)
                }
                Ok(None) => {
                    return Err(if cx.cancel.is_cancelled() {
                        SearchError::Cancelled
                    } else {
                        SearchError::Busy
                    });
                }
                Err(_) => {
                    findings.push(not_kept());
                    None
                }
            },
        };
        let base = stored.as_ref().map(|s| s.base());
        let (index, report) = self.update(&disk, base.as_ref(), cx)?;
        if let (Some(store), Some(lock)) = (&store, &lock) {
            match store.save(lock, key, &index) {
                Ok(()) => {
                    if let Some(cache) = &self.config.cache {
                        store.touch(cache);
                    }
                }
                Err(_) => findings.push(not_kept()),
            }
        }
        held(&self.memory).put(key, index.clone());
        let state = if base.is_some() {
            IndexState::Updated
        } else {
            IndexState::Built
        };
        Ok(Ready {
            index,
            state,
            report,
            findings,
        })
    }

    /// Waits until no other call of this value builds, or until this one should stop.
    fn wait_for_turn(&self, cx: &CallContext) -> Result<MutexGuard<'_, ()>, SearchError> {
        loop {
            match self.building.try_lock() {
                Ok(turn) => return Ok(turn),
                Err(std::sync::TryLockError::Poisoned(turn)) => return Ok(turn.into_inner()),
                Err(std::sync::TryLockError::WouldBlock) => {}
            }
            match cx.stop() {
                Some(Stop::Cancelled) => return Err(SearchError::Cancelled),
                Some(Stop::Deadline) => return Err(SearchError::Busy),
                None => std::thread::sleep(Duration::from_millis(5)),
            }
        }
    }

    fn update(&self, tree: &Tree, base: Option<&Base>, cx: &CallContext) -> Result<(Index, Report), SearchError> {
        let started = Instant::now();
        let reader = Reader::new(tree, &self.config.guard);
        let files = inputs(tree, &reader);
        let stage = Mutex::new("");
        let watch = Watch {
            stop: &|| cx.stop().is_some(),
            progress: &|name, done, total| {
                let mut known = held(&stage);
                if *known != name {
                    *known = name;
                    cx.events.event(Event::Stage {
                        name,
                        total: Some(total),
                    });
                }
                cx.events.event(Event::Progress { done });
            },
        };
        update(base, files, &TreeTexts(&reader), &watch)
            .map_err(|Stopped| stopped(cx, started, "the index was being built"))
    }

    fn search_now(&self, tree: &Tree, query: &SearchQuery, cx: &CallContext) -> Result<Answer, SearchError> {
        let started = Instant::now();
        if cx.stop().is_some() {
            return Err(stopped(cx, started, "nothing yet"));
        }
        let reader = Reader::new(tree, &self.config.guard);
        let query = &followed(query, &reader)?;
        let ready = self.ready(tree, cx)?;
        let texts = TreeTexts(&reader);
        let staged = |path: &str| tree.staged().iter().any(|(p, _)| p.as_str() == path);
        let stop = || cx.stop().is_some();
        let view = View::new(&ready.index, &texts, &staged, &stop);
        let mut found = answer(&view, query).map_err(|e| match e {
            QueryError::Refused(refusal) if refusal.code.says_missing() => {
                SearchError::Refused(refusal.with_not_searched(with_walk(not_searched(&view), tree, &reader)))
            }
            QueryError::Refused(refusal) => SearchError::Refused(refusal),
            QueryError::Stopped => stopped(cx, started, "the query"),
        })?;
        found.not_searched = with_walk(found.not_searched, tree, &reader);
        found.index = Some(ready.state);
        found.findings.extend(ready.findings);
        Ok(found)
    }
}

/// The query with the file of `skeleton` where its links lead, as any reader of a path has it.
fn followed(query: &SearchQuery, reader: &Reader<'_>) -> Result<SearchQuery, SearchError> {
    let mut query = query.clone();
    if query.mode != Mode::Skeleton {
        return Ok(query);
    }
    let no_file = |what: &str| {
        let message = format!("`{}` {what}.", query.file.display_escaped());
        let refusal = Refusal::new(RefusalCode::NoSuchFile, message);
        SearchError::Refused(refusal.with_not_searched(reader.tree().not_searched()))
    };
    match reader.resolve(&query.file) {
        Resolved::File(file) => query.file = file,
        Resolved::Dir(_) => {
            return Err(no_file(
                "is a directory; `list_files` lists it, `map` with this `scope` describes it",
            ));
        }
        Resolved::Nested(_) => {
            return Err(no_file(
                "lies in a nested repository, whose files are not part of the tree",
            ));
        }
        Resolved::BrokenLink => return Err(no_file("is a link that leads out of the tree or to nothing")),
        Resolved::Protected => {
            return Err(SearchError::Refused(Refusal::new(
                RefusalCode::ProtectedPath,
                "That path is protected: it is not served to a session.",
            )));
        }
        // The engine knows what is near.
        Resolved::Missing => {}
    }
    Ok(query)
}

/// The files that the index does not cover, with those that the walk left out before anything was read.
fn with_walk(mut of_index: NotSearched, tree: &Tree, reader: &Reader<'_>) -> NotSearched {
    // The engine sees neither kind of them, and counts both as unreadable.
    let long = tree
        .files()
        .into_iter()
        .filter(|f| f.entry.kind == EntryKind::File && f.entry.size > MAX_BYTES);
    let long = long.filter(|f| reader.read(f.path) == Content::TooLarge).count() as u64;
    let long = long.min(of_index.unreadable);
    of_index.unreadable -= long;
    of_index.too_large += long;
    let walk = tree.not_searched();
    of_index.unreadable += walk.unreadable;
    of_index.nested += walk.nested;
    of_index.bad_name += walk.bad_name;
    of_index
}

/// Names a tree with something staged, for the memory of indexes.
fn overlay_key(tree: &Tree) -> [u8; 32] {
    tree.fingerprint().0
}

fn stopped(cx: &CallContext, started: Instant, what: &str) -> SearchError {
    if cx.cancel.is_cancelled() {
        SearchError::Cancelled
    } else {
        SearchError::Timeout {
            bound: started.elapsed(),
            what: what.to_owned(),
        }
    }
}

fn not_kept() -> Finding {
    Finding::warning(
        "search_code.cache",
        "The cache cannot be written, so the index is not kept: each run builds it again. Give a writable directory with --cache.",
    )
}

/// Names a repository in the cache: 12 hex digits of the sha-256 of its canonical root.
pub(crate) fn repository_id(root: &Path) -> String {
    let canonical = root.canonicalize().unwrap_or_else(|_| root.to_path_buf());
    hex::encode(&Sha256::digest(canonical.as_os_str().as_encoded_bytes())[..6])
}

#[async_trait]
impl CodeSearch for NativeSearch {
    fn identity(&self) -> BackendIdentity {
        BackendIdentity {
            name: "native".into(),
            version: env!("CARGO_PKG_VERSION").into(),
        }
    }

    fn supports(&self) -> Capabilities {
        Capabilities::all()
    }

    async fn prepare(&self, tree: &Tree, cx: &CallContext) -> Result<Prepared, SearchError> {
        let (this, tree) = (self.clone(), tree.clone());
        blocking(cx, move |cx| {
            let started = Instant::now();
            let ready = this.ready(&tree, cx)?;
            let index = IndexReport {
                state: ready.state,
                parsed: ready.report.parsed,
                files: ready.report.files,
                took: started.elapsed(),
            };
            Ok(Prepared {
                index,
                findings: ready.findings,
            })
        })
        .await
    }

    async fn search(&self, tree: &Tree, query: &SearchQuery, cx: &CallContext) -> Result<Answer, SearchError> {
        let (this, tree, query) = (self.clone(), tree.clone(), query.clone());
        blocking(cx, move |cx| this.search_now(&tree, &query, cx)).await
    }
}

/// Cancels the work when the future that waits for it is dropped.
struct CancelOnDrop(tokio_util::sync::CancellationToken);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// Runs the work on a blocking thread, under a cancellation of its own that a dropped future sets off.
async fn blocking<T: Send + 'static>(
    cx: &CallContext,
    work: impl FnOnce(&CallContext) -> Result<T, SearchError> + Send + 'static,
) -> Result<T, SearchError> {
    let cx = CallContext {
        cancel: cx.cancel.child_token(),
        ..cx.clone()
    };
    let _abandoned = CancelOnDrop(cx.cancel.clone());
    let done = tokio::task::spawn_blocking(move || work(&cx)).await;
    done.unwrap_or_else(|e| {
        Err(SearchError::BadOutput {
            message: "the engine ended unexpectedly".into(),
            detail: Some(e.to_string()),
        })
    })
}
