//! Named, expected "no"s.

use crate::answer::NotSearched;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The stable code of a refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum RefusalCode {
    /// A mode outside the list.
    BadMode,
    /// The mode needs a query.
    NoQuery,
    /// The mode needs a file.
    NoFile,
    /// A regex that does not compile, or a query longer than the bound.
    BadQuery,
    /// A scope that names no directory of the tree.
    BadScope,
    /// No definition of that name in the tree.
    NoSymbol,
    /// A path that the tree does not have.
    NoSuchFile,
    /// Node.js is absent or too old.
    NoNode,
    /// The backend is not provisioned, could not be installed, or does not answer.
    Unavailable,
    /// No index after a build was tried.
    NoIndex,
    /// The bound passed.
    Timeout,
    /// An unknown argument value.
    BadArgument,
    /// A staged path or content that is not allowed.
    BadStaged,
    /// A mode, scope or staged set that this backend cannot answer.
    Unsupported,
    /// A replayed session asks for what is not on its tape.
    NotRecorded,
    /// Required enforcement is missing.
    NoSandbox,
    /// The backend crashed, was killed, or answered what cannot be read.
    BadOutput,
    /// Another process holds the index and the deadline passed.
    Busy,
    /// A path that the guard does not let a session read.
    ProtectedPath,
    /// The orchestrator cancelled the call.
    Cancelled,
}

impl RefusalCode {
    /// Whether it says that the tree does not have something, which is so only of what was searched.
    pub fn says_missing(self) -> bool {
        matches!(
            self,
            RefusalCode::NoSymbol | RefusalCode::NoSuchFile | RefusalCode::BadScope
        )
    }

    /// Every code.
    pub const ALL: &[RefusalCode] = &[
        RefusalCode::BadMode,
        RefusalCode::NoQuery,
        RefusalCode::NoFile,
        RefusalCode::BadQuery,
        RefusalCode::BadScope,
        RefusalCode::NoSymbol,
        RefusalCode::NoSuchFile,
        RefusalCode::NoNode,
        RefusalCode::Unavailable,
        RefusalCode::NoIndex,
        RefusalCode::Timeout,
        RefusalCode::BadArgument,
        RefusalCode::BadStaged,
        RefusalCode::Unsupported,
        RefusalCode::NotRecorded,
        RefusalCode::NoSandbox,
        RefusalCode::BadOutput,
        RefusalCode::Busy,
        RefusalCode::ProtectedPath,
        RefusalCode::Cancelled,
    ];

    /// The code as answers carry it.
    pub fn as_str(self) -> &'static str {
        match self {
            RefusalCode::BadMode => "search_code.bad_mode",
            RefusalCode::NoQuery => "search_code.no_query",
            RefusalCode::NoFile => "search_code.no_file",
            RefusalCode::BadQuery => "search_code.bad_query",
            RefusalCode::BadScope => "search_code.bad_scope",
            RefusalCode::NoSymbol => "search_code.no_symbol",
            RefusalCode::NoSuchFile => "search_code.no_such_file",
            RefusalCode::NoNode => "search_code.no_node",
            RefusalCode::Unavailable => "search_code.unavailable",
            RefusalCode::NoIndex => "search_code.no_index",
            RefusalCode::Timeout => "search_code.timeout",
            RefusalCode::BadArgument => "search_code.bad_argument",
            RefusalCode::BadStaged => "search_code.bad_staged",
            RefusalCode::Unsupported => "search_code.unsupported",
            RefusalCode::NotRecorded => "search_code.not_recorded",
            RefusalCode::NoSandbox => "search_code.no_sandbox",
            RefusalCode::BadOutput => "search_code.bad_output",
            RefusalCode::Busy => "search_code.busy",
            RefusalCode::ProtectedPath => "search_code.protected_path",
            RefusalCode::Cancelled => "search_code.cancelled",
        }
    }
}

impl fmt::Display for RefusalCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for RefusalCode {
    fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for RefusalCode {
    fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let text = String::deserialize(d)?;
        RefusalCode::ALL
            .iter()
            .copied()
            .find(|c| c.as_str() == text)
            .ok_or_else(|| serde::de::Error::custom(format!("unknown refusal code {text:?}")))
    }
}

/// A named, expected "no": what was found, what is needed, what to do. The run goes on without the tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// The stable code.
    pub code: RefusalCode,
    /// One or a few sentences for the model; no host path in them.
    pub message: String,
    /// Values that would have been accepted, nearest first.
    #[serde(default)]
    pub suggestions: Vec<String>,
    /// What was not searched, where what is asked for may be in it. An answer carries it beside the refusal.
    #[serde(skip)]
    not_searched: Option<Box<NotSearched>>,
    /// For the operator only (host paths, an installer's tail): never serialised.
    #[serde(skip)]
    detail: Option<String>,
}

impl Refusal {
    /// A refusal with its sentence.
    pub fn new(code: RefusalCode, message: impl Into<String>) -> Self {
        Refusal {
            code,
            message: message.into(),
            suggestions: Vec::new(),
            not_searched: None,
            detail: None,
        }
    }

    /// With values that would have been accepted, nearest first.
    pub fn suggesting(mut self, suggestions: Vec<String>) -> Self {
        self.suggestions = suggestions;
        self
    }

    /// With the files that were not searched: what is asked for may be in one of them.
    pub fn with_not_searched(mut self, not_searched: NotSearched) -> Self {
        self.not_searched = Some(Box::new(not_searched));
        self
    }

    /// The files that were not searched, if the refusal says that something is not there.
    pub fn not_searched(&self) -> Option<&NotSearched> {
        self.not_searched.as_deref()
    }

    /// With detail for the operator, which never reaches the model or the record.
    pub fn with_detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = Some(detail.into());
        self
    }

    /// Detail for the operator: host paths, an installer's tail.
    pub fn detail(&self) -> Option<&str> {
        self.detail.as_deref()
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.message, self.code)
    }
}

impl std::error::Error for Refusal {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_unique_and_read_back() {
        let mut seen = std::collections::BTreeSet::new();
        for &code in RefusalCode::ALL {
            assert!(code.as_str().starts_with("search_code."));
            assert!(seen.insert(code.as_str()), "{code} twice");
            let json = serde_json::to_string(&code).unwrap();
            assert_eq!(serde_json::from_str::<RefusalCode>(&json).unwrap(), code);
        }
    }

    #[test]
    fn detail_is_not_serialised() {
        let refusal = Refusal::new(RefusalCode::Unavailable, "not installed").with_detail("/home/x/cache");
        let json = serde_json::to_string(&refusal).unwrap();
        assert!(!json.contains("/home/x"), "{json}");
        assert_eq!(refusal.detail(), Some("/home/x/cache"));
    }
}
