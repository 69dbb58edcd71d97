//! Which nodes of Kotlin matter, and what each one does.

use super::define;
use super::expr::{TYPES, call_parts, describe, name_of, super_type, type_expr};
use crate::extract::{Cx, Extract, Walk};
use crate::facts::*;
use crate::languages::common::*;
use crate::lexical::ScopeRules;
use tree_sitter::Node;

/// Extraction for Kotlin.
pub struct Extraction;

const COMMENT: u16 = 1;
const PACKAGE: u16 = 2;
const IMPORT: u16 = 3;
const TYPE_DEFINITION: u16 = 4;
const CLASS_BODY: u16 = 5;
const CLASS_PARAMETER: u16 = 6;
const ENUM_ENTRY: u16 = 7;
const FUNCTION: u16 = 8;
const CONSTRUCTOR: u16 = 9;
const INITIALIZER: u16 = 10;
const PROPERTY: u16 = 11;
const ALIAS: u16 = 12;
const FUNCTION_SCOPE: u16 = 13;
const BLOCK: u16 = 14;
const PARAMETER: u16 = 15;
const VARIABLE: u16 = 16;
const TYPE_PARAMETER: u16 = 17;
const FOR: u16 = 18;
const CATCH: u16 = 19;
const IF: u16 = 20;
const WHEN: u16 = 21;
const WHEN_ENTRY: u16 = 22;
const CALL: u16 = 23;
const INFIX: u16 = 24;
const CONSTRUCTED: u16 = 25;
const DELEGATION_CALL: u16 = 26;
const NAVIGATION: u16 = 27;
const IDENTIFIER: u16 = 28;
const USER_TYPE: u16 = 29;
const ANNOTATION: u16 = 30;
const ARGUMENT: u16 = 31;
const STRING: u16 = 32;
const LABELLED: u16 = 33;
const THIS: u16 = 34;
const SETTER: u16 = 35;
const CONSTRAINT: u16 = 36;

static TABLE: &[(&str, u16)] = &[
    ("line_comment", COMMENT),
    ("block_comment", COMMENT),
    ("package_header", PACKAGE),
    ("import", IMPORT),
    ("class_declaration", TYPE_DEFINITION),
    ("object_declaration", TYPE_DEFINITION),
    ("companion_object", TYPE_DEFINITION),
    ("class_body", CLASS_BODY),
    ("class_parameter", CLASS_PARAMETER),
    ("enum_entry", ENUM_ENTRY),
    ("function_declaration", FUNCTION),
    ("secondary_constructor", CONSTRUCTOR),
    ("anonymous_initializer", INITIALIZER),
    ("property_declaration", PROPERTY),
    ("type_alias", ALIAS),
    ("lambda_literal", FUNCTION_SCOPE),
    ("anonymous_function", FUNCTION_SCOPE),
    ("getter", FUNCTION_SCOPE),
    ("setter", SETTER),
    ("function_type", BLOCK),
    ("block", BLOCK),
    ("while_statement", BLOCK),
    ("parameter", PARAMETER),
    ("variable_declaration", VARIABLE),
    ("type_parameter", TYPE_PARAMETER),
    ("type_constraint", CONSTRAINT),
    ("for_statement", FOR),
    ("catch_block", CATCH),
    ("if_expression", IF),
    ("when_expression", WHEN),
    ("when_entry", WHEN_ENTRY),
    ("call_expression", CALL),
    ("infix_expression", INFIX),
    ("constructor_invocation", CONSTRUCTED),
    ("constructor_delegation_call", DELEGATION_CALL),
    ("navigation_expression", NAVIGATION),
    ("callable_reference", NAVIGATION),
    ("identifier", IDENTIFIER),
    ("user_type", USER_TYPE),
    ("annotation", ANNOTATION),
    ("value_argument", ARGUMENT),
    ("string_content", STRING),
    ("return_expression", LABELLED),
    ("this_expression", THIS),
    ("super_expression", THIS),
];

impl Extract for Extraction {
    fn table(&self) -> &'static [(&'static str, u16)] {
        TABLE
    }

    fn enter<'t>(&self, role: u16, node: Node<'t>, cx: &mut Cx<'t>) -> Walk {
        match role {
            COMMENT => comment(cx, node),
            PACKAGE => {
                if let Some(name) = first(node) {
                    cx.facts.package = dotted(cx.src(name)).replace('`', "").into();
                }
                return Walk::Over;
            }
            IMPORT => {
                import(cx, node);
                return Walk::Over;
            }
            TYPE_DEFINITION => define::type_definition(cx, node),
            CLASS_BODY if cx.marked(node).is_none() => {
                cx.open_scope(ScopeKind::Type);
            }
            CLASS_PARAMETER => {
                if let Some(ix) = cx.marked(node) {
                    cx.open_plain(ix);
                }
            }
            ENUM_ENTRY => define::enum_entry(cx, node),
            FUNCTION => define::function(cx, node),
            CONSTRUCTOR => define::constructor(cx, node),
            INITIALIZER => define::initializer(cx, node),
            PROPERTY => define::property(cx, node),
            ALIAS => define::alias(cx, node),
            FUNCTION_SCOPE => {
                cx.open_scope(ScopeKind::Function);
            }
            SETTER => {
                cx.open_scope(ScopeKind::Function);
                if let Some(name) = child(node, &["identifier"]) {
                    bind(cx, name, name.start_byte(), None, None);
                }
            }
            BLOCK => {
                cx.open_scope(ScopeKind::Block);
            }
            PARAMETER => {
                if let Some(name) = child(node, &["identifier"]) {
                    let ty = child(node, TYPES).map(|t| type_expr(cx, t));
                    // The value of a function is described before its parameters are met.
                    bind(cx, name, 0, ty, None);
                }
            }
            VARIABLE => {
                if cx.marked(node).is_none()
                    && let Some(name) = child(node, &["identifier"])
                {
                    let ty = child(node, TYPES).map(|t| type_expr(cx, t));
                    // `when (val n = n())`: the value does not see the variable.
                    let subject = cx.parent().filter(|p| p.kind() == "when_subject");
                    bind(cx, name, subject.map_or(name.start_byte(), |s| s.end_byte()), ty, None);
                }
            }
            TYPE_PARAMETER => {
                if let Some(name) = child(node, &["identifier"]) {
                    let bound = child(node, TYPES).map(|t| type_expr(cx, t));
                    bind(cx, name, 0, bound, None);
                }
            }
            CONSTRAINT => {
                if let Some(name) = child(node, &["identifier"]) {
                    done(cx, name);
                }
            }
            FOR => for_loop(cx, node),
            CATCH => {
                cx.open_scope(ScopeKind::Block);
                if let Some(name) = child(node, &["identifier"]) {
                    let ty = child(node, TYPES).map(|t| type_expr(cx, t));
                    bind(cx, name, name.start_byte(), ty, None);
                }
            }
            IF => smart_cast_if(cx, node),
            WHEN => {
                let subject = child(node, &["when_subject"]).and_then(first);
                cx.open_scope(ScopeKind::Block);
                let subject = subject.and_then(|s| match s.kind() {
                    "variable_declaration" => child(s, &["identifier"]),
                    "identifier" => Some(s),
                    _ => None,
                });
                if let Some(subject) = subject {
                    let name = cx.name(cx.src(subject));
                    for entry in named(node).into_iter().filter(|n| n.kind() == "when_entry") {
                        cx.mark(entry, name);
                    }
                }
            }
            WHEN_ENTRY => when_entry(cx, node),
            CALL => call(cx, node),
            INFIX => {
                if let [_, name, _] = named(node)[..]
                    && let Expr::Call { callee, args } = described_call(cx, node)
                {
                    done(cx, name);
                    cx.refer(Role::Call, callee, name, args);
                }
            }
            CONSTRUCTED => constructed(cx, node),
            DELEGATION_CALL => delegation_call(cx, node),
            NAVIGATION => {
                if let Some(name) = name_of(node)
                    && cx.marked(name).is_none()
                {
                    done(cx, name);
                    let expr = describe(cx, node);
                    cx.refer(Role::Value, expr, name, 255);
                }
            }
            IDENTIFIER
                if cx.marked(node).is_none() && !matches!(cx.src(node), "null" | "true" | "false" | "it" | "field") =>
            {
                let expr = describe(cx, node);
                cx.refer(Role::Value, expr, node, 255);
            }
            USER_TYPE => user_type(cx, node),
            ANNOTATION => {
                if let Some(name) = define::annotation_name(node) {
                    let inner = child(node, &["constructor_invocation", "user_type"]);
                    if let Some(ty) = inner.and_then(super_type) {
                        let expr = type_expr(cx, ty);
                        let expr = bare(cx, expr);
                        done(cx, ty);
                        cx.refer(Role::Decorator, expr, name, 255);
                    }
                    if let Some(inner) = inner {
                        done(cx, inner);
                    }
                }
            }
            ARGUMENT => {
                if has_token(node, "=")
                    && let Some(name) = first(node).filter(|n| n.kind() == "identifier")
                {
                    done(cx, name);
                }
            }
            STRING => interpolated_name(cx, node),
            LABELLED => {
                if let Some(label) = field(node, "label") {
                    done(cx, label);
                }
            }
            THIS => {
                if let Some(label) = first(node).filter(|n| n.kind() == "identifier") {
                    done(cx, label);
                }
            }
            _ => {}
        }
        Walk::Into
    }

    fn scope_rules(&self) -> ScopeRules {
        ScopeRules {
            type_scopes_visible: true,
            hoisted: false,
        }
    }
}

fn import<'t>(cx: &mut Cx<'t>, node: Node<'t>) {
    let Some(path) = child(node, &["qualified_identifier"]) else {
        return;
    };
    let path = dotted(cx.src(path)).replace('`', "");
    if has_token(node, "*") {
        cx.import(ImportKind::Star, &path, "", "", node);
        return;
    }
    let (module, name) = path.rsplit_once('.').unwrap_or(("", &path));
    let alias = child(node, &["identifier"]).map_or(name, |a| cx.src(a));
    cx.import(ImportKind::Name, module, name, alias, node);
}

fn for_loop<'t>(cx: &mut Cx<'t>, node: Node<'t>) {
    let parts = all(node);
    let over = parts
        .iter()
        .position(|n| n.kind() == "in")
        .and_then(|at| parts.get(at + 1).copied());
    let of = over.map(|o| describe(cx, o));
    cx.open_scope(ScopeKind::Block);
    if let Some(variable) = child(node, &["variable_declaration"])
        && let Some(name) = child(variable, &["identifier"])
    {
        done(cx, variable);
        let ty = child(variable, TYPES).map(|t| type_expr(cx, t));
        let value = match (ty, of) {
            (None, Some(of)) => Some(cx.expr(Expr::Element { of })),
            _ => None,
        };
        let from = over.map_or(name.end_byte(), |o| o.end_byte());
        bind(cx, name, from, ty, value);
    }
}

/// `if (x is Foo …)` makes `x` a `Foo`, as far as `x` is a local.
fn smart_cast_if<'t>(cx: &mut Cx<'t>, node: Node<'t>) {
    cx.open_scope(ScopeKind::Block);
    let mut condition = field(node, "condition");
    while let Some(part) = condition {
        let test = match part.kind() {
            "binary_expression" if field(part, "operator").is_some_and(|o| o.kind() == "&&") => {
                condition = field(part, "left");
                field(part, "right")
            }
            _ => {
                condition = None;
                Some(part)
            }
        };
        let Some(test) = test.filter(|t| t.kind() == "is_expression" && !has_token(*t, "!is")) else {
            continue;
        };
        if let (Some(left), Some(ty)) = (field(test, "left"), field(test, "right"))
            && left.kind() == "identifier"
            && is_local(cx, cx.src(left))
        {
            let ty = type_expr(cx, ty);
            let text = cx.src(left);
            cx.bind(text, test.end_byte(), Some(ty), None);
        }
    }
}

/// `is Foo ->` makes the subject of a `when` a `Foo`, as far as it is a local.
fn when_entry<'t>(cx: &mut Cx<'t>, node: Node<'t>) {
    cx.open_scope(ScopeKind::Block);
    let Some(subject) = cx.marked(node) else { return };
    let tests = fields(node, "condition");
    if let [test] = tests[..]
        && test.kind() == "type_test"
        && !has_token(test, "!is")
        && let Some(ty) = child(test, TYPES)
    {
        let name = cx.facts.name(subject).to_owned();
        if is_bound_local(cx, subject) {
            let ty = type_expr(cx, ty);
            let scope = cx.scope();
            let id = cx.name_owned(&name);
            let to = Bound::Local {
                ty: Some(ty),
                value: None,
            };
            cx.add_binding(scope, id, test.end_byte() as u32, to);
        }
    }
}

fn is_bound_local(cx: &Cx<'_>, name: NameId) -> bool {
    let mut scope = Some(cx.scope());
    while let Some(at) = scope {
        if let Some(bound) = cx.bound(at, name) {
            return matches!(bound, Bound::Local { .. });
        }
        scope = cx.facts.scopes[at as usize].parent;
    }
    false
}

fn described_call<'t>(cx: &mut Cx<'t>, node: Node<'t>) -> Expr {
    let whole = describe(cx, node);
    cx.facts.exprs[whole as usize]
}

fn call<'t>(cx: &mut Cx<'t>, node: Node<'t>) {
    if cx.marked(node).is_some() {
        return;
    }
    let Some((callee, args)) = call_parts(node) else { return };
    // `f(x) { … }` is one call in two nodes.
    let mut inner = first(node).filter(|n| n.kind() == "call_expression" && n.id() != callee.id());
    while let Some(call) = inner {
        done(cx, call);
        inner = first(call).filter(|n| n.kind() == "call_expression" && n.id() != callee.id());
    }
    let Some(name) = name_of(callee) else { return };
    done(cx, name);
    let expr = describe(cx, callee);
    cx.refer(Role::Call, expr, name, args);
}

/// `Base(x)` outside a header of a class: an object without a name, or an annotation.
fn constructed<'t>(cx: &mut Cx<'t>, node: Node<'t>) {
    if cx.marked(node).is_some() {
        return;
    }
    let Some(ty) = first(node) else { return };
    let Some(name) = name_of(ty) else { return };
    done(cx, ty);
    let described = type_expr(cx, ty);
    let made = bare(cx, described);
    let args = child(node, &["value_arguments"]).map_or(0, |a| count(named(a).len()));
    cx.refer(Role::New, made, name, args);
}

/// `: this(…)` and `: super(…)` call another constructor.
fn delegation_call<'t>(cx: &mut Cx<'t>, node: Node<'t>) {
    let args = child(node, &["value_arguments"]).map_or(255, |a| count(named(a).len()));
    let scope = cx.scope();
    let own = cx.enclosing_type();
    let (expr, name) = if has_token(node, "super") {
        let base = own.and_then(|t| cx.facts.symbols[t as usize].supers.first().copied());
        (Expr::Super { scope }, base.and_then(|s| last_name(cx, s.ty)))
    } else {
        (Expr::This { scope }, own.map(|t| cx.facts.symbols[t as usize].name))
    };
    let Some(name) = name else { return };
    let expr = cx.expr(expr);
    let line = cx.line(node);
    cx.refer_named(Role::Call, expr, name, line, args);
}

fn user_type<'t>(cx: &mut Cx<'t>, node: Node<'t>) {
    let told = cx.marked(node).is_some();
    let names: Vec<_> = named(node).into_iter().filter(|n| n.kind() == "identifier").collect();
    for &name in &names {
        done(cx, name);
    }
    let Some((&last, outer)) = names.split_last() else {
        return;
    };
    if !told {
        let described = type_expr(cx, node);
        let expr = bare(cx, described);
        cx.refer(Role::Type, expr, last, 255);
    }
    let mut base = None;
    for &part in outer {
        let text = cx.src(part);
        let expr = match base {
            Some(base) => cx.member_expr(base, text),
            None => cx.name_expr(part),
        };
        base = Some(expr);
        if capital(text) {
            cx.refer(Role::Type, expr, part, 255);
        }
    }
}

/// `$name` in a string: the grammar leaves the name in the text behind the sign.
fn interpolated_name<'t>(cx: &mut Cx<'t>, node: Node<'t>) {
    let text = cx.src(node);
    if !cx
        .text
        .get(..node.start_byte())
        .is_some_and(|before| before.ends_with('$'))
    {
        return;
    }
    let end = text
        .find(|c: char| !c.is_alphanumeric() && c != '_')
        .unwrap_or(text.len());
    let name = &text[..end];
    if name.is_empty() || name.starts_with(|c: char| c.is_numeric()) || name == "it" {
        return;
    }
    let id = cx.name(name);
    let expr = cx.name_expr_of(name, node.start_byte());
    let line = cx.line(node);
    cx.refer_named(Role::Value, expr, id, line, 255);
}
