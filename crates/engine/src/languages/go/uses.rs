//! Uses: calls, composite literals, values, types.

use super::exprs::{arguments, child, is_builtin_type, peel, type_of, value};
use super::extract::{CLAIMED, EMBEDDED};
use crate::extract::{Cx, Walk};
use crate::facts::{Bound, Expr, ExprId, Role};
use tree_sitter::Node;

fn refer_to<'t>(role: Role, node: Node<'t>, args: u8, cx: &mut Cx<'t>) {
    match node.kind() {
        "identifier" => {
            let expr = value(node, cx);
            cx.refer(role, expr, node, args);
            cx.mark(node, CLAIMED);
        }
        "selector_expression" => {
            let Some(field) = node.child_by_field_name("field") else {
                return;
            };
            let expr = value(node, cx);
            cx.refer(role, expr, field, args);
            cx.mark(node, CLAIMED);
        }
        "type_instantiation_expression" => {
            if let Some(t) = node.child_by_field_name("type") {
                type_use(role, t, args, cx);
            }
        }
        _ => {}
    }
}

/// Functions that every file knows without an import.
fn is_builtin_function(name: &str) -> bool {
    matches!(
        name,
        "append"
            | "cap"
            | "clear"
            | "close"
            | "complex"
            | "copy"
            | "delete"
            | "imag"
            | "len"
            | "make"
            | "max"
            | "min"
            | "new"
            | "panic"
            | "print"
            | "println"
            | "real"
            | "recover"
    )
}

/// `f(…)`, `x.f(…)`, `T(…)`.
pub fn call<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let Some(function) = node.child_by_field_name("function") else {
        return;
    };
    let function = peel(function);
    if function.kind() == "identifier" && is_builtin_type(cx.src(function)) {
        cx.mark(function, CLAIMED);
        return;
    }
    if function.kind() == "identifier"
        && cx.src(function) == "new"
        && let Some(t) = node.child_by_field_name("arguments").and_then(|a| child(a, 0))
        && matches!(t.kind(), "type_identifier" | "qualified_type" | "generic_type")
    {
        cx.mark(function, CLAIMED);
        type_use(Role::New, t, 255, cx);
        return;
    }
    let args = arguments(node);
    // `f[T](x)` reads like a call of an element.
    let named = match function.kind() {
        "index_expression" => function.child_by_field_name("operand").map_or(function, peel),
        _ => function,
    };
    refer_to(Role::Call, named, args, cx);
}

/// `f[T](x)` reads like a conversion to a generic type.
pub fn conversion<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    if let Some(t) = node.child_by_field_name("type").filter(|t| t.kind() == "generic_type") {
        type_use(Role::Call, t, 1, cx);
    }
}

/// `T{…}`.
pub fn composite<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    if let Some(t) = node.child_by_field_name("type") {
        type_use(Role::New, t, 255, cx);
    }
}

/// A use of the type that a node names, and a claim on that name.
fn type_use<'t>(role: Role, node: Node<'t>, args: u8, cx: &mut Cx<'t>) {
    let named = match node.kind() {
        "generic_type" => node.child_by_field_name("type").unwrap_or(node),
        _ => node,
    };
    let last = match named.kind() {
        "type_identifier" | "identifier" => named,
        "qualified_type" => match named.child_by_field_name("name") {
            Some(n) => n,
            None => return,
        },
        _ => return,
    };
    let expr = type_of(named, cx);
    cx.refer(role, expr, last, args);
    cx.mark(named, CLAIMED);
}

/// `x.f` as a value.
pub fn selector<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    if cx.marked(node) != Some(CLAIMED) {
        refer_to(Role::Value, node, 255, cx);
    }
}

/// A name as a value, where it is not the name of a declaration.
pub fn identifier<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    if cx.marked(node) == Some(CLAIMED) {
        return;
    }
    let Some(parent) = cx.parent() else { return };
    let field = cx.field.unwrap_or("");
    let declares = match parent.kind() {
        "function_declaration"
        | "const_spec"
        | "var_spec"
        | "parameter_declaration"
        | "variadic_parameter_declaration"
        | "type_parameter_declaration" => field == "name",
        "expression_list" => cx.marked(parent) == Some(CLAIMED),
        _ => false,
    };
    let text = cx.src(node);
    if declares || matches!(text, "_" | "nil" | "true" | "false" | "iota") || is_builtin_type(text) {
        return;
    }
    if is_builtin_function(text) {
        return;
    }
    if parent.kind() == "literal_element"
        && let Some(expr) = field_of_literal(node, cx)
    {
        cx.refer(Role::Value, expr, node, 255);
        return;
    }
    // The package before a selector is no use of a definition.
    if parent.kind() == "selector_expression" {
        let id = cx.name(text);
        if matches!(cx.bound(0, id), Some(Bound::Import(_))) {
            return;
        }
    }
    let expr = value(node, cx);
    cx.refer(Role::Value, expr, node, 255);
}

/// The key `N` in `T{N: x}` names a field of T, unless the literal is a map or list.
fn field_of_literal<'t>(key: Node<'t>, cx: &mut Cx<'t>) -> Option<ExprId> {
    let mut above = cx.ancestors();
    let element = above.next()?;
    let keyed = above.next().filter(|k| k.kind() == "keyed_element")?;
    if keyed.child_by_field_name("key")?.id() != element.id() {
        return None;
    }
    // Literals inside a list or map leave out their type: it is the element type, as deep as the nesting goes.
    let mut levels = 0u32;
    let mut ty = None;
    for node in above {
        match node.kind() {
            "literal_value" => levels += 1,
            "literal_element" | "keyed_element" => {}
            "composite_literal" => {
                ty = node.child_by_field_name("type");
                break;
            }
            _ => return None,
        }
    }
    let mut ty = ty?;
    for _ in 1..levels {
        ty = match ty.kind() {
            "slice_type" | "array_type" | "implicit_length_array_type" => ty.child_by_field_name("element")?,
            "map_type" => ty.child_by_field_name("value")?,
            _ => return Some(unknown_field(key, cx)),
        };
    }
    match ty.kind() {
        "map_type" | "slice_type" | "array_type" | "implicit_length_array_type" => None,
        _ => {
            let ty = type_of(ty, cx);
            let base = cx.expr(Expr::Typed { ty });
            let name = cx.src(key);
            Some(cx.member_expr(base, name))
        }
    }
}

fn unknown_field<'t>(key: Node<'t>, cx: &mut Cx<'t>) -> ExprId {
    let base = cx.expr(Expr::Unknown);
    let name = cx.src(key);
    cx.member_expr(base, name)
}

/// A named type.
pub fn type_identifier<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    if cx.marked(node) == Some(CLAIMED) {
        return;
    }
    let Some(parent) = cx.parent() else { return };
    if matches!(parent.kind(), "type_spec" | "type_alias") && cx.field == Some("name") {
        return;
    }
    if is_builtin_type(cx.src(node)) {
        return;
    }
    let role = role_of(node, cx);
    let expr = type_of(node, cx);
    cx.refer(role, expr, node, 255);
}

fn role_of(node: Node<'_>, cx: &Cx<'_>) -> Role {
    if cx.marked(node) == Some(EMBEDDED) {
        Role::Inherit
    } else {
        Role::Type
    }
}

/// `pkg.T` as a type.
pub fn qualified<'t>(node: Node<'t>, cx: &mut Cx<'t>) -> Walk {
    if cx.marked(node) != Some(CLAIMED)
        && let Some(name) = node.child_by_field_name("name")
    {
        let role = role_of(node, cx);
        let expr = type_of(node, cx);
        cx.refer(role, expr, name, 255);
    }
    Walk::Over
}
