//! Annotations: type expressions, also those written as strings.

use super::exprs;
use super::extract::{DONE, children};
use crate::extract::{Cx, EXPR_DEPTH};
use crate::facts::{Bound, Expr, ExprId, Kind, Role, ScopeKind, SymbolFlags};
use crate::resolve::signatures::RESULT;
use tree_sitter::Node;

/// Note: plain uses before this byte stand in an annotation.
pub(super) const UNTIL: &str = "type until";
/// Most parameters of one function whose types are kept.
pub(super) const PARAMETERS: usize = 16;

/// What an annotation says of a variable: its type, or its value where the annotation is `type[X]`.
#[derive(Clone, Copy, Default)]
pub(super) struct Annotated {
    pub ty: Option<ExprId>,
    pub value: Option<ExprId>,
}

/// Reads the annotation in field `type` of `node`, if it has one.
pub(super) fn annotation<'t>(node: Node<'t>, cx: &mut Cx<'t>) -> Annotated {
    let Some(ty) = node.child_by_field_name("type") else {
        return Annotated::default();
    };
    if let Some((name, args)) = generic(unwrap(ty))
        && matches!(last_name(cx.src(name)), "type" | "Type")
        && let Some(&of) = args.first()
    {
        return Annotated {
            ty: None,
            value: Some(type_expr(of, 0, cx)),
        };
    }
    Annotated {
        ty: Some(type_expr(ty, 0, cx)),
        value: None,
    }
}

/// Everything below an annotation is a use as a type.
pub(super) fn enter<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    until(node, cx);
}

/// From here to the end of `node`, plain uses are types.
pub(super) fn until(node: Node<'_>, cx: &mut Cx<'_>) {
    let end = node.end_byte() as u32;
    let slot = cx.notes.entry(UNTIL).or_default();
    *slot = (*slot).max(end);
}

/// A string inside an annotation holds a type: its names are uses.
pub(super) fn quoted<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    if super::extract::plain_role(node, cx) != Role::Type || cx.marked(node) == Some(DONE) {
        return;
    }
    let Some(text) = exprs::literal(node, cx) else { return };
    let at = text.as_ptr() as usize - cx.text.as_ptr() as usize;
    let Some(_) = parse(text, at, 0, cx) else { return };
    let line = cx.line(node);
    let mut rest = 0;
    while let Some(start) = text[rest..].find(is_start).map(|s| s + rest) {
        let end = text[start..].find(|c| !is_part(c)).map_or(text.len(), |e| e + start);
        rest = end;
        let mut names = text[start..end].split('.');
        let Some(first) = names.next().filter(|n| *n != "None") else {
            continue;
        };
        let mut id = cx.name_expr_of(first, at + start);
        let mut last = first;
        for name in names {
            id = cx.member_expr(id, name);
            last = name;
        }
        let name = cx.name(last);
        cx.refer_named(Role::Type, id, name, line, 255);
    }
}

/// `type X = …`.
pub(super) fn alias<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let (Some(left), Some(right)) = (node.child_by_field_name("left"), node.child_by_field_name("right")) else {
        return;
    };
    let Some(name) = left.named_child(0) else { return };
    let name = if name.kind() == "generic_type" {
        name.named_child(0).unwrap_or(name)
    } else {
        name
    };
    if name.kind() != "identifier" {
        return;
    }
    let ix = cx.define(Kind::TypeAlias, node, name);
    cx.mark(name, DONE);
    cx.sign_to_body(ix, node, None);
    let ty = type_expr(right, 0, cx);
    cx.symbol(ix).ty = Some(ty);
    if !cx.src(name).starts_with('_') {
        cx.symbol(ix).flags.set(SymbolFlags::EXPORTED);
    }
    cx.open_plain(ix);
}

fn unwrap(node: Node<'_>) -> Node<'_> {
    let mut node = node;
    while matches!(node.kind(), "type" | "parenthesized_expression")
        && let Some(&inner) = children(node).first()
    {
        node = inner;
    }
    node
}

fn last_name(text: &str) -> &str {
    text.rsplit('.').next().unwrap_or(text)
}

/// The name and the arguments of `X[A, B]`, in either of the shapes that the grammar gives it.
fn generic<'t>(node: Node<'t>) -> Option<(Node<'t>, Vec<Node<'t>>)> {
    let parts = children(node);
    match node.kind() {
        "generic_type" => Some((*parts.first()?, children(*parts.get(1)?))),
        "subscript" => {
            let args = parts.get(1..)?;
            match args {
                [one] if one.kind() == "tuple" => Some((*parts.first()?, children(*one))),
                _ => Some((*parts.first()?, args.to_vec())),
            }
        }
        _ => None,
    }
}

/// Describes a type expression.
pub(super) fn type_expr<'t>(node: Node<'t>, depth: u32, cx: &mut Cx<'t>) -> ExprId {
    if depth >= EXPR_DEPTH {
        return cx.expr(Expr::Unknown);
    }
    let below = depth + 1;
    let node = unwrap(node);
    match node.kind() {
        "identifier" if cx.src(node) == "Self" && cx.enclosing_type().is_some() => {
            let scope = cx.scope();
            cx.expr(Expr::SelfType { scope })
        }
        "identifier" => cx.name_expr(node),
        "attribute" => exprs::expr(node, below, cx),
        "string" => match exprs::literal(node, cx) {
            Some(text) => {
                let at = text.as_ptr() as usize - cx.text.as_ptr() as usize;
                match parse(text, at, below, cx) {
                    Some(id) => id,
                    None => cx.expr(Expr::Unknown),
                }
            }
            None => cx.expr(Expr::Unknown),
        },
        "none" | "ellipsis" => cx.expr(Expr::Literal),
        // The parameter types of `Callable[[A, B], C]`.
        "list" => {
            let types: Vec<ExprId> = children(node).into_iter().map(|c| type_expr(c, below, cx)).collect();
            signature(&types, cx)
        }
        "binary_operator" | "union_type" => {
            let mut joined = None;
            for part in children(node) {
                let id = type_expr(part, below, cx);
                joined = Some(match joined {
                    Some(so_far) => exprs::join(so_far, id, cx),
                    None => id,
                });
            }
            joined.unwrap_or_else(|| cx.expr(Expr::Unknown))
        }
        "generic_type" | "subscript" => match generic(node) {
            Some((name, args)) => {
                let kind = last_name(cx.src(name));
                // The strings of `Literal["a"]` and of an annotation's extras are no types.
                let plain = match kind {
                    "Literal" => &args[..],
                    "Annotated" => args.get(1..).unwrap_or(&[]),
                    _ => &[],
                };
                for &arg in plain {
                    cx.mark(unwrap(arg), DONE);
                }
                let args = match kind {
                    "Literal" => return cx.expr(Expr::Literal),
                    "Annotated" | "Generator" | "AsyncGenerator" => args.get(..1).unwrap_or(&[]),
                    "Optional" | "Union" | "Callable" => &args[..],
                    _ => args.last().map_or(&[][..], std::slice::from_ref),
                };
                let args: Vec<ExprId> = args.iter().map(|&a| type_expr(a, below, cx)).collect();
                let base = type_expr(name, below, cx);
                apply(kind, base, &args, cx)
            }
            None => cx.expr(Expr::Unknown),
        },
        _ => cx.expr(Expr::Unknown),
    }
}

/// What `base[args]` is; `kind` is the last name of `base`.
fn apply(kind: &str, base: ExprId, args: &[ExprId], cx: &mut Cx<'_>) -> ExprId {
    let Some(&last) = args.last() else { return base };
    match kind {
        "Optional" | "Union" => {
            let mut joined = args[0];
            for &arg in &args[1..] {
                joined = exprs::join(joined, arg, cx);
            }
            joined
        }
        "Annotated" | "ClassVar" | "Final" | "Required" | "NotRequired" | "ReadOnly" | "InitVar" | "TypeGuard" => last,
        "Literal" => cx.expr(Expr::Literal),
        "Callable" => {
            let taken = match cx.facts.exprs[args[0] as usize] {
                Expr::Shape { .. } => args[0],
                _ => signature(&[], cx),
            };
            if let Expr::Shape { scope } = cx.facts.exprs[taken as usize]
                && args.len() > 1
            {
                let name = cx.name_owned(RESULT);
                let ty = Some(last);
                cx.add_binding(scope, name, 0, Bound::Local { ty, value: None });
                // Described anew behind what it gives: an expression comes after those that it is made of.
                return cx.expr(Expr::Shape { scope });
            }
            taken
        }
        _ => cx.expr(Expr::Apply { base, arg: last }),
    }
}

/// A function type that takes values of some types; see [`crate::resolve::signatures`].
fn signature(types: &[ExprId], cx: &mut Cx<'_>) -> ExprId {
    let around = cx.scope();
    let scope = cx.make_scope(ScopeKind::Block, None);
    if scope == around {
        return cx.expr(Expr::Unknown);
    }
    for (n, &ty) in types.iter().enumerate().take(PARAMETERS) {
        let name = cx.name_owned(&format!("({n}"));
        let ty = Some(ty);
        cx.add_binding(scope, name, 0, Bound::Local { ty, value: None });
    }
    cx.expr(Expr::Shape { scope })
}

fn is_start(c: char) -> bool {
    c == '_' || c.is_alphabetic()
}

fn is_part(c: char) -> bool {
    c == '_' || c == '.' || c.is_alphanumeric()
}

/// Describes a type that is written in a string: names, dots, `[…]`, `|` and commas. `None` when it is anything else.
fn parse<'t>(text: &'t str, at: usize, depth: u32, cx: &mut Cx<'t>) -> Option<ExprId> {
    let mut cursor = Cursor { text, pos: 0, at };
    let id = cursor.union(depth, cx)?;
    cursor.blanks();
    (cursor.pos == text.len()).then_some(id)
}

struct Cursor<'t> {
    text: &'t str,
    pos: usize,
    at: usize,
}

impl<'t> Cursor<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.pos..]
    }

    fn blanks(&mut self) {
        self.pos = self.text.len() - self.rest().trim_start().len();
    }

    fn eat(&mut self, c: char) -> bool {
        self.blanks();
        let found = self.rest().starts_with(c);
        if found {
            self.pos += c.len_utf8();
        }
        found
    }

    fn union(&mut self, depth: u32, cx: &mut Cx<'t>) -> Option<ExprId> {
        let mut joined = self.one(depth, cx)?;
        while self.eat('|') {
            let next = self.one(depth, cx)?;
            joined = exprs::join(joined, next, cx);
        }
        Some(joined)
    }

    fn one(&mut self, depth: u32, cx: &mut Cx<'t>) -> Option<ExprId> {
        if depth >= EXPR_DEPTH {
            return None;
        }
        self.blanks();
        if self.eat('[') {
            // A list of parameter types, as in `Callable[[A, B], C]`.
            let mut types = Vec::new();
            while !self.eat(']') {
                types.push(self.union(depth + 1, cx)?);
                self.eat(',');
            }
            return Some(signature(&types, cx));
        }
        if self.rest().starts_with("...") {
            self.pos += 3;
            return Some(cx.expr(Expr::Literal));
        }
        let start = self.pos;
        if !self.rest().starts_with(is_start) {
            return None;
        }
        self.pos += self.rest().find(|c| !is_part(c)).unwrap_or(self.rest().len());
        let dotted = &self.text[start..self.pos];
        let mut names = dotted.split('.');
        let first = names.next()?;
        let mut id = match first {
            "None" => cx.expr(Expr::Literal),
            "Self" if cx.enclosing_type().is_some() => {
                let scope = cx.scope();
                cx.expr(Expr::SelfType { scope })
            }
            _ => cx.name_expr_of(first, self.at + start),
        };
        for name in names {
            id = cx.member_expr(id, name);
        }
        if !self.eat('[') {
            return Some(id);
        }
        let mut args = Vec::new();
        while !self.eat(']') {
            args.push(self.union(depth + 1, cx)?);
            self.eat(',');
        }
        Some(apply(last_name(dotted), id, &args, cx))
    }
}
