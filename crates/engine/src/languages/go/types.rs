//! Named types: structs with their fields, interfaces with their methods, and the rest.

use super::define::{self, finish, span_of};
use super::exprs::{bare, child, children, type_of};
use super::extract::{EMBEDDED, NAMED};
use crate::extract::Cx;
use crate::facts::{Kind, Member, ScopeKind, Super, SymbolFlags};
use tree_sitter::Node;

/// `type T …`.
pub fn named<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let (Some(name), Some(ty)) = (node.child_by_field_name("name"), node.child_by_field_name("type")) else {
        return;
    };
    let kind = match (node.kind(), ty.kind()) {
        ("type_spec", "struct_type") => Kind::Struct,
        ("type_spec", "interface_type") => Kind::Interface,
        _ => Kind::TypeAlias,
    };
    let span = span_of(node, cx);
    let ix = cx.define(kind, span, name);
    let body = match kind {
        Kind::Struct => child(ty, 0).filter(|c| c.kind() == "field_declaration_list"),
        Kind::Interface => child(ty, 0),
        _ => None,
    };
    finish(
        ix,
        span,
        body.filter(|b| b.start_position().row > span.start_position().row || kind == Kind::Struct),
        cx,
    );
    // Type parameters are seen by members, which a type's own scope does not show them.
    cx.open_scope(ScopeKind::Block);
    define::type_parameters(node, cx);
    cx.open_symbol(ix, ScopeKind::Type);
    if kind == Kind::TypeAlias && !matches!(ty.kind(), "function_type" | "struct_type" | "interface_type") {
        let target = type_of(ty, cx);
        cx.symbol(ix).ty = Some(target);
    }
}

/// Whether the struct type being walked is a named definition's.
fn in_named_struct(cx: &Cx<'_>) -> bool {
    for above in cx.ancestors() {
        match above.kind() {
            "field_declaration_list" | "struct_type" | "slice_type" | "array_type" | "pointer_type" | "map_type" => {}
            "type_spec" | "type_alias" => return true,
            "field_declaration" => return cx.marked(above) == Some(NAMED),
            "var_spec" => return cx.within() != crate::facts::FILE_SYMBOL && !cx.in_callable(),
            _ => return false,
        }
    }
    false
}

/// A field, or an embedded type.
pub fn field<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let Some(ty) = node.child_by_field_name("type") else {
        return;
    };
    if !in_named_struct(cx) {
        return;
    }
    cx.mark(node, NAMED);
    let mut cursor = node.walk();
    let names: Vec<Node<'t>> = node.children_by_field_name("name", &mut cursor).collect();
    if names.is_empty() {
        embed(ty, cx);
        return;
    }
    // The fields of a struct that stands here are definitions inside this one.
    let described = (bare(ty).kind() != "struct_type").then(|| type_of(ty, cx));
    let single = names.len() == 1;
    for name in names {
        let text = cx.src(name);
        let (id, line) = (cx.name(text), cx.line(name));
        let ix = cx.define_unbound(Kind::Field, node, id, line);
        finish(ix, node, None, cx);
        cx.symbol(ix).ty = described;
        if single {
            cx.open_plain(ix);
        }
    }
}

/// An embedded type hands on its members, and is a field of its own name.
fn embed<'t>(ty: Node<'t>, cx: &mut Cx<'t>) {
    let named = bare(ty);
    let described = type_of(named, cx);
    let of = cx.within();
    cx.symbol(of).supers.push(Super {
        ty: described,
        implements: false,
    });
    cx.mark(named, EMBEDDED);
    let last = match named.kind() {
        "qualified_type" => named.child_by_field_name("name").unwrap_or(named),
        _ => named,
    };
    let text = cx.src(last);
    let name = cx.name(text);
    cx.facts.members.push(Member {
        of,
        name,
        ty: Some(described),
        value: None,
    });
}

/// A method of an interface.
pub fn interface_method<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let Some(name) = node.child_by_field_name("name") else {
        return;
    };
    let named = cx
        .ancestors()
        .nth(1)
        .is_some_and(|n| matches!(n.kind(), "type_spec" | "type_alias"));
    if !named {
        cx.open_scope(ScopeKind::Function);
        return;
    }
    let text = cx.src(name);
    let (id, line) = (cx.name(text), cx.line(name));
    let ix = cx.define_unbound(Kind::Method, node, id, line);
    finish(ix, node, None, cx);
    let params = define::count(node);
    define::results(ix, node, cx);
    let s = cx.symbol(ix);
    s.params = params;
    s.flags.set(SymbolFlags::DECLARATION);
    cx.open_symbol(ix, ScopeKind::Function);
}

/// An interface inside an interface; a union of types is a constraint and nothing is inherited from it.
pub fn embedded_interface<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let mut above = cx.ancestors();
    let in_type = above.next().is_some_and(|p| p.kind() == "interface_type")
        && above.next().is_some_and(|p| p.kind() == "type_spec");
    drop(above);
    let parts = children(node);
    if !in_type || parts.len() != 1 {
        return;
    }
    let named = bare(parts[0]);
    if !matches!(named.kind(), "type_identifier" | "qualified_type") {
        return;
    }
    let ty = type_of(named, cx);
    let of = cx.within();
    cx.symbol(of).supers.push(Super { ty, implements: false });
    cx.mark(named, EMBEDDED);
}
