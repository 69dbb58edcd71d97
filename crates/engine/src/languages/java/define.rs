//! Java's definitions.

use super::expr::{describe, type_expr};
use super::extract::with_dimensions;
use crate::extract::Cx;
use crate::facts::*;
use crate::languages::common::*;
use tree_sitter::Node;

/// What stands in front of a declaration.
#[derive(Default)]
struct Modifiers<'t> {
    words: Vec<&'t str>,
    annotations: Vec<&'t str>,
    /// Where the header begins: behind the annotations.
    head: usize,
}

impl Modifiers<'_> {
    fn has(&self, word: &str) -> bool {
        self.words.contains(&word)
    }
}

fn modifiers<'t>(cx: &Cx<'t>, node: Node<'t>) -> Modifiers<'t> {
    let mut found = Modifiers {
        head: node.start_byte(),
        ..Modifiers::default()
    };
    // Leading annotations are no part of the header; one behind a keyword stays.
    let mut leading = true;
    for part in all(node) {
        if part.kind() != "modifiers" {
            if leading && !part.is_extra() {
                found.head = part.start_byte();
                leading = false;
            }
            continue;
        }
        for one in all(part) {
            match one.kind() {
                "annotation" | "marker_annotation" => {
                    let name = field(one, "name").map_or("", |n| cx.src(n));
                    found.annotations.push(name.rsplit('.').next().unwrap_or(name));
                }
                "line_comment" | "block_comment" => {}
                _ => {
                    if leading {
                        found.head = one.start_byte();
                        leading = false;
                    }
                    found.words.push(cx.src(one));
                }
            }
        }
    }
    found
}

/// The node of a type's own last name, without arguments and qualifiers.
pub(super) fn name_of_type(node: Node<'_>) -> Option<Node<'_>> {
    let mut node = node;
    // Each step goes down one level; a written type is finite.
    loop {
        match node.kind() {
            "type_identifier" | "identifier" => return Some(node),
            "generic_type" => node = first(node)?,
            "scoped_type_identifier" | "annotated_type" => node = named(node).pop()?,
            _ => return None,
        }
    }
}

/// A class, interface, enum, record or annotation type.
pub(super) fn type_definition<'t>(cx: &mut Cx<'t>, node: Node<'t>) {
    let Some(name) = field(node, "name") else { return };
    done(cx, name);
    let kind = match node.kind() {
        "interface_declaration" | "annotation_type_declaration" => Kind::Interface,
        "enum_declaration" => Kind::Enum,
        _ => Kind::Class,
    };
    let ix = cx.define(kind, node, name);
    let head = modifiers(cx, node);
    let body = field(node, "body");
    if let Some(body) = body {
        done(cx, body);
    }
    sign(cx, ix, head.head, body.map_or(node.end_byte(), |b| b.start_byte()));
    doc(cx, ix, node.start_byte());
    if head.has("public") || in_interface(cx) {
        flag(cx, ix, SymbolFlags::EXPORTED);
    }
    if head.has("static") {
        flag(cx, ix, SymbolFlags::STATIC);
    }
    let supers = supertypes(cx, node, kind == Kind::Interface);
    cx.open_symbol(ix, ScopeKind::Type);
    for (ty, name, implements) in supers {
        cx.symbol(ix).supers.push(Super { ty, implements });
        let role = if implements { Role::Implement } else { Role::Inherit };
        cx.refer(role, ty, name, 255);
    }
    if node.kind() == "record_declaration"
        && let Some(parameters) = field(node, "parameters")
    {
        record_components(cx, parameters);
    }
}

/// Stated supertypes with the node of each one's name; an interface inherits from what it extends.
fn supertypes<'t>(cx: &mut Cx<'t>, node: Node<'t>, interface: bool) -> Vec<(ExprId, Node<'t>, bool)> {
    let mut lists = Vec::new();
    if let Some(base) = field(node, "superclass") {
        lists.push((named(base), false));
    }
    let more = field(node, "interfaces").or_else(|| child(node, &["extends_interfaces"]));
    if let Some(list) = more.and_then(first) {
        lists.push((named(list), !interface));
    }
    let mut found = Vec::new();
    for (types, implements) in lists {
        for ty in types {
            let Some(name) = name_of_type(ty) else { continue };
            done(cx, name);
            let described = type_expr(cx, ty);
            found.push((bare(cx, described), name, implements));
        }
    }
    found
}

fn record_components<'t>(cx: &mut Cx<'t>, parameters: Node<'t>) {
    for one in named(parameters) {
        let (Some(name), Some(ty)) = (field(one, "name"), field(one, "type")) else {
            continue;
        };
        done(cx, name);
        let ix = cx.define(Kind::Field, one, name);
        cx.mark(one, ix);
        let ty = type_expr(cx, ty);
        cx.symbol(ix).ty = Some(ty);
        sign(cx, ix, one.start_byte(), one.end_byte());
        flag(cx, ix, SymbolFlags::EXPORTED);
    }
}

/// Whether the innermost definition is an interface, whose members are public without saying so.
fn in_interface(cx: &Cx<'_>) -> bool {
    let within = cx.within();
    within != FILE_SYMBOL && cx.facts.symbols[within as usize].kind == Kind::Interface
}

const TESTS: &[&str] = &[
    "Test",
    "ParameterizedTest",
    "RepeatedTest",
    "TestFactory",
    "TestTemplate",
    "Property",
];

/// A method, a constructor or an element of an annotation type.
pub(super) fn callable<'t>(cx: &mut Cx<'t>, node: Node<'t>) {
    let Some(name) = field(node, "name") else { return };
    done(cx, name);
    let kind = match node.kind() {
        "constructor_declaration" | "compact_constructor_declaration" => Kind::Constructor,
        _ => Kind::Method,
    };
    // The name of a constructor means the class.
    let ix = if kind == Kind::Constructor {
        let (id, line) = (cx.name(cx.src(name)), cx.line(name));
        cx.define_unbound(kind, node, id, line)
    } else {
        cx.define(kind, node, name)
    };
    let head = modifiers(cx, node);
    let body = field(node, "body");
    sign(cx, ix, head.head, body.map_or(node.end_byte(), |b| b.start_byte()));
    doc(cx, ix, node.start_byte());
    let interface = in_interface(cx);
    if head.has("public") || (interface && !head.has("private")) {
        flag(cx, ix, SymbolFlags::EXPORTED);
    }
    if head.has("static") {
        flag(cx, ix, SymbolFlags::STATIC);
        if cx.src(name) == "main" {
            flag(cx, ix, SymbolFlags::ENTRY);
        }
    }
    if body.is_none() {
        flag(cx, ix, SymbolFlags::DECLARATION);
    }
    if head.annotations.contains(&"Override") {
        flag(cx, ix, SymbolFlags::OVERRIDE);
    }
    if head.annotations.iter().any(|a| TESTS.contains(a)) {
        flag(cx, ix, SymbolFlags::TEST);
    }
    cx.symbol(ix).params = parameter_count(cx, node);
    cx.open_symbol(ix, ScopeKind::Function);
    if let Some(ty) = field(node, "type") {
        let ty = type_expr(cx, ty);
        let ty = with_dimensions(cx, node, Some(ty));
        cx.symbol(ix).ty = ty;
    }
}

fn parameter_count(cx: &Cx<'_>, node: Node<'_>) -> Params {
    let Some(list) = field(node, "parameters") else {
        // A compact constructor takes the components of its record.
        let record = cx
            .enclosing_type()
            .filter(|_| node.kind() == "compact_constructor_declaration");
        let parts = record.map_or(0, |r| {
            let all = cx.facts.symbols.iter();
            all.filter(|s| s.parent == Some(r) && s.kind == Kind::Field && !s.flags.has(SymbolFlags::STATIC))
                .count()
        });
        return Params {
            min: count(parts),
            max: count(parts),
        };
    };
    let parts = named(list);
    let fixed = count(parts.iter().filter(|p| p.kind() == "formal_parameter").count());
    let open = parts.iter().any(|p| p.kind() == "spread_parameter");
    Params {
        min: fixed,
        max: if open { 255 } else { fixed },
    }
}

/// The fields of one declaration. What stands in it belongs to the first of them, initial values to their own.
pub(super) fn fields<'t>(cx: &mut Cx<'t>, node: Node<'t>) {
    let head = modifiers(cx, node);
    let interface = in_interface(cx);
    let constant = interface || (head.has("static") && head.has("final"));
    let kind = if constant { Kind::Constant } else { Kind::Field };
    let ty = field(node, "type").map(|t| type_expr(cx, t));
    let mut first_of_them = None;
    let end = line_end(cx, head.head, node.end_byte());
    for declarator in crate::languages::common::fields(node, "declarator") {
        let Some(name) = field(declarator, "name") else {
            continue;
        };
        done(cx, name);
        let ix = cx.define(kind, node, name);
        sign(cx, ix, head.head, end);
        doc(cx, ix, node.start_byte());
        if head.has("public") || interface {
            flag(cx, ix, SymbolFlags::EXPORTED);
        }
        if head.has("static") || interface {
            flag(cx, ix, SymbolFlags::STATIC);
        }
        let ty = with_dimensions(cx, declarator, ty);
        cx.symbol(ix).ty = ty;
        let value = field(declarator, "value").map(|v| describe(cx, v));
        cx.symbol(ix).value = value;
        if first_of_them.is_none() {
            first_of_them = Some(ix);
        } else {
            cx.mark(declarator, ix);
        }
    }
    if let Some(ix) = first_of_them {
        cx.open_plain(ix);
    }
}

/// A constant of an enum; its arguments go to the constructor of the enum.
pub(super) fn enum_constant<'t>(cx: &mut Cx<'t>, node: Node<'t>) {
    let Some(name) = field(node, "name") else { return };
    done(cx, name);
    let owner = cx.enclosing_type();
    let ix = cx.define(Kind::Variant, node, name);
    let head = modifiers(cx, node);
    let body = field(node, "body");
    sign(cx, ix, head.head, body.map_or(node.end_byte(), |b| b.start_byte()));
    doc(cx, ix, node.start_byte());
    flag(cx, ix, SymbolFlags::STATIC | SymbolFlags::EXPORTED);
    cx.open_plain(ix);
    let (Some(owner), Some(arguments)) = (owner, field(node, "arguments")) else {
        return;
    };
    let args = count(named(arguments).len());
    let made = cx.expr(Expr::Symbol(owner));
    let (line, called) = (cx.line(name), cx.facts.symbols[owner as usize].name);
    cx.refer_named(Role::New, made, called, line, args);
}
