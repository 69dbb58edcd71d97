//! `callers`: who references a symbol, or what it references, to a depth.

use super::QueryError;
use super::folding::{declares, definition};
use super::subject::{Subject, subjects};
use super::view::{Place, View, in_scope, relation, shown_line};
use crate::facts::Kind;
use crate::index::key::SymbolKey;
use crate::index::segment::LooseRow;
use crate::languages::Family;
use crate::resolve::links::{Confidence as Sure, Relation as Rel};
use std::collections::{BTreeMap, BTreeSet};
use understory_core::answer::{Answer, Confidence, Counts, Finding, Hit, Line, Relation, Symbol, Unit, Unresolved};
use understory_core::query::{Direction, SearchQuery};

/// Most symbols that a walk visits; what lies behind is not looked at, and the answer says that its total is a lower bound.
const MOST_VISITED: usize = 20_000;
/// Most candidates that one use of unknown binding gives when asked what a symbol references.
const MOST_CANDIDATES: usize = 200;

/// One hit before it is shown.
#[derive(Clone, Debug)]
struct Found {
    place: Place,
    relation: Relation,
    confidence: Confidence,
    depth: u32,
    subject: usize,
    /// Index of the nearer hit, at depth 2 and 3.
    via: Option<usize>,
    /// Use sites: path of the file that holds them, lines.
    lines: BTreeSet<u32>,
    /// Line order for `out`: the first use site.
    first: u32,
    /// The file that holds the lines.
    lines_in: Place,
}

fn sure(c: Sure) -> Confidence {
    super::view::confidence(c)
}

/// Answers `callers`.
pub fn callers(view: &View<'_>, query: &SearchQuery) -> Result<Answer, QueryError> {
    let subjects = subjects(view, &query.query)?;
    let mut found: Vec<Found> = Vec::new();
    let mut cut = false;
    let mut every_name = true;
    for (n, subject) in subjects.iter().enumerate() {
        let mut level: Vec<(Subject, Option<usize>, Confidence)> = vec![(subject.clone(), None, Confidence::Exact)];
        let mut seen: BTreeSet<Place> = BTreeSet::from([subject.place]);
        for depth in 1..=query.depth {
            let mut next: Vec<(Subject, Option<usize>, Confidence)> = Vec::new();
            for (at, via, weakest) in &level {
                if view.stopped() {
                    return Err(QueryError::Stopped);
                }
                let step = match query.direction {
                    Direction::In => incoming(view, at),
                    Direction::Out => {
                        let (step, all) = outgoing(view, at.place, depth == 1);
                        every_name &= all;
                        step
                    }
                };
                let mut added: BTreeSet<Place> = BTreeSet::new();
                for mut hit in step {
                    // At depth 2 and 3 a symbol is listed where it is reached first only.
                    if depth > 1 && seen.contains(&hit.place) {
                        continue;
                    }
                    if found.len() >= MOST_VISITED {
                        cut = true;
                        break;
                    }
                    hit.depth = depth;
                    hit.subject = n;
                    hit.via = *via;
                    hit.confidence = hit.confidence.max(*weakest);
                    added.insert(hit.place);
                    // Where only the name agrees, or a file is merely imported, the walk ends.
                    let goes_on = hit.confidence != Confidence::Name && hit.relation != Relation::Imports;
                    if goes_on
                        && depth < query.depth
                        && !seen.contains(&hit.place)
                        && view.row(hit.place).kind().is_some()
                    {
                        let key = view.row(hit.place).key;
                        next.push((
                            Subject {
                                place: hit.place,
                                keys: vec![key],
                            },
                            Some(found.len()),
                            hit.confidence,
                        ));
                    }
                    found.push(hit);
                }
                if depth > 1 {
                    seen.extend(added);
                }
            }
            if depth == 1 {
                seen.extend(found.iter().filter(|f| f.subject == n).map(|f| f.place));
            }
            next.dedup_by_key(|x| x.0.place);
            level = next;
        }
    }

    // The order of the answer, keeping each hit's way back to the nearer one.
    let mut order: Vec<usize> = (0..found.len())
        .filter(|&i| in_scope(view.path(found[i].place), &query.scope))
        .collect();
    order.sort_by_cached_key(|&i| {
        let f = &found[i];
        let at = view.order(f.place);
        let last = (at.0, f.lines.first().copied().unwrap_or(0), at.1, f.relation as u8);
        match query.direction {
            Direction::In => (
                f.depth,
                u8::from(f.relation == Relation::Imports),
                f.confidence as u32,
                0,
                last,
                f.subject,
            ),
            // What only shares a name follows what is bound; each in the order of the source.
            Direction::Out => (
                f.depth,
                u8::from(f.relation == Relation::Imports),
                u32::from(f.confidence == Confidence::Name),
                f.first,
                last,
                f.subject,
            ),
        }
    });
    let total = order.len() as u64;
    order.truncate(query.limit as usize);
    let position: BTreeMap<usize, usize> = order.iter().enumerate().map(|(to, &from)| (from, to)).collect();
    let hits: Vec<Hit> = order
        .iter()
        .map(|&i| {
            let f = &found[i];
            let mut hit = Hit::new(match query.direction {
                Direction::In => view.symbol(f.place),
                Direction::Out => whole(view, f.place),
            });
            hit.relation = Some(f.relation);
            hit.confidence = Some(f.confidence);
            hit.depth = Some(f.depth);
            hit.subject = Some(f.subject);
            hit.via = f.via.and_then(|v| position.get(&v).copied());
            let lines = view.lines(view.path(f.lines_in));
            hit.lines = f
                .lines
                .iter()
                .map(|&n| Line {
                    line: n,
                    text: shown_line(lines.line(n), 0),
                })
                .collect();
            hit
        })
        .collect();

    let mut answer = Answer {
        subjects: subjects.iter().map(|s| shown(view, s)).collect(),
        counts: Counts {
            shown: hits.len() as u64,
            total,
            exact: !cut && every_name,
            unit: Unit::Symbols,
        },
        hits,
        unresolved: Some(Unresolved {
            sites: unresolved(view, &subjects),
        }),
        ..Answer::default()
    };
    if cut {
        answer.findings.push(Finding::note(
            "search_code.cut",
            format!("The walk of callers stopped at {MOST_VISITED} symbols; the total is a lower bound."),
        ));
    }
    if !every_name {
        answer.findings.push(Finding::note(
            "search_code.cut",
            format!(
                "A use whose binding is not known has more than {MOST_CANDIDATES} definitions of its name; the total is a lower bound."
            ),
        ));
    }
    Ok(answer)
}

/// A subject as answers carry it. In Python each overload is a definition of the function, so that it begins at the
/// first one; elsewhere a signature is a declaration and the function begins at itself.
fn shown(view: &View<'_>, subject: &Subject) -> Symbol {
    let mut symbol = view.symbol(subject.place);
    if view.family(subject.place) == Some(Family::Python) {
        for place in subject.keys.iter().filter_map(|&k| view.find(k)) {
            if view.path(place) == symbol.path.as_str() {
                symbol.start = symbol.start.min(view.row(place).start);
            }
        }
    }
    symbol
}

/// What a symbol references, as answers carry it: a Python function with its overloads, as [`shown`] has it.
fn whole(view: &View<'_>, place: Place) -> Symbol {
    let mut symbol = view.symbol(place);
    let row = view.row(place);
    if row.kind().is_some_and(Kind::is_callable) && view.family(place) == Some(Family::Python) && !declares(&row) {
        let namesakes = view.namesakes(place).into_iter().map(|p| view.row(p));
        let overloads = namesakes.filter(|row| declares(row));
        symbol.start = overloads.map(|row| row.start).fold(symbol.start, u32::min);
    }
    symbol
}

/// Uses of the subjects' names that are bound to nothing in the tree.
fn unresolved(view: &View<'_>, subjects: &[Subject]) -> u64 {
    let names: BTreeSet<&str> = subjects
        .iter()
        .filter(|s| view.row(s.place).kind().is_some())
        .map(|s| view.row(s.place).name)
        .collect();
    names
        .iter()
        .map(|n| view.segments().iter().map(|s| u64::from(s.unbound(n))).sum::<u64>())
        .sum()
}

/// Collects sites under (symbol, relation, confidence).
#[derive(Default)]
struct Groups(BTreeMap<(Place, Relation, Confidence), Sites>);

/// The sites of one group.
struct Sites {
    lines: BTreeSet<u32>,
    first: u32,
    lines_in: Place,
}

impl Groups {
    fn add(&mut self, place: Place, relation: Relation, confidence: Confidence, line: u32, site: u32, lines_in: Place) {
        let entry = self.0.entry((place, relation, confidence)).or_insert_with(|| Sites {
            lines: BTreeSet::new(),
            first: site,
            lines_in,
        });
        entry.lines.insert(line);
        entry.first = entry.first.min(site);
    }

    fn into_found(self) -> Vec<Found> {
        // A line that is bound better is not shown again as a weaker binding of the same kind.
        let mut best: BTreeMap<(Place, Relation, u32), Confidence> = BTreeMap::new();
        for ((place, relation, confidence), sites) in &self.0 {
            for &line in &sites.lines {
                let known = best.entry((*place, *relation, line)).or_insert(*confidence);
                *known = (*known).min(*confidence);
            }
        }
        let mut out = Vec::new();
        for ((place, relation, confidence), sites) in self.0 {
            let Sites {
                mut lines,
                first,
                lines_in,
            } = sites;
            lines.retain(|&line| best.get(&(place, relation, line)) == Some(&confidence));
            if lines.is_empty() {
                continue;
            }
            out.push(Found {
                place,
                relation,
                confidence,
                depth: 1,
                subject: 0,
                via: None,
                lines,
                first,
                lines_in,
            });
        }
        out
    }
}

/// Who references a subject directly.
fn incoming(view: &View<'_>, subject: &Subject) -> Vec<Found> {
    let mut groups = Groups::default();
    for &key in &subject.keys {
        for (place, edge) in view.uses_of(key) {
            groups.add(
                place,
                relation(edge.relation),
                sure(edge.confidence),
                edge.line,
                edge.line,
                place,
            );
        }
        // Through what it overrides: a use of the base may reach it.
        for base in view.bases(key) {
            for (place, edge) in view.uses_of(base) {
                if matches!(edge.relation, Rel::Calls | Rel::Uses) {
                    groups.add(
                        place,
                        relation(edge.relation),
                        Confidence::Possible,
                        edge.line,
                        edge.line,
                        place,
                    );
                }
            }
        }
        for segment in view.segments() {
            for member in segment.overriding(key) {
                if let Some(place) = view.find(member) {
                    let line = view.row(place).name_line;
                    groups.add(place, Relation::Overrides, Confidence::Exact, line, line, place);
                }
            }
        }
    }
    // Where only the name agrees.
    let row = view.row(subject.place);
    if row.kind().is_some() {
        let family = view.family(subject.place);
        for (n, segment) in view.segments().iter().enumerate() {
            for loose in segment.loose(row.name) {
                let place = Place {
                    segment: n as u32,
                    row: loose.source,
                };
                if view.family(place) == family && fits(view, subject.place, &loose) {
                    groups.add(
                        place,
                        relation(loose.relation),
                        Confidence::Name,
                        loose.line,
                        loose.line,
                        place,
                    );
                }
            }
        }
    }
    groups.into_found()
}

/// Whether a use of unknown binding can mean a definition at all: a name behind a receiver is a member or a module's
/// definition, never something local to a function.
fn fits(view: &View<'_>, target: Place, loose: &LooseRow) -> bool {
    let row = view.row(target);
    let Some(kind) = row.kind() else { return false };
    if loose.member {
        let parent = view.row(Place {
            segment: target.segment,
            row: row.parent,
        });
        if parent.kind().is_some_and(Kind::is_callable) {
            return false;
        }
    }
    match loose.relation {
        Rel::Inherits | Rel::Implements => kind.is_type(),
        _ => true,
    }
}

/// What a symbol references: its own uses and those of the definitions inside it, which are no hits themselves. With it
/// whether all definitions that share a name with a use of unknown binding are among them.
fn outgoing(view: &View<'_>, place: Place, with_names: bool) -> (Vec<Found>, bool) {
    let mut groups = Groups::default();
    let mut every_name = true;
    // A name with many signatures is met at many sites: each is folded once.
    let mut folded: BTreeMap<Place, Place> = BTreeMap::new();
    let mut fold = |p: Place| *folded.entry(p).or_insert_with(|| definition(view, p));
    let segment = view.segment(place.segment);
    let inside = subtree(view, place);
    let own = view.row(place);
    for &row in &inside {
        for (site, edge) in segment.edges_from(row).enumerate() {
            let Some(target) = view.find(edge.target) else { continue };
            // What stands above the name of a callable (its decorators) runs with the code around it; a definition inside
            // it is a part of it, while recursion is a reference like any other.
            let above = row == place.row && edge.line < own.name_line && own.kind().is_some_and(Kind::is_callable);
            let part = target != place && target.segment == place.segment && inside.contains(&target.row);
            if above || part {
                continue;
            }
            let order = edge.line.saturating_mul(64).saturating_add((site as u32).min(63));
            let (kind, certain) = (relation(edge.relation), sure(edge.confidence));
            groups.add(fold(target), kind, certain, edge.line, order, place);
            // A member without a body runs as one of those that implement it.
            if !declares(&view.row(target)) || !matches!(edge.relation, Rel::Calls | Rel::Uses) {
                continue;
            }
            for member in view.overriders(edge.target) {
                if let Some(other) = view.find(member) {
                    groups.add(fold(other), kind, Confidence::Possible, edge.line, order, place);
                }
            }
        }
        if with_names {
            let family = view.family(place);
            for (name, loose) in segment.loose_from(row) {
                let mut candidates = view
                    .named(name)
                    .into_iter()
                    .filter(|&p| view.family(p) == family && fits(view, p, &loose));
                for target in candidates.by_ref().take(MOST_CANDIDATES) {
                    groups.add(
                        target,
                        relation(loose.relation),
                        Confidence::Name,
                        loose.line,
                        loose.line.saturating_mul(64),
                        place,
                    );
                }
                every_name &= candidates.next().is_none();
            }
        }
    }
    (groups.into_found(), every_name)
}

/// Rows of a symbol and of the definitions inside it; for a file symbol, its own row alone.
fn subtree(view: &View<'_>, place: Place) -> BTreeSet<u32> {
    let segment = view.segment(place.segment);
    let row = segment.symbol(place.row);
    let mut out = BTreeSet::from([place.row]);
    if row.kind().is_none() {
        return out;
    }
    let (first, count) = segment.file(row.file).symbols;
    for r in place.row + 1..first + count {
        if out.contains(&segment.symbol(r).parent) {
            out.insert(r);
        }
    }
    out
}

/// Keys that a path of calls may go through from a symbol: what it calls at `possible` or better.
pub fn callees(view: &View<'_>, place: Place) -> Vec<(SymbolKey, u32)> {
    let segment = view.segment(place.segment);
    let mut out = Vec::new();
    for row in subtree(view, place) {
        for edge in segment.edges_from(row) {
            if edge.relation == Rel::Calls {
                out.push((edge.target, edge.line));
                out.extend(view.overriders(edge.target).into_iter().take(8).map(|k| (k, edge.line)));
            }
        }
    }
    out
}
