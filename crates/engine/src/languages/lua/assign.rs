//! What binds names: `local`, assignments, `for`.

use super::defs::{define_member, document, global_scope, name_function, own_table};
use super::exprs::{self, add_import, arguments, index_field, literal, required, table_of};
use super::extract::{DONE, children, describe};
use crate::extract::Cx;
use crate::facts::*;
use tree_sitter::Node;

/// `local a, b` without values.
pub(super) fn declaration<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    for list in children(node).into_iter().filter(|n| n.kind() == "variable_list") {
        for name in children(list).into_iter().filter(|n| n.kind() == "identifier") {
            cx.mark(name, DONE);
            let text = cx.src(name);
            cx.bind(text, node.end_byte(), None, None);
        }
    }
}

/// `a, b = x, y`, with or without `local`.
pub(super) fn assignment<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let parts = children(node);
    let targets = parts
        .iter()
        .find(|n| n.kind() == "variable_list")
        .map(|l| children(*l))
        .unwrap_or_default();
    let values = parts
        .iter()
        .find(|n| n.kind() == "expression_list")
        .map(|l| children(*l))
        .unwrap_or_default();
    let local = cx.parent().filter(|p| p.kind() == "variable_declaration");
    let whole = local.unwrap_or(node);
    let before = cx.facts.symbols.len();
    let names = targets.into_iter().filter(|t| t.kind() != "attribute");
    for (n, target) in names.enumerate() {
        let value = values.get(n).copied();
        match target.kind() {
            "identifier" => {
                cx.mark(target, DONE);
                plain(whole, target, value, local.is_some(), cx);
            }
            "dot_index_expression" => member(node, target, value, cx),
            _ => {}
        }
    }
    // What the right side uses belongs to the first thing that is defined by it.
    if cx.facts.symbols.len() > before {
        cx.open_plain(before as SymbolIx);
    }
}

fn plain<'t>(node: Node<'t>, target: Node<'t>, value: Option<Node<'t>>, local: bool, cx: &mut Cx<'t>) {
    let text = cx.src(target);
    let (id, line) = (cx.name(text), cx.line(target));
    let from = node.end_byte() as u32;
    let scope = if local { cx.scope() } else { global_scope(id, cx) };
    if let Some(value) = value {
        if let Some(module) = required(value, cx) {
            cx.mark(value, DONE);
            if scope == cx.scope() {
                add_import(ImportKind::Module, module, "", text, value, cx);
                return;
            }
        }
        // `local f = require("m").f`
        if value.kind() == "dot_index_expression"
            && let (Some(table), Some(field)) = (value.child_by_field_name("table"), value.child_by_field_name("field"))
            && let Some(module) = required(table, cx)
            && scope == cx.scope()
        {
            cx.mark(table, DONE);
            cx.mark(value, DONE);
            cx.mark(field, DONE);
            let name = cx.src(field);
            add_import(ImportKind::Name, module, name, text, field, cx);
            return;
        }
        if value.kind() == "function_definition" {
            let ix = cx.define_unbound(Kind::Function, node, id, line);
            cx.add_binding(scope, id, from, Bound::Symbol(ix));
            name_function(ix, node, value, cx);
            let bit = if local {
                SymbolFlags::FILE_PRIVATE
            } else {
                SymbolFlags::EXPORTED
            };
            cx.symbol(ix).flags.set(bit);
            return;
        }
    }
    let known = cx.bound(scope, id);
    if !local && let Some(Bound::Symbol(ix)) = known {
        let expr = cx.name_expr(target);
        cx.refer(Role::Value, expr, target, 255);
        if cx.facts.symbols[ix as usize].value.is_none() {
            let value = value.map(|v| describe(v, cx));
            cx.symbol(ix).value = value;
        }
        return;
    }
    if scope != 0 || cx.innermost().is_some() || matches!(known, Some(Bound::Local { .. })) {
        let value = value.map(|v| describe(v, cx));
        cx.bind_in(scope, text, from as usize, None, value);
        return;
    }
    define(node, target, value, local, cx);
}

/// A variable of the file; a table, or what makes a class, can have members.
fn define<'t>(node: Node<'t>, target: Node<'t>, value: Option<Node<'t>>, local: bool, cx: &mut Cx<'t>) {
    let text = cx.src(target);
    let (id, line) = (cx.name(text), cx.line(target));
    let (table, base) = value.map_or((false, None), |v| class_like(v, cx));
    let shouts = text.chars().any(char::is_uppercase) && !text.chars().any(char::is_lowercase);
    let kind = match table {
        true => Kind::Object,
        false if shouts => Kind::Constant,
        false => Kind::Variable,
    };
    let described = value.filter(|_| !table).map(|v| describe(v, cx));
    let base = base.map(|b| (b, describe(b, cx)));
    let ix = cx.define_unbound(kind, node, id, line);
    cx.add_binding(0, id, node.end_byte() as u32, Bound::Symbol(ix));
    cx.sign_to_body(ix, node, None);
    document(ix, node, cx);
    if table {
        cx.make_scope(ScopeKind::Type, Some(ix));
    }
    let symbol = cx.symbol(ix);
    symbol.value = described;
    let bit = if local {
        SymbolFlags::FILE_PRIVATE
    } else {
        SymbolFlags::EXPORTED
    };
    symbol.flags.set(bit);
    if let Some((base, ty)) = base {
        inherit(ix, base, ty, cx);
    }
}

fn inherit<'t>(ix: SymbolIx, base: Node<'t>, ty: ExprId, cx: &mut Cx<'t>) {
    cx.symbol(ix).supers.push(Super { ty, implements: false });
    cx.mark(base, DONE);
    let last = base.child_by_field_name("field").unwrap_or(base);
    // `within` is the table itself, as it is for the header of a class.
    let (name, line) = (cx.name(cx.src(last)), cx.line(last));
    cx.facts.refs.push(Ref {
        expr: ty,
        name,
        role: Role::Inherit,
        line,
        within: ix,
        args: 255,
    });
}

/// Whether a value is a table that can have members, and the table that it inherits from: `{}`,
/// `setmetatable({}, { __index = Base })`, `Base:extend()`, `class("Name", Base)`.
fn class_like<'t>(value: Node<'t>, cx: &Cx<'t>) -> (bool, Option<Node<'t>>) {
    match value.kind() {
        "table_constructor" => (true, None),
        "function_call" => {
            let Some(name) = value.child_by_field_name("name") else {
                return (false, None);
            };
            let args = arguments(value);
            if name.kind() == "method_index_expression" {
                let extends = name
                    .child_by_field_name("method")
                    .is_some_and(|m| matches!(cx.src(m), "extend" | "subclass" | "derive"));
                return (
                    extends,
                    extends
                        .then(|| name.child_by_field_name("table"))
                        .flatten()
                        .filter(is_path),
                );
            }
            match cx.src(name) {
                "setmetatable" if args.first().is_some_and(|a| a.kind() == "table_constructor") => {
                    let meta = args.get(1).filter(|m| m.kind() == "table_constructor");
                    (true, meta.and_then(|m| index_field(*m, cx)))
                }
                "class" | "Class" => (true, args.iter().copied().find(|a| is_path(a))),
                _ => (false, None),
            }
        }
        "binary_expression" => {
            // `M = M or {}`
            let table = value
                .child_by_field_name("right")
                .is_some_and(|r| r.kind() == "table_constructor");
            (table, None)
        }
        _ => (false, None),
    }
}

fn is_path(node: &Node<'_>) -> bool {
    matches!(node.kind(), "identifier" | "dot_index_expression")
}

/// `M.f = …`, `self.x = …`.
fn member<'t>(node: Node<'t>, target: Node<'t>, value: Option<Node<'t>>, cx: &mut Cx<'t>) {
    let (Some(table), Some(field)) = (target.child_by_field_name("table"), target.child_by_field_name("field")) else {
        return;
    };
    let Some(value) = value else { return };
    if value.kind() == "function_definition" {
        if let Some((ix, _)) = define_member(node, target, false, cx) {
            name_function(ix, node, value, cx);
        }
        return;
    }
    let text = cx.src(field);
    let id = cx.name(text);
    if cx.src(table) == "self" {
        if let Some(of) = own_table(cx) {
            let value = describe(value, cx);
            cx.facts.members.push(Member {
                of,
                name: id,
                ty: None,
                value: Some(value),
            });
        }
        return;
    }
    let Some(of) = table_of(table, cx) else { return };
    if text == "__index" {
        return;
    }
    let body = cx.facts.symbols[of as usize].body;
    let known = body.is_some_and(|b| cx.bound(b, id).is_some());
    if known || cx.innermost().is_some() || cx.scope() != 0 {
        let value = describe(value, cx);
        cx.facts.members.push(Member {
            of,
            name: id,
            ty: None,
            value: Some(value),
        });
        return;
    }
    let owner = describe(table, cx);
    cx.mark(target, DONE);
    cx.mark(field, DONE);
    cx.mark(table, DONE);
    let described = describe(value, cx);
    let line = cx.line(field);
    let ix = cx.define_unbound(Kind::Field, node, id, line);
    cx.sign_to_body(ix, node, None);
    document(ix, node, cx);
    let container = cx.facts.qualified(of);
    cx.set_owner(ix, owner, &container);
    if let Some(body) = body {
        cx.add_binding(body, id, 0, Bound::Symbol(ix));
    }
    let symbol = cx.symbol(ix);
    symbol.value = Some(described);
    symbol.flags.set(SymbolFlags::EXPORTED | SymbolFlags::ASSIGNED);
}

/// `for i, v in ipairs(xs)`, `for i = 1, 10`.
pub(super) fn for_statement<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let Some(clause) = node.child_by_field_name("clause") else {
        return;
    };
    let mut value = None;
    let mut names = Vec::new();
    for part in children(clause) {
        match part.kind() {
            "variable_list" => names = children(part),
            "expression_list" => {
                if let Some(&call) = children(part).first()
                    && call.kind() == "function_call"
                    && call
                        .child_by_field_name("name")
                        .is_some_and(|n| matches!(cx.src(n), "ipairs" | "pairs"))
                    && let Some(&of) = arguments(call).first()
                {
                    let of = describe(of, cx);
                    value = Some(cx.expr(Expr::Element { of }));
                }
            }
            _ => {}
        }
    }
    cx.open_scope(ScopeKind::Block);
    if names.is_empty() {
        names.extend(clause.child_by_field_name("name"));
    }
    let count = names.len();
    for (n, name) in names.into_iter().enumerate().filter(|(_, n)| n.kind() == "identifier") {
        cx.mark(name, DONE);
        let text = cx.src(name);
        // The element is the last name; the first is the key.
        let value = value.filter(|_| n > 0 && n + 1 == count);
        cx.bind(text, clause.end_byte(), None, value);
    }
}

/// `setmetatable(C, { __index = Base })` as a statement: `C` inherits from `Base`.
pub(super) fn metatable<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let args = arguments(node);
    let (Some(&class), Some(&meta)) = (args.first(), args.get(1)) else {
        return;
    };
    if meta.kind() != "table_constructor" {
        return;
    }
    if let (Some(ix), Some(base)) = (table_of(class, cx), index_field(meta, cx)) {
        let ty = describe(base, cx);
        inherit(ix, base, ty, cx);
    }
}

/// `pcall(require, "m")` takes a module in.
pub(super) fn protected_require<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let args = arguments(node);
    if let [function, module, ..] = args.as_slice()
        && cx.src(*function) == "require"
        && let Some(text) = literal(*module, cx)
    {
        exprs::add_import(ImportKind::Include, text, "", "", *module, cx);
    }
}
