//! Trees on disk for the suites: files in a temporary directory and the manifest that a walk of them would give.

use std::collections::BTreeMap;
use std::sync::Arc;
use understory_core::answer::NotSearched;
use understory_core::fingerprint::ContentHash;
use understory_core::path::RepoPath;
use understory_core::staged::StagedSet;
use understory_core::tree::{EntryKind, Tree, TreeEntry};

/// Files in a temporary directory, removed when dropped.
pub struct Files {
    dir: tempfile::TempDir,
    files: BTreeMap<RepoPath, (EntryKind, Vec<u8>)>,
}

impl Files {
    /// Writes the files.
    pub fn new(files: &[(&str, &str)]) -> std::io::Result<Files> {
        let mut out = Files {
            dir: tempfile::tempdir()?,
            files: BTreeMap::new(),
        };
        for (path, text) in files {
            out.write(path, text)?;
        }
        Ok(out)
    }

    /// Writes or replaces one.
    pub fn write(&mut self, path: &str, text: &str) -> std::io::Result<()> {
        self.write_bytes(path, text.as_bytes())
    }

    /// Writes or replaces one that need not be text.
    pub fn write_bytes(&mut self, path: &str, bytes: &[u8]) -> std::io::Result<()> {
        let (path, at) = self.place(path)?;
        std::fs::write(at, bytes)?;
        self.files.insert(path, (EntryKind::File, bytes.to_vec()));
        Ok(())
    }

    /// Makes a symbolic link.
    #[cfg(unix)]
    pub fn link(&mut self, path: &str, target: &str) -> std::io::Result<()> {
        let (path, at) = self.place(path)?;
        std::os::unix::fs::symlink(target, at)?;
        self.files
            .insert(path, (EntryKind::Symlink, target.as_bytes().to_vec()));
        Ok(())
    }

    fn place(&self, path: &str) -> std::io::Result<(RepoPath, std::path::PathBuf)> {
        let path = RepoPath::new(path).map_err(std::io::Error::other)?;
        let at = self.dir.path().join(path.as_str());
        if let Some(parent) = at.parent() {
            std::fs::create_dir_all(parent)?;
        }
        Ok((path, at))
    }

    /// Every file with its bytes and every link with its target's text, by path.
    pub fn iter(&self) -> impl Iterator<Item = (&RepoPath, EntryKind, &[u8])> {
        self.files
            .iter()
            .map(|(path, (kind, bytes))| (path, *kind, bytes.as_slice()))
    }

    /// The tree of the files under a staged set in its JSON form (`null` for none).
    pub fn tree(&self, staged: &serde_json::Value) -> Result<Tree, String> {
        let staged = match staged {
            serde_json::Value::Null => StagedSet::new(),
            value => StagedSet::from_json(value).map_err(|e| e.to_string())?,
        };
        let entry = |(kind, bytes): &(EntryKind, Vec<u8>)| TreeEntry {
            kind: *kind,
            executable: false,
            size: bytes.len() as u64,
            hash: ContentHash::of(bytes),
        };
        let disk: BTreeMap<RepoPath, TreeEntry> = self.files.iter().map(|(p, b)| (p.clone(), entry(b))).collect();
        let root = self.dir.path().canonicalize().map_err(|e| e.to_string())?;
        Ok(Tree::new(
            root,
            false,
            None,
            Arc::new(disk),
            staged,
            NotSearched::default(),
        ))
    }

    /// The text of a file as written.
    pub fn text(&self, path: &RepoPath) -> Option<&str> {
        self.files
            .get(path)
            .and_then(|(_, bytes)| std::str::from_utf8(bytes).ok())
    }
}
