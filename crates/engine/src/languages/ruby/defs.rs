//! Modules, classes, methods, blocks and lambdas.

use super::exprs::join;
use super::extract::{BLOCK_OF, DONE, GIVEN, STATIC_UNTIL, children, describe, in_method, own};
use crate::extract::Cx;
use crate::facts::*;
use tree_sitter::Node;

/// Note: the type whose following methods are not public.
pub(super) const HIDDEN_IN: &str = "hidden in";
/// Note: the module whose methods belong to the module itself (`module_function`, `extend self`).
pub(super) const STATIC_IN: &str = "static in";
/// Note: until this byte, methods belong to the class (`class << self`).
const SINGLETON_UNTIL: &str = "singleton until";

/// `module A::B`.
pub(super) fn module<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    type_definition(Kind::Module, node, cx);
}

/// `class A::B < C`.
pub(super) fn class<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    type_definition(Kind::Class, node, cx);
}

fn type_definition<'t>(kind: Kind, node: Node<'t>, cx: &mut Cx<'t>) {
    let Some(name) = node.child_by_field_name("name") else {
        return;
    };
    let superclass = node.child_by_field_name("superclass");
    let supers = superclass.and_then(|s| s.named_child(0));
    let base = supers.map(|s| (s, cx.src(s)));
    let ty = supers.filter(|s| is_path(*s)).map(|s| describe(s, cx));
    let ix = define_constant(kind, node, name, cx);
    cx.sign(ix, node.start_byte(), superclass.unwrap_or(name).end_byte());
    document(ix, node, cx);
    let text = cx.src(name);
    let flags = &mut cx.symbol(ix).flags;
    flags.set(SymbolFlags::EXPORTED);
    if kind == Kind::Class
        && (text.ends_with("Test") || text.starts_with("Test"))
        && base.is_some_and(|(_, b)| b.contains("Test") || b.contains("Spec"))
    {
        flags.set(SymbolFlags::TEST);
    }
    cx.open_symbol(ix, ScopeKind::Type);
    cx.notes.insert(STATIC_UNTIL, 0);
    if let Some(ty) = ty {
        cx.symbol(ix).supers.push(Super { ty, implements: false });
    }
    if let (Some((base, _)), Some(ty)) = (base, ty) {
        cx.mark(base, DONE);
        cx.refer(Role::Inherit, ty, base.child_by_field_name("name").unwrap_or(base), 255);
    }
}

/// Whether a node is `A`, `A::B` or `::A`.
pub(super) fn is_path(node: Node<'_>) -> bool {
    matches!(node.kind(), "constant" | "scope_resolution")
}

/// Defines what a constant names. `A::B` belongs to `A`, wherever that stands.
pub(super) fn define_constant<'t>(kind: Kind, node: Node<'t>, name: Node<'t>, cx: &mut Cx<'t>) -> SymbolIx {
    cx.mark(name, DONE);
    if name.kind() != "scope_resolution" {
        return cx.define(kind, node, name);
    }
    let (last, scope) = (name.child_by_field_name("name"), name.child_by_field_name("scope"));
    let last = last.unwrap_or(name);
    cx.mark(last, DONE);
    let (text, line) = (cx.src(last), cx.line(last));
    let id = cx.name(text);
    let ix = cx.define_unbound(kind, node, id, line);
    if let Some(scope) = scope {
        let owner = describe(scope, cx);
        let written: String = cx.src(scope).split_whitespace().collect();
        let written = written.trim_start_matches("::").replace("::", ".");
        let around = cx.facts.symbols[ix as usize].container;
        let around = cx.facts.name(around);
        let container = if around.is_empty() {
            written
        } else {
            format!("{around}.{written}")
        };
        cx.set_owner(ix, owner, &container);
    }
    ix
}

/// `class << self`: the methods inside belong to the class.
pub(super) fn singleton_class<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    if node.child_by_field_name("value").is_some_and(|v| v.kind() == "self") {
        cx.notes.insert(SINGLETON_UNTIL, node.end_byte() as u32);
    }
    cx.open_scope(ScopeKind::Block);
}

/// `def name`.
pub(super) fn method<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let owner = cx.innermost();
    let singleton = cx
        .notes
        .get(SINGLETON_UNTIL)
        .is_some_and(|&u| (node.start_byte() as u32) < u)
        || (owner.is_some() && cx.notes.get(STATIC_IN).copied() == owner);
    define_method(node, singleton, cx);
}

/// `def self.name`, `def Other.name`.
pub(super) fn singleton_method<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let object = node.child_by_field_name("object").filter(|o| is_path(*o));
    let owner = object.map(|o| (describe(o, cx), cx.src(o).replace("::", ".")));
    let ix = define_method(node, true, cx);
    if let (Some(ix), Some((owner, container))) = (ix, owner) {
        cx.set_owner(ix, owner, &container);
    }
}

fn define_method<'t>(node: Node<'t>, is_static: bool, cx: &mut Cx<'t>) -> Option<SymbolIx> {
    let name = node.child_by_field_name("name")?;
    cx.mark(name, DONE);
    if let Some(inner) = name.named_child(0) {
        cx.mark(inner, DONE);
    }
    let text = cx.src(name);
    let top = cx.innermost().is_none();
    let in_type = owner_type(cx).is_some();
    let kind = if in_type { Kind::Method } else { Kind::Function };
    let (id, line) = (cx.name(text), cx.line(name));
    let ix = if top || !in_type {
        cx.define_named(kind, node, id, line)
    } else {
        // Methods are found through their class, never by scope: a nested class does not see them.
        cx.define_unbound(kind, node, id, line)
    };
    let params = node.child_by_field_name("parameters");
    cx.sign(ix, node.start_byte(), params.unwrap_or(name).end_byte());
    document(ix, node, cx);
    let hidden = cx
        .notes
        .get(HIDDEN_IN)
        .copied()
        .is_some_and(|h| Some(h) == cx.facts.symbols[ix as usize].parent)
        || wrapped_hidden(cx);
    let in_test = cx.facts.symbols[ix as usize]
        .parent
        .is_some_and(|p| cx.facts.symbols[p as usize].flags.has(SymbolFlags::TEST));
    let flags = &mut cx.symbol(ix).flags;
    if is_static {
        flags.set(SymbolFlags::STATIC);
    }
    if !hidden || is_static {
        flags.set(SymbolFlags::EXPORTED);
    }
    if in_test && (text.starts_with("test") || matches!(text, "setup" | "teardown")) {
        flags.set(SymbolFlags::TEST);
    }
    cx.open_symbol(ix, ScopeKind::Function);
    let until = if is_static { node.end_byte() as u32 } else { 0 };
    cx.notes.insert(STATIC_UNTIL, until);
    if let Some(params) = params {
        let counted = parameters(params, cx);
        cx.symbol(ix).params = counted;
    } else {
        cx.symbol(ix).params = Params { min: 0, max: 0 };
    }
    // The last statement is what the method gives.
    if let Some(body) = node.child_by_field_name("body") {
        mark_given(body, ix, cx);
    }
    Some(ix)
}

/// Whether the definition being entered is the argument of `private` or `protected`.
fn wrapped_hidden(cx: &Cx<'_>) -> bool {
    let call = cx.ancestors().nth(1).filter(|a| a.kind() == "call");
    call.and_then(|c| c.child_by_field_name("method"))
        .is_some_and(|m| matches!(cx.src(m), "private" | "protected"))
}

fn mark_given<'t>(body: Node<'t>, ix: SymbolIx, cx: &mut Cx<'t>) {
    let last = match body.kind() {
        "body_statement" | "block_body" => children(body)
            .into_iter()
            .rfind(|n| !matches!(n.kind(), "rescue" | "ensure" | "else" | "empty_statement")),
        _ => Some(body),
    };
    if let Some(last) = last.filter(|l| cx.marked(*l).is_none()) {
        cx.mark(last, GIVEN + 4 * ix);
    }
}

/// Binds parameters in the current scope and counts them.
pub(super) fn parameters<'t>(list: Node<'t>, cx: &mut Cx<'t>) -> Params {
    let (mut min, mut max) = (0u8, 0u8);
    for param in children(list) {
        let name = match param.kind() {
            "identifier" => Some(param),
            _ => param.child_by_field_name("name"),
        };
        match param.kind() {
            "destructured_parameter" => {
                bind_all(param, cx);
                (min, max) = (min.saturating_add(1), max.saturating_add(1));
            }
            "splat_parameter" | "hash_splat_parameter" | "forward_parameter" => max = 255,
            "optional_parameter" => max = max.saturating_add(1),
            "identifier" => (min, max) = (min.saturating_add(1), max.saturating_add(1)),
            // Keyword arguments come as one hash or apart; their number says little.
            "keyword_parameter" => max = 255,
            _ => {}
        }
        if let Some(name) = name {
            cx.mark(name, DONE);
            let text = cx.src(name);
            cx.bind(text, 0, None, None);
        }
    }
    Params { min, max }
}

/// Binds every identifier below a pattern in the current scope.
pub(super) fn bind_all<'t>(pattern: Node<'t>, cx: &mut Cx<'t>) {
    let mut open = vec![pattern];
    while let Some(node) = open.pop() {
        if node.kind() == "identifier" {
            cx.mark(node, DONE);
            let text = cx.src(node);
            cx.bind(text, 0, None, None);
        } else {
            open.extend(children(node));
        }
    }
}

/// Methods whose block gets the elements of the receiver one by one.
const ITERATORS: &[&str] = &[
    "all?",
    "any?",
    "collect",
    "count",
    "detect",
    "each",
    "each_entry",
    "each_with_index",
    "each_with_object",
    "filter",
    "filter_map",
    "find",
    "find_all",
    "find_each",
    "find_index",
    "flat_map",
    "group_by",
    "index_by",
    "map",
    "max_by",
    "min_by",
    "none?",
    "one?",
    "partition",
    "reject",
    "reverse_each",
    "select",
    "sort_by",
    "sum",
    "to_h",
    "uniq",
];

/// A block: its parameters live in a scope of its own, which sees the locals around it.
pub(super) fn block<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let word = cx.marked(node).unwrap_or(0);
    let mut counted = None;
    if word % 4 == BLOCK_OF && word != 0 {
        let ix = word / 4;
        if cx.facts.symbols[ix as usize].kind.is_callable() {
            cx.open_symbol(ix, ScopeKind::Block);
            counted = Some(ix);
            if let Some(body) = node.child_by_field_name("body") {
                mark_given(body, ix, cx);
            }
        } else {
            cx.open_symbol(ix, ScopeKind::Type);
        }
    } else {
        cx.open_scope(ScopeKind::Block);
    }
    let call = cx.parent().filter(|p| p.kind() == "call");
    let params = node.child_by_field_name("parameters");
    if let Some(params) = params {
        let n = parameters(params, cx);
        if let Some(ix) = counted {
            cx.symbol(ix).params = n;
        }
    }
    // What the first parameter is, where the method that gets the block tells.
    if let (Some(call), Some(first)) = (call, params.and_then(|p| children(p).first().copied()))
        && first.kind() == "identifier"
        && let (Some(receiver), Some(method)) =
            (call.child_by_field_name("receiver"), call.child_by_field_name("method"))
    {
        let method = cx.src(method);
        let value = if ITERATORS.contains(&method) {
            let of = describe(receiver, cx);
            Some(cx.expr(Expr::Element { of }))
        } else if matches!(method, "tap" | "then" | "yield_self") {
            Some(describe(receiver, cx))
        } else {
            None
        };
        if let Some(value) = value {
            let text = cx.src(first);
            cx.bind(text, first.end_byte(), None, Some(value));
        }
    }
}

/// `->(x) { … }`.
pub(super) fn lambda<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let word = cx.marked(node).unwrap_or(0);
    let named = (word % 4 == BLOCK_OF && word != 0).then_some(word / 4);
    match named {
        Some(ix) => {
            cx.open_symbol(ix, ScopeKind::Block);
        }
        None => {
            cx.open_scope(ScopeKind::Block);
        }
    }
    if let Some(params) = node.child_by_field_name("parameters") {
        let counted = parameters(params, cx);
        if let Some(ix) = named {
            cx.symbol(ix).params = counted;
        }
    }
}

/// `alias new old`.
pub(super) fn alias<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let (Some(new), Some(old)) = (node.child_by_field_name("name"), node.child_by_field_name("alias")) else {
        return;
    };
    cx.mark(new, DONE);
    cx.mark(old, DONE);
    let text = |n: Node<'t>, cx: &Cx<'t>| cx.src(n).trim_start_matches(':');
    let (new_text, old_text) = (text(new, cx), text(old, cx));
    if new.kind() != "global_variable" {
        define_alias(node, new, new_text, old, old_text, cx);
    }
}

/// A second name of a method: a method that gives what the first one gives.
pub(super) fn define_alias<'t>(
    node: Node<'t>,
    new: Node<'t>,
    new_text: &'t str,
    old: Node<'t>,
    old_text: &'t str,
    cx: &mut Cx<'t>,
) {
    let base = method_base(node, cx);
    let target = match base {
        Some(base) => cx.member_expr(base, old_text),
        None => cx.name_expr_of(old_text, old.start_byte()),
    };
    let value = cx.expr(Expr::Call {
        callee: target,
        args: 255,
    });
    let ix = member_symbol(Kind::Method, node, new, new_text, cx);
    let symbol = cx.symbol(ix);
    symbol.value = Some(value);
    symbol.flags.set(SymbolFlags::ASSIGNED);
    let (name, line) = (cx.name(old_text), cx.line(old));
    cx.refer_named(Role::Value, target, name, line, 255);
}

/// What instance methods named in the body of a type are members of: its instances.
pub(super) fn method_base(node: Node<'_>, cx: &mut Cx<'_>) -> Option<ExprId> {
    cx.innermost()?;
    let scope = cx.scope();
    let singleton = cx
        .notes
        .get(SINGLETON_UNTIL)
        .is_some_and(|&u| (node.start_byte() as u32) < u);
    let expr = if singleton || in_method(cx) {
        own(node, cx)
    } else {
        Expr::This { scope }
    };
    Some(cx.expr(expr))
}

/// Adds a member that a call defines (`attr_reader :x`, `define_method(:x)`).
pub(super) fn member_symbol<'t>(kind: Kind, node: Node<'t>, name: Node<'t>, text: &str, cx: &mut Cx<'t>) -> SymbolIx {
    let (id, line) = (cx.name_owned(text), cx.line(name));
    let ix = if cx.innermost().is_none() {
        cx.define_named(kind, node, id, line)
    } else {
        cx.define_unbound(kind, node, id, line)
    };
    cx.sign_to_body(ix, node, None);
    document(ix, node, cx);
    let singleton = cx
        .notes
        .get(SINGLETON_UNTIL)
        .is_some_and(|&u| (node.start_byte() as u32) < u);
    let hidden = cx
        .notes
        .get(HIDDEN_IN)
        .copied()
        .is_some_and(|h| Some(h) == cx.facts.symbols[ix as usize].parent);
    let flags = &mut cx.symbol(ix).flags;
    if singleton {
        flags.set(SymbolFlags::STATIC);
    }
    if !hidden {
        flags.set(SymbolFlags::EXPORTED);
    }
    ix
}

/// `return x`.
pub(super) fn returned<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let ix = cx.within();
    if let Some(value) = children(node).first().copied().filter(|_| ix != FILE_SYMBOL) {
        gives(ix, value, cx);
    }
}

/// Adds what a method gives in one place.
pub(super) fn gives<'t>(ix: SymbolIx, value: Node<'t>, cx: &mut Cx<'t>) {
    if !cx.facts.symbols[ix as usize].kind.is_callable() {
        return;
    }
    let before = cx.facts.symbols[ix as usize].value;
    let new = describe(value, cx);
    let joined = match before {
        None => new,
        Some(old) if depth(old, cx) < 3 => join(old, new, cx),
        Some(_) => cx.expr(Expr::Unknown),
    };
    cx.symbol(ix).value = Some(joined);
}

/// How many alternatives an expression holds on its left side.
pub(super) fn depth(id: ExprId, cx: &Cx<'_>) -> usize {
    let (mut depth, mut id) = (0, id);
    while let Expr::Either(left, _) = cx.facts.exprs[id as usize] {
        depth += 1;
        id = left;
    }
    depth
}

/// The comment above a definition, or above the statement that it stands in (`private def x`). The comment above the
/// first statement of a body lies outside of the body.
pub(super) fn document<'t>(ix: SymbolIx, node: Node<'t>, cx: &mut Cx<'t>) {
    if cx.document_above(ix, node, &["comment"]) {
        return;
    }
    let around: Vec<Node<'t>> = cx.ancestors().take(3).collect();
    for outer in around {
        let same = outer.start_position().row == node.start_position().row;
        if !same || matches!(outer.kind(), "module" | "class" | "program") {
            return;
        }
        if cx.document_above(ix, outer, &["comment"]) {
            return;
        }
    }
}

/// The block or lambda behind `->() {}`, `lambda {}`, `proc {}` and `Proc.new {}`.
pub(super) fn lambda_of<'t>(node: Node<'t>, cx: &Cx<'t>) -> Option<Node<'t>> {
    match node.kind() {
        "lambda" => Some(node),
        "call" => {
            let name = node.child_by_field_name("method").map_or("", |m| cx.src(m));
            let proc_new = name == "new"
                && node
                    .child_by_field_name("receiver")
                    .is_some_and(|r| cx.src(r) == "Proc");
            let plain = node.child_by_field_name("receiver").is_none() && matches!(name, "lambda" | "proc");
            (plain || proc_new).then(|| node.child_by_field_name("block")).flatten()
        }
        _ => None,
    }
}

/// The innermost class or module around, if any.
pub(super) fn owner_type(cx: &Cx<'_>) -> Option<SymbolIx> {
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
