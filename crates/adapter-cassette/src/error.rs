//! Why a tape cannot be used.

use std::path::PathBuf;

/// Why a tape cannot be used. For the operator: names the file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TapeError {
    /// The file cannot be opened, read, locked or written.
    #[error("cannot {what} the tape {path}")]
    Io {
        /// What was being done: `open`, `read`, `write`, …
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// The file is something else. Nothing is ever appended to such a file.
    #[error("{path} is not a tape: its first line is not the heading of one")]
    NotATape {
        /// The file.
        path: PathBuf,
    },
    /// The tape was written in another version of the form.
    #[error("the tape {path} has format {found}; this version reads format {expected}. Record it again")]
    Version {
        /// The file.
        path: PathBuf,
        /// The version found.
        found: String,
        /// The version that is read here.
        expected: String,
    },
    /// The last line has no end: the process that wrote it was stopped, or the file was cut.
    #[error("the tape {path} is cut off in line {line}. Record it again")]
    CutOff {
        /// The file.
        path: PathBuf,
        /// The line, 1-based.
        line: usize,
    },
    /// A line is not as it was written.
    #[error("the tape {path} is damaged in line {line}: {why}. Record it again")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The line, 1-based.
        line: usize,
        /// What is wrong with it.
        why: String,
    },
    /// A tape without a recorded code search was asked for one.
    #[error("the tape {path} holds no code search: it was recorded at a session's dispatch")]
    NoSearch {
        /// The file.
        path: PathBuf,
    },
}
