//! The port of provisioning: pinned tools installed into the cache, and found there.

use crate::context::CallContext;
use async_trait::async_trait;
use std::borrow::Cow;
use std::fmt;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use understory_core::{Refusal, RefusalCode};

/// Lifecycle scripts that an installation may run. A script is code of a package, run on the host.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum Scripts {
    /// None.
    #[default]
    Denied,
    /// Those of the packages named here and of no other.
    Allowed(Vec<String>),
}

/// How an installation is asked whether it works.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Probe {
    /// The program, relative to the prefix, with `/` between the parts. `{platform}` stands for the platform in the
    /// installer's words (`linux-x64`, `darwin-arm64`, `win32-x64`).
    pub program: Cow<'static, str>,
    /// Run by the host's Node.js instead of by itself.
    pub by_node: bool,
    /// Its arguments.
    pub args: Vec<Cow<'static, str>>,
    /// What standard output must be, without blanks around it.
    pub expect: Cow<'static, str>,
}

/// One tool in one exact version, with everything that is needed to install it the same way everywhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pin {
    /// Short name of the tool: the directory of the cache it lives in. Lower-case letters, digits and `-`.
    pub tool: Cow<'static, str>,
    /// Its exact version.
    pub version: Cow<'static, str>,
    /// The package's name in the registry.
    pub package: Cow<'static, str>,
    /// `package.json`.
    pub manifest: Cow<'static, str>,
    /// `package-lock.json`, made by the installer from the registry. `None` where none could be made;
    /// [`Provisioner::ensure`] then refuses with [`ProvisionError::NoLock`].
    pub lock: Option<Cow<'static, str>>,
    /// The lowest major version of Node.js that it runs on.
    pub node: u32,
    /// Lifecycle scripts that it needs.
    pub scripts: Scripts,
    /// How it is asked whether it works.
    pub probe: Probe,
}

impl Pin {
    /// Checks what an implementation builds paths from: the tool's name, the version and the probe's program.
    pub fn check(&self) -> Result<(), ProvisionError> {
        let bad = |what: String| Err(ProvisionError::BadPin { what });
        let name_ok = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if self.tool.is_empty() || !self.tool.chars().all(name_ok) {
            return bad(format!("{:?} is no name of a tool", self.tool));
        }
        let version_ok = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+');
        if !self.version.starts_with(|c: char| c.is_ascii_digit()) || !self.version.chars().all(version_ok) {
            return bad(format!("{:?} is no exact version", self.version));
        }
        let program = Path::new(&*self.probe.program);
        if self.probe.program.is_empty() || !program.components().all(|c| matches!(c, Component::Normal(_))) {
            return bad(format!("the probe {:?} lies outside the prefix", self.probe.program));
        }
        Ok(())
    }
}

/// An installation that is complete: where it is. It cannot install anything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Installed {
    tool: String,
    version: String,
    prefix: PathBuf,
}

impl Installed {
    /// An installation of a pin under a prefix. For implementations of [`Provisioner`].
    pub fn new(pin: &Pin, prefix: impl Into<PathBuf>) -> Self {
        Installed {
            tool: pin.tool.clone().into_owned(),
            version: pin.version.clone().into_owned(),
            prefix: prefix.into(),
        }
    }

    /// The tool.
    pub fn tool(&self) -> &str {
        &self.tool
    }

    /// Its version, which is the pin's.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// The directory that holds all of it.
    pub fn prefix(&self) -> &Path {
        &self.prefix
    }

    /// A file of it, by its path below the prefix with `/` between the parts. Not checked for existence.
    pub fn file(&self, relative: &str) -> PathBuf {
        relative
            .split('/')
            .fold(self.prefix.clone(), |path, part| path.join(part))
    }
}

/// Why a tool is not installed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProvisionError {
    /// Node.js is not on PATH. Zero installs were tried.
    #[error("Node.js {needed} or newer is needed and none was found")]
    NoNode {
        /// The major version needed.
        needed: u32,
    },
    /// Node.js is too old. Zero installs were tried.
    #[error("Node.js {needed} or newer is needed and {found} was found")]
    OldNode {
        /// The version found.
        found: String,
        /// The major version needed.
        needed: u32,
    },
    /// npm is not on PATH, or does not answer. Zero installs were tried.
    #[error("npm was not found beside Node.js {node}")]
    NoNpm {
        /// The version of Node.js found.
        node: String,
    },
    /// The pin holds no lock, so nothing says what its bytes must be. Zero installs were tried.
    #[error("{tool} {version} has no lock; `{command}` makes it")]
    NoLock {
        /// The tool.
        tool: String,
        /// Its version.
        version: String,
        /// The command that makes the lock.
        command: String,
    },
    /// It is not installed, and the call's [`Policy`](crate::context::Policy) lets nothing be installed. Zero installs were tried.
    #[error("{tool} {version} is not installed, and installing is switched off")]
    Offline {
        /// The tool.
        tool: String,
        /// Its version.
        version: String,
    },
    /// The pin is not usable. A fault of who made it. Zero installs were tried.
    #[error("the pin is not usable: {what}")]
    BadPin {
        /// What is wrong.
        what: String,
    },
    /// The registry cannot be reached. Worth retrying.
    #[error("the package registry cannot be reached")]
    Network(Tail),
    /// A package's bytes are not those that the lock names.
    #[error("a package does not have the integrity that the lock names")]
    Integrity(Tail),
    /// The registry does not have the package in that version, or does not hand it out.
    #[error("the registry does not hand out a package that the lock names")]
    NotInRegistry(Tail),
    /// A package had to be compiled and could not be.
    #[error("a C/C++ toolchain and python3 are needed for one package")]
    Toolchain(Tail),
    /// The disk is full.
    #[error("the disk that holds the cache is full")]
    DiskFull(Tail),
    /// The cache cannot be written.
    #[error("the cache cannot be written")]
    Cache {
        /// Where.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// The installer failed in a way that has no name of its own.
    #[error("the installer failed: {how}")]
    Installer {
        /// How it ended.
        how: String,
        /// What it said last.
        tail: Tail,
    },
    /// What was installed does not answer its probe, also after it was installed anew.
    #[error("what was installed does not work: {what}")]
    Probe {
        /// What the probe saw; no host path.
        what: String,
        /// What the tool said last.
        tail: Tail,
    },
    /// The installation passed its bound.
    #[error("the installation passed its bound of {} s", .bound.as_secs())]
    Timeout {
        /// The bound.
        bound: Duration,
    },
    /// The orchestrator cancelled the call.
    #[error("the installation was cancelled")]
    Cancelled,
    /// Another process installs the same tool, and the deadline passed. Worth retrying.
    #[error("another process is installing {tool}")]
    Busy {
        /// The tool.
        tool: String,
    },
    /// The sandbox could not run the installer as its policy asks.
    #[error("the installer could not be run in the sandbox: {what}")]
    Sandbox {
        /// Why; no host path.
        what: String,
        /// Whether it was the required enforcement that is missing.
        not_enforced: bool,
    },
}

/// What an installer said last, twice: once for the model, once for the operator.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Tail {
    /// At most 20 lines, host paths replaced by names.
    pub shown: String,
    /// The same lines as they were written.
    pub detail: String,
}

impl fmt::Display for Tail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
    }
}

impl ProvisionError {
    /// The refusal that the model reads for it. No host path in its text; the operator's detail keeps them.
    pub fn to_refusal(&self) -> Refusal {
        let unavailable = |message: String, tail: Option<&Tail>| {
            let mut message = message;
            if let Some(tail) = tail.filter(|t| !t.shown.is_empty()) {
                message.push_str(" The installer's last lines:\n");
                message.push_str(&tail.shown);
            }
            let refusal = Refusal::new(RefusalCode::Unavailable, message);
            match tail {
                Some(tail) if !tail.detail.is_empty() => refusal.with_detail(tail.detail.clone()),
                _ => refusal,
            }
        };
        match self {
            ProvisionError::NoNode { needed } => Refusal::new(
                RefusalCode::NoNode,
                format!("Node.js was not found and version {needed} or newer is needed. Nothing was installed. Install Node.js and run `understory provision`."),
            ),
            ProvisionError::OldNode { found, needed } => Refusal::new(
                RefusalCode::NoNode,
                format!("Node.js {found} was found and version {needed} or newer is needed. Nothing was installed. Update Node.js and run `understory provision`."),
            ),
            ProvisionError::NoNpm { node } => unavailable(
                format!("npm was not found beside Node.js {node}. Nothing was installed. Install npm and run `understory provision`."),
                None,
            ),
            ProvisionError::NoLock { tool, version, command } => unavailable(
                format!("{tool} {version} has no lock file, so nothing was installed. Run `{command}`."),
                None,
            ),
            ProvisionError::Offline { tool, version } => unavailable(
                format!("{tool} {version} is not installed or does not work, and nothing is installed: `offline` is on. Run `understory provision` without it."),
                None,
            ),
            ProvisionError::BadPin { what } => unavailable(format!("The pin is not usable: {what}. Nothing was installed."), None),
            ProvisionError::Network(tail) => unavailable(
                "The package registry cannot be reached. Check the network and the proxy settings and run `understory provision`.".into(),
                Some(tail),
            ),
            ProvisionError::Integrity(tail) => unavailable(
                "A package from the registry does not have the integrity that the lock names. Nothing was installed.".into(),
                Some(tail),
            ),
            ProvisionError::NotInRegistry(tail) => unavailable(
                "The registry does not hand out a package that the lock names. Check the registry settings and run `understory provision`.".into(),
                Some(tail),
            ),
            ProvisionError::Toolchain(tail) => unavailable(
                "A C/C++ toolchain and python3 are needed for one grammar. Install them and run `understory provision`.".into(),
                Some(tail),
            ),
            ProvisionError::DiskFull(tail) => unavailable(
                "The disk that holds the cache is full. Free some space and run `understory provision`.".into(),
                Some(tail),
            ),
            ProvisionError::Cache { path, source } => unavailable(
                "The cache cannot be written. Name another one with `--cache` and run `understory provision`.".into(),
                None,
            )
            .with_detail(format!("{}: {source}", path.display())),
            ProvisionError::Installer { how, tail } => unavailable(
                format!("The installer {how}. Run `understory provision` for the whole story."),
                Some(tail),
            ),
            ProvisionError::Probe { what, tail } => {
                unavailable(format!("What was installed does not work: {what}. Run `understory doctor`."), Some(tail))
            }
            ProvisionError::Timeout { bound } => Refusal::new(
                RefusalCode::Timeout,
                format!(
                    "The installation passed its bound of {} s; the installer was still running. Run `understory provision` ahead.",
                    bound.as_secs()
                ),
            ),
            ProvisionError::Cancelled => Refusal::new(RefusalCode::Cancelled, "The installation was cancelled."),
            ProvisionError::Busy { tool } => Refusal::new(
                RefusalCode::Busy,
                format!("Another process is installing {tool} and the deadline passed. Ask again in a moment."),
            ),
            ProvisionError::Sandbox { what, not_enforced: true } => Refusal::new(RefusalCode::NoSandbox, what.clone()),
            ProvisionError::Sandbox { what, .. } => unavailable(format!("The installer could not be run: {what}."), None),
        }
    }

    /// Whether the same call may succeed later with nothing changed on the host.
    pub fn worth_retrying(&self) -> bool {
        matches!(
            self,
            ProvisionError::Network(_) | ProvisionError::Busy { .. } | ProvisionError::Timeout { .. }
        )
    }
}

/// Installs pinned tools into the cache and finds them there.
///
/// An installation is complete or it is not there: [`locate`](Provisioner::locate) never finds half of one, whatever
/// killed its installer. Two processes that install the same pin at once give one installation.
///
/// ```
/// # use understory_ports::{CallContext, Pin, Provisioner};
/// async fn warm(provisioner: &dyn Provisioner, pins: &[Pin]) {
///     for pin in pins {
///         match provisioner.ensure(pin, &CallContext::new()).await {
///             Ok(installed) => assert_eq!(installed.version(), pin.version),
///             Err(refused) => assert!(!refused.to_refusal().message.is_empty()),
///         }
///     }
/// }
/// ```
#[cfg_attr(feature = "testing", mockall::automock)]
#[async_trait]
pub trait Provisioner: Send + Sync {
    /// Makes the pin's tool ready and says where it is. The only method of any port that reaches the network to fetch
    /// something, and it does so only when the tool is not there or does not work. Idempotent; the second call in one
    /// process runs nothing. A broken installation is replaced. Under a policy that is `offline` it only finds what is there and
    /// works, and is [`ProvisionError::Offline`] otherwise. Progress goes to [`CallContext::events`].
    ///
    /// Never called during a model's turn.
    async fn ensure(&self, pin: &Pin, cx: &CallContext) -> Result<Installed, ProvisionError>;

    /// Where the pin's tool is, or `None` when it is not installed or incomplete. Never installs, never reaches the
    /// network, starts no process, changes nothing.
    async fn locate(&self, pin: &Pin) -> Result<Option<Installed>, ProvisionError>;
}

/// A provisioner that can only be asked where things are. Backends get this, so that nothing is fetched during a model's
/// turn is a matter of types: what finds a tool
///
/// ```
/// # use understory_ports::{Installed, Locator, Pin, ProvisionError};
/// async fn of_a_query(locator: &Locator, pin: &Pin) -> Result<Option<Installed>, ProvisionError> {
///     locator.locate(pin).await
/// }
/// ```
///
/// does not compile where it would install one:
///
/// ```compile_fail
/// # use understory_ports::{CallContext, Installed, Locator, Pin, ProvisionError};
/// async fn of_a_query(locator: &Locator, pin: &Pin) -> Result<Installed, ProvisionError> {
///     locator.ensure(pin, &CallContext::new()).await
/// }
/// ```
#[derive(Clone)]
pub struct Locator(Arc<dyn Provisioner>);

impl Locator {
    /// Takes the right to install away from a provisioner.
    pub fn new(provisioner: Arc<dyn Provisioner>) -> Self {
        Locator(provisioner)
    }

    /// See [`Provisioner::locate`].
    pub async fn locate(&self, pin: &Pin) -> Result<Option<Installed>, ProvisionError> {
        self.0.locate(pin).await
    }
}

impl fmt::Debug for Locator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Locator")
    }
}

/// A pinned tool and the way to find it: what a backend holds of a tool that it needs.
#[derive(Clone, Debug)]
pub struct Tool {
    pin: Pin,
    locator: Locator,
}

impl Tool {
    /// Of a pin, to be found by a locator.
    pub fn new(pin: Pin, locator: Locator) -> Self {
        Tool { pin, locator }
    }

    /// What is to be installed, by whoever may install.
    pub fn pin(&self) -> &Pin {
        &self.pin
    }

    /// Where it is, if it is installed. See [`Provisioner::locate`].
    pub async fn locate(&self) -> Result<Option<Installed>, ProvisionError> {
        self.locator.locate(&self.pin).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pin() -> Pin {
        Pin {
            tool: "graft".into(),
            version: "0.16.0".into(),
            package: "@nanonets/graft".into(),
            manifest: "{}".into(),
            lock: None,
            node: 20,
            scripts: Scripts::Denied,
            probe: Probe {
                program: "node_modules/.bin/graft".into(),
                by_node: false,
                args: vec!["--version".into()],
                expect: "0.16.0".into(),
            },
        }
    }

    #[test]
    fn a_pin_cannot_leave_its_prefix() {
        let check = |change: fn(&mut Pin), good: bool| {
            let mut pin = pin();
            change(&mut pin);
            assert_eq!(pin.check().is_ok(), good, "{pin:?}");
        };
        check(|_| {}, true);
        check(|p| p.tool = "".into(), false);
        check(|p| p.tool = "..".into(), false);
        check(|p| p.tool = "a/b".into(), false);
        check(|p| p.version = "latest".into(), false);
        check(|p| p.version = "1.0/..".into(), false);
        check(|p| p.version = "1.0.0-rc.1+b".into(), true);
        check(|p| p.probe.program = "".into(), false);
        check(|p| p.probe.program = "../x".into(), false);
        check(|p| p.probe.program = "/bin/sh".into(), false);
    }

    #[test]
    fn refusals_keep_host_paths_for_the_operator() {
        let tail = Tail {
            shown: "npm error <cache>/x".into(),
            detail: "npm error /home/me/.cache/x".into(),
        };
        let all = [
            ProvisionError::NoNode { needed: 20 },
            ProvisionError::OldNode {
                found: "18.1.0".into(),
                needed: 20,
            },
            ProvisionError::NoNpm { node: "20.1.0".into() },
            ProvisionError::Network(tail.clone()),
            ProvisionError::Integrity(tail.clone()),
            ProvisionError::NotInRegistry(tail.clone()),
            ProvisionError::Toolchain(tail.clone()),
            ProvisionError::DiskFull(tail.clone()),
            ProvisionError::Cache {
                path: "/home/me/.cache".into(),
                source: std::io::Error::other("read-only"),
            },
            ProvisionError::Installer {
                how: "exited with code 1".into(),
                tail: tail.clone(),
            },
            ProvisionError::Probe {
                what: "it printed nothing".into(),
                tail,
            },
        ];
        for error in all {
            let refusal = error.to_refusal();
            assert!(!refusal.message.contains("/home/me"), "{refusal:?}");
            assert!(!error.to_string().contains("/home/me"), "{error}");
        }
        let old = ProvisionError::OldNode {
            found: "18.1.0".into(),
            needed: 20,
        };
        assert_eq!(old.to_refusal().code, RefusalCode::NoNode);
        assert!(old.to_refusal().message.contains("18.1.0"));
    }

    #[test]
    fn an_installed_file_is_below_its_prefix() {
        let installed = Installed::new(&pin(), "/cache/graft/0.16.0");
        assert_eq!(
            installed.file("node_modules/.bin/graft"),
            Path::new("/cache/graft/0.16.0")
                .join("node_modules")
                .join(".bin")
                .join("graft")
        );
    }
}
