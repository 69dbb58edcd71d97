//! Functions, tables with functions, and what a file returns.

use super::exprs::{self, SELF_UNTIL, join, table_of};
use super::extract::{DONE, HANDED_OUT, SYMBOL, children, describe};
use crate::extract::Cx;
use crate::facts::*;
use tree_sitter::Node;

/// `function f`, `local function f`, `function M.f`, `function M:f`.
pub(super) fn function<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let Some(name) = node.child_by_field_name("name") else {
        return;
    };
    let local = node.child(0).is_some_and(|c| c.kind() == "local");
    if name.kind() == "identifier" {
        let (id, line) = (cx.name(cx.src(name)), cx.line(name));
        let ix = cx.define_unbound(Kind::Function, node, id, line);
        let scope = if local { cx.scope() } else { global_scope(id, cx) };
        // `local f`, then `function f()`: the function is what the variable holds from here on.
        let declared = !local && matches!(cx.bound(scope, id), Some(Bound::Local { .. }));
        let from = if declared { node.start_byte() as u32 } else { 0 };
        cx.add_binding(scope, id, from, Bound::Symbol(ix));
        cx.mark(name, DONE);
        let bit = if local {
            SymbolFlags::FILE_PRIVATE
        } else {
            SymbolFlags::EXPORTED
        };
        cx.symbol(ix).flags.set(bit);
        finish(ix, node, node, cx);
        open(ix, node, None, false, cx);
        return;
    }
    let method = name.kind() == "method_index_expression";
    if let Some((ix, table)) = define_member(node, name, method, cx) {
        finish(ix, node, node, cx);
        open(ix, node, table, method, cx);
    }
}

/// The scope that holds a name already, else the file's: an assignment without `local` is global.
pub(super) fn global_scope(name: NameId, cx: &Cx<'_>) -> ScopeId {
    let mut scope = Some(cx.scope());
    while let Some(id) = scope {
        if cx.bound(id, name).is_some() {
            return id;
        }
        scope = cx.facts.scopes[id as usize].parent;
    }
    0
}

/// Adds the function that `M.f` or `M:f` names: a member of `M`. Returns it with the table, if that is one of this file.
pub(super) fn define_member<'t>(
    node: Node<'t>,
    name: Node<'t>,
    method: bool,
    cx: &mut Cx<'t>,
) -> Option<(SymbolIx, Option<SymbolIx>)> {
    let table = name.child_by_field_name("table")?;
    let last = name
        .child_by_field_name("field")
        .or(name.child_by_field_name("method"))?;
    cx.mark(last, DONE);
    cx.mark(name, DONE);
    cx.mark(table, DONE);
    let owner = describe(table, cx);
    let own = table_of(table, cx);
    let (id, line) = (cx.name(cx.src(last)), cx.line(last));
    let kind = if method { Kind::Method } else { Kind::Function };
    let ix = cx.define_unbound(kind, node, id, line);
    let container: String = cx.src(table).split_whitespace().collect();
    let container = if container == "self" {
        own_table(cx).map_or(container, |t| cx.facts.qualified(t))
    } else {
        container
    };
    cx.set_owner(ix, owner, &container.replace(':', "."));
    cx.symbol(ix).flags.set(SymbolFlags::EXPORTED);
    if let Some(scope) = own.and_then(|t| cx.facts.symbols[t as usize].body) {
        cx.add_binding(scope, id, 0, Bound::Symbol(ix));
    }
    Some((ix, own))
}

/// The table whose method the walk is in.
pub(super) fn own_table(cx: &Cx<'_>) -> Option<SymbolIx> {
    let mut scope = Some(cx.scope());
    while let Some(id) = scope {
        let fact = cx.facts.scopes[id as usize];
        if fact.kind == ScopeKind::Type {
            return fact.symbol;
        }
        scope = fact.parent;
    }
    None
}

/// Signature and documentation of a function; `whole` is the statement that defines it.
fn finish<'t>(ix: SymbolIx, function: Node<'t>, whole: Node<'t>, cx: &mut Cx<'t>) {
    let end = function
        .child_by_field_name("parameters")
        .map_or(function.end_byte(), |p| p.end_byte());
    cx.sign(ix, whole.start_byte(), end);
    document(ix, whole, cx);
    let name = cx.facts.symbols[ix as usize].name;
    let test = cx.facts.name(name).starts_with("test");
    if test {
        cx.symbol(ix).flags.set(SymbolFlags::TEST);
    }
}

/// The comment above a definition, or above the statement around it.
pub(super) fn document<'t>(ix: SymbolIx, node: Node<'t>, cx: &mut Cx<'t>) {
    if cx.document_above(ix, node, &["comment"]) {
        return;
    }
    let around: Vec<Node<'t>> = cx.ancestors().take(2).collect();
    for outer in around {
        if outer.start_position().row != node.start_position().row || outer.kind() == "chunk" {
            return;
        }
        if cx.document_above(ix, outer, &["comment"]) {
            return;
        }
    }
}

/// Opens a function: the scope of the table that it is a member of, its own scope, its parameters.
fn open<'t>(ix: SymbolIx, function: Node<'t>, table: Option<SymbolIx>, method: bool, cx: &mut Cx<'t>) {
    if let Some(table) = table {
        let scope = cx.open_scope(ScopeKind::Type);
        cx.facts.scopes[scope as usize].symbol = Some(table);
    }
    cx.open_symbol(ix, ScopeKind::Function);
    if method {
        cx.notes.insert(SELF_UNTIL, function.end_byte() as u32);
    }
    let params = parameters(function, table.is_some(), cx);
    cx.symbol(ix).params = params;
}

/// Binds parameters and counts them. A first parameter `self` of a member is its table.
fn parameters<'t>(function: Node<'t>, member: bool, cx: &mut Cx<'t>) -> Params {
    let list = function
        .child_by_field_name("parameters")
        .map(|p| children(p))
        .unwrap_or_default();
    let mut max = 0u8;
    for (n, param) in list.into_iter().enumerate() {
        match param.kind() {
            "identifier" => {
                cx.mark(param, DONE);
                let text = cx.src(param);
                let value = (member && n == 0 && text == "self").then(|| {
                    let scope = cx.scope();
                    cx.expr(Expr::This { scope })
                });
                cx.bind(text, 0, None, value);
                max = max.saturating_add(1);
            }
            _ => max = 255,
        }
    }
    Params { min: 0, max }
}

/// `function (…) … end`: named by what it is assigned to, if by anything.
pub(super) fn anonymous<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let Some(ix) = cx.marked(node).filter(|w| w % 4 == SYMBOL).map(|w| w / 4) else {
        cx.open_scope(ScopeKind::Function);
        parameters(node, false, cx);
        return;
    };
    let owner = cx.facts.symbols[ix as usize].owner;
    let table = owner
        .and_then(|o| match cx.facts.exprs[o as usize] {
            Expr::Name { name, .. } => exprs::bound_around(name, cx),
            _ => None,
        })
        .and_then(|b| match b {
            Bound::Symbol(t) => Some(t),
            _ => None,
        })
        .or(cx.facts.symbols[ix as usize].parent)
        .filter(|&t| cx.facts.symbols[t as usize].kind == Kind::Object);
    open(ix, node, table, false, cx);
}

/// Names the function that is the value of a statement or field.
pub(super) fn name_function<'t>(ix: SymbolIx, whole: Node<'t>, function: Node<'t>, cx: &mut Cx<'t>) {
    finish(ix, function, whole, cx);
    cx.symbol(ix).flags.set(SymbolFlags::ASSIGNED);
    cx.mark(function, SYMBOL + 4 * ix);
}

/// `{ f = function … }`, and the fields of the table that the file returns.
pub(super) fn field<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let (Some(name), Some(value)) = (node.child_by_field_name("name"), node.child_by_field_name("value")) else {
        return;
    };
    let text = match name.kind() {
        "identifier" => {
            cx.mark(name, DONE);
            cx.src(name)
        }
        _ => match exprs::literal(name, cx) {
            Some(text) => text,
            None => return,
        },
    };
    let mut handed_out = None;
    if value.kind() == "function_definition" && !text.is_empty() {
        let (id, line) = (cx.name(text), cx.line(name));
        let ix = cx.define_unbound(Kind::Function, node, id, line);
        name_function(ix, node, value, cx);
        cx.symbol(ix).flags.set(SymbolFlags::EXPORTED);
        handed_out = Some(cx.expr(Expr::Symbol(ix)));
    }
    if cx.marked(node) == Some(HANDED_OUT) {
        let value = handed_out.unwrap_or_else(|| describe(value, cx));
        cx.facts.exports.push(Export::Local {
            name: text.into(),
            value,
        });
    }
}

/// `return x`: what a function gives, or what the file hands out.
pub(super) fn returned<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let Some(value) = children(node).first().and_then(|list| children(*list).first().copied()) else {
        return;
    };
    let ix = cx.within();
    if ix != FILE_SYMBOL {
        let before = cx.facts.symbols[ix as usize].value;
        if !cx.facts.symbols[ix as usize].kind.is_callable() || value.kind() == "nil" {
            return;
        }
        let new = describe(value, cx);
        let joined = match before {
            None => new,
            Some(old) if !matches!(cx.facts.exprs[old as usize], Expr::Either(..)) => join(old, new, cx),
            Some(old) => old,
        };
        cx.symbol(ix).value = Some(joined);
        return;
    }
    if cx.scope() != 0 {
        return;
    }
    if value.kind() == "table_constructor" {
        for field in children(value) {
            cx.mark(field, HANDED_OUT);
        }
    } else {
        let value = describe(value, cx);
        cx.facts.exports.push(Export::Whole { value });
    }
}
