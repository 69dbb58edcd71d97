//! Repository-relative paths with one normal form.

use serde::{Deserialize, Serialize};
use std::borrow::Borrow;
use std::fmt;
use std::sync::Arc;

/// A path inside a repository: relative, `/`-separated, without `.`, `..`, empty parts, NUL, or a `.git` part.
///
/// `./a` and `a` are the same path. The root itself is the empty path ([`RepoPath::root`]). Letter case is kept and
/// told apart. Cheap to clone. Ordering is by bytes.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct RepoPath(Arc<str>);

/// Why a text is not a path of a repository.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PathError {
    /// Nothing is left after normalising.
    #[error("the path is empty")]
    Empty,
    /// It begins with `/`, `\` or a drive letter.
    #[error("the path is absolute; paths are relative to the repository's root")]
    Absolute,
    /// A `..` leads out of the repository, or might.
    #[error("the path has a `..` part; paths stay inside the repository")]
    Parent,
    /// It holds a NUL byte.
    #[error("the path holds a NUL byte")]
    Nul,
    /// It lies in a `.git` directory.
    #[error("the path lies in `.git`")]
    Git,
    /// It is longer than 4,096 bytes.
    #[error("the path is longer than 4,096 bytes")]
    TooLong,
}

impl RepoPath {
    /// The repository's root: the empty path.
    pub fn root() -> Self {
        RepoPath("".into())
    }

    /// Normalises and checks a path of a file or directory below the root.
    pub fn new(text: &str) -> Result<Self, PathError> {
        let path = Self::new_or_root(text)?;
        if path.is_root() {
            Err(PathError::Empty)
        } else {
            Ok(path)
        }
    }

    /// As [`RepoPath::new`]; `""`, `.` and `./` are the root.
    pub fn new_or_root(text: &str) -> Result<Self, PathError> {
        if text.contains('\0') {
            return Err(PathError::Nul);
        }
        if text.len() > 4096 {
            return Err(PathError::TooLong);
        }
        let bytes = text.as_bytes();
        let drive = bytes.len() >= 2
            && bytes[1] == b':'
            && bytes[0].is_ascii_alphabetic()
            && (bytes.len() == 2 || matches!(bytes[2], b'/' | b'\\'));
        if text.starts_with('/') || text.starts_with('\\') || drive {
            return Err(PathError::Absolute);
        }
        let mut is_normal = true;
        for part in text.split('/') {
            match part {
                "" | "." => is_normal = false,
                ".." => return Err(PathError::Parent),
                p if p.eq_ignore_ascii_case(".git") => return Err(PathError::Git),
                _ => {}
            }
        }
        // A walk makes thousands of paths, and all of them are in the normal form.
        if is_normal {
            return Ok(RepoPath(text.into()));
        }
        let mut out = String::with_capacity(text.len());
        for part in text.split('/').filter(|part| !part.is_empty() && *part != ".") {
            if !out.is_empty() {
                out.push('/');
            }
            out.push_str(part);
        }
        Ok(RepoPath(out.into()))
    }

    /// The path as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether this is the root.
    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// The last part; empty for the root.
    pub fn file_name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or("")
    }

    /// The directory that holds it; `None` for the root.
    pub fn parent(&self) -> Option<RepoPath> {
        if self.is_root() {
            return None;
        }
        Some(match self.0.rsplit_once('/') {
            Some((dir, _)) => RepoPath(dir.into()),
            None => RepoPath::root(),
        })
    }

    /// Whether it lies in the directory `dir` (at any depth) or is it. Everything lies in the root.
    pub fn is_in(&self, dir: &RepoPath) -> bool {
        dir.is_root()
            || self.0.len() >= dir.0.len()
                && self.0.starts_with(&*dir.0)
                && (self.0.len() == dir.0.len() || self.0.as_bytes()[dir.0.len()] == b'/')
    }

    /// The path with control characters written `\n`, `\t`, `\xNN`, as a text for a person or model shows it.
    pub fn display_escaped(&self) -> String {
        escape_control(&self.0)
    }
}

/// Writes control characters as `\n`, `\r`, `\t`, `\xNN` or `\u{NNNN}`.
pub fn escape_control(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if (c as u32) < 0x20 || c as u32 == 0x7f => out.push_str(&format!("\\x{:02x}", c as u32)),
            c if c.is_control() => out.push_str(&format!("\\u{{{:x}}}", c as u32)),
            c => out.push(c),
        }
    }
    out
}

impl fmt::Display for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl Borrow<str> for RepoPath {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl AsRef<str> for RepoPath {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for RepoPath {
    type Error = PathError;
    fn try_from(text: String) -> Result<Self, PathError> {
        RepoPath::new_or_root(&text)
    }
}

impl From<RepoPath> for String {
    fn from(path: RepoPath) -> String {
        path.0.as_ref().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_normal_form() {
        for (given, normal) in [
            ("a", "a"),
            ("./a", "a"),
            ("a//b/", "a/b"),
            ("././a/./b", "a/b"),
            ("-x", "-x"),
            ("a b", "a b"),
        ] {
            assert_eq!(RepoPath::new(given).unwrap().as_str(), normal, "{given}");
        }
    }

    #[test]
    fn what_leaves_the_tree_is_refused() {
        use PathError::*;
        for (given, why) in [
            ("", Empty),
            (".", Empty),
            ("/etc/passwd", Absolute),
            ("C:/x", Absolute),
            ("c:\\x", Absolute),
            ("\\\\host\\x", Absolute),
            ("a/../../b", Parent),
            ("..", Parent),
            ("a\0b", Nul),
            (".git/config", Git),
            ("a/.GIT/hooks/x", Git),
        ] {
            assert_eq!(RepoPath::new(given), Err(why), "{given:?}");
        }
    }

    #[test]
    fn a_directory_holds_whole_parts_only() {
        let p = |s| RepoPath::new(s).unwrap();
        assert!(p("a/b").is_in(&p("a")));
        assert!(p("a").is_in(&p("a")));
        assert!(!p("ab/c").is_in(&p("a")));
        assert!(p("ab/c").is_in(&RepoPath::root()));
    }
}
