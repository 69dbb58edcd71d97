//! From the regular expressions that a model writes (Rust's `regex` crate, line by line) to those that Graft takes
//! (JavaScript's, without flags).
//!
//! The two differ in what `.`, `\d`, `\w`, `\s`, `\b`, `$` and classes of Unicode mean, in flags, and in characters beyond
//! the basic plane. So the pattern is not passed on: it is written anew from its meaning, where it can be said exactly so,
//! and elsewhere (classes with many ranges beyond ASCII, word boundaries beside such letters) so that it matches at least
//! as much. Every line that Graft finds is then tried with the pattern itself.

use regex::Regex;
use regex_syntax::hir::{Class, Hir, HirKind, Look};
use std::fmt::Write;
use understory_core::{Refusal, RefusalCode};

/// Longest pattern that is handed to Graft: one argument of a process has a bound.
const LONGEST: usize = 100_000;

/// Ranges beyond ASCII that are written out; more of them become all of it.
const RANGES: usize = 24;

/// A pattern in both dialects.
#[derive(Debug)]
pub struct Pattern {
    /// As it was asked.
    pub own: Regex,
    /// For Graft. Matches every line that `own` does.
    pub graft: String,
}

impl Pattern {
    /// Reads a pattern, or says where and why it is none.
    pub fn new(text: &str) -> Result<Pattern, Refusal> {
        let hir = regex_syntax::ParserBuilder::new()
            .multi_line(true)
            .crlf(true)
            .build()
            .parse(text)
            .map_err(|e| refuse(&reason(&e)))?;
        let own = regex::RegexBuilder::new(text)
            .multi_line(true)
            .crlf(true)
            .size_limit(32 << 20)
            .dfa_size_limit(32 << 20)
            .build()
            .map_err(|e| match e {
                regex::Error::CompiledTooBig(_) => refuse("it is too large when compiled; shorten its repetitions"),
                _ => refuse("it cannot be compiled"),
            })?;
        let mut graft = String::new();
        write_hir(&hir, &mut graft);
        if graft.len() > LONGEST {
            return Err(refuse("it is too long for Graft; shorten its classes and alternatives"));
        }
        Ok(Pattern { own, graft })
    }
}

fn refuse(why: &str) -> Refusal {
    Refusal::new(
        RefusalCode::BadQuery,
        format!(
            "The pattern does not compile: {why}. The syntax is that of Rust's regex crate: no look-around, no back-references; `(?i)` ignores case."
        ),
    )
}

fn reason(error: &regex_syntax::Error) -> String {
    let (what, at) = match error {
        regex_syntax::Error::Parse(e) => (e.kind().to_string(), e.span().start.column),
        regex_syntax::Error::Translate(e) => (e.kind().to_string(), e.span().start.column),
        other => (other.to_string().lines().last().unwrap_or_default().to_owned(), 1),
    };
    format!("{what} (at character {at})")
}

/// Beside a character beyond ASCII a boundary of words may be one or not.
const NEAR_OTHER: &str = r"(?<=[^\0-\x7f])|(?=[^\0-\x7f])";

/// Writes what a part of the pattern means. The reader bounds how deeply parts nest.
fn write_hir(hir: &Hir, out: &mut String) {
    match hir.kind() {
        HirKind::Empty => out.push_str("(?:)"),
        HirKind::Literal(literal) => match std::str::from_utf8(&literal.0) {
            Ok(text) => text.chars().for_each(|c| write_char(c, out)),
            // Bytes that are no character: no line of text has them.
            Err(_) => out.push_str("[]"),
        },
        HirKind::Class(class) => write_class(class, out),
        HirKind::Look(look) => write_look(*look, out),
        HirKind::Repetition(repetition) => {
            out.push_str("(?:");
            write_hir(&repetition.sub, out);
            out.push(')');
            let _ = match (repetition.min, repetition.max) {
                (0, None) => out.write_str("*"),
                (1, None) => out.write_str("+"),
                (min, None) => write!(out, "{{{min},}}"),
                (min, Some(max)) => write!(out, "{{{min},{max}}}"),
            };
        }
        HirKind::Capture(capture) => {
            out.push_str("(?:");
            write_hir(&capture.sub, out);
            out.push(')');
        }
        HirKind::Concat(parts) => parts.iter().for_each(|part| write_hir(part, out)),
        HirKind::Alternation(parts) => {
            out.push_str("(?:");
            for (at, part) in parts.iter().enumerate() {
                if at > 0 {
                    out.push('|');
                }
                write_hir(part, out);
            }
            out.push(')');
        }
    }
}

fn write_look(look: Look, out: &mut String) {
    match look {
        // A mark of byte order is no part of the first line, and a carriage return none of any line's end.
        Look::Start | Look::StartLF | Look::StartCRLF => out.push_str(r"(?<=^\uFEFF?|\r)"),
        Look::End | Look::EndLF | Look::EndCRLF => out.push_str(r"(?=\r|$)"),
        Look::WordAscii => out.push_str(r"\b"),
        Look::WordAsciiNegate => out.push_str(r"\B"),
        Look::WordUnicode => {
            let _ = write!(out, r"(?:\b|{NEAR_OTHER})");
        }
        Look::WordUnicodeNegate => {
            let _ = write!(out, r"(?:\B|{NEAR_OTHER})");
        }
        // The beginning or end of a word, or the half of one: left to the pattern itself.
        _ => out.push_str("(?:)"),
    }
}

/// Writes one character. Those beyond the basic plane are two units.
fn write_char(c: char, out: &mut String) {
    match c {
        c if c.is_ascii_alphanumeric() || c == ' ' || c == '_' => out.push(c),
        c if c.is_ascii_graphic() => {
            out.push('\\');
            out.push(c);
        }
        c => {
            let mut units = [0; 2];
            let units = c.encode_utf16(&mut units);
            if let [unit] = *units {
                return write_unit(unit, out);
            }
            // Each half by itself: an engine may take two escapes for the one character, which no half of a line is.
            for unit in units {
                out.push('[');
                write_unit(*unit, out);
                out.push(']');
            }
        }
    }
}

fn write_unit(unit: u16, out: &mut String) {
    let _ = write!(out, "\\u{unit:04x}");
}

fn write_class(class: &Class, out: &mut String) {
    let ranges: Vec<(u32, u32)> = match class {
        Class::Unicode(class) => class.iter().map(|r| (r.start() as u32, r.end() as u32)).collect(),
        // A byte that is no ASCII is a part of some character.
        Class::Bytes(class) => class
            .iter()
            .map(|r| (u32::from(r.start()), u32::from(r.end())))
            .collect(),
    };
    let is_bytes = matches!(class, Class::Bytes(_)) && ranges.iter().any(|(_, end)| *end > 0x7f);
    let other: Vec<(u32, u32)> = ranges
        .iter()
        .filter(|(_, end)| *end > 0x7f)
        .map(|(start, end)| ((*start).max(0x80), *end))
        .collect();
    out.push_str("(?:[");
    for (start, end) in ranges.iter().filter(|(start, _)| *start <= 0x7f) {
        write_range(*start as u16, (*end).min(0x7f) as u16, out);
    }
    let widened = is_bytes || other.len() > RANGES;
    if widened {
        write_range(0x80, 0xffff, out);
    } else {
        for (start, end) in other.iter().filter(|(start, _)| *start <= 0xffff) {
            write_range(*start as u16, (*end).min(0xffff) as u16, out);
        }
    }
    out.push(']');
    if widened || other.iter().any(|(_, end)| *end > 0xffff) {
        out.push_str(r"|[\ud800-\udbff][\udc00-\udfff]");
    }
    out.push(')');
}

fn write_range(start: u16, end: u16, out: &mut String) {
    write_unit(start, out);
    if end > start {
        out.push('-');
        write_unit(end, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Whether JavaScript finds the pattern in a line as Graft sees it.
    fn in_javascript(pattern: &str, line: &str) -> bool {
        let regex = regress::Regex::with_flags(pattern, "").unwrap_or_else(|e| panic!("{pattern}: {e}"));
        let units: Vec<u16> = line.encode_utf16().collect();
        regex.find_from_ucs2(&units, 0).next().is_some()
    }

    #[test]
    fn what_one_dialect_finds_the_other_does() {
        let check = |text: &str, found: &[&str], others: &[&str]| {
            let pattern = Pattern::new(text).unwrap();
            for line in found {
                assert!(pattern.own.is_match(line), "{text} in {line:?}");
                for seen in [
                    (*line).to_owned(),
                    format!("{line}\r"),
                    format!("{line}\r\n").replace('\n', ""),
                ] {
                    assert!(
                        in_javascript(&pattern.graft, &seen),
                        "{text} as {} in {seen:?}",
                        pattern.graft
                    );
                }
            }
            // Exact where it is not widened: nothing else is found either.
            for line in others {
                assert!(!pattern.own.is_match(line), "{text} in {line:?}");
                assert!(
                    !in_javascript(&pattern.graft, line),
                    "{text} as {} in {line:?}",
                    pattern.graft
                );
            }
        };
        check("quokka", &["a quokka"], &["Quokka"]);
        check("(?i)quokka", &["QUOKKA", "quo\u{212a}ka"], &["quoka"]);
        check("--deep", &["x --deep"], &["-deep"]);
        check(r"^\s*def (\w+)\($", &["  def a("], &["x def a(", "def a(b"]);
        check("foo$", &["a foo"], &["foo a"]);
        check(r"\Afoo\z", &["foo"], &["foo a", "a foo"]);
        check(r"\bcat\b", &["a cat."], &["concat", "cats"]);
        check(r"(?-u:\b)cat", &["a cat"], &["concat"]);
        check(r"\Bcat", &["concat"], &["cat"]);
        check("[[:alpha:]]+[[:digit:]]{2}", &["ab12"], &["ab1", "::[12"]);
        check(r"\p{Lu}x", &["Éx", "Ax"], &["ax"]);
        check(r"\d", &["٣", "3"], &["x"]);
        check("^.$", &["🦎", "é", "a"], &["", "ab"]);
        check("🦎+", &["🦎🦎"], &["x"]);
        check("[🦎é]", &["🦎", "é"], &["x"]);
        check("a{2,3}b", &["aab"], &["ab"]);
        check("a|b|", &["", "x"], &[]);
        check("[^a]", &["b", "🦎"], &["a"]);
        check("(?s)a.b", &["a b"], &["ab"]);
        check("", &["", "x"], &[]);
        check("[a&&b]", &[], &["a", "b"]);
        check("a/b\\\\c\\[\\]", &["a/b\\c[]"], &["a"]);
        check("a\\nb", &[], &["anb", "ab"]);
        check(r"x{0}y", &["y"], &["x"]);
        check("(?m)^a", &["a"], &["ba"]);
    }

    #[test]
    fn a_mark_of_byte_order_is_no_part_of_the_first_line() {
        let pattern = Pattern::new("^import").unwrap();
        assert!(in_javascript(&pattern.graft, "\u{feff}import x"));
        assert!(!in_javascript(&pattern.graft, " import x"));
    }

    #[test]
    fn what_is_no_pattern_is_refused_with_its_place() {
        let check = |text: &str, says: &str| {
            let refusal = Pattern::new(text).unwrap_err();
            assert_eq!(refusal.code, RefusalCode::BadQuery);
            assert!(refusal.message.contains(says), "{}", refusal.message);
        };
        check("(", "at character 1");
        check("[z-a]", "at character 2");
        check("a{2,1}", "at character 2");
        check("\\", "at character 1");
        check("a(?=b)", "look-around");
        check("(?<!a)b", "look-around");
        check(r"(a)\1", "at character 4");
        check(r"\p{Nope}", "at character 1");
        check(&"(".repeat(5_000), "at character");
        check(r"(\w{900}){900}", "too large");
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]
        #[test]
        fn graft_finds_every_line_that_the_pattern_does(
            parts in prop::collection::vec(prop::sample::select(vec![
                "a", "b", "é", "🦎", ".", "\\w", "\\d", "\\s", "\\S", "\\b", "\\B", "^", "$", "[a-cé]", "[^b]", "(?:a|b)", "|",
                "a*", "\\w+?", ".{2}", "(?i)k", "\\p{Greek}", "\\r", "(?-u:\\w)", "\\b{start}", "(?i:é)",
            ]), 1..6),
            line in "[abk K1_éÉ🦎λ.\u{212a}]{0,8}",
        ) {
            let text = parts.concat();
            if let Ok(pattern) = Pattern::new(&text)
                && pattern.own.is_match(&line)
            {
                for end in ["", "\r"] {
                    prop_assert!(in_javascript(&pattern.graft, &format!("{line}{end}")), "{text} as {} in {line:?}", pattern.graft);
                }
            }
        }
    }
}
