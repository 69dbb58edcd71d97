//! The expressions and types of C and C++ as resolution sees them.

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
        "identifier" | "field_identifier" | "namespace_identifier" => return cx.name_expr(node),
        "this" => Expr::This { scope },
        "qualified_identifier" => return qualified(cx, node),
        "template_function" | "template_method" => return inner(cx, "name"),
        "dependent_name" => match first(node) {
            Some(n) => return at_depth(cx, n, depth),
            None => Expr::Unknown,
        },
        "field_expression" => {
            let (Some(object), Some(name)) = (field(node, "argument"), field(node, "field")) else {
                return cx.expr(Expr::Unknown);
            };
            let mut base = at_depth(cx, object, depth);
            let arrow = field(node, "operator").is_some_and(|o| o.kind() == "->");
            if arrow && object.kind() != "this" {
                base = cx.expr(Expr::Unwrap { of: base });
            }
            match last_of(name) {
                Some(name) => {
                    let text = cx.src(name);
                    return cx.member_expr(base, text);
                }
                None => Expr::Unknown,
            }
        }
        "call_expression" => return call(cx, node, depth),
        "subscript_expression" => Expr::Element {
            of: inner(cx, "argument"),
        },
        // `&x` is taken for `x`: what it points to is what a member of it names.
        "pointer_expression" => {
            let of = inner(cx, "argument");
            let deref = field(node, "operator").is_some_and(|o| o.kind() == "*");
            if !deref {
                return of;
            }
            Expr::Unwrap { of }
        }
        "parenthesized_expression" => match first(node) {
            Some(n) => return at_depth(cx, n, depth),
            None => Expr::Unknown,
        },
        "cast_expression" => match field(node, "type").and_then(|t| type_expr(cx, t)) {
            Some(ty) => Expr::Typed { ty },
            None => Expr::Unknown,
        },
        "compound_literal_expression" | "new_expression" => match field(node, "type").and_then(|t| type_expr(cx, t)) {
            Some(ty) => Expr::New { ty },
            None => Expr::Unknown,
        },
        "conditional_expression" => {
            let (a, b) = (inner(cx, "consequence"), inner(cx, "alternative"));
            Expr::Either(a, b)
        }
        "assignment_expression" | "comma_expression" => return inner(cx, "right"),
        "co_await_expression" => Expr::Unwrap {
            of: inner(cx, "argument"),
        },
        "number_literal"
        | "string_literal"
        | "char_literal"
        | "true"
        | "false"
        | "null"
        | "concatenated_string"
        | "raw_string_literal"
        | "sizeof_expression"
        | "alignof_expression"
        | "offsetof_expression" => Expr::Literal,
        _ => Expr::Unknown,
    };
    cx.expr(made)
}

/// A call; the casts of C++ and the makers of smart pointers say their type.
fn call<'t>(cx: &mut Cx<'t>, node: Node<'t>, depth: u32) -> ExprId {
    let Some(function) = field(node, "function") else {
        return cx.expr(Expr::Unknown);
    };
    if let Some((name, argument)) = template_call(cx, function) {
        let ty = type_expr(cx, argument);
        let ty = match (name, ty) {
            ("static_cast" | "dynamic_cast" | "reinterpret_cast" | "const_cast", ty) => ty,
            (
                "make_unique" | "make_shared" | "static_pointer_cast" | "dynamic_pointer_cast" | "allocate_shared",
                Some(ty),
            ) => Some(shape(cx, ty)),
            _ => None,
        };
        if let Some(ty) = ty {
            return cx.expr(Expr::Typed { ty });
        }
    }
    let callee = at_depth(cx, function, depth);
    let args = field(node, "arguments").map_or(255, |a| count(named(a).len()));
    cx.expr(Expr::Call { callee, args })
}

/// The name and first type argument of a template function that is called.
fn template_call<'t>(cx: &Cx<'t>, function: Node<'t>) -> Option<(&'t str, Node<'t>)> {
    let (_, parts) = flatten(function);
    let last = *parts.last()?;
    if last.kind() != "template_function" {
        return None;
    }
    let name = cx.src(field(last, "name")?);
    let argument = field(last, "arguments").and_then(first)?;
    Some((name, argument))
}

/// Whether a call is one of the casts of C++, which name no function.
pub(super) fn is_cast(cx: &Cx<'_>, function: Node<'_>) -> bool {
    function.kind() == "template_function"
        && field(function, "name").is_some_and(|n| {
            matches!(
                cx.src(n),
                "static_cast" | "dynamic_cast" | "reinterpret_cast" | "const_cast"
            )
        })
}

/// The node of an expression's last name.
pub(super) fn last_of(node: Node<'_>) -> Option<Node<'_>> {
    let mut node = node;
    loop {
        node = match node.kind() {
            "identifier"
            | "field_identifier"
            | "type_identifier"
            | "namespace_identifier"
            | "destructor_name"
            | "operator_name" => return Some(node),
            "qualified_identifier" => named_part(node)?,
            "template_function" | "template_method" | "template_type" => field(node, "name")?,
            "field_expression" => field(node, "field")?,
            "dependent_name" | "dependent_type" => first(node)?,
            _ => return None,
        };
    }
}

/// The last part of a qualified name; the field holds other things besides.
fn named_part(node: Node<'_>) -> Option<Node<'_>> {
    fields(node, "name").into_iter().rfind(|n| n.is_named())
}

/// A qualified name in its parts, and whether it starts with `::`. Other names are one part.
pub(super) fn flatten(node: Node<'_>) -> (bool, Vec<Node<'_>>) {
    let mut parts = Vec::new();
    let mut rooted = false;
    let mut node = node;
    loop {
        match node.kind() {
            "qualified_identifier" => {
                match field(node, "scope") {
                    Some(scope) => parts.push(scope),
                    None => rooted = parts.is_empty(),
                }
                let Some(inner) = named_part(node) else { break };
                node = inner;
            }
            "nested_namespace_specifier" => {
                let inner = named(node);
                let (Some(&head), Some(&tail)) = (inner.first(), inner.last()) else {
                    break;
                };
                parts.push(head);
                if head.id() == tail.id() {
                    break;
                }
                node = tail;
            }
            _ => {
                parts.push(node);
                break;
            }
        }
    }
    (rooted, parts)
}

/// The chain of a qualified name, type arguments only at its end.
pub(super) fn qualified<'t>(cx: &mut Cx<'t>, node: Node<'t>) -> ExprId {
    let (rooted, parts) = flatten(node);
    chain(cx, rooted, &parts)
}

/// The chain of the parts of a qualified name, without type arguments.
pub(super) fn chain<'t>(cx: &mut Cx<'t>, rooted: bool, parts: &[Node<'t>]) -> ExprId {
    let mut made = None;
    for &part in parts {
        let Some(name) = last_of(part) else {
            return cx.expr(Expr::Unknown);
        };
        let text = cx.src(name);
        made = Some(match made {
            Some(base) => cx.member_expr(base, text),
            None if rooted => {
                let name = cx.name(text);
                cx.expr(Expr::Rooted { name })
            }
            None => cx.name_expr(name),
        });
    }
    match made {
        Some(made) => made,
        None => cx.expr(Expr::Unknown),
    }
}

/// Describes a type; `auto` is none.
pub(super) fn type_expr<'t>(cx: &mut Cx<'t>, node: Node<'t>) -> Option<ExprId> {
    type_at(cx, node, 0)
}

fn type_at<'t>(cx: &mut Cx<'t>, node: Node<'t>, depth: u32) -> Option<ExprId> {
    if depth > EXPR_DEPTH {
        return Some(cx.expr(Expr::Unknown));
    }
    Some(match node.kind() {
        "type_identifier" | "identifier" => cx.name_expr(node),
        "qualified_identifier" => {
            let (rooted, parts) = flatten(node);
            let base = chain(cx, rooted, &parts);
            match parts.last() {
                Some(&last) if last.kind() == "template_type" => apply(cx, base, last, depth),
                _ => base,
            }
        }
        "template_type" => {
            let name = field(node, "name")?;
            let base = cx.name_expr(name);
            apply(cx, base, node, depth)
        }
        "struct_specifier" | "union_specifier" | "class_specifier" | "enum_specifier" => match field(node, "name") {
            Some(name) => return type_at(cx, name, depth + 1),
            None => cx.expr(Expr::Unknown),
        },
        "type_descriptor" => {
            let mut found = type_at(cx, field(node, "type")?, depth + 1)?;
            let mut around = field(node, "declarator");
            let mut steps = 0;
            while let Some(d) = around.filter(|_| steps < 4) {
                if matches!(d.kind(), "abstract_pointer_declarator" | "abstract_array_declarator") {
                    found = shape(cx, found);
                }
                if d.kind() == "abstract_function_declarator" {
                    return Some(cx.expr(Expr::Unknown));
                }
                around = field(d, "declarator");
                steps += 1;
            }
            found
        }
        "dependent_type" => return type_at(cx, first(node)?, depth + 1),
        "primitive_type" | "sized_type_specifier" => cx.expr(Expr::Literal),
        "placeholder_type_specifier" | "auto" => return None,
        _ => cx.expr(Expr::Unknown),
    })
}

/// The standard library adds allocators and comparers behind the argument that matters.
fn apply<'t>(cx: &mut Cx<'t>, base: ExprId, template: Node<'t>, depth: u32) -> ExprId {
    let arguments = field(template, "arguments").map(named).unwrap_or_default();
    let types: Vec<_> = arguments
        .into_iter()
        .filter(|n| n.kind() == "type_descriptor")
        .collect();
    let name = field(template, "name").map_or("", |n| cx.src(n));
    let which = if name.ends_with("map") {
        types.get(1)
    } else if ["ptr", "vector", "set", "list", "deque", "array", "span"]
        .iter()
        .any(|end| name.ends_with(end))
    {
        types.first()
    } else {
        types.last()
    };
    match which.and_then(|&t| type_at(cx, t, depth + 1)) {
        Some(arg) => cx.expr(Expr::Apply { base, arg }),
        None => base,
    }
}
