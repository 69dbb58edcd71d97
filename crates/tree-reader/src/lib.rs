//! Reads and decodes the files of a tree, past the guard: what every reader of a tree shares.
//!
//! A [`Reader`] gives the text of a path as a session may see it: staged bytes before the disk's, UTF-16 with a mark
//! decoded, other text that is not UTF-8 read lossily, a file with NUL bytes named as binary, and nothing that the guard
//! protects. Links are followed only where they stay in the tree ([`Reader::resolve`]). Hashes are not verified.

pub mod beneath;
mod decode;
mod near;
mod resolve;

pub use decode::{decode, is_utf16};
pub use resolve::Resolved;

use beneath::Root;
use std::io::{self, Read};
use std::sync::Arc;
use understory_core::guard::{Guard, HEAD_BYTES, Verdict};
use understory_core::path::RepoPath;
use understory_core::staged::StagedChange;
use understory_core::tree::{EntryKind, Tree, TreeFile};

/// Longest file that is read.
pub const MAX_BYTES: u64 = 512 * 1024 * 1024;

/// The first bytes of a file that are looked at before the rest is read.
const PEEK_BYTES: usize = 8 * 1024;

/// What a path's file holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// Text, decoded, without a byte order mark.
    Text(String),
    /// It holds NUL bytes.
    Binary,
    /// It is longer than [`MAX_BYTES`].
    TooLarge,
    /// It cannot be opened or read; also a file that is gone or no longer a regular file since the walk.
    Unreadable,
    /// The guard protects it.
    Protected,
    /// The tree has no regular file of this path.
    Missing,
}

/// Reads the files of one tree.
#[derive(Debug)]
pub struct Reader<'a> {
    tree: &'a Tree,
    guard: &'a Guard,
    /// `None` when the root cannot be opened: then only staged files can be read.
    root: Option<Root>,
}

impl<'a> Reader<'a> {
    /// A reader of this tree under this guard.
    pub fn new(tree: &'a Tree, guard: &'a Guard) -> Self {
        let root = Root::open(tree.root()).ok();
        Reader { tree, guard, root }
    }

    /// The tree.
    pub fn tree(&self) -> &'a Tree {
        self.tree
    }

    /// The guard.
    pub fn guard(&self) -> &'a Guard {
        self.guard
    }

    /// The text of a regular file of the tree. Links are not followed.
    pub fn read(&self, path: &RepoPath) -> Content {
        let by_name = self.guard.judge(path);
        if by_name == Verdict::Protected {
            return Content::Protected;
        }
        let protects =
            |head: &[u8]| by_name == Verdict::NeedsHead && self.guard.judge_with_head(path, head) == Verdict::Protected;
        match self.tree.staged().get(path) {
            Some(StagedChange::Write { bytes, .. }) => {
                return if protects(bytes) {
                    Content::Protected
                } else if bytes.len() as u64 > MAX_BYTES {
                    Content::TooLarge
                } else {
                    decode(bytes.to_vec()).map_or(Content::Binary, Content::Text)
                };
            }
            Some(_) => return Content::Missing,
            None => {}
        }
        match self.tree.get(path) {
            Some(file) if file.entry.kind == EntryKind::File => {}
            _ => return Content::Missing,
        }
        self.read_disk(path, protects).unwrap_or(match by_name {
            // What a file with a telling name holds cannot be known.
            Verdict::NeedsHead => Content::Protected,
            _ => Content::Unreadable,
        })
    }

    fn read_disk(&self, path: &RepoPath, protects: impl Fn(&[u8]) -> bool) -> io::Result<Content> {
        let (mut file, stat) = self.open(path)?;
        let mut bytes = Vec::new();
        // One byte more than the file has, so that its end is seen without growing.
        let expected = usize::try_from(stat.st_size).unwrap_or(0).min(MAX_BYTES as usize) + 1;
        bytes.reserve_exact(expected.min(PEEK_BYTES + 1));
        (&mut file).take(PEEK_BYTES as u64).read_to_end(&mut bytes)?;
        if protects(&bytes) {
            return Ok(Content::Protected);
        }
        if !is_utf16(&bytes) && memchr::memchr(0, &bytes).is_some() {
            return Ok(Content::Binary);
        }
        if u64::try_from(stat.st_size).is_ok_and(|size| size > MAX_BYTES) {
            return Ok(Content::TooLarge);
        }
        bytes.reserve_exact(expected.saturating_sub(bytes.len()));
        (&mut file)
            .take(MAX_BYTES + 1 - bytes.len() as u64)
            .read_to_end(&mut bytes)?;
        if bytes.len() as u64 > MAX_BYTES {
            return Ok(Content::TooLarge);
        }
        Ok(decode(bytes).map_or(Content::Binary, Content::Text))
    }

    fn open(&self, path: &RepoPath) -> io::Result<(std::fs::File, rustix::fs::Stat)> {
        let root = self.root.as_ref().ok_or(io::ErrorKind::NotFound)?;
        root.open_file(path.as_str().as_bytes())
    }

    /// Whether the guard lets a session name and read this path of the tree: by its name, for some names by the file's
    /// first bytes, and for a link by what it resolves to.
    pub fn is_open(&self, file: &TreeFile<'_>) -> bool {
        match self.guard.judge(file.path) {
            Verdict::Protected => false,
            verdict if file.entry.kind == EntryKind::Symlink => {
                verdict == Verdict::NeedsHead && self.is_open_link_by_name(file.path)
                    || verdict == Verdict::Open && !matches!(self.resolve(file.path), Resolved::Protected)
            }
            Verdict::NeedsHead if file.entry.kind == EntryKind::File => self.head_is_open(file.path),
            _ => true,
        }
    }

    /// A link with a telling name is judged by the bytes that it leads to.
    fn is_open_link_by_name(&self, link: &RepoPath) -> bool {
        match self.resolve(link) {
            Resolved::File(path) => {
                let head = self.head(&path);
                head.is_some_and(|head| self.guard.judge_with_head(link, &head) == Verdict::Open)
            }
            Resolved::Protected => false,
            _ => true,
        }
    }

    /// Judges a file of the tree by its first bytes; one that cannot be read is not open.
    fn head_is_open(&self, path: &RepoPath) -> bool {
        self.head(path)
            .is_some_and(|head| self.guard.judge_with_head(path, &head) == Verdict::Open)
    }

    fn head(&self, path: &RepoPath) -> Option<Arc<[u8]>> {
        if let Some(StagedChange::Write { bytes, .. }) = self.tree.staged().get(path) {
            return Some(bytes.clone());
        }
        let mut head = Vec::with_capacity(HEAD_BYTES);
        let (file, _) = self.open(path).ok()?;
        file.take(HEAD_BYTES as u64).read_to_end(&mut head).ok()?;
        Some(head.into())
    }

    /// The tree's files and links that a session may be told of, in path order.
    pub fn open_files(&self) -> Vec<TreeFile<'a>> {
        let mut files = self.tree.files();
        files.retain(|file| self.is_open(file));
        files
    }
}
