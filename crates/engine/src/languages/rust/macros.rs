//! Macro calls: their arguments are tokens, which are read again for what looks like uses.

use super::exprs::{is_upper, method_call, path_value, plain};
use crate::extract::{Cx, Walk};
use crate::facts::{Expr, ExprId, Role};
use tree_sitter::Node;

/// Macros of the standard library, sorted.
const STANDARD: &[&str] = &[
    "assert",
    "assert_eq",
    "assert_ne",
    "cfg",
    "column",
    "compile_error",
    "concat",
    "dbg",
    "debug_assert",
    "debug_assert_eq",
    "debug_assert_ne",
    "env",
    "eprint",
    "eprintln",
    "file",
    "format",
    "format_args",
    "include",
    "include_bytes",
    "include_str",
    "line",
    "macro_rules",
    "matches",
    "module_path",
    "option_env",
    "panic",
    "print",
    "println",
    "stringify",
    "thread_local",
    "todo",
    "unimplemented",
    "unreachable",
    "vec",
    "write",
    "writeln",
];

/// `m!(…)`.
pub fn invocation<'t>(node: Node<'t>, cx: &mut Cx<'t>) -> Walk {
    let Some(name) = node.child_by_field_name("macro") else {
        return Walk::Into;
    };
    if STANDARD.binary_search(&cx.src(name)).is_err() {
        let last = name.child_by_field_name("name").unwrap_or(name);
        let expr = path_value(name, cx, 0);
        cx.refer(Role::Call, expr, last, 255);
    }
    let mut cursor = node.walk();
    let tree = node.named_children(&mut cursor).find(|c| c.kind() == "token_tree");
    if let Some(tree) = tree {
        read(tree, cx);
    }
    Walk::Over
}

/// The first item of a macro that lists values (`vec![a, b]`), where it is a name, a path or a call of one.
pub fn first_item<'t>(tree: Node<'t>, cx: &mut Cx<'t>) -> Option<ExprId> {
    let mut cursor = tree.walk();
    let tokens: Vec<Node<'t>> = tree.children(&mut cursor).skip(1).take(16).collect();
    let mut at = usize::from(tokens.first().is_some_and(|t| t.kind() == "&"));
    let head = *tokens.get(at)?;
    let kind = |at: usize| tokens.get(at).map_or("", |t| t.kind());
    let path = kind(at + 1) == "::";
    let names = match head.kind() {
        "self" => !path,
        "identifier" => !is_keyword(cx.src(head)),
        _ => false,
    };
    if !names {
        return None;
    }
    let mut expr = head_expr(head, path, cx);
    at += 1;
    while kind(at) == "::" && kind(at + 1) == "identifier" {
        let text = plain(cx, tokens[at + 1]);
        expr = cx.member_expr(expr, text);
        at += 2;
    }
    if kind(at) == "token_tree" {
        expr = match opens(tokens[at]) {
            "(" => cx.expr(Expr::Call {
                callee: expr,
                args: count(tokens[at]),
            }),
            "{" => cx.expr(Expr::New { ty: expr }),
            _ => return None,
        };
        at += 1;
    }
    matches!(kind(at), "," | ";" | "]" | ")" | "}").then_some(expr)
}

/// What a chain of tokens begins with. The first name of a path is no local.
fn head_expr<'t>(head: Node<'t>, path: bool, cx: &mut Cx<'t>) -> ExprId {
    let scope = cx.scope();
    match (head.kind(), cx.src(head)) {
        ("self", _) if !path => cx.expr(Expr::This { scope }),
        ("metavariable", "$crate") => cx.name_expr_of("crate", head.start_byte()),
        ("metavariable", _) => cx.expr(Expr::Unknown),
        (_, "Self") => cx.expr(Expr::SelfType { scope }),
        _ => {
            let text = plain(cx, head);
            let from = if path { 0 } else { head.start_byte() };
            cx.name_expr_of(text, from)
        }
    }
}

/// A token tree that no call holds: the right side of a macro's rule.
pub fn tokens<'t>(node: Node<'t>, cx: &mut Cx<'t>) -> Walk {
    read(node, cx);
    Walk::Over
}

/// Reads a token tree and all within it.
fn read<'t>(tree: Node<'t>, cx: &mut Cx<'t>) {
    let mut open = vec![tree];
    while let Some(tree) = open.pop() {
        let mut cursor = tree.walk();
        let tokens: Vec<Node<'t>> = tree.children(&mut cursor).collect();
        let mut reader = Reader {
            tokens: &tokens,
            at: 0,
            inner: Vec::new(),
        };
        while reader.at < tokens.len() {
            reader.step(cx);
        }
        // The stack hands out the last first.
        open.extend(reader.inner.into_iter().rev());
    }
}

struct Reader<'a, 't> {
    tokens: &'a [Node<'t>],
    at: usize,
    inner: Vec<Node<'t>>,
}

/// The delimiter that a token tree begins with.
fn opens<'t>(tree: Node<'t>) -> &'static str {
    match tree.child(0).map(|c| c.kind()) {
        Some("(") => "(",
        Some("[") => "[",
        Some("{") => "{",
        _ => "",
    }
}

/// Number of arguments between the parentheses of a token tree.
fn count(tree: Node<'_>) -> u8 {
    let n = tree.child_count();
    if n <= 2 {
        return 0;
    }
    let mut cursor = tree.walk();
    let mut commas = 0u8;
    let mut last = "";
    for c in tree.children(&mut cursor) {
        if c.kind() == "," {
            commas = commas.saturating_add(1);
        }
        if c.kind() != ")" {
            last = c.kind();
        }
    }
    if last == "," { commas } else { commas.saturating_add(1) }
}

impl<'t> Reader<'_, 't> {
    fn kind(&self, at: usize) -> &'t str {
        self.tokens.get(at).map_or("", |t| t.kind())
    }

    fn step(&mut self, cx: &mut Cx<'t>) {
        let token = self.tokens[self.at];
        match token.kind() {
            kind if !matches!(kind, "token_tree" | "token_repetition") && is_keyword(cx.src(token)) => {
                self.at += 1;
                // The name behind these is a definition's own.
                let defines = matches!(
                    cx.src(token),
                    "fn" | "struct" | "enum" | "trait" | "mod" | "type" | "let" | "static" | "const"
                );
                if defines && self.kind(self.at) == "identifier" {
                    self.at += 1;
                }
            }
            "identifier" | "self" | "super" | "crate" | "metavariable" => self.chain(token, cx),
            "string_literal" | "raw_string_literal" => {
                format_arguments(token, cx);
                self.at += 1;
            }
            "token_tree" | "token_repetition" => {
                self.inner.push(token);
                self.at += 1;
            }
            _ => self.at += 1,
        }
    }

    /// A name and what follows it: `a::b(…)`, `x.y.f(…)?.z`, `T { … }`.
    fn chain(&mut self, head: Node<'t>, cx: &mut Cx<'t>) {
        let path = self.kind(self.at + 1) == "::";
        let mut expr = head_expr(head, path, cx);
        let mut last = head;
        // Whether `last` still waits to be stated as a use.
        let mut waiting = head.kind() == "identifier" && cx.src(head) != "Self";
        // Whether `last` was reached through a dot: what is called then is a method.
        let mut dotted = false;
        self.at += 1;
        loop {
            match (self.kind(self.at), self.kind(self.at + 1)) {
                ("::", "identifier") | (".", "identifier" | "integer_literal" | "await") => {
                    let method = self.kind(self.at) == ".";
                    let next = self.tokens[self.at + 1];
                    let text = plain(cx, next);
                    self.at += 2;
                    if method && text == "await" {
                        if waiting {
                            refer(Role::Value, expr, last, 255, cx);
                        }
                        waiting = false;
                        expr = cx.expr(Expr::Unwrap { of: expr });
                        continue;
                    }
                    if waiting && (method || is_upper(cx.src(last))) {
                        let role = if method { Role::Value } else { Role::Type };
                        refer(role, expr, last, 255, cx);
                    }
                    expr = cx.member_expr(expr, text);
                    last = next;
                    dotted = method;
                    waiting = next.kind() == "identifier";
                }
                // `::<T>`: the types between are read as names.
                ("::", "<") => {
                    self.at += 2;
                    let mut depth = 1;
                    while self.at < self.tokens.len() && depth > 0 {
                        match self.kind(self.at) {
                            "<" => depth += 1,
                            ">" => depth -= 1,
                            ">>" => depth -= 2,
                            "identifier" => {
                                let t = self.tokens[self.at];
                                if is_upper(cx.src(t)) && cx.src(t) != "Self" {
                                    let text = plain(cx, t);
                                    let ty = cx.name_expr_of(text, t.start_byte());
                                    refer(Role::Type, ty, t, 255, cx);
                                }
                            }
                            _ => {}
                        }
                        self.at += 1;
                    }
                }
                ("?", _) => {
                    self.at += 1;
                    if waiting {
                        refer(Role::Value, expr, last, 255, cx);
                        waiting = false;
                    }
                    expr = cx.expr(Expr::Unwrap { of: expr });
                }
                ("!", "token_tree") if waiting => {
                    if STANDARD.binary_search(&cx.src(last)).is_err() {
                        refer(Role::Call, expr, last, 255, cx);
                    }
                    self.inner.push(self.tokens[self.at + 1]);
                    self.at += 2;
                    return;
                }
                ("token_tree", _) => {
                    let tree = self.tokens[self.at];
                    match opens(tree) {
                        "(" if waiting || !matches!(last.kind(), "identifier") => {
                            let args = count(tree);
                            if waiting
                                && !matches!(cx.src(last), "Some" | "Ok" | "Err" | "None")
                                && !is_keyword(cx.src(last))
                            {
                                refer(Role::Call, expr, last, args, cx);
                            }
                            waiting = false;
                            expr = match cx.facts.exprs[expr as usize] {
                                Expr::Member { base, .. } if dotted => method_call(cx.src(last), base, expr, args, cx),
                                _ => cx.expr(Expr::Call { callee: expr, args }),
                            };
                        }
                        "[" => {
                            if waiting {
                                refer(Role::Value, expr, last, 255, cx);
                                waiting = false;
                            }
                            expr = cx.expr(Expr::Element { of: expr });
                        }
                        "{" if waiting && is_upper(cx.src(last)) => {
                            refer(Role::New, expr, last, 255, cx);
                            waiting = false;
                        }
                        _ => break,
                    }
                    self.inner.push(tree);
                    self.at += 1;
                }
                _ => break,
            }
        }
        // `name = value` and `name: value` name an argument or field, not a use.
        let names = matches!(self.kind(self.at), "=" | ":") && last == head;
        if waiting && !names {
            refer(Role::Value, expr, last, 255, cx);
        }
    }
}

/// Words that a token tree shows as plain identifiers.
fn is_keyword(word: &str) -> bool {
    matches!(
        word,
        "as" | "async"
            | "await"
            | "box"
            | "break"
            | "const"
            | "continue"
            | "dyn"
            | "else"
            | "enum"
            | "fn"
            | "for"
            | "if"
            | "impl"
            | "in"
            | "let"
            | "loop"
            | "match"
            | "mod"
            | "move"
            | "mut"
            | "pub"
            | "ref"
            | "return"
            | "static"
            | "struct"
            | "trait"
            | "type"
            | "unsafe"
            | "use"
            | "where"
            | "while"
            | "true"
            | "false"
            | "_"
    )
}

fn refer<'t>(role: Role, expr: ExprId, name: Node<'t>, args: u8, cx: &mut Cx<'t>) {
    let text = plain(cx, name);
    if is_keyword(text) || matches!(text, "Some" | "Ok" | "Err" | "None") {
        return;
    }
    let (id, line) = (cx.name(text), cx.line(name));
    cx.refer_named(role, expr, id, line, args);
}

/// `{name}` and `{name:?}` in a format string.
fn format_arguments<'t>(literal: Node<'t>, cx: &mut Cx<'t>) {
    let text = cx.src(literal);
    let base = literal.start_byte();
    let line = cx.line(literal);
    let mut from = 0;
    // Line ends, and up to where they are counted.
    let (mut above, mut counted) = (0, 0);
    while let Some(found) = text[from..].find('{') {
        let start = from + found + 1;
        if text[start..].starts_with('{') {
            from = start + 1;
            continue;
        }
        let rest = &text[start..];
        let end = rest
            .find(|c: char| !c.is_alphanumeric() && c != '_')
            .unwrap_or(rest.len());
        let name = &rest[..end];
        let closed = rest[end..].starts_with(['}', ':']);
        if closed && name.starts_with(|c: char| c.is_alphabetic() || c == '_') && !is_keyword(name) {
            above += text[counted..start].matches('\n').count() as u32;
            counted = start;
            let expr = cx.name_expr_of(name, base + start);
            let id = cx.name(name);
            cx.refer_named(Role::Value, expr, id, line + above, 255);
        }
        from = start;
    }
}

#[cfg(test)]
mod tests {
    use super::STANDARD;

    #[test]
    fn list_is_sorted() {
        assert!(STANDARD.is_sorted());
    }
}
