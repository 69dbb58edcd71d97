//! Kotlin's definitions.

use super::expr::{TYPES, describe, name_of, super_type, type_expr};
use crate::extract::Cx;
use crate::facts::*;
use crate::languages::common::*;
use tree_sitter::Node;

/// What stands in front of a declaration.
pub(super) struct Modifiers<'t> {
    words: Vec<&'t str>,
    annotations: Vec<&'t str>,
    head: usize,
}

impl Modifiers<'_> {
    fn has(&self, word: &str) -> bool {
        self.words.contains(&word)
    }
}

fn modifiers<'t>(cx: &Cx<'t>, node: Node<'t>) -> Modifiers<'t> {
    let (mut words, mut annotations, mut head) = (Vec::new(), Vec::new(), None);
    for part in all(node) {
        if part.kind() != "modifiers" {
            if !part.is_extra() {
                head = head.or(Some(part.start_byte()));
            }
            continue;
        }
        for one in named(part) {
            if one.kind() == "annotation" {
                annotations.extend(annotation_name(one).map(|n| cx.src(n)));
            } else {
                head = head.or(Some(one.start_byte()));
                words.push(cx.src(one));
            }
        }
    }
    Modifiers {
        words,
        annotations,
        head: head.unwrap_or(node.start_byte()),
    }
}

/// The last name of an annotation.
pub(super) fn annotation_name(node: Node<'_>) -> Option<Node<'_>> {
    let inner = child(node, &["constructor_invocation", "user_type"])?;
    super_type(inner).and_then(name_of)
}

fn header<'t>(cx: &mut Cx<'t>, ix: SymbolIx, node: Node<'t>, head: &Modifiers<'t>, end: usize) {
    sign(cx, ix, head.head, end);
    doc(cx, ix, node.start_byte());
    let mut bits = 0;
    let private = head.has("private");
    let top = cx.facts.symbols[ix as usize].parent.is_none();
    if private && top {
        bits |= SymbolFlags::FILE_PRIVATE;
    } else if !private {
        bits |= SymbolFlags::EXPORTED;
    }
    if head.has("override") {
        bits |= SymbolFlags::OVERRIDE;
    }
    if in_companion(cx, node) {
        bits |= SymbolFlags::STATIC;
    }
    flag(cx, ix, bits);
}

/// Whether a node is a member of a companion without a name. Its members count as those of the class, and as static.
fn in_companion(cx: &Cx<'_>, node: Node<'_>) -> bool {
    let inside = cx
        .notes
        .get("companion.end")
        .is_some_and(|&end| (node.start_byte() as u32) < end);
    inside && cx.notes.get("companion.scope") == Some(&cx.scope())
}

fn in_interface(cx: &Cx<'_>) -> bool {
    let within = cx.within();
    within != FILE_SYMBOL && cx.facts.symbols[within as usize].kind == Kind::Interface
}

/// A class, interface, enum, object or companion.
pub(super) fn type_definition<'t>(cx: &mut Cx<'t>, node: Node<'t>) {
    let body = child(node, &["class_body", "enum_class_body"]);
    if let Some(body) = body {
        done(cx, body);
    }
    let Some(name) = field(node, "name") else {
        if node.kind() == "companion_object" {
            let scope = cx.scope();
            cx.notes.insert("companion.end", node.end_byte() as u32);
            cx.notes.insert("companion.scope", scope);
        }
        return;
    };
    done(cx, name);
    let head = modifiers(cx, node);
    let kind = match node.kind() {
        "object_declaration" | "companion_object" => Kind::Object,
        _ if has_token(node, "interface") => Kind::Interface,
        _ if head.has("enum") => Kind::Enum,
        _ => Kind::Class,
    };
    let ix = cx.define(kind, node, name);
    header(cx, ix, node, &head, body.map_or(node.end_byte(), |b| b.start_byte()));
    if kind == Kind::Object {
        flag(cx, ix, SymbolFlags::STATIC);
    }
    let secondary = body.is_some_and(|b| child(b, &["secondary_constructor"]).is_some());
    let supers = supertypes(cx, node, kind == Kind::Interface || secondary);
    cx.open_symbol(ix, ScopeKind::Type);
    for (ty, name, implements, args) in supers {
        cx.symbol(ix).supers.push(Super { ty, implements });
        let role = if implements { Role::Implement } else { Role::Inherit };
        cx.refer(role, ty, name, 255);
        if let Some(args) = args {
            cx.refer(Role::New, ty, name, args);
        }
    }
    if let Some(list) = child(node, &["primary_constructor"]).and_then(|p| child(p, &["class_parameters"])) {
        primary_constructor(cx, ix, list);
    }
}

/// Stated supertypes. A class is called with arguments; a type without them is an interface unless the class leaves the
/// call to a constructor in its body.
fn supertypes<'t>(cx: &mut Cx<'t>, node: Node<'t>, untold: bool) -> Vec<(ExprId, Node<'t>, bool, Option<u8>)> {
    let mut found = Vec::new();
    for entry in child(node, &["delegation_specifiers"]).map(named).unwrap_or_default() {
        let Some(ty) = super_type(entry) else { continue };
        let Some(name) = name_of(ty) else { continue };
        done(cx, ty);
        let described = type_expr(cx, ty);
        let made = child(entry, &["constructor_invocation"]);
        if let Some(made) = made {
            done(cx, made);
        }
        let args = made.map(|m| child(m, &["value_arguments"]).map_or(0, |a| count(named(a).len())));
        found.push((bare(cx, described), name, args.is_none() && !untold, args));
    }
    found
}

/// Parameters with `val` or `var` are properties; the others are known in initialisers only.
fn primary_constructor<'t>(cx: &mut Cx<'t>, class: SymbolIx, list: Node<'t>) {
    let (mut min, mut max, mut open) = (0usize, 0usize, false);
    for one in named(list) {
        let Some(name) = child(one, &["identifier"]) else {
            continue;
        };
        max += 1;
        if !has_token(one, "=") {
            min += 1;
        }
        let head = modifiers(cx, one);
        if head.has("vararg") {
            open = true;
            min = min.saturating_sub(1);
        }
        let ty = child(one, TYPES).map(|t| type_expr(cx, t));
        if !has_token(one, "val") && !has_token(one, "var") {
            bind(cx, name, 0, ty, None);
            continue;
        }
        done(cx, name);
        let ix = cx.define(Kind::Property, one, name);
        header(cx, ix, one, &head, one.end_byte());
        flag(cx, ix, SymbolFlags::GETTER);
        cx.symbol(ix).ty = ty;
        cx.mark(one, ix);
    }
    cx.symbol(class).params = Params {
        min: count(min),
        max: if open { 255 } else { count(max) },
    };
}

/// The constant of an enum.
pub(super) fn enum_entry<'t>(cx: &mut Cx<'t>, node: Node<'t>) {
    let Some(name) = child(node, &["identifier"]) else {
        return;
    };
    done(cx, name);
    let owner = cx.enclosing_type();
    let ix = cx.define(Kind::Variant, node, name);
    let head = modifiers(cx, node);
    let body = child(node, &["class_body"]);
    header(cx, ix, node, &head, body.map_or(node.end_byte(), |b| b.start_byte()));
    flag(cx, ix, SymbolFlags::STATIC);
    cx.open_plain(ix);
    if let (Some(owner), Some(arguments)) = (owner, child(node, &["value_arguments"])) {
        let made = cx.expr(Expr::Symbol(owner));
        let (line, called) = (cx.line(name), cx.facts.symbols[owner as usize].name);
        cx.refer_named(Role::New, made, called, line, count(named(arguments).len()));
    }
}

/// A function, with the type in front of its name when it extends one.
pub(super) fn function<'t>(cx: &mut Cx<'t>, node: Node<'t>) {
    let Some(name) = field(node, "name") else { return };
    done(cx, name);
    let local = in_code(cx);
    let member = cx.facts.scopes[cx.scope() as usize].kind == ScopeKind::Type;
    let parts = named(node);
    let at = parts.iter().position(|n| n.id() == name.id()).unwrap_or(0);
    let receiver = parts[..at].iter().copied().find(|n| TYPES.contains(&n.kind()));
    let result = parts[at..].iter().copied().find(|n| TYPES.contains(&n.kind()));
    let body = child(node, &["function_body"]);
    let kind = if member { Kind::Method } else { Kind::Function };
    let ix = cx.define(kind, node, name);
    let head = modifiers(cx, node);
    header(cx, ix, node, &head, body.map_or(node.end_byte(), |b| b.start_byte()));
    let mut bits = 0;
    if body.is_none() && (in_interface(cx) || head.has("abstract") || head.has("expect") || head.has("external")) {
        bits |= SymbolFlags::DECLARATION;
    }
    if head
        .annotations
        .iter()
        .any(|a| matches!(*a, "Test" | "ParameterizedTest" | "RepeatedTest" | "TestFactory"))
    {
        bits |= SymbolFlags::TEST;
    }
    if cx.src(name) == "main" && !member && !local {
        bits |= SymbolFlags::ENTRY;
    }
    if receiver.is_some() {
        bits |= SymbolFlags::EXTENSION;
    }
    flag(cx, ix, bits);
    if let Some(list) = child(node, &["function_value_parameters"]) {
        cx.symbol(ix).params = parameter_count(cx, list);
    }
    cx.open_symbol(ix, ScopeKind::Function);
    let owner = receiver.map(|r| type_expr(cx, r));
    let ty = result.map(|r| type_expr(cx, r));
    let value = match (ty, body.filter(|b| has_token(*b, "=")).and_then(first)) {
        (None, Some(value)) => Some(value),
        _ => None,
    };
    // The parameters are bound before the value is described, by the walk; a value needs its scope only.
    let value = value.map(|v| describe(cx, v));
    let s = cx.symbol(ix);
    s.owner = owner;
    s.ty = ty;
    s.value = value;
}

/// A constructor in the body of a class.
pub(super) fn constructor<'t>(cx: &mut Cx<'t>, node: Node<'t>) {
    let Some(class) = cx.enclosing_type() else { return };
    let name = cx.facts.symbols[class as usize].name;
    let line = cx.line(child(node, &["constructor"]).unwrap_or(node));
    let ix = cx.define_unbound(Kind::Constructor, node, name, line);
    let head = modifiers(cx, node);
    let body = child(node, &["block"]);
    header(cx, ix, node, &head, body.map_or(node.end_byte(), |b| b.start_byte()));
    if let Some(list) = child(node, &["function_value_parameters"]) {
        cx.symbol(ix).params = parameter_count(cx, list);
    }
    cx.open_symbol(ix, ScopeKind::Function);
}

/// `init { … }` runs when an instance is made.
pub(super) fn initializer<'t>(cx: &mut Cx<'t>, node: Node<'t>) {
    let name = cx.name_owned("init");
    let line = cx.line(node);
    let ix = cx.define_unbound(Kind::Constructor, node, name, line);
    cx.symbol(ix).params = Params { min: 0, max: 0 };
    sign(
        cx,
        ix,
        node.start_byte(),
        first(node).map_or(node.end_byte(), |b| b.start_byte()),
    );
    doc(cx, ix, node.start_byte());
    cx.open_symbol(ix, ScopeKind::Function);
}

fn parameter_count(cx: &Cx<'_>, list: Node<'_>) -> Params {
    let (mut min, mut max, mut open) = (0usize, 0usize, false);
    let mut vararg = false;
    for one in all(list) {
        match one.kind() {
            "parameter_modifiers" => vararg = cx.src(one).contains("vararg"),
            "parameter" => {
                max += 1;
                if vararg {
                    open = true;
                } else {
                    min += 1;
                }
                vararg = false;
            }
            // The default value of the parameter in front.
            "=" => min = min.saturating_sub(1),
            _ => {}
        }
    }
    Params {
        min: count(min),
        max: if open { 255 } else { count(max) },
    }
}

/// A property of a type or file, or a local.
pub(super) fn property<'t>(cx: &mut Cx<'t>, node: Node<'t>) {
    let parts = all(node);
    let assigned = parts
        .iter()
        .position(|n| n.kind() == "=")
        .and_then(|at| parts.get(at + 1).copied());
    let delegated = child(node, &["property_delegate"]).and_then(first);
    let local = in_code(cx);
    if let Some(several) = child(node, &["multi_variable_declaration"]) {
        let end = node.end_byte();
        for one in named(several) {
            done(cx, one);
            if let Some(name) = child(one, &["identifier"]) {
                let ty = child(one, TYPES).map(|t| type_expr(cx, t));
                bind(cx, name, end, ty, None);
            }
        }
        return;
    }
    let Some(variable) = child(node, &["variable_declaration"]) else {
        return;
    };
    let Some(name) = child(variable, &["identifier"]) else {
        return;
    };
    done(cx, variable);
    done(cx, name);
    let ty = child(variable, TYPES);
    if local {
        let ty = ty.map(|t| type_expr(cx, t));
        let value = assigned
            .map(|v| describe(cx, v))
            .or_else(|| delegated.and_then(|d| lazy(cx, d)));
        bind(cx, name, node.end_byte(), ty, value);
        return;
    }
    let head = modifiers(cx, node);
    let kind = if head.has("const") {
        Kind::Constant
    } else {
        Kind::Property
    };
    let ix = cx.define(kind, node, name);
    let end = line_end(cx, head.head, node.end_byte());
    header(cx, ix, node, &head, end);
    if kind == Kind::Property {
        flag(cx, ix, SymbolFlags::GETTER);
    }
    if in_interface(cx) && child(node, &["getter"]).is_none() || head.has("abstract") {
        flag(cx, ix, SymbolFlags::DECLARATION);
    }
    let before = parts.iter().take_while(|n| n.id() != variable.id());
    let receiver = before.copied().find(|n| TYPES.contains(&n.kind()));
    cx.open_plain(ix);
    if let Some(receiver) = receiver {
        flag(cx, ix, SymbolFlags::EXTENSION);
        let owner = type_expr(cx, receiver);
        cx.symbol(ix).owner = Some(owner);
    }
    let ty = ty.or_else(|| child(node, &["getter"]).and_then(|g| child(g, TYPES)));
    let ty = ty.map(|t| type_expr(cx, t));
    let got = child(node, &["getter"]).and_then(|g| child(g, &["function_body"]));
    let got = got.filter(|b| has_token(*b, "=")).and_then(first);
    let value = match assigned.or(got) {
        Some(value) => Some(describe(cx, value)),
        None => delegated.and_then(|d| lazy(cx, d)),
    };
    let s = cx.symbol(ix);
    s.ty = ty;
    s.value = value;
}

/// `by lazy { x }` gives `x`.
fn lazy<'t>(cx: &mut Cx<'t>, delegate: Node<'t>) -> Option<ExprId> {
    let callee = first(delegate).filter(|c| delegate.kind() == "call_expression" && cx.src(*c) == "lazy");
    callee?;
    let lambda = child(delegate, &["annotated_lambda"]).and_then(|l| child(l, &["lambda_literal"]))?;
    match named(lambda)[..] {
        [value] => Some(describe(cx, value)),
        _ => None,
    }
}

/// `typealias X = Y`
pub(super) fn alias<'t>(cx: &mut Cx<'t>, node: Node<'t>) {
    let Some(name) = field(node, "type") else { return };
    done(cx, name);
    let ix = cx.define(Kind::TypeAlias, node, name);
    let head = modifiers(cx, node);
    header(cx, ix, node, &head, node.end_byte());
    cx.open_symbol(ix, ScopeKind::Block);
    let target = named(node).into_iter().rfind(|n| TYPES.contains(&n.kind()));
    let ty = target.map(|t| type_expr(cx, t));
    cx.symbol(ix).ty = ty;
}
