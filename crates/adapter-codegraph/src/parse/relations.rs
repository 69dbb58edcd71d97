//! The JSON of `callers`, `callees` and `impact`: definitions of a name, and the edges to or from them.

use super::{Unreadable, json};
use serde::Deserialize;
use std::collections::BTreeMap;
use understory_cli_backend::texts::Told;
use understory_core::answer::{Confidence, Relation};

/// A symbol at one end of an edge.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Node {
    id: String,
    name: String,
    kind: String,
    file_path: String,
    start_line: u32,
    qualified_name: Option<String>,
}

impl Node {
    fn told(&self) -> Told {
        Told {
            path: self.file_path.clone(),
            start: self.start_line,
            end: None,
            kind: self.kind.clone(),
            name: self.name.clone(),
            qualified: self.qualified_name.clone().unwrap_or_else(|| self.name.clone()),
        }
    }
}

#[derive(Deserialize)]
struct RawEdge {
    source: String,
    target: String,
    kind: String,
    line: Option<u32>,
    provenance: Option<String>,
    metadata: Option<Metadata>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Metadata {
    confidence: Option<f64>,
    resolved_by: Option<String>,
}

#[derive(Deserialize)]
struct RawDefinition {
    definition: Node,
    #[serde(default)]
    roots: Vec<String>,
    #[serde(default)]
    callers: Vec<Node>,
    #[serde(default)]
    callees: Vec<Node>,
    #[serde(default)]
    affected: Vec<Node>,
    #[serde(default)]
    edges: Vec<RawEdge>,
    total: Option<u64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Raw {
    definitions: Vec<RawDefinition>,
}

/// One edge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Id of what refers.
    pub source: String,
    /// Id of what is referred to.
    pub target: String,
    /// How.
    pub relation: Relation,
    /// The line of the reference, in the file of the source.
    pub line: Option<u32>,
    /// How sure the tool is.
    pub confidence: Confidence,
}

/// One definition of the name, and what the tool knows around it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// The definition.
    pub told: Told,
    /// Ids that stand for it: an overloaded name has several.
    pub roots: Vec<String>,
    /// Symbols by id.
    pub nodes: BTreeMap<String, Told>,
    /// Edges.
    pub edges: Vec<Edge>,
    /// How many there are, where that is said.
    pub total: Option<u64>,
}

/// Reads it; `None` when the tool says that it has no such symbol (in plain text, whatever was asked for).
pub fn parse(text: &str) -> Result<Option<Vec<Definition>>, Unreadable> {
    let first = text.trim_start().lines().next().unwrap_or_default();
    if !first.starts_with('{') && first.contains("Symbol \"") && first.contains("\" not found") {
        return Ok(None);
    }
    let raw: Raw = json(text)?;
    Ok(Some(raw.definitions.into_iter().map(definition).collect()))
}

fn definition(raw: RawDefinition) -> Definition {
    let told = raw.definition.told();
    let mut roots = raw.roots;
    if roots.is_empty() {
        roots.push(raw.definition.id.clone());
    }
    let nodes = [raw.callers, raw.callees, raw.affected]
        .into_iter()
        .flatten()
        .map(|node| (node.id.clone(), node.told()))
        .collect();
    let edges = raw.edges.into_iter().filter_map(edge).collect();
    Definition {
        told,
        roots,
        nodes,
        edges,
        total: raw.total,
    }
}

fn edge(raw: RawEdge) -> Option<Edge> {
    let relation = match raw.kind.as_str() {
        "calls" | "instantiates" => Relation::Calls,
        "extends" => Relation::Inherits,
        "implements" => Relation::Implements,
        "overrides" => Relation::Overrides,
        "imports" => Relation::Imports,
        // What holds what is no use of it.
        "contains" | "exports" => return None,
        _ => Relation::Uses,
    };
    let metadata = raw.metadata.unwrap_or_default();
    let sure = metadata.confidence.unwrap_or(1.0);
    // An edge that the tool made up from a pattern is never more than possible.
    let confidence = if metadata.resolved_by.as_deref() == Some("fuzzy") || sure < 0.5 {
        Confidence::Name
    } else if raw.provenance.as_deref() == Some("heuristic") || sure < 0.85 {
        Confidence::Possible
    } else {
        Confidence::Resolved
    };
    Some(Edge {
        source: raw.source,
        target: raw.target,
        relation,
        line: raw.line.filter(|line| *line > 0),
        confidence,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recorded_callers_have_the_lines_of_the_calls() {
        let found = parse(include_str!("../../tests/samples/callers.json"))
            .unwrap()
            .unwrap();
        assert_eq!(found.len(), 1);
        let lines: Vec<_> = found[0]
            .edges
            .iter()
            .map(|e| {
                (
                    found[0].nodes[&e.source].name.as_str(),
                    e.relation,
                    e.line.unwrap(),
                    e.confidence,
                )
            })
            .collect();
        assert_eq!(
            lines,
            [
                ("handle_request", Relation::Calls, 6, Confidence::Resolved),
                ("save_order", Relation::Calls, 17, Confidence::Resolved),
                ("api.py", Relation::Imports, 1, Confidence::Resolved),
            ]
        );
        assert_eq!(found[0].total, Some(3));
    }

    #[test]
    fn recorded_callees_and_impact() {
        let out = parse(include_str!("../../tests/samples/callees.json"))
            .unwrap()
            .unwrap();
        let names: Vec<_> = out[0]
            .edges
            .iter()
            .map(|e| out[0].nodes[&e.target].name.as_str())
            .collect();
        assert_eq!(names, ["notify_saved", "check_order"]);
        assert_eq!(out[0].told.qualified, "OrderStore::save_order");
        let wide = parse(include_str!("../../tests/samples/impact.json")).unwrap().unwrap();
        assert_eq!((wide[0].edges.len(), wide[0].nodes.len()), (4, 5));
        let two = parse(include_str!("../../tests/samples/callers-two.json"))
            .unwrap()
            .unwrap();
        assert_eq!(two.len(), 2);
    }

    #[test]
    fn not_found_is_told_from_what_cannot_be_read() {
        assert_eq!(parse(include_str!("../../tests/samples/callers-nothing.txt")), Ok(None));
        for text in [
            "",
            "rubbish",
            "{}",
            "[]",
            "{\"definitions\": 1}",
            "{\"definitions\": [{}]}",
        ] {
            assert!(parse(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn how_sure_an_edge_is() {
        let check = |kind: &str, rest: &str, expected: Option<(Relation, Confidence)>| {
            let raw = format!(r#"{{"source":"a","target":"b","kind":"{kind}","line":1{rest}}}"#);
            let found = edge(serde_json::from_str(&raw).unwrap());
            assert_eq!(found.map(|e| (e.relation, e.confidence)), expected, "{raw}");
        };
        use Confidence::*;
        check("calls", "", Some((Relation::Calls, Resolved)));
        check(
            "instantiates",
            r#","metadata":{"confidence":0.9}"#,
            Some((Relation::Calls, Resolved)),
        );
        check(
            "extends",
            r#","metadata":{"confidence":0.65,"resolvedBy":"instance-method"}"#,
            Some((Relation::Inherits, Possible)),
        );
        check(
            "references",
            r#","metadata":{"confidence":0.9,"resolvedBy":"fuzzy"}"#,
            Some((Relation::Uses, Name)),
        );
        check(
            "calls",
            r#","provenance":"heuristic""#,
            Some((Relation::Calls, Possible)),
        );
        check("contains", "", None);
    }
}
