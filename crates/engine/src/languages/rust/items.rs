//! Types, traits, `impl` blocks, modules, constants and macros.

use super::attributes;
use super::define::{Place, bound_type, define, finish, generics, place, visibility};
use super::exprs::{children, plain, type_of, value};
use super::extract::{IMPLEMENT, INHERIT};
use crate::extract::{Cx, Walk};
use crate::facts::{Export, Impl, ImportKind, Kind, Member, ScopeKind, Super, SymbolFlags, SymbolIx};
use tree_sitter::Node;

/// Opens a type: its parameters are seen by its members, which a type's own scope does not show them.
fn open_type<'t>(ix: SymbolIx, item: Node<'t>, cx: &mut Cx<'t>) {
    cx.open_scope(ScopeKind::Block);
    generics(item, cx);
    cx.open_symbol(ix, ScopeKind::Type);
}

/// `struct` and `union`.
pub fn structure<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let Some(name) = node.child_by_field_name("name") else {
        return;
    };
    let kind = if node.kind() == "union_item" {
        Kind::Union
    } else {
        Kind::Struct
    };
    let ix = define(kind, node, name, cx);
    let body = node.child_by_field_name("body");
    finish(ix, node, body.filter(|b| b.kind() == "field_declaration_list"), cx);
    open_type(ix, node, cx);
    if let Some(body) = body {
        places(ix, body, cx);
    }
}

/// The fields of a tuple struct or variant are members `0`, `1`, ….
fn places<'t>(ix: SymbolIx, body: Node<'t>, cx: &mut Cx<'t>) {
    if body.kind() != "ordered_field_declaration_list" {
        return;
    }
    let mut cursor = body.walk();
    let types: Vec<Node<'t>> = body.children_by_field_name("type", &mut cursor).collect();
    for (n, ty) in types.into_iter().enumerate() {
        let ty = type_of(ty, cx);
        let name = cx.name_owned(&n.to_string());
        cx.facts.members.push(Member {
            of: ix,
            name,
            ty: Some(ty),
            value: None,
        });
    }
}

/// `enum`.
pub fn enumeration<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let Some(name) = node.child_by_field_name("name") else {
        return;
    };
    let ix = define(Kind::Enum, node, name, cx);
    finish(ix, node, node.child_by_field_name("body"), cx);
    open_type(ix, node, cx);
}

/// A variant of an enum.
pub fn variant<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let Some(name) = node.child_by_field_name("name") else {
        return;
    };
    let text = plain(cx, name);
    let (id, line) = (cx.name(text), cx.line(name));
    let ix = cx.define_unbound(Kind::Variant, node, id, line);
    let body = node.child_by_field_name("body");
    finish(ix, node, body.filter(|b| b.kind() == "field_declaration_list"), cx);
    if let Some(body) = body {
        places(ix, body, cx);
    }
    cx.open_plain(ix);
}

/// A named field.
pub fn field<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let (Some(name), Some(ty)) = (node.child_by_field_name("name"), node.child_by_field_name("type")) else {
        return;
    };
    let text = plain(cx, name);
    let (id, line) = (cx.name(text), cx.line(name));
    let ix = cx.define_unbound(Kind::Field, node, id, line);
    finish(ix, node, None, cx);
    let ty = type_of(ty, cx);
    cx.symbol(ix).ty = Some(ty);
    cx.open_plain(ix);
}

/// `trait T: Super { … }`.
pub fn trait_item<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let Some(name) = node.child_by_field_name("name") else {
        return;
    };
    let ix = define(Kind::Trait, node, name, cx);
    finish(ix, node, node.child_by_field_name("body"), cx);
    open_type(ix, node, cx);
    let bounds = node.child_by_field_name("bounds").map(children).unwrap_or_default();
    for bound in bounds {
        if let Some(named) = named_type(bound) {
            let ty = type_of(named, cx);
            cx.symbol(ix).supers.push(Super { ty, implements: false });
            cx.mark(named, INHERIT);
        }
    }
}

/// The named type of a bound, without type arguments.
fn named_type(mut node: Node<'_>) -> Option<Node<'_>> {
    loop {
        node = match node.kind() {
            "type_identifier" | "scoped_type_identifier" => return Some(node),
            "generic_type" | "higher_ranked_trait_bound" => node.child_by_field_name("type")?,
            _ => return None,
        };
    }
}

/// `impl Type { … }` and `impl Trait for Type { … }`: no definition, but the owner of those inside.
pub fn implementation<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let Some(ty) = node.child_by_field_name("type") else {
        return;
    };
    cx.open_scope(ScopeKind::Block);
    generics(node, cx);
    let owner = type_of(ty, cx);
    cx.described.insert(node.id(), owner);
    let super_ty = node.child_by_field_name("trait").and_then(named_type).map(|t| {
        cx.mark(t, IMPLEMENT);
        type_of(t, cx)
    });
    cx.facts.impls.push(Impl { ty: owner, super_ty });
}

/// `type A = B;`, and the associated types of traits.
pub fn type_item<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let Some(name) = node.child_by_field_name("name") else {
        return;
    };
    let ix = define(Kind::TypeAlias, node, name, cx);
    finish(ix, node, None, cx);
    if node.kind() == "associated_type" {
        cx.symbol(ix).flags.set(SymbolFlags::DECLARATION);
    }
    cx.open_symbol(ix, ScopeKind::Block);
    generics(node, cx);
    let ty = match node.child_by_field_name("type") {
        Some(t) => Some(type_of(t, cx)),
        // Of an associated type that is yet to be given the bounds are known.
        None => {
            let bounds = node.child_by_field_name("bounds").map(children).unwrap_or_default();
            bound_type(&bounds, cx)
        }
    };
    cx.symbol(ix).ty = ty;
}

/// `const` and `static`.
pub fn constant<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let Some(name) = node.child_by_field_name("name") else {
        return;
    };
    if cx.src(name) == "_" {
        return;
    }
    let kind = if node.kind() == "static_item" {
        Kind::Variable
    } else {
        Kind::Constant
    };
    let ix = define(kind, node, name, cx);
    finish(ix, node, None, cx);
    let ty = node.child_by_field_name("type").map(|t| type_of(t, cx));
    let given = node.child_by_field_name("value");
    if given.is_none() {
        cx.symbol(ix).flags.set(SymbolFlags::DECLARATION);
    }
    if place(cx) != Place::Free {
        cx.symbol(ix).flags.set(SymbolFlags::STATIC);
    }
    let value = given.map(|v| value(v, cx));
    let s = cx.symbol(ix);
    s.ty = ty;
    s.value = value;
    cx.open_plain(ix);
}

/// `mod m { … }` and `mod m;`.
pub fn module<'t>(node: Node<'t>, cx: &mut Cx<'t>) -> Walk {
    let Some(name) = node.child_by_field_name("name") else {
        return Walk::Over;
    };
    let text = plain(cx, name);
    let Some(body) = node.child_by_field_name("body") else {
        let above = attributes::above(node, cx);
        let module = match above.path {
            Some(path) => format!("self::{text}#{path}"),
            None => format!("self::{text}"),
        };
        let import = cx.import(ImportKind::Module, &module, "", text, name);
        if visibility(node, cx).is_some() {
            cx.facts.exports.push(Export::From {
                name: text.into(),
                import,
            });
        }
        return Walk::Over;
    };
    let ix = define(Kind::Module, node, name, cx);
    finish(ix, node, Some(body), cx);
    inner_doc(ix, body, cx);
    cx.open_symbol(ix, ScopeKind::Module);
    Walk::Into
}

/// `//!` at the start of a module's body.
fn inner_doc<'t>(ix: SymbolIx, body: Node<'t>, cx: &mut Cx<'t>) {
    let mut cursor = body.walk();
    let mut range: Option<(usize, usize)> = None;
    for c in body.named_children(&mut cursor) {
        let inner = matches!(c.kind(), "line_comment" | "block_comment")
            && (cx.src(c).starts_with("//!") || cx.src(c).starts_with("/*!"));
        if !inner {
            break;
        }
        range = Some((range.map_or(c.start_byte(), |r| r.0), c.end_byte()));
    }
    if let Some((from, to)) = range {
        let raw = cx.text.get(from..to).unwrap_or("");
        cx.document(ix, raw);
    }
}

/// `macro_rules! m { … }`.
pub fn macro_definition<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let Some(name) = node.child_by_field_name("name") else {
        return;
    };
    let ix = define(Kind::Macro, node, name, cx);
    finish(ix, node, None, cx);
    cx.open_symbol(ix, ScopeKind::Function);
}
