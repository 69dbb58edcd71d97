//! Functions, classes and lambdas.

use super::decorate::Decorators;
use super::exprs::{self, FOREIGN_SELF};
use super::extract::{BODY, DONE, SYMBOL, children, describe};
use super::types;
use crate::extract::Cx;
use crate::facts::*;
use tree_sitter::Node;

/// Note: the next function entered is a static method.
const STATIC_METHOD: &str = "static method";
/// Note: the next function entered is a context manager's generator.
const MANAGER: &str = "manager";
/// Note: the last such function.
const MANAGER_IS: &str = "manager is";

/// `def`: the symbol (unless its decorators made it), its parameters and the scope of its body.
pub(super) fn function<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let ix = match cx.marked(node) {
        Some(word) if word % 4 == SYMBOL => word / 4,
        _ => match define_function(node, node, &Decorators::default(), cx) {
            Some(ix) => ix,
            None => return,
        },
    };
    cx.open_plain(ix);
    type_parameters(node, cx);
    let scope = cx.make_scope(ScopeKind::Function, Some(ix));
    if let Some(body) = node.child_by_field_name("body") {
        cx.mark(body, BODY + 4 * scope);
    }
    let flags = cx.facts.symbols[ix as usize].flags;
    let method = is_member(ix, cx);
    let decorated_static = flags.has(SymbolFlags::STATIC) && cx.notes.remove(STATIC_METHOD).is_some();
    let receiver = method && !decorated_static;
    let params = node
        .child_by_field_name("parameters")
        .map(|p| children(p))
        .unwrap_or_default();
    if !method && params.iter().any(|p| matches!(cx.src(*p), "self" | "cls")) {
        cx.notes.insert(FOREIGN_SELF, node.end_byte() as u32);
    }
    let receiver = receiver.then(|| flags.has(SymbolFlags::STATIC));
    let counted = parameters(&params, scope, receiver, Place::Named, cx);
    cx.symbol(ix).params = counted;
    let manager = cx.notes.remove(MANAGER).is_some();
    if manager {
        cx.notes.insert(MANAGER_IS, ix);
    }
    if let Some(ty) = node.child_by_field_name("return_type") {
        let id = types::type_expr(ty, 0, cx);
        // `with f() as x` binds what a context manager function yields.
        let id = match cx.facts.exprs[id as usize] {
            Expr::Apply { arg, .. } if manager => arg,
            _ => id,
        };
        cx.symbol(ix).ty = Some(id);
    }
}

/// Whether a definition is a member of a class.
pub(super) fn is_member(ix: SymbolIx, cx: &Cx<'_>) -> bool {
    cx.facts.symbols[ix as usize]
        .parent
        .is_some_and(|p| cx.facts.symbols[p as usize].kind.is_type())
}

/// Adds the symbol of a `def`; `whole` takes in the decorators.
pub(super) fn define_function<'t>(
    node: Node<'t>,
    whole: Node<'t>,
    decorators: &Decorators,
    cx: &mut Cx<'t>,
) -> Option<SymbolIx> {
    let name = node.child_by_field_name("name")?;
    let text = cx.src(name);
    let owner = cx.innermost();
    let member = owner.is_some_and(|o| cx.facts.symbols[o as usize].kind.is_type());
    let kind = match (member, decorators.property) {
        (true, true) => Kind::Property,
        (true, false) => Kind::Method,
        _ => Kind::Function,
    };
    let in_test = owner.is_some_and(|o| cx.facts.symbols[o as usize].flags.has(SymbolFlags::TEST));
    let ix = cx.define(kind, whole, name);
    cx.mark(name, DONE);
    let header = node
        .child_by_field_name("return_type")
        .or(node.child_by_field_name("parameters"));
    cx.sign(ix, node.start_byte(), header.unwrap_or(name).end_byte());
    document(ix, node, whole, cx);
    let top = owner.is_none();
    let flags = &mut cx.symbol(ix).flags;
    let mut set = |yes: bool, bit: u16| {
        if yes {
            flags.set(bit);
        }
    };
    set(decorators.getter, SymbolFlags::GETTER);
    set(
        member && (decorators.static_method || decorators.class_method),
        SymbolFlags::STATIC,
    );
    set(
        member && matches!(text, "__new__" | "__class_getitem__" | "__init_subclass__"),
        SymbolFlags::STATIC,
    );
    set(decorators.declaration, SymbolFlags::DECLARATION);
    set(decorators.overrides, SymbolFlags::OVERRIDE);
    let test_name = text.starts_with("test_") || text == "test";
    let fixture = matches!(
        text,
        "setUp" | "tearDown" | "setUpClass" | "tearDownClass" | "setup_method" | "teardown_method"
    );
    set(
        decorators.fixture || (top && test_name) || (in_test && (text.starts_with("test") || fixture)),
        SymbolFlags::TEST,
    );
    set(top && text == "main", SymbolFlags::ENTRY);
    set(!text.starts_with('_') || text.ends_with("__"), SymbolFlags::EXPORTED);
    set(node.child(0).is_some_and(|c| c.kind() == "async"), SymbolFlags::ASYNC);
    if member && decorators.static_method {
        cx.notes.insert(STATIC_METHOD, 1);
    }
    if decorators.manager {
        cx.notes.insert(MANAGER, 1);
    }
    Some(ix)
}

/// `class`: the symbol (unless its decorators made it), its bases and the scope of its body.
pub(super) fn class<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let ix = match cx.marked(node) {
        Some(word) if word % 4 == SYMBOL => word / 4,
        _ => match define_class(node, node, cx) {
            Some(ix) => ix,
            None => return,
        },
    };
    cx.open_plain(ix);
    type_parameters(node, cx);
    if let Some(bases) = node.child_by_field_name("superclasses") {
        for base in children(bases) {
            inherit(ix, base, cx);
        }
    }
    let scope = cx.make_scope(ScopeKind::Type, Some(ix));
    if let Some(body) = node.child_by_field_name("body") {
        cx.mark(body, BODY + 4 * scope);
    }
}

/// Adds the symbol of a `class`; `whole` takes in the decorators.
pub(super) fn define_class<'t>(node: Node<'t>, whole: Node<'t>, cx: &mut Cx<'t>) -> Option<SymbolIx> {
    let name = node.child_by_field_name("name")?;
    let bases = node.child_by_field_name("superclasses");
    let mut kind = Kind::Class;
    let mut test = false;
    for base in bases.map(|b| children(b)).unwrap_or_default() {
        let text = cx.src(base);
        let text = text.split('[').next().unwrap_or(text);
        let last = text.rsplit('.').next().unwrap_or(text);
        match last {
            "Enum" | "IntEnum" | "StrEnum" | "Flag" | "IntFlag" | "ReprEnum" | "TextChoices" | "IntegerChoices" => {
                kind = Kind::Enum;
            }
            "Protocol" => kind = Kind::Protocol,
            _ => test |= last.ends_with("TestCase"),
        }
    }
    let text = cx.src(name);
    let ix = cx.define(kind, whole, name);
    cx.mark(name, DONE);
    let header = bases.or(node.child_by_field_name("type_parameters")).unwrap_or(name);
    cx.sign(ix, node.start_byte(), header.end_byte());
    document(ix, node, whole, cx);
    let flags = &mut cx.symbol(ix).flags;
    if test || text.starts_with("Test") {
        flags.set(SymbolFlags::TEST);
    }
    if !text.starts_with('_') {
        flags.set(SymbolFlags::EXPORTED);
    }
    Some(ix)
}

/// One entry of a class's list of bases.
fn inherit<'t>(ix: SymbolIx, base: Node<'t>, cx: &mut Cx<'t>) {
    match base.kind() {
        "identifier" | "attribute" => {
            let ty = describe(base, cx);
            cx.symbol(ix).supers.push(Super { ty, implements: false });
            cx.mark(base, DONE);
            let name = base.child_by_field_name("attribute").unwrap_or(base);
            cx.refer(Role::Inherit, ty, name, 255);
        }
        "subscript" => {
            if let Some(value) = base.child_by_field_name("value") {
                inherit(ix, value, cx);
                types::until(base, cx);
                for arg in children(base).into_iter().skip(1) {
                    types::type_expr(arg, 0, cx);
                }
            }
        }
        // `six.with_metaclass(Meta, Base)` makes a class with the bases behind the first argument.
        "call" => {
            let name = base.child_by_field_name("function").map_or("", |f| cx.src(f));
            if name.ends_with("with_metaclass")
                && let Some(args) = base.child_by_field_name("arguments")
            {
                for arg in children(args).into_iter().skip(1) {
                    if matches!(arg.kind(), "identifier" | "attribute") {
                        inherit(ix, arg, cx);
                    }
                }
            }
        }
        _ => {}
    }
}

/// PEP 695 type parameters are seen by the header and the body.
fn type_parameters<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let Some(list) = node.child_by_field_name("type_parameters") else {
        return;
    };
    cx.open_scope(ScopeKind::Block);
    for ty in children(list) {
        if let Some(name) = ty.named_child(0) {
            let name = if name.kind() == "constrained_type" {
                name.named_child(0).unwrap_or(name)
            } else {
                name
            };
            let name = if name.kind() == "type" {
                name.named_child(0).unwrap_or(name)
            } else {
                name
            };
            if name.kind() == "identifier" {
                let text = cx.src(name);
                cx.bind(text, 0, None, None);
            }
        }
    }
}

/// Binds parameters in `scope` and counts them. `receiver`: the first one is the receiver, `Some(true)` the class.
fn parameters<'t>(
    params: &[Node<'t>],
    scope: ScopeId,
    receiver: Option<bool>,
    place: Place,
    cx: &mut Cx<'t>,
) -> Params {
    let (mut min, mut max) = (0u8, 0u8);
    let mut first = receiver.is_some();
    // The place of the next parameter, while arguments reach it by their place.
    let mut at = Some(0usize);
    for &param in params {
        if matches!(param.kind(), "keyword_separator" | "list_splat_pattern") {
            at = None;
        }
        let name = match param.kind() {
            "identifier" | "tuple_pattern" | "list_splat_pattern" | "dictionary_splat_pattern" => param,
            "typed_parameter" => match param.named_child(0) {
                Some(inner) => inner,
                None => continue,
            },
            "default_parameter" | "typed_default_parameter" => match param.child_by_field_name("name") {
                Some(name) => name,
                None => continue,
            },
            _ => continue,
        };
        let annotated = types::annotation(param, cx);
        if name.kind() == "identifier" {
            cx.mark(name, DONE);
            let text = cx.src(name);
            if std::mem::take(&mut first) {
                let value = match receiver {
                    Some(true) => Expr::SelfType { scope },
                    _ => Expr::This { scope },
                };
                let value = cx.expr(value);
                cx.bind_in(scope, text, 0, annotated.ty, Some(value));
                continue;
            }
            let mut value = annotated.value;
            if let Some(n) = at.filter(|&n| n < types::PARAMETERS) {
                let (ty, part) = (annotated.ty, format!("({n}"));
                match place {
                    Place::Named if tells(annotated.ty, cx) => {
                        let name = cx.name_owned(&part);
                        cx.add_binding(scope, name, 0, Bound::Local { ty, value: None });
                    }
                    Place::Expected(base) if param.kind() == "identifier" => {
                        let name = cx.name_owned(&part);
                        value = Some(cx.expr(Expr::Member { base, name }));
                    }
                    _ => {}
                }
                at = Some(n + 1);
            }
            cx.bind_in(scope, text, 0, annotated.ty, value);
            max = max.saturating_add(1);
            if !param.kind().ends_with("default_parameter") {
                min = min.saturating_add(1);
            }
        } else if name.kind() == "tuple_pattern" {
            for target in super::assign::names_of(name) {
                cx.mark(target, DONE);
                let text = cx.src(target);
                cx.bind_in(scope, text, 0, None, None);
            }
            max = max.saturating_add(1);
            min = min.saturating_add(1);
        } else {
            if let Some(inner) = name.named_child(0) {
                cx.mark(inner, DONE);
                let text = cx.src(inner);
                let ty = annotated.ty.map(|arg| {
                    let base = cx.expr(Expr::Unknown);
                    cx.expr(Expr::Apply { base, arg })
                });
                cx.bind_in(scope, text, 0, ty, None);
            }
            max = 255;
        }
        first = false;
    }
    Params { min, max }
}

/// What is known of a function whose parameters are bound.
#[derive(Clone, Copy)]
enum Place {
    /// It has a name: its signature can be asked for.
    Named,
    /// It stands where a value like this one is expected.
    Expected(ExprId),
    /// Nothing.
    Anywhere,
}

/// Whether a type may be of the tree, or a function's.
fn tells(ty: Option<ExprId>, cx: &Cx<'_>) -> bool {
    ty.is_some_and(|ty| match cx.facts.exprs[ty as usize] {
        Expr::Literal | Expr::Unknown => false,
        Expr::Name { name, .. } => !matches!(
            cx.facts.name(name),
            "str" | "int" | "bool" | "float" | "bytes" | "dict" | "list" | "object"
        ),
        _ => true,
    })
}

/// What the place of a lambda says that it is: a value of the parameter of the call that takes it, or of the variable's type.
fn expected<'t>(lambda: Node<'t>, cx: &mut Cx<'t>) -> Option<ExprId> {
    let mut above = cx.ancestors();
    let (parent, list, call) = (above.next()?, above.next(), above.next());
    drop(above);
    match parent.kind() {
        "assignment" | "typed_default_parameter" => {
            let ty = types::annotation(parent, cx).ty?;
            Some(cx.expr(Expr::Typed { ty }))
        }
        "argument_list" => {
            let args = children(parent);
            let at = args.iter().position(|a| *a == lambda)?;
            let splat = |a: &Node<'_>| a.kind() == "list_splat";
            if at >= types::PARAMETERS || args.iter().take(at).any(splat) {
                return None;
            }
            parameter(list?, format!("({at}"), cx)
        }
        "keyword_argument" => {
            let name = cx.src(parent.child_by_field_name("name")?);
            list.filter(|l| l.kind() == "argument_list")?;
            parameter(call?, format!("(={name}"), cx)
        }
        _ => None,
    }
}

fn parameter<'t>(call: Node<'t>, part: String, cx: &mut Cx<'t>) -> Option<ExprId> {
    let function = call.child_by_field_name("function").filter(|_| call.kind() == "call")?;
    let base = describe(function, cx);
    let name = cx.name_owned(&part);
    Some(cx.expr(Expr::Member { base, name }))
}

/// A lambda: a scope without a name. One that an assignment names has its symbol from there.
pub(super) fn lambda<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let ix = cx.marked(node).filter(|w| w % 4 == SYMBOL).map(|w| w / 4);
    let params = node
        .child_by_field_name("parameters")
        .map(|p| children(p))
        .unwrap_or_default();
    let expected = if params.is_empty() { None } else { expected(node, cx) };
    let scope = cx.open_scope(ScopeKind::Function);
    let place = expected.map_or(Place::Anywhere, Place::Expected);
    let counted = parameters(&params, scope, None, place, cx);
    if let Some(ix) = ix {
        cx.facts.scopes[scope as usize].symbol = Some(ix);
        let value = node.child_by_field_name("body").map(|b| describe(b, cx));
        let symbol = cx.symbol(ix);
        symbol.body = Some(scope);
        symbol.params = counted;
        symbol.value = value;
    }
}

/// `return x` tells what a function without a return annotation gives.
pub(super) fn returned<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let Some(value) = children(node).first().copied() else {
        return;
    };
    let ix = cx.within();
    if ix != FILE_SYMBOL {
        gives(ix, value, cx);
    }
}

/// `yield x` in a context manager function tells what `with` binds.
pub(super) fn yielded<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let ix = cx.within();
    let Some(value) = children(node).first().copied() else {
        return;
    };
    if ix != FILE_SYMBOL && cx.notes.get(MANAGER_IS) == Some(&ix) {
        gives(ix, value, cx);
    }
}

fn gives<'t>(ix: SymbolIx, value: Node<'t>, cx: &mut Cx<'t>) {
    let symbol = &cx.facts.symbols[ix as usize];
    if symbol.ty.is_some() || !(symbol.kind.is_callable() || exprs::is_getter(symbol.flags)) {
        return;
    }
    let before = symbol.value;
    let new = describe(value, cx);
    let joined = match before {
        None => new,
        Some(old) if either_depth(old, cx) < 3 => exprs::join(old, new, cx),
        Some(_) => cx.expr(Expr::Unknown),
    };
    cx.symbol(ix).value = Some(joined);
}

/// How many alternatives an expression holds on its left side.
pub(super) fn either_depth(id: ExprId, cx: &Cx<'_>) -> usize {
    let mut depth = 0;
    let mut id = id;
    while let Expr::Either(left, _) = cx.facts.exprs[id as usize] {
        depth += 1;
        id = left;
    }
    depth
}

/// The docstring, else the comment above.
fn document<'t>(ix: SymbolIx, node: Node<'t>, whole: Node<'t>, cx: &mut Cx<'t>) {
    let first = node
        .child_by_field_name("body")
        .and_then(|b| children(b).first().copied())
        .filter(|s| s.kind() == "expression_statement")
        .and_then(|s| s.named_child(0))
        .filter(|s| s.kind() == "string");
    match first {
        Some(string) => {
            let raw = cx.src(string).trim_start_matches(|c: char| c.is_ascii_alphabetic());
            let raw = raw.strip_prefix('"').and_then(|r| r.strip_suffix('"')).unwrap_or(raw);
            let raw = raw.strip_prefix('\'').and_then(|r| r.strip_suffix('\'')).unwrap_or(raw);
            cx.document(ix, raw.trim_matches(['"', '\'']));
        }
        None => {
            cx.document_above(ix, whole, &["comment"]);
        }
    }
}
