//! Macros: what they are called, what they take, and what they use.

use super::lex::Kind::{Arrow, Mark, Paste, Scope, Word};
use super::lex::{Token, Tokens, builtin_type, capitals, keyword};
use crate::extract::{Cx, fold};
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
    let place = Place {
        from: body.start_byte(),
        line: cx.line(body),
        scope: cx.scope(),
        within: ix,
    };
    uses(cx, cx.src(body), place, cx.src(name), &own);
}

/// `FOR_EACH(item, items) { … }` in code reads like a function without a type; it is a use of a macro, and so are the names in
/// its parentheses. The block stays what it is.
pub(super) fn block<'t>(cx: &mut Cx<'t>, name: Node<'t>, list: Node<'t>) {
    let arguments = named(list);
    done(cx, name);
    done(cx, list);
    let callee = cx.name_expr(name);
    cx.refer(Role::Call, callee, name, count(arguments.len()));
    for argument in arguments {
        let plain = field(argument, "declarator").is_none();
        let Some(used) = field(argument, "type").filter(|t| plain && t.kind() == "type_identifier") else {
            continue;
        };
        done(cx, used);
        let expr = cx.name_expr(used);
        cx.refer(Role::Value, expr, used, 255);
    }
}

/// `CASE("name") { … }` and `FUNCTION(name) { … }` outside code: the macro makes a function of the block. It is called as it
/// is written, since what the macro makes of the name is not known.
pub(super) fn function<'t>(cx: &mut Cx<'t>, node: Node<'t>, name: Node<'t>, list: Node<'t>) {
    done(cx, name);
    let line = cx.line(name);
    let ix = made(cx, node, (name.start_byte(), list.end_byte()), line);
    let body = field(node, "body").map_or(node.end_byte(), |b| b.start_byte());
    sign(cx, ix, node.start_byte(), body);
    let callee = cx.name_expr(name);
    cx.refer(Role::Call, callee, name, count(named(list).len()));
}

/// Notes a call outside code that no semicolon ends: `CASE("name")` in front of a block.
pub(super) fn loose_call<'t>(cx: &mut Cx<'t>, node: Node<'t>) {
    let around: Vec<Node<'t>> = cx.ancestors().take(2).collect();
    let [statement, outer] = around[..] else { return };
    if statement.kind() != "expression_statement" || !is_top(outer) {
        return;
    }
    let Some((name, list)) = field(node, "function").zip(field(node, "arguments")) else {
        return;
    };
    if all(statement).last().is_some_and(|end| end.is_missing())
        && name.kind() == "identifier"
        && capitals(cx.src(name))
    {
        cx.notes.insert("loose.start", name.start_byte() as u32);
        cx.notes.insert("loose.end", list.end_byte() as u32);
        let line = cx.line(name);
        cx.notes.insert("loose.line", line);
    }
}

/// A block outside code, behind a macro with arguments that no function can have.
pub(super) fn loose_block<'t>(cx: &mut Cx<'t>, node: Node<'t>) -> bool {
    let outside = node.kind() == "compound_statement" && cx.parent().is_some_and(is_top);
    let note = |name| cx.notes.get(name).copied();
    let (Some(start), Some(end), Some(line)) = (note("loose.start"), note("loose.end"), note("loose.line")) else {
        return false;
    };
    let (from, to) = (start as usize, end as usize);
    let between = cx.text.get(to..node.start_byte());
    if !outside || between.is_none_or(|b| !b.trim().is_empty()) {
        return false;
    }
    let ix = made(cx, node, (from, to), line);
    sign(cx, ix, from, to);
    let symbol = cx.symbol(ix);
    symbol.start = line;
    symbol.bytes.0 = start;
    true
}

fn is_top(node: Node<'_>) -> bool {
    matches!(node.kind(), "translation_unit" | "declaration_list")
}

/// Defines and opens a function that is called as the source in a span is written.
fn made<'t>(cx: &mut Cx<'t>, node: Node<'t>, (from, to): (usize, usize), line: u32) -> SymbolIx {
    let written = fold(cx.text.get(from..to).unwrap_or(""), 120);
    let id = cx.name_owned(&written);
    let ix = cx.define_named(Kind::Function, node, id, line);
    doc(cx, ix, from);
    if written.split('(').next().is_some_and(|name| name.contains("TEST")) {
        flag(cx, ix, SymbolFlags::TEST);
    }
    cx.open_symbol(ix, ScopeKind::Function);
    ix
}

/// The macros that were blanked out before parsing, with their arguments, are uses by what they stand in.
pub(super) fn blanked(cx: &mut Cx<'_>) {
    let blanks = std::mem::take(&mut cx.blanks);
    let (mut line, mut counted) = (1, 0);
    // Symbols that begin before a blank and end behind it, the outer ones first: they are in source order.
    let mut order: Vec<SymbolIx> = (0..cx.facts.symbols.len() as SymbolIx).collect();
    let span = |cx: &Cx<'_>, ix: SymbolIx| cx.facts.symbols[ix as usize].bytes;
    order.sort_by_key(|&ix| (span(cx, ix).0, std::cmp::Reverse(span(cx, ix).1), ix));
    let mut next = 0;
    let mut around: Vec<SymbolIx> = Vec::new();
    for (from, to) in blanks {
        while let Some(&ix) = order.get(next)
            && span(cx, ix).0 as usize <= from
        {
            around.push(ix);
            next += 1;
        }
        around.retain(|&ix| span(cx, ix).1 as usize >= to);
        line += cx.text.as_bytes()[counted..from]
            .iter()
            .filter(|&&b| b == b'\n')
            .count() as u32;
        counted = from;
        let within = around.last().copied().unwrap_or(FILE_SYMBOL);
        let scope = around.last().map_or(0, |&ix| {
            let symbol = &cx.facts.symbols[ix as usize];
            symbol.body.unwrap_or(symbol.scope)
        });
        let text = &cx.text[from..to];
        let place = Place {
            from,
            line,
            scope,
            within,
        };
        uses(cx, text, place, "", &[]);
    }
}

/// Where a piece of text stands, and what uses the names in it.
#[derive(Clone, Copy)]
struct Place {
    from: usize,
    line: u32,
    scope: ScopeId,
    within: SymbolIx,
}

/// The names in a text of macros. Where a macro is expanded is not known, so each is looked up from here.
fn uses<'t>(cx: &mut Cx<'t>, text: &'t str, place: Place, own: &str, parameters: &[&str]) {
    let tokens: Vec<Token> = Tokens::of_body(text).take(TOKENS).collect();
    let args = arguments(&tokens);
    let kind = |n: Option<usize>| n.and_then(|n| tokens.get(n)).map(|t| t.kind);
    let mut line = place.line;
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
            None => {
                let name = cx.name(word);
                cx.expr(Expr::Name {
                    name,
                    scope: place.scope,
                    at: (place.from + token.start) as u32,
                })
            }
        };
        scope = Some(expr);
        let (role, args) = match behind {
            Some(Mark(b'(')) => (Role::Call, args[n + 1]),
            Some(Scope) if !capital(word) => continue,
            _ => (Role::Value, 255),
        };
        let name = cx.name(word);
        cx.facts.refs.push(Ref {
            expr,
            name,
            role,
            line,
            within: place.within,
            args,
        });
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
