//! What a session is made of.

use crate::absent::Absent;
use crate::clock::{Clock, SystemClock};
use crate::record::{NoRecord, Record};
use crate::tools::ToolSet;
use std::sync::Arc;
use std::time::Duration;
use understory_core::answer::Finding;
use understory_core::guard::Guard;
use understory_core::{Limits, RepoPath};
use understory_ports::{CodeSearch, Provisioner, Tape, TextSearch, Worktree};

/// The outside of a session. Sessions over one repository share these.
#[derive(Clone)]
pub struct Ports {
    /// Answers `search_code`.
    pub search: Arc<dyn CodeSearch>,
    /// Answers `search_text`, `read_file` and `list_files`.
    pub text: Arc<dyn TextSearch>,
    /// Takes the tree of each call.
    pub worktree: Arc<dyn Worktree>,
}

impl Ports {
    /// What stands behind a session that replays: nothing. Every call of these ports is refused.
    pub fn of_tape(tape: &dyn Tape) -> Self {
        let absent = Arc::new(Absent::new(tape.backend()));
        Ports {
            search: absent.clone(),
            text: absent.clone(),
            worktree: absent,
        }
    }
}

/// The choices of a host. The default suits an agent: the read-only tools, the bounds of a model, no record.
#[derive(Clone)]
pub struct Options {
    /// What is not served.
    pub guard: Guard,
    /// The bounds. A policy narrows them with [`Limits::narrowed`].
    pub limits: Limits,
    /// The scope of a `search_code` call that names none.
    pub default_scope: RepoPath,
    /// Which tools there are.
    pub tools: ToolSet,
    /// How long a call may take, unless its own deadline is nearer.
    pub call_timeout: Duration,
    /// How long [`prepare`](crate::Session::prepare) may take, installing and building included, unless its own deadline is
    /// nearer.
    pub prepare_timeout: Duration,
    /// What [`prepare`](crate::Session::prepare) installs the backend's [requirements](CodeSearch::requirements) with. Without
    /// one nothing is ever installed for this session. A call never installs.
    pub provisioner: Option<Arc<dyn Provisioner>>,
    /// Where the record goes.
    pub record: Arc<dyn Record>,
    /// Notes on how the session was configured, for the record.
    pub findings: Vec<Finding>,
    /// Records every call and its answer, or gives recorded ones again; then no other port is touched.
    pub tape: Option<Arc<dyn Tape>>,
    /// Nothing is installed and nothing is fetched for this session, whatever its backend needs and whoever asks.
    pub offline: bool,
    /// No other program runs for this session without a sandbox that the kernel fully enforces: what needs one is refused with
    /// `search_code.no_sandbox`.
    pub require_sandbox: bool,
    /// The time for the record.
    pub clock: Arc<dyn Clock>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            guard: Guard::default(),
            limits: Limits::default(),
            default_scope: RepoPath::root(),
            tools: ToolSet::read_only(),
            call_timeout: Duration::from_secs(300),
            prepare_timeout: Duration::from_secs(1_800),
            provisioner: None,
            record: Arc::new(NoRecord),
            findings: Vec::new(),
            tape: None,
            offline: false,
            require_sandbox: false,
            clock: Arc::new(SystemClock::new()),
        }
    }
}
