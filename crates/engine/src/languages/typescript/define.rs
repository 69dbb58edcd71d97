//! Functions, variables and namespaces.

use super::exprs::{annotated, element, has_token, join, peel, type_parameters, value};
use super::extract::{Word, said, say};
use super::objects::has_functions;
use super::patterns::{self, Source, Target};
use super::{classes, module, signature};
use crate::extract::Cx;
use crate::facts::{Bound, Expr, Kind, ScopeKind, SymbolFlags, SymbolIx};
use tree_sitter::Node;

/// What stands around a declaration: the statement that it spans and what that says.
#[derive(Clone, Copy)]
pub struct Outer<'t> {
    /// The node that the definition spans.
    pub span: Node<'t>,
    /// `export`.
    pub exported: bool,
    /// `export default`.
    pub default: bool,
    /// `declare`.
    pub ambient: bool,
}

impl Outer<'_> {
    /// Adds its flags to a definition.
    pub fn flag(&self, ix: SymbolIx, cx: &mut Cx<'_>) {
        let flags = &mut cx.symbol(ix).flags;
        if self.exported {
            flags.set(SymbolFlags::EXPORTED);
        }
        if self.default {
            flags.set(SymbolFlags::DEFAULT_EXPORT);
        }
    }
}

/// The statement around the declaration being entered. A declarator spans its statement when it stands there alone.
pub fn outer<'t>(node: Node<'t>, cx: &Cx<'t>) -> Outer<'t> {
    let mut out = Outer {
        span: node,
        exported: false,
        default: false,
        ambient: false,
    };
    for above in cx.ancestors() {
        match above.kind() {
            "lexical_declaration" | "variable_declaration" => {
                if above.named_child_count() == 1 {
                    out.span = above;
                }
            }
            "export_statement" => {
                out.exported = true;
                out.default = has_token(above, "default");
                if !matches!(out.span.kind(), "variable_declarator") {
                    out.span = above;
                }
            }
            "ambient_declaration" => {
                out.ambient = true;
                if !matches!(out.span.kind(), "variable_declarator") {
                    out.span = above;
                }
            }
            "expression_statement" if node.kind() == "internal_module" => out.span = above,
            _ => break,
        }
    }
    out
}

/// Signature and doc comment: the source of `span` behind its decorators, up to `body`.
pub fn sign<'t>(ix: SymbolIx, span: Node<'t>, body: Option<Node<'t>>, cx: &mut Cx<'t>) {
    let mut start = span.start_byte();
    let mut cursor = span.walk();
    for c in span.children(&mut cursor) {
        if c.kind() == "decorator" {
            start = c.end_byte();
        } else {
            break;
        }
    }
    cx.sign_head(ix, start, span.end_byte(), body);
    cx.document_above(ix, span, &["comment"]);
}

/// Fills in what a function's header says.
pub fn header<'t>(ix: SymbolIx, function: Node<'t>, cx: &mut Cx<'t>) {
    let params = patterns::count(function, cx);
    let asynchronous = has_token(function, "async");
    let s = cx.symbol(ix);
    s.params = params;
    if asynchronous {
        s.flags.set(SymbolFlags::ASYNC);
    }
}

/// Opens a function's scope and binds what its header binds.
pub fn open<'t>(ix: Option<SymbolIx>, function: Node<'t>, cx: &mut Cx<'t>) {
    let given = match ix {
        None => patterns::given_by_call(cx),
        Some(_) => None,
    };
    let context = match is_function(function) || function.kind() == "method_definition" {
        true => signature::contextual(function, cx),
        false => None,
    };
    match ix {
        Some(ix) => cx.open_symbol(ix, ScopeKind::Function),
        None => cx.open_scope(ScopeKind::Function),
    };
    type_parameters(function, cx);
    patterns::bind_parameters(function, given, context, ix.is_some(), cx);
    let Some(ix) = ix else { return };
    let ty = annotated(function.child_by_field_name("return_type"), cx);
    cx.symbol(ix).ty = ty;
    if ty.is_none()
        && function.kind() == "arrow_function"
        && let Some(body) = function.child_by_field_name("body")
        && body.kind() != "statement_block"
    {
        give_back(ix, body, cx);
    }
}

/// `function f() {}`, `function f(): void;`.
pub fn function_declaration<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let Some(name) = node.child_by_field_name("name") else {
        open(None, node, cx);
        return;
    };
    let outer = outer(node, cx);
    let ix = cx.define(Kind::Function, outer.span, name);
    outer.flag(ix, cx);
    sign(ix, outer.span, node.child_by_field_name("body"), cx);
    header(ix, node, cx);
    if node.kind() == "function_signature" {
        cx.symbol(ix).flags.set(SymbolFlags::DECLARATION);
    }
    open(Some(ix), node, cx);
}

/// A function as a value: it has a name if what takes it gave it one.
pub fn function_value<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    if let Some(Word::Symbol(ix)) = said(cx, node) {
        open(Some(ix), node, cx);
    } else {
        open(None, node, cx);
    }
    // A function expression's own name is seen inside only.
    if let Some(name) = node.child_by_field_name("name") {
        let value = match said(cx, node) {
            Some(Word::Symbol(ix)) => Some(cx.expr(Expr::Symbol(ix))),
            _ => None,
        };
        let text = cx.src(name);
        cx.bind(text, 0, None, value);
    }
}

/// Whether a value is a function or class that can take the name of what it is given to.
pub fn is_function(node: Node<'_>) -> bool {
    matches!(
        node.kind(),
        "arrow_function" | "function_expression" | "generator_function"
    )
}

/// Defines the function `value` under a name; the walk opens it when it comes there.
pub fn name_function<'t>(ix: SymbolIx, span: Node<'t>, value: Node<'t>, cx: &mut Cx<'t>) {
    sign(ix, span, value.child_by_field_name("body"), cx);
    header(ix, value, cx);
    say(cx, value, Word::Symbol(ix));
}

/// Whether declarations here are seen by the whole file or namespace.
pub fn at_module_level(cx: &Cx<'_>) -> bool {
    let scope = cx.function_scope();
    matches!(
        cx.facts.scopes[scope as usize].kind,
        ScopeKind::File | ScopeKind::Module
    )
}

/// `name = value` in `const`, `let` and `var`.
pub fn declarator<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let Some(name) = node.child_by_field_name("name") else {
        return;
    };
    let raw = node.child_by_field_name("value");
    let given = raw.map(peel);
    let (constant, var) = match cx.parent() {
        Some(p) if p.kind() == "lexical_declaration" => (
            p.child_by_field_name("kind").is_some_and(|k| k.kind() == "const"),
            false,
        ),
        _ => (false, true),
    };
    if let Some(given) = given
        && module::bind_required(name, given, cx)
    {
        return;
    }
    let kind = if constant { Kind::Constant } else { Kind::Variable };
    let in_loop = cx.ancestors().nth(1).is_some_and(|n| n.kind() == "for_statement");
    let module_level = !in_loop && at_module_level(cx);
    let outer = outer(node, cx);
    if name.kind() != "identifier" {
        let ty = annotated(node.child_by_field_name("type"), cx);
        let value = raw.map(|v| value(v, cx));
        let scope = if var { cx.function_scope() } else { cx.scope() };
        let to = if module_level {
            Target::Symbols {
                span: outer.span,
                kind,
                exported: outer.exported,
            }
        } else {
            Target::Locals(scope, node.end_byte())
        };
        patterns::bind(name, Source { ty, value }, to, None, cx);
        return;
    }
    if let Some(given) = given {
        if is_function(given) {
            let ix = cx.define(Kind::Function, outer.span, name);
            outer.flag(ix, cx);
            name_function(ix, outer.span, given, cx);
            cx.open_plain(ix);
            return;
        }
        if given.kind() == "class" {
            let text = cx.src(name);
            let id = cx.name(text);
            let line = cx.line(name);
            let ix = cx.define_named(Kind::Class, outer.span, id, line);
            outer.flag(ix, cx);
            classes::name_class(ix, outer.span, given, cx);
            return;
        }
    }
    let object = given.filter(|g| g.kind() == "object");
    let functions = object.is_some_and(|o| has_functions(o, 0));
    if !module_level && !functions {
        let ty = annotated(node.child_by_field_name("type"), cx);
        let value = raw.map(|v| value(v, cx));
        let scope = if var { cx.function_scope() } else { cx.scope() };
        if let Some(o) = object {
            say(cx, o, Word::Anonymous);
        }
        let text = cx.src(name);
        cx.bind_in(scope, text, node.end_byte(), ty, value);
        return;
    }
    let ix = cx.define(kind, outer.span, name);
    outer.flag(ix, cx);
    let body = object.filter(|_| functions);
    sign(ix, outer.span, body, cx);
    let ty = annotated(node.child_by_field_name("type"), cx);
    let value = match (raw, object) {
        // The keys of an object literal are the definition's own members.
        (_, Some(o)) => {
            say(cx, o, Word::Symbol(ix));
            None
        }
        (Some(v), None) => Some(value(v, cx)),
        _ => None,
    };
    let s = cx.symbol(ix);
    s.ty = ty;
    s.value = value;
    cx.open_plain(ix);
}

/// `for (const x of xs)`.
pub fn for_in<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let (left, right) = (node.child_by_field_name("left"), node.child_by_field_name("right"));
    let of = node.child_by_field_name("operator").is_some_and(|o| o.kind() == "of");
    let item = match right {
        Some(r) if of => Some(element(r, cx)),
        _ => Some(cx.expr(Expr::Literal)),
    };
    cx.open_scope(ScopeKind::Block);
    if node.child_by_field_name("kind").is_some()
        && let Some(left) = left
    {
        let scope = cx.scope();
        let from = Source { ty: None, value: item };
        patterns::bind(left, from, Target::Locals(scope, 0), None, cx);
    }
}

/// `catch (e)`.
pub fn catch<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    cx.open_scope(ScopeKind::Block);
    if let Some(parameter) = node.child_by_field_name("parameter") {
        let scope = cx.scope();
        patterns::bind(parameter, Source::default(), Target::Locals(scope, 0), None, cx);
    }
}

/// `return x`: what the function gives, if it does not say so itself.
pub fn returned<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let within = cx.within();
    let Some(s) = cx.facts.symbols.get(within as usize) else {
        return;
    };
    if s.ty.is_some() || !s.kind.is_callable() || s.body != Some(cx.function_scope()) {
        return;
    }
    if let Some(what) = super::exprs::child(node, 0) {
        give_back(within, what, cx);
    }
}

fn give_back<'t>(ix: SymbolIx, what: Node<'t>, cx: &mut Cx<'t>) {
    let peeled = peel(what);
    let new = if peeled.kind() == "object" {
        // The functions of the object are definitions within this one.
        cx.expr(Expr::Symbol(ix))
    } else {
        value(what, cx)
    };
    let old = cx.symbol(ix).value;
    let all = match old {
        None => new,
        Some(old) if matches!(cx.facts.exprs[old as usize], Expr::Either(..)) => old,
        Some(old) => join(old, new, cx),
    };
    cx.symbol(ix).value = Some(all);
}

/// `namespace N {}`, `module N {}`, `declare module "m" {}`.
pub fn namespace<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let Some(name) = node.child_by_field_name("name") else {
        return;
    };
    let kind = if name.kind() == "string" {
        Kind::Module
    } else {
        Kind::Namespace
    };
    let outer = outer(node, cx);
    let text = super::exprs::plain(cx, name);
    let (id, line) = (cx.name(text), cx.line(name));
    let ix = cx.define_named(kind, outer.span, id, line);
    outer.flag(ix, cx);
    sign(ix, outer.span, node.child_by_field_name("body"), cx);
    cx.open_symbol(ix, ScopeKind::Module);
}

/// `x = value` for a name declared without one: the value is told to the declaration.
pub fn reassigned<'t>(name: Node<'t>, right: Node<'t>, cx: &mut Cx<'t>) {
    let text = cx.src(name);
    let id = cx.name(text);
    let mut scope = Some(cx.scope());
    while let Some(at) = scope {
        match cx.bound(at, id) {
            Some(Bound::Local { ty: None, value: old }) => {
                let new = value(right, cx);
                let poor = old.is_none_or(|o| matches!(cx.facts.exprs[o as usize], Expr::Literal | Expr::Unknown));
                let from = if poor {
                    last_from(at, id, cx)
                } else {
                    name.end_byte() as u32
                };
                let bound = Bound::Local {
                    ty: None,
                    value: Some(new),
                };
                cx.add_binding(at, id, from, bound);
                return;
            }
            Some(Bound::Symbol(ix)) => {
                let s = cx.symbol(ix);
                if matches!(s.kind, Kind::Variable | Kind::Constant) && s.ty.is_none() {
                    let old = s.value;
                    let new = value(right, cx);
                    let all = match old {
                        None => new,
                        Some(o) if matches!(cx.facts.exprs[o as usize], Expr::Either(..)) => o,
                        Some(o) => join(o, new, cx),
                    };
                    cx.symbol(ix).value = Some(all);
                }
                return;
            }
            Some(_) => return,
            None => scope = cx.facts.scopes[at as usize].parent,
        }
    }
}

/// Where the last binding of a name begins to be visible.
fn last_from(scope: u32, name: u32, cx: &Cx<'_>) -> u32 {
    cx.facts
        .bindings
        .iter()
        .rev()
        .take(2000)
        .find(|b| b.scope == scope && b.name == name)
        .map_or(0, |b| b.from)
}
