//! The helper process: it reads a plan, makes the namespaces, starts the program and sees to it that nothing of it is
//! left, whatever happens to its parent.
//!
//! There are up to three processes. The *helper* is the parent's child. Where a process table of its own is to be had,
//! the helper forks its first process, the *keeper*, and only waits for it; when the keeper ends, the kernel kills
//! everything in that table. Elsewhere the helper is the keeper itself, and adopts orphans. The keeper forks the process
//! that becomes the program.
//!
//! The connection to the parent is the helper's standard input. Its end means that the parent is gone: then everything is
//! killed. Nothing depends on a signal at the parent's death, which would follow the death of a thread.

use super::confine::Failure;
use super::plan::{ASK, Message, Plan, Step, receive, send, take_messages};
use super::start::start;
use super::sys::{self, Fork};
use super::{mounts, namespaces};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, WaitOptions, WaitStatus};
use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};
use understory_ports::sandbox::Protection;

/// How long what the program leaves may take to end by itself before it counts as left.
const LINGER: Duration = Duration::from_millis(50);

/// The bound on processes where the policy names none: far more than any tool uses, far less than hurts the host. It is
/// not claimed.
const UNASKED_PROCESSES: u64 = 8192;

/// Runs the helper to its end and gives its exit code.
pub fn run() -> i32 {
    match try_run() {
        Ok(()) => 0,
        // The parent sees that the connection ends too early.
        Err(_) => 1,
    }
}

fn try_run() -> io::Result<()> {
    let control = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdin(), 3)?;
    let mut missing = Vec::new();
    if sys::close_all_but(std::os::fd::AsFd::as_fd(&control)).is_err() {
        missing.push(Protection::Descriptors);
    }
    silence(&[0])?;
    let mut control = UnixStream::from(control);
    let plan: Plan = receive(&mut control)?;
    send(&mut control, &Message::Ready)?;

    let reached = match namespaces::enter(&plan) {
        Ok(reached) => reached,
        Err(failure) => return tell_failure(&mut control, &failure),
    };
    missing.extend(reached.missing);
    if !reached.processes {
        let _ = rustix::process::set_child_subreaper(Some(Pid::INIT));
        return Keeper::new(control, plan, missing, false).keep();
    }
    match sys::fork() {
        Err(e) => tell_failure(&mut control, &Failure::new(Step::Fork, &e)),
        Ok(Fork::Child) => {
            let _ = rustix::process::set_parent_process_death_signal(Some(Signal::KILL));
            let kept = first_of_its_table(control, plan, missing);
            sys::leave(i32::from(kept.is_err()))
        }
        Ok(Fork::Parent(keeper)) => {
            drop(control);
            silence(&[1, 2])?;
            wait_for(keeper);
            Ok(())
        }
    }
}

/// The keeper in a process table of its own. What only the first process can arrange is arranged here.
fn first_of_its_table(mut control: UnixStream, plan: Plan, mut missing: Vec<Protection>) -> io::Result<()> {
    // Before the mounts are read-only.
    let bounded = namespaces::bound_processes(plan.processes.unwrap_or(UNASKED_PROCESSES));
    match mounts::arrange(&plan) {
        Ok(more) => missing.extend(more),
        Err(e) => return tell_failure(&mut control, &Failure::new(Step::Mounts, &e)),
    }
    let mut keeper = Keeper::new(control, plan, missing, true);
    keeper.bounded = bounded;
    keeper.keep()
}

fn tell_failure(control: &mut UnixStream, failure: &Failure) -> io::Result<()> {
    let message = Message::Failed {
        step: failure.step,
        errno: failure.errno,
    };
    send(control, &message)
}

/// Points standard descriptors at nothing, so that this process holds no end of the parent's pipes.
fn silence(descriptors: &[u8]) -> io::Result<()> {
    let null = File::options().read(true).write(true).open("/dev/null")?;
    for descriptor in descriptors {
        match descriptor {
            0 => rustix::stdio::dup2_stdin(&null)?,
            1 => rustix::stdio::dup2_stdout(&null)?,
            _ => rustix::stdio::dup2_stderr(&null)?,
        }
    }
    Ok(())
}

fn wait_for(process: Pid) {
    while let Err(rustix::io::Errno::INTR) = rustix::process::waitpid(Some(process), WaitOptions::empty()) {}
}

struct Keeper {
    control: UnixStream,
    plan: Plan,
    missing: Vec<Protection>,
    own_processes: bool,
    /// Whether the process table is bounded.
    bounded: bool,
    program: Option<Pid>,
    ended: Option<WaitStatus>,
}

impl Keeper {
    fn new(control: UnixStream, plan: Plan, missing: Vec<Protection>, own_processes: bool) -> Self {
        Keeper {
            control,
            plan,
            missing,
            own_processes,
            bounded: false,
            program: None,
            ended: None,
        }
    }

    fn keep(mut self) -> io::Result<()> {
        let events = sys::child_events()?;
        let (reader, writer) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC)?;
        match sys::fork() {
            Err(e) => return tell_failure(&mut self.control, &Failure::new(Step::Fork, &e)),
            Ok(Fork::Child) => {
                drop(reader);
                start(
                    &self.plan,
                    self.missing,
                    self.own_processes,
                    self.bounded,
                    File::from(writer),
                )
            }
            Ok(Fork::Parent(program)) => self.program = Some(program),
        }
        drop(writer);
        silence(&[1, 2])?;
        let mut told = Vec::new();
        File::from(reader).read_to_end(&mut told)?;
        let told = take_messages(&mut told)?;
        let started = match told.last() {
            Some(Message::Starting { missing, .. }) => Some(missing.clone()),
            Some(other) => {
                send(&mut self.control, other)?;
                None
            }
            None => None,
        };
        if let Some(missing) = started {
            let process = match self.program {
                Some(program) if !self.own_processes => program.as_raw_nonzero().get().unsigned_abs(),
                _ => 0,
            };
            send(&mut self.control, &Message::Starting { process, missing })?;
            self.watch(&events)?;
            let leaked = !self.settle();
            self.end_all();
            let message = match self.ended {
                Some(status) => Message::Ended {
                    code: status.exit_status(),
                    signal: status.terminating_signal(),
                    leaked,
                },
                // Everything was killed because the parent is gone; nobody reads this.
                None => return Ok(()),
            };
            send(&mut self.control, &message)
        } else {
            self.end_all();
            Ok(())
        }
    }

    /// Waits until the program ended, carrying out the parent's orders meanwhile.
    fn watch(&mut self, events: &OwnedFd) -> io::Result<()> {
        while self.ended.is_none() {
            let mut fds = [
                PollFd::new(&self.control, PollFlags::IN),
                PollFd::new(events, PollFlags::IN),
            ];
            match poll(&mut fds, None) {
                Err(rustix::io::Errno::INTR) => continue,
                other => other?,
            };
            let (order, child) = (!fds[0].revents().is_empty(), !fds[1].revents().is_empty());
            if child {
                let mut record = [0; 1024];
                while rustix::io::read(events, &mut record).is_ok_and(|n| n == record.len()) {}
                self.reap();
            }
            if order && !self.obey() {
                self.end_all();
                return Ok(());
            }
        }
        Ok(())
    }

    /// Carries out one order. `false` when the parent is gone.
    fn obey(&mut self) -> bool {
        let mut order = [0];
        match self.control.read(&mut order) {
            Ok(0) | Err(_) => return false,
            Ok(_) if order[0] == ASK => self.signal(Signal::TERM),
            Ok(_) => self.signal(Signal::KILL),
        }
        true
    }

    fn signal(&self, signal: Signal) {
        if self.own_processes {
            sys::signal_namespace(signal);
            return;
        }
        if let (Some(program), None) = (self.program, self.ended) {
            let _ = rustix::process::kill_process_group(program, signal);
        }
        for child in children() {
            let _ = rustix::process::kill_process(child, signal);
        }
    }

    /// Reaps what has ended. `false` when no child is left.
    fn reap(&mut self) -> bool {
        loop {
            match rustix::process::wait(WaitOptions::NOHANG) {
                Ok(Some((process, status))) => {
                    if Some(process) == self.program {
                        self.ended = Some(status);
                    }
                }
                Ok(None) => return true,
                Err(rustix::io::Errno::INTR) => {}
                Err(_) => return false,
            }
        }
    }

    /// Gives what the program left a moment to end. Whether nothing is left.
    fn settle(&mut self) -> bool {
        let until = Instant::now() + LINGER;
        while self.reap() {
            if Instant::now() >= until {
                return false;
            }
            pause();
        }
        true
    }

    /// Kills and reaps until nothing is left.
    fn end_all(&mut self) {
        while self.reap() {
            self.signal(Signal::KILL);
            pause();
        }
    }
}

fn pause() {
    let _ = poll(
        &mut [],
        Some(&Timespec {
            tv_sec: 0,
            tv_nsec: 500_000,
        }),
    );
}

/// The children of this process, orphans that it adopted among them.
fn children() -> Vec<Pid> {
    let me = rustix::process::getpid();
    let Ok(processes) = std::fs::read_dir("/proc") else {
        return Vec::new();
    };
    processes
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<i32>().ok())
        .filter_map(Pid::from_raw)
        .filter(|process| parent_of(*process) == Some(me))
        .collect()
}

fn parent_of(process: Pid) -> Option<Pid> {
    let stat = std::fs::read(format!("/proc/{}/stat", process.as_raw_nonzero())).ok()?;
    Pid::from_raw(stat_fields(&stat)?.0)
}

/// Parent and process group of a line of `/proc/*/stat`. The program's name in it may hold anything, so it is skipped
/// from its end.
pub fn stat_fields(stat: &[u8]) -> Option<(i32, i32, char)> {
    let end = stat.iter().rposition(|b| *b == b')')?;
    let rest = std::str::from_utf8(&stat[end + 1..]).ok()?;
    let mut fields = rest.split_ascii_whitespace();
    let state = fields.next()?.chars().next()?;
    let parent = fields.next()?.parse().ok()?;
    let group = fields.next()?.parse().ok()?;
    Some((parent, group, state))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_line_is_read_from_behind_its_name() {
        let check = |line: &str, expected| assert_eq!(stat_fields(line.as_bytes()), expected, "{line}");
        check("12 (sh) S 7 12 12 0 -1", Some((7, 12, 'S')));
        check("12 (a) S 1 (b) Z 7 12 12", Some((7, 12, 'Z')));
        check("12 (sh", None);
        check("12 (sh)", None);
        check("", None);
    }
}
