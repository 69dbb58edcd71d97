//! From an older index (or none) and the files as they are now to the index of now.
//!
//! Files whose bytes did not change are not read. Of those, only the ones that the changes can reach are resolved
//! again: a file that consulted a changed file, or that holds a name whose meaning changed. A segment is written anew only
//! when something in it differs.

use crate::extract;
use crate::facts::FileFacts;
use crate::index::build::build_segment;
use crate::index::degrees::Degrees;
use crate::index::interface::Interface;
use crate::index::key::{FileKey, SymbolKey, shard_count, symbol_keys};
use crate::index::layout::{Bytes, Part};
use crate::index::record::{FileBody, FileFlags, FileRecord, Hash, KeyLinks};
use crate::index::segment::{Blobs, Segment};
use crate::index::{Index, Meta, Scope, classify};
use crate::languages::{self, Language};
use crate::resolve::project::Project;
use crate::resolve::tables::Summary;
use crate::resolve::{self, FactsSource, World, WorldFile, is_manifest};
use crate::terms::{self, Bag};
use rayon::prelude::*;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

/// A file of the tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileInput {
    /// Its path.
    pub path: Box<str>,
    /// Sha-256 of its bytes.
    pub hash: Hash,
    /// Its size in bytes.
    pub size: u64,
}

/// A file's text, as far as it has one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Text {
    /// Decoded to UTF-8.
    Text(String),
    /// Holds NUL bytes.
    Binary,
    /// Could not be read.
    Unreadable,
}

/// Gives the texts of the tree's files. Called from many threads.
pub trait Texts: Sync {
    /// The text of a file of the tree.
    fn text(&self, path: &str) -> Text;
}

/// How an update is watched and stopped.
pub struct Watch<'a> {
    /// Asked now and then; true stops the update.
    pub stop: &'a (dyn Fn() -> bool + Sync),
    /// Told of stages and of progress in them: name, done, total.
    pub progress: &'a (dyn Fn(&'static str, u64, u64) + Sync),
}

impl Watch<'_> {
    /// Never stops, tells nobody.
    pub const SILENT: Watch<'static> = Watch {
        stop: &|| false,
        progress: &|_, _, _| {},
    };
}

/// The update was stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the update was stopped")]
pub struct Stopped;

/// What an update did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Files that were read and parsed.
    pub parsed: u64,
    /// Files that were resolved.
    pub resolved: u64,
    /// Segments that were written anew.
    pub segments: u64,
    /// Files that the index covers.
    pub files: u64,
}

/// The state of one file during an update.
struct Slot {
    input: FileInput,
    key: FileKey,
    language: Option<&'static Language>,
    flags: FileFlags,
    /// Where the older index has it, when its bytes are the same.
    base: Option<(Arc<Segment>, u32)>,
    facts: OnceLock<Arc<FileFacts>>,
    bag: OnceLock<Arc<Bag>>,
    keys: OnceLock<Arc<Vec<SymbolKey>>>,
}

impl Slot {
    fn facts(&self) -> Arc<FileFacts> {
        self.facts.get_or_init(|| self.decode(|b| b.facts)).clone()
    }

    fn bag(&self) -> Arc<Bag> {
        self.bag.get_or_init(|| self.decode(|b| b.bag)).clone()
    }

    fn links(&self) -> Arc<KeyLinks> {
        self.decode(|b| b.links)
    }

    /// Decodes one of the stored blobs; they were tried when the slot was made.
    fn decode<T: Default + serde::de::DeserializeOwned>(&self, pick: for<'b> fn(Blobs<'b>) -> &'b [u8]) -> Arc<T> {
        let Some((segment, row)) = &self.base else {
            return Arc::default();
        };
        let blobs = segment.blobs(*row).ok();
        Arc::new(
            blobs
                .and_then(|b| postcard::from_bytes(pick(b)).ok())
                .unwrap_or_default(),
        )
    }

    /// The summary that the older index holds; `None` for a file of no language.
    fn stored_summary(&self) -> Option<Arc<Summary>> {
        self.language.map(|_| self.decode(|b| b.summary))
    }

    /// Its summary: the stored one unless its bytes or (`anew`) the manifests are others.
    fn summary(&self, project: &Project, language: &'static Language, anew: bool) -> Arc<Summary> {
        if self.base.is_some() && !anew {
            return self.decode(|b| b.summary);
        }
        Arc::new(World::summary(project, &self.input.path, language, &self.facts()))
    }

    fn keys(&self) -> Arc<Vec<SymbolKey>> {
        self.keys
            .get_or_init(|| Arc::new(symbol_keys(&self.input.path, &self.facts())))
            .clone()
    }
}

struct Facts(Arc<Vec<Slot>>);

impl FactsSource for Facts {
    fn facts(&self, file: u32) -> Arc<FileFacts> {
        self.0[file as usize].facts()
    }
}

/// The files of an older index that can be used again.
pub struct Base {
    /// Segments by shard; `None` where one is missing or damaged.
    pub segments: Vec<Option<Arc<Segment>>>,
    /// The degrees over all segments; `None` when missing or damaged.
    pub degrees: Option<Arc<Degrees>>,
    /// Digest of the manifests that its links were found with.
    pub manifests: [u8; 32],
}

impl From<&Index> for Base {
    fn from(index: &Index) -> Self {
        Base {
            segments: index.segments.iter().cloned().map(Some).collect(),
            degrees: Some(index.degrees.clone()),
            manifests: index.meta.manifests,
        }
    }
}

/// Makes the index of `files` (sorted by path, without duplicates).
pub fn update(
    base: Option<&Base>,
    files: Vec<FileInput>,
    texts: &dyn Texts,
    watch: &Watch<'_>,
) -> Result<(Index, Report), Stopped> {
    let mut report = Report {
        files: files.len() as u64,
        ..Report::default()
    };
    let mut old: BTreeMap<&str, (Arc<Segment>, u32)> = BTreeMap::new();
    let complete = base.is_some_and(|b| b.segments.iter().all(Option::is_some));
    for segment in base.iter().flat_map(|b| &b.segments).flatten() {
        for row in 0..segment.file_count() {
            old.insert(segment.file(row).path, (segment.clone(), row));
        }
    }

    // What is new, what is gone, what is as it was.
    let mut slots: Vec<Slot> = Vec::with_capacity(files.len());
    let mut gone: Vec<(Arc<Segment>, u32)> = Vec::new();
    let mut replaced: Vec<Option<(Arc<Segment>, u32)>> = Vec::with_capacity(files.len());
    for input in files {
        let found = old.remove(&*input.path);
        let mut slot = Slot {
            key: FileKey::of(&input.path),
            input,
            language: None,
            flags: FileFlags::default(),
            base: None,
            facts: OnceLock::new(),
            bag: OnceLock::new(),
            keys: OnceLock::new(),
        };
        match found {
            Some((segment, row)) if segment.file(row).hash == slot.input.hash && segment.blobs(row).is_ok() => {
                let file = segment.file(row);
                slot.language = languages::ALL.iter().copied().find(|l| l.name == file.language);
                slot.flags = file.flags;
                slot.base = Some((segment, row));
                replaced.push(None);
            }
            found => replaced.push(found),
        }
        slots.push(slot);
    }
    gone.extend(old.into_values());

    // Read and parse what is new.
    let fresh: Vec<usize> = (0..slots.len()).filter(|&i| slots[i].base.is_none()).collect();
    report.parsed = fresh.len() as u64;
    let stopped = AtomicBool::new(false);
    let done = AtomicU64::new(0);
    let total = fresh.len() as u64;
    (watch.progress)("parse", 0, total);
    let mut parsed: Vec<(usize, Option<&'static Language>, FileFlags)> = fresh
        .par_iter()
        .map(|&i| {
            let slot = &slots[i];
            if stopped.load(Ordering::Relaxed) || (watch.stop)() {
                stopped.store(true, Ordering::Relaxed);
                return (i, None, FileFlags::default());
            }
            let (language, flags, body) = read(&slot.input.path, texts);
            let _ = slot.facts.set(body.facts);
            let _ = slot.bag.set(body.bag);
            (watch.progress)("parse", done.fetch_add(1, Ordering::Relaxed) + 1, total);
            (i, language, flags)
        })
        .collect();
    if stopped.load(Ordering::Relaxed) {
        return Err(Stopped);
    }
    parsed.sort_by_key(|p| p.0);
    for (i, language, flags) in parsed {
        slots[i].language = language;
        slots[i].flags = flags;
    }

    // What resolution reads besides code.
    let manifests: Vec<(Box<str>, Box<str>)> = slots
        .iter()
        .filter(|s| is_manifest(&s.input.path))
        .filter_map(|s| match texts.text(&s.input.path) {
            Text::Text(text) => Some((s.input.path.clone(), text.into())),
            _ => None,
        })
        .collect();
    let manifests_digest = digest_of(&manifests);

    let whole = !complete || base.is_none_or(|b| b.manifests != manifests_digest);
    let dirty: BTreeSet<usize> = if whole {
        (0..slots.len()).collect()
    } else {
        reached(base.map_or(&[][..], |b| &b.segments), &slots, &fresh, &replaced, &gone)
    };

    // Resolve what the changes can reach.
    let project = Project::new(&manifests);
    let summaries: Vec<Option<Arc<Summary>>> = slots
        .par_iter()
        .map(|s| Some(s.summary(&project, s.language?, whole)))
        .collect();
    let scopes = scopes_of(&project);
    let world_files = slots
        .iter()
        .map(|s| WorldFile {
            path: s.input.path.clone(),
            language: s.language,
        })
        .collect::<Vec<_>>();
    let slots = Arc::new(slots);
    let mut links: BTreeMap<usize, Arc<KeyLinks>> = BTreeMap::new();
    if !dirty.is_empty() {
        let world = World::with_summaries(world_files, Box::new(Facts(slots.clone())), project, &summaries);
        let order: Vec<usize> = dirty.iter().copied().collect();
        report.resolved = order.len() as u64;
        let done = AtomicU64::new(0);
        let total = order.len() as u64;
        (watch.progress)("link", 0, total);
        let resolved: Vec<(usize, Arc<KeyLinks>)> = order
            .par_iter()
            .map(|&i| {
                if stopped.load(Ordering::Relaxed) || (watch.stop)() {
                    stopped.store(true, Ordering::Relaxed);
                    return (i, Arc::default());
                }
                let found = if slots[i].language.is_some() {
                    resolve::link(&world, i as u32)
                } else {
                    Default::default()
                };
                let keyed = KeyLinks::new(&found, |f| (slots[f as usize].key, slots[f as usize].keys()));
                (watch.progress)("link", done.fetch_add(1, Ordering::Relaxed) + 1, total);
                (i, Arc::new(keyed))
            })
            .collect();
        if stopped.load(Ordering::Relaxed) {
            return Err(Stopped);
        }
        links.extend(resolved);
    }

    // Write the segments in which something differs.
    let count = shard_count(slots.len());
    let mut shards: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (i, s) in slots.iter().enumerate() {
        shards[s.key.shard(count)].push(i);
    }
    let same_count = base.is_some_and(|b| b.segments.len() == count);
    (watch.progress)("write", 0, count as u64);
    let done = AtomicU64::new(0);
    let built: Vec<(Arc<Segment>, bool)> = shards
        .par_iter()
        .enumerate()
        .map(|(n, members)| {
            let before = if same_count {
                base.and_then(|b| b.segments[n].clone())
            } else {
                None
            };
            let kept = before.filter(|segment| {
                segment.file_count() as usize == members.len()
                    && members.iter().all(|&i| {
                        let same_links = || links.get(&i).is_none_or(|now| **now == *slots[i].links());
                        let same_summary = || !whole || summaries[i].as_deref() == slots[i].stored_summary().as_deref();
                        slots[i].base.is_some() && same_links() && same_summary()
                    })
            });
            let result = match kept {
                Some(segment) => (segment, false),
                None => (write(members, &slots, &links, &summaries), true),
            };
            (watch.progress)("write", done.fetch_add(1, Ordering::Relaxed) + 1, count as u64);
            result
        })
        .collect();
    report.segments = built.iter().filter(|b| b.1).count() as u64;
    let segments: Vec<Arc<Segment>> = built.into_iter().map(|b| b.0).collect();
    let older = base.and_then(|b| {
        let whole: Option<Vec<Arc<Segment>>> = b.segments.iter().cloned().collect();
        Some((b.degrees.clone()?, whole?))
    });
    let degrees = Arc::new(Degrees::of(
        &segments,
        older.as_ref().map(|(d, s)| (&**d, s.as_slice())),
    ));
    let meta = Meta {
        segments: segments.iter().map(|s| s.name().to_owned()).collect(),
        scopes,
        degrees: degrees.name().to_owned(),
        manifests: manifests_digest,
        files: slots.len() as u32,
    };
    Ok((Index::new(segments, degrees, meta), report))
}

fn scopes_of(project: &Project) -> Vec<Scope> {
    let scope = |s: &resolve::project::Scope| Scope {
        path: s.path.clone(),
        name: s.name.clone(),
        kind: s.kind.into(),
    };
    project.scopes.iter().map(scope).collect()
}

/// Reads and parses one file.
fn read(path: &str, texts: &dyn Texts) -> (Option<&'static Language>, FileFlags, FileBody) {
    let mut flags = classify::by_path(path);
    let text = match texts.text(path) {
        Text::Text(text) => text,
        Text::Binary => {
            flags.0 |= FileFlags::BINARY;
            return (None, flags, no_language(path, ""));
        }
        Text::Unreadable => {
            flags.0 |= FileFlags::UNREADABLE;
            return (None, flags, no_language(path, ""));
        }
    };
    let Some(language) = languages::detect(path, &text) else {
        flags.0 |= FileFlags::UNSUPPORTED;
        return (None, flags, no_language(path, &text));
    };
    flags.0 |= classify::by_text(&text).0;
    let facts = extract::extract(language, &text);
    if facts.health.truncated {
        flags.0 |= FileFlags::TRUNCATED;
    }
    if facts.health.syntax_errors {
        flags.0 |= FileFlags::SYNTAX_ERRORS;
    }
    let bag = terms::bag(path, &text, &facts);
    (
        Some(language),
        flags,
        FileBody {
            facts: Arc::new(facts),
            bag: Arc::new(bag),
        },
    )
}

/// A file without symbols: its lines and the words of its path.
fn no_language(path: &str, text: &str) -> FileBody {
    let facts = FileFacts {
        names: vec!["".into()],
        lines: extract::count_lines(text),
        ..FileFacts::default()
    };
    let bag = terms::bag(path, "", &facts);
    FileBody {
        facts: Arc::new(facts),
        bag: Arc::new(bag),
    }
}

fn digest_of(manifests: &[(Box<str>, Box<str>)]) -> [u8; 32] {
    let mut h = Sha256::new();
    for (path, text) in manifests {
        for part in [path, text] {
            h.update((part.len() as u64).to_le_bytes());
            h.update(part.as_bytes());
        }
    }
    h.finalize().into()
}

/// The files whose links the changes may alter.
fn reached(
    base: &[Option<Arc<Segment>>],
    slots: &[Slot],
    fresh: &[usize],
    replaced: &[Option<(Arc<Segment>, u32)>],
    gone: &[(Arc<Segment>, u32)],
) -> BTreeSet<usize> {
    let mut files: BTreeSet<FileKey> = BTreeSet::new();
    let mut names: BTreeSet<Box<str>> = BTreeSet::new();
    let nothing = Interface::default();
    let old_interface = |segment: &Arc<Segment>, row: u32| {
        let facts = segment
            .blobs(row)
            .ok()
            .and_then(|b| postcard::from_bytes::<FileFacts>(b.facts).ok());
        facts.map(|f| Interface::of(&f))
    };
    for &i in fresh {
        let slot = &slots[i];
        let now = Interface::of(&slot.facts());
        let before = replaced[i]
            .as_ref()
            .and_then(|(segment, row)| old_interface(segment, *row));
        match &before {
            Some(before) if before.same(&now) => continue,
            Some(before) => names.extend(before.changed(&now).into_iter().map(Box::from)),
            None => {
                names.extend(now.changed(&nothing).into_iter().map(Box::from));
                names.extend(path_names(&slot.input.path));
            }
        }
        files.insert(slot.key);
    }
    for (segment, row) in gone {
        let file = segment.file(*row);
        files.insert(file.key);
        names.extend(path_names(file.path));
        if let Some(before) = old_interface(segment, *row) {
            names.extend(before.changed(&nothing).into_iter().map(Box::from));
        }
    }
    let mut dirty: BTreeSet<usize> = fresh.iter().copied().collect();
    let mut mark = |path: &str| {
        if let Ok(i) = slots.binary_search_by(|s| (*s.input.path).cmp(path)) {
            dirty.insert(i);
        }
    };
    for segment in base.iter().flatten() {
        for &key in &files {
            segment.consulting(key).for_each(|row| mark(segment.file(row).path));
        }
        for name in &names {
            segment.mentioning(name).for_each(|row| mark(segment.file(row).path));
        }
    }
    dirty
}

/// Names by which an import may mean a path: its stem, its file name, and the directories above it.
fn path_names(path: &str) -> Vec<Box<str>> {
    let mut out: Vec<Box<str>> = path.split('/').map(Box::from).collect();
    if let Some(name) = path.rsplit('/').next() {
        let mut stem = name;
        while let Some((shorter, _)) = stem.rsplit_once('.') {
            out.push(shorter.into());
            stem = shorter;
        }
    }
    out
}

/// Writes one segment.
fn write(
    members: &[usize],
    slots: &[Slot],
    links: &BTreeMap<usize, Arc<KeyLinks>>,
    summaries: &[Option<Arc<Summary>>],
) -> Arc<Segment> {
    let records: Vec<FileRecord> = members
        .iter()
        .map(|&i| {
            let s = &slots[i];
            FileRecord {
                path: s.input.path.clone(),
                hash: s.input.hash,
                size: s.input.size,
                language: s.language.map_or("", |l| l.name),
                flags: s.flags,
                body: FileBody {
                    facts: s.facts(),
                    bag: s.bag(),
                },
                links: links.get(&i).cloned().unwrap_or_else(|| s.links()),
                summary: summaries[i].clone().unwrap_or_default(),
            }
        })
        .collect();
    let bytes = build_segment(&records);
    let name = hex_name(&bytes);
    let part = Part::open(Bytes::Owned(bytes)).expect("a part just assembled is well formed");
    Arc::new(Segment::open(part, name).expect("a segment just assembled is well formed"))
}

/// Name of a stored part: the first half of the sha-256 of its bytes, in hex.
pub fn hex_name(bytes: &[u8]) -> String {
    Sha256::digest(bytes)[..16].iter().map(|b| format!("{b:02x}")).collect()
}
