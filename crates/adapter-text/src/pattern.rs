//! Compiling a pattern, or saying what is wrong with it.

use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use understory_core::refusal::{Refusal, RefusalCode};

/// Greatest size of a compiled pattern, in bytes.
const COMPILED_BYTES: usize = 32 << 20;

/// Deepest nesting of a pattern.
const NESTING: u32 = 250;

/// A compiled pattern.
pub(crate) struct Pattern {
    pub(crate) matcher: RegexMatcher,
    /// Whether it must be tried on each line alone: its anchors or flags would say something else of a line in its text.
    pub(crate) line_by_line: bool,
}

/// Compiles a pattern in the syntax of the `regex` crate.
pub(crate) fn compile(pattern: &str) -> Result<Pattern, Refusal> {
    if let Err(error) = regex_syntax::ParserBuilder::new()
        .nest_limit(NESTING)
        .build()
        .parse(pattern)
    {
        return Err(refuse(pattern, &error));
    }
    let mut builder = RegexMatcherBuilder::new();
    builder
        .multi_line(true)
        .unicode(true)
        .size_limit(COMPILED_BYTES)
        .dfa_size_limit(COMPILED_BYTES)
        .nest_limit(NESTING);
    if !anchors_are_unusual(pattern) {
        // Taught where lines end, the matcher finds lines in a whole text; a pattern that names a line end it refuses.
        let mut fast = builder.clone();
        if let Ok(matcher) = fast.crlf(true).line_terminator(Some(b'\n')).crlf(true).build(pattern) {
            return Ok(Pattern {
                matcher,
                line_by_line: false,
            });
        }
    }
    match builder.build(pattern) {
        Ok(matcher) => Ok(Pattern {
            matcher,
            line_by_line: true,
        }),
        Err(error) => {
            let text = error.to_string();
            let reason = if text.contains("size limit") {
                "it is too large when compiled; shorten its repetitions"
            } else {
                text.lines()
                    .last()
                    .unwrap_or("it is not understood")
                    .trim_start_matches("error: ")
            };
            Err(bad_query(reason))
        }
    }
}

/// Whether a pattern has anchors of the whole text, or flags that change what anchors, dots and line ends mean.
fn anchors_are_unusual(pattern: &str) -> bool {
    pattern.contains("\\A")
        || pattern.contains("\\z")
        || pattern.match_indices("(?").any(|(at, _)| {
            pattern[at + 2..]
                .chars()
                .take_while(|c| c.is_ascii_alphabetic() || *c == '-')
                .any(|c| matches!(c, 'm' | 'R' | 's'))
        })
}

fn refuse(pattern: &str, error: &regex_syntax::Error) -> Refusal {
    let (span, reason) = match error {
        regex_syntax::Error::Parse(e) => (Some(e.span()), e.kind().to_string()),
        regex_syntax::Error::Translate(e) => (Some(e.span()), e.kind().to_string()),
        other => (None, other.to_string()),
    };
    match span {
        Some(span) => {
            let at = pattern.get(..span.start.offset).map_or(0, |head| head.chars().count());
            bad_query(&format!("{reason} (at character {})", at + 1))
        }
        None => bad_query(&reason),
    }
}

fn bad_query(reason: &str) -> Refusal {
    Refusal::new(
        RefusalCode::BadQuery,
        format!(
            "The pattern does not compile: {reason}. The syntax is that of Rust's regex crate: no look-around, no \
             back-references; `(?i)` ignores case."
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_patterns_are_refused_with_reason_and_place() {
        for (pattern, parts) in [
            ("(", ["unclosed group", "character 1"]),
            ("é[z-a]", ["invalid character class range", "character 3"]),
            ("a{2,1}", ["repetition", "character 2"]),
            ("a(?=b)", ["look-around", "character 2"]),
            ("\\p{Nope}", ["Unicode property", "character 1"]),
            ("(a){1000}{1000}{1000}", ["too large", "shorten"]),
            ("*", ["repetition operator missing", "character 1"]),
        ] {
            let refusal = compile(pattern).err().unwrap();
            assert_eq!(refusal.code, RefusalCode::BadQuery);
            for part in parts {
                assert!(refusal.message.contains(part), "{pattern}: {}", refusal.message);
            }
        }
        assert!(compile(&"(".repeat(4000)).is_err());
        assert!(compile(&format!("{}a{}", "(".repeat(3000), ")".repeat(3000))).is_err());
    }

    #[test]
    fn only_unusual_patterns_go_line_by_line() {
        for (pattern, line_by_line) in [
            ("abc$", false),
            ("^a.*[^b]\\s", false),
            ("(?i)abc", false),
            ("(?P<name>x)", false),
            ("\\Aabc", true),
            ("(?-m)^a", true),
            ("(?s:.)", true),
            ("a\\nb", true),
        ] {
            assert_eq!(compile(pattern).unwrap().line_by_line, line_by_line, "{pattern}");
        }
    }
}
