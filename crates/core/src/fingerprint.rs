//! Names for bytes and for trees.

use crate::path::RepoPath;
use crate::staged::{StagedChange, StagedSet};
use crate::tree::{EntryKind, TreeEntry};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fmt;

/// Sha-256 of a file's bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ContentHash(pub [u8; 32]);

impl ContentHash {
    /// The hash of bytes.
    pub fn of(bytes: &[u8]) -> Self {
        ContentHash(Sha256::digest(bytes).into())
    }
}

impl fmt::Debug for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(self.0))
    }
}

/// Sha-256 that names a tree: same bytes, same fingerprint.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Fingerprint(pub [u8; 32]);

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(self.0))
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl TryFrom<String> for Fingerprint {
    type Error = String;
    fn try_from(text: String) -> Result<Self, String> {
        let mut out = [0u8; 32];
        hex::decode_to_slice(&text, &mut out).map_err(|e| e.to_string())?;
        Ok(Fingerprint(out))
    }
}

impl From<Fingerprint> for String {
    fn from(f: Fingerprint) -> String {
        f.to_string()
    }
}

/// Hashes fields with their lengths before them, so that no two lists of fields share their bytes.
struct Fields(Sha256);

impl Fields {
    fn new(domain: &str) -> Self {
        let mut fields = Fields(Sha256::new());
        fields.put(domain.as_bytes());
        fields
    }

    fn put(&mut self, bytes: &[u8]) {
        self.0.update((bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
    }

    fn end(self) -> [u8; 32] {
        self.0.finalize().into()
    }
}

fn kind_byte(kind: EntryKind) -> u8 {
    match kind {
        EntryKind::File => b'f',
        EntryKind::Symlink => b'l',
        EntryKind::Submodule => b's',
    }
}

/// The fingerprint of a tree: domain tag, HEAD commit id (or none), the entries on disk sorted by path (path, kind, mode,
/// sha-256), then the staged changes sorted by path (path, kind, sha-256 of contents or "deleted").
pub fn fingerprint<'a>(
    head: Option<&str>,
    entries: impl Iterator<Item = (&'a RepoPath, &'a TreeEntry)>,
    staged: &StagedSet,
) -> Fingerprint {
    let mut f = Fields::new("understory tree 1");
    match head {
        Some(id) => {
            f.put(b"head");
            f.put(id.as_bytes());
        }
        None => f.put(b"no head"),
    }
    f.put(b"disk");
    put_entries(&mut f, entries);
    f.put(b"staged");
    for (path, change) in staged.iter() {
        f.put(path.as_str().as_bytes());
        match change {
            StagedChange::Write { bytes, executable } => {
                f.put(if *executable { b"fx" } else { b"f-" });
                f.put(&ContentHash::of(bytes).0);
            }
            StagedChange::Symlink { target } => {
                f.put(b"l-");
                f.put(&ContentHash::of(target.as_bytes()).0);
            }
            StagedChange::Delete => f.put(b"deleted"),
        }
    }
    Fingerprint(f.end())
}

/// What names the files on disk alone, for the keys of indexes: a commit that changes no byte keeps it.
pub fn disk_key<'a>(entries: impl Iterator<Item = (&'a RepoPath, &'a TreeEntry)>) -> Fingerprint {
    let mut f = Fields::new("understory disk 1");
    put_entries(&mut f, entries);
    Fingerprint(f.end())
}

fn put_entries<'a>(f: &mut Fields, entries: impl Iterator<Item = (&'a RepoPath, &'a TreeEntry)>) {
    for (path, entry) in entries {
        f.put(path.as_str().as_bytes());
        f.put(&[kind_byte(entry.kind), if entry.executable { b'x' } else { b'-' }]);
        f.put(&entry.hash.0);
    }
}
