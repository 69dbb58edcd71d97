//! Every error of a port as the refusal that a model reads. No host path gets into a sentence: what an operator needs is
//! detail.

use understory_core::refusal::{Refusal, RefusalCode};
use understory_core::staged::StagedChange;
use understory_ports::{TextError, WorktreeError};

pub(crate) fn of_text(error: TextError) -> Refusal {
    match error {
        TextError::Refused(refusal) => refusal,
        TextError::Timeout => timeout(),
        TextError::Cancelled => cancelled(),
        other => Refusal::new(RefusalCode::BadOutput, "The text search failed.").with_detail(chain(&other)),
    }
}

pub(crate) fn of_worktree(error: WorktreeError) -> Refusal {
    match error {
        WorktreeError::Staged(why) => Refusal::new(
            RefusalCode::BadStaged,
            format!("{}. Nothing is staged.", capital(&why.to_string())),
        ),
        WorktreeError::Cancelled => cancelled(),
        WorktreeError::Timeout => timeout(),
        WorktreeError::NoRoot { .. } => Refusal::new(
            RefusalCode::Unavailable,
            "The repository's directory does not exist or cannot be opened.",
        )
        .with_detail(chain(&error)),
        WorktreeError::Bare { .. } => Refusal::new(
            RefusalCode::Unavailable,
            "The repository is a bare git repository: it has no files to search. Open a work tree of it.",
        )
        .with_detail(chain(&error)),
        other => {
            Refusal::new(RefusalCode::Unavailable, "The repository's files cannot be read.").with_detail(chain(&other))
        }
    }
}

pub(crate) fn timeout() -> Refusal {
    Refusal::new(
        RefusalCode::Timeout,
        "The call passed its time bound. Ask for less: a directory, a narrower pattern.",
    )
}

pub(crate) fn cancelled() -> Refusal {
    Refusal::new(RefusalCode::Cancelled, "The call was cancelled.")
}

pub(crate) fn closed() -> Refusal {
    Refusal::new(RefusalCode::Unavailable, "The session is closed.")
}

/// A phrase as the beginning of a sentence; one that begins with a quoted value stays as it is.
pub(crate) fn capital(phrase: &str) -> String {
    let mut chars = phrase.chars();
    match chars.next() {
        Some(first) => first.to_uppercase().chain(chars).collect(),
        None => String::new(),
    }
}

/// An error with its causes.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(e) = cause {
        text.push_str(": ");
        text.push_str(&e.to_string());
        cause = e.source();
    }
    text
}

/// The word for a staged change, and the size of what it writes.
pub(crate) fn change_words(change: &StagedChange) -> (&'static str, Option<u64>) {
    match change {
        StagedChange::Write { bytes, .. } => ("write", Some(bytes.len() as u64)),
        StagedChange::Symlink { target } => ("symlink", Some(target.len() as u64)),
        StagedChange::Delete => ("delete", None),
    }
}
