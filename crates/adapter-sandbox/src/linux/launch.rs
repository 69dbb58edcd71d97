//! Starts a run: through a helper process, or from a thread that confines itself.

use super::plan::{self, ASK, KILL, Message, Plan, Step, compile, from_indexes, send, take_messages};
use super::{confine, start};
use crate::adapter::{Job, cannot};
use crate::direct::DirectProcesses;
use crate::supervise::{News, Processes, Running};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Resource, Rlimit, Signal};
use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use understory_ports::sandbox::{Enforcement, Outcome, Protection, SandboxError, StartFailure};

/// How long a helper may take to read its plan, and to go when it has nothing left to do.
const PATIENCE: Duration = Duration::from_secs(5);

/// The step at which a kernel gave a namespace and did not let it be finished.
const UNFINISHED: &str = "finish the namespaces";

/// Whether a launch that failed so is worth another try without namespaces.
pub(crate) fn without_namespaces_may_work(error: &SandboxError) -> bool {
    matches!(error, SandboxError::Launch { step: UNFINISHED, .. })
}

/// Starts the run.
pub(crate) fn launch(job: &Job<'_>) -> Result<Running, SandboxError> {
    let mut plan = compile(job.command, job.environment, job.grants);
    plan.namespaces = job.namespaces;
    match job.helper {
        Some(helper) => through_helper(plan, helper),
        None => from_thread(&plan),
    }
}

fn through_helper(plan: Plan, helper: &Path) -> Result<Running, SandboxError> {
    let (mut control, theirs) = UnixStream::pair().map_err(|e| cannot("connect to the sandbox helper", e))?;
    let mut child = Command::new(helper)
        .arg(crate::HELPER_ARGUMENT)
        .env_clear()
        .current_dir("/")
        .stdin(OwnedFd::from(theirs))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()
        .map_err(|e| SandboxError::Helper {
            program: helper.to_path_buf(),
            what: e.to_string(),
        })?;
    let (stdout, stderr) = pipes_of(&mut child);
    // From here on the processes are ended by whoever holds this value.
    let mut processes = HelperProcesses {
        helper: helper.to_path_buf(),
        child,
        control: None,
        buffer: Vec::new(),
        program: None,
        plan,
    };
    let sent = control
        .set_write_timeout(Some(PATIENCE))
        .and_then(|()| send(&mut control, &processes.plan))
        .and_then(|()| control.set_nonblocking(true));
    processes.control = Some(control);
    if let Err(e) = sent {
        processes.reap();
        return Err(SandboxError::Helper {
            program: helper.to_path_buf(),
            what: format!("it did not take its plan ({e})"),
        });
    }
    Ok(Running {
        processes: Box::new(processes),
        stdout,
        stderr,
    })
}

fn pipes_of(child: &mut Child) -> (OwnedFd, OwnedFd) {
    let stdout = child.stdout.take().expect("standard output was asked for as a pipe");
    let stderr = child.stderr.take().expect("standard error was asked for as a pipe");
    (stdout.into(), stderr.into())
}

/// The processes behind a helper.
struct HelperProcesses {
    helper: PathBuf,
    child: Child,
    control: Option<UnixStream>,
    buffer: Vec<u8>,
    program: Option<Pid>,
    plan: Plan,
}

impl HelperProcesses {
    fn order(&mut self, order: u8) {
        if let Some(control) = &mut self.control {
            let _ = control.write_all(&[order]);
        }
    }

    fn translate(&mut self, message: Message, started: &mut bool) -> Option<News> {
        Some(match message {
            Message::Ready => return None,
            Message::Starting { process, missing } => {
                *started = true;
                self.program = i32::try_from(process).ok().and_then(Pid::from_raw);
                News::Started(reached(&self.plan, from_indexes(&missing)))
            }
            Message::Refused { missing } => News::Refused(SandboxError::NotEnforced {
                reached: reached(&self.plan, from_indexes(&missing)),
            }),
            Message::Failed { step, errno } => failure(&self.plan, step, io::Error::from_raw_os_error(errno)),
            Message::Ended { code, signal, leaked } => News::Ended(match (code, signal) {
                (Some(code), _) if leaked => Outcome::LeakedDescendants(code),
                (Some(code), _) => Outcome::Exited(code),
                (None, signal) => Outcome::Signalled(signal.unwrap_or(0)),
            }),
        })
    }

    /// The helper is gone without a last word.
    fn lost(&mut self, started: bool) -> News {
        if let Some(program) = self.program.take() {
            let _ = rustix::process::kill_process_group(program, Signal::KILL);
        }
        if started {
            return News::Ended(Outcome::Signalled(Signal::KILL.as_raw()));
        }
        News::Refused(SandboxError::Helper {
            program: self.helper.clone(),
            what: "it ended before the program ran".into(),
        })
    }
}

impl Processes for HelperProcesses {
    fn readiness(&self) -> Option<BorrowedFd<'_>> {
        self.control.as_ref().map(|c| c.as_fd())
    }

    fn news(&mut self) -> Vec<News> {
        let mut closed = false;
        let mut bytes = [0; 4096];
        while let Some(control) = &mut self.control {
            match control.read(&mut bytes) {
                Ok(0) => closed = true,
                Ok(count) => self.buffer.extend_from_slice(&bytes[..count]),
                Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => break,
                Err(_) => closed = true,
            }
            if closed {
                break;
            }
        }
        let mut started = self.program.is_some();
        let mut news = Vec::new();
        match take_messages(&mut self.buffer) {
            Ok(messages) => {
                for message in messages {
                    news.extend(self.translate(message, &mut started));
                }
            }
            Err(_) => closed = true,
        }
        let over = news.iter().any(|n| !matches!(n, News::Started(_)));
        if closed && !over {
            news.push(self.lost(started));
        }
        news
    }

    fn ask(&mut self) {
        self.order(ASK);
    }

    fn kill(&mut self) {
        self.order(KILL);
    }

    fn reap(&mut self) {
        // Its end is the order to kill what is left.
        self.control = None;
        let Some(number) = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw) else {
            return;
        };
        if let Ok(ended) = rustix::process::pidfd_open(number, PidfdFlags::empty()) {
            let patience = Timespec {
                tv_sec: PATIENCE.as_secs().cast_signed(),
                tv_nsec: 0,
            };
            let gone = poll(&mut [PollFd::new(&ended, PollFlags::IN)], Some(&patience));
            if matches!(gone, Ok(0)) {
                let _ = self.child.kill();
            }
        }
        let _ = self.child.wait();
    }
}

fn reached(plan: &Plan, missing: Vec<Protection>) -> Enforcement {
    if plan.wanted().iter().all(|p| missing.contains(p)) {
        Enforcement::None
    } else {
        Enforcement::missing(missing)
    }
}

/// What a failed step means to the caller.
fn failure(plan: &Plan, step: Step, error: io::Error) -> News {
    let absent = matches!(error.raw_os_error(), Some(libc::ENOENT | libc::ENOTDIR));
    match step {
        Step::Cwd if absent => News::NotStarted(StartFailure::CwdMissing),
        Step::Cwd => News::NotStarted(StartFailure::Other(format!(
            "the working directory cannot be entered: {error}"
        ))),
        Step::Find if absent => News::NotStarted(StartFailure::ProgramMissing),
        Step::Find => News::NotStarted(StartFailure::Other(format!("the program cannot be looked at: {error}"))),
        Step::Execute if matches!(error.raw_os_error(), Some(libc::ENOENT | libc::EACCES | libc::ENOEXEC)) => {
            News::NotStarted(StartFailure::NotExecutable)
        }
        Step::Execute => News::NotStarted(StartFailure::Other(format!("it cannot be executed: {error}"))),
        Step::Grant(index) => News::Refused(SandboxError::Grant {
            path: plan
                .rules
                .get(index as usize)
                .map(|rule| plan::path(&rule.path))
                .unwrap_or_default(),
            source: error,
        }),
        Step::Namespaces => News::Refused(cannot(UNFINISHED, error)),
        Step::Mounts => News::Refused(cannot("arrange the mounts", error)),
        Step::Fork => News::Refused(cannot("start a process", error)),
        Step::Limit => News::Refused(cannot("set a resource limit", error)),
        Step::Confine => News::Refused(cannot("confine the process", error)),
    }
}

/// Starts the program from a thread that confines itself first: the child inherits the confinement. No namespace can be
/// had this way, no limit can be set before the program runs, and no descriptor that somebody left open can be closed.
fn from_thread(plan: &Plan) -> Result<Running, SandboxError> {
    let refused = |news: News| -> Result<Running, SandboxError> {
        match news {
            News::Refused(error) => Err(error),
            other => Ok(Running::without_processes(other)?),
        }
    };
    let cwd = plan::path(&plan.cwd);
    match std::fs::metadata(&cwd) {
        Ok(metadata) if metadata.is_dir() => {}
        Ok(_) => return refused(failure(plan, Step::Cwd, io::Error::from_raw_os_error(libc::ENOTDIR))),
        Err(e) => return refused(failure(plan, Step::Cwd, e)),
    }
    if let Err(found) = start::find(plan) {
        return refused(failure(plan, found.step, io::Error::from_raw_os_error(found.errno)));
    }
    let spawned = std::thread::scope(|scope| {
        let confined = std::thread::Builder::new()
            .name("sandbox-confined".into())
            .spawn_scoped(scope, || spawn_confined(plan));
        confined
            .map_err(|e| cannot("start a thread", e))
            .map(|thread| thread.join().expect("confining and spawning do not panic"))
    })?;
    match spawned {
        Err(news) => refused(news),
        Ok((mut child, missing)) => {
            lower_limits(plan, &child);
            let (stdout, stderr) = pipes_of(&mut child);
            Ok(Running {
                processes: Box::new(DirectProcesses::new(child, reached(plan, missing))),
                stdout,
                stderr,
            })
        }
    }
}

fn spawn_confined(plan: &Plan) -> Result<(Child, Vec<Protection>), News> {
    let mut missing = vec![
        Protection::FileMetadata,
        Protection::Hidden,
        Protection::NetworkNamespace,
        Protection::ProcessNamespace,
        Protection::Limits,
        Protection::ProcessLimit,
        Protection::Descriptors,
    ];
    let failed = |f: confine::Failure| failure(plan, f.step, io::Error::from_raw_os_error(f.errno));
    confine::drop_privileges().map_err(failed)?;
    missing.extend(confine::restrict_files(plan).map_err(failed)?);
    missing.extend(confine::restrict_calls(plan).map_err(failed)?);
    let wanted = plan.wanted();
    missing.retain(|p| wanted.contains(p));
    if plan.require_all {
        return Err(News::Refused(SandboxError::NotEnforced {
            reached: reached(plan, missing),
        }));
    }
    let os = |bytes: &[u8]| plan::path(bytes).into_os_string();
    let mut command = Command::new(plan::path(&plan.program));
    command
        .args(plan.args.iter().map(|a| os(a)))
        .env_clear()
        .current_dir(plan::path(&plan.cwd))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0);
    for pair in &plan.environment {
        let split = pair.iter().position(|b| *b == b'=').unwrap_or(pair.len());
        command.env(os(&pair[..split]), os(pair.get(split + 1..).unwrap_or_default()));
    }
    let child = command.spawn().map_err(|e| failure(plan, Step::Execute, e))?;
    Ok((child, missing))
}

/// Sets the limits on a child that already runs: too late to be claimed, early enough to help.
fn lower_limits(plan: &Plan, child: &Child) {
    let process = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let limits = [
        (Resource::Core, Some(0)),
        (Resource::Data, plan.memory),
        (Resource::Fsize, plan.file_size),
        (Resource::Nproc, plan.processes),
    ];
    for (resource, value) in limits {
        if let Some(value) = value {
            let limit = Rlimit {
                current: Some(value),
                maximum: Some(value),
            };
            let _ = rustix::process::prlimit(process, resource, limit);
        }
    }
}
