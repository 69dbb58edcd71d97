//! Expressions and names as resolution evaluates them.

use super::extract::children;
use crate::extract::{Cx, EXPR_DEPTH};
use crate::facts::{Expr, ExprId};
use tree_sitter::Node;

/// Describes `node`. Every node is described once; what is nested deeper than the bound is unknown.
pub(super) fn expr<'t>(node: Node<'t>, depth: u32, cx: &mut Cx<'t>) -> ExprId {
    if let Some(&known) = cx.described.get(&node.id()) {
        return known;
    }
    let id = fresh(node, depth, cx);
    cx.described.insert(node.id(), id);
    id
}

fn fresh<'t>(node: Node<'t>, depth: u32, cx: &mut Cx<'t>) -> ExprId {
    if depth >= EXPR_DEPTH {
        return cx.expr(Expr::Unknown);
    }
    let below = depth + 1;
    let field = |name: &str| node.child_by_field_name(name);
    match node.kind() {
        "variable_name" => variable(node, cx),
        "name" | "qualified_name" | "relative_name" | "relative_scope" => path(node, cx),
        "member_access_expression" | "nullsafe_member_access_expression" => {
            member(field("object"), field("name"), below, cx)
        }
        // `Foo::$count` is the property `count`; `$x->$y` names nothing.
        "scoped_property_access_expression" => match (field("scope"), field("name")) {
            (Some(scope), Some(name)) if name.kind() == "variable_name" => {
                let base = expr(scope, below, cx);
                let text = cx.src(name).trim_start_matches('$');
                cx.member_expr(base, text)
            }
            _ => cx.expr(Expr::Unknown),
        },
        "class_constant_access_expression" => {
            let parts = children(node);
            match parts.as_slice() {
                // `Foo::class` is the name of a class; as a value it stands for the class.
                [scope, name] if cx.src(*name) == "class" => expr(*scope, below, cx),
                [scope, name] => member(Some(*scope), Some(*name), below, cx),
                _ => cx.expr(Expr::Unknown),
            }
        }
        "function_call_expression" => match field("function") {
            Some(function) => {
                let callee = expr(function, below, cx);
                call(callee, node, cx)
            }
            None => cx.expr(Expr::Unknown),
        },
        "member_call_expression" | "nullsafe_member_call_expression" => {
            let callee = member(field("object"), field("name"), below, cx);
            call(callee, node, cx)
        }
        "scoped_call_expression" => {
            let callee = member(field("scope"), field("name"), below, cx);
            call(callee, node, cx)
        }
        "object_creation_expression" => match children(node).first() {
            Some(&class) if is_path(class) => {
                let ty = path(class, cx);
                cx.expr(Expr::New { ty })
            }
            Some(&class) if class.kind() == "variable_name" => {
                let ty = variable(class, cx);
                cx.expr(Expr::New { ty })
            }
            _ => cx.expr(Expr::Unknown),
        },
        "subscript_expression" => match children(node).first() {
            Some(&of) => {
                let of = expr(of, below, cx);
                cx.expr(Expr::Element { of })
            }
            None => cx.expr(Expr::Unknown),
        },
        "parenthesized_expression" | "clone_expression" | "error_suppression_expression" | "argument" => {
            match children(node).last() {
                Some(&inner) => expr(inner, below, cx),
                None => cx.expr(Expr::Unknown),
            }
        }
        "assignment_expression" | "augmented_assignment_expression" | "reference_assignment_expression" => {
            match field("right") {
                Some(right) => expr(right, below, cx),
                None => cx.expr(Expr::Unknown),
            }
        }
        "conditional_expression" => match (field("body").or(field("condition")), field("alternative")) {
            (Some(yes), Some(no)) => {
                let (yes, no) = (expr(yes, below, cx), expr(no, below, cx));
                join(yes, no, cx)
            }
            _ => cx.expr(Expr::Unknown),
        },
        "binary_expression" => match (
            field("operator").map_or("", |o| cx.src(o)),
            field("left"),
            field("right"),
        ) {
            ("??", Some(left), Some(right)) => {
                let (left, right) = (expr(left, below, cx), expr(right, below, cx));
                join(left, right, cx)
            }
            _ => cx.expr(Expr::Literal),
        },
        "match_expression" => {
            let arms = field("body").map(|b| children(b)).unwrap_or_default();
            let mut joined = None;
            for arm in arms.into_iter().take(4) {
                let Some(value) = arm.child_by_field_name("return_expression") else {
                    continue;
                };
                let id = expr(value, below, cx);
                joined = Some(match joined {
                    Some(so_far) => join(so_far, id, cx),
                    None => id,
                });
            }
            joined.unwrap_or_else(|| cx.expr(Expr::Unknown))
        }
        "string"
        | "encapsed_string"
        | "heredoc"
        | "nowdoc"
        | "integer"
        | "float"
        | "boolean"
        | "null"
        | "array_creation_expression"
        | "cast_expression"
        | "unary_op_expression" => cx.expr(Expr::Literal),
        _ => cx.expr(Expr::Unknown),
    }
}

fn call(callee: ExprId, node: Node<'_>, cx: &mut Cx<'_>) -> ExprId {
    cx.expr(Expr::Call {
        callee,
        args: count_args(node),
    })
}

fn member<'t>(base: Option<Node<'t>>, name: Option<Node<'t>>, depth: u32, cx: &mut Cx<'t>) -> ExprId {
    let (Some(base), Some(name)) = (base, name) else {
        return cx.expr(Expr::Unknown);
    };
    let base = expr(base, depth, cx);
    match name.kind() {
        "name" => {
            let text = cx.src(name);
            cx.member_expr(base, text)
        }
        _ => cx.expr(Expr::Unknown),
    }
}

/// `$this`, or a variable under its name with the dollar sign.
fn variable<'t>(node: Node<'t>, cx: &mut Cx<'t>) -> ExprId {
    if cx.src(node) == "$this" {
        let scope = cx.scope();
        return cx.expr(Expr::This { scope });
    }
    cx.name_expr(node)
}

/// Whether a node is a name of a class, function or constant.
pub(super) fn is_path(node: Node<'_>) -> bool {
    matches!(
        node.kind(),
        "name" | "qualified_name" | "relative_name" | "relative_scope"
    )
}

/// The last name of a path.
pub(super) fn last<'t>(node: Node<'t>) -> Node<'t> {
    match node.kind() {
        "qualified_name" | "relative_name" => children(node).into_iter().rfind(|n| n.kind() == "name").unwrap_or(node),
        _ => node,
    }
}

/// The chain that a name is: `\A\B` is rooted, `namespace\B` and `A\B` start here, `self` and its like are the own class.
pub(super) fn path<'t>(node: Node<'t>, cx: &mut Cx<'t>) -> ExprId {
    let scope = cx.scope();
    let text = cx.src(node);
    match text.to_ascii_lowercase().as_str() {
        "self" | "static" => return cx.expr(Expr::SelfType { scope }),
        "parent" => return cx.expr(Expr::Super { scope }),
        _ => {}
    }
    path_of(text, node.start_byte(), cx)
}

/// As [`path`], for text: type names in doc comments.
pub(super) fn path_of<'t>(text: &'t str, at: usize, cx: &mut Cx<'t>) -> ExprId {
    let rooted = text.starts_with('\\');
    let mut parts = text.split('\\').map(str::trim).filter(|p| !p.is_empty()).peekable();
    if !rooted && parts.peek().is_some_and(|p| p.eq_ignore_ascii_case("namespace")) && text.contains('\\') {
        parts.next();
    }
    let Some(first) = parts.next() else {
        return cx.expr(Expr::Unknown);
    };
    let mut id = if rooted {
        let name = cx.name(first);
        cx.expr(Expr::Rooted { name })
    } else {
        cx.name_expr_of(first, at)
    };
    for part in parts.take(EXPR_DEPTH as usize) {
        id = cx.member_expr(id, part);
    }
    id
}

/// Either of two, where one that tells nothing gives way.
pub(super) fn join(a: ExprId, b: ExprId, cx: &mut Cx<'_>) -> ExprId {
    let tells = |e: ExprId| !matches!(cx.facts.exprs[e as usize], Expr::Literal | Expr::Unknown);
    match (tells(a), tells(b)) {
        (true, true) => cx.expr(Expr::Either(a, b)),
        (true, false) => a,
        _ => b,
    }
}

/// How many alternatives an expression holds on its left side.
pub(super) fn alternatives(id: ExprId, cx: &Cx<'_>) -> usize {
    let (mut depth, mut id) = (0, id);
    while let Expr::Either(left, _) = cx.facts.exprs[id as usize] {
        depth += 1;
        id = left;
    }
    depth
}

/// Number of arguments of a call, 255 when an unpacking may pass more.
pub(super) fn count_args(node: Node<'_>) -> u8 {
    let list = node
        .child_by_field_name("arguments")
        .or_else(|| children(node).into_iter().find(|n| n.kind() == "arguments"));
    let Some(list) = list else { return 0 };
    let args = children(list);
    let open = |a: &Node<'_>| {
        a.kind() == "variadic_placeholder" || a.named_child(0).is_some_and(|i| i.kind() == "variadic_unpacking")
    };
    if args.iter().any(open) {
        255
    } else {
        args.len().min(254) as u8
    }
}

/// The n-th argument of a call.
pub(super) fn argument<'t>(node: Node<'t>, n: usize) -> Option<Node<'t>> {
    let list = node.child_by_field_name("arguments")?;
    children(*children(list).get(n)?).last().copied()
}

/// The contents of a plain string literal.
pub(super) fn literal<'t>(node: Node<'t>, cx: &Cx<'t>) -> Option<&'t str> {
    if !matches!(node.kind(), "string" | "encapsed_string") {
        return None;
    }
    match children(node).as_slice() {
        [content] if content.kind() == "string_content" => Some(cx.src(*content)),
        _ => None,
    }
}
