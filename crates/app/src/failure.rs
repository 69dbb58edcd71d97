//! What ends a command: a heading, its causes, and what to do.

use understory_core::NotSearched;
use understory_core::path::escape_control;
use understory_core::refusal::Refusal;
use understory_core::render::not_searched;

/// A failure for a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// One line.
    pub heading: String,
    /// From the nearest to the first.
    pub causes: Vec<String>,
    /// Sentences that say what to do.
    pub hints: Vec<String>,
    /// Sentences that say what else to know.
    pub notes: Vec<String>,
}

impl Failure {
    /// With a heading alone.
    pub fn new(heading: impl Into<String>) -> Self {
        Failure {
            heading: heading.into(),
            causes: Vec::new(),
            hints: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// With an error and its sources as causes.
    pub fn because(mut self, error: &dyn std::error::Error) -> Self {
        self.causes.push(error.to_string());
        let mut source = error.source();
        while let Some(cause) = source {
            self.causes.push(cause.to_string());
            source = cause.source();
        }
        self
    }

    /// With what was not searched, where what is asked for may be.
    pub fn not_searched(mut self, missing: Option<&NotSearched>) -> Self {
        self.notes
            .extend(missing.map(not_searched).filter(|sentence| !sentence.is_empty()));
        self
    }

    /// With a hint.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }
}

impl From<&Refusal> for Failure {
    fn from(refusal: &Refusal) -> Self {
        let mut failure = Failure::new(format!("{} ({})", escape_control(&refusal.message), refusal.code));
        if let Some(detail) = refusal.detail() {
            failure.causes = detail.lines().map(escape_control).collect();
        }
        // A sentence that offers them already needs no hint.
        if refusal
            .suggestions
            .iter()
            .any(|s| !refusal.message.contains(s.as_str()))
        {
            let near: Vec<String> = refusal.suggestions.iter().map(|s| escape_control(s)).collect();
            failure.hints.push(format!("near: {}", near.join(", ")));
        }
        failure
    }
}
