//! What a run came to: its JSON, or an error by name.

use crate::command::Ask;
use serde::de::DeserializeOwned;
use understory_cli_backend::run::{Called, Names, last_words, not_ended};
use understory_ports::sandbox::Outcome;
use understory_ports::{Finished, SearchError};

/// Lines of the end of standard error that a failure carries.
const TAIL_LINES: usize = 20;

/// How Graft is installed, for messages.
pub const INSTALL: &str = "Install it with `understory provision --backend graft` (with `--write-lock` first, where there is no lock), or name it with `--graft-program`.";

/// Standard output of a run that ended well, else the error. What a failing run wrote on standard output is not believed.
pub fn judge<'a>(finished: &'a Finished, ask: &Ask<'_>, names: &Names<'_>) -> Result<&'a [u8], SearchError> {
    let what = format!("`graft {}`", ask.word());
    let called = Called {
        tool: "Graft",
        install: INSTALL,
        what: &what,
        bound: ask.bound(),
    };
    if let Some(error) = not_ended(finished, called) {
        return Err(error);
    }
    match &finished.outcome {
        // What it left running was ended with it.
        Outcome::Exited(0) | Outcome::LeakedDescendants(0) => Ok(&finished.stdout),
        Outcome::OutputLimit => Err(SearchError::BadOutput {
            message: format!("{what} answered with more than is read of it. Ask for less: a scope, a narrower query."),
            detail: None,
        }),
        other => Err(failed(finished, &what, &other.to_string(), names)),
    }
}

/// A program that ended badly.
fn failed(finished: &Finished, what: &str, how: &str, names: &Names<'_>) -> SearchError {
    // Standard output of a failure may hold half an answer.
    let errors = Finished {
        stdout: Vec::new(),
        ..finished.clone()
    };
    let tail = match last_words(&errors, TAIL_LINES, names) {
        words if words.is_empty() => words,
        words => format!(" Its last words:\n{words}"),
    };
    let mut toolchain = "";
    if tail.contains("node-gyp") || tail.contains("gyp ERR") {
        toolchain = " A C/C++ toolchain and python3 are needed for one grammar.";
    }
    SearchError::BadOutput {
        message: format!("{what} {how}.{toolchain}{tail}"),
        detail: Some(last_words(&errors, TAIL_LINES, &[])).filter(|d| !d.is_empty()),
    }
}

/// The answer of a run as data. Anything else than one JSON value of that shape is an error: an answer that cannot be read
/// is not one without hits.
pub fn json<T: DeserializeOwned>(stdout: &[u8], ask: &Ask<'_>) -> Result<T, SearchError> {
    serde_json::from_slice(stdout).map_err(|e| {
        // The words of what was read are not shown: they are the program's, for a model.
        let why = match e.classify() {
            serde_json::error::Category::Data => format!("its data is not of the known shape ({e})"),
            _ => "it is no JSON".to_owned(),
        };
        SearchError::BadOutput {
            message: format!(
                "The answer of `graft {}` cannot be read: {why}. The version that this is made for is {}.",
                ask.word(),
                crate::VERSION
            ),
            detail: None,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;
    use std::time::Duration;
    use understory_core::RefusalCode;
    use understory_ports::Enforcement;
    use understory_ports::sandbox::StartFailure;

    fn finished(outcome: Outcome, stdout: &str, stderr: &str) -> Finished {
        Finished {
            outcome,
            stdout: stdout.into(),
            stderr: stderr.into(),
            stderr_dropped: 0,
            wall: Duration::ZERO,
            enforcement: Enforcement::Enforced,
        }
    }

    #[test]
    fn the_end_of_a_run_has_a_name() {
        use RefusalCode::*;
        let check = |outcome: Outcome, stdout: &str, stderr: &str, code: RefusalCode, says: &str| {
            let run = finished(outcome, stdout, stderr);
            let refusal = judge(&run, &Ask::Map, &[(Path::new("/c/x"), "<cache>")])
                .unwrap_err()
                .into_refusal();
            assert_eq!(refusal.code, code);
            assert!(refusal.message.contains(says), "{}", refusal.message);
            assert!(
                !refusal.message.contains("/c/x") && !refusal.message.contains("half"),
                "{}",
                refusal.message
            );
        };
        check(
            Outcome::Exited(1),
            "half an answer",
            "no graph in /c/x",
            BadOutput,
            "no graph in <cache>",
        );
        check(Outcome::Exited(1), "{}", "", BadOutput, "exited with code 1");
        check(Outcome::Exited(7), "", "", BadOutput, "code 7");
        check(Outcome::Exited(1), "", "gyp ERR! find Python", BadOutput, "toolchain");
        check(Outcome::Signalled(9), "{}", "", BadOutput, "signal 9");
        check(Outcome::OutputLimit, "{", "", BadOutput, "more than is read");
        check(Outcome::TimedOut, "", "", Timeout, "60 s");
        check(Outcome::Cancelled, "", "", Cancelled, "cancelled");
        check(
            Outcome::FailedToStart(StartFailure::ProgramMissing),
            "",
            "",
            Unavailable,
            "understory provision",
        );
    }

    #[test]
    fn what_is_no_json_of_the_shape_is_no_answer() {
        #[derive(serde::Deserialize, Debug)]
        struct Shape {
            #[expect(dead_code, reason = "only its reading is tried")]
            hits: Vec<u32>,
        }
        let check = |text: &str, says: &str| {
            let error = json::<Shape>(text.as_bytes(), &Ask::Map).unwrap_err();
            let refusal = error.into_refusal();
            assert_eq!(refusal.code, RefusalCode::BadOutput);
            assert!(refusal.message.contains(says), "{}", refusal.message);
        };
        check("", "no JSON");
        check("no symbol \"x\"", "no JSON");
        check("{\"hits\":[]} trailing", "no JSON");
        check("{\"hits\":", "no JSON");
        check("{\"hits\":null}", "not of the known shape");
        check("{}", "not of the known shape");
        assert!(
            json::<Shape>(b"{\"hits\":[1],\"unknown\":true}\n", &Ask::Map).is_ok(),
            "unknown keys are let be"
        );
    }
}
