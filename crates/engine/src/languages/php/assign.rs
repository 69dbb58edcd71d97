//! What binds variables: assignments, `foreach`, `catch`, `static`, tests of a type.

use super::exprs::{argument, join, literal};
use super::extract::{BODY, SYMBOL, children, describe};
use super::types;
use crate::extract::Cx;
use crate::facts::*;
use tree_sitter::Node;

/// `$x = …`, `$this->x = …`, `[$a, $b] = …`.
pub(super) fn assignment<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let (Some(left), Some(right)) = (node.child_by_field_name("left"), node.child_by_field_name("right")) else {
        return;
    };
    match left.kind() {
        "variable_name" if matches!(right.kind(), "anonymous_function" | "arrow_function") => {
            named_closure(node, left, right, cx);
        }
        "variable_name" => {
            let value = if node.kind() == "augmented_assignment_expression" {
                let operator = node.child_by_field_name("operator").map_or("", |o| cx.src(o));
                if operator != "??=" {
                    return;
                }
                Some(describe(right, cx))
            } else {
                Some(describe(right, cx))
            };
            let text = cx.src(left);
            let scope = cx.function_scope();
            cx.bind_in(scope, text, node.end_byte(), None, value);
        }
        "list_literal" | "array_creation_expression" => bind_all(left, node.end_byte(), None, cx),
        "member_access_expression" | "scoped_property_access_expression" => {
            let own = left
                .child_by_field_name("object")
                .or(left.child_by_field_name("scope"))
                .is_some_and(|o| matches!(cx.src(o), "$this" | "self" | "static"));
            let name = left
                .child_by_field_name("name")
                .filter(|n| matches!(n.kind(), "name" | "variable_name"));
            if let (true, Some(name), Some(of)) = (own, name, cx.enclosing_type()) {
                if name.kind() == "variable_name" && left.kind() == "member_access_expression" {
                    return;
                }
                let text = cx.src(name).trim_start_matches('$');
                let name = cx.name(text);
                let value = Some(describe(right, cx));
                cx.facts.members.push(Member {
                    of,
                    name,
                    ty: None,
                    value,
                });
            }
        }
        _ => {}
    }
}

/// A closure is named by the variable that it is assigned to.
fn named_closure<'t>(node: Node<'t>, left: Node<'t>, closure: Node<'t>, cx: &mut Cx<'t>) {
    let written = cx.src(left);
    let (name, line) = (cx.name(written.trim_start_matches('$')), cx.line(left));
    let ix = cx.define_unbound(Kind::Function, node, name, line);
    let (scope, variable) = (cx.function_scope(), cx.name(written));
    cx.add_binding(scope, variable, node.end_byte() as u32, Bound::Symbol(ix));
    let header = closure
        .child_by_field_name("return_type")
        .or(closure.child_by_field_name("parameters"));
    cx.sign(ix, node.start_byte(), header.unwrap_or(closure).end_byte());
    cx.symbol(ix).flags.set(SymbolFlags::ASSIGNED);
    cx.mark(closure, SYMBOL + 4 * ix);
    cx.open_plain(ix);
}

/// Binds every variable below a pattern.
fn bind_all<'t>(pattern: Node<'t>, from: usize, value: Option<ExprId>, cx: &mut Cx<'t>) {
    let mut open = vec![pattern];
    let scope = cx.function_scope();
    while let Some(node) = open.pop() {
        match node.kind() {
            "variable_name" => {
                let text = cx.src(node);
                cx.bind_in(scope, text, from, None, value);
            }
            "list_literal" | "array_creation_expression" | "array_element_initializer" | "by_ref" | "pair" => {
                open.extend(children(node).into_iter().rev());
            }
            _ => {}
        }
    }
}

/// `foreach ($xs as $k => $v)`.
pub(super) fn foreach<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let body = node.child_by_field_name("body").map(|b| b.id());
    let parts: Vec<Node<'t>> = children(node).into_iter().filter(|n| Some(n.id()) != body).collect();
    let (Some(&of), Some(&target)) = (parts.first(), parts.get(1)) else {
        return;
    };
    let (key, target) = match target.kind() {
        "pair" => {
            let both = children(target);
            (both.first().copied(), both.last().copied().unwrap_or(target))
        }
        _ => (None, target),
    };
    if let Some(key) = key {
        bind_all(key, target.end_byte(), None, cx);
    }
    let of = describe(of, cx);
    let single = matches!(target.kind(), "variable_name" | "by_ref");
    let value = single.then(|| cx.expr(Expr::Element { of }));
    bind_all(target, target.end_byte(), value, cx);
}

/// `catch (A | B $e)`.
pub(super) fn catch<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let ty = types::declared(node.child_by_field_name("type"), cx);
    if let Some(name) = node.child_by_field_name("name") {
        let text = cx.src(name);
        let scope = cx.function_scope();
        cx.bind_in(scope, text, name.end_byte(), ty, None);
    }
}

/// `static $x = …;`.
pub(super) fn static_variable<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    if let Some(name) = node.child_by_field_name("name") {
        let value = node.child_by_field_name("value").map(|v| describe(v, cx));
        let text = cx.src(name);
        let scope = cx.function_scope();
        cx.bind_in(scope, text, node.end_byte(), None, value);
    }
}

/// Inside `if ($x instanceof T)` the variable is a `T`.
pub(super) fn narrow<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let (Some(condition), Some(body)) = (
        node.child_by_field_name("condition"),
        node.child_by_field_name("body")
            .filter(|b| b.kind() == "compound_statement"),
    ) else {
        return;
    };
    let mut test = condition;
    loop {
        match test.kind() {
            "parenthesized_expression" => match children(test).first() {
                Some(&inner) => test = inner,
                None => return,
            },
            "binary_expression" => {
                let operator = test.child_by_field_name("operator").map_or("", |o| cx.src(o));
                let (Some(left), Some(right)) = (test.child_by_field_name("left"), test.child_by_field_name("right"))
                else {
                    return;
                };
                match operator {
                    "&&" | "and" => test = left,
                    "instanceof" if left.kind() == "variable_name" && super::exprs::is_path(right) => {
                        let ty = describe(right, cx);
                        let scope = cx.make_scope(ScopeKind::Block, None);
                        let text = cx.src(left);
                        cx.bind_in(scope, text, 0, Some(ty), None);
                        cx.mark(body, BODY + 4 * scope);
                        return;
                    }
                    _ => return,
                }
            }
            _ => return,
        }
    }
}

/// `define('NAME', …)` makes a constant.
pub(super) fn define<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let Some(name) = argument(node, 0) else { return };
    let Some(text) = literal(name, cx).filter(|t| t.chars().all(|c| c == '_' || c.is_alphanumeric())) else {
        return;
    };
    let (id, line) = (cx.name(text), cx.line(name));
    let value = argument(node, 1).map(|v| describe(v, cx));
    let ix = cx.define_unbound(Kind::Constant, node, id, line);
    cx.add_binding(0, id, 0, Bound::Symbol(ix));
    cx.sign_to_body(ix, node, None);
    let symbol = cx.symbol(ix);
    symbol.value = value;
    symbol.flags.set(SymbolFlags::EXPORTED);
}

/// Adds what a function gives in one place.
pub(super) fn gives<'t>(ix: SymbolIx, value: Node<'t>, cx: &mut Cx<'t>) {
    let symbol = &cx.facts.symbols[ix as usize];
    if symbol.ty.is_some() || !symbol.kind.is_callable() {
        return;
    }
    let before = symbol.value;
    let new = describe(value, cx);
    let joined = match before {
        None => new,
        Some(old) if super::exprs::alternatives(old, cx) < 3 => join(old, new, cx),
        Some(_) => cx.expr(Expr::Unknown),
    };
    cx.symbol(ix).value = Some(joined);
}
