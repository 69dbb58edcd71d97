//! The roots of a client: each is a repository with a session of its own.

use super::Serving;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use understory_core::path::escape_control;
use understory_session::Session;

/// A repository that the server serves.
#[derive(Clone)]
pub struct Root {
    /// What a call names it by.
    pub label: String,
    path: PathBuf,
    /// Its session.
    pub session: Session,
}

/// The roots as they are now.
pub struct Roots {
    serving: Serving,
    list: Mutex<Arc<Vec<Root>>>,
}

impl Roots {
    /// The one repository of a client without roots.
    pub fn new(serving: Serving) -> Self {
        let roots = Roots {
            serving,
            list: Mutex::default(),
        };
        roots.set(&[]);
        roots
    }

    /// Whether the roots of a client matter.
    pub fn follow_client(&self) -> bool {
        !self.serving.pinned
    }

    pub fn now(&self) -> Arc<Vec<Root>> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Takes the roots that a client named, as URI and name. Sessions of roots that stay go on with what they have staged;
    /// those of roots that went are closed. Returns whether the tools have changed by it.
    pub fn set(&self, named: &[(String, Option<String>)]) -> bool {
        let mut wanted: Vec<(PathBuf, Option<String>)> = Vec::new();
        for (uri, name) in named {
            if let Some(path) = path_of(uri).filter(|p| p.is_dir())
                && !wanted.iter().any(|(p, _)| *p == path)
            {
                wanted.push((path, name.clone()));
            }
        }
        if wanted.is_empty() {
            wanted.push((self.serving.home.clone(), None));
        }
        let labels = labels(&wanted);
        let mut list = self.list.lock().unwrap_or_else(PoisonError::into_inner);
        let old = list.clone();
        let new: Vec<Root> = wanted
            .into_iter()
            .zip(labels)
            .map(|((path, _), label)| {
                let kept = old.iter().find(|r| r.path == path).map(|r| r.session.clone());
                let session = kept.unwrap_or_else(|| (self.serving.open)(&path));
                Root { label, path, session }
            })
            .collect();
        for gone in old.iter().filter(|o| !new.iter().any(|n| n.path == o.path)) {
            gone.session.close();
        }
        let changed = choices(&old) != choices(&new);
        *list = Arc::new(new);
        changed
    }

    /// Closes every session.
    pub fn close(&self) {
        self.now().iter().for_each(|r| r.session.close());
    }
}

/// What a call may give as its `root`; nothing when there is one root, for then there is nothing to choose.
pub fn choices(roots: &[Root]) -> Vec<&str> {
    match roots {
        [] | [_] => Vec::new(),
        many => many.iter().map(|r| r.label.as_str()).collect(),
    }
}

/// A name for each root: the client's, else the directory's; the second of a name gets a number.
fn labels(roots: &[(PathBuf, Option<String>)]) -> Vec<String> {
    let mut taken = BTreeSet::new();
    let mut all = Vec::new();
    for (path, name) in roots {
        let given = name.as_deref().map(str::trim).filter(|n| !n.is_empty());
        let base = given.map_or_else(|| base_name(path), str::to_owned);
        let base: String = escape_control(&base).chars().take(60).collect();
        let mut label = base.clone();
        let mut number = 2;
        while !taken.insert(label.clone()) {
            label = format!("{base}-{number}");
            number += 1;
        }
        all.push(label);
    }
    all
}

fn base_name(path: &Path) -> String {
    path.file_name()
        .map_or_else(|| "root".to_owned(), |n| n.to_string_lossy().into_owned())
}

/// The host path of a `file:` URI.
fn path_of(uri: &str) -> Option<PathBuf> {
    let rest = uri.strip_prefix("file://")?;
    let path = match rest.strip_prefix("localhost") {
        Some(path) => path,
        None => rest,
    };
    // Another host's files are not here.
    if !path.starts_with('/') {
        return None;
    }
    let end = path.find(['?', '#']).unwrap_or(path.len());
    let decoded = decode(&path[..end])?;
    let decoded = match decoded.as_bytes() {
        // `/c:/dir` is `c:/dir`.
        [b'/', drive, b':', ..] if cfg!(windows) && drive.is_ascii_alphabetic() => &decoded[1..],
        _ => decoded.as_str(),
    };
    let trimmed = decoded.trim_end_matches('/');
    Some(PathBuf::from(if trimmed.is_empty() { "/" } else { trimmed }))
}

fn decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let high = char::from(rest.next()?).to_digit(16)?;
        let low = char::from(rest.next()?).to_digit(16)?;
        bytes.push((high * 16 + low) as u8);
    }
    String::from_utf8(bytes).ok().filter(|t| !t.contains('\0'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(unix)]
    fn a_uri_is_a_path_of_this_host_or_nothing() {
        for (uri, expected) in [
            ("file:///home/me/repo", Some("/home/me/repo")),
            ("file:///home/me/repo/", Some("/home/me/repo")),
            ("file://localhost/a%20b/%C3%A9", Some("/a b/\u{e9}")),
            ("file:///", Some("/")),
            ("file:///a?x#y", Some("/a")),
            ("file://elsewhere/a", None),
            ("file:relative", None),
            ("https://example.org/a", None),
            ("file:///a%2", None),
            ("file:///a%zz", None),
            ("file:///a%00b", None),
            ("file:///%ff", None),
            ("", None),
        ] {
            assert_eq!(path_of(uri), expected.map(PathBuf::from), "{uri}");
        }
    }

    #[test]
    fn labels_are_unique() {
        let root = |path: &str, name: Option<&str>| (PathBuf::from(path), name.map(str::to_owned));
        let found = labels(&[
            root("/a/app", None),
            root("/b/app", None),
            root("/c", Some("app-2")),
            root("/d", Some(" ")),
            root("/", None),
            root("/e", Some("two\nlines")),
        ]);
        assert_eq!(found, ["app", "app-2", "app-2-2", "d", "root", "two\\nlines"]);
    }
}
