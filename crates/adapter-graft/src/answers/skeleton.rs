//! `skeleton`: the definitions of a file, nested by their spans.

use super::symbol;
use crate::graph::Graph;
use crate::parse::Outlined;
use understory_cli_backend::texts::{Texts, Told};
use understory_core::answer::{Answer, Counts, Hit, Symbol, Unit};
use understory_core::path::RepoPath;

/// The answer.
pub fn answer(outlined: &Outlined, file: &RepoPath, graph: &Graph, texts: &mut Texts<'_>) -> Answer {
    let mut entries: Vec<_> = outlined.entries.iter().collect();
    // What encloses comes before what it encloses.
    entries.sort_by_key(|entry| (entry.span.start, std::cmp::Reverse(entry.span.end)));
    let mut open: Vec<Symbol> = Vec::new();
    let mut hits = Vec::new();
    let mut lost = false;
    for entry in entries {
        let found = match graph.at(file.as_str(), entry.span, &entry.name) {
            Some(node) if node.name == entry.name => symbol(node, graph, texts),
            _ => texts.symbol(&Told {
                path: file.as_str().to_owned(),
                start: entry.span.start,
                end: Some(entry.span.end),
                kind: entry.kind.clone(),
                name: entry.name.clone(),
                qualified: entry.name.clone(),
            }),
        };
        let Some(symbol) = found else {
            lost = true;
            continue;
        };
        open.retain(|above| above.start <= symbol.start && symbol.end <= above.end && above.start < above.end);
        let mut hit = Hit::new(symbol.clone());
        hit.level = Some(open.len() as u32);
        hits.push(hit);
        open.push(symbol);
    }
    Answer {
        counts: Counts {
            shown: hits.len() as u64,
            total: hits.len() as u64,
            exact: !lost,
            unit: Unit::Symbols,
        },
        hits,
        ..Answer::default()
    }
}
