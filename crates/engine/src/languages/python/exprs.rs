//! Value expressions as resolution evaluates them.

use super::extract::children;
use super::types;
use crate::extract::{Cx, EXPR_DEPTH};
use crate::facts::{Expr, ExprId, SymbolFlags};
use tree_sitter::Node;

/// Note: until this byte, `self` and `cls` are parameters of a function that is no method.
pub(super) const FOREIGN_SELF: &str = "foreign self";

/// Describes `node`. Every node is described once; what is nested deeper than the bound is unknown.
pub(super) fn expr<'t>(node: Node<'t>, depth: u32, cx: &mut Cx<'t>) -> ExprId {
    if let Some(&known) = cx.described.get(&node.id()) {
        return known;
    }
    let id = fresh(node, depth, cx);
    cx.described.insert(node.id(), id);
    id
}

fn fresh<'t>(node: Node<'t>, depth: u32, cx: &mut Cx<'t>) -> ExprId {
    if depth >= EXPR_DEPTH {
        return cx.expr(Expr::Unknown);
    }
    let below = depth + 1;
    match node.kind() {
        "identifier" => identifier(node, cx),
        "attribute" => attribute(node, below, cx),
        "call" => call(node, below, cx),
        "subscript" => match node.child_by_field_name("value") {
            Some(value) => {
                let of = expr(value, below, cx);
                cx.expr(Expr::Element { of })
            }
            None => cx.expr(Expr::Unknown),
        },
        "await" => match node.named_child(0) {
            Some(inner) => {
                let of = expr(inner, below, cx);
                cx.expr(Expr::Unwrap { of })
            }
            None => cx.expr(Expr::Unknown),
        },
        "parenthesized_expression" | "as_pattern" => match children(node).first() {
            Some(&inner) => expr(inner, below, cx),
            None => cx.expr(Expr::Unknown),
        },
        "named_expression" => match node.child_by_field_name("value") {
            Some(value) => expr(value, below, cx),
            None => cx.expr(Expr::Unknown),
        },
        "conditional_expression" => {
            let parts = children(node);
            match (parts.first(), parts.get(2)) {
                (Some(&yes), Some(&no)) => either(yes, no, below, cx),
                _ => cx.expr(Expr::Unknown),
            }
        }
        "boolean_operator" => {
            let (left, right) = (node.child_by_field_name("left"), node.child_by_field_name("right"));
            let or = node.child_by_field_name("operator").is_some_and(|o| cx.src(o) == "or");
            match (left, right) {
                (Some(l), Some(r)) if or => either(l, r, below, cx),
                (_, Some(r)) => expr(r, below, cx),
                _ => cx.expr(Expr::Unknown),
            }
        }
        "assignment" => match node.child_by_field_name("right") {
            Some(right) => expr(right, below, cx),
            None => cx.expr(Expr::Unknown),
        },
        "string"
        | "concatenated_string"
        | "integer"
        | "float"
        | "true"
        | "false"
        | "none"
        | "list"
        | "tuple"
        | "dictionary"
        | "set"
        | "comparison_operator"
        | "not_operator"
        | "list_comprehension"
        | "dictionary_comprehension"
        | "set_comprehension"
        | "generator_expression"
        | "ellipsis" => cx.expr(Expr::Literal),
        _ => cx.expr(Expr::Unknown),
    }
}

fn either<'t>(a: Node<'t>, b: Node<'t>, depth: u32, cx: &mut Cx<'t>) -> ExprId {
    let (a, b) = (expr(a, depth, cx), expr(b, depth, cx));
    join(a, b, cx)
}

/// Either of two, where one that tells nothing gives way.
pub(super) fn join(a: ExprId, b: ExprId, cx: &mut Cx<'_>) -> ExprId {
    let tells = |e: ExprId| !matches!(cx.facts.exprs[e as usize], Expr::Literal | Expr::Unknown);
    match (tells(a), tells(b)) {
        (true, true) => cx.expr(Expr::Either(a, b)),
        (true, false) => a,
        _ => b,
    }
}

/// Whether `self` or `cls` here is the receiver of the enclosing method.
pub(super) fn is_receiver(node: Node<'_>, text: &str, cx: &Cx<'_>) -> bool {
    matches!(text, "self" | "cls")
        && cx.enclosing_type().is_some()
        && cx
            .notes
            .get(FOREIGN_SELF)
            .is_none_or(|&until| node.start_byte() as u32 >= until)
}

fn identifier<'t>(node: Node<'t>, cx: &mut Cx<'t>) -> ExprId {
    let text = cx.src(node);
    if is_receiver(node, text, cx) {
        let scope = cx.scope();
        // Through `self` and `cls` alike; what `cls` is in a plain method (of a metaclass, say) the name cannot tell.
        return cx.expr(if text == "self" {
            Expr::This { scope }
        } else {
            Expr::SelfType { scope }
        });
    }
    cx.name_expr(node)
}

fn attribute<'t>(node: Node<'t>, depth: u32, cx: &mut Cx<'t>) -> ExprId {
    let (Some(object), Some(name)) = (
        node.child_by_field_name("object"),
        node.child_by_field_name("attribute"),
    ) else {
        return cx.expr(Expr::Unknown);
    };
    let base = expr(object, depth, cx);
    let name = cx.src(name);
    if name == "__class__" && matches!(cx.facts.exprs[base as usize], Expr::This { .. }) {
        let scope = cx.scope();
        return cx.expr(Expr::SelfType { scope });
    }
    cx.member_expr(base, name)
}

/// Number of arguments of a call, 255 when a star may pass more.
pub(super) fn count_args(node: Node<'_>) -> u8 {
    let Some(list) = node.child_by_field_name("arguments") else {
        return 255;
    };
    if list.kind() == "generator_expression" {
        return 1;
    }
    let args = children(list);
    if args
        .iter()
        .any(|a| matches!(a.kind(), "list_splat" | "dictionary_splat"))
    {
        return 255;
    }
    args.len().min(254) as u8
}

/// The n-th argument of a call.
pub(super) fn argument<'t>(node: Node<'t>, n: usize) -> Option<Node<'t>> {
    let list = node.child_by_field_name("arguments")?;
    (list.kind() == "argument_list")
        .then(|| children(list).get(n).copied())
        .flatten()
}

fn call<'t>(node: Node<'t>, depth: u32, cx: &mut Cx<'t>) -> ExprId {
    let Some(function) = node.child_by_field_name("function") else {
        return cx.expr(Expr::Unknown);
    };
    let scope = cx.scope();
    let name = match function.kind() {
        "identifier" => cx.src(function),
        "attribute" => function.child_by_field_name("attribute").map_or("", |a| cx.src(a)),
        _ => "",
    };
    let plain = function.kind() == "identifier";
    match name {
        "super" if plain => return cx.expr(Expr::Super { scope }),
        "type" if plain && argument(node, 1).is_none() => {
            if let Some(of) = argument(node, 0)
                && cx.src(of) == "self"
                && is_receiver(of, "self", cx)
            {
                return cx.expr(Expr::SelfType { scope });
            }
        }
        "cast" => {
            if let (Some(ty), Some(_)) = (argument(node, 0), argument(node, 1)) {
                let ty = types::type_expr(ty, depth, cx);
                return cx.expr(Expr::Typed { ty });
            }
        }
        // These give what they are given in another order or container; its elements stay what they are.
        "sorted" | "reversed" | "list" | "tuple" | "set" | "iter" if plain => {
            if let Some(of) = argument(node, 0)
                && of.kind() != "generator_expression"
                && of.kind() != "list_splat"
            {
                return expr(of, depth, cx);
            }
        }
        "getattr" if plain => {
            if let (Some(of), Some(key)) = (argument(node, 0), argument(node, 1))
                && let Some(key) = literal(key, cx)
            {
                let base = expr(of, depth, cx);
                return cx.member_expr(base, key);
            }
        }
        _ => {}
    }
    let callee = expr(function, depth, cx);
    cx.expr(Expr::Call {
        callee,
        args: count_args(node),
    })
}

/// The contents of a plain string literal without escapes or interpolation.
pub(super) fn literal<'t>(node: Node<'t>, cx: &Cx<'t>) -> Option<&'t str> {
    if node.kind() != "string" {
        return None;
    }
    match children(node).as_slice() {
        [_, content, _] if content.kind() == "string_content" && content.named_child_count() == 0 => {
            Some(cx.src(*content))
        }
        _ => None,
    }
}

/// Whether a definition's flags say that reading it calls it.
pub(super) fn is_getter(flags: SymbolFlags) -> bool {
    flags.has(SymbolFlags::GETTER)
}
