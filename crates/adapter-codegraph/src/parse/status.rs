//! The JSON of `status`: what an index says of itself.

use super::{Unreadable, json};
use serde::Deserialize;

/// The state of an index.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Status {
    /// Whether there is an index.
    pub initialized: bool,
    /// The version of the tool.
    pub version: String,
    /// The root that the answer is about.
    pub project_path: String,
    /// Files in the index.
    pub file_count: u64,
    /// What changed since.
    pub pending_changes: Pending,
    /// Whether the index belongs to another work tree.
    pub worktree_mismatch: Option<serde_json::Value>,
    /// How it was built.
    pub index: Built,
}

/// Files that changed since the index was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Pending {
    /// New ones.
    pub added: u64,
    /// Changed ones.
    pub modified: u64,
    /// Ones that are gone.
    pub removed: u64,
}

/// How an index was built.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Built {
    /// The version that built it.
    pub built_with_version: Option<String>,
    /// Whether the tool would rather build it anew.
    pub reindex_recommended: bool,
    /// `complete`, or what it was at when it was interrupted.
    pub state: String,
    /// References that are not resolved yet.
    pub pending_refs: u64,
}

impl Status {
    /// Whether all of the tree is in it, in the form that this version makes.
    pub fn is_whole(&self) -> bool {
        self.initialized
            && self.is_complete()
            && !self.index.reindex_recommended
            && self.pending_changes == Pending::default()
            && self.worktree_mismatch.is_none()
    }

    /// Whether its build came to its end.
    pub fn is_complete(&self) -> bool {
        self.index.state == "complete" && self.index.pending_refs == 0
    }
}

/// Reads it.
pub fn parse(text: &str) -> Result<Status, Unreadable> {
    let status: Status = json(text)?;
    if status.version.is_empty() {
        return Err(Unreadable("it holds no version".to_owned()));
    }
    Ok(status)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recorded_status() {
        let status = parse(include_str!("../../tests/samples/status.json")).unwrap();
        assert!(status.is_whole(), "{status:?}");
        assert_eq!((status.version.as_str(), status.file_count), ("1.6.1", 4));
        let mut stale = status.clone();
        stale.pending_changes.removed = 1;
        assert!(!stale.is_whole() && stale.is_complete());
        let mut partial = status;
        partial.index.pending_refs = 7;
        assert!(!partial.is_complete());
    }

    #[test]
    fn no_index_and_no_status() {
        let text = r#"{"initialized":false,"version":"1.6.1","projectPath":"/u","lastIndexed":null}"#;
        assert!(!parse(text).unwrap().initialized);
        for text in ["", "{}", "[]", "nothing", "{\"version\": 1}"] {
            assert!(parse(text).is_err(), "{text:?}");
        }
    }
}
