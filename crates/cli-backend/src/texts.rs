//! The tree's own text behind what the tool names: symbols are made from it, and what the tree does not have is no hit.

use crate::spans;
use std::collections::BTreeMap;
use std::sync::Arc;
use understory_core::answer::{Line, Symbol};
use understory_core::path::RepoPath;
use understory_core::tree::{EntryKind, Tree};
use understory_tree_reader::{Content, Reader};

/// Files by whose presence a directory is a package.
const MANIFESTS: &[&str] = &[
    "package.json",
    "Cargo.toml",
    "go.mod",
    "pyproject.toml",
    "setup.py",
    "pom.xml",
    "build.gradle",
    "build.gradle.kts",
    "composer.json",
];

/// A definition as the tool names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// The file.
    pub path: String,
    /// First line.
    pub start: u32,
    /// Last line, where it is told.
    pub end: Option<u32>,
    /// Its kind.
    pub kind: String,
    /// Its bare name.
    pub name: String,
    /// With what encloses it.
    pub qualified: String,
}

/// The lines of a tree's files, each read once.
pub struct Texts<'a> {
    reader: Reader<'a>,
    known: BTreeMap<RepoPath, Option<Arc<[String]>>>,
}

impl<'a> Texts<'a> {
    /// Of what this reader reads.
    pub fn new(reader: Reader<'a>) -> Self {
        Texts {
            reader,
            known: BTreeMap::new(),
        }
    }

    /// The tree.
    pub fn tree(&self) -> &'a Tree {
        self.reader.tree()
    }

    /// The reader.
    pub fn reader(&self) -> &Reader<'a> {
        &self.reader
    }

    /// The lines of a file of the tree; `None` where it has no such text that a session may read.
    pub fn lines(&mut self, path: &RepoPath) -> Option<Arc<[String]>> {
        if let Some(known) = self.known.get(path) {
            return known.clone();
        }
        let lines = match self.reader.read(path) {
            Content::Text(text) => Some(text.lines().map(str::to_owned).collect::<Vec<_>>().into()),
            _ => None,
        };
        self.known.insert(path.clone(), lines.clone());
        lines
    }

    /// The symbol that the tool names, as it is in the tree; `None` where the tree has no such lines.
    pub fn symbol(&mut self, told: &Told) -> Option<Symbol> {
        let path = RepoPath::new(&told.path).ok()?;
        let file = self.tree().get(&path)?;
        let staged = file.staged;
        if file.entry.kind != EntryKind::File {
            return None;
        }
        let lines = self.lines(&path)?;
        let count = u32::try_from(lines.len()).ok()?;
        let is_file = told.kind == "file";
        if told.start == 0 || told.start > count {
            return None;
        }
        let end = match told.end {
            _ if is_file => count,
            Some(end) if end >= told.start && end <= count => end,
            _ => spans::end_of(&lines, told.start),
        };
        let (name, signature) = if is_file {
            (path.as_str().to_owned(), String::new())
        } else {
            (told.name.clone(), header(&lines, told.start, end))
        };
        Some(Symbol {
            start: told.start,
            end,
            kind: told.kind.clone(),
            qualified: if is_file {
                name.clone()
            } else {
                told.qualified.replace("::", ".")
            },
            name,
            signature,
            in_degree: 0,
            scope: self.package(&path),
            staged,
            path,
        })
    }

    /// A line of a file, for a hit.
    pub fn line(&mut self, path: &RepoPath, line: u32) -> Option<Line> {
        let lines = self.lines(path)?;
        let text = lines.get((line as usize).checked_sub(1)?)?.clone();
        Some(Line { line, text })
    }

    /// The nearest directory upwards with a manifest.
    fn package(&self, path: &RepoPath) -> RepoPath {
        let mut above = path.parent();
        while let Some(dir) = above.filter(|d| !d.is_root()) {
            let has = |name: &str| {
                RepoPath::new(&format!("{dir}/{name}", dir = dir.as_str())).is_ok_and(|p| self.tree().get(&p).is_some())
            };
            if MANIFESTS.iter().any(|name| has(name)) {
                return dir;
            }
            above = dir.parent();
        }
        RepoPath::root()
    }
}

/// The first line of a definition that is no decorator.
fn header(lines: &[String], start: u32, end: u32) -> String {
    let span = lines.get(start as usize - 1..end as usize).unwrap_or_default();
    let is_header = |line: &&String| {
        let line = line.trim_start();
        !line.is_empty() && !line.starts_with('@') && !line.starts_with("#[")
    };
    span.iter()
        .find(is_header)
        .or(span.first())
        .map_or_else(String::new, |line| line.trim().to_owned())
}
