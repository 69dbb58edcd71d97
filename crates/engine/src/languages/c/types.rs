//! The types and namespaces of C and C++.

use super::declarator::{self, declared_type};
use super::define::{span, template_parameters};
use super::expr::{describe, flatten, last_of, type_expr};
use crate::extract::Cx;
use crate::facts::*;
use crate::languages::common::*;
use tree_sitter::Node;

/// A struct, class, union or enum; without a body it is only named here.
pub(super) fn specifier<'t>(cx: &mut Cx<'t>, node: Node<'t>) {
    let Some(body) = field(node, "body") else {
        // `struct foo;` announces a type and uses none.
        let rest = cx.text.get(node.end_byte()..).unwrap_or("").trim_start();
        if rest.starts_with(';')
            && let Some(name) = field(node, "name")
        {
            done(cx, name);
        }
        return;
    };
    let kind = match node.kind() {
        "class_specifier" => Kind::Class,
        "union_specifier" => Kind::Union,
        "enum_specifier" => Kind::Enum,
        _ => Kind::Struct,
    };
    let ix = match (field(node, "name"), named_by_typedef(cx, node)) {
        (_, Some(ix)) => ix,
        (Some(name), None) => define_type(cx, kind, node, name),
        // Members of a type without a name belong to what is around it.
        (None, None) => return,
    };
    sign(
        cx,
        ix,
        cx.facts.symbols[ix as usize].bytes.0 as usize,
        body.start_byte(),
    );
    let supers = child(node, &["base_class_clause"]).map(named).unwrap_or_default();
    let supers: Vec<_> = supers
        .into_iter()
        .filter_map(|base| {
            let name = last_of(base)?;
            mark_qualified(cx, base);
            done(cx, name);
            let described = type_expr(cx, base)?;
            Some((bare(cx, described), name))
        })
        .collect();
    let outer = cx.scope();
    cx.open_symbol(ix, ScopeKind::Type);
    template_parameters(cx, node);
    for (ty, name) in supers {
        cx.symbol(ix).supers.push(Super { ty, implements: false });
        cx.refer(Role::Inherit, ty, name, 255);
    }
    // The constants of a plain enum are names of the scope around it.
    let scoped = all(node).iter().any(|n| matches!(n.kind(), "class" | "struct"));
    if kind == Kind::Enum && !scoped {
        cx.notes.insert("enum.outer", outer);
        cx.notes.insert("enum.end", node.end_byte() as u32);
    }
}

fn define_type<'t>(cx: &mut Cx<'t>, kind: Kind, node: Node<'t>, name: Node<'t>) -> SymbolIx {
    let (_, parts) = flatten(name);
    let last = parts.last().and_then(|l| last_of(*l)).unwrap_or(name);
    mark_qualified(cx, name);
    done(cx, last);
    done(cx, name);
    let ix = cx.define(kind, node, last);
    if parts.len() > 1 {
        let owner = super::expr::chain(cx, false, &parts[..parts.len() - 1]);
        let own: Vec<&str> = parts[..parts.len() - 1].iter().map(|p| cx.src(*p)).collect();
        let container = own.join(".");
        cx.set_owner(ix, owner, &container);
    }
    span(cx, ix, node);
    let private = in_anonymous_namespace(cx, node);
    flag(
        cx,
        ix,
        if private {
            SymbolFlags::FILE_PRIVATE
        } else {
            SymbolFlags::EXPORTED
        },
    );
    ix
}

/// Says that the qualified names inside a name are no uses of their own.
pub(super) fn mark_qualified<'t>(cx: &mut Cx<'t>, node: Node<'t>) {
    let mut node = node;
    while node.kind() == "qualified_identifier" {
        done(cx, node);
        match fields(node, "name").into_iter().rfind(|n| n.is_named()) {
            Some(inner) => node = inner,
            None => break,
        }
    }
}

fn named_by_typedef(cx: &Cx<'_>, node: Node<'_>) -> Option<SymbolIx> {
    cx.marked(node).filter(|_| field(node, "name").is_none())
}

/// `typedef`: an alias, or the name of a type that has none of its own.
pub(super) fn type_definition<'t>(cx: &mut Cx<'t>, node: Node<'t>) {
    let ty = field(node, "type");
    let own_name = ty.and_then(|t| field(t, "name")).map_or("", |n| cx.src(n));
    let has_body = ty.is_some_and(|t| field(t, "body").is_some());
    let mut opened = None;
    let mut adopted = false;
    for one in fields(node, "declarator") {
        let Some(declared) = declarator::read(one) else {
            continue;
        };
        done(cx, declared.name);
        let name = cx.src(declared.name);
        let plain = declared.shapes == 0 && declared.function.is_none() && !declared.function_pointer;
        if plain && has_body && name == own_name {
            continue;
        }
        if let Some(ty) = ty
            && plain
            && has_body
            && own_name.is_empty()
            && !adopted
        {
            let kind = match ty.kind() {
                "union_specifier" => Kind::Union,
                "enum_specifier" => Kind::Enum,
                _ => Kind::Struct,
            };
            let ix = cx.define(kind, node, declared.name);
            span(cx, ix, node);
            flag(cx, ix, SymbolFlags::EXPORTED);
            cx.mark(ty, ix);
            adopted = true;
            continue;
        }
        let ix = cx.define(Kind::TypeAlias, node, declared.name);
        span(cx, ix, node);
        flag(cx, ix, SymbolFlags::EXPORTED);
        sign(cx, ix, node.start_byte(), node.end_byte());
        let target = match declared.function {
            Some(_) => None,
            None => declared_type(cx, ty, &declared),
        };
        cx.symbol(ix).ty = target;
        opened = opened.or(Some(ix));
    }
    // The uses in a plain alias are its own; a body is that of the type.
    if let Some(ix) = opened.filter(|_| !has_body) {
        cx.open_plain(ix);
    }
}

/// `using X = Y;`, and a concept, which names a set of types.
pub(super) fn alias<'t>(cx: &mut Cx<'t>, node: Node<'t>) {
    let Some(name) = field(node, "name") else { return };
    done(cx, name);
    let ix = cx.define(Kind::TypeAlias, node, name);
    span(cx, ix, node);
    sign(cx, ix, node.start_byte(), node.end_byte());
    flag(cx, ix, SymbolFlags::EXPORTED);
    cx.open_symbol(ix, ScopeKind::Block);
    template_parameters(cx, node);
    let ty = field(node, "type").and_then(|t| type_expr(cx, t));
    cx.symbol(ix).ty = ty;
}

/// A constant of an enum.
pub(super) fn enumerator<'t>(cx: &mut Cx<'t>, node: Node<'t>) {
    let Some(name) = field(node, "name") else { return };
    done(cx, name);
    let ix = cx.define(Kind::Variant, node, name);
    sign(cx, ix, node.start_byte(), node.end_byte());
    doc(cx, ix, node.start_byte());
    flag(cx, ix, SymbolFlags::STATIC);
    let outer = match (cx.notes.get("enum.outer"), cx.notes.get("enum.end")) {
        (Some(&outer), Some(&end)) if (node.end_byte() as u32) < end => Some(outer),
        _ => None,
    };
    if let Some(outer) = outer {
        let id = cx.symbol(ix).name;
        cx.add_binding(outer, id, 0, Bound::Symbol(ix));
        flag(cx, ix, SymbolFlags::EXPORTED);
        cx.symbol(ix).scope = outer;
    }
    cx.open_plain(ix);
    let value = field(node, "value").map(|v| describe(cx, v));
    cx.symbol(ix).value = value;
}

/// A namespace, or several in one: `namespace a::b { … }`.
pub(super) fn namespace<'t>(cx: &mut Cx<'t>, node: Node<'t>) {
    let Some(name) = field(node, "name") else {
        cx.open_scope(ScopeKind::Module);
        let end = node.end_byte() as u32;
        let before = cx.notes.get("anonymous.end").copied().unwrap_or(0);
        cx.notes.insert("anonymous.end", end.max(before));
        return;
    };
    let (_, parts) = flatten(name);
    for part in parts {
        done(cx, part);
        let ix = cx.define(Kind::Namespace, node, part);
        sign(cx, ix, node.start_byte(), name.end_byte());
        doc(cx, ix, node.start_byte());
        flag(cx, ix, SymbolFlags::EXPORTED);
        cx.open_symbol(ix, ScopeKind::Module);
    }
}

/// Whether a node stands in a namespace without a name. The walk goes in source order, so the end tells.
pub(super) fn in_anonymous_namespace(cx: &Cx<'_>, node: Node<'_>) -> bool {
    cx.notes
        .get("anonymous.end")
        .is_some_and(|&end| (node.start_byte() as u32) < end)
}

/// `using namespace a;`, `using a::b;`
pub(super) fn using<'t>(cx: &mut Cx<'t>, node: Node<'t>) {
    let Some(target) = child(node, &["identifier", "qualified_identifier"]) else {
        return;
    };
    let text: String = cx.src(target).split_whitespace().collect();
    if all(node).iter().any(|n| n.kind() == "namespace") {
        cx.import(ImportKind::Star, &text, "", "", node);
        return;
    }
    if let Some((module, name)) = text.rsplit_once("::") {
        cx.import(ImportKind::Name, module, name, name, node);
    }
}

/// `namespace x = a::b;`
pub(super) fn namespace_alias<'t>(cx: &mut Cx<'t>, node: Node<'t>) {
    let Some(name) = field(node, "name") else { return };
    let target = named(node).into_iter().rfind(|n| n.id() != name.id());
    if let Some(target) = target {
        let module: String = cx.src(target).split_whitespace().collect();
        let alias = cx.src(name);
        cx.import(ImportKind::Module, &module, "", alias, node);
    }
}

/// A friend is declared for another scope: its name is no member here.
pub(super) fn friend<'t>(cx: &mut Cx<'t>, node: Node<'t>) {
    let Some(declaration) = child(node, &["declaration"]) else {
        return;
    };
    done(cx, declaration);
    for one in fields(declaration, "declarator") {
        let Some(declared) = declarator::read(one) else {
            continue;
        };
        mark_qualified(cx, declared.name);
        done(cx, declared.name);
        if let Some(last) = last_of(declared.name) {
            done(cx, last);
        }
    }
}
