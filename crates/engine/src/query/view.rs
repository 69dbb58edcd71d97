//! An index as queries see it: look-ups across its segments, and symbols as answers carry them.

use crate::facts::Kind;
use crate::index::Index;
use crate::index::key::SymbolKey;
use crate::index::segment::{EdgeRow, FileRow, Segment, SymbolRow};
use crate::index::update::{Text, Texts};
use crate::languages::{self, Family};
use crate::resolve::links::{Confidence, Relation};
use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use understory_core::path::RepoPath;
use understory_core::{answer, answer::Symbol};

/// A symbol's place in an index: segment and row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// Which segment.
    pub segment: u32,
    /// Which row in it.
    pub row: u32,
}

/// An index with the tree's texts.
pub struct View<'a> {
    index: &'a Index,
    texts: &'a dyn Texts,
    staged: &'a (dyn Fn(&str) -> bool + Sync),
    stop: &'a (dyn Fn() -> bool + Sync),
    lines: RefCell<HashMap<String, Arc<Lines>>>,
}

/// A file's text cut into lines.
pub struct Lines {
    text: String,
    starts: Vec<u32>,
}

impl Lines {
    /// Cuts a text.
    pub fn new(text: String) -> Self {
        let mut starts = vec![0];
        starts.extend(memchr::memchr_iter(b'\n', text.as_bytes()).map(|i| i as u32 + 1));
        Lines { text, starts }
    }

    /// A line without its line end, 1-based; empty when there is none.
    pub fn line(&self, number: u32) -> &str {
        let Some(i) = (number as usize).checked_sub(1) else {
            return "";
        };
        let Some(&start) = self.starts.get(i) else { return "" };
        let end = self.starts.get(i + 1).map_or(self.text.len(), |&e| e as usize - 1);
        self.text[start as usize..end].trim_end_matches('\r')
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The lines from `start` to `end`, inclusive, joined.
    pub fn span(&self, start: u32, end: u32) -> String {
        (start.max(1)..=end)
            .map(|n| self.line(n))
            .collect::<Vec<_>>()
            .join("\n")
    }
}

impl<'a> View<'a> {
    /// A view of an index. `staged` tells whether a path is staged; `stop` is asked now and then and ends a query early.
    pub fn new(
        index: &'a Index,
        texts: &'a dyn Texts,
        staged: &'a (dyn Fn(&str) -> bool + Sync),
        stop: &'a (dyn Fn() -> bool + Sync),
    ) -> Self {
        View {
            index,
            texts,
            staged,
            stop,
            lines: RefCell::new(HashMap::new()),
        }
    }

    /// The index.
    pub fn index(&self) -> &'a Index {
        self.index
    }

    /// Its segments.
    pub fn segments(&self) -> &'a [Arc<Segment>] {
        self.index.segments()
    }

    /// The texts of the tree.
    pub fn texts(&self) -> &'a dyn Texts {
        self.texts
    }

    /// Whether the query should end now.
    pub fn stopped(&self) -> bool {
        (self.stop)()
    }

    /// The stop function, for worker threads.
    pub fn stop(&self) -> &'a (dyn Fn() -> bool + Sync) {
        self.stop
    }

    /// A segment by number.
    pub fn segment(&self, number: u32) -> &'a Segment {
        &self.segments()[number as usize]
    }

    /// A symbol by place.
    pub fn row(&self, place: Place) -> SymbolRow<'a> {
        self.segment(place.segment).symbol(place.row)
    }

    /// The file of a symbol.
    pub fn file(&self, place: Place) -> FileRow<'a> {
        let segment = self.segment(place.segment);
        segment.file(segment.symbol(place.row).file)
    }

    /// The path of a symbol's file.
    pub fn path(&self, place: Place) -> &'a str {
        self.file(place).path
    }

    /// The family of a symbol's language.
    pub fn family(&self, place: Place) -> Option<Family> {
        family_of(self.file(place).language)
    }

    /// The place of a key.
    pub fn find(&self, key: SymbolKey) -> Option<Place> {
        let n = key.shard(self.segments().len()) as u32;
        self.segment(n).keyed(key).map(|row| Place { segment: n, row })
    }

    /// The file symbol of a path.
    pub fn find_file(&self, path: &str) -> Option<Place> {
        let key = crate::index::key::FileKey::of(path);
        let n = key.shard(self.segments().len()) as u32;
        let row = self.segment(n).file_row(path)?;
        Some(Place {
            segment: n,
            row: self.segment(n).file(row).symbols.0,
        })
    }

    /// Symbols of exactly this bare name, by path and line.
    pub fn named(&self, name: &str) -> Vec<Place> {
        let mut out: Vec<Place> = Vec::new();
        for (n, s) in self.segments().iter().enumerate() {
            out.extend(s.named(name).map(|row| Place { segment: n as u32, row }));
        }
        self.sort(&mut out);
        out
    }

    /// Whether more than `most` symbols have a name.
    pub fn more_named(&self, name: &str, most: usize) -> bool {
        let all = self.segments().iter().flat_map(|s| s.named(name));
        all.take(most + 1).count() > most
    }

    /// Sorts places by path, then line.
    pub fn sort(&self, places: &mut [Place]) {
        places.sort_by_cached_key(|&p| self.order(p));
    }

    /// The order of a symbol among all: path, first line, widest first, row.
    pub fn order(&self, p: Place) -> (&'a str, u32, std::cmp::Reverse<u32>, u32) {
        let row = self.row(p);
        (self.path(p), row.start, std::cmp::Reverse(row.end), p.row)
    }

    /// Bound uses of a key, anywhere, with the segment that holds each.
    pub fn uses_of(&self, key: SymbolKey) -> Vec<(Place, EdgeRow)> {
        let mut out = Vec::new();
        for (n, s) in self.segments().iter().enumerate() {
            out.extend(s.edges_to(key).map(|e| {
                (
                    Place {
                        segment: n as u32,
                        row: e.source,
                    },
                    e,
                )
            }));
        }
        out
    }

    /// Members that a member overrides, directly or through others, nearest first; at most 64.
    pub fn bases(&self, key: SymbolKey) -> Vec<SymbolKey> {
        self.closure(key, |k| {
            let n = k.shard(self.segments().len()) as u32;
            self.segment(n).overridden(k).collect()
        })
    }

    /// Members that override a member, directly or through others, nearest first; at most 4,096.
    pub fn overriders(&self, key: SymbolKey) -> Vec<SymbolKey> {
        self.closure(key, |k| {
            self.segments()
                .iter()
                .flat_map(|s| s.overriding(k).collect::<Vec<_>>())
                .collect()
        })
    }

    fn closure(&self, key: SymbolKey, next: impl Fn(SymbolKey) -> Vec<SymbolKey>) -> Vec<SymbolKey> {
        let mut seen = BTreeSet::from([key]);
        let mut out = Vec::new();
        let mut level = vec![key];
        while !level.is_empty() && out.len() < 4096 {
            let mut found: Vec<SymbolKey> = level
                .iter()
                .flat_map(|&k| next(k))
                .filter(|k| seen.insert(*k))
                .collect();
            found.sort_unstable();
            out.extend_from_slice(&found);
            level = found;
        }
        out
    }

    /// Callables of a symbol's file with its qualified name, itself included, in source order.
    pub fn namesakes(&self, place: Place) -> Vec<Place> {
        let row = self.row(place);
        let segment = self.segment(place.segment);
        let same = |r: &u32| {
            let s = segment.symbol(*r);
            s.file == row.file && s.qualified == row.qualified && s.kind().is_some_and(Kind::is_callable)
        };
        segment
            .named(row.name)
            .filter(same)
            .map(|row| Place { row, ..place })
            .collect()
    }

    /// Distinct other symbols with a reference other than an import at `possible` or better.
    pub fn in_degree(&self, place: Place) -> u32 {
        let key = self.row(place).key;
        let bases = self.bases(key);
        if bases.is_empty() {
            return self.index.degrees().get(key);
        }
        let mut sources: BTreeSet<Place> = BTreeSet::new();
        for k in std::iter::once(key).chain(bases) {
            let uses = self
                .uses_of(k)
                .into_iter()
                .filter(|(_, e)| e.relation != Relation::Imports);
            sources.extend(uses.map(|u| u.0));
        }
        sources.remove(&place);
        sources.len() as u32
    }

    /// A cheap stand-in for [`View::in_degree`] where many symbols are ranked: uses of the symbol itself plus those
    /// of what it directly overrides.
    pub fn rank_degree(&self, place: Place) -> u32 {
        let segment = self.segment(place.segment);
        let key = segment.symbol(place.row).key;
        let degrees = self.index.degrees();
        degrees.get(key) + segment.overridden(key).map(|b| degrees.get(b)).sum::<u32>()
    }

    /// The symbol as answers carry it.
    pub fn symbol(&self, place: Place) -> Symbol {
        let row = self.row(place);
        let path = self.path(place);
        Symbol {
            path: RepoPath::new_or_root(path).unwrap_or_else(|_| RepoPath::root()),
            start: row.start,
            end: row.end,
            kind: row.kind_word().to_owned(),
            name: row.name.to_owned(),
            qualified: row.qualified.to_owned(),
            signature: row.signature.to_owned(),
            in_degree: self.in_degree(place),
            scope: RepoPath::new_or_root(self.index.scope_of(path)).unwrap_or_else(|_| RepoPath::root()),
            staged: (self.staged)(path),
        }
    }

    /// The lines of a file of the tree; none when it has no text.
    pub fn lines(&self, path: &str) -> Arc<Lines> {
        if let Some(known) = self.lines.borrow().get(path) {
            return known.clone();
        }
        let text = match self.texts.text(path) {
            Text::Text(text) => text,
            _ => String::new(),
        };
        let lines = Arc::new(Lines::new(text));
        self.lines.borrow_mut().insert(path.to_owned(), lines.clone());
        lines
    }
}

/// The family of a language by its name.
pub fn family_of(language: &str) -> Option<Family> {
    languages::ALL.iter().find(|l| l.name == language).map(|l| l.family)
}

/// Whether a path lies in a scope; everything lies in the root.
pub fn in_scope(path: &str, scope: &RepoPath) -> bool {
    let dir = scope.as_str();
    dir.is_empty() || path == dir || path.strip_prefix(dir).is_some_and(|rest| rest.starts_with('/'))
}

/// The relation as answers carry it.
pub fn relation(r: Relation) -> answer::Relation {
    match r {
        Relation::Calls => answer::Relation::Calls,
        Relation::Uses => answer::Relation::Uses,
        Relation::Inherits => answer::Relation::Inherits,
        Relation::Implements => answer::Relation::Implements,
        Relation::Overrides => answer::Relation::Overrides,
        Relation::Imports => answer::Relation::Imports,
    }
}

/// The confidence as answers carry it.
pub fn confidence(c: Confidence) -> answer::Confidence {
    match c {
        Confidence::Exact => answer::Confidence::Exact,
        Confidence::Resolved => answer::Confidence::Resolved,
        Confidence::Possible => answer::Confidence::Possible,
    }
}

/// A line as answers carry it: at most 400 characters, cut around byte `around` on character boundaries and marked.
pub fn shown_line(text: &str, around: usize) -> String {
    const MOST: usize = 400;
    if text.chars().count() <= MOST {
        return text.to_owned();
    }
    let mut start = around.min(text.len()).saturating_sub(120);
    while !text.is_char_boundary(start) {
        start -= 1;
    }
    let piece: String = text[start..].chars().take(MOST).collect();
    let (left, right) = (
        if start > 0 { "…" } else { "" },
        if start + piece.len() < text.len() { "…" } else { "" },
    );
    format!("{left}{piece}{right}")
}
