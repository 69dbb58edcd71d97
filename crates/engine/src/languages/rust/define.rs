//! Functions, methods and closures, and what all definitions share.

use super::attributes;
use super::exprs::{children, element, plain, type_of};
use super::patterns;
use crate::extract::Cx;
use crate::facts::{Expr, ExprId, Kind, Params, ScopeKind, SymbolFlags, SymbolIx};
use tree_sitter::Node;

const COMMENTS: &[&str] = &["line_comment", "block_comment"];

/// Fills in what the source around an item says: attributes, signature, doc comment, visibility.
pub fn finish<'t>(ix: SymbolIx, item: Node<'t>, body: Option<Node<'t>>, cx: &mut Cx<'t>) {
    let above = attributes::above(item, cx);
    cx.sign_head(ix, item.start_byte(), item.end_byte(), body);
    if let Some(first) = above.first {
        let start = cx.line(first);
        let s = cx.symbol(ix);
        s.start = start;
        s.bytes.0 = first.start_byte() as u32;
    }
    let documented = cx.document_above(ix, above.first.unwrap_or(item), COMMENTS);
    if !documented && above.first.is_some() {
        cx.document_above(ix, item, COMMENTS);
    }
    let parent = cx.facts.symbols[ix as usize].parent;
    let inside_test = parent.is_some_and(|p| cx.facts.symbols[p as usize].flags.has(SymbolFlags::TEST));
    let exported = is_public(item, cx);
    let flags = &mut cx.symbol(ix).flags;
    if above.test || inside_test {
        flags.set(SymbolFlags::TEST);
    }
    if exported {
        flags.set(SymbolFlags::EXPORTED);
    }
}

/// Whether an item is `pub` without a restriction.
pub fn is_public<'t>(item: Node<'t>, cx: &Cx<'t>) -> bool {
    visibility(item, cx) == Some("pub")
}

/// The visibility of an item as written.
pub fn visibility<'t>(item: Node<'t>, cx: &Cx<'t>) -> Option<&'t str> {
    let first = children(item).into_iter().find(|c| c.kind() == "visibility_modifier")?;
    Some(cx.src(first))
}

/// What the item being entered stands in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Place<'t> {
    /// An `impl` block.
    Impl(Node<'t>),
    /// A trait.
    Trait,
    /// Anything else.
    Free,
}

/// Where the item being entered stands.
pub fn place<'t>(cx: &Cx<'t>) -> Place<'t> {
    let mut above = cx.ancestors();
    match (above.next(), above.next()) {
        (Some(list), Some(holder)) if list.kind() == "declaration_list" => match holder.kind() {
            "impl_item" => Place::Impl(holder),
            "trait_item" => Place::Trait,
            _ => Place::Free,
        },
        _ => Place::Free,
    }
}

/// Defines an item: bound where it stands if it is free, a member otherwise.
pub fn define<'t>(kind: Kind, item: Node<'t>, name: Node<'t>, cx: &mut Cx<'t>) -> SymbolIx {
    let text = plain(cx, name);
    let (id, line) = (cx.name(text), cx.line(name));
    match place(cx) {
        Place::Free => cx.define_named(kind, item, id, line),
        Place::Trait => cx.define_unbound(kind, item, id, line),
        Place::Impl(block) => {
            let ix = cx.define_unbound(kind, item, id, line);
            if let Some(&owner) = cx.described.get(&block.id()) {
                let named = block
                    .child_by_field_name("type")
                    .map_or("", |t| super::exprs::bare(t, cx));
                let container = match cx.facts.symbols[ix as usize].parent {
                    Some(p) => format!("{}.{named}", cx.facts.qualified(p)),
                    None => named.to_owned(),
                };
                cx.set_owner(ix, owner, &container);
            }
            ix
        }
    }
}

/// A function, a method, an associated function; with or without body.
pub fn function<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let Some(name) = node.child_by_field_name("name") else {
        return;
    };
    let has_self = node
        .child_by_field_name("parameters")
        .is_some_and(|p| takes_self(p, cx));
    let free = place(cx) == Place::Free;
    let kind = if free { Kind::Function } else { Kind::Method };
    let ix = define(kind, node, name, cx);
    let body = node.child_by_field_name("body");
    finish(ix, node, body, cx);
    let mut flags = 0;
    if !free && !has_self {
        flags |= SymbolFlags::STATIC;
    }
    if body.is_none() {
        flags |= SymbolFlags::DECLARATION;
    }
    if is_async(node, cx) {
        flags |= SymbolFlags::ASYNC;
    }
    if free && cx.src(name) == "main" && cx.facts.symbols[ix as usize].parent.is_none() {
        flags |= SymbolFlags::ENTRY;
    }
    let params = count(node, cx);
    let s = cx.symbol(ix);
    s.flags.set(flags);
    s.params = params;
    cx.open_symbol(ix, ScopeKind::Function);
    generics(node, cx);
    bind_parameters(node, cx);
    let ty = node.child_by_field_name("return_type").map(|t| type_of(t, cx));
    cx.symbol(ix).ty = ty;
}

fn is_async<'t>(function: Node<'t>, cx: &Cx<'t>) -> bool {
    children(function)
        .iter()
        .find(|c| c.kind() == "function_modifiers")
        .is_some_and(|m| cx.src(*m).split_whitespace().any(|w| w == "async"))
}

fn takes_self<'t>(parameters: Node<'t>, cx: &Cx<'t>) -> bool {
    children(parameters).first().is_some_and(|p| {
        p.kind() == "self_parameter" || p.child_by_field_name("pattern").is_some_and(|n| cx.src(n) == "self")
    })
}

fn count<'t>(function: Node<'t>, cx: &Cx<'t>) -> Params {
    let Some(list) = function.child_by_field_name("parameters") else {
        return Params { min: 0, max: 255 };
    };
    let all = children(list);
    let own = usize::from(takes_self(list, cx));
    let variadic = all.iter().any(|p| p.kind() == "variadic_parameter");
    let n = (all.len() - own.min(all.len())).min(254) as u8;
    Params {
        min: n,
        max: if variadic { 255 } else { n },
    }
}

fn bind_parameters<'t>(function: Node<'t>, cx: &mut Cx<'t>) {
    let Some(list) = function.child_by_field_name("parameters") else {
        return;
    };
    for p in children(list) {
        if p.kind() != "parameter" {
            continue;
        }
        let (Some(pattern), Some(ty)) = (p.child_by_field_name("pattern"), p.child_by_field_name("type")) else {
            continue;
        };
        if pattern.kind() == "self" {
            continue;
        }
        let ty = type_of(ty, cx);
        patterns::bind(pattern, Some(ty), None, 0, cx);
    }
}

/// Binds the type parameters of an item in the current scope, each with the traits that bound it.
pub fn generics<'t>(item: Node<'t>, cx: &mut Cx<'t>) {
    let Some(list) = item.child_by_field_name("type_parameters") else {
        return;
    };
    let clauses: Vec<Node<'t>> = children(item)
        .into_iter()
        .filter(|c| c.kind() == "where_clause")
        .flat_map(children)
        .collect();
    for parameter in children(list) {
        let Some(name) = parameter.child_by_field_name("name") else {
            continue;
        };
        if parameter.kind() == "lifetime_parameter" {
            continue;
        }
        if parameter.kind() == "const_parameter" {
            let text = plain(cx, name);
            cx.bind(text, 0, None, None);
            continue;
        }
        let mut bounds: Vec<Node<'t>> = parameter
            .child_by_field_name("bounds")
            .map(children)
            .unwrap_or_default();
        for clause in &clauses {
            let left = clause.child_by_field_name("left");
            if left.is_some_and(|l| cx.src(l) == cx.src(name))
                && let Some(more) = clause.child_by_field_name("bounds")
            {
                bounds.extend(children(more));
            }
        }
        let ty = bound_type(&bounds, cx);
        let text = plain(cx, name);
        cx.bind(text, 0, ty, None);
    }
}

/// The type that bounds give: one of the traits.
pub fn bound_type<'t>(bounds: &[Node<'t>], cx: &mut Cx<'t>) -> Option<ExprId> {
    let mut all: Option<ExprId> = None;
    for bound in bounds.iter().take(8) {
        if matches!(bound.kind(), "lifetime" | "removed_trait_bound" | "use_bounds") {
            continue;
        }
        let one = type_of(*bound, cx);
        all = Some(match all {
            Some(before) => cx.expr(Expr::Either(before, one)),
            None => one,
        });
    }
    all
}

/// `|x| …`: its parameters are elements when an iterator's method takes it.
pub fn closure<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let given = given_by_call(cx);
    cx.open_scope(ScopeKind::Function);
    let Some(list) = node.child_by_field_name("parameters") else {
        return;
    };
    for (n, p) in children(list).into_iter().enumerate() {
        let value = match given {
            Some((places, what)) if places.contains(&n) => Some(what),
            _ => None,
        };
        if p.kind() == "parameter" {
            let ty = p.child_by_field_name("type").map(|t| type_of(t, cx));
            if let Some(pattern) = p.child_by_field_name("pattern") {
                patterns::bind(pattern, ty, value, 0, cx);
            }
        } else {
            patterns::bind(p, None, value, 0, cx);
        }
    }
}

fn given_by_call<'t>(cx: &mut Cx<'t>) -> Option<(&'static [usize], ExprId)> {
    let mut above = cx.ancestors();
    let (list, call) = (above.next()?, above.next()?);
    drop(above);
    if list.kind() != "arguments" || call.kind() != "call_expression" {
        return None;
    }
    let function = call.child_by_field_name("function")?;
    let receiver = function.child_by_field_name("value")?;
    let name = function.child_by_field_name("field")?;
    let places: &[usize] = match cx.src(name) {
        "map"
        | "for_each"
        | "try_for_each"
        | "filter"
        | "find"
        | "any"
        | "all"
        | "position"
        | "filter_map"
        | "flat_map"
        | "and_then"
        | "take_while"
        | "skip_while"
        | "map_or"
        | "map_or_else"
        | "is_some_and"
        | "is_ok_and"
        | "partition"
        | "retain"
        | "find_map"
        | "max_by_key"
        | "min_by_key"
        | "sort_by_key"
        | "sort_unstable_by_key"
        | "sort_by_cached_key"
        | "is_none_or"
        | "inspect"
        | "map_while"
        | "partition_in_place"
        | "group_by"
        | "chunk_by" => &[0],
        "fold" | "try_fold" | "scan" => &[1],
        "sort_by" | "sort_unstable_by" | "max_by" | "min_by" | "dedup_by" | "reduce" | "is_sorted_by" => &[0, 1],
        _ => return None,
    };
    Some((places, element(receiver, cx)))
}
