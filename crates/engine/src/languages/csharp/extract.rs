//! Which nodes of C# matter, and what each one does. Types and values share the kind `identifier`: who holds a type marks
//! it as one.

use super::define::{self, TYPE};
use super::expr::{describe, name_of, stated_type, type_expr};
use crate::extract::{Cx, Extract, Walk};
use crate::facts::*;
use crate::languages::common::*;
use crate::lexical::ScopeRules;
use tree_sitter::Node;

/// Extraction for C#.
pub struct Extraction;

const COMMENT: u16 = 1;
const ROOT: u16 = 2;
const USING: u16 = 3;
const NAMESPACE: u16 = 4;
const FILE_NAMESPACE: u16 = 5;
const TYPE_DEFINITION: u16 = 6;
const DELEGATE: u16 = 7;
const CALLABLE: u16 = 8;
const FIELDS: u16 = 9;
const PROPERTY: u16 = 10;
const ENUM_MEMBER: u16 = 11;
const DECLARATION: u16 = 12;
const DECLARATOR: u16 = 13;
const PARAMETERS: u16 = 14;
const PARAMETER: u16 = 15;
const TYPE_PARAMETER: u16 = 16;
const CONSTRAINTS: u16 = 17;
const LAMBDA: u16 = 18;
const BLOCK: u16 = 19;
const FOR_EACH: u16 = 20;
const NAMED_TYPE: u16 = 21;
const FROM: u16 = 22;
const LET: u16 = 23;
const CALL: u16 = 24;
const NEW: u16 = 25;
const MEMBER: u16 = 26;
const IDENTIFIER: u16 = 28;
const GENERIC: u16 = 29;
const QUALIFIED: u16 = 30;
const TYPE_ARGUMENTS: u16 = 31;
const HOLDS_TYPE: u16 = 32;
const HOLDS_RIGHT_TYPE: u16 = 33;
const ATTRIBUTE: u16 = 34;
const NAMED_ARGUMENT: u16 = 35;
const LABEL: u16 = 36;
const CONDITION: u16 = 37;
const SKIP: u16 = 38;
const ASSIGNED_NAMES: u16 = 39;
const PATTERN_NAME: u16 = 40;
const CONSTRUCTOR_CALL: u16 = 41;

static TABLE: &[(&str, u16)] = &[
    ("comment", COMMENT),
    ("compilation_unit", ROOT),
    ("using_directive", USING),
    ("extern_alias_directive", SKIP),
    ("namespace_declaration", NAMESPACE),
    ("file_scoped_namespace_declaration", FILE_NAMESPACE),
    ("class_declaration", TYPE_DEFINITION),
    ("struct_declaration", TYPE_DEFINITION),
    ("record_declaration", TYPE_DEFINITION),
    ("interface_declaration", TYPE_DEFINITION),
    ("enum_declaration", TYPE_DEFINITION),
    ("delegate_declaration", DELEGATE),
    ("method_declaration", CALLABLE),
    ("constructor_declaration", CALLABLE),
    ("destructor_declaration", CALLABLE),
    ("operator_declaration", CALLABLE),
    ("conversion_operator_declaration", CALLABLE),
    ("local_function_statement", CALLABLE),
    ("field_declaration", FIELDS),
    ("event_field_declaration", FIELDS),
    ("property_declaration", PROPERTY),
    ("indexer_declaration", PROPERTY),
    ("event_declaration", PROPERTY),
    ("enum_member_declaration", ENUM_MEMBER),
    ("variable_declaration", DECLARATION),
    ("variable_declarator", DECLARATOR),
    ("parameter_list", PARAMETERS),
    ("bracketed_parameter_list", PARAMETERS),
    ("parameter", PARAMETER),
    ("type_parameter", TYPE_PARAMETER),
    ("type_parameter_constraints_clause", CONSTRAINTS),
    ("lambda_expression", LAMBDA),
    ("anonymous_method_expression", LAMBDA),
    ("block", BLOCK),
    ("for_statement", BLOCK),
    ("using_statement", BLOCK),
    ("fixed_statement", BLOCK),
    ("catch_clause", BLOCK),
    ("switch_section", BLOCK),
    ("switch_expression_arm", BLOCK),
    ("query_expression", BLOCK),
    ("accessor_declaration", BLOCK),
    ("foreach_statement", FOR_EACH),
    ("catch_declaration", NAMED_TYPE),
    ("declaration_pattern", NAMED_TYPE),
    ("declaration_expression", NAMED_TYPE),
    ("recursive_pattern", NAMED_TYPE),
    ("var_pattern", PATTERN_NAME),
    ("list_pattern", PATTERN_NAME),
    ("tuple_pattern", PATTERN_NAME),
    ("parenthesized_variable_designation", PATTERN_NAME),
    ("from_clause", FROM),
    ("join_clause", LET),
    ("join_into_clause", LET),
    ("let_clause", LET),
    ("invocation_expression", CALL),
    ("object_creation_expression", NEW),
    ("constructor_initializer", CONSTRUCTOR_CALL),
    ("member_access_expression", MEMBER),
    ("conditional_access_expression", MEMBER),
    ("identifier", IDENTIFIER),
    ("generic_name", GENERIC),
    ("qualified_name", QUALIFIED),
    ("alias_qualified_name", QUALIFIED),
    ("type_argument_list", TYPE_ARGUMENTS),
    ("base_list", TYPE_ARGUMENTS),
    ("array_type", HOLDS_TYPE),
    ("nullable_type", HOLDS_TYPE),
    ("pointer_type", HOLDS_TYPE),
    ("ref_type", HOLDS_TYPE),
    ("scoped_type", HOLDS_TYPE),
    ("tuple_element", HOLDS_TYPE),
    ("cast_expression", HOLDS_TYPE),
    ("default_expression", HOLDS_TYPE),
    ("typeof_expression", HOLDS_TYPE),
    ("sizeof_expression", HOLDS_TYPE),
    ("array_creation_expression", HOLDS_TYPE),
    ("stackalloc_expression", HOLDS_TYPE),
    ("type_pattern", HOLDS_TYPE),
    ("type_parameter_constraint", HOLDS_TYPE),
    ("function_pointer_parameter", HOLDS_TYPE),
    ("explicit_interface_specifier", TYPE_ARGUMENTS),
    ("as_expression", HOLDS_RIGHT_TYPE),
    ("is_expression", HOLDS_RIGHT_TYPE),
    ("attribute", ATTRIBUTE),
    ("argument", NAMED_ARGUMENT),
    ("attribute_argument", NAMED_ARGUMENT),
    ("anonymous_object_creation_expression", ASSIGNED_NAMES),
    ("with_initializer", ASSIGNED_NAMES),
    ("labeled_statement", LABEL),
    ("goto_statement", SKIP),
    ("preproc_if", CONDITION),
    ("preproc_elif", CONDITION),
    ("preproc_pragma", SKIP),
    ("preproc_define", SKIP),
    ("preproc_undef", SKIP),
];

impl Extract for Extraction {
    fn table(&self) -> &'static [(&'static str, u16)] {
        TABLE
    }

    fn enter<'t>(&self, role: u16, node: Node<'t>, cx: &mut Cx<'t>) -> Walk {
        match role {
            COMMENT => comment(cx, node),
            ROOT => {
                if let Some(sole) = define::sole_namespace(node) {
                    done(cx, sole);
                }
            }
            USING => {
                using(cx, node);
                return Walk::Over;
            }
            NAMESPACE => define::namespace(cx, node),
            FILE_NAMESPACE => {
                if let Some(name) = field(node, "name") {
                    done(cx, name);
                    cx.facts.package = dotted(cx.src(name)).into();
                }
            }
            TYPE_DEFINITION => define::type_definition(cx, node),
            DELEGATE => {
                mark_types(cx, node);
                define::delegate(cx, node);
            }
            CALLABLE => {
                mark_types(cx, node);
                define::callable(cx, node);
            }
            FIELDS => define::fields(cx, node),
            PROPERTY => {
                mark_types(cx, node);
                define::property(cx, node);
            }
            ENUM_MEMBER => define::enum_member(cx, node),
            DECLARATION => {
                mark_types(cx, node);
                if cx.marked(node).is_none() {
                    locals(cx, node);
                }
            }
            DECLARATOR => {
                if let Some(ix) = cx.marked(node) {
                    cx.open_plain(ix);
                }
            }
            PARAMETERS => open_parameter(cx, node),
            PARAMETER => {
                mark_types(cx, node);
                if let Some(ix) = cx.marked(node) {
                    cx.open_plain(ix);
                } else {
                    bind_typed(cx, node);
                }
            }
            TYPE_PARAMETER => {
                if let Some(name) = field(node, "name") {
                    bind(cx, name, 0, None, None);
                }
            }
            CONSTRAINTS => {
                if let Some(name) = first(node) {
                    done(cx, name);
                }
            }
            LAMBDA => {
                mark_types(cx, node);
                cx.open_scope(ScopeKind::Function);
                if let Some(name) = field(node, "parameters").filter(|p| p.kind() != "parameter_list") {
                    bind(cx, name, name.start_byte(), None, None);
                }
            }
            BLOCK => {
                cx.open_scope(ScopeKind::Block);
            }
            FOR_EACH => for_each(cx, node),
            NAMED_TYPE => {
                mark_types(cx, node);
                bind_typed(cx, node);
            }
            PATTERN_NAME => {
                for name in fields(node, "name") {
                    bind(cx, name, name.start_byte(), None, None);
                }
            }
            FROM => {
                mark_types(cx, node);
                let of = named(node).pop().map(|e| describe(cx, e));
                let ty = stated_type(cx, field(node, "type"));
                let value = of.map(|of| cx.expr(Expr::Element { of }));
                if let Some(name) = field(node, "name") {
                    bind(cx, name, name.start_byte(), ty, value.filter(|_| ty.is_none()));
                }
            }
            LET => {
                mark_types(cx, node);
                if let Some(name) = child(node, &["identifier"]) {
                    bind(cx, name, name.start_byte(), None, None);
                }
            }
            CALL => call(cx, node),
            NEW => construct(cx, node),
            CONSTRUCTOR_CALL => constructor_call(cx, node),
            MEMBER => member_use(cx, node),
            IDENTIFIER => identifier(cx, node),
            GENERIC => {
                if let (Some(word), Some(name)) = (cx.marked(node), first(node))
                    && cx.marked(name).is_none()
                {
                    cx.mark(name, word);
                }
            }
            QUALIFIED => qualified_use(cx, node),
            TYPE_ARGUMENTS => {
                for one in named(node) {
                    if cx.marked(one).is_none() {
                        cx.mark(one, TYPE);
                    }
                }
            }
            HOLDS_TYPE => {
                mark_types(cx, node);
                if let Some(name) = field(node, "name") {
                    done(cx, name);
                }
            }
            HOLDS_RIGHT_TYPE => {
                if let Some(ty) = field(node, "right") {
                    cx.mark(ty, TYPE);
                }
            }
            ATTRIBUTE => {
                if let Some(name) = field(node, "name") {
                    let expr = type_expr(cx, name);
                    let expr = bare(cx, expr);
                    done(cx, name);
                    if let Some(last) = name_of(name) {
                        done(cx, last);
                        cx.refer(Role::Decorator, expr, last, 255);
                    }
                }
            }
            NAMED_ARGUMENT => {
                if let Some(name) = field(node, "name") {
                    done(cx, name);
                }
            }
            ASSIGNED_NAMES => {
                let parts = all(node);
                for pair in parts.windows(2) {
                    if pair[0].kind() == "identifier" && pair[1].kind() == "=" {
                        done(cx, pair[0]);
                    }
                }
            }
            LABEL => {
                if let Some(label) = first(node) {
                    done(cx, label);
                }
            }
            CONDITION => {
                if let Some(condition) = field(node, "condition") {
                    cx.notes.insert("condition.end", condition.end_byte() as u32);
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

/// Marks what stands in the type fields of a node.
fn mark_types<'t>(cx: &mut Cx<'t>, node: Node<'t>) {
    for name in ["type", "returns"] {
        for ty in fields(node, name) {
            if cx.marked(ty).is_none() {
                cx.mark(ty, TYPE);
            }
        }
    }
}

/// Binds the name of a node that states a type for it.
fn bind_typed<'t>(cx: &mut Cx<'t>, node: Node<'t>) {
    if let Some(name) = field(node, "name") {
        let ty = stated_type(cx, field(node, "type"));
        bind(cx, name, name.start_byte(), ty, None);
    }
}

/// The open parameter `params T[] x` stands in the list without a node of its own.
fn open_parameter<'t>(cx: &mut Cx<'t>, node: Node<'t>) {
    mark_types(cx, node);
    if let Some(name) = field(node, "name") {
        let ty = field(node, "type").map(|t| type_expr(cx, t));
        bind(cx, name, name.start_byte(), ty, None);
    }
}

fn using<'t>(cx: &mut Cx<'t>, node: Node<'t>) {
    let parts = all(node);
    let global = parts.iter().any(|n| n.kind() == "global");
    let alias = field(node, "name").or_else(|| {
        let at = parts.iter().position(|n| n.kind() == "=")?;
        parts.get(at.checked_sub(1)?).copied()
    });
    let target = named(node).into_iter().rfind(|n| Some(n.id()) != alias.map(|a| a.id()));
    let Some(target) = target else { return };
    let import = match alias {
        None => cx.import(ImportKind::Star, &dotted(cx.src(target)), "", "", node),
        Some(alias) if matches!(target.kind(), "identifier" | "qualified_name" | "alias_qualified_name") => {
            let path = dotted(cx.src(target));
            let path = path.strip_prefix("global::").unwrap_or(&path);
            let (module, name) = path.rsplit_once('.').unwrap_or(("", path));
            let alias = cx.src(alias);
            cx.import(ImportKind::Name, module, name, alias, node)
        }
        Some(alias) => {
            let ix = cx.define(Kind::TypeAlias, node, alias);
            sign(cx, ix, node.start_byte(), node.end_byte());
            let ty = type_expr(cx, target);
            let s = cx.symbol(ix);
            s.ty = Some(ty);
            s.flags.set(SymbolFlags::FILE_PRIVATE);
            return;
        }
    };
    // What a `global using` takes in is taken in by every file of the project.
    if global {
        let export = match alias {
            Some(alias) => Export::From {
                name: cx.src(alias).into(),
                import,
            },
            None => Export::Star { import },
        };
        cx.facts.exports.push(export);
    }
}

fn locals<'t>(cx: &mut Cx<'t>, node: Node<'t>) {
    let ty = stated_type(cx, field(node, "type"));
    for declarator in named(node).into_iter().filter(|n| n.kind() == "variable_declarator") {
        let value = define::initial(declarator).map(|v| describe(cx, v));
        if let Some(name) = field(declarator, "name") {
            bind(cx, name, declarator.end_byte(), ty, value);
        }
    }
}

fn for_each<'t>(cx: &mut Cx<'t>, node: Node<'t>) {
    mark_types(cx, node);
    let of = field(node, "right").map(|r| describe(cx, r));
    cx.open_scope(ScopeKind::Block);
    let ty = stated_type(cx, field(node, "type"));
    let value = match (ty, of) {
        (None, Some(of)) => Some(cx.expr(Expr::Element { of })),
        _ => None,
    };
    if let Some(name) = field(node, "left").filter(|n| n.kind() == "identifier") {
        let from = field(node, "body").map_or(name.end_byte(), |b| b.start_byte());
        bind(cx, name, from, ty, value);
    }
}

fn call<'t>(cx: &mut Cx<'t>, node: Node<'t>) {
    let Some(function) = field(node, "function") else {
        return;
    };
    let Some(name) = name_of(function) else { return };
    // `nameof(x)` names what is in its parentheses.
    if function.kind() == "identifier" && cx.src(function) == "nameof" {
        done(cx, function);
        return;
    }
    let args = field(node, "arguments").map_or(255, |a| count(named(a).len()));
    let callee = describe(cx, function);
    done(cx, function);
    done(cx, name);
    cx.refer(Role::Call, callee, name, args);
}

fn construct<'t>(cx: &mut Cx<'t>, node: Node<'t>) {
    let Some(ty) = field(node, "type") else { return };
    cx.mark(ty, TYPE);
    let described = type_expr(cx, ty);
    let made = bare(cx, described);
    let args = field(node, "arguments").map_or(0, |a| count(named(a).len()));
    if let Some(name) = name_of(ty) {
        done(cx, name);
        cx.refer(Role::New, made, name, args);
    }
    // `new Foo { A = 1 }` sets members of `Foo`.
    let whole = describe(cx, node);
    for one in field(node, "initializer").map(named).unwrap_or_default() {
        let left = field(one, "left").filter(|l| one.kind() == "assignment_expression" && l.kind() == "identifier");
        if let Some(left) = left {
            done(cx, left);
            let text = cx.src(left);
            let expr = cx.member_expr(whole, text);
            cx.refer(Role::Value, expr, left, 255);
        }
    }
}

/// `: this(…)` and `: base(…)` call another constructor.
fn constructor_call<'t>(cx: &mut Cx<'t>, node: Node<'t>) {
    let Some(which) = child(node, &["this", "base"]) else {
        return;
    };
    let args = child(node, &["argument_list"]).map_or(255, |a| count(named(a).len()));
    let scope = cx.scope();
    let own = cx.enclosing_type();
    let (expr, name) = if which.kind() == "base" {
        let base = own.and_then(|t| cx.facts.symbols[t as usize].supers.first().copied());
        (Expr::Super { scope }, base.and_then(|s| last_name(cx, s.ty)))
    } else {
        (Expr::This { scope }, own.map(|t| cx.facts.symbols[t as usize].name))
    };
    let Some(name) = name else { return };
    let expr = cx.expr(expr);
    let line = cx.line(which);
    cx.refer_named(Role::Call, expr, name, line, args);
}

fn member_use<'t>(cx: &mut Cx<'t>, node: Node<'t>) {
    let called = cx.marked(node).is_some();
    let Some(name) = name_of(node) else { return };
    if cx.marked(name).is_some() {
        return;
    }
    done(cx, name);
    if !called {
        let expr = describe(cx, node);
        cx.refer(Role::Value, expr, name, 255);
    }
}

fn identifier<'t>(cx: &mut Cx<'t>, node: Node<'t>) {
    let conditional = cx
        .notes
        .get("condition.end")
        .is_some_and(|&end| (node.start_byte() as u32) < end);
    let role = match cx.marked(node) {
        Some(TYPE) => Role::Type,
        None if !conditional => Role::Value,
        _ => return,
    };
    let expr = describe(cx, node);
    cx.refer(role, expr, node, 255);
}

fn qualified_use<'t>(cx: &mut Cx<'t>, node: Node<'t>) {
    if cx.marked(node) == Some(DONE) {
        // The name of a namespace or an attribute; its parts are no uses.
        for part in named(node) {
            done(cx, part);
        }
        return;
    }
    if let Some(name) = name_of(node)
        && cx.marked(name).is_none()
    {
        done(cx, name);
        let described = type_expr(cx, node);
        let expr = bare(cx, described);
        cx.refer(Role::Type, expr, name, 255);
    }
    if let Some(qualifier) = field(node, "qualifier") {
        cx.mark(qualifier, TYPE);
    }
    if let Some(alias) = field(node, "alias") {
        done(cx, alias);
    }
}
