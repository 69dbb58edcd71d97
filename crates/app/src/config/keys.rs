//! The keys of the configuration: one table that the files, the environment, `understory config` and the manual share.

use understory_core::limits::{LIMIT, TEXT_CHARS, TEXT_LIMIT};

/// What a value looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A directory of the host.
    Directory,
    /// A file of the host.
    File,
    /// A directory of the repository.
    Scope,
    /// True or false.
    Switch,
    /// A whole number from 1 to this.
    Number(u32),
    /// Names of tools.
    Tools,
    /// Globs, as lines of an ignore file.
    Globs,
}

/// What the file of a project may do with a key. It comes with the repository, from anybody.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Project {
    /// Nothing.
    No,
    /// Set it: a user's own value stands before it.
    Sets,
    /// Switch it on; switching it off is the user's.
    On,
    /// Lower it.
    Lowers,
    /// Add to it.
    Adds,
}

/// A key.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// As files write it; a dot parts a table from its key.
    pub name: &'static str,
    /// What its value looks like.
    pub kind: Kind,
    /// What a project may do with it.
    pub project: Project,
    /// The option of the command line, if there is one.
    pub flag: Option<&'static str>,
}

/// Every key, in the order in which they are shown.
pub const KEYS: [Key; 12] = [
    key("cache", Kind::Directory, Project::No, Some("--cache")),
    key("record", Kind::File, Project::No, Some("--run-record")),
    key("graft_program", Kind::File, Project::No, Some("--graft-program")),
    key("offline", Kind::Switch, Project::On, Some("--offline")),
    key("require_sandbox", Kind::Switch, Project::On, Some("--require-sandbox")),
    key("scope", Kind::Scope, Project::Sets, Some("--in")),
    key("deny", Kind::Tools, Project::Adds, None),
    key("guard", Kind::Globs, Project::Adds, None),
    key("exclude", Kind::Globs, Project::Adds, None),
    key(
        "limits.text_chars",
        Kind::Number(TEXT_CHARS as u32),
        Project::Lowers,
        None,
    ),
    key("limits.hits", Kind::Number(LIMIT), Project::Lowers, None),
    key("limits.text_lines", Kind::Number(TEXT_LIMIT), Project::Lowers, None),
];

const fn key(name: &'static str, kind: Kind, project: Project, flag: Option<&'static str>) -> Key {
    Key {
        name,
        kind,
        project,
        flag,
    }
}

/// The key of a name.
pub fn find(name: &str) -> Option<&'static Key> {
    KEYS.iter().find(|k| k.name == name)
}

impl Key {
    /// The environment variable that sets it.
    pub fn variable(&self) -> String {
        format!("UNDERSTORY_{}", self.name.replace('.', "_").to_uppercase())
    }
}
