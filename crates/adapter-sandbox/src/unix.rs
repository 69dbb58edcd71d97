//! Runs on a Unix: launching is the operating system's, supervising is the same for all.

use crate::adapter::Job;
use crate::supervise::supervise;
use crate::wake::Receiver;
use std::time::Instant;
use understory_ports::sandbox::{Finished, SandboxError};

#[cfg(target_os = "linux")]
use crate::linux::launch;
#[cfg(target_os = "linux")]
pub(crate) use crate::linux::without_namespaces_may_work;
#[cfg(not(target_os = "linux"))]
use crate::seatbelt::launch;

/// Only Linux has something to try again without.
#[cfg(not(target_os = "linux"))]
pub(crate) fn without_namespaces_may_work(_error: &SandboxError) -> bool {
    false
}

/// One run from its start to its end. Blocks.
pub(crate) fn run(
    job: &Job<'_>,
    started: Instant,
    end_by: Instant,
    cancel: &Receiver,
) -> Result<Finished, SandboxError> {
    let running = launch(job)?;
    supervise(running, &job.command.limits, started, end_by, &cancel.end)
}
