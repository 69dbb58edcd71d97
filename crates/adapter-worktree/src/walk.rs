//! The one walk: which files the tree has, with their metadata. Reads no file but ignore rules.

use crate::git;
use crate::rules::{Rules, Shared};
use crate::tracked::Tracked;
use rayon::prelude::*;
use rustix::fs::{FileType, Stat};
use std::cmp::Ordering;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use understory_core::tree::EntryKind;
use understory_ports::context::{CallContext, Stop};
use understory_tree_reader::beneath::{self, Root};

/// Longest path, in bytes, that is descended into or taken.
const PATH_BYTES: usize = 4096;

/// A file, link or nested repository that the walk found.
pub(crate) struct Found {
    /// Relative to the walk's root.
    pub(crate) path: Vec<u8>,
    pub(crate) kind: EntryKind,
    /// Of files and links.
    pub(crate) stat: Option<Stat>,
    /// Of a submodule: the commit that the index names.
    pub(crate) commit: Option<git2::Oid>,
}

/// What the walk gives.
#[derive(Default)]
pub(crate) struct Walked {
    pub(crate) found: Vec<Found>,
    /// Directories and files that could not be read.
    pub(crate) unreadable: u64,
}

/// What the walk goes by. All paths here are relative to `top`, the directory whose ignore rules hold for the rest.
pub(crate) struct Walk<'a> {
    /// Host path of the top: the work tree, or the folder itself.
    pub(crate) top_path: &'a Path,
    pub(crate) top: &'a Root,
    /// The walk's root, with a final slash unless it is the top.
    pub(crate) prefix: &'a [u8],
    /// In byte order.
    pub(crate) tracked: &'a Tracked,
    pub(crate) shared: &'a Shared,
    /// Places of this program's own, which are no part of the tree: nothing untracked at or below them is taken.
    pub(crate) own: &'a [Vec<u8>],
}

/// A directory to list.
struct Dir {
    path: Vec<u8>,
    /// The tracked entries below it.
    tracked: Range<usize>,
    rules: Option<Arc<Rules>>,
    /// Whether it lies in a place of this program's own.
    is_own: bool,
}

#[derive(Default)]
struct Listed {
    found: Vec<Found>,
    dirs: Vec<Dir>,
    unreadable: u64,
}

impl Walk<'_> {
    /// Walks the whole tree, a level at a time, the directories of a level side by side.
    pub(crate) fn run(&self, cx: &CallContext) -> Result<Walked, Stop> {
        let mut out = Walked::default();
        let start = self.prefix.strip_suffix(b"/").unwrap_or(self.prefix);
        let mut level = vec![Dir {
            path: start.to_vec(),
            tracked: self.tracked_below(start, 0..self.tracked.len()),
            rules: self.rules_above(start),
            is_own: false,
        }];
        while !level.is_empty() {
            let listed: Vec<Listed> = level
                .par_iter()
                .map(|dir| match cx.stop() {
                    Some(_) => Listed::default(),
                    None => self.list(dir),
                })
                .collect();
            if let Some(stop) = cx.stop() {
                return Err(stop);
            }
            level.clear();
            for one in listed {
                out.found.extend(one.found);
                out.unreadable += one.unreadable;
                level.extend(one.dirs);
            }
        }
        Ok(out)
    }

    /// Whether the walk's root is itself ignored by the repository and holds nothing tracked.
    pub(crate) fn root_is_ignored(&self) -> bool {
        let start = self.prefix.strip_suffix(b"/").unwrap_or(self.prefix);
        !start.is_empty()
            && self.tracked_below(start, 0..self.tracked.len()).is_empty()
            && self
                .rules_above(start)
                .is_some_and(|rules| rules.ignore(start, true, self.shared, self.top))
    }

    /// The rules of the directories above `dir`, which are not walked.
    fn rules_above(&self, dir: &[u8]) -> Option<Arc<Rules>> {
        if dir.is_empty() {
            return None;
        }
        let mut rules = Rules::new(None, Vec::new(), true, true);
        for (at, _) in dir.iter().enumerate().filter(|(_, b)| **b == b'/') {
            rules = Rules::new(Some(rules), dir[..at].to_vec(), true, true);
        }
        Some(rules)
    }

    /// The range of tracked entries that lie below a directory.
    fn tracked_below(&self, dir: &[u8], within: Range<usize>) -> Range<usize> {
        if dir.is_empty() {
            return within;
        }
        // How a path lies to those that begin with `dir` and a slash.
        let side = |at: usize| {
            let path = self.tracked.path(at);
            let head = &path[..path.len().min(dir.len())];
            head.cmp(dir)
                .then_with(|| path.get(dir.len()).map_or(Ordering::Less, |b| b.cmp(&b'/')))
        };
        let from = partition(within.clone(), |at| side(at).is_lt());
        from..partition(from..within.end, |at| side(at).is_eq())
    }

    /// The tracked entry of exactly this path.
    fn tracked_at(&self, path: &[u8], within: &Range<usize>) -> Option<usize> {
        let at = partition(within.clone(), |at| self.tracked.path(at) < path);
        (at < within.end && self.tracked.path(at) == path).then_some(at)
    }

    fn list(&self, dir: &Dir) -> Listed {
        let mut out = Listed::default();
        let Ok(fd) = self.top.open_dir(&dir.path) else {
            out.unreadable += 1;
            return out;
        };
        let mut path = dir.path.clone();
        if !path.is_empty() {
            path.push(b'/');
        }
        let stem = path.len();
        let (mut has_gitignore, mut has_ignore) = (false, false);
        // Whether an untracked entry is ignored is known only once the directory's own rules have been seen.
        let mut untracked: Vec<Vec<u8>> = Vec::new();
        let mut dirs: Vec<(Vec<u8>, Range<usize>)> = Vec::new();
        let listing = beneath::list(&fd, |entry| {
            if entry.name.eq_ignore_ascii_case(b".git") {
                return;
            }
            path.truncate(stem);
            path.extend_from_slice(entry.name);
            match entry.kind {
                FileType::Directory => {
                    if path.len() > PATH_BYTES {
                        out.unreadable += 1;
                        return;
                    }
                    let submodule = self
                        .tracked_at(&path, &dir.tracked)
                        .and_then(|at| self.tracked.commit(at));
                    if let Some(commit) = submodule {
                        out.found
                            .push(self.found(&path, EntryKind::Submodule, None, Some(commit)));
                        return;
                    }
                    let below = self.tracked_below(&path, dir.tracked.clone());
                    dirs.push((path.clone(), below));
                }
                FileType::RegularFile | FileType::Symlink => {
                    if path.len() > PATH_BYTES {
                        out.unreadable += 1;
                        return;
                    }
                    let regular = entry.kind == FileType::RegularFile;
                    has_gitignore |= regular && entry.name == b".gitignore";
                    has_ignore |= regular && entry.name == b".ignore";
                    if self.tracked_at(&path, &dir.tracked).is_none() {
                        untracked.push(path.clone());
                        return;
                    }
                    // Gone since the directory was read: not in the tree.
                    if let Ok(stat) = beneath::stat_at(&fd, entry.name) {
                        let kind = kind_of(&stat);
                        out.found
                            .extend(kind.map(|kind| self.found(&path, kind, Some(stat), None)));
                    }
                }
                // Pipes, sockets and devices hold no text.
                _ => {}
            }
        });
        if listing.is_err() {
            out.unreadable += 1;
        }
        let rules = Rules::new(dir.rules.clone(), dir.path.clone(), has_gitignore, has_ignore);
        for path in untracked {
            if dir.is_own || self.own.contains(&path) || rules.ignore(&path, false, self.shared, self.top) {
                continue;
            }
            if let Ok(stat) = beneath::stat_at(&fd, beneath::split(&path).1) {
                out.found
                    .extend(kind_of(&stat).map(|kind| self.found(&path, kind, Some(stat), None)));
            }
        }
        for (path, below) in dirs {
            let is_own = dir.is_own || self.own.contains(&path);
            if below.is_empty() {
                if is_own || rules.ignore(&path, true, self.shared, self.top) {
                    continue;
                }
                if git::is_nested(&self.top_path.join(beneath::host(&path))) {
                    out.found.push(self.found(&path, EntryKind::Submodule, None, None));
                    continue;
                }
            }
            out.dirs.push(Dir {
                path,
                tracked: below,
                rules: Some(rules.clone()),
                is_own,
            });
        }
        out
    }

    fn found(&self, path: &[u8], kind: EntryKind, stat: Option<Stat>, commit: Option<git2::Oid>) -> Found {
        Found {
            path: path[self.prefix.len()..].to_vec(),
            kind,
            stat,
            commit,
        }
    }
}

/// The first place of a range at which `is_before` no longer holds.
fn partition(range: Range<usize>, is_before: impl Fn(usize) -> bool) -> usize {
    let (mut from, mut to) = (range.start, range.end);
    while from < to {
        let middle = from + (to - from) / 2;
        if is_before(middle) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    from
}

fn kind_of(stat: &Stat) -> Option<EntryKind> {
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => Some(EntryKind::File),
        FileType::Symlink => Some(EntryKind::Symlink),
        _ => None,
    }
}
