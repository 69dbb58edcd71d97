//! Writing a segment: the records of one shard's files → the bytes of a part.

use crate::facts::{Expr, FILE_SYMBOL, NameId, Ref, Role, SymbolIx};
use crate::index::key::{FileKey, symbol_keys};
use crate::index::layout::{assemble, put_varint};
use crate::index::record::FileRecord;
use crate::index::segment::{
    EDGE_WORDS, FILE_KIND, FILE_WORDS, KINDS, LOOSE_WORDS, SYMBOL_WORDS, pack_confidence, pack_relation, section,
};
use crate::resolve::hash::TextMap;
use crate::resolve::links::Relation;
use crate::terms::Frequencies;
use std::collections::BTreeMap;

/// How a use of a role relates to what it uses, when nothing more is known of the target.
pub fn relation_of(role: Role) -> Relation {
    match role {
        Role::Call | Role::New => Relation::Calls,
        Role::Inherit => Relation::Inherits,
        Role::Implement => Relation::Implements,
        Role::Import => Relation::Imports,
        Role::Type | Role::Value | Role::Decorator | Role::Element => Relation::Uses,
    }
}

/// Whether a use's name stands behind a receiver.
fn is_member(r: &Ref, exprs: &[Expr]) -> bool {
    matches!(exprs.get(r.expr as usize), Some(Expr::Member { .. }))
}

/// Sorted distinct texts with their numbers.
struct Table<'a> {
    ids: TextMap<&'a str, u32>,
    ends: Vec<u8>,
    text: Vec<u8>,
}

impl<'a> Table<'a> {
    fn new(mut all: Vec<&'a str>) -> Self {
        all.sort_unstable();
        all.dedup();
        let mut table = Table {
            ids: TextMap::with_capacity_and_hasher(all.len(), Default::default()),
            ends: Vec::new(),
            text: Vec::new(),
        };
        for (id, text) in all.into_iter().enumerate() {
            table.ids.insert(text, id as u32);
            table.text.extend_from_slice(text.as_bytes());
            table.ends.extend_from_slice(&(table.text.len() as u32).to_le_bytes());
        }
        table
    }

    fn id(&self, text: &str) -> u32 {
        self.ids.get(text).copied().unwrap_or(0)
    }
}

/// Texts that are not looked up by value, each stored once.
#[derive(Default)]
struct Heap {
    bytes: Vec<u8>,
    known: TextMap<Box<str>, u32>,
}

impl Heap {
    fn put(&mut self, text: &str) -> [u32; 2] {
        if text.is_empty() {
            return [0, 0];
        }
        let start = match self.known.get(text) {
            Some(&start) => start,
            None => {
                let start = self.bytes.len() as u32;
                self.bytes.extend_from_slice(text.as_bytes());
                self.known.insert(text.into(), start);
                start
            }
        };
        [start, text.len() as u32]
    }
}

fn put_words(out: &mut Vec<u8>, words: &[u32]) {
    for w in words {
        out.extend_from_slice(&w.to_le_bytes());
    }
}

fn wide(n: u64) -> [u32; 2] {
    [n as u32, (n >> 32) as u32]
}

/// The bytes of the segment of these files. Files must be sorted by path.
pub fn build_segment(files: &[FileRecord]) -> Vec<u8> {
    let qualified: Vec<Vec<String>> = files
        .iter()
        .map(|f| {
            (0..f.body.facts.symbols.len())
                .map(|i| f.body.facts.qualified(i as SymbolIx))
                .collect()
        })
        .collect();
    let mut names: Vec<&str> = Vec::new();
    let mut terms: Vec<&str> = Vec::new();
    for (f, q) in files.iter().zip(&qualified) {
        names.extend(f.body.facts.names.iter().map(|n| &**n));
        names.extend(q.iter().map(String::as_str));
        terms.extend(f.body.bag.terms.iter().map(|t| &**t));
    }
    let names = Table::new(names);
    let terms = Table::new(terms);
    let mut heap = Heap::default();
    let mut sections: Vec<Vec<u8>> = vec![Vec::new(); section::COUNT as usize];
    let mut symbols: Vec<[u32; SYMBOL_WORDS]> = Vec::new();
    let mut edges: Vec<(u32, u32, [u32; EDGE_WORDS])> = Vec::new();
    let mut loose: Vec<[u32; LOOSE_WORDS]> = Vec::new();
    let mut unbound: BTreeMap<u32, u32> = BTreeMap::new();
    let mut overrides: Vec<(u64, u64)> = Vec::new();
    let mut consulted: Vec<(u64, u32)> = Vec::new();
    let mut mentions: Vec<(u32, u32)> = Vec::new();
    let mut postings: Vec<Vec<(u32, Frequencies)>> = vec![Vec::new(); terms.ids.len()];

    for (file_row, (f, q)) in files.iter().zip(&qualified).enumerate() {
        let file_row = file_row as u32;
        let facts = &*f.body.facts;
        let key = FileKey::of(&f.path);
        let keys = symbol_keys(&f.path, facts);
        let first = symbols.len() as u32;
        let name_ids: Vec<u32> = facts.names.iter().map(|n| names.id(n)).collect();
        let name_id = |n: NameId| name_ids[n as usize];
        let row_of = |s: SymbolIx| if s == FILE_SYMBOL { first } else { first + 1 + s };

        // The file symbol, then the definitions in source order.
        let mut row = [0u32; SYMBOL_WORDS];
        row[2] = FILE_KIND;
        row[3] = file_row;
        row[4] = first;
        row[5] = facts.lines.min(1);
        row[6] = facts.lines;
        row[7] = row[5];
        row[14..16].copy_from_slice(&wide(key.0));
        symbols.push(row);
        let mut levels: Vec<u32> = Vec::with_capacity(facts.symbols.len());
        for (ix, s) in facts.symbols.iter().enumerate() {
            let level = s.parent.map_or(0, |p| levels[p as usize] + 1);
            levels.push(level);
            let mut row = [0u32; SYMBOL_WORDS];
            row[0] = name_id(s.name);
            row[1] = names.id(&q[ix]);
            row[2] = KINDS.iter().position(|k| *k == s.kind).unwrap_or(0) as u32;
            row[3] = file_row;
            row[4] = s.parent.map_or(first, row_of);
            row[5] = s.start;
            row[6] = s.end;
            row[7] = s.name_line;
            row[8..10].copy_from_slice(&heap.put(&s.signature));
            row[10..12].copy_from_slice(&heap.put(&s.doc));
            row[12] = u32::from(s.flags.0);
            row[13] = level;
            row[14..16].copy_from_slice(&wide(keys[ix].0));
            symbols.push(row);
        }

        // Where its uses lead.
        let links = &*f.links;
        for &(site, target, relation, confidence) in &links.links {
            let Some(r) = facts.refs.get(site as usize) else {
                continue;
            };
            let [low, high] = wide(target);
            let packed = pack_relation(relation) | pack_confidence(confidence) << 8;
            edges.push((
                row_of(r.within),
                site,
                [row_of(r.within), r.line, low, high, packed, name_id(r.name)],
            ));
        }
        for &site in &links.loose {
            let Some(r) = facts.refs.get(site as usize) else {
                continue;
            };
            let packed = pack_relation(relation_of(r.role))
                | u32::from(is_member(r, &facts.exprs)) << 8
                | u32::from(r.args) << 16;
            loose.push([name_id(r.name), row_of(r.within), r.line, packed]);
        }
        for &site in &links.unbound {
            let Some(r) = facts.refs.get(site as usize) else {
                continue;
            };
            *unbound.entry(name_id(r.name)).or_default() += 1;
        }
        for &(member, base) in &links.overrides {
            if let Some(key) = keys.get(member as usize) {
                overrides.push((key.0, base));
            }
        }
        consulted.extend(links.consulted.iter().map(|&c| (c, file_row)));
        mentions.extend(name_ids.iter().map(|&n| (n, file_row)));

        // Its terms.
        let bag = &*f.body.bag;
        let term_ids: Vec<u32> = bag.terms.iter().map(|t| terms.id(t)).collect();
        for entry in &bag.symbols {
            let row = row_of(entry.symbol);
            if let Some(s) = symbols.get_mut(row as usize) {
                s[16] = entry.length;
            }
            for &(term, frequencies) in &entry.terms {
                postings[term_ids[term as usize] as usize].push((row, frequencies));
            }
        }

        // The file itself, with what an update reads back.
        let mut words = [0u32; FILE_WORDS];
        words[0..2].copy_from_slice(&heap.put(&f.path));
        words[2..4].copy_from_slice(&heap.put(f.language));
        words[4] = f.flags.0;
        words[5] = facts.lines;
        words[6] = first;
        words[7] = symbols.len() as u32 - first;
        words[8..10].copy_from_slice(&wide(f.size));
        words[10..12].copy_from_slice(&wide(key.0));
        for (w, chunk) in words[12..20].iter_mut().zip(f.hash.chunks_exact(4)) {
            *w = u32::from_le_bytes([chunk[0], chunk[1], chunk[2], chunk[3]]);
        }
        for (n, (section, blob)) in [
            (section::FACTS, postcard::to_stdvec(facts)),
            (section::BAGS, postcard::to_stdvec(bag)),
            (section::LINKS, postcard::to_stdvec(links)),
            (section::SUMMARIES, postcard::to_stdvec(&*f.summary)),
        ]
        .into_iter()
        .enumerate()
        {
            let out = &mut sections[section as usize];
            let blob = blob.unwrap_or_default();
            words[20 + n * 2] = out.len() as u32;
            words[21 + n * 2] = blob.len() as u32;
            out.extend_from_slice(&blob);
        }
        put_words(&mut sections[section::FILES as usize], &words);
    }

    let mut by_name: Vec<u32> = (0..symbols.len() as u32)
        .filter(|&r| symbols[r as usize][2] != FILE_KIND)
        .collect();
    by_name.sort_by_key(|&r| (symbols[r as usize][0], r));
    put_words(&mut sections[section::SYMBOLS_BY_NAME as usize], &by_name);
    let key_at = |row: &[u32; SYMBOL_WORDS]| u64::from(row[14]) | u64::from(row[15]) << 32;
    let mut by_key: Vec<u32> = (0..symbols.len() as u32).collect();
    by_key.sort_by_key(|&r| (key_at(&symbols[r as usize]), r));
    put_words(&mut sections[section::SYMBOLS_BY_KEY as usize], &by_key);
    for row in &symbols {
        put_words(&mut sections[section::SYMBOLS as usize], row);
    }

    edges.sort_unstable_by_key(|&(source, site, words)| (source, site, words[2], words[3], words[4]));
    for (_, _, words) in &edges {
        put_words(&mut sections[section::EDGES as usize], words);
    }
    let target_at = |e: &[u32; EDGE_WORDS]| u64::from(e[2]) | u64::from(e[3]) << 32;
    let mut by_target: Vec<u32> = (0..edges.len() as u32).collect();
    by_target.sort_by_key(|&e| (target_at(&edges[e as usize].2), e));
    put_words(&mut sections[section::EDGES_BY_TARGET as usize], &by_target);

    let mut degrees: Vec<(u64, u32)> = Vec::new();
    for (source, _, words) in &edges {
        let target = target_at(words);
        let imports = words[4] & 0xff == pack_relation(Relation::Imports);
        if !imports && key_at(&symbols[*source as usize]) != target {
            degrees.push((target, *source));
        }
    }
    degrees.sort_unstable();
    degrees.dedup();
    for sources in degrees.chunk_by(|a, b| a.0 == b.0) {
        let [low, high] = wide(sources[0].0);
        put_words(
            &mut sections[section::DEGREES as usize],
            &[low, high, sources.len() as u32, 0],
        );
    }

    loose.sort_unstable();
    for row in &loose {
        put_words(&mut sections[section::LOOSE as usize], row);
    }
    let mut by_source: Vec<u32> = (0..loose.len() as u32).collect();
    by_source.sort_by_key(|&i| {
        let [name, source, line, packed] = loose[i as usize];
        (source, line, name, packed)
    });
    put_words(&mut sections[section::LOOSE_BY_SOURCE as usize], &by_source);
    for (name, count) in unbound {
        put_words(&mut sections[section::UNBOUND as usize], &[name, count]);
    }
    overrides.sort_unstable();
    overrides.dedup();
    for &(member, base) in &overrides {
        put_words(
            &mut sections[section::OVERRIDES_BY_MEMBER as usize],
            &[wide(member), wide(base)].concat(),
        );
    }
    overrides.sort_unstable_by_key(|&(member, base)| (base, member));
    for &(member, base) in &overrides {
        put_words(
            &mut sections[section::OVERRIDES_BY_BASE as usize],
            &[wide(base), wide(member)].concat(),
        );
    }
    consulted.sort_unstable();
    for (key, file) in consulted {
        let [low, high] = wide(key);
        put_words(&mut sections[section::CONSULTED as usize], &[low, high, file, 0]);
    }
    mentions.sort_unstable();
    mentions.dedup();
    for (name, file) in mentions {
        put_words(&mut sections[section::MENTIONS as usize], &[name, file]);
    }

    let (mut ends, mut out) = (Vec::new(), Vec::new());
    for mut list in postings {
        list.sort_unstable_by_key(|p| p.0);
        let mut last = 0;
        for (row, f) in list {
            put_varint(&mut out, row - last);
            last = row;
            put_frequencies(&mut out, f);
        }
        put_words(&mut ends, &[out.len() as u32]);
    }
    sections[section::POSTINGS as usize] = out;
    sections[section::POSTING_ENDS as usize] = ends;
    sections[section::TERM_ENDS as usize] = terms.ends;
    sections[section::TERM_TEXT as usize] = terms.text;
    sections[section::NAME_ENDS as usize] = names.ends;
    sections[section::NAME_TEXT as usize] = names.text;
    sections[section::TEXT as usize] = heap.bytes;
    assemble(&sections)
}

/// One byte says which fields follow; a small body frequency is in the same byte.
fn put_frequencies(out: &mut Vec<u8>, f: Frequencies) {
    let mut mask = 0u8;
    for (field, &n) in f.iter().enumerate() {
        if n > 0 {
            mask |= 1 << field;
        }
    }
    let short = f[3] > 0 && f[3] < 16;
    if short {
        mask |= (f[3] as u8) << 4;
    }
    out.push(mask);
    for (field, &n) in f.iter().enumerate() {
        if n > 0 && !(field == 3 && short) {
            put_varint(out, u32::from(n));
        }
    }
}
