//! What every call carries: its deadline, its cancellation, and where progress goes.

use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// Progress of a long call, for a person or an orchestrator to show. Best effort: events may be dropped.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event {
    /// A stage of work began: `walk`, `parse`, `link`, `write`, `install`, …
    Stage {
        /// Its name.
        name: &'static str,
        /// Units that it will go through, if known.
        total: Option<u64>,
    },
    /// Units of the current stage that are done.
    Progress {
        /// So far.
        done: u64,
    },
    /// A line of free text for the operator.
    Message(String),
}

/// Receives progress. Must not block.
pub trait EventSink: Send + Sync {
    /// Takes one event.
    fn event(&self, event: Event);
}

/// Drops every event.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl EventSink for Silent {
    fn event(&self, _event: Event) {}
}

/// What the host allows whatever a call needs: a port may be stricter, never laxer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Policy {
    /// Nothing is installed and nothing is fetched: [`Provisioner::ensure`](crate::Provisioner::ensure) only finds what is
    /// there.
    pub offline: bool,
    /// Every child process runs as if its command asked for [`Require::Enforced`](crate::sandbox::Require::Enforced).
    pub require_sandbox: bool,
}

impl Policy {
    /// What both allow.
    pub fn and(self, other: Policy) -> Policy {
        Policy {
            offline: self.offline || other.offline,
            require_sandbox: self.require_sandbox || other.require_sandbox,
        }
    }
}

/// What every call of a port carries. Cheap to clone.
#[derive(Clone)]
pub struct CallContext {
    /// When the call must be over; `None` for the backend's own bound.
    pub deadline: Option<Instant>,
    /// Cancelled when the orchestrator no longer wants the answer.
    pub cancel: CancellationToken,
    /// Where progress goes.
    pub events: Arc<dyn EventSink>,
    /// What the host allows.
    pub policy: Policy,
}

/// Why a call should stop now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The orchestrator cancelled it.
    Cancelled,
    /// The deadline passed.
    Deadline,
}

impl CallContext {
    /// No deadline, not cancelled, silent.
    pub fn new() -> Self {
        CallContext {
            deadline: None,
            cancel: CancellationToken::new(),
            events: Arc::new(Silent),
            policy: Policy::default(),
        }
    }

    /// With a deadline `after` from now, unless an earlier one is set.
    pub fn with_timeout(mut self, after: Duration) -> Self {
        let at = Instant::now() + after;
        self.deadline = Some(self.deadline.map_or(at, |d| d.min(at)));
        self
    }

    /// With what this policy forbids forbidden too.
    pub fn with_policy(mut self, policy: Policy) -> Self {
        self.policy = self.policy.and(policy);
        self
    }

    /// Whether the call should stop, and why. Cheap enough for an inner loop every few thousand steps.
    pub fn stop(&self) -> Option<Stop> {
        if self.cancel.is_cancelled() {
            Some(Stop::Cancelled)
        } else if self.deadline.is_some_and(|d| Instant::now() >= d) {
            Some(Stop::Deadline)
        } else {
            None
        }
    }
}

impl Default for CallContext {
    fn default() -> Self {
        Self::new()
    }
}
