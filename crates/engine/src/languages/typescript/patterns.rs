//! Parameters and destructuring patterns: which names they bind, and to what.

use super::exprs::{annotated, child, element, plain, type_of, value};
use super::signature;
use crate::extract::{Cx, EXPR_DEPTH};
use crate::facts::{Bound, Expr, ExprId, Kind, Params, ScopeId, SymbolFlags};
use tree_sitter::Node;

/// Where the names of a pattern go.
#[derive(Clone, Copy)]
pub enum Target<'t> {
    /// Locals of a scope, visible from a byte.
    Locals(ScopeId, usize),
    /// Definitions that span the node.
    Symbols {
        /// What they span.
        span: Node<'t>,
        /// What they are.
        kind: Kind,
        /// Whether the statement exports them.
        exported: bool,
    },
}

/// What a pattern takes apart: a declared type, a value.
#[derive(Clone, Copy, Default)]
pub struct Source {
    /// The declared type.
    pub ty: Option<ExprId>,
    /// The value.
    pub value: Option<ExprId>,
}

impl Source {
    fn as_value(self, cx: &mut Cx<'_>) -> Option<ExprId> {
        match self.ty {
            Some(ty) => Some(cx.expr(Expr::Typed { ty })),
            None => self.value,
        }
    }
}

/// Binds the names of a pattern. `shape` is an object type written in place, whose properties say more than a name.
pub fn bind<'t>(pattern: Node<'t>, from: Source, to: Target<'t>, shape: Option<Node<'t>>, cx: &mut Cx<'t>) {
    bind_at(pattern, from, to, shape, cx, 0);
}

fn bind_at<'t>(pattern: Node<'t>, from: Source, to: Target<'t>, shape: Option<Node<'t>>, cx: &mut Cx<'t>, depth: u32) {
    if depth > EXPR_DEPTH {
        return;
    }
    let depth = depth + 1;
    match pattern.kind() {
        "identifier" | "shorthand_property_identifier_pattern" => bind_name(pattern, from, to, cx),
        "assignment_pattern" | "object_assignment_pattern" => {
            let (left, right) = (
                pattern.child_by_field_name("left"),
                pattern.child_by_field_name("right"),
            );
            let mut from = from;
            if from.ty.is_none()
                && let Some(right) = right
                && from.value.is_none_or(|v| cx.facts.exprs[v as usize] == Expr::Unknown)
            {
                from.value = Some(value(right, cx));
            }
            if let Some(left) = left {
                bind_at(left, from, to, shape, cx, depth);
            }
        }
        "object_pattern" => {
            let base = from.as_value(cx);
            let mut cursor = pattern.walk();
            let parts: Vec<Node<'t>> = pattern.named_children(&mut cursor).collect();
            for part in parts {
                let (key, inner) = match part.kind() {
                    "shorthand_property_identifier_pattern" => (Some(part), Some(part)),
                    "object_assignment_pattern" => (part.child_by_field_name("left"), Some(part)),
                    "pair_pattern" => (part.child_by_field_name("key"), part.child_by_field_name("value")),
                    "rest_pattern" => (None, child(part, 0)),
                    _ => continue,
                };
                let Some(inner) = inner else { continue };
                let mut one = Source::default();
                if let Some(key) = key {
                    let name = plain(cx, key);
                    one.ty = shape.and_then(|s| property_type(s, name, cx));
                    if one.ty.is_none()
                        && let Some(base) = base
                    {
                        one.value = Some(cx.member_expr(base, name));
                    }
                }
                bind_at(inner, one, to, None, cx, depth);
            }
        }
        "array_pattern" => {
            let base = from.as_value(cx);
            let mut cursor = pattern.walk();
            let parts: Vec<Node<'t>> = pattern.named_children(&mut cursor).collect();
            for part in parts {
                let value = base.map(|of| cx.expr(Expr::Element { of }));
                let (inner, value) = match part.kind() {
                    "rest_pattern" => (child(part, 0), base),
                    _ => (Some(part), value),
                };
                if let Some(inner) = inner {
                    bind_at(inner, Source { ty: None, value }, to, None, cx, depth);
                }
            }
        }
        "rest_pattern" => {
            if let Some(inner) = child(pattern, 0) {
                bind_at(inner, from, to, None, cx, depth);
            }
        }
        _ => {}
    }
}

fn bind_name<'t>(name: Node<'t>, from: Source, to: Target<'t>, cx: &mut Cx<'t>) {
    match to {
        Target::Locals(scope, at) => {
            let text = cx.src(name);
            cx.bind_in(scope, text, at, from.ty, from.value);
        }
        Target::Symbols { span, kind, exported } => {
            let ix = cx.define(kind, span, name);
            let line = cx.line(name);
            let s = cx.symbol(ix);
            s.name_line = line;
            s.ty = from.ty;
            s.value = from.value;
            if exported {
                s.flags.set(SymbolFlags::EXPORTED);
            }
            super::define::sign(ix, span, None, cx);
        }
    }
}

/// The type of a property of an object type written in place.
fn property_type<'t>(shape: Node<'t>, name: &str, cx: &mut Cx<'t>) -> Option<ExprId> {
    let mut cursor = shape.walk();
    let found = shape.named_children(&mut cursor).find(|c| {
        c.kind() == "property_signature" && c.child_by_field_name("name").is_some_and(|n| cx.src(n) == name)
    })?;
    annotated(found.child_by_field_name("type"), cx)
}

/// The parameters of a function, one node each.
pub fn parameters<'t>(function: Node<'t>) -> Vec<Node<'t>> {
    if let Some(single) = function.child_by_field_name("parameter") {
        return vec![single];
    }
    let Some(list) = function.child_by_field_name("parameters") else {
        return Vec::new();
    };
    let mut cursor = list.walk();
    list.named_children(&mut cursor)
        .filter(|c| c.kind() != "comment" && c.kind() != "decorator")
        .collect()
}

/// The pattern of a parameter.
pub fn pattern_of(parameter: Node<'_>) -> Option<Node<'_>> {
    match parameter.kind() {
        "required_parameter" | "optional_parameter" => parameter
            .child_by_field_name("pattern")
            .or_else(|| parameter.child_by_field_name("name")),
        _ => Some(parameter),
    }
}

/// Binds the parameters of a function in the current scope. `given` is what the surrounding call says of the parameter at
/// that place, `context` a value of the type that the function's place states. `states`: others may ask for its signature.
pub fn bind_parameters<'t>(
    function: Node<'t>,
    given: Option<(usize, ExprId)>,
    context: Option<ExprId>,
    states: bool,
    cx: &mut Cx<'t>,
) {
    let scope = cx.scope();
    let mut parts = Vec::new();
    let mut n = 0;
    for parameter in parameters(function) {
        let Some(pattern) = pattern_of(parameter) else { continue };
        let annotation = parameter.child_by_field_name("type");
        let ty = annotated(annotation, cx);
        let this = signature::is_this(parameter, cx);
        let tells = |ty: ExprId| !matches!(cx.facts.exprs[ty as usize], Expr::Unknown);
        if states && !this && ty.is_some_and(tells) {
            signature::parameter_part(n, parameter, ty, cx, 0, &mut parts);
        }
        let shape = annotation
            .and_then(|a| child(a, 0))
            .filter(|t| t.kind() == "object_type");
        let default = parameter.child_by_field_name("value").map(|v| value(v, cx));
        let plain = ty.is_none() && default.is_none() && pattern.kind() != "rest_pattern";
        let from = Source {
            ty,
            value: match (given, context) {
                (Some((at, what)), _) if at == n => Some(what),
                (_, Some(of)) if plain => Some(signature::part(of, n, cx)),
                _ => default,
            },
        };
        bind(pattern, from, Target::Locals(scope, 0), shape, cx);
        n += usize::from(!this);
    }
    for (name, ty, value) in parts {
        cx.add_binding(scope, name, 0, Bound::Local { ty, value });
    }
}

/// How many arguments the parameters take.
pub fn count<'t>(function: Node<'t>, cx: &Cx<'t>) -> Params {
    let (mut min, mut max) = (0u8, 0u8);
    for parameter in parameters(function) {
        let pattern = pattern_of(parameter);
        if pattern.is_some_and(|p| p.kind() == "this" || cx.src(p) == "this") {
            continue;
        }
        if pattern.is_some_and(|p| p.kind() == "rest_pattern") {
            max = 255;
            continue;
        }
        let optional = parameter.kind() == "optional_parameter"
            || parameter.kind() == "assignment_pattern"
            || parameter.child_by_field_name("value").is_some();
        max = max.saturating_add(1);
        if !optional {
            min = max.min(254);
        }
    }
    Params { min, max }
}

/// The declared type of a parameter property and its node for the name.
pub fn parameter_property<'t>(parameter: Node<'t>, cx: &mut Cx<'t>) -> Option<(Node<'t>, Option<ExprId>)> {
    if !matches!(parameter.kind(), "required_parameter" | "optional_parameter") {
        return None;
    }
    let mut cursor = parameter.walk();
    let marked = parameter
        .children(&mut cursor)
        .any(|c| matches!(c.kind(), "accessibility_modifier" | "readonly" | "override_modifier"));
    if !marked {
        return None;
    }
    let name = pattern_of(parameter)?;
    if name.kind() != "identifier" {
        return None;
    }
    let ty = parameter
        .child_by_field_name("type")
        .and_then(|t| child(t, 0))
        .map(|t| type_of(t, cx));
    Some((name, ty))
}

/// What a call says about the parameters of a function that is handed to it: elements for `xs.map(x => …)`, the inner
/// value for `p.then(x => …)`. The place of the parameter and its value.
pub fn given_by_call<'t>(cx: &mut Cx<'t>) -> Option<(usize, ExprId)> {
    let mut above = cx.ancestors();
    let (list, call) = (above.next()?, above.next()?);
    drop(above);
    if list.kind() != "arguments" || call.kind() != "call_expression" {
        return None;
    }
    let function = call.child_by_field_name("function")?;
    if function.kind() != "member_expression" {
        return None;
    }
    let object = function.child_by_field_name("object")?;
    let property = function.child_by_field_name("property")?;
    match cx.src(property) {
        "map" | "forEach" | "filter" | "find" | "findLast" | "some" | "every" | "flatMap" | "findIndex" | "sort" => {
            Some((0, element(object, cx)))
        }
        "reduce" | "reduceRight" => Some((1, element(object, cx))),
        "then" => {
            let of = value(object, cx);
            if super::module::is_module_call(super::exprs::peel(object), cx) {
                return Some((0, of));
            }
            Some((0, cx.expr(Expr::Unwrap { of })))
        }
        _ => None,
    }
}
