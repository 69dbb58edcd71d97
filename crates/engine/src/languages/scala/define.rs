//! Scala's definitions.

use super::expr::{describe, name_of, type_expr};
use crate::extract::Cx;
use crate::facts::*;
use crate::languages::common::*;
use tree_sitter::Node;

/// What stands in front of a declaration.
struct Modifiers<'t> {
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
        match part.kind() {
            "annotation" => annotations.extend(field(part, "name").and_then(name_of).map(|n| cx.src(n))),
            "modifiers" => {
                head = head.or(Some(part.start_byte()));
                // `private[pkg]` is a private that others of the package may see.
                words.extend(all(part).into_iter().map(|n| cx.src(n)));
            }
            _ if part.is_extra() => {}
            _ => head = head.or(Some(part.start_byte())),
        }
    }
    Modifiers {
        words,
        annotations,
        head: head.unwrap_or(node.start_byte()),
    }
}

fn header<'t>(cx: &mut Cx<'t>, ix: SymbolIx, node: Node<'t>, head: &Modifiers<'t>, end: usize) {
    sign(cx, ix, head.head, end);
    doc(cx, ix, node.start_byte());
    let mut bits = 0;
    if !head.has("private") {
        bits |= SymbolFlags::EXPORTED;
    }
    if head.has("override") {
        bits |= SymbolFlags::OVERRIDE;
    }
    flag(cx, ix, bits);
}

fn member(cx: &Cx<'_>) -> bool {
    cx.facts.scopes[cx.scope() as usize].kind == ScopeKind::Type
}

/// A class, trait, object, enum or case of an enum.
pub(super) fn type_definition<'t>(cx: &mut Cx<'t>, node: Node<'t>) {
    let Some(name) = field(node, "name") else { return };
    done(cx, name);
    let body = field(node, "body");
    if let Some(body) = body {
        done(cx, body);
    }
    let kind = match node.kind() {
        "trait_definition" => Kind::Trait,
        "object_definition" | "package_object" => Kind::Object,
        "enum_definition" => Kind::Enum,
        "simple_enum_case" | "full_enum_case" => Kind::Variant,
        _ => Kind::Class,
    };
    let ix = cx.define(kind, node, name);
    let head = modifiers(cx, node);
    header(cx, ix, node, &head, body.map_or(node.end_byte(), |b| b.start_byte()));
    if matches!(kind, Kind::Object | Kind::Variant) {
        flag(cx, ix, SymbolFlags::STATIC);
    }
    if head.annotations.contains(&"main") {
        flag(cx, ix, SymbolFlags::ENTRY);
    }
    let supers = supertypes(cx, node, kind);
    cx.open_symbol(ix, ScopeKind::Type);
    for (ty, name, implements, args) in supers {
        cx.symbol(ix).supers.push(Super { ty, implements });
        let role = if implements { Role::Implement } else { Role::Inherit };
        cx.refer(role, ty, name, 255);
        if let Some(args) = args {
            cx.refer(Role::New, ty, name, args);
        }
    }
    let all_fields = has_token(node, "case") || kind == Kind::Variant;
    for (n, list) in fields(node, "class_parameters").into_iter().enumerate() {
        class_parameters(cx, list, all_fields && n == 0);
        if n == 0 {
            cx.symbol(ix).params = parameter_count(list);
        }
    }
}

/// Stated supertypes: what follows `with` or a comma is a trait, what stands first may be one.
fn supertypes<'t>(cx: &mut Cx<'t>, node: Node<'t>, kind: Kind) -> Vec<(ExprId, Node<'t>, bool, Option<u8>)> {
    let mut found: Vec<(ExprId, Node<'t>, bool, Option<u8>)> = Vec::new();
    let mut types = Vec::new();
    for part in field(node, "extend").map(named).unwrap_or_default() {
        match part.kind() {
            "compound_type" => types.extend(named(part)),
            _ => types.push(part),
        }
    }
    for part in types {
        if part.kind() == "arguments" {
            if let Some(last) = found.last_mut() {
                last.3 = Some(count(named(part).len()));
            }
            continue;
        }
        let Some(name) = name_of(part) else { continue };
        done(cx, name);
        let described = type_expr(cx, part);
        let implements = kind != Kind::Trait && !found.is_empty();
        found.push((bare(cx, described), name, implements, None));
    }
    found
}

fn class_parameters<'t>(cx: &mut Cx<'t>, list: Node<'t>, all_fields: bool) {
    for one in named(list).into_iter().filter(|n| n.kind() == "class_parameter") {
        let Some(name) = field(one, "name") else { continue };
        let ty = field(one, "type").map(|t| type_expr(cx, t));
        if !all_fields && !has_token(one, "val") && !has_token(one, "var") {
            bind(cx, name, 0, ty, None);
            continue;
        }
        done(cx, name);
        let ix = cx.define(Kind::Field, one, name);
        let head = modifiers(cx, one);
        header(cx, ix, one, &head, one.end_byte());
        cx.symbol(ix).ty = ty;
        cx.mark(one, ix);
    }
}

fn parameter_count(list: Node<'_>) -> Params {
    let (mut min, mut max, mut open) = (0usize, 0usize, false);
    for one in named(list) {
        if !matches!(one.kind(), "parameter" | "class_parameter") {
            continue;
        }
        max += 1;
        if field(one, "type").is_some_and(|t| t.kind() == "repeated_parameter_type") {
            open = true;
        } else if field(one, "default_value").is_none() {
            min += 1;
        }
    }
    Params {
        min: count(min),
        max: if open { 255 } else { count(max) },
    }
}

/// A method or function, or a further constructor.
pub(super) fn function<'t>(cx: &mut Cx<'t>, node: Node<'t>) {
    let Some(name) = field(node, "name") else { return };
    done(cx, name);
    let text = cx.src(name).trim_matches('`');
    let extension = ["extension.scope", "extension.owner", "extension.outer"].map(|n| cx.notes.get(n).copied());
    let extension = match extension {
        [Some(scope), Some(owner), Some(outer)] if scope == cx.scope() => Some((owner, outer)),
        _ => None,
    };
    let (kind, id) = match cx.enclosing_type() {
        Some(class) if text == "this" => (Kind::Constructor, cx.facts.symbols[class as usize].name),
        _ if member(cx) => (Kind::Method, cx.name(text)),
        _ => (Kind::Function, cx.name(text)),
    };
    let line = cx.line(name);
    let ix = if kind == Kind::Constructor {
        cx.define_unbound(kind, node, id, line)
    } else {
        cx.define_named(kind, node, id, line)
    };
    if let Some((owner, outer)) = extension {
        cx.add_binding(outer, id, 0, Bound::Symbol(ix));
        cx.symbol(ix).owner = Some(owner);
        flag(cx, ix, SymbolFlags::EXTENSION);
    }
    let head = modifiers(cx, node);
    let body = field(node, "body");
    header(cx, ix, node, &head, body.map_or(node.end_byte(), |b| b.start_byte()));
    let mut bits = 0;
    if body.is_none() {
        bits |= SymbolFlags::DECLARATION;
    }
    let lists: Vec<_> = fields(node, "parameters")
        .into_iter()
        .filter(|n| n.kind() == "parameters")
        .collect();
    if lists.is_empty() && kind != Kind::Constructor {
        bits |= SymbolFlags::GETTER;
    }
    if head.annotations.contains(&"Test") {
        bits |= SymbolFlags::TEST;
    }
    if text == "main" || head.annotations.contains(&"main") {
        bits |= SymbolFlags::ENTRY;
    }
    flag(cx, ix, bits);
    cx.symbol(ix).params = lists.first().map_or(Params { min: 0, max: 0 }, |l| parameter_count(*l));
    cx.open_symbol(ix, ScopeKind::Function);
    let ty = field(node, "return_type").map(|t| type_expr(cx, t));
    let value = match (ty, body) {
        (None, Some(body)) if !matches!(body.kind(), "block" | "indented_block") => Some(describe(cx, body)),
        _ => None,
    };
    let s = cx.symbol(ix);
    s.ty = ty;
    s.value = value;
}

/// Functions that extend a type: the parameter in front of them is their receiver.
pub(super) fn extension<'t>(cx: &mut Cx<'t>, node: Node<'t>) {
    let outer = cx.scope();
    let scope = cx.open_scope(ScopeKind::Function);
    let receiver = fields(node, "parameters")
        .into_iter()
        .flat_map(named)
        .find(|p| p.kind() == "parameter");
    let Some(ty) = receiver.and_then(|r| field(r, "type")) else {
        return;
    };
    let described = type_expr(cx, ty);
    let owner = bare(cx, described);
    cx.notes.insert("extension.scope", scope);
    cx.notes.insert("extension.owner", owner);
    cx.notes.insert("extension.outer", outer);
}

/// `val` and `var`: fields of a type, definitions of a file, or locals.
pub(super) fn values<'t>(cx: &mut Cx<'t>, node: Node<'t>) {
    let ty = field(node, "type");
    let value = field(node, "value");
    let names = match field(node, "pattern") {
        Some(pattern) if pattern.kind() == "identifier" => vec![pattern],
        Some(pattern) => {
            if in_code(cx) {
                super::extract::pattern(cx, pattern, node.end_byte());
                return;
            }
            names_in(cx, pattern)
        }
        None => fields(node, "name"),
    };
    if in_code(cx) {
        for name in names {
            let ty = ty.map(|t| type_expr(cx, t));
            let value = value.map(|v| describe(cx, v));
            bind(cx, name, node.end_byte(), ty, value);
        }
        return;
    }
    let single = names.len() == 1;
    let constant = matches!(node.kind(), "val_definition" | "val_declaration");
    let head = modifiers(cx, node);
    let mut opened = None;
    for name in names {
        done(cx, name);
        let kind = match (member(cx), constant) {
            (true, _) => Kind::Field,
            (false, true) => Kind::Constant,
            (false, false) => Kind::Variable,
        };
        let ix = cx.define(kind, node, name);
        let end = line_end(cx, head.head, node.end_byte());
        header(cx, ix, node, &head, end);
        if value.is_none() {
            flag(cx, ix, SymbolFlags::DECLARATION);
        }
        let ty = ty.map(|t| type_expr(cx, t));
        let value = value.filter(|_| single).map(|v| describe(cx, v));
        let s = cx.symbol(ix);
        s.ty = ty;
        s.value = value;
        opened = opened.or(Some(ix));
    }
    if let Some(ix) = opened {
        cx.open_plain(ix);
    }
}

/// The names that a pattern binds.
fn names_in<'t>(cx: &Cx<'t>, pattern: Node<'t>) -> Vec<Node<'t>> {
    let mut found = Vec::new();
    let mut open = vec![pattern];
    while let Some(node) = open.pop() {
        match node.kind() {
            "identifier" if !capital(cx.src(node)) => found.push(node),
            "stable_identifier" => {}
            kind if kind.ends_with("type") => {}
            _ => open.extend(named(node).into_iter().rev()),
        }
    }
    found
}

/// `type X = Y`
pub(super) fn alias<'t>(cx: &mut Cx<'t>, node: Node<'t>) {
    let Some(name) = field(node, "name") else { return };
    done(cx, name);
    let ix = cx.define(Kind::TypeAlias, node, name);
    let head = modifiers(cx, node);
    header(cx, ix, node, &head, node.end_byte());
    cx.open_symbol(ix, ScopeKind::Block);
    let ty = field(node, "type").map(|t| type_expr(cx, t));
    cx.symbol(ix).ty = ty;
}

/// A `given`: an object when it has a body of its own, a constant otherwise. One without a name is no definition.
pub(super) fn given<'t>(cx: &mut Cx<'t>, node: Node<'t>) {
    let body = field(node, "body");
    let object = body.is_some_and(|b| matches!(b.kind(), "with_template_body" | "template_body"));
    let ty = field(node, "return_type");
    let Some(name) = field(node, "name") else {
        cx.open_scope(if object { ScopeKind::Type } else { ScopeKind::Block });
        return;
    };
    done(cx, name);
    if let Some(body) = body {
        done(cx, body);
    }
    let kind = if object { Kind::Object } else { Kind::Constant };
    let ix = cx.define(kind, node, name);
    let head = modifiers(cx, node);
    header(cx, ix, node, &head, body.map_or(node.end_byte(), |b| b.start_byte()));
    let described = ty.map(|t| type_expr(cx, t));
    cx.symbol(ix).ty = described;
    cx.open_symbol(ix, if object { ScopeKind::Type } else { ScopeKind::Function });
    if let (true, Some(ty), Some(base)) = (object, ty, described)
        && let Some(name) = name_of(ty)
    {
        done(cx, name);
        let base = bare(cx, base);
        cx.symbol(ix).supers.push(Super {
            ty: base,
            implements: true,
        });
        cx.refer(Role::Implement, base, name, 255);
    }
    if let (false, Some(body)) = (object, body) {
        let value = describe(cx, body);
        cx.symbol(ix).value = Some(value);
    }
}
