//! Patterns: which names they bind, and to what.

use super::exprs::{COLLECTIONS, children, element, is_upper, path_value, places, plain, type_of, value};
use super::extract::CLAIMED;
use crate::extract::{Cx, EXPR_DEPTH};
use crate::facts::{Bound, Expr, ExprId, ScopeKind};
use tree_sitter::Node;

/// Binds the names of a pattern in the current scope, visible from byte `from`.
pub fn bind<'t>(pattern: Node<'t>, ty: Option<ExprId>, value: Option<ExprId>, from: usize, cx: &mut Cx<'t>) {
    bind_at(pattern, ty, value, from, cx, 0);
}

fn bind_at<'t>(pattern: Node<'t>, ty: Option<ExprId>, value: Option<ExprId>, from: usize, cx: &mut Cx<'t>, depth: u32) {
    if depth > EXPR_DEPTH {
        return;
    }
    let depth = depth + 1;
    let whole = |cx: &mut Cx<'t>| match ty {
        Some(ty) => Some(cx.expr(Expr::Typed { ty })),
        None => value,
    };
    match pattern.kind() {
        "identifier" | "shorthand_field_identifier" => {
            let text = plain(cx, pattern);
            // A name in capitals is a constant, a variant or a unit struct that is compared with.
            if !is_upper(text) {
                cx.mark(pattern, CLAIMED);
                cx.bind(text, from, ty, value);
            }
        }
        "mut_pattern" | "ref_pattern" | "reference_pattern" | "box_pattern" | "or_pattern" | "match_pattern" => {
            let condition = pattern.child_by_field_name("condition");
            for c in children(pattern) {
                if c.kind() != "mutable_specifier" && Some(c) != condition {
                    bind_at(c, ty, value, from, cx, depth);
                }
            }
        }
        "captured_pattern" => {
            for c in children(pattern) {
                bind_at(c, ty, value, from, cx, depth);
            }
        }
        "tuple_pattern" => {
            let value = whole(cx);
            // Of `enumerate()` and of a map's pairs the last part is the element.
            let item = value.filter(|v| matches!(cx.facts.exprs[*v as usize], Expr::Element { .. }));
            let parts = places(pattern);
            let last = parts.last().map_or(0, |p| p.0);
            for (n, part) in parts {
                let one = value.map(|base| {
                    let name = cx.name_owned(&n.to_string());
                    let part = cx.expr(Expr::Member { base, name });
                    match item {
                        Some(item) if n == last => cx.expr(Expr::Either(part, item)),
                        _ => part,
                    }
                });
                bind_at(part, None, one, from, cx, depth);
            }
        }
        "slice_pattern" => {
            let of = whole(cx);
            for part in children(pattern) {
                let one = of.map(|of| cx.expr(Expr::Element { of }));
                bind_at(part, None, one, from, cx, depth);
            }
        }
        "tuple_struct_pattern" => {
            let Some(named) = pattern.child_by_field_name("type") else {
                return;
            };
            let text = cx.src(named);
            for (n, part) in places(pattern) {
                let one = match text.rsplit("::").next() {
                    Some("Some" | "Ok") => whole(cx).map(|of| cx.expr(Expr::Unwrap { of })),
                    Some("Err" | "None") => None,
                    _ => {
                        let base = described(named, cx);
                        let name = cx.name_owned(&n.to_string());
                        Some(cx.expr(Expr::Member { base, name }))
                    }
                };
                bind_at(part, None, one, from, cx, depth);
            }
        }
        "struct_pattern" => {
            let Some(named) = pattern.child_by_field_name("type") else {
                return;
            };
            let base = described(named, cx);
            for part in children(pattern) {
                if part.kind() != "field_pattern" {
                    continue;
                }
                let Some(name) = part.child_by_field_name("name") else {
                    continue;
                };
                let text = plain(cx, name);
                let one = cx.member_expr(base, text);
                match part.child_by_field_name("pattern") {
                    Some(inner) => bind_at(inner, None, Some(one), from, cx, depth),
                    None => bind_at(name, None, Some(one), from, cx, depth),
                }
            }
        }
        _ => {}
    }
}

/// What a pattern's path names: a variant of an enum, or a struct. Their members are the parts.
pub fn described<'t>(named: Node<'t>, cx: &mut Cx<'t>) -> ExprId {
    path_value(named, cx, 0)
}

/// `let p: T = v;`
pub fn let_declaration<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let Some(pattern) = node.child_by_field_name("pattern") else {
        return;
    };
    let ty = node.child_by_field_name("type").filter(|t| cx.src(*t) != "_");
    let ty = ty.map(|t| type_of(t, cx));
    let value = node.child_by_field_name("value").map(|v| value(v, cx));
    bind(pattern, ty, value, node.end_byte(), cx);
}

/// `if let p = v`, `while let p = v`.
pub fn let_condition<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let (Some(pattern), Some(given)) = (node.child_by_field_name("pattern"), node.child_by_field_name("value")) else {
        return;
    };
    let value = value(given, cx);
    bind(pattern, None, Some(value), node.end_byte(), cx);
}

/// `for p in xs`.
pub fn for_expression<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let item = node.child_by_field_name("value").map(|v| element(v, cx));
    cx.open_scope(ScopeKind::Block);
    if let (Some(pattern), Some(body)) = (node.child_by_field_name("pattern"), node.child_by_field_name("body")) {
        bind(pattern, None, item, body.start_byte(), cx);
    }
}

/// `p => …`.
pub fn match_arm<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let subject = cx
        .ancestors()
        .nth(1)
        .filter(|m| m.kind() == "match_expression")
        .and_then(|m| m.child_by_field_name("value"));
    let value = subject.map(|s| value(s, cx));
    cx.open_scope(ScopeKind::Block);
    if let Some(pattern) = node.child_by_field_name("pattern") {
        bind(pattern, None, value, 0, cx);
    }
}

/// `x = v` tells a local that was declared without type and value what it holds.
pub fn assignment<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let (Some(left), Some(right)) = (node.child_by_field_name("left"), node.child_by_field_name("right")) else {
        return;
    };
    if left.kind() != "identifier" {
        return;
    }
    let text = plain(cx, left);
    let id = cx.name(text);
    let mut scope = Some(cx.scope());
    while let Some(at) = scope {
        match cx.bound(at, id) {
            Some(Bound::Local { ty: None, value: old }) => {
                let poor = old.is_none_or(|o| matches!(cx.facts.exprs[o as usize], Expr::Literal | Expr::Unknown));
                if poor {
                    let new = value(right, cx);
                    let bound = Bound::Local {
                        ty: None,
                        value: Some(new),
                    };
                    cx.add_binding(at, id, node.end_byte() as u32, bound);
                }
                return;
            }
            Some(_) => return,
            None => scope = cx.facts.scopes[at as usize].parent,
        }
    }
}

/// `xs.push(v)` tells a local that began as an empty collection what its elements are.
pub fn collected<'t>(node: Node<'t>, function: Node<'t>, cx: &mut Cx<'t>) {
    let (Some(of), Some(method)) = (
        function.child_by_field_name("value"),
        function.child_by_field_name("field"),
    ) else {
        return;
    };
    if of.kind() != "identifier" || !matches!(cx.src(method), "push" | "push_back" | "push_front" | "insert") {
        return;
    }
    let Some(given) = node.child_by_field_name("arguments").and_then(|a| children(a).pop()) else {
        return;
    };
    let text = plain(cx, of);
    let id = cx.name(text);
    let mut scope = Some(cx.scope());
    while let Some(at) = scope {
        match cx.bound(at, id) {
            Some(Bound::Local { ty: None, value: held }) => {
                if held.is_some_and(|v| is_empty_collection(v, cx)) {
                    let arg = value(given, cx);
                    let base = cx.expr(Expr::Literal);
                    let held = cx.expr(Expr::Apply { base, arg });
                    let bound = Bound::Local {
                        ty: None,
                        value: Some(held),
                    };
                    cx.add_binding(at, id, node.end_byte() as u32, bound);
                }
                return;
            }
            Some(_) => return,
            None => scope = cx.facts.scopes[at as usize].parent,
        }
    }
}

/// `Vec::new()`, `VecDeque::with_capacity(n)`, `vec![]`.
fn is_empty_collection(value: ExprId, cx: &Cx<'_>) -> bool {
    let exprs = &cx.facts.exprs;
    match exprs[value as usize] {
        Expr::Literal => true,
        Expr::Call { callee, .. } => match exprs[callee as usize] {
            Expr::Member { base, name } => {
                let made = matches!(cx.facts.name(name), "new" | "with_capacity" | "default");
                let of = match exprs[base as usize] {
                    Expr::Name { name, .. } => cx.facts.name(name),
                    _ => "",
                };
                made && COLLECTIONS.contains(&of)
            }
            _ => false,
        },
        _ => false,
    }
}
