//! Rows, notes and a tail, put into a bounded text.

use super::words::{not_searched, unit};
use crate::answer::{Counts, NotSearched};
use crate::fence::{self, FENCE_CHARS, Injection, InjectionKind};
use std::borrow::Cow;

/// A line of the body.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) text: String,
    /// How many of what is counted are shown once this row is.
    pub(super) adds: u64,
}

/// How the tail is made.
#[derive(Clone, Debug)]
pub(super) enum Tail {
    /// `n of m symbols shown`, and how to narrow when that is not all.
    Counts { counts: Counts, narrow: String },
    /// `n of m lines of the map`, since a map has no hits to count.
    Map { narrow: String },
    /// `lines a-b of n`, and where to read on.
    Lines { start: u32, total: u32 },
}

/// An answer laid out, before it is cut.
#[derive(Clone, Debug)]
pub struct Page {
    pub(super) rows: Vec<Row>,
    pub(super) notes: Vec<String>,
    pub(super) tail: Tail,
}

/// A text that can be handed to a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivered {
    /// The text.
    pub text: String,
    /// Whether rows were left out.
    pub cut: bool,
    /// What the scan found in the rows that are shown; they are fenced then.
    pub injections: Vec<Injection>,
}

impl Page {
    pub(super) fn new(counts: Counts, missing: NotSearched, narrow: impl Into<String>) -> Self {
        let mut page = Page {
            rows: Vec::new(),
            notes: Vec::new(),
            tail: Tail::Counts {
                counts,
                narrow: narrow.into(),
            },
        };
        page.note(not_searched(&missing));
        page
    }

    pub(super) fn row(&mut self, text: impl Into<String>, adds: u64) {
        self.rows.push(Row {
            text: text.into(),
            adds,
        });
    }

    pub(super) fn note(&mut self, text: impl Into<String>) {
        let text = text.into();
        if !text.is_empty() {
            self.notes.push(text);
        }
    }

    /// Cuts the page to `most` characters, notes, tail and fence included, and fences what speaks to the model.
    pub fn deliver(&self, most: usize) -> Delivered {
        let (body, tail, cut) = self.compose(most);
        let injections = fence::scan(&body);
        if injections.is_empty() {
            return Delivered {
                text: body + &tail,
                cut,
                injections,
            };
        }
        let written_out;
        let page = if injections.iter().any(|i| i.kind == InjectionKind::Hidden) {
            written_out = self.with_hidden_written_out();
            &written_out
        } else {
            self
        };
        let (body, tail, cut) = page.compose(most.saturating_sub(FENCE_CHARS));
        let body = if body.is_empty() { body } else { fence::fence(&body) };
        Delivered {
            text: body + &tail,
            cut,
            injections,
        }
    }

    /// The same page with hidden characters as `\u{…}`.
    fn with_hidden_written_out(&self) -> Page {
        let mut page = self.clone();
        for row in &mut page.rows {
            if let Cow::Owned(text) = fence::escape_hidden(&row.text) {
                row.text = text;
            }
        }
        page
    }

    /// As many rows as fit, and the tail that fits them.
    fn compose(&self, most: usize) -> (String, String, bool) {
        let all: u64 = self.rows.iter().map(|r| r.adds).sum();
        // No tail is longer than the one that counts everything and still says how to go on.
        let reserve = self.tail(all, true).chars().count();
        if reserve > most {
            return (String::new(), self.tail(0, true).chars().take(most).collect(), true);
        }
        let room = most - reserve;
        let mut body = String::new();
        let mut used = 0;
        let mut shown = 0;
        let mut rows = 0;
        for row in &self.rows {
            let length = row.text.chars().count() + 1;
            if used + length > room {
                // A single row that is longer than everything is shown in part rather than not at all.
                if rows == 0 && room > 80 {
                    let part: String = row.text.chars().take(room - 40).collect();
                    body.push_str(&part);
                    body.push_str(" … (the line goes on)\n");
                    shown += row.adds;
                    rows = 1;
                }
                break;
            }
            used += length;
            body.push_str(&row.text);
            body.push('\n');
            shown += row.adds;
            rows += 1;
        }
        let cut = rows < self.rows.len();
        (body, self.tail(shown, cut), cut)
    }

    fn tail(&self, shown: u64, cut: bool) -> String {
        let mut sentences = self.notes.clone();
        match &self.tail {
            Tail::Counts { counts, narrow } => {
                let least = if counts.exact { "" } else { "at least " };
                let mut sentence = format!(
                    "{shown} of {least}{} {} shown.",
                    counts.total,
                    unit(counts, counts.total)
                );
                if (cut || shown < counts.total || !counts.exact) && !narrow.is_empty() {
                    sentence.push(' ');
                    sentence.push_str(narrow);
                }
                sentences.push(sentence);
            }
            Tail::Map { narrow } => {
                let mut sentence = format!("{shown} of {} lines of the map shown.", self.rows.len());
                if cut {
                    sentence.push(' ');
                    sentence.push_str(narrow);
                }
                sentences.push(sentence);
            }
            Tail::Lines { start, total } => {
                if *total == 0 {
                    sentences.push("The file has no lines.".to_owned());
                } else if shown == 0 {
                    sentences.push(format!("No line from {start} on; the file has {total} lines."));
                } else {
                    let end = u64::from(*start) + shown - 1;
                    let mut sentence = format!("Lines {start}-{end} of {total} lines shown.");
                    if end < u64::from(*total) {
                        sentence.push_str(&format!(" Read on with `start` {}.", end + 1));
                    }
                    sentences.push(sentence);
                }
            }
        }
        sentences.join(" ")
    }
}
