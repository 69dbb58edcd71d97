//! A snapshot: the walk's files with their hashes, from the cache where they look as they did.

use crate::git::{self, Place};
use crate::rules::Shared;
use crate::staged;
use crate::statcache::{self, Known, Look, StatCache};
use crate::tracked::Tracked;
use crate::walk::{Found, Walk, Walked};
use rayon::prelude::*;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use understory_core::answer::{Finding, NotSearched};
use understory_core::fingerprint::ContentHash;
use understory_core::path::RepoPath;
use understory_core::staged::StagedSet;
use understory_core::tree::{EntryKind, Tree, TreeEntry};
use understory_ports::context::{CallContext, Event, Stop};
use understory_ports::worktree::WorktreeError;
use understory_tree_reader::beneath::{self, Root};

/// How many hashed files lie between two events of progress.
const FILES_PER_EVENT: u64 = 256;

/// Directories that a cache consists of.
const CACHE_PARTS: &[&str] = &["native", "stat", "trees"];

/// How often a file that changes while it is read is read again.
const ATTEMPTS: u32 = 3;

/// Where the ignore rules of the user come from.
#[derive(Clone, Debug, Default)]
pub(crate) enum UserExcludes {
    /// From git's configuration.
    #[default]
    Configured,
    /// This file, or none.
    File(Option<PathBuf>),
}

pub(crate) fn take(
    root: &Path,
    staged: &StagedSet,
    cache: Option<&Path>,
    user: &UserExcludes,
    cx: &CallContext,
) -> Result<Tree, WorktreeError> {
    let no_root = || WorktreeError::NoRoot { path: root.to_owned() };
    let canonical = root.canonicalize().map_err(|_| no_root())?;
    if !canonical.is_dir() {
        return Err(no_root());
    }
    cx.events.event(Event::Stage {
        name: "walk",
        total: None,
    });
    let own = |top: &Path| cache.map_or_else(Vec::new, |cache| own_places(cache, top, &canonical));
    let (walked, head, is_git) = match git::locate(&canonical) {
        Place::Bare => return Err(WorktreeError::Bare { path: root.to_owned() }),
        Place::Plain => (walk_plain(&canonical, &own(&canonical), cx)?, None, false),
        Place::Work(work) => match walk_git(&canonical, &work, user, &own(&work.workdir), cx)? {
            Some(walked) => (walked, work.head(), true),
            None => (walk_plain(&canonical, &own(&canonical), cx)?, None, false),
        },
    };
    staged::check(&canonical, staged)?;

    let top = Root::open(&canonical).map_err(|e| read_error(&canonical, e))?;
    let Walked { mut found, unreadable } = walked;
    found.par_sort_unstable_by(|a, b| a.path.cmp(&b.path));
    let mut left_out = NotSearched {
        unreadable,
        ..NotSearched::default()
    };
    let mut findings = Vec::new();
    let mut disk = Vec::with_capacity(found.len());
    let hashed = hash(&canonical, &top, &found, cache, &mut findings, cx)?;
    for (one, hashed) in found.iter().zip(hashed) {
        if one.kind == EntryKind::Submodule {
            left_out.nested += 1;
        }
        let path = match std::str::from_utf8(&one.path).map(RepoPath::new) {
            Ok(Ok(path)) => path,
            // A name that no path of a repository can have: not UTF-8, or one that reads as absolute elsewhere.
            _ => {
                left_out.bad_name += 1;
                continue;
            }
        };
        match hashed {
            Hashed::Entry(entry) => disk.push((path, entry)),
            Hashed::Gone => {}
            Hashed::Unreadable => left_out.unreadable += 1,
        }
    }
    let disk: BTreeMap<RepoPath, TreeEntry> = disk.into_iter().collect();
    let tree = Tree::new(canonical, is_git, head, Arc::new(disk), staged.clone(), left_out);
    Ok(tree.with_findings(findings))
}

/// What of a cache lies in the repository, relative to the walk's top: the cache itself, or where the cache is the repository's
/// root, its parts. A cache around the repository is none of its files.
fn own_places(cache: &Path, top: &Path, root: &Path) -> Vec<Vec<u8>> {
    let Ok(cache) = cache.canonicalize() else {
        return Vec::new();
    };
    let places = match cache == root {
        true => CACHE_PARTS.iter().map(|part| cache.join(part)).collect(),
        false => vec![cache],
    };
    let below = places.iter().filter(|place| place.starts_with(root));
    let relative = below.filter_map(|place| place.strip_prefix(top).ok());
    relative.map(|place| git::bytes(place).to_vec()).collect()
}

fn walk_plain(root: &Path, own: &[Vec<u8>], cx: &CallContext) -> Result<Walked, WorktreeError> {
    let top = Root::open(root).map_err(|e| read_error(root, e))?;
    let walk = Walk {
        top_path: root,
        top: &top,
        prefix: b"",
        tracked: &Tracked::default(),
        shared: &Shared::new(false),
        own,
    };
    walk.run(cx).map_err(stop_error)
}

/// `None` when the repository ignores the root as a whole: then it is a folder of its own.
fn walk_git(
    root: &Path,
    work: &git::WorkTree,
    user: &UserExcludes,
    own: &[Vec<u8>],
    cx: &CallContext,
) -> Result<Option<Walked>, WorktreeError> {
    let top = Root::open(&work.workdir).map_err(|e| read_error(&work.workdir, e))?;
    let tracked = work.tracked().map_err(|e| WorktreeError::Io {
        what: "cannot read the git index of",
        path: work.workdir.clone(),
        source: io::Error::other(e),
    })?;
    let mut shared = Shared::new(work.ignores_case());
    shared.add_file(&work.info_exclude());
    let user = match user {
        UserExcludes::Configured => work.user_excludes(),
        UserExcludes::File(file) => file.clone(),
    };
    if let Some(file) = user {
        shared.add_file(&file);
    }
    let mut prefix = match root.strip_prefix(&work.workdir) {
        Ok(below) => git::bytes(below).to_vec(),
        Err(_) => Vec::new(),
    };
    if !prefix.is_empty() {
        prefix.push(b'/');
    }
    let walk = Walk {
        top_path: &work.workdir,
        top: &top,
        prefix: &prefix,
        tracked: &tracked,
        shared: &shared,
        own,
    };
    if walk.root_is_ignored() {
        return Ok(None);
    }
    walk.run(cx).map(Some).map_err(stop_error)
}

/// What became of one found path.
enum Hashed {
    Entry(TreeEntry),
    /// No longer there, or no longer of its kind.
    Gone,
    Unreadable,
}

/// Hashes what the walk found, in its order, and keeps the cache up to date.
fn hash(
    root: &Path,
    top: &Root,
    found: &[Found],
    cache: Option<&Path>,
    findings: &mut Vec<Finding>,
    cx: &CallContext,
) -> Result<Vec<Hashed>, WorktreeError> {
    let file = cache.map(|dir| statcache::file_of(dir, root));
    let known = file.as_deref().map(StatCache::read);
    let mut reused: Vec<Option<(Look, ContentHash)>> = vec![None; found.len()];
    if let Some(known) = &known {
        let mut entries = known.entries().peekable();
        for (one, slot) in found.iter().zip(&mut reused) {
            let Some(stat) = &one.stat else { continue };
            while entries.next_if(|k| k.path < one.path.as_slice()).is_some() {}
            let look = Look::of(stat);
            *slot = entries
                .next_if(|k| k.path == one.path.as_slice())
                .filter(|k| k.look == look)
                .map(|k| (look, k.hash));
        }
    }
    let work: Vec<usize> = (0..found.len()).filter(|&i| reused[i].is_none()).collect();
    if !work.is_empty() {
        cx.events.event(Event::Stage {
            name: "hash",
            total: Some(work.len() as u64),
        });
    }
    let done = AtomicU64::new(0);
    let fresh: Vec<Fresh> = work
        .par_iter()
        .map(|&i| match cx.stop() {
            Some(_) => Fresh::Gone,
            None => {
                let fresh = hash_one(root, top, &found[i]);
                let done = done.fetch_add(1, Ordering::Relaxed) + 1;
                if done.is_multiple_of(FILES_PER_EVENT) {
                    cx.events.event(Event::Progress { done });
                }
                fresh
            }
        })
        .collect();
    if let Some(stop) = cx.stop() {
        return Err(stop_error(stop));
    }
    let mut out: Vec<Hashed> = Vec::with_capacity(found.len());
    let mut body = Vec::new();
    let mut fresh = fresh.into_iter();
    for (one, reused) in found.iter().zip(&reused) {
        let (look, settled, hash, size) = match reused {
            Some((look, hash)) => (Some(*look), true, *hash, None),
            None => match fresh.next().unwrap_or(Fresh::Gone) {
                Fresh::Gone => {
                    out.push(Hashed::Gone);
                    continue;
                }
                Fresh::Unreadable => {
                    out.push(Hashed::Unreadable);
                    continue;
                }
                Fresh::Hashed {
                    look,
                    settled,
                    hash,
                    size,
                } => (look, settled, hash, Some(size)),
            },
        };
        if let Some(look) = look.filter(|_| settled && file.is_some()) {
            let path = one.path.as_slice();
            statcache::encode(&mut body, &Known { path, look, hash });
        }
        out.push(Hashed::Entry(TreeEntry {
            kind: one.kind,
            executable: one.kind == EntryKind::File && look.is_some_and(|l| l.is_executable()),
            size: size.or(look.map(|l| l.size())).unwrap_or(0),
            hash,
        }));
    }
    if let (Some(file), Some(known)) = (&file, &known)
        && !known.holds(&body)
        && let Err(error) = statcache::write(file, &body)
    {
        findings.push(Finding::note(
            "worktree.cache",
            format!(
                "The hashes of files could not be kept in the cache ({}); every file is hashed again next time.",
                error.kind()
            ),
        ));
    }
    Ok(out)
}

enum Fresh {
    Hashed {
        look: Option<Look>,
        /// Whether the look can stand for the bytes from now on.
        settled: bool,
        hash: ContentHash,
        size: u64,
    },
    Gone,
    Unreadable,
}

fn hash_one(root: &Path, top: &Root, found: &Found) -> Fresh {
    match found.kind {
        EntryKind::Submodule => {
            let head = git::nested_head(&root.join(beneath::host(&found.path)));
            let name = head
                .or_else(|| found.commit.map(|c| c.to_string()))
                .map_or_else(|| found.path.clone(), String::into_bytes);
            Fresh::Hashed {
                look: None,
                settled: false,
                hash: ContentHash::of(&name),
                size: 0,
            }
        }
        EntryKind::Symlink => match (top.read_link(&found.path), &found.stat) {
            (Ok(target), Some(stat)) => Fresh::Hashed {
                look: Some(Look::of(stat)),
                settled: Look::of(stat).is_settled(statcache::now()),
                hash: ContentHash::of(&target),
                size: target.len() as u64,
            },
            _ => Fresh::Gone,
        },
        EntryKind::File => match hash_file(top, &found.path) {
            Ok(fresh) => fresh,
            Err(e) => match e.kind() {
                io::ErrorKind::NotFound | io::ErrorKind::InvalidInput | io::ErrorKind::NotADirectory => Fresh::Gone,
                _ if e.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error()) => Fresh::Gone,
                _ => Fresh::Unreadable,
            },
        },
    }
}

/// Reads and hashes a file; once more when it changes meanwhile, so that the hash is of one state of it.
fn hash_file(top: &Root, path: &[u8]) -> io::Result<Fresh> {
    let mut attempt = 1;
    loop {
        let at = statcache::now();
        let (mut file, before) = top.open_file(path)?;
        let mut sha = Sha256::new();
        let mut size = 0;
        let mut buffer = [0u8; 64 * 1024];
        loop {
            match file.read(&mut buffer) {
                Ok(0) => break,
                Ok(n) => {
                    sha.update(&buffer[..n]);
                    size += n as u64;
                }
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
        let look = Look::of(&before);
        let steady = Look::of(&rustix::fs::fstat(&file)?) == look && look.size() == size;
        if steady || attempt == ATTEMPTS {
            return Ok(Fresh::Hashed {
                look: Some(look),
                settled: steady && look.is_settled(at),
                hash: ContentHash(sha.finalize().into()),
                size,
            });
        }
        attempt += 1;
    }
}

pub(crate) fn stop_error(stop: Stop) -> WorktreeError {
    match stop {
        Stop::Cancelled => WorktreeError::Cancelled,
        Stop::Deadline => WorktreeError::Timeout,
    }
}

fn read_error(path: &Path, source: io::Error) -> WorktreeError {
    WorktreeError::Io {
        what: "cannot read",
        path: path.to_owned(),
        source,
    }
}
