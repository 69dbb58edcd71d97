//! The port of child processes: one command under one policy, with its end told by name.

use crate::context::CallContext;
use async_trait::async_trait;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::{Path, PathBuf};
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

/// Whether a variable of this name carries a credential or the address of an agent that holds one. A child never gets
/// such a variable, not even when its caller names it: what a child needs to know goes into a file that it may read.
pub fn is_credential_name(name: &OsStr) -> bool {
    const EXACT: &[&str] = &[
        "SSH_AUTH_SOCK",
        "SSH_AGENT_PID",
        "GPG_AGENT_INFO",
        "SSH_ASKPASS",
        "GIT_ASKPASS",
        "GIT_SSH_COMMAND",
        "KUBECONFIG",
        "DOCKER_AUTH_CONFIG",
        "DOCKER_CONFIG",
        "DBUS_SESSION_BUS_ADDRESS",
        "NETRC",
        "PGPASSFILE",
        "GOOGLE_APPLICATION_CREDENTIALS",
    ];
    const PREFIXES: &[&str] = &["AWS_", "AZURE_", "NPM_CONFIG__AUTH"];
    const WORDS: &[&str] = &[
        "TOKEN",
        "SECRET",
        "SECRETS",
        "PASSWORD",
        "PASSWD",
        "PASSPHRASE",
        "APIKEY",
        "CREDENTIAL",
        "CREDENTIALS",
        "PAT",
        "AUTH",
        "AUTHTOKEN",
        "COOKIE",
    ];
    // `X_KEY` alone is too broad (a cache key); with one of these before it, it is a secret.
    const KEY_WORDS: &[&str] = &[
        "API",
        "ACCESS",
        "PRIVATE",
        "SECRET",
        "ACCOUNT",
        "SIGNING",
        "ENCRYPTION",
        "MASTER",
    ];
    let upper = name.to_string_lossy().to_ascii_uppercase();
    if EXACT.contains(&upper.as_str()) || PREFIXES.iter().any(|p| upper.starts_with(p)) {
        return true;
    }
    let words: Vec<&str> = upper.split(|c: char| !c.is_ascii_alphanumeric()).collect();
    words.iter().any(|w| WORDS.contains(w))
        || words.windows(2).any(|w| w[1] == "KEY" && KEY_WORDS.contains(&w[0]))
        || words
            .last()
            .is_some_and(|w| w.len() > 5 && (w.ends_with("TOKEN") || w.ends_with("APIKEY") || w.ends_with("PASSWORD")))
}

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

/// The last `lines` lines of some output as text for a person: carriage-return progress reduced to its last state, control
/// characters dropped, decoded lossily.
pub fn tail_lines(bytes: &[u8], lines: usize) -> String {
    let text = String::from_utf8_lossy(bytes);
    let shown: Vec<String> = text
        .split('\n')
        .map(|line| {
            let line = line.trim_end_matches('\r');
            let last = line.rsplit('\r').next().unwrap_or(line);
            last.chars()
                .filter(|c| !c.is_control() || *c == '\t')
                .collect::<String>()
        })
        .filter(|line| !line.trim().is_empty())
        .collect();
    shown[shown.len().saturating_sub(lines)..].join("\n")
}

/// Replaces every occurrence of each path in `text` by its name (`<cache>`, `<repo>`), longest path first, so that text
/// for a model names no place of the host.
pub fn replace_paths(text: &str, names: &[(&Path, &str)]) -> String {
    let mut pairs: Vec<(String, &str)> = names
        .iter()
        .map(|(path, name)| (path.to_string_lossy().into_owned(), *name))
        .filter(|(path, _)| path.len() > 1)
        .collect();
    pairs.sort_by(|a, b| b.0.len().cmp(&a.0.len()).then_with(|| a.cmp(b)));
    pairs
        .iter()
        .fold(text.to_owned(), |text, (path, name)| text.replace(path.as_str(), name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_credentials_are_known() {
        let check = |name: &str, expected: bool| assert_eq!(is_credential_name(OsStr::new(name)), expected, "{name}");
        for name in [
            "OPENAI_API_KEY",
            "ANTHROPIC_API_KEY",
            "GITHUB_TOKEN",
            "GH_TOKEN",
            "NPM_TOKEN",
            "NODE_AUTH_TOKEN",
            "npm_config__authToken",
            "AWS_SECRET_ACCESS_KEY",
            "AWS_PROFILE",
            "AZURE_CLIENT_ID",
            "GOOGLE_APPLICATION_CREDENTIALS",
            "SSH_AUTH_SOCK",
            "GIT_ASKPASS",
            "KUBECONFIG",
            "PGPASSWORD",
            "DB_PASSWORD",
            "MY_SECRET",
            "STRIPE_SECRET_KEY",
            "azure_devops_ext_pat",
            "VAULT_TOKEN",
            "GITLAB_PAT",
            "SERVICE_PRIVATE_KEY",
            "XAUTHTOKEN",
        ] {
            check(name, true);
        }
        for name in [
            "PATH",
            "HOME",
            "TMPDIR",
            "LC_ALL",
            "DO_NOT_TRACK",
            "GRAFT_NO_REFRESH",
            "npm_config_cache",
            "npm_config_userconfig",
            "HTTPS_PROXY",
            "NODE_EXTRA_CA_CERTS",
            "SSL_CERT_FILE",
            "GIT_CONFIG_NOSYSTEM",
            "CACHE_KEY",
            "AUTHOR",
            "PATTERN",
            "OPENSSL_CONF",
        ] {
            check(name, false);
        }
    }

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

    #[test]
    fn a_tail_is_the_last_lines_without_progress() {
        let check = |input: &str, lines, expected: &str| assert_eq!(tail_lines(input.as_bytes(), lines), expected);
        check("", 3, "");
        check("a\nb\nc\n", 2, "b\nc");
        check("10%\r20%\r100%\ndone\r\n", 5, "100%\ndone");
        check("\u{1b}[31mred\u{1b}[0m", 5, "[31mred[0m");
        check("a\n\n\nb", 2, "a\nb");
    }

    #[test]
    fn paths_are_replaced_longest_first() {
        let names: &[(&Path, &str)] = &[
            (Path::new("/c"), "<cache>"),
            (Path::new("/c/r"), "<repo>"),
            (Path::new("/"), "<x>"),
        ];
        assert_eq!(replace_paths("/c/r/a.rs and /c/b", names), "<repo>/a.rs and <cache>/b");
    }
}
