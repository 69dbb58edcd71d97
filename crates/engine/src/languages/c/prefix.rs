//! Macros in front of a declaration: `BEGIN_NAMESPACE class Foo { … };`, `EXPORT Cache *NewCache(int n);`.
//!
//! A grammar takes the first word of a declaration for its type, so that the rest becomes a variable or is lost.

use super::blank::Found;
use super::lex::{Kind, Token, builtin_type, capitals, closing, keyword};

impl Found<'_> {
    /// Blanks the macros in front of what a statement declares.
    pub(super) fn prefixes(&mut self, tokens: &[Token]) {
        self.prefix(tokens, 0);
        for at in 1..tokens.len() {
            // Behind the label of a part of a class the next member begins.
            let label = self.is(tokens, at, b':')
                && matches!(
                    self.word(tokens, at - 1),
                    Some("public" | "private" | "protected" | "slots" | "signals" | "Q_SLOTS" | "Q_SIGNALS")
                );
            if label {
                self.prefix(tokens, at + 1);
            }
        }
    }

    fn prefix(&mut self, tokens: &[Token], from: usize) {
        // Each with whether it has arguments.
        let mut macros: Vec<(usize, usize, bool)> = Vec::new();
        let mut at = from;
        loop {
            if let Some(behind) = self.attribute(tokens, at) {
                at = behind;
                continue;
            }
            let Some(word) = self.word(tokens, at) else { return };
            match word {
                "extern" if tokens.get(at + 1).is_some_and(|t| t.kind == Kind::Literal) => at += 2,
                _ if specifier(word) => at += 1,
                "class" | "struct" | "union" | "enum" | "namespace" | "using" | "public" | "private" | "protected" => {
                    self.blank_all(tokens, &macros, true);
                    return;
                }
                "template" if self.is(tokens, at + 1, b'<') => {
                    let Some(close) = closing(tokens, at + 1) else { return };
                    self.blank_all(tokens, &macros, true);
                    macros.clear();
                    at = close + 1;
                }
                _ if capitals(word) && self.is(tokens, at + 1, b'(') => {
                    let Some(close) = closing(tokens, at + 1) else { return };
                    macros.push((at, close + 1, true));
                    at = close + 1;
                }
                _ if capitals(word) => {
                    macros.push((at, at + 1, false));
                    at += 1;
                }
                _ => break,
            }
        }
        if let Some(behind) = self.typed(tokens, at) {
            macros.extend(behind);
            self.blank_all(tokens, &macros, false);
        }
    }

    fn blank_all(&mut self, tokens: &[Token], macros: &[(usize, usize, bool)], with_arguments: bool) {
        for &(from, to, arguments) in macros {
            if with_arguments || !arguments {
                self.blank(tokens, from, to);
            }
        }
    }

    /// Whether a type and a name that it declares begin at a token; the macros between them.
    fn typed(&self, tokens: &[Token], from: usize) -> Option<Vec<(usize, usize, bool)>> {
        let ty = self.word(tokens, from).filter(|w| !keyword(w))?;
        let mut at = from + 1;
        let built_in = builtin_type(ty);
        if built_in {
            while self.word(tokens, at).is_some_and(builtin_type) {
                at += 1;
            }
        }
        while tokens.get(at).is_some_and(|t| t.kind == Kind::Scope) && self.word(tokens, at + 1).is_some() {
            at += 2;
        }
        if self.is(tokens, at, b'<') {
            at = closing(tokens, at)? + 1;
        }
        let mut pointer = false;
        loop {
            match self.word(tokens, at) {
                Some("const" | "volatile" | "restrict" | "__restrict") => at += 1,
                _ if self.is(tokens, at, b'*') || self.is(tokens, at, b'&') => {
                    pointer = true;
                    at += 1;
                }
                _ => break,
            }
        }
        let mut between = Vec::new();
        while self.word(tokens, at).is_some_and(capitals) && self.word(tokens, at + 1).is_some() {
            between.push((at, at + 1, false));
            at += 1;
        }
        let name = self.word(tokens, at)?;
        if keyword(name) && name != "operator" {
            return None;
        }
        // `UINT count GUARDED_BY(m)` looks the same as `EXPORT Foo MAKE(int n)`.
        let told_apart = built_in || pointer || !capitals(name) || ty.starts_with(|c: char| c.is_uppercase());
        let next = tokens.get(at + 1).map(|t| t.kind);
        let declared = name == "operator"
            || matches!(
                next,
                None | Some(Kind::Scope | Kind::Mark(b'(' | b'=' | b'[' | b',' | b':'))
            );
        (told_apart && declared).then_some(between)
    }
}

/// A word that stands in front of a type and is no part of it.
fn specifier(word: &str) -> bool {
    matches!(
        word,
        "static"
            | "inline"
            | "virtual"
            | "explicit"
            | "extern"
            | "constexpr"
            | "consteval"
            | "constinit"
            | "mutable"
            | "friend"
            | "typedef"
            | "register"
            | "thread_local"
            | "const"
            | "volatile"
            | "__extension__"
            | "__inline"
            | "__inline__"
    )
}
