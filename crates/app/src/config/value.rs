//! A value of a key, checked against what the key takes.

use super::keys::Kind;
use std::path::PathBuf;
use understory_core::RepoPath;
use understory_core::guard::Guard;
use understory_session::ToolSet;

/// A value as it is written: from a file or from a text.
#[derive(Clone, Debug, PartialEq)]
pub enum Written {
    Text(String),
    Number(i64),
    Switch(bool),
    List(Vec<Written>),
    /// Something that no key takes.
    Other,
}

/// A value of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    Path(PathBuf),
    Scope(RepoPath),
    Switch(bool),
    Number(u32),
    List(Vec<String>),
}

/// Names of every tool there is.
pub fn tools() -> Vec<&'static str> {
    ToolSet::read_only().with_staging().names().to_vec()
}

/// Checks a value. The error says what is allowed, and never what was written: a file may hold anything.
pub fn check(kind: Kind, written: &Written) -> Result<Value, String> {
    match (kind, written) {
        (Kind::Directory | Kind::File, Written::Text(text)) => {
            let path = PathBuf::from(text);
            if path.is_absolute() {
                Ok(Value::Path(path))
            } else {
                Err("it must be an absolute path".to_owned())
            }
        }
        (Kind::Scope, Written::Text(text)) => RepoPath::new_or_root(text.trim())
            .map(Value::Scope)
            .map_err(|why| format!("it must be a directory of the repository: {why}")),
        (Kind::Switch, Written::Switch(on)) => Ok(Value::Switch(*on)),
        (Kind::Number(most), Written::Number(n)) => u32::try_from(*n)
            .ok()
            .filter(|n| (1..=most).contains(n))
            .map(Value::Number)
            .ok_or_else(|| format!("it must be from 1 to {most}")),
        (Kind::Tools, Written::List(items)) => {
            let known = tools();
            list(items, |name| {
                known
                    .contains(&name)
                    .then_some(())
                    .ok_or(format!("the tools are {}", known.join(", ")))
            })
        }
        (Kind::Globs, Written::List(items)) => list(items, |glob| {
            Guard::new([glob])
                .map(|_| ())
                .map_err(|e| format!("a glob cannot be used: {}", e.why))
        }),
        (Kind::Directory | Kind::File, _) => Err("it must be a text, an absolute path".to_owned()),
        (Kind::Scope, _) => Err("it must be a text, a directory of the repository".to_owned()),
        (Kind::Switch, _) => Err("it must be true or false".to_owned()),
        (Kind::Number(most), _) => Err(format!("it must be a whole number from 1 to {most}")),
        (Kind::Tools | Kind::Globs, _) => Err("it must be a list of texts".to_owned()),
    }
}

fn list(items: &[Written], allowed: impl Fn(&str) -> Result<(), String>) -> Result<Value, String> {
    let mut all = Vec::new();
    for item in items {
        let Written::Text(text) = item else {
            return Err("it must be a list of texts".to_owned());
        };
        allowed(text)?;
        all.push(text.clone());
    }
    Ok(Value::List(all))
}

/// A text of the environment, read as its key wants it; lists are parted by commas.
pub fn from_text(kind: Kind, text: &str) -> Written {
    let text = text.trim();
    match kind {
        Kind::Switch => match text.to_ascii_lowercase().as_str() {
            "1" | "true" | "yes" | "on" => Written::Switch(true),
            "0" | "false" | "no" | "off" => Written::Switch(false),
            _ => Written::Other,
        },
        Kind::Number(_) => text.parse().map_or(Written::Other, Written::Number),
        Kind::Tools | Kind::Globs => {
            let parts = text.split(',').map(str::trim).filter(|p| !p.is_empty());
            Written::List(parts.map(|p| Written::Text(p.to_owned())).collect())
        }
        Kind::Directory | Kind::File | Kind::Scope => Written::Text(text.to_owned()),
    }
}
