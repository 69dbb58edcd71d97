//! What this host lacks for provisioning, one line each.

use crate::adapter::NpmConfig;
use crate::node::{self, on_path};
use understory_ports::provisioner::ProvisionError;
use understory_ports::{CallContext, Sandbox};

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// A stable name: `node`, `npm`, `toolchain`.
    pub id: &'static str,
    /// Whether it is as it should be.
    pub ok: bool,
    /// What was found.
    pub message: String,
    /// What to do about it, where something is missing.
    pub remedy: Option<&'static str>,
}

impl Line {
    fn good(id: &'static str, message: String) -> Self {
        Line {
            id,
            ok: true,
            message,
            remedy: None,
        }
    }

    fn lacking(id: &'static str, message: String, remedy: &'static str) -> Self {
        Line {
            id,
            ok: false,
            message,
            remedy: Some(remedy),
        }
    }
}

/// Looks for Node.js of at least version `needed`, npm, and what a package that compiles needs. Installs nothing and
/// reaches no network; runs `node --version` in the sandbox.
pub async fn doctor(config: &NpmConfig, sandbox: &dyn Sandbox, needed: u32, cx: &CallContext) -> Vec<Line> {
    let install_node = "install Node.js 20 or newer and put it on PATH";
    let mut lines = Vec::new();
    match node::find(config, sandbox, needed, cx).await {
        Ok(found) => {
            let place = found.program.display();
            lines.push(Line::good("node", format!("Node.js {} at {place}", found.version)));
            lines.push(match node::npm(config, &found) {
                Ok(npm) => Line::good("npm", format!("npm {} at {}", npm.version, npm.root.display())),
                Err(e) => Line::lacking("npm", e.to_string(), "install npm; it comes with Node.js"),
            });
        }
        Err(e @ ProvisionError::Sandbox { .. }) => {
            lines.push(Line::lacking("node", e.to_string(), "see the line on the sandbox"));
        }
        Err(e) => {
            lines.push(Line::lacking("node", e.to_string(), install_node));
            lines.push(Line::lacking(
                "npm",
                "not looked for without Node.js".into(),
                install_node,
            ));
        }
    }
    lines.push(toolchain(config));
    lines
}

fn toolchain(config: &NpmConfig) -> Line {
    let has = |names: &[&str]| names.iter().any(|name| !on_path(&config.search, name).is_empty());
    let wanted = [
        ("a C compiler", has(&["cc", "gcc", "clang"])),
        ("a C++ compiler", has(&["c++", "g++", "clang++"])),
        ("make", has(&["make", "gmake"])),
        ("python3", has(&["python3", "python"])),
    ];
    let missing: Vec<&str> = wanted
        .iter()
        .filter(|(_, found)| !found)
        .map(|(name, _)| *name)
        .collect();
    if missing.is_empty() {
        Line::good("toolchain", "a C/C++ compiler, make and python3 are there".into())
    } else {
        Line::lacking(
            "toolchain",
            format!("{} not found", missing.join(", ")),
            "install a C/C++ toolchain, make and python3; one grammar of one backend is compiled",
        )
    }
}
