//! From what Graft tells to answers over the tree.

pub mod ask;
pub mod callers;
pub mod explore;
pub mod grep;
pub mod map;
pub mod skeleton;

use crate::graph::{Graph, Node};
use std::collections::BTreeSet;
use understory_cli_backend::texts::Texts;
use understory_core::answer::Symbol;
use understory_core::path::RepoPath;
use understory_core::tree::EntryKind;

/// Longest signature, in characters.
const SIGNATURE: usize = 400;

/// The symbol of a node, as it is in the tree; `None` where the tree has no such lines: Graft may index files that are none
/// of the tree.
pub fn symbol(node: &Node, graph: &Graph, texts: &mut Texts<'_>) -> Option<Symbol> {
    let symbol = texts.symbol(&node.told())?;
    // Graft's is whole where the header goes over several lines.
    let signature = node
        .signature
        .as_deref()
        .map(on_one_line)
        .filter(|text| !text.is_empty());
    Some(Symbol {
        in_degree: graph.in_degree(&node.id),
        signature: signature.unwrap_or(symbol.signature),
        ..symbol
    })
}

/// A header on one line.
fn on_one_line(text: &str) -> String {
    let words: Vec<&str> = text.split(|c: char| c.is_whitespace() || c.is_control()).collect();
    let line = words
        .iter()
        .filter(|word| !word.is_empty())
        .copied()
        .collect::<Vec<_>>()
        .join(" ");
    line.chars().take(SIGNATURE).collect()
}

/// Whether a path lies in a scope.
pub fn is_in(path: &RepoPath, scope: &RepoPath) -> bool {
    scope.is_root() || path.is_in(scope)
}

/// Files of the tree in a scope that Graft does not index, and a session may read.
pub fn unindexed(graph: &Graph, scope: &RepoPath, texts: &Texts<'_>) -> Vec<RepoPath> {
    let indexed: BTreeSet<&str> = graph.files().collect();
    let reader = texts.reader();
    let mut files = reader.tree().files();
    files.retain(|file| {
        file.entry.kind == EntryKind::File
            && is_in(file.path, scope)
            && !indexed.contains(file.path.as_str())
            && reader.is_open(file)
    });
    files.iter().map(|file| file.path.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_is_one_line() {
        let check = |text: &str, expected: &str| assert_eq!(on_one_line(text), expected);
        check("def a(\n    x,\r\n)\t-> b", "def a( x, ) -> b");
        check("  ", "");
        assert_eq!(on_one_line(&"é".repeat(1_000)).chars().count(), SIGNATURE);
    }
}
