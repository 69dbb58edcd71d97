//! Macros: what they are called, what they take, and what they use.

use super::lex::Kind::{Arrow, Mark, Paste, Scope, Word};
use super::lex::{Token, Tokens, builtin_type, keyword};
use crate::extract::Cx;
use crate::facts::*;
use crate::languages::common::*;
use tree_sitter::Node;

/// Most tokens of a macro's body that are looked at.
const TOKENS: usize = 4096;

/// A macro: a constant, or something to call when it has parameters.
pub(super) fn definition<'t>(cx: &mut Cx<'t>, node: Node<'t>) {
    let Some(name) = field(node, "name") else { return };
    if cx.marked(node).is_some() {
        return;
    }
    let parameters = field(node, "parameters");
    let kind = if parameters.is_some() {
        Kind::Macro
    } else {
        Kind::Constant
    };
    // A macro is known from its line on wherever it stands, so it is bound in the file's scope.
    let (id, line) = (cx.name(cx.src(name)), cx.line(name));
    let ix = cx.define_unbound(kind, node, id, line);
    cx.add_binding(0, id, 0, Bound::Symbol(ix));
    let end = cx.text[node.start_byte()..node.end_byte()].find('\n');
    sign(
        cx,
        ix,
        node.start_byte(),
        end.map_or(node.end_byte(), |n| node.start_byte() + n),
    );
    doc(cx, ix, node.start_byte());
    if let Some(parameters) = parameters {
        let fixed = count(named(parameters).iter().filter(|p| p.kind() == "identifier").count());
        let open = all(parameters).iter().any(|p| cx.src(*p).ends_with("..."));
        cx.symbol(ix).params = Params {
            min: fixed,
            max: if open { 255 } else { fixed },
        };
    }
    let Some(body) = field(node, "value") else { return };
    let own: Vec<&str> = parameters
        .map(named)
        .unwrap_or_default()
        .into_iter()
        .map(|p| cx.src(p))
        .collect();
    cx.open_plain(ix);
    uses(cx, body, cx.src(name), &own);
}

/// The names in a macro's body are uses by the macro. Where it is expanded is not known, so each is looked up from here.
fn uses<'t>(cx: &mut Cx<'t>, body: Node<'t>, own: &str, parameters: &[&str]) {
    let (text, from) = (cx.src(body), body.start_byte());
    let tokens: Vec<Token> = Tokens::of_body(text).take(TOKENS).collect();
    let args = arguments(&tokens);
    let kind = |n: Option<usize>| n.and_then(|n| tokens.get(n)).map(|t| t.kind);
    let mut line = cx.line(body);
    let mut counted = 0;
    // What the name before gave, when this one is looked up in it.
    let mut scope: Option<ExprId> = None;
    for (n, token) in tokens.iter().enumerate() {
        if token.kind != Word {
            continue;
        }
        line += text.as_bytes()[counted..token.start]
            .iter()
            .filter(|&&b| b == b'\n')
            .count() as u32;
        counted = token.start;
        let word = &text[token.start..token.end];
        let (before, behind) = (kind(n.checked_sub(1)), kind(Some(n + 1)));
        let base = match before {
            Some(Scope) if n > 1 && tokens[n - 2].kind == Word => scope.take(),
            Some(Scope) => None,
            // `.name = value` sets a field, of whatever it may be.
            Some(Arrow | Mark(b'.')) => Some(cx.expr(Expr::Unknown)),
            _ => None,
        };
        let pasted = before == Some(Paste) || behind == Some(Paste) || before == Some(Mark(b'#'));
        let plain = base.is_none();
        if pasted || keyword(word) || builtin_type(word) || (plain && (word == own || parameters.contains(&word))) {
            scope = Some(cx.expr(Expr::Unknown));
            continue;
        }
        let expr = match base {
            Some(base) => cx.member_expr(base, word),
            None => cx.name_expr_of(word, from + token.start),
        };
        scope = Some(expr);
        let id = cx.name(word);
        match behind {
            Some(Mark(b'(')) => cx.refer_named(Role::Call, expr, id, line, args[n + 1]),
            Some(Scope) if !capital(word) => {}
            _ => cx.refer_named(Role::Value, expr, id, line, 255),
        }
    }
}

/// For each `(`, the number of arguments in it; 255 where nothing closes it.
fn arguments(tokens: &[Token]) -> Vec<u8> {
    let mut out = vec![255; tokens.len()];
    // Of each open bracket: where it stands, and the commas in it so far.
    let mut open: Vec<(usize, usize)> = Vec::new();
    for (n, token) in tokens.iter().enumerate() {
        match token.kind {
            Mark(b'(' | b'[' | b'{') => open.push((n, 0)),
            Mark(b')' | b']' | b'}') => {
                if let Some((from, commas)) = open.pop() {
                    out[from] = if n == from + 1 { 0 } else { count(commas + 1) };
                }
            }
            Mark(b',') => {
                if let Some((_, commas)) = open.last_mut() {
                    *commas += 1;
                }
            }
            _ => {}
        }
    }
    out
}
