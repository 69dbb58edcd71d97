//! The staged set held against the links on disk.

use std::collections::BTreeMap;
use std::path::Path;
use understory_core::path::RepoPath;
use understory_core::staged::{StagedChange, StagedError, StagedSet};

/// Refuses a staged path that goes through a link on disk which leaves the tree, and a staged link whose target does.
/// A link that the set itself replaces or deletes is no longer in the way.
pub(crate) fn check(root: &Path, staged: &StagedSet) -> Result<(), StagedError> {
    let mut leaving: BTreeMap<RepoPath, bool> = BTreeMap::new();
    for (path, change) in staged.iter() {
        if let Some(link) = leaving_link_above(root, path, staged, &mut leaving) {
            return Err(StagedError::ThroughLink {
                path: path.clone(),
                link,
            });
        }
        if let StagedChange::Symlink { target } = change
            && let Some(resolved) = resolve(path, target)
            && (leaves(root, &resolved, staged, &mut leaving)
                || leaving_link_above(root, &resolved, staged, &mut leaving).is_some())
        {
            return Err(StagedError::LinkLeaves {
                path: path.clone(),
                target: target.to_string(),
            });
        }
    }
    Ok(())
}

/// Where a link's text leads, parts of links on the way not looked at.
fn resolve(link: &RepoPath, target: &str) -> Option<RepoPath> {
    let mut parts: Vec<&str> = link.as_str().split('/').collect();
    parts.pop();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    RepoPath::new(&parts.join("/")).ok()
}

fn leaving_link_above(
    root: &Path,
    path: &RepoPath,
    staged: &StagedSet,
    leaving: &mut BTreeMap<RepoPath, bool>,
) -> Option<RepoPath> {
    let mut above = path.parent();
    while let Some(dir) = above.filter(|d| !d.is_root()) {
        if leaves(root, &dir, staged, leaving) {
            return Some(dir);
        }
        above = dir.parent();
    }
    None
}

/// Whether a path is a link on disk, not itself staged, that leads out of the tree or to nothing.
fn leaves(root: &Path, path: &RepoPath, staged: &StagedSet, leaving: &mut BTreeMap<RepoPath, bool>) -> bool {
    if staged.get(path).is_some() {
        return false;
    }
    if let Some(&known) = leaving.get(path) {
        return known;
    }
    let host = root.join(path.as_str());
    let is_link = host.symlink_metadata().is_ok_and(|m| m.is_symlink());
    let leaves = is_link
        && !host
            .canonicalize()
            .is_ok_and(|end| end.starts_with(root) && !end.starts_with(root.join(".git")));
    leaving.insert(path.clone(), leaves);
    leaves
}
