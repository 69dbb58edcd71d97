//! A provisioner that installs nothing: it counts, and hands out directories that a test made.

use crate::context::CallContext;
use crate::provisioner::{Installed, Pin, Probe, ProvisionError, Provisioner, Scripts, Tail};
use async_trait::async_trait;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A pin of a tool that is called `tool`, in version 1.0.0.
pub fn sample_pin() -> Pin {
    Pin {
        tool: "tool".into(),
        version: "1.0.0".into(),
        package: "tool".into(),
        manifest: "{}".into(),
        lock: Some("{}".into()),
        node: 20,
        scripts: Scripts::Denied,
        probe: Probe {
            program: "bin/tool".into(),
            by_node: false,
            args: vec!["--version".into()],
            expect: "1.0.0".into(),
        },
    }
}

/// A [`Provisioner`] over directories that a test made. It counts the calls, the installations and the use of the network.
///
/// Stricter than a real one: a pin that it was not told about is a panic, and so is [`ensure`](Provisioner::ensure) after
/// [`begin_turn`](CountingProvisioner::begin_turn), since nothing may be installed during a model's turn.
#[derive(Default)]
pub struct CountingProvisioner {
    offered: BTreeMap<(String, String), PathBuf>,
    installed: Mutex<BTreeMap<(String, String), PathBuf>>,
    unreachable: bool,
    in_turn: AtomicBool,
    ensures: AtomicUsize,
    locates: AtomicUsize,
    installs: AtomicUsize,
}

impl CountingProvisioner {
    /// One with nothing installed and nothing to install.
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes a tool available: `ensure` "installs" it as this directory.
    pub fn offering(mut self, tool: &str, version: &str, prefix: impl Into<PathBuf>) -> Self {
        self.offered.insert((tool.into(), version.into()), prefix.into());
        self
    }

    /// Cuts the network: every installation is refused with [`ProvisionError::Network`].
    pub fn unreachable(mut self) -> Self {
        self.unreachable = true;
        self
    }

    /// From now on every `ensure` is a panic.
    pub fn begin_turn(&self) {
        self.in_turn.store(true, Ordering::SeqCst);
    }

    /// Removes what is installed.
    pub fn uninstall(&self) {
        self.table().clear();
    }

    /// Calls of `ensure`.
    pub fn ensures(&self) -> usize {
        self.ensures.load(Ordering::SeqCst)
    }

    /// Calls of `locate`.
    pub fn locates(&self) -> usize {
        self.locates.load(Ordering::SeqCst)
    }

    /// Installations, each of which would have used the network.
    pub fn installs(&self) -> usize {
        self.installs.load(Ordering::SeqCst)
    }

    fn table(&self) -> MutexGuard<'_, BTreeMap<(String, String), PathBuf>> {
        self.installed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn key(pin: &Pin) -> (String, String) {
    (pin.tool.clone().into_owned(), pin.version.clone().into_owned())
}

#[async_trait]
impl Provisioner for CountingProvisioner {
    async fn ensure(&self, pin: &Pin, cx: &CallContext) -> Result<Installed, ProvisionError> {
        pin.check()?;
        assert!(
            !self.in_turn.load(Ordering::SeqCst),
            "{} {} was provisioned during a model's turn",
            pin.tool,
            pin.version
        );
        let Some(prefix) = self.offered.get(&key(pin)) else {
            panic!("{} {} is not among what this provisioner offers", pin.tool, pin.version);
        };
        self.ensures.fetch_add(1, Ordering::SeqCst);
        if cx.cancel.is_cancelled() {
            return Err(ProvisionError::Cancelled);
        }
        let known = self.table().get(&key(pin)).cloned();
        if let Some(prefix) = known {
            return Ok(Installed::new(pin, prefix));
        }
        if cx.policy.offline {
            return Err(ProvisionError::Offline {
                tool: pin.tool.clone().into_owned(),
                version: pin.version.clone().into_owned(),
            });
        }
        if pin.lock.is_none() {
            return Err(ProvisionError::NoLock {
                tool: pin.tool.clone().into_owned(),
                version: pin.version.clone().into_owned(),
                command: "understory provision --write-lock".into(),
            });
        }
        if self.unreachable {
            return Err(ProvisionError::Network(Tail::default()));
        }
        self.installs.fetch_add(1, Ordering::SeqCst);
        self.table().insert(key(pin), prefix.clone());
        Ok(Installed::new(pin, prefix))
    }

    async fn locate(&self, pin: &Pin) -> Result<Option<Installed>, ProvisionError> {
        pin.check()?;
        self.locates.fetch_add(1, Ordering::SeqCst);
        Ok(self.table().get(&key(pin)).map(|prefix| Installed::new(pin, prefix)))
    }
}
