//! Paths that may be meant by one that the tree does not have.

use super::Reader;
use std::collections::BTreeSet;
use understory_core::near::nearest_paths;
use understory_core::path::RepoPath;
use understory_core::tree::EntryKind;

/// How many are offered.
const NEAR: usize = 5;

/// How many are looked at, for some may be protected.
const CANDIDATES: usize = 40;

impl Reader<'_> {
    /// Files of the tree whose path is near to this one, nearest first. Never a protected one.
    pub fn near_files(&self, path: &RepoPath) -> Vec<String> {
        let files = self.tree.files();
        let candidates = files
            .iter()
            .filter(|f| f.entry.kind != EntryKind::Submodule)
            .map(|f| f.path.as_str());
        let mut near = nearest_paths(path.as_str(), candidates, CANDIDATES);
        near.retain(|text| {
            let path = RepoPath::new(text).ok();
            path.and_then(|p| self.tree.get(&p).map(|file| self.is_open(&file)))
                .unwrap_or(false)
        });
        near.truncate(NEAR);
        near
    }

    /// Directories of the tree that are near to this path, nearest first.
    pub fn near_dirs(&self, path: &RepoPath) -> Vec<String> {
        let files = self.open_files();
        let dirs: BTreeSet<&str> = files
            .iter()
            .flat_map(|f| f.path.as_str().match_indices('/').map(|(at, _)| &f.path.as_str()[..at]))
            .collect();
        nearest_paths(path.as_str(), dirs, NEAR)
    }
}
