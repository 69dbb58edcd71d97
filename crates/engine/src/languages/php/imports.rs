//! `use` of names from namespaces, and files taken in by `require` and `include`.

use super::extract::{DONE, children};
use crate::extract::{Cx, Walk, last_part};
use crate::facts::ImportKind;
use tree_sitter::Node;

/// `use A\B as C, D;`, `use A\{B, C as D};`, `use function A\f;`.
pub(super) fn uses<'t>(node: Node<'t>, cx: &mut Cx<'t>) -> Walk {
    let parts = children(node);
    let prefix = parts
        .iter()
        .find(|n| n.kind() == "namespace_name")
        .map_or("", |n| cx.src(*n));
    let clauses = match node.child_by_field_name("body") {
        Some(group) => children(group),
        None => parts,
    };
    for clause in clauses.into_iter().filter(|n| n.kind() == "namespace_use_clause") {
        let alias = clause.child_by_field_name("alias");
        let Some(name) = children(clause)
            .into_iter()
            .find(|n| alias.is_none_or(|a| a.id() != n.id()))
        else {
            continue;
        };
        let written: String = cx.src(name).split_whitespace().collect();
        let full = format!("{prefix}\\{written}");
        let full = full.trim_matches('\\');
        let (module, last) = full.rsplit_once('\\').unwrap_or(("", full));
        let alias = alias.map_or(last, |a| cx.src(a));
        cx.import(ImportKind::Name, module, last, alias, clause);
    }
    Walk::Over
}

/// `require __DIR__ . '/x.php'` and its like, when the path is written out.
pub(super) fn include<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let Some(path) = children(node).first().copied() else {
        return;
    };
    let mut open = vec![path];
    let mut module = String::new();
    while let Some(part) = open.pop() {
        match part.kind() {
            "parenthesized_expression" => open.extend(children(part)),
            "binary_expression" => open.extend(children(part).into_iter().rev()),
            "string" | "encapsed_string" => match super::exprs::literal(part, cx) {
                Some(text) => module.push_str(text),
                None => return,
            },
            "name" if cx.src(part) == "__DIR__" => {
                cx.mark(part, DONE);
                module.push('.');
            }
            "function_call_expression" => match cx.src(part).replace(' ', "").as_str() {
                "dirname(__FILE__)" => module.push('.'),
                "dirname(__DIR__)" => module.push_str(".."),
                _ => return,
            },
            _ => return,
        }
    }
    if module.is_empty() {
        return;
    }
    cx.import(ImportKind::Include, &module, "", "", node);
    let last = last_part(&module).trim_end_matches(".php").to_owned();
    let last = cx.name_owned(&last);
    if let Some(added) = cx.facts.refs.last_mut() {
        added.name = last;
    }
}
