//! C#'s expressions and types as resolution sees them. Nullability is left out: `Foo?` is `Foo`, `x?.f` is `x.f`.

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
    let inner = |cx: &mut Cx<'t>, name: &str| match field(node, name) {
        Some(n) => at_depth(cx, n, depth),
        None => cx.expr(Expr::Unknown),
    };
    let made = match node.kind() {
        "identifier" => return cx.name_expr(node),
        "this" => Expr::This { scope },
        "base" => Expr::Super { scope },
        "generic_name" => match first(node) {
            Some(name) => return cx.name_expr(name),
            None => Expr::Unknown,
        },
        "qualified_name" | "alias_qualified_name" | "nullable_type" | "array_type" => return type_expr(cx, node),
        "member_access_expression" => {
            let base = inner(cx, "expression");
            return member(cx, base, field(node, "name"));
        }
        "conditional_access_expression" => {
            let base = inner(cx, "condition");
            let binding = named(node).pop();
            return match binding.map(|b| b.kind()) {
                Some("member_binding_expression") => member(cx, base, binding.and_then(|b| field(b, "name"))),
                Some("element_binding_expression") => cx.expr(Expr::Element { of: base }),
                _ => cx.expr(Expr::Unknown),
            };
        }
        "invocation_expression" => {
            let callee = inner(cx, "function");
            let args = field(node, "arguments").map_or(255, |a| count(named(a).len()));
            Expr::Call { callee, args }
        }
        "object_creation_expression" => match field(node, "type") {
            Some(ty) => Expr::New { ty: type_expr(cx, ty) },
            None => Expr::Unknown,
        },
        "element_access_expression" => Expr::Element {
            of: inner(cx, "expression"),
        },
        "await_expression" => match first(node) {
            Some(n) => Expr::Unwrap {
                of: at_depth(cx, n, depth),
            },
            None => Expr::Unknown,
        },
        "parenthesized_expression" | "ref_expression" | "postfix_unary_expression" | "checked_expression" => {
            match first(node) {
                Some(n) => return at_depth(cx, n, depth),
                None => Expr::Unknown,
            }
        }
        "cast_expression" | "array_creation_expression" | "default_expression" => match field(node, "type") {
            Some(ty) => Expr::Typed { ty: type_expr(cx, ty) },
            None => Expr::Unknown,
        },
        "as_expression" => match field(node, "right") {
            Some(ty) => Expr::Typed { ty: type_expr(cx, ty) },
            None => Expr::Unknown,
        },
        "conditional_expression" => {
            let (a, b) = (inner(cx, "consequence"), inner(cx, "alternative"));
            Expr::Either(a, b)
        }
        "assignment_expression" => return inner(cx, "right"),
        "binary_expression" => {
            if field(node, "operator").is_none_or(|o| o.kind() != "??") {
                return cx.expr(Expr::Unknown);
            }
            let (a, b) = (inner(cx, "left"), inner(cx, "right"));
            Expr::Either(a, b)
        }
        "predefined_type" | "typeof_expression" | "sizeof_expression" | "is_expression" | "is_pattern_expression" => {
            Expr::Literal
        }
        kind if kind.ends_with("_literal") || kind == "interpolated_string_expression" => Expr::Literal,
        _ => Expr::Unknown,
    };
    cx.expr(made)
}

fn member<'t>(cx: &mut Cx<'t>, base: ExprId, name: Option<Node<'t>>) -> ExprId {
    match name.and_then(name_of) {
        Some(name) => {
            let text = cx.src(name);
            cx.member_expr(base, text)
        }
        None => cx.expr(Expr::Unknown),
    }
}

/// The identifier that an expression or type ends in, without type arguments.
pub(super) fn name_of(node: Node<'_>) -> Option<Node<'_>> {
    let mut node = node;
    loop {
        node = match node.kind() {
            "identifier" => return Some(node),
            "generic_name" => first(node)?,
            "qualified_name" | "alias_qualified_name" | "member_access_expression" | "member_binding_expression" => {
                field(node, "name")?
            }
            "conditional_access_expression" => named(node).pop()?,
            "nullable_type" | "primary_constructor_base_type" => field(node, "type")?,
            "postfix_unary_expression" | "parenthesized_expression" => first(node)?,
            _ => return None,
        };
    }
}

/// Describes a type.
pub(super) fn type_expr<'t>(cx: &mut Cx<'t>, node: Node<'t>) -> ExprId {
    type_at(cx, node, 0)
}

/// Describes a type unless it is `var`.
pub(super) fn stated_type<'t>(cx: &mut Cx<'t>, node: Option<Node<'t>>) -> Option<ExprId> {
    node.filter(|t| t.kind() != "implicit_type").map(|t| type_expr(cx, t))
}

fn type_at<'t>(cx: &mut Cx<'t>, node: Node<'t>, depth: u32) -> ExprId {
    if depth > EXPR_DEPTH {
        return cx.expr(Expr::Unknown);
    }
    let depth = depth + 1;
    match node.kind() {
        "identifier" => cx.name_expr(node),
        "generic_name" => {
            let Some(name) = first(node) else {
                return cx.expr(Expr::Unknown);
            };
            let base = cx.name_expr(name);
            applied(cx, base, node, depth)
        }
        "qualified_name" => {
            let (Some(qualifier), Some(name)) = (field(node, "qualifier"), field(node, "name")) else {
                return cx.expr(Expr::Unknown);
            };
            let described = type_at(cx, qualifier, depth);
            let base = bare(cx, described);
            let made = member(cx, base, Some(name));
            applied(cx, made, name, depth)
        }
        "alias_qualified_name" => {
            let (Some(alias), Some(name)) = (field(node, "alias"), field(node, "name")) else {
                return cx.expr(Expr::Unknown);
            };
            let made = if cx.src(alias) == "global" {
                match name_of(name) {
                    Some(name) => {
                        let name = cx.name(cx.src(name));
                        cx.expr(Expr::Rooted { name })
                    }
                    None => return cx.expr(Expr::Unknown),
                }
            } else {
                let base = cx.name_expr(alias);
                member(cx, base, Some(name))
            };
            applied(cx, made, name, depth)
        }
        "nullable_type" | "ref_type" | "scoped_type" | "primary_constructor_base_type" => match field(node, "type") {
            Some(inner) => type_at(cx, inner, depth),
            None => cx.expr(Expr::Unknown),
        },
        "array_type" | "pointer_type" => match field(node, "type") {
            Some(inner) => {
                let inner = type_at(cx, inner, depth);
                shape(cx, inner)
            }
            None => cx.expr(Expr::Unknown),
        },
        "predefined_type" => cx.expr(Expr::Literal),
        _ => cx.expr(Expr::Unknown),
    }
}

fn applied<'t>(cx: &mut Cx<'t>, base: ExprId, generic: Node<'t>, depth: u32) -> ExprId {
    let last = child(generic, &["type_argument_list"]).and_then(|a| named(a).pop());
    match last {
        Some(last) => {
            let arg = type_at(cx, last, depth);
            cx.expr(Expr::Apply { base, arg })
        }
        None => base,
    }
}
