//! Ignore rules, read only where an untracked entry asks for them.
//!
//! Precedence as ripgrep has it: `.ignore` files from the entry's directory upwards, then `.gitignore` files from there
//! upwards, then the repository's and the user's exclude files. Within a file the last rule that matches decides, and
//! nothing below an ignored directory can be taken in again.

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use std::io::Read;
use std::path::Path;
use std::sync::{Arc, OnceLock};
use understory_tree_reader::beneath::{self, Root};

/// Longest ignore file that is read; rules beyond it do not hold.
const RULES_BYTES: u64 = 4 * 1024 * 1024;

/// Rules that hold for the whole tree.
pub(crate) struct Shared {
    /// `.git/info/exclude`, then the user's, first one first.
    excludes: Vec<Gitignore>,
    ignore_case: bool,
}

impl Shared {
    pub(crate) fn new(ignore_case: bool) -> Self {
        Shared {
            excludes: Vec::new(),
            ignore_case,
        }
    }

    /// Adds an exclude file at a host path; a missing one adds nothing.
    pub(crate) fn add_file(&mut self, path: &Path) {
        let is_file = std::fs::metadata(path).is_ok_and(|m| m.is_file());
        if let Some(file) = is_file.then(|| std::fs::File::open(path).ok()).flatten() {
            self.excludes.push(compile(file, self.ignore_case));
        }
    }
}

/// The rules of one directory and those above it.
pub(crate) struct Rules {
    above: Option<Arc<Rules>>,
    /// Relative to the top of the rules, without a final slash; empty for the top.
    dir: Vec<u8>,
    has_gitignore: bool,
    has_ignore: bool,
    /// Compiled `.ignore` and `.gitignore`.
    own: OnceLock<(Gitignore, Gitignore)>,
    ignored: OnceLock<bool>,
}

impl Rules {
    pub(crate) fn new(above: Option<Arc<Rules>>, dir: Vec<u8>, has_gitignore: bool, has_ignore: bool) -> Arc<Rules> {
        Arc::new(Rules {
            above,
            dir,
            has_gitignore,
            has_ignore,
            own: OnceLock::new(),
            ignored: OnceLock::new(),
        })
    }

    /// Whether the entry `path` (relative to the top), which lies directly in this directory, is ignored.
    pub(crate) fn ignore(&self, path: &[u8], is_dir: bool, shared: &Shared, top: &Root) -> bool {
        self.is_ignored(shared, top) || self.matches(path, is_dir, shared, top)
    }

    /// Whether this directory itself, or one above it, is ignored.
    fn is_ignored(&self, shared: &Shared, top: &Root) -> bool {
        *self.ignored.get_or_init(|| {
            self.above
                .as_ref()
                .is_some_and(|above| above.ignore(&self.dir, true, shared, top))
        })
    }

    fn matches(&self, path: &[u8], is_dir: bool, shared: &Shared, top: &Root) -> bool {
        for git in [false, true] {
            let mut rules = Some(self);
            while let Some(r) = rules {
                let has = if git { r.has_gitignore } else { r.has_ignore };
                if has {
                    let (ignore, gitignore) = r.compiled(shared, top);
                    let below = if r.dir.is_empty() {
                        path
                    } else {
                        &path[r.dir.len() + 1..]
                    };
                    let found = if git { gitignore } else { ignore }.matched(beneath::host(below), is_dir);
                    if !found.is_none() {
                        return found.is_ignore();
                    }
                }
                rules = r.above.as_deref();
            }
        }
        shared
            .excludes
            .iter()
            .map(|exclude| exclude.matched(beneath::host(path), is_dir))
            .find(|found| !found.is_none())
            .is_some_and(|found| found.is_ignore())
    }

    fn compiled(&self, shared: &Shared, top: &Root) -> &(Gitignore, Gitignore) {
        self.own.get_or_init(|| {
            let read = |has: bool, name: &[u8]| {
                if !has {
                    return Gitignore::empty();
                }
                let mut path = self.dir.clone();
                if !path.is_empty() {
                    path.push(b'/');
                }
                path.extend_from_slice(name);
                match top.open_file(&path) {
                    Ok((file, _)) => compile(file, shared.ignore_case),
                    Err(_) => Gitignore::empty(),
                }
            };
            (
                read(self.has_ignore, b".ignore"),
                read(self.has_gitignore, b".gitignore"),
            )
        })
    }
}

/// Compiles the lines of an ignore file. A line that is no glob is passed over, as git does.
fn compile(file: std::fs::File, ignore_case: bool) -> Gitignore {
    let mut bytes = Vec::new();
    if file.take(RULES_BYTES).read_to_end(&mut bytes).is_err() {
        return Gitignore::empty();
    }
    let text = String::from_utf8_lossy(&bytes);
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let mut builder = GitignoreBuilder::new("");
    // Always answers `Ok`.
    let _ = builder.case_insensitive(ignore_case);
    for line in text.lines() {
        let _ = builder.add_line(None, line);
    }
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}
