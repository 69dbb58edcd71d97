//! What files hashed to when they last looked as they look now.
//!
//! One flat file per repository in the cache, written beside and renamed. It is only ever a saving: missing, torn, of
//! another version or unwritable, everything is hashed again. Times are compared with the inode change time, which an
//! edit moves even when it keeps size and modification time. An entry whose times are not clearly older than the moment
//! of its hashing is not kept: a later edit could leave them as they are.

use rustix::fs::Stat;
use sha2::{Digest, Sha256};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};
use understory_core::fingerprint::ContentHash;

const MAGIC: &[u8; 8] = b"us-stat1";
const HEAD_BYTES: usize = 8 + 32;
const FIXED_BYTES: usize = 8 * 4 + 4 + 32 + 2;

/// Kernels stamp files with the time of the last tick, at most 10 ms old.
const FINE_GRAIN_NS: i64 = 50_000_000;
/// File systems that keep whole or even seconds.
const COARSE_GRAIN_NS: i64 = 2_500_000_000;

/// What of a file's metadata tells one state of it from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Look {
    size: u64,
    mtime: i64,
    ctime: i64,
    inode: u64,
    mode: u32,
}

impl Look {
    #[expect(clippy::unnecessary_cast, reason = "the fields' types differ between platforms")]
    pub(crate) fn of(stat: &Stat) -> Look {
        let ns = |s: i64, n: i64| s.saturating_mul(1_000_000_000).saturating_add(n);
        Look {
            size: stat.st_size as u64,
            mtime: ns(stat.st_mtime as i64, stat.st_mtime_nsec as i64),
            ctime: ns(stat.st_ctime as i64, stat.st_ctime_nsec as i64),
            inode: stat.st_ino as u64,
            mode: stat.st_mode as u32,
        }
    }

    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    pub(crate) fn is_executable(&self) -> bool {
        self.mode & 0o100 != 0
    }

    /// Whether an edit after the moment `at` is sure to change how the file looks.
    pub(crate) fn is_settled(&self, at: i64) -> bool {
        let latest = self.mtime.max(self.ctime);
        let whole_seconds = self.mtime % 1_000_000_000 == 0 && self.ctime % 1_000_000_000 == 0;
        let grain = if whole_seconds { COARSE_GRAIN_NS } else { FINE_GRAIN_NS };
        latest < at.saturating_sub(grain)
    }
}

/// Now, as file times count.
#[expect(
    clippy::disallowed_methods,
    reason = "file times are compared with the clock: a file younger than the cache is hashed again"
)]
pub(crate) fn now() -> i64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |d| i64::try_from(d.as_nanos()).unwrap_or(i64::MAX))
}

/// A file's look and hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Known<'a> {
    pub(crate) path: &'a [u8],
    pub(crate) look: Look,
    pub(crate) hash: ContentHash,
}

/// The cache file of one repository, as read.
pub(crate) struct StatCache {
    bytes: Vec<u8>,
}

impl StatCache {
    /// Reads a cache file. Anything wrong with it gives an empty cache.
    pub(crate) fn read(path: &Path) -> StatCache {
        let bytes = fs::read(path).unwrap_or_default();
        let sound = bytes.len() >= HEAD_BYTES
            && bytes[..8] == *MAGIC
            && bytes[8..HEAD_BYTES] == *Sha256::digest(&bytes[HEAD_BYTES..]).as_slice();
        StatCache {
            bytes: if sound { bytes } else { Vec::new() },
        }
    }

    /// The entries, in path order.
    pub(crate) fn entries(&self) -> impl Iterator<Item = Known<'_>> {
        let mut rest = self.bytes.get(HEAD_BYTES..).unwrap_or_default();
        std::iter::from_fn(move || {
            let (known, after) = decode(rest)?;
            rest = after;
            Some(known)
        })
    }

    /// Whether the file holds exactly these entries.
    pub(crate) fn holds(&self, body: &[u8]) -> bool {
        self.bytes.get(HEAD_BYTES..) == Some(body)
    }
}

/// Appends an entry in the form of the file. Entries go in path order.
pub(crate) fn encode(body: &mut Vec<u8>, known: &Known<'_>) {
    let Ok(length) = u16::try_from(known.path.len()) else {
        return;
    };
    body.extend_from_slice(&known.look.size.to_le_bytes());
    body.extend_from_slice(&known.look.mtime.to_le_bytes());
    body.extend_from_slice(&known.look.ctime.to_le_bytes());
    body.extend_from_slice(&known.look.inode.to_le_bytes());
    body.extend_from_slice(&known.look.mode.to_le_bytes());
    body.extend_from_slice(&known.hash.0);
    body.extend_from_slice(&length.to_le_bytes());
    body.extend_from_slice(known.path);
}

fn decode(bytes: &[u8]) -> Option<(Known<'_>, &[u8])> {
    let (fixed, rest) = bytes.split_first_chunk::<FIXED_BYTES>()?;
    let eight = |at: usize| -> [u8; 8] { fixed[at..at + 8].try_into().expect("eight bytes were taken") };
    let hash: [u8; 32] = fixed[36..68].try_into().expect("32 bytes were taken");
    let length = usize::from(u16::from_le_bytes([fixed[68], fixed[69]]));
    let (path, rest) = rest.split_at_checked(length)?;
    let look = Look {
        size: u64::from_le_bytes(eight(0)),
        mtime: i64::from_le_bytes(eight(8)),
        ctime: i64::from_le_bytes(eight(16)),
        inode: u64::from_le_bytes(eight(24)),
        mode: u32::from_le_bytes([fixed[32], fixed[33], fixed[34], fixed[35]]),
    };
    let hash = ContentHash(hash);
    Some((Known { path, look, hash }, rest))
}

/// Writes a cache file beside and renames it into place. While another process writes the same one, nothing is written.
/// What a killed writer left is replaced by the next.
pub(crate) fn write(path: &Path, body: &[u8]) -> io::Result<()> {
    fs::create_dir_all(path.parent().unwrap_or(Path::new("")))?;
    let lock = fs::OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(path.with_extension("lock"))?;
    match lock.try_lock() {
        Ok(()) => {}
        Err(fs::TryLockError::WouldBlock) => return Ok(()),
        Err(fs::TryLockError::Error(e)) => return Err(e),
    }
    let beside = path.with_extension("tmp");
    let mut file = fs::File::create(&beside)?;
    let written = file
        .write_all(MAGIC)
        .and_then(|()| file.write_all(Sha256::digest(body).as_slice()))
        .and_then(|()| file.write_all(body))
        .and_then(|()| fs::rename(&beside, path));
    if written.is_err() {
        // A full disk, say: half a file is of no use.
        let _ = fs::remove_file(&beside);
    }
    written
}

/// Where the cache file of a repository is.
pub(crate) fn file_of(cache: &Path, root: &Path) -> PathBuf {
    let id = Sha256::digest(crate::git::bytes(root));
    cache.join("stat").join(hex::encode(&id[..6]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look(mtime: i64, ctime: i64) -> Look {
        Look {
            size: 5,
            mtime,
            ctime,
            inode: 7,
            mode: 0o100_644,
        }
    }

    #[test]
    fn what_is_written_is_read_and_what_is_torn_is_not() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("deep/stat/x");
        let mut body = Vec::new();
        let known: Vec<Known<'_>> = [b"a".as_slice(), b"b/\xff\n"]
            .into_iter()
            .map(|path| Known {
                path,
                look: look(1, -2),
                hash: ContentHash::of(path),
            })
            .collect();
        for one in &known {
            encode(&mut body, one);
        }
        write(&path, &body).unwrap();
        let cache = StatCache::read(&path);
        assert_eq!(cache.entries().collect::<Vec<_>>(), known);
        assert!(cache.holds(&body) && !cache.holds(&body[1..]));

        // What a killed writer left beside does not stay, and a writer at work is not disturbed.
        fs::write(path.with_extension("tmp"), "half").unwrap();
        write(&path, &body).unwrap();
        assert!(!path.with_extension("tmp").exists());
        let other = fs::File::open(path.with_extension("lock")).unwrap();
        other.lock().unwrap();
        write(&path, b"").unwrap();
        assert!(StatCache::read(&path).holds(&body));
        drop(other);

        let whole = fs::read(&path).unwrap();
        for (at, what) in [(0, "magic"), (20, "checksum"), (HEAD_BYTES + 3, "entry")] {
            let mut torn = whole.clone();
            torn[at] ^= 1;
            fs::write(&path, &torn).unwrap();
            assert_eq!(StatCache::read(&path).entries().count(), 0, "{what}");
        }
        fs::write(&path, &whole[..whole.len() - 1]).unwrap();
        assert_eq!(StatCache::read(&path).entries().count(), 0);
        assert_eq!(StatCache::read(&dir.path().join("none")).entries().count(), 0);
    }

    #[test]
    fn a_time_close_to_the_hashing_is_not_settled() {
        let at = 10_000_000_000;
        for (mtime, ctime, settled) in [
            (1, 1, true),
            (at - FINE_GRAIN_NS - 1, 1, true),
            (at - FINE_GRAIN_NS, 1, false),
            (1, at - FINE_GRAIN_NS, false),
            (at + 1, 1, false),
            // Whole seconds only: an edit within them leaves no trace.
            (7_000_000_000, 7_000_000_000, true),
            (8_000_000_000, 8_000_000_000, false),
        ] {
            assert_eq!(look(mtime, ctime).is_settled(at), settled, "{mtime} {ctime}");
        }
    }
}
