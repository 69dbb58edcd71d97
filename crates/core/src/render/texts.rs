//! The layouts of `search_text`, `read_file` and `list_files`, and of a refusal.

use super::page::{Page, Tail};
use super::words::{LINE_CHARS, clean, name, shorten};
use crate::answer::{ListAnswer, ReadAnswer, TextAnswer};
use crate::query::{ListQuery, TextQuery};
use crate::refusal::Refusal;

/// Lays an answer of `search_text` out: `path:Lline: text`.
pub fn text(query: &TextQuery, answer: &TextAnswer) -> Page {
    let mut page = Page::new(
        answer.counts,
        answer.not_searched,
        "Narrow with `path` or a longer pattern, or raise `limit`.",
    );
    if answer.matches.is_empty() {
        page.notes
            .insert(0, format!("No line matches; {}.", place(query.path.as_str())));
    }
    for m in &answer.matches {
        page.row(
            format!(
                "{}:L{}: {}",
                name(m.path.as_str()),
                m.line,
                shorten(m.text.trim(), LINE_CHARS)
            ),
            1,
        );
    }
    page
}

/// Lays an answer of `read_file` out: the path, then the lines with their numbers.
pub fn read(answer: &ReadAnswer) -> Page {
    let mut page = Page {
        rows: Vec::new(),
        notes: Vec::new(),
        tail: Tail::Lines {
            start: answer.start,
            total: answer.total_lines,
        },
    };
    page.row(name(answer.path.as_str()), 0);
    if answer.total_lines > 0 && answer.start >= 1 && answer.end >= answer.start {
        let lines = (answer.end - answer.start + 1) as usize;
        for (i, line) in answer.content.split('\n').take(lines).enumerate() {
            let line = line.strip_suffix('\r').unwrap_or(line);
            page.row(format!("{}\t{}", answer.start as usize + i, clean(line)), 1);
        }
    }
    page
}

/// Lays an answer of `list_files` out: one path a line.
pub fn list(query: &ListQuery, answer: &ListAnswer) -> Page {
    let mut page = Page::new(answer.counts, answer.not_searched, "Narrow with `path` or `glob`.");
    if answer.paths.is_empty() {
        page.notes
            .insert(0, format!("No file of that kind; {}.", place(query.path.as_str())));
    }
    for path in &answer.paths {
        page.row(name(path.as_str()), 1);
    }
    page
}

fn place(path: &str) -> String {
    if path.is_empty() {
        "the whole tree was searched".to_owned()
    } else {
        format!("the whole of `{}` was searched", name(path))
    }
}

/// A refusal as a model reads it: the code, the sentence, and what would have been accepted.
pub fn refusal(refusal: &Refusal) -> String {
    let mut text = format!("Refused ({}): {}", refusal.code, clean(&refusal.message));
    if !refusal.suggestions.is_empty() {
        let near: Vec<String> = refusal.suggestions.iter().take(10).map(|s| shorten(s, 200)).collect();
        text.push_str(" Near: ");
        text.push_str(&near.join(", "));
        text.push('.');
    }
    text
}
