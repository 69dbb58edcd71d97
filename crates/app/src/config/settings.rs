//! The values that hold, and where each came from.

use super::file::{self, Entry, Unread};
use super::keys::{KEYS, Key, Kind, Project, find};
use super::value::{Value, check, from_text};
use crate::environment::Environment;
use crate::place;
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use understory_core::answer::Finding;
use understory_core::path::escape_control;
use understory_core::{Limits, RepoPath};

/// The name of a project's file, at the root of the repository.
pub const PROJECT_FILE: &str = ".understory.toml";

/// Where a value came from.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    /// Nobody set it.
    Default,
    /// A line of the user's file.
    User(usize),
    /// A line of the project's file.
    Project(usize),
    /// An environment variable.
    Variable(String),
    /// An option of the command line.
    Flag(&'static str),
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Source::Default => f.write_str("default"),
            Source::User(line) => write!(f, "config.toml:{line}"),
            Source::Project(line) => write!(f, "{PROJECT_FILE}:{line}"),
            Source::Variable(name) => f.write_str(name),
            Source::Flag(name) => f.write_str(name),
        }
    }
}

/// The options of the command line that set a key.
#[derive(Clone, Debug, Default)]
pub struct Flags {
    /// Host paths, made absolute.
    pub cache: Option<PathBuf>,
    pub record: Option<PathBuf>,
    pub graft_program: Option<PathBuf>,
    pub scope: Option<RepoPath>,
    pub offline: bool,
    pub require_sandbox: bool,
}

/// The values that hold.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    values: BTreeMap<&'static str, (Value, Vec<Source>)>,
    /// What was left aside, and why.
    pub findings: Vec<Finding>,
    /// The user's file, if the host has a place for one.
    pub user_file: Option<PathBuf>,
}

impl Settings {
    /// The value of a key with everything that had a part in it; `None` when nobody set it.
    pub fn get(&self, name: &str) -> Option<&(Value, Vec<Source>)> {
        self.values.get(name)
    }

    /// Everything that had a part in the value of a key.
    pub fn sources(&self, name: &str) -> String {
        let all = self
            .get(name)
            .map(|(_, sources)| sources.as_slice())
            .unwrap_or(&[Source::Default]);
        let all: Vec<String> = all.iter().map(ToString::to_string).collect();
        all.join(", ")
    }

    fn path(&self, name: &str) -> Option<PathBuf> {
        match self.get(name) {
            Some((Value::Path(path), _)) => Some(path.clone()),
            _ => None,
        }
    }

    fn on(&self, name: &str) -> bool {
        matches!(self.get(name), Some((Value::Switch(true), _)))
    }

    fn list(&self, name: &str) -> Vec<String> {
        match self.get(name) {
            Some((Value::List(items), _)) => items.clone(),
            _ => Vec::new(),
        }
    }

    /// Where indexes are kept, if that was set.
    pub fn cache(&self) -> Option<PathBuf> {
        self.path("cache")
    }

    /// The file of the record.
    pub fn record(&self) -> Option<PathBuf> {
        self.path("record")
    }

    /// Graft's program, if one was named.
    pub fn graft_program(&self) -> Option<PathBuf> {
        self.path("graft_program")
    }

    /// Whether the network is off limits.
    pub fn offline(&self) -> bool {
        self.on("offline")
    }

    /// Whether nothing may run without an enforced sandbox.
    pub fn require_sandbox(&self) -> bool {
        self.on("require_sandbox")
    }

    /// The default scope.
    pub fn scope(&self) -> RepoPath {
        match self.get("scope") {
            Some((Value::Scope(scope), _)) => scope.clone(),
            _ => RepoPath::root(),
        }
    }

    /// Tools that are not handed out.
    pub fn deny(&self) -> Vec<String> {
        self.list("deny")
    }

    /// Globs of what is not served, beside the guard's own.
    pub fn guard(&self) -> Vec<String> {
        self.list("guard")
    }

    /// Globs of files that are left out of the tree.
    pub fn exclude(&self) -> Vec<String> {
        self.list("exclude")
    }

    /// The bounds of a model.
    pub fn limits(&self) -> Limits {
        let number = |name: &str| match self.get(name) {
            Some((Value::Number(n), _)) => *n,
            _ => u32::MAX,
        };
        Limits::default().narrowed(Limits {
            text_chars: number("limits.text_chars") as usize,
            hits: number("limits.hits"),
            text_lines: number("limits.text_lines"),
        })
    }

    fn set(&mut self, key: &Key, value: Value, source: Source) {
        let adds = matches!(key.kind, Kind::Tools | Kind::Globs);
        match (self.values.get_mut(key.name), value) {
            (Some((Value::List(all), sources)), Value::List(more)) if adds => {
                all.extend(more);
                all.sort();
                all.dedup();
                sources.push(source);
            }
            (_, value) => drop(self.values.insert(key.name, (value, vec![source]))),
        }
    }

    /// What the project's file may do with a value that stands already.
    fn narrow(&mut self, key: &Key, value: Value, source: Source) {
        let stands = self.values.get(key.name).map(|(v, _)| v.clone());
        let narrower = match (key.project, &value, stands) {
            (Project::Adds, _, _) => true,
            (Project::On, _, stands) => stands != Some(Value::Switch(true)),
            (Project::Lowers, Value::Number(new), Some(Value::Number(old))) => *new < old,
            (Project::Lowers | Project::Sets, _, None) => true,
            _ => false,
        };
        if narrower {
            self.set(key, value, source);
        }
    }

    fn find(&mut self, id: &str, message: String) {
        self.findings.push(Finding::warning(id, message));
    }
}

/// Lays everything over each other for one repository.
pub fn load(flags: &Flags, environment: &Environment, root: &Path) -> Settings {
    let mut settings = Settings {
        user_file: place::user_file(environment),
        ..Settings::default()
    };
    if let Some(path) = settings.user_file.clone() {
        for (key, entry, value) in entries(&mut settings, &path, "config.toml") {
            settings.set(key, value, Source::User(entry.line));
        }
    }
    variables(&mut settings, environment);
    for (name, value) in [
        ("cache", flags.cache.clone().map(Value::Path)),
        ("record", flags.record.clone().map(Value::Path)),
        ("graft_program", flags.graft_program.clone().map(Value::Path)),
        ("scope", flags.scope.clone().map(Value::Scope)),
        ("offline", flags.offline.then_some(Value::Switch(true))),
        ("require_sandbox", flags.require_sandbox.then_some(Value::Switch(true))),
    ] {
        if let (Some(key), Some(value)) = (find(name), value)
            && let Some(flag) = key.flag
        {
            settings.set(key, value, Source::Flag(flag));
        }
    }
    // Last, for it narrows whatever the others came to.
    for (key, entry, value) in entries(&mut settings, &root.join(PROJECT_FILE), PROJECT_FILE) {
        let place = format!("{PROJECT_FILE}:{}", entry.line);
        match (key.project, &value) {
            (Project::No, _) => {
                let message = format!("{place}: a project's file may not set `{}`.", key.name);
                settings.find("config.forbidden_key", message);
            }
            (Project::On, Value::Switch(false)) => {
                let message = format!("{place}: a project's file may only switch `{}` on.", key.name);
                settings.find("config.forbidden_key", message);
            }
            _ => settings.narrow(key, value, Source::Project(entry.line)),
        }
    }
    settings
}

/// The good entries of a file. The others are findings.
fn entries(settings: &mut Settings, path: &Path, shown: &str) -> Vec<(&'static Key, Entry, Value)> {
    let entries = match file::read(path) {
        None => return Vec::new(),
        Some(Ok(entries)) => entries,
        Some(Err(Unread { why, line })) => {
            let place = line.map_or_else(|| shown.to_owned(), |l| format!("{shown}:{l}"));
            settings.find("config.unreadable", format!("{place}: {why} Nothing of it holds."));
            return Vec::new();
        }
    };
    let mut good = Vec::new();
    for entry in entries {
        let place = format!("{shown}:{}", entry.line);
        let Some(key) = find(&entry.name) else {
            let name: String = escape_control(&entry.name).chars().take(60).collect();
            settings.find("config.unknown_key", format!("{place}: there is no key `{name}`."));
            continue;
        };
        match check(key.kind, &entry.value) {
            Ok(value) => good.push((key, entry, value)),
            Err(why) => settings.find("config.bad_value", format!("{place}: `{}`: {why}.", key.name)),
        }
    }
    good
}

fn variables(settings: &mut Settings, environment: &Environment) {
    let mut ours: Vec<(String, Option<String>)> = environment
        .variables
        .iter()
        .filter_map(|(name, value)| {
            let name = name.to_str().filter(|n| n.starts_with("UNDERSTORY_"))?;
            Some((name.to_owned(), value.to_str().map(str::to_owned)))
        })
        .filter(|(_, value)| value.as_deref() != Some(""))
        .collect();
    ours.sort();
    for (name, text) in ours {
        let Some(key) = KEYS.iter().find(|k| k.variable() == name) else {
            let name: String = escape_control(&name).chars().take(60).collect();
            settings.find(
                "config.unknown_key",
                format!("There is no key for the variable {name}."),
            );
            continue;
        };
        let value = match text {
            Some(text) => check(key.kind, &from_text(key.kind, &text)),
            None => Err("it must be UTF-8".to_owned()),
        };
        match value {
            Ok(value) => settings.set(key, value, Source::Variable(name)),
            Err(why) => settings.find("config.bad_value", format!("{name}: {why}.")),
        }
    }
}
