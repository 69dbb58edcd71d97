//! `explore`: the hits of `ask` with their source from the tree, and how they call each other by the graph.

use crate::graph::{Graph, Node};
use crate::parse::Span;
use std::collections::BTreeSet;
use understory_cli_backend::texts::Texts;
use understory_core::answer::{Answer, Hit, Relation};
use understory_core::limits::EXPLORE_SOURCE_CHARS;

/// Longest call path, in hits.
const LONGEST: usize = 6;
/// Call paths that are shown.
const PATHS: usize = 10;
/// Below so many characters a part of a source says nothing.
const LEAST: usize = 80;

/// Adds sources and call paths to an answer of `ask`.
pub fn over(mut answer: Answer, graph: &Graph, texts: &mut Texts<'_>) -> Answer {
    let mut left = EXPLORE_SOURCE_CHARS;
    let places: Vec<(String, u32, u32)> = answer.hits.iter().map(place).collect();
    for hit in &mut answer.hits {
        // The rest of a file is no answer.
        if hit.symbol.kind == "file" || left < LEAST {
            continue;
        }
        let Some(lines) = texts.lines(&hit.symbol.path) else {
            continue;
        };
        let (start, end) = (hit.symbol.start as usize, hit.symbol.end as usize);
        let source = lines
            .get(start.saturating_sub(1)..end.min(lines.len()))
            .unwrap_or_default();
        if let Some(source) = fitting(source, left) {
            left -= source.chars().count();
            hit.source = Some(source);
        }
    }
    let nodes: Vec<Option<&Node>> = answer
        .hits
        .iter()
        .zip(&places)
        .map(|(hit, at)| node(hit, at, graph))
        .collect();
    answer.call_paths = Some(paths(&nodes, graph));
    answer
}

fn place(hit: &Hit) -> (String, u32, u32) {
    (hit.symbol.path.as_str().to_owned(), hit.symbol.start, hit.symbol.end)
}

fn node<'a>(hit: &Hit, (path, start, end): &(String, u32, u32), graph: &'a Graph) -> Option<&'a Node> {
    let span = Span {
        start: *start,
        end: *end,
    };
    graph
        .at(path, span, &hit.symbol.qualified)
        .filter(|node| !node.is_file())
}

/// As many whole lines as fit, marked where that is not all.
fn fitting(lines: &[String], most: usize) -> Option<String> {
    const MARK: &str = "[cut: read_file shows the rest]";
    let whole = lines.join("\n");
    if whole.chars().count() <= most {
        return Some(whole);
    }
    let mut out = String::new();
    let mut used = MARK.len();
    for line in lines {
        used += line.chars().count() + 1;
        if used > most {
            break;
        }
        out.push_str(line);
        out.push('\n');
    }
    (!out.is_empty()).then(|| out + MARK)
}

/// Ways from hit to hit along calls, longest first where one goes on from another.
fn paths(nodes: &[Option<&Node>], graph: &Graph) -> Vec<Vec<usize>> {
    let calls = |from: usize, to: usize| match (nodes[from], nodes[to]) {
        (Some(from), Some(to)) if from.id != to.id => graph
            .steps(&from.id, &to.id)
            .iter()
            .any(|step| step.relation == Relation::Calls),
        _ => false,
    };
    let all = 0..nodes.len().min(40);
    let next: Vec<Vec<usize>> = all
        .clone()
        .map(|from| all.clone().filter(|to| calls(from, *to)).collect())
        .collect();
    let called: BTreeSet<usize> = next.iter().flatten().copied().collect();
    let mut out: Vec<Vec<usize>> = Vec::new();
    // From what no other hit calls; where all are in a circle, from the first.
    let starts = all.clone().filter(|at| !next[*at].is_empty());
    let mut roots: Vec<usize> = starts.clone().filter(|at| !called.contains(at)).collect();
    if roots.is_empty() {
        roots.extend(starts.take(1));
    }
    let mut open: Vec<Vec<usize>> = roots.into_iter().rev().map(|at| vec![at]).collect();
    while let Some(path) = open.pop() {
        let on: Vec<usize> = match path.len() < LONGEST {
            true => next[path[path.len() - 1]]
                .iter()
                .copied()
                .filter(|to| !path.contains(to))
                .collect(),
            false => Vec::new(),
        };
        if on.is_empty() && path.len() > 1 {
            out.push(path);
            if out.len() == PATHS {
                break;
            }
            continue;
        }
        for to in on.into_iter().rev() {
            let mut longer = path.clone();
            longer.push(to);
            open.push(longer);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn call_paths_follow_the_graph() {
        let graph = Graph::parse(include_bytes!("../../tests/samples/wiring.json")).unwrap();
        let ids = [
            "src/shop.py#leaf",
            "src/shop.py#crown",
            "src/shop.py#Till.ring",
            "src/shop.py#middle",
        ];
        let nodes: Vec<_> = ids.iter().map(|id| graph.node(id, None)).collect();
        assert_eq!(paths(&nodes, &graph), [vec![1, 3, 0], vec![2, 0]]);
        assert_eq!(paths(&nodes[..2], &graph), Vec::<Vec<usize>>::new());
        assert_eq!(paths(&[], &graph), Vec::<Vec<usize>>::new());
    }

    #[test]
    fn a_source_is_cut_at_a_line() {
        let lines: Vec<String> = (0..10).map(|_| "x".repeat(30)).collect();
        assert_eq!(fitting(&lines, 1_000).unwrap(), lines.join("\n"));
        let cut = fitting(&lines, 100).unwrap();
        assert_eq!(cut.lines().count(), 3);
        assert!(cut.chars().count() <= 100 && cut.ends_with("the rest]"), "{cut}");
        assert_eq!(fitting(&["x".repeat(500)], 100), None);
    }
}
