//! Words for ranked retrieval: how identifiers and prose become terms, and the bag of terms of a file.
//!
//! The same function cuts source and queries, so a term of one is a term of the other. Splitting knows camel case,
//! acronyms, snake case and digits, and is Unicode-aware; stemming is Snowball English for ASCII words.

use crate::facts::{FILE_SYMBOL, FileFacts, SymbolIx};
use crate::resolve::hash::{FastMap, TextMap};
use rust_stemmers::{Algorithm, Stemmer};
use serde::{Deserialize, Serialize};
use std::cell::RefCell;

/// Longest term kept, in bytes; what is longer (hashes, encoded data) is no word.
const TERM_BYTES: usize = 40;
/// Most tokens of one symbol's body that count.
const BODY_TOKENS: u32 = 4_000;

/// The fields of a symbol's document. Their numbers are part of the stored form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// The symbol's name, and the chain of names around it.
    Name = 0,
    /// Its signature.
    Signature = 1,
    /// Its doc comment.
    Doc = 2,
    /// Its body, comments included, without the bodies of the definitions inside it.
    Body = 3,
}

/// How often a term occurs in each field.
pub type Frequencies = [u16; 4];

/// The terms of one symbol.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SymbolTerms {
    /// The symbol; [`FILE_SYMBOL`] for the file, whose name field holds the path.
    pub symbol: SymbolIx,
    /// Index into [`Bag::terms`] and frequencies by field, in order of the index.
    pub terms: Vec<(u32, Frequencies)>,
    /// Number of tokens of signature, doc comment and body together.
    pub length: u32,
}

/// The terms of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bag {
    /// Distinct terms, sorted.
    pub terms: Vec<Box<str>>,
    /// One entry a symbol, the file symbol last.
    pub symbols: Vec<SymbolTerms>,
}

/// Words that were met, and the terms they are; both are numbered.
struct Cutter {
    stemmer: Stemmer,
    words: TextMap<Box<str>, Option<u32>>,
    numbers: TextMap<Box<str>, u32>,
    terms: Vec<Box<str>>,
}

/// Most words that are remembered from one text to the next.
const WORDS: usize = 200_000;

thread_local! {
    static CUTTER: RefCell<Cutter> = RefCell::new(Cutter {
        stemmer: Stemmer::create(Algorithm::English),
        words: TextMap::default(),
        numbers: TextMap::default(),
        terms: Vec::new(),
    });
}

impl Cutter {
    /// Forgets what was met when it is too much. Numbers hold until then.
    fn tidy(&mut self) {
        if self.words.len() > WORDS {
            self.words.clear();
            self.numbers.clear();
            self.terms.clear();
        }
    }

    /// The number of the term that a word is; `None` when it is no term.
    fn number(&mut self, word: &str) -> Option<u32> {
        if let Some(&known) = self.words.get(word) {
            return known;
        }
        let number = normal(&self.stemmer, word).map(|term| match self.numbers.get(&term) {
            Some(&number) => number,
            None => {
                let number = self.terms.len() as u32;
                self.terms.push(term.clone());
                self.numbers.insert(term, number);
                number
            }
        });
        self.words.insert(word.into(), number);
        number
    }
}

/// Cuts a text into terms and hands each one on, in order.
pub fn cut(text: &str, mut each: impl FnMut(&str)) {
    CUTTER.with_borrow_mut(Cutter::tidy);
    words(text, |word| {
        CUTTER.with_borrow_mut(|c| {
            if let Some(number) = c.number(word) {
                each(&c.terms[number as usize]);
            }
        });
    });
}

/// The terms of a text, in order, repetitions kept.
pub fn terms_of(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    cut(text, |t| out.push(t.to_owned()));
    out
}

/// Lower-cases and stems one word; `None` when it is no term.
fn normal(stemmer: &Stemmer, word: &str) -> Option<Box<str>> {
    if word.len() > TERM_BYTES {
        return None;
    }
    let lower = word.to_lowercase();
    let single = lower.chars().nth(1).is_none();
    if lower.is_ascii() {
        if single || lower.bytes().all(|b| b.is_ascii_digit()) && lower.len() > 6 {
            return None;
        }
        if lower.bytes().all(|b| b.is_ascii_alphabetic()) {
            let stem = stemmer.stem(&lower);
            return Some(stem.as_ref().into());
        }
    }
    Some(lower.into())
}

/// Cuts a text into words: runs of letters and digits, split where a lower-case letter meets an upper-case one, where an
/// acronym ends (`HTTPServer` → `HTTP`, `Server`), and where letters meet digits (the digits stay with what is
/// before them when they are at most two: `sha256` → `sha`, `256`; `utf8` → `utf8`).
pub fn words(text: &str, mut each: impl FnMut(&str)) {
    let bytes = text.as_bytes();
    let mut i = 0;
    while i < bytes.len() {
        if bytes[i].is_ascii_alphanumeric() || bytes[i] >= 0x80 {
            let start = i;
            let mut ascii = true;
            while i < bytes.len() && (bytes[i].is_ascii_alphanumeric() || bytes[i] >= 0x80) {
                ascii &= bytes[i] < 0x80;
                i += 1;
            }
            let run = &text[start..i];
            if ascii {
                split_ascii(run, &mut each)
            } else {
                split_unicode(run, &mut each)
            }
        } else {
            i += 1;
        }
    }
}

fn split_ascii(run: &str, each: &mut impl FnMut(&str)) {
    let b = run.as_bytes();
    if b.len() > 400 {
        return;
    }
    let mut start = 0;
    for i in 1..b.len() {
        let (p, c) = (b[i - 1], b[i]);
        let next_lower = b.get(i + 1).is_some_and(u8::is_ascii_lowercase);
        let digits_behind = b[i..].iter().take_while(|d| d.is_ascii_digit()).count();
        let cut = c.is_ascii_uppercase() && (p.is_ascii_lowercase() || p.is_ascii_digit())
            || c.is_ascii_uppercase() && p.is_ascii_uppercase() && next_lower
            || c.is_ascii_digit() && p.is_ascii_alphabetic() && digits_behind > 2
            || c.is_ascii_alphabetic()
                && p.is_ascii_digit()
                && i - start > 2
                && b[start..i].iter().all(u8::is_ascii_digit);
        if cut {
            each(&run[start..i]);
            start = i;
        }
    }
    each(&run[start..]);
}

fn split_unicode(run: &str, each: &mut impl FnMut(&str)) {
    let mut start = 0;
    let mut previous: Option<char> = None;
    for (at, c) in run.char_indices() {
        let Some(p) = previous else {
            previous = Some(c);
            continue;
        };
        let letters = c.is_alphanumeric() && p.is_alphanumeric();
        // Scripts without spaces and cases (Han, kana, Hangul): every two neighbours are a term.
        if !letters || c.is_uppercase() && p.is_lowercase() || is_ideograph(c) != is_ideograph(p) {
            emit_unicode(&run[start..at], each);
            start = at;
        }
        previous = Some(c);
    }
    emit_unicode(&run[start..], each);
}

fn emit_unicode(word: &str, each: &mut impl FnMut(&str)) {
    let Some(first) = word.chars().next() else { return };
    if !first.is_alphanumeric() {
        let rest = word.trim_start_matches(|c: char| !c.is_alphanumeric());
        if !rest.is_empty() {
            emit_unicode(rest, each);
        }
        return;
    }
    if is_ideograph(first) {
        let chars: Vec<(usize, char)> = word.char_indices().collect();
        if chars.len() == 1 {
            each(word);
        }
        for pair in chars.windows(2) {
            let end = pair[1].0 + pair[1].1.len_utf8();
            each(&word[pair[0].0..end]);
        }
    } else {
        each(word);
    }
}

fn is_ideograph(c: char) -> bool {
    matches!(c as u32, 0x2E80..=0x9FFF | 0xA000..=0xA4CF | 0xAC00..=0xD7AF | 0xF900..=0xFAFF | 0x20000..=0x3FFFF)
}

/// The bag of a file: each symbol gets its own text, code outside any definition goes to the file symbol.
pub fn bag(path: &str, text: &str, facts: &FileFacts) -> Bag {
    CUTTER.with_borrow_mut(|cutter| {
        cutter.tidy();
        bag_with(cutter, path, text, facts)
    })
}

fn bag_with(cutter: &mut Cutter, path: &str, text: &str, facts: &FileFacts) -> Bag {
    let count = facts.symbols.len();
    let mut table: Vec<FastMap<u32, Frequencies>> = vec![FastMap::default(); count + 1];
    let mut lengths = vec![0u32; count + 1];
    let mut add = |row: usize, field: Field, text: &str, table: &mut Vec<FastMap<u32, Frequencies>>| {
        words(text, |word| {
            let Some(number) = cutter.number(word) else { return };
            if field != Field::Name {
                if lengths[row] >= BODY_TOKENS {
                    return;
                }
                lengths[row] += 1;
            }
            let f = &mut table[row].entry(number).or_default()[field as usize];
            *f = f.saturating_add(1);
        });
    };
    add(count, Field::Name, path, &mut table);
    for (i, s) in facts.symbols.iter().enumerate() {
        add(i, Field::Name, facts.name(s.name), &mut table);
        add(i, Field::Name, facts.name(s.container), &mut table);
        add(i, Field::Signature, &s.signature, &mut table);
        add(i, Field::Doc, &s.doc, &mut table);
    }
    for (row, from, to) in own_spans(text.len(), facts) {
        if let Some(piece) = text.get(from..to) {
            add(row.map_or(count, |r| r as usize), Field::Body, piece, &mut table);
        }
    }
    // Terms by name, so that the bag does not depend on what was met before.
    let mut found: Vec<u32> = table.iter().flat_map(|t| t.keys().copied()).collect();
    found.sort_unstable();
    found.dedup();
    found.sort_unstable_by(|&a, &b| cutter.terms[a as usize].cmp(&cutter.terms[b as usize]));
    let rank: FastMap<u32, u32> = found.iter().enumerate().map(|(new, &old)| (old, new as u32)).collect();
    let symbols = table
        .into_iter()
        .enumerate()
        .map(|(row, found)| {
            let mut terms: Vec<(u32, Frequencies)> = found.into_iter().map(|(id, f)| (rank[&id], f)).collect();
            terms.sort_unstable_by_key(|t| t.0);
            let symbol = if row == count { FILE_SYMBOL } else { row as SymbolIx };
            SymbolTerms {
                symbol,
                terms,
                length: lengths[row],
            }
        })
        .collect();
    Bag {
        terms: found.iter().map(|&n| cutter.terms[n as usize].clone()).collect(),
        symbols,
    }
}

/// The byte spans of a file by innermost symbol (`None`: the file). Spans are on character boundaries when the facts' are.
fn own_spans(len: usize, facts: &FileFacts) -> Vec<(Option<SymbolIx>, usize, usize)> {
    let mut order: Vec<SymbolIx> = (0..facts.symbols.len() as SymbolIx).collect();
    let span = |s: SymbolIx| facts.symbols[s as usize].bytes;
    order.sort_by_key(|&s| (span(s).0, std::cmp::Reverse(span(s).1), s));
    let mut out = Vec::new();
    let mut open: Vec<SymbolIx> = Vec::new();
    let mut at = 0usize;
    let mut upto = |row: Option<SymbolIx>, at: &mut usize, to: usize| {
        let to = to.min(len);
        if to > *at {
            out.push((row, *at, to));
            *at = to;
        }
    };
    for s in order {
        let (start, _) = span(s);
        while let Some(&top) = open.last() {
            if span(top).1 > start {
                break;
            }
            upto(Some(top), &mut at, span(top).1 as usize);
            open.pop();
        }
        upto(open.last().copied(), &mut at, start as usize);
        open.push(s);
    }
    while let Some(top) = open.pop() {
        upto(Some(top), &mut at, span(top).1 as usize);
    }
    upto(None, &mut at, len);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_split_where_a_reader_would() {
        for (given, terms) in [
            ("parseHTTPRequest", vec!["pars", "http", "request"]),
            ("snake_case_name", vec!["snake", "case", "name"]),
            ("HTTPServer2", vec!["http", "server2"]),
            ("utf8", vec!["utf8"]),
            ("sha256sum", vec!["sha", "256", "sum"]),
            ("getURL", vec!["get", "url"]),
            ("caching caches cached", vec!["cach", "cach", "cach"]),
            ("a b", vec![]),
            ("naïveÜbung", vec!["naïve", "übung"]),
            ("подключение", vec!["подключение"]),
            ("再試行回数", vec!["再試", "試行", "行回", "回数"]),
            ("x, y(z)", vec![]),
        ] {
            assert_eq!(terms_of(given), terms, "{given}");
        }
    }
}
