//! Imports and exports: ES modules, CommonJS `require`, dynamic `import()`.
//!
//! A use of a module that binds no name (`export … from`, `require("m").f()`) is bound under the quoted module, which is no name
//! that source code can have, so that an [`Expr::Name`] can stand for it.

use super::define::is_function;
use super::exprs::{child, has_token, peel, plain, value};
use super::extract::{Word, say};
use super::{classes, define};
use crate::extract::{Cx, Walk};
use crate::facts::{Bound, Export, Expr, ExprId, ImportIx, ImportKind, Kind, SymbolFlags};
use tree_sitter::Node;

/// `import …`.
pub fn import<'t>(node: Node<'t>, cx: &mut Cx<'t>) -> Walk {
    let mut clause = None;
    let mut cursor = node.walk();
    for c in node.named_children(&mut cursor) {
        match c.kind() {
            "import_clause" => clause = Some(c),
            "import_require_clause" => {
                let (Some(source), Some(name)) = (c.child_by_field_name("source"), child(c, 0)) else {
                    return Walk::Over;
                };
                let (module, alias) = (plain(cx, source), cx.src(name));
                cx.import(ImportKind::Module, module, "", alias, name);
                return Walk::Over;
            }
            _ => {}
        }
    }
    let Some(source) = node.child_by_field_name("source") else {
        return Walk::Over;
    };
    let module = plain(cx, source);
    let Some(clause) = clause else {
        cx.import(ImportKind::Include, module, "", "", source);
        return Walk::Over;
    };
    let types = has_token(node, "type");
    let first = cx.facts.imports.len();
    let mut cursor = clause.walk();
    for part in clause.named_children(&mut cursor) {
        match part.kind() {
            "identifier" => {
                let alias = cx.src(part);
                cx.import(ImportKind::Default, module, "", alias, part);
            }
            "namespace_import" => {
                if let Some(name) = child(part, 0) {
                    let alias = cx.src(name);
                    cx.import(ImportKind::Module, module, "", alias, name);
                }
            }
            "named_imports" => {
                let mut cursor = part.walk();
                for one in part.named_children(&mut cursor) {
                    specifier(one, module, cx);
                }
            }
            _ => {}
        }
    }
    if types {
        for import in &mut cx.facts.imports[first..] {
            import.type_only = true;
        }
    }
    Walk::Over
}

fn specifier<'t>(node: Node<'t>, module: &'t str, cx: &mut Cx<'t>) {
    let Some(name) = node.child_by_field_name("name") else {
        return;
    };
    let imported = plain(cx, name);
    let alias = node.child_by_field_name("alias").map_or(imported, |a| cx.src(a));
    let ix = if imported == "default" {
        cx.import(ImportKind::Default, module, "", alias, node)
    } else {
        cx.import(ImportKind::Name, module, imported, alias, node)
    };
    if has_token(node, "type") {
        cx.facts.imports[ix as usize].type_only = true;
    }
}

/// An import that binds no name of the source, under a hidden name. Gives the import and the hidden name's expression.
fn hidden<'t>(kind: ImportKind, module: &str, name: &str, node: Node<'t>, cx: &mut Cx<'t>) -> (ImportIx, ExprId) {
    let ix = cx.import(kind, module, name, "", node);
    let label = match kind {
        ImportKind::Default => format!("\"{module}\".default"),
        _ if name.is_empty() => format!("\"{module}\""),
        _ => format!("\"{module}\".{name}"),
    };
    let id = cx.name_owned(&label);
    let scope = cx.scope();
    cx.add_binding(scope, id, 0, Bound::Import(ix));
    let expr = cx.expr(Expr::Name {
        name: id,
        scope,
        at: node.end_byte() as u32,
    });
    if let Some(last) = cx.facts.refs.last_mut() {
        last.expr = expr;
    }
    (ix, expr)
}

/// `export …`.
pub fn export<'t>(node: Node<'t>, cx: &mut Cx<'t>) -> Walk {
    if let Some(source) = node.child_by_field_name("source") {
        export_from(node, plain(cx, source), cx);
        return Walk::Over;
    }
    let mut cursor = node.walk();
    if let Some(clause) = node.named_children(&mut cursor).find(|c| c.kind() == "export_clause") {
        let mut cursor = clause.walk();
        for one in clause.named_children(&mut cursor) {
            let Some(name) = one.child_by_field_name("name") else {
                continue;
            };
            let outside = one.child_by_field_name("alias").unwrap_or(name);
            let outside = plain(cx, outside);
            let value = cx.name_expr(name);
            cx.facts.exports.push(Export::Local {
                name: outside.into(),
                value,
            });
            cx.refer(crate::facts::Role::Value, value, name, 255);
        }
        return Walk::Over;
    }
    if node.child_by_field_name("declaration").is_some() {
        return Walk::Into;
    }
    if let Some(given) = node.child_by_field_name("value") {
        export_default(node, given, cx);
        return Walk::Into;
    }
    // `export = value`; `export as namespace N` has no expression.
    if has_token(node, "=")
        && let Some(given) = child(node, 0)
    {
        let value = value(given, cx);
        cx.facts.exports.push(Export::Whole { value });
    }
    Walk::Into
}

fn export_from<'t>(node: Node<'t>, module: &'t str, cx: &mut Cx<'t>) {
    let mut cursor = node.walk();
    let mut star = true;
    for part in node.named_children(&mut cursor) {
        match part.kind() {
            "export_clause" => {
                star = false;
                let mut cursor = part.walk();
                for one in part.named_children(&mut cursor) {
                    let Some(name) = one.child_by_field_name("name") else {
                        continue;
                    };
                    let imported = plain(cx, name);
                    let outside = one.child_by_field_name("alias").unwrap_or(name);
                    let outside = plain(cx, outside);
                    let (kind, imported) = match imported {
                        "default" => (ImportKind::Default, ""),
                        other => (ImportKind::Name, other),
                    };
                    let (import, _) = hidden(kind, module, imported, one, cx);
                    cx.facts.exports.push(Export::From {
                        name: outside.into(),
                        import,
                    });
                }
            }
            "namespace_export" => {
                star = false;
                if let Some(name) = child(part, 0) {
                    let outside = plain(cx, name);
                    let (import, _) = hidden(ImportKind::Module, module, "", name, cx);
                    cx.facts.exports.push(Export::From {
                        name: outside.into(),
                        import,
                    });
                }
            }
            _ => {}
        }
    }
    if star && has_token(node, "*") {
        let import = cx.import(ImportKind::Star, module, "", "", node);
        cx.facts.exports.push(Export::Star { import });
    }
}

/// `export default value`: what has no name of its own is called `default`.
fn export_default<'t>(node: Node<'t>, raw: Node<'t>, cx: &mut Cx<'t>) {
    let given = peel(raw);
    let function = is_function(given);
    let class = given.kind() == "class";
    let object = given.kind() == "object";
    let call_with_code = given.kind() == "call_expression"
        && given.child_by_field_name("arguments").is_some_and(|a| {
            let mut cursor = a.walk();
            a.named_children(&mut cursor)
                .any(|c| is_function(c) || c.kind() == "object")
        });
    if !(function || class || object || call_with_code) {
        let value = value(raw, cx);
        cx.facts.exports.push(Export::Local {
            name: "default".into(),
            value,
        });
        return;
    }
    let own = given.child_by_field_name("name").filter(|_| function || class);
    let kind = match (function, class) {
        (true, _) => Kind::Function,
        (_, true) => Kind::Class,
        _ => Kind::Constant,
    };
    let ix = match own {
        Some(name) => cx.define(kind, node, name),
        None => {
            let (id, line) = (cx.name("default"), cx.line(node));
            cx.define_unbound(kind, node, id, line)
        }
    };
    let flags = SymbolFlags::EXPORTED | SymbolFlags::DEFAULT_EXPORT;
    cx.symbol(ix).flags.set(flags);
    let symbol = cx.expr(Expr::Symbol(ix));
    cx.facts.exports.push(Export::Local {
        name: "default".into(),
        value: symbol,
    });
    if function {
        define::name_function(ix, node, given, cx);
    } else if class {
        classes::name_class(ix, node, given, cx);
        return;
    } else {
        define::sign(ix, node, object.then_some(given), cx);
        if object {
            say(cx, given, Word::Symbol(ix));
        } else {
            let value = value(raw, cx);
            cx.symbol(ix).value = Some(value);
        }
    }
    cx.open_plain(ix);
}

/// `import A = N.B`.
pub fn import_alias<'t>(node: Node<'t>, cx: &mut Cx<'t>) -> Walk {
    if let (Some(name), Some(target)) = (child(node, 0), child(node, 1)) {
        let value = super::exprs::type_of(target, cx);
        let text = cx.src(name);
        cx.bind(text, 0, None, Some(value));
        if cx.parent().is_some_and(|p| p.kind() == "export_statement") {
            cx.facts.exports.push(Export::Local {
                name: text.into(),
                value,
            });
        }
    }
    Walk::Over
}

/// The module of `require("m")` or `import("m")`, if the call is one and says it by a literal.
fn module_of<'t>(call: Node<'t>, cx: &Cx<'t>) -> Option<&'t str> {
    if call.kind() != "call_expression" {
        return None;
    }
    let function = call.child_by_field_name("function")?;
    let known = function.kind() == "import" || (function.kind() == "identifier" && cx.src(function) == "require");
    if !known {
        return None;
    }
    let first = child(call.child_by_field_name("arguments")?, 0)?;
    let literal = first.kind() == "string"
        || (first.kind() == "template_string" && first.named_child_count() <= 1 && !cx.src(first).contains("${"));
    literal.then(|| plain(cx, first))
}

/// Whether a call stands for a module.
pub fn is_module_call<'t>(call: Node<'t>, cx: &Cx<'t>) -> bool {
    module_of(call, cx).is_some()
}

/// The module that a call stands for, as a value; the import is stated once per call.
pub fn module_value<'t>(call: Node<'t>, cx: &mut Cx<'t>) -> ExprId {
    if let Some(&known) = cx.described.get(&call.id()) {
        return known;
    }
    let Some(module) = module_of(call, cx) else {
        return cx.expr(Expr::Unknown);
    };
    let (_, expr) = hidden(ImportKind::Module, module, "", call, cx);
    cx.described.insert(call.id(), expr);
    expr
}

/// The call under `await` and parentheses, and the property taken of it.
fn required<'t>(node: Node<'t>, cx: &Cx<'t>) -> Option<(Node<'t>, Option<Node<'t>>)> {
    let mut node = peel(node);
    let mut property = None;
    if node.kind() == "member_expression" {
        property = node.child_by_field_name("property");
        node = peel(node.child_by_field_name("object")?);
    }
    if node.kind() == "await_expression" {
        node = peel(child(node, 0)?);
    }
    is_module_call(node, cx).then_some((node, property))
}

/// `const m = require("m")`, `const { a, b: c } = require("m")`, `const f = require("m").f`, and the same with
/// `await import("m")`: imports, not variables. Returns whether it was one.
pub fn bind_required<'t>(pattern: Node<'t>, given: Node<'t>, cx: &mut Cx<'t>) -> bool {
    let Some((call, property)) = required(given, cx) else {
        return false;
    };
    let Some(module) = module_of(call, cx) else {
        return false;
    };
    let taken = property.map(|p| cx.src(p));
    match (pattern.kind(), taken) {
        ("identifier", taken) => {
            let alias = cx.src(pattern);
            let (kind, name) = match taken {
                None => (ImportKind::Module, ""),
                Some("default") => (ImportKind::Default, ""),
                Some(name) => (ImportKind::Name, name),
            };
            cx.import(kind, module, name, alias, pattern);
        }
        ("object_pattern", None) => {
            let mut cursor = pattern.walk();
            let parts: Vec<Node<'t>> = pattern.named_children(&mut cursor).collect();
            for part in &parts {
                if !simple(*part) {
                    return false;
                }
            }
            for part in parts {
                let (name, alias) = match part.kind() {
                    "pair_pattern" => match (part.child_by_field_name("key"), part.child_by_field_name("value")) {
                        (Some(k), Some(v)) => (plain(cx, k), cx.src(v)),
                        _ => continue,
                    },
                    _ => (cx.src(part), cx.src(part)),
                };
                if name == "default" {
                    cx.import(ImportKind::Default, module, "", alias, part);
                } else {
                    cx.import(ImportKind::Name, module, name, alias, part);
                }
            }
        }
        _ => return false,
    }
    // The import is stated: neither the call nor what is taken of it is a use of its own.
    let known = cx.expr(Expr::Unknown);
    cx.described.insert(call.id(), known);
    if property.is_some() {
        say(cx, peel(given), Word::Claimed);
    }
    true
}

/// A part of an object pattern that an import can say.
fn simple(part: Node<'_>) -> bool {
    match part.kind() {
        "shorthand_property_identifier_pattern" => true,
        "pair_pattern" => part
            .child_by_field_name("value")
            .is_some_and(|v| v.kind() == "identifier"),
        _ => false,
    }
}
