//! The small parts that every layout is made of.

use crate::answer::{Counts, NotSearched, Symbol, Unit};
use crate::path::escape_control;

/// Greatest number of characters of a hit's line or signature.
pub(super) const LINE_CHARS: usize = 300;

/// A text on one line: control characters written out, tabs kept. Hidden characters are the page's business: it has to
/// count them first.
pub(super) fn clean(text: &str) -> String {
    if !text.chars().any(|c| c != '\t' && c.is_control()) {
        return text.to_owned();
    }
    text.split('\t').map(escape_control).collect::<Vec<_>>().join("\t")
}

/// At most `most` characters of a cleaned text; what is missing is said.
pub(super) fn shorten(text: &str, most: usize) -> String {
    let text = clean(text);
    match text.char_indices().nth(most) {
        None => text,
        Some((at, _)) => {
            let missing = text[at..].chars().count();
            format!("{} … (+{missing} characters)", &text[..at])
        }
    }
}

/// A path or a name: control characters written out, tabs too.
pub(super) fn name(text: &str) -> String {
    escape_control(text)
}

/// `path:Lstart-Lend kind name (n←)`.
pub(super) fn head(symbol: &Symbol) -> String {
    format!(
        "{}:L{}-L{} {} {} ({}←)",
        name(symbol.path.as_str()),
        symbol.start,
        symbol.end,
        symbol.kind,
        shorten(&name(&symbol.qualified), LINE_CHARS),
        symbol.in_degree
    )
}

/// `symbols`, `lines`, `files`, singular for one.
pub(super) fn unit(counts: &Counts, n: u64) -> &'static str {
    match (counts.unit, n) {
        (Unit::Symbols, 1) => "symbol",
        (Unit::Symbols, _) => "symbols",
        (Unit::Lines, 1) => "line",
        (Unit::Lines, _) => "lines",
        (Unit::Files, 1) => "file",
        (Unit::Files, _) => "files",
    }
}

/// What was not searched, as a sentence; empty when that is nothing.
pub fn not_searched(n: &NotSearched) -> String {
    let mut parts = Vec::new();
    for (count, what) in [
        (n.unreadable, "unreadable"),
        (n.too_large, "too large"),
        (n.binary, "binary"),
        (n.bad_name, "with a name that is not UTF-8"),
    ] {
        if count > 0 {
            parts.push(format!("{count} {what}"));
        }
    }
    let mut sentences = Vec::new();
    if !parts.is_empty() {
        sentences.push(format!("Files not searched: {}.", parts.join(", ")));
    }
    if n.nested > 0 {
        sentences.push(format!("Nested repositories not searched: {}.", n.nested));
    }
    if n.excluded > 0 {
        sentences.push(format!("Left out by configuration: {}.", n.excluded));
    }
    if n.unsupported > 0 {
        sentences.push(format!(
            "Searched by text only, as no language: {} {}.",
            n.unsupported,
            if n.unsupported == 1 { "file" } else { "files" }
        ));
    }
    sentences.join(" ")
}
