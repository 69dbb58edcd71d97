//! Use sites: calls, creations, members, constants, attributes, callables written as arrays and strings.

use super::assign;
use super::exprs::{self, argument, count_args, is_path, last, literal};
use super::extract::{DONE, children, describe};
use crate::extract::{Cx, Walk};
use crate::facts::*;
use tree_sitter::Node;

/// `f(…)`; a variable that names a closure is called as well.
pub(super) fn call<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let Some(function) = node.child_by_field_name("function") else {
        return;
    };
    if is_path(function) {
        cx.mark(function, DONE);
        let callee = describe(function, cx);
        let name = last(function);
        cx.refer(call_role(node), callee, name, count_args(node));
        let text = cx.src(name);
        if text == "define" {
            assign::define(node, cx);
        }
        callable_string(text, node, cx);
    } else if function.kind() == "variable_name" && names_closure(function, cx) {
        cx.mark(function, DONE);
        let callee = describe(function, cx);
        refer_variable(Role::Call, callee, function, count_args(node), cx);
    }
}

/// `f(...)` makes a closure of `f` and does not call it.
fn call_role(node: Node<'_>) -> Role {
    let placeholder = node
        .child_by_field_name("arguments")
        .and_then(|a| a.named_child(0))
        .is_some_and(|a| a.kind() == "variadic_placeholder");
    if placeholder { Role::Value } else { Role::Call }
}

fn names_closure(variable: Node<'_>, cx: &mut Cx<'_>) -> bool {
    let name = cx.name_owned(cx.src(variable));
    let mut scope = Some(cx.scope());
    while let Some(id) = scope {
        if let Some(bound) = cx.bound(id, name) {
            return matches!(bound, Bound::Symbol(_));
        }
        scope = cx.facts.scopes[id as usize].parent;
    }
    false
}

/// A use of a closure shows the name without the dollar sign, as its definition does.
fn refer_variable<'t>(role: Role, expr: ExprId, variable: Node<'t>, args: u8, cx: &mut Cx<'t>) {
    let text = cx.src(variable).trim_start_matches('$');
    let (name, line) = (cx.name(text), cx.line(variable));
    cx.refer_named(role, expr, name, line, args);
}

/// `$x->f(…)` and `$x?->f(…)`.
pub(super) fn member_call<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    method_call(node, cx);
}

/// `A::f(…)`.
pub(super) fn scoped_call<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    method_call(node, cx);
}

fn method_call<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let Some(name) = node.child_by_field_name("name").filter(|n| n.kind() == "name") else {
        return;
    };
    cx.mark(name, DONE);
    let id = describe(node, cx);
    if let Expr::Call { callee, args } = cx.facts.exprs[id as usize] {
        cx.refer(call_role(node), callee, name, args);
    }
}

/// `new A(…)`.
pub(super) fn creation<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let Some(&class) = children(node).first() else { return };
    if is_path(class) {
        cx.mark(class, DONE);
        let ty = exprs::path(class, cx);
        cx.refer(Role::New, ty, last(class), count_args(node));
    }
}

/// `$x->name` as a value.
pub(super) fn member<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let Some(name) = node.child_by_field_name("name").filter(|n| n.kind() == "name") else {
        return;
    };
    cx.mark(name, DONE);
    let expr = describe(node, cx);
    cx.refer(Role::Value, expr, name, 255);
}

/// `A::$name`.
pub(super) fn static_property<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let Some(name) = node.child_by_field_name("name").filter(|n| n.kind() == "variable_name") else {
        return;
    };
    cx.mark(name, DONE);
    let expr = describe(node, cx);
    refer_variable(Role::Value, expr, name, 255, cx);
}

/// `A::NAME`; `A::class` uses `A` alone.
pub(super) fn class_constant<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let parts = children(node);
    let [_, name] = parts.as_slice() else { return };
    if name.kind() != "name" {
        return;
    }
    cx.mark(*name, DONE);
    if cx.src(*name) != "class" {
        let expr = describe(node, cx);
        cx.refer(Role::Value, expr, *name, 255);
    }
}

/// A name that nothing around it dealt with: a class or a constant as a value.
pub(super) fn name<'t>(node: Node<'t>, cx: &mut Cx<'t>) -> Walk {
    if cx.marked(node) == Some(DONE) {
        return Walk::Over;
    }
    let text = cx.src(node);
    let own = matches!(text.to_ascii_lowercase().as_str(), "self" | "static" | "parent");
    if !own && !text.starts_with("__") {
        let expr = describe(node, cx);
        cx.refer(Role::Value, expr, last(node), 255);
    }
    Walk::Over
}

/// A variable counts as a use only where it names a closure.
pub(super) fn variable<'t>(node: Node<'t>, cx: &mut Cx<'t>) -> Walk {
    let target = cx.field == Some("left") || cx.field == Some("name");
    if cx.marked(node) != Some(DONE) && !target && names_closure(node, cx) {
        let expr = describe(node, cx);
        refer_variable(Role::Value, expr, node, 255, cx);
    }
    Walk::Over
}

/// `#[Name(…)]`.
pub(super) fn attribute<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    if let Some(&name) = children(node).first().filter(|n| is_path(**n)) {
        cx.mark(name, DONE);
        let expr = exprs::path(name, cx);
        cx.refer(Role::Decorator, expr, last(name), 255);
    }
}

/// `$x instanceof A` uses a type.
pub(super) fn instance_of<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let operator = node.child_by_field_name("operator").map_or("", |o| cx.src(o));
    if operator != "instanceof" {
        return;
    }
    if let Some(right) = node.child_by_field_name("right").filter(|r| is_path(*r)) {
        cx.mark(right, DONE);
        let ty = describe(right, cx);
        if !matches!(cx.facts.exprs[ty as usize], Expr::SelfType { .. } | Expr::Super { .. }) {
            cx.refer(Role::Type, ty, last(right), 255);
        }
    }
}

/// `[$this, 'method']` and `[A::class, 'method']` name a method.
pub(super) fn callable_array<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let parts = children(node);
    let [first, second] = parts.as_slice() else { return };
    let (Some(of), Some(name)) = (first.named_child(0), second.named_child(0)) else {
        return;
    };
    if first.named_child_count() != 1 || second.named_child_count() != 1 {
        return;
    }
    let known = match of.kind() {
        "variable_name" => cx.src(of) == "$this",
        "class_constant_access_expression" => cx.src(of).ends_with("::class"),
        _ => false,
    };
    if !known {
        return;
    }
    if let Some(text) = literal(name, cx).filter(|t| is_name(t)) {
        let base = describe(of, cx);
        let expr = cx.member_expr(base, text);
        let (id, line) = (cx.name(text), cx.line(name));
        cx.refer_named(Role::Value, expr, id, line, 255);
    }
}

fn is_name(text: &str) -> bool {
    !text.is_empty()
        && text.chars().all(|c| c == '_' || c.is_alphanumeric())
        && !text.starts_with(|c: char| c.is_ascii_digit())
}

/// Functions that call what a string names, and where that string stands.
fn callable_string<'t>(name: &str, node: Node<'t>, cx: &mut Cx<'t>) {
    let at = match name {
        "array_map"
        | "call_user_func"
        | "call_user_func_array"
        | "is_callable"
        | "spl_autoload_register"
        | "register_shutdown_function"
        | "set_error_handler"
        | "set_exception_handler"
        | "function_exists"
        | "forward_static_call" => 0,
        "array_filter"
        | "array_walk"
        | "array_reduce"
        | "usort"
        | "uasort"
        | "uksort"
        | "preg_replace_callback"
        | "add_action"
        | "add_filter" => 1,
        _ => return,
    };
    let Some(arg) = argument(node, at) else { return };
    let Some(text) = literal(arg, cx) else { return };
    let (expr, shown) = match text.split_once("::") {
        Some((class, method)) if is_name(method) => {
            let base = exprs::path_of(class, arg.start_byte(), cx);
            (cx.member_expr(base, method), method)
        }
        None if text.split('\\').all(|p| p.is_empty() || is_name(p)) && !text.is_empty() => (
            exprs::path_of(text, arg.start_byte(), cx),
            text.rsplit('\\').next().unwrap_or(text),
        ),
        _ => return,
    };
    let (id, line) = (cx.name(shown), cx.line(arg));
    cx.refer_named(Role::Value, expr, id, line, 255);
}
