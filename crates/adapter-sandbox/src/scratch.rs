//! The home and temporary directory of one run, removed after it, and by a later run if this process is killed.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;

/// Directories of one run.
#[derive(Debug)]
pub(crate) struct Scratch {
    directory: Option<TempDir>,
    lock: PathBuf,
    /// Held as long as the run lives; whoever can take it knows that the run is dead.
    _held: File,
}

const PREFIX: &str = "run-";
const LOCK_SUFFIX: &str = ".lock";
/// No run takes longer to make its directories.
const ABANDONED: Duration = Duration::from_secs(3600);

impl Scratch {
    /// Makes the directories of a run below `root`.
    pub(crate) fn new(root: &Path) -> io::Result<Self> {
        fs::create_dir_all(root)?;
        let root = root.canonicalize()?;
        // The lock is taken before the directory exists, so a sweeper never sees a live run without one.
        let lock = tempfile::Builder::new()
            .prefix(PREFIX)
            .suffix(LOCK_SUFFIX)
            .tempfile_in(&root)?;
        let (held, lock) = lock.keep().map_err(|e| e.error)?;
        // A sweeper may hold it for a moment.
        held.lock()?;
        let name = lock
            .file_name()
            .map(|n| n.to_string_lossy().trim_end_matches(LOCK_SUFFIX).to_owned())
            .unwrap_or_default();
        let directory = tempfile::Builder::new().prefix(&name).rand_bytes(0).tempdir_in(&root)?;
        let scratch = Scratch {
            directory: Some(directory),
            lock,
            _held: held,
        };
        fs::create_dir(scratch.home())?;
        fs::create_dir(scratch.temporary())?;
        Ok(scratch)
    }

    /// The directory that holds both.
    pub(crate) fn path(&self) -> &Path {
        self.directory.as_ref().expect("it is there until drop").path()
    }

    /// HOME.
    pub(crate) fn home(&self) -> PathBuf {
        self.path().join("home")
    }

    /// TMPDIR.
    pub(crate) fn temporary(&self) -> PathBuf {
        self.path().join("tmp")
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        drop(self.directory.take());
        let _ = fs::remove_file(&self.lock);
    }
}

/// Removes what killed runs left below `root`. What a live run holds, and what no run made, stays.
pub(crate) fn sweep(root: &Path) {
    let Ok(entries) = fs::read_dir(root) else { return };
    for entry in entries.filter_map(Result::ok) {
        let name = entry.file_name().to_string_lossy().into_owned();
        let Some(run) = name.strip_suffix(LOCK_SUFFIX).filter(|n| n.starts_with(PREFIX)) else {
            continue;
        };
        let Ok(lock) = File::open(entry.path()) else { continue };
        if lock.try_lock().is_ok() {
            let directory = root.join(run);
            // A lock without a directory is that of a run which is just starting, or of one that was killed right then.
            let gone = if directory.is_dir() {
                fs::remove_dir_all(&directory).is_ok()
            } else {
                age(&lock).is_some_and(|age| age > ABANDONED)
            };
            if gone {
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

fn age(file: &File) -> Option<Duration> {
    file.metadata().ok()?.modified().ok()?.elapsed().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_leaves_nothing() {
        let root = tempfile::tempdir().unwrap();
        let scratch = Scratch::new(root.path()).unwrap();
        fs::write(scratch.home().join("x"), "x").unwrap();
        assert!(scratch.temporary().is_dir());
        drop(scratch);
        assert_eq!(fs::read_dir(root.path()).unwrap().count(), 0);
    }

    #[test]
    fn the_sweeper_takes_dead_runs_only() {
        let root = tempfile::tempdir().unwrap();
        let live = Scratch::new(root.path()).unwrap();
        let mut dead = Scratch::new(root.path()).unwrap();
        let left = dead.directory.take().unwrap().keep();
        let lock = std::mem::take(&mut dead.lock);
        drop(dead);
        fs::create_dir(root.path().join("run-of-somebody")).unwrap();
        sweep(root.path());
        assert!(live.home().is_dir());
        assert!(!left.exists() && !lock.exists());
        assert!(root.path().join("run-of-somebody").is_dir());
    }
}
