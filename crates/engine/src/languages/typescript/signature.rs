//! What a function's header states of its parameters, and what the place of a function value states for it.
//!
//! The type of parameter `n` is bound as `(n`, that of the elements of a rest parameter as `(…`, what a call gives as `()`.
//! A parameter without a type has the one that the place of its function states: `f((x) => …)` gives `x` the first parameter of
//! the first parameter of `f`. That is written as members under those names, and resolution finds them.

use super::exprs::{annotated, child, has_token, plain, type_at, value};
use super::patterns::{parameters, pattern_of};
use crate::extract::Cx;
use crate::facts::{Expr, ExprId, Member, NameId};
use crate::resolve::signatures::{REST, RESULT};
use tree_sitter::Node;

/// Most parameters of one header whose types are kept.
const MOST: usize = 16;
/// How far around a function value its place is looked for.
const AROUND: usize = 24;

/// One stated part of a header: its name, and its type or a value of it.
pub type Part = (NameId, Option<ExprId>, Option<ExprId>);

/// The name of the n-th parameter.
fn nth(n: usize, cx: &mut Cx<'_>) -> NameId {
    cx.name_owned(&format!("({n}"))
}

/// The parts that a function type or signature states.
pub fn of<'t>(node: Node<'t>, cx: &mut Cx<'t>, depth: u32) -> Vec<Part> {
    let mut out = Vec::new();
    let mut taken = parameters(node);
    taken.retain(|p| !is_this(*p, cx));
    for (n, parameter) in taken.into_iter().enumerate() {
        let ty = parameter.child_by_field_name("type").and_then(|a| child(a, 0));
        let id = match ty {
            // Types of its own places are described below.
            Some(t) if is_rest(parameter) && t.kind() == "tuple_type" => None,
            Some(t) => Some(type_at(t, cx, depth)),
            None => Some(cx.expr(Expr::Unknown)),
        };
        parameter_part(n, parameter, id, cx, depth, &mut out);
    }
    let result = match node.child_by_field_name("return_type") {
        Some(a) if a.kind() == "type_annotation" => child(a, 0),
        other => other,
    };
    if let Some(result) = result {
        let ty = type_at(result, cx, depth);
        out.push((cx.name_owned(RESULT), Some(ty), None));
    }
    out
}

/// The parts of one parameter, whose type is described already.
pub fn parameter_part<'t>(
    n: usize,
    parameter: Node<'t>,
    ty: Option<ExprId>,
    cx: &mut Cx<'t>,
    depth: u32,
    out: &mut Vec<Part>,
) {
    if n >= MOST {
        return;
    }
    if !is_rest(parameter) {
        if let Some(ty) = ty.filter(|&ty| cx.facts.exprs[ty as usize] != Expr::Literal) {
            out.push((nth(n, cx), Some(ty), None));
        }
        return;
    }
    let Some(stated) = parameter.child_by_field_name("type").and_then(|a| child(a, 0)) else {
        return;
    };
    if stated.kind() != "tuple_type" {
        if let Some(ty) = ty {
            let of = cx.expr(Expr::Typed { ty });
            let each = cx.expr(Expr::Element { of });
            out.push((cx.name_owned(REST), None, Some(each)));
        }
        return;
    }
    let mut cursor = stated.walk();
    let places: Vec<Node<'t>> = stated.named_children(&mut cursor).collect();
    for (i, place) in places.into_iter().filter(|p| p.kind() != "comment").enumerate() {
        if n + i >= MOST {
            return;
        }
        let inner = match place.kind() {
            "required_parameter" | "optional_parameter" => place.child_by_field_name("type").and_then(|a| child(a, 0)),
            _ => Some(place),
        };
        let Some(inner) = inner else { continue };
        let ty = type_at(inner, cx, depth);
        if inner.kind() == "rest_type" || is_rest(place) {
            let of = cx.expr(Expr::Typed { ty });
            let each = cx.expr(Expr::Element { of });
            out.push((cx.name_owned(REST), None, Some(each)));
            return;
        }
        if cx.facts.exprs[ty as usize] != Expr::Literal {
            out.push((nth(n + i, cx), Some(ty), None));
        }
    }
}

/// `(c: Context): void;` in an interface: what its values give when they are called.
pub fn call_signature<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let Some(of_type) = cx.enclosing_type().filter(|_| super::classes::in_named_type(cx)) else {
        return;
    };
    for (name, ty, value) in of(node, cx, 0) {
        cx.facts.members.push(Member {
            of: of_type,
            name,
            ty,
            value,
        });
    }
}

/// Whether a parameter takes all arguments that are left.
fn is_rest(parameter: Node<'_>) -> bool {
    pattern_of(parameter).is_some_and(|p| p.kind() == "rest_pattern")
}

/// Whether a parameter is the declaration of `this`, which no argument fills.
pub fn is_this<'t>(parameter: Node<'t>, cx: &Cx<'t>) -> bool {
    pattern_of(parameter).is_some_and(|p| p.kind() == "this" || cx.src(p) == "this")
}

/// A value of the type that the place of a function value states for it, if any of its parameters needs one.
pub fn contextual<'t>(function: Node<'t>, cx: &mut Cx<'t>) -> Option<ExprId> {
    let untyped = |p: &Node<'t>| p.child_by_field_name("type").is_none();
    if !parameters(function).iter().any(untyped) {
        return None;
    }
    let mut path = vec![function];
    path.extend(cx.ancestors().take(AROUND));
    expected(&path, cx)
}

/// What stands around the first node of a path says that it is.
fn expected<'t>(path: &[Node<'t>], cx: &mut Cx<'t>) -> Option<ExprId> {
    let (&node, around) = path.split_first()?;
    let parent = *around.first()?;
    let field = |name: &str| parent.child_by_field_name(name) == Some(node);
    let typed = |annotation: Option<Node<'t>>, cx: &mut Cx<'t>| {
        let ty = annotated(Some(annotation?), cx)?;
        Some(cx.expr(Expr::Typed { ty }))
    };
    if node.kind() == "method_definition" {
        let name = node.child_by_field_name("name")?;
        return (parent.kind() == "object").then(|| key_of(around, name, cx)).flatten();
    }
    match parent.kind() {
        "variable_declarator" | "public_field_definition" | "required_parameter" | "optional_parameter"
            if field("value") =>
        {
            typed(parent.child_by_field_name("type"), cx)
        }
        "parenthesized_expression" | "non_null_expression" => expected(around, cx),
        "ternary_expression" if !field("condition") => expected(around, cx),
        "binary_expression" if field("right") => expected(around, cx),
        "as_expression" | "satisfies_expression" => {
            let ty = child(parent, 1)?;
            let ty = type_at(ty, cx, 0);
            Some(cx.expr(Expr::Typed { ty }))
        }
        "assignment_expression" if field("right") => {
            let left = parent.child_by_field_name("left")?;
            matches!(left.kind(), "identifier" | "member_expression").then(|| value(left, cx))
        }
        "arguments" => argument(node, parent, *around.get(1)?, cx),
        "pair" if field("value") => {
            let key = parent.child_by_field_name("key")?;
            key_of(around.get(1..)?, key, cx)
        }
        "array" => {
            let of = expected(around, cx)?;
            Some(cx.expr(Expr::Element { of }))
        }
        "arrow_function" if field("body") => result(around, cx),
        "return_statement" => {
            let function = |n: &Node<'_>| n.kind() == "arrow_function" || n.child_by_field_name("parameters").is_some();
            let at = around.iter().position(function)?;
            result(around.get(at..)?, cx)
        }
        "jsx_expression" => {
            let attribute = around.get(1).filter(|a| a.kind() == "jsx_attribute")?;
            let element = around.get(2)?;
            let name = element.child_by_field_name("name")?;
            let key = child(*attribute, 0)?;
            if name.kind() == "identifier" && !cx.src(name).starts_with(|c: char| c.is_uppercase()) {
                return None;
            }
            let callee = value(name, cx);
            let props = part(callee, 0, cx);
            let key = cx.src(key);
            Some(cx.member_expr(props, key))
        }
        _ => None,
    }
}

/// The member of what an object literal is expected to be, the object being the first of a path.
fn key_of<'t>(object: &[Node<'t>], key: Node<'t>, cx: &mut Cx<'t>) -> Option<ExprId> {
    if key.kind() == "computed_property_name" {
        return None;
    }
    let base = expected(object, cx)?;
    let name = plain(cx, key);
    Some(cx.member_expr(base, name))
}

/// What a function, the first of a path, is expected to give.
fn result<'t>(function: &[Node<'t>], cx: &mut Cx<'t>) -> Option<ExprId> {
    let node = *function.first()?;
    let later = has_token(node, "async");
    if let Some(stated) = node.child_by_field_name("return_type") {
        if later {
            return None;
        }
        let ty = annotated(Some(stated), cx)?;
        return Some(cx.expr(Expr::Typed { ty }));
    }
    let base = expected(function, cx)?;
    let name = cx.name_owned(RESULT);
    let of = cx.expr(Expr::Member { base, name });
    Some(if later { cx.expr(Expr::Unwrap { of }) } else { of })
}

/// What a call or construction expects of one of its arguments.
fn argument<'t>(node: Node<'t>, list: Node<'t>, call: Node<'t>, cx: &mut Cx<'t>) -> Option<ExprId> {
    let callee = match call.kind() {
        "call_expression" => call.child_by_field_name("function")?,
        "new_expression" => call.child_by_field_name("constructor")?,
        _ => return None,
    };
    if matches!(callee.kind(), "import" | "super") || super::module::is_module_call(call, cx) {
        return None;
    }
    let mut cursor = list.walk();
    let mut place = 0;
    for c in list.named_children(&mut cursor) {
        match c.kind() {
            "comment" => continue,
            "spread_element" => return None,
            _ if c == node => break,
            _ => place += 1,
        }
    }
    if place >= MOST {
        return None;
    }
    let callee = value(callee, cx);
    Some(part(callee, place, cx))
}

/// The n-th parameter of a value.
pub fn part(base: ExprId, n: usize, cx: &mut Cx<'_>) -> ExprId {
    let name = nth(n, cx);
    cx.expr(Expr::Member { base, name })
}
