//! The managed index of a repository in the cache: one whole index of its files on disk, with the key of the tree that it
//! was made from. Replaced as a whole by whoever holds its lock.

use super::{copy, is_index};
use sha2::{Digest, Sha256};
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

/// Where a repository's index is kept.
#[derive(Clone, Debug)]
pub struct Slot {
    dir: PathBuf,
}

const KEY: &str = "key";
const CURRENT: &str = "current";
const NEW: &str = "new-";

impl Slot {
    /// Of the repository at this place.
    pub fn of(cache: &Path, root: &Path) -> Slot {
        let digest = Sha256::digest(root.as_os_str().as_encoded_bytes());
        let name: String = digest.iter().take(16).map(|b| format!("{b:02x}")).collect();
        Slot {
            dir: cache.join("codegraph").join("managed").join(name),
        }
    }

    /// Takes the lock; `None` when another process has it.
    pub fn try_lock(&self) -> io::Result<Option<File>> {
        fs::create_dir_all(&self.dir)?;
        let file = File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(self.dir.join("lock"))?;
        match file.try_lock() {
            Ok(()) => Ok(Some(file)),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(e)) => Err(e),
        }
    }

    /// The key of what is kept, if that is whole. The key is written last, so what has one is.
    pub fn key(&self) -> Option<String> {
        let current = self.dir.join(CURRENT);
        let key = fs::read_to_string(current.join(KEY)).ok()?;
        is_index(&current).then_some(key)
    }

    /// Copies what is kept.
    pub fn take(&self, to: &Path) -> io::Result<()> {
        copy(&self.dir.join(CURRENT), to)
    }

    /// Removes what a holder that was killed left.
    fn sweep(&self) {
        let Ok(entries) = fs::read_dir(&self.dir) else { return };
        for entry in entries.filter_map(Result::ok) {
            if entry.file_name().to_string_lossy().starts_with(NEW) {
                let _ = fs::remove_dir_all(entry.path());
            }
        }
    }

    /// Keeps an index under a key. For the holder of the lock.
    pub fn keep(&self, from: &Path, key: &str) -> io::Result<()> {
        self.sweep();
        let new = tempfile::Builder::new().prefix(NEW).tempdir_in(&self.dir)?;
        copy(from, new.path())?;
        fs::write(new.path().join(KEY), key)?;
        let current = self.dir.join(CURRENT);
        match fs::remove_dir_all(&current) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(e),
            _ => {}
        }
        fs::rename(new.keep(), current)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::DATABASE;

    #[test]
    fn what_is_kept_is_whole_or_not_there() {
        let temp = tempfile::tempdir().unwrap();
        let slot = Slot::of(temp.path(), Path::new("/repo"));
        let held = slot.try_lock().unwrap().unwrap();
        assert!(slot.try_lock().unwrap().is_none(), "one holder at a time");
        assert_eq!(slot.key(), None);
        let from = tempfile::tempdir().unwrap();
        for (bytes, key) in [(&b"SQLite format 3\0one"[..], "1"), (b"SQLite format 3\0two", "2")] {
            fs::write(from.path().join(DATABASE), bytes).unwrap();
            slot.keep(from.path(), key).unwrap();
            assert_eq!(slot.key().as_deref(), Some(key));
            let to = tempfile::tempdir().unwrap();
            slot.take(to.path()).unwrap();
            assert_eq!(fs::read(to.path().join(DATABASE)).unwrap(), bytes);
        }
        drop(held);
        fs::write(slot.dir.join(CURRENT).join(DATABASE), "").unwrap();
        assert_eq!(slot.key(), None, "an index that is none has no key");
        assert!(slot.try_lock().unwrap().is_some());
        assert!(Slot::of(temp.path(), Path::new("/other")).key().is_none());
    }
}
