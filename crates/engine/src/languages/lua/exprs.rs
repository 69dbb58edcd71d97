//! Expressions as resolution evaluates them.

use super::extract::children;
use crate::extract::{Cx, EXPR_DEPTH};
use crate::facts::{Bound, Expr, ExprId, ImportKind, Kind, NameId, SymbolIx};
use tree_sitter::Node;

/// Note: until this byte, `self` is the receiver of the enclosing method.
pub(super) const SELF_UNTIL: &str = "self until";

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
        "identifier" => {
            if is_receiver(node, cx) {
                let scope = cx.scope();
                return cx.expr(Expr::This { scope });
            }
            cx.name_expr(node)
        }
        "dot_index_expression" | "method_index_expression" => {
            let (Some(table), Some(name)) = (field("table"), field("field").or(field("method"))) else {
                return cx.expr(Expr::Unknown);
            };
            let base = expr(table, below, cx);
            let name = cx.src(name);
            cx.member_expr(base, name)
        }
        "bracket_index_expression" => match (field("table"), field("field")) {
            (Some(table), Some(key)) => {
                let of = expr(table, below, cx);
                match literal(key, cx) {
                    Some(name) => cx.member_expr(of, name),
                    None => cx.expr(Expr::Element { of }),
                }
            }
            _ => cx.expr(Expr::Unknown),
        },
        "function_call" => call(node, below, cx),
        "parenthesized_expression" => match children(node).first() {
            Some(&inner) => expr(inner, below, cx),
            None => cx.expr(Expr::Unknown),
        },
        "binary_expression" => {
            let operator = field("left").and_then(|l| l.next_sibling()).map_or("", |o| cx.src(o));
            match (operator, field("left"), field("right")) {
                ("or", Some(left), Some(right)) => {
                    let (left, right) = (expr(left, below, cx), expr(right, below, cx));
                    join(left, right, cx)
                }
                ("and", _, Some(right)) => expr(right, below, cx),
                _ => cx.expr(Expr::Literal),
            }
        }
        "string" | "number" | "nil" | "true" | "false" | "table_constructor" | "unary_expression" => {
            cx.expr(Expr::Literal)
        }
        _ => cx.expr(Expr::Unknown),
    }
}

/// Whether `self` here is the receiver of the enclosing method and not a local of that name.
pub(super) fn is_receiver(node: Node<'_>, cx: &mut Cx<'_>) -> bool {
    if cx.src(node) != "self" || cx.notes.get(SELF_UNTIL).is_none_or(|&u| node.start_byte() as u32 >= u) {
        return false;
    }
    let name = cx.name_owned("self");
    bound_around(name, cx).is_none()
}

/// What a name was last bound to, in the innermost scope that has it.
pub(super) fn bound_around(name: NameId, cx: &Cx<'_>) -> Option<Bound> {
    let mut scope = Some(cx.scope());
    while let Some(id) = scope {
        if let Some(bound) = cx.bound(id, name) {
            return Some(bound);
        }
        scope = cx.facts.scopes[id as usize].parent;
    }
    None
}

/// The table of this file that a plain name stands for.
pub(super) fn table_of(node: Node<'_>, cx: &mut Cx<'_>) -> Option<SymbolIx> {
    if node.kind() != "identifier" {
        return None;
    }
    let name = cx.name_owned(cx.src(node));
    match bound_around(name, cx)? {
        Bound::Symbol(ix) if cx.facts.symbols[ix as usize].kind == Kind::Object => Some(ix),
        _ => None,
    }
}

/// The arguments of a call; `f "x"` and `f { … }` have one.
pub(super) fn arguments<'t>(node: Node<'t>) -> Vec<Node<'t>> {
    node.child_by_field_name("arguments")
        .map(|a| children(a))
        .unwrap_or_default()
}

/// The contents of a plain string.
pub(super) fn literal<'t>(node: Node<'t>, cx: &Cx<'t>) -> Option<&'t str> {
    let content = (node.kind() == "string")
        .then(|| node.child_by_field_name("content"))
        .flatten()?;
    Some(cx.src(content))
}

/// The module that `require "m"` names.
pub(super) fn required<'t>(node: Node<'t>, cx: &Cx<'t>) -> Option<&'t str> {
    if node.kind() != "function_call" {
        return None;
    }
    let name = node.child_by_field_name("name")?;
    if cx.src(name) != "require" {
        return None;
    }
    match arguments(node).as_slice() {
        [only] => literal(*only, cx).filter(|m| !m.is_empty()),
        _ => None,
    }
}

/// Adds the import of a `require`; what it shows is the last part of the module's name.
pub(super) fn add_import<'t>(kind: ImportKind, module: &str, name: &str, alias: &str, node: Node<'t>, cx: &mut Cx<'t>) {
    cx.import(kind, module, name, alias, node);
    if name.is_empty() {
        let last = module.rsplit(['.', '/']).next().unwrap_or(module);
        let last = cx.name_owned(last);
        if let Some(added) = cx.facts.refs.last_mut() {
            added.name = last;
        }
    }
}

fn call<'t>(node: Node<'t>, depth: u32, cx: &mut Cx<'t>) -> ExprId {
    if let Some(module) = required(node, cx) {
        // A module that nothing is named after is bound under a name that no source can write.
        let hidden = format!("require {module}");
        add_import(ImportKind::Module, module, "", &hidden, node, cx);
        let (name, scope) = (cx.name_owned(&hidden), cx.scope());
        return cx.expr(Expr::Name {
            name,
            scope,
            at: node.end_byte() as u32,
        });
    }
    let Some(function) = node.child_by_field_name("name") else {
        return cx.expr(Expr::Unknown);
    };
    let args = arguments(node);
    if cx.src(function) == "setmetatable"
        && let Some(&meta) = args.get(1)
    {
        // An object of the class that its metatable is, or whose `__index` the metatable names.
        let class = match meta.kind() {
            "table_constructor" => index_field(meta, cx),
            _ => Some(meta),
        };
        return match class {
            Some(class) => {
                let ty = expr(class, depth, cx);
                cx.expr(Expr::New { ty })
            }
            None => cx.expr(Expr::Unknown),
        };
    }
    let callee = expr(function, depth, cx);
    cx.expr(Expr::Call {
        callee,
        args: count(&args),
    })
}

/// Number of arguments, 255 when `...` or a call at the end may pass more.
pub(super) fn count(args: &[Node<'_>]) -> u8 {
    match args.last() {
        Some(last) if matches!(last.kind(), "vararg_expression" | "function_call") => 255,
        _ => args.len().min(254) as u8,
    }
}

/// The value of `__index` in a table.
pub(super) fn index_field<'t>(table: Node<'t>, cx: &Cx<'t>) -> Option<Node<'t>> {
    children(table)
        .into_iter()
        .find(|f| f.child_by_field_name("name").is_some_and(|n| cx.src(n) == "__index"))
        .and_then(|f| f.child_by_field_name("value"))
        .filter(|v| matches!(v.kind(), "identifier" | "dot_index_expression"))
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
