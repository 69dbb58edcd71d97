//! What a sandbox enforces, and how much of it was reached.

use std::fmt;

/// One thing that a sandbox enforces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Protection {
    /// Files outside the grants cannot be read, written or executed.
    Files,
    /// Mode, owner and times of files outside the writable grants cannot be changed.
    FileMetadata,
    /// Paths asked to be hidden are hidden.
    Hidden,
    /// No connection where the network is denied, and never one to a program of the same host.
    Network,
    /// An empty network of its own, where the network is denied.
    NetworkNamespace,
    /// Every descendant ends with the run, one that left its process group too.
    ProcessNamespace,
    /// No signal to a process outside.
    Signals,
    /// No privilege can be gained, and none is held.
    Privileges,
    /// System calls that reach around the other layers (tracing, key rings, mounts) are denied.
    SystemCalls,
    /// The limits on memory and file size.
    Limits,
    /// The limit on processes, where one was asked for.
    ProcessLimit,
    /// No descriptor of the parent is open.
    Descriptors,
}

impl Protection {
    /// Every protection.
    pub const ALL: &[Protection] = &[
        Protection::Files,
        Protection::FileMetadata,
        Protection::Hidden,
        Protection::Network,
        Protection::NetworkNamespace,
        Protection::ProcessNamespace,
        Protection::Signals,
        Protection::Privileges,
        Protection::SystemCalls,
        Protection::Limits,
        Protection::ProcessLimit,
        Protection::Descriptors,
    ];

    /// A stable name, for records.
    pub fn as_str(self) -> &'static str {
        match self {
            Protection::Files => "files",
            Protection::FileMetadata => "file-metadata",
            Protection::Hidden => "hidden-files",
            Protection::Network => "network",
            Protection::NetworkNamespace => "network-namespace",
            Protection::ProcessNamespace => "process-namespace",
            Protection::Signals => "signals",
            Protection::Privileges => "privileges",
            Protection::SystemCalls => "system-calls",
            Protection::Limits => "limits",
            Protection::ProcessLimit => "process-limit",
            Protection::Descriptors => "descriptors",
        }
    }
}

impl fmt::Display for Protection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What was enforced on a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Enforcement {
    /// All that the policy asks for, by the operating system.
    Enforced,
    /// Some of it; what is missing, in the order of [`Protection::ALL`], at least one.
    Partial(Vec<Protection>),
    /// Nothing: an ordinary child process.
    None,
}

impl Enforcement {
    /// The level for what is missing: nothing is `Enforced`.
    pub fn missing(mut missing: Vec<Protection>) -> Self {
        missing.sort();
        missing.dedup();
        if missing.is_empty() {
            Enforcement::Enforced
        } else {
            Enforcement::Partial(missing)
        }
    }

    /// Whether one protection holds.
    pub fn holds(&self, protection: Protection) -> bool {
        match self {
            Enforcement::Enforced => true,
            Enforcement::Partial(missing) => !missing.contains(&protection),
            Enforcement::None => false,
        }
    }
}

impl fmt::Display for Enforcement {
    /// `enforced`, `partial (without process-namespace, network-namespace)` or `none`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Enforcement::Enforced => f.write_str("enforced"),
            Enforcement::None => f.write_str("none"),
            Enforcement::Partial(missing) => {
                let names: Vec<&str> = missing.iter().map(|p| p.as_str()).collect();
                write!(f, "partial (without {})", names.join(", "))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn enforcement_is_named() {
        let check = |missing: &[Protection], text: &str| {
            assert_eq!(Enforcement::missing(missing.to_vec()).to_string(), text);
        };
        check(&[], "enforced");
        check(
            &[Protection::ProcessNamespace, Protection::Files, Protection::Files],
            "partial (without files, process-namespace)",
        );
        assert!(!Enforcement::missing(vec![Protection::Files]).holds(Protection::Files));
        assert!(Enforcement::missing(vec![Protection::Files]).holds(Protection::Network));
        assert!(!Enforcement::None.holds(Protection::Limits));
    }
}
