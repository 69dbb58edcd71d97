//! `explore`: the few symbols that answer a question, their source, and the call paths between them.

use super::QueryError;
use super::ask::{Ranked, rank};
use super::callers::callees;
use super::choice::choose;
use super::folding::definition;
use super::scores::{Terms, Weights};
use super::subject::Subject;
use super::view::{Place, View, in_scope};
use crate::facts::Kind;
use crate::index::key::SymbolKey;
use crate::index::record::FileFlags;
use crate::resolve::links::Relation;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use understory_core::answer::{Answer, Counts, Hit, Unit};
use understory_core::limits::EXPLORE_SOURCE_CHARS;
use understory_core::query::SearchQuery;

/// Most characters of one symbol's source.
const SOURCE_CHARS: usize = 5_000;
/// Lines of a type's source that are shown when it is long: its members are symbols of their own.
const TYPE_LINES: u32 = 30;
/// Call paths that are shown.
const PATHS: usize = 12;
/// Longest call path, in calls.
const PATH_CALLS: usize = 3;
/// Scores from here on belong to what a question names and to its users or implementors.
pub const NAMED: f64 = 1_000_000.0;
/// Symbols that are added because they lie on a path between two others.
const BETWEEN: usize = 4;

/// Answers `explore`.
pub fn explore(view: &View<'_>, query: &SearchQuery) -> Result<Answer, QueryError> {
    let weights = Weights::default();
    let ranking = rank(view, query, &weights)?;
    let total = ranking.total;
    let limit = (query.limit as usize).min(40);
    let mut chosen: Vec<Ranked> = asked_about(view, query, limit);
    choose(view, &ranking, limit, &mut chosen);
    let between = connect(view, &chosen, query);
    for place in between {
        if chosen.len() < limit.max(1) + BETWEEN && !chosen.iter().any(|c| c.place == place) {
            let score = chosen.last().map_or(0.0, |c| c.score) * 0.9;
            chosen.push(Ranked { place, score });
        }
    }
    if view.stopped() {
        return Err(QueryError::Stopped);
    }
    let call_paths = paths(view, &chosen);
    let mut left = EXPLORE_SOURCE_CHARS;
    let hits: Vec<Hit> = chosen
        .iter()
        .enumerate()
        .map(|(n, r)| {
            let mut hit = Hit::new(view.symbol(r.place));
            hit.score = Some((r.score * 1000.0).round() / 1000.0);
            // Later symbols keep a share of the budget.
            let share = left / (chosen.len() - n).max(1);
            let source = source(view, r.place, left.min(SOURCE_CHARS.min(share * 3)));
            left -= source.chars().count().min(left);
            hit.source = Some(source);
            hit
        })
        .collect();
    Ok(Answer {
        counts: Counts {
            shown: hits.len() as u64,
            total: total.max(hits.len() as u64),
            exact: true,
            unit: Unit::Symbols,
        },
        hits,
        call_paths: Some(call_paths),
        ..Answer::default()
    })
}

/// For "what calls X", "who uses X", "what implements X", "what breaks if X changes": X and those.
fn asked_about(view: &View<'_>, query: &SearchQuery, limit: usize) -> Vec<Ranked> {
    let words: Vec<String> = query
        .query
        .to_lowercase()
        .split(|c: char| !c.is_alphanumeric())
        .map(str::to_owned)
        .collect();
    let has = |list: &[&str]| words.iter().any(|w| list.contains(&w.as_str()));
    let who = has(&["what", "who", "which", "where", "whats"]);
    let callers = who
        && has(&[
            "call", "calls", "callers", "called", "use", "uses", "used", "users", "break", "breaks", "affected",
            "depend", "depends",
        ]);
    let implementors = has(&[
        "implement",
        "implements",
        "implementations",
        "implementors",
        "subclass",
        "subclasses",
        "extends",
        "inherit",
        "inherits",
        "implementing",
    ]);
    if !callers && !implementors {
        return Vec::new();
    }
    let terms = Terms::of(&query.query);
    let mut subject: Option<Subject> = None;
    for word in &terms.identifiers {
        let sure = Terms::looks_like_identifier(word) || word.chars().next().is_some_and(char::is_uppercase);
        if !sure {
            continue;
        }
        if let Ok(found) = super::subject::subjects(view, word) {
            let best = found
                .into_iter()
                .filter(|s| in_scope(view.path(s.place), &query.scope))
                .min_by_key(|s| {
                    let flags = view.file(s.place).flags;
                    (
                        flags.is_secondary(),
                        flags.any(FileFlags::TEST),
                        std::cmp::Reverse(view.rank_degree(s.place)),
                        view.order(s.place),
                    )
                });
            subject = subject.or(best);
        }
    }
    let Some(named) = subject else { return Vec::new() };
    let subject = named.place;
    let mut out = vec![Ranked {
        place: subject,
        score: 1000.0,
    }];
    let key = view.row(subject).key;
    let mut found: BTreeMap<Place, u32> = BTreeMap::new();
    for (place, edge) in named.keys.iter().flat_map(|&k| view.uses_of(k)) {
        let place = definition(view, place);
        let wanted = match edge.relation {
            Relation::Inherits | Relation::Implements => implementors || callers,
            Relation::Calls | Relation::Uses => callers,
            _ => false,
        };
        if wanted && place != subject && view.row(place).kind().is_some() {
            *found.entry(place).or_default() += 1;
        }
    }
    if implementors {
        let segment = view.segment(subject.segment);
        let row = view.row(subject);
        let (first, count) = segment.file(row.file).symbols;
        let members = (first..first + count).filter(|&r| r != subject.row && segment.symbol(r).parent == subject.row);
        for key in std::iter::once(key).chain(members.map(|r| segment.symbol(r).key)) {
            for place in view.overriders(key).into_iter().filter_map(|k| view.find(k)) {
                *found.entry(type_of(view, place)).or_default() += 1;
            }
        }
    }
    let mut order: Vec<Place> = found.into_keys().collect();
    order.sort_by_cached_key(|&p| (view.file(p).flags.any(FileFlags::TEST), view.order(p)));
    out.extend(order.into_iter().enumerate().map(|(n, place)| Ranked {
        place,
        score: NAMED + 900.0 - (n as f64).min(800.0),
    }));
    out.truncate(limit);
    out
}

/// The type of a member, where it stands in the member's file; the member itself elsewhere.
fn type_of(view: &View<'_>, member: Place) -> Place {
    let row = view.row(member);
    let Some((container, _)) = row.qualified.rsplit_once('.') else {
        return member;
    };
    let name = container.rsplit('.').next().unwrap_or(container);
    let segment = view.segment(member.segment);
    let own = segment.named(name).find(|&r| {
        let s = segment.symbol(r);
        s.file == row.file && s.qualified == container && s.kind().is_some_and(Kind::is_type)
    });
    own.map_or(member, |row| Place { row, ..member })
}

/// Symbols on short call paths between chosen ones that do not call each other directly.
fn connect(view: &View<'_>, chosen: &[Ranked], query: &SearchQuery) -> Vec<Place> {
    let keys: BTreeMap<SymbolKey, usize> = chosen
        .iter()
        .enumerate()
        .map(|(i, c)| (view.row(c.place).key, i))
        .collect();
    let mut out: Vec<(usize, Place)> = Vec::new();
    for (i, c) in chosen.iter().enumerate().take(8) {
        let mut steps = 0;
        for (middle, _) in callees(view, c.place) {
            if keys.contains_key(&middle) {
                continue;
            }
            let Some(place) = view.find(middle).map(|p| definition(view, p)) else {
                continue;
            };
            if chosen.iter().any(|c| c.place == place) {
                continue;
            }
            steps += 1;
            if steps > 60 || !in_scope(view.path(place), &query.scope) {
                continue;
            }
            let reached = callees(view, place)
                .into_iter()
                .find_map(|(k, _)| keys.get(&k).copied().filter(|&j| j != i));
            if let Some(j) = reached
                && !out.iter().any(|o| o.1 == place)
            {
                out.push((i + j, place));
            }
        }
    }
    out.sort_by_cached_key(|&(rank, place)| (rank, view.order(place)));
    out.into_iter().map(|o| o.1).take(BETWEEN).collect()
}

/// The longest simple call paths among the chosen symbols, each at most three calls; none is part of another.
fn paths(view: &View<'_>, chosen: &[Ranked]) -> Vec<Vec<usize>> {
    let keys: BTreeMap<SymbolKey, usize> = chosen
        .iter()
        .enumerate()
        .map(|(i, c)| (view.row(c.place).key, i))
        .collect();
    let calls: Vec<BTreeSet<usize>> = chosen
        .iter()
        .enumerate()
        .map(|(i, c)| {
            callees(view, c.place)
                .into_iter()
                .filter_map(|(k, _)| keys.get(&k).copied())
                .filter(|&j| j != i)
                .collect()
        })
        .collect();
    let mut found: Vec<Vec<usize>> = Vec::new();
    for start in 0..chosen.len() {
        let mut queue = VecDeque::from([vec![start]]);
        let mut steps = 0;
        while let Some(path) = queue.pop_front() {
            steps += 1;
            if steps > 500 {
                break;
            }
            let last = path[path.len() - 1];
            let next: Vec<usize> = calls[last].iter().copied().filter(|j| !path.contains(j)).collect();
            if path.len() > 1 && (next.is_empty() || path.len() > PATH_CALLS) {
                found.push(path);
                continue;
            }
            queue.extend(next.into_iter().map(|j| [path.as_slice(), &[j]].concat()));
        }
    }
    found.sort_by_key(|p| (std::cmp::Reverse(p.len()), p.clone()));
    let mut out: Vec<Vec<usize>> = Vec::new();
    for p in found {
        if out.len() == PATHS {
            break;
        }
        let part_of = |o: &Vec<usize>| o.windows(p.len()).any(|w| w == p);
        if !out.iter().any(part_of) {
            out.push(p);
        }
    }
    out.sort();
    out
}

/// A symbol's source, cut at a line.
fn source(view: &View<'_>, place: Place, most: usize) -> String {
    let row = view.row(place);
    let lines = view.lines(view.path(place));
    let long_type = row.kind().is_none_or(Kind::is_type) && row.end - row.start > TYPE_LINES * 2;
    let end = if long_type { row.start + TYPE_LINES } else { row.end };
    let mut out = String::new();
    let mut used = 0;
    let mut shown_to = row.start.max(1) - 1;
    for n in row.start.max(1)..=end {
        let line = super::view::shown_line(lines.line(n), 0);
        let length = line.chars().count() + 1;
        if used + length > most.saturating_sub(60) {
            break;
        }
        out.push_str(&line);
        out.push('\n');
        used += length;
        shown_to = n;
    }
    if shown_to < row.end && used + 60 <= most {
        out.push_str(&format!("… lines {}-{} not shown\n", shown_to + 1, row.end));
    }
    out
}
