//! The words of C and C++ without a grammar: for what macros hide from it.

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// An identifier or keyword.
    Word,
    /// A number, a string or a character.
    Literal,
    /// `::`
    Scope,
    /// `->`
    Arrow,
    /// `##`
    Paste,
    /// Any other character.
    Mark(u8),
}

/// One token: its kind and the bytes where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub kind: Kind,
    pub start: usize,
    pub end: usize,
}

/// The tokens of a text, comments left out.
pub(super) struct Tokens<'t> {
    bytes: &'t [u8],
    at: usize,
    /// Whether a `#` at the start of a line begins a directive, which is left out as a whole.
    directives: bool,
    line_start: bool,
}

impl<'t> Tokens<'t> {
    /// The tokens of a file, without its directives.
    pub(super) fn of_file(text: &'t str) -> Self {
        Tokens {
            bytes: text.as_bytes(),
            at: 0,
            directives: true,
            line_start: true,
        }
    }

    /// The tokens of a macro's body.
    pub(super) fn of_body(text: &'t str) -> Self {
        Tokens {
            directives: false,
            ..Tokens::of_file(text)
        }
    }

    fn byte(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    /// To the end of the line, or of the lines that a backslash joins to it.
    fn skip_line(&mut self) {
        while self.at < self.bytes.len() && self.byte(0) != b'\n' {
            match (self.byte(0), self.byte(1), self.byte(2)) {
                (b'\\', b'\r', b'\n') => self.at += 3,
                (b'\\', b'\n', _) => self.at += 2,
                (b'/', b'*', _) => self.skip_comment(),
                _ => self.at += 1,
            }
        }
    }

    fn skip_comment(&mut self) {
        let rest = &self.bytes[self.at + 2..];
        self.at = match memchr::memmem::find(rest, b"*/") {
            Some(n) => self.at + 2 + n + 2,
            None => self.bytes.len(),
        };
    }

    /// A string or character behind its opening quote; it ends with its line at the latest.
    fn skip_quoted(&mut self, quote: u8) {
        while self.at < self.bytes.len() {
            match (self.byte(0), self.byte(1), self.byte(2)) {
                (b'\\', b'\r', b'\n') => self.at += 3,
                (b'\\', _, _) => self.at += 2,
                (b'\n', _, _) => break,
                (b, _, _) => {
                    self.at += 1;
                    if b == quote {
                        break;
                    }
                }
            }
        }
        self.at = self.at.min(self.bytes.len());
    }

    /// `R"x(…)x"`, from its quote on.
    fn skip_raw(&mut self) {
        let from = self.at + 1;
        let open = self.bytes[from..].iter().take(17).position(|&b| b == b'(');
        let Some(open) = open else {
            self.at = from;
            return self.skip_quoted(b'"');
        };
        let mut close = vec![b')'];
        close.extend_from_slice(&self.bytes[from..from + open]);
        close.push(b'"');
        let body = from + open;
        self.at = match memchr::memmem::find(&self.bytes[body..], &close) {
            Some(n) => body + n + close.len(),
            None => self.bytes.len(),
        };
    }
}

fn wordy(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}

impl Iterator for Tokens<'_> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        loop {
            let start = self.at;
            if start >= self.bytes.len() {
                return None;
            }
            let fresh = std::mem::replace(&mut self.line_start, false);
            let kind = match (self.byte(0), self.byte(1)) {
                (b'\n', _) => {
                    self.at += 1;
                    self.line_start = true;
                    continue;
                }
                (b' ' | b'\t' | b'\r' | b'\\' | 0x0b | 0x0c, _) => {
                    self.at += 1;
                    self.line_start = fresh;
                    continue;
                }
                (b'/', b'/') => {
                    self.skip_line();
                    continue;
                }
                (b'/', b'*') => {
                    self.skip_comment();
                    self.line_start = fresh;
                    continue;
                }
                (b'#', _) if self.directives && fresh => {
                    self.skip_line();
                    continue;
                }
                (b'#', b'#') => {
                    self.at += 2;
                    Kind::Paste
                }
                (b':', b':') => {
                    self.at += 2;
                    Kind::Scope
                }
                (b'-', b'>') => {
                    self.at += 2;
                    Kind::Arrow
                }
                (quote @ (b'"' | b'\''), _) => {
                    self.at += 1;
                    self.skip_quoted(quote);
                    Kind::Literal
                }
                (b'0'..=b'9', _) => {
                    while wordy(self.byte(0)) || self.byte(0) == b'.' || (self.byte(0) == b'\'' && wordy(self.byte(1)))
                    {
                        self.at += 1;
                    }
                    Kind::Literal
                }
                (b, _) if wordy(b) => {
                    while wordy(self.byte(0)) {
                        self.at += 1;
                    }
                    if self.byte(0) == b'"'
                        && matches!(&self.bytes[start..self.at], b"R" | b"LR" | b"uR" | b"UR" | b"u8R")
                    {
                        self.skip_raw();
                        Kind::Literal
                    } else {
                        Kind::Word
                    }
                }
                (b, _) => {
                    self.at += 1;
                    Kind::Mark(b)
                }
            };
            return Some(Token {
                kind,
                start,
                end: self.at,
            });
        }
    }
}

/// The index of the mark that closes the one at `open`; `None` when nothing does.
pub(super) fn closing(tokens: &[Token], open: usize) -> Option<usize> {
    let (opens, closes) = match tokens.get(open)?.kind {
        Kind::Mark(b'(') => (b'(', b')'),
        Kind::Mark(b'[') => (b'[', b']'),
        Kind::Mark(b'<') => (b'<', b'>'),
        _ => return None,
    };
    let mut depth = 0;
    for (n, token) in tokens.iter().enumerate().skip(open) {
        match token.kind {
            Kind::Mark(b) if b == opens => depth += 1,
            Kind::Mark(b) if b == closes => {
                depth -= 1;
                if depth == 0 {
                    return Some(n);
                }
            }
            _ => {}
        }
    }
    None
}

/// The index of the mark that opens what the one at `close` closes.
pub(super) fn opening(tokens: &[Token], close: usize) -> Option<usize> {
    let (opens, closes) = match tokens.get(close)?.kind {
        Kind::Mark(b')') => (b'(', b')'),
        Kind::Mark(b']') => (b'[', b']'),
        Kind::Mark(b'>') => (b'<', b'>'),
        _ => return None,
    };
    let mut depth = 0;
    for n in (0..=close).rev() {
        match tokens[n].kind {
            Kind::Mark(b) if b == closes => depth += 1,
            Kind::Mark(b) if b == opens => {
                depth -= 1;
                if depth == 0 {
                    return Some(n);
                }
            }
            _ => {}
        }
    }
    None
}

/// A name as macros have it: capitals, digits and underscores, two at least.
pub(super) fn capitals(word: &str) -> bool {
    word.len() > 1
        && word.bytes().any(|b| b.is_ascii_uppercase())
        && word
            .bytes()
            .all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
}

/// Whether a word names a built-in type or is a part of one.
pub(super) fn builtin_type(word: &str) -> bool {
    matches!(
        word,
        "void"
            | "bool"
            | "_Bool"
            | "char"
            | "short"
            | "int"
            | "long"
            | "float"
            | "double"
            | "signed"
            | "unsigned"
            | "auto"
            | "wchar_t"
            | "char8_t"
            | "char16_t"
            | "char32_t"
    )
}

/// Whether a word is a keyword of C or C++ other than a built-in type.
pub(super) fn keyword(word: &str) -> bool {
    matches!(
        word,
        "alignas"
            | "alignof"
            | "and"
            | "asm"
            | "break"
            | "case"
            | "catch"
            | "class"
            | "co_await"
            | "co_return"
            | "co_yield"
            | "concept"
            | "const"
            | "const_cast"
            | "consteval"
            | "constexpr"
            | "constinit"
            | "continue"
            | "decltype"
            | "default"
            | "defined"
            | "delete"
            | "do"
            | "dynamic_cast"
            | "else"
            | "enum"
            | "explicit"
            | "export"
            | "extern"
            | "false"
            | "for"
            | "friend"
            | "goto"
            | "if"
            | "inline"
            | "mutable"
            | "namespace"
            | "new"
            | "noexcept"
            | "not"
            | "nullptr"
            | "operator"
            | "or"
            | "private"
            | "protected"
            | "public"
            | "register"
            | "reinterpret_cast"
            | "requires"
            | "restrict"
            | "return"
            | "sizeof"
            | "static"
            | "static_assert"
            | "static_cast"
            | "struct"
            | "switch"
            | "template"
            | "this"
            | "thread_local"
            | "throw"
            | "true"
            | "try"
            | "typedef"
            | "typeid"
            | "typename"
            | "typeof"
            | "union"
            | "using"
            | "virtual"
            | "volatile"
            | "while"
            | "xor"
            | "__attribute__"
            | "__declspec"
            | "__extension__"
            | "__inline"
            | "__inline__"
            | "__typeof__"
            | "__restrict"
            | "__restrict__"
            | "__asm__"
            | "__volatile__"
            | "_Alignas"
            | "_Alignof"
            | "_Static_assert"
            | "__VA_ARGS__"
            | "__VA_OPT__"
            | "__FILE__"
            | "__LINE__"
            | "__func__"
    )
}
