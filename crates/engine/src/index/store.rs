//! An index in the cache: parts named by their contents, and one small pointer that is renamed into place.
//!
//! Readers never lock: they read the pointer, then map the parts that it names; a reader that loses a race with a
//! writer reads the pointer again. One writer at a time holds the lock. A part that is damaged or missing counts as not there,
//! and its files are read again.

use crate::index::degrees::Degrees;
use crate::index::layout::{Bytes, FORMAT, Part};
use crate::index::segment::Segment;
use crate::index::update::{Base, hex_name};
use crate::index::{Index, Meta};
use serde::{Deserialize, Serialize};
use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// Greatest size of all indexes of one cache together.
pub const CACHE_BYTES: u64 = 5 * 1024 * 1024 * 1024;

/// Names the version of everything that decides an index's contents: two versions never read each other's index.
pub fn engine_key() -> String {
    let text = format!(
        "{FORMAT} {} {}",
        env!("UNDERSTORY_ENGINE_SOURCE"),
        crate::languages::GRAMMARS
    );
    hex_name(text.as_bytes())[..12].to_owned()
}

#[derive(Serialize, Deserialize)]
struct Pointer {
    /// What names the files that the index covers.
    disk_key: [u8; 32],
    meta: Meta,
}

/// Where one repository's index is kept.
#[derive(Clone, Debug)]
pub struct Store {
    dir: PathBuf,
}

/// What the cache has.
pub struct Stored {
    /// What names the files that it covers.
    pub disk_key: [u8; 32],
    /// What it says about the tree as a whole.
    pub meta: Meta,
    /// The segments; `None` where one is missing or damaged.
    pub segments: Vec<Option<Arc<Segment>>>,
    /// The symbols' degrees; `None` when missing or damaged.
    pub degrees: Option<Arc<Degrees>>,
}

impl Stored {
    /// The index, if it is whole.
    pub fn index(&self) -> Option<Index> {
        let segments: Option<Vec<Arc<Segment>>> = self.segments.iter().cloned().collect();
        Some(Index::new(segments?, self.degrees.clone()?, self.meta.clone()))
    }

    /// As the base of an update.
    pub fn base(&self) -> Base {
        Base {
            segments: self.segments.clone(),
            degrees: self.degrees.clone(),
            manifests: self.meta.manifests,
        }
    }
}

/// The writer's lock, held while it lives.
pub struct WriteLock {
    _file: File,
}

impl Store {
    /// The store of the repository `id` below the cache directory. Creates nothing.
    pub fn new(cache: &Path, id: &str) -> Self {
        Store {
            dir: cache.join("native").join(id).join(engine_key()),
        }
    }

    /// Its directory.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// What the cache has; `None` when there is nothing that can be read.
    pub fn load(&self) -> Option<Stored> {
        // A writer may replace the pointer and remove parts between our two looks: then the pointer is read again.
        for _ in 0..4 {
            let pointer = self.pointer()?;
            let segments: Vec<Option<Arc<Segment>>> = pointer.meta.segments.iter().map(|n| self.segment(n)).collect();
            let degrees = self
                .map(&pointer.meta.degrees)
                .and_then(|p| Degrees::open(p, &pointer.meta.degrees).ok())
                .map(Arc::new);
            let stored = Stored {
                disk_key: pointer.disk_key,
                meta: pointer.meta,
                segments,
                degrees,
            };
            let again = (stored.degrees.is_none() || stored.segments.iter().any(Option::is_none))
                && self
                    .pointer()
                    .is_some_and(|now| now.meta.segments != stored.meta.segments);
            if !again {
                return Some(stored);
            }
        }
        None
    }

    fn pointer(&self) -> Option<Pointer> {
        let bytes = fs::read(self.dir.join("pointer")).ok()?;
        let (body, crc) = bytes.split_last_chunk::<4>()?;
        if crc32fast::hash(body) != u32::from_le_bytes(*crc) {
            return None;
        }
        postcard::from_bytes(body).ok()
    }

    #[expect(
        unsafe_code,
        reason = "mapping a file is unsafe in general; here the file is only ever replaced by renaming"
    )]
    fn map(&self, name: &str) -> Option<Part> {
        let file = File::open(self.part(name)).ok()?;
        // SAFETY: parts are written beside and renamed into place, and removed by unlinking; nothing of ours truncates or
        // rewrites one, so the mapped bytes do not change while they are mapped.
        let map = unsafe { memmap2::Mmap::map(&file) }.ok()?;
        Part::open(Bytes::Mapped(map)).ok()
    }

    fn segment(&self, name: &str) -> Option<Arc<Segment>> {
        Segment::open(self.map(name)?, name.to_owned()).ok().map(Arc::new)
    }

    fn part(&self, name: &str) -> PathBuf {
        self.dir.join(format!("{name}.part"))
    }

    /// Takes the writer's lock, waiting until `stop` says to give up (`None` then). Fails when the cache cannot be written.
    pub fn lock(&self, stop: &dyn Fn() -> bool) -> io::Result<Option<WriteLock>> {
        fs::create_dir_all(&self.dir)?;
        let file = File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(self.dir.join("lock"))?;
        let mut pause = Duration::from_millis(2);
        loop {
            match file.try_lock() {
                Ok(()) => {
                    // What a writer that was killed left.
                    self.sweep();
                    return Ok(Some(WriteLock { _file: file }));
                }
                Err(TryLockError::WouldBlock) => {
                    if stop() {
                        return Ok(None);
                    }
                    std::thread::sleep(pause);
                    pause = (pause * 2).min(Duration::from_millis(100));
                }
                Err(TryLockError::Error(e)) => return Err(e),
            }
        }
    }

    /// Writes the parts that are not there yet, then the pointer, then removes what it no longer names. When that fails, on
    /// a full disk say, nothing of it stays.
    pub fn save(&self, _lock: &WriteLock, disk_key: [u8; 32], index: &Index) -> io::Result<()> {
        let saved = self.write(disk_key, index);
        self.sweep();
        saved
    }

    fn write(&self, disk_key: [u8; 32], index: &Index) -> io::Result<()> {
        for segment in index.segments() {
            // A part of the right name that is damaged is replaced.
            if self.segment(segment.name()).is_none() {
                self.replace(&self.part(segment.name()), segment.bytes())?;
            }
        }
        let degrees = index.degrees();
        if self
            .map(degrees.name())
            .is_none_or(|p| Degrees::open(p, degrees.name()).is_err())
        {
            self.replace(&self.part(degrees.name()), degrees.bytes())?;
        }
        let pointer = Pointer {
            disk_key,
            meta: index.meta().clone(),
        };
        let mut bytes = postcard::to_stdvec(&pointer).map_err(io::Error::other)?;
        let crc = crc32fast::hash(&bytes);
        bytes.extend_from_slice(&crc.to_le_bytes());
        self.replace(&self.dir.join("pointer"), &bytes)
    }

    fn replace(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let mut beside = tempfile::Builder::new().prefix(".new-").tempfile_in(&self.dir)?;
        beside.write_all(bytes)?;
        beside.persist(path).map_err(|e| e.error)?;
        Ok(())
    }

    /// Removes the parts that the pointer does not name, and files that were never renamed into place. Only the holder of the
    /// writer's lock may.
    fn sweep(&self) {
        let Ok(entries) = fs::read_dir(&self.dir) else { return };
        // Parts that no pointer names are of no use to anybody.
        let named = self.pointer().map(|p| p.meta);
        let is_named = |n: &str| {
            named
                .as_ref()
                .is_some_and(|m| n == m.degrees || m.segments.iter().any(|s| s == n))
        };
        for entry in entries.flatten() {
            let name = entry.file_name();
            let Some(name) = name.to_str() else { continue };
            let stale = name.starts_with(".new-") || name.strip_suffix(".part").is_some_and(|n| !is_named(n));
            if stale {
                let _ = fs::remove_file(entry.path());
            }
        }
    }

    /// Notes that the index is in use now, at most once in ten minutes, and keeps the cache below [`CACHE_BYTES`] by
    /// removing the indexes that were not used for longest. One that a writer holds stays. Errors are ignored: the next use tries again.
    #[expect(
        clippy::disallowed_methods,
        reason = "when an index was used last decides what is evicted, never what is answered"
    )]
    pub fn touch(&self, cache: &Path) {
        let mark = self.dir.join("used");
        let recent = fs::metadata(&mark).and_then(|m| m.modified()).is_ok_and(|t| {
            SystemTime::now()
                .duration_since(t)
                .is_ok_and(|age| age < Duration::from_secs(600))
        });
        if recent || fs::write(&mark, b"").is_err() {
            return;
        }
        evict(&cache.join("native"), &self.dir, CACHE_BYTES);
    }
}

/// Removes least recently used index directories below `root` until all together hold at most `most` bytes.
pub fn evict(root: &Path, keep: &Path, most: u64) {
    let mut found: Vec<(SystemTime, u64, PathBuf)> = Vec::new();
    for repository in fs::read_dir(root).into_iter().flatten().flatten() {
        for version in fs::read_dir(repository.path()).into_iter().flatten().flatten() {
            let dir = version.path();
            let files = fs::read_dir(&dir).into_iter().flatten().flatten();
            let size: u64 = files.filter_map(|f| f.metadata().ok()).map(|m| m.len()).sum();
            let used = fs::metadata(dir.join("used"))
                .and_then(|m| m.modified())
                .unwrap_or(SystemTime::UNIX_EPOCH);
            found.push((used, size, dir));
        }
    }
    found.sort();
    let mut total: u64 = found.iter().map(|f| f.1).sum();
    for (_, size, dir) in found {
        if total <= most {
            return;
        }
        if dir == keep {
            continue;
        }
        let free = File::options()
            .write(true)
            .open(dir.join("lock"))
            .is_ok_and(|f| f.try_lock().is_ok());
        if free && fs::remove_dir_all(&dir).is_ok() {
            total -= size;
            if let Some(repository) = dir.parent() {
                let _ = fs::remove_dir(repository);
            }
        }
    }
}
