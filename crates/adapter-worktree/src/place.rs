//! Directories that trees are written to: made, owned by a lock, removed, and swept when their owner died.
//!
//! `<cache>/trees/<name>` belongs to whoever holds a lock on `<cache>/trees/<name>.lock`. The lock goes with the process,
//! so a directory whose lock can be taken is a leftover. Only names of this form are ever looked at.

use rayon::prelude::*;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

const PREFIX: &str = "tree-";
const LOCK: &str = ".lock";

/// A directory for one tree, and the lock that says whose it is. Removed when dropped.
pub(crate) struct Place {
    pub(crate) dir: PathBuf,
    lock_path: PathBuf,
    /// Held until the end.
    _lock: File,
}

impl Place {
    /// Makes a new empty directory below `trees`.
    pub(crate) fn make(trees: &Path) -> io::Result<Place> {
        fs::create_dir_all(trees)?;
        loop {
            let (lock, lock_path) = tempfile::Builder::new()
                .prefix(PREFIX)
                .suffix(LOCK)
                .rand_bytes(12)
                .tempfile_in(trees)?
                .keep()?;
            // Between the file's making and its locking a sweeper may have taken and removed it.
            if !is_locked_by(&lock, &lock_path)? {
                continue;
            }
            let dir = lock_path.with_extension("");
            let place = Place {
                dir,
                lock_path,
                _lock: lock,
            };
            fs::DirBuilder::new().mode(0o700).create(&place.dir)?;
            return Ok(place);
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        // What cannot be removed keeps its lock file and is swept by a later run.
        if remove(&self.dir).is_ok() {
            let _ = fs::remove_file(&self.lock_path);
        }
    }
}

/// Removes the directories below `trees` whose owner is gone. Says how many there were.
pub(crate) fn sweep(trees: &Path) -> io::Result<usize> {
    let mut names = Vec::new();
    let entries = match fs::read_dir(trees) {
        Ok(entries) => entries,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(0),
        Err(e) => return Err(e),
    };
    for entry in entries {
        if let Some(name) = entry?.file_name().to_str() {
            let name = name.strip_suffix(LOCK).unwrap_or(name);
            if is_name(name) {
                names.push(name.to_owned());
            }
        }
    }
    names.sort_unstable();
    names.dedup();
    let mut swept = 0;
    for name in names {
        let lock_path = trees.join(format!("{name}{LOCK}"));
        let lock = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&lock_path)?;
        if is_locked_by(&lock, &lock_path)? && remove(&trees.join(&name)).is_ok() {
            fs::remove_file(&lock_path)?;
            swept += 1;
        }
    }
    Ok(swept)
}

fn is_name(name: &str) -> bool {
    name.strip_prefix(PREFIX)
        .is_some_and(|rest| rest.len() == 12 && rest.bytes().all(|b| b.is_ascii_alphanumeric()))
}

/// Takes the lock, and says whether it is still the one that the path names.
fn is_locked_by(lock: &File, path: &Path) -> io::Result<bool> {
    match lock.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Ok(false),
        Err(TryLockError::Error(e)) => return Err(e),
    }
    let held = lock.metadata()?;
    match path.symlink_metadata() {
        Ok(named) => Ok((named.dev(), named.ino()) == (held.dev(), held.ino())),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(e) => Err(e),
    }
}

/// Removes a directory and all below it, its entries side by side; one that is not there is removed already.
pub(crate) fn remove(dir: &Path) -> io::Result<()> {
    let entries = match fs::read_dir(dir) {
        Ok(entries) => entries.collect::<io::Result<Vec<_>>>()?,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(e) => return Err(e),
    };
    entries.par_iter().try_for_each(|entry| {
        let path = entry.path();
        if entry.file_type()?.is_dir() {
            fs::remove_dir_all(path)
        } else {
            fs::remove_file(path)
        }
    })?;
    fs::remove_dir(dir)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(dir: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(dir)
            .unwrap()
            .map(|e| e.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_place_is_gone_when_dropped() {
        let trees = tempfile::tempdir().unwrap();
        let place = Place::make(trees.path()).unwrap();
        fs::create_dir_all(place.dir.join("a/b")).unwrap();
        fs::write(place.dir.join("a/b/c"), "x").unwrap();
        std::os::unix::fs::symlink("/", place.dir.join("link")).unwrap();
        assert_eq!(names(trees.path()).len(), 2);
        drop(place);
        assert_eq!(names(trees.path()), Vec::<String>::new());
    }

    #[test]
    fn only_leftovers_of_the_dead_are_swept() {
        let trees = tempfile::tempdir().unwrap();
        let live = Place::make(trees.path()).unwrap();
        fs::write(live.dir.join("file"), "x").unwrap();
        for leftover in ["tree-abcdefABCDEF", "tree-000000000000"] {
            fs::create_dir(trees.path().join(leftover)).unwrap();
            fs::write(trees.path().join(leftover).join("x"), "x").unwrap();
        }
        fs::write(trees.path().join("tree-abcdefABCDEF.lock"), "").unwrap();
        fs::write(trees.path().join("tree-111111111111.lock"), "").unwrap();
        for foreign in ["tree-short", "other", "tree-../../../../x"] {
            let _ = fs::create_dir_all(trees.path().join(foreign.replace('/', "_")));
        }
        assert_eq!(sweep(trees.path()).unwrap(), 3);
        assert_eq!(fs::read_to_string(live.dir.join("file")).unwrap(), "x");
        let left = names(trees.path());
        assert_eq!(left.len(), 5, "{left:?}");
        assert!(left.contains(&"tree-short".to_owned()) && left.contains(&"other".to_owned()));
        drop(live);
        assert_eq!(sweep(trees.path()).unwrap(), 0);
        assert_eq!(sweep(&trees.path().join("none")).unwrap(), 0);
    }
}
