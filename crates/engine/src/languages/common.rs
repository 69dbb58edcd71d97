//! What the languages of the C family of syntax share: finding children, doc comments, and the small state that one
//! node leaves for the next.

use crate::extract::Cx;
use crate::facts::*;
use tree_sitter::Node;

/// The children of a node that have a name in the grammar, comments left out.
pub(crate) fn named<'t>(node: Node<'t>) -> Vec<Node<'t>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).filter(|n| !n.is_extra()).collect()
}

/// All children of a node, the anonymous ones too.
pub(crate) fn all<'t>(node: Node<'t>) -> Vec<Node<'t>> {
    let mut cursor = node.walk();
    node.children(&mut cursor).collect()
}

/// The first child of one of some kinds.
pub(crate) fn child<'t>(node: Node<'t>, kinds: &[&str]) -> Option<Node<'t>> {
    let mut cursor = node.walk();
    node.children(&mut cursor).find(|n| kinds.contains(&n.kind()))
}

/// A child by its field.
pub(crate) fn field<'t>(node: Node<'t>, name: &str) -> Option<Node<'t>> {
    node.child_by_field_name(name)
}

/// All children that carry a field.
pub(crate) fn fields<'t>(node: Node<'t>, name: &str) -> Vec<Node<'t>> {
    let mut cursor = node.walk();
    node.children_by_field_name(name, &mut cursor).collect()
}

/// The first child that is neither anonymous nor a comment.
pub(crate) fn first<'t>(node: Node<'t>) -> Option<Node<'t>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).find(|n| !n.is_extra())
}

/// Word of [`Cx::mark`] for a node that its parent dealt with.
pub(crate) const DONE: u32 = u32::MAX;

/// Says that a node is no use of its own: its parent dealt with it.
pub(crate) fn done(cx: &mut Cx<'_>, node: Node<'_>) {
    cx.mark(node, DONE);
}

/// Most bytes of white space around a comment that are looked through.
const NEAR: usize = 4096;

/// Notes a comment that the walk meets, so that the definition behind it can take it as its doc comment. Comments that
/// follow each other without a blank line are one; one that stands behind code on its line is none.
pub(crate) fn comment<'t>(cx: &mut Cx<'t>, node: Node<'t>) {
    let text = cx.text;
    let (start, raw) = (node.start_byte(), cx.src(node));
    let column = node.start_position().column;
    let line = text.get(start - column.min(start)..start);
    if column > NEAR || !line.is_some_and(|l| l.trim().is_empty()) {
        return;
    }
    let goes_on = cx
        .notes
        .get("doc.end")
        .is_some_and(|&end| touches(text, end as usize, start));
    // A documentation block starts over: what stands above it is a licence or a heading.
    if !goes_on || raw.starts_with("/**") {
        cx.notes.insert("doc.start", start as u32);
    }
    cx.notes.insert("doc.end", (start + raw.trim_end().len()) as u32);
}

/// Takes the comment right above byte `start`, if there is one, as the doc comment of a definition.
pub(crate) fn doc(cx: &mut Cx<'_>, ix: SymbolIx, start: usize) {
    let (Some(&from), Some(&to)) = (cx.notes.get("doc.start"), cx.notes.get("doc.end")) else {
        return;
    };
    let text = cx.text;
    if touches(text, to as usize, start)
        && let Some(raw) = text.get(from as usize..to as usize)
    {
        cx.document(ix, raw);
    }
}

/// Whether a comment stands right above a byte.
pub(crate) fn documented(cx: &Cx<'_>, start: usize) -> bool {
    cx.notes
        .get("doc.end")
        .is_some_and(|&to| touches(cx.text, to as usize, start))
}

/// Only white space with at most one line end lies between two places.
fn touches(text: &str, from: usize, to: usize) -> bool {
    to.saturating_sub(from) <= NEAR
        && text
            .get(from..to)
            .is_some_and(|between| between.trim().is_empty() && between.bytes().filter(|&b| b == b'\n').count() <= 1)
}

/// Sets the signature from byte `from` up to `to`; a `;` at its end goes.
pub(crate) fn sign(cx: &mut Cx<'_>, ix: SymbolIx, from: usize, to: usize) {
    let raw = cx.text.get(from..to.max(from)).unwrap_or("");
    let kept = raw.trim_end_matches([';', ',', ' ', '\t', '\r', '\n', '{', '=']);
    cx.sign(ix, from, from + kept.len());
}

/// Sets flags of a definition.
pub(crate) fn flag(cx: &mut Cx<'_>, ix: SymbolIx, bit: u16) {
    cx.symbol(ix).flags.set(bit);
}

/// A count of arguments or parameters as facts hold it; 254 stands for more than that, 255 for unknown.
pub(crate) fn count(n: usize) -> u8 {
    n.min(254) as u8
}

/// A built-in shape (array, pointer, optional) around a type.
pub(crate) fn shape(cx: &mut Cx<'_>, inner: ExprId) -> ExprId {
    let base = cx.expr(Expr::Unknown);
    cx.expr(Expr::Apply { base, arg: inner })
}

/// The last name of an expression, if it has one.
pub(crate) fn last_name(cx: &Cx<'_>, id: ExprId) -> Option<NameId> {
    match cx.facts.exprs[id as usize] {
        Expr::Name { name, .. } | Expr::Rooted { name } | Expr::Member { name, .. } => Some(name),
        Expr::Apply { base, .. } => last_name(cx, base),
        _ => None,
    }
}

/// The expression without its type arguments: what a supertype or a construction names.
pub(crate) fn bare(cx: &Cx<'_>, id: ExprId) -> ExprId {
    match cx.facts.exprs[id as usize] {
        Expr::Apply { base, .. } if !matches!(cx.facts.exprs[base as usize], Expr::Unknown) => base,
        _ => id,
    }
}

/// Whether a name is written as types are.
pub(crate) fn capital(name: &str) -> bool {
    name.chars().next().is_some_and(char::is_uppercase)
}

/// A dotted name without the white space that may stand in it.
pub(crate) fn dotted(text: &str) -> String {
    text.split_whitespace().collect()
}
/// Whether a node has an anonymous child of this text (a keyword).
pub(crate) fn has_token(node: Node<'_>, token: &str) -> bool {
    let mut cursor = node.walk();
    node.children(&mut cursor).any(|n| n.kind() == token)
}

/// Whether declarations here are locals of code, by the innermost scope.
pub(crate) fn in_code(cx: &Cx<'_>) -> bool {
    let kind = cx.facts.scopes[cx.scope() as usize].kind;
    matches!(kind, ScopeKind::Function | ScopeKind::Block)
}

/// Binds a local and says that its name is no use.
pub(crate) fn bind<'t>(cx: &mut Cx<'t>, name: Node<'t>, from: usize, ty: Option<ExprId>, value: Option<ExprId>) {
    done(cx, name);
    let text = cx.src(name);
    cx.bind(text, from, ty, value);
}

/// Whether a name, as the walk has come so far, stands for a local here.
pub(crate) fn is_local<'t>(cx: &mut Cx<'t>, name: &'t str) -> bool {
    let id = cx.name(name);
    let mut scope = Some(cx.scope());
    while let Some(at) = scope {
        if let Some(bound) = cx.bound(at, id) {
            return matches!(bound, Bound::Local { .. });
        }
        scope = cx.facts.scopes[at as usize].parent;
    }
    false
}

/// Where the first line of a text span ends.
pub(crate) fn line_end(cx: &Cx<'_>, from: usize, to: usize) -> usize {
    let text = cx.text.get(from..to).unwrap_or("");
    from + text.find('\n').unwrap_or(text.len())
}
