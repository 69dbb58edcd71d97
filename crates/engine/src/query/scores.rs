//! Lexical scores: BM25 over weighted fields, of symbols and of the files that hold them.

use super::view::{Place, View};
use crate::terms::{self, Field};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Weights and constants. One value holds them, so that an experiment can try others.
#[derive(Clone, Debug)]
pub struct Weights {
    /// By field: name, signature, doc comment, body.
    pub fields: [f64; 4],
    /// Saturation of a term's frequency.
    pub k1: f64,
    /// How much of a document's length counts.
    pub b: f64,
    /// Share of the file's own score in that of its symbols.
    pub file: f64,
    /// Length norm of the file's score.
    pub file_b: f64,
    /// Share of a score that hangs on how many of the query's terms are held.
    pub coverage: f64,
    /// How much being referenced counts.
    pub degree: f64,
    /// Share of a neighbour's score that a symbol gains.
    pub neighbour: f64,
    /// What each earlier hit of the same file leaves of a score.
    pub spread: f64,
    /// Weight of a type against a callable.
    pub types: f64,
    /// Weight of a field, variable or constant against a callable.
    pub data: f64,
    /// Weight of a file symbol.
    pub files: f64,
    /// Weight of a test, when tests are not asked for.
    pub tests: f64,
    /// Weight of a declaration that no definition stands for.
    pub declared: f64,
}

impl Default for Weights {
    fn default() -> Self {
        Weights {
            fields: [6.0, 1.2, 0.7, 1.0],
            k1: 2.2,
            b: 0.8,
            file: 1.2,
            file_b: 0.5,
            coverage: 0.05,
            degree: 0.03,
            neighbour: 0.1,
            spread: 0.95,
            types: 0.6,
            data: 0.6,
            files: 0.6,
            tests: 0.5,
            declared: 0.8,
        }
    }
}

/// A query cut into terms.
#[derive(Clone, Debug, Default)]
pub struct Terms {
    /// Distinct terms, in order of the query, words that say nothing left out.
    pub terms: Vec<String>,
    /// Words as written that may be identifiers.
    pub identifiers: Vec<String>,
}

/// Words of questions that say nothing about code.
const STOP: &[&str] = &[
    "a", "an", "the", "is", "are", "was", "were", "be", "been", "being", "am", "do", "does", "did", "done", "doing",
    "has", "have", "had", "having", "i", "we", "you", "it", "its", "they", "them", "their", "this", "that", "these",
    "those", "there", "here", "of", "in", "on", "at", "by", "to", "from", "for", "with", "without", "into", "onto",
    "as", "and", "or", "but", "nor", "if", "then", "than", "so", "such", "what", "which", "who", "whom", "whose",
    "when", "where", "why", "how", "can", "could", "should", "would", "will", "shall", "may", "might", "must", "not",
    "no", "any", "some", "all", "each", "every", "also", "only", "just", "about", "our", "us", "my", "your", "he",
    "she", "his", "her", "via", "per", "please", "find", "show", "me", "tell", "explain", "code", "let", "lets", "e",
    "g", "eg", "ie",
];

impl Terms {
    /// Cuts a query.
    pub fn of(query: &str) -> Self {
        let stop: BTreeSet<&str> = STOP.iter().copied().collect();
        let mut out = Terms::default();
        let mut seen = BTreeSet::new();
        let mut keep = |out: &mut Terms, filter: bool| {
            terms::words(query, |word| {
                if filter && stop.contains(word.to_lowercase().as_str()) {
                    return;
                }
                for term in terms::terms_of(word) {
                    if seen.insert(term.clone()) {
                        out.terms.push(term);
                    }
                }
            });
        };
        keep(&mut out, true);
        if out.terms.is_empty() {
            keep(&mut out, false);
        }
        let mut known = BTreeSet::new();
        for raw in query.split(|c: char| {
            c.is_whitespace()
                || matches!(
                    c,
                    ',' | ';' | '(' | ')' | '[' | ']' | '{' | '}' | '"' | '\'' | '`' | '?' | '!'
                )
        }) {
            let word = raw.trim_matches(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$'));
            if word.chars().count() >= 2
                && !stop.contains(word.to_lowercase().as_str())
                && known.insert(word.to_owned())
            {
                out.identifiers.push(word.to_owned());
            }
        }
        out
    }

    /// Whether a word looks like an identifier rather than prose.
    pub fn looks_like_identifier(word: &str) -> bool {
        let lower_upper = word
            .chars()
            .zip(word.chars().skip(1))
            .any(|(a, b)| a.is_lowercase() && b.is_uppercase());
        lower_upper
            || word.contains('_')
            || word.contains("::")
            || word.contains('.') && !word.ends_with('.')
            || word.contains('$')
    }
}

/// The score of one symbol.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Score {
    /// From its own text.
    pub own: f64,
    /// From its file.
    pub file: f64,
    /// Share of the query's terms, by weight, that its text, path or file holds.
    pub coverage: f64,
}

/// Scores of every symbol that holds a term, or whose file's path does, and the weight of each term.
pub fn scores(view: &View<'_>, query: &Terms, weights: &Weights) -> (HashMap<Place, Score>, Vec<f64>) {
    let segments = view.segments();
    // Numbers over the whole tree, so that a score does not depend on how files are spread over segments.
    let mut documents = 0u64;
    let mut length = 0u64;
    let mut files = 0u64;
    let mut file_lengths: Vec<Vec<u32>> = Vec::with_capacity(segments.len());
    for s in segments {
        let mut lengths = vec![0u32; s.file_count() as usize];
        for row in 0..s.symbol_count() {
            let (file, own) = s.length_of(row);
            if own > 0 {
                documents += 1;
                length += u64::from(own);
                lengths[file as usize] += own;
            }
        }
        files += lengths.iter().filter(|l| **l > 0).count() as u64;
        file_lengths.push(lengths);
    }
    let average = length as f64 / documents.max(1) as f64;
    let file_average = length as f64 / files.max(1) as f64;

    let mut own: BTreeMap<Place, (f64, u64)> = BTreeMap::new();
    let mut of_file: BTreeMap<(u32, u32), (f64, u64)> = BTreeMap::new();
    let mut total_weight = 0.0;
    let mut idfs = Vec::new();
    for (n, term) in query.terms.iter().enumerate().take(64) {
        let lists: Vec<Vec<(u32, terms::Frequencies)>> = segments.iter().map(|s| s.postings(term)).collect();
        let df: u64 = lists.iter().map(|l| l.len() as u64).sum();
        let idf = (1.0 + (documents.max(df) as f64 - df as f64 + 0.5) / (df as f64 + 0.5)).ln();
        let mut file_df = 0u64;
        let mut file_hits: Vec<((u32, u32), f64)> = Vec::new();
        for (s, list) in lists.iter().enumerate() {
            let segment = &segments[s];
            let mut current: Option<(u32, f64)> = None;
            for &(row, f) in list {
                let (file, own_length) = segment.length_of(row);
                let is_file = segment.is_file_row(row);
                let path = if is_file { f[Field::Name as usize] } else { 0 };
                let norm = 1.0 - weights.b + weights.b * f64::from(own_length) / average;
                let mut tf = f64::from(f[Field::Body as usize]) * weights.fields[3] / norm;
                tf += f64::from(f[Field::Doc as usize]) * weights.fields[2] / norm.max(0.8);
                tf += f64::from(f[Field::Signature as usize].min(2)) * weights.fields[1];
                if !is_file {
                    tf += f64::from(f[Field::Name as usize].min(2)) * weights.fields[0];
                }
                let gain = idf * tf * (weights.k1 + 1.0) / (tf + weights.k1);
                if gain > 0.0 {
                    let entry = own.entry(Place { segment: s as u32, row }).or_default();
                    entry.0 += gain;
                    entry.1 |= 1 << n;
                }
                let raw: f64 = f.iter().take(4).map(|&x| f64::from(x)).sum::<f64>() + f64::from(path) * 4.0;
                match &mut current {
                    Some((at, sum)) if *at == file => *sum += raw,
                    _ => {
                        if let Some((at, sum)) = current.take() {
                            file_hits.push(((s as u32, at), sum));
                        }
                        current = Some((file, raw));
                    }
                }
            }
            if let Some((at, sum)) = current.take() {
                file_hits.push(((s as u32, at), sum));
            }
        }
        file_df += file_hits.len() as u64;
        let file_idf = (1.0 + (files.max(file_df) as f64 - file_df as f64 + 0.5) / (file_df as f64 + 0.5)).ln();
        for ((s, file), raw) in file_hits {
            let norm = 1.0 - weights.file_b
                + weights.file_b * f64::from(file_lengths[s as usize][file as usize]) / file_average;
            let tf = raw / norm.max(0.3);
            let entry = of_file.entry((s, file)).or_default();
            entry.0 += file_idf * tf * (weights.k1 + 1.0) / (tf + weights.k1);
            entry.1 |= 1 << n;
        }
        total_weight += idf;
        idfs.push(idf);
    }
    let coverage = |mask: u64| -> f64 {
        let held: f64 = idfs
            .iter()
            .enumerate()
            .filter(|(n, _)| mask >> n & 1 == 1)
            .map(|(_, w)| w)
            .sum();
        if total_weight > 0.0 { held / total_weight } else { 0.0 }
    };
    let mut out = HashMap::with_capacity(own.len());
    for (place, (score, mask)) in own {
        let file = segments[place.segment as usize].length_of(place.row).0;
        let (file_score, file_mask) = of_file.get(&(place.segment, file)).copied().unwrap_or_default();
        out.insert(
            place,
            Score {
                own: score,
                file: file_score * weights.file,
                coverage: 0.7 * coverage(mask) + 0.3 * coverage(mask | file_mask),
            },
        );
    }
    // A file that matches by its path alone is found at its file symbol.
    for ((s, file), (score, mask)) in of_file {
        let place = Place {
            segment: s,
            row: segments[s as usize].file(file).symbols.0,
        };
        out.entry(place).or_insert(Score {
            own: 0.0,
            file: score * weights.file,
            coverage: 0.7 * 0.3 * coverage(mask),
        });
    }
    (out, idfs)
}
