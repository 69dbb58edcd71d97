//! Queries over an index: one module a mode.
//!
//! Every query describes exactly the tree that the index was made of. Results are deterministic: they depend on the
//! tree and the query alone, and everything is ordered by stated keys with path and line last.

pub mod ask;
pub mod callers;
pub mod choice;
pub mod explore;
pub mod folding;
pub mod grep;
pub mod headers;
pub mod map;
pub mod scores;
pub mod skeleton;
pub mod subject;
pub mod view;

pub use view::View;

use understory_core::answer::{Answer, NotSearched};
use understory_core::query::{Mode, SearchQuery};
use understory_core::{Refusal, RefusalCode};

/// Why a query has no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QueryError {
    /// A named no.
    Refused(Refusal),
    /// It was stopped.
    Stopped,
}

impl From<Refusal> for QueryError {
    fn from(r: Refusal) -> Self {
        QueryError::Refused(r)
    }
}

/// Answers a query.
pub fn answer(view: &View<'_>, query: &SearchQuery) -> Result<Answer, QueryError> {
    let mut answer = match query.mode {
        Mode::Ask => ask::ask(view, query)?,
        Mode::Grep => grep::grep(view, query)?,
        Mode::Callers => callers::callers(view, query)?,
        Mode::Skeleton => skeleton::skeleton(view, query)?,
        Mode::Map => map::map(view, query)?,
        Mode::Explore => explore::explore(view, query)?,
    };
    answer.not_searched = not_searched(view);
    Ok(answer)
}

/// Files of the index that were not searched, by reason.
pub fn not_searched(view: &View<'_>) -> NotSearched {
    use crate::index::record::FileFlags as F;
    let mut out = NotSearched::default();
    for segment in view.segments() {
        for row in 0..segment.file_count() {
            let flags = segment.file(row).flags;
            if flags.any(F::BINARY) {
                out.binary += 1;
            } else if flags.any(F::UNREADABLE) {
                out.unreadable += 1;
            } else if flags.any(F::TRUNCATED) {
                out.too_large += 1;
            } else if flags.any(F::UNSUPPORTED) {
                out.unsupported += 1;
            }
        }
    }
    out
}

/// Compiles a pattern that is searched line by line.
pub fn pattern(text: &str) -> Result<regex::Regex, Refusal> {
    regex::RegexBuilder::new(text).multi_line(true).crlf(true).size_limit(32 << 20).dfa_size_limit(32 << 20).build().map_err(|e| {
        let reason = match &e {
            regex::Error::CompiledTooBig(_) => "it is too large when compiled; shorten its repetitions".to_owned(),
            other => {
                // The crate draws the pattern with a caret under the fault; the last line says what it is.
                let shown = other.to_string();
                let reason = shown.lines().last().unwrap_or("it does not compile").trim_start_matches("error: ").to_owned();
                let caret = shown.lines().find(|l| l.trim_start().starts_with('^'));
                match caret.map(|l| l.find('^').unwrap_or(0).saturating_sub(4)) {
                    Some(at) => format!("{reason} (at character {})", at + 1),
                    None => reason,
                }
            }
        };
        Refusal::new(
            RefusalCode::BadQuery,
            format!("The pattern does not compile: {reason}. The syntax is that of Rust's regex crate: no look-around, no back-references; `(?i)` ignores case."),
        )
    })
}
