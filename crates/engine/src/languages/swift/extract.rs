//! Which nodes of Swift matter, and what each one does.

use super::define;
use super::expr::{call_parts, describe, name_of, stated, type_expr};
use crate::extract::{Cx, Extract, Walk};
use crate::facts::*;
use crate::languages::common::*;
use crate::lexical::ScopeRules;
use tree_sitter::Node;

/// Extraction for Swift.
pub struct Extraction;

const COMMENT: u16 = 1;
const IMPORT: u16 = 2;
const TYPE_DEFINITION: u16 = 3;
const CALLABLE: u16 = 4;
const PROPERTIES: u16 = 5;
const CASES: u16 = 6;
const ALIAS: u16 = 7;
const ACCESSOR: u16 = 8;
const BLOCK: u16 = 9;
const PARAMETER: u16 = 10;
const TYPE_PARAMETER: u16 = 11;
const LAMBDA: u16 = 12;
const LAMBDA_PARAMETER: u16 = 13;
const CAPTURE: u16 = 14;
const CONDITION: u16 = 15;
const GUARD: u16 = 16;
const FOR: u16 = 17;
const CATCH: u16 = 18;
const SWITCH: u16 = 19;
const SWITCH_PATTERN: u16 = 20;
const PATTERN: u16 = 21;
const CALL: u16 = 22;
const CALL_SUFFIX: u16 = 23;
const NAVIGATION: u16 = 24;
const IDENTIFIER: u16 = 25;
const USER_TYPE: u16 = 26;
const TYPE_NAME: u16 = 27;
const ATTRIBUTE: u16 = 28;
const LABELS: u16 = 29;
const SKIP: u16 = 30;

static TABLE: &[(&str, u16)] = &[
    ("comment", COMMENT),
    ("multiline_comment", COMMENT),
    ("import_declaration", IMPORT),
    ("class_declaration", TYPE_DEFINITION),
    ("protocol_declaration", TYPE_DEFINITION),
    ("function_declaration", CALLABLE),
    ("protocol_function_declaration", CALLABLE),
    ("init_declaration", CALLABLE),
    ("deinit_declaration", CALLABLE),
    ("subscript_declaration", CALLABLE),
    ("property_declaration", PROPERTIES),
    ("protocol_property_declaration", PROPERTIES),
    ("enum_entry", CASES),
    ("typealias_declaration", ALIAS),
    ("associatedtype_declaration", ALIAS),
    ("computed_property", ACCESSOR),
    ("computed_getter", ACCESSOR),
    ("computed_setter", ACCESSOR),
    ("computed_modify", ACCESSOR),
    ("willset_clause", ACCESSOR),
    ("didset_clause", ACCESSOR),
    ("statements", BLOCK),
    ("do_statement", BLOCK),
    ("switch_entry", BLOCK),
    ("repeat_while_statement", BLOCK),
    ("function_type", BLOCK),
    ("parameter", PARAMETER),
    ("type_parameter", TYPE_PARAMETER),
    ("lambda_literal", LAMBDA),
    ("lambda_parameter", LAMBDA_PARAMETER),
    ("capture_list_item", CAPTURE),
    ("if_statement", CONDITION),
    ("while_statement", CONDITION),
    ("guard_statement", GUARD),
    ("for_statement", FOR),
    ("catch_block", CATCH),
    ("switch_statement", SWITCH),
    ("switch_pattern", SWITCH_PATTERN),
    ("pattern", PATTERN),
    ("call_expression", CALL),
    ("constructor_expression", CALL),
    ("call_suffix", CALL_SUFFIX),
    ("constructor_suffix", CALL_SUFFIX),
    ("navigation_expression", NAVIGATION),
    ("prefix_expression", NAVIGATION),
    ("simple_identifier", IDENTIFIER),
    ("user_type", USER_TYPE),
    ("type_identifier", TYPE_NAME),
    ("attribute", ATTRIBUTE),
    ("tuple_expression", LABELS),
    ("tuple_type_item", LABELS),
    ("value_argument_label", SKIP),
    ("identifier", SKIP),
    ("directive", SKIP),
    ("availability_condition", SKIP),
    ("operator_declaration", SKIP),
    ("precedence_group_declaration", SKIP),
];

impl Extract for Extraction {
    fn table(&self) -> &'static [(&'static str, u16)] {
        TABLE
    }

    fn enter<'t>(&self, role: u16, node: Node<'t>, cx: &mut Cx<'t>) -> Walk {
        match role {
            COMMENT => comment(cx, node),
            IMPORT => {
                import(cx, node);
                return Walk::Over;
            }
            TYPE_DEFINITION => define::type_definition(cx, node),
            CALLABLE => define::callable(cx, node),
            PROPERTIES => define::properties(cx, node),
            CASES => define::cases(cx, node),
            ALIAS => define::alias(cx, node),
            ACCESSOR => {
                cx.open_scope(ScopeKind::Function);
                match node.kind() {
                    "computed_setter" | "willset_clause" => cx.bind("newValue", node.start_byte(), None, None),
                    "didset_clause" => cx.bind("oldValue", node.start_byte(), None, None),
                    _ => {}
                }
                if let Some(name) = child(node, &["simple_identifier"]) {
                    bind(cx, name, name.start_byte(), None, None);
                }
            }
            BLOCK => {
                cx.open_scope(ScopeKind::Block);
            }
            PARAMETER => {
                let names: Vec<_> = named(node)
                    .into_iter()
                    .filter(|n| n.kind() == "simple_identifier")
                    .collect();
                for &name in &names {
                    done(cx, name);
                }
                if let Some(&name) = names.last() {
                    let ty = stated(node).map(|t| type_expr(cx, t));
                    let ty = if has_token(node, "...") {
                        ty.map(|t| shape(cx, t))
                    } else {
                        ty
                    };
                    bind(cx, name, name.start_byte(), ty, None);
                    super::closure::parameter(cx, node, ty);
                }
            }
            TYPE_PARAMETER => {
                if let Some(name) = child(node, &["type_identifier"]) {
                    let bound = stated(node).map(|t| type_expr(cx, t));
                    bind(cx, name, 0, bound, None);
                }
            }
            LAMBDA => {
                let expected = super::closure::expected(cx, node);
                cx.open_scope(ScopeKind::Function);
                super::closure::give(cx, node, expected);
            }
            LAMBDA_PARAMETER => {
                if let Some(name) = field(node, "name").filter(|n| n.kind() == "simple_identifier") {
                    let ty = stated(node).map(|t| type_expr(cx, t));
                    let value = cx.described.get(&node.id()).copied().filter(|_| ty.is_none());
                    bind(cx, name, name.start_byte(), ty, value);
                }
            }
            CAPTURE => {
                if let Some(name) = field(node, "name") {
                    done(cx, name);
                    if let Some(value) = field(node, "value") {
                        let value = describe(cx, value);
                        bind(cx, name, node.end_byte(), None, Some(value));
                    }
                }
            }
            CONDITION => {
                cx.open_scope(ScopeKind::Block);
                conditions(cx, node);
            }
            GUARD => conditions(cx, node),
            FOR => for_loop(cx, node),
            CATCH => {
                cx.open_scope(ScopeKind::Block);
                cx.bind("error", node.start_byte(), None, None);
            }
            SWITCH => {
                if let Some(of) = field(node, "expr") {
                    let of = describe(cx, of);
                    for entry in named(node).into_iter().filter(|n| n.kind() == "switch_entry") {
                        for pattern in named(entry).into_iter().filter(|n| n.kind() == "switch_pattern") {
                            cx.mark(pattern, of);
                        }
                    }
                }
            }
            SWITCH_PATTERN => enum_case(cx, node),
            PATTERN => pattern(cx, node),
            CALL => call(cx, node),
            CALL_SUFFIX => {
                for label in named(node).into_iter().filter(|n| n.kind() == "simple_identifier") {
                    done(cx, label);
                }
            }
            NAVIGATION => {
                if let Some(name) = name_of(node)
                    && cx.marked(name).is_none()
                {
                    done(cx, name);
                    if cx.src(name) != "self" {
                        let expr = describe(cx, node);
                        cx.refer(Role::Value, expr, name, 255);
                    }
                }
            }
            IDENTIFIER => {
                let text = cx.src(node);
                if cx.marked(node).is_none() && !text.starts_with('$') && !matches!(text, "_" | "Self") {
                    let expr = describe(cx, node);
                    cx.refer(Role::Value, expr, node, 255);
                }
            }
            USER_TYPE => user_type(cx, node),
            TYPE_NAME if cx.marked(node).is_none() && cx.src(node) != "Self" => {
                let expr = cx.name_expr(node);
                cx.refer(Role::Type, expr, node, 255);
            }
            ATTRIBUTE => {
                if let Some(ty) = child(node, &["user_type"])
                    && let Some(name) = name_of(ty)
                {
                    let expr = type_expr(cx, ty);
                    let expr = bare(cx, expr);
                    done(cx, ty);
                    cx.refer(Role::Decorator, expr, name, 255);
                }
            }
            LABELS => {
                for name in fields(node, "name") {
                    if name.kind() == "simple_identifier" {
                        done(cx, name);
                    }
                }
            }
            SKIP => return Walk::Over,
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

/// An import makes all names of a module known; `import struct M.N` one of them.
fn import<'t>(cx: &mut Cx<'t>, node: Node<'t>) {
    let Some(path) = child(node, &["identifier"]) else {
        return;
    };
    let path = dotted(cx.src(path));
    let single = ["struct", "class", "enum", "protocol", "func", "var", "let", "typealias"];
    match path.rsplit_once('.') {
        Some((module, name)) if single.iter().any(|w| has_token(node, w)) => {
            cx.import(ImportKind::Name, module, name, name, node);
        }
        _ => {
            cx.import(ImportKind::Star, &path, "", "", node);
        }
    }
}

/// `if let x = y`, `guard let x`: binds what the conditions name.
fn conditions<'t>(cx: &mut Cx<'t>, node: Node<'t>) {
    let parts = all(node);
    let mut cursor = node.walk();
    let mut names = Vec::new();
    for (n, part) in node.children(&mut cursor).enumerate() {
        if part.kind() == "simple_identifier" && n > 0 && parts[n - 1].kind() == "value_binding_pattern" {
            names.push((n, part));
        }
    }
    for (n, name) in names {
        let value = match parts.get(n + 1).map(|p| p.kind()) {
            Some("=") => parts.get(n + 2).copied(),
            Some("type_annotation") => parts.get(n + 3).copied(),
            _ => None,
        };
        let ty = parts
            .get(n + 1)
            .filter(|p| p.kind() == "type_annotation")
            .and_then(|t| stated(*t));
        let ty = ty.map(|t| type_expr(cx, t));
        done(cx, name);
        if cx.src(name) == "self" {
            continue;
        }
        let (described, from) = match value {
            Some(value) => (describe(cx, value), value.end_byte()),
            None => (cx.name_expr(name), name.end_byte()),
        };
        bind(cx, name, from, ty, Some(described));
    }
}

fn for_loop<'t>(cx: &mut Cx<'t>, node: Node<'t>) {
    let over = field(node, "collection");
    let of = over.map(|o| describe(cx, o));
    cx.open_scope(ScopeKind::Block);
    let Some(item) = field(node, "item") else { return };
    if let Some(name) = field(item, "bound_identifier") {
        done(cx, item);
        let ty = child(node, &["type_annotation"])
            .and_then(stated)
            .map(|t| type_expr(cx, t));
        let value = match (ty, of) {
            (None, Some(of)) => Some(cx.expr(Expr::Element { of })),
            _ => None,
        };
        bind(cx, name, over.map_or(name.end_byte(), |o| o.end_byte()), ty, value);
    }
}

/// `case .on` names a case of what the `switch` is about.
fn enum_case<'t>(cx: &mut Cx<'t>, node: Node<'t>) {
    let (Some(of), Some(pattern)) = (cx.marked(node), first(node)) else {
        return;
    };
    let parts = all(pattern);
    for pair in parts.windows(2) {
        if pair[0].kind() == "." && pair[1].kind() == "simple_identifier" {
            done(cx, pair[1]);
            let text = cx.src(pair[1]);
            let expr = cx.member_expr(of, text);
            cx.refer(Role::Value, expr, pair[1], 255);
            return;
        }
    }
}

/// A pattern binds its name; `let x as Foo` gives it a type.
fn pattern<'t>(cx: &mut Cx<'t>, node: Node<'t>) {
    let word = cx.marked(node);
    if word == Some(DONE) {
        return;
    }
    if has_token(node, "as")
        && let (Some(inner), Some(ty)) = (child(node, &["pattern"]), stated(node))
    {
        let ty = type_expr(cx, ty);
        cx.mark(inner, ty);
    }
    if let Some(name) = field(node, "bound_identifier") {
        bind(cx, name, name.end_byte(), word, None);
    }
}

fn call<'t>(cx: &mut Cx<'t>, node: Node<'t>) {
    let Some((callee, args, subscript)) = call_parts(node) else {
        return;
    };
    let Some(name) = name_of(callee).filter(|_| !subscript) else {
        return;
    };
    done(cx, name);
    if callee.kind() == "user_type" {
        done(cx, callee);
    }
    let expr = describe(cx, callee);
    cx.refer(Role::Call, expr, name, args);
}

fn user_type<'t>(cx: &mut Cx<'t>, node: Node<'t>) {
    let told = cx.marked(node).is_some();
    let names: Vec<_> = named(node)
        .into_iter()
        .filter(|n| n.kind() == "type_identifier")
        .collect();
    for &name in &names {
        done(cx, name);
    }
    let Some((&last, outer)) = names.split_last() else {
        return;
    };
    if !told && cx.src(last) != "Self" {
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
        cx.refer(Role::Type, expr, part, 255);
    }
}
