//! `understory doctor`: what this host lacks before anyone needs it.

use super::common;
use super::status::of_worktree;
use crate::cli::{Backend, Cli};
use crate::compose::{self, Composed};
use crate::environment::Environment;
use crate::exit;
use crate::failure::Failure;
use crate::output::Output;
use crate::provisioning;
use serde_json::json;
use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;
use understory_adapter_graft::GraftSearch;
use understory_adapter_npm::NpmProvisioner;
use understory_adapter_sandbox::SubprocessSandbox;
use understory_core::answer::SCHEMA;
use understory_core::guard::Guard;
use understory_core::staged::StagedSet;
use understory_ports::{Policy, Provisioner as _};

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
    id: Cow<'static, str>,
    grade: Grade,
    /// For a person; may name host paths.
    message: String,
    hint: Option<String>,
}

/// Runs every check; the code says whether one is bad.
pub fn run(cli: &Cli, environment: &Environment, out: &mut Output) -> Result<u8, Failure> {
    let cache = compose::cache(cli, environment);
    let settings = compose::settings_here(cli, environment);
    let policy = Policy {
        offline: settings.offline(),
        require_sandbox: settings.require_sandbox(),
    };
    let mut checks = match compose::compose(cli, environment) {
        Ok(composed) => checks(&composed, policy, out)?,
        Err(failure) => vec![Check {
            id: "repository".into(),
            grade: Grade::Bad,
            message: failure.heading,
            hint: Some("name the repository's directory with --repo DIR".to_owned()),
        }],
    };
    checks.extend(tools(environment, cache.as_deref(), policy, out)?);
    if cli.common.backend == Backend::Graft || settings.graft_program().is_some() {
        let graft = compose::graft(environment, cache.as_deref(), &Guard::default(), &settings);
        checks.push(graft_answers(&graft, policy, out)?);
    }
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
            lines.extend(c.hint.as_ref().map(|h| format!("     {:<12}hint: {h}", "")));
        }
        out.text(&lines.join("\n"));
    }
    Ok(if bad { exit::FAILED } else { exit::FOUND })
}

fn checks(composed: &Composed, policy: Policy, out: &Output) -> Result<Vec<Check>, Failure> {
    let cx = common::context(out).with_policy(policy);
    let snapshot = common::block_on(composed.ports.worktree.snapshot(&composed.root, &StagedSet::new(), &cx))?;
    let repository = match snapshot {
        Ok(tree) => Check {
            id: "repository".into(),
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
            id: "repository".into(),
            grade: Grade::Bad,
            message: of_worktree(error).causes.join(": "),
            hint: Some("name a readable directory with --repo DIR".to_owned()),
        },
    };
    let backend = composed.ports.search.identity();
    let modes = composed.ports.search.supports().modes;
    let words: Vec<&str> = modes.iter().map(|m| m.as_str()).collect();
    let backend = Check {
        id: "backend".into(),
        grade: if modes.is_empty() { Grade::Bad } else { Grade::Ok },
        message: format!("{} {}: {}", backend.name, backend.version, words.join(", ")),
        hint: None,
    };
    Ok(vec![repository, cache(composed.cache.as_deref()), backend])
}

/// What a backend that is another project's tool needs of the host. Nothing of it is bad: the native backend needs none.
fn tools(environment: &Environment, cache: Option<&Path>, policy: Policy, out: &Output) -> Result<Vec<Check>, Failure> {
    let scratch = tempfile::tempdir().map_err(|e| Failure::new("cannot make a temporary directory").because(&e))?;
    let config = provisioning::sandbox(environment, scratch.path());
    let npm = provisioning::npm(environment, scratch.path());
    let sandbox = SubprocessSandbox::new(config.clone());
    let cx = common::context(out).with_policy(policy);
    let (lines, probed) = common::block_on(async {
        let lines = understory_adapter_npm::doctor(&npm, &sandbox, provisioning::NODE, &cx).await;
        (lines, understory_adapter_sandbox::probe_under(&config, &cx).await)
    })?;
    let grade = |ok: bool| if ok { Grade::Ok } else { Grade::Note };
    let mut checks: Vec<Check> = lines
        .into_iter()
        .map(|line| Check {
            id: line.id.into(),
            grade: grade(line.ok),
            message: line.message,
            hint: line.remedy.map(str::to_owned),
        })
        .collect();
    checks.push(git(environment));
    if let Some(cache) = cache {
        checks.extend(pinned(environment, cache)?);
    }
    checks.push(Check {
        id: "sandbox".into(),
        grade: grade(probed.is_full()),
        message: probed.summary,
        hint: probed.remedy,
    });
    Ok(checks)
}

/// The pinned tools. One that is not installed is worth knowing and no more.
fn pinned(environment: &Environment, cache: &Path) -> Result<Vec<Check>, Failure> {
    let npm = provisioning::npm(environment, cache);
    let sandbox = Arc::new(SubprocessSandbox::new(provisioning::sandbox(
        environment,
        &cache.join("sandbox"),
    )));
    let provisioner = NpmProvisioner::new(npm, sandbox);
    let mut checks = Vec::new();
    for pin in provisioning::pins(cache) {
        let found = common::block_on(provisioner.locate(&pin))?;
        let (grade, message, hint) = match found {
            Ok(Some(installed)) => (
                Grade::Ok,
                format!("{} at {}", pin.version, installed.prefix().display()),
                None,
            ),
            Ok(None) => (
                Grade::Note,
                format!("{} is not installed", pin.version),
                Some("run `understory provision` to install it".to_owned()),
            ),
            Err(error) => (Grade::Note, error.to_string(), None),
        };
        checks.push(Check {
            id: pin.tool,
            grade,
            message,
            hint,
        });
    }
    Ok(checks)
}

/// Whether the program that the backend would run answers: the same sealed process as a query's, its words looked at.
fn graft_answers(graft: &GraftSearch, policy: Policy, out: &Output) -> Result<Check, Failure> {
    let cx = common::context(out).with_policy(policy);
    let check = |grade, message, hint| Check {
        id: "graft probe".into(),
        grade,
        message,
        hint,
    };
    Ok(match common::block_on(graft.probe(&cx))? {
        Ok(version) if version == understory_adapter_graft::VERSION => {
            check(Grade::Ok, format!("answers as version {version}"), None)
        }
        Ok(version) => check(
            Grade::Note,
            format!("answers as version {version}"),
            Some(format!("the backend is made for {}", understory_adapter_graft::VERSION)),
        ),
        Err(error) => check(Grade::Note, error.into_refusal().message, None),
    })
}

/// The git program. This program reads repositories without it; another project's tool may call it.
fn git(environment: &Environment) -> Check {
    let name = if cfg!(windows) { "git.exe" } else { "git" };
    let search = environment.variable("PATH").unwrap_or_default();
    let found = std::env::split_paths(&search)
        .map(|dir| dir.join(name))
        .find(|path| path.is_file());
    match found {
        Some(path) => Check {
            id: "git".into(),
            grade: Grade::Ok,
            message: path.display().to_string(),
            hint: None,
        },
        None => Check {
            id: "git".into(),
            grade: Grade::Note,
            message: "not on PATH".to_owned(),
            hint: Some("install git for backends that call it; the native one does not".to_owned()),
        },
    }
}

fn cache(cache: Option<&Path>) -> Check {
    let check = |grade, message, hint: Option<&str>| Check {
        id: "cache".into(),
        grade,
        message,
        hint: hint.map(str::to_owned),
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
