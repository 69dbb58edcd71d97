//! The end of a run in words.

use std::path::Path;
use understory_ports::sandbox::{SandboxError, replace_paths, tail_lines};
use understory_ports::{Finished, SearchError};

/// Bytes of the end of an output that a failure carries.
pub const TAIL_BYTES: usize = 4 * 1024;

/// What an error names in place of places of the host.
pub type Names<'a> = [(&'a Path, &'a str)];

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
