//! A session's own writes and deletions, not yet on disk.

use crate::fingerprint::ContentHash;
use crate::path::{PathError, RepoPath};
use std::collections::BTreeMap;
use std::sync::Arc;

/// One staged change of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StagedChange {
    /// The file has these bytes.
    Write {
        /// The whole contents.
        bytes: Arc<[u8]>,
        /// Whether the executable bit is set.
        executable: bool,
    },
    /// The path is a symbolic link with this target, relative to its own directory.
    Symlink {
        /// The target as a link holds it.
        target: Arc<str>,
    },
    /// The file is gone. Deleting a directory deletes every file below it.
    Delete,
}

/// Why a change cannot be staged. Nothing of the set it came in is staged then.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StagedError {
    /// The path is not one of the repository.
    #[error("{path:?} cannot be staged: {why}")]
    Path {
        /// As given.
        path: String,
        /// What is wrong with it.
        why: PathError,
    },
    /// One staged path lies below another that is a file.
    #[error("{below:?} cannot be staged: {file:?} is staged as a file")]
    FileInTheWay {
        /// The path that cannot be.
        below: RepoPath,
        /// The file above it.
        file: RepoPath,
    },
    /// The link's target is absolute or leads out of the repository.
    #[error("{path:?} cannot be staged: the link's target {target:?} leaves the repository")]
    LinkLeaves {
        /// The link.
        path: RepoPath,
        /// Its target.
        target: String,
    },
    /// The path goes through a link on disk that leaves the tree.
    #[error("{path:?} cannot be staged: it goes through the link {link:?}")]
    ThroughLink {
        /// The path.
        path: RepoPath,
        /// The link on disk.
        link: RepoPath,
    },
    /// Two entries of one set name the same path with different contents.
    #[error("{path:?} is staged twice with different contents")]
    Twice {
        /// The path in its normal form.
        path: RepoPath,
    },
    /// A value of the JSON form that is none of the allowed ones.
    #[error("{path:?} cannot be staged: {why}")]
    Value {
        /// As given.
        path: String,
        /// What is allowed.
        why: String,
    },
}

/// The staged set: path → change. Order and history do not matter; two stagings that leave the same state are equal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StagedSet {
    changes: BTreeMap<RepoPath, StagedChange>,
}

impl StagedSet {
    /// Nothing staged.
    pub fn new() -> Self {
        Self::default()
    }

    /// Stages one change, in place of an earlier one of the same path. A write below a path that is staged as a file
    /// is refused, unless that path is deleted; a write over a staged directory likewise.
    pub fn stage(&mut self, path: RepoPath, change: StagedChange) -> Result<(), StagedError> {
        if path.is_root() {
            return Err(StagedError::Path {
                path: String::new(),
                why: PathError::Empty,
            });
        }
        if let StagedChange::Symlink { target } = &change
            && !link_stays_inside(&path, target)
        {
            return Err(StagedError::LinkLeaves {
                path,
                target: target.to_string(),
            });
        }
        if !matches!(change, StagedChange::Delete) {
            let mut above = path.parent();
            while let Some(dir) = above.filter(|d| !d.is_root()) {
                if matches!(
                    self.changes.get(&dir),
                    Some(StagedChange::Write { .. } | StagedChange::Symlink { .. })
                ) {
                    return Err(StagedError::FileInTheWay { below: path, file: dir });
                }
                above = dir.parent();
            }
            let below = self
                .below(&path)
                .find(|(_, c)| !matches!(c, StagedChange::Delete))
                .map(|(p, _)| p.clone());
            if let Some(below) = below {
                return Err(StagedError::FileInTheWay { below, file: path });
            }
        }
        self.changes.insert(path, change);
        Ok(())
    }

    /// Forgets the staged change of a path. Returns whether there was one.
    pub fn unstage(&mut self, path: &RepoPath) -> bool {
        self.changes.remove(path).is_some()
    }

    /// The change of exactly this path.
    pub fn get(&self, path: &RepoPath) -> Option<&StagedChange> {
        self.changes.get(path)
    }

    /// The change of exactly this path, with the set's own copy of the path.
    pub fn get_key_value(&self, path: &RepoPath) -> Option<(&RepoPath, &StagedChange)> {
        self.changes.get_key_value(path)
    }

    /// Changes in path order.
    pub fn iter(&self) -> impl Iterator<Item = (&RepoPath, &StagedChange)> {
        self.changes.iter()
    }

    /// Number of staged paths.
    pub fn len(&self) -> usize {
        self.changes.len()
    }

    /// Whether nothing is staged.
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// Changes of paths below a directory.
    pub fn below<'a>(&'a self, dir: &'a RepoPath) -> impl Iterator<Item = (&'a RepoPath, &'a StagedChange)> {
        self.changes
            .range(dir.clone()..)
            .skip_while(move |(p, _)| *p == dir)
            .take_while(move |(p, _)| p.as_str().starts_with(dir.as_str()))
            .filter(move |(p, _)| p.is_in(dir))
    }

    /// Whether the path, or a directory above it, is staged as deleted or replaced by a file, so that what the disk has
    /// there is gone.
    pub fn hides(&self, path: &RepoPath) -> bool {
        if self.changes.contains_key(path) {
            return true;
        }
        let mut above = path.parent();
        while let Some(dir) = above.filter(|d| !d.is_root()) {
            if self.changes.contains_key(&dir) {
                return true;
            }
            above = dir.parent();
        }
        // A directory that has staged writes below it replaces a file of its name.
        self.below(path).any(|(_, c)| !matches!(c, StagedChange::Delete))
    }

    /// Sha-256 of the contents of a change, `None` for a deletion.
    pub fn content_hash(change: &StagedChange) -> Option<ContentHash> {
        match change {
            StagedChange::Write { bytes, .. } => Some(ContentHash::of(bytes)),
            StagedChange::Symlink { target } => Some(ContentHash::of(target.as_bytes())),
            StagedChange::Delete => None,
        }
    }

    /// Reads the JSON form: path → a string (contents), `null` (deleted), `{"base64": …}`, `{"text": …, "executable": true}`
    /// (either may carry `executable`), `{"symlink": target}`. All or nothing.
    pub fn from_json(value: &serde_json::Value) -> Result<StagedSet, StagedError> {
        use base64::Engine as _;
        let bad = |path: &str, why: &str| StagedError::Value {
            path: path.to_owned(),
            why: why.to_owned(),
        };
        let object = value
            .as_object()
            .ok_or_else(|| bad("", "a staged set is a JSON object, path → contents"))?;
        let mut set = StagedSet::new();
        for (given, value) in object {
            let path = RepoPath::new(given).map_err(|why| StagedError::Path {
                path: given.clone(),
                why,
            })?;
            let change = match value {
                serde_json::Value::Null => StagedChange::Delete,
                serde_json::Value::String(text) => StagedChange::Write {
                    bytes: text.as_bytes().into(),
                    executable: false,
                },
                serde_json::Value::Object(fields) => {
                    for key in fields.keys() {
                        if !["base64", "text", "executable", "symlink"].contains(&key.as_str()) {
                            return Err(bad(given, "allowed keys are text, base64, executable and symlink"));
                        }
                    }
                    let executable = match fields.get("executable") {
                        None => false,
                        Some(v) => v.as_bool().ok_or_else(|| bad(given, "executable is true or false"))?,
                    };
                    let text = |key: &str| -> Result<Option<&str>, StagedError> {
                        match fields.get(key) {
                            None => Ok(None),
                            Some(v) => v
                                .as_str()
                                .map(Some)
                                .ok_or_else(|| bad(given, "text, base64 and symlink are strings")),
                        }
                    };
                    match (text("text")?, text("base64")?, text("symlink")?) {
                        (Some(t), None, None) => StagedChange::Write {
                            bytes: t.as_bytes().into(),
                            executable,
                        },
                        (None, Some(b), None) => {
                            let bytes = base64::engine::general_purpose::STANDARD
                                .decode(b)
                                .map_err(|_| bad(given, "base64 does not decode"))?;
                            StagedChange::Write {
                                bytes: bytes.into(),
                                executable,
                            }
                        }
                        (None, None, Some(target)) if !executable => StagedChange::Symlink { target: target.into() },
                        _ => return Err(bad(given, "exactly one of text, base64 and symlink is needed")),
                    }
                }
                _ => return Err(bad(given, "contents are a string, null, or an object")),
            };
            if let Some(before) = set.get(&path)
                && *before != change
            {
                return Err(StagedError::Twice { path });
            }
            set.stage(path, change)?;
        }
        Ok(set)
    }
}

/// Whether a link at `path` with `target` points to a place inside the repository, judged by its text alone.
fn link_stays_inside(path: &RepoPath, target: &str) -> bool {
    if target.is_empty()
        || target.contains('\0')
        || target.starts_with('/')
        || target.starts_with('\\')
        || target.contains(":\\")
    {
        return false;
    }
    let mut depth = path.as_str().matches('/').count() as i64;
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                depth -= 1;
                if depth < 0 {
                    return false;
                }
            }
            p if p.eq_ignore_ascii_case(".git") => return false,
            _ => depth += 1,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn p(s: &str) -> RepoPath {
        RepoPath::new(s).unwrap()
    }

    #[test]
    fn history_does_not_matter() {
        let mut a = StagedSet::new();
        a.stage(p("x"), StagedChange::Delete).unwrap();
        a.stage(
            p("x"),
            StagedChange::Write {
                bytes: b"1"[..].into(),
                executable: false,
            },
        )
        .unwrap();
        a.stage(p("y"), StagedChange::Delete).unwrap();
        assert!(a.unstage(&p("y")));
        let b = StagedSet::from_json(&json!({"./x": "1"})).unwrap();
        assert_eq!(a, b);
    }

    #[test]
    fn a_bad_entry_refuses_the_whole_set() {
        for (value, part) in [
            (json!({"a": "1", "../b": "2"}), "`..`"),
            (json!({"/etc/x": "2"}), "absolute"),
            (json!({".git/config": "2"}), ".git"),
            (json!({"l": {"symlink": "../out"}}), "leaves"),
            (json!({"d/l": {"symlink": "../../out"}}), "leaves"),
            (json!({"a": "1", "a/b": "2"}), "staged as a file"),
            (json!({"a": 1}), "contents are"),
            (json!({"a": {"base64": "%%"}}), "decode"),
            (json!({"a": {"text": "x", "mode": 1}}), "allowed keys"),
            (json!({"a": "1", "./a": "2"}), "twice"),
            (json!(["a"]), "JSON object"),
        ] {
            let error = StagedSet::from_json(&value).unwrap_err().to_string();
            assert!(error.contains(part), "{value}: {error}");
        }
    }

    #[test]
    fn a_file_may_become_a_directory_and_back() {
        let set = StagedSet::from_json(&json!({"m.py": null, "m.py/__init__.py": "x"})).unwrap();
        assert!(set.hides(&p("m.py")));
        let set = StagedSet::from_json(&json!({"m": "now a file"})).unwrap();
        assert!(set.hides(&p("m/deep/old.py")));
        assert!(!set.hides(&p("mm")));
    }
}
