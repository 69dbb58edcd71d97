//! Time, as a session takes it.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Where a session takes the time from: the record carries it, no answer does.
pub trait Clock: Send + Sync {
    /// Milliseconds since the beginning of 1970.
    fn unix_millis(&self) -> u64;

    /// Time since some fixed moment; never goes back.
    fn monotonic(&self) -> Duration;
}

/// The host's clock.
#[derive(Clone, Copy, Debug)]
pub struct SystemClock {
    start: Instant,
}

impl SystemClock {
    /// A clock that starts now.
    pub fn new() -> Self {
        SystemClock { start: Instant::now() }
    }
}

impl Default for SystemClock {
    fn default() -> Self {
        Self::new()
    }
}

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the host's clock, for records alone")]
    fn unix_millis(&self) -> u64 {
        SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |d| d.as_millis().min(u128::from(u64::MAX)) as u64)
    }

    fn monotonic(&self) -> Duration {
        self.start.elapsed()
    }
}
