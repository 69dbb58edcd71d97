//! Locals: `:=`, assignments, ranges, type switches, receives.

use super::exprs::{children, type_of, value};
use super::extract::CLAIMED;
use crate::extract::Cx;
use crate::facts::{Bound, Expr, ExprId, ScopeKind};
use tree_sitter::Node;

/// `a, b := x, y`; with one call for several names, the others have its further results.
pub fn short_var<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let (Some(left), Some(right)) = (node.child_by_field_name("left"), node.child_by_field_name("right")) else {
        return;
    };
    cx.mark(left, CLAIMED);
    let (names, values) = (children(left), children(right));
    for (n, name) in names.into_iter().enumerate() {
        if name.kind() != "identifier" {
            continue;
        }
        let given = match values.get(n) {
            Some(v) => Some(value(*v, cx)),
            None => further(&values, n, cx),
        };
        bind(name, node.end_byte(), given, cx);
    }
}

/// The result `n` of the one call that gives several names their values.
pub fn further<'t>(values: &[Node<'t>], n: usize, cx: &mut Cx<'t>) -> Option<ExprId> {
    let [one] = values else { return None };
    let call = value(*one, cx);
    let Expr::Call { callee, .. } = cx.facts.exprs[call as usize] else {
        return None;
    };
    let name = cx.name_owned(&n.to_string());
    Some(cx.expr(Expr::Member { base: callee, name }))
}

fn bind<'t>(name: Node<'t>, from: usize, value: Option<ExprId>, cx: &mut Cx<'t>) {
    let text = cx.src(name);
    if text != "_" {
        cx.bind(text, from, None, value);
    }
}

/// `x = y` tells a local that was declared without type and value what it holds.
pub fn assignment<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let (Some(left), Some(right)) = (node.child_by_field_name("left"), node.child_by_field_name("right")) else {
        return;
    };
    let (names, values) = (children(left), children(right));
    for (n, name) in names.into_iter().enumerate() {
        if name.kind() != "identifier" {
            continue;
        }
        let given = values.get(n).copied();
        let text = cx.src(name);
        let id = cx.name(text);
        let mut scope = Some(cx.scope());
        while let Some(at) = scope {
            match cx.bound(at, id) {
                Some(Bound::Local { ty: None, value: old }) => {
                    let poor = old.is_none_or(|o| matches!(cx.facts.exprs[o as usize], Expr::Literal | Expr::Unknown));
                    if poor && at != 0 {
                        let new = match given {
                            Some(v) => Some(value(v, cx)),
                            None => further(&values, n, cx),
                        };
                        if new.is_some() {
                            let bound = Bound::Local { ty: None, value: new };
                            cx.add_binding(at, id, node.end_byte() as u32, bound);
                        }
                    }
                    break;
                }
                Some(_) => break,
                None => scope = cx.facts.scopes[at as usize].parent,
            }
        }
    }
}

/// `for i, x := range xs`.
pub fn range<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let (Some(left), Some(right)) = (node.child_by_field_name("left"), node.child_by_field_name("right")) else {
        return;
    };
    if !has_define(node) {
        return;
    }
    cx.mark(left, CLAIMED);
    let names = children(left);
    let of = value(right, cx);
    for (n, name) in names.iter().enumerate() {
        // Of a slice or map the second name is the element; of a channel or iterator the first is, but an index or key is
        // far more common.
        let item = if n == 0 && names.len() == 2 {
            cx.expr(Expr::Literal)
        } else if n == 0 {
            cx.expr(Expr::Unknown)
        } else {
            cx.expr(Expr::Element { of })
        };
        bind(*name, node.end_byte(), Some(item), cx);
    }
}

/// `switch v := x.(type)`.
pub fn type_switch<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    cx.open_scope(ScopeKind::Block);
    if let Some(alias) = node.child_by_field_name("alias") {
        cx.mark(alias, CLAIMED);
    }
}

/// `case *T:` binds the switch's name with that type; several types leave it what it was.
pub fn type_case<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    cx.open_scope(ScopeKind::Block);
    let Some(switch) = cx.parent().filter(|p| p.kind() == "type_switch_statement") else {
        return;
    };
    let Some(alias) = switch.child_by_field_name("alias").and_then(|a| a.named_child(0)) else {
        return;
    };
    let mut cursor = node.walk();
    let types: Vec<Node<'t>> = node
        .children_by_field_name("type", &mut cursor)
        .filter(|c| c.is_named())
        .collect();
    let text = cx.src(alias);
    if let [one] = types[..] {
        let ty = type_of(one, cx);
        cx.bind(text, 0, Some(ty), None);
    } else if let Some(subject) = switch.child_by_field_name("value") {
        let subject = value(subject, cx);
        cx.bind(text, 0, None, Some(subject));
    }
}

/// `case x := <-ch`.
pub fn receive<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let (Some(left), Some(right)) = (node.child_by_field_name("left"), node.child_by_field_name("right")) else {
        return;
    };
    if !has_define(node) {
        return;
    }
    cx.mark(left, CLAIMED);
    let item = value(right, cx);
    for (n, name) in children(left).into_iter().enumerate() {
        bind(name, node.end_byte(), (n == 0).then_some(item), cx);
    }
}

fn has_define(node: Node<'_>) -> bool {
    let mut cursor = node.walk();
    node.children(&mut cursor).any(|c| c.kind() == ":=")
}
