//! Redaction: secret shapes in a text are replaced by `[redacted:<kind>]` before anybody cuts, shows or records it.
//!
//! A secret is found in the plain text, inside base64, and where characters are written as escapes (`%5F`, `\x5f`,
//! `\u005f`, hex). A replacement keeps the number of lines, so line numbers stay right. What only looks random stays:
//! commit ids, UUIDs, integrity values of lock files, examples and placeholders.
//!
//! ```
//! let found = understory_core::redact::redact("url = postgres://app:k7Q-u2z@db/x");
//! assert_eq!(found.text, "url = postgres://app:[redacted:url_password]@db/x");
//! assert_eq!(found.counts["url_password"], 1);
//! ```

mod answers;
mod encodings;
mod private_keys;
mod rules;
mod values;

pub use answers::{redact_answer, redact_list, redact_read, redact_refusal, redact_text_answer};

use crate::answer::{Finding, Severity};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

/// How many secrets of each kind were replaced.
pub type RedactionCounts = BTreeMap<&'static str, u64>;

/// A text without its secrets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redacted<'a> {
    /// The text; borrowed when nothing was replaced.
    pub text: Cow<'a, str>,
    /// What was replaced.
    pub counts: RedactionCounts,
}

/// A secret in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Secret {
    range: Range<usize>,
    kind: &'static str,
    /// A rule of a certain shape goes before a guess by name and entropy.
    sure: bool,
}

/// Replaces every secret of `text`.
pub fn redact(text: &str) -> Redacted<'_> {
    let secrets = find(text);
    let mut counts = RedactionCounts::new();
    if secrets.is_empty() {
        return Redacted {
            text: Cow::Borrowed(text),
            counts,
        };
    }
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for secret in secrets {
        out.push_str(&text[at..secret.range.start]);
        // One mark a line: the text keeps its line numbers.
        for (i, _) in text[secret.range.clone()].split('\n').enumerate() {
            if i > 0 {
                out.push('\n');
            }
            out.push_str("[redacted:");
            out.push_str(secret.kind);
            out.push(']');
        }
        at = secret.range.end;
        *counts.entry(secret.kind).or_default() += 1;
    }
    out.push_str(&text[at..]);
    Redacted {
        text: Cow::Owned(out),
        counts,
    }
}

/// The findings for what was replaced.
pub fn findings(counts: &RedactionCounts) -> Vec<Finding> {
    counts
        .iter()
        .map(|(kind, n)| Finding {
            id: format!("redaction.{kind}"),
            severity: if *kind == "generic_secret" {
                Severity::Note
            } else {
                Severity::Warning
            },
            message: format!("{n} secret shapes of the kind {kind} were replaced."),
        })
        .collect()
}

/// Every secret, in order, without overlaps.
fn find(text: &str) -> Vec<Secret> {
    let mut secrets = rules::find(text);
    private_keys::find(text, &mut secrets);
    encodings::find(text, &mut secrets);
    if secrets.len() > 1 {
        secrets.sort_by(|a, b| {
            (a.range.start, !a.sure, std::cmp::Reverse(a.range.end), a.kind).cmp(&(
                b.range.start,
                !b.sure,
                std::cmp::Reverse(b.range.end),
                b.kind,
            ))
        });
        secrets = merge(secrets);
    }
    secrets
}

/// Joins overlapping secrets: the sure one names the whole.
fn merge(sorted: Vec<Secret>) -> Vec<Secret> {
    let mut out: Vec<Secret> = Vec::with_capacity(sorted.len());
    for secret in sorted {
        match out.last_mut() {
            Some(last) if secret.range.start < last.range.end => {
                if secret.sure && !last.sure {
                    last.kind = secret.kind;
                    last.sure = true;
                }
                last.range.end = last.range.end.max(secret.range.end);
            }
            _ => out.push(secret),
        }
    }
    out
}

#[cfg(test)]
mod tests;
