//! `grep`: what Graft finds, tried again with the pattern as it was asked, and the files that Graft does not index.

use super::{is_in, symbol, unindexed};
use crate::graph::{Graph, Node};
use crate::parse::{Grepped, Group};
use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};
use understory_cli_backend::texts::{Texts, Told};
use understory_core::answer::{Answer, Counts, Finding, Hit, Line, NotSearched, Symbol, Unit};
use understory_core::path::RepoPath;
use understory_core::query::SearchQuery;
use understory_tree_reader::Content;

/// Longest line that an answer carries, in characters.
const LINE: usize = 400;

/// Files between two looks at whether to stop.
const LOOK: usize = 64;

/// The answer. `found` is absent where Graft indexes nothing in the scope.
pub fn answer(
    found: Option<&Grepped>,
    pattern: &Regex,
    query: &SearchQuery,
    graph: &Graph,
    texts: &mut Texts<'_>,
    stop: &dyn Fn() -> bool,
) -> Answer {
    let mut out: Vec<Hit> = Vec::new();
    let mut places: BTreeMap<(RepoPath, u32, String), usize> = BTreeMap::new();
    let mut seen: BTreeSet<(RepoPath, u32)> = BTreeSet::new();
    for group in found.iter().flat_map(|found| &found.groups) {
        let Some(path) = RepoPath::new(&group.path).ok().filter(|path| is_in(path, &query.scope)) else {
            continue;
        };
        let Some(symbol) = of_group(group, graph, texts) else {
            continue;
        };
        let mut lines: Vec<Line> = Vec::new();
        for hit in &group.hits {
            if let Some(line) = matching(&path, hit.line, pattern, texts)
                && seen.insert((path.clone(), hit.line))
            {
                lines.push(line);
            }
        }
        if !lines.is_empty() {
            add(&mut out, &mut places, symbol, lines);
        }
    }
    let mut not_searched = NotSearched::default();
    for (count, path) in unindexed(graph, &query.scope, texts).into_iter().enumerate() {
        if count % LOOK == 0 && stop() {
            break;
        }
        search_here(&path, pattern, texts, &mut out, &mut places, &mut not_searched);
    }
    for hit in &mut out {
        hit.lines.sort_by_key(|line| line.line);
    }
    let total: u64 = out.iter().map(|hit| hit.lines.len() as u64).sum();
    let cut = found.map_or(0, |found| found.truncated.hits);
    let unread = found.map_or(0, |found| found.truncated.files);
    not_searched.unreadable += unread;
    let mut findings = Vec::new();
    if cut > 0 {
        findings.push(Finding::warning(
            "graft.grep_cut",
            format!("Graft stops at 300 hits and met {cut} more in files that come later by name, so the groups are not those that are called most. A `scope` or a narrower pattern gives all; `search_text` is not bound so."),
        ));
    }
    if unread > 0 {
        findings.push(Finding::warning(
            "graft.stale",
            format!("{unread} files that the index covers could not be read."),
        ));
    }
    out.truncate(query.limit as usize);
    Answer {
        counts: Counts {
            shown: out.iter().map(|hit| hit.lines.len() as u64).sum(),
            total,
            exact: cut == 0 && unread == 0,
            unit: Unit::Lines,
        },
        hits: out,
        not_searched,
        findings,
        ..Answer::default()
    }
}

/// Adds lines to the hit of a symbol.
fn add(out: &mut Vec<Hit>, places: &mut BTreeMap<(RepoPath, u32, String), usize>, symbol: Symbol, lines: Vec<Line>) {
    let key = (symbol.path.clone(), symbol.start, symbol.qualified.clone());
    let at = *places.entry(key).or_insert(out.len());
    match out.get_mut(at) {
        Some(hit) => hit.lines.extend(lines),
        None => {
            let mut hit = Hit::new(symbol);
            hit.lines = lines;
            out.push(hit);
        }
    }
}

/// The symbol that a group of Graft is about: the file's where it names none.
fn of_group(group: &Group, graph: &Graph, texts: &mut Texts<'_>) -> Option<Symbol> {
    match &group.symbol {
        Some(named) => match graph.node(&named.id, Some(named.span)) {
            Some(node) => symbol(node, graph, texts),
            None => texts.symbol(&Told {
                path: named.path.clone(),
                start: named.span.start,
                end: Some(named.span.end),
                kind: named.kind.clone(),
                name: named.name.clone(),
                qualified: named.name.clone(),
            }),
        },
        None => match graph.node(&group.path, None).filter(|node| node.is_file()) {
            Some(node) => symbol(node, graph, texts),
            None => texts.symbol(&Node::of_file(&group.path).told()),
        },
    }
}

/// A line of the tree, if the pattern as it was asked matches it.
fn matching(path: &RepoPath, line: u32, pattern: &Regex, texts: &mut Texts<'_>) -> Option<Line> {
    let lines = texts.lines(path)?;
    let text = lines.get((line as usize).checked_sub(1)?)?;
    let found = pattern.find(text)?;
    Some(Line {
        line,
        text: shown(text, found.start()),
    })
}

/// Searches a file that Graft does not index, and counts it.
fn search_here(
    path: &RepoPath,
    pattern: &Regex,
    texts: &mut Texts<'_>,
    out: &mut Vec<Hit>,
    places: &mut BTreeMap<(RepoPath, u32, String), usize>,
    not_searched: &mut NotSearched,
) {
    let text = match texts.reader().read(path) {
        Content::Text(text) => text,
        Content::Binary => return not_searched.binary += 1,
        Content::TooLarge => return not_searched.too_large += 1,
        Content::Unreadable => return not_searched.unreadable += 1,
        Content::Protected | Content::Missing => return,
    };
    not_searched.unsupported += 1;
    let mut lines = Vec::new();
    for (at, line) in text.lines().enumerate() {
        if let Some(found) = pattern.find(line) {
            lines.push(Line {
                line: at as u32 + 1,
                text: shown(line, found.start()),
            });
        }
    }
    if !lines.is_empty()
        && let Some(symbol) = texts.symbol(&Node::of_file(path.as_str()).told())
    {
        add(out, places, symbol, lines);
    }
}

/// A line as answers carry it, cut around a byte of it and marked.
fn shown(text: &str, around: usize) -> String {
    if text.chars().count() <= LINE {
        return text.to_owned();
    }
    let mut start = around.min(text.len()).saturating_sub(120);
    while !text.is_char_boundary(start) {
        start -= 1;
    }
    let piece: String = text[start..].chars().take(LINE).collect();
    let left = if start > 0 { "…" } else { "" };
    let right = if start + piece.len() < text.len() { "…" } else { "" };
    format!("{left}{piece}{right}")
}
