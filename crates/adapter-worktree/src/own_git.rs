//! The `.git` of a written tree: a repository of its own, so that tools which ask git see exactly the tree's files and
//! nothing of the repository that they came from.

use std::io;
use std::path::Path;
use understory_core::path::RepoPath;

/// The empty blob. Entries are "intent to add": git lists them and needs no object for them.
const EMPTY_BLOB: &str = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391";
const EXTENDED: u16 = 0x4000;
const INTENT_TO_ADD: u16 = 1 << 13;

/// A line of the index.
pub(crate) struct Listed<'a> {
    pub(crate) path: &'a RepoPath,
    pub(crate) mode: u32,
    /// The commit of a submodule.
    pub(crate) commit: Option<git2::Oid>,
}

pub(crate) const FILE: u32 = 0o100_644;
pub(crate) const EXECUTABLE: u32 = 0o100_755;
pub(crate) const LINK: u32 = 0o120_000;
pub(crate) const SUBMODULE: u32 = 0o160_000;

/// Makes the repository in a written tree.
pub(crate) fn init(dir: &Path) -> io::Result<()> {
    let mut options = git2::RepositoryInitOptions::new();
    options.external_template(false).no_reinit(true).initial_head("main");
    git2::Repository::init_opts(dir, &options).map_err(io::Error::other)?;
    Ok(())
}

/// Writes the index of a repository that has none yet.
pub(crate) fn write_index<'a>(dir: &Path, entries: impl Iterator<Item = Listed<'a>>) -> io::Result<()> {
    let path = dir.join(".git").join("index");
    let empty = git2::Oid::from_str(EMPTY_BLOB).map_err(io::Error::other)?;
    let zero = || git2::IndexTime::new(0, 0);
    let mut index = git2::Index::open(&path).map_err(io::Error::other)?;
    for entry in entries {
        let (flags, flags_extended) = match entry.commit {
            Some(_) => (0, 0),
            None => (EXTENDED, INTENT_TO_ADD),
        };
        index
            .add(&git2::IndexEntry {
                ctime: zero(),
                mtime: zero(),
                dev: 0,
                ino: 0,
                mode: entry.mode,
                uid: 0,
                gid: 0,
                file_size: 0,
                id: entry.commit.unwrap_or(empty),
                flags,
                flags_extended,
                path: entry.path.as_str().as_bytes().to_vec(),
            })
            .map_err(io::Error::other)?;
    }
    index.write().map_err(io::Error::other)
}
