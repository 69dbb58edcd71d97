//! The graph that `build` left: which files it covers, and what the answers leave out (how sure an edge is, how often a
//! symbol is referenced, which way leads to a caller).

use crate::parse::Span;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;
use understory_cli_backend::texts::Told;
use understory_core::answer::{Confidence, Relation};

/// Where the graph lies in an index.
pub const GRAPH: &str = ".graph/wiring.json";

/// A node.
#[derive(Clone, Debug, Deserialize)]
pub struct Node {
    /// `path#Outer.inner`; a file's is its path.
    pub id: String,
    /// Its bare name.
    pub name: String,
    /// Its kind.
    pub kind: String,
    /// Its file.
    pub path: String,
    /// Its lines.
    pub span: Span,
    /// Its header, where it has one.
    #[serde(default)]
    pub signature: Option<String>,
}

impl Node {
    /// Of a file.
    pub fn of_file(path: &str) -> Node {
        Node {
            id: path.to_owned(),
            name: path.to_owned(),
            kind: "file".to_owned(),
            path: path.to_owned(),
            span: Span { start: 1, end: 1 },
            signature: None,
        }
    }

    /// Whether it stands for a file.
    pub fn is_file(&self) -> bool {
        self.kind == "file"
    }

    /// The chain of names that encloses it, without the number by which later versions tell namesakes apart.
    pub fn qualified(&self) -> &str {
        let chain = self.id.strip_prefix(&self.path).and_then(|rest| rest.strip_prefix('#'));
        let chain = chain.unwrap_or(&self.name);
        match chain.rsplit_once('~') {
            Some((chain, number)) if !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()) => chain,
            _ => chain,
        }
    }

    /// It as a definition of the tree.
    pub fn told(&self) -> Told {
        Told {
            path: self.path.clone(),
            start: self.span.start.max(1),
            end: Some(self.span.end),
            kind: self.kind.clone(),
            name: self.name.clone(),
            qualified: self.qualified().to_owned(),
        }
    }
}

#[derive(Debug, Deserialize)]
struct Edge {
    source: String,
    target: String,
    relation: String,
    confidence: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Wiring {
    nodes: Vec<Node>,
    edges: Vec<Edge>,
}

/// The relation of a word of Graft; none for what it calls containing, and for words that are not known.
pub fn relation(word: &str) -> Option<Relation> {
    match word {
        "calls" => Some(Relation::Calls),
        "references" => Some(Relation::Uses),
        "extends" => Some(Relation::Inherits),
        "implements" => Some(Relation::Implements),
        "imports" => Some(Relation::Imports),
        _ => None,
    }
}

/// How sure an edge is, by the word that the graph has for it. `inferred` says that the name is the only one of its kind in
/// the repository: imports were not asked.
fn confidence(word: &str) -> Option<Confidence> {
    match word {
        "extracted" | "lsp_resolved" => Some(Confidence::Resolved),
        "lsp_dispatch" => Some(Confidence::Possible),
        "inferred" => Some(Confidence::Name),
        _ => None,
    }
}

/// One step of the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// How the source relates to the target.
    pub relation: Relation,
    /// How sure that is, where the graph says.
    pub confidence: Option<Confidence>,
}

/// The graph of one index.
#[derive(Debug, Default)]
pub struct Graph {
    nodes: Vec<Node>,
    by_id: BTreeMap<String, usize>,
    by_path: BTreeMap<String, Vec<usize>>,
    /// Steps by the ids of source and target, strongest relation first.
    steps: BTreeMap<(String, String), Vec<Step>>,
    /// Distinct sources that refer to an id other than by an import.
    users: BTreeMap<String, BTreeSet<String>>,
    /// Names on the way out of an id.
    out: BTreeMap<String, BTreeSet<String>>,
}

impl Graph {
    /// The graph of an index; an error where there is none that can be read.
    pub fn read(index: &Path) -> io::Result<Graph> {
        let bytes = std::fs::read(index.join(GRAPH))?;
        Graph::parse(&bytes).map_err(io::Error::from)
    }

    /// Reads a graph.
    pub fn parse(bytes: &[u8]) -> Result<Graph, serde_json::Error> {
        let wiring: Wiring = serde_json::from_slice(bytes)?;
        let mut graph = Graph::default();
        for (at, node) in wiring.nodes.iter().enumerate() {
            // An id that several have is the first one's.
            graph.by_id.entry(node.id.clone()).or_insert(at);
            graph.by_path.entry(node.path.clone()).or_default().push(at);
        }
        graph.nodes = wiring.nodes;
        for edge in wiring.edges {
            let Some(relation) = relation(&edge.relation) else {
                continue;
            };
            let step = Step {
                relation,
                confidence: edge.confidence.as_deref().and_then(confidence),
            };
            if relation != Relation::Imports && edge.source != edge.target {
                graph
                    .users
                    .entry(edge.target.clone())
                    .or_default()
                    .insert(edge.source.clone());
                graph
                    .out
                    .entry(edge.source.clone())
                    .or_default()
                    .insert(edge.target.clone());
            }
            let steps = graph.steps.entry((edge.source, edge.target)).or_default();
            steps.push(step);
        }
        for steps in graph.steps.values_mut() {
            steps.sort_by_key(|step| (step.relation, step.confidence));
        }
        Ok(graph)
    }

    /// Every node, in the graph's order.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The files that it covers.
    pub fn files(&self) -> impl Iterator<Item = &str> {
        self.nodes.iter().filter(|n| n.is_file()).map(|n| n.path.as_str())
    }

    /// The node of an id, and of these lines where several have it.
    pub fn node(&self, id: &str, span: Option<Span>) -> Option<&Node> {
        let first = self.by_id.get(id).map(|at| &self.nodes[*at])?;
        match span {
            // An id begins with its file's path, so that all who have it are in one file.
            Some(span) if first.span != span => {
                let mut there = self.of_file(&first.path).filter(|n| n.id == id && n.span == span);
                there.next().or(Some(first))
            }
            _ => Some(first),
        }
    }

    /// The nodes of a file.
    pub fn of_file(&self, path: &str) -> impl Iterator<Item = &Node> + Clone {
        let at = self.by_path.get(path).map_or(&[][..], Vec::as_slice);
        at.iter().map(|at| &self.nodes[*at])
    }

    /// The node at a place, of this name where several are.
    pub fn at(&self, path: &str, span: Span, name: &str) -> Option<&Node> {
        let mut there = self.of_file(path).filter(|n| n.span == span);
        let named = there.clone().find(|n| n.name == name || n.qualified() == name);
        named.or_else(|| there.next())
    }

    /// How many others refer to a node, other than by imports. What Graft bound by the name alone is counted.
    pub fn in_degree(&self, id: &str) -> u32 {
        self.users.get(id).map_or(0, |users| users.len() as u32)
    }

    /// The steps from one node to another, strongest relation first.
    pub fn steps(&self, source: &str, target: &str) -> &[Step] {
        let key = (source.to_owned(), target.to_owned());
        self.steps.get(&key).map_or(&[], Vec::as_slice)
    }

    /// References other than imports from files that are of interest.
    pub fn references(&self, of: impl Fn(&str) -> bool) -> u64 {
        let count = |(source, targets): (&String, &BTreeSet<String>)| {
            self.node(source, None).is_some_and(|n| of(&n.path)) as u64 * targets.len() as u64
        };
        self.out.iter().map(count).sum()
    }

    /// The definitions that a name stands for: `name`, the last parts of a qualified name, perhaps in one file. Exact case
    /// wins; a path of a covered file stands for the file.
    pub fn named(&self, name: &str, file: Option<&str>) -> Vec<&Node> {
        if file.is_none()
            && let Some(node) = self.nodes.iter().find(|n| n.is_file() && n.path == name)
        {
            return vec![node];
        }
        let wanted = parts(name);
        if wanted.is_empty() {
            return Vec::new();
        }
        let matching = |same: &dyn Fn(&str, &str) -> bool| -> Vec<&Node> {
            let ends = |node: &Node| {
                let have = parts(node.qualified());
                have.len() >= wanted.len()
                    && have[have.len() - wanted.len()..]
                        .iter()
                        .zip(&wanted)
                        .all(|(a, b)| same(a, b))
            };
            let of_file = |node: &&Node| !node.is_file() && file.is_none_or(|file| node.path == file);
            self.nodes.iter().filter(of_file).filter(|node| ends(node)).collect()
        };
        let exact = matching(&|a, b| a == b);
        if exact.is_empty() {
            return matching(&|a, b| a.to_lowercase() == b.to_lowercase());
        }
        exact
    }
}

/// The parts of a name, however they are joined.
pub fn parts(name: &str) -> Vec<String> {
    let parts = name.split(['.', ':', '#']).map(str::trim);
    parts.filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Graph {
        Graph::parse(include_bytes!("../tests/samples/wiring.json")).unwrap()
    }

    #[test]
    fn a_recorded_graph_is_read() {
        let graph = sample();
        assert_eq!(graph.files().collect::<Vec<_>>(), ["lib/other.py", "src/shop.py"]);
        assert_eq!(graph.in_degree("src/shop.py#leaf"), 2);
        assert_eq!(
            graph.in_degree("src/shop.py#Till.ring"),
            0,
            "containing is no reference"
        );
        let step = graph.steps("src/shop.py#middle", "src/shop.py#leaf")[0];
        assert_eq!(
            (step.relation, step.confidence),
            (Relation::Calls, Some(Confidence::Resolved))
        );
        assert_eq!(graph.references(|path| path.starts_with("src/")), 3);
        assert_eq!(graph.references(|path| path.starts_with("lib/")), 0);
    }

    #[test]
    fn a_name_stands_for_definitions_and_never_widens() {
        let graph = sample();
        let check = |name: &str, file: Option<&str>, expected: &[&str]| {
            let found: Vec<_> = graph.named(name, file).iter().map(|n| n.id.as_str()).collect();
            assert_eq!(found, expected, "{name}");
        };
        check("leaf", None, &["src/shop.py#leaf"]);
        check("LEAF", None, &["src/shop.py#leaf"]);
        check("Till.ring", None, &["src/shop.py#Till.ring"]);
        check("Till::ring", None, &["src/shop.py#Till.ring"]);
        check("ring", Some("src/shop.py"), &["src/shop.py#Till.ring"]);
        check("ring", Some("lib/other.py"), &[]);
        check("Basket.ring", None, &[]);
        check("pkg.leaf", None, &[]);
        check("", None, &[]);
        check("..", None, &[]);
        check("lib/other.py", None, &["lib/other.py"]);
    }

    #[test]
    fn ids_that_several_have_are_told_apart_by_their_lines() {
        let node = |id: &str, span: &str| {
            format!(r#"{{"id":"{id}","name":"f","kind":"function","path":"a.py","span":"{span}"}}"#)
        };
        let text = format!(
            r#"{{"nodes":[{},{},{}],"edges":[{{"source":"x","target":"y","relation":"new","confidence":"?"}},{{"source":"a.py#f","target":"a.py#f","relation":"calls"}}]}}"#,
            node("a.py#f", "L1-L2"),
            node("a.py#f", "L4-L5"),
            node("a.py#f~2", "L7-L8"),
        );
        let graph = Graph::parse(text.as_bytes()).unwrap();
        let span = |start, end| Span { start, end };
        assert_eq!(graph.node("a.py#f", None).unwrap().span, span(1, 2));
        assert_eq!(graph.node("a.py#f", Some(span(4, 5))).unwrap().span, span(4, 5));
        assert_eq!(graph.node("a.py#f~2", None).unwrap().qualified(), "f");
        assert_eq!(graph.named("f", None).len(), 3);
        assert_eq!(graph.in_degree("a.py#f"), 0, "recursion is no other symbol");
        assert!(graph.steps("x", "y").is_empty(), "an unknown relation is none");
    }

    #[test]
    fn what_is_no_graph_is_an_error() {
        for text in ["", "{}", "[]", r#"{"nodes":[]}"#, r#"{"nodes":[{"id":1}],"edges":[]}"#] {
            assert!(Graph::parse(text.as_bytes()).is_err(), "{text}");
        }
        assert!(Graph::read(Path::new("/nowhere")).is_err());
    }
}
