//! `ask`: symbols ranked for a task in words.

use super::QueryError;
use super::folding::{declares, definition};
use super::scores::{Terms, Weights, scores};
use super::view::{Place, View, in_scope};
use crate::facts::{Kind, SymbolFlags};
use crate::index::record::FileFlags;
use crate::resolve::links::Relation;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use understory_core::answer::{Answer, Counts, Hit, Unit};
use understory_core::query::SearchQuery;

/// Candidates whose neighbours and source are looked at.
const POOL: usize = 200;

/// A ranked symbol.
#[derive(Clone, Copy, Debug)]
pub struct Ranked {
    /// Which.
    pub place: Place,
    /// Greater is better.
    pub score: f64,
}

/// Answers `ask`.
pub fn ask(view: &View<'_>, query: &SearchQuery) -> Result<Answer, QueryError> {
    let weights = Weights::default();
    let Ranking { ranked, total, .. } = rank(view, query, &weights)?;
    let hits: Vec<Hit> = spread(view, ranked, query.limit as usize, &weights)
        .into_iter()
        .map(|r| {
            let mut hit = Hit::new(view.symbol(r.place));
            hit.score = Some((r.score * 1000.0).round() / 1000.0);
            hit
        })
        .collect();
    Ok(Answer {
        counts: Counts {
            shown: hits.len() as u64,
            total,
            exact: true,
            unit: Unit::Symbols,
        },
        hits,
        ..Answer::default()
    })
}

/// Every symbol that a query's words reach.
#[derive(Clone, Debug, Default)]
pub struct Ranking {
    /// Best first.
    pub ranked: Vec<Ranked>,
    /// How many there are, those aside that only a name added.
    pub total: u64,
    /// The query's terms, each with how much it tells.
    pub terms: Vec<(String, f64)>,
}

/// Ranks every symbol that a query's words reach.
pub fn rank(view: &View<'_>, query: &SearchQuery, weights: &Weights) -> Result<Ranking, QueryError> {
    let terms = Terms::of(&query.query);
    let (found, term_weights) = scores(view, &terms, weights);
    if view.stopped() {
        return Err(QueryError::Stopped);
    }
    let wants_tests = terms
        .terms
        .iter()
        .any(|t| matches!(t.as_str(), "test" | "spec" | "fixtur" | "mock" | "assert"));
    let wants_examples = terms
        .terms
        .iter()
        .any(|t| matches!(t.as_str(), "exampl" | "demo" | "benchmark" | "bench" | "sampl"));
    let mut ranked: Vec<Ranked> = Vec::with_capacity(found.len());
    for (&place, score) in &found {
        let file = view.file(place);
        if !in_scope(file.path, &query.scope) {
            continue;
        }
        let row = view.row(place);
        let lexical = (score.own + score.file) * (1.0 - weights.coverage + weights.coverage * score.coverage);
        let kind = kind_weight(row.kind(), weights);
        let mut prior = 1.0 + weights.degree * f64::from(1 + view.rank_degree(place)).ln();
        let is_test = file.flags.any(FileFlags::TEST) || row.flags & u32::from(SymbolFlags::TEST) != 0;
        if is_test && !wants_tests {
            prior *= weights.tests;
        }
        if file.flags.any(FileFlags::EXAMPLE) && !wants_examples {
            prior *= 0.7;
        }
        if file.flags.is_secondary() {
            prior *= 0.35;
        }
        ranked.push(Ranked {
            place,
            score: lexical * kind * prior,
        });
    }
    fold(view, &mut ranked);
    for r in ranked.iter_mut().filter(|r| declares(&view.row(r.place))) {
        r.score *= weights.declared;
    }
    let total = ranked.len() as u64;
    name_boost(view, query, &terms, &mut ranked);
    sort(view, &mut ranked);
    let pool = ranked.len().min(POOL);
    neighbours(view, &mut ranked[..pool], weights);
    phrases(view, &query.query, &mut ranked[..pool]);
    sort(view, &mut ranked);
    Ok(Ranking {
        ranked,
        total,
        terms: terms.terms.into_iter().zip(term_weights).collect(),
    })
}

/// Puts declarations into the definitions that they stand for, each at the better of the two scores.
fn fold(view: &View<'_>, ranked: &mut Vec<Ranked>) {
    let folded = |r: &Ranked| (r.place, definition(view, r.place));
    let moved: HashMap<Place, Place> = ranked.iter().map(folded).filter(|(a, b)| a != b).collect();
    if moved.is_empty() {
        return;
    }
    let mut best: BTreeMap<Place, Ranked> = BTreeMap::new();
    for r in ranked.iter() {
        let place = moved.get(&r.place).copied().unwrap_or(r.place);
        let kept = best.entry(place).or_insert(Ranked { place, ..*r });
        kept.score = kept.score.max(r.score);
    }
    ranked.clear();
    ranked.extend(best.into_values());
}

fn sort(view: &View<'_>, ranked: &mut [Ranked]) {
    ranked.sort_by(|a, b| {
        b.score
            .total_cmp(&a.score)
            .then_with(|| view.order(a.place).cmp(&view.order(b.place)))
    });
}

fn kind_weight(kind: Option<Kind>, weights: &Weights) -> f64 {
    match kind {
        None => weights.files,
        Some(Kind::Field | Kind::Variable | Kind::Variant | Kind::Property | Kind::Constant) => weights.data,
        Some(Kind::TypeAlias | Kind::Module | Kind::Namespace) => weights.types * 0.9,
        Some(kind) if kind.is_type() => weights.types,
        Some(_) => 1.0,
    }
}

/// A word of the query that is the very name of a symbol lifts it: much when the word cannot be prose, or when the query is
/// little else.
fn name_boost(view: &View<'_>, query: &SearchQuery, terms: &Terms, ranked: &mut Vec<Ranked>) {
    let best = ranked.iter().map(|r| r.score).fold(0.0, f64::max).max(1.0);
    let few = terms.identifiers.len() <= 2;
    let mut at: HashMap<Place, usize> = ranked.iter().enumerate().map(|(i, r)| (r.place, i)).collect();
    for word in &terms.identifiers {
        let sure = Terms::looks_like_identifier(word);
        if !sure && !few {
            continue;
        }
        let last = word.rsplit(['.', ':', '#']).next().unwrap_or(word);
        let owner = word
            .strip_suffix(last)
            .map(|o| o.trim_end_matches(['.', ':', '#']))
            .unwrap_or("");
        let named: BTreeSet<Place> = view.named(last).into_iter().map(|p| definition(view, p)).collect();
        for place in named {
            let file = view.file(place);
            if !in_scope(file.path, &query.scope) {
                continue;
            }
            let row = view.row(place);
            let owned = owner.is_empty()
                || row
                    .qualified
                    .replace("::", ".")
                    .ends_with(&format!("{}.{last}", owner.replace("::", ".")));
            let mut lift = if sure { 0.9 } else { 0.35 } * best;
            if !owned {
                lift *= 0.5;
            }
            if file.flags.is_secondary() {
                lift *= 0.3;
            } else if file.flags.any(FileFlags::TEST) {
                lift *= 0.5;
            }
            match at.get(&place) {
                Some(&i) => ranked[i].score += lift,
                None => {
                    at.insert(place, ranked.len());
                    ranked.push(Ranked { place, score: lift });
                }
            }
        }
    }
}

/// A symbol that calls, or is called by, another good candidate gains a share of its score.
fn neighbours(view: &View<'_>, pool: &mut [Ranked], weights: &Weights) {
    let at: HashMap<u64, usize> = pool
        .iter()
        .enumerate()
        .map(|(i, r)| (view.row(r.place).key.0, i))
        .collect();
    let before: Vec<f64> = pool.iter().map(|r| r.score).collect();
    let mut gain: Vec<BTreeMap<usize, f64>> = vec![BTreeMap::new(); pool.len()];
    for (i, r) in pool.iter().enumerate() {
        let segment = view.segment(r.place.segment);
        for edge in segment.edges_from(r.place.row) {
            if edge.relation != Relation::Calls {
                continue;
            }
            if let Some(&j) = at.get(&edge.target.0)
                && i != j
            {
                gain[i].insert(j, before[j]);
                gain[j].insert(i, before[i]);
            }
        }
    }
    for (r, gains) in pool.iter_mut().zip(gain) {
        let mut best: Vec<f64> = gains.into_values().collect();
        best.sort_by(|a, b| b.total_cmp(a));
        let share: f64 = best
            .iter()
            .take(3)
            .zip([1.0, 0.5, 0.25])
            .map(|(g, w)| g * w * weights.neighbour)
            .sum();
        r.score += share;
    }
}

/// A symbol whose text holds the query word for word leads.
fn phrases(view: &View<'_>, query: &str, pool: &mut [Ranked]) {
    let wanted = squeeze(query);
    if wanted.split(' ').count() < 3 {
        return;
    }
    let best = pool.iter().map(|r| r.score).fold(0.0, f64::max);
    for r in pool.iter_mut().take(60) {
        let row = view.row(r.place);
        if row.kind().is_none() && row.end > 4_000 {
            continue;
        }
        let lines = view.lines(view.path(r.place));
        // The comment above a definition speaks of it.
        let text = lines.span(row.start.saturating_sub(6), row.end.min(row.start + 400));
        if squeeze(&text).contains(&wanted) {
            r.score += best * if row.kind().is_some() { 1.0 } else { 0.5 };
        }
    }
}

/// Words in lower case with single blanks between them, punctuation and comment marks gone.
fn squeeze(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut gap = false;
    for c in text.chars() {
        if c.is_alphanumeric() || c == '_' {
            if gap && !out.is_empty() {
                out.push(' ');
            }
            gap = false;
            out.extend(c.to_lowercase());
        } else {
            gap = true;
        }
    }
    out
}

/// The first `limit` symbols, spread over files: each further hit of one file counts for less. Looks at a bounded head of the list.
pub fn spread(view: &View<'_>, ranked: Vec<Ranked>, limit: usize, weights: &Weights) -> Vec<Ranked> {
    let head = ranked.len().min((limit * 6).max(300));
    let mut rest: Vec<Ranked> = ranked[..head].to_vec();
    let mut seen: HashMap<&str, u32> = HashMap::new();
    // Definitions inside one another say the same thing twice: the inner or outer one that comes first stands for both.
    let mut out: Vec<Ranked> = Vec::with_capacity(limit.min(head));
    while out.len() < limit && !rest.is_empty() {
        let mut best = 0;
        let mut best_score = f64::MIN;
        for (i, r) in rest.iter().enumerate() {
            // The list is sorted, so nothing behind can beat the best any more.
            if r.score <= best_score {
                break;
            }
            let times = seen.get(view.path(r.place)).copied().unwrap_or(0);
            let score = r.score * weights.spread.powi(times.min(12) as i32);
            if score > best_score {
                best = i;
                best_score = score;
            }
        }
        let taken = rest.remove(best);
        *seen.entry(view.path(taken.place)).or_default() += 1;
        out.push(Ranked {
            score: best_score,
            ..taken
        });
    }
    if out.len() < limit {
        out.extend_from_slice(&ranked[head..ranked.len().min(head + limit - out.len())]);
    }
    out
}
