//! What a prepared tree comes to: the answer of `prepare`, and what every answer over it says.

use understory_core::answer::{Answer, Finding, IndexState, Severity};
use understory_ports::{Enforcement, IndexReport, Prepared};

/// The outcome of preparing; `is_new` says that this call did it.
pub fn prepared(report: &IndexReport, findings: &[Finding], is_new: bool) -> Prepared {
    let index = match is_new {
        true => report.clone(),
        false => IndexReport {
            state: reused(report.state),
            parsed: 0,
            ..report.clone()
        },
    };
    Prepared {
        index,
        findings: findings.to_vec(),
    }
}

/// Says in an answer what its index is. What makes it doubtful is said with each answer, the rest once.
pub fn described(answer: &mut Answer, report: &IndexReport, findings: &[Finding], is_new: bool) {
    answer.index = Some(match is_new {
        true => report.state,
        false => reused(report.state),
    });
    let doubts = findings.iter().filter(|f| is_new || f.severity > Severity::Note);
    answer.findings.extend(doubts.cloned());
}

/// The state of an index that was there already. The user's own stays that.
fn reused(state: IndexState) -> IndexState {
    match state {
        IndexState::Foreign => IndexState::Foreign,
        _ => IndexState::Reused,
    }
}

/// What is to be said where the sandbox does not enforce everything.
pub fn confined(id: &str, reached: Option<&Enforcement>) -> Option<Finding> {
    let reached = reached.filter(|reached| **reached != Enforcement::Enforced)?;
    Some(Finding::warning(id, format!("The sandbox of this host is {reached}.")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_note_is_said_once_and_a_doubt_each_time() {
        let findings = [Finding::note("a", "x"), Finding::warning("b", "y")];
        for (state, later) in [
            (IndexState::Built, IndexState::Reused),
            (IndexState::Updated, IndexState::Reused),
            (IndexState::Foreign, IndexState::Foreign),
        ] {
            let report = IndexReport {
                state,
                parsed: 3,
                files: 4,
                took: Duration::ZERO,
            };
            for (is_new, said, shown, parsed) in [(true, state, 2, 3), (false, later, 1, 0)] {
                let mut answer = Answer::default();
                described(&mut answer, &report, &findings, is_new);
                assert_eq!((answer.index, answer.findings.len()), (Some(said), shown));
                let done = prepared(&report, &findings, is_new);
                assert_eq!(
                    (done.index.state, done.index.parsed, done.index.files),
                    (said, parsed, 4)
                );
                assert_eq!(done.findings, findings);
            }
        }
    }

    #[test]
    fn full_enforcement_is_no_news() {
        assert_eq!(confined("x", Some(&Enforcement::Enforced)), None);
        assert_eq!(confined("x", None), None);
        assert_eq!(confined("x", Some(&Enforcement::None)).unwrap().id, "x");
    }
}
