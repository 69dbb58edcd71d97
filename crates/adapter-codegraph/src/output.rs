//! What a run came to: its text within the bounds, or an error by name.

use crate::command::Ask;
use understory_cli_backend::run::{Called, Names, TAIL_BYTES, last_words, not_ended};
use understory_ports::sandbox::Outcome;
use understory_ports::{Finished, SearchError};

/// Bytes of standard output that are read.
pub const OUTPUT_BYTES: usize = 50 * 1024;
/// Lines of standard output that are read.
pub const LINES: usize = 2_000;
/// Bytes of the end of standard error that a failure carries.
pub const STDERR_BYTES: usize = TAIL_BYTES;

/// How CodeGraph is installed, for messages.
pub const INSTALL: &str = "Install it with `understory provision` (or `npm install -g @colbymchenry/codegraph`), or name it with `--codegraph-program`.";

/// What a command answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    /// Standard output, whole lines.
    pub text: String,
    /// Whether there was more than is read.
    pub cut: bool,
}

/// The text of a run that ended well, else the error.
pub fn judge(finished: &Finished, ask: &Ask<'_>, names: &Names<'_>) -> Result<Said, SearchError> {
    let what = format!("`codegraph {}`", ask.word());
    let called = Called {
        tool: "CodeGraph",
        install: INSTALL,
        what: &what,
        bound: ask.bound(),
    };
    if let Some(error) = not_ended(finished, called) {
        return Err(error);
    }
    match &finished.outcome {
        // What it left running was ended with it.
        Outcome::Exited(0) | Outcome::LeakedDescendants(0) => Ok(cut(&finished.stdout, false)),
        Outcome::OutputLimit => Ok(cut(&finished.stdout, true)),
        other => Err(failed(finished, &what, &other.to_string(), names)),
    }
}

/// A program that ended badly. The tool writes some refusals on standard output, so both ends are shown.
fn failed(finished: &Finished, what: &str, how: &str, names: &Names<'_>) -> SearchError {
    let said = String::from_utf8_lossy(&finished.stderr);
    let detail = Some(last_words(finished, LINES, &[])).filter(|d| !d.is_empty());
    let words = match last_words(finished, LINES, names) {
        words if words.is_empty() => words,
        words => format!(" Its last words:\n{words}"),
    };
    if said.contains("no .codegraph/ index") || said.contains("not initialized") {
        return SearchError::NoIndex {
            message: format!("{what} finds no index. {MAKE_INDEX}"),
            detail,
        };
    }
    SearchError::BadOutput {
        message: format!(
            "{what} {how}. Look at the index with `codegraph status`, and make it anew with `codegraph index`.{}",
            words
        ),
        detail,
    }
}

/// What to do where there is no index.
pub const MAKE_INDEX: &str =
    "Run `codegraph init` in the repository to make one, or ask for a managed index with `--codegraph-index managed`.";

/// What is read of an output: whole characters, at most so many bytes and lines; a line that a cut went through is dropped.
fn cut(bytes: &[u8], was_cut: bool) -> Said {
    let mut cut = was_cut || bytes.len() > OUTPUT_BYTES;
    let bytes = &bytes[..bytes.len().min(OUTPUT_BYTES)];
    let bytes = match (cut, bytes.iter().rposition(|&b| b == b'\n')) {
        (true, Some(end)) => &bytes[..end + 1],
        _ => bytes,
    };
    let text = String::from_utf8_lossy(bytes);
    let mut lines = text.match_indices('\n').map(|(at, _)| at + 1);
    let end = match lines.nth(LINES - 1) {
        Some(end) if end < text.len() => {
            cut = true;
            end
        }
        _ => text.len(),
    };
    Said {
        text: text[..end].to_owned(),
        cut,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;
    use std::time::Duration;
    use understory_core::RefusalCode;
    use understory_ports::Enforcement;
    use understory_ports::sandbox::StartFailure;

    fn finished(outcome: Outcome, stdout: impl Into<Vec<u8>>, stderr: impl Into<Vec<u8>>) -> Finished {
        Finished {
            outcome,
            stdout: stdout.into(),
            stderr: stderr.into(),
            stderr_dropped: 0,
            wall: Duration::ZERO,
            enforcement: Enforcement::Enforced,
        }
    }

    fn judged(run: &Finished) -> Result<Said, SearchError> {
        judge(run, &Ask::Explore("x"), &[(Path::new("/c/trees/t"), "<repo>")])
    }

    #[test]
    fn the_end_of_a_run_has_a_name() {
        use RefusalCode::*;
        let check = |outcome: Outcome, stderr: &str, code: RefusalCode, says: &str| {
            let refusal = judged(&finished(outcome, "", stderr)).unwrap_err().into_refusal();
            assert_eq!(refusal.code, code);
            assert!(refusal.message.contains(says), "{}", refusal.message);
        };
        check(
            Outcome::Exited(1),
            "broken /c/trees/t/.codegraph",
            BadOutput,
            "broken <repo>/.codegraph",
        );
        check(
            Outcome::Exited(1),
            "✗ no .codegraph/ index exists in /c",
            NoIndex,
            "codegraph init",
        );
        check(Outcome::Signalled(11), "", BadOutput, "signal 11");
        check(Outcome::TimedOut, "", Timeout, "`codegraph explore`");
        check(Outcome::Cancelled, "", Cancelled, "cancelled");
        check(
            Outcome::FailedToStart(StartFailure::ProgramMissing),
            "",
            Unavailable,
            "understory provision",
        );
        check(
            Outcome::FailedToStart(StartFailure::NotExecutable),
            "",
            Unavailable,
            "not executable",
        );
    }

    #[test]
    fn a_refusal_on_standard_output_is_shown_too() {
        let run = finished(Outcome::Exited(1), "Error: query exceeds 10000 characters\n", "");
        let refusal = judged(&run).unwrap_err().into_refusal();
        assert!(refusal.message.contains("query exceeds"), "{}", refusal.message);
    }

    #[test]
    fn a_failure_carries_the_last_4_kib_in_whole_characters() {
        let run = finished(Outcome::Exited(1), "", "é".repeat(5_000));
        let message = judged(&run).unwrap_err().into_refusal().message;
        let shown = message.chars().filter(|c| *c == 'é').count();
        assert!((2_000..=2_048).contains(&shown), "{shown}");
    }

    #[test]
    fn output_is_cut_at_bytes_and_at_lines() {
        let check = |bytes: Vec<u8>, length: usize, is_cut: bool| {
            let said = cut(&bytes, false);
            assert_eq!((said.text.len(), said.cut), (length, is_cut));
        };
        check(b"a\n".to_vec(), 2, false);
        check(b"a\n".repeat(2_000), 4_000, false);
        check(b"a\n".repeat(2_001), 4_000, true);
        check([b"a\n".repeat(2_000), b"b".to_vec()].concat(), 4_000, true);
        check(vec![b'a'; OUTPUT_BYTES], OUTPUT_BYTES, false);
        // The line that the cut went through is gone.
        check([b"abc\n".to_vec(), vec![b'a'; OUTPUT_BYTES]].concat(), 4, true);
        // A character that the cut would go through does not become another.
        assert!(!cut("é\n".repeat(30_000).as_bytes(), false).text.contains('\u{fffd}'));
    }
}
