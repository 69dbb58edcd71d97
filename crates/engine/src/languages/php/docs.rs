//! Types in doc comments: `@var Foo[]`, `@param Foo $x`, `@return static`.

use super::exprs::{join, path_of};
use crate::extract::Cx;
use crate::facts::{Expr, ExprId};
use tree_sitter::Node;

/// The doc comment right above a node, as source text.
pub(super) fn above<'t>(node: Node<'t>, cx: &Cx<'t>) -> Option<&'t str> {
    let previous = cx.before(node).find(Node::is_named).filter(|p| p.kind() == "comment")?;
    let text = cx.src(previous);
    text.starts_with("/**").then_some(text)
}

/// The type behind `tag` in a doc comment; for `@param`, the one of the parameter `of`.
pub(super) fn tagged<'t>(doc: Option<&'t str>, tag: &str, of: &str, cx: &mut Cx<'t>) -> Option<ExprId> {
    let doc = doc?;
    for line in doc.lines() {
        let Some(rest) = line.split_once(tag).map(|(_, rest)| rest) else {
            continue;
        };
        if !rest.starts_with(char::is_whitespace) {
            continue;
        }
        let rest = rest.trim_start();
        let end = type_end(rest);
        let (written, behind) = rest.split_at(end);
        let names = behind.split_whitespace().next().unwrap_or("");
        if !of.is_empty() && names.trim_start_matches(['&', '.']) != of {
            continue;
        }
        return parse(written, 0, cx);
    }
    None
}

/// Where the type at the start of `text` ends: at the first blank outside of brackets.
fn type_end(text: &str) -> usize {
    let mut depth = 0i32;
    for (at, c) in text.char_indices() {
        match c {
            '<' | '(' | '{' | '[' => depth += 1,
            '>' | ')' | '}' | ']' => depth -= 1,
            _ if c.is_whitespace() && depth <= 0 => return at,
            _ => {}
        }
    }
    text.len()
}

fn parse<'t>(text: &'t str, depth: u32, cx: &mut Cx<'t>) -> Option<ExprId> {
    if depth > 8 {
        return None;
    }
    let mut joined: Option<ExprId> = None;
    for part in split(text, '|') {
        let Some(id) = one(part.trim().trim_start_matches('?'), depth, cx) else {
            continue;
        };
        joined = Some(match joined {
            Some(so_far) => join(so_far, id, cx),
            None => id,
        });
    }
    joined
}

fn one<'t>(text: &'t str, depth: u32, cx: &mut Cx<'t>) -> Option<ExprId> {
    if let Some(of) = text.strip_suffix("[]") {
        let arg = parse(of.trim_start_matches('(').trim_end_matches(')'), depth + 1, cx)?;
        let base = cx.expr(Expr::Unknown);
        return Some(cx.expr(Expr::Apply { base, arg }));
    }
    if let Some((name, args)) = text.split_once('<') {
        let arg = split(args.strip_suffix('>')?, ',').pop()?;
        let arg = parse(arg.trim(), depth + 1, cx)?;
        let base = one(name, depth + 1, cx).unwrap_or_else(|| cx.expr(Expr::Unknown));
        return Some(cx.expr(Expr::Apply { base, arg }));
    }
    let scope = cx.scope();
    match text {
        "self" | "static" | "$this" => return Some(cx.expr(Expr::SelfType { scope })),
        "" | "null" | "mixed" | "array" | "string" | "int" | "float" | "bool" | "boolean" | "integer" | "object"
        | "void" | "callable" | "iterable" | "resource" | "false" | "true" | "list" | "class-string" => return None,
        _ => {}
    }
    let plain = text.chars().all(|c| c == '\\' || c == '_' || c.is_alphanumeric());
    let at = (text.as_ptr() as usize).saturating_sub(cx.text.as_ptr() as usize);
    plain.then(|| path_of(text, at, cx))
}

/// Splits at a character outside of brackets.
fn split(text: &str, at: char) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut depth, mut start) = (0i32, 0);
    for (i, c) in text.char_indices() {
        match c {
            '<' | '(' | '{' => depth += 1,
            '>' | ')' | '}' => depth -= 1,
            _ if c == at && depth <= 0 => {
                parts.push(&text[start..i]);
                start = i + c.len_utf8();
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}
