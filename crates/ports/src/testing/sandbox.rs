//! A sandbox that runs nothing: it keeps every command and acts out a script.

use crate::context::CallContext;
use crate::sandbox::{
    Enforcement, Finished, Network, Outcome, Protection, Require, Sandbox, SandboxCommand, SandboxError, StartFailure,
};
use async_trait::async_trait;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// What a child does instead of running.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    /// Ends by itself.
    Exit {
        /// The code.
        code: i32,
        /// What it writes on standard output; more than the limit is an [`Outcome::OutputLimit`].
        stdout: Vec<u8>,
        /// What it writes on standard error.
        stderr: Vec<u8>,
    },
    /// Is ended by a signal.
    Signal(i32),
    /// Writes output without end.
    Flood,
    /// Does nothing until it is ended.
    Hang,
    /// Waits, then acts.
    Delay(Duration, Box<Act>),
    /// Ends with code 0 and leaves a process behind.
    Leak,
    /// Does not start.
    FailToStart(StartFailure),
    /// The sandbox itself fails.
    Launch,
}

impl Act {
    /// Ends with code 0 after writing this on standard output.
    pub fn print(stdout: impl Into<Vec<u8>>) -> Act {
        Act::Exit {
            code: 0,
            stdout: stdout.into(),
            stderr: Vec::new(),
        }
    }

    /// Ends with a code other than 0 after writing this on standard error.
    pub fn fail(code: i32, stderr: impl Into<Vec<u8>>) -> Act {
        Act::Exit {
            code,
            stdout: Vec::new(),
            stderr: stderr.into(),
        }
    }
}

type Script = dyn Fn(&SandboxCommand) -> Option<Act> + Send + Sync;

/// A [`Sandbox`] that runs nothing. It keeps every command whole (argument list, environment, working directory, grants,
/// network) and plays the first script that knows the command.
///
/// Stricter than a real one: a command that no script knows, a network that was not expected, and a working directory
/// that no grant covers are panics, since each is a fault of the code under test that a real child would only show by
/// failing somehow.
///
/// ```
/// # use understory_ports::{CallContext, Sandbox, SandboxCommand, testing::{Act, RecordingSandbox}};
/// # #[tokio::main(flavor = "current_thread")] async fn main() {
/// let sandbox = RecordingSandbox::new().on_program("tool", Act::print("1.2.3\n"));
/// let command = SandboxCommand::new("/opt/tool", "/tmp").read("/tmp").arg("--version");
/// let finished = sandbox.run(command, &CallContext::new()).await.unwrap();
/// assert_eq!(finished.stdout, b"1.2.3\n");
/// assert_eq!(sandbox.commands()[0].args, ["--version"]);
/// # }
/// ```
#[derive(Default)]
pub struct RecordingSandbox {
    scripts: Vec<Box<Script>>,
    network: bool,
    missing: Vec<Protection>,
    commands: Mutex<Vec<SandboxCommand>>,
    running: Arc<AtomicUsize>,
    abandoned: Arc<AtomicUsize>,
}

impl RecordingSandbox {
    /// One that knows no command.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a script: what to do with the commands that it knows. Earlier ones are asked first.
    pub fn on(mut self, script: impl Fn(&SandboxCommand) -> Option<Act> + Send + Sync + 'static) -> Self {
        self.scripts.push(Box::new(script));
        self
    }

    /// Adds a script for a program by its file name.
    pub fn on_program(self, name: &str, act: Act) -> Self {
        let name = name.to_owned();
        self.on(move |command| (command.program.file_name()? == name.as_str()).then(|| act.clone()))
    }

    /// Lets commands ask for the network.
    pub fn expecting_network(mut self) -> Self {
        self.network = true;
        self
    }

    /// Enforces less than all.
    pub fn without(mut self, missing: &[Protection]) -> Self {
        self.missing = missing.to_vec();
        self
    }

    /// The commands so far, in order, refused ones not included.
    pub fn commands(&self) -> Vec<SandboxCommand> {
        self.kept().clone()
    }

    /// Runs that are not over.
    pub fn running(&self) -> usize {
        self.running.load(Ordering::SeqCst)
    }

    /// Runs whose future was dropped before they were over.
    pub fn abandoned(&self) -> usize {
        self.abandoned.load(Ordering::SeqCst)
    }

    fn kept(&self) -> MutexGuard<'_, Vec<SandboxCommand>> {
        self.commands.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Counts a run as over when it returns, and as abandoned when its future is dropped.
struct Run {
    running: Arc<AtomicUsize>,
    abandoned: Arc<AtomicUsize>,
    over: bool,
}

impl Drop for Run {
    fn drop(&mut self) {
        self.running.fetch_sub(1, Ordering::SeqCst);
        if !self.over {
            self.abandoned.fetch_add(1, Ordering::SeqCst);
        }
    }
}

fn covered(cwd: &Path, command: &SandboxCommand) -> bool {
    let mut grants = command.read.iter().chain(&command.write);
    cwd == Path::new("/") || grants.any(|grant| cwd.starts_with(grant))
}

#[async_trait]
impl Sandbox for RecordingSandbox {
    async fn run(&self, command: SandboxCommand, cx: &CallContext) -> Result<Finished, SandboxError> {
        let command = command.under(cx.policy);
        command.check()?;
        assert!(
            self.network || command.network == Network::Denied,
            "the network was not expected: {command:?}"
        );
        assert!(
            covered(&command.cwd, &command),
            "no grant covers the working directory: {command:?}"
        );
        let enforcement = Enforcement::missing(self.missing.clone());
        if command.require == Require::Enforced && enforcement != Enforcement::Enforced {
            return Err(SandboxError::NotEnforced { reached: enforcement });
        }
        let act = self.scripts.iter().find_map(|script| script(&command));
        let Some(mut act) = act else {
            panic!("no script knows this command: {command:?}");
        };
        self.kept().push(command.clone());

        self.running.fetch_add(1, Ordering::SeqCst);
        let mut run = Run {
            running: self.running.clone(),
            abandoned: self.abandoned.clone(),
            over: false,
        };
        let started = Instant::now();
        let bound = cx.deadline.map_or(command.limits.time, |d| {
            d.saturating_duration_since(started).min(command.limits.time)
        });
        let mut left = bound;
        let ended = loop {
            let (wait, next) = match act {
                Act::Delay(wait, next) => (wait, Some(*next)),
                Act::Hang => (Duration::MAX, None),
                other => break Ok(other),
            };
            let passes = wait < left;
            tokio::select! {
                biased;
                () = cx.cancel.cancelled() => break Err(Outcome::Cancelled),
                () = tokio::time::sleep(wait.min(left)) => {}
            }
            match next {
                Some(next) if passes => {
                    left -= wait;
                    act = next;
                }
                _ => break Err(Outcome::TimedOut),
            }
        };
        run.over = true;

        let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
        let mut outcome = match ended {
            Err(outcome) => outcome,
            Ok(_) if cx.cancel.is_cancelled() => Outcome::Cancelled,
            Ok(_) if bound.is_zero() => Outcome::TimedOut,
            Ok(Act::Exit {
                code,
                stdout: out,
                stderr: err,
            }) => {
                (stdout, stderr) = (out, err);
                Outcome::Exited(code)
            }
            Ok(Act::Signal(signal)) => Outcome::Signalled(signal),
            Ok(Act::Flood) => {
                stdout = vec![b'.'; command.limits.stdout + 1];
                Outcome::OutputLimit
            }
            Ok(Act::Leak) => Outcome::LeakedDescendants(0),
            Ok(Act::FailToStart(why)) => Outcome::FailedToStart(why),
            Ok(Act::Launch) => {
                return Err(SandboxError::Launch {
                    step: "start a process",
                    source: std::io::ErrorKind::WouldBlock.into(),
                });
            }
            Ok(Act::Hang | Act::Delay(..)) => unreachable!("the loop above plays these"),
        };
        if stdout.len() > command.limits.stdout {
            stdout.truncate(command.limits.stdout);
            outcome = Outcome::OutputLimit;
        }
        let dropped = stderr.len().saturating_sub(command.limits.stderr_tail);
        stderr.drain(..dropped);
        Ok(Finished {
            outcome,
            stdout,
            stderr,
            stderr_dropped: dropped as u64,
            wall: started.elapsed(),
            enforcement,
        })
    }
}
