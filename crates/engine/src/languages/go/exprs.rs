//! Value and type expressions as written in the source.
//!
//! Pointers are left out of types: a selector sees through them, so `*T` has the members of `T`. Slices, arrays, maps and
//! channels of `T` are [`Expr::Apply`] of a
//! literal base: they have no members of the tree, their elements do.

use crate::extract::{Cx, EXPR_DEPTH};
use crate::facts::{Expr, ExprId, ScopeKind};
use tree_sitter::Node;

/// The named child at `n`, comments aside.
pub fn child<'t>(node: Node<'t>, n: usize) -> Option<Node<'t>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor)
        .filter(|c| c.kind() != "comment")
        .nth(n)
}

/// The named children, comments aside.
pub fn children<'t>(node: Node<'t>) -> Vec<Node<'t>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor)
        .filter(|c| c.kind() != "comment")
        .collect()
}

/// Types that every file knows without an import.
pub fn is_builtin_type(name: &str) -> bool {
    matches!(
        name,
        "bool"
            | "byte"
            | "complex64"
            | "complex128"
            | "error"
            | "float32"
            | "float64"
            | "int"
            | "int8"
            | "int16"
            | "int32"
            | "int64"
            | "rune"
            | "string"
            | "uint"
            | "uint8"
            | "uint16"
            | "uint32"
            | "uint64"
            | "uintptr"
            | "any"
            | "comparable"
    )
}

/// Number of arguments of a call; 255 when a spread makes it unknown.
pub fn arguments(call: Node<'_>) -> u8 {
    let Some(list) = call.child_by_field_name("arguments") else {
        return 255;
    };
    let all = children(list);
    if all.iter().any(|a| a.kind() == "variadic_argument") {
        return 255;
    }
    // One call as the only argument may stand for several results.
    if all.len() == 1 && all[0].kind() == "call_expression" {
        return 255;
    }
    all.len().min(254) as u8
}

/// The value under parentheses.
pub fn peel(mut node: Node<'_>) -> Node<'_> {
    while node.kind() == "parenthesized_expression" {
        match child(node, 0) {
            Some(c) => node = c,
            None => break,
        }
    }
    node
}

/// Describes a value.
pub fn value<'t>(node: Node<'t>, cx: &mut Cx<'t>) -> ExprId {
    value_at(node, cx, 0)
}

fn value_at<'t>(node: Node<'t>, cx: &mut Cx<'t>, depth: u32) -> ExprId {
    if depth > EXPR_DEPTH {
        return cx.expr(Expr::Unknown);
    }
    if let Some(&known) = cx.described.get(&node.id()) {
        return known;
    }
    let id = describe(node, cx, depth + 1);
    // A description that may have been cut is not kept: a use further in can be described in full.
    if depth < EXPR_DEPTH / 2 && matches!(node.kind(), "selector_expression" | "call_expression" | "identifier") {
        cx.described.insert(node.id(), id);
    }
    id
}

fn describe<'t>(node: Node<'t>, cx: &mut Cx<'t>, depth: u32) -> ExprId {
    match node.kind() {
        "identifier" => match cx.src(node) {
            "true" | "false" | "nil" | "iota" => cx.expr(Expr::Literal),
            _ => cx.name_expr(node),
        },
        "selector_expression" => {
            let (Some(operand), Some(field)) = (node.child_by_field_name("operand"), node.child_by_field_name("field"))
            else {
                return cx.expr(Expr::Unknown);
            };
            let base = value_at(operand, cx, depth);
            let name = cx.src(field);
            cx.member_expr(base, name)
        }
        "call_expression" => call(node, cx, depth),
        "type_conversion_expression" => match node.child_by_field_name("type") {
            // `f[T](x)` reads like a conversion.
            Some(t) if t.kind() == "generic_type" => {
                let callee = type_at(t.child_by_field_name("type").unwrap_or(t), cx, depth);
                cx.expr(Expr::Call { callee, args: 1 })
            }
            Some(t) => {
                let ty = type_at(t, cx, depth);
                cx.expr(Expr::Typed { ty })
            }
            None => cx.expr(Expr::Unknown),
        },
        "composite_literal" => match node.child_by_field_name("type") {
            Some(t) => {
                let ty = type_at(t, cx, depth);
                match t.kind() {
                    "type_identifier" | "qualified_type" | "generic_type" => cx.expr(Expr::New { ty }),
                    _ => cx.expr(Expr::Typed { ty }),
                }
            }
            None => cx.expr(Expr::Unknown),
        },
        "unary_expression" => {
            let operator = node.child_by_field_name("operator").map(|o| o.kind()).unwrap_or("");
            match (operator, node.child_by_field_name("operand")) {
                ("&" | "*", Some(o)) => value_at(o, cx, depth),
                ("<-", Some(o)) => {
                    let of = value_at(o, cx, depth);
                    cx.expr(Expr::Element { of })
                }
                _ => cx.expr(Expr::Literal),
            }
        }
        "index_expression" => match node.child_by_field_name("operand") {
            Some(o) => {
                let of = value_at(o, cx, depth);
                cx.expr(Expr::Element { of })
            }
            None => cx.expr(Expr::Unknown),
        },
        "slice_expression" => match node.child_by_field_name("operand") {
            Some(o) => value_at(o, cx, depth),
            None => cx.expr(Expr::Unknown),
        },
        "type_assertion_expression" => match node.child_by_field_name("type") {
            Some(t) => {
                let ty = type_at(t, cx, depth);
                cx.expr(Expr::Typed { ty })
            }
            None => cx.expr(Expr::Unknown),
        },
        "type_instantiation_expression" => match node.child_by_field_name("type") {
            Some(t) => type_at(t, cx, depth),
            None => cx.expr(Expr::Unknown),
        },
        "func_literal" => function(node, cx, depth),
        "parenthesized_expression" => match child(node, 0) {
            Some(c) => value_at(c, cx, depth),
            None => cx.expr(Expr::Unknown),
        },
        "binary_expression"
        | "int_literal"
        | "float_literal"
        | "imaginary_literal"
        | "rune_literal"
        | "interpreted_string_literal"
        | "raw_string_literal"
        | "true"
        | "false"
        | "nil"
        | "iota" => cx.expr(Expr::Literal),
        // A method expression `(*T).f` has a type where a value stands.
        "pointer_type" | "type_identifier" | "qualified_type" | "generic_type" | "parenthesized_type" => {
            type_at(node, cx, depth)
        }
        _ => cx.expr(Expr::Unknown),
    }
}

fn call<'t>(node: Node<'t>, cx: &mut Cx<'t>, depth: u32) -> ExprId {
    let Some(function) = node.child_by_field_name("function") else {
        return cx.expr(Expr::Unknown);
    };
    let first = node.child_by_field_name("arguments").and_then(|a| child(a, 0));
    if function.kind() == "identifier" {
        match (cx.src(function), first) {
            ("new", Some(t)) => {
                let ty = type_at(t, cx, depth);
                return cx.expr(Expr::New { ty });
            }
            ("make", Some(t)) => {
                let ty = type_at(t, cx, depth);
                return cx.expr(Expr::Typed { ty });
            }
            ("append" | "min" | "max", Some(v)) => return value_at(v, cx, depth),
            ("len" | "cap" | "copy" | "recover" | "real" | "imag", Some(_)) => return cx.expr(Expr::Literal),
            _ => {}
        }
    }
    // What `sync.OnceValue(f)` gives is called as f is.
    if let Some(f) = first
        && f.kind() == "func_literal"
        && matches!(cx.src(function), "sync.OnceFunc" | "sync.OnceValue" | "sync.OnceValues")
    {
        return value_at(f, cx, depth);
    }
    // `(*T)(x)` is a conversion.
    if function.kind() == "parenthesized_expression"
        && let Some(inner) = child(function, 0)
        && inner.kind() == "unary_expression"
    {
        let ty = value_at(inner, cx, depth);
        return cx.expr(Expr::Typed { ty });
    }
    let args = arguments(node);
    // `f[T](x)` reads like a call of an element.
    let operand = match function.kind() {
        "index_expression" => function.child_by_field_name("operand"),
        _ => None,
    };
    let callee = match operand {
        Some(operand) => {
            let of = value_at(operand, cx, depth);
            let element = cx.expr(Expr::Element { of });
            cx.expr(Expr::Either(of, element))
        }
        None => value_at(function, cx, depth),
    };
    cx.expr(Expr::Call { callee, args })
}

/// Describes a type.
pub fn type_of<'t>(node: Node<'t>, cx: &mut Cx<'t>) -> ExprId {
    type_at(node, cx, 0)
}

fn type_at<'t>(node: Node<'t>, cx: &mut Cx<'t>, depth: u32) -> ExprId {
    if depth > EXPR_DEPTH {
        return cx.expr(Expr::Unknown);
    }
    let depth = depth + 1;
    match node.kind() {
        "type_identifier" | "identifier" | "package_identifier" => match cx.src(node) {
            "any" => cx.expr(Expr::Unknown),
            name if is_builtin_type(name) => cx.expr(Expr::Literal),
            _ => cx.name_expr(node),
        },
        "qualified_type" => match (node.child_by_field_name("package"), node.child_by_field_name("name")) {
            (Some(p), Some(n)) => {
                let base = cx.name_expr(p);
                let name = cx.src(n);
                cx.member_expr(base, name)
            }
            _ => cx.expr(Expr::Unknown),
        },
        "pointer_type" | "parenthesized_type" | "negated_type" | "type_elem" | "type_constraint" => {
            match child(node, 0) {
                Some(c) => type_at(c, cx, depth),
                None => cx.expr(Expr::Unknown),
            }
        }
        "generic_type" => {
            let base = match node.child_by_field_name("type") {
                Some(t) => type_at(t, cx, depth),
                None => cx.expr(Expr::Unknown),
            };
            let last = node
                .child_by_field_name("type_arguments")
                .and_then(|a| children(a).last().copied());
            match last {
                Some(a) => {
                    let arg = type_at(a, cx, depth);
                    cx.expr(Expr::Apply { base, arg })
                }
                None => base,
            }
        }
        "slice_type" | "array_type" | "implicit_length_array_type" => {
            applied(node.child_by_field_name("element"), cx, depth)
        }
        "map_type" | "channel_type" => applied(node.child_by_field_name("value"), cx, depth),
        "struct_type" => shape(node, cx, depth),
        "function_type" => function(node, cx, depth),
        _ => cx.expr(Expr::Unknown),
    }
}

/// An anonymous struct: its fields are the names of a scope of its own.
fn shape<'t>(node: Node<'t>, cx: &mut Cx<'t>, depth: u32) -> ExprId {
    if let Some(&known) = cx.described.get(&node.id()) {
        return known;
    }
    let scope = cx.make_scope(ScopeKind::Block, None);
    let list = child(node, 0).filter(|c| c.kind() == "field_declaration_list");
    for field in list.map(children).unwrap_or_default() {
        let Some(t) = field.child_by_field_name("type") else {
            continue;
        };
        let mut cursor = field.walk();
        let names: Vec<Node<'t>> = field.children_by_field_name("name", &mut cursor).collect();
        let named = bare(t);
        let ty = Some(type_at(if names.is_empty() { named } else { t }, cx, depth));
        for name in &names {
            let text = cx.src(*name);
            cx.bind_in(scope, text, 0, ty, None);
        }
        if names.is_empty() {
            let last = named.child_by_field_name("name").unwrap_or(named);
            let text = cx.src(last);
            cx.bind_in(scope, text, 0, ty, ty);
        }
    }
    let id = cx.expr(Expr::Shape { scope });
    cx.described.insert(node.id(), id);
    id
}

/// A function type or literal: what it gives first.
fn function<'t>(node: Node<'t>, cx: &mut Cx<'t>, depth: u32) -> ExprId {
    let result = match node.child_by_field_name("result") {
        Some(list) if list.kind() == "parameter_list" => child(list, 0).and_then(|p| p.child_by_field_name("type")),
        other => other,
    };
    let result = match result {
        Some(t) => type_at(t, cx, depth),
        None => cx.expr(Expr::Literal),
    };
    cx.expr(Expr::Function { result })
}

fn applied<'t>(arg: Option<Node<'t>>, cx: &mut Cx<'t>, depth: u32) -> ExprId {
    let arg = match arg {
        Some(a) => type_at(a, cx, depth),
        None => cx.expr(Expr::Unknown),
    };
    let base = cx.expr(Expr::Literal);
    cx.expr(Expr::Apply { base, arg })
}

/// The type under pointers, parentheses and type arguments: what a receiver or an embedded field is named by.
pub fn bare(mut node: Node<'_>) -> Node<'_> {
    loop {
        let inner = match node.kind() {
            "pointer_type" | "parenthesized_type" | "type_elem" => child(node, 0),
            "generic_type" => node.child_by_field_name("type"),
            _ => None,
        };
        match inner {
            Some(c) => node = c,
            None => return node,
        }
    }
}
