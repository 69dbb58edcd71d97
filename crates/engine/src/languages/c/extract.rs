//! Which nodes of C and C++ matter, and what each one does. The two grammars share their kinds; what only C++ has never
//! comes up in C.

use super::declarator;
use super::define;
use super::expr::{describe, is_cast, last_of, qualified, type_expr};
use super::{macros, types};
use crate::extract::{Cx, Extract, Readable, Walk};
use crate::facts::*;
use crate::languages::common::*;
use crate::lexical::ScopeRules;
use tree_sitter::Node;

/// Extraction for C and C++.
pub struct Extraction;

const COMMENT: u16 = 1;
const INCLUDE: u16 = 2;
const MACRO: u16 = 3;
const CONDITION: u16 = 4;
const FUNCTION: u16 = 5;
const DECLARATION: u16 = 6;
const DECLARATOR: u16 = 7;
const SPECIFIER: u16 = 8;
const TYPEDEF: u16 = 9;
const ALIAS: u16 = 10;
const ENUMERATOR: u16 = 11;
const NAMESPACE: u16 = 12;
const NAMESPACE_ALIAS: u16 = 13;
const USING: u16 = 14;
const FRIEND: u16 = 15;
const TEMPLATE: u16 = 16;
const TEMPLATE_PARAMETER: u16 = 17;
const PARAMETERS: u16 = 18;
const PARAMETER: u16 = 19;
const BLOCK: u16 = 20;
const RANGE_FOR: u16 = 21;
const LAMBDA: u16 = 22;
const CAPTURE: u16 = 23;
const CALL: u16 = 24;
const NEW: u16 = 25;
const FIELD: u16 = 26;
const QUALIFIED: u16 = 27;
const IDENTIFIER: u16 = 28;
const TYPE_NAME: u16 = 29;
const FIELD_INITIALIZER: u16 = 30;
const SKIP: u16 = 31;
const CATCH: u16 = 32;

static TABLE: &[(&str, u16)] = &[
    ("comment", COMMENT),
    ("preproc_include", INCLUDE),
    ("preproc_def", MACRO),
    ("preproc_function_def", MACRO),
    ("preproc_ifdef", CONDITION),
    ("preproc_call", SKIP),
    ("function_definition", FUNCTION),
    ("declaration", DECLARATION),
    ("field_declaration", DECLARATION),
    ("init_declarator", DECLARATOR),
    ("pointer_declarator", DECLARATOR),
    ("array_declarator", DECLARATOR),
    ("function_declarator", DECLARATOR),
    ("struct_specifier", SPECIFIER),
    ("class_specifier", SPECIFIER),
    ("union_specifier", SPECIFIER),
    ("enum_specifier", SPECIFIER),
    ("type_definition", TYPEDEF),
    ("alias_declaration", ALIAS),
    ("concept_definition", ALIAS),
    ("enumerator", ENUMERATOR),
    ("namespace_definition", NAMESPACE),
    ("namespace_alias_definition", NAMESPACE_ALIAS),
    ("using_declaration", USING),
    ("friend_declaration", FRIEND),
    ("template_declaration", TEMPLATE),
    ("type_parameter_declaration", TEMPLATE_PARAMETER),
    ("variadic_type_parameter_declaration", TEMPLATE_PARAMETER),
    ("optional_type_parameter_declaration", TEMPLATE_PARAMETER),
    ("parameter_list", PARAMETERS),
    ("parameter_declaration", PARAMETER),
    ("optional_parameter_declaration", PARAMETER),
    ("variadic_parameter_declaration", PARAMETER),
    ("compound_statement", BLOCK),
    ("for_statement", BLOCK),
    ("if_statement", BLOCK),
    ("while_statement", BLOCK),
    ("switch_statement", BLOCK),
    ("catch_clause", CATCH),
    ("for_range_loop", RANGE_FOR),
    ("lambda_expression", LAMBDA),
    ("lambda_capture_initializer", CAPTURE),
    ("call_expression", CALL),
    ("new_expression", NEW),
    ("compound_literal_expression", NEW),
    ("field_expression", FIELD),
    ("qualified_identifier", QUALIFIED),
    ("identifier", IDENTIFIER),
    ("type_identifier", TYPE_NAME),
    ("field_initializer", FIELD_INITIALIZER),
    ("goto_statement", SKIP),
    ("attribute_specifier", SKIP),
    ("ms_declspec_modifier", SKIP),
    ("attribute_declaration", SKIP),
    ("gnu_asm_goto_list", SKIP),
    ("preproc_params", SKIP),
];

impl Extract for Extraction {
    fn table(&self) -> &'static [(&'static str, u16)] {
        TABLE
    }

    fn claims(&self, extension: &str, text: &str) -> bool {
        !matches!(extension, "def" | "inc") || super::fragment::is_c(text)
    }

    fn readable(&self, text: &str) -> Option<Readable> {
        super::blank::readable(text)
    }

    fn finish(&self, cx: &mut Cx<'_>) {
        macros::blanked(cx);
    }

    fn enter<'t>(&self, role: u16, node: Node<'t>, cx: &mut Cx<'t>) -> Walk {
        match role {
            COMMENT => comment(cx, node),
            INCLUDE => {
                if let Some(path) = field(node, "path") {
                    let module = cx.src(path).trim_matches('"');
                    cx.import(ImportKind::Include, module, "", "", node);
                }
                return Walk::Over;
            }
            MACRO => {
                macros::definition(cx, node);
                return Walk::Over;
            }
            CONDITION => include_guard(cx, node),
            FUNCTION => define::function(cx, node),
            DECLARATION => define::declaration(cx, node),
            DECLARATOR => {
                if let Some(ix) = cx.marked(node).filter(|&m| m != DONE) {
                    cx.open_plain(ix);
                }
            }
            SPECIFIER => types::specifier(cx, node),
            TYPEDEF => types::type_definition(cx, node),
            ALIAS => types::alias(cx, node),
            ENUMERATOR => types::enumerator(cx, node),
            NAMESPACE => types::namespace(cx, node),
            NAMESPACE_ALIAS => {
                types::namespace_alias(cx, node);
                return Walk::Over;
            }
            USING => {
                types::using(cx, node);
                return Walk::Over;
            }
            FRIEND => types::friend(cx, node),
            TEMPLATE => template(cx, node),
            TEMPLATE_PARAMETER => {
                if let Some(name) = field(node, "name").or_else(|| child(node, &["type_identifier"])) {
                    done(cx, name);
                }
            }
            PARAMETERS => {
                // The list of the function at hand; any other one belongs to a function type and binds nothing outside.
                if cx.marked(node).is_none() {
                    cx.open_scope(ScopeKind::Block);
                }
                for name in named(node).into_iter().filter(|n| n.kind() == "identifier") {
                    done(cx, name);
                }
            }
            PARAMETER => parameter(cx, node),
            BLOCK if macros::loose_block(cx, node) => {}
            BLOCK => {
                cx.open_scope(ScopeKind::Block);
            }
            CATCH => {
                cx.open_scope(ScopeKind::Block);
                if let Some(list) = field(node, "parameters") {
                    done(cx, list);
                }
            }
            RANGE_FOR => range_for(cx, node),
            LAMBDA => lambda(cx, node),
            CAPTURE => {
                if let (Some(name), Some(value)) = (field(node, "left"), field(node, "right")) {
                    done(cx, name);
                    let value = describe(cx, value);
                    let text = cx.src(name);
                    cx.bind(text, name.start_byte(), None, Some(value));
                }
            }
            CALL => {
                macros::loose_call(cx, node);
                call(cx, node);
            }
            NEW => construct(cx, node),
            FIELD => {
                if let Some(name) = field(node, "field").and_then(last_of) {
                    types::mark_qualified(cx, node);
                    if cx.marked(node).is_none() {
                        let expr = describe(cx, node);
                        cx.refer(Role::Value, expr, name, 255);
                    }
                    done(cx, name);
                }
            }
            QUALIFIED => qualified_use(cx, node),
            IDENTIFIER if cx.marked(node).is_none() => {
                let expr = describe(cx, node);
                cx.refer(Role::Value, expr, node, 255);
            }
            TYPE_NAME if cx.marked(node).is_none() => {
                let expr = cx.name_expr(node);
                cx.refer(Role::Type, expr, node, 255);
            }
            FIELD_INITIALIZER => field_initializer(cx, node),
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

/// `#ifndef X` right before `#define X` guards the file; neither is a use or a definition that anyone looks for.
fn include_guard<'t>(cx: &mut Cx<'t>, node: Node<'t>) {
    let Some(name) = field(node, "name") else { return };
    let next = named(node).into_iter().find(|n| n.id() != name.id());
    if let Some(define) = next.filter(|n| n.kind() == "preproc_def")
        && field(define, "value").is_none()
        && field(define, "name").is_some_and(|d| cx.src(d) == cx.src(name))
    {
        done(cx, name);
        done(cx, define);
    }
}

/// What a template declares begins where the outermost `template` stands.
fn template<'t>(cx: &mut Cx<'t>, node: Node<'t>) {
    let start = cx.marked(node).unwrap_or(node.start_byte() as u32);
    if let Some(inner) = named(node).pop() {
        cx.mark(inner, start);
    }
    if let Some(parameters) = field(node, "parameters") {
        for parameter in named(parameters) {
            cx.mark(parameter, DONE);
            if let Some(declared) = field(parameter, "declarator").and_then(declarator::read) {
                done(cx, declared.name);
            }
        }
    }
}

fn parameter<'t>(cx: &mut Cx<'t>, node: Node<'t>) {
    if cx.marked(node).is_some() {
        return;
    }
    let Some(declared) = field(node, "declarator").and_then(declarator::read) else {
        return;
    };
    let from = declared.name.start_byte();
    if declared.function.is_some() {
        // `int f(int)` as a parameter is a pointer to a function.
        done(cx, declared.name);
        let text = cx.src(declared.name);
        cx.bind(text, from, None, None);
        return;
    }
    define::bind_declared(cx, field(node, "type"), &declared, from, None);
}

fn range_for<'t>(cx: &mut Cx<'t>, node: Node<'t>) {
    let of = field(node, "right").map(|r| describe(cx, r));
    cx.open_scope(ScopeKind::Block);
    let Some(declared) = field(node, "declarator").and_then(declarator::read) else {
        return;
    };
    let ty = field(node, "type");
    let stated = ty.and_then(|t| type_expr(cx, t)).is_some();
    let value = match of {
        Some(of) if !stated => Some(cx.expr(Expr::Element { of })),
        _ => None,
    };
    let from = field(node, "body").map_or(declared.name.end_byte(), |b| b.start_byte());
    define::bind_declared(cx, ty, &declared, from, value);
}

fn lambda<'t>(cx: &mut Cx<'t>, node: Node<'t>) {
    let list = field(node, "declarator").and_then(|d| field(d, "parameters"));
    if let Some(list) = list {
        done(cx, list);
    }
    match cx.marked(node) {
        Some(ix) => {
            let params = list.map_or(Params { min: 0, max: 0 }, |l| declarator::parameter_count(cx, l));
            cx.symbol(ix).params = params;
            cx.open_symbol(ix, ScopeKind::Function);
        }
        None => {
            cx.open_scope(ScopeKind::Function);
        }
    }
}

fn call<'t>(cx: &mut Cx<'t>, node: Node<'t>) {
    let Some(function) = field(node, "function") else {
        return;
    };
    if is_cast(cx, function) {
        if let Some(name) = field(function, "name") {
            done(cx, name);
        }
        return;
    }
    let Some(name) = last_of(function) else { return };
    let args = field(node, "arguments").map_or(255, |a| count(named(a).len()));
    let callee = describe(cx, function);
    types::mark_qualified(cx, function);
    done(cx, function);
    done(cx, name);
    cx.refer(Role::Call, callee, name, args);
    if function.kind() == "qualified_identifier" {
        qualifiers(cx, function);
    }
}

fn construct<'t>(cx: &mut Cx<'t>, node: Node<'t>) {
    let Some(ty) = field(node, "type") else { return };
    let (Some(name), Some(made)) = (last_of(ty), type_expr(cx, ty)) else {
        return;
    };
    let arguments = field(node, "arguments").or_else(|| field(node, "value"));
    let args = arguments.map_or(0, |a| count(named(a).len()));
    types::mark_qualified(cx, ty);
    done(cx, name);
    let made = bare(cx, made);
    cx.refer(Role::New, made, name, args);
}

fn qualified_use<'t>(cx: &mut Cx<'t>, node: Node<'t>) {
    if cx.marked(node).is_some() {
        return;
    }
    let Some(name) = last_of(node) else { return };
    types::mark_qualified(cx, node);
    if cx.marked(name).is_none() {
        done(cx, name);
        let role = if name.kind() == "type_identifier" {
            Role::Type
        } else {
            Role::Value
        };
        let expr = qualified(cx, node);
        cx.refer(role, expr, name, 255);
    }
    qualifiers(cx, node);
}

/// The types that qualify a name are used with it: `Foo` in `Foo::make`. What reads like a namespace is left out.
fn qualifiers<'t>(cx: &mut Cx<'t>, node: Node<'t>) {
    let (rooted, parts) = super::expr::flatten(node);
    for n in 0..parts.len().saturating_sub(1) {
        let part = parts[n];
        if part.kind() == "namespace_identifier" && capital(cx.src(part)) {
            let expr = super::expr::chain(cx, rooted, &parts[..=n]);
            cx.refer(Role::Type, expr, part, 255);
        }
    }
}

/// `: base(x), field(y)` in front of a constructor's body.
fn field_initializer<'t>(cx: &mut Cx<'t>, node: Node<'t>) {
    let Some(target) = first(node) else { return };
    let Some(name) = last_of(target) else { return };
    let arguments = child(node, &["argument_list", "initializer_list"]);
    let args = arguments.map_or(255, |a| count(named(a).len()));
    types::mark_qualified(cx, target);
    done(cx, name);
    let expr = describe(cx, target);
    let owner = cx.within();
    let own = owner != FILE_SYMBOL && {
        let within = &cx.facts.symbols[owner as usize];
        cx.facts.name(within.name) == cx.src(name)
    };
    // The initialiser of a base, or of another constructor of the class, is a call; that of a field sets it.
    let role = if own || capital(cx.src(name)) {
        Role::Call
    } else {
        Role::Value
    };
    cx.refer(role, expr, name, args);
}
