//! The user's own index in the repository: read, never written.

use super::{DATABASE, WAL, copy, is_index};
use std::fs;
use std::io;
use std::path::Path;
use std::time::UNIX_EPOCH;

/// Where CodeGraph keeps it.
pub const DIRECTORY: &str = ".codegraph";

/// How often a copy is tried while somebody writes.
const TRIES: usize = 5;

/// How the files of an index look: another look is another index.
pub type Look = Vec<Option<(u64, u128)>>;

/// The look of the index in a repository; `None` when there is none.
pub fn look(root: &Path) -> Option<Look> {
    let dir = root.join(DIRECTORY);
    is_index(&dir).then(|| looks(&dir))
}

fn looks(dir: &Path) -> Look {
    let one = |name: &str| {
        let meta = fs::metadata(dir.join(name)).ok()?;
        let changed = meta.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
        Some((meta.len(), changed.as_nanos()))
    };
    vec![one(DATABASE), one(WAL)]
}

/// Copies the index of a repository as it was at one moment, and gives its look then. An index that is written all the
/// while is [`io::ErrorKind::ResourceBusy`].
pub fn take(root: &Path, to: &Path) -> io::Result<Look> {
    let dir = root.join(DIRECTORY);
    for _ in 0..TRIES {
        let before = looks(&dir);
        copy(&dir, to)?;
        if looks(&dir) == before {
            return Ok(before);
        }
    }
    Err(io::ErrorKind::ResourceBusy.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_database_is_an_index() {
        let check = |content: Option<&[u8]>, expected: bool| {
            let root = tempfile::tempdir().unwrap();
            fs::create_dir(root.path().join(DIRECTORY)).unwrap();
            if let Some(content) = content {
                fs::write(root.path().join(DIRECTORY).join(DATABASE), content).unwrap();
            }
            assert_eq!(look(root.path()).is_some(), expected, "{content:?}");
        };
        check(None, false);
        check(Some(b""), false);
        check(Some(b"SQLite format 2\0 and so on"), false);
        check(Some(b"SQLite format 3\0 and so on"), true);
    }

    #[test]
    fn the_copy_has_what_is_not_in_the_database_yet() {
        let (root, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let dir = root.path().join(DIRECTORY);
        fs::create_dir(&dir).unwrap();
        fs::write(dir.join(DATABASE), b"SQLite format 3\0x").unwrap();
        fs::write(dir.join(WAL), b"wal").unwrap();
        fs::write(dir.join("codegraph.lock"), b"1").unwrap();
        let taken = take(root.path(), to.path()).unwrap();
        assert_eq!(Some(taken), look(root.path()));
        assert_eq!(fs::read(to.path().join(WAL)).unwrap(), b"wal");
        assert!(!to.path().join("codegraph.lock").exists());
        // An older one's is not left beside a new database.
        fs::remove_file(dir.join(WAL)).unwrap();
        take(root.path(), to.path()).unwrap();
        assert!(!to.path().join(WAL).exists());
    }
}
