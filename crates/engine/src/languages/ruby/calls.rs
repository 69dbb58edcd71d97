//! Use sites: calls with and without parentheses, constants, `super`.

use super::exprs::{self, argument, count_args, is_class, local_scope, named};
use super::extract::{DONE, children, describe, in_method};
use super::macros;
use crate::extract::Cx;
use crate::facts::*;
use tree_sitter::Node;

/// A call with a receiver, arguments or a block.
pub(super) fn call<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let receiver = node.child_by_field_name("receiver");
    let Some(method) = node.child_by_field_name("method") else {
        // `f.(x)` calls `f`.
        if let Some(receiver) = receiver {
            call_of_value(receiver, node, cx);
        }
        return;
    };
    cx.mark(method, DONE);
    if cx.marked(node) == Some(DONE) {
        return;
    }
    let name = cx.src(method);
    let args = count_args(node);
    if let Some(block) = node.child_by_field_name("arguments") {
        block_argument(block, receiver, cx);
    }
    let Some(receiver) = receiver else {
        if method.kind() == "super" {
            zsuper(method, cx);
            return;
        }
        if macros::bare(name, node, cx) {
            return;
        }
        if name == "new" {
            let scope = cx.scope();
            let id = describe(node, cx);
            if matches!(cx.facts.exprs[id as usize], Expr::New { .. }) {
                let ty = cx.expr(Expr::SelfType { scope });
                cx.refer(Role::New, ty, method, args);
                return;
            }
        }
        let callee = match method.kind() {
            "constant" => cx.name_expr(method),
            _ => {
                let id = cx.name(name);
                match local_scope(id, cx) {
                    Some(_) if node.child_by_field_name("arguments").is_none() => return,
                    _ => exprs::callee_of_bare(method, name, cx),
                }
            }
        };
        cx.refer(Role::Call, callee, method, args);
        return;
    };
    match name {
        "new" if is_class(receiver, cx) => {
            let ty = describe(receiver, cx);
            cx.mark(receiver, DONE);
            let shown = receiver.child_by_field_name("name").unwrap_or(receiver);
            let shown = if receiver.kind() == "call" { method } else { shown };
            cx.refer(Role::New, ty, shown, args);
            return;
        }
        "call" if call_of_value(receiver, node, cx) => return,
        "class" if receiver.kind() == "self" => return,
        "send" | "public_send" | "__send__" | "method" | "instance_method" | "respond_to?" | "try" => {
            by_symbol(receiver, node, cx);
        }
        _ => {}
    }
    let base = describe(receiver, cx);
    let callee = cx.member_expr(base, name);
    cx.refer(Role::Call, callee, method, args);
}

/// `f.call(x)` and `f.(x)` where `f` is a local or constant that names a lambda.
fn call_of_value<'t>(receiver: Node<'t>, node: Node<'t>, cx: &mut Cx<'t>) -> bool {
    if !matches!(receiver.kind(), "identifier" | "constant") {
        return false;
    }
    let text = cx.src(receiver);
    let id = cx.name(text);
    let lambda = bound_around(id, cx).is_some_and(|b| matches!(b, Bound::Symbol(ix) if exprs::is_lambda(ix, cx)));
    if lambda {
        let expr = cx.name_expr(receiver);
        cx.mark(receiver, DONE);
        cx.refer(Role::Call, expr, receiver, count_args(node));
    }
    lambda
}

fn bound_around(name: NameId, cx: &Cx<'_>) -> Option<Bound> {
    let mut scope = Some(cx.scope());
    while let Some(id) = scope {
        if let Some(bound) = cx.bound(id, name) {
            return Some(bound);
        }
        scope = cx.facts.scopes[id as usize].parent;
    }
    None
}

/// `xs.map(&:name)` uses `name` of the elements, `map(&method(:f))` is a call of its own.
fn block_argument<'t>(arguments: Node<'t>, receiver: Option<Node<'t>>, cx: &mut Cx<'t>) {
    let Some(block) = children(arguments).into_iter().rfind(|a| a.kind() == "block_argument") else {
        return;
    };
    if let Some(symbol) = block.named_child(0).filter(|s| s.kind() == "simple_symbol")
        && let Some(text) = named(symbol, cx)
    {
        let base = match receiver {
            Some(receiver) => {
                let of = describe(receiver, cx);
                cx.expr(Expr::Element { of })
            }
            None => cx.expr(Expr::Unknown),
        };
        let expr = cx.member_expr(base, text);
        let (name, line) = (cx.name(text), cx.line(symbol));
        cx.refer_named(Role::Call, expr, name, line, 0);
    }
}

/// `x.send(:name)`: a use of the named method.
fn by_symbol<'t>(receiver: Node<'t>, node: Node<'t>, cx: &mut Cx<'t>) {
    if let Some(symbol) = argument(node, 0)
        && let Some(text) = named(symbol, cx)
        && is_method_name(text)
    {
        let base = describe(receiver, cx);
        let expr = cx.member_expr(base, text);
        let (name, line) = (cx.name(text), cx.line(symbol));
        cx.refer_named(Role::Value, expr, name, line, 255);
    }
}

/// Whether a text can be the name of a method.
pub(super) fn is_method_name(text: &str) -> bool {
    let plain = text.trim_end_matches(['?', '!', '=']);
    !plain.is_empty()
        && plain.chars().all(|c| c == '_' || c.is_alphanumeric())
        && !plain.starts_with(|c: char| c.is_ascii_digit())
}

/// A bare name that is no local is a call.
pub(super) fn identifier<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let text = cx.src(node);
    let id = cx.name(text);
    match local_scope(id, cx) {
        Some(scope) => {
            if matches!(cx.bound(scope, id), Some(Bound::Symbol(_))) {
                let expr = cx.name_expr(node);
                cx.refer(Role::Value, expr, node, 255);
            }
        }
        None if macros::word(text, node, cx) => {}
        None => {
            if text == "new"
                && let made = describe(node, cx)
                && let Expr::New { ty } = cx.facts.exprs[made as usize]
            {
                cx.refer(Role::New, ty, node, 0);
                return;
            }
            let callee = exprs::callee_of_bare(node, text, cx);
            cx.refer(Role::Call, callee, node, 0);
        }
    }
}

/// A constant, or the end of `A::B`.
pub(super) fn constant<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let name = node.child_by_field_name("name");
    if let Some(name) = name {
        cx.mark(name, DONE);
    }
    let expr = describe(node, cx);
    cx.refer(Role::Value, expr, name.unwrap_or(node), 255);
}

/// `super`: the method of the same name above.
pub(super) fn zsuper<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let within = cx.within();
    if within == FILE_SYMBOL || !in_method(cx) {
        return;
    }
    let callee = exprs::super_callee(cx);
    let name = cx.facts.symbols[within as usize].name;
    let line = cx.line(node);
    cx.refer_named(Role::Call, callee, name, line, 255);
}
