//! Scala's expressions and types as resolution sees them. Further argument lists of a curried call are part of the call.

use crate::extract::{Cx, EXPR_DEPTH};
use crate::facts::*;
use crate::languages::common::*;
use tree_sitter::Node;

/// Describes an expression.
pub(super) fn describe<'t>(cx: &mut Cx<'t>, node: Node<'t>) -> ExprId {
    at_depth(cx, node, 0)
}

fn at_depth<'t>(cx: &mut Cx<'t>, node: Node<'t>, depth: u32) -> ExprId {
    if let Some(&known) = cx.described.get(&node.id()) {
        return known;
    }
    if depth > EXPR_DEPTH {
        return cx.expr(Expr::Unknown);
    }
    let id = describe_new(cx, node, depth + 1);
    cx.described.insert(node.id(), id);
    id
}

/// The last name of a callee or chain.
pub(super) fn name_of(node: Node<'_>) -> Option<Node<'_>> {
    let mut node = node;
    loop {
        node = match node.kind() {
            "identifier" | "operator_identifier" | "type_identifier" => return Some(node),
            "field_expression" => field(node, "field")?,
            "generic_function" => field(node, "function")?,
            "generic_type" => field(node, "type")?,
            "stable_type_identifier" | "stable_identifier" => named(node).pop()?,
            "annotated_type" | "applied_constructor_type" => first(node)?,
            _ => return None,
        };
    }
}

/// Number of arguments in the list, block or cases of a call.
pub(super) fn argument_count(call: Node<'_>) -> u8 {
    match field(call, "arguments") {
        Some(list) if list.kind() == "arguments" => count(named(list).len()),
        Some(_) => 1,
        None => 255,
    }
}

fn describe_new<'t>(cx: &mut Cx<'t>, node: Node<'t>, depth: u32) -> ExprId {
    let scope = cx.scope();
    let inner = |cx: &mut Cx<'t>, name: &str| match field(node, name) {
        Some(n) => at_depth(cx, n, depth),
        None => cx.expr(Expr::Unknown),
    };
    let made = match node.kind() {
        "identifier" => match cx.src(node) {
            "this" => Expr::This { scope },
            "super" => Expr::Super { scope },
            _ => return cx.name_expr(node),
        },
        "operator_identifier" => return cx.name_expr(node),
        "field_expression" => {
            let base = inner(cx, "value");
            return match field(node, "field") {
                // `Outer.this`
                Some(name) if cx.src(name) == "this" => cx.expr(Expr::Typed { ty: base }),
                Some(name) => {
                    let text = cx.src(name);
                    cx.member_expr(base, text)
                }
                None => cx.expr(Expr::Unknown),
            };
        }
        "stable_identifier" | "stable_type_identifier" => return chain(cx, node),
        "call_expression" => match field(node, "function") {
            Some(function) if function.kind() == "call_expression" => return at_depth(cx, function, depth),
            Some(function) => {
                let callee = at_depth(cx, function, depth);
                Expr::Call {
                    callee,
                    args: argument_count(node),
                }
            }
            None => Expr::Unknown,
        },
        "generic_function" => {
            let cast = field(node, "function")
                .and_then(name_of)
                .is_some_and(|n| cx.src(n) == "asInstanceOf");
            let ty = field(node, "type_arguments").and_then(first).filter(|_| cast);
            match ty {
                Some(ty) => Expr::Typed { ty: type_expr(cx, ty) },
                None => return inner(cx, "function"),
            }
        }
        "infix_expression" => {
            let (Some(left), Some(operator)) = (field(node, "left"), field(node, "operator")) else {
                return cx.expr(Expr::Unknown);
            };
            let base = at_depth(cx, left, depth);
            let text = cx.src(operator);
            let callee = cx.member_expr(base, text);
            Expr::Call { callee, args: 1 }
        }
        "instance_expression" => match instance_type(node) {
            Some(ty) => Expr::New { ty: type_expr(cx, ty) },
            None => Expr::Unknown,
        },
        "parenthesized_expression" | "method_value" | "postfix_expression" => match first(node) {
            Some(n) => return at_depth(cx, n, depth),
            None => Expr::Unknown,
        },
        "ascription_expression" => match named(node).pop() {
            Some(ty) => Expr::Typed { ty: type_expr(cx, ty) },
            None => Expr::Unknown,
        },
        "if_expression" => match (field(node, "consequence"), field(node, "alternative")) {
            (Some(a), Some(b)) if !is_block(a) && !is_block(b) => {
                let (a, b) = (at_depth(cx, a, depth), at_depth(cx, b, depth));
                Expr::Either(a, b)
            }
            _ => Expr::Unknown,
        },
        "string" | "interpolated_string_expression" | "unit" => Expr::Literal,
        kind if kind.ends_with("_literal") => Expr::Literal,
        _ => Expr::Unknown,
    };
    cx.expr(made)
}

fn is_block(node: Node<'_>) -> bool {
    matches!(node.kind(), "block" | "indented_block")
}

/// The type that `new` makes.
pub(super) fn instance_type(node: Node<'_>) -> Option<Node<'_>> {
    named(node)
        .into_iter()
        .find(|n| n.kind().ends_with("_type") || n.kind().ends_with("type_identifier"))
}

/// A dotted name as a chain.
fn chain<'t>(cx: &mut Cx<'t>, node: Node<'t>) -> ExprId {
    // The grammar nests the qualifier in front; its depth is that of the written name.
    let mut parts = Vec::new();
    let mut open = vec![node];
    while let Some(part) = open.pop() {
        match part.kind() {
            "stable_identifier" | "stable_type_identifier" => open.extend(named(part).into_iter().rev()),
            _ => parts.push(part),
        }
    }
    let mut made = None;
    for part in parts {
        let text = cx.src(part);
        made = Some(match made {
            Some(base) => cx.member_expr(base, text),
            None => describe(cx, part),
        });
    }
    match made {
        Some(made) => made,
        None => cx.expr(Expr::Unknown),
    }
}

/// Describes a type.
pub(super) fn type_expr<'t>(cx: &mut Cx<'t>, node: Node<'t>) -> ExprId {
    type_at(cx, node, 0)
}

fn type_at<'t>(cx: &mut Cx<'t>, node: Node<'t>, depth: u32) -> ExprId {
    if depth > EXPR_DEPTH {
        return cx.expr(Expr::Unknown);
    }
    match node.kind() {
        "type_identifier" | "identifier" => cx.name_expr(node),
        "stable_type_identifier" | "stable_identifier" => chain(cx, node),
        "generic_type" => {
            let Some(base) = field(node, "type") else {
                return cx.expr(Expr::Unknown);
            };
            let base = type_at(cx, base, depth + 1);
            match field(node, "type_arguments").and_then(|a| named(a).pop()) {
                Some(last) => {
                    let arg = type_at(cx, last, depth + 1);
                    cx.expr(Expr::Apply { base, arg })
                }
                None => base,
            }
        }
        "repeated_parameter_type" => match field(node, "type") {
            Some(inner) => {
                let inner = type_at(cx, inner, depth + 1);
                shape(cx, inner)
            }
            None => cx.expr(Expr::Unknown),
        },
        "lazy_parameter_type" | "annotated_type" | "applied_constructor_type" | "compound_type" => match first(node) {
            Some(inner) => type_at(cx, inner, depth + 1),
            None => cx.expr(Expr::Unknown),
        },
        "singleton_type" => match first(node) {
            Some(inner) => describe(cx, inner),
            None => cx.expr(Expr::Unknown),
        },
        "infix_type" => match (field(node, "left"), field(node, "right")) {
            (Some(left), Some(right)) => {
                let left = type_at(cx, left, depth + 1);
                let right = type_at(cx, right, depth + 1);
                cx.expr(Expr::Either(left, right))
            }
            _ => cx.expr(Expr::Unknown),
        },
        _ => cx.expr(Expr::Unknown),
    }
}
