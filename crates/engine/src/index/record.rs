//! One file as the index keeps it: what it says, its terms, and where its uses lead.

use crate::facts::{FileFacts, SymbolIx};
use crate::index::key::{FileKey, SymbolKey, key_of};
use crate::resolve::links::{Confidence, FileLinks, Relation};
use crate::resolve::tables::Summary;
use crate::terms::Bag;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Sha-256 of a file's bytes.
pub type Hash = [u8; 32];

/// What a file is beyond its language, one bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileFlags(pub u32);

impl FileFlags {
    /// A test by its path.
    pub const TEST: u32 = 1;
    /// Written by a program, by its name or first lines.
    pub const GENERATED: u32 = 1 << 1;
    /// Minified: few, very long lines.
    pub const MINIFIED: u32 = 1 << 2;
    /// Third-party code kept in the tree.
    pub const VENDORED: u32 = 1 << 3;
    /// Holds NUL bytes: not searched.
    pub const BINARY: u32 = 1 << 4;
    /// Could not be read.
    pub const UNREADABLE: u32 = 1 << 5;
    /// Of no language that is parsed.
    pub const UNSUPPORTED: u32 = 1 << 6;
    /// Its parse stopped early; it has no symbols.
    pub const TRUNCATED: u32 = 1 << 7;
    /// An example, a demo, a benchmark or documentation code by its path.
    pub const EXAMPLE: u32 = 1 << 8;
    /// Its syntax could not be read in places.
    pub const SYNTAX_ERRORS: u32 = 1 << 9;

    /// Whether any bit of `bits` is set.
    pub fn any(self, bits: u32) -> bool {
        self.0 & bits != 0
    }

    /// Code that is nobody's first answer: generated, minified or third-party.
    pub fn is_secondary(self) -> bool {
        self.any(Self::GENERATED | Self::MINIFIED | Self::VENDORED)
    }
}

/// What one file says, as read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileBody {
    /// Definitions and uses; empty for a file of no known language.
    pub facts: Arc<FileFacts>,
    /// Terms.
    pub bag: Arc<Bag>,
}

/// [`FileLinks`] with keys in place of positions, so that it holds while other files come and go.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyLinks {
    /// Site, key of the target, relation, confidence.
    pub links: Vec<(u32, u64, Relation, Confidence)>,
    /// As in [`FileLinks`].
    pub loose: Vec<u32>,
    /// As in [`FileLinks`].
    pub unbound: Vec<u32>,
    /// Member and key of what it overrides.
    pub overrides: Vec<(SymbolIx, u64)>,
    /// Keys of the files that were consulted, sorted.
    pub consulted: Vec<u64>,
}

impl KeyLinks {
    /// Puts keys in place of positions; `file` gives a file's key and its symbols' keys.
    pub fn new(links: &FileLinks, file: impl Fn(u32) -> (FileKey, Arc<Vec<SymbolKey>>)) -> Self {
        let key = |target: crate::resolve::links::Target| {
            let (f, keys) = file(target.file);
            key_of(f, &keys, target.symbol).0
        };
        let mut consulted: Vec<u64> = links.consulted.iter().map(|&f| file(f).0.0).collect();
        consulted.sort_unstable();
        KeyLinks {
            links: links
                .links
                .iter()
                .map(|l| (l.site, key(l.target), l.relation, l.confidence))
                .collect(),
            loose: links.loose.clone(),
            unbound: links.unbound.clone(),
            overrides: links.overrides.iter().map(|o| (o.member, key(o.base))).collect(),
            consulted,
        }
    }
}

/// A file as it goes into a segment.
#[derive(Clone, Debug)]
pub struct FileRecord {
    /// Its path.
    pub path: Box<str>,
    /// Sha-256 of its bytes.
    pub hash: Hash,
    /// Its size in bytes.
    pub size: u64,
    /// Name of its language; empty for none.
    pub language: &'static str,
    /// What else it is.
    pub flags: FileFlags,
    /// What it says.
    pub body: FileBody,
    /// Where its uses lead.
    pub links: Arc<KeyLinks>,
    /// What the tables of resolution hold of it, under the manifests of the tree.
    pub summary: Arc<Summary>,
}
