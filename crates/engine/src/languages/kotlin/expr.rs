//! Kotlin's expressions and types as resolution sees them. Nullability is left out: `Foo?` is `Foo`, `x?.f` and `x!!.f`
//! are `x.f`.

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

/// The parts of a call: what is called and the number of arguments. A lambda behind the parentheses is one more.
pub(super) fn call_parts(node: Node<'_>) -> Option<(Node<'_>, u8)> {
    let mut node = node;
    let mut args = 0;
    loop {
        let callee = first(node)?;
        args += match child(node, &["value_arguments"]) {
            Some(list) => named(list).len(),
            None => 0,
        };
        if child(node, &["annotated_lambda"]).is_some() {
            args += 1;
            if callee.kind() == "call_expression" && child(node, &["value_arguments"]).is_none() {
                node = callee;
                continue;
            }
        }
        return Some((callee, count(args)));
    }
}

/// The last name of a callee or a chain.
pub(super) fn name_of(node: Node<'_>) -> Option<Node<'_>> {
    match node.kind() {
        "identifier" => Some(node),
        "navigation_expression" | "callable_reference" => named(node).pop().filter(|n| n.kind() == "identifier"),
        "user_type" => named(node).into_iter().rfind(|n| n.kind() == "identifier"),
        "nullable_type" | "parenthesized_type" | "non_nullable_type" => first(node).and_then(name_of),
        _ => None,
    }
}

fn describe_new<'t>(cx: &mut Cx<'t>, node: Node<'t>, depth: u32) -> ExprId {
    let scope = cx.scope();
    let first_part = |cx: &mut Cx<'t>| match first(node) {
        Some(n) => at_depth(cx, n, depth),
        None => cx.expr(Expr::Unknown),
    };
    let made = match node.kind() {
        "identifier" => match cx.src(node) {
            "null" | "true" | "false" => Expr::Literal,
            // The parameter of a lambda that states none.
            "it" if !is_local(cx, "it") => Expr::Unknown,
            _ => return cx.name_expr(node),
        },
        "this_expression" => match first(node).filter(|label| capital(cx.src(*label))) {
            Some(label) => {
                let ty = cx.name_expr(label);
                Expr::Typed { ty }
            }
            None => Expr::This { scope },
        },
        "super_expression" => Expr::Super { scope },
        "navigation_expression" => {
            let base = first_part(cx);
            return match name_of(node) {
                Some(name) => {
                    let text = cx.src(name);
                    cx.member_expr(base, text)
                }
                // `Foo::class`
                None => cx.expr(Expr::Literal),
            };
        }
        "callable_reference" => match named(node)[..] {
            [name] if name.kind() == "identifier" => return cx.name_expr(name),
            _ => Expr::Unknown,
        },
        "call_expression" => return call(cx, node, depth),
        "infix_expression" => match named(node)[..] {
            [left, name, _] => {
                let base = at_depth(cx, left, depth);
                let text = cx.src(name);
                let callee = cx.member_expr(base, text);
                Expr::Call { callee, args: 1 }
            }
            _ => Expr::Unknown,
        },
        "index_expression" => Expr::Element { of: first_part(cx) },
        "parenthesized_expression" | "annotated_expression" | "labeled_expression" => match named(node).pop() {
            Some(n) => return at_depth(cx, n, depth),
            None => Expr::Unknown,
        },
        "unary_expression" if field(node, "operator").is_some_and(|o| o.kind() == "!!") => return first_part(cx),
        "as_expression" => match field(node, "right") {
            Some(ty) => Expr::Typed { ty: type_expr(cx, ty) },
            None => Expr::Unknown,
        },
        "binary_expression" if field(node, "operator").is_some_and(|o| o.kind() == "?:") => {
            let (Some(left), Some(right)) = (field(node, "left"), field(node, "right")) else {
                return cx.expr(Expr::Unknown);
            };
            let left = at_depth(cx, left, depth);
            if matches!(right.kind(), "return_expression" | "throw_expression") {
                return left;
            }
            let right = at_depth(cx, right, depth);
            Expr::Either(left, right)
        }
        "if_expression" => {
            let branches: Vec<_> = named(node)
                .into_iter()
                .skip(1)
                .filter(|n| n.kind() != "block")
                .collect();
            match branches[..] {
                [a, b] => {
                    let (a, b) = (at_depth(cx, a, depth), at_depth(cx, b, depth));
                    Expr::Either(a, b)
                }
                _ => Expr::Unknown,
            }
        }
        // An object without a name is taken for one of its first supertype.
        "object_literal" => {
            let base = child(node, &["delegation_specifiers"])
                .and_then(first)
                .and_then(super_type);
            match base {
                Some(ty) => Expr::New { ty: type_expr(cx, ty) },
                None => Expr::Unknown,
            }
        }
        "string_literal"
        | "multiline_string_literal"
        | "character_literal"
        | "number_literal"
        | "float_literal"
        | "is_expression"
        | "in_expression"
        | "range_expression"
        | "collection_literal" => Expr::Literal,
        _ => Expr::Unknown,
    };
    cx.expr(made)
}

/// A call. `x.apply { … }` and `x.also { … }` are `x`.
fn call<'t>(cx: &mut Cx<'t>, node: Node<'t>, depth: u32) -> ExprId {
    let Some((callee, args)) = call_parts(node) else {
        return cx.expr(Expr::Unknown);
    };
    if callee.kind() == "navigation_expression"
        && name_of(callee).is_some_and(|n| matches!(cx.src(n), "apply" | "also"))
        && child(node, &["annotated_lambda"]).is_some()
        && let Some(receiver) = first(callee)
    {
        return at_depth(cx, receiver, depth);
    }
    let callee = at_depth(cx, callee, depth);
    cx.expr(Expr::Call { callee, args })
}

/// The type in one entry of a list of supertypes.
pub(super) fn super_type(entry: Node<'_>) -> Option<Node<'_>> {
    let mut node = entry;
    loop {
        node = match node.kind() {
            "delegation_specifier" => named(node).into_iter().find(|n| n.kind() != "annotation")?,
            "constructor_invocation" | "explicit_delegation" => first(node)?,
            _ => return Some(node),
        };
    }
}

/// Describes a type.
pub(super) fn type_expr<'t>(cx: &mut Cx<'t>, node: Node<'t>) -> ExprId {
    type_at(cx, node, 0)
}

/// The kinds of nodes that are types.
pub(super) const TYPES: &[&str] = &[
    "user_type",
    "nullable_type",
    "parenthesized_type",
    "non_nullable_type",
    "function_type",
    "dynamic",
];

fn type_at<'t>(cx: &mut Cx<'t>, node: Node<'t>, depth: u32) -> ExprId {
    if depth > EXPR_DEPTH {
        return cx.expr(Expr::Unknown);
    }
    match node.kind() {
        "user_type" => {
            let mut made = None;
            let mut arguments = None;
            for part in named(node) {
                match part.kind() {
                    "identifier" => {
                        let text = cx.src(part);
                        made = Some(match made {
                            Some(base) => cx.member_expr(base, text),
                            None => cx.name_expr(part),
                        });
                        arguments = None;
                    }
                    "type_arguments" => arguments = Some(part),
                    _ => {}
                }
            }
            let Some(base) = made else {
                return cx.expr(Expr::Unknown);
            };
            let last = arguments.and_then(|a| named(a).pop());
            let last = last.and_then(|p| {
                if p.kind() == "type_projection" {
                    child(p, TYPES)
                } else {
                    Some(p)
                }
            });
            match last {
                Some(last) => {
                    let arg = type_at(cx, last, depth + 1);
                    cx.expr(Expr::Apply { base, arg })
                }
                None => base,
            }
        }
        "nullable_type" | "parenthesized_type" | "non_nullable_type" => match child(node, TYPES) {
            Some(inner) => type_at(cx, inner, depth + 1),
            None => cx.expr(Expr::Unknown),
        },
        _ => cx.expr(Expr::Unknown),
    }
}
