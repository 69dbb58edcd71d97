//! From what the tool tells to answers over the tree.

use crate::parse::explore::{Explored, Place};
use crate::parse::outline::Outline;
use std::collections::{BTreeMap, BTreeSet};
use understory_cli_backend::spans;
use understory_cli_backend::texts::{Texts, Told};
use understory_core::answer::{Answer, Counts, Hit, Unit};
use understory_core::limits::EXPLORE_SOURCE_CHARS;
use understory_core::path::RepoPath;

/// The answer to `ask`. `whole` says that the tool left no row out.
pub fn ask(rows: &[(Told, Option<f64>)], whole: bool, limit: usize, texts: &mut Texts<'_>) -> Answer {
    let mut seen = BTreeSet::new();
    let mut hits = Vec::new();
    for (told, score) in rows {
        let Some(symbol) = texts.symbol(told) else { continue };
        if seen.insert((symbol.path.clone(), symbol.start, symbol.qualified.clone())) {
            let mut hit = Hit::new(symbol);
            hit.score = *score;
            hits.push(hit);
        }
    }
    cut(hits, whole, limit)
}

fn cut(mut hits: Vec<Hit>, exact: bool, limit: usize) -> Answer {
    let total = hits.len() as u64;
    hits.truncate(limit);
    Answer {
        counts: Counts {
            shown: hits.len() as u64,
            total,
            exact,
            unit: Unit::Symbols,
        },
        hits,
        ..Answer::default()
    }
}

/// The answer to `skeleton`: nested by the spans of the definitions.
pub fn skeleton(outline: &Outline, texts: &mut Texts<'_>) -> Answer {
    let mut above: Vec<(u32, String)> = Vec::new();
    let mut hits = Vec::new();
    let mut whole = true;
    for item in outline.items.iter().filter(|i| i.kind != "file" && i.kind != "import") {
        let told = Told {
            path: outline.path.clone(),
            start: item.line,
            end: None,
            kind: item.kind.clone(),
            name: item.name.clone(),
            qualified: item.name.clone(),
        };
        // A definition that the tree does not have where the index has it.
        let Some(mut symbol) = texts.symbol(&told) else {
            whole = false;
            continue;
        };
        while above.last().is_some_and(|(end, _)| *end < symbol.start) {
            above.pop();
        }
        if let Some((_, outer)) = above.last() {
            symbol.qualified = format!("{outer}.{}", symbol.name);
        }
        let level = above.len() as u32;
        above.push((symbol.end, symbol.qualified.clone()));
        let mut hit = Hit::new(symbol);
        hit.level = Some(level);
        hits.push(hit);
    }
    cut(hits, whole, usize::MAX)
}

/// The kind of a symbol whose kind is not told.
const UNKNOWN: &str = "symbol";

/// A piece of source: a definition, or lines between definitions.
struct Piece {
    told: Told,
    callers: u32,
    /// Lines that are shown; none where the tool only named the place.
    shown: Option<(u32, u32)>,
}

/// The answer to `explore`: definitions of the call flow, then what else was named, then the rest of what was shown. The
/// source is the tree's. `whole` says that all that the tool said was read.
pub fn explore(found: &Explored, whole: bool, limit: usize, texts: &mut Texts<'_>) -> Answer {
    let kinds: BTreeMap<(&str, &str), &str> = found
        .blocks
        .iter()
        .flat_map(|b| {
            b.symbols
                .iter()
                .map(|(name, kind)| ((b.path.as_str(), name.as_str()), kind.as_str()))
        })
        .collect();
    // Every place once, the flow's first.
    let mut places: Vec<Place> = Vec::new();
    for place in found.flows.iter().flatten().chain(&found.named) {
        match places.iter_mut().find(|p| p.path == place.path && p.line == place.line) {
            Some(known) => known.callers = known.callers.or(place.callers),
            None => places.push(place.clone()),
        }
    }
    let named = places.len();
    for block in &found.blocks {
        for (name, _) in block.symbols.iter().filter(|(_, kind)| kind != "file") {
            let is_known = places.iter().any(|p| p.path == block.path && p.name == *name);
            let Some(lines) = RepoPath::new(&block.path).ok().and_then(|p| texts.lines(&p)) else {
                continue;
            };
            if !is_known && let Some(line) = definition(&lines, &block.runs, name) {
                places.push(Place {
                    name: name.clone(),
                    path: block.path.clone(),
                    line,
                    callers: None,
                });
            }
        }
    }

    let mut pieces: Vec<Piece> = places
        .iter()
        .map(|place| Piece {
            told: Told {
                path: place.path.clone(),
                start: place.line,
                end: None,
                kind: (*kinds
                    .get(&(place.path.as_str(), place.name.as_str()))
                    .unwrap_or(&UNKNOWN))
                .to_owned(),
                name: place.name.clone(),
                qualified: place.name.clone(),
            },
            callers: place.callers.unwrap_or(0),
            shown: None,
        })
        .collect();
    let mut between = Vec::new();
    for block in &found.blocks {
        let Some(lines) = RepoPath::new(&block.path).ok().and_then(|p| texts.lines(&p)) else {
            continue;
        };
        for &(first, last) in &block.runs {
            let last = last.min(lines.len() as u32);
            share(&block.path, (first, last), &lines, &mut pieces, &mut between);
        }
    }
    // What is named stands first; then the order in which the tool shows the files.
    let mut rest = pieces.split_off(named);
    rest.append(&mut between);
    let position = |piece: &Piece| found.blocks.iter().position(|b| b.path == piece.told.path);
    rest.sort_by_key(|piece| (position(piece), piece.told.start));
    pieces.append(&mut rest);

    let mut room = EXPLORE_SOURCE_CHARS;
    let mut hits = Vec::new();
    let mut at: BTreeMap<(String, u32), usize> = BTreeMap::new();
    for piece in &pieces {
        let Some(mut symbol) = texts.symbol(&piece.told) else {
            continue;
        };
        let mut source = None;
        if let Some((first, last)) = piece.shown
            && let Some(lines) = texts.lines(&symbol.path)
        {
            let text = lines
                .get(first as usize - 1..last as usize)
                .unwrap_or_default()
                .join("\n");
            let length = text.chars().count();
            if length <= room && !text.is_empty() {
                room -= length;
                source = Some(text);
            }
            if symbol.kind == "file" {
                symbol.end = last;
            }
        }
        // The tool names a place without its kind where its list of the file's symbols is cut.
        if symbol.kind == UNKNOWN
            && let Some(kind) = texts
                .lines(&symbol.path)
                .and_then(|lines| spans::kind(lines.get(symbol.start as usize - 1)?, &symbol.name))
        {
            symbol.kind = kind.to_owned();
        }
        symbol.in_degree = piece.callers;
        at.insert((piece.told.path.clone(), piece.told.start), hits.len());
        let mut hit = Hit::new(symbol);
        hit.source = source;
        hits.push(hit);
    }
    let paths = found.flows.iter().map(|flow| {
        let known = flow
            .iter()
            .map_while(|p| at.get(&(p.path.clone(), p.line)).copied().filter(|i| *i < limit));
        known.collect::<Vec<_>>()
    });
    let call_paths: Vec<Vec<usize>> = paths.filter(|p| p.len() > 1).collect();
    let mut answer = cut(hits, whole, limit);
    answer.call_paths = Some(call_paths);
    answer
}

/// Shares a run of shown lines among the definitions that begin in it; what is left over goes to `between`.
fn share(path: &str, (first, last): (u32, u32), lines: &[String], pieces: &mut [Piece], between: &mut Vec<Piece>) {
    let mut inside: Vec<&mut Piece> = pieces
        .iter_mut()
        .filter(|p| p.told.path == path && (first..=last).contains(&p.told.start) && p.shown.is_none())
        .collect();
    inside.sort_by_key(|p| p.told.start);
    let starts: Vec<u32> = inside.iter().map(|p| p.told.start).collect();
    let mut next = first;
    for (number, piece) in inside.iter_mut().enumerate() {
        let start = piece.told.start;
        left_over(path, (next, start.saturating_sub(1)), lines, between);
        // A definition inside this one has its own lines.
        let inner = starts.get(number + 1).map_or(u32::MAX, |s| s - 1);
        let end = spans::end_of(lines, start).min(last).min(inner).max(start);
        piece.shown = Some((start, end));
        next = end + 1;
    }
    left_over(path, (next, last), lines, between);
}

/// Lines between definitions, without blank ones at either end.
fn left_over(path: &str, (first, last): (u32, u32), lines: &[String], between: &mut Vec<Piece>) {
    let has_text = |line: &u32| {
        lines
            .get(*line as usize - 1)
            .is_some_and(|text| !text.trim().is_empty())
    };
    let (Some(first), Some(last)) = ((first..=last).find(has_text), (first..=last).rev().find(has_text)) else {
        return;
    };
    between.push(Piece {
        told: Told {
            path: path.to_owned(),
            start: first,
            end: None,
            kind: "file".to_owned(),
            name: path.to_owned(),
            qualified: path.to_owned(),
        },
        callers: 0,
        shown: Some((first, last)),
    });
}

/// The line among those shown on which the name is defined.
fn definition(lines: &[String], runs: &[(u32, u32)], name: &str) -> Option<u32> {
    runs.iter().flat_map(|(first, last)| *first..=*last).find(|line| {
        let text = (*line as usize).checked_sub(1).and_then(|at| lines.get(at));
        text.is_some_and(|text| spans::kind(text, name).is_some())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_in_prose_is_no_definition() {
        let text =
            "\"\"\"The class Till\n    interface of :class:`Till`.\n\"\"\"\n\nclass Till:\n    def ring(self):\n";
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let check = |runs: &[(u32, u32)], name: &str, expected: Option<u32>| {
            assert_eq!(definition(&lines, runs, name), expected, "{name}");
        };
        check(&[(1, 6)], "Till", Some(5));
        check(&[(1, 3)], "Till", None);
        check(&[(1, 2), (5, 9)], "ring", Some(6));
        check(&[(0, 0), (8, 9)], "ring", None);
    }
}
