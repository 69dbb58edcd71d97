//! The contracts of the ports as suites: any implementation runs all of one with a single call.

pub mod code_search;
pub mod provisioner;
pub mod sandbox;
pub mod text_search;
pub mod tree;
pub mod worktree;

/// What a suite did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Names of the cases that held.
    pub passed: Vec<&'static str>,
    /// Names of the cases that did not hold, and why.
    pub failed: Vec<(&'static str, String)>,
    /// Names of the cases that this implementation cannot be put through, and why. Counted, never silent.
    pub not_run: Vec<(&'static str, String)>,
}

impl Report {
    /// Adds the result of one case.
    pub fn add(&mut self, name: &'static str, result: Result<(), Miss>) {
        match result {
            Ok(()) => self.passed.push(name),
            Err(Miss::Broken(why)) => self.failed.push((name, why)),
            Err(Miss::CannotRun(why)) => self.not_run.push((name, why)),
        }
    }

    /// Fails the test unless every case ran and held, but for those named in `may_not_run`. A suite that ran nothing fails.
    ///
    /// # Panics
    ///
    /// With the list of what failed.
    pub fn assert_passed(&self, may_not_run: &[&str]) {
        let excused = |name: &str| may_not_run.contains(&name);
        let unexcused: Vec<_> = self.not_run.iter().filter(|(name, _)| !excused(name)).collect();
        assert!(
            self.failed.is_empty() && unexcused.is_empty() && !self.passed.is_empty(),
            "the contract is broken\nfailed: {:#?}\nnot run: {unexcused:#?}\npassed: {:?}",
            self.failed,
            self.passed
        );
    }
}

/// Why a case did not pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Miss {
    /// The contract is broken.
    Broken(String),
    /// The implementation cannot be put into the situation.
    CannotRun(String),
}

impl<T: std::fmt::Display> From<T> for Miss {
    fn from(why: T) -> Self {
        Miss::Broken(why.to_string())
    }
}

/// Turns an unmet expectation into a broken case.
macro_rules! hold {
    ($condition:expr, $($why:tt)+) => {
        if !$condition {
            return Err($crate::conformance::Miss::Broken(format!($($why)+)));
        }
    };
}
use hold;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "the contract is broken")]
    fn a_suite_that_ran_nothing_fails() {
        Report::default().assert_passed(&[]);
    }

    #[test]
    #[should_panic(expected = "no shell here")]
    fn a_case_that_cannot_run_fails_unless_excused() {
        let mut report = Report::default();
        report.add("a", Ok(()));
        report.add("b", Err(Miss::CannotRun("no shell here".into())));
        report.assert_passed(&["b"]);
        report.assert_passed(&[]);
    }
}
