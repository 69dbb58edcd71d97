//! One run from its start to its end: output, limits, the end of everything, as one loop on a thread of its own.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::time::{Duration, Instant};
use understory_ports::sandbox::{Enforcement, Finished, Limits, Outcome, SandboxError, StartFailure};

/// What happened to the processes of a run.
#[derive(Debug)]
pub(crate) enum News {
    /// The program is running, with this enforced.
    Started(Enforcement),
    /// The program did not start.
    NotStarted(StartFailure),
    /// The program did not run.
    Refused(SandboxError),
    /// The program ended and nothing of it is left.
    Ended(Outcome),
}

/// The processes of one run.
pub(crate) trait Processes: Send {
    /// Readable when there is news; `None` where the operating system has no such thing, and asking has to do.
    fn readiness(&self) -> Option<BorrowedFd<'_>>;

    /// The news since the last call. Does not block.
    fn news(&mut self) -> Vec<News>;

    /// Asks all of them to end.
    fn ask(&mut self);

    /// Kills all of them.
    fn kill(&mut self);

    /// Waits for the end of what is left; after [`News::Ended`], or to give up.
    fn reap(&mut self);
}

/// A run that was launched.
pub(crate) struct Running {
    /// Its processes.
    pub processes: Box<dyn Processes>,
    /// Its standard output.
    pub stdout: OwnedFd,
    /// Its standard error.
    pub stderr: OwnedFd,
}

impl Running {
    /// A run that was over before there was a process.
    pub(crate) fn without_processes(news: News) -> Result<Running, SandboxError> {
        let pipe = || rustix::pipe::pipe().map(|(reader, _closed)| reader);
        let (stdout, stderr) = match (pipe(), pipe()) {
            (Ok(stdout), Ok(stderr)) => (stdout, stderr),
            (Err(e), _) | (_, Err(e)) => {
                return Err(SandboxError::Launch {
                    step: "make a pipe",
                    source: e.into(),
                });
            }
        };
        Ok(Running {
            processes: Box::new(Nothing(Some(news))),
            stdout,
            stderr,
        })
    }
}

/// No process at all; only the news why.
struct Nothing(Option<News>);

impl Processes for Nothing {
    fn readiness(&self) -> Option<BorrowedFd<'_>> {
        None
    }

    fn news(&mut self) -> Vec<News> {
        self.0.take().into_iter().collect()
    }

    fn ask(&mut self) {}

    fn kill(&mut self) {}

    fn reap(&mut self) {}
}

/// How often to ask where nothing tells.
const TICK: Duration = Duration::from_millis(5);
/// How long what is in the pipes may take to arrive after the end. Nothing holds them any more then.
const DRAIN: Duration = Duration::from_secs(2);
/// How long the processes may take to be gone after they were killed. A process in an uninterruptible call takes longer.
const GIVE_UP: Duration = Duration::from_secs(10);

/// A pipe that is read without blocking, and what is kept of it.
struct Stream {
    from: Option<File>,
    kept: Vec<u8>,
    /// Bytes that were read and not kept.
    dropped: u64,
    limit: usize,
    /// Keep the last bytes, or the first.
    tail: bool,
}

impl Stream {
    fn new(from: OwnedFd, limit: usize, tail: bool) -> io::Result<Self> {
        rustix::io::ioctl_fionbio(&from, true)?;
        Ok(Stream {
            from: Some(File::from(from)),
            kept: Vec::new(),
            dropped: 0,
            limit,
            tail,
        })
    }

    /// Reads what is there, at most a few buffers, so that a flood leaves time for everything else.
    fn read(&mut self, buffer: &mut [u8]) {
        for _ in 0..8 {
            let Some(from) = &mut self.from else { return };
            match from.read(buffer) {
                Ok(0) => self.from = None,
                Ok(count) => self.keep(&buffer[..count]),
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => return,
                Err(_) => self.from = None,
            }
        }
    }

    fn keep(&mut self, bytes: &[u8]) {
        if self.tail {
            self.kept.extend_from_slice(bytes);
            // Cut when twice the limit has gathered, so that each byte moves once on average.
            if self.kept.len() > self.limit.saturating_mul(2).max(64 << 10) {
                self.cut();
            }
        } else {
            let room = self.limit - self.kept.len();
            let taken = bytes.len().min(room);
            self.kept.extend_from_slice(&bytes[..taken]);
            self.dropped += (bytes.len() - taken) as u64;
        }
    }

    fn cut(&mut self) {
        let excess = self.kept.len().saturating_sub(self.limit);
        self.kept.drain(..excess);
        self.dropped += excess as u64;
    }

    fn overflowed(&self) -> bool {
        !self.tail && self.dropped > 0
    }
}

enum Phase {
    Running,
    Asked { since: Instant },
    Killed { since: Instant },
}

/// Carries a run to its end. `wake` becomes readable, or its other end closes, when the call is cancelled or dropped.
pub(crate) fn supervise(
    mut running: Running,
    limits: &Limits,
    started: Instant,
    end_by: Instant,
    wake: &OwnedFd,
) -> Result<Finished, SandboxError> {
    let pipes = Stream::new(running.stdout, limits.stdout, false)
        .and_then(|out| Ok((out, Stream::new(running.stderr, limits.stderr_tail, true)?)));
    let (mut stdout, mut stderr) = match pipes {
        Ok(pipes) => pipes,
        Err(source) => {
            running.processes.kill();
            running.processes.reap();
            return Err(SandboxError::Launch {
                step: "read the output",
                source,
            });
        }
    };
    let processes = &mut *running.processes;
    let mut buffer = vec![0; 64 << 10];
    let mut phase = Phase::Running;
    let mut cause = None;
    let mut enforcement = Enforcement::None;
    let mut cancelled = false;

    let ended = loop {
        let now = Instant::now();
        match phase {
            Phase::Running => {
                if cause.is_none() {
                    cause = if cancelled {
                        Some(Outcome::Cancelled)
                    } else if stdout.overflowed() {
                        Some(Outcome::OutputLimit)
                    } else if now >= end_by {
                        Some(Outcome::TimedOut)
                    } else {
                        None
                    };
                }
                if cause.is_some() {
                    processes.ask();
                    phase = Phase::Asked { since: now };
                }
            }
            Phase::Asked { since } if now >= since + limits.grace => {
                processes.kill();
                phase = Phase::Killed { since: now };
            }
            Phase::Killed { since } if now >= since + GIVE_UP => {
                break News::Ended(Outcome::Signalled(9));
            }
            _ => {}
        }
        let until = match phase {
            Phase::Running => end_by,
            Phase::Asked { since } => since + limits.grace,
            Phase::Killed { since } => since + GIVE_UP,
        };
        let mut timeout = until.saturating_duration_since(now);
        if processes.readiness().is_none() {
            timeout = timeout.min(TICK);
        }
        let watch_wake = matches!(phase, Phase::Running).then_some(wake.as_fd());
        let woken = wait(&[processes.readiness(), watch_wake, fd(&stdout), fd(&stderr)], timeout);
        cancelled |= woken[1];
        stdout.read(&mut buffer);
        stderr.read(&mut buffer);
        let mut over = None;
        for news in processes.news() {
            match news {
                News::Started(reached) => enforcement = reached,
                other => over = Some(other),
            }
        }
        if let Some(over) = over {
            break over;
        }
    };

    let drained_by = Instant::now() + DRAIN;
    while (stdout.from.is_some() || stderr.from.is_some()) && Instant::now() < drained_by {
        wait(
            &[fd(&stdout), fd(&stderr)],
            drained_by.saturating_duration_since(Instant::now()),
        );
        stdout.read(&mut buffer);
        stderr.read(&mut buffer);
    }
    processes.reap();
    let mut outcome = match ended {
        News::Refused(error) => return Err(error),
        News::NotStarted(why) => Outcome::FailedToStart(why),
        News::Ended(outcome) => outcome,
        News::Started(_) => unreachable!("the loop goes on after a start"),
    };
    if !matches!(outcome, Outcome::FailedToStart(_)) {
        if stdout.overflowed() && cause.is_none() {
            cause = Some(Outcome::OutputLimit);
        }
        if let Some(cause) = cause {
            outcome = cause;
        }
    }
    stderr.cut();
    Ok(Finished {
        outcome,
        stdout: stdout.kept,
        stderr: stderr.kept,
        stderr_dropped: stderr.dropped,
        wall: started.elapsed(),
        enforcement,
    })
}

fn fd(stream: &Stream) -> Option<BorrowedFd<'_>> {
    stream.from.as_ref().map(|f| f.as_fd())
}

/// Waits until one of the descriptors has something, or the time is over; which ones have.
fn wait<const N: usize>(fds: &[Option<BorrowedFd<'_>>; N], timeout: Duration) -> [bool; N] {
    // Round up: a wait that ends a moment early would spin.
    let timeout = timeout + Duration::from_micros(500);
    let timespec = Timespec {
        tv_sec: i64::try_from(timeout.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: timeout.subsec_nanos().into(),
    };
    let mut polled: Vec<PollFd<'_>> = fds
        .iter()
        .flatten()
        .map(|fd| PollFd::from_borrowed_fd(*fd, PollFlags::IN))
        .collect();
    let _ = poll(&mut polled, Some(&timespec));
    let mut ready = polled.iter().map(|p| !p.revents().is_empty());
    std::array::from_fn(|index| fds[index].is_some() && ready.next().unwrap_or(false))
}

/// Whether the other end of `wake` asks for the end, without waiting.
pub(crate) fn is_woken(wake: &OwnedFd) -> bool {
    let mut polled = [PollFd::new(wake, PollFlags::IN)];
    let now = Timespec { tv_sec: 0, tv_nsec: 0 };
    poll(&mut polled, Some(&now)).is_ok_and(|count| count > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stream(limit: usize, tail: bool) -> Stream {
        Stream {
            from: None,
            kept: Vec::new(),
            dropped: 0,
            limit,
            tail,
        }
    }

    #[test]
    fn the_first_bytes_of_output_are_kept() {
        let mut out = stream(5, false);
        out.keep(b"abc");
        assert!(!out.overflowed());
        out.keep(b"defg");
        out.keep(b"h");
        assert!(out.overflowed());
        assert_eq!((out.kept.as_slice(), out.dropped), (&b"abcde"[..], 3));
    }

    #[test]
    fn the_last_bytes_of_errors_are_kept_in_bounded_space() {
        let mut err = stream(1000, true);
        let mut written = Vec::new();
        for round in 0..3000u32 {
            let line = format!("line {round} of what went wrong\n").into_bytes();
            err.keep(&line);
            written.extend(line);
            assert!(err.kept.len() <= (64 << 10) + 100);
        }
        err.cut();
        assert_eq!(err.kept, written[written.len() - 1000..]);
        assert_eq!(err.dropped, (written.len() - 1000) as u64);
    }
}
