//! Value and type expressions as written in the source.
//!
//! References and raw pointers are left out: a method call sees through them. Slices and arrays are [`Expr::Apply`] of a
//! literal base.

use super::macros;
use crate::extract::{Cx, EXPR_DEPTH};
use crate::facts::{Bound, Expr, ExprId, ScopeKind};
use tree_sitter::Node;

/// The named children, comments aside.
pub fn children<'t>(node: Node<'t>) -> Vec<Node<'t>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor)
        .filter(|c| !matches!(c.kind(), "line_comment" | "block_comment" | "attribute_item"))
        .collect()
}

/// The named child at `n`, comments aside.
pub fn child<'t>(node: Node<'t>, n: usize) -> Option<Node<'t>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor)
        .filter(|c| !matches!(c.kind(), "line_comment" | "block_comment" | "attribute_item"))
        .nth(n)
}

/// Whether a name is written like a type, a variant or a constant.
pub fn is_upper(name: &str) -> bool {
    name.trim_start_matches("r#").starts_with(char::is_uppercase)
}

/// A name as code uses it: `r#type` is the name `type`.
pub fn plain<'t>(cx: &Cx<'t>, node: Node<'t>) -> &'t str {
    let text = cx.src(node);
    text.strip_prefix("r#").unwrap_or(text)
}

/// Number of arguments of a call.
pub fn arguments(call: Node<'_>) -> u8 {
    match call.child_by_field_name("arguments") {
        Some(list) => children(list).len().min(254) as u8,
        None => 255,
    }
}

/// Describes a value.
pub fn value<'t>(node: Node<'t>, cx: &mut Cx<'t>) -> ExprId {
    value_at(node, cx, 0)
}

fn value_at<'t>(node: Node<'t>, cx: &mut Cx<'t>, depth: u32) -> ExprId {
    if depth > EXPR_DEPTH {
        return cx.expr(Expr::Unknown);
    }
    if let Some(&known) = cx.described.get(&node.id()) {
        return known;
    }
    let id = describe(node, cx, depth + 1);
    // A description that may have been cut is not kept: a use further in can be described in full. Nor is one that was
    // made from outside the scope in which the node stands.
    if depth < EXPR_DEPTH / 2
        && !cx.notes.contains_key(OUTSIDE)
        && matches!(
            node.kind(),
            "field_expression" | "call_expression" | "identifier" | "scoped_identifier"
        )
    {
        cx.described.insert(node.id(), id);
    }
    id
}

fn first<'t>(node: Option<Node<'t>>, cx: &mut Cx<'t>, depth: u32) -> ExprId {
    match node {
        Some(c) => value_at(c, cx, depth),
        None => cx.expr(Expr::Unknown),
    }
}

fn describe<'t>(node: Node<'t>, cx: &mut Cx<'t>, depth: u32) -> ExprId {
    match node.kind() {
        "identifier" | "self" | "super" | "crate" | "scoped_identifier" => path_value(node, cx, depth),
        "generic_function" => first(node.child_by_field_name("function"), cx, depth),
        "field_expression" => {
            let base = first(node.child_by_field_name("value"), cx, depth);
            match node.child_by_field_name("field") {
                Some(f) => {
                    let name = plain(cx, f);
                    cx.member_expr(base, name)
                }
                None => base,
            }
        }
        "call_expression" => call(node, cx, depth),
        "struct_expression" => match node.child_by_field_name("name") {
            Some(n) => {
                let ty = type_at(n, cx, depth);
                cx.expr(Expr::New { ty })
            }
            None => cx.expr(Expr::Unknown),
        },
        "reference_expression" => first(node.child_by_field_name("value"), cx, depth),
        "unary_expression" => {
            if cx.src(node).starts_with('*') {
                first(child(node, 0), cx, depth)
            } else {
                cx.expr(Expr::Literal)
            }
        }
        "try_expression" | "await_expression" => {
            let of = first(child(node, 0), cx, depth);
            cx.expr(Expr::Unwrap { of })
        }
        "type_cast_expression" => match node.child_by_field_name("type") {
            Some(t) => {
                let ty = type_at(t, cx, depth);
                cx.expr(Expr::Typed { ty })
            }
            None => cx.expr(Expr::Unknown),
        },
        "parenthesized_expression" => first(child(node, 0), cx, depth),
        "index_expression" => {
            let of = first(child(node, 0), cx, depth);
            cx.expr(Expr::Element { of })
        }
        "match_expression" => handed_out(node, cx, depth),
        "if_expression" => branches(node, cx, depth),
        "tuple_expression" => {
            let parts = children(node);
            let parts: Vec<ExprId> = parts.into_iter().take(16).map(|p| value_at(p, cx, depth)).collect();
            shape(&parts, false, cx)
        }
        "closure_expression" => match node.child_by_field_name("return_type") {
            Some(t) => {
                let result = type_at(t, cx, depth);
                cx.expr(Expr::Function { result })
            }
            // What the body gives, when it is a call of something outside or a literal of a struct.
            None => match closure_value(node, cx, depth) {
                Some(result) => cx.expr(Expr::Function { result }),
                None => cx.expr(Expr::Unknown),
            },
        },
        "integer_literal" | "float_literal" | "string_literal" | "raw_string_literal" | "char_literal"
        | "boolean_literal" | "binary_expression" | "range_expression" | "unit_expression" => cx.expr(Expr::Literal),
        "array_expression" => {
            let items: Vec<Node<'t>> = children(node).into_iter().take(BRANCHES).collect();
            let items: Vec<ExprId> = items.into_iter().map(|c| value_at(c, cx, depth)).collect();
            collection(&items, cx)
        }
        "block" => tail(node, cx, depth).unwrap_or_else(|| cx.expr(Expr::Unknown)),
        "macro_invocation" => match node.child_by_field_name("macro").map(|m| cx.src(m)) {
            Some("vec") => {
                let mut cursor = node.walk();
                let tree = node.named_children(&mut cursor).find(|c| c.kind() == "token_tree");
                let first = tree.and_then(|t| macros::first_item(t, cx));
                collection(first.as_slice(), cx)
            }
            Some("format" | "concat" | "stringify" | "include_str" | "env") => cx.expr(Expr::Literal),
            _ => cx.expr(Expr::Unknown),
        },
        _ => cx.expr(Expr::Unknown),
    }
}

/// A collection of values from outside the tree: an array, a `Vec`.
fn collection<'t>(items: &[ExprId], cx: &mut Cx<'t>) -> ExprId {
    let base = cx.expr(Expr::Literal);
    let known = |e: &ExprId| !matches!(cx.facts.exprs[*e as usize], Expr::Literal | Expr::Unknown);
    let items: Vec<ExprId> = items.iter().copied().filter(known).collect();
    if items.is_empty() {
        return base;
    }
    let arg = either(&items, cx);
    cx.expr(Expr::Apply { base, arg })
}

/// A tuple: a type without a name whose members are `0`, `1`, ….
fn shape<'t>(parts: &[ExprId], types: bool, cx: &mut Cx<'t>) -> ExprId {
    let scope = cx.make_scope(ScopeKind::Block, None);
    for (n, &part) in parts.iter().enumerate() {
        let name = cx.name_owned(&n.to_string());
        let (ty, value) = if types { (Some(part), None) } else { (None, Some(part)) };
        cx.add_binding(scope, name, 0, Bound::Local { ty, value });
    }
    cx.expr(Expr::Shape { scope })
}

/// Collections of the standard library.
pub const COLLECTIONS: &[&str] = &[
    "BTreeMap",
    "BTreeSet",
    "BinaryHeap",
    "HashMap",
    "HashSet",
    "LinkedList",
    "Vec",
    "VecDeque",
];

/// Most branches whose values count.
const BRANCHES: usize = 4;

/// What the arms of a `match` give: what a pattern takes out of the subject, and calls and literals of structs.
fn handed_out<'t>(node: Node<'t>, cx: &mut Cx<'t>, depth: u32) -> ExprId {
    let arms = node.child_by_field_name("body").map(children).unwrap_or_default();
    let mut found: Vec<ExprId> = Vec::new();
    for arm in arms {
        if found.len() == BRANCHES {
            break;
        }
        let pattern = arm.child_by_field_name("pattern").and_then(|p| child(p, 0));
        let (Some(pattern), Some(given)) = (pattern, arm.child_by_field_name("value")) else {
            continue;
        };
        if given.kind() != "identifier" {
            found.extend(tail(given, cx, depth));
            continue;
        }
        let named = pattern.child_by_field_name("type");
        let (Some(named), "tuple_struct_pattern") = (named, pattern.kind()) else {
            continue;
        };
        let mut parts = places(pattern).into_iter();
        let Some((at, _)) = parts.find(|p| cx.src(bound_name(p.1)) == cx.src(given)) else {
            continue;
        };
        let one = match cx.src(named) {
            "Some" | "Ok" => {
                let Some(subject) = node.child_by_field_name("value") else {
                    continue;
                };
                let of = value_at(subject, cx, depth);
                cx.expr(Expr::Unwrap { of })
            }
            "Err" => continue,
            _ => {
                let base = path_value(named, cx, depth);
                let name = cx.name_owned(&at.to_string());
                cx.expr(Expr::Member { base, name })
            }
        };
        found.push(one);
    }
    either(&found, cx)
}

/// The parts of a tuple's or tuple struct's pattern with their places; what stands behind `..` has none that is known.
pub fn places<'t>(pattern: Node<'t>) -> Vec<(usize, Node<'t>)> {
    let mut out = Vec::new();
    let (mut place, mut inside) = (0, false);
    let mut cursor = pattern.walk();
    for c in pattern.children(&mut cursor) {
        match c.kind() {
            "(" => inside = true,
            "," => place += 1,
            "remaining_field_pattern" => break,
            "line_comment" | "block_comment" | "attribute_item" => {}
            _ if inside && c.is_named() => out.push((place, c)),
            _ => {}
        }
    }
    out
}

/// The name under `mut` and `ref` in a pattern.
fn bound_name(mut pattern: Node<'_>) -> Node<'_> {
    while matches!(pattern.kind(), "mut_pattern" | "ref_pattern" | "reference_pattern") {
        match children(pattern).into_iter().find(|c| c.kind() != "mutable_specifier") {
            Some(inner) => pattern = inner,
            None => break,
        }
    }
    pattern
}

fn either<'t>(found: &[ExprId], cx: &mut Cx<'t>) -> ExprId {
    let Some((&first, rest)) = found.split_first() else {
        return cx.expr(Expr::Unknown);
    };
    rest.iter().fold(first, |a, &b| cx.expr(Expr::Either(a, b)))
}

/// What the branches of an `if` give.
fn branches<'t>(node: Node<'t>, cx: &mut Cx<'t>, depth: u32) -> ExprId {
    let mut found: Vec<ExprId> = Vec::new();
    let mut at = Some(node);
    while let Some(one) = at.take() {
        if found.len() >= BRANCHES {
            break;
        }
        if let Some(block) = one.child_by_field_name("consequence") {
            found.extend(tail(block, cx, depth));
        }
        let other = one.child_by_field_name("alternative").and_then(|e| child(e, 0));
        match other {
            Some(next) if next.kind() == "if_expression" => at = Some(next),
            Some(block) => found.extend(tail(block, cx, depth)),
            None => {}
        }
    }
    either(&found, cx)
}

/// Note that nodes are described from outside their scope.
const OUTSIDE: &str = "rust.outside";

/// The value that a branch ends in, when it names no local of the branch: a call by a path, a literal of a struct, a path.
fn tail<'t>(mut node: Node<'t>, cx: &mut Cx<'t>, depth: u32) -> Option<ExprId> {
    if depth > EXPR_DEPTH {
        return None;
    }
    if node.kind() == "block" {
        node = children(node).into_iter().last()?;
    }
    if node.kind() == "tuple_expression" {
        let parts: Vec<Node<'t>> = children(node).into_iter().take(16).collect();
        let parts: Vec<Option<ExprId>> = parts.into_iter().map(|p| tail(p, cx, depth + 1)).collect();
        if parts.iter().all(Option::is_none) {
            return None;
        }
        let parts: Vec<ExprId> = parts
            .into_iter()
            .map(|p| p.unwrap_or_else(|| cx.expr(Expr::Unknown)))
            .collect();
        return Some(shape(&parts, false, cx));
    }
    // `f()?`, `f().await`
    if matches!(node.kind(), "try_expression" | "await_expression") {
        let of = tail(child(node, 0)?, cx, depth + 1)?;
        return Some(cx.expr(Expr::Unwrap { of }));
    }
    let head = match node.kind() {
        "call_expression" => node.child_by_field_name("function")?,
        _ => node,
    };
    let by_path = matches!(
        head.kind(),
        "scoped_identifier" | "struct_expression" | "generic_function"
    ) || (head.kind() == "identifier" && (head != node || is_upper(cx.src(head))))
        || (head.kind() == "field_expression" && (head != node || cx.src(head).starts_with("self.")));
    if !by_path {
        return None;
    }
    let before = cx.notes.insert(OUTSIDE, 1);
    let value = value_at(node, cx, depth);
    if before.is_none() {
        cx.notes.remove(OUTSIDE);
    }
    Some(value)
}

/// What the body of a closure gives, when no parameter has part in it.
fn closure_value<'t>(closure: Node<'t>, cx: &mut Cx<'t>, depth: u32) -> Option<ExprId> {
    let body = closure.child_by_field_name("body")?;
    let last = match body.kind() {
        "block" => children(body).into_iter().last()?,
        _ => body,
    };
    let word = |c: char| !c.is_alphanumeric() && c != '_';
    let head = cx.src(last).split(word).next().unwrap_or("");
    let parameters = closure.child_by_field_name("parameters").map_or("", |p| cx.src(p));
    if parameters.split(word).any(|p| p == head) {
        return None;
    }
    tail(body, cx, depth)
}

/// What `receiver.method(…)` gives: for the methods of wrappers and collections, what is inside or an element.
pub fn method_call<'t>(method: &str, receiver: ExprId, callee: ExprId, args: u8, cx: &mut Cx<'t>) -> ExprId {
    match method {
        "unwrap" | "expect" | "unwrap_or" | "unwrap_or_else" | "unwrap_or_default" => {
            cx.expr(Expr::Unwrap { of: receiver })
        }
        "clone" | "cloned" | "copied" | "to_owned" | "as_ref" | "as_mut" | "as_deref" | "as_deref_mut" | "by_ref" => {
            receiver
        }
        // A guard or a look inside a wrapper; a type of the tree may have a method of that name too.
        "borrow" | "borrow_mut" | "lock" | "read" | "write" | "get" | "get_mut" | "first" | "last" | "pop" | "next"
        | "peek" | "iter" | "iter_mut" | "take" | "ok"
            if args <= 1 =>
        {
            let call = cx.expr(Expr::Call { callee, args });
            let inner = match method {
                "get" | "get_mut" | "first" | "last" | "pop" | "next" | "peek" => {
                    cx.expr(Expr::Element { of: receiver })
                }
                _ => receiver,
            };
            cx.expr(Expr::Either(call, inner))
        }
        _ => cx.expr(Expr::Call { callee, args }),
    }
}

fn call<'t>(node: Node<'t>, cx: &mut Cx<'t>, depth: u32) -> ExprId {
    let Some(mut function) = node.child_by_field_name("function") else {
        return cx.expr(Expr::Unknown);
    };
    if function.kind() == "generic_function" {
        // `collect::<Vec<T>>()`, `parse::<T>()`: the type is the result, behind a wrapper.
        let inner = function.child_by_field_name("function");
        let method = inner.and_then(|f| f.child_by_field_name("field")).map(|f| cx.src(f));
        let stated = function.child_by_field_name("type_arguments").and_then(|a| child(a, 0));
        if let (Some("collect" | "parse" | "into_inner" | "downcast" | "downcast_ref" | "downcast_mut"), Some(ty)) =
            (method, stated)
            && ty.kind() != "lifetime"
        {
            let ty = type_at(ty, cx, depth);
            return cx.expr(Expr::Typed { ty });
        }
        function = inner.unwrap_or(function);
    }
    // `Vec::<T>::new()`
    if let Some(path) = function.child_by_field_name("path")
        && matches!(path.kind(), "generic_type" | "generic_type_with_turbofish")
        && matches!(
            function.child_by_field_name("name").map(|n| cx.src(n)),
            Some("new" | "with_capacity" | "default" | "from" | "from_iter")
        )
        && path
            .child_by_field_name("type")
            .is_some_and(|t| COLLECTIONS.contains(&cx.src(t)))
    {
        let ty = type_at(path, cx, depth);
        return cx.expr(Expr::Typed { ty });
    }
    let args = arguments(node);
    let argument = node.child_by_field_name("arguments").and_then(|a| child(a, 0));
    if function.kind() == "field_expression"
        && let (Some(receiver), Some(name)) = (
            function.child_by_field_name("value"),
            function.child_by_field_name("field"),
        )
    {
        let receiver = value_at(receiver, cx, depth);
        let method = cx.src(name);
        let text = plain(cx, name);
        let callee = cx.member_expr(receiver, text);
        return method_call(method, receiver, callee, args, cx);
    }
    // What a wrapper is made of acts as the wrapper does.
    if let Some(argument) = argument
        && args == 1
        && matches!(
            cx.src(function),
            "Some"
                | "Ok"
                | "Box::new"
                | "Arc::new"
                | "Rc::new"
                | "RefCell::new"
                | "Mutex::new"
                | "RwLock::new"
                | "Cell::new"
                | "Arc::clone"
                | "Rc::clone"
                | "Pin::new"
                | "Box::pin"
        )
    {
        return value_at(argument, cx, depth);
    }
    let callee = value_at(function, cx, depth);
    cx.expr(Expr::Call { callee, args })
}

/// Methods that keep the elements of what they are called on.
const KEEP: &[&str] = &[
    "as_ref",
    "as_slice",
    "by_ref",
    "chain",
    "cloned",
    "copied",
    "drain",
    "enumerate",
    "filter",
    "fuse",
    "inspect",
    "into_iter",
    "into_values",
    "iter",
    "iter_mut",
    "par_iter",
    "peekable",
    "rev",
    "skip",
    "skip_while",
    "step_by",
    "take",
    "take_while",
    "values",
    "values_mut",
];

/// One element of what is iterated over, seen through the calls that keep the elements.
pub fn element<'t>(node: Node<'t>, cx: &mut Cx<'t>) -> ExprId {
    element_at(node, cx, 0)
}

fn element_at<'t>(mut node: Node<'t>, cx: &mut Cx<'t>, depth: u32) -> ExprId {
    for _ in 0..EXPR_DEPTH {
        match node.kind() {
            "reference_expression" => match node.child_by_field_name("value") {
                Some(v) => node = v,
                None => break,
            },
            "parenthesized_expression" => match child(node, 0) {
                Some(v) => node = v,
                None => break,
            },
            "call_expression" => {
                let Some(function) = node.child_by_field_name("function") else {
                    break;
                };
                let (Some(receiver), Some(name)) = (
                    function.child_by_field_name("value"),
                    function.child_by_field_name("field"),
                ) else {
                    break;
                };
                let argument = node.child_by_field_name("arguments").and_then(|a| child(a, 0));
                match (cx.src(name), argument) {
                    (method, _) if KEEP.contains(&method) => node = receiver,
                    ("zip", Some(other)) if depth < EXPR_DEPTH => {
                        let one = element_at(receiver, cx, depth + 1);
                        let two = element_at(other, cx, depth + 1);
                        return shape(&[one, two], false, cx);
                    }
                    // A path that is applied to each: what it gives, or the element itself behind a reference.
                    ("map", Some(to)) if to.kind() == "scoped_identifier" => {
                        let last = to.child_by_field_name("name").map_or("", |n| cx.src(n));
                        if matches!(
                            last,
                            "as_ref" | "as_mut" | "clone" | "borrow" | "deref" | "to_owned" | "as_deref"
                        ) {
                            node = receiver;
                            continue;
                        }
                        let callee = value(to, cx);
                        return cx.expr(Expr::Call { callee, args: 1 });
                    }
                    _ => break,
                }
            }
            _ => break,
        }
    }
    let of = value(node, cx);
    cx.expr(Expr::Element { of })
}

/// A path as a value: `a::b::f`, `Self::new`, `<T as Trait>::f`.
pub fn path_value<'t>(node: Node<'t>, cx: &mut Cx<'t>, depth: u32) -> ExprId {
    if depth > EXPR_DEPTH {
        return cx.expr(Expr::Unknown);
    }
    let scope = cx.scope();
    match node.kind() {
        "self" => {
            // Inside a path `self` is the module; a path's head is described by `path_head`.
            cx.expr(Expr::This { scope })
        }
        "identifier" | "type_identifier" => match cx.src(node) {
            "Self" => cx.expr(Expr::SelfType { scope }),
            _ => name(node, cx),
        },
        "scoped_identifier" | "scoped_type_identifier" => {
            let Some(last) = node.child_by_field_name("name") else {
                return cx.expr(Expr::Unknown);
            };
            let text = plain(cx, last);
            match node.child_by_field_name("path") {
                Some(p) => {
                    let base = path_head(p, cx, depth + 1);
                    cx.member_expr(base, text)
                }
                // `::a`
                None => {
                    let name = cx.name(text);
                    cx.expr(Expr::Rooted { name })
                }
            }
        }
        _ => name(node, cx),
    }
}

fn path_head<'t>(node: Node<'t>, cx: &mut Cx<'t>, depth: u32) -> ExprId {
    match node.kind() {
        "self" | "super" | "crate" => name(node, cx),
        // The first name of a path is a module, a type or a crate, whatever locals there are: it is seen from before them all.
        "identifier" if cx.src(node) != "Self" => {
            let text = plain(cx, node);
            cx.name_expr_of(text, 0)
        }
        "bracketed_type" => match child(node, 0) {
            Some(q) => {
                let q = q.child_by_field_name("type").unwrap_or(q);
                type_at(q, cx, depth)
            }
            None => cx.expr(Expr::Unknown),
        },
        "generic_type" => match node.child_by_field_name("type") {
            Some(t) => path_value(t, cx, depth),
            None => cx.expr(Expr::Unknown),
        },
        _ => path_value(node, cx, depth),
    }
}

fn name<'t>(node: Node<'t>, cx: &mut Cx<'t>) -> ExprId {
    let text = plain(cx, node);
    cx.name_expr_of(text, node.start_byte())
}

/// Describes a type.
pub fn type_of<'t>(node: Node<'t>, cx: &mut Cx<'t>) -> ExprId {
    type_at(node, cx, 0)
}

fn type_at<'t>(node: Node<'t>, cx: &mut Cx<'t>, depth: u32) -> ExprId {
    if depth > EXPR_DEPTH {
        return cx.expr(Expr::Unknown);
    }
    let depth = depth + 1;
    let inner = |field: &str| node.child_by_field_name(field);
    match node.kind() {
        "type_identifier" | "identifier" | "scoped_type_identifier" | "scoped_identifier" => {
            path_value(node, cx, depth)
        }
        "primitive_type" | "unit_type" | "never_type" => cx.expr(Expr::Literal),
        "reference_type" | "pointer_type" => typed(inner("type"), cx, depth),
        "abstract_type" | "dynamic_type" => typed(inner("trait"), cx, depth),
        "higher_ranked_trait_bound" | "qualified_type" => typed(inner("type"), cx, depth),
        "bounded_type" | "bracketed_type" => {
            let first = children(node).into_iter().find(|c| c.kind() != "lifetime");
            typed(first, cx, depth)
        }
        "tuple_type" => {
            let parts = children(node);
            let parts: Vec<ExprId> = parts.into_iter().take(16).map(|p| type_at(p, cx, depth)).collect();
            shape(&parts, true, cx)
        }
        "function_type" => match inner("return_type") {
            Some(t) => {
                let result = type_at(t, cx, depth);
                cx.expr(Expr::Function { result })
            }
            None => cx.expr(Expr::Unknown),
        },
        "array_type" => {
            let arg = typed(inner("element"), cx, depth);
            let base = cx.expr(Expr::Literal);
            cx.expr(Expr::Apply { base, arg })
        }
        "generic_type" | "generic_type_with_turbofish" => {
            let base = typed(inner("type"), cx, depth);
            match argument(node, cx) {
                Some(a) => {
                    let arg = type_at(a, cx, depth);
                    cx.expr(Expr::Apply { base, arg })
                }
                None => base,
            }
        }
        _ => cx.expr(Expr::Unknown),
    }
}

fn typed<'t>(node: Option<Node<'t>>, cx: &mut Cx<'t>, depth: u32) -> ExprId {
    match node {
        Some(t) => type_at(t, cx, depth),
        None => cx.expr(Expr::Unknown),
    }
}

/// The type argument that says what is inside: the last, of a `Result` the first, of an `Iterator<Item = T>` T.
fn argument<'t>(generic: Node<'t>, cx: &Cx<'t>) -> Option<Node<'t>> {
    let arguments = generic.child_by_field_name("type_arguments")?;
    let types: Vec<Node<'t>> = children(arguments)
        .into_iter()
        .filter(|c| !matches!(c.kind(), "lifetime" | "block") && !c.kind().ends_with("_literal"))
        .collect();
    let named = generic.child_by_field_name("type").map_or("", |t| cx.src(t));
    let is_result = named == "Result" || named.ends_with("::Result");
    let chosen = if is_result { types.first() } else { types.last() };
    let chosen = *chosen?;
    match chosen.kind() {
        "type_binding" => chosen.child_by_field_name("type"),
        _ => Some(chosen),
    }
}

/// The name of a type without module, references and type arguments: what an `impl` block belongs to.
pub fn bare<'t>(mut node: Node<'t>, cx: &Cx<'t>) -> &'t str {
    loop {
        let inner = match node.kind() {
            "generic_type" | "reference_type" | "pointer_type" => node.child_by_field_name("type"),
            "scoped_type_identifier" => node.child_by_field_name("name"),
            "dynamic_type" | "abstract_type" => node.child_by_field_name("trait"),
            "array_type" => node.child_by_field_name("element"),
            "bounded_type" => children(node).into_iter().find(|c| c.kind() != "lifetime"),
            _ => None,
        };
        match inner {
            Some(c) => node = c,
            None => break,
        }
    }
    let text = plain(cx, node);
    if text.len() <= 80 { text } else { "" }
}
