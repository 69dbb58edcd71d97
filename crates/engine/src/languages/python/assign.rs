//! What binds names: assignments, loops, comprehensions, `with`, `except`, `match`, tests of a type.

use super::defs::either_depth;
use super::exprs::{self, argument};
use super::extract::{DONE, SYMBOL, children, describe};
use super::types::{self, Annotated};
use super::uses;
use crate::extract::Cx;
use crate::facts::*;
use tree_sitter::Node;

/// The plain names that a target binds, nested patterns included.
pub(super) fn names_of(target: Node<'_>) -> Vec<Node<'_>> {
    let mut found = Vec::new();
    let mut open = vec![target];
    while let Some(node) = open.pop() {
        match node.kind() {
            "identifier" => found.push(node),
            "pattern_list"
            | "tuple_pattern"
            | "list_pattern"
            | "list_splat_pattern"
            | "list_splat"
            | "tuple"
            | "list"
            | "expression_list"
            | "parenthesized_expression"
            | "as_pattern_target" => {
                open.extend(children(node).into_iter().rev());
            }
            _ => {}
        }
    }
    found
}

/// `x = …`, `x: T = …`, `self.x = …`, `a, b = …`.
pub(super) fn assignment<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let Some(left) = node.child_by_field_name("left") else {
        return;
    };
    let annotated = types::annotation(node, cx);
    let mut right = node.child_by_field_name("right");
    while let Some(inner) = right.filter(|r| r.kind() == "assignment") {
        right = inner.child_by_field_name("right");
    }
    let before = cx.facts.symbols.len();
    match left.kind() {
        "identifier" => {
            cx.mark(left, DONE);
            one(node, left, annotated, right, cx);
        }
        "attribute" => member(left, annotated, right, cx),
        _ => {
            // `a, b = x, y` pairs up.
            let targets = children(left);
            let values = right
                .filter(|r| matches!(r.kind(), "expression_list" | "tuple"))
                .map(|r| children(r));
            let paired = values.filter(|v| {
                v.len() == targets.len() && targets.iter().chain(v).all(|n| !n.kind().starts_with("list_splat"))
            });
            for (n, target) in targets.iter().enumerate() {
                let value = paired.as_ref().map(|v| v[n]);
                if target.kind() == "identifier" {
                    cx.mark(*target, DONE);
                    one(node, *target, Annotated::default(), value, cx);
                } else if target.kind() == "attribute" {
                    member(*target, Annotated::default(), value, cx);
                } else {
                    for name in names_of(*target) {
                        cx.mark(name, DONE);
                        one(node, name, Annotated::default(), None, cx);
                    }
                }
            }
        }
    }
    // What the right side uses belongs to the first thing that is defined by it.
    if cx.facts.symbols.len() > before {
        cx.open_plain(before as SymbolIx);
    }
}

/// One plain target of an assignment.
fn one<'t>(node: Node<'t>, name: Node<'t>, annotated: Annotated, right: Option<Node<'t>>, cx: &mut Cx<'t>) {
    let text = cx.src(name);
    let id = cx.name(text);
    let here = cx.function_scope();
    let scope = cx.redirected.get(&(here, id)).copied().unwrap_or(here);
    let symbol = match cx.facts.scopes[scope as usize].kind {
        ScopeKind::Function => None,
        _ => Some(scope),
    };
    let lambda = right.filter(|r| r.kind() == "lambda");
    if symbol.is_none() && lambda.is_none() {
        let value = right.map(|r| describe(r, cx)).or(annotated.value);
        let value = annotated.value.or(value);
        cx.bind_in(scope, text, node.end_byte(), annotated.ty, value);
        return;
    }
    // A second assignment of the same name adds what it tells; it is no second definition.
    if let Some(bound) = cx.bound(scope, id) {
        match bound {
            Bound::Symbol(ix) => {
                again(ix, scope != here, name, annotated, right, cx);
                return;
            }
            // `except ImportError: json = None` leaves the import what it is.
            Bound::Import(_) if right.is_some_and(|r| r.kind() == "none") => return,
            _ => {}
        }
    }
    if scope != here {
        return;
    }
    define(node, name, annotated, right, cx);
}

/// Defines the variable, constant, field or named lambda that `name` becomes.
fn define<'t>(node: Node<'t>, name: Node<'t>, annotated: Annotated, right: Option<Node<'t>>, cx: &mut Cx<'t>) {
    let text = cx.src(name);
    let owner = cx.innermost().map(|o| cx.facts.symbols[o as usize].kind);
    let in_type = owner.is_some_and(Kind::is_type);
    let shouts = text.chars().any(char::is_uppercase) && !text.chars().any(char::is_lowercase);
    let lambda = right.filter(|r| r.kind() == "lambda");
    let made = right.map_or("", |r| maker(r, cx));
    let alias = annotated.ty.is_some_and(
        |ty| matches!(cx.facts.exprs[ty as usize], Expr::Name { name, .. } if cx.facts.name(name) == "TypeAlias"),
    ) || (annotated.ty.is_none() && owner.is_none() && right.is_some_and(|r| is_function_type(r, cx)));
    let kind = match owner {
        _ if lambda.is_some() && in_type => Kind::Method,
        _ if lambda.is_some() => Kind::Function,
        _ if matches!(made, "namedtuple" | "NamedTuple" | "TypedDict" | "new_class") => Kind::Class,
        _ if alias || made == "NewType" => Kind::TypeAlias,
        Some(Kind::Enum) if right.is_some() && !text.starts_with('_') => Kind::Variant,
        _ if shouts => Kind::Constant,
        _ if in_type => Kind::Field,
        _ => Kind::Variable,
    };
    let ix = cx.define(kind, node, name);
    cx.sign_to_body(ix, node, None);
    document(ix, cx);
    let value = match right {
        _ if lambda.is_some() => None,
        Some(_) if alias => None,
        Some(right) => Some(describe(right, cx)),
        None => None,
    };
    let mut ty = annotated.ty;
    if alias {
        if let Some(right) = right {
            types::until(right, cx);
        }
        ty = right.map(|r| types::type_expr(r, 0, cx));
    } else if made == "NewType" {
        ty = right.and_then(|r| argument(r, 1)).map(|a| types::type_expr(a, 0, cx));
    }
    let symbol = cx.symbol(ix);
    symbol.ty = ty;
    symbol.value = annotated.value.or(value);
    if !text.starts_with('_') {
        symbol.flags.set(SymbolFlags::EXPORTED);
    }
    if let Some(lambda) = lambda {
        symbol.flags.set(SymbolFlags::ASSIGNED);
        cx.mark(lambda, SYMBOL + 4 * ix);
    }
}

/// Whether a value is a function type, `Callable[[A], B]`: what it is given to stands for the type.
fn is_function_type<'t>(node: Node<'t>, cx: &Cx<'t>) -> bool {
    let head = node.child_by_field_name("value").filter(|_| node.kind() == "subscript");
    head.is_some_and(|h| cx.src(h).rsplit('.').next() == Some("Callable"))
}

/// The last name of what a call calls, empty for anything else.
fn maker<'t>(node: Node<'t>, cx: &Cx<'t>) -> &'t str {
    if node.kind() != "call" {
        return "";
    }
    let text = node.child_by_field_name("function").map_or("", |f| cx.src(f));
    text.rsplit('.').next().unwrap_or(text)
}

/// A further assignment to a name that is a definition already.
fn again<'t>(
    ix: SymbolIx,
    write: bool,
    name: Node<'t>,
    annotated: Annotated,
    right: Option<Node<'t>>,
    cx: &mut Cx<'t>,
) {
    let symbol = &cx.facts.symbols[ix as usize];
    let plain = matches!(symbol.kind, Kind::Variable | Kind::Constant | Kind::Field);
    let (ty, before) = (symbol.ty.or(annotated.ty), symbol.value);
    if plain && let Some(new) = right.map(|r| describe(r, cx)) {
        let value = match before {
            None => new,
            Some(old) if either_depth(old, cx) < 3 => exprs::join(old, new, cx),
            Some(old) => old,
        };
        cx.symbol(ix).value = Some(value);
    }
    if plain {
        cx.symbol(ix).ty = ty;
    }
    // Written through `global`: a use from inside the function.
    if write {
        let expr = cx.name_expr(name);
        cx.refer(Role::Value, expr, name, 255);
    }
}

/// `self.x = …` in a method tells a member; `x.f = …` elsewhere is a plain use, which the walk comes to.
fn member<'t>(target: Node<'t>, annotated: Annotated, right: Option<Node<'t>>, cx: &mut Cx<'t>) {
    let (Some(object), Some(name)) = (
        target.child_by_field_name("object"),
        target.child_by_field_name("attribute"),
    ) else {
        return;
    };
    if object.kind() != "identifier" || !exprs::is_receiver(object, cx.src(object), cx) {
        return;
    }
    let Some(of) = cx.enclosing_type() else { return };
    let text = cx.src(name);
    let name = cx.name(text);
    let value = annotated.value.or(right.map(|r| describe(r, cx)));
    cx.facts.members.push(Member {
        of,
        name,
        ty: annotated.ty,
        value,
    });
}

/// `x += …` uses `x`.
pub(super) fn augmented<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let Some(left) = node.child_by_field_name("left").filter(|l| l.kind() == "identifier") else {
        return;
    };
    // A local stays what it was.
    let name = cx.src(left);
    let id = cx.name(name);
    let here = cx.function_scope();
    if cx.facts.scopes[here as usize].kind == ScopeKind::Function
        && cx.bound(here, id).is_none()
        && !cx.redirected.contains_key(&(here, id))
    {
        cx.bind_in(here, name, node.end_byte(), None, None);
    }
}

/// `(x := …)` binds in the enclosing function, comprehensions aside.
pub(super) fn walrus<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let (Some(name), Some(value)) = (node.child_by_field_name("name"), node.child_by_field_name("value")) else {
        return;
    };
    cx.mark(name, DONE);
    let value = describe(value, cx);
    local(name, node.end_byte(), None, Some(value), cx);
}

/// Binds a name that is no definition: in the enclosing function, class or file.
fn local<'t>(name: Node<'t>, from: usize, ty: Option<ExprId>, value: Option<ExprId>, cx: &mut Cx<'t>) {
    let text = cx.src(name);
    let id = cx.name(text);
    let here = cx.function_scope();
    let scope = cx.redirected.get(&(here, id)).copied().unwrap_or(here);
    // A module variable that a loop also binds stays the definition that it is.
    if matches!(cx.bound(scope, id), Some(Bound::Symbol(_) | Bound::Import(_))) && scope == 0 {
        return;
    }
    cx.bind_in(scope, text, from, ty, value);
}

/// `for x in xs`.
pub(super) fn for_in<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let (Some(left), Some(right)) = (node.child_by_field_name("left"), node.child_by_field_name("right")) else {
        return;
    };
    for (name, value) in elements(left, right, cx) {
        cx.mark(name, DONE);
        local(name, right.end_byte(), None, value, cx);
    }
}

/// A comprehension: its variables live in a scope of its own.
pub(super) fn comprehension<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let mut bound = Vec::new();
    let clauses: Vec<Node<'t>> = children(node)
        .into_iter()
        .filter(|n| n.kind() == "for_in_clause")
        .collect();
    let scope = cx.open_scope(ScopeKind::Block);
    for clause in clauses {
        if let (Some(left), Some(right)) = (clause.child_by_field_name("left"), clause.child_by_field_name("right")) {
            bound.extend(elements(left, right, cx));
        }
    }
    for (name, value) in bound {
        cx.mark(name, DONE);
        let text = cx.src(name);
        cx.bind_in(scope, text, 0, None, value);
    }
}

/// The names that a loop over `right` binds, with what each one is.
fn elements<'t>(left: Node<'t>, right: Node<'t>, cx: &mut Cx<'t>) -> Vec<(Node<'t>, Option<ExprId>)> {
    if left.kind() == "identifier" {
        let value = element(right, cx);
        return vec![(left, Some(value))];
    }
    let names = names_of(left);
    let targets = children(left);
    // `for i, x in enumerate(xs)`, `for a, b in zip(as, bs)`, `for key, x in d.items()`.
    let sources: Vec<Option<Node<'t>>> = match maker(right, cx) {
        "enumerate" => vec![None, argument(right, 0)],
        "zip" => (0..targets.len()).map(|n| argument(right, n)).collect(),
        "items" => vec![
            None,
            right
                .child_by_field_name("function")
                .and_then(|f| f.child_by_field_name("object")),
        ],
        _ => Vec::new(),
    };
    names
        .into_iter()
        .map(|name| {
            let at = targets.iter().position(|t| t.id() == name.id());
            let source = at.and_then(|n| sources.get(n).copied().flatten());
            let value = source.map(|s| {
                let of = describe(s, cx);
                cx.expr(Expr::Element { of })
            });
            (name, value)
        })
        .collect()
}

/// One element of what is looped over; `d.values()` may be a method of the tree or of a mapping.
fn element<'t>(right: Node<'t>, cx: &mut Cx<'t>) -> ExprId {
    let of = describe(right, cx);
    let value = cx.expr(Expr::Element { of });
    if maker(right, cx) == "values"
        && let Some(object) = right
            .child_by_field_name("function")
            .and_then(|f| f.child_by_field_name("object"))
    {
        let of = describe(object, cx);
        let inner = cx.expr(Expr::Element { of });
        return cx.expr(Expr::Either(value, inner));
    }
    value
}

/// `with x as y` and `case … as y`.
pub(super) fn as_pattern<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let parts = children(node);
    let Some(&what) = parts.first() else { return };
    if cx.marked(node) == Some(DONE) {
        return;
    }
    match node.child_by_field_name("alias") {
        Some(target) => {
            let value = describe(what, cx);
            let single = target.named_child(0).filter(|n| n.kind() == "identifier");
            if let Some(attribute) = target.named_child(0).filter(|n| n.kind() == "attribute") {
                member(attribute, Annotated::default(), Some(what), cx);
            }
            for name in names_of(target) {
                cx.mark(name, DONE);
                local(name, node.end_byte(), None, single.map(|_| value), cx);
            }
        }
        // In a `case`, the alias is the last child.
        None => {
            if let Some(&name) = parts.get(1).filter(|n| n.kind() == "identifier") {
                let ty = children(what)
                    .first()
                    .filter(|p| p.kind() == "class_pattern")
                    .and_then(|p| children(*p).first().copied())
                    .map(|n| uses::dotted(n, cx));
                cx.mark(name, DONE);
                local(name, node.end_byte(), ty, None, cx);
            }
        }
    }
}

/// `except E as e`.
pub(super) fn except<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let Some(value) = node.child_by_field_name("value") else {
        return;
    };
    let (kinds, alias) = match value.kind() {
        "as_pattern" => {
            cx.mark(value, DONE);
            (children(value).first().copied(), value.child_by_field_name("alias"))
        }
        _ => (Some(value), node.child_by_field_name("alias")),
    };
    let Some(kinds) = kinds else { return };
    types::until(kinds, cx);
    if let Some(alias) = alias {
        let ty = type_of(kinds, cx);
        for name in names_of(alias) {
            cx.mark(name, DONE);
            local(name, value.end_byte(), ty, None, cx);
        }
    }
}

/// A type or a tuple of types, as `except` and `isinstance` take them.
fn type_of<'t>(node: Node<'t>, cx: &mut Cx<'t>) -> Option<ExprId> {
    match node.kind() {
        "tuple" => {
            let mut joined = None;
            for part in children(node).into_iter().take(4) {
                let id = types::type_expr(part, 0, cx);
                joined = Some(match joined {
                    Some(so_far) => exprs::join(so_far, id, cx),
                    None => id,
                });
            }
            joined
        }
        "identifier" | "attribute" | "binary_operator" => Some(types::type_expr(node, 0, cx)),
        _ => None,
    }
}

/// The name that a condition tests with `isinstance`, and the types it may have behind it.
fn tested<'t>(condition: Node<'t>, cx: &mut Cx<'t>) -> Option<(&'t str, ExprId)> {
    let mut condition = condition;
    loop {
        match condition.kind() {
            "parenthesized_expression" => condition = *children(condition).first()?,
            "boolean_operator"
                if condition
                    .child_by_field_name("operator")
                    .is_some_and(|o| cx.src(o) == "and") =>
            {
                condition = condition.child_by_field_name("left")?;
            }
            _ => break,
        }
    }
    if condition.kind() != "call" || maker(condition, cx) != "isinstance" {
        return None;
    }
    let (of, types) = (argument(condition, 0)?, argument(condition, 1)?);
    if of.kind() != "identifier" {
        return None;
    }
    let ty = type_of(types, cx)?;
    Some((cx.src(of), ty))
}

/// Inside `if isinstance(x, T):` the name `x` is a `T`.
pub(super) fn narrow_branch<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let (Some(condition), Some(body)) = (
        node.child_by_field_name("condition"),
        node.child_by_field_name("consequence"),
    ) else {
        return;
    };
    // Outside functions a block of its own would take in the definitions of the module.
    if cx.facts.scopes[cx.function_scope() as usize].kind != ScopeKind::Function {
        return;
    }
    if let Some((name, ty)) = tested(condition, cx) {
        let scope = cx.make_scope(ScopeKind::Block, None);
        cx.bind_in(scope, name, 0, Some(ty), None);
        cx.mark(body, super::extract::BODY + 4 * scope);
    }
}

/// Behind `assert isinstance(x, T)` the name `x` is a `T`.
pub(super) fn narrow_assert<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let here = cx.function_scope();
    if cx.facts.scopes[here as usize].kind != ScopeKind::Function {
        return;
    }
    let Some(condition) = node.named_child(0) else { return };
    if let Some((name, ty)) = tested(condition, cx) {
        cx.bind_in(here, name, node.end_byte(), Some(ty), None);
    }
}

/// `global x`: assignments here belong to the module, which gets the variable if it has none yet.
pub(super) fn global<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let here = cx.function_scope();
    for name in children(node) {
        cx.mark(name, DONE);
        let text = cx.src(name);
        let id = cx.name(text);
        if here == 0 {
            continue;
        }
        cx.redirected.insert((here, id), 0);
        if cx.bound(0, id).is_none() {
            let line = cx.line(name);
            let ix = cx.define_unbound(Kind::Variable, node, id, line);
            cx.sign_to_body(ix, node, None);
            let symbol = cx.symbol(ix);
            symbol.parent = None;
            symbol.container = 0;
            symbol.scope = 0;
            cx.add_binding(0, id, 0, Bound::Symbol(ix));
        }
    }
}

/// `nonlocal x`: assignments here belong to the enclosing function that has the name.
pub(super) fn nonlocal<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let here = cx.function_scope();
    for name in children(node) {
        cx.mark(name, DONE);
        let text = cx.src(name);
        let id = cx.name(text);
        let mut outer = cx.facts.scopes[here as usize].parent;
        while let Some(scope) = outer {
            let fact = cx.facts.scopes[scope as usize];
            if fact.kind == ScopeKind::Function && cx.bound(scope, id).is_some() {
                cx.redirected.insert((here, id), scope);
                break;
            }
            outer = fact.parent;
        }
    }
}

/// The comment above an assignment's statement.
fn document(ix: SymbolIx, cx: &mut Cx<'_>) {
    let statement = cx.ancestors().next().filter(|p| p.kind() == "expression_statement");
    if let Some(statement) = statement {
        cx.document_above(ix, statement, &["comment"]);
    }
}
