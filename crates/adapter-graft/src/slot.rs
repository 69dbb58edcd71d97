//! Indexes in the cache: a slot for each repository, version, options and tree. A slot is made beside and renamed, its
//! sidecar is written last, whoever reads it holds its lock together with others and whoever makes it alone.

use crate::graph::GRAPH;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use tempfile::TempDir;
use understory_core::staged::StagedSet;
use understory_core::tree::Tree;

/// Slots of one repository that are kept.
const KEPT: usize = 8;

/// Changes when what a slot holds does.
const FORMAT: &str = "understory graft slot 1";

const SIDECAR: &str = "sidecar.json";
const INDEX: &str = "graft";
const NEW: &str = "new-";
/// Where Graft keeps what it parsed, by the bytes that it was parsed from.
const MEMO: &str = ".cache";

/// What is known of a slot. Written when the build was good.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sidecar {
    /// The slot's key, which names all of it.
    pub key: String,
    /// Graft's version.
    pub version: String,
    /// What names the files on disk.
    pub disk: String,
    /// Whether something is staged on top of them.
    pub staged: bool,
}

/// Where the indexes of one repository lie.
#[derive(Clone, Debug)]
pub struct Shelf {
    dir: PathBuf,
}

/// One index.
#[derive(Clone, Debug)]
pub struct Slot {
    shelf: Shelf,
    about: Sidecar,
}

impl Shelf {
    /// Of the repository at this place.
    pub fn of(cache: &Path, root: &Path) -> Shelf {
        let canonical = root.canonicalize().unwrap_or_else(|_| root.to_owned());
        let id = hex::encode(&Sha256::digest(canonical.as_os_str().as_encoded_bytes())[..6]);
        Shelf {
            dir: cache.join("graft").join("index").join(id),
        }
    }

    /// The slot of a tree. `options` is whatever else changes what is indexed.
    pub fn slot(&self, version: &str, options: &str, tree: &Tree) -> Slot {
        let disk = tree.disk_key().to_string();
        let mut hash = Sha256::new();
        let mut put = |field: &[u8]| {
            hash.update((field.len() as u64).to_le_bytes());
            hash.update(field);
        };
        for field in [FORMAT, version, options, disk.as_str()] {
            put(field.as_bytes());
        }
        for (path, change) in tree.staged().iter() {
            put(path.as_str().as_bytes());
            put(format!("{:?}", std::mem::discriminant(change)).as_bytes());
            match StagedSet::content_hash(change) {
                Some(content) => put(&content.0),
                None => put(b"deleted"),
            }
        }
        Slot {
            shelf: self.clone(),
            about: Sidecar {
                key: hex::encode(&hash.finalize()[..16]),
                version: version.to_owned(),
                disk,
                staged: !tree.staged().is_empty(),
            },
        }
    }

    /// Whole slots, the last made first.
    fn whole(&self) -> Vec<(SystemTime, Sidecar)> {
        let entries = fs::read_dir(&self.dir).into_iter().flatten().filter_map(Result::ok);
        let mut out: Vec<(SystemTime, Sidecar)> = entries
            .filter_map(|entry| {
                let made = entry.path().join(SIDECAR).metadata().ok()?.modified().ok()?;
                let about = sidecar(&entry.path())?;
                (entry.file_name().to_str() == Some(&about.key)).then_some((made, about))
            })
            .collect();
        out.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.key.cmp(&b.1.key)));
        out
    }

    fn lock_file(&self, key: &str) -> io::Result<File> {
        let path = self.dir.join(format!("{key}.lock"));
        File::options().create(true).truncate(false).write(true).open(path)
    }

    /// Removes what makers of other slots left that were killed.
    fn sweep(&self, but: &str) {
        for entry in fs::read_dir(&self.dir).into_iter().flatten().filter_map(Result::ok) {
            let name = entry.file_name();
            let made = name.to_str().and_then(|name| name.strip_prefix(NEW)?.split('-').next());
            let is_key = |key: &&str| !key.is_empty() && key.bytes().all(|b| b.is_ascii_hexdigit());
            let Some(key) = made.filter(is_key).filter(|key| *key != but) else {
                continue;
            };
            if let Ok(lock) = self.lock_file(key)
                && lock.try_lock().is_ok()
            {
                let _ = fs::remove_dir_all(entry.path());
            }
        }
    }

    /// Removes the oldest slots beyond those that are kept. One that somebody reads or makes stays.
    fn evict(&self, but: &str) {
        for (_, about) in self.whole().into_iter().skip(KEPT) {
            if about.key == but {
                continue;
            }
            if let Ok(lock) = self.lock_file(&about.key)
                && lock.try_lock().is_ok()
            {
                let _ = fs::remove_dir_all(self.dir.join(&about.key));
            }
        }
    }
}

fn sidecar(dir: &Path) -> Option<Sidecar> {
    let about = serde_json::from_slice(&fs::read(dir.join(SIDECAR)).ok()?).ok()?;
    dir.join(INDEX).join(GRAPH).is_file().then_some(about)
}

fn taken(locked: Result<(), TryLockError>) -> io::Result<bool> {
    match locked {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(e)) => Err(e),
    }
}

/// An index that is being made.
#[derive(Debug)]
pub struct Making {
    dir: TempDir,
}

impl Making {
    /// Where Graft writes it: a directory that it owns alone.
    pub fn index(&self) -> PathBuf {
        self.dir.path().join(INDEX)
    }
}

impl Slot {
    /// Names all of what the slot stands for.
    pub fn key(&self) -> &str {
        &self.about.key
    }

    fn dir(&self) -> PathBuf {
        self.shelf.dir.join(&self.about.key)
    }

    /// Where the index is.
    pub fn index(&self) -> PathBuf {
        self.dir().join(INDEX)
    }

    /// Whether it is there, with a good build behind it.
    pub fn is_whole(&self) -> bool {
        sidecar(&self.dir()).is_some_and(|about| about == self.about)
    }

    /// Takes the slot for reading if it is whole; it stays as it is while the lock is held.
    pub fn open(&self) -> io::Result<Option<File>> {
        if !self.is_whole() {
            return Ok(None);
        }
        let lock = self.shelf.lock_file(&self.about.key)?;
        if !taken(lock.try_lock_shared())? {
            return Ok(None);
        }
        Ok(self.is_whole().then_some(lock))
    }

    /// Takes the slot for making it; `None` while others read or make it.
    pub fn try_lock(&self) -> io::Result<Option<File>> {
        fs::create_dir_all(&self.shelf.dir)?;
        let lock = self.shelf.lock_file(&self.about.key)?;
        Ok(taken(lock.try_lock())?.then_some(lock))
    }

    /// Begins to make the index. For the holder of the lock. What a holder that was killed left is removed.
    pub fn make(&self) -> io::Result<Making> {
        let prefix = format!("{NEW}{}-", self.about.key);
        for entry in fs::read_dir(&self.shelf.dir)?.filter_map(Result::ok) {
            if entry.file_name().to_string_lossy().starts_with(&prefix) {
                fs::remove_dir_all(entry.path())?;
            }
        }
        let dir = tempfile::Builder::new().prefix(&prefix).tempdir_in(&self.shelf.dir)?;
        fs::create_dir(dir.path().join(INDEX))?;
        Ok(Making { dir })
    }

    /// Gives a new index what the nearest other one knows of parsed files: that of the same files on disk, else the last one
    /// made by the same version. Never its graph, so that a build which writes none is seen. Says whether there was any.
    pub fn seed(&self, making: &Making) -> io::Result<bool> {
        let mut near: Vec<Sidecar> = self.shelf.whole().into_iter().map(|(_, about)| about).collect();
        near.retain(|about| about.version == self.about.version && about.key != self.about.key);
        near.sort_by_key(|about| (about.disk != self.about.disk, about.staged));
        let Some(nearest) = near.first() else { return Ok(false) };
        let lock = self.shelf.lock_file(&nearest.key)?;
        if !taken(lock.try_lock_shared())? {
            return Ok(false);
        }
        let from = self.shelf.dir.join(&nearest.key).join(INDEX).join(MEMO);
        let to = making.index().join(MEMO);
        let mut any = false;
        for entry in fs::read_dir(from).into_iter().flatten().filter_map(Result::ok) {
            let name = entry.file_name();
            let is_memo = name
                .to_str()
                .is_some_and(|name| name.starts_with("extract.") || name.starts_with("fingerprint."));
            if is_memo && entry.file_type()?.is_file() {
                fs::create_dir_all(&to)?;
                fs::copy(entry.path(), to.join(name))?;
                any = true;
            }
        }
        Ok(any)
    }

    /// Puts the index in its place. For the holder of the lock, after a good build.
    pub fn keep(&self, making: Making) -> io::Result<()> {
        fs::write(making.dir.path().join(SIDECAR), serde_json::to_vec(&self.about)?)?;
        match fs::remove_dir_all(self.dir()) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(e),
            _ => {}
        }
        fs::rename(making.dir.keep(), self.dir())?;
        self.shelf.evict(&self.about.key);
        self.shelf.sweep(&self.about.key);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};
    use std::collections::BTreeSet;
    use understory_ports::conformance::tree::Files;

    fn tree(staged: &Value) -> Tree {
        Files::new(&[("a.py", "x = 1\n")]).unwrap().tree(staged).unwrap()
    }

    fn make(slot: &Slot, memo: &str) {
        let _held = slot.try_lock().unwrap().unwrap();
        let making = slot.make().unwrap();
        slot.seed(&making).unwrap();
        for (file, text) in [
            (GRAPH, "{}"),
            (&*format!(".cache/{memo}"), "m"),
            (".cache/ask-index.json", "{}"),
        ] {
            let file = making.index().join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        slot.keep(making).unwrap();
    }

    #[test]
    fn each_repository_version_option_and_tree_has_a_slot_of_its_own() {
        let (plain, cache) = (tree(&Value::Null), Path::new("/c"));
        let shelf = Shelf::of(cache, Path::new("/r"));
        let mut keys = BTreeSet::new();
        for slot in [
            shelf.slot("1", "", &plain),
            shelf.slot("2", "", &plain),
            shelf.slot("1", "written", &plain),
            shelf.slot("1", "", &tree(&json!({"a.py": "x = 2\n"}))),
            shelf.slot("1", "", &tree(&json!({"a.py": null}))),
            shelf.slot("1", "", &tree(&json!({"b.py": "x = 2\n"}))),
            shelf.slot(
                "1",
                "",
                &Files::new(&[("a.py", "x = 3\n")]).unwrap().tree(&Value::Null).unwrap(),
            ),
        ] {
            assert!(keys.insert(slot.key().to_owned()), "{slot:?}");
        }
        assert_eq!(
            shelf.slot("1", "", &plain).key(),
            shelf.slot("1", "", &tree(&Value::Null)).key()
        );
        let other = Shelf::of(cache, Path::new("/other"));
        assert_ne!(other.slot("1", "", &plain).dir(), shelf.slot("1", "", &plain).dir());
    }

    #[test]
    fn a_slot_is_whole_or_not_there_and_its_readers_keep_it() {
        let cache = tempfile::tempdir().unwrap();
        let slot = Shelf::of(cache.path(), Path::new("/r")).slot("1", "", &tree(&Value::Null));
        assert!(slot.open().unwrap().is_none());
        // A build that ended badly leaves nothing.
        let held = slot.try_lock().unwrap().unwrap();
        assert!(slot.try_lock().unwrap().is_none(), "one maker at a time");
        drop(slot.make().unwrap());
        drop(held);
        assert!(slot.open().unwrap().is_none());
        // So does one that was killed.
        let dead = slot.shelf.dir.join(format!("{NEW}{}-dead", slot.key()));
        fs::create_dir_all(&dead).unwrap();
        // One of another slot goes too, unless that is being made at this moment.
        let others = ["2", "3"].map(|version| slot.shelf.slot(version, "", &tree(&Value::Null)));
        let left = others
            .each_ref()
            .map(|other| slot.shelf.dir.join(format!("{NEW}{}-left", other.key())));
        left.iter().for_each(|dir| fs::create_dir_all(dir).unwrap());
        let making = others[1].try_lock().unwrap().unwrap();
        make(&slot, "extract.1.json");
        assert!(!dead.exists());
        assert!(!left[0].exists() && left[1].is_dir());
        drop(making);
        let (one, two) = (slot.open().unwrap().unwrap(), slot.open().unwrap().unwrap());
        assert!(slot.try_lock().unwrap().is_none(), "not while it is read");
        drop((one, two));
        assert!(slot.try_lock().unwrap().is_some());
        fs::remove_file(slot.index().join(GRAPH)).unwrap();
        assert!(slot.open().unwrap().is_none(), "an index without its graph is none");
    }

    #[test]
    fn a_new_slot_is_given_what_the_nearest_one_parsed_and_no_graph() {
        let cache = tempfile::tempdir().unwrap();
        let shelf = Shelf::of(cache.path(), Path::new("/r"));
        let base = shelf.slot("1", "", &tree(&Value::Null));
        make(&base, "extract.base.json");
        let other = Files::new(&[("a.py", "x = 9\n")]).unwrap();
        make(
            &shelf.slot("1", "", &other.tree(&Value::Null).unwrap()),
            "extract.other.json",
        );
        make(&shelf.slot("2", "", &tree(&Value::Null)), "extract.version.json");
        let staged = shelf.slot("1", "", &tree(&json!({"b.py": "y = 1\n"})));
        let _held = staged.try_lock().unwrap().unwrap();
        let making = staged.make().unwrap();
        assert!(staged.seed(&making).unwrap());
        let names: Vec<_> = fs::read_dir(making.index().join(MEMO))
            .unwrap()
            .map(|e| e.unwrap().file_name())
            .collect();
        assert_eq!(names, ["extract.base.json"]);
        assert!(!making.index().join(GRAPH).exists());
    }

    #[test]
    fn the_oldest_go_and_what_is_read_stays() {
        let cache = tempfile::tempdir().unwrap();
        let shelf = Shelf::of(cache.path(), Path::new("/r"));
        let slots: Vec<Slot> = (0..KEPT + 3)
            .map(|n| shelf.slot("1", &n.to_string(), &tree(&Value::Null)))
            .collect();
        make(&slots[0], "x");
        let read = slots[0].open().unwrap().unwrap();
        for slot in &slots[1..] {
            make(slot, "x");
        }
        assert!(slots[0].open().unwrap().is_some(), "it is being read");
        let whole = shelf.whole().len();
        assert!((KEPT..=KEPT + 1).contains(&whole), "{whole}");
        assert!(slots.last().unwrap().open().unwrap().is_some());
        drop(read);
    }
}
