//! The port: look, and if need be lock, install beside, probe and rename into place.

use crate::classify::{classify, tail};
use crate::install::{self, BOUND, npm_home, prepare_npm, probe_program, replace, stage, sweep};
use crate::lock::{self, Checked};
use crate::marker::Marker;
use crate::node::{self, Node, sandbox_error};
use crate::settings::Settings;
use async_trait::async_trait;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use understory_ports::provisioner::{Installed, Pin, ProvisionError, Provisioner, Tail};
use understory_ports::sandbox::{Outcome, Require};
use understory_ports::{CallContext, Event, Finished, Sandbox};

/// What a provisioner is made from. It looks up nothing else.
#[derive(Clone, Debug)]
pub struct NpmConfig {
    /// The cache, an absolute path; made when it is not there.
    pub cache: PathBuf,
    /// The search path on which Node.js and npm are found.
    pub search: OsString,
    /// How the registry is reached.
    pub settings: Settings,
    /// What is asked of the sandbox.
    pub require: Require,
}

impl NpmConfig {
    /// With the registry reached directly, and whatever enforcement the host has.
    pub fn new(cache: impl Into<PathBuf>, search: impl Into<OsString>) -> Self {
        NpmConfig {
            cache: cache.into(),
            search: search.into(),
            settings: Settings::default(),
            require: Require::BestEffort,
        }
    }
}

/// How often to look whether another process is done.
const POLL: Duration = Duration::from_millis(50);

/// The [`Provisioner`] over npm.
pub struct NpmProvisioner {
    config: NpmConfig,
    sandbox: Arc<dyn Sandbox>,
    /// Prefixes that answered their probe in this process.
    probed: Mutex<BTreeSet<PathBuf>>,
}

impl NpmProvisioner {
    /// A provisioner. Touches nothing.
    pub fn new(config: NpmConfig, sandbox: Arc<dyn Sandbox>) -> Self {
        NpmProvisioner {
            config,
            sandbox,
            probed: Mutex::new(BTreeSet::new()),
        }
    }

    /// Makes the lock of a manifest from the registry, with every platform's packages named. The registry may not hand
    /// out all of them; those have no integrity and are refused on their platform.
    pub async fn make_lock(&self, manifest: &str, node: u32, cx: &CallContext) -> Result<String, ProvisionError> {
        offline(cx, "the lock", "of a manifest")?;
        let (node, npm) = self.tools(node, cx).await?;
        let home = npm_home(&self.config.cache);
        let config = self.config.clone();
        let text = manifest.to_owned();
        let staged = blocking(move || {
            prepare_npm(&config)?;
            let directory = tempfile::Builder::new().prefix("lock-").tempdir_in(home)?;
            fs::write(directory.path().join("package.json"), text)?;
            Ok(directory)
        })
        .await
        .map_err(|e| self.cache_error(e))?;
        let command = install::make_lock(&self.config, &node, &npm, staged.path());
        let finished = self.run(command, cx).await?;
        self.ended_well(&finished, BOUND)?;
        let lock = fs::read_to_string(staged.path().join("package-lock.json")).map_err(|e| self.cache_error(e))?;
        lock::complete(&lock).ok_or_else(|| ProvisionError::Installer {
            how: "made a lock that leaves out a package".into(),
            tail: self.tail_of(&finished),
        })
    }

    async fn tools(&self, needed: u32, cx: &CallContext) -> Result<(Node, node::Npm), ProvisionError> {
        let node = node::find(&self.config, &*self.sandbox, needed, cx).await?;
        let npm = node::npm(&self.config, &node)?;
        Ok((node, npm))
    }

    fn tool_directory(&self, pin: &Pin) -> PathBuf {
        self.config.cache.join(&*pin.tool)
    }

    fn prefix(&self, pin: &Pin) -> PathBuf {
        self.tool_directory(pin).join(&*pin.version)
    }

    fn cache_error(&self, source: io::Error) -> ProvisionError {
        if source.kind() == io::ErrorKind::StorageFull {
            return ProvisionError::DiskFull(Tail::default());
        }
        ProvisionError::Cache {
            path: self.config.cache.clone(),
            source,
        }
    }

    async fn run(
        &self,
        command: understory_ports::SandboxCommand,
        cx: &CallContext,
    ) -> Result<Finished, ProvisionError> {
        self.sandbox.run(command, cx).await.map_err(|e| sandbox_error(&e))
    }

    fn tail_of(&self, finished: &Finished) -> Tail {
        tail(&said(finished), &self.config.cache)
    }

    /// An installer that ended in any way but well is an error by name.
    fn ended_well(&self, finished: &Finished, bound: Duration) -> Result<(), ProvisionError> {
        match &finished.outcome {
            Outcome::Exited(0) | Outcome::LeakedDescendants(0) => Ok(()),
            Outcome::Cancelled => Err(ProvisionError::Cancelled),
            Outcome::TimedOut => Err(ProvisionError::Timeout { bound }),
            other => Err(classify(&said(finished), &other.to_string(), &self.config.cache)),
        }
    }

    /// Whether what is installed answers its probe; what it did instead, if not.
    async fn probe(
        &self,
        node: Option<&Node>,
        pin: &Pin,
        prefix: &Path,
        cx: &CallContext,
    ) -> Result<(), ProvisionError> {
        cx.events.event(Event::Stage {
            name: "probe",
            total: None,
        });
        let finished = self.run(install::probe(&self.config, node, pin, prefix), cx).await?;
        let failed = |what: String| ProvisionError::Probe {
            what,
            tail: self.tail_of(&finished),
        };
        match &finished.outcome {
            Outcome::Cancelled => Err(ProvisionError::Cancelled),
            Outcome::Exited(0) if String::from_utf8_lossy(&finished.stdout).trim() == pin.probe.expect => Ok(()),
            Outcome::Exited(0) => Err(failed(format!("its probe did not answer {:?}", pin.probe.expect))),
            other => Err(failed(format!("its probe {other}"))),
        }
    }

    fn is_probed(&self, prefix: &Path) -> bool {
        self.probed
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .contains(prefix)
    }

    fn remember(&self, prefix: &Path) {
        self.probed
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(prefix.to_path_buf());
    }

    /// What is there and works. Node.js is needed to ask only where the probe is run by it.
    async fn working(&self, pin: &Pin, cx: &CallContext) -> Result<Option<Installed>, ProvisionError> {
        let Some(installed) = self.locate(pin).await? else {
            return Ok(None);
        };
        if self.is_probed(installed.prefix()) {
            return Ok(Some(installed));
        }
        let node = match node::find(&self.config, &*self.sandbox, pin.node, cx).await {
            Ok(node) => Some(node),
            Err(e @ (ProvisionError::Cancelled | ProvisionError::Sandbox { .. })) => return Err(e),
            Err(e) if pin.probe.by_node => return Err(e),
            Err(_) => None,
        };
        match self.probe(node.as_ref(), pin, installed.prefix(), cx).await {
            Ok(()) => {
                self.remember(installed.prefix());
                Ok(Some(installed))
            }
            Err(ProvisionError::Probe { what, .. }) => {
                cx.events.event(Event::Message(format!(
                    "{} {} is installed and does not work ({what}); it is installed anew",
                    pin.tool, pin.version
                )));
                Ok(None)
            }
            Err(other) => Err(other),
        }
    }

    /// Takes the tool's lock, waiting for another process that holds it.
    async fn lock(&self, pin: &Pin, end_by: Instant, cx: &CallContext) -> Result<File, ProvisionError> {
        let directory = self.tool_directory(pin);
        let file = blocking(move || {
            fs::create_dir_all(&directory)?;
            File::options()
                .create(true)
                .truncate(false)
                .write(true)
                .open(directory.join("lock"))
        })
        .await
        .map_err(|e| self.cache_error(e))?;
        let mut told = false;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(file),
                Err(TryLockError::Error(e)) => return Err(self.cache_error(e)),
                Err(TryLockError::WouldBlock) => {}
            }
            if !told {
                told = true;
                cx.events
                    .event(Event::Message(format!("another process is installing {}", pin.tool)));
            }
            if Instant::now() >= end_by {
                return Err(ProvisionError::Busy {
                    tool: pin.tool.clone().into_owned(),
                });
            }
            tokio::select! {
                biased;
                () = cx.cancel.cancelled() => return Err(ProvisionError::Cancelled),
                () = tokio::time::sleep(POLL) => {}
            }
        }
    }

    async fn install(
        &self,
        pin: &Pin,
        checked: &Checked,
        end_by: Instant,
        cx: &CallContext,
    ) -> Result<Installed, ProvisionError> {
        let (node, npm) = self.tools(pin.node, cx).await?;
        cx.events.event(Event::Stage {
            name: "install",
            total: None,
        });
        cx.events.event(Event::Message(format!(
            "installing {} {} with npm {} and Node.js {}",
            pin.tool, pin.version, npm.version, node.version
        )));
        let (config, tool, owned) = (self.config.clone(), self.tool_directory(pin), pin.clone());
        let staged = blocking(move || {
            sweep(&tool);
            prepare_npm(&config)?;
            stage(&tool, &owned)
        })
        .await
        .map_err(|e| self.cache_error(e))?;
        let staged = Staged(Some(staged));

        let bound = end_by.saturating_duration_since(Instant::now()).min(BOUND);
        let command = install::ci(&self.config, &node, &npm, pin, staged.path(), bound);
        let finished = self.run(command, cx).await?;
        self.ended_well(&finished, bound)?;
        // npm passes over an optional package that it could not get; a tool without its platform's package is not whole.
        let files: Vec<String> = checked
            .installed
            .iter()
            .map(|package| format!("{package}/package.json"))
            .chain([probe_program(pin)])
            .collect();
        if let Some(missing) = files.iter().find(|file| !staged.path().join(file).is_file()) {
            return Err(ProvisionError::Installer {
                how: format!("left out {missing}"),
                tail: self.tail_of(&finished),
            });
        }
        self.probe(Some(&node), pin, staged.path(), cx).await?;
        let (tool, owned) = (self.tool_directory(pin), pin.clone());
        let staged = staged.take();
        let prefix = blocking(move || {
            Marker::of(&owned, staged.path(), &files)?.write(staged.path())?;
            replace(staged, &tool, &owned)
        })
        .await
        .map_err(|e| self.cache_error(e))?;
        self.remember(&prefix);
        Ok(Installed::new(pin, prefix))
    }
}

/// A directory that is removed on a thread of its own, since that may take seconds, unless it was taken out.
struct Staged(Option<tempfile::TempDir>);

impl Staged {
    fn path(&self) -> &Path {
        self.0.as_ref().expect("it is there until it is taken").path()
    }

    fn take(mut self) -> tempfile::TempDir {
        self.0.take().expect("it is there until it is taken")
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        if let Some(directory) = self.0.take() {
            let remove = move || drop(directory);
            // Without a thread it is removed here: slow, and never left.
            let _ = std::thread::Builder::new().name("remove-staged".into()).spawn(remove);
        }
    }
}

/// What a program wrote on both of its outputs.
fn said(finished: &Finished) -> Vec<u8> {
    [&finished.stdout[..], b"\n", &finished.stderr[..]].concat()
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> io::Result<T> + Send + 'static) -> io::Result<T> {
    tokio::task::spawn_blocking(work).await.map_err(io::Error::other)?
}

/// Refuses what would fetch something where nothing may be fetched.
fn offline(cx: &CallContext, tool: &str, version: &str) -> Result<(), ProvisionError> {
    if !cx.policy.offline {
        return Ok(());
    }
    Err(ProvisionError::Offline {
        tool: tool.to_owned(),
        version: version.to_owned(),
    })
}

#[async_trait]
impl Provisioner for NpmProvisioner {
    async fn ensure(&self, pin: &Pin, cx: &CallContext) -> Result<Installed, ProvisionError> {
        let checked = lock::check(pin, lock::platform())?;
        if cx.cancel.is_cancelled() {
            return Err(ProvisionError::Cancelled);
        }
        if let Some(installed) = self.working(pin, cx).await? {
            return Ok(installed);
        }
        offline(cx, &pin.tool, &pin.version)?;
        // Before anything is made on disk: without Node.js zero installs are tried.
        self.tools(pin.node, cx).await?;
        let bound = Instant::now() + BOUND;
        let end_by = cx.deadline.map_or(bound, |deadline| deadline.min(bound));
        let held = self.lock(pin, end_by, cx).await?;
        // Whoever held it before may have done the work.
        let installed = match self.working(pin, cx).await? {
            Some(installed) => installed,
            None => self.install(pin, &checked, end_by, cx).await?,
        };
        drop(held);
        Ok(installed)
    }

    async fn locate(&self, pin: &Pin) -> Result<Option<Installed>, ProvisionError> {
        pin.check()?;
        let (prefix, owned) = (self.prefix(pin), pin.clone());
        let found = blocking(move || Ok(Marker::is_at(&owned, &prefix).then_some(prefix)))
            .await
            .map_err(|e| self.cache_error(e))?;
        Ok(found.map(|prefix| Installed::new(pin, prefix)))
    }
}
