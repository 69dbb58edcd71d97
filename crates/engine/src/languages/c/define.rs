//! The definitions of C and C++: functions, variables, fields, aliases, macros.

use super::declarator::{self, Declared, declared_type, result_type, written};
use super::expr::{chain, describe, flatten, type_expr};
use super::types;
use crate::extract::Cx;
use crate::facts::*;
use crate::languages::common::*;
use tree_sitter::Node;

/// Storage classes and other words in front of a declaration.
pub(super) struct Words<'t> {
    all: Vec<&'t str>,
}

impl Words<'_> {
    pub(super) fn has(&self, word: &str) -> bool {
        self.all.contains(&word)
    }
}

pub(super) fn words<'t>(cx: &Cx<'t>, node: Node<'t>) -> Words<'t> {
    let kinds = [
        "storage_class_specifier",
        "type_qualifier",
        "virtual",
        "inline",
        "friend",
    ];
    let parts = all(node).into_iter().filter(|n| kinds.contains(&n.kind()));
    Words {
        all: parts.map(|n| cx.src(n)).collect(),
    }
}

/// Whether the innermost definition is a type, whose members are declared here.
fn in_type(cx: &Cx<'_>) -> bool {
    cx.facts.scopes[cx.scope() as usize].kind == ScopeKind::Type
}

/// A definition's span begins where its `template <…>` does, or the macros in front of it that were blanked out.
pub(super) fn span<'t>(cx: &mut Cx<'t>, ix: SymbolIx, node: Node<'t>) {
    let marked = cx.marked(node).filter(|&m| m != DONE);
    let start = before_macros(cx, marked.map_or(node.start_byte(), |m| m as usize));
    if start != node.start_byte() {
        let rows = cx.text.get(start..node.start_byte()).unwrap_or("");
        let lines = rows.bytes().filter(|&b| b == b'\n').count() as u32;
        let line = cx.line(node).saturating_sub(lines);
        let symbol = cx.symbol(ix);
        symbol.start = line;
        symbol.bytes.0 = start as u32;
    }
    doc(cx, ix, start);
}

/// Where the macros right in front of a byte begin: on its line, or a line above it when a comment stands there.
fn before_macros(cx: &Cx<'_>, start: usize) -> usize {
    let mut start = start;
    let mut left = cx.blanks.partition_point(|b| b.1 <= start);
    while left > 0 {
        let (from, to) = cx.blanks[left - 1];
        let between = cx.text.get(to..start).unwrap_or(";");
        let lines = between.bytes().filter(|&b| b == b'\n').count();
        if !between.trim().is_empty() || lines > 1 || (lines == 1 && !documented(cx, from)) {
            break;
        }
        start = from;
        left -= 1;
    }
    start
}

/// The parameters of the template around a definition are known inside it.
pub(super) fn template_parameters<'t>(cx: &mut Cx<'t>, node: Node<'t>) {
    let Some(start) = cx.marked(node).filter(|&m| m != DONE) else {
        return;
    };
    let mut around = cx.parent_of(node);
    while let Some(template) = around.filter(|t| t.kind() == "template_declaration" && t.start_byte() >= start as usize)
    {
        for parameter in field(template, "parameters").map(named).unwrap_or_default() {
            let name = match parameter.kind() {
                "parameter_declaration" => field(parameter, "declarator"),
                _ => field(parameter, "name").or_else(|| child(parameter, &["type_identifier"])),
            };
            if let Some(name) = name.filter(|n| n.kind().ends_with("identifier")) {
                let text = cx.src(name);
                cx.bind(text, 0, None, None);
            }
        }
        around = cx.parent_of(template);
    }
}

const TEST_MACROS: &[&str] = &["TEST", "TEST_F", "TEST_P", "TYPED_TEST", "TYPED_TEST_P"];

/// A function with a body.
pub(super) fn function<'t>(cx: &mut Cx<'t>, node: Node<'t>) {
    let Some(declarator) = field(node, "declarator") else {
        return;
    };
    let Some(declared) = declarator::read(declarator) else {
        return;
    };
    let ty = field(node, "type");
    let Some(list) = declared.function.and_then(|f| field(f, "parameters")) else {
        // `MACRO(name) { … }` in C: a type and a declarator in parentheses.
        if let Some(ty) = ty.filter(|t| t.kind() == "type_identifier" && super::lex::capitals(cx.src(*t)))
            && declarator.kind() == "parenthesized_declarator"
            && !in_code(cx)
        {
            super::macros::function(cx, node, ty, declarator);
        }
        return;
    };
    let name = declared.name;
    let untyped = ty.is_none() && name.kind() == "identifier";
    if untyped && TEST_MACROS.contains(&cx.src(name)) {
        test_case(cx, node, name, list);
        return;
    }
    if untyped && in_code(cx) {
        super::macros::block(cx, name, list);
        return;
    }
    if untyped && !in_type(cx) && super::lex::capitals(cx.src(name)) {
        done(cx, list);
        super::macros::function(cx, node, name, list);
        return;
    }
    let Some(ix) = named_function(cx, node, &declared, list) else {
        return;
    };
    let body = field(node, "body");
    let initializers = child(node, &["field_initializer_list"]);
    let end = initializers.or(body).map_or(node.end_byte(), |b| b.start_byte());
    sign(cx, ix, node.start_byte(), end);
}

/// A test of the Google framework, named by the arguments of its macro.
fn test_case<'t>(cx: &mut Cx<'t>, node: Node<'t>, macro_name: Node<'t>, list: Node<'t>) {
    let parts = named(list);
    let text: Vec<&str> = parts.iter().map(|p| cx.src(*p)).collect();
    let name = cx.name_owned(&text.join("."));
    let line = cx.line(macro_name);
    let ix = cx.define_named(Kind::Function, node, name, line);
    done(cx, macro_name);
    done(cx, list);
    span(cx, ix, node);
    sign(cx, ix, node.start_byte(), list.end_byte());
    let s = cx.symbol(ix);
    s.flags.set(SymbolFlags::TEST);
    s.params = Params { min: 0, max: 0 };
    let fixture = parts
        .first()
        .and_then(|p| field(*p, "type"))
        .filter(|_| cx.src(macro_name) != "TEST");
    if let Some(fixture) = fixture {
        let owner = type_expr(cx, fixture);
        cx.symbol(ix).owner = owner;
    }
    cx.open_symbol(ix, ScopeKind::Function);
    for (n, &part) in parts.iter().enumerate() {
        done(cx, part);
        if (n > 0 || fixture.is_none())
            && let Some(ty) = field(part, "type")
        {
            done(cx, ty);
        }
    }
}

/// Defines and opens a function that a declarator names, with or without a body.
fn named_function<'t>(cx: &mut Cx<'t>, node: Node<'t>, declared: &Declared<'t>, list: Node<'t>) -> Option<SymbolIx> {
    let name = written(cx, declared.name)?;
    let words = words(cx, node);
    mark_name(cx, declared.name);
    done(cx, list);
    let member = in_type(cx);
    let own = cx.enclosing_type().map(|t| cx.facts.symbols[t as usize].name);
    let id = cx.name_owned(&name.text);
    let untyped = field(node, "type").is_none() && name.last.kind() != "operator_cast";
    let line = cx.line(name.last);
    let hidden = !member && name.owner.is_empty() && was_hidden(cx, id);
    let ix = if name.owner.is_empty() {
        let kind = if !member || words.has("friend") {
            Kind::Function
        } else if untyped && own == Some(id) {
            Kind::Constructor
        } else {
            Kind::Method
        };
        cx.define_named(kind, node, id, line)
    } else {
        let owner_name = name
            .owner
            .last()
            .and_then(|o| super::expr::last_of(*o))
            .map_or("", |n| cx.src(n));
        let kind = if untyped && owner_name == name.text {
            Kind::Constructor
        } else {
            Kind::Method
        };
        let owner = chain(cx, name.rooted, &name.owner);
        let parts = name.owner.iter().filter_map(|o| super::expr::last_of(*o));
        let own: Vec<&str> = parts.map(|n| cx.src(n)).collect();
        let mut container = own.join(".");
        let within = cx.within();
        if within != FILE_SYMBOL && !name.rooted {
            container = format!("{}.{container}", cx.facts.qualified(within));
        }
        let ix = cx.define_unbound(kind, node, id, line);
        cx.set_owner(ix, owner, &container);
        ix
    };
    span(cx, ix, node);
    let declared_only = field(node, "body").is_none() && node.kind() != "function_definition";
    let mut bits = 0;
    if declared_only {
        bits |= SymbolFlags::DECLARATION;
    }
    let member = member || !name.owner.is_empty();
    if words.has("static") && member {
        bits |= SymbolFlags::STATIC;
    }
    if (words.has("static") && !member) || hidden || types::in_anonymous_namespace(cx, node) {
        bits |= SymbolFlags::FILE_PRIVATE;
    } else if !member {
        bits |= SymbolFlags::EXPORTED;
    }
    if name.text == "main" && !declared_only && cx.within() == FILE_SYMBOL {
        bits |= SymbolFlags::ENTRY;
    }
    let specifiers = declared.function.map(all).unwrap_or_default();
    if specifiers
        .iter()
        .any(|n| n.kind() == "virtual_specifier" && cx.src(*n) == "override")
    {
        bits |= SymbolFlags::OVERRIDE;
    }
    flag(cx, ix, bits);
    // What is deleted takes no call.
    let deleted = all(node).iter().any(|n| n.kind() == "delete_method_clause");
    cx.symbol(ix).params = match deleted {
        true => Params { min: 255, max: 0 },
        false => declarator::parameter_count(cx, list),
    };
    cx.open_symbol(ix, ScopeKind::Function);
    template_parameters(cx, node);
    let ty = match name.last.kind() {
        "operator_cast" => field(name.last, "type").and_then(|t| type_expr(cx, t)),
        _ => result_type(cx, field(node, "type"), declared),
    };
    cx.symbol(ix).ty = ty;
    Some(ix)
}

/// Whether a name was declared `static` before, at the top of this file: it stays so without the word.
fn was_hidden(cx: &Cx<'_>, name: NameId) -> bool {
    match cx.bound(cx.scope(), name) {
        Some(Bound::Symbol(ix)) => cx.facts.symbols[ix as usize].flags.has(SymbolFlags::FILE_PRIVATE),
        _ => false,
    }
}

/// Says that the names in a declared name are no uses; its qualifiers still are.
fn mark_name<'t>(cx: &mut Cx<'t>, name: Node<'t>) {
    done(cx, name);
    let (_, parts) = flatten(name);
    let mut node = name;
    while node.kind() == "qualified_identifier" {
        done(cx, node);
        match fields(node, "name").into_iter().rfind(|n| n.is_named()) {
            Some(inner) => node = inner,
            None => break,
        }
    }
    if let Some(last) = parts.last().and_then(|l| super::expr::last_of(*l)) {
        done(cx, last);
        if let Some(inner) = first(last) {
            done(cx, inner);
        }
    }
}

/// A declaration: prototypes, variables, fields or locals.
pub(super) fn declaration<'t>(cx: &mut Cx<'t>, node: Node<'t>) {
    if cx.marked(node) == Some(DONE) {
        return;
    }
    let declarators = fields(node, "declarator");
    let local = in_code(cx);
    let (mut prototype, mut opened) = (false, None);
    let mut constructions = Vec::new();
    // Once for all the names: a declaration may have very many.
    let words = words(cx, node);
    let end = line_end(cx, node.start_byte(), node.end_byte());
    // A type with a body is a definition beside the names, not inside the first of them.
    let ty = field(node, "type");
    let beside = ty.is_some_and(|t| field(t, "body").is_some());
    for (n, &one) in declarators.iter().enumerate() {
        let Some(declared) = declarator::read(one) else {
            continue;
        };
        let value = field(one, "value").or_else(|| value_behind(node, one, n + 1 == declarators.len()));
        match declared.function {
            Some(function) if !(local && is_local_call(cx, function)) => {
                let Some(list) = field(function, "parameters") else {
                    continue;
                };
                if local {
                    mark_name(cx, declared.name);
                    continue;
                }
                if !prototype && opened.is_none() {
                    if let Some(ix) = named_function(cx, node, &declared, list) {
                        sign(cx, ix, node.start_byte(), node.end_byte());
                    }
                    prototype = true;
                }
            }
            _ if local => {
                if let Some(value) = value.filter(|v| v.kind() == "lambda_expression") {
                    named_lambda(cx, node, &declared, value);
                    continue;
                }
                let made = value.map(|v| describe(cx, v));
                bind_declared(cx, ty, &declared, one.end_byte(), made);
                construction(cx, ty, value, &declared);
            }
            _ => {
                let Some(ix) = variable(cx, node, &declared, &words, end) else {
                    continue;
                };
                let made = value.map(|v| describe(cx, v));
                cx.symbol(ix).value = made;
                if opened.is_none() && !beside && !prototype {
                    opened = Some(ix);
                } else {
                    cx.mark(one, ix);
                }
                if !beside {
                    constructions.push((value, declared));
                }
            }
        }
    }
    if let Some(ix) = opened {
        cx.open_plain(ix);
    }
    for (value, declared) in constructions {
        construction(cx, ty, value, &declared);
    }
}

/// The initial value that stands beside the declarator and not in it.
fn value_behind<'t>(node: Node<'t>, declarator: Node<'t>, last: bool) -> Option<Node<'t>> {
    if declarator.kind() == "init_declarator" || !last {
        return None;
    }
    field(node, "value").or_else(|| field(node, "default_value"))
}

/// In code `Foo f(x);` reads like a prototype; it is one when a parameter has a name or is of a built-in type.
fn is_local_call(cx: &Cx<'_>, function: Node<'_>) -> bool {
    if cx.language.name == "c" {
        return false;
    }
    let list = field(function, "parameters").map(named).unwrap_or_default();
    !list.is_empty()
        && list.iter().all(|p| {
            field(*p, "declarator").is_none()
                && field(*p, "type").is_some_and(|t| matches!(t.kind(), "type_identifier" | "qualified_identifier"))
        })
}

/// `Foo f(1)` and `Foo f{1}` construct a `Foo`.
fn construction<'t>(cx: &mut Cx<'t>, ty: Option<Node<'t>>, value: Option<Node<'t>>, declared: &Declared<'t>) {
    let (Some(ty), Some(value)) = (ty, value) else { return };
    let names_type = matches!(ty.kind(), "type_identifier" | "qualified_identifier" | "template_type");
    let listed = matches!(value.kind(), "argument_list" | "initializer_list");
    if !names_type || !listed || declared.shapes > 0 || cx.language.name == "c" {
        return;
    }
    let (Some(name), Some(made)) = (super::expr::last_of(ty), type_expr(cx, ty)) else {
        return;
    };
    let made = bare(cx, made);
    cx.refer(Role::New, made, name, count(named(value).len()));
}

/// Binds the local that a declarator names, or the locals of a structured binding.
pub(super) fn bind_declared<'t>(
    cx: &mut Cx<'t>,
    ty: Option<Node<'t>>,
    declared: &Declared<'t>,
    from: usize,
    value: Option<ExprId>,
) {
    if declared.name.kind() == "structured_binding_declarator" {
        for name in named(declared.name) {
            done(cx, name);
            let text = cx.src(name);
            cx.bind(text, from, None, None);
        }
        return;
    }
    mark_name(cx, declared.name);
    let ty = declared_type(cx, ty, declared);
    let text = cx.src(declared.name);
    cx.bind(text, from, ty, value);
}

/// `auto f = [](…) { … };` in code is a function of that name.
fn named_lambda<'t>(cx: &mut Cx<'t>, node: Node<'t>, declared: &Declared<'t>, lambda: Node<'t>) {
    mark_name(cx, declared.name);
    let ix = cx.define(Kind::Function, node, declared.name);
    let body = field(lambda, "body").map_or(node.end_byte(), |b| b.start_byte());
    sign(cx, ix, node.start_byte(), body);
    doc(cx, ix, node.start_byte());
    flag(cx, ix, SymbolFlags::ASSIGNED);
    cx.mark(lambda, ix);
}

fn variable<'t>(
    cx: &mut Cx<'t>,
    node: Node<'t>,
    declared: &Declared<'t>,
    words: &Words<'t>,
    end: usize,
) -> Option<SymbolIx> {
    let name = written(cx, declared.name)?;
    mark_name(cx, declared.name);
    let member = in_type(cx);
    let fixed = words.has("constexpr") || (words.has("const") && declared.shapes == 0);
    let kind = match (member, fixed) {
        (true, true) if words.has("static") => Kind::Constant,
        (true, _) => Kind::Field,
        (false, true) => Kind::Constant,
        (false, false) => Kind::Variable,
    };
    let id = cx.name_owned(&name.text);
    let line = cx.line(name.last);
    let hidden = !member && name.owner.is_empty() && was_hidden(cx, id);
    let ix = if name.owner.is_empty() {
        cx.define_named(kind, node, id, line)
    } else {
        let owner = chain(cx, name.rooted, &name.owner);
        let parts = name.owner.iter().filter_map(|o| super::expr::last_of(*o));
        let own: Vec<&str> = parts.map(|n| cx.src(n)).collect();
        let mut container = own.join(".");
        let within = cx.within();
        if within != FILE_SYMBOL && !name.rooted {
            container = format!("{}.{container}", cx.facts.qualified(within));
        }
        let ix = cx.define_unbound(Kind::Field, node, id, line);
        cx.set_owner(ix, owner, &container);
        ix
    };
    span(cx, ix, node);
    sign(cx, ix, node.start_byte(), end);
    if words.has("extern") && field(node, "value").is_none() {
        flag(cx, ix, SymbolFlags::DECLARATION);
    }
    match (words.has("static"), member) {
        (true, true) => flag(cx, ix, SymbolFlags::STATIC),
        (true, false) => flag(cx, ix, SymbolFlags::FILE_PRIVATE),
        (false, false) if hidden || types::in_anonymous_namespace(cx, node) => flag(cx, ix, SymbolFlags::FILE_PRIVATE),
        (false, false) => flag(cx, ix, SymbolFlags::EXPORTED),
        _ => {}
    }
    let ty = declared_type(cx, field(node, "type"), declared);
    cx.symbol(ix).ty = ty;
    Some(ix)
}
