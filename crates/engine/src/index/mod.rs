//! The index: segments of files, updated by what changed, kept in a cache.
//!
//! An index is a pure function of the tree's files: which segments there are, and the bytes of each, do not depend on
//! the order of edits, the number of threads, or whether it was built at once or bit by bit.

pub mod build;
pub mod classify;
pub mod degrees;
pub mod interface;
pub mod key;
pub mod layout;
pub mod record;
pub mod segment;
pub mod store;
pub mod update;

use degrees::Degrees;
use segment::Segment;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A package directory of the tree.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scope {
    /// Its path.
    pub path: Box<str>,
    /// Its name by its manifest.
    pub name: Box<str>,
    /// The manifest's kind.
    pub kind: Box<str>,
}

/// What an index says about the tree as a whole.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Meta {
    /// Names of the segments in shard order.
    pub segments: Vec<String>,
    /// The package directories of the tree, by path.
    pub scopes: Vec<Scope>,
    /// Name of the part that holds the symbols' degrees.
    pub degrees: String,
    /// Digest of the manifests that resolution reads.
    pub manifests: [u8; 32],
    /// Number of files.
    pub files: u32,
}

/// An index, ready to be asked. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Index {
    segments: Vec<Arc<Segment>>,
    degrees: Arc<Degrees>,
    meta: Arc<Meta>,
}

impl Index {
    pub(crate) fn new(segments: Vec<Arc<Segment>>, degrees: Arc<Degrees>, meta: Meta) -> Self {
        Index {
            segments,
            degrees,
            meta: Arc::new(meta),
        }
    }

    /// How many distinct symbols reference each symbol directly.
    pub fn degrees(&self) -> &Arc<Degrees> {
        &self.degrees
    }

    /// The segments, in shard order.
    pub fn segments(&self) -> &[Arc<Segment>] {
        &self.segments
    }

    /// What it says about the tree as a whole.
    pub fn meta(&self) -> &Meta {
        &self.meta
    }

    /// The package directory that holds a path: the deepest one; empty for none.
    pub fn scope_of(&self, path: &str) -> &str {
        let holds =
            |s: &&Scope| s.path.is_empty() || path.strip_prefix(&*s.path).is_some_and(|rest| rest.starts_with('/'));
        self.meta
            .scopes
            .iter()
            .filter(holds)
            .map(|s| &*s.path)
            .max_by_key(|p| p.len())
            .unwrap_or("")
    }
}
