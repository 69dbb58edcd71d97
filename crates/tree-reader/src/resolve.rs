//! Where a path of the tree leads, its links followed inside the tree.

use super::Reader;
use understory_core::guard::Verdict;
use understory_core::path::RepoPath;
use understory_core::tree::EntryKind;

/// How many links are followed, as kernels have it.
const MAX_LINKS: u32 = 40;

/// What a path resolves to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Resolved {
    /// A regular file of the tree.
    File(RepoPath),
    /// A directory that has files of the tree below it; the root too.
    Dir(RepoPath),
    /// A submodule or nested repository, or something below one.
    Nested(RepoPath),
    /// The guard protects the path, or one that a link on the way leads to.
    Protected,
    /// The tree has no such path.
    Missing,
    /// A link on the way leads out of the tree, in a circle, or to nothing.
    BrokenLink,
}

impl Reader<'_> {
    /// Follows a path through the tree, as a reader on disk would, and judges every path on the way. Whether a path is
    /// protected is said before whether it exists.
    pub fn resolve(&self, path: &RepoPath) -> Resolved {
        let mut links = 0;
        let mut rest: Vec<String> = parts(path.as_str());
        rest.reverse();
        let mut at = RepoPath::root();
        if self.guard.judge(path) == Verdict::Protected {
            return Resolved::Protected;
        }
        while let Some(part) = rest.pop() {
            if part == ".." {
                match at.parent() {
                    Some(parent) => at = parent,
                    None => return Resolved::BrokenLink,
                }
                continue;
            }
            let Ok(next) = RepoPath::new(format!("{at}/{part}").trim_start_matches('/')) else {
                // `.git`, or a name that no path has.
                return if part.eq_ignore_ascii_case(".git") {
                    Resolved::Protected
                } else {
                    Resolved::Missing
                };
            };
            if self.guard.judge(&next) == Verdict::Protected {
                return Resolved::Protected;
            }
            match self.tree.get(&next).map(|f| f.entry.kind) {
                Some(EntryKind::Symlink) => {
                    links += 1;
                    let Some(target) = self.link_target(&next).filter(|_| links <= MAX_LINKS) else {
                        return Resolved::BrokenLink;
                    };
                    let Some(target) = self.inside(&target) else {
                        return Resolved::BrokenLink;
                    };
                    if let Target::FromRoot(_) = target {
                        at = RepoPath::root();
                    }
                    let (Target::FromRoot(text) | Target::Relative(text)) = target;
                    rest.extend(parts(&text).into_iter().rev());
                }
                Some(EntryKind::Submodule) => return Resolved::Nested(next),
                Some(EntryKind::File) if rest.is_empty() => {
                    return if self.guard.judge(&next) == Verdict::NeedsHead && !self.head_is_open(&next) {
                        Resolved::Protected
                    } else {
                        Resolved::File(next)
                    };
                }
                Some(EntryKind::File) => {
                    return if links > 0 {
                        Resolved::BrokenLink
                    } else {
                        Resolved::Missing
                    };
                }
                None if self.tree.has_dir(&next) => at = next,
                // What is not in the tree may still be protected further down.
                None => {
                    let below = rest
                        .iter()
                        .rev()
                        .fold(next.as_str().to_owned(), |p, part| p + "/" + part);
                    let protected = RepoPath::new(&below).is_ok_and(|p| self.guard.judge(&p) == Verdict::Protected);
                    return if protected {
                        Resolved::Protected
                    } else if links > 0 {
                        Resolved::BrokenLink
                    } else {
                        Resolved::Missing
                    };
                }
            }
        }
        Resolved::Dir(at)
    }

    fn link_target(&self, link: &RepoPath) -> Option<String> {
        if let Some(target) = self.tree.staged_link(link) {
            return Some(target.to_owned());
        }
        let target = self.root.as_ref()?.read_link(link.as_str().as_bytes()).ok()?;
        String::from_utf8(target).ok()
    }

    /// A link's text as one inside the tree: an absolute one must begin with the root's host path.
    fn inside(&self, target: &str) -> Option<Target> {
        if !target.starts_with('/') {
            return Some(Target::Relative(target.to_owned()));
        }
        let root = self.tree.root().to_str()?.trim_end_matches('/');
        let below = target.strip_prefix(root)?;
        (below.is_empty() || below.starts_with('/')).then(|| Target::FromRoot(below.to_owned()))
    }
}

enum Target {
    FromRoot(String),
    Relative(String),
}

fn parts(path: &str) -> Vec<String> {
    path.split('/')
        .filter(|part| !part.is_empty() && *part != ".")
        .map(str::to_owned)
        .collect()
}
