//! The end of a run in words.

use std::path::{Path, PathBuf};
use std::time::Duration;
use understory_ports::sandbox::{Outcome, SandboxError, StartFailure, replace_paths, tail_lines};
use understory_ports::{Finished, SandboxCommand, SearchError};

/// Bytes of the end of an output that a failure carries.
pub const TAIL_BYTES: usize = 4 * 1024;

/// What an error names in place of places of the host.
pub type Names<'a> = [(&'a Path, &'a str)];

/// What the processes of one program have in common beside their arguments and places.
#[derive(Clone, Copy, Debug)]
pub struct Kit<'a> {
    /// Variables that are always set.
    pub settings: &'a [(&'a str, &'a str)],
    /// What the program reads of its own.
    pub read: &'a [PathBuf],
    /// git, which it asks about work trees.
    pub git: Option<&'a Path>,
    /// How long it may take.
    pub time: Duration,
    /// Bytes of standard output that are read.
    pub stdout: usize,
    /// Bytes of the end of standard error that are kept.
    pub stderr_tail: usize,
}

/// A command with what every process of its program has.
pub fn equipped(mut command: SandboxCommand, kit: Kit<'_>) -> SandboxCommand {
    for (name, value) in kit.settings {
        command = command.env(name, value);
    }
    command.read.extend(kit.read.iter().cloned());
    if let Some(git) = kit.git {
        command = command.execute(git);
    }
    command.limits.time = kit.time;
    command.limits.stdout = kit.stdout;
    command.limits.stderr_tail = kit.stderr_tail;
    command
}

/// A program in messages.
#[derive(Clone, Copy, Debug)]
pub struct Called<'a> {
    /// Its name.
    pub tool: &'a str,
    /// How it is installed, as a sentence.
    pub install: &'a str,
    /// The command, in backticks.
    pub what: &'a str,
    /// How long it may take.
    pub bound: Duration,
}

/// The error of a run that was ended from here or did not begin; `None` for one that ended by itself.
pub fn not_ended(finished: &Finished, called: Called<'_>) -> Option<SearchError> {
    match &finished.outcome {
        Outcome::Cancelled => Some(SearchError::Cancelled),
        Outcome::TimedOut => Some(SearchError::Timeout {
            bound: called.bound,
            what: called.what.to_owned(),
        }),
        Outcome::FailedToStart(why) => Some(SearchError::Unavailable {
            message: match why {
                StartFailure::ProgramMissing => {
                    format!("{} is no longer where it was found. {}", called.tool, called.install)
                }
                _ => format!("{} {}. {}", called.tool, finished.outcome, called.install),
            },
            detail: None,
        }),
        _ => None,
    }
}

/// The last words of a run, at most so many lines: of standard error, else of standard output, where some programs write
/// their refusals. Empty when it said nothing.
pub fn last_words(finished: &Finished, lines: usize, names: &Names<'_>) -> String {
    let show = |bytes: &[u8], dropped: u64| {
        let start = bytes.len().saturating_sub(TAIL_BYTES);
        let bytes = whole_lines(&bytes[start..], dropped > 0 || start > 0);
        let text = replace_paths(&tail_lines(bytes, lines), names);
        end_of(&text, TAIL_BYTES).to_owned()
    };
    let error = show(&finished.stderr, finished.stderr_dropped);
    if error.is_empty() {
        return show(&finished.stdout, 0);
    }
    error
}

/// What is left of a tail without the line that its cut went through: half a path of the host would not be known for one.
fn whole_lines(bytes: &[u8], is_cut: bool) -> &[u8] {
    if !is_cut {
        return bytes;
    }
    let end = |of: u8| bytes.iter().position(|&b| b == of).filter(|at| at + 1 < bytes.len());
    match end(b'\n').or_else(|| end(b' ')) {
        Some(at) => &bytes[at + 1..],
        None => bytes,
    }
}

/// The end of a text, at most so many bytes.
fn end_of(text: &str, most: usize) -> &str {
    let mut at = text.len().saturating_sub(most);
    while !text.is_char_boundary(at) {
        at += 1;
    }
    &text[at..]
}

/// An error of the sandbox: nothing of the tool ran.
pub fn of_sandbox(error: &SandboxError, tool: &str) -> SearchError {
    match error {
        SandboxError::NotEnforced { reached } => SearchError::NoSandbox(format!(
            "The sandbox is required to enforce everything and this host enforces only: {reached}. Nothing was run."
        )),
        other => SearchError::Unavailable {
            message: format!("{tool} could not be run in the sandbox. `understory doctor` says what the host lacks."),
            detail: Some(other.to_string()),
        },
    }
}
