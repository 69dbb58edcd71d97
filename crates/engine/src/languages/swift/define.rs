//! Swift's definitions.

use super::expr::{TYPES, describe, name_of, stated, type_expr};
use crate::extract::Cx;
use crate::facts::*;
use crate::languages::common::*;
use tree_sitter::Node;

/// What stands in front of a declaration.
struct Modifiers<'t> {
    words: Vec<&'t str>,
    attributes: Vec<&'t str>,
    head: usize,
}

impl Modifiers<'_> {
    fn has(&self, word: &str) -> bool {
        self.words.contains(&word)
    }
}

fn modifiers<'t>(cx: &Cx<'t>, node: Node<'t>) -> Modifiers<'t> {
    let (mut words, mut attributes, mut head) = (Vec::new(), Vec::new(), None);
    for part in all(node) {
        if part.kind() == "attribute" {
            attributes.extend(first(part).map(|n| cx.src(n)));
            continue;
        }
        if part.kind() != "modifiers" {
            if !part.is_extra() {
                head = head.or(Some(part.start_byte()));
            }
            // `class func` and `async` stand in the declaration itself.
            if matches!(part.kind(), "class" | "async") {
                words.push(cx.src(part));
            }
            continue;
        }
        for one in named(part) {
            if one.kind() == "attribute" {
                attributes.extend(first(one).map(|n| cx.src(n)));
            } else {
                head = head.or(Some(one.start_byte()));
                words.push(cx.src(one));
            }
        }
    }
    Modifiers {
        words,
        attributes,
        head: head.unwrap_or(node.start_byte()),
    }
}

/// Fills in what every definition has; a member of an extension belongs to the extended type.
fn header<'t>(cx: &mut Cx<'t>, ix: SymbolIx, node: Node<'t>, head: &Modifiers<'t>, end: usize) {
    sign(cx, ix, head.head, end);
    doc(cx, ix, node.start_byte());
    let top = cx.scope() == 0;
    let mut bits = 0;
    if head.has("fileprivate") || (head.has("private") && top) {
        bits |= SymbolFlags::FILE_PRIVATE;
    } else if !head.has("private") {
        bits |= SymbolFlags::EXPORTED;
    }
    if head.has("static") || head.has("class") {
        bits |= SymbolFlags::STATIC;
    }
    if head.has("override") {
        bits |= SymbolFlags::OVERRIDE;
    }
    flag(cx, ix, bits);
    let notes = ["extension.scope", "extension.owner", "extension.container"].map(|n| cx.notes.get(n).copied());
    if let [Some(scope), Some(owner), Some(container)] = notes
        && scope == cx.scope()
    {
        let container = cx.facts.name(container).to_owned();
        cx.set_owner(ix, owner, &container);
        flag(cx, ix, SymbolFlags::EXTENSION);
    }
}

fn member(cx: &Cx<'_>) -> bool {
    cx.facts.scopes[cx.scope() as usize].kind == ScopeKind::Type
}

/// A class, struct, enum, actor or protocol; or an extension, which is no definition of its own.
pub(super) fn type_definition<'t>(cx: &mut Cx<'t>, node: Node<'t>) {
    let Some(name) = field(node, "name") else { return };
    let body = field(node, "body");
    let supers: Vec<_> = named(node)
        .into_iter()
        .filter(|n| n.kind() == "inheritance_specifier")
        .filter_map(|s| field(s, "inherits_from"))
        .filter_map(|ty| {
            let name = name_of(ty)?;
            done(cx, ty);
            let described = type_expr(cx, ty);
            Some((bare(cx, described), name))
        })
        .collect();
    let declared = field(node, "declaration_kind").map_or("", |k| k.kind());
    if declared == "extension" {
        extension(cx, name, supers);
        return;
    }
    done(cx, name);
    let kind = match declared {
        "struct" => Kind::Struct,
        "enum" => Kind::Enum,
        "protocol" => Kind::Protocol,
        _ => Kind::Class,
    };
    let ix = cx.define(kind, node, name);
    let head = modifiers(cx, node);
    header(cx, ix, node, &head, body.map_or(node.end_byte(), |b| b.start_byte()));
    cx.symbol(ix).flags.0 &= !SymbolFlags::STATIC;
    cx.open_symbol(ix, ScopeKind::Type);
    for (n, (ty, name)) in supers.into_iter().enumerate() {
        // Only a class has a base class, and names it first.
        let implements = match declared {
            "protocol" => false,
            "class" => n > 0,
            _ => true,
        };
        cx.symbol(ix).supers.push(Super { ty, implements });
        let role = if implements { Role::Implement } else { Role::Inherit };
        cx.refer(role, ty, name, 255);
    }
}

fn extension<'t>(cx: &mut Cx<'t>, name: Node<'t>, supers: Vec<(ExprId, Node<'t>)>) {
    let described = type_expr(cx, name);
    let owner = bare(cx, described);
    let parts = named(name).into_iter().filter(|n| n.kind() == "type_identifier");
    let container: Vec<&str> = parts.map(|n| cx.src(n)).collect();
    let container = cx.name_owned(&container.join("."));
    if supers.is_empty() {
        cx.facts.impls.push(Impl {
            ty: owner,
            super_ty: None,
        });
    }
    for (ty, name) in supers {
        cx.facts.impls.push(Impl {
            ty: owner,
            super_ty: Some(ty),
        });
        cx.refer(Role::Implement, ty, name, 255);
    }
    let scope = cx.open_scope(ScopeKind::Type);
    cx.notes.insert("extension.scope", scope);
    cx.notes.insert("extension.owner", owner);
    cx.notes.insert("extension.container", container);
}

/// A function, method, initialiser, deinitialiser or subscript.
pub(super) fn callable<'t>(cx: &mut Cx<'t>, node: Node<'t>) {
    let (kind, text, line) = match node.kind() {
        "init_declaration" => {
            let word = child(node, &["init"]).unwrap_or(node);
            (Kind::Constructor, "init".to_owned(), cx.line(word))
        }
        "deinit_declaration" => (Kind::Method, "deinit".to_owned(), cx.line(node)),
        "subscript_declaration" => {
            let word = child(node, &["subscript"]).unwrap_or(node);
            (Kind::Method, "subscript".to_owned(), cx.line(word))
        }
        _ => {
            let Some(name) = field(node, "name") else { return };
            done(cx, name);
            let kind = if member(cx) { Kind::Method } else { Kind::Function };
            (kind, cx.src(name).trim_matches('`').to_owned(), cx.line(name))
        }
    };
    let parent = cx.enclosing_type();
    let name = cx.name_owned(&text);
    let ix = cx.define_named(kind, node, name, line);
    let head = modifiers(cx, node);
    let body = field(node, "body").or_else(|| child(node, &["computed_property"]));
    header(cx, ix, node, &head, body.map_or(node.end_byte(), |b| b.start_byte()));
    let mut bits = 0;
    if body.is_none() || child(node, &["protocol_property_requirements"]).is_some() {
        bits |= SymbolFlags::DECLARATION;
    }
    let tests = parent.is_some_and(|p| {
        let class = &cx.facts.symbols[p as usize];
        let case = class
            .supers
            .iter()
            .filter_map(|s| last_name(cx, s.ty))
            .any(|n| cx.facts.name(n) == "XCTestCase");
        case || cx.facts.name(class.name).ends_with("Tests")
    });
    if (tests && text.starts_with("test")) || head.attributes.contains(&"Test") {
        bits |= SymbolFlags::TEST;
    }
    if text == "main" && (head.has("static") || cx.scope() == 0) {
        bits |= SymbolFlags::ENTRY;
    }
    flag(cx, ix, bits);
    cx.symbol(ix).params = parameter_count(node);
    cx.open_symbol(ix, ScopeKind::Function);
    let parts = all(node);
    let arrow = parts.iter().position(|n| n.kind() == "->");
    let result = arrow.and_then(|at| parts[at..].iter().copied().find(|n| TYPES.contains(&n.kind())));
    let ty = match (result, kind) {
        (Some(result), _) => Some(type_expr(cx, result)),
        (None, Kind::Constructor) => {
            let scope = cx.scope();
            Some(cx.expr(Expr::SelfType { scope }))
        }
        _ => None,
    };
    cx.symbol(ix).ty = ty;
}

fn parameter_count(node: Node<'_>) -> Params {
    let (mut min, mut max, mut open) = (0usize, 0usize, false);
    for one in all(node) {
        match one.kind() {
            "parameter" => {
                max += 1;
                if has_token(one, "...") {
                    open = true;
                } else {
                    min += 1;
                }
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

/// The properties of one declaration, or locals.
pub(super) fn properties<'t>(cx: &mut Cx<'t>, node: Node<'t>) {
    let local = in_code(cx);
    let parts = all(node);
    let starts: Vec<usize> = (0..parts.len()).filter(|&n| parts[n].kind() == "pattern").collect();
    let constant = child(node, &["value_binding_pattern"]).is_some_and(|b| cx.src(b).starts_with("let"));
    let head = modifiers(cx, node);
    let mut opened = None;
    for (n, &at) in starts.iter().enumerate() {
        let pattern = parts[at];
        let group = &parts[at..starts.get(n + 1).copied().unwrap_or(parts.len())];
        let ty = group
            .iter()
            .find(|n| n.kind() == "type_annotation")
            .and_then(|t| stated(*t));
        let assigned = group
            .iter()
            .position(|n| n.kind() == "=")
            .and_then(|at| group.get(at + 1).copied());
        let computed = group.iter().find(|n| n.kind() == "computed_property").copied();
        done(cx, pattern);
        let name = field(pattern, "bound_identifier");
        let (Some(name), false) = (name, local) else {
            let ty = ty.map(|t| type_expr(cx, t));
            let value = assigned.map(|v| describe(cx, v));
            match name {
                Some(name) => bind(cx, name, node.end_byte(), ty, value),
                None => bind_all(cx, pattern, node.end_byte()),
            }
            continue;
        };
        done(cx, name);
        let kind = match (member(cx), constant) {
            (true, _) => Kind::Property,
            (false, true) => Kind::Constant,
            (false, false) => Kind::Variable,
        };
        let ix = cx.define(kind, node, name);
        let end = computed.map_or(line_end(cx, head.head, node.end_byte()), |c| c.start_byte());
        header(cx, ix, node, &head, end);
        if computed.is_some() {
            flag(cx, ix, SymbolFlags::GETTER);
        }
        if node.kind() == "protocol_property_declaration" {
            flag(cx, ix, SymbolFlags::DECLARATION);
        }
        let ty = ty.map(|t| type_expr(cx, t));
        let value = assigned.map(|v| describe(cx, v));
        let s = cx.symbol(ix);
        s.ty = ty;
        s.value = value;
        opened = opened.or(Some(ix));
    }
    if let Some(ix) = opened {
        cx.open_plain(ix);
    }
}

/// Binds every name in a pattern of several.
fn bind_all<'t>(cx: &mut Cx<'t>, pattern: Node<'t>, from: usize) {
    let mut open = vec![pattern];
    while let Some(node) = open.pop() {
        for part in named(node) {
            match part.kind() {
                "simple_identifier" => bind(cx, part, from, None, None),
                "pattern" => {
                    done(cx, part);
                    open.push(part);
                }
                _ => {}
            }
        }
    }
}

/// The cases of one line of an enum.
pub(super) fn cases<'t>(cx: &mut Cx<'t>, node: Node<'t>) {
    let mut opened = None;
    let mut latest = None;
    let head = modifiers(cx, node);
    for part in all(node) {
        match part.kind() {
            "simple_identifier" => {
                done(cx, part);
                let ix = cx.define(Kind::Variant, node, part);
                header(cx, ix, node, &head, node.end_byte());
                flag(cx, ix, SymbolFlags::STATIC);
                cx.symbol(ix).params = Params { min: 0, max: 0 };
                opened = opened.or(Some(ix));
                latest = Some(ix);
            }
            "enum_type_parameters" => {
                let types = named(part).iter().filter(|n| TYPES.contains(&n.kind())).count();
                for label in named(part).into_iter().filter(|n| n.kind() == "simple_identifier") {
                    done(cx, label);
                }
                if let Some(ix) = latest {
                    cx.symbol(ix).params = Params {
                        min: count(types),
                        max: count(types),
                    };
                }
            }
            _ => {}
        }
    }
    if let Some(ix) = opened {
        cx.open_plain(ix);
    }
}

/// `typealias X = Y` and `associatedtype X`.
pub(super) fn alias<'t>(cx: &mut Cx<'t>, node: Node<'t>) {
    let Some(name) = child(node, &["type_identifier"]) else {
        return;
    };
    done(cx, name);
    let ix = cx.define(Kind::TypeAlias, node, name);
    let head = modifiers(cx, node);
    header(cx, ix, node, &head, node.end_byte());
    cx.open_symbol(ix, ScopeKind::Block);
    let ty = stated(node).map(|t| type_expr(cx, t));
    cx.symbol(ix).ty = ty;
}
