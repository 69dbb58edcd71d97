//! Closures: their parameters have the types that the called signature states; see [`crate::resolve::signatures`].

use super::expr::{TYPES, call_parts, describe, stated, type_expr};
use crate::extract::Cx;
use crate::facts::*;
use crate::languages::common::*;
use crate::resolve::signatures::RESULT;
use tree_sitter::Node;

/// The last parameter that is a function: what a trailing closure is given to.
const TRAILING: &str = "($";
/// Most parameters of one closure or function whose types are kept.
const MOST: usize = 8;
/// The parameters of a closure without names.
const NUMBERED: [&str; 4] = ["$0", "$1", "$2", "$3"];

/// A function type.
pub(super) fn function_type<'t>(cx: &mut Cx<'t>, node: Node<'t>) -> ExprId {
    let mut parts = Vec::new();
    if let Some(taken) = field(node, "params") {
        let places: Vec<Node<'t>> = match taken.kind() {
            "tuple_type" => named(taken),
            _ => vec![taken],
        };
        for (n, place) in places.into_iter().take(MOST).enumerate() {
            let ty = match TYPES.contains(&place.kind()) {
                true => Some(place),
                false => stated(place),
            };
            let ty = ty.map(|t| type_expr(cx, t));
            parts.push((cx.name_owned(&format!("({n}")), ty));
        }
    }
    if let Some(result) = field(node, "return_type") {
        let ty = Some(type_expr(cx, result));
        parts.push((cx.name_owned(RESULT), ty));
    }
    let around = cx.scope();
    let scope = cx.make_scope(ScopeKind::Block, None);
    if scope == around {
        return cx.expr(Expr::Unknown);
    }
    for (name, ty) in parts {
        cx.add_binding(scope, name, 0, Bound::Local { ty, value: None });
    }
    cx.expr(Expr::Shape { scope })
}

/// A parameter of a function, whose type is described: what arguments are held against.
pub(super) fn parameter<'t>(cx: &mut Cx<'t>, node: Node<'t>, ty: Option<ExprId>) {
    let Some(id) = ty.filter(|&t| matches!(cx.facts.exprs[t as usize], Expr::Shape { .. })) else {
        return;
    };
    let label = field(node, "external_name").map(|n| cx.src(n));
    let label = label.or_else(|| field(node, "name").map(|n| cx.src(n)));
    let scope = cx.scope();
    let to = Bound::Local {
        ty: Some(id),
        value: None,
    };
    let name = cx.name_owned(TRAILING);
    cx.add_binding(scope, name, 0, to);
    if let Some(label) = label.filter(|l| *l != "_") {
        let name = cx.name_owned(&format!("(:{label}"));
        cx.add_binding(scope, name, 0, to);
    }
}

/// A value of the function type that the called signature has in the place of a closure, when that can be told.
pub(super) fn expected<'t>(cx: &mut Cx<'t>, closure: Node<'t>) -> Option<ExprId> {
    let around: Vec<Node<'t>> = cx.ancestors().take(4).collect();
    let (call, part) = match around.first()?.kind() {
        "call_suffix" => {
            let closures = named(around[0]).iter().filter(|n| n.kind() == "lambda_literal").count();
            (*around.get(1)?, (closures == 1).then(|| TRAILING.to_owned())?)
        }
        "value_argument" => {
            let label = field(around[0], "name")?;
            (*around.get(3)?, format!("(:{}", cx.src(label).trim()))
        }
        _ => return None,
    };
    if !matches!(call.kind(), "call_expression" | "constructor_expression") || around[0].id() == closure.id() {
        return None;
    }
    let (callee, _, subscript) = call_parts(call)?;
    if subscript {
        return None;
    }
    let base = describe(cx, callee);
    let name = cx.name_owned(&part);
    Some(cx.expr(Expr::Member { base, name }))
}

/// Gives the parameters of a closure, named or numbered, what is expected in its place.
pub(super) fn give<'t>(cx: &mut Cx<'t>, closure: Node<'t>, expected: Option<ExprId>) {
    let Some(base) = expected else { return };
    let part = |n: usize, cx: &mut Cx<'t>| {
        let name = cx.name_owned(&format!("({n}"));
        cx.expr(Expr::Member { base, name })
    };
    let list = field(closure, "type").and_then(|t| child(t, &["lambda_function_type_parameters"]));
    match list {
        Some(list) => {
            let names = named(list).into_iter().filter(|n| n.kind() == "lambda_parameter");
            for (n, parameter) in names.enumerate().take(MOST) {
                let value = part(n, cx);
                cx.described.insert(parameter.id(), value);
            }
        }
        None => {
            let text = cx.src(closure);
            for (n, name) in NUMBERED.into_iter().enumerate().filter(|(_, name)| text.contains(name)) {
                let value = part(n, cx);
                cx.bind(name, 0, None, Some(value));
            }
        }
    }
}

/// Whether a name is a numbered parameter of a closure whose type is known.
pub(super) fn is_numbered(text: &str, cx: &mut Cx<'_>) -> bool {
    let Some(&text) = NUMBERED.iter().find(|n| **n == text) else {
        return false;
    };
    let name = cx.name(text);
    let mut at = Some(cx.scope());
    while let Some(scope) = at {
        if cx.bound(scope, name).is_some() {
            return true;
        }
        let fact = cx.facts.scopes[scope as usize];
        // A closure's numbers are its own.
        at = fact.parent.filter(|_| fact.kind != ScopeKind::Function);
    }
    false
}
