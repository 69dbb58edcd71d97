//! A run whose program is this process's own child: where there is no helper process, the process group is what can be
//! ended as a whole. A child that leaves its group leaves the run.

use crate::supervise::{News, Processes};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::os::unix::process::ExitStatusExt as _;
use std::process::Child;
use std::time::{Duration, Instant};
use understory_ports::sandbox::{Enforcement, Outcome};

/// How long what the program leaves may take to end by itself before it counts as left.
const LINGER: Duration = Duration::from_millis(50);

/// The child, the leader of its own process group.
pub(crate) struct DirectProcesses {
    child: Child,
    leader: Pid,
    ended: Option<OwnedFd>,
    started: Option<Enforcement>,
}

impl DirectProcesses {
    /// Takes charge of a child that was started as the leader of a group.
    pub(crate) fn new(child: Child, enforcement: Enforcement) -> Self {
        let leader = i32::try_from(child.id())
            .ok()
            .and_then(Pid::from_raw)
            .expect("the operating system numbers processes from 1");
        DirectProcesses {
            #[cfg(target_os = "linux")]
            ended: rustix::process::pidfd_open(leader, rustix::process::PidfdFlags::empty()).ok(),
            #[cfg(not(target_os = "linux"))]
            ended: None,
            child,
            leader,
            started: Some(enforcement),
        }
    }

    /// Whether the leader is over. It is left unreaped, so that its number, which is the group's, stays taken.
    fn is_over(&self) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        !matches!(waitid(WaitId::Pid(self.leader), options), Ok(None))
    }

    fn signal(&self, signal: Signal) {
        let _ = kill_process_group(self.leader, signal);
    }

    /// Waits a moment for the rest of the group, then kills it. Whether something had to be killed.
    fn end_group(&self) -> bool {
        let until = Instant::now() + LINGER;
        while others_in_group(self.leader) {
            if Instant::now() >= until {
                self.signal(Signal::KILL);
                return true;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        self.signal(Signal::KILL);
        false
    }
}

impl Processes for DirectProcesses {
    fn readiness(&self) -> Option<BorrowedFd<'_>> {
        self.ended.as_ref().map(|fd| fd.as_fd())
    }

    fn news(&mut self) -> Vec<News> {
        let mut news: Vec<News> = self.started.take().map(News::Started).into_iter().collect();
        if self.is_over() {
            let leaked = self.end_group();
            let outcome = match self.child.wait() {
                Ok(status) => match (status.code(), status.signal()) {
                    (Some(code), _) if leaked => Outcome::LeakedDescendants(code),
                    (Some(code), _) => Outcome::Exited(code),
                    (None, signal) => Outcome::Signalled(signal.unwrap_or(0)),
                },
                Err(_) => Outcome::Signalled(0),
            };
            news.push(News::Ended(outcome));
        }
        news
    }

    fn ask(&mut self) {
        self.signal(Signal::TERM);
    }

    fn kill(&mut self) {
        self.signal(Signal::KILL);
    }

    fn reap(&mut self) {
        if !self.is_over() {
            self.signal(Signal::KILL);
        }
        let _ = self.child.wait();
    }
}

/// Whether a group has a living member beside its leader.
#[cfg(target_os = "linux")]
fn others_in_group(leader: Pid) -> bool {
    let Ok(processes) = std::fs::read_dir("/proc") else {
        return false;
    };
    let group = leader.as_raw_nonzero().get();
    processes
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<i32>().ok())
        .filter(|process| *process != group)
        .filter_map(|process| std::fs::read(format!("/proc/{process}/stat")).ok())
        .filter_map(|stat| crate::linux::helper::stat_fields(&stat))
        .any(|(_, member_of, state)| member_of == group && !matches!(state, 'Z' | 'X'))
}

/// Elsewhere the members of a group cannot be listed without a library; what is left is killed and not told.
#[cfg(not(target_os = "linux"))]
fn others_in_group(_leader: Pid) -> bool {
    false
}
