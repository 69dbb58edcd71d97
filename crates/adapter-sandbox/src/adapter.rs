//! The port over whatever this operating system has.

use crate::environment::HostEnvironment;
use crate::grants::{Grant, grants};
use crate::scratch::{Scratch, sweep};
use async_trait::async_trait;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;
use understory_ports::sandbox::{Enforcement, Finished, Outcome, SandboxError};
use understory_ports::{CallContext, Sandbox, SandboxCommand};

/// Which program applies a policy to itself before it becomes the child. Linux only.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Helper {
    /// This program itself, if it called [`helper_main`](crate::helper_main) first in its `main`; otherwise no helper.
    #[default]
    OwnBinary,
    /// A program whose `main` calls [`helper_main`](crate::helper_main) first: an absolute path.
    Program(PathBuf),
    /// None: a thread confines itself and starts the child. What is missing then is told with each result.
    None,
}

/// What a sandbox is made from. It looks up nothing else.
#[derive(Clone, Debug)]
pub struct SandboxConfig {
    /// The part of the host's environment that children may see.
    pub environment: HostEnvironment,
    /// A directory, made when it is not there, below which each run has its home and its temporary directory.
    pub scratch: PathBuf,
    /// The helper.
    pub helper: Helper,
}

/// The [`Sandbox`] of this operating system.
#[derive(Clone, Debug)]
pub struct SubprocessSandbox {
    config: SandboxConfig,
}

impl SubprocessSandbox {
    /// A sandbox. Removes what runs of killed processes left in its scratch directory.
    pub fn new(config: SandboxConfig) -> Self {
        sweep(&config.scratch);
        SubprocessSandbox { config }
    }
}

/// All that launching one run needs.
pub(crate) struct Job<'a> {
    pub command: &'a SandboxCommand,
    pub environment: &'a BTreeMap<OsString, OsString>,
    pub grants: &'a [Grant],
    #[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "only Linux has helpers"))]
    pub helper: Option<&'a Path>,
    #[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "only Linux has namespaces"))]
    pub namespaces: bool,
}

/// An error of launching.
pub(crate) fn cannot(step: &'static str, source: io::Error) -> SandboxError {
    SandboxError::Launch { step, source }
}

#[async_trait]
impl Sandbox for SubprocessSandbox {
    async fn run(&self, command: SandboxCommand, cx: &CallContext) -> Result<Finished, SandboxError> {
        let command = command.under(cx.policy);
        command.check()?;
        let (answer, answered) = tokio::sync::oneshot::channel();
        let (cancelled, cancel) = crate::wake::pair().map_err(|e| cannot("make a pipe", e))?;
        let config = self.config.clone();
        let deadline = cx.deadline;
        // A thread of its own and not one of the executor's: it outlives a dropped future and an executor that shuts down,
        // so the processes are ended and reaped in every case.
        std::thread::Builder::new()
            .name("sandbox".into())
            .spawn(move || {
                let _ = answer.send(run(&config, &command, deadline, &cancel));
            })
            .map_err(|e| cannot("start a thread", e))?;
        tokio::pin!(answered);
        let result = tokio::select! {
            biased;
            result = &mut answered => result,
            () = cx.cancel.cancelled() => {
                drop(cancelled);
                answered.await
            }
        };
        result.unwrap_or_else(|_| Err(cannot("supervise the run", io::Error::other("its thread panicked"))))
    }
}

fn run(
    config: &SandboxConfig,
    command: &SandboxCommand,
    deadline: Option<Instant>,
    cancel: &crate::wake::Receiver,
) -> Result<Finished, SandboxError> {
    let started = Instant::now();
    let end_by = [started.checked_add(command.limits.time), deadline]
        .into_iter()
        .flatten()
        .min()
        // A bound beyond what the clock can say is no bound.
        .unwrap_or(started + std::time::Duration::from_secs(u64::from(u32::MAX)));
    let not_run = |outcome| {
        Ok(Finished {
            outcome,
            stdout: Vec::new(),
            stderr: Vec::new(),
            stderr_dropped: 0,
            wall: started.elapsed(),
            enforcement: Enforcement::None,
        })
    };
    if cancel.is_woken() {
        return not_run(Outcome::Cancelled);
    }
    if started >= end_by {
        return not_run(Outcome::TimedOut);
    }
    let scratch = Scratch::new(&config.scratch).map_err(|e| cannot("make the scratch directory", e))?;
    let environment = config
        .environment
        .for_child(&scratch.home(), &scratch.temporary(), &command.env);
    let search = environment.get(OsStr::new("PATH")).cloned().unwrap_or_default();
    let grants = grants(command, scratch.path(), &search);
    let helper = match &config.helper {
        Helper::Program(program) => Some(program.as_path()),
        Helper::OwnBinary if cfg!(target_os = "linux") && crate::is_helper() => Some(Path::new(crate::OWN_BINARY)),
        Helper::OwnBinary | Helper::None => None,
    };
    let mut job = Job {
        command,
        environment: &environment,
        grants: &grants,
        helper,
        namespaces: true,
    };
    let first = crate::host::run(&job, started, end_by, cancel);
    match first {
        Err(error) if crate::host::without_namespaces_may_work(&error) => {
            job.namespaces = false;
            crate::host::run(&job, started, end_by, cancel)
        }
        other => other,
    }
}
