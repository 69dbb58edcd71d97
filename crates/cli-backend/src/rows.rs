//! Hits of `callers` that know which nearer hit led to them.

use std::collections::BTreeMap;
use understory_core::answer::{Answer, Counts, Hit, Symbol, Unit};

/// A hit, the program's id of it, and the id of what led to it.
pub struct Row {
    /// The hit, without its way.
    pub hit: Hit,
    /// Its id.
    pub id: String,
    /// The id of the nearer one.
    pub via: Option<String>,
}

/// Subjects that are each told of once, in the order of their places.
pub fn subjects<T>(told: impl Iterator<Item = (Symbol, T)>) -> Vec<(Symbol, T)> {
    let mut subjects: Vec<(Symbol, T)> = told.collect();
    let place = |s: &Symbol| (s.path.clone(), s.start, s.qualified.clone());
    subjects.sort_by_key(|(symbol, _)| place(symbol));
    subjects.dedup_by(|(a, _), (b, _)| place(a) == place(b));
    subjects
}

/// The answer of rows in their order: ways are indexes of hits, and at most `limit` hits are shown. What led to a hit is
/// nearer, so it stands before it and is shown when the hit is.
pub fn answer<T>(rows: Vec<Row>, subjects: Vec<(Symbol, T)>, limit: usize, exact: bool) -> Answer {
    let places: BTreeMap<(Option<usize>, String), usize> = rows
        .iter()
        .enumerate()
        .map(|(at, row)| ((row.hit.subject, row.id.clone()), at))
        .collect();
    let total = rows.len() as u64;
    let with_way = |row: Row| {
        let via = row.via.and_then(|via| places.get(&(row.hit.subject, via)).copied());
        Hit { via, ..row.hit }
    };
    let mut hits: Vec<Hit> = rows.into_iter().map(with_way).collect();
    hits.truncate(limit);
    Answer {
        counts: Counts {
            shown: hits.len() as u64,
            total,
            exact,
            unit: Unit::Symbols,
        },
        hits,
        subjects: subjects.into_iter().map(|(symbol, _)| symbol).collect(),
        ..Answer::default()
    }
}
