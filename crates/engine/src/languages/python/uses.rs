//! Use sites: calls, values, types, and the names in `match` patterns.

use super::exprs;
use super::extract::{DONE, children, describe, plain_role};
use crate::extract::{Cx, Walk};
use crate::facts::{Expr, ImportKind, Role};
use tree_sitter::Node;

/// A call: the use of its callee.
pub(super) fn call<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let Some(function) = node.child_by_field_name("function") else {
        return;
    };
    // A decorator with arguments was dealt with as a decorator.
    if cx.marked(node) == Some(DONE) {
        return;
    }
    let args = exprs::count_args(node);
    match function.kind() {
        "identifier" => {
            cx.mark(function, DONE);
            let text = cx.src(function);
            if text == "super" {
                return;
            }
            let callee = describe(function, cx);
            cx.refer(Role::Call, callee, function, args);
            special(text, node, cx);
        }
        "attribute" => {
            cx.mark(function, DONE);
            let callee = describe(function, cx);
            if let Some(name) = function.child_by_field_name("attribute") {
                cx.mark(name, DONE);
                cx.refer(Role::Call, callee, name, args);
                special(cx.src(name), node, cx);
            }
        }
        // `type(self)(…)` makes an instance of the own class.
        "call" => {
            let callee = describe(function, cx);
            if matches!(cx.facts.exprs[callee as usize], Expr::SelfType { .. })
                && let Some(name) = function.child_by_field_name("function")
            {
                cx.refer(Role::Call, callee, name, args);
            }
        }
        _ => {}
    }
}

/// Calls whose arguments name something: `getattr(x, "name")`, `import_module("a.b")`, `cast("T", x)`.
fn special<'t>(name: &str, node: Node<'t>, cx: &mut Cx<'t>) {
    match name {
        "getattr" | "hasattr" | "setattr" => {
            if let (Some(of), Some(key)) = (exprs::argument(node, 0), exprs::argument(node, 1))
                && let Some(text) = exprs::literal(key, cx)
                && text.chars().all(|c| c == '_' || c.is_alphanumeric())
            {
                let base = describe(of, cx);
                let expr = cx.member_expr(base, text);
                let (id, line) = (cx.name(text), cx.line(key));
                cx.refer_named(Role::Value, expr, id, line, 255);
            }
        }
        "import_module" | "__import__" => {
            if let Some(module) = exprs::argument(node, 0)
                && let Some(text) = exprs::literal(module, cx)
                && !text.is_empty()
            {
                cx.import(ImportKind::Module, text, "", "", module);
            }
        }
        "cast" => {
            if let (Some(ty), Some(_)) = (exprs::argument(node, 0), exprs::argument(node, 1)) {
                super::types::until(ty, cx);
            }
        }
        _ => {}
    }
}

/// `a.b`, when it is not the callee of a call: a use of `b`.
pub(super) fn attribute<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let Some(name) = node.child_by_field_name("attribute") else {
        return;
    };
    cx.mark(name, DONE);
    if cx.marked(node) == Some(DONE) {
        return;
    }
    let expr = describe(node, cx);
    let role = plain_role(node, cx);
    cx.refer(role, expr, name, 255);
}

/// A name, when nothing around it dealt with it.
pub(super) fn identifier<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    if cx.marked(node) == Some(DONE) {
        return;
    }
    let text = cx.src(node);
    if exprs::is_receiver(node, text, cx) {
        return;
    }
    let expr = describe(node, cx);
    let role = plain_role(node, cx);
    cx.refer(role, expr, node, 255);
}

/// `case Foo(…)` names a type.
pub(super) fn case_class<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    if let Some(name) = children(node).first().copied().filter(|n| n.kind() == "dotted_name") {
        let expr = dotted(name, cx);
        if let Some(last) = children(name).last() {
            cx.refer(Role::Type, expr, *last, 255);
        }
        cx.mark(name, DONE);
    }
}

/// `case name` binds it, `case a.B` compares with it.
pub(super) fn case_name<'t>(node: Node<'t>, cx: &mut Cx<'t>) -> Walk {
    if cx.marked(node) == Some(DONE) {
        return Walk::Over;
    }
    let parts = children(node);
    match parts.as_slice() {
        [single] => {
            let scope = cx.function_scope();
            let text = cx.src(*single);
            cx.bind_in(scope, text, node.start_byte(), None, None);
        }
        [.., last] => {
            let expr = dotted(node, cx);
            cx.refer(Role::Value, expr, *last, 255);
        }
        [] => {}
    }
    Walk::Over
}

/// `case Foo(key=…)`: the key is an attribute of the matched type.
pub(super) fn case_keyword<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let parts = children(node);
    if let Some(key) = parts.first() {
        cx.mark(*key, DONE);
    }
    if let Some(bound) = parts.get(1).filter(|n| n.kind() == "identifier") {
        bind_capture(*bound, cx);
    }
    if let Some(class) = parts.get(1).filter(|n| n.kind() == "class_pattern") {
        // Its name is walked as the class pattern's own.
        cx.mark(*class, 0);
    }
}

/// `case [a, *rest]`, `case {**rest}`.
pub(super) fn case_splat<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    if let Some(name) = node.named_child(0) {
        bind_capture(name, cx);
    }
}

fn bind_capture<'t>(name: Node<'t>, cx: &mut Cx<'t>) {
    cx.mark(name, DONE);
    let scope = cx.function_scope();
    let text = cx.src(name);
    cx.bind_in(scope, text, name.start_byte(), None, None);
}

/// The chain that a dotted name of a pattern is.
pub(super) fn dotted<'t>(node: Node<'t>, cx: &mut Cx<'t>) -> u32 {
    let parts = children(node);
    let Some((&first, rest)) = parts.split_first() else {
        return cx.expr(Expr::Unknown);
    };
    let mut expr = cx.name_expr(first);
    for &part in rest {
        let text = cx.src(part);
        expr = cx.member_expr(expr, text);
    }
    expr
}
