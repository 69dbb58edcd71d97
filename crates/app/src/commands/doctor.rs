//! `understory doctor`: what this host lacks before anyone needs it.

use super::common;
use super::status::of_worktree;
use crate::cli::Cli;
use crate::compose::{self, Composed};
use crate::environment::Environment;
use crate::exit;
use crate::failure::Failure;
use crate::output::Output;
use serde_json::json;
use std::path::Path;
use understory_core::answer::SCHEMA;
use understory_core::staged::StagedSet;

/// How a check came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Grade {
    /// As it should be.
    Ok,
    /// Worth knowing.
    Note,
    /// Something does not work.
    Bad,
}

impl Grade {
    fn word(self) -> &'static str {
        match self {
            Grade::Ok => "ok",
            Grade::Note => "note",
            Grade::Bad => "bad",
        }
    }
}

struct Check {
    id: &'static str,
    grade: Grade,
    /// For a person; may name host paths.
    message: String,
    hint: Option<&'static str>,
}

/// Runs every check; the code says whether one is bad.
pub fn run(cli: &Cli, environment: &Environment, out: &mut Output) -> Result<u8, Failure> {
    let checks = match compose::compose(cli, environment) {
        Ok(composed) => checks(&composed, out)?,
        Err(failure) => vec![Check {
            id: "repository",
            grade: Grade::Bad,
            message: failure.heading,
            hint: Some("name the repository's directory with --repo DIR"),
        }],
    };
    let bad = checks.iter().any(|c| c.grade == Grade::Bad);
    if cli.common.json {
        let all: Vec<_> = checks
            .iter()
            .map(|c| json!({"id": c.id, "grade": c.grade.word(), "message": c.message, "hint": c.hint}))
            .collect();
        out.text(&json!({"schema": SCHEMA, "ok": !bad, "checks": all}).to_string());
    } else {
        let mut lines = Vec::new();
        for c in &checks {
            lines.push(format!("{:<5}{:<12}{}", c.grade.word(), c.id, c.message));
            lines.extend(c.hint.map(|h| format!("     {:<12}hint: {h}", "")));
        }
        out.text(&lines.join("\n"));
    }
    Ok(if bad { exit::FAILED } else { exit::FOUND })
}

fn checks(composed: &Composed, out: &Output) -> Result<Vec<Check>, Failure> {
    let cx = common::context(out);
    let snapshot = common::block_on(composed.ports.worktree.snapshot(&composed.root, &StagedSet::new(), &cx))?;
    let repository = match snapshot {
        Ok(tree) => Check {
            id: "repository",
            grade: Grade::Ok,
            message: format!(
                "{}, {} files, {}",
                composed.root.display(),
                tree.files().len(),
                if tree.is_git() {
                    "a git work tree"
                } else {
                    "a plain folder"
                }
            ),
            hint: None,
        },
        Err(error) => Check {
            id: "repository",
            grade: Grade::Bad,
            message: of_worktree(error).causes.join(": "),
            hint: Some("name a readable directory with --repo DIR"),
        },
    };
    let backend = composed.ports.search.identity();
    let modes = composed.ports.search.supports().modes;
    let words: Vec<&str> = modes.iter().map(|m| m.as_str()).collect();
    let backend = Check {
        id: "backend",
        grade: if modes.is_empty() { Grade::Bad } else { Grade::Ok },
        message: format!("{} {}: {}", backend.name, backend.version, words.join(", ")),
        hint: None,
    };
    Ok(vec![repository, cache(composed.cache.as_deref()), backend])
}

fn cache(cache: Option<&Path>) -> Check {
    let check = |grade, message, hint| Check {
        id: "cache",
        grade,
        message,
        hint,
    };
    let uncached = Some("answers come uncached; name a writable directory with --cache DIR");
    let Some(cache) = cache else {
        return check(Grade::Note, "there is no place for one".to_owned(), uncached);
    };
    if !cache.exists() {
        let above = cache.ancestors().skip(1).find(|dir| dir.is_dir());
        return match above.map(writable) {
            Some(Ok(())) => check(Grade::Ok, format!("{}, not made yet", cache.display()), None),
            _ => check(Grade::Note, format!("{} cannot be made", cache.display()), uncached),
        };
    }
    match writable(cache) {
        Ok(()) => check(Grade::Ok, cache.display().to_string(), None),
        Err(e) => check(
            Grade::Note,
            format!("{} cannot be written: {e}", cache.display()),
            uncached,
        ),
    }
}

/// Whether a directory can be written in: tried with a file that is removed at once.
fn writable(dir: &Path) -> std::io::Result<()> {
    let probe = dir.join(format!(".understory-probe-{}", std::process::id()));
    std::fs::write(&probe, b"")?;
    std::fs::remove_file(&probe)
}
