//! Namespaces, classes and their members, functions and closures.

use super::assign;
use super::docs;
use super::exprs::{is_path, last, path};
use super::extract::{BODY, DONE, SYMBOL, children, describe};
use super::types;
use crate::extract::Cx;
use crate::facts::*;
use tree_sitter::Node;

/// `namespace A\B;` is the file's package. A further `namespace C { … }` is a definition of its own.
pub(super) fn namespace<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let Some(name) = node.child_by_field_name("name") else {
        return;
    };
    for part in children(name) {
        cx.mark(part, DONE);
    }
    let dotted = cx.src(name).split_whitespace().collect::<String>().replace('\\', ".");
    if cx.facts.package.is_empty() && cx.facts.symbols.is_empty() {
        cx.facts.package = dotted.into();
    } else if node.child_by_field_name("body").is_some() {
        let (id, line) = (cx.name_owned(&dotted), cx.line(name));
        let ix = cx.define_named(Kind::Namespace, node, id, line);
        cx.sign(ix, node.start_byte(), name.end_byte());
        cx.open_symbol(ix, ScopeKind::Module);
    }
}

/// Whether a declaration has a modifier (`static`, `private`, …).
fn has_modifier(node: Node<'_>, word: &str, cx: &Cx<'_>) -> bool {
    children(node)
        .iter()
        .any(|n| n.kind().ends_with("_modifier") && cx.src(*n).eq_ignore_ascii_case(word))
}

/// Where the header of a declaration begins: behind its attributes.
fn header_start(node: Node<'_>) -> usize {
    let attributes = node.child_by_field_name("attributes");
    let first = attributes.and_then(|a| a.next_sibling());
    first.map_or(node.start_byte(), |f| f.start_byte())
}

/// Classes, interfaces, traits and enums.
pub(super) fn type_definition<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let Some(name) = node.child_by_field_name("name") else {
        return;
    };
    let kind = match node.kind() {
        "interface_declaration" => Kind::Interface,
        "trait_declaration" => Kind::Trait,
        "enum_declaration" => Kind::Enum,
        _ => Kind::Class,
    };
    let ix = cx.define(kind, node, name);
    cx.mark(name, DONE);
    finish_type(ix, node, cx);
    let text = cx.src(name);
    let test = children(node)
        .iter()
        .any(|n| n.kind() == "base_clause" && cx.src(*n).ends_with("TestCase"))
        || (text.ends_with("Test") && kind == Kind::Class);
    let flags = &mut cx.symbol(ix).flags;
    flags.set(SymbolFlags::EXPORTED);
    if test {
        flags.set(SymbolFlags::TEST);
    }
}

/// `new class extends A { … }`.
pub(super) fn anonymous_class<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let (id, line) = (cx.name_owned("class@anonymous"), cx.line(node));
    let ix = cx.define_unbound(Kind::Class, node, id, line);
    finish_type(ix, node, cx);
}

/// Bases, documentation, signature and the scope of the body.
fn finish_type<'t>(ix: SymbolIx, node: Node<'t>, cx: &mut Cx<'t>) {
    let body = node.child_by_field_name("body");
    cx.sign(ix, header_start(node), body.map_or(node.end_byte(), |b| b.start_byte()));
    cx.document_above(ix, node, &["comment"]);
    cx.open_plain(ix);
    for clause in children(node) {
        let (role, implements) = match clause.kind() {
            "base_clause" => (Role::Inherit, false),
            "class_interface_clause" => (Role::Implement, true),
            _ => continue,
        };
        for base in children(clause) {
            supertype(ix, base, role, implements, cx);
        }
    }
    let scope = cx.make_scope(ScopeKind::Type, Some(ix));
    if let Some(body) = body {
        cx.mark(body, BODY + 4 * scope);
    }
}

fn supertype<'t>(ix: SymbolIx, base: Node<'t>, role: Role, implements: bool, cx: &mut Cx<'t>) {
    if !is_path(base) {
        return;
    }
    let ty = path(base, cx);
    cx.mark(base, DONE);
    cx.symbol(ix).supers.push(Super { ty, implements });
    cx.refer(role, ty, last(base), 255);
}

/// `use T, U;` in a class: its traits.
pub(super) fn trait_use<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let Some(ix) = cx.enclosing_type() else { return };
    for name in children(node) {
        supertype(ix, name, Role::Implement, true, cx);
    }
}

/// Functions and methods.
pub(super) fn function<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let Some(name) = node.child_by_field_name("name") else {
        return;
    };
    let text = cx.src(name);
    let method = node.kind() == "method_declaration";
    let kind = match (method, text.eq_ignore_ascii_case("__construct")) {
        (true, true) => Kind::Constructor,
        (true, false) => Kind::Method,
        _ => Kind::Function,
    };
    let ix = if method {
        let (id, line) = (cx.name(text), cx.line(name));
        cx.define_unbound(kind, node, id, line)
    } else {
        cx.define(kind, node, name)
    };
    cx.mark(name, DONE);
    let header = node
        .child_by_field_name("return_type")
        .or(node.child_by_field_name("parameters"));
    cx.sign(ix, header_start(node), header.unwrap_or(name).end_byte());
    cx.document_above(ix, node, &["comment"]);
    let doc = docs::above(node, cx);
    let ty =
        types::declared(node.child_by_field_name("return_type"), cx).or_else(|| docs::tagged(doc, "@return", "", cx));
    cx.symbol(ix).ty = ty;
    let in_test = cx
        .innermost()
        .is_some_and(|s| cx.facts.symbols[s as usize].flags.has(SymbolFlags::TEST));
    let marked_test = doc.is_some_and(|d| d.contains("@test"))
        || node
            .child_by_field_name("attributes")
            .is_some_and(|a| cx.src(a).contains("Test"));
    let hidden = has_modifier(node, "private", cx) || has_modifier(node, "protected", cx);
    let is_static = has_modifier(node, "static", cx);
    let declaration = method && node.child_by_field_name("body").is_none();
    let flags = &mut cx.symbol(ix).flags;
    let mut set = |yes: bool, bit: u16| {
        if yes {
            flags.set(bit);
        }
    };
    set(!hidden, SymbolFlags::EXPORTED);
    set(is_static, SymbolFlags::STATIC);
    set(declaration, SymbolFlags::DECLARATION);
    let fixture = matches!(text, "setUp" | "tearDown");
    set(
        in_test && (text.starts_with("test") || fixture || marked_test),
        SymbolFlags::TEST,
    );
    if method {
        promoted(node, doc, cx);
    }
    body(ix, node, doc, cx);
}

/// Constructor parameters that are properties as well belong to the class.
fn promoted<'t>(node: Node<'t>, doc: Option<&'t str>, cx: &mut Cx<'t>) {
    let params = node
        .child_by_field_name("parameters")
        .map(|p| children(p))
        .unwrap_or_default();
    for param in params
        .into_iter()
        .filter(|p| p.kind() == "property_promotion_parameter")
    {
        let Some(name) = param.child_by_field_name("name") else {
            continue;
        };
        let written = cx.src(name).trim_start_matches('&');
        let ty =
            types::declared(param.child_by_field_name("type"), cx).or_else(|| docs::tagged(doc, "@param", written, cx));
        let (id, line) = (cx.name(written.trim_start_matches('$')), cx.line(name));
        let property = cx.define_unbound(Kind::Property, param, id, line);
        cx.sign(property, param.start_byte(), param.end_byte());
        let public = param
            .child_by_field_name("visibility")
            .is_none_or(|v| cx.src(v).starts_with("public"));
        let symbol = cx.symbol(property);
        symbol.ty = ty;
        if public {
            symbol.flags.set(SymbolFlags::EXPORTED);
        }
    }
}

/// Opens a callable, binds its parameters and leaves word for its body.
fn body<'t>(ix: SymbolIx, node: Node<'t>, doc: Option<&'t str>, cx: &mut Cx<'t>) {
    cx.open_plain(ix);
    let scope = cx.make_scope(ScopeKind::Function, Some(ix));
    let params = parameters(node, scope, doc, cx);
    cx.symbol(ix).params = params;
    if let Some(body) = node.child_by_field_name("body") {
        cx.mark(body, BODY + 4 * scope);
    }
}

fn parameters<'t>(node: Node<'t>, scope: ScopeId, doc: Option<&'t str>, cx: &mut Cx<'t>) -> Params {
    let (mut min, mut max) = (0u8, 0u8);
    let list = node
        .child_by_field_name("parameters")
        .map(|p| children(p))
        .unwrap_or_default();
    for param in list {
        let Some(name) = param.child_by_field_name("name") else {
            continue;
        };
        let text = cx.src(name).trim_start_matches('&').trim_start();
        let ty =
            types::declared(param.child_by_field_name("type"), cx).or_else(|| docs::tagged(doc, "@param", text, cx));
        let variadic = param.kind() == "variadic_parameter";
        let ty = match ty {
            Some(arg) if variadic => {
                let base = cx.expr(Expr::Unknown);
                Some(cx.expr(Expr::Apply { base, arg }))
            }
            ty => ty,
        };
        cx.bind_in(scope, text, 0, ty, None);
        if variadic {
            max = 255;
        } else {
            max = max.saturating_add(1);
            if param.child_by_field_name("default_value").is_none() {
                min = min.saturating_add(1);
            }
        }
    }
    Params { min, max }
}

/// `function () { … }` and `fn () => …`: a scope of their own, and a definition where an assignment names them.
pub(super) fn closure<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let ix = cx.marked(node).filter(|w| w % 4 == SYMBOL).map(|w| w / 4);
    let ty = types::declared(node.child_by_field_name("return_type"), cx);
    let scope = cx.open_scope(ScopeKind::Function);
    let params = parameters(node, scope, None, cx);
    let Some(ix) = ix else { return };
    cx.facts.scopes[scope as usize].symbol = Some(ix);
    let value = node
        .child_by_field_name("body")
        .filter(|_| node.kind() == "arrow_function" && ty.is_none())
        .map(|b| describe(b, cx));
    let symbol = cx.symbol(ix);
    symbol.body = Some(scope);
    symbol.params = params;
    symbol.ty = ty;
    symbol.value = value;
}

/// `return x` tells what a function without a declared type gives.
pub(super) fn returned<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let ix = cx.within();
    let Some(&value) = children(node).first() else { return };
    if ix == FILE_SYMBOL {
        return;
    }
    // A return inside of a closure without a name is not the return of what is around it.
    let own = cx.facts.scopes[cx.function_scope() as usize].symbol;
    if own == Some(ix) {
        assign::gives(ix, value, cx);
    }
}

/// `private ?Foo $a = null, $b;`.
pub(super) fn properties<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let doc = docs::above(node, cx);
    let ty = types::declared(node.child_by_field_name("type"), cx).or_else(|| docs::tagged(doc, "@var", "", cx));
    let hidden = has_modifier(node, "private", cx) || has_modifier(node, "protected", cx);
    let is_static = has_modifier(node, "static", cx);
    let mut first = None;
    for element in children(node).into_iter().filter(|n| n.kind() == "property_element") {
        let Some(name) = element.child_by_field_name("name") else {
            continue;
        };
        cx.mark(name, DONE);
        let value = element.child_by_field_name("default_value").map(|v| describe(v, cx));
        let (id, line) = (cx.name(cx.src(name).trim_start_matches('$')), cx.line(name));
        let ix = cx.define_unbound(Kind::Property, node, id, line);
        let end = node.end_byte() - usize::from(cx.src(node).ends_with(';'));
        let line_end = cx.src(node).find('\n').map_or(end, |n| node.start_byte() + n);
        cx.sign(ix, header_start(node), end.min(line_end).max(element.end_byte()));
        cx.document_above(ix, node, &["comment"]);
        let symbol = cx.symbol(ix);
        symbol.ty = ty;
        symbol.value = value;
        if !hidden {
            symbol.flags.set(SymbolFlags::EXPORTED);
        }
        if is_static {
            symbol.flags.set(SymbolFlags::STATIC);
        }
        first.get_or_insert(ix);
    }
    if let Some(ix) = first {
        cx.open_plain(ix);
    }
}

/// `const A = 1, B = 2;` in a class or a file.
pub(super) fn constants<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let hidden = has_modifier(node, "private", cx) || has_modifier(node, "protected", cx);
    let member = cx
        .innermost()
        .is_some_and(|s| cx.facts.symbols[s as usize].kind.is_type());
    let mut first = None;
    for element in children(node).into_iter().filter(|n| n.kind() == "const_element") {
        let parts = children(element);
        let Some(&name) = parts.first() else { continue };
        cx.mark(name, DONE);
        let value = parts.get(1).map(|v| describe(*v, cx));
        let (id, line) = (cx.name(cx.src(name)), cx.line(name));
        let ix = if member {
            cx.define_unbound(Kind::Constant, node, id, line)
        } else {
            cx.define_named(Kind::Constant, node, id, line)
        };
        cx.sign(ix, header_start(node), element.end_byte());
        cx.document_above(ix, node, &["comment"]);
        let symbol = cx.symbol(ix);
        symbol.value = value;
        if member {
            symbol.flags.set(SymbolFlags::STATIC);
        }
        if !hidden {
            symbol.flags.set(SymbolFlags::EXPORTED);
        }
        first.get_or_insert(ix);
    }
    if let Some(ix) = first {
        cx.open_plain(ix);
    }
}

/// `case Hearts = 'H';`.
pub(super) fn enum_case<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let Some(name) = node.child_by_field_name("name") else {
        return;
    };
    cx.mark(name, DONE);
    let (id, line) = (cx.name(cx.src(name)), cx.line(name));
    let ix = cx.define_unbound(Kind::Variant, node, id, line);
    let end = node.end_byte() - usize::from(cx.src(node).ends_with(';'));
    cx.sign(ix, header_start(node), end);
    cx.document_above(ix, node, &["comment"]);
    // A case is a value of its enum.
    let scope = cx.scope();
    let own = cx.expr(Expr::SelfType { scope });
    let symbol = cx.symbol(ix);
    symbol.ty = Some(own);
    symbol.flags.set(SymbolFlags::STATIC | SymbolFlags::EXPORTED);
    cx.open_plain(ix);
}
