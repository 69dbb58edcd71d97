//! Use sites: calls, indexed names, plain names.

use super::assign;
use super::exprs::{add_import, arguments, count, is_receiver, required};
use super::extract::{DONE, describe};
use crate::extract::Cx;
use crate::facts::{ImportKind, Role};
use tree_sitter::Node;

/// A call uses what it names.
pub(super) fn call<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let Some(function) = node.child_by_field_name("name") else {
        return;
    };
    if let Some(module) = required(node, cx) {
        cx.mark(function, DONE);
        if cx.marked(node) == Some(DONE) || cx.described.contains_key(&node.id()) {
            return;
        }
        // As a statement it takes the file in; inside an expression its value is used.
        if cx.parent().is_some_and(|p| matches!(p.kind(), "chunk" | "block")) {
            add_import(ImportKind::Include, module, "", "", node, cx);
        } else {
            describe(node, cx);
        }
        return;
    }
    let args = count(&arguments(node));
    match function.kind() {
        "identifier" => {
            cx.mark(function, DONE);
            let callee = describe(function, cx);
            cx.refer(Role::Call, callee, function, args);
            match cx.src(function) {
                "setmetatable" => assign::metatable(node, cx),
                "pcall" | "xpcall" => assign::protected_require(node, cx),
                _ => {}
            }
        }
        "dot_index_expression" | "method_index_expression" => {
            cx.mark(function, DONE);
            let last = function
                .child_by_field_name("field")
                .or(function.child_by_field_name("method"));
            if let Some(last) = last {
                cx.mark(last, DONE);
                let callee = describe(function, cx);
                cx.refer(Role::Call, callee, last, args);
            }
        }
        _ => {}
    }
}

/// `M.x` as a value.
pub(super) fn index<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let Some(field) = node.child_by_field_name("field") else {
        return;
    };
    cx.mark(field, DONE);
    if cx.marked(node) != Some(DONE) {
        let expr = describe(node, cx);
        cx.refer(Role::Value, expr, field, 255);
    }
}

/// A name that nothing around it dealt with.
pub(super) fn identifier<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    if cx.marked(node) == Some(DONE) || is_receiver(node, cx) {
        return;
    }
    let expr = describe(node, cx);
    cx.refer(Role::Value, expr, node, 255);
}
