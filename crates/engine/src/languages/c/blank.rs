//! Macros that a grammar takes for something else, blanked out before a file is parsed.
//!
//! `class EXPORT Cache { … };` and `int count_ GUARDED_BY(mutex_);` are no C++ until the preprocessor has run: one reads like a
//! variable, the other like a function. Their macros are replaced by as many blanks, so that every byte stays where
//! it is. One pass over the tokens finds them.

use super::lex::{Kind, Token, Tokens, builtin_type, capitals, closing, keyword, opening};
use crate::extract::Readable;

/// Longest statement that is looked at, in tokens.
const STATEMENT: usize = 512;

/// The text to parse in place of `text`, when a macro hides something in it.
pub(super) fn readable(text: &str) -> Option<Readable> {
    let mut found = Found {
        text,
        blanks: Vec::new(),
    };
    let mut statement: Vec<Token> = Vec::new();
    for token in Tokens::of_file(text) {
        match token.kind {
            Kind::Mark(b'{') => {
                found.prefixes(&statement);
                found.heads(&statement, Some(token.end));
                found.declarators(&statement, false);
                statement.clear();
            }
            Kind::Mark(b';') => {
                found.prefixes(&statement);
                found.heads(&statement, None);
                found.declarators(&statement, true);
                statement.clear();
            }
            Kind::Mark(b'}') => statement.clear(),
            _ if statement.len() < STATEMENT => statement.push(token),
            _ => {}
        }
    }
    if found.blanks.is_empty() {
        return None;
    }
    let mut blanks = found.blanks;
    blanks.sort_unstable();
    blanks.dedup();
    let mut bytes = text.as_bytes().to_vec();
    for &(from, to) in &blanks {
        for byte in &mut bytes[from..to] {
            if !matches!(*byte, b'\n' | b'\r') {
                *byte = b' ';
            }
        }
    }
    // Tokens begin and end on character boundaries, so this cannot fail.
    let text = String::from_utf8(bytes).ok()?;
    Some(Readable { text, blanks })
}

/// The pieces of a text to blank out, as far as its statements were looked at.
pub(super) struct Found<'t> {
    pub(super) text: &'t str,
    blanks: Vec<(usize, usize)>,
}

impl<'t> Found<'t> {
    pub(super) fn word(&self, tokens: &[Token], at: usize) -> Option<&'t str> {
        let token = tokens.get(at).filter(|t| t.kind == Kind::Word)?;
        self.text.get(token.start..token.end)
    }

    pub(super) fn is(&self, tokens: &[Token], at: usize, mark: u8) -> bool {
        tokens.get(at).is_some_and(|t| t.kind == Kind::Mark(mark))
    }

    pub(super) fn blank(&mut self, tokens: &[Token], from: usize, to: usize) {
        if let (Some(first), Some(last)) = (tokens.get(from), tokens.get(to.wrapping_sub(1))) {
            self.blanks.push((first.start, last.end));
        }
    }

    /// `class MACRO Name` in front of a body, which begins at a byte, or alone.
    fn heads(&mut self, tokens: &[Token], body: Option<usize>) {
        for at in 0..tokens.len() {
            let Some(word @ ("class" | "struct" | "union" | "enum")) = self.word(tokens, at) else {
                continue;
            };
            if word == "enum" && matches!(self.word(tokens, at + 1), Some("class" | "struct")) {
                continue;
            }
            let before = at.checked_sub(1);
            let scoped = before.is_some_and(|b| self.word(tokens, b) == Some("enum"));
            let word = if scoped { "enum" } else { word };
            self.head(
                tokens,
                at + 1,
                word,
                body,
                before.is_none_or(|b| self.begins(tokens, b)),
            );
        }
    }

    /// Whether a declaration may begin behind a token.
    fn begins(&self, tokens: &[Token], before: usize) -> bool {
        self.word(tokens, before) == Some("friend") || self.is(tokens, before, b':') || self.is(tokens, before, b'>')
    }

    fn head(&mut self, tokens: &[Token], from: usize, word: &str, body: Option<usize>, begins: bool) {
        let mut at = from;
        let mut macros: Vec<(usize, usize)> = Vec::new();
        let name = loop {
            if let Some(behind) = self.attribute(tokens, at) {
                at = behind;
                continue;
            }
            let Some(name) = self.word(tokens, at).filter(|w| !keyword(w) && !builtin_type(w)) else {
                return;
            };
            let behind = match self.is(tokens, at + 1, b'(') {
                true => match closing(tokens, at + 1) {
                    Some(close) => close + 1,
                    None => return,
                },
                false => at + 1,
            };
            let mut next = behind;
            while let Some(behind) = self.attribute(tokens, next) {
                next = behind;
            }
            if self.word(tokens, next).is_none_or(contextual) {
                break name;
            }
            macros.push((at, behind));
            at = next;
        };
        if macros.is_empty() || contextual(name) {
            return;
        }
        let mut end = at + 1;
        while tokens.get(end).is_some_and(|t| t.kind == Kind::Scope) {
            end += 2;
        }
        if self.is(tokens, end, b'<')
            && let Some(close) = closing(tokens, end)
        {
            end = close + 1;
        }
        while self.word(tokens, end).is_some_and(contextual) {
            end += 1;
        }
        let written = |m: &(usize, usize)| self.word(tokens, m.0).unwrap_or("");
        let loud = macros.iter().all(|m| capitals(written(m)));
        let meant = match body {
            Some(body) => {
                let headed = end == tokens.len() || self.is(tokens, end, b':');
                headed && (word == "class" || (loud && (word == "enum" || !self.initializes(body))))
            }
            // `struct FOO bar;` is a variable, unless the word says what it is for.
            None => {
                let plain = end == tokens.len() && begins;
                plain && loud && (word == "class" || macros.iter().all(|m| exports(written(m))))
            }
        };
        if meant {
            for (from, to) in macros {
                self.blank(tokens, from, to);
            }
        }
    }

    /// Where an attribute that the grammars know ends.
    pub(super) fn attribute(&self, tokens: &[Token], at: usize) -> Option<usize> {
        if self.is(tokens, at, b'[') && self.is(tokens, at + 1, b'[') {
            return closing(tokens, at).map(|close| close + 1);
        }
        let named = matches!(
            self.word(tokens, at),
            Some("alignas" | "_Alignas" | "__attribute__" | "__declspec")
        );
        if named && self.is(tokens, at + 1, b'(') {
            return closing(tokens, at + 1).map(|close| close + 1);
        }
        None
    }

    /// Whether braces hold the values of a variable (`struct POINT p {1, 2};`) and no members.
    fn initializes(&self, body: usize) -> bool {
        let rest = self.text.get(body..).unwrap_or("");
        let Some(end) = rest.find([';', '{', '}']) else {
            return false;
        };
        rest[end..].starts_with('}') && !rest[..end].trim().is_empty()
    }

    /// `T name MACRO(…);`, `T name MACRO(…) = value;`, `T name(…) MACRO(…);`; `ended` by a semicolon, or else by a brace.
    fn declarators(&mut self, tokens: &[Token], ended: bool) {
        let mut at = 0;
        while at < tokens.len() {
            if self.is(tokens, at, b'(') {
                // What stands in parentheses is an argument or a parameter.
                let Some(close) = closing(tokens, at) else { return };
                if at > 0 && self.declares(tokens, at - 1) {
                    self.behind_parameters(tokens, close + 1);
                    return;
                }
                at = close + 1;
                continue;
            }
            let macro_call = self.word(tokens, at).is_some_and(loud) && self.is(tokens, at + 1, b'(');
            if macro_call && at > 0 && self.declares(tokens, at - 1) {
                let Some(close) = closing(tokens, at + 1) else { return };
                let mut end = close + 1;
                while self.word(tokens, end).is_some_and(capitals) && self.is(tokens, end + 1, b'(') {
                    match closing(tokens, end + 1) {
                        Some(close) => end = close + 1,
                        None => return,
                    }
                }
                if (ended && end == tokens.len()) || self.is(tokens, end, b'=') {
                    if end == close + 1 && self.is_parameters(tokens, at, close) {
                        self.blank(tokens, at, at + 2);
                        self.blank(tokens, close, close + 1);
                    } else if self.word(tokens, at).is_some_and(capitals) {
                        self.blank(tokens, at, end);
                    }
                }
                return;
            }
            at += 1;
        }
    }

    /// Behind the parameters of a function stand its qualifiers, and macros among them.
    fn behind_parameters(&mut self, tokens: &[Token], from: usize) {
        let mut macros: Vec<(usize, usize)> = Vec::new();
        let mut at = from;
        while at < tokens.len() {
            let behind = match self.is(tokens, at + 1, b'(') {
                true => match closing(tokens, at + 1) {
                    Some(close) => close + 1,
                    None => return,
                },
                false => at + 1,
            };
            match self.word(tokens, at) {
                Some(word) if capitals(word) => macros.push((at, behind)),
                Some("const" | "volatile" | "noexcept" | "throw" | "override" | "final" | "__attribute__") => {}
                None if self.is(tokens, at, b'=') => break,
                _ => return,
            }
            at = behind;
        }
        for (from, to) in macros {
            self.blank(tokens, from, to);
        }
    }

    /// `P((int n))` behind a function's name are its parameters.
    fn is_parameters(&self, tokens: &[Token], at: usize, close: usize) -> bool {
        let attribute = self.word(tokens, at).is_some_and(|w| w.contains("ATTR"));
        !attribute && self.is(tokens, at + 2, b'(') && closing(tokens, at + 2).is_some_and(|inner| inner + 1 == close)
    }

    /// Whether a type and the name that it declares end at a token: `Set* const sets_`, `int all[3]`.
    fn declares(&self, tokens: &[Token], last: usize) -> bool {
        let mut at = last;
        while self.is(tokens, at, b']') {
            let before = opening(tokens, at).and_then(|open| open.checked_sub(1));
            let Some(before) = before else { return false };
            at = before;
        }
        let Some(name) = self.word(tokens, at) else {
            return false;
        };
        if keyword(name) || builtin_type(name) || capitals(name) {
            return false;
        }
        while at > 1 && tokens[at - 1].kind == Kind::Scope && tokens[at - 2].kind == Kind::Word {
            at -= 2;
        }
        let mut before = at.checked_sub(1);
        while let Some(b) = before
            && let Some("const" | "volatile" | "restrict" | "__restrict" | "__restrict__") = self.word(tokens, b)
        {
            before = b.checked_sub(1);
        }
        let Some(ty) = before else { return false };
        match tokens[ty].kind {
            Kind::Mark(b'*' | b'&') => ty > 0,
            // `template <class T> T FOO(T a);` declares a function.
            Kind::Mark(b'>') => {
                let head = opening(tokens, ty).and_then(|open| open.checked_sub(1));
                head.is_some_and(|h| self.word(tokens, h).is_some_and(|w| w != "template"))
            }
            Kind::Word => {
                let word = self.word(tokens, ty).unwrap_or("");
                let exported = capitals(word) && name.starts_with(|c: char| c.is_uppercase());
                builtin_type(word) || !(keyword(word) || exported)
            }
            _ => false,
        }
    }
}

/// A word that can stand behind a type's name and is no name there.
fn contextual(word: &str) -> bool {
    matches!(word, "final" | "sealed" | "abstract")
}

/// A macro's name, or one capital letter, as old code has it in front of parameters.
fn loud(word: &str) -> bool {
    capitals(word) || (word.len() == 1 && word.as_bytes()[0].is_ascii_uppercase())
}

/// Whether a macro says by its name that it exports a type.
fn exports(word: &str) -> bool {
    let ends = [
        "EXPORT",
        "EXPORTS",
        "IMPORT",
        "API",
        "ABI",
        "PUBLIC",
        "VISIBLE",
        "DLL",
        "DECLSPEC",
        "ATTRIBUTE",
        "DEPRECATED",
    ];
    word.split('_')
        .rfind(|part| !part.is_empty())
        .is_some_and(|last| ends.contains(&last))
}
