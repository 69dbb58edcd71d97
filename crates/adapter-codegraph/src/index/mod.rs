//! The files of an index: the user's own, and the managed one that is kept in the cache.

pub mod slot;
pub mod user;

use std::fs;
use std::io::{self, Read};
use std::path::Path;

/// The database of an index.
pub const DATABASE: &str = "codegraph.db";
/// What was written and is not in the database yet.
pub const WAL: &str = "codegraph.db-wal";

/// How every database of SQLite begins.
const MAGIC: &[u8] = b"SQLite format 3\0";

/// Whether a directory holds a database. One that is empty or holds something else is none to the tool either.
pub fn is_index(dir: &Path) -> bool {
    let mut head = [0; MAGIC.len()];
    let read = fs::File::open(dir.join(DATABASE)).and_then(|mut file| file.read_exact(&mut head));
    read.is_ok() && head == MAGIC
}

/// Copies an index: the database and what is not in it yet.
pub fn copy(from: &Path, to: &Path) -> io::Result<()> {
    fs::copy(from.join(DATABASE), to.join(DATABASE))?;
    let wal = to.join(WAL);
    match fs::copy(from.join(WAL), &wal) {
        Ok(_) => Ok(()),
        Err(e) if e.kind() == io::ErrorKind::NotFound => match fs::remove_file(&wal) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => Err(e),
            _ => Ok(()),
        },
        Err(e) => Err(e),
    }
}
