//! A segment: the files of one shard, with everything that queries need about them, in one stored part.
//!
//! A segment is a pure function of its files' bytes and links, so an edit replaces only the segments that it
//! touches. It is read in place: opening one costs a look at its head.

use crate::index::key::{FileKey, SymbolKey};
use crate::index::layout::{Damage, Part, read_u32, read_u64, take_varint};
use crate::index::record::{FileFlags, Hash};
use crate::resolve::links::{Confidence, Relation};
use crate::terms::Frequencies;
use std::cmp::Ordering;
use std::ops::Range;

/// Numbers of the sections of a segment.
pub(crate) mod section {
    pub const NAME_ENDS: u32 = 0;
    pub const NAME_TEXT: u32 = 1;
    pub const TEXT: u32 = 2;
    pub const FILES: u32 = 3;
    pub const SYMBOLS: u32 = 4;
    pub const SYMBOLS_BY_NAME: u32 = 5;
    pub const SYMBOLS_BY_KEY: u32 = 6;
    pub const EDGES: u32 = 7;
    pub const EDGES_BY_TARGET: u32 = 8;
    pub const LOOSE: u32 = 9;
    pub const UNBOUND: u32 = 10;
    pub const OVERRIDES_BY_BASE: u32 = 11;
    pub const OVERRIDES_BY_MEMBER: u32 = 12;
    pub const TERM_ENDS: u32 = 13;
    pub const TERM_TEXT: u32 = 14;
    pub const POSTING_ENDS: u32 = 15;
    pub const POSTINGS: u32 = 16;
    pub const CONSULTED: u32 = 17;
    pub const MENTIONS: u32 = 18;
    pub const FACTS: u32 = 19;
    pub const BAGS: u32 = 20;
    pub const LINKS: u32 = 21;
    pub const DEGREES: u32 = 22;
    pub const SUMMARIES: u32 = 23;
    pub const LOOSE_BY_SOURCE: u32 = 24;
    pub const COUNT: u32 = 25;
}

pub(crate) const FILE_WORDS: usize = 28;
pub(crate) const SYMBOL_WORDS: usize = 18;
pub(crate) const EDGE_WORDS: usize = 6;
pub(crate) const LOOSE_WORDS: usize = 4;

/// Kind number of a file symbol.
pub(crate) const FILE_KIND: u32 = 255;

/// A table of fixed rows of `W` little-endian words.
#[derive(Clone, Copy)]
pub(crate) struct Rows<'a, const W: usize>(&'a [u8]);

impl<'a, const W: usize> Rows<'a, W> {
    fn len(self) -> usize {
        self.0.len() / (W * 4)
    }

    fn word(self, row: usize, word: usize) -> u32 {
        read_u32(self.0, (row * W + word) * 4)
    }

    fn wide(self, row: usize, word: usize) -> u64 {
        read_u64(self.0, (row * W + word) * 4)
    }

    /// Rows for which `order` says `Equal`, in a table sorted by it.
    fn range(self, order: impl Fn(usize) -> Ordering) -> Range<usize> {
        let start = partition(self.len(), |i| order(i) == Ordering::Less);
        let end = start + partition(self.len() - start, |i| order(start + i) == Ordering::Equal);
        start..end
    }
}

fn partition(len: usize, before: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, len);
    while low < high {
        let middle = low + (high - low) / 2;
        if before(middle) {
            low = middle + 1
        } else {
            high = middle
        }
    }
    low
}

/// One file of a segment.
#[derive(Clone, Copy, Debug)]
pub struct FileRow<'a> {
    /// Its path.
    pub path: &'a str,
    /// Name of its language; empty for none.
    pub language: &'a str,
    /// What else it is.
    pub flags: FileFlags,
    /// Number of lines (0 for a file of no known language).
    pub lines: u32,
    /// Rows of its symbols; the first is the file symbol.
    pub symbols: (u32, u32),
    /// Size in bytes.
    pub size: u64,
    /// Sha-256 of its bytes.
    pub hash: Hash,
    /// Its key.
    pub key: FileKey,
}

/// One symbol of a segment.
#[derive(Clone, Copy, Debug)]
pub struct SymbolRow<'a> {
    /// Its row.
    pub row: u32,
    /// Bare name; a file symbol's is its path.
    pub name: &'a str,
    /// Dotted chain; a file symbol's is its path.
    pub qualified: &'a str,
    /// Number of its kind; [`SymbolRow::kind`] gives the word.
    pub kind: u32,
    /// Row of its file.
    pub file: u32,
    /// Row of its parent; its file symbol when it is at the top, itself for a file symbol.
    pub parent: u32,
    /// First line.
    pub start: u32,
    /// Last line.
    pub end: u32,
    /// Line of the name.
    pub name_line: u32,
    /// Header.
    pub signature: &'a str,
    /// Doc comment.
    pub doc: &'a str,
    /// [`crate::facts::SymbolFlags`] bits.
    pub flags: u32,
    /// Its key.
    pub key: SymbolKey,
    /// Tokens of its signature, doc comment and own body.
    pub length: u32,
    /// Nesting inside its file, 0 at the top and for the file symbol.
    pub level: u32,
}

impl SymbolRow<'_> {
    /// The word for its kind.
    pub fn kind_word(&self) -> &'static str {
        KINDS.get(self.kind as usize).map_or("file", |k| k.as_str())
    }

    /// Its kind, `None` for a file symbol.
    pub fn kind(&self) -> Option<crate::facts::Kind> {
        KINDS.get(self.kind as usize).copied()
    }
}

/// Kinds by number.
pub(crate) const KINDS: [crate::facts::Kind; 20] = {
    use crate::facts::Kind::*;
    [
        Module,
        Namespace,
        Class,
        Struct,
        Union,
        Interface,
        Trait,
        Protocol,
        Object,
        Enum,
        Variant,
        TypeAlias,
        Function,
        Method,
        Constructor,
        Property,
        Field,
        Constant,
        Variable,
        Macro,
    ]
};

/// One bound use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EdgeRow {
    /// Row of the symbol that holds the use.
    pub source: u32,
    /// 1-based line.
    pub line: u32,
    /// What it is bound to.
    pub target: SymbolKey,
    /// How it relates.
    pub relation: Relation,
    /// How sure.
    pub confidence: Confidence,
}

/// One use whose binding cannot be known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LooseRow {
    /// Row of the symbol that holds the use.
    pub source: u32,
    /// 1-based line.
    pub line: u32,
    /// How it would relate.
    pub relation: Relation,
    /// Whether the name stands behind a receiver.
    pub member: bool,
    /// Number of arguments of a call; 255 when unknown or no call.
    pub args: u8,
}

/// What an update reads back of a file, as encoded.
#[derive(Clone, Copy, Debug)]
pub struct Blobs<'a> {
    /// [`crate::facts::FileFacts`].
    pub facts: &'a [u8],
    /// [`crate::terms::Bag`].
    pub bag: &'a [u8],
    /// [`crate::index::record::KeyLinks`].
    pub links: &'a [u8],
    /// [`crate::resolve::tables::Summary`].
    pub summary: &'a [u8],
}

/// A segment, opened.
#[derive(Debug)]
pub struct Segment {
    part: Part,
    name: String,
}

macro_rules! section_rows {
    ($fn:ident, $section:ident, $words:expr) => {
        fn $fn(&self) -> Rows<'_, { $words }> {
            Rows(self.part.section(section::$section).unwrap_or(&[]))
        }
    };
}

impl Segment {
    /// Opens a part as a segment. Everything that queries touch is verified here (checksums, and that every index
    /// points inside its table), so that reading never meets damage later; the blobs are verified when they are read.
    pub fn open(part: Part, name: String) -> Result<Segment, Damage> {
        let s = Segment { part, name };
        s.verify()?;
        Ok(s)
    }

    fn verify(&self) -> Result<(), Damage> {
        let p = &self.part;
        for n in 0..section::COUNT {
            if matches!(
                n,
                section::FACTS
                    | section::BAGS
                    | section::LINKS
                    | section::SUMMARIES
                    | section::POSTINGS
                    | section::MENTIONS
            ) {
                continue;
            }
            p.section(n)?;
        }
        Ok(())
    }

    /// Name of the stored part: a hash of its bytes.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The stored bytes.
    pub fn bytes(&self) -> &[u8] {
        self.part.bytes()
    }

    section_rows!(files_table, FILES, FILE_WORDS);
    section_rows!(symbols_table, SYMBOLS, SYMBOL_WORDS);
    section_rows!(by_name, SYMBOLS_BY_NAME, 1);
    section_rows!(by_key, SYMBOLS_BY_KEY, 1);
    section_rows!(edges_table, EDGES, EDGE_WORDS);
    section_rows!(by_target, EDGES_BY_TARGET, 1);
    section_rows!(loose_table, LOOSE, LOOSE_WORDS);
    section_rows!(loose_by_source, LOOSE_BY_SOURCE, 1);
    section_rows!(unbound_table, UNBOUND, 2);
    section_rows!(by_base, OVERRIDES_BY_BASE, 4);
    section_rows!(by_member, OVERRIDES_BY_MEMBER, 4);
    section_rows!(consulted_table, CONSULTED, 4);
    section_rows!(mentions_table, MENTIONS, 2);
    section_rows!(degrees_table, DEGREES, 4);

    fn bytes_of(&self, n: u32) -> &[u8] {
        self.part.section(n).unwrap_or(&[])
    }

    fn slice_of(&self, n: u32, start: u32, len: u32) -> &[u8] {
        self.bytes_of(n)
            .get(start as usize..(start as usize).saturating_add(len as usize))
            .unwrap_or(&[])
    }

    fn str_of(&self, n: u32, start: u32, len: u32) -> &str {
        std::str::from_utf8(self.slice_of(n, start, len)).unwrap_or("")
    }

    fn table_entry(&self, ends: u32, text: u32, i: usize) -> &str {
        let e = Rows::<1>(self.bytes_of(ends));
        if i >= e.len() {
            return "";
        }
        let start = if i == 0 { 0 } else { e.word(i - 1, 0) };
        self.str_of(text, start, e.word(i, 0).saturating_sub(start))
    }

    fn find_entry(&self, ends: u32, text: u32, wanted: &str) -> Option<u32> {
        let len = Rows::<1>(self.bytes_of(ends)).len();
        let at = partition(len, |i| self.table_entry(ends, text, i) < wanted);
        (at < len && self.table_entry(ends, text, at) == wanted).then_some(at as u32)
    }

    fn name_text(&self, id: u32) -> &str {
        self.table_entry(section::NAME_ENDS, section::NAME_TEXT, id as usize)
    }

    fn name_id(&self, name: &str) -> Option<u32> {
        self.find_entry(section::NAME_ENDS, section::NAME_TEXT, name)
    }

    /// Number of files.
    pub fn file_count(&self) -> u32 {
        self.files_table().len() as u32
    }

    /// Number of symbols, file symbols included.
    pub fn symbol_count(&self) -> u32 {
        self.symbols_table().len() as u32
    }

    /// A file by row; rows are sorted by path.
    pub fn file(&self, row: u32) -> FileRow<'_> {
        let (t, r) = (self.files_table(), row as usize);
        let mut hash = [0u8; 32];
        hash.copy_from_slice(&t.0[(r * FILE_WORDS + 12) * 4..(r * FILE_WORDS + 20) * 4]);
        FileRow {
            path: self.str_of(section::TEXT, t.word(r, 0), t.word(r, 1)),
            language: self.str_of(section::TEXT, t.word(r, 2), t.word(r, 3)),
            flags: FileFlags(t.word(r, 4)),
            lines: t.word(r, 5),
            symbols: (t.word(r, 6), t.word(r, 7)),
            size: t.wide(r, 8),
            key: FileKey(t.wide(r, 10)),
            hash,
        }
    }

    /// What an update reads back of a file, as encoded.
    pub fn blobs(&self, row: u32) -> Result<Blobs<'_>, Damage> {
        let (t, r) = (self.files_table(), row as usize);
        let take = |n: u32, at: usize| {
            let all = self.part.section(n)?;
            let (start, len) = (t.word(r, at) as usize, t.word(r, at + 1) as usize);
            all.get(start..start.saturating_add(len)).ok_or(Damage::Bounds(n))
        };
        Ok(Blobs {
            facts: take(section::FACTS, 20)?,
            bag: take(section::BAGS, 22)?,
            links: take(section::LINKS, 24)?,
            summary: take(section::SUMMARIES, 26)?,
        })
    }

    /// The row of the file of this path.
    pub fn file_row(&self, path: &str) -> Option<u32> {
        let len = self.file_count() as usize;
        let at = partition(len, |i| self.file(i as u32).path < path);
        (at < len && self.file(at as u32).path == path).then_some(at as u32)
    }

    /// A symbol by row.
    pub fn symbol(&self, row: u32) -> SymbolRow<'_> {
        let (t, r) = (self.symbols_table(), row as usize);
        let kind = t.word(r, 2);
        let (name, qualified) = if kind == FILE_KIND {
            let path = self.file(t.word(r, 3)).path;
            (path, path)
        } else {
            (self.name_text(t.word(r, 0)), self.name_text(t.word(r, 1)))
        };
        SymbolRow {
            row,
            name,
            qualified,
            kind,
            file: t.word(r, 3),
            parent: t.word(r, 4),
            start: t.word(r, 5),
            end: t.word(r, 6),
            name_line: t.word(r, 7),
            signature: self.str_of(section::TEXT, t.word(r, 8), t.word(r, 9)),
            doc: self.str_of(section::TEXT, t.word(r, 10), t.word(r, 11)),
            flags: t.word(r, 12),
            level: t.word(r, 13),
            key: SymbolKey(t.wide(r, 14)),
            length: t.word(r, 16),
        }
    }

    /// The row of a symbol's file and the number of tokens of its own text.
    pub fn length_of(&self, row: u32) -> (u32, u32) {
        let t = self.symbols_table();
        (t.word(row as usize, 3), t.word(row as usize, 16))
    }

    /// Whether a row is a file symbol.
    pub fn is_file_row(&self, row: u32) -> bool {
        self.symbols_table().word(row as usize, 2) == FILE_KIND
    }

    /// Rows of the symbols of exactly this bare name.
    pub fn named(&self, name: &str) -> impl Iterator<Item = u32> + '_ {
        let table = self.by_name();
        let range = match self.name_id(name) {
            Some(id) => {
                let symbols = self.symbols_table();
                table.range(|i| symbols.word(table.word(i, 0) as usize, 0).cmp(&id))
            }
            None => 0..0,
        };
        range.map(move |i| table.word(i, 0))
    }

    /// Distinct bare names of symbols with the rows that have them, in name order.
    pub fn names(&self) -> impl Iterator<Item = (&str, u32)> + '_ {
        let table = self.by_name();
        let symbols = self.symbols_table();
        (0..table.len()).filter_map(move |i| {
            let row = table.word(i, 0);
            let id = symbols.word(row as usize, 0);
            let first = i == 0 || symbols.word(table.word(i - 1, 0) as usize, 0) != id;
            first.then(|| (self.name_text(id), row))
        })
    }

    /// The row of the symbol with this key.
    pub fn keyed(&self, key: SymbolKey) -> Option<u32> {
        let (table, symbols) = (self.by_key(), self.symbols_table());
        let range = table.range(|i| symbols.wide(table.word(i, 0) as usize, 14).cmp(&key.0));
        range.map(|i| table.word(i, 0)).next()
    }

    fn edge(&self, row: usize) -> EdgeRow {
        let t = self.edges_table();
        let packed = t.word(row, 4);
        EdgeRow {
            source: t.word(row, 0),
            line: t.word(row, 1),
            target: SymbolKey(t.wide(row, 2)),
            relation: unpack_relation(packed & 0xff),
            confidence: unpack_confidence(packed >> 8 & 0xff),
        }
    }

    /// Bound uses of a symbol in this segment, by source, then line.
    pub fn edges_to(&self, target: SymbolKey) -> impl Iterator<Item = EdgeRow> + '_ {
        let (table, edges) = (self.by_target(), self.edges_table());
        let range = table.range(|i| edges.wide(table.word(i, 0) as usize, 2).cmp(&target.0));
        range.map(move |i| self.edge(table.word(i, 0) as usize))
    }

    /// Bound uses inside a symbol (its own, not those of the definitions in it), in source order.
    pub fn edges_from(&self, source: u32) -> impl Iterator<Item = EdgeRow> + '_ {
        let edges = self.edges_table();
        edges
            .range(|i| edges.word(i, 0).cmp(&source))
            .map(move |i| self.edge(i))
    }

    fn loose_row(&self, i: usize) -> LooseRow {
        let t = self.loose_table();
        let packed = t.word(i, 3);
        LooseRow {
            source: t.word(i, 1),
            line: t.word(i, 2),
            relation: unpack_relation(packed & 0xff),
            member: packed >> 8 & 1 == 1,
            args: (packed >> 16 & 0xff) as u8,
        }
    }

    /// Uses of a name whose binding cannot be known, by source, then line.
    pub fn loose(&self, name: &str) -> impl Iterator<Item = LooseRow> + '_ {
        let t = self.loose_table();
        let range = match self.name_id(name) {
            Some(id) => t.range(|i| t.word(i, 0).cmp(&id)),
            None => 0..0,
        };
        range.map(move |i| self.loose_row(i))
    }

    /// Uses whose binding cannot be known inside a symbol, with their names, by line, then name.
    pub fn loose_from(&self, source: u32) -> impl Iterator<Item = (&str, LooseRow)> + '_ {
        let (table, loose) = (self.loose_by_source(), self.loose_table());
        let range = table.range(|i| loose.word(table.word(i, 0) as usize, 1).cmp(&source));
        range.map(move |i| {
            let row = table.word(i, 0) as usize;
            (self.name_text(loose.word(row, 0)), self.loose_row(row))
        })
    }

    /// Number of uses of a name that are bound to nothing in the tree.
    pub fn unbound(&self, name: &str) -> u32 {
        let t = self.unbound_table();
        let Some(id) = self.name_id(name) else { return 0 };
        t.range(|i| t.word(i, 0).cmp(&id)).map(|i| t.word(i, 1)).sum()
    }

    /// Members in this segment that directly override a member.
    pub fn overriding(&self, base: SymbolKey) -> impl Iterator<Item = SymbolKey> + '_ {
        let t = self.by_base();
        t.range(|i| t.wide(i, 0).cmp(&base.0))
            .map(move |i| SymbolKey(t.wide(i, 2)))
    }

    /// Members that a member of this segment directly overrides.
    pub fn overridden(&self, member: SymbolKey) -> impl Iterator<Item = SymbolKey> + '_ {
        let t = self.by_member();
        t.range(|i| t.wide(i, 0).cmp(&member.0))
            .map(move |i| SymbolKey(t.wide(i, 2)))
    }

    /// Symbols whose document holds a term, with frequencies by field, by row.
    pub fn postings(&self, term: &str) -> Vec<(u32, Frequencies)> {
        let Some(id) = self.find_entry(section::TERM_ENDS, section::TERM_TEXT, term) else {
            return Vec::new();
        };
        let ends = Rows::<1>(self.bytes_of(section::POSTING_ENDS));
        let start = if id == 0 { 0 } else { ends.word(id as usize - 1, 0) };
        let end = ends.word(id as usize, 0);
        let mut bytes = self.slice_of(section::POSTINGS, start, end.saturating_sub(start));
        let mut out = Vec::new();
        let mut row = 0u32;
        while let Some(delta) = take_varint(&mut bytes) {
            row = row.wrapping_add(delta);
            let Some((&mask, rest)) = bytes.split_first() else {
                break;
            };
            bytes = rest;
            let mut f: Frequencies = [0; 4];
            for (field, slot) in f.iter_mut().enumerate() {
                if mask >> field & 1 == 1 {
                    let short = u16::from(mask >> 4);
                    *slot = if field == 3 && short > 0 {
                        short
                    } else {
                        take_varint(&mut bytes).unwrap_or(0) as u16
                    };
                }
            }
            if row < self.symbol_count() {
                out.push((row, f));
            }
        }
        out
    }

    /// For each symbol that this segment's files reference (imports left out): its key and the number of distinct other
    /// symbols here that do, by key.
    pub fn degrees(&self) -> impl Iterator<Item = (SymbolKey, u32)> + '_ {
        let t = self.degrees_table();
        (0..t.len()).map(move |i| (SymbolKey(t.wide(i, 0)), t.word(i, 2)))
    }

    /// Rows of the files whose links were found by consulting the file of this key.
    pub fn consulting(&self, file: FileKey) -> impl Iterator<Item = u32> + '_ {
        let t = self.consulted_table();
        t.range(|i| t.wide(i, 0).cmp(&file.0)).map(move |i| t.word(i, 2))
    }

    /// Rows of the files whose facts hold a name.
    pub fn mentioning(&self, name: &str) -> impl Iterator<Item = u32> + '_ {
        let t = self.mentions_table();
        let range = match self.name_id(name) {
            Some(id) => t.range(|i| t.word(i, 0).cmp(&id)),
            None => 0..0,
        };
        range.map(move |i| t.word(i, 1))
    }
}

pub(crate) fn pack_relation(r: Relation) -> u32 {
    match r {
        Relation::Calls => 0,
        Relation::Uses => 1,
        Relation::Inherits => 2,
        Relation::Implements => 3,
        Relation::Overrides => 4,
        Relation::Imports => 5,
    }
}

fn unpack_relation(n: u32) -> Relation {
    match n {
        0 => Relation::Calls,
        2 => Relation::Inherits,
        3 => Relation::Implements,
        4 => Relation::Overrides,
        5 => Relation::Imports,
        _ => Relation::Uses,
    }
}

pub(crate) fn pack_confidence(c: Confidence) -> u32 {
    match c {
        Confidence::Exact => 0,
        Confidence::Resolved => 1,
        Confidence::Possible => 2,
    }
}

fn unpack_confidence(n: u32) -> Confidence {
    match n {
        0 => Confidence::Exact,
        1 => Confidence::Resolved,
        _ => Confidence::Possible,
    }
}
