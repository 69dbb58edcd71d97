//! How a cancelled or dropped call tells its thread: one end of a pipe is closed.

use std::io;

/// Dropping it wakes the other end.
#[cfg(unix)]
pub(crate) struct Sender {
    _end: std::os::fd::OwnedFd,
}

/// The end that a thread watches.
#[cfg(unix)]
pub(crate) struct Receiver {
    pub(crate) end: std::os::fd::OwnedFd,
}

/// Two connected ends.
#[cfg(unix)]
pub(crate) fn pair() -> io::Result<(Sender, Receiver)> {
    // A socket pair and not a pipe: it has the close-on-exec flag from the start on every Unix.
    let (one, two) = std::os::unix::net::UnixStream::pair()?;
    Ok((Sender { _end: one.into() }, Receiver { end: two.into() }))
}

#[cfg(unix)]
impl Receiver {
    /// Whether the sender is gone.
    pub(crate) fn is_woken(&self) -> bool {
        crate::supervise::is_woken(&self.end)
    }
}

/// Dropping it wakes the other end.
#[cfg(windows)]
pub(crate) struct Sender {
    _end: std::sync::mpsc::Sender<()>,
}

/// The end that a thread watches.
#[cfg(windows)]
pub(crate) struct Receiver {
    end: std::sync::mpsc::Receiver<()>,
}

/// Two connected ends.
#[cfg(windows)]
pub(crate) fn pair() -> io::Result<(Sender, Receiver)> {
    let (one, two) = std::sync::mpsc::channel();
    Ok((Sender { _end: one }, Receiver { end: two }))
}

#[cfg(windows)]
impl Receiver {
    /// Whether the sender is gone.
    pub(crate) fn is_woken(&self) -> bool {
        matches!(self.end.try_recv(), Err(std::sync::mpsc::TryRecvError::Disconnected))
    }
}
