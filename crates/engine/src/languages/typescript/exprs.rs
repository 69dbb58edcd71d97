//! Value and type expressions as written in the source.

use super::extract::{Word, said};
use super::module;
use crate::extract::{Cx, EXPR_DEPTH};
use crate::facts::{Bound, Expr, ExprId, ScopeKind, SymbolIx};
use tree_sitter::Node;

/// The named child at `n`, comments aside.
pub fn child<'t>(node: Node<'t>, n: u32) -> Option<Node<'t>> {
    let mut left = n;
    for i in 0..node.named_child_count() as u32 {
        let c = node.named_child(i)?;
        if c.kind() == "comment" {
            continue;
        }
        if left == 0 {
            return Some(c);
        }
        left -= 1;
    }
    None
}

/// Whether the node has a direct child of this (anonymous) kind.
pub fn has_token(node: Node<'_>, token: &str) -> bool {
    let mut cursor = node.walk();
    node.children(&mut cursor).any(|c| c.kind() == token)
}

/// The value under parentheses, casts and non-null marks.
pub fn peel(mut node: Node<'_>) -> Node<'_> {
    while matches!(
        node.kind(),
        "parenthesized_expression"
            | "as_expression"
            | "satisfies_expression"
            | "non_null_expression"
            | "type_assertion"
    ) {
        let inner = if node.kind() == "type_assertion" { 1 } else { 0 };
        match child(node, inner) {
            Some(c) => node = c,
            None => break,
        }
    }
    node
}

/// The text of a string, property name or number, without quotes.
pub fn plain<'t>(cx: &Cx<'t>, node: Node<'t>) -> &'t str {
    let text = cx.src(node);
    match node.kind() {
        "string" | "template_string" => text.trim_matches(['"', '\'', '`']),
        "computed_property_name" => match child(node, 0) {
            Some(c) if c.kind() == "string" => cx.src(c).trim_matches(['"', '\'']),
            _ => text,
        },
        _ => text,
    }
}

/// Number of arguments of a call; 255 when a spread or template makes it unknown.
pub fn arguments(node: Node<'_>) -> u8 {
    let Some(list) = node.child_by_field_name("arguments") else {
        return if node.kind() == "new_expression" { 0 } else { 255 };
    };
    if list.kind() != "arguments" {
        return 255;
    }
    let mut cursor = list.walk();
    let mut n = 0u8;
    for c in list.named_children(&mut cursor) {
        match c.kind() {
            "comment" => {}
            "spread_element" => return 255,
            _ => n = n.saturating_add(1),
        }
    }
    n
}

/// Describes a value.
pub fn value<'t>(node: Node<'t>, cx: &mut Cx<'t>) -> ExprId {
    value_at(node, cx, 0)
}

fn value_at<'t>(node: Node<'t>, cx: &mut Cx<'t>, depth: u32) -> ExprId {
    if depth > EXPR_DEPTH {
        return cx.expr(Expr::Unknown);
    }
    if let Some(&known) = cx.described.get(&node.id())
        && !matches!(node.kind(), "object")
    {
        return known;
    }
    let id = describe(node, cx, depth + 1);
    // A description that may have been cut is not kept: a use further in can be described in full.
    if depth < EXPR_DEPTH / 2 && matches!(node.kind(), "member_expression" | "call_expression" | "identifier") {
        cx.described.insert(node.id(), id);
    }
    id
}

fn describe<'t>(node: Node<'t>, cx: &mut Cx<'t>, depth: u32) -> ExprId {
    let scope = cx.scope();
    match node.kind() {
        "identifier" | "shorthand_property_identifier" => cx.name_expr(node),
        "this" => cx.expr(Expr::This { scope }),
        "super" => cx.expr(Expr::Super { scope }),
        "member_expression" => {
            let (Some(object), Some(property)) =
                (node.child_by_field_name("object"), node.child_by_field_name("property"))
            else {
                return cx.expr(Expr::Unknown);
            };
            let base = value_at(object, cx, depth);
            let name = cx.src(property);
            cx.member_expr(base, name)
        }
        "subscript_expression" => {
            let (Some(object), Some(index)) = (node.child_by_field_name("object"), node.child_by_field_name("index"))
            else {
                return cx.expr(Expr::Unknown);
            };
            let base = value_at(object, cx, depth);
            if index.kind() == "string" {
                let name = plain(cx, index);
                cx.member_expr(base, name)
            } else {
                cx.expr(Expr::Element { of: base })
            }
        }
        "call_expression" => call(node, cx, depth),
        "new_expression" => match node.child_by_field_name("constructor") {
            Some(c) => {
                let ty = value_at(c, cx, depth);
                cx.expr(Expr::New { ty })
            }
            None => cx.expr(Expr::Unknown),
        },
        "await_expression" => match child(node, 0) {
            Some(c) => {
                let of = value_at(c, cx, depth);
                // Awaiting a dynamic import gives the module, which is what the import itself is described as.
                if module::is_module_call(peel(c), cx) {
                    return of;
                }
                cx.expr(Expr::Unwrap { of })
            }
            None => cx.expr(Expr::Unknown),
        },
        "parenthesized_expression" | "non_null_expression" | "instantiation_expression" => match child(node, 0) {
            Some(c) => value_at(c, cx, depth),
            None => cx.expr(Expr::Unknown),
        },
        "sequence_expression" => {
            let last = node.named_child_count().saturating_sub(1) as u32;
            match node.named_child(last) {
                Some(c) => value_at(c, cx, depth),
                None => cx.expr(Expr::Unknown),
            }
        }
        "as_expression" | "satisfies_expression" => {
            let (inner, ty) = (child(node, 0), child(node, 1));
            match (inner, ty) {
                (_, Some(t)) if node.kind() == "as_expression" && !matches!(cx.src(t), "const" | "any" | "unknown") => {
                    let ty = type_at(t, cx, depth);
                    cx.expr(Expr::Typed { ty })
                }
                (Some(c), _) => value_at(c, cx, depth),
                _ => cx.expr(Expr::Unknown),
            }
        }
        "type_assertion" => match (child(node, 0).and_then(|t| child(t, 0)), child(node, 1)) {
            (Some(t), _) if cx.src(t) != "any" => {
                let ty = type_at(t, cx, depth);
                cx.expr(Expr::Typed { ty })
            }
            (_, Some(c)) => value_at(c, cx, depth),
            _ => cx.expr(Expr::Unknown),
        },
        "ternary_expression" => {
            let (Some(a), Some(b)) = (
                node.child_by_field_name("consequence"),
                node.child_by_field_name("alternative"),
            ) else {
                return cx.expr(Expr::Unknown);
            };
            either(a, b, cx, depth)
        }
        "binary_expression" => {
            let operator = node.child_by_field_name("operator").map(|o| o.kind()).unwrap_or("");
            match (
                operator,
                node.child_by_field_name("left"),
                node.child_by_field_name("right"),
            ) {
                ("||" | "??", Some(a), Some(b)) => either(a, b, cx, depth),
                ("&&", _, Some(b)) => value_at(b, cx, depth),
                _ => cx.expr(Expr::Literal),
            }
        }
        "assignment_expression" => match node.child_by_field_name("right") {
            Some(c) => value_at(c, cx, depth),
            None => cx.expr(Expr::Unknown),
        },
        "arrow_function" | "function_expression" | "generator_function" | "class" => match said(cx, node) {
            Some(Word::Symbol(ix)) => cx.expr(Expr::Symbol(ix)),
            _ => cx.expr(Expr::Unknown),
        },
        "object" => match said(cx, node) {
            Some(Word::Symbol(ix)) => cx.expr(Expr::Symbol(ix)),
            _ => cx.expr(Expr::Literal),
        },
        "array"
        | "string"
        | "template_string"
        | "number"
        | "regex"
        | "true"
        | "false"
        | "null"
        | "undefined"
        | "unary_expression"
        | "update_expression"
        | "jsx_element"
        | "jsx_self_closing_element" => cx.expr(Expr::Literal),
        _ => cx.expr(Expr::Unknown),
    }
}

fn either<'t>(a: Node<'t>, b: Node<'t>, cx: &mut Cx<'t>, depth: u32) -> ExprId {
    let a = value_at(a, cx, depth);
    let b = value_at(b, cx, depth);
    join(a, b, cx)
}

/// Either of two; a plain literal (`null`, `undefined`, `{}`) beside something better says nothing.
pub fn join(a: ExprId, b: ExprId, cx: &mut Cx<'_>) -> ExprId {
    match (cx.facts.exprs[a as usize], cx.facts.exprs[b as usize]) {
        (Expr::Literal, _) => b,
        (_, Expr::Literal) => a,
        (x, y) if x == y => a,
        _ => cx.expr(Expr::Either(a, b)),
    }
}

fn call<'t>(node: Node<'t>, cx: &mut Cx<'t>, depth: u32) -> ExprId {
    let Some(function) = node.child_by_field_name("function") else {
        return cx.expr(Expr::Unknown);
    };
    if module::is_module_call(node, cx) {
        return module::module_value(node, cx);
    }
    let args = arguments(node);
    if function.kind() == "member_expression"
        && let (Some(object), Some(property)) = (
            function.child_by_field_name("object"),
            function.child_by_field_name("property"),
        )
    {
        match cx.src(property) {
            // `f.bind(x)` is f.
            "bind" => return value_at(object, cx, depth),
            "call" | "apply" => {
                let callee = value_at(object, cx, depth);
                return cx.expr(Expr::Call { callee, args: 255 });
            }
            // What a collection gives back; a class of the tree may have a method of that name too.
            "find" | "findLast" | "pop" | "shift" | "at" => {
                let callee = value_at(function, cx, depth);
                let call = cx.expr(Expr::Call { callee, args });
                let of = value_at(object, cx, depth);
                let element = cx.expr(Expr::Element { of });
                return cx.expr(Expr::Either(call, element));
            }
            _ => {}
        }
    }
    let callee = value_at(function, cx, depth);
    cx.expr(Expr::Call { callee, args })
}

/// One element of a collection, seen through the calls that keep its elements (`xs.filter(…)`, `Object.values(x)`).
pub fn element<'t>(mut node: Node<'t>, cx: &mut Cx<'t>) -> ExprId {
    for _ in 0..EXPR_DEPTH {
        node = peel(node);
        if node.kind() == "array" && node.named_child_count() > 0 {
            let Some(first) = node.named_child(0) else { break };
            if first.kind() == "spread_element" {
                let Some(inner) = child(first, 0) else { break };
                node = inner;
                continue;
            }
            return value(first, cx);
        }
        if node.kind() != "call_expression" {
            break;
        }
        let Some(function) = node.child_by_field_name("function") else {
            break;
        };
        let (Some(object), Some(property)) = (
            function.child_by_field_name("object"),
            function.child_by_field_name("property"),
        ) else {
            break;
        };
        match (cx.src(object), cx.src(property)) {
            ("Object", "values") | ("Array", "from") => {
                let Some(first) = node.child_by_field_name("arguments").and_then(|a| child(a, 0)) else {
                    break;
                };
                node = first;
            }
            (_, "filter" | "slice" | "sort" | "reverse" | "values" | "toSorted" | "concat") => node = object,
            _ => break,
        }
    }
    let of = value(node, cx);
    cx.expr(Expr::Element { of })
}

/// Describes a type.
pub fn type_of<'t>(node: Node<'t>, cx: &mut Cx<'t>) -> ExprId {
    type_at(node, cx, 0)
}

/// The type inside a `: T` annotation, if it says something.
pub fn annotated<'t>(node: Option<Node<'t>>, cx: &mut Cx<'t>) -> Option<ExprId> {
    let annotation = node?;
    match annotation.kind() {
        "type_predicate_annotation" | "asserts_annotation" => Some(cx.expr(Expr::Literal)),
        _ => {
            let ty = child(annotation, 0)?;
            Some(type_of(ty, cx))
        }
    }
}

/// As [`type_of`], at a depth.
pub fn type_at<'t>(node: Node<'t>, cx: &mut Cx<'t>, depth: u32) -> ExprId {
    if depth > EXPR_DEPTH {
        return cx.expr(Expr::Unknown);
    }
    let depth = depth + 1;
    match node.kind() {
        "type_identifier" | "identifier" => cx.name_expr(node),
        "nested_type_identifier" | "nested_identifier" | "member_expression" => {
            let base = node
                .child_by_field_name("module")
                .or_else(|| node.child_by_field_name("object"));
            let name = node
                .child_by_field_name("name")
                .or_else(|| node.child_by_field_name("property"));
            match (base, name) {
                (Some(b), Some(n)) => {
                    let base = type_at(b, cx, depth);
                    let name = cx.src(n);
                    cx.member_expr(base, name)
                }
                _ => cx.expr(Expr::Unknown),
            }
        }
        "predefined_type" => match cx.src(node) {
            "any" | "unknown" | "object" => cx.expr(Expr::Unknown),
            _ => cx.expr(Expr::Literal),
        },
        "literal_type" | "template_literal_type" => cx.expr(Expr::Literal),
        "this_type" => {
            let scope = cx.scope();
            cx.expr(Expr::SelfType { scope })
        }
        "parenthesized_type" | "readonly_type" | "optional_type" | "rest_type" | "flow_maybe_type" => {
            match child(node, 0) {
                Some(c) => type_at(c, cx, depth),
                None => cx.expr(Expr::Unknown),
            }
        }
        "array_type" => {
            let arg = match child(node, 0) {
                Some(c) => type_at(c, cx, depth),
                None => cx.expr(Expr::Unknown),
            };
            let base = cx.expr(Expr::Literal);
            cx.expr(Expr::Apply { base, arg })
        }
        "function_type" => function_type(node, cx, depth),
        "generic_type" => generic(node, cx, depth),
        "union_type" | "intersection_type" => {
            let mut cursor = node.walk();
            let parts: Vec<Node<'t>> = node
                .named_children(&mut cursor)
                .filter(|c| c.kind() != "comment")
                .collect();
            let mut all: Option<ExprId> = None;
            for part in parts.into_iter().take(16) {
                let one = type_at(part, cx, depth);
                all = Some(match all {
                    Some(before) => join(before, one, cx),
                    None => one,
                });
            }
            match all {
                Some(id) => id,
                None => cx.expr(Expr::Unknown),
            }
        }
        _ => cx.expr(Expr::Unknown),
    }
}

/// A function type: its parameters are members under their numbers, what it gives under `()`.
fn function_type<'t>(node: Node<'t>, cx: &mut Cx<'t>, depth: u32) -> ExprId {
    let around = cx.scope();
    let scope = cx.make_scope(ScopeKind::Block, None);
    if scope == around {
        return cx.expr(Expr::Unknown);
    }
    cx.inside(scope, |cx| {
        type_parameters(node, cx);
        for (name, ty, value) in super::signature::of(node, cx, depth) {
            cx.add_binding(scope, name, 0, Bound::Local { ty, value });
        }
    });
    cx.expr(Expr::Shape { scope })
}

fn generic<'t>(node: Node<'t>, cx: &mut Cx<'t>, depth: u32) -> ExprId {
    let (Some(name), Some(arguments)) = (
        node.child_by_field_name("name"),
        node.child_by_field_name("type_arguments"),
    ) else {
        return cx.expr(Expr::Unknown);
    };
    let first = child(arguments, 0);
    match (cx.src(name), first) {
        // Types that hand on the members of their first argument.
        (
            "Partial" | "Required" | "Readonly" | "Pick" | "Omit" | "NonNullable" | "Extract" | "Exclude"
            | "DeepPartial" | "DeepReadonly" | "Awaited",
            Some(first),
        ) => type_at(first, cx, depth),
        _ => {
            let base = type_at(name, cx, depth);
            let last = arguments.named_child(arguments.named_child_count().saturating_sub(1) as u32);
            match last {
                Some(last) => {
                    // The first argument is what a promise, a list or a ref gives; a map or record gives its second, and
                    // a generator its first.
                    let which = match cx.src(name) {
                        "Generator" | "AsyncGenerator" | "Iterator" | "AsyncIterator" => first.unwrap_or(last),
                        _ => last,
                    };
                    let arg = type_at(which, cx, depth);
                    cx.expr(Expr::Apply { base, arg })
                }
                None => base,
            }
        }
    }
}

/// Binds the type parameters of a declaration in the current scope, each with its bound.
pub fn type_parameters<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    if let Some(list) = node.child_by_field_name("type_parameters") {
        let mut cursor = list.walk();
        let parameters: Vec<Node<'t>> = list.named_children(&mut cursor).collect();
        for p in parameters {
            let Some(name) = p.child_by_field_name("name") else {
                continue;
            };
            let bound = p.child_by_field_name("constraint").and_then(|c| child(c, 0));
            let ty = bound.map(|b| type_of(b, cx));
            let text = cx.src(name);
            cx.bind(text, 0, ty, None);
        }
    }
    if node.kind() == "mapped_type_clause"
        && let Some(name) = node.child_by_field_name("name")
    {
        let text = cx.src(name);
        cx.bind(text, 0, None, None);
    }
}

/// The value of a definition of this file.
pub fn symbol(ix: SymbolIx, cx: &mut Cx<'_>) -> ExprId {
    cx.expr(Expr::Symbol(ix))
}
