//! The directory of one prepared tree: its copy of the index and the home of its processes. Removed when dropped; what a
//! process that was killed left is removed by a later one.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A directory that is this process's own while it holds its lock.
#[derive(Debug)]
pub struct Run {
    dir: TempDir,
    /// Held until the end.
    _lock: File,
}

const PREFIX: &str = "run-";
const LOCK: &str = "lock";

impl Run {
    /// Makes one below `runs`, after removing what the dead left there.
    pub fn make(runs: &Path) -> io::Result<Run> {
        fs::create_dir_all(runs)?;
        sweep(runs);
        loop {
            let dir = tempfile::Builder::new().prefix(PREFIX).tempdir_in(runs)?;
            let opened = OpenOptions::new()
                .create_new(true)
                .write(true)
                .open(dir.path().join(LOCK));
            let lock = match opened {
                Ok(lock) => lock,
                // Swept between its making and its locking.
                Err(e) if e.kind() == io::ErrorKind::NotFound => continue,
                Err(e) => return Err(e),
            };
            if lock.try_lock().is_err() || !dir.path().join(LOCK).exists() {
                continue;
            }
            for inner in ["index", "home"] {
                fs::create_dir(dir.path().join(inner))?;
            }
            return Ok(Run { dir, _lock: lock });
        }
    }

    /// Where the index is.
    pub fn index(&self) -> PathBuf {
        self.dir.path().join("index")
    }

    /// The home and working directory of its processes.
    pub fn home(&self) -> PathBuf {
        self.dir.path().join("home")
    }

    /// Empties the index.
    pub fn clear(&self) -> io::Result<()> {
        fs::remove_dir_all(self.index())?;
        fs::create_dir(self.index())
    }

    /// Puts a link to the index where the tool looks for it in a tree.
    pub fn link_into(&self, tree: &Path) -> io::Result<()> {
        let link = tree.join(".codegraph");
        match link.symlink_metadata() {
            Ok(meta) if meta.is_dir() => fs::remove_dir_all(&link)?,
            Ok(_) => fs::remove_file(&link)?,
            Err(e) if e.kind() == io::ErrorKind::NotFound => {}
            Err(e) => return Err(e),
        }
        #[cfg(unix)]
        return std::os::unix::fs::symlink(self.index(), link);
        #[cfg(windows)]
        return std::os::windows::fs::symlink_dir(self.index(), link);
    }
}

/// Removes the directories whose owner is gone. What cannot be removed is tried again by a later run.
fn sweep(runs: &Path) {
    let Ok(entries) = fs::read_dir(runs) else { return };
    for entry in entries.filter_map(Result::ok) {
        let is_run = entry.file_name().to_str().is_some_and(|name| name.starts_with(PREFIX));
        // One without a lock is being made at this moment.
        if let Ok(lock) = File::open(entry.path().join(LOCK))
            && is_run
            && lock.try_lock().is_ok()
        {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_gone_when_dropped_and_the_dead_are_swept() {
        let temp = tempfile::tempdir().unwrap();
        let runs = temp.path().join("runs");
        let live = Run::make(&runs).unwrap();
        let dead = runs.join("run-dead");
        fs::create_dir(&dead).unwrap();
        fs::write(dead.join(LOCK), "").unwrap();
        fs::create_dir(runs.join("other")).unwrap();
        fs::write(runs.join("other").join(LOCK), "").unwrap();
        let second = Run::make(&runs).unwrap();
        assert!(!dead.exists() && live.index().is_dir() && runs.join("other").is_dir());
        let (one, two) = (live.index(), second.home());
        drop((live, second));
        assert!(!one.exists() && !two.exists());
    }

    #[test]
    fn the_link_takes_the_place_of_what_stands_there() {
        let temp = tempfile::tempdir().unwrap();
        let run = Run::make(&temp.path().join("runs")).unwrap();
        let tree = temp.path().join("tree");
        fs::create_dir_all(tree.join(".codegraph/old")).unwrap();
        for _ in 0..2 {
            run.link_into(&tree).unwrap();
            assert_eq!(fs::read_link(tree.join(".codegraph")).unwrap(), run.index());
        }
        fs::write(run.index().join("x"), "").unwrap();
        run.clear().unwrap();
        assert!(fs::read_dir(run.index()).unwrap().next().is_none());
    }
}
