//! Declared types.

use super::exprs::{is_path, join, last, path};
use super::extract::{DONE, children};
use crate::extract::{Cx, EXPR_DEPTH};
use crate::facts::{Expr, ExprId, Role};
use tree_sitter::Node;

/// Describes a declared type. `None` when it tells nothing (`array`, `mixed`), so that a doc comment may tell more.
pub(super) fn declared<'t>(node: Option<Node<'t>>, cx: &mut Cx<'t>) -> Option<ExprId> {
    let node = node?;
    if matches!(
        cx.src(node),
        "array" | "iterable" | "mixed" | "object" | "?array" | "callable"
    ) {
        return None;
    }
    Some(type_expr(node, 0, cx))
}

fn type_expr<'t>(node: Node<'t>, depth: u32, cx: &mut Cx<'t>) -> ExprId {
    if depth >= EXPR_DEPTH {
        return cx.expr(Expr::Unknown);
    }
    match node.kind() {
        "named_type" => match children(node).first() {
            Some(&name) => path(name, cx),
            None => cx.expr(Expr::Unknown),
        },
        "primitive_type" => match cx.src(node) {
            "static" | "self" => {
                let scope = cx.scope();
                cx.expr(Expr::SelfType { scope })
            }
            _ => cx.expr(Expr::Literal),
        },
        "optional_type" | "union_type" | "intersection_type" | "disjunctive_normal_form_type" | "type_list" => {
            let mut joined = None;
            for part in children(node).into_iter().take(8) {
                let id = type_expr(part, depth + 1, cx);
                joined = Some(match joined {
                    Some(so_far) => join(so_far, id, cx),
                    None => id,
                });
            }
            joined.unwrap_or_else(|| cx.expr(Expr::Unknown))
        }
        _ => cx.expr(Expr::Unknown),
    }
}

/// The use of a type in a declaration.
pub(super) fn named<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let Some(&name) = children(node).first().filter(|n| is_path(**n)) else {
        return;
    };
    cx.mark(name, DONE);
    let ty = path(name, cx);
    if matches!(cx.facts.exprs[ty as usize], Expr::SelfType { .. } | Expr::Super { .. }) {
        return;
    }
    cx.refer(Role::Type, ty, last(name), 255);
}
