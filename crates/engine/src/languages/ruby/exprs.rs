//! Expressions as resolution evaluates them.

use super::extract::{children, own};
use crate::extract::{Cx, EXPR_DEPTH};
use crate::facts::{Bound, Expr, ExprId, NameId, ScopeId, ScopeKind};
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
    match node.kind() {
        "identifier" => bare(node, cx),
        "constant" | "class_variable" | "global_variable" => cx.name_expr(node),
        "instance_variable" => {
            let own = own(node, cx);
            let base = cx.expr(own);
            let name = cx.src(node);
            cx.member_expr(base, name)
        }
        "self" => {
            let own = own(node, cx);
            cx.expr(own)
        }
        "scope_resolution" => {
            let name = node.child_by_field_name("name").map_or("", |n| cx.src(n));
            match node.child_by_field_name("scope") {
                Some(scope) => {
                    let base = expr(scope, below, cx);
                    cx.member_expr(base, name)
                }
                None => {
                    let name = cx.name(name);
                    cx.expr(Expr::Rooted { name })
                }
            }
        }
        "call" => call(node, below, cx),
        "element_reference" => match node.child_by_field_name("object") {
            Some(object) => {
                let of = expr(object, below, cx);
                cx.expr(Expr::Element { of })
            }
            None => cx.expr(Expr::Unknown),
        },
        "parenthesized_statements" | "begin" => match children(node).last() {
            Some(&last) => expr(last, below, cx),
            None => cx.expr(Expr::Unknown),
        },
        "argument_list" => match children(node).as_slice() {
            [only] => expr(*only, below, cx),
            _ => cx.expr(Expr::Unknown),
        },
        "assignment" | "operator_assignment" => match node.child_by_field_name("right") {
            Some(right) => expr(right, below, cx),
            None => cx.expr(Expr::Unknown),
        },
        "conditional" => match (
            node.child_by_field_name("consequence"),
            node.child_by_field_name("alternative"),
        ) {
            (Some(yes), Some(no)) => {
                let (yes, no) = (expr(yes, below, cx), expr(no, below, cx));
                join(yes, no, cx)
            }
            _ => cx.expr(Expr::Unknown),
        },
        "binary" => {
            let operator = node.child_by_field_name("operator").map_or("", |o| cx.src(o));
            match (
                operator,
                node.child_by_field_name("left"),
                node.child_by_field_name("right"),
            ) {
                ("||" | "or", Some(left), Some(right)) => {
                    let (left, right) = (expr(left, below, cx), expr(right, below, cx));
                    join(left, right, cx)
                }
                ("&&" | "and", _, Some(right)) => expr(right, below, cx),
                ("==" | "!=" | "<" | ">" | "<=" | ">=" | "=~", ..) => cx.expr(Expr::Literal),
                _ => cx.expr(Expr::Unknown),
            }
        }
        "rescue_modifier" => match node.child_by_field_name("body") {
            Some(body) => expr(body, below, cx),
            None => cx.expr(Expr::Unknown),
        },
        "string" | "integer" | "float" | "true" | "false" | "nil" | "array" | "hash" | "simple_symbol" | "regex"
        | "string_array" | "symbol_array" | "heredoc_beginning" | "range" | "chained_string" | "character" => {
            cx.expr(Expr::Literal)
        }
        _ => cx.expr(Expr::Unknown),
    }
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

/// The scope in which a bare name is a local here: blocks see the locals around them, methods and class bodies do not.
pub(super) fn local_scope(name: NameId, cx: &Cx<'_>) -> Option<ScopeId> {
    let mut scope = Some(cx.scope());
    while let Some(id) = scope {
        if let Some(bound) = cx.bound(id, name) {
            match bound {
                Bound::Local { .. } => return Some(id),
                Bound::Symbol(ix) if is_lambda(ix, cx) => return Some(id),
                _ => {}
            }
        }
        let fact = cx.facts.scopes[id as usize];
        if fact.kind != ScopeKind::Block {
            return None;
        }
        scope = fact.parent;
    }
    None
}

/// A lambda that a local or constant names.
pub(super) fn is_lambda(ix: u32, cx: &Cx<'_>) -> bool {
    let symbol = &cx.facts.symbols[ix as usize];
    symbol.kind == crate::facts::Kind::Function && symbol.flags.has(crate::facts::SymbolFlags::ASSIGNED)
}

/// What a bare name stands for: a local, or the thing that a call without receiver calls.
fn bare<'t>(node: Node<'t>, cx: &mut Cx<'t>) -> ExprId {
    let text = cx.src(node);
    let name = cx.name(text);
    if local_scope(name, cx).is_some() {
        return cx.name_expr(node);
    }
    if text == "new" && is_static(node, cx) {
        let scope = cx.scope();
        let ty = cx.expr(Expr::SelfType { scope });
        return cx.expr(Expr::New { ty });
    }
    let callee = callee_of_bare(node, text, cx);
    cx.expr(Expr::Call { callee, args: 0 })
}

/// The callee of a call without receiver: a member of `self` inside a type, else a name.
pub(super) fn callee_of_bare<'t>(node: Node<'t>, text: &'t str, cx: &mut Cx<'t>) -> ExprId {
    if super::defs::owner_type(cx).is_some() {
        let own = own(node, cx);
        let base = cx.expr(own);
        return cx.member_expr(base, text);
    }
    cx.name_expr_of(text, node.start_byte())
}

/// Number of arguments of a call, 255 when a star may pass more.
pub(super) fn count_args(node: Node<'_>) -> u8 {
    let Some(list) = node.child_by_field_name("arguments") else {
        return 0;
    };
    let args = children(list);
    if args
        .iter()
        .any(|a| matches!(a.kind(), "splat_argument" | "hash_splat_argument" | "forward_argument"))
    {
        return 255;
    }
    args.iter().filter(|a| a.kind() != "block_argument").count().min(254) as u8
}

/// The n-th argument of a call.
pub(super) fn argument<'t>(node: Node<'t>, n: usize) -> Option<Node<'t>> {
    children(node.child_by_field_name("arguments")?).get(n).copied()
}

/// The text of a symbol (`:x`) or a plain string.
pub(super) fn named<'t>(node: Node<'t>, cx: &Cx<'t>) -> Option<&'t str> {
    match node.kind() {
        "simple_symbol" => cx.src(node).strip_prefix(':'),
        "hash_key_symbol" => Some(cx.src(node)),
        "string" | "delimited_symbol" => match children(node).as_slice() {
            [content] if content.kind() == "string_content" => Some(cx.src(*content)),
            _ => None,
        },
        _ => None,
    }
}

/// Whether `node` names a class or module by a constant, or is `self.class`.
pub(super) fn is_class(node: Node<'_>, cx: &Cx<'_>) -> bool {
    match node.kind() {
        "constant" | "scope_resolution" => true,
        "call" => {
            node.child_by_field_name("method").is_some_and(|m| cx.src(m) == "class")
                && node.child_by_field_name("receiver").is_some_and(|r| r.kind() == "self")
        }
        _ => false,
    }
}

fn call<'t>(node: Node<'t>, depth: u32, cx: &mut Cx<'t>) -> ExprId {
    let args = count_args(node);
    let receiver = node.child_by_field_name("receiver");
    let method = node.child_by_field_name("method");
    let name = method.map_or("", |m| cx.src(m));
    let scope = cx.scope();
    match (receiver, name) {
        (None, "super") => {
            let callee = super_callee(cx);
            cx.expr(Expr::Call { callee, args })
        }
        (None, "new") if is_static(node, cx) => {
            let ty = cx.expr(Expr::SelfType { scope });
            cx.expr(Expr::New { ty })
        }
        (None, "") => cx.expr(Expr::Unknown),
        (None, "lambda" | "proc") => cx.expr(Expr::Unknown),
        (None, _) => {
            let callee = match method {
                Some(m) if m.kind() == "constant" => cx.name_expr(m),
                Some(m) => callee_of_bare(m, name, cx),
                None => cx.expr(Expr::Unknown),
            };
            cx.expr(Expr::Call { callee, args })
        }
        (Some(receiver), "class") if receiver.kind() == "self" => {
            // `self` in a class method is the class already.
            cx.expr(Expr::SelfType { scope })
        }
        (Some(receiver), "new") if is_class(receiver, cx) || (receiver.kind() == "self" && is_static(node, cx)) => {
            let ty = expr(receiver, depth, cx);
            cx.expr(Expr::New { ty })
        }
        // These give the receiver again.
        (Some(receiver), "freeze" | "dup" | "clone" | "itself" | "tap" | "to_a" | "sort_by" | "select" | "reject") => {
            expr(receiver, depth, cx)
        }
        (Some(receiver), "" | "call") if receiver.kind() == "identifier" => {
            let callee = expr(receiver, depth, cx);
            cx.expr(Expr::Call { callee, args })
        }
        (Some(receiver), _) => {
            let base = expr(receiver, depth, cx);
            let callee = cx.member_expr(base, name);
            cx.expr(Expr::Call { callee, args })
        }
    }
}

fn is_static(node: Node<'_>, cx: &mut Cx<'_>) -> bool {
    matches!(own(node, cx), Expr::SelfType { .. })
}

/// The method of the same name above the current one.
pub(super) fn super_callee(cx: &mut Cx<'_>) -> ExprId {
    let scope = cx.scope();
    let base = cx.expr(Expr::Super { scope });
    let within = cx.within();
    if within == crate::facts::FILE_SYMBOL {
        return base;
    }
    let name = cx.facts.symbols[within as usize].name;
    cx.expr(Expr::Member { base, name })
}
