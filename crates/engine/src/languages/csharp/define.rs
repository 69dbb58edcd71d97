//! C#'s definitions.

use super::expr::{describe, name_of, stated_type, type_expr};
use crate::extract::Cx;
use crate::facts::*;
use crate::languages::common::*;
use tree_sitter::Node;

/// Word of a mark: the node is a type.
pub(super) const TYPE: u32 = u32::MAX - 1;

/// What stands in front of a declaration.
pub(super) struct Modifiers<'t> {
    words: Vec<&'t str>,
    attributes: Vec<&'t str>,
    /// Where the header begins: behind the attributes.
    head: usize,
}

impl Modifiers<'_> {
    fn has(&self, word: &str) -> bool {
        self.words.contains(&word)
    }
}

pub(super) fn modifiers<'t>(cx: &Cx<'t>, node: Node<'t>) -> Modifiers<'t> {
    let (mut words, mut attributes, mut head) = (Vec::new(), Vec::new(), None);
    for part in all(node) {
        match part.kind() {
            "attribute_list" => {
                let names = named(part)
                    .into_iter()
                    .filter_map(|a| field(a, "name"))
                    .filter_map(name_of);
                attributes.extend(names.map(|n| cx.src(n)));
            }
            _ if part.is_extra() => {}
            kind => {
                if kind == "modifier" {
                    words.push(cx.src(part));
                }
                head = head.or(Some(part.start_byte()));
            }
        }
    }
    Modifiers {
        words,
        attributes,
        head: head.unwrap_or(node.start_byte()),
    }
}

/// Fills in what every definition has.
fn describe_header<'t>(cx: &mut Cx<'t>, ix: SymbolIx, node: Node<'t>, head: &Modifiers<'t>, end: usize) {
    sign(cx, ix, head.head, end);
    doc(cx, ix, node.start_byte());
    let plain = without_tags(&cx.symbol(ix).doc);
    cx.symbol(ix).doc = plain.into();
    let interface = in_interface(cx);
    let mut bits = 0;
    if head.has("public") || (interface && !head.has("private")) {
        bits |= SymbolFlags::EXPORTED;
    }
    for (word, bit) in [
        ("static", SymbolFlags::STATIC),
        ("const", SymbolFlags::STATIC),
        ("override", SymbolFlags::OVERRIDE),
        ("async", SymbolFlags::ASYNC),
        ("file", SymbolFlags::FILE_PRIVATE),
    ] {
        if head.has(word) {
            bits |= bit;
        }
    }
    flag(cx, ix, bits);
}

/// A documentation comment without its XML tags.
fn without_tags(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(open) = rest.find('<') {
        let Some(close) = rest[open..].find('>') else { break };
        out.push_str(&rest[..open]);
        rest = &rest[open + close + 1..];
    }
    out.push_str(rest);
    out.trim().to_owned()
}

fn in_interface(cx: &Cx<'_>) -> bool {
    let within = cx.within();
    within != FILE_SYMBOL && cx.facts.symbols[within as usize].kind == Kind::Interface
}

/// A class, struct, record, interface or enum.
pub(super) fn type_definition<'t>(cx: &mut Cx<'t>, node: Node<'t>) {
    let Some(name) = field(node, "name") else { return };
    done(cx, name);
    let structure = all(node).iter().any(|n| n.kind() == "struct");
    let kind = match node.kind() {
        "interface_declaration" => Kind::Interface,
        "enum_declaration" => Kind::Enum,
        _ if structure => Kind::Struct,
        _ => Kind::Class,
    };
    let ix = cx.define(kind, node, name);
    let head = modifiers(cx, node);
    let body = field(node, "body");
    describe_header(cx, ix, node, &head, body.map_or(node.end_byte(), |b| b.start_byte()));
    let supers = if kind == Kind::Enum {
        Vec::new()
    } else {
        supertypes(cx, node, kind)
    };
    cx.open_symbol(ix, ScopeKind::Type);
    for (ty, name, implements) in supers {
        cx.symbol(ix).supers.push(Super { ty, implements });
        let role = if implements { Role::Implement } else { Role::Inherit };
        cx.refer(role, ty, name, 255);
    }
    if let Some(list) = child(node, &["parameter_list"]) {
        cx.symbol(ix).params = parameter_count(cx, list, false);
        if node.kind() == "record_declaration" {
            positional(cx, list);
        }
    }
}

/// Stated supertypes. A base class stands first; what follows it, and all bases of a struct, are interfaces.
fn supertypes<'t>(cx: &mut Cx<'t>, node: Node<'t>, kind: Kind) -> Vec<(ExprId, Node<'t>, bool)> {
    let Some(list) = child(node, &["base_list"]) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for base in named(list) {
        let Some(name) = name_of(base) else { continue };
        cx.mark(base, TYPE);
        if base.kind() == "primary_constructor_base_type"
            && let Some(ty) = field(base, "type")
        {
            cx.mark(ty, TYPE);
        }
        done(cx, name);
        let described = type_expr(cx, base);
        let implements = match kind {
            Kind::Interface => false,
            Kind::Struct => true,
            _ => !found.is_empty(),
        };
        found.push((bare(cx, described), name, implements));
    }
    found
}

/// The parameters of a record are its properties.
fn positional<'t>(cx: &mut Cx<'t>, list: Node<'t>) {
    for one in named(list) {
        let Some(name) = field(one, "name") else { continue };
        done(cx, name);
        let ix = cx.define(Kind::Property, one, name);
        let ty = stated_type(cx, field(one, "type"));
        cx.symbol(ix).ty = ty;
        sign(cx, ix, one.start_byte(), one.end_byte());
        flag(cx, ix, SymbolFlags::EXPORTED | SymbolFlags::GETTER);
        cx.mark(one, ix);
    }
}

/// `delegate int F(int n);` names a type of functions.
pub(super) fn delegate<'t>(cx: &mut Cx<'t>, node: Node<'t>) {
    let Some(name) = field(node, "name") else { return };
    done(cx, name);
    let ix = cx.define(Kind::TypeAlias, node, name);
    let head = modifiers(cx, node);
    describe_header(cx, ix, node, &head, node.end_byte());
    if let Some(list) = field(node, "parameters") {
        cx.symbol(ix).params = parameter_count(cx, list, false);
    }
    cx.open_symbol(ix, ScopeKind::Function);
}

const TESTS: &[&str] = &[
    "Fact",
    "Theory",
    "Test",
    "TestCase",
    "TestCaseSource",
    "TestMethod",
    "DataTestMethod",
    "Property",
];

/// A method, constructor, destructor, operator or local function.
pub(super) fn callable<'t>(cx: &mut Cx<'t>, node: Node<'t>) {
    let (kind, text, line) = match node.kind() {
        "operator_declaration" => {
            let Some(operator) = field(node, "operator") else {
                return;
            };
            (Kind::Method, format!("operator{}", cx.src(operator)), cx.line(operator))
        }
        "conversion_operator_declaration" => {
            let Some(ty) = field(node, "type") else { return };
            (Kind::Method, format!("operator {}", dotted(cx.src(ty))), cx.line(ty))
        }
        kind => {
            let Some(name) = field(node, "name") else { return };
            done(cx, name);
            let text = cx.src(name);
            match kind {
                "constructor_declaration" => (Kind::Constructor, text.to_owned(), cx.line(name)),
                "destructor_declaration" => (Kind::Method, format!("~{text}"), cx.line(name)),
                "local_function_statement" => (Kind::Function, text.to_owned(), cx.line(name)),
                _ => (Kind::Method, text.to_owned(), cx.line(name)),
            }
        }
    };
    let id = cx.name_owned(&text);
    // The name of a constructor means the class.
    let ix = if kind == Kind::Constructor {
        cx.define_unbound(kind, node, id, line)
    } else {
        cx.define_named(kind, node, id, line)
    };
    let head = modifiers(cx, node);
    let body = field(node, "body");
    describe_header(cx, ix, node, &head, body.map_or(node.end_byte(), |b| b.start_byte()));
    let mut bits = 0;
    if body.is_none() {
        bits |= SymbolFlags::DECLARATION;
    }
    if text == "Main" && head.has("static") {
        bits |= SymbolFlags::ENTRY;
    }
    if head.attributes.iter().any(|a| TESTS.contains(a)) {
        bits |= SymbolFlags::TEST;
    }
    flag(cx, ix, bits);
    if let Some(list) = field(node, "parameters") {
        let extended = named(list).into_iter().next().filter(|p| extends(cx, *p));
        cx.symbol(ix).params = parameter_count(cx, list, extended.is_some());
        if let Some(ty) = extended.and_then(|p| field(p, "type")) {
            flag(cx, ix, SymbolFlags::EXTENSION);
            cx.open_symbol(ix, ScopeKind::Function);
            let owner = type_expr(cx, ty);
            cx.symbol(ix).owner = Some(owner);
            result(cx, ix, node);
            return;
        }
    }
    cx.open_symbol(ix, ScopeKind::Function);
    result(cx, ix, node);
}

fn result<'t>(cx: &mut Cx<'t>, ix: SymbolIx, node: Node<'t>) {
    let ty = stated_type(cx, field(node, "returns").or_else(|| field(node, "type")));
    cx.symbol(ix).ty = ty;
}

/// The first parameter of an extension method says `this`.
fn extends(cx: &Cx<'_>, parameter: Node<'_>) -> bool {
    all(parameter)
        .iter()
        .any(|n| n.kind() == "modifier" && cx.src(*n) == "this")
}

/// Numbers of arguments; that of the receiver of an extension method may be left out.
fn parameter_count(cx: &Cx<'_>, list: Node<'_>, extension: bool) -> Params {
    let (mut min, mut max, mut open) = (0usize, 0usize, false);
    for one in all(list) {
        match one.kind() {
            "parameter" => {
                max += 1;
                if !all(one).iter().any(|n| n.kind() == "=") {
                    min += 1;
                }
                if all(one).iter().any(|n| cx.src(*n) == "params") {
                    open = true;
                    min = min.saturating_sub(1);
                }
            }
            // The grammar puts the last, open parameter into the list itself.
            "params" => open = true,
            _ => {}
        }
    }
    if extension && min > 0 {
        min -= 1;
    }
    Params {
        min: count(min),
        max: if open { 255 } else { count(max) },
    }
}

/// The fields or events of one declaration.
pub(super) fn fields<'t>(cx: &mut Cx<'t>, node: Node<'t>) {
    let Some(declaration) = child(node, &["variable_declaration"]) else {
        return;
    };
    let head = modifiers(cx, node);
    let constant = head.has("const") || (head.has("static") && head.has("readonly"));
    let kind = match node.kind() {
        "event_field_declaration" => Kind::Property,
        _ if constant => Kind::Constant,
        _ => Kind::Field,
    };
    done(cx, declaration);
    let ty = field(declaration, "type");
    if let Some(ty) = ty {
        cx.mark(ty, TYPE);
    }
    let ty = stated_type(cx, ty);
    let mut opened = None;
    let end = line_end(cx, head.head, node.end_byte());
    for declarator in named(declaration)
        .into_iter()
        .filter(|n| n.kind() == "variable_declarator")
    {
        let Some(name) = field(declarator, "name") else {
            continue;
        };
        done(cx, name);
        let ix = cx.define(kind, node, name);
        describe_header(cx, ix, node, &head, end);
        cx.symbol(ix).ty = ty;
        let value = initial(declarator).map(|v| describe(cx, v));
        cx.symbol(ix).value = value;
        if opened.is_none() {
            opened = Some(ix);
        } else {
            cx.mark(declarator, ix);
        }
    }
    if let Some(ix) = opened {
        cx.open_plain(ix);
    }
}

/// The initial value in a declarator: what stands behind its `=`.
pub(super) fn initial(declarator: Node<'_>) -> Option<Node<'_>> {
    let parts = all(declarator);
    let at = parts.iter().position(|n| n.kind() == "=")?;
    parts[at + 1..].iter().copied().find(|n| n.is_named() && !n.is_extra())
}

/// A property, an indexer or an event with accessors.
pub(super) fn property<'t>(cx: &mut Cx<'t>, node: Node<'t>) {
    let head = modifiers(cx, node);
    let accessors = field(node, "accessors");
    let value = field(node, "value");
    let body = accessors.or(value);
    let end = body.map_or(node.end_byte(), |b| b.start_byte());
    let ix = if node.kind() == "indexer_declaration" {
        let this = all(node).into_iter().find(|n| n.kind() == "this");
        let line = this.map_or(cx.line(node), |n| cx.line(n));
        let id = cx.name_owned("this[]");
        cx.define_named(Kind::Property, node, id, line)
    } else {
        let Some(name) = field(node, "name") else { return };
        done(cx, name);
        cx.define(Kind::Property, node, name)
    };
    describe_header(cx, ix, node, &head, end);
    if node.kind() != "event_declaration" {
        flag(cx, ix, SymbolFlags::GETTER);
    }
    let bodies = accessors.map(named).unwrap_or_default();
    if in_interface(cx) && value.is_none() && bodies.iter().all(|a| field(*a, "body").is_none()) || head.has("abstract")
    {
        flag(cx, ix, SymbolFlags::DECLARATION);
    }
    cx.open_symbol(ix, ScopeKind::Function);
    let ty = stated_type(cx, field(node, "type"));
    cx.symbol(ix).ty = ty;
    cx.bind("value", node.start_byte(), ty, None);
    let value = value.and_then(|v| {
        if v.kind() == "arrow_expression_clause" {
            first(v)
        } else {
            Some(v)
        }
    });
    let value = value.map(|v| describe(cx, v));
    cx.symbol(ix).value = value;
}

/// A constant of an enum.
pub(super) fn enum_member<'t>(cx: &mut Cx<'t>, node: Node<'t>) {
    let Some(name) = field(node, "name") else { return };
    done(cx, name);
    let ix = cx.define(Kind::Variant, node, name);
    let head = modifiers(cx, node);
    describe_header(cx, ix, node, &head, node.end_byte());
    flag(cx, ix, SymbolFlags::STATIC | SymbolFlags::EXPORTED);
    cx.open_plain(ix);
}

/// Whether the file's one namespace can stand for the file: it is the only one, holds no other, and nothing is beside it.
pub(super) fn sole_namespace<'t>(root: Node<'t>) -> Option<Node<'t>> {
    let parts = named(root);
    let mut spaces = parts.iter().filter(|n| n.kind() == "namespace_declaration");
    let one = *spaces.next()?;
    let beside = parts.iter().any(|n| {
        n.id() != one.id()
            && !matches!(
                n.kind(),
                "using_directive" | "extern_alias_directive" | "global_attribute"
            )
            && !n.kind().starts_with("preproc")
    });
    let nested = field(one, "body")
        .map(named)
        .unwrap_or_default()
        .iter()
        .any(|n| n.kind() == "namespace_declaration");
    (!beside && !nested && spaces.next().is_none()).then_some(one)
}

/// A namespace in braces.
pub(super) fn namespace<'t>(cx: &mut Cx<'t>, node: Node<'t>) {
    let Some(name) = field(node, "name") else { return };
    done(cx, name);
    if cx.marked(node).is_some() {
        cx.facts.package = dotted(cx.src(name)).into();
        cx.open_scope(ScopeKind::Module);
        return;
    }
    for part in dotted(cx.src(name)).split('.') {
        let id = cx.name_owned(part);
        let line = cx.line(name);
        let ix = cx.define_named(Kind::Namespace, node, id, line);
        sign(cx, ix, node.start_byte(), name.end_byte());
        flag(cx, ix, SymbolFlags::EXPORTED);
        cx.open_symbol(ix, ScopeKind::Module);
    }
}
