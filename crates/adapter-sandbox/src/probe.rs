//! Whether the sandbox holds on this host: a child tries to get out.

use crate::adapter::{Helper, SandboxConfig, SubprocessSandbox};
use std::net::TcpListener;
use std::path::Path;
use std::time::Duration;
use understory_ports::sandbox::{Enforcement, Outcome, Protection};
use understory_ports::{CallContext, Sandbox, SandboxCommand, SandboxError};

/// The first argument of this program as the child that tries.
pub(crate) const PROBE_ARGUMENT: &str = "__understory_sandbox_probe";

/// The exit code of a child to which nothing worked; a bit is added for each thing that did. No program ends so by chance.
const ATTEMPTED: i32 = 96;
/// The exit code of a child to which everything worked.
const LAST: i32 = ATTEMPTED + 7;

/// What the child could do. In order: read a file, write one, connect.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Escapes {
    /// It read a file that was not granted.
    pub read: bool,
    /// It wrote a file that was not granted.
    pub write: bool,
    /// It connected to a socket of this host.
    pub connect: bool,
}

/// What [`probe`] found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Probed {
    /// What the sandbox says it enforces.
    pub enforcement: Enforcement,
    /// What a child could do all the same; `None` where none could be run.
    pub escapes: Option<Escapes>,
    /// One line for a person.
    pub summary: String,
    /// What to do about it, where something is missing.
    pub remedy: Option<String>,
}

impl Probed {
    /// Whether everything is enforced and the child got nowhere.
    pub fn is_full(&self) -> bool {
        self.enforcement == Enforcement::Enforced && self.escapes == Some(Escapes::default())
    }
}

/// The child's side: tries, and tells by its exit code what worked. The arguments are a file to read, one to write, and
/// an address.
pub(crate) fn attempt(args: &[std::ffi::OsString]) -> i32 {
    let [read, write, address] = args else { return 64 };
    let mut code = ATTEMPTED;
    if std::fs::read(read).is_ok() {
        code += 1;
    }
    if std::fs::write(write, "x").is_ok() {
        code += 2;
    }
    let address = address.to_str().and_then(|a| a.parse().ok());
    if address.is_some_and(|a| std::net::TcpStream::connect_timeout(&a, Duration::from_secs(2)).is_ok()) {
        code += 4;
    }
    code
}

/// Runs a child that tries to read a file, to write one and to connect, each of which this process can do, and says how
/// far it got. Needs a program that is able to be a helper, since that program is also the child; without one the
/// enforcement alone is told.
pub async fn probe(config: &SandboxConfig) -> Probed {
    probe_under(config, &CallContext::new()).await
}

/// As [`probe`], under what a call allows: where its policy requires a sandbox that this host does not have, no child runs, and
/// what is missing is told all the same.
pub async fn probe_under(config: &SandboxConfig, cx: &CallContext) -> Probed {
    let own = crate::is_helper().then(std::env::current_exe).and_then(Result::ok);
    let program = match &config.helper {
        Helper::Program(program) => Some(program.clone()),
        Helper::OwnBinary | Helper::None => own,
    };
    match try_probe(config, program.as_deref(), cx).await {
        Ok(probed) => probed,
        Err(why) => unprobed(&*why),
    }
}

/// What is told when no child ran.
fn unprobed(why: &(dyn std::error::Error + 'static)) -> Probed {
    match why.downcast_ref() {
        Some(SandboxError::NotEnforced { reached }) => Probed {
            enforcement: reached.clone(),
            escapes: None,
            summary: format!("{reached}; no child was run, since a full sandbox is required"),
            remedy: remedy(reached),
        },
        _ => Probed {
            enforcement: Enforcement::None,
            escapes: None,
            summary: format!("no child could be run: {why}"),
            remedy: Some("check that the cache can be written and that the program's file can be read".into()),
        },
    }
}

async fn try_probe(
    config: &SandboxConfig,
    program: Option<&Path>,
    cx: &CallContext,
) -> Result<Probed, Box<dyn std::error::Error + Send + Sync>> {
    let sandbox = SubprocessSandbox::new(config.clone());
    std::fs::create_dir_all(&config.scratch)?;
    let place = tempfile::Builder::new().prefix("probe-").tempdir_in(&config.scratch)?;
    let place = place.path().canonicalize().map(|p| (p, place))?;
    let secret = place.0.join("secret");
    std::fs::write(&secret, "x")?;
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let Some(program) = program else {
        return Ok(Probed {
            enforcement: Enforcement::None,
            escapes: None,
            summary: "not probed: this program cannot be its own sandbox helper".into(),
            remedy: Some("call `helper_main` first in `main`, or name a helper program".into()),
        });
    };
    let mut command = SandboxCommand::new(program, "/")
        .arg(PROBE_ARGUMENT)
        .arg(&secret)
        .arg(place.0.join("written"))
        .arg(listener.local_addr()?.to_string());
    command.limits.time = Duration::from_secs(20);
    let finished = sandbox.run(command, cx).await?;
    let escapes = match finished.outcome {
        Outcome::Exited(code @ ATTEMPTED..=LAST) => Escapes {
            read: (code - ATTEMPTED) & 1 != 0,
            write: (code - ATTEMPTED) & 2 != 0,
            connect: (code - ATTEMPTED) & 4 != 0,
        },
        other => return Err(format!("the child {other}").into()),
    };
    Ok(Probed {
        summary: summary(&finished.enforcement, escapes),
        remedy: remedy(&finished.enforcement),
        enforcement: finished.enforcement,
        escapes: Some(escapes),
    })
}

fn summary(enforcement: &Enforcement, escapes: Escapes) -> String {
    let tried = [
        (escapes.read, "read"),
        (escapes.write, "write"),
        (escapes.connect, "connect"),
    ];
    let escaped: Vec<&str> = tried
        .iter()
        .filter(|(worked, _)| *worked)
        .map(|(_, what)| *what)
        .collect();
    if escaped.is_empty() {
        format!("{enforcement}; a child could not read, write or connect outside")
    } else {
        format!("{enforcement}; a child could {} outside", escaped.join(", "))
    }
}

fn remedy(enforcement: &Enforcement) -> Option<String> {
    let advice = match enforcement {
        Enforcement::Enforced => return None,
        _ if !cfg!(target_os = "linux") => "full enforcement needs Linux",
        _ if !enforcement.holds(Protection::Files) => {
            "use a kernel of version 6.2 or newer with Landlock among its security modules (`lsm=` at boot)"
        }
        _ if !enforcement.holds(Protection::ProcessNamespace) => {
            "allow unprivileged user namespaces, or run as a user that may make namespaces (in a container: CAP_SYS_ADMIN)"
        }
        _ => "use a newer kernel",
    };
    Some(advice.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_tells_what_worked() {
        let check = |escapes: Escapes, expected: &str| assert_eq!(summary(&Enforcement::Enforced, escapes), expected);
        check(
            Escapes::default(),
            "enforced; a child could not read, write or connect outside",
        );
        let all = Escapes {
            read: true,
            write: true,
            connect: true,
        };
        check(all, "enforced; a child could read, write, connect outside");
    }

    #[test]
    fn where_a_full_sandbox_is_required_no_child_runs_and_what_is_missing_is_told() {
        let reached = Enforcement::missing(vec![Protection::Network]);
        let probed = unprobed(&SandboxError::NotEnforced {
            reached: reached.clone(),
        });
        assert_eq!((&probed.enforcement, probed.escapes), (&reached, None));
        assert!(probed.summary.contains("no child was run") && probed.remedy.is_some());
        let other = unprobed(&std::io::Error::other("no"));
        assert_eq!(other.summary, "no child could be run: no");
    }

    #[test]
    fn every_lack_has_a_remedy() {
        assert_eq!(remedy(&Enforcement::Enforced), None);
        for protection in Protection::ALL {
            assert!(
                remedy(&Enforcement::missing(vec![*protection])).is_some(),
                "{protection}"
            );
        }
        assert!(remedy(&Enforcement::None).is_some());
    }
}
