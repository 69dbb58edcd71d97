//! Classes, interfaces, type aliases, enums and their members.

use super::define::{self, is_function, outer, sign};
use super::exprs::{annotated, child, peel, plain, type_of, type_parameters, value};
use super::extract::{Word, said, say};
use super::objects;
use super::patterns;
use super::uses::refer_to;
use crate::extract::Cx;
use crate::facts::{Expr, ExprId, Kind, Role, ScopeKind, Super, SymbolFlags, SymbolIx};
use tree_sitter::Node;

/// Prepares a class expression that takes the name of what it is given to; the walk opens it.
pub fn name_class<'t>(ix: SymbolIx, span: Node<'t>, class: Node<'t>, cx: &mut Cx<'t>) {
    sign(ix, span, class.child_by_field_name("body"), cx);
    say(cx, class, Word::Symbol(ix));
}

/// A class declaration or expression.
pub fn class<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let name = node.child_by_field_name("name");
    let ix = match (said(cx, node), name) {
        (Some(Word::Symbol(ix)), _) => Some(ix),
        (_, Some(name)) => {
            let outer = outer(node, cx);
            let ix = cx.define(Kind::Class, outer.span, name);
            outer.flag(ix, cx);
            sign(ix, outer.span, node.child_by_field_name("body"), cx);
            Some(ix)
        }
        _ => None,
    };
    // Members see the names of the header, which a type's own scope does not show them.
    cx.open_scope(ScopeKind::Block);
    if let (Some(ix), Some(name), "class") = (ix, name, node.kind()) {
        let value = cx.expr(Expr::Symbol(ix));
        let text = cx.src(name);
        cx.bind(text, 0, None, Some(value));
    }
    type_parameters(node, cx);
    match ix {
        Some(ix) => cx.open_symbol(ix, ScopeKind::Type),
        None => cx.open_scope(ScopeKind::Type),
    };
    heritage(ix, node, cx);
}

fn heritage<'t>(ix: Option<SymbolIx>, class: Node<'t>, cx: &mut Cx<'t>) {
    let mut cursor = class.walk();
    let Some(heritage) = class.children(&mut cursor).find(|c| c.kind() == "class_heritage") else {
        return;
    };
    let mut cursor = heritage.walk();
    let clauses: Vec<Node<'t>> = heritage.named_children(&mut cursor).collect();
    for clause in clauses {
        match clause.kind() {
            "extends_clause" => {
                let mut cursor = clause.walk();
                let bases: Vec<Node<'t>> = clause.children_by_field_name("value", &mut cursor).collect();
                for base in bases {
                    extend(ix, base, cx);
                }
            }
            "implements_clause" => {
                let mut cursor = clause.walk();
                let types: Vec<Node<'t>> = clause.named_children(&mut cursor).collect();
                for ty in types {
                    base_type(ix, ty, Word::Implement, cx);
                }
            }
            "comment" => {}
            _ => extend(ix, clause, cx),
        }
    }
}

fn extend<'t>(ix: Option<SymbolIx>, base: Node<'t>, cx: &mut Cx<'t>) {
    let base = peel(base);
    let ty = value(base, cx);
    if let Some(ix) = ix {
        cx.symbol(ix).supers.push(Super { ty, implements: false });
    }
    refer_to(Role::Inherit, base, 255, cx);
}

/// A supertype that stands as a type: `implements I<T>`, `interface A extends B`.
fn base_type<'t>(ix: Option<SymbolIx>, ty: Node<'t>, word: Word, cx: &mut Cx<'t>) {
    let named = match ty.kind() {
        "generic_type" => ty.child_by_field_name("name").unwrap_or(ty),
        "type_identifier" | "nested_type_identifier" => ty,
        _ => return,
    };
    let expr = type_of(named, cx);
    if let Some(ix) = ix {
        cx.symbol(ix).supers.push(Super {
            ty: expr,
            implements: word == Word::Implement,
        });
    }
    say(cx, named, word);
}

/// `interface I extends J { … }`.
pub fn interface<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let Some(name) = node.child_by_field_name("name") else {
        return;
    };
    let outer = outer(node, cx);
    let ix = cx.define(Kind::Interface, outer.span, name);
    outer.flag(ix, cx);
    sign(ix, outer.span, node.child_by_field_name("body"), cx);
    cx.open_scope(ScopeKind::Block);
    type_parameters(node, cx);
    cx.open_symbol(ix, ScopeKind::Type);
    let mut cursor = node.walk();
    let clauses: Vec<Node<'t>> = node
        .children(&mut cursor)
        .filter(|c| c.kind() == "extends_type_clause")
        .collect();
    for clause in clauses {
        let mut cursor = clause.walk();
        let types: Vec<Node<'t>> = clause.named_children(&mut cursor).collect();
        for ty in types {
            base_type(Some(ix), ty, Word::Inherit, cx);
        }
    }
}

/// `type A = …`.
pub fn alias<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let Some(name) = node.child_by_field_name("name") else {
        return;
    };
    let outer = outer(node, cx);
    let ix = cx.define(Kind::TypeAlias, outer.span, name);
    outer.flag(ix, cx);
    sign(ix, outer.span, None, cx);
    cx.open_scope(ScopeKind::Block);
    type_parameters(node, cx);
    cx.open_symbol(ix, ScopeKind::Type);
    let ty = target(node.child_by_field_name("value"), cx);
    cx.symbol(ix).ty = ty;
}

/// The type that stands for a name, unless it is an object type: then the properties are the definition's members.
fn target<'t>(ty: Option<Node<'t>>, cx: &mut Cx<'t>) -> Option<ExprId> {
    let ty = ty?;
    if ty.kind() == "object_type" {
        return None;
    }
    Some(type_of(ty, cx))
}

/// `enum E { A, B = 1 }`.
pub fn enumeration<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let Some(name) = node.child_by_field_name("name") else {
        return;
    };
    let outer = outer(node, cx);
    let ix = cx.define(Kind::Enum, outer.span, name);
    outer.flag(ix, cx);
    let body = node.child_by_field_name("body");
    sign(ix, outer.span, body, cx);
    cx.open_symbol(ix, ScopeKind::Type);
    let Some(body) = body else { return };
    let mut cursor = body.walk();
    let members: Vec<Node<'t>> = body.named_children(&mut cursor).collect();
    for member in members {
        let name = match member.kind() {
            "enum_assignment" => member.child_by_field_name("name"),
            "property_identifier" | "string" => Some(member),
            _ => None,
        };
        let Some(name) = name else { continue };
        let text = plain(cx, name);
        let (id, line) = (cx.name(text), cx.line(name));
        let variant = cx.define_unbound(Kind::Variant, member, id, line);
        sign(variant, member, None, cx);
    }
}

/// Defines a member of the type or object being walked.
fn member<'t>(kind: Kind, node: Node<'t>, name: Node<'t>, body: Option<Node<'t>>, cx: &mut Cx<'t>) -> SymbolIx {
    let text = plain(cx, name);
    let (id, line) = (cx.name(text), cx.line(name));
    let ix = cx.define_unbound(kind, node, id, line);
    sign(ix, node, body, cx);
    let mut flags = 0;
    let mut cursor = node.walk();
    for c in node.children(&mut cursor) {
        match c.kind() {
            "static" => flags |= SymbolFlags::STATIC,
            "get" => flags |= SymbolFlags::GETTER,
            "override_modifier" => flags |= SymbolFlags::OVERRIDE,
            "abstract" => flags |= SymbolFlags::DECLARATION,
            _ if Some(c) == node.child_by_field_name("parameters") => break,
            _ => {}
        }
    }
    cx.symbol(ix).flags.set(flags);
    ix
}

/// Takes in the decorators that stand before a member in the class body.
fn decorated<'t>(ix: SymbolIx, node: Node<'t>, cx: &mut Cx<'t>) {
    let decorators = cx.before(node).filter(Node::is_named);
    let first = decorators.take_while(|b| b.kind() == "decorator").last();
    let Some(first) = first else { return };
    let start = cx.line(first);
    let s = cx.symbol(ix);
    s.start = start;
    s.bytes.0 = first.start_byte() as u32;
    if s.doc.is_empty() {
        cx.document_above(ix, first, &["comment"]);
    }
}

/// A method of a class, interface, object type or object literal, with or without body.
pub fn method<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let parent = cx.parent();
    let holder = parent.map(|p| p.kind()).unwrap_or("");
    let body = node.child_by_field_name("body");
    let named = match holder {
        "object" => parent.is_some_and(|p| objects::names(p, cx)),
        "object_type" => in_named_type(cx),
        _ => true,
    };
    let name = node.child_by_field_name("name");
    let construct = node.kind() == "construct_signature";
    if !named || (name.is_none() && !construct) {
        define::open(None, node, cx);
        return;
    }
    let ix = match name {
        Some(name) => {
            let kind = if holder == "class_body" && cx.src(name) == "constructor" {
                Kind::Constructor
            } else if holder == "object" && parent.and_then(|p| said(cx, p)) == Some(Word::Exports) {
                Kind::Function
            } else {
                Kind::Method
            };
            member(kind, node, name, body, cx)
        }
        None => {
            let (id, line) = (cx.name("new"), cx.line(node));
            let ix = cx.define_unbound(Kind::Constructor, node, id, line);
            sign(ix, node, None, cx);
            ix
        }
    };
    define::header(ix, node, cx);
    if body.is_none() {
        cx.symbol(ix).flags.set(SymbolFlags::DECLARATION);
    }
    match holder {
        "class_body" => {
            decorated(ix, node, cx);
            if cx.facts.symbols[ix as usize].kind == Kind::Constructor {
                parameter_properties(node, cx);
            }
        }
        "object" => {
            if let Some(object) = parent {
                objects::own(ix, object, cx);
            }
        }
        _ => {}
    }
    define::open(Some(ix), node, cx);
}

/// `constructor(private x: Foo)` makes the field `x`.
fn parameter_properties<'t>(constructor: Node<'t>, cx: &mut Cx<'t>) {
    for parameter in patterns::parameters(constructor) {
        if let Some((name, ty)) = patterns::parameter_property(parameter, cx) {
            let field = member(Kind::Field, parameter, name, None, cx);
            cx.symbol(field).ty = ty;
        }
    }
}

/// A field of a class.
pub fn field<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let Some(name) = node
        .child_by_field_name("name")
        .or_else(|| node.child_by_field_name("property"))
    else {
        return;
    };
    let raw = node.child_by_field_name("value");
    let given = raw.map(peel);
    if let Some(given) = given
        && is_function(given)
    {
        let ix = member(Kind::Method, node, name, given.child_by_field_name("body"), cx);
        decorated(ix, node, cx);
        define::header(ix, given, cx);
        say(cx, given, Word::Symbol(ix));
        cx.open_plain(ix);
        return;
    }
    let ix = member(Kind::Field, node, name, None, cx);
    decorated(ix, node, cx);
    let annotation = node.child_by_field_name("type");
    let ty = target(annotation.and_then(|a| child(a, 0)), cx);
    if let Some(object) = given.filter(|g| g.kind() == "object") {
        say(cx, object, Word::Symbol(ix));
    }
    let value = raw.map(|v| value(v, cx));
    let s = cx.symbol(ix);
    s.ty = ty;
    s.value = value;
    cx.open_plain(ix);
}

/// Whether the object type being walked is the body of a named definition, not of a parameter's annotation.
pub fn in_named_type(cx: &Cx<'_>) -> bool {
    for above in cx.ancestors() {
        match above.kind() {
            "object_type" | "interface_body" | "intersection_type" | "union_type" | "parenthesized_type"
            | "readonly_type" | "type_annotation" | "array_type" | "type_arguments" | "generic_type" => {}
            "type_alias_declaration" | "interface_declaration" => return true,
            "property_signature" | "public_field_definition" => {
                return above.kind() == "public_field_definition" || said(cx, above) == Some(Word::Claimed);
            }
            _ => return false,
        }
    }
    false
}

/// A property of an interface or object type.
pub fn property_signature<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let Some(name) = node.child_by_field_name("name") else {
        return;
    };
    if !in_named_type(cx) {
        return;
    }
    say(cx, node, Word::Claimed);
    let ix = member(Kind::Property, node, name, None, cx);
    let ty = match node.child_by_field_name("type") {
        Some(a) if child(a, 0).is_some_and(|t| t.kind() == "object_type") => None,
        annotation => annotated(annotation, cx),
    };
    cx.symbol(ix).ty = ty;
    cx.open_plain(ix);
}
