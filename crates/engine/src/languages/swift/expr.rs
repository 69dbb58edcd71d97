//! Swift's expressions and types as resolution sees them. Optionality is left out: `Foo?` is `Foo`, `x?.f`, `x!.f` and
//! `try? x.f` are `x.f`; `await` gives what it awaits.

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
    match node.kind() {
        "simple_identifier" => Some(node),
        "navigation_expression" => {
            let suffix = field(node, "suffix")?;
            field(suffix, "suffix").filter(|n| n.kind() == "simple_identifier")
        }
        "prefix_expression" => field(node, "target").filter(|n| is_implicit(node) && n.kind() == "simple_identifier"),
        "user_type" => named(node).into_iter().rfind(|n| n.kind() == "type_identifier"),
        "type_identifier" => Some(node),
        _ => None,
    }
}

/// `.name`, whose type is known from where it stands only.
fn is_implicit(prefix: Node<'_>) -> bool {
    field(prefix, "operation").is_some_and(|o| o.kind() == ".")
}

/// Of an operation in the place of a callee, what is called: the grammar takes `a + b.f()` for `(a + b.f)()`.
fn operand(callee: Node<'_>) -> Node<'_> {
    let mut node = callee;
    loop {
        let inner = match node.kind() {
            "additive_expression"
            | "multiplicative_expression"
            | "comparison_expression"
            | "equality_expression"
            | "conjunction_expression"
            | "disjunction_expression"
            | "nil_coalescing_expression"
            | "infix_expression"
            | "range_expression" => named(node).pop(),
            "try_expression" | "await_expression" => field(node, "expr").or_else(|| named(node).pop()),
            "prefix_expression" if !is_implicit(node) => field(node, "target"),
            _ => None,
        };
        match inner {
            Some(inner) => node = inner,
            None => return node,
        }
    }
}

/// What a call node calls, the number of arguments, and whether it is a subscript.
pub(super) fn call_parts(node: Node<'_>) -> Option<(Node<'_>, u8, bool)> {
    let callee = operand(field(node, "constructed_type").or_else(|| first(node))?);
    let suffix = child(node, &["call_suffix", "constructor_suffix"])?;
    let list = child(suffix, &["value_arguments"]);
    let subscript = list.is_some_and(|l| has_token(l, "["));
    let lambdas = named(suffix).iter().filter(|n| n.kind() == "lambda_literal").count();
    let args = list.map_or(0, |l| named(l).len()) + lambdas;
    Some((callee, count(args), subscript))
}

fn describe_new<'t>(cx: &mut Cx<'t>, node: Node<'t>, depth: u32) -> ExprId {
    let scope = cx.scope();
    let inner = |cx: &mut Cx<'t>, name: &str| match field(node, name) {
        Some(n) => at_depth(cx, n, depth),
        None => cx.expr(Expr::Unknown),
    };
    let made = match node.kind() {
        "simple_identifier" => match cx.src(node) {
            "Self" => Expr::SelfType { scope },
            text if text.starts_with('$') && !super::closure::is_numbered(text, cx) => Expr::Unknown,
            _ => return cx.name_expr(node),
        },
        "self_expression" => Expr::This { scope },
        "super_expression" => Expr::Super { scope },
        "user_type" | "type_identifier" | "array_type" | "dictionary_type" => {
            let ty = type_expr(cx, node);
            return bare(cx, ty);
        }
        "navigation_expression" => {
            let base = inner(cx, "target");
            return match name_of(node) {
                Some(name) => {
                    let text = cx.src(name);
                    // `Foo.self` is the type itself.
                    if text == "self" {
                        base
                    } else {
                        cx.member_expr(base, text)
                    }
                }
                None => cx.expr(Expr::Unknown),
            };
        }
        "prefix_expression" => match name_of(node) {
            Some(name) => {
                let base = cx.expr(Expr::Unknown);
                let text = cx.src(name);
                return cx.member_expr(base, text);
            }
            None => return inner(cx, "target"),
        },
        "call_expression" | "constructor_expression" => match call_parts(node) {
            Some((callee, args, subscript)) => {
                let whole = first(node).is_some_and(|f| f.kind().ends_with("_expression") && f.id() != callee.id());
                let awaited = first(node).is_some_and(|f| matches!(f.kind(), "try_expression" | "await_expression"));
                if whole && !awaited {
                    // The value of an operation.
                    return cx.expr(Expr::Unknown);
                }
                let callee = at_depth(cx, callee, depth);
                if subscript {
                    Expr::Element { of: callee }
                } else {
                    Expr::Call { callee, args }
                }
            }
            None => Expr::Unknown,
        },
        "postfix_expression" => return inner(cx, "target"),
        "try_expression" | "await_expression" | "consume_expression" | "unsafe_expression" => {
            let of = field(node, "expr").or_else(|| named(node).pop());
            match of {
                Some(of) => return at_depth(cx, of, depth),
                None => Expr::Unknown,
            }
        }
        "directly_assignable_expression" => match first(node) {
            Some(n) => return at_depth(cx, n, depth),
            None => Expr::Unknown,
        },
        "tuple_expression" => match fields(node, "value")[..] {
            [one] => return at_depth(cx, one, depth),
            _ => Expr::Unknown,
        },
        "as_expression" => match field(node, "name") {
            Some(ty) => Expr::Typed { ty: type_expr(cx, ty) },
            None => Expr::Unknown,
        },
        "ternary_expression" => {
            let (a, b) = (inner(cx, "if_true"), inner(cx, "if_false"));
            Expr::Either(a, b)
        }
        "nil_coalescing_expression" => {
            let (a, b) = (inner(cx, "value"), inner(cx, "if_nil"));
            Expr::Either(a, b)
        }
        "array_literal"
        | "dictionary_literal"
        | "check_expression"
        | "comparison_expression"
        | "equality_expression"
        | "conjunction_expression"
        | "disjunction_expression"
        | "range_expression" => Expr::Literal,
        kind if kind.ends_with("_literal") && kind != "lambda_literal" => Expr::Literal,
        _ => Expr::Unknown,
    };
    cx.expr(made)
}

/// The kinds of nodes that are types.
pub(super) const TYPES: &[&str] = &[
    "user_type",
    "optional_type",
    "array_type",
    "dictionary_type",
    "existential_type",
    "opaque_type",
    "function_type",
    "tuple_type",
    "metatype",
    "protocol_composition_type",
    "bracket_qualified_type",
    "suppressed_constraint",
];

/// The type in a node's own fields, if it states one.
pub(super) fn stated<'t>(node: Node<'t>) -> Option<Node<'t>> {
    named(node).into_iter().rfind(|n| TYPES.contains(&n.kind()))
}

/// Describes a type.
pub(super) fn type_expr<'t>(cx: &mut Cx<'t>, node: Node<'t>) -> ExprId {
    type_at(cx, node, 0)
}

fn type_at<'t>(cx: &mut Cx<'t>, node: Node<'t>, depth: u32) -> ExprId {
    if depth > EXPR_DEPTH {
        return cx.expr(Expr::Unknown);
    }
    let scope = cx.scope();
    let last = |cx: &mut Cx<'t>| match stated(node) {
        Some(inner) => type_at(cx, inner, depth + 1),
        None => cx.expr(Expr::Unknown),
    };
    match node.kind() {
        "type_identifier" if cx.src(node) == "Self" => cx.expr(Expr::SelfType { scope }),
        "type_identifier" => cx.name_expr(node),
        "user_type" => {
            let (mut made, mut arguments) = (None, None);
            for part in named(node) {
                match part.kind() {
                    "type_identifier" => {
                        let text = cx.src(part);
                        made = Some(match made {
                            Some(base) => cx.member_expr(base, text),
                            None => type_at(cx, part, depth + 1),
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
            match arguments.and_then(stated) {
                Some(arg) => {
                    let arg = type_at(cx, arg, depth + 1);
                    cx.expr(Expr::Apply { base, arg })
                }
                None => base,
            }
        }
        "optional_type" | "existential_type" | "opaque_type" => last(cx),
        "function_type" => super::closure::function_type(cx, node),
        "tuple_type" => match named(node)[..] {
            // Parentheses around a type.
            [one] => match stated(one) {
                Some(inner) => type_at(cx, inner, depth + 1),
                None => cx.expr(Expr::Unknown),
            },
            _ => cx.expr(Expr::Unknown),
        },
        "array_type" | "dictionary_type" => {
            let inner = last(cx);
            shape(cx, inner)
        }
        "protocol_composition_type" => match first(node) {
            Some(inner) => type_at(cx, inner, depth + 1),
            None => cx.expr(Expr::Unknown),
        },
        _ => cx.expr(Expr::Unknown),
    }
}
