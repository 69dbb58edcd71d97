//! Java's expressions and types as resolution sees them.

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

fn describe_new<'t>(cx: &mut Cx<'t>, node: Node<'t>, depth: u32) -> ExprId {
    let scope = cx.scope();
    let made = match node.kind() {
        "identifier" => return cx.name_expr(node),
        "this" => Expr::This { scope },
        "super" => Expr::Super { scope },
        "field_access" | "scoped_identifier" => return access(cx, node, depth),
        "method_invocation" => {
            let Some(name) = field(node, "name") else {
                return cx.expr(Expr::Unknown);
            };
            let text = cx.src(name);
            let callee = match field(node, "object") {
                // `Outer.super.f()` names its base as well.
                Some(_) if child(node, &["super"]).is_some() => {
                    let base = cx.expr(Expr::Super { scope });
                    cx.member_expr(base, text)
                }
                Some(object) => {
                    let base = at_depth(cx, object, depth);
                    cx.member_expr(base, text)
                }
                None => cx.name_expr(name),
            };
            let args = field(node, "arguments").map_or(255, |a| count(named(a).len()));
            Expr::Call { callee, args }
        }
        "object_creation_expression" => match field(node, "type") {
            Some(ty) => Expr::New { ty: type_expr(cx, ty) },
            None => Expr::Unknown,
        },
        "array_access" => match field(node, "array") {
            Some(array) => Expr::Element {
                of: at_depth(cx, array, depth),
            },
            None => Expr::Unknown,
        },
        "array_creation_expression" => match field(node, "type") {
            Some(ty) => {
                let inner = type_expr(cx, ty);
                Expr::Typed { ty: shape(cx, inner) }
            }
            None => Expr::Unknown,
        },
        "parenthesized_expression" => match first(node) {
            Some(inner) => return at_depth(cx, inner, depth),
            None => Expr::Unknown,
        },
        "cast_expression" => match field(node, "type") {
            Some(ty) => Expr::Typed { ty: type_expr(cx, ty) },
            None => Expr::Unknown,
        },
        "assignment_expression" => match field(node, "right") {
            Some(right) => return at_depth(cx, right, depth),
            None => Expr::Unknown,
        },
        "ternary_expression" => match (field(node, "consequence"), field(node, "alternative")) {
            (Some(a), Some(b)) => {
                let (a, b) = (at_depth(cx, a, depth), at_depth(cx, b, depth));
                Expr::Either(a, b)
            }
            _ => Expr::Unknown,
        },
        // Types stand where a method reference or a static call names one.
        "type_identifier" | "scoped_type_identifier" | "generic_type" | "array_type" => return type_expr(cx, node),
        "binary_expression"
        | "unary_expression"
        | "update_expression"
        | "instanceof_expression"
        | "class_literal"
        | "string_literal"
        | "character_literal"
        | "true"
        | "false"
        | "null_literal"
        | "decimal_integer_literal"
        | "hex_integer_literal"
        | "octal_integer_literal"
        | "binary_integer_literal"
        | "decimal_floating_point_literal"
        | "hex_floating_point_literal" => Expr::Literal,
        _ => Expr::Unknown,
    };
    cx.expr(made)
}

fn access<'t>(cx: &mut Cx<'t>, node: Node<'t>, depth: u32) -> ExprId {
    let scope = cx.scope();
    let object = field(node, "object").or_else(|| field(node, "scope"));
    let name = field(node, "field").or_else(|| field(node, "name"));
    let (Some(object), Some(name)) = (object, name) else {
        return cx.expr(Expr::Unknown);
    };
    if name.kind() == "this" {
        // `Outer.this`
        let ty = at_depth(cx, object, depth);
        return cx.expr(Expr::Typed { ty });
    }
    let base = if child(node, &["super"]).is_some() {
        cx.expr(Expr::Super { scope })
    } else {
        at_depth(cx, object, depth)
    };
    let text = cx.src(name);
    cx.member_expr(base, text)
}

/// Describes a type.
pub(super) fn type_expr<'t>(cx: &mut Cx<'t>, node: Node<'t>) -> ExprId {
    type_at(cx, node, 0)
}

fn type_at<'t>(cx: &mut Cx<'t>, node: Node<'t>, depth: u32) -> ExprId {
    if depth > EXPR_DEPTH {
        return cx.expr(Expr::Unknown);
    }
    let depth = depth + 1;
    match node.kind() {
        "type_identifier" | "identifier" => cx.name_expr(node),
        "scoped_type_identifier" => {
            let parts: Vec<_> = named(node)
                .into_iter()
                .filter(|n| !n.kind().ends_with("annotation"))
                .collect();
            let [qualifier, name] = parts[..] else {
                return cx.expr(Expr::Unknown);
            };
            let described = type_at(cx, qualifier, depth);
            let base = bare(cx, described);
            let text = cx.src(name);
            cx.member_expr(base, text)
        }
        "generic_type" => {
            let parts = named(node);
            let Some(&head) = parts.first() else {
                return cx.expr(Expr::Unknown);
            };
            let base = type_at(cx, head, depth);
            let last = parts
                .iter()
                .find(|n| n.kind() == "type_arguments")
                .and_then(|a| named(*a).last().copied());
            match last {
                Some(last) => {
                    let arg = type_at(cx, last, depth);
                    cx.expr(Expr::Apply { base, arg })
                }
                None => base,
            }
        }
        "array_type" => match field(node, "element") {
            Some(element) => {
                let mut inner = type_at(cx, element, depth);
                let rank = field(node, "dimensions").map_or(1, |d| cx.src(d).matches('[').count());
                for _ in 0..rank.min(4) {
                    inner = shape(cx, inner);
                }
                inner
            }
            None => cx.expr(Expr::Unknown),
        },
        "annotated_type" | "wildcard" | "catch_type" => {
            let inner = named(node)
                .into_iter()
                .rfind(|n| !n.kind().ends_with("annotation") && n.kind() != "super");
            match inner {
                Some(inner) => type_at(cx, inner, depth),
                None => cx.expr(Expr::Unknown),
            }
        }
        "integral_type" | "floating_point_type" | "boolean_type" | "void_type" => cx.expr(Expr::Literal),
        _ => cx.expr(Expr::Unknown),
    }
}
