//! Uses: calls, struct literals, values, types.

use super::exprs::{arguments, is_upper, plain, type_of, value};
use super::extract::{CLAIMED, IMPLEMENT, INHERIT};
use super::patterns::{self, described};
use crate::extract::Cx;
use crate::facts::Role;
use tree_sitter::Node;

/// States a use of a name, path or field and claims its node.
fn refer_to<'t>(role: Role, node: Node<'t>, args: u8, cx: &mut Cx<'t>) {
    let last = match node.kind() {
        "identifier" => Some(node),
        "scoped_identifier" => node.child_by_field_name("name"),
        "field_expression" => node
            .child_by_field_name("field")
            .filter(|f| f.kind() == "field_identifier"),
        "generic_function" => {
            if let Some(function) = node.child_by_field_name("function") {
                refer_to(role, function, args, cx);
            }
            return;
        }
        _ => return,
    };
    let Some(last) = last else { return };
    if node.kind() == "identifier" && matches!(cx.src(node), "Some" | "None" | "Ok" | "Err") {
        cx.mark(node, CLAIMED);
        return;
    }
    let expr = value(node, cx);
    let text = plain(cx, last);
    let (name, line) = (cx.name(text), cx.line(last));
    cx.refer_named(role, expr, name, line, args);
    cx.mark(node, CLAIMED);
}

/// `f(…)`, `a::f(…)`, `x.f(…)`, `f::<T>(…)`.
pub fn call<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    if let Some(function) = node.child_by_field_name("function") {
        let args = arguments(node);
        refer_to(Role::Call, function, args, cx);
        patterns::collected(node, function, cx);
    }
}

/// `x.f` as a value.
pub fn field<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    if cx.marked(node) != Some(CLAIMED) {
        refer_to(Role::Value, node, 255, cx);
    }
}

/// A path as a value or in a pattern. The path inside a path is no use of its own, except of a type.
pub fn scoped<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let inner = cx.field == Some("path");
    if inner {
        type_prefix(node, cx);
        return;
    }
    if cx.marked(node) == Some(CLAIMED) {
        return;
    }
    let Some(parent) = cx.parent() else { return };
    let role = match parent.kind() {
        "tuple_struct_pattern" | "generic_type" => Role::Type,
        _ => Role::Value,
    };
    refer_to(role, node, 255, cx);
}

/// `T` in `T::f` is a use of the type T; modules in front are not.
fn type_prefix<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let last = node.child_by_field_name("name").unwrap_or(node);
    let text = plain(cx, last);
    if is_upper(text) && text != "Self" {
        let expr = value(node, cx);
        cx.refer(Role::Type, expr, last, 255);
    }
}

/// A name as a value, where it is not the name of a declaration.
pub fn identifier<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    if cx.marked(node) == Some(CLAIMED) {
        return;
    }
    let Some(parent) = cx.parent() else { return };
    let field = cx.field.unwrap_or("");
    match parent.kind() {
        "scoped_identifier" | "scoped_type_identifier" => {
            if field == "path" {
                type_prefix(node, cx);
            }
            return;
        }
        "generic_type" | "tuple_struct_pattern" if field == "type" => {
            let text = cx.src(node);
            if matches!(text, "Some" | "None" | "Ok" | "Err") {
                return;
            }
            let expr = value(node, cx);
            cx.refer(Role::Type, expr, node, 255);
            return;
        }
        "label"
        | "lifetime"
        | "macro_invocation"
        | "fragment_specifier"
        | "visibility_modifier"
        | "macro_definition" => {
            return;
        }
        _ if field == "name" => return,
        _ => {}
    }
    let text = cx.src(node);
    if matches!(text, "Some" | "None" | "Ok" | "Err" | "_") {
        return;
    }
    let expr = value(node, cx);
    let text = plain(cx, node);
    let (name, line) = (cx.name(text), cx.line(node));
    cx.refer_named(Role::Value, expr, name, line, 255);
}

fn role_of(node: Node<'_>, cx: &Cx<'_>) -> Role {
    match cx.marked(node) {
        Some(INHERIT) => Role::Inherit,
        Some(IMPLEMENT) => Role::Implement,
        _ => Role::Type,
    }
}

/// A named type.
pub fn type_identifier<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let Some(parent) = cx.parent() else { return };
    if cx.field == Some("name") || cx.marked(node) == Some(CLAIMED) || cx.src(node) == "Self" {
        return;
    }
    if matches!(parent.kind(), "scoped_type_identifier") {
        return;
    }
    let role = role_of(node, cx);
    let expr = type_of(node, cx);
    cx.refer(role, expr, node, 255);
}

/// `a::T` as a type.
pub fn scoped_type<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    if cx.marked(node) == Some(CLAIMED) {
        return;
    }
    if let Some(name) = node.child_by_field_name("name") {
        let role = role_of(node, cx);
        let expr = type_of(node, cx);
        cx.refer(role, expr, name, 255);
    }
}

/// `T { … }`.
pub fn struct_expression<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let Some(mut named) = node.child_by_field_name("name") else {
        return;
    };
    if named.kind() == "generic_type_with_turbofish" {
        named = named.child_by_field_name("type").unwrap_or(named);
    }
    let last = named.child_by_field_name("name").unwrap_or(named);
    let expr = type_of(named, cx);
    cx.refer(Role::New, expr, last, 255);
    cx.mark(named, CLAIMED);
}

/// `f: x` in a struct literal uses the field f.
pub fn field_initializer<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let Some(name) = node
        .child_by_field_name("field")
        .filter(|f| f.kind() == "field_identifier")
    else {
        return;
    };
    let named = cx
        .ancestors()
        .nth(1)
        .filter(|s| s.kind() == "struct_expression")
        .and_then(|s| s.child_by_field_name("name"));
    field_use(named, name, cx);
}

/// `f: p` in a struct pattern uses the field f.
pub fn field_pattern<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let named = cx.parent().and_then(|p| p.child_by_field_name("type"));
    if let Some(name) = node.child_by_field_name("name") {
        field_use(named, name, cx);
    }
}

fn field_use<'t>(named: Option<Node<'t>>, name: Node<'t>, cx: &mut Cx<'t>) {
    let Some(mut named) = named else { return };
    if named.kind() == "generic_type_with_turbofish" {
        named = named.child_by_field_name("type").unwrap_or(named);
    }
    let base = described(named, cx);
    let text = plain(cx, name);
    let expr = cx.member_expr(base, text);
    let (id, line) = (cx.name(text), cx.line(name));
    cx.refer_named(Role::Value, expr, id, line, 255);
}
