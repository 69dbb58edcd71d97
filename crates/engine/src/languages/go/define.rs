//! Functions, methods, constants and variables.

use super::exprs::{bare, child, children, type_of, value};
use crate::extract::Cx;
use crate::facts::{Expr, ExprId, Impl, Kind, Member, Params, ScopeKind, SymbolFlags, SymbolIx};
use tree_sitter::Node;

/// Note of the type that constants without one repeat.
pub const CONST_TYPE: &str = "go.const.type";

/// Signature, doc comment and export flag of a definition that spans `span`.
pub fn finish<'t>(ix: SymbolIx, span: Node<'t>, body: Option<Node<'t>>, cx: &mut Cx<'t>) {
    cx.sign_head(ix, span.start_byte(), span.end_byte(), body);
    cx.document_above(ix, span, &["comment"]);
    let name = cx.facts.symbols[ix as usize].name;
    let exported = cx.facts.name(name).chars().next().is_some_and(char::is_uppercase);
    if exported {
        cx.symbol(ix).flags.set(SymbolFlags::EXPORTED);
    }
}

/// The declaration around a spec that stands there alone, or else the spec.
pub fn span_of<'t>(spec: Node<'t>, cx: &Cx<'t>) -> Node<'t> {
    match cx.parent() {
        Some(p) if matches!(p.kind(), "type_declaration" | "const_declaration" | "var_declaration") => {
            let mut cursor = p.walk();
            let grouped = p.children(&mut cursor).any(|c| c.kind() == "(");
            if grouped { spec } else { p }
        }
        _ => spec,
    }
}

/// How many arguments a parameter list takes.
pub fn count(function: Node<'_>) -> Params {
    let (mut n, mut variadic) = (0u8, false);
    if let Some(list) = function.child_by_field_name("parameters") {
        for p in children(list) {
            if p.kind() == "variadic_parameter_declaration" {
                variadic = true;
                continue;
            }
            let mut cursor = p.walk();
            let names = p.children_by_field_name("name", &mut cursor).count().max(1);
            n = n.saturating_add(names.min(250) as u8);
        }
    }
    Params {
        min: n.min(254),
        max: if variadic { 255 } else { n.min(254) },
    }
}

/// Binds the parameters and named results of a function in the current scope.
pub fn bind_parameters<'t>(function: Node<'t>, cx: &mut Cx<'t>) {
    type_parameters(function, cx);
    for field in ["receiver", "parameters", "result"] {
        let Some(list) = function.child_by_field_name(field) else {
            continue;
        };
        if list.kind() != "parameter_list" {
            continue;
        }
        for p in children(list) {
            let Some(t) = p.child_by_field_name("type") else {
                continue;
            };
            let mut cursor = p.walk();
            let names: Vec<Node<'t>> = p.children_by_field_name("name", &mut cursor).collect();
            if names.is_empty() {
                continue;
            }
            let mut ty = type_of(t, cx);
            if p.kind() == "variadic_parameter_declaration" {
                let base = cx.expr(Expr::Literal);
                ty = cx.expr(Expr::Apply { base, arg: ty });
            }
            for name in names {
                let text = cx.src(name);
                cx.bind(text, 0, Some(ty), None);
            }
        }
    }
}

/// Binds type parameters, each with its constraint.
pub fn type_parameters<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let Some(list) = node.child_by_field_name("type_parameters") else {
        return;
    };
    for p in children(list) {
        let constraint = p.child_by_field_name("type");
        let single = constraint.filter(|c| children(*c).len() == 1);
        let ty = single.map(|c| type_of(c, cx));
        let mut cursor = p.walk();
        let names: Vec<Node<'t>> = p.children_by_field_name("name", &mut cursor).collect();
        for name in names {
            let text = cx.src(name);
            cx.bind(text, 0, ty, None);
        }
    }
}

/// The first result type.
fn result<'t>(function: Node<'t>, cx: &mut Cx<'t>) -> Option<ExprId> {
    let result = function.child_by_field_name("result")?;
    if result.kind() == "parameter_list" {
        let first = child(result, 0)?;
        let t = first.child_by_field_name("type")?;
        return Some(type_of(t, cx));
    }
    Some(type_of(result, cx))
}

fn open<'t>(ix: SymbolIx, function: Node<'t>, cx: &mut Cx<'t>) {
    cx.symbol(ix).params = count(function);
    cx.open_symbol(ix, ScopeKind::Function);
    bind_parameters(function, cx);
    results(ix, function, cx);
}

/// The first result is the function's type, the others are members of it by their number.
pub fn results<'t>(ix: SymbolIx, function: Node<'t>, cx: &mut Cx<'t>) {
    let ty = result(function, cx);
    cx.symbol(ix).ty = ty;
    let list = function
        .child_by_field_name("result")
        .filter(|r| r.kind() == "parameter_list");
    let mut place = 0usize;
    for p in list.map(children).unwrap_or_default() {
        let Some(t) = p.child_by_field_name("type") else {
            continue;
        };
        let mut cursor = p.walk();
        let names = p.children_by_field_name("name", &mut cursor).count().max(1);
        for _ in 0..names.min(16) {
            if place > 0 && !super::exprs::is_builtin_type(cx.src(t)) {
                let ty = Some(type_of(t, cx));
                let name = cx.name_owned(&place.to_string());
                cx.facts.members.push(Member {
                    of: ix,
                    name,
                    ty,
                    value: None,
                });
            }
            place += 1;
        }
    }
}

/// `func f() {}`.
pub fn function<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let Some(name) = node.child_by_field_name("name") else {
        return;
    };
    let text = cx.src(name);
    // Nothing can refer to `init` or `_`.
    let ix = if matches!(text, "init" | "_") {
        let (id, line) = (cx.name(text), cx.line(name));
        cx.define_unbound(Kind::Function, node, id, line)
    } else {
        cx.define(Kind::Function, node, name)
    };
    let body = node.child_by_field_name("body");
    finish(ix, node, body, cx);
    // Without a body it is written in assembly: a function like any other.
    let mut flags = 0;
    if text == "init" || (text == "main" && &*cx.facts.package == "main") {
        flags |= SymbolFlags::ENTRY;
    }
    if is_test(text, node, cx) {
        flags |= SymbolFlags::TEST;
    }
    cx.symbol(ix).flags.set(flags);
    open(ix, node, cx);
}

/// `TestX(t *testing.T)`, `BenchmarkX`, `FuzzX`, `ExampleX()`.
fn is_test<'t>(name: &str, node: Node<'t>, cx: &Cx<'t>) -> bool {
    let parameters = node.child_by_field_name("parameters");
    let kind = ["Test", "Benchmark", "Fuzz", "Example"].iter().find(|k| {
        name.strip_prefix(**k)
            .is_some_and(|rest| !rest.starts_with(char::is_lowercase))
    });
    match (kind, parameters) {
        (Some(&"Example"), Some(p)) => p.named_child_count() == 0,
        (Some(_), Some(p)) => cx.src(p).contains("testing."),
        _ => false,
    }
}

/// `func (r *T) f() {}`: it belongs to `T`.
pub fn method<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let Some(name) = node.child_by_field_name("name") else {
        return;
    };
    let text = cx.src(name);
    let (id, line) = (cx.name(text), cx.line(name));
    let ix = cx.define_unbound(Kind::Method, node, id, line);
    let receiver = node
        .child_by_field_name("receiver")
        .and_then(|r| child(r, 0))
        .and_then(|p| p.child_by_field_name("type"));
    if let Some(receiver) = receiver {
        receiver_type(ix, receiver, cx);
    }
    finish(ix, node, node.child_by_field_name("body"), cx);
    let receiver_arguments = receiver.and_then(generic_arguments);
    open(ix, node, cx);
    // `func (s *Stack[T])` binds T.
    if let Some(arguments) = receiver_arguments {
        for a in children(arguments) {
            let text = cx.src(a);
            cx.bind(text, 0, None, None);
        }
    }
}

fn receiver_type<'t>(ix: SymbolIx, receiver: Node<'t>, cx: &mut Cx<'t>) {
    let named = bare(receiver);
    let owner = type_of(named, cx);
    let container = cx.src(named);
    cx.set_owner(ix, owner, container);
}

fn generic_arguments(node: Node<'_>) -> Option<Node<'_>> {
    let node = match node.kind() {
        "pointer_type" | "parenthesized_type" => child(node, 0)?,
        _ => node,
    };
    node.child_by_field_name("type_arguments")
}

/// `func() {}` as a value.
pub fn literal<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    match cx.marked(node) {
        Some(word) if word >= SYMBOL_WORD => {
            let ix = word - SYMBOL_WORD;
            open(ix, node, cx);
        }
        _ => {
            cx.open_scope(ScopeKind::Function);
            bind_parameters(node, cx);
        }
    }
}

/// Words from here on say which definition a function literal is the value of.
const SYMBOL_WORD: u32 = 16;

fn at_package_level(cx: &Cx<'_>) -> bool {
    cx.scope() == 0
}

fn names_of<'t>(spec: Node<'t>) -> Vec<Node<'t>> {
    let mut cursor = spec.walk();
    spec.children_by_field_name("name", &mut cursor)
        .filter(|n| n.kind() == "identifier")
        .collect()
}

/// `const A, B = 1, 2`.
pub fn constants<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let values = node.child_by_field_name("value").map(children).unwrap_or_default();
    let ty = match node.child_by_field_name("type") {
        Some(t) => Some(type_of(t, cx)),
        // A constant without type and value repeats those of the one before.
        None if values.is_empty() => cx.notes.get(CONST_TYPE).copied(),
        None => typed_by_value(&values, cx),
    };
    match ty {
        Some(ty) => cx.notes.insert(CONST_TYPE, ty),
        None => cx.notes.remove(CONST_TYPE),
    };
    declare(Kind::Constant, node, ty, &values, cx);
}

/// The type that `A = Color(iota)` gives, so that the constants below have it too.
fn typed_by_value<'t>(values: &[Node<'t>], cx: &mut Cx<'t>) -> Option<ExprId> {
    let first = values.first()?;
    if first.kind() != "call_expression" {
        return None;
    }
    let function = first.child_by_field_name("function")?;
    let arguments = first.child_by_field_name("arguments")?;
    if !cx.src(arguments).contains("iota") || function.kind() != "identifier" {
        return None;
    }
    let text = cx.src(function);
    (!is_builtin(text)).then(|| cx.name_expr(function))
}

fn is_builtin(name: &str) -> bool {
    super::exprs::is_builtin_type(name)
}

/// `var a, b T = x, y`.
pub fn variables<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let values = node.child_by_field_name("value").map(children).unwrap_or_default();
    let ty = node.child_by_field_name("type").map(|t| type_of(t, cx));
    declare(Kind::Variable, node, ty, &values, cx);
}

fn declare<'t>(kind: Kind, spec: Node<'t>, ty: Option<ExprId>, values: &[Node<'t>], cx: &mut Cx<'t>) {
    let names = names_of(spec);
    let package_level = at_package_level(cx);
    let span = span_of(spec, cx);
    let single = names.len() == 1;
    for (n, name) in names.into_iter().enumerate() {
        let text = cx.src(name);
        let given = values.get(n).copied().filter(|_| values.len() > n);
        if text == "_" {
            if let (Some(super_ty), Some(given)) = (ty, given) {
                asserted(super_ty, given, cx);
            }
            continue;
        }
        if !package_level {
            let value = match given {
                Some(v) => Some(value(v, cx)),
                None => super::locals::further(values, n, cx),
            };
            cx.bind(text, spec.end_byte(), ty, value);
            continue;
        }
        if let Some(given) = given
            && given.kind() == "func_literal"
        {
            let ix = cx.define(Kind::Function, span, name);
            finish(ix, span, given.child_by_field_name("body"), cx);
            cx.mark(given, SYMBOL_WORD + ix);
            continue;
        }
        let ix = cx.define(kind, span, name);
        finish(ix, span, None, cx);
        let value = given.map(|v| value(v, cx));
        let s = cx.symbol(ix);
        s.ty = ty;
        s.value = value;
        let inline = spec
            .child_by_field_name("type")
            .is_some_and(|t| t.kind() == "struct_type");
        if single && !inline {
            cx.open_plain(ix);
        } else if single {
            cx.open_symbol(ix, ScopeKind::Type);
        }
    }
}

/// `var _ Interface = (*T)(nil)` says that T implements it.
fn asserted<'t>(super_ty: ExprId, given: Node<'t>, cx: &mut Cx<'t>) {
    let described = value(given, cx);
    let ty = match cx.facts.exprs[described as usize] {
        Expr::Typed { ty } | Expr::New { ty } => ty,
        _ => return,
    };
    if matches!(cx.facts.exprs[ty as usize], Expr::Name { .. } | Expr::Member { .. }) {
        cx.facts.impls.push(Impl {
            ty,
            super_ty: Some(super_ty),
        });
    }
}
