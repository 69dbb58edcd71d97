//! Node.js and npm of the host: found on a search path, asked for their version, never installed.

use crate::adapter::NpmConfig;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Duration;
use understory_ports::provisioner::ProvisionError;
use understory_ports::sandbox::{Outcome, SandboxError};
use understory_ports::{CallContext, Sandbox, SandboxCommand};

/// How long `node --version` may take.
const BOUND: Duration = Duration::from_secs(30);

/// Node.js on this host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// The program.
    pub program: PathBuf,
    /// Its version, without the `v`.
    pub version: String,
}

/// npm on this host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Npm {
    /// The script that Node.js runs.
    pub script: PathBuf,
    /// The directory that holds npm's own files.
    pub root: PathBuf,
    /// Its version.
    pub version: String,
}

/// The number before the first dot.
pub fn major(version: &str) -> Option<u32> {
    version.split('.').next()?.parse().ok()
}

/// Files of that name on a search path, in its order. Relative entries are passed over: they mean another place in each
/// working directory.
pub fn on_path(search: &OsStr, name: &str) -> Vec<PathBuf> {
    let name = if cfg!(windows) {
        format!("{name}.exe")
    } else {
        name.to_owned()
    };
    std::env::split_paths(search)
        .filter(|directory| directory.is_absolute())
        .map(|directory| directory.join(&name))
        .filter(|file| file.is_file())
        .collect()
}

/// The first Node.js on the path that is new enough.
pub async fn find(
    config: &NpmConfig,
    sandbox: &dyn Sandbox,
    needed: u32,
    cx: &CallContext,
) -> Result<Node, ProvisionError> {
    let mut old: Option<Node> = None;
    for program in on_path(&config.search, "node") {
        let Some(version) = ask(sandbox, &program, cx).await? else {
            continue;
        };
        let node = Node { program, version };
        if major(&node.version).is_some_and(|m| m >= needed) {
            return Ok(node);
        }
        old.get_or_insert(node);
    }
    Err(match old {
        Some(node) => ProvisionError::OldNode {
            found: node.version,
            needed,
        },
        None => ProvisionError::NoNode { needed },
    })
}

/// The version of a Node.js, `None` where the program does not answer like one.
async fn ask(sandbox: &dyn Sandbox, program: &Path, cx: &CallContext) -> Result<Option<String>, ProvisionError> {
    let mut command = SandboxCommand::new(program, "/").arg("--version").pinned_locale();
    command.limits.time = BOUND;
    command.limits.stdout = 1000;
    match sandbox.run(command, cx).await {
        Ok(finished) => match finished.outcome {
            Outcome::Exited(0) => Ok(version_of(&finished.stdout)),
            Outcome::Cancelled => Err(ProvisionError::Cancelled),
            _ => Ok(None),
        },
        Err(e @ SandboxError::NotEnforced { .. }) => Err(sandbox_error(&e)),
        Err(_) => Ok(None),
    }
}

fn version_of(stdout: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(stdout).ok()?.trim();
    let version = text.strip_prefix('v')?;
    let plain = version
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+'));
    (plain && major(version).is_some()).then(|| version.to_owned())
}

/// npm beside that Node.js, or on the path.
pub fn npm(config: &NpmConfig, node: &Node) -> Result<Npm, ProvisionError> {
    let beside = node.program.canonicalize().ok();
    let beside = [Some(node.program.as_path()), beside.as_deref()]
        .into_iter()
        .flatten()
        .filter_map(Path::parent);
    let installed = beside.flat_map(|bin| {
        ["../lib/node_modules/npm", "node_modules/npm", "../share/nodejs/npm"].map(|place| bin.join(place))
    });
    // On Unix the program on the path is a link into npm's own directory.
    let linked = std::env::split_paths(&config.search)
        .filter(|directory| directory.is_absolute())
        .filter_map(|directory| directory.join("npm").canonicalize().ok())
        .filter_map(|script| Some(script.parent()?.parent()?.to_path_buf()));
    installed
        .chain(linked)
        .filter_map(|root| npm_at(&root))
        .next()
        .ok_or_else(|| ProvisionError::NoNpm {
            node: node.version.clone(),
        })
}

fn npm_at(root: &Path) -> Option<Npm> {
    let root = root.canonicalize().ok()?;
    let script = root.join("bin").join("npm-cli.js");
    let about = std::fs::read(root.join("package.json")).ok()?;
    let about: serde_json::Value = serde_json::from_slice(&about).ok()?;
    if about.get("name")?.as_str()? != "npm" || !script.is_file() {
        return None;
    }
    Some(Npm {
        version: about.get("version")?.as_str()?.to_owned(),
        script,
        root,
    })
}

/// A sandbox that could not run something, without host paths.
pub fn sandbox_error(error: &SandboxError) -> ProvisionError {
    let (what, not_enforced) = match error {
        SandboxError::NotEnforced { reached } => (
            format!("the host enforces only {reached}, and all of it is required"),
            true,
        ),
        SandboxError::Grant { source, .. } => (format!("a path that it needs cannot be opened ({source})"), false),
        SandboxError::Launch { step, source } => (format!("cannot {step} ({source})"), false),
        SandboxError::Helper { what, .. } => (format!("the sandbox helper failed: {what}"), false),
        _ => ("its command is invalid".to_owned(), false),
    };
    ProvisionError::Sandbox { what, not_enforced }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions() {
        let check = |text: &str, expected: Option<&str>| {
            assert_eq!(version_of(text.as_bytes()).as_deref(), expected, "{text:?}");
        };
        check("v20.20.2\n", Some("20.20.2"));
        check("v24.0.0-nightly2025\n", Some("24.0.0-nightly2025"));
        check("20.1.0", None);
        check("v", None);
        check("v20.1.0 /home/me", None);
        check("Python 3", None);
        assert_eq!(major("20.20.2"), Some(20));
        assert_eq!(major("x"), None);
    }

    #[test]
    fn npm_is_told_by_its_own_package() {
        let root = tempfile::tempdir().unwrap();
        let npm = root.path().join("lib/node_modules/npm");
        std::fs::create_dir_all(npm.join("bin")).unwrap();
        std::fs::create_dir_all(root.path().join("bin")).unwrap();
        let node = Node {
            program: root.path().join("bin/node"),
            version: "20.0.0".into(),
        };
        let config = NpmConfig::new(root.path().join("cache"), "relative");
        let missing = super::npm(&config, &node).unwrap_err();
        assert!(matches!(missing, ProvisionError::NoNpm { .. }), "{missing}");
        std::fs::write(npm.join("bin/npm-cli.js"), "").unwrap();
        std::fs::write(npm.join("package.json"), r#"{"name": "other", "version": "1.0.0"}"#).unwrap();
        assert!(super::npm(&config, &node).is_err());
        std::fs::write(npm.join("package.json"), r#"{"name": "npm", "version": "11.19.1"}"#).unwrap();
        assert_eq!(super::npm(&config, &node).unwrap().version, "11.19.1");
    }
}
