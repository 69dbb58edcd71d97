//! `ask`: Graft's ranking over the tree.

use super::{is_in, symbol, unindexed};
use crate::graph::{Graph, Node};
use crate::parse::{Asked, AskedHit};
use std::collections::BTreeSet;
use understory_cli_backend::texts::Texts;
use understory_core::answer::{Answer, Counts, Finding, Hit, Unit};
use understory_core::query::SearchQuery;

/// The answer. At most `most` hits were asked for.
pub fn answer(asked: &Asked, most: u32, query: &SearchQuery, graph: &Graph, texts: &mut Texts<'_>) -> Answer {
    let mut seen = BTreeSet::new();
    let mut hits = Vec::new();
    for told in &asked.hits {
        let Some(symbol) = node(told, graph).and_then(|node| symbol(node, graph, texts)) else {
            continue;
        };
        if is_in(&symbol.path, &query.scope)
            && seen.insert((symbol.path.clone(), symbol.start, symbol.qualified.clone()))
        {
            let mut hit = Hit::new(symbol);
            hit.score = told.score.is_finite().then_some(told.score);
            hits.push(hit);
        }
    }
    let mut findings = Vec::new();
    let is_structural = asked.mode == "structural";
    if is_structural {
        let subject = asked.subject.as_deref().unwrap_or("a symbol");
        let subject: String = subject.chars().filter(|c| !c.is_control()).take(100).collect();
        findings.push(Finding::note(
            "graft.structural",
            format!("Graft took the words as a question about the references of `{subject}` and ranked nothing. `callers` answers that in full."),
        ));
    }
    let left_out: Vec<&str> = asked
        .scopes
        .iter()
        .flat_map(|scopes| &scopes.also_matched)
        .map(|also| also.scope.as_str())
        .collect();
    if !left_out.is_empty() {
        let mut names: String = left_out
            .join(", ")
            .chars()
            .filter(|c| !c.is_control())
            .take(200)
            .collect();
        if names.is_empty() {
            names.push_str("the root");
        }
        findings.push(Finding::warning(
            "graft.packages",
            format!("Graft left out matches of these packages: {names}. Ask again with one of them as `scope`."),
        ));
    }
    let total = hits.len() as u64;
    hits.truncate(query.limit as usize);
    let mut answer = Answer {
        counts: Counts {
            shown: hits.len() as u64,
            total,
            exact: asked.hits.len() < most as usize && left_out.is_empty() && !is_structural,
            unit: Unit::Symbols,
        },
        hits,
        findings,
        ..Answer::default()
    };
    let unranked = unindexed(graph, &query.scope, texts).len() as u64;
    answer.not_searched.unsupported = unranked;
    if answer.hits.is_empty() && unranked > 0 {
        answer.counts.exact = false;
        answer.findings.push(Finding::warning(
            "graft.not_ranked",
            format!("{unranked} files of languages that Graft does not read were not looked at for these words; `grep` and `search_text` search them."),
        ));
    }
    answer
}

/// The node that a hit points at. A summary of several files is none, and a module outside the tree neither.
fn node<'a>(hit: &AskedHit, graph: &'a Graph) -> Option<&'a Node> {
    if hit.kind == "concept" {
        return None;
    }
    match hit.place() {
        (path, Some(span)) => graph.at(path, span, hit.name()),
        (path, None) => graph.node(path, None).filter(|node| node.is_file()),
    }
}
