//! Which nodes of Scala matter, and what each one does.

use super::define;
use super::expr::{argument_count, describe, instance_type, name_of, type_expr};
use crate::extract::{Cx, Extract, Walk};
use crate::facts::*;
use crate::languages::common::*;
use crate::lexical::ScopeRules;
use tree_sitter::Node;

/// Extraction for Scala.
pub struct Extraction;

const COMMENT: u16 = 1;
const PACKAGE: u16 = 2;
const IMPORT: u16 = 3;
const TYPE_DEFINITION: u16 = 4;
const TEMPLATE_BODY: u16 = 5;
const CLASS_PARAMETER: u16 = 6;
const FUNCTION: u16 = 7;
const VALUES: u16 = 8;
const ALIAS: u16 = 9;
const GIVEN: u16 = 10;
const EXTENSION: u16 = 11;
const PARAMETER: u16 = 12;
const TYPE_PARAMETERS: u16 = 13;
const LAMBDA: u16 = 14;
const BINDING: u16 = 15;
const BLOCK: u16 = 16;
const CASE: u16 = 17;
const ENUMERATOR: u16 = 18;
const CALL: u16 = 19;
const INFIX: u16 = 20;
const NEW: u16 = 21;
const FIELD: u16 = 22;
const STABLE: u16 = 23;
const IDENTIFIER: u16 = 24;
const TYPE_NAME: u16 = 25;
const STABLE_TYPE: u16 = 26;
const ANNOTATION: u16 = 27;
const ARGUMENTS: u16 = 28;
const INTERPOLATED: u16 = 29;
const SKIP: u16 = 30;
const SELF_TYPE: u16 = 31;

static TABLE: &[(&str, u16)] = &[
    ("comment", COMMENT),
    ("block_comment", COMMENT),
    ("package_clause", PACKAGE),
    ("import_declaration", IMPORT),
    ("export_declaration", SKIP),
    ("class_definition", TYPE_DEFINITION),
    ("trait_definition", TYPE_DEFINITION),
    ("object_definition", TYPE_DEFINITION),
    ("package_object", TYPE_DEFINITION),
    ("enum_definition", TYPE_DEFINITION),
    ("simple_enum_case", TYPE_DEFINITION),
    ("full_enum_case", TYPE_DEFINITION),
    ("template_body", TEMPLATE_BODY),
    ("class_parameter", CLASS_PARAMETER),
    ("function_definition", FUNCTION),
    ("function_declaration", FUNCTION),
    ("val_definition", VALUES),
    ("var_definition", VALUES),
    ("val_declaration", VALUES),
    ("var_declaration", VALUES),
    ("type_definition", ALIAS),
    ("given_definition", GIVEN),
    ("extension_definition", EXTENSION),
    ("parameter", PARAMETER),
    ("type_parameters", TYPE_PARAMETERS),
    ("covariant_type_parameter", TYPE_PARAMETERS),
    ("contravariant_type_parameter", TYPE_PARAMETERS),
    ("lambda_expression", LAMBDA),
    ("binding", BINDING),
    ("block", BLOCK),
    ("indented_block", BLOCK),
    ("for_expression", BLOCK),
    ("case_clause", CASE),
    ("enumerator", ENUMERATOR),
    ("call_expression", CALL),
    ("infix_expression", INFIX),
    ("instance_expression", NEW),
    ("field_expression", FIELD),
    ("stable_identifier", STABLE),
    ("identifier", IDENTIFIER),
    ("type_identifier", TYPE_NAME),
    ("stable_type_identifier", STABLE_TYPE),
    ("annotation", ANNOTATION),
    ("arguments", ARGUMENTS),
    ("interpolated_string_expression", INTERPOLATED),
    ("self_type", SELF_TYPE),
    ("end_marker", SKIP),
    ("access_qualifier", SKIP),
    ("package_identifier", SKIP),
];

impl Extract for Extraction {
    fn table(&self) -> &'static [(&'static str, u16)] {
        TABLE
    }

    fn enter<'t>(&self, role: u16, node: Node<'t>, cx: &mut Cx<'t>) -> Walk {
        match role {
            COMMENT => comment(cx, node),
            PACKAGE => {
                if let Some(name) = field(node, "name") {
                    let text = dotted(cx.src(name));
                    let before = cx.facts.package.to_string();
                    let whole = if before.is_empty() {
                        text
                    } else {
                        format!("{before}.{text}")
                    };
                    cx.facts.package = whole.into();
                }
                if let Some(body) = field(node, "body") {
                    done(cx, body);
                }
            }
            IMPORT => {
                import(cx, node);
                return Walk::Over;
            }
            TYPE_DEFINITION => define::type_definition(cx, node),
            TEMPLATE_BODY if cx.marked(node).is_none() => {
                cx.open_scope(ScopeKind::Type);
            }
            CLASS_PARAMETER => {
                if let Some(ix) = cx.marked(node) {
                    cx.open_plain(ix);
                }
            }
            FUNCTION => define::function(cx, node),
            VALUES => define::values(cx, node),
            ALIAS => define::alias(cx, node),
            GIVEN => define::given(cx, node),
            EXTENSION => define::extension(cx, node),
            PARAMETER => {
                if let Some(name) = field(node, "name") {
                    let ty = field(node, "type").map(|t| type_expr(cx, t));
                    bind(cx, name, 0, ty, None);
                }
            }
            TYPE_PARAMETERS => {
                for name in fields(node, "name") {
                    if name.is_named() {
                        bind(cx, name, 0, None, None);
                    }
                }
            }
            LAMBDA => {
                cx.open_scope(ScopeKind::Function);
                for name in fields(node, "parameters") {
                    if name.kind() == "identifier" {
                        bind(cx, name, name.start_byte(), None, None);
                    }
                }
            }
            BINDING => {
                if let Some(name) = field(node, "name") {
                    let ty = field(node, "type").map(|t| type_expr(cx, t));
                    bind(cx, name, name.start_byte(), ty, None);
                }
            }
            BLOCK => {
                cx.open_scope(ScopeKind::Block);
            }
            CASE => {
                cx.open_scope(ScopeKind::Block);
                if let Some(matched) = field(node, "pattern") {
                    pattern(cx, matched, matched.start_byte());
                }
            }
            ENUMERATOR => enumerator(cx, node),
            CALL => call(cx, node),
            INFIX => infix(cx, node),
            NEW => construct(cx, node),
            FIELD => {
                if let Some(name) = field(node, "field")
                    && cx.marked(name).is_none()
                {
                    done(cx, name);
                    if cx.src(name) != "this" {
                        let expr = describe(cx, node);
                        cx.refer(Role::Value, expr, name, 255);
                    }
                }
            }
            STABLE => {
                if let Some(name) = named(node).pop()
                    && cx.marked(name).is_none()
                {
                    done(cx, name);
                    let expr = describe(cx, node);
                    cx.refer(Role::Value, expr, name, 255);
                }
            }
            IDENTIFIER if cx.marked(node).is_none() && !matches!(cx.src(node), "this" | "super") => {
                let expr = describe(cx, node);
                cx.refer(Role::Value, expr, node, 255);
            }
            TYPE_NAME if cx.marked(node).is_none() => {
                let expr = cx.name_expr(node);
                cx.refer(Role::Type, expr, node, 255);
            }
            STABLE_TYPE => stable_type(cx, node),
            ANNOTATION => {
                if let Some(ty) = field(node, "name")
                    && let Some(name) = name_of(ty)
                {
                    done(cx, name);
                    let described = type_expr(cx, ty);
                    let expr = bare(cx, described);
                    cx.refer(Role::Decorator, expr, name, 255);
                }
            }
            ARGUMENTS => {
                for one in named(node).into_iter().filter(|n| n.kind() == "assignment_expression") {
                    if let Some(name) = field(one, "left").filter(|l| l.kind() == "identifier") {
                        done(cx, name);
                    }
                }
            }
            INTERPOLATED => {
                if let Some(name) = field(node, "interpolator") {
                    done(cx, name);
                }
            }
            SELF_TYPE => {
                if let Some(name) = first(node).filter(|n| n.kind() == "identifier") {
                    let scope = cx.scope();
                    let this = cx.expr(Expr::This { scope });
                    bind(cx, name, 0, None, Some(this));
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

/// `import a.b.C, d.{E => F, _}`: one fact for each name.
fn import<'t>(cx: &mut Cx<'t>, node: Node<'t>) {
    let mut path = String::new();
    let parts = all(node);
    for (n, part) in parts.iter().enumerate() {
        let ends = parts.get(n + 1).is_none_or(|next| next.kind() == ",");
        match part.kind() {
            "import" => {}
            "," => path.clear(),
            "namespace_selectors" => {
                for one in named(*part) {
                    selector(cx, &path, one);
                }
            }
            "namespace_wildcard" | "as_renamed_identifier" | "arrow_renamed_identifier" => selector(cx, &path, *part),
            "." => {}
            _ if ends && !path.is_empty() => selector(cx, &path, *part),
            _ => {
                if !path.is_empty() {
                    path.push('.');
                }
                path.push_str(&dotted(cx.src(*part)));
            }
        }
    }
}

fn selector<'t>(cx: &mut Cx<'t>, path: &str, node: Node<'t>) {
    match node.kind() {
        "identifier" | "operator_identifier" => {
            let name = cx.src(node);
            cx.import(ImportKind::Name, path, name, name, node);
        }
        "as_renamed_identifier" | "arrow_renamed_identifier" => {
            if let (Some(name), Some(alias)) = (field(node, "name"), field(node, "alias"))
                && alias.kind() != "wildcard"
            {
                let (name, alias) = (cx.src(name), cx.src(alias));
                cx.import(ImportKind::Name, path, name, alias, node);
            }
        }
        // `_`, `*`, `given` and `given T` take in what is there.
        _ => {
            cx.import(ImportKind::Star, path, "", "", node);
        }
    }
}

/// Binds the names in a pattern. A name in capitals stands for what it names; a type gives its variable a type.
pub(super) fn pattern<'t>(cx: &mut Cx<'t>, node: Node<'t>, from: usize) {
    let mut open = vec![node];
    while let Some(part) = open.pop() {
        match part.kind() {
            "identifier" if !capital(cx.src(part)) => {
                bind(cx, part, from, None, None);
            }
            "typed_pattern" => {
                let (Some(inner), Some(ty)) = (field(part, "pattern"), field(part, "type")) else {
                    continue;
                };
                if inner.kind() == "identifier" {
                    let ty = type_expr(cx, ty);
                    bind(cx, inner, from, Some(ty), None);
                } else {
                    open.push(inner);
                }
            }
            "capture_pattern" => {
                if let Some(name) = field(part, "name").filter(|n| n.kind() == "identifier") {
                    let ty = field(part, "pattern").filter(|p| p.kind() == "case_class_pattern");
                    let ty = ty.and_then(|p| field(p, "type")).map(|t| type_expr(cx, t));
                    bind(cx, name, from, ty, None);
                }
                open.extend(field(part, "pattern"));
            }
            "case_class_pattern" => open.extend(fields(part, "pattern").into_iter().filter(|n| n.is_named())),
            "infix_pattern" => {
                open.extend(field(part, "left"));
                open.extend(field(part, "right"));
            }
            "tuple_pattern" | "alternative_pattern" | "named_pattern" | "named_tuple_pattern" | "repeat_pattern" => {
                open.extend(named(part));
            }
            _ => {}
        }
    }
}

/// `x <- xs` binds an element, `y = e` a value.
fn enumerator<'t>(cx: &mut Cx<'t>, node: Node<'t>) {
    let parts = all(node);
    let Some(at) = parts.iter().position(|n| matches!(n.kind(), "<-" | "=")) else {
        return;
    };
    let (Some(&left), Some(&right)) = (parts[..at].iter().rfind(|n| n.is_named()), parts.get(at + 1)) else {
        return;
    };
    let of = describe(cx, right);
    if left.kind() == "identifier" {
        let value = if parts[at].kind() == "<-" {
            cx.expr(Expr::Element { of })
        } else {
            of
        };
        bind(cx, left, node.end_byte(), None, Some(value));
    } else {
        pattern(cx, left, node.end_byte());
    }
}

fn call<'t>(cx: &mut Cx<'t>, node: Node<'t>) {
    let Some(function) = field(node, "function") else {
        return;
    };
    let Some(name) = name_of(function) else { return };
    let own = matches!(cx.src(name), "this" | "super");
    done(cx, name);
    let callee = describe(cx, function);
    let args = argument_count(node);
    if own && function.kind() == "identifier" {
        // `this(…)` calls another constructor.
        if let Some(class) = cx.enclosing_type() {
            let (line, called) = (cx.line(name), cx.facts.symbols[class as usize].name);
            cx.refer_named(Role::Call, callee, called, line, args);
        }
        return;
    }
    cx.refer(Role::Call, callee, name, args);
}

/// Operators of numbers, truth values and lists.
const PLAIN_OPERATORS: &[&str] = &[
    "+", "-", "*", "/", "%", "==", "!=", "<", ">", "<=", ">=", "&&", "||", "::", "&", "|", "^", "eq", "ne",
];

/// `a op b` calls `a.op`.
fn infix<'t>(cx: &mut Cx<'t>, node: Node<'t>) {
    let Some(operator) = field(node, "operator") else {
        return;
    };
    done(cx, operator);
    if PLAIN_OPERATORS.contains(&cx.src(operator)) {
        return;
    }
    let whole = describe(cx, node);
    if let Expr::Call { callee, args } = cx.facts.exprs[whole as usize] {
        cx.refer(Role::Call, callee, operator, args);
    }
}

fn construct<'t>(cx: &mut Cx<'t>, node: Node<'t>) {
    let Some(ty) = instance_type(node) else { return };
    let Some(name) = name_of(ty) else { return };
    done(cx, name);
    let described = type_expr(cx, ty);
    let made = bare(cx, described);
    let args = field(node, "arguments").map_or(0, |a| count(named(a).len()));
    cx.refer(Role::New, made, name, args);
}

fn stable_type<'t>(cx: &mut Cx<'t>, node: Node<'t>) {
    let parts = named(node);
    if let Some((&last, outer)) = parts.split_last() {
        if cx.marked(last).is_none() {
            done(cx, last);
            let expr = type_expr(cx, node);
            cx.refer(Role::Type, expr, last, 255);
        }
        for &part in outer {
            // A package is no use; an object that holds the type is.
            if part.kind() == "identifier" && !capital(cx.src(part)) {
                done(cx, part);
            }
        }
    }
}
