//! The port of child processes: one command under one policy, with its end told by name.

mod credential;
mod enforcement;
mod tail;

pub use credential::is_credential_name;
pub use enforcement::{Enforcement, Protection};
pub use tail::{replace_paths, tail_lines};

use crate::context::{CallContext, Policy};
use async_trait::async_trait;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// Whether a child may reach a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Network {
    /// No socket of any kind leaves the sandbox.
    #[default]
    Denied,
    /// TCP and UDP over IPv4 and IPv6. Sockets to programs of the same host (agents, daemons) stay denied.
    Allowed,
}

/// What a command asks of its enforcement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Require {
    /// Run with what the host can enforce; [`Finished::enforcement`] says what that was.
    #[default]
    BestEffort,
    /// Refuse with [`SandboxError::NotEnforced`], before the program runs, unless all of it is enforced.
    Enforced,
}

/// Bounds of one run. Sizes are bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Wall time from start to end; an earlier [`CallContext::deadline`] wins.
    pub time: Duration,
    /// How long the processes have between the request to end and being killed.
    pub grace: Duration,
    /// Data that one process may allocate. Not its address space: a JavaScript engine reserves far more than it uses.
    pub memory: Option<u64>,
    /// Processes and threads at one time, coarsely: a few hundred more may pass. Where a host cannot bind them (as the
    /// superuser on an older kernel) it is not claimed.
    pub processes: Option<u64>,
    /// The largest file that may be written.
    pub file_size: Option<u64>,
    /// Standard output that is kept. A child that writes more is ended with [`Outcome::OutputLimit`].
    pub stdout: usize,
    /// The last bytes of standard error that are kept. More is read and dropped.
    pub stderr_tail: usize,
}

impl Default for Limits {
    /// 60 s, 2 s of grace, no bound on memory, processes and file size, 16 MiB of output, 64 KiB of standard error.
    fn default() -> Self {
        Limits {
            time: Duration::from_secs(60),
            grace: Duration::from_secs(2),
            memory: None,
            processes: None,
            file_size: None,
            stdout: 16 << 20,
            stderr_tail: 64 << 10,
        }
    }
}

/// One command and the whole policy that it runs under. A plain value: nothing is looked up in the calling process.
///
/// The child sees nothing that is not named here: the environment starts from the sandbox's own short list (see
/// [`Sandbox`]), files outside `read`, `write` and the system's libraries do not open, and only `program` and `execute` run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SandboxCommand {
    /// The program: an absolute path. There is no search on PATH.
    pub program: PathBuf,
    /// Its arguments, without the program's own name. Never read by a shell.
    pub args: Vec<OsString>,
    /// Working directory: an absolute path.
    pub cwd: PathBuf,
    /// Environment on top of the sandbox's own list; a name given here wins.
    pub env: BTreeMap<OsString, OsString>,
    /// Files and directories (with all below) that may be read.
    pub read: Vec<PathBuf>,
    /// Files and directories (with all below) that may be read and written.
    pub write: Vec<PathBuf>,
    /// What may be executed beside `program` (and the interpreters that it names): files, one by one. A directory is
    /// allowed and means every file below it; that is for installers alone.
    pub execute: Vec<PathBuf>,
    /// Files and directories inside `read` or `write` whose contents the child must not see.
    pub hidden: Vec<PathBuf>,
    /// Whether the network may be reached.
    pub network: Network,
    /// Bounds.
    pub limits: Limits,
    /// What to do where the host cannot enforce all of it.
    pub require: Require,
}

impl SandboxCommand {
    /// A command with no arguments, no environment of its own, no network, no file granted and the default limits.
    pub fn new(program: impl Into<PathBuf>, cwd: impl Into<PathBuf>) -> Self {
        SandboxCommand {
            program: program.into(),
            args: Vec::new(),
            cwd: cwd.into(),
            env: BTreeMap::new(),
            read: Vec::new(),
            write: Vec::new(),
            execute: Vec::new(),
            hidden: Vec::new(),
            network: Network::Denied,
            limits: Limits::default(),
            require: Require::BestEffort,
        }
    }

    /// Adds one argument.
    pub fn arg(mut self, arg: impl Into<OsString>) -> Self {
        self.args.push(arg.into());
        self
    }

    /// Adds arguments.
    pub fn args<I: IntoIterator<Item: Into<OsString>>>(mut self, args: I) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// Sets one variable.
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.env.insert(name.into(), value.into());
        self
    }

    /// Pins the locale to `C.UTF-8`, so that what the child prints does not depend on the host.
    pub fn pinned_locale(self) -> Self {
        self.env("LC_ALL", "C.UTF-8").env("LANG", "C.UTF-8")
    }

    /// Grants reading below a path.
    pub fn read(mut self, path: impl Into<PathBuf>) -> Self {
        self.read.push(path.into());
        self
    }

    /// Grants reading and writing below a path.
    pub fn write(mut self, path: impl Into<PathBuf>) -> Self {
        self.write.push(path.into());
        self
    }

    /// Grants executing a file.
    pub fn execute(mut self, path: impl Into<PathBuf>) -> Self {
        self.execute.push(path.into());
        self
    }

    /// Hides a path that a grant covers.
    pub fn hide(mut self, path: impl Into<PathBuf>) -> Self {
        self.hidden.push(path.into());
        self
    }

    /// Sets whether the network may be reached.
    pub fn network(mut self, network: Network) -> Self {
        self.network = network;
        self
    }

    /// Sets the bounds.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Asks for full enforcement if the call's policy does. Every implementation of [`Sandbox`] does this before anything else.
    pub fn under(mut self, policy: Policy) -> Self {
        if policy.require_sandbox {
            self.require = Require::Enforced;
        }
        self
    }

    /// Sets what is asked of the enforcement.
    pub fn require(mut self, require: Require) -> Self {
        self.require = require;
        self
    }

    /// What every implementation checks before anything else: paths are absolute, names and values can be passed to a
    /// process, and no variable carries a credential by its name.
    pub fn check(&self) -> Result<(), SandboxError> {
        let paths = [&self.program, &self.cwd]
            .into_iter()
            .chain(&self.read)
            .chain(&self.write)
            .chain(&self.execute)
            .chain(&self.hidden);
        for path in paths {
            if !path.is_absolute() {
                return Err(invalid(format!("the path {} is not absolute", path.display())));
            }
            if holds_nul(path.as_os_str()) {
                return Err(invalid(format!("the path {} holds a NUL", path.display())));
            }
        }
        if let Some(arg) = self.args.iter().find(|a| holds_nul(a)) {
            return Err(invalid(format!("the argument {} holds a NUL", arg.display())));
        }
        for (name, value) in &self.env {
            let bytes = name.as_encoded_bytes();
            if bytes.is_empty() || bytes.contains(&b'=') || holds_nul(name) || holds_nul(value) {
                return Err(invalid(format!("the variable {} cannot be set", name.display())));
            }
            if is_credential_name(name) {
                return Err(invalid(format!(
                    "the variable {} carries a credential by its name",
                    name.display()
                )));
            }
        }
        Ok(())
    }
}

fn invalid(what: String) -> SandboxError {
    SandboxError::Invalid { what }
}

fn holds_nul(text: &OsStr) -> bool {
    text.as_encoded_bytes().contains(&0)
}

/// Why a program did not start. Nothing of it ran.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StartFailure {
    /// There is no such program.
    ProgramMissing,
    /// There is no such working directory.
    CwdMissing,
    /// The program is there and cannot be executed (no permission, no such format, its interpreter is missing).
    NotExecutable,
    /// Anything else, in words.
    Other(String),
}

impl fmt::Display for StartFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StartFailure::ProgramMissing => f.write_str("the program does not exist"),
            StartFailure::CwdMissing => f.write_str("the working directory does not exist"),
            StartFailure::NotExecutable => f.write_str("the program is not executable"),
            StartFailure::Other(why) => f.write_str(why),
        }
    }
}

/// How a run ended. In every case nothing of it is left running.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// The program ended by itself, with this code.
    Exited(i32),
    /// A signal ended the program that was not the sandbox's.
    Signalled(i32),
    /// The time limit or the deadline passed.
    TimedOut,
    /// The orchestrator cancelled the call.
    Cancelled,
    /// It wrote more than [`Limits::stdout`]; what is kept is the first bytes.
    OutputLimit,
    /// It did not start.
    FailedToStart(StartFailure),
    /// The program ended with this code and left processes running, which were killed.
    LeakedDescendants(i32),
}

impl Outcome {
    /// Whether the program ended by itself with code 0, leaving nothing.
    pub fn success(&self) -> bool {
        *self == Outcome::Exited(0)
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outcome::Exited(code) => write!(f, "exited with code {code}"),
            Outcome::Signalled(signal) => write!(f, "was ended by signal {signal}"),
            Outcome::TimedOut => f.write_str("timed out"),
            Outcome::Cancelled => f.write_str("was cancelled"),
            Outcome::OutputLimit => f.write_str("wrote more output than allowed"),
            Outcome::FailedToStart(why) => write!(f, "did not start: {why}"),
            Outcome::LeakedDescendants(code) => write!(f, "exited with code {code} and left processes running"),
        }
    }
}

/// A run that is over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finished {
    /// How it ended.
    pub outcome: Outcome,
    /// Standard output, at most [`Limits::stdout`] bytes.
    pub stdout: Vec<u8>,
    /// The end of standard error, at most [`Limits::stderr_tail`] bytes.
    pub stderr: Vec<u8>,
    /// Bytes of standard error before `stderr` that were dropped.
    pub stderr_dropped: u64,
    /// Wall time, start and clean-up included.
    pub wall: Duration,
    /// What was enforced.
    pub enforcement: Enforcement,
}

/// Why there is no run. In every case the program did not run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SandboxError {
    /// The command breaks a rule of [`SandboxCommand::check`]. A fault of the caller.
    #[error("the command is invalid: {what}")]
    Invalid {
        /// What is wrong.
        what: String,
    },
    /// [`Require::Enforced`] was asked for and this host cannot.
    #[error("the host enforces only {reached}, and all of it is required")]
    NotEnforced {
        /// What it would have been.
        reached: Enforcement,
    },
    /// A path that the policy grants cannot be opened, so the grant cannot be made.
    #[error("cannot grant {path}")]
    Grant {
        /// The path.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// The operating system refused a step of launching (no more processes or descriptors, say). Worth retrying later.
    #[error("cannot {step}")]
    Launch {
        /// The step, in the form "make a pipe".
        step: &'static str,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// The helper process that applies the policy did not behave as one.
    #[error("the sandbox helper {program} failed: {what}")]
    Helper {
        /// The helper.
        program: PathBuf,
        /// What went wrong.
        what: String,
    },
}

/// Runs a command under its policy.
///
/// **Environment.** It starts from nothing. From the host come `PATH`, `LANG`, `LC_ALL` and `TERM`, as they were given to
/// the implementation when it was made; `HOME` and `TMPDIR` are directories of this run alone, writable, and removed
/// after it. Then the command's own variables are set. Standard input is closed; no descriptor but the three standard
/// ones is open.
///
/// **Bounds.** Standard output and standard error are drained together, so a child that fills one while it waits on the
/// other never hangs. The end of a run is one of [`Outcome`]; a time-out, a cancellation and an overflow first ask all
/// processes of the run to end, and kill them after [`Limits::grace`].
///
/// **Cleaning up.** When `run` returns, every process of the run is gone and reaped. When its future is dropped the same
/// happens soon after, without anyone waiting.
///
/// **Errors.** A program that ran and failed is not an error: its [`Finished`] says so. An error means that the program
/// did not run.
///
/// ```
/// # use understory_ports::{CallContext, Sandbox, SandboxCommand, SandboxError, sandbox::Outcome};
/// async fn version(sandbox: &dyn Sandbox, tool: &std::path::Path) -> Result<Option<String>, SandboxError> {
///     let command = SandboxCommand::new(tool, "/").arg("--version").pinned_locale();
///     let finished = sandbox.run(command, &CallContext::new()).await?;
///     Ok(match finished.outcome {
///         Outcome::Exited(0) => Some(String::from_utf8_lossy(&finished.stdout).trim().to_owned()),
///         _ => None,
///     })
/// }
/// ```
#[cfg_attr(feature = "testing", mockall::automock)]
#[async_trait]
pub trait Sandbox: Send + Sync {
    /// Runs one command to its end. Does not block the executor. Stops when the time limit or the deadline passes and
    /// when the call is cancelled; those are outcomes, not errors, and carry what was written until then.
    async fn run(&self, command: SandboxCommand, cx: &CallContext) -> Result<Finished, SandboxError>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_checked() {
        let good = SandboxCommand::new("/bin/true", "/");
        let check = |command: SandboxCommand, expected: Option<&str>| match (command.check(), expected) {
            (Ok(()), None) => {}
            (Err(e), Some(text)) => assert!(e.to_string().contains(text), "{e}"),
            (got, wanted) => panic!("{got:?} where {wanted:?} was expected"),
        };
        check(good.clone(), None);
        check(SandboxCommand::new("true", "/"), Some("not absolute"));
        check(SandboxCommand::new("/bin/true", "."), Some("not absolute"));
        check(good.clone().read("src"), Some("not absolute"));
        check(good.clone().write("src"), Some("not absolute"));
        check(good.clone().execute("src"), Some("not absolute"));
        check(good.clone().hide("src"), Some("not absolute"));
        check(good.clone().arg("a\0b"), Some("NUL"));
        check(good.clone().env("A=B", "x"), Some("cannot be set"));
        check(good.clone().env("", "x"), Some("cannot be set"));
        check(good.clone().env("A", "x\0"), Some("cannot be set"));
        check(good.env("GITHUB_TOKEN", "x"), Some("credential"));
    }
}
