//! A tree written out to a directory, and brought from one tree to another by what differs.

use crate::git;
use crate::own_git::{self, Listed};
use crate::place::Place;
use crate::snapshot::stop_error;
use crate::statcache::{self, Look, StatCache};
use rayon::prelude::*;
use rustix::fs::{AtFlags, Mode, OFlags};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use understory_core::fingerprint::ContentHash;
use understory_core::guard::Guard;
use understory_core::path::RepoPath;
use understory_core::staged::StagedChange;
use understory_core::tree::{EntryKind, Tree, TreeEntry, TreeFile};
use understory_ports::context::{CallContext, Event};
use understory_ports::worktree::WorktreeError;
use understory_tree_reader::Reader;
use understory_tree_reader::beneath::{self, Root};

/// Files from this size on are cloned where the file system can; smaller ones are read and written faster.
const CLONE_BYTES: u64 = 32 * 1024;

/// How many files lie between two events of progress.
const FILES_PER_EVENT: u64 = 32;

/// A path as it was written, and how it looked then.
#[derive(Clone, Copy, Debug)]
struct Written {
    entry: TreeEntry,
    /// Of files and links: a tool may have changed it since.
    look: Option<Look>,
}

/// A written tree.
pub(crate) struct Live {
    place: Place,
    written: BTreeMap<RepoPath, Written>,
    /// What the index of its own repository lists: path, mode, commit.
    listed: Vec<(RepoPath, u32, Option<git2::Oid>)>,
}

impl Live {
    /// A directory with nothing in it.
    pub(crate) fn make(trees: &Path) -> Result<Live, WorktreeError> {
        let place = Place::make(trees).map_err(|e| write_error(trees, e))?;
        Ok(Live {
            place,
            written: BTreeMap::new(),
            listed: Vec::new(),
        })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.place.dir
    }

    /// Makes the directory hold exactly this tree, but for files of others that no path of the tree is in the way of.
    pub(crate) fn bring_to(
        &mut self,
        tree: &Tree,
        guard: Option<&Guard>,
        cache: &Path,
        cx: &CallContext,
    ) -> Result<(), WorktreeError> {
        let files: Vec<TreeFile<'_>> = match guard {
            Some(guard) => Reader::new(tree, guard).open_files(),
            None => tree.files(),
        };
        cx.events.event(Event::Stage {
            name: "write",
            total: Some(files.len() as u64),
        });
        let dir = self.place.dir.clone();
        let old = std::mem::take(&mut self.written);
        let (kept, new) = divide(&dir, &files, &old);
        if !old.is_empty() {
            let paths = old.keys().chain(files.iter().map(|f| f.path));
            straighten(&dir, paths).map_err(|e| write_error(&dir, e))?;
            clear(&dir, &old, &kept, &new).map_err(|e| write_error(&dir, e))?;
        }
        make_dirs(&dir, &new).map_err(|e| write_error(&dir, e))?;

        let looks = known_looks(cache, tree, &new);
        let copy = Copy {
            source: Root::open(tree.root()).map_err(|e| read_error(tree.root(), e))?,
            target: Root::open(&dir).map_err(|e| write_error(&dir, e))?,
            tree,
            clones: AtomicBool::new(true),
            done: AtomicU64::new(0),
            cx,
        };
        let groups: Vec<&[TreeFile<'_>]> = new.chunk_by(|a, b| parent(a.path) == parent(b.path)).collect();
        let results: Vec<Vec<Result<(RepoPath, Written), WorktreeError>>> =
            groups.par_iter().map(|group| copy.group(group, &looks)).collect();
        if let Some(stop) = cx.stop() {
            return Err(stop_error(stop));
        }
        self.written = kept;
        for result in results.into_iter().flatten() {
            let (path, written) = result?;
            self.written.insert(path, written);
        }
        self.list(tree).map_err(|e| write_error(&dir, e))
    }

    /// Brings the index of its own repository up to date.
    fn list(&mut self, tree: &Tree) -> io::Result<()> {
        let mut listed = Vec::with_capacity(self.written.len());
        for (path, written) in &self.written {
            let (mode, commit) = match written.entry.kind {
                EntryKind::File if written.entry.executable => (own_git::EXECUTABLE, None),
                EntryKind::File => (own_git::FILE, None),
                EntryKind::Symlink => (own_git::LINK, None),
                EntryKind::Submodule => {
                    let head = git::nested_head(&tree.root().join(path.as_str()));
                    match head.and_then(|id| git2::Oid::from_str(&id).ok()) {
                        Some(commit) => (own_git::SUBMODULE, Some(commit)),
                        // An empty directory, as a submodule that was never fetched is.
                        None => continue,
                    }
                }
            };
            listed.push((path.clone(), mode, commit));
        }
        let git = self.place.dir.join(".git");
        if listed != self.listed || !git.symlink_metadata().is_ok_and(|meta| meta.is_dir()) {
            // Made anew: what a tool may have put in it is not written through.
            remove_any(&git)?;
            own_git::init(&self.place.dir)?;
            let entries = listed.iter().map(|(path, mode, commit)| Listed {
                path,
                mode: *mode,
                commit: *commit,
            });
            own_git::write_index(&self.place.dir, entries)?;
            self.listed = listed;
        }
        Ok(())
    }
}

/// What stays as it was written, and what is to be written, by directory.
fn divide<'a>(
    dir: &Path,
    files: &[TreeFile<'a>],
    old: &BTreeMap<RepoPath, Written>,
) -> (BTreeMap<RepoPath, Written>, Vec<TreeFile<'a>>) {
    let (mut kept, mut new) = (BTreeMap::new(), Vec::new());
    for file in files {
        match old.get(file.path) {
            Some(written) if written.entry == file.entry && is_untouched(dir, file.path, written) => {
                kept.insert(file.path.clone(), *written);
            }
            _ => new.push(*file),
        }
    }
    // By directory, so that each is opened once.
    new.sort_by(|a, b| (parent(a.path), a.path).cmp(&(parent(b.path), b.path)));
    (kept, new)
}

fn is_untouched(dir: &Path, path: &RepoPath, written: &Written) -> bool {
    let host = dir.join(path.as_str());
    match (written.look, rustix::fs::lstat(&host)) {
        (Some(look), Ok(stat)) => Look::of(&stat) == look,
        (None, Ok(stat)) => rustix::fs::FileType::from_raw_mode(stat.st_mode).is_dir(),
        _ => false,
    }
}

/// Removes what stands where a directory of the tree must: a tool may have put a link there, and nothing is to be
/// removed or written through it.
fn straighten<'a>(dir: &Path, paths: impl Iterator<Item = &'a RepoPath>) -> io::Result<()> {
    // In path order, so that the directories above one have been seen before it.
    let mut dirs = BTreeSet::new();
    for path in paths {
        let mut above = path.parent();
        while let Some(p) = above.filter(|p| !p.is_root()) {
            above = p.parent();
            if !dirs.insert(p) {
                break;
            }
        }
    }
    for path in dirs {
        let host = dir.join(path.as_str());
        if host.symlink_metadata().is_ok_and(|meta| !meta.is_dir()) {
            fs::remove_file(host)?;
        }
    }
    Ok(())
}

/// Removes what was written and does not stay, and whatever else stands where something new goes.
fn clear(
    dir: &Path,
    old: &BTreeMap<RepoPath, Written>,
    kept: &BTreeMap<RepoPath, Written>,
    new: &[TreeFile<'_>],
) -> io::Result<()> {
    let mut emptied = BTreeSet::new();
    for path in old.keys().filter(|p| !kept.contains_key(*p)) {
        remove_any(&dir.join(path.as_str()))?;
        emptied.extend(path.parent().filter(|p| !p.is_root()));
    }
    // Deepest first, and then the ones above. What a tool left in one keeps it.
    while let Some(path) = emptied.pop_last() {
        if fs::remove_dir(dir.join(path.as_str())).is_ok() {
            emptied.extend(path.parent().filter(|p| !p.is_root()));
        }
    }
    for file in new {
        remove_any(&dir.join(file.path.as_str()))?;
    }
    Ok(())
}

fn remove_any(path: &Path) -> io::Result<()> {
    let gone = match path.symlink_metadata() {
        Ok(meta) if meta.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(e) => Err(e),
    };
    match gone {
        Err(e) if matches!(e.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Ok(()),
        other => other,
    }
}

fn make_dirs(dir: &Path, new: &[TreeFile<'_>]) -> io::Result<()> {
    let mut last = "";
    for file in new {
        let parent = parent(file.path);
        if parent != last {
            fs::create_dir_all(dir.join(parent))?;
            last = parent;
        }
    }
    Ok(())
}

fn parent(path: &RepoPath) -> &str {
    path.as_str().rsplit_once('/').map_or("", |(dir, _)| dir)
}

/// How the files to be copied looked when they hashed to what the tree says; `None` where it is not known.
fn known_looks(cache: &Path, tree: &Tree, new: &[TreeFile<'_>]) -> BTreeMap<RepoPath, Look> {
    let mut looks = BTreeMap::new();
    if new.is_empty() {
        return looks;
    }
    let known = StatCache::read(&statcache::file_of(cache, tree.root()));
    for known in known.entries() {
        let path = std::str::from_utf8(known.path).ok().and_then(|p| RepoPath::new(p).ok());
        if let Some(path) = path
            && tree.disk().get(&path).is_some_and(|entry| entry.hash == known.hash)
        {
            looks.insert(path, known.look);
        }
    }
    looks
}

/// Copies files of one tree into its directory.
struct Copy<'a> {
    source: Root,
    target: Root,
    tree: &'a Tree,
    /// Whether the file system clones; false after the first time that it did not.
    clones: AtomicBool,
    done: AtomicU64,
    cx: &'a CallContext,
}

impl Copy<'_> {
    /// Files of one directory.
    fn group(
        &self,
        group: &[TreeFile<'_>],
        looks: &BTreeMap<RepoPath, Look>,
    ) -> Vec<Result<(RepoPath, Written), WorktreeError>> {
        let Some(first) = group.first() else {
            return Vec::new();
        };
        let dir = parent(first.path).as_bytes();
        let target = match self.target.open_dir(dir) {
            Ok(target) => target,
            Err(e) => return vec![Err(write_error(Path::new(parent(first.path)), e))],
        };
        // A directory that only staged files are in need not be on disk.
        let source = self.source.open_dir(dir).ok();
        let mut out = Vec::with_capacity(group.len());
        for file in group {
            if let Some(stop) = self.cx.stop() {
                out.push(Err(stop_error(stop)));
                return out;
            }
            let result = self.one(file, source.as_ref(), &target, looks.get(file.path));
            let failed = result.is_err();
            out.push(result.map(|written| (file.path.clone(), written)));
            if failed {
                return out;
            }
            let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
            if done.is_multiple_of(FILES_PER_EVENT) {
                self.cx.events.event(Event::Progress { done });
            }
        }
        out
    }

    fn one(
        &self,
        file: &TreeFile<'_>,
        source: Option<&OwnedFd>,
        target: &OwnedFd,
        look: Option<&Look>,
    ) -> Result<Written, WorktreeError> {
        let changed = || WorktreeError::Changed {
            path: file.path.clone(),
        };
        let name = file.path.file_name().as_bytes();
        let writing = |e: io::Error| write_error(Path::new(file.path.as_str()), e);
        if let Some(change) = self.tree.staged().get(file.path).filter(|_| file.staged) {
            match change {
                StagedChange::Write { bytes, executable } => {
                    create(target, name, *executable)
                        .and_then(|mut f| f.write_all(bytes))
                        .map_err(writing)?;
                }
                StagedChange::Symlink { target: text } => {
                    rustix::fs::symlinkat(text.as_bytes(), target, name).map_err(|e| writing(e.into()))?;
                }
                StagedChange::Delete => {}
            }
        } else {
            match file.entry.kind {
                EntryKind::Submodule => {
                    rustix::fs::mkdirat(target, name, Mode::from_raw_mode(0o755)).map_err(|e| writing(e.into()))?;
                    return Ok(Written {
                        entry: file.entry,
                        look: None,
                    });
                }
                EntryKind::Symlink => {
                    let source = source.ok_or_else(changed)?;
                    let text = beneath::read_link_in(source, name).map_err(|_| changed())?;
                    if ContentHash::of(&text) != file.entry.hash {
                        return Err(changed());
                    }
                    rustix::fs::symlinkat(text.as_slice(), target, name).map_err(|e| writing(e.into()))?;
                }
                EntryKind::File => {
                    let source = source.ok_or_else(changed)?;
                    let (from, stat) = beneath::open_file_in(source, name).map_err(|_| changed())?;
                    let to = create(target, name, file.entry.executable).map_err(writing)?;
                    let trusted = look.filter(|&&look| look == Look::of(&stat));
                    let is_it = self.copy(file, from, &to, trusted.copied()).map_err(writing)?;
                    if !is_it {
                        return Err(changed());
                    }
                }
            }
        }
        let stat = rustix::fs::statat(target, name, AtFlags::SYMLINK_NOFOLLOW).map_err(|e| writing(e.into()))?;
        Ok(Written {
            entry: file.entry,
            look: Some(Look::of(&stat)),
        })
    }

    /// Copies a file's bytes and says whether they are the tree's. With a look at which they were, the file need not be
    /// hashed: it is compared once more afterwards.
    fn copy(&self, file: &TreeFile<'_>, mut from: fs::File, mut to: &fs::File, look: Option<Look>) -> io::Result<bool> {
        let is_steady = |from: &fs::File| -> io::Result<bool> { Ok(look == Some(Look::of(&rustix::fs::fstat(from)?))) };
        if look.is_some() && file.entry.size >= CLONE_BYTES && self.clones.load(Ordering::Relaxed) {
            if clone(to, &from) {
                return is_steady(&from);
            }
            self.clones.store(false, Ordering::Relaxed);
        }
        let mut sha = look.is_none().then(Sha256::new);
        let mut buffer = vec![
            0u8;
            usize::try_from(file.entry.size)
                .unwrap_or(usize::MAX)
                .clamp(4096, 256 * 1024)
                + 1
        ];
        loop {
            match from.read(&mut buffer) {
                Ok(0) => break,
                Ok(n) => {
                    if let Some(sha) = &mut sha {
                        sha.update(&buffer[..n]);
                    }
                    to.write_all(&buffer[..n])?;
                }
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
        match sha {
            Some(sha) => Ok(file.entry.hash == ContentHash(sha.finalize().into())),
            None => is_steady(&from),
        }
    }
}

/// Shares the bytes of a file copy-on-write, where the file system can. Never a hard link: it would share edits too.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn clone(to: &fs::File, from: &fs::File) -> bool {
    rustix::fs::ioctl_ficlone(to, from).is_ok()
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn clone(_to: &fs::File, _from: &fs::File) -> bool {
    false
}

fn create(dir: &OwnedFd, name: &[u8], executable: bool) -> io::Result<fs::File> {
    let mode = Mode::from_raw_mode(if executable { 0o755 } else { 0o644 });
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(rustix::fs::openat(dir, std::ffi::OsStr::from_bytes(name), flags, mode)?.into())
}

fn write_error(path: &Path, source: io::Error) -> WorktreeError {
    WorktreeError::Io {
        what: "cannot write",
        path: path.to_owned(),
        source,
    }
}

fn read_error(path: &Path, source: io::Error) -> WorktreeError {
    WorktreeError::Io {
        what: "cannot read",
        path: path.to_owned(),
        source,
    }
}
