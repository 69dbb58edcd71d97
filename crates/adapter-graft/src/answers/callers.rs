//! `callers`: what Graft links, with the lines that carry the name.

use super::{is_in, symbol};
use crate::graph::{Graph, Node, relation};
use crate::parse::{Called, CalledHit};
use std::collections::{BTreeMap, BTreeSet};
use understory_cli_backend::rows::{self, Row};
use understory_cli_backend::texts::Texts;
use understory_core::answer::{Answer, Confidence, Finding, Hit, Line, Relation};
use understory_core::path::RepoPath;
use understory_core::query::Direction;
use understory_core::tree::EntryKind;
use understory_tree_reader::Content;

/// Lines of one caller that are shown.
const SITES: usize = 20;

/// What is asked.
#[derive(Clone, Debug)]
pub struct Walk {
    /// Towards the referring or the referred.
    pub direction: Direction,
    /// How far.
    pub depth: u32,
    /// Greatest number of hits.
    pub limit: usize,
    /// Who is listed.
    pub scope: RepoPath,
    /// The last part of the name.
    pub name: String,
}

/// The answer over the definitions that the name stands for.
pub fn answer(called: &Called, named: &[Node], walk: &Walk, graph: &Graph, texts: &mut Texts<'_>) -> Answer {
    let told = named
        .iter()
        .filter_map(|node| Some((symbol(node, graph, texts)?, node)));
    let subjects = rows::subjects(told);

    let mut rows: Vec<Row> = Vec::new();
    let mut findings = Vec::new();
    let (mut missing, mut outside) = (0_u64, 0_u64);
    for (number, (_, node)) in subjects.iter().enumerate() {
        // Graft widens a name it does not find: what it says of others is not about this one.
        let of_subject = |m: &&crate::parse::Match| m.symbol.id == node.id && m.symbol.span == node.span;
        let Some(found) = called.matches.iter().find(of_subject) else {
            missing += 1;
            continue;
        };
        let told = steps(&found.hits, &node.id, walk, graph, &mut outside);
        for (id, step) in &told {
            let Some(other) = graph.node(id, step.span) else {
                continue;
            };
            let Some(symbol) = symbol(other, graph, texts) else {
                continue;
            };
            if !is_in(&symbol.path, &walk.scope) {
                continue;
            }
            let near = step
                .via
                .as_deref()
                .and_then(|via| graph.node(via, None))
                .unwrap_or(node);
            let sites = match walk.direction {
                Direction::In => sites(other, &near.name, graph, texts),
                Direction::Out => sites(near, &other.name, graph, texts),
            };
            let mut hit = Hit::new(symbol);
            hit.relation = Some(step.relation);
            hit.confidence = step.confidence;
            hit.depth = Some(step.depth);
            hit.subject = Some(number);
            hit.lines = sites;
            rows.push(Row {
                hit,
                id: id.clone(),
                via: step.via.clone(),
            });
        }
    }
    rows.sort_by(|a, b| order(&a.hit, walk).cmp(&order(&b.hit, walk)));
    let mut seen = BTreeSet::new();
    rows.retain(|row| {
        let s = &row.hit.symbol;
        seen.insert((s.path.clone(), s.start, s.qualified.clone(), row.hit.subject))
    });
    let mentions = match walk.direction {
        Direction::In => Mentions::of(&walk.name, texts).without(&rows, named, graph).count(),
        Direction::Out => 0,
    };
    if mentions > 0 {
        findings.push(Finding::note(
            "graft.mentions",
            format!("{mentions} other lines carry the name; Graft links none of them to it, and it drops a use whose receiver it does not know. `search_text` finds them."),
        ));
    }
    if missing > 0 {
        findings.push(Finding::warning(
            "graft.not_told",
            format!("Graft told nothing of {missing} of the definitions that have this name."),
        ));
    }
    if outside > 0 {
        findings.push(Finding::note(
            "graft.outside",
            format!("{outside} references lead out of the tree."),
        ));
    }
    let is_whole = walk.direction == Direction::In && walk.depth == 1 && mentions == 0 && missing == 0;
    let mut answer = rows::answer(rows, subjects, walk.limit, is_whole);
    answer.findings = findings;
    answer
}

type Order<'a> = (
    Option<u32>,
    bool,
    bool,
    u32,
    Option<Confidence>,
    &'a RepoPath,
    u32,
    &'a str,
    Option<usize>,
);

/// Depth first; towards the referring how sure it is then, towards the referred the first use,
/// what only shares a name behind it. Imports last.
fn order<'a>(hit: &'a Hit, walk: &Walk) -> Order<'a> {
    let s = &hit.symbol;
    let first = match walk.direction {
        Direction::In => 0,
        Direction::Out => hit.lines.first().map_or(u32::MAX, |line| line.line),
    };
    // Where the graph does not say how sure an edge is, it comes after those where it does.
    let confidence = hit.confidence.or(Some(Confidence::Name));
    (
        hit.depth,
        hit.relation == Some(Relation::Imports),
        walk.direction == Direction::Out && hit.confidence == Some(Confidence::Name),
        first,
        confidence,
        &s.path,
        s.start,
        &s.qualified,
        hit.subject,
    )
}

/// How one node was reached.
struct Reached {
    span: Option<crate::parse::Span>,
    depth: u32,
    relation: Relation,
    confidence: Option<Confidence>,
    via: Option<String>,
}

/// What Graft told of one definition: each node once, by its strongest relation, with the way by the graph.
fn steps(
    hits: &[CalledHit],
    subject: &str,
    walk: &Walk,
    graph: &Graph,
    outside: &mut u64,
) -> BTreeMap<String, Reached> {
    let mut all: BTreeMap<String, Reached> = BTreeMap::new();
    let mut order: Vec<&CalledHit> = hits.iter().collect();
    order.sort_by_key(|hit| hit.depth);
    for hit in order {
        if hit.path.is_none() {
            *outside += 1;
            continue;
        }
        let Some(relation) = relation(&hit.relation) else {
            continue;
        };
        if hit.depth == 0 || hit.depth > walk.depth {
            continue;
        }
        let ends = |near: &str| match walk.direction {
            Direction::In => graph.steps(&hit.id, near).to_vec(),
            Direction::Out => graph.steps(near, &hit.id).to_vec(),
        };
        // The nearest node that the graph links it with; the first by id where there are several.
        let (via, links) = if hit.depth == 1 {
            (None, ends(subject))
        } else {
            let before = all.iter().filter(|(_, reached)| reached.depth + 1 == hit.depth);
            let linked = before
                .map(|(id, _)| (id.clone(), ends(id)))
                .find(|(_, links)| !links.is_empty());
            match linked {
                Some((via, links)) => (Some(via), links),
                None => (None, Vec::new()),
            }
        };
        let link = links
            .iter()
            .find(|step| step.relation == relation)
            .and_then(|step| step.confidence);
        let weakest = match via.as_ref().and_then(|via| all.get(via)) {
            Some(near) => link.zip(near.confidence).map(|(a, b)| a.max(b)),
            None => link,
        };
        let reached = Reached {
            span: hit.span,
            depth: hit.depth,
            relation,
            confidence: weakest,
            via,
        };
        match all.get(&hit.id) {
            Some(known) if (known.depth, known.relation) <= (reached.depth, reached.relation) => {}
            _ => {
                all.insert(hit.id.clone(), reached);
            }
        }
    }
    all
}

/// The lines of a node that carry a name, without those of definitions inside it and without its own header where it is
/// that name's. Graft names no lines.
fn sites(node: &Node, name: &str, graph: &Graph, texts: &mut Texts<'_>) -> Vec<Line> {
    let name = match name.rsplit_once('/') {
        Some((_, last)) => last,
        None => name,
    };
    // A file is imported by its name without the ending.
    let name = name.split('.').next().unwrap_or(name);
    let Ok(path) = RepoPath::new(&node.path) else {
        return Vec::new();
    };
    let Some(lines) = texts.lines(&path) else {
        return Vec::new();
    };
    let inner: Vec<_> = graph
        .of_file(&node.path)
        .filter(|n| !n.is_file() && n.id != node.id)
        .filter(|n| {
            node.is_file() || node.span.start <= n.span.start && n.span.end <= node.span.end && n.span != node.span
        })
        .map(|n| n.span)
        .collect();
    let (start, end) = match node.is_file() {
        true => (1, lines.len() as u32),
        false => (node.span.start.max(1), node.span.end),
    };
    let mut out = Vec::new();
    for number in start..=end.min(lines.len() as u32) {
        let text = &lines[number as usize - 1];
        let is_header = node.name == name && number == first_with(&lines, node, name);
        if !is_header && !inner.iter().any(|span| (span.start..=span.end).contains(&number)) && holds_word(text, name) {
            out.push(Line {
                line: number,
                text: text.clone(),
            });
            if out.len() == SITES {
                break;
            }
        }
    }
    out
}

/// The first line of a definition that carries its name.
fn first_with(lines: &[String], node: &Node, name: &str) -> u32 {
    let within = node.span.start.max(1)..=node.span.end.min(lines.len() as u32);
    let mut within = within.filter(|n| holds_word(&lines[*n as usize - 1], name));
    within.next().unwrap_or(node.span.start)
}

/// Whether a line carries a name as a word.
fn holds_word(text: &str, name: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    !name.is_empty()
        && text.match_indices(name).any(|(at, found)| {
            !text[..at].chars().next_back().is_some_and(is_word)
                && !text[at + found.len()..].chars().next().is_some_and(is_word)
        })
}

/// Lines of the tree that carry a name.
pub struct Mentions {
    name: String,
    lines: BTreeSet<(RepoPath, u32)>,
}

impl Mentions {
    /// In every file that a session may read.
    pub fn of(name: &str, texts: &Texts<'_>) -> Mentions {
        let reader = texts.reader();
        let mut lines = BTreeSet::new();
        for file in reader.tree().files() {
            if name.is_empty() || file.entry.kind != EntryKind::File || !reader.is_open(&file) {
                continue;
            }
            let Content::Text(text) = reader.read(file.path) else {
                continue;
            };
            if !text.contains(name) {
                continue;
            }
            let found = text.lines().enumerate().filter(|(_, line)| holds_word(line, name));
            lines.extend(found.map(|(at, _)| (file.path.clone(), at as u32 + 1)));
        }
        Mentions {
            name: name.to_owned(),
            lines,
        }
    }

    /// Without the lines of an answer and the headers of definitions of the name.
    fn without(mut self, rows: &[Row], named: &[Node], graph: &Graph) -> Mentions {
        for row in rows {
            for line in &row.hit.lines {
                self.lines.remove(&(row.hit.symbol.path.clone(), line.line));
            }
        }
        let definitions = graph.nodes().iter().filter(|n| !n.is_file() && n.name == self.name);
        for node in definitions.chain(named) {
            let Ok(path) = RepoPath::new(&node.path) else { continue };
            let header = self.lines.range((path.clone(), node.span.start)..).next().cloned();
            if let Some(header) = header.filter(|(at, line)| *at == path && *line <= node.span.end) {
                self.lines.remove(&header);
            }
        }
        self
    }

    /// How many.
    pub fn count(&self) -> usize {
        self.lines.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_a_word() {
        let check =
            |text: &str, name: &str, expected: bool| assert_eq!(holds_word(text, name), expected, "{name} in {text}");
        check("x = leaf(1)", "leaf", true);
        check("leaflet(1)", "leaf", false);
        check("x.leaf", "leaf", true);
        check("_leaf leaf_", "leaf", false);
        check("leafleaf leaf", "leaf", true);
        check("éleaf", "leaf", false);
        check("x", "", false);
    }
}
