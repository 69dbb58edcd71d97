//! Windows: a job object, which ends all of a run's processes together and bounds their memory and number.
//!
//! Written from the documentation and never run: the project has no such machine. It confines neither files nor the
//! network, and says so with each result.

use crate::adapter::{Job, cannot};
use crate::wake::Receiver;
use std::io::{self, Read};
use std::os::windows::io::{AsRawHandle as _, FromRawHandle as _, OwnedHandle};
use std::process::{Child, Command, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use understory_ports::sandbox::{Enforcement, Finished, Outcome, Protection, Require, SandboxError, StartFailure};
use windows_sys::Win32::System::JobObjects::{
    AssignProcessToJobObject, CreateJobObjectW, JOB_OBJECT_LIMIT_ACTIVE_PROCESS, JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE,
    JOB_OBJECT_LIMIT_PROCESS_MEMORY, JOBOBJECT_EXTENDED_LIMIT_INFORMATION, JobObjectExtendedLimitInformation,
    SetInformationJobObject, TerminateJobObject,
};

const TICK: Duration = Duration::from_millis(5);

/// Nothing here can be tried again with less.
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
    let command = job.command;
    // A child is in the job a moment after it started, so nothing that needs it to be there from the start is claimed.
    let mut missing: Vec<Protection> = Protection::ALL.to_vec();
    missing.retain(|p| *p != Protection::Descriptors);
    let enforcement = Enforcement::missing(missing);
    if command.require == Require::Enforced {
        return Err(SandboxError::NotEnforced { reached: enforcement });
    }
    let finished = |outcome, stdout, stderr, dropped| Finished {
        outcome,
        stdout,
        stderr,
        stderr_dropped: dropped,
        wall: started.elapsed(),
        enforcement: enforcement.clone(),
    };
    let not_started = |why| Ok(finished(Outcome::FailedToStart(why), Vec::new(), Vec::new(), 0));
    if !command.cwd.is_dir() {
        return not_started(StartFailure::CwdMissing);
    }
    if !command.program.is_file() {
        return not_started(StartFailure::ProgramMissing);
    }
    let spawned = Command::new(&command.program)
        .args(&command.args)
        .env_clear()
        .envs(job.environment)
        .current_dir(&command.cwd)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut child = match spawned {
        Ok(child) => child,
        Err(_) => return not_started(StartFailure::NotExecutable),
    };
    let object = match JobObject::around(&child, command.limits.memory, command.limits.processes) {
        Ok(object) => object,
        Err(e) => {
            let _ = child.kill();
            let _ = child.wait();
            return Err(cannot("make a job object", e));
        }
    };
    let stdout = drain(child.stdout.take(), command.limits.stdout, false);
    let stderr = drain(child.stderr.take(), command.limits.stderr_tail, true);

    let outcome = loop {
        match child.try_wait() {
            Ok(Some(status)) => break Outcome::Exited(status.code().unwrap_or(-1)),
            Ok(None) => {}
            Err(e) => {
                object.end();
                return Err(cannot("wait for the child", e));
            }
        }
        if cancel.is_woken() {
            break Outcome::Cancelled;
        }
        if Instant::now() >= end_by {
            break Outcome::TimedOut;
        }
        if stdout.overflowed() {
            break Outcome::OutputLimit;
        }
        std::thread::sleep(TICK);
    };
    // There is no polite request that every program understands: the job is ended at once.
    object.end();
    let _ = child.wait();
    let overflowed = stdout.overflowed();
    let (stdout, _) = stdout.finish();
    let (stderr, dropped) = stderr.finish();
    let outcome = match outcome {
        Outcome::Exited(_) if overflowed => Outcome::OutputLimit,
        other => other,
    };
    Ok(finished(outcome, stdout, stderr, dropped))
}

struct JobObject(OwnedHandle);

impl JobObject {
    fn around(child: &Child, memory: Option<u64>, processes: Option<u64>) -> io::Result<Self> {
        #[expect(unsafe_code, reason = "job objects have no safe binding")]
        // SAFETY: no attributes and no name are given; the handle is checked and owned here alone. The information is
        // as long as the size says and outlives the call. The child's handle is open as long as `child` is borrowed.
        unsafe {
            let handle = CreateJobObjectW(std::ptr::null(), std::ptr::null());
            if handle.is_null() {
                return Err(io::Error::last_os_error());
            }
            let object = JobObject(OwnedHandle::from_raw_handle(handle.cast()));
            let mut limits: JOBOBJECT_EXTENDED_LIMIT_INFORMATION = std::mem::zeroed();
            limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
            if let Some(memory) = memory {
                limits.BasicLimitInformation.LimitFlags |= JOB_OBJECT_LIMIT_PROCESS_MEMORY;
                limits.ProcessMemoryLimit = usize::try_from(memory).unwrap_or(usize::MAX);
            }
            if let Some(processes) = processes {
                limits.BasicLimitInformation.LimitFlags |= JOB_OBJECT_LIMIT_ACTIVE_PROCESS;
                limits.BasicLimitInformation.ActiveProcessLimit = u32::try_from(processes).unwrap_or(u32::MAX);
            }
            let size = u32::try_from(size_of_val(&limits)).map_err(io::Error::other)?;
            let set = SetInformationJobObject(
                handle,
                JobObjectExtendedLimitInformation,
                (&raw const limits).cast(),
                size,
            );
            if set == 0 || AssignProcessToJobObject(handle, child.as_raw_handle().cast()) == 0 {
                return Err(io::Error::last_os_error());
            }
            Ok(object)
        }
    }

    fn end(&self) {
        #[expect(unsafe_code, reason = "job objects have no safe binding")]
        // SAFETY: the handle is open as long as `self` is.
        unsafe {
            TerminateJobObject(self.0.as_raw_handle().cast(), 1);
        }
    }
}

/// A thread that reads a pipe to its end and keeps a bounded part.
struct Drain {
    thread: Option<JoinHandle<(Vec<u8>, u64)>>,
    over: std::sync::Arc<std::sync::atomic::AtomicBool>,
}

fn drain(from: Option<impl Read + Send + 'static>, limit: usize, tail: bool) -> Drain {
    let over = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let flag = over.clone();
    let thread = from.map(|mut from| {
        std::thread::spawn(move || {
            let (mut kept, mut dropped) = (Vec::new(), 0u64);
            let mut buffer = vec![0; 64 << 10];
            while let Ok(count @ 1..) = from.read(&mut buffer) {
                let room = if tail {
                    count
                } else {
                    count.min(limit.saturating_sub(kept.len()))
                };
                kept.extend_from_slice(&buffer[..room]);
                dropped += (count - room) as u64;
                if tail && kept.len() > limit {
                    let excess = kept.len() - limit;
                    kept.drain(..excess);
                    dropped += excess as u64;
                }
                if !tail && dropped > 0 {
                    flag.store(true, std::sync::atomic::Ordering::Relaxed);
                }
            }
            (kept, dropped)
        })
    });
    Drain { thread, over }
}

impl Drain {
    fn overflowed(&self) -> bool {
        self.over.load(std::sync::atomic::Ordering::Relaxed)
    }

    fn finish(self) -> (Vec<u8>, u64) {
        self.thread.and_then(|thread| thread.join().ok()).unwrap_or_default()
    }
}
