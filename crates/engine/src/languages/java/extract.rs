//! Which nodes of Java matter, and what each one does.

use super::define;
use super::expr::{describe, type_expr};
use crate::extract::{Cx, Extract, Walk};
use crate::facts::*;
use crate::languages::common::*;
use crate::lexical::ScopeRules;
use tree_sitter::Node;

/// Extraction for Java.
pub struct Extraction;

const COMMENT: u16 = 1;
const PACKAGE: u16 = 2;
const IMPORT: u16 = 3;
const TYPE_DEFINITION: u16 = 4;
const CALLABLE: u16 = 5;
const FIELDS: u16 = 6;
const ENUM_CONSTANT: u16 = 7;
const DECLARATOR: u16 = 8;
const LOCALS: u16 = 9;
const PARAMETER: u16 = 10;
const SPREAD: u16 = 11;
const LAMBDA: u16 = 12;
const BLOCK: u16 = 13;
const FOR_EACH: u16 = 14;
const CATCH_PARAMETER: u16 = 15;
const RESOURCE: u16 = 16;
const INSTANCEOF: u16 = 17;
const TYPE_PATTERN: u16 = 18;
const RECORD_PATTERN: u16 = 19;
const TYPE_PARAMETER: u16 = 20;
const CALL: u16 = 21;
const NEW: u16 = 22;
const SELF_CALL: u16 = 23;
const FIELD_ACCESS: u16 = 24;
const METHOD_REFERENCE: u16 = 25;
const IDENTIFIER: u16 = 26;
const TYPE_NAME: u16 = 27;
const SCOPED_TYPE: u16 = 28;
const ANNOTATION: u16 = 29;
const PAIR: u16 = 30;
const LABEL: u16 = 31;
const SWITCH_LABEL: u16 = 32;
const SWITCH: u16 = 33;
const CLASS_BODY: u16 = 34;
const SKIP: u16 = 35;

static TABLE: &[(&str, u16)] = &[
    ("line_comment", COMMENT),
    ("block_comment", COMMENT),
    ("package_declaration", PACKAGE),
    ("import_declaration", IMPORT),
    ("module_declaration", SKIP),
    ("class_declaration", TYPE_DEFINITION),
    ("interface_declaration", TYPE_DEFINITION),
    ("enum_declaration", TYPE_DEFINITION),
    ("record_declaration", TYPE_DEFINITION),
    ("annotation_type_declaration", TYPE_DEFINITION),
    ("method_declaration", CALLABLE),
    ("constructor_declaration", CALLABLE),
    ("compact_constructor_declaration", CALLABLE),
    ("annotation_type_element_declaration", CALLABLE),
    ("field_declaration", FIELDS),
    ("constant_declaration", FIELDS),
    ("enum_constant", ENUM_CONSTANT),
    ("class_body", CLASS_BODY),
    ("variable_declarator", DECLARATOR),
    ("local_variable_declaration", LOCALS),
    ("formal_parameter", PARAMETER),
    ("spread_parameter", SPREAD),
    ("receiver_parameter", SKIP),
    ("lambda_expression", LAMBDA),
    ("block", BLOCK),
    ("for_statement", BLOCK),
    ("try_with_resources_statement", BLOCK),
    ("catch_clause", BLOCK),
    ("switch_block_statement_group", BLOCK),
    ("switch_rule", BLOCK),
    ("enhanced_for_statement", FOR_EACH),
    ("catch_formal_parameter", CATCH_PARAMETER),
    ("resource", RESOURCE),
    ("instanceof_expression", INSTANCEOF),
    ("type_pattern", TYPE_PATTERN),
    ("record_pattern_component", TYPE_PATTERN),
    ("record_pattern", RECORD_PATTERN),
    ("type_parameter", TYPE_PARAMETER),
    ("method_invocation", CALL),
    ("object_creation_expression", NEW),
    ("explicit_constructor_invocation", SELF_CALL),
    ("field_access", FIELD_ACCESS),
    ("method_reference", METHOD_REFERENCE),
    ("identifier", IDENTIFIER),
    ("type_identifier", TYPE_NAME),
    ("scoped_type_identifier", SCOPED_TYPE),
    ("annotation", ANNOTATION),
    ("marker_annotation", ANNOTATION),
    ("element_value_pair", PAIR),
    ("labeled_statement", LABEL),
    ("break_statement", SKIP),
    ("continue_statement", SKIP),
    ("switch_expression", SWITCH),
    ("switch_label", SWITCH_LABEL),
];

impl Extract for Extraction {
    fn table(&self) -> &'static [(&'static str, u16)] {
        TABLE
    }

    fn enter<'t>(&self, role: u16, node: Node<'t>, cx: &mut Cx<'t>) -> Walk {
        match role {
            COMMENT => comment(cx, node),
            PACKAGE => {
                if let Some(name) = child(node, &["identifier", "scoped_identifier"]) {
                    cx.facts.package = dotted(cx.src(name)).into();
                }
                return Walk::Over;
            }
            IMPORT => {
                import(cx, node);
                return Walk::Over;
            }
            SKIP => return Walk::Over,
            TYPE_DEFINITION => define::type_definition(cx, node),
            CALLABLE => define::callable(cx, node),
            FIELDS => define::fields(cx, node),
            ENUM_CONSTANT => define::enum_constant(cx, node),
            // The body of a definition is its scope already; any other body is that of an anonymous class.
            CLASS_BODY if cx.marked(node).is_none() => {
                cx.open_scope(ScopeKind::Type);
            }
            DECLARATOR => {
                if let Some(ix) = cx.marked(node) {
                    cx.open_plain(ix);
                }
            }
            LOCALS => locals(cx, node),
            // A component of a record is a field of it.
            PARAMETER if cx.marked(node).is_some() => {
                let ix = cx.marked(node).unwrap_or(FILE_SYMBOL);
                cx.open_plain(ix);
            }
            PARAMETER => {
                let ty = field(node, "type").map(|t| type_expr(cx, t));
                if let Some(name) = field(node, "name") {
                    let ty = with_dimensions(cx, node, ty);
                    bind(cx, name, name.start_byte(), ty, None);
                }
            }
            SPREAD => spread(cx, node),
            LAMBDA => {
                cx.open_scope(ScopeKind::Function);
                if let Some(parameters) = field(node, "parameters") {
                    let names = match parameters.kind() {
                        "identifier" => vec![parameters],
                        "inferred_parameters" => named(parameters),
                        _ => Vec::new(),
                    };
                    for name in names {
                        bind(cx, name, name.start_byte(), None, None);
                    }
                }
            }
            BLOCK => {
                cx.open_scope(ScopeKind::Block);
            }
            FOR_EACH => for_each(cx, node),
            CATCH_PARAMETER => {
                let types: Vec<_> = child(node, &["catch_type"]).map(named).unwrap_or_default();
                let ty = either_type(cx, &types);
                if let Some(name) = field(node, "name") {
                    bind(cx, name, name.start_byte(), ty, None);
                }
            }
            RESOURCE => {
                if let Some(name) = field(node, "name") {
                    let ty = field(node, "type").filter(|t| cx.src(*t) != "var");
                    let ty = ty.map(|t| type_expr(cx, t));
                    let value = field(node, "value").map(|v| describe(cx, v));
                    bind(cx, name, node.end_byte(), ty, value);
                }
            }
            INSTANCEOF => {
                if let (Some(name), Some(ty)) = (field(node, "name"), field(node, "right")) {
                    let ty = type_expr(cx, ty);
                    bind(cx, name, name.start_byte(), Some(ty), None);
                }
            }
            TYPE_PATTERN => {
                let parts = named(node);
                if let [ty, name] = parts[..] {
                    let ty = (cx.src(ty) != "var").then(|| type_expr(cx, ty));
                    bind(cx, name, name.start_byte(), ty, None);
                }
            }
            RECORD_PATTERN => {
                if let Some(name) = first(node).filter(|n| n.kind() == "identifier") {
                    done(cx, name);
                    let ty = cx.name_expr(name);
                    cx.refer(Role::Type, ty, name, 255);
                }
            }
            TYPE_PARAMETER => type_parameter(cx, node),
            CALL => call(cx, node),
            NEW => construct(cx, node),
            SELF_CALL => self_call(cx, node),
            FIELD_ACCESS => {
                if let Some(name) = field(node, "field").filter(|f| f.kind() == "identifier") {
                    done(cx, name);
                    let expr = describe(cx, node);
                    cx.refer(Role::Value, expr, name, 255);
                }
            }
            METHOD_REFERENCE => method_reference(cx, node),
            IDENTIFIER if cx.marked(node).is_none() => {
                let expr = describe(cx, node);
                cx.refer(Role::Value, expr, node, 255);
            }
            TYPE_NAME if cx.marked(node).is_none() && cx.src(node) != "var" => {
                let expr = cx.name_expr(node);
                cx.refer(Role::Type, expr, node, 255);
            }
            SCOPED_TYPE => scoped_type(cx, node),
            ANNOTATION => annotation(cx, node),
            PAIR => {
                if let Some(key) = field(node, "key") {
                    done(cx, key);
                }
            }
            LABEL => {
                if let Some(label) = first(node) {
                    done(cx, label);
                }
            }
            SWITCH => {
                if let (Some(body), Some(of)) = (field(node, "body"), field(node, "condition")) {
                    let of = describe(cx, of);
                    let labels = named(body).into_iter().flat_map(named);
                    for label in labels.filter(|l| l.kind() == "switch_label") {
                        cx.mark(label, of);
                    }
                }
            }
            SWITCH_LABEL => switch_label(cx, node),
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

/// `Foo x[]` is an array of `Foo`.
pub(super) fn with_dimensions<'t>(cx: &mut Cx<'t>, node: Node<'t>, ty: Option<ExprId>) -> Option<ExprId> {
    match (ty, field(node, "dimensions")) {
        (Some(ty), Some(_)) => Some(shape(cx, ty)),
        _ => ty,
    }
}

fn either_type<'t>(cx: &mut Cx<'t>, types: &[Node<'t>]) -> Option<ExprId> {
    let mut found = None;
    for &one in types.iter().take(8) {
        let ty = type_expr(cx, one);
        found = Some(match found {
            Some(before) => cx.expr(Expr::Either(before, ty)),
            None => ty,
        });
    }
    found
}

fn import<'t>(cx: &mut Cx<'t>, node: Node<'t>) {
    let Some(path) = child(node, &["identifier", "scoped_identifier"]) else {
        return;
    };
    let path = dotted(cx.src(path));
    if child(node, &["asterisk"]).is_some() {
        cx.import(ImportKind::Star, &path, "", "", node);
    } else {
        let (module, name) = path.rsplit_once('.').unwrap_or(("", &path));
        cx.import(ImportKind::Name, module, name, name, node);
    }
}

fn locals<'t>(cx: &mut Cx<'t>, node: Node<'t>) {
    let stated = field(node, "type").filter(|t| cx.src(*t) != "var");
    let ty = stated.map(|t| type_expr(cx, t));
    for declarator in fields(node, "declarator") {
        let Some(name) = field(declarator, "name") else {
            continue;
        };
        let value = field(declarator, "value").map(|v| describe(cx, v));
        let ty = with_dimensions(cx, declarator, ty);
        bind(cx, name, declarator.end_byte(), ty, value);
    }
}

fn spread<'t>(cx: &mut Cx<'t>, node: Node<'t>) {
    let mut ty = None;
    for part in named(node) {
        match part.kind() {
            "modifiers" | "annotation" | "marker_annotation" => {}
            "variable_declarator" => {
                if let Some(name) = field(part, "name") {
                    bind(cx, name, name.start_byte(), ty, None);
                }
            }
            _ => {
                let inner = type_expr(cx, part);
                ty = Some(shape(cx, inner));
            }
        }
    }
}

fn for_each<'t>(cx: &mut Cx<'t>, node: Node<'t>) {
    let value = field(node, "value").map(|v| describe(cx, v));
    cx.open_scope(ScopeKind::Block);
    let stated = field(node, "type").filter(|t| cx.src(*t) != "var");
    let ty = stated.map(|t| type_expr(cx, t));
    let value = match (ty, value) {
        (None, Some(of)) => Some(cx.expr(Expr::Element { of })),
        _ => None,
    };
    if let Some(name) = field(node, "name") {
        let from = field(node, "body").map_or(name.end_byte(), |b| b.start_byte());
        bind(cx, name, from, ty, value);
    }
}

fn type_parameter<'t>(cx: &mut Cx<'t>, node: Node<'t>) {
    let Some(name) = child(node, &["type_identifier"]) else {
        return;
    };
    let bound = child(node, &["type_bound"]).and_then(first).map(|t| type_expr(cx, t));
    bind(cx, name, 0, bound, None);
}

fn call<'t>(cx: &mut Cx<'t>, node: Node<'t>) {
    let Some(name) = field(node, "name") else { return };
    done(cx, name);
    let whole = describe(cx, node);
    if let Expr::Call { callee, args } = cx.facts.exprs[whole as usize] {
        cx.refer(Role::Call, callee, name, args);
    }
}

fn construct<'t>(cx: &mut Cx<'t>, node: Node<'t>) {
    let Some(ty) = field(node, "type") else { return };
    let args = field(node, "arguments").map_or(255, |a| count(named(a).len()));
    let described = type_expr(cx, ty);
    let made = bare(cx, described);
    if let Some(name) = define::name_of_type(ty) {
        done(cx, name);
        cx.refer(Role::New, made, name, args);
    }
}

fn self_call<'t>(cx: &mut Cx<'t>, node: Node<'t>) {
    let Some(which) = field(node, "constructor") else {
        return;
    };
    let args = field(node, "arguments").map_or(255, |a| count(named(a).len()));
    let scope = cx.scope();
    let own = cx.enclosing_type();
    let (expr, name) = if which.kind() == "super" {
        let base = own.and_then(|t| {
            cx.facts.symbols[t as usize]
                .supers
                .iter()
                .find(|s| !s.implements)
                .copied()
        });
        (Expr::Super { scope }, base.and_then(|s| last_name(cx, s.ty)))
    } else {
        (Expr::This { scope }, own.map(|t| cx.facts.symbols[t as usize].name))
    };
    // A class without a stated base calls the constructor of `Object`.
    let Some(name) = name else { return };
    let expr = cx.expr(expr);
    let line = cx.line(which);
    cx.refer_named(Role::Call, expr, name, line, args);
}

fn method_reference<'t>(cx: &mut Cx<'t>, node: Node<'t>) {
    let parts = named(node);
    let (Some(&base), Some(&name)) = (parts.first(), parts.last()) else {
        return;
    };
    // `Foo::new` is a use of `Foo`, which the walk meets by itself.
    if name.id() == base.id() || name.kind() != "identifier" {
        return;
    }
    done(cx, name);
    let base = describe(cx, base);
    let text = cx.src(name);
    let expr = cx.member_expr(base, text);
    cx.refer(Role::Value, expr, name, 255);
}

fn scoped_type<'t>(cx: &mut Cx<'t>, node: Node<'t>) {
    let parts = named(node);
    for &part in &parts {
        // Package names are no types.
        if part.kind() == "type_identifier" && !capital(cx.src(part)) {
            done(cx, part);
        }
    }
    if cx.marked(node).is_some() {
        return;
    }
    if let Some(&name) = parts.last().filter(|n| n.kind() == "type_identifier") {
        if cx.marked(name).is_some() && capital(cx.src(name)) {
            return;
        }
        done(cx, name);
        if capital(cx.src(name)) {
            let expr = type_expr(cx, node);
            cx.refer(Role::Type, expr, name, 255);
        }
    }
}

fn annotation<'t>(cx: &mut Cx<'t>, node: Node<'t>) {
    let Some(name) = field(node, "name") else { return };
    let expr = describe(cx, name);
    let last = if name.kind() == "scoped_identifier" {
        field(name, "name").unwrap_or(name)
    } else {
        name
    };
    mark_names(cx, name);
    cx.refer(Role::Decorator, expr, last, 255);
}

/// Marks the identifiers of a dotted name.
fn mark_names<'t>(cx: &mut Cx<'t>, name: Node<'t>) {
    let mut current = Some(name);
    while let Some(node) = current {
        done(cx, node);
        if let Some(last) = field(node, "name") {
            done(cx, last);
        }
        current = field(node, "scope");
    }
}

/// A constant in a `case` may be one of the enum that the `switch` is about, or a name as any other.
fn switch_label<'t>(cx: &mut Cx<'t>, node: Node<'t>) {
    let Some(of) = cx.marked(node) else { return };
    for constant in named(node) {
        if constant.kind() == "identifier" {
            done(cx, constant);
            let text = cx.src(constant);
            let plain = cx.name_expr(constant);
            let member = cx.member_expr(of, text);
            let expr = cx.expr(Expr::Either(plain, member));
            cx.refer(Role::Value, expr, constant, 255);
        }
    }
}
