//! From the edges that the tool tells to the hits of `callers`.

use crate::parse::relations::{Definition, Edge};
use std::collections::{BTreeMap, BTreeSet};
use understory_cli_backend::rows::{self, Row};
use understory_cli_backend::texts::Texts;
use understory_core::answer::{Answer, Confidence, Hit, Relation};
use understory_core::path::RepoPath;
use understory_core::query::Direction;

/// What is asked of the edges.
#[derive(Clone, Copy, Debug)]
pub struct Walk {
    /// Towards the referring or the referred.
    pub direction: Direction,
    /// How far.
    pub depth: u32,
    /// Greatest number of hits.
    pub limit: usize,
}

/// A symbol that was reached.
struct Reached {
    depth: u32,
    via: Option<String>,
    relation: Relation,
    confidence: Confidence,
    lines: BTreeSet<u32>,
}

/// The definitions that a name stands for: all parts of a dotted name, and the file if one is named. The tool offers others
/// where there is none.
pub fn named(definitions: Vec<Definition>, name: &str, file: Option<&RepoPath>) -> Vec<Definition> {
    let parts = |text: &str| -> Vec<String> {
        let text = text.replace("::", ".");
        text.split('.').filter(|p| !p.is_empty()).map(str::to_owned).collect()
    };
    let wanted = parts(name);
    definitions
        .into_iter()
        .filter(|d| file.is_none_or(|file| d.told.path == file.as_str()))
        .filter(|d| parts(&d.told.qualified).ends_with(&wanted) && !wanted.is_empty())
        .collect()
}

/// The answer to `callers`.
pub fn answer(definitions: &[Definition], walk: Walk, texts: &mut Texts<'_>) -> Answer {
    let told = definitions.iter().filter_map(|d| Some((texts.symbol(&d.told)?, d)));
    let mut subjects = rows::subjects(told);

    let mut rows: Vec<Row> = Vec::new();
    let mut seen = BTreeSet::new();
    for (number, (subject, definition)) in subjects.iter_mut().enumerate() {
        let reached = reach(definition, walk);
        let mut users = 0;
        for (id, found) in &reached {
            let Some(symbol) = definition.nodes.get(id).and_then(|told| texts.symbol(told)) else {
                continue;
            };
            if !seen.insert((symbol.path.clone(), symbol.start, symbol.qualified.clone(), number)) {
                continue;
            }
            users += u32::from(found.depth == 1 && found.relation != Relation::Imports);
            // A use stands in the file of what refers: of the hit, or of what led to it.
            let place = match walk.direction {
                Direction::In => Some(symbol.path.clone()),
                Direction::Out => match &found.via {
                    None => Some(subject.path.clone()),
                    Some(via) => definition
                        .nodes
                        .get(via)
                        .and_then(|told| RepoPath::new(&told.path).ok()),
                },
            };
            let mut hit = Hit::new(symbol);
            hit.relation = Some(found.relation);
            hit.confidence = Some(found.confidence);
            hit.depth = Some(found.depth);
            hit.subject = Some(number);
            if let Some(place) = place {
                hit.lines = found
                    .lines
                    .iter()
                    .filter_map(|line| texts.line(&place, *line))
                    .collect();
            }
            rows.push(Row {
                hit,
                id: id.clone(),
                via: found.via.clone(),
            });
        }
        if walk.direction == Direction::In {
            subject.in_degree = users;
        }
    }
    rows.sort_by(|a, b| order(&a.hit, walk.direction).cmp(&order(&b.hit, walk.direction)));
    // What CodeGraph cannot bind it drops without a word.
    rows::answer(rows, subjects, walk.limit, false)
}

type Order<'a> = (
    Option<u32>,
    bool,
    Option<Confidence>,
    u32,
    &'a RepoPath,
    u32,
    &'a str,
    Option<usize>,
);

/// Depth first; towards the referring how sure it is then, towards the referred the first use, names alone last.
fn order(hit: &Hit, direction: Direction) -> Order<'_> {
    let s = &hit.symbol;
    let (sure, first) = match direction {
        Direction::In => (hit.confidence, 0),
        Direction::Out => (None, hit.lines.first().map_or(u32::MAX, |line| line.line)),
    };
    let named = direction == Direction::Out && hit.confidence == Some(Confidence::Name);
    (
        hit.depth,
        named,
        sure,
        first,
        &s.path,
        s.start,
        &s.qualified,
        hit.subject,
    )
}

/// What is reached from a definition, each by its shortest way.
fn reach(definition: &Definition, walk: Walk) -> BTreeMap<String, Reached> {
    let ends = |edge: &Edge| match walk.direction {
        Direction::In => (edge.target.clone(), edge.source.clone()),
        Direction::Out => (edge.source.clone(), edge.target.clone()),
    };
    let roots: BTreeSet<&String> = definition.roots.iter().collect();
    let mut all: BTreeMap<String, Reached> = BTreeMap::new();
    for depth in 1..=walk.depth {
        let mut new: BTreeMap<String, Reached> = BTreeMap::new();
        for edge in &definition.edges {
            let (near, far) = ends(edge);
            let from = all.get(&near);
            let is_next = match from {
                None => depth == 1 && roots.contains(&near),
                Some(from) => from.depth + 1 == depth && from.relation != Relation::Imports,
            };
            // Who imports what uses a symbol does not use it.
            if !is_next
                || roots.contains(&far)
                || all.contains_key(&far)
                || depth > 1 && edge.relation == Relation::Imports
            {
                continue;
            }
            let confidence = from.map_or(edge.confidence, |from| from.confidence.max(edge.confidence));
            let via = from.map(|_| near.clone());
            match new.get_mut(&far) {
                None => {
                    let found = Reached {
                        depth,
                        via,
                        relation: edge.relation,
                        confidence,
                        lines: edge.line.into_iter().collect(),
                    };
                    new.insert(far, found);
                }
                Some(found) if found.via == via => {
                    found.relation = found.relation.min(edge.relation);
                    found.confidence = found.confidence.min(confidence);
                    found.lines.extend(edge.line);
                }
                Some(_) => {}
            }
        }
        if new.is_empty() {
            break;
        }
        all.extend(new);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::relations::parse;
    use understory_cli_backend::texts::Told;

    fn edge(source: &str, target: &str, line: u32, confidence: Confidence) -> Edge {
        Edge {
            source: source.into(),
            target: target.into(),
            relation: Relation::Calls,
            line: Some(line),
            confidence,
        }
    }

    fn told(name: &str) -> Told {
        Told {
            path: format!("{name}.py"),
            start: 1,
            end: None,
            kind: "function".into(),
            name: name.into(),
            qualified: name.into(),
        }
    }

    fn definition(edges: Vec<Edge>) -> Definition {
        Definition {
            told: told("root"),
            roots: vec!["root".into()],
            nodes: BTreeMap::new(),
            edges,
            total: None,
        }
    }

    #[test]
    fn depth_way_lines_and_the_weakest_link() {
        use Confidence::*;
        let loops = definition(vec![
            edge("a", "root", 3, Resolved),
            edge("a", "root", 2, Possible),
            edge("b", "a", 5, Possible),
            edge("c", "b", 7, Resolved),
            edge("root", "c", 9, Resolved),
            edge("a", "c", 11, Resolved),
        ]);
        let shown = |depth: u32| -> Vec<String> {
            let walk = Walk {
                direction: Direction::In,
                depth,
                limit: 9,
            };
            reach(&loops, walk)
                .iter()
                .map(|(id, r)| format!("{id} {} {:?} {:?} {:?}", r.depth, r.via, r.confidence, r.lines))
                .collect()
        };
        assert_eq!(shown(1), ["a 1 None Resolved {2, 3}"]);
        assert_eq!(
            shown(3),
            [
                "a 1 None Resolved {2, 3}",
                "b 2 Some(\"a\") Possible {5}",
                "c 3 Some(\"b\") Possible {7}"
            ]
        );
        let out = Walk {
            direction: Direction::Out,
            depth: 1,
            limit: 9,
        };
        assert_eq!(reach(&loops, out).keys().collect::<Vec<_>>(), ["c"]);
    }

    #[test]
    fn another_symbol_does_not_stand_for_the_one_that_was_named() {
        let found = || {
            parse(include_str!("../tests/samples/callers-two.json"))
                .unwrap()
                .unwrap()
        };
        let file = RepoPath::new("src/store.py").unwrap();
        let other = RepoPath::new("store.py").unwrap();
        let check = |name: &str, file: Option<&RepoPath>, expected: usize| {
            assert_eq!(named(found(), name, file).len(), expected, "{name}");
        };
        check("save_order", None, 2);
        check("OrderStore.save_order", None, 1);
        check("OrderStore::save_order", Some(&file), 1);
        check("Basket.save_order", None, 0);
        check("save", None, 0);
        check("save_order", Some(&other), 0);
        check("", None, 0);
    }
}
