//! Which symbols `explore` shows: those that the words rank best, as long as each adds something: a word that no earlier
//! one is named by, a step of the calls between them, a body that can be read.

use super::ask::{Ranked, Ranking};
use super::folding::declares;
use super::view::View;
use crate::facts::Kind;
use crate::index::key::SymbolKey;
use crate::resolve::links::Relation;
use crate::terms::terms_of;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Ranked symbols that are looked at.
const POOL: usize = 400;
/// Least share of the best score.
const LEAST: f64 = 0.15;
/// Lines up to which a type is shown whole, so that its members need no place of their own.
const SHORT_TYPE: u32 = 40;
/// Lines up to which a function is shown whole, with what is defined in it.
const SHORT_FUNCTION: u32 = 100;
/// Lines from which a type says less than those of its members that were found.
const LONG_TYPE: u32 = 60;

/// What an earlier symbol of the same file leaves of a value.
const CROWD: f64 = 0.97;
/// How much naming a word of the question counts that no chosen symbol is named by.
const NEW_WORD: f64 = 0.4;
/// Share of the places that go to what calls, or is called by, a chosen symbol.
const BY_CALLS: f64 = 0.3;
/// How much such a call counts there, and what each place further down leaves of it.
const CALL: (f64, f64) = (2.0, 0.9);
/// Weight of a member without a body.
const DECLARED: f64 = 0.6;

/// One symbol that may be chosen.
struct Candidate<'a> {
    ranked: Ranked,
    path: &'a str,
    /// Share of the best score, weighed by how much there is to read.
    worth: f64,
    /// Terms of the query in its bare name.
    named: BTreeSet<usize>,
}

/// Adds to `chosen` until there are `limit`.
pub fn choose(view: &View<'_>, ranking: &Ranking, limit: usize, chosen: &mut Vec<Ranked>) {
    let best = ranking.ranked.first().map_or(0.0, |r| r.score);
    if best <= 0.0 {
        return;
    }
    let mut pool: Vec<Candidate<'_>> = chosen.iter().map(|&r| candidate(view, ranking, r, best)).collect();
    let given = pool.len();
    let rest = ranking.ranked.iter().take(POOL).filter(|r| r.score >= best * LEAST);
    let rest = rest.filter(|r| !chosen.iter().any(|c| c.place == r.place));
    pool.extend(rest.map(|&r| candidate(view, ranking, r, best)));
    let choice = Choice {
        linked: links(view, &pool),
        whole: ranking.terms.iter().map(|t| t.1).sum(),
        by_words: given.max(limit - (limit as f64 * BY_CALLS) as usize),
        ranking,
        pool,
    };
    let mut taken: Vec<usize> = (0..given).collect();
    let mut open: BTreeSet<usize> = (given..choice.pool.len()).collect();
    while taken.len() < limit && !open.is_empty() {
        let so_far = SoFar::of(&choice, &taken);
        let values = open.iter().map(|&i| (choice.value(i, &taken, &so_far), i));
        let best = values.max_by(|a, b| a.0.total_cmp(&b.0).then_with(|| b.1.cmp(&a.1)));
        let Some((_, next)) = best else { break };
        open.remove(&next);
        match clash(view, &choice.pool, next, &taken, given) {
            Clash::None => taken.push(next),
            Clash::Said => {}
            Clash::Holds(i) => taken[i] = next,
        }
    }
    *chosen = taken.into_iter().map(|i| choice.pool[i].ranked).collect();
}

/// What a choice goes by.
struct Choice<'a> {
    ranking: &'a Ranking,
    pool: Vec<Candidate<'a>>,
    /// For each candidate those that it calls or that call it.
    linked: Vec<BTreeSet<usize>>,
    /// Weight of all terms of the query.
    whole: f64,
    /// Number of places that the words alone fill.
    by_words: usize,
}

/// What the chosen ones have together.
#[derive(Default)]
struct SoFar<'a> {
    files: HashMap<&'a str, i32>,
    named: BTreeSet<usize>,
}

impl<'a> SoFar<'a> {
    fn of(choice: &Choice<'a>, taken: &[usize]) -> Self {
        let mut out = SoFar::default();
        for c in taken.iter().map(|&i| &choice.pool[i]) {
            *out.files.entry(c.path).or_default() += 1;
            out.named.extend(&c.named);
        }
        out
    }
}

impl Choice<'_> {
    /// What a candidate adds to those that were taken.
    fn value(&self, i: usize, taken: &[usize], so_far: &SoFar<'_>) -> f64 {
        let c = &self.pool[i];
        let mut value = c.worth * CROWD.powi(so_far.files.get(c.path).copied().unwrap_or(0).min(12));
        // The first is what the words say; only then it matters what the others leave open.
        if !taken.is_empty() && self.whole > 0.0 {
            let new: f64 = c
                .named
                .difference(&so_far.named)
                .map(|&t| self.ranking.terms[t].1)
                .sum();
            value *= 1.0 + NEW_WORD * c.worth * new / self.whole;
        }
        if taken.len() >= self.by_words {
            let reached = self.linked[i].iter().filter_map(|j| taken.iter().position(|t| t == j));
            let near = reached.map(|n| self.pool[taken[n]].worth * CALL.1.powi(n.min(40) as i32));
            value *= 1.0 + CALL.0 * near.fold(0.0, f64::max);
        }
        value
    }
}

fn candidate<'a>(view: &View<'a>, ranking: &Ranking, ranked: Ranked, best: f64) -> Candidate<'a> {
    let row = view.row(ranked.place);
    let mut worth = (ranked.score / best).min(1.0);
    let lines = row.end.saturating_sub(row.start) + 1;
    if declares(&row) {
        worth *= DECLARED;
    }
    // A body of a line or two shows little.
    worth *= 1.0 - 0.5 / f64::from(lines + 1);
    let name = terms_of(row.name);
    let held = ranking
        .terms
        .iter()
        .enumerate()
        .filter(|(_, t)| row.kind().is_some() && name.contains(&t.0));
    Candidate {
        ranked,
        path: view.path(ranked.place),
        worth,
        named: held.map(|h| h.0).collect(),
    }
}

/// For each candidate those that call it or that it calls; a call of a member may run what overrides it.
fn links(view: &View<'_>, pool: &[Candidate<'_>]) -> Vec<BTreeSet<usize>> {
    let mut at: BTreeMap<SymbolKey, Vec<usize>> = BTreeMap::new();
    for (i, c) in pool.iter().enumerate() {
        let key = view.row(c.ranked.place).key;
        at.entry(key).or_default().push(i);
        for base in view.segment(c.ranked.place.segment).overridden(key) {
            at.entry(base).or_default().push(i);
        }
    }
    let mut out = vec![BTreeSet::new(); pool.len()];
    for (i, c) in pool.iter().enumerate() {
        let segment = view.segment(c.ranked.place.segment);
        for edge in segment
            .edges_from(c.ranked.place.row)
            .filter(|e| e.relation == Relation::Calls)
        {
            for &j in at.get(&edge.target).into_iter().flatten().filter(|&&j| j != i) {
                out[i].insert(j);
                out[j].insert(i);
            }
        }
    }
    out
}

/// How a symbol stands to those that were chosen before.
enum Clash {
    /// Its source is not among theirs.
    None,
    /// It is shown with one of them, or says less than they do.
    Said,
    /// It is shown whole and holds this one.
    Holds(usize),
}

fn clash(view: &View<'_>, pool: &[Candidate<'_>], next: usize, taken: &[usize], given: usize) -> Clash {
    let span = |i: usize| {
        let row = view.row(pool[i].ranked.place);
        (row.start, row.end)
    };
    let whole = |i: usize| {
        let kind = view.row(pool[i].ranked.place).kind();
        let lines = span(i).1 - span(i).0;
        kind.is_some_and(|k| lines < if k.is_type() { SHORT_TYPE } else { SHORT_FUNCTION })
    };
    let holds = |a: usize, b: usize| span(a).0 <= span(b).0 && span(a).1 >= span(b).1;
    let kind = view.row(pool[next].ranked.place).kind();
    let long = span(next).1 - span(next).0 > LONG_TYPE;
    for (n, &i) in taken
        .iter()
        .enumerate()
        .filter(|(_, i)| pool[**i].path == pool[next].path)
    {
        if holds(i, next) && whole(i) {
            return Clash::Said;
        }
        if holds(next, i) {
            if kind.is_none() || long && kind.is_some_and(Kind::is_type) {
                return Clash::Said;
            }
            if whole(next) && n >= given {
                return Clash::Holds(n);
            }
        }
    }
    Clash::None
}
