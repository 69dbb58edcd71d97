//! Call signatures that begin with type parameters and follow a member without a semicolon:
//!
//! ```ts
//! interface Route {
//!   (path: string): void
//!   <T>(path: string, of: T): void
//! }
//! ```
//!
//! The grammar takes the `<` for a part of the type before it and loses the signatures. A semicolon in the indentation before the
//! `<` makes two of them. The language itself begins no expression so, except in JSX.

use crate::extract::Readable;

/// The text with the semicolons that it lacks, if it lacks any.
pub fn separated(text: &str) -> Option<Readable> {
    let bytes = text.as_bytes();
    let mut out: Option<Vec<u8>> = None;
    for at in memchr::memchr_iter(b'<', bytes) {
        let start = bytes[..at].iter().rposition(|b| !matches!(b, b' ' | b'\t'));
        let Some(end) = start.filter(|&s| bytes[s] == b'\n' && s + 1 < at) else {
            continue;
        };
        let opens = bytes
            .get(at + 1)
            .is_some_and(|b| b.is_ascii_alphabetic() || matches!(b, b'_' | b'$' | b'\n' | b'\r'));
        if opens && ends_member(&text[..end]) {
            out.get_or_insert_with(|| bytes.to_vec())[at - 1] = b';';
        }
    }
    let text = String::from_utf8(out?).ok()?;
    Some(Readable {
        text,
        blanks: Vec::new(),
    })
}

/// Whether the last line of code before a place may end a member.
fn ends_member(before: &str) -> bool {
    let comment = |line: &str| line.is_empty() || ["//", "/*", "*"].iter().any(|c| line.starts_with(c));
    let mut lines = before.rsplit('\n').take(LOOK_BACK).map(str::trim);
    let Some(line) = lines.find(|l| !comment(l)) else {
        return false;
    };
    let line = line.split(" //").next().unwrap_or(line).trim_end();
    let last = line.chars().next_back();
    !line.ends_with("=>")
        && last.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '$' | '>' | ']' | ')' | '}' | '\'' | '"'))
}

/// Most lines of comments that may stand before a signature.
const LOOK_BACK: usize = 64;

#[cfg(test)]
mod tests {
    use super::separated;

    #[test]
    fn semicolons_stand_between_signatures_only() {
        let cases = [
            (
                "interface A {\n  (a: B): void\n  <T>(a: T): C<T>\n\n  // next\n  <\n    T\n  >(b: T): void\n}",
                2,
            ),
            ("interface A {\n  (a: B): void;\n  <T>(a: T): void;\n}", 0),
            ("type A =\n  <T>(a: T) => void", 0),
            ("const a = () =>\n  <T>b;", 0),
            ("const a = b\n  < c", 0),
            ("f(\n  <T>(a: T) => a,\n  <T>(b: T) => b)", 0),
            ("interface A {\n  b: C // why\n\t<T>(a: T): void\n}", 1),
        ];
        for (text, most) in cases {
            let got = separated(text);
            let added = got.as_ref().map_or(0, |r| {
                assert_eq!(r.text.len(), text.len());
                r.text.matches(';').count() - text.matches(';').count()
            });
            assert_eq!(added, most, "{text}");
        }
    }
}
