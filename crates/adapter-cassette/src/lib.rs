//! Recordings: what was asked and answered, in one JSON Lines file (a *tape*), given again with no backend, repository,
//! Node, cache or network.
//!
//! There are two places to record at, and one form for both:
//!
//! - **The session's dispatch.** [`Recorder`] and [`Replay`] implement [`Tape`](understory_ports::Tape): every tool of a
//!   session is recorded, and a replayed session needs nothing but the tape. A call is found by its tool, its effective
//!   arguments, the staged set, and which time it is asked; the tree's fingerprint comes from the tape.
//! - **The code search alone.** [`RecordingSearch`] wraps any [`CodeSearch`](understory_ports::CodeSearch) and
//!   [`ReplayedSearch`] is one. A query is found by its arguments, the fingerprint of the tree, and which time it is asked.
//!
//! ```no_run
//! # use std::{path::Path, sync::Arc};
//! use understory_adapter_cassette::{Recorder, Replay, TapeError};
//! # fn main() -> Result<(), TapeError> {
//! // Options { tape: Some(recorder), .. } records a session; Session::replay(replay, options) gives it again.
//! let recorder = Arc::new(Recorder::open(Path::new("session.tape"))?);
//! # drop(recorder);
//! let replay = Arc::new(Replay::open(Path::new("session.tape"))?);
//! # Ok(()) }
//! ```
//!
//! A tape holds no time and no host path, and secrets are replaced before they are written. It is not edited by hand:
//! each line carries a sum over itself and the lines before it, so that a damaged tape is an error and never an answer.

mod error;
mod file;
mod line;
mod near;
mod places;
mod record;
mod replay;
mod search;
mod tape;

pub use error::TapeError;
pub use file::Recorder;
pub use line::FORMAT;
pub use replay::Replay;
pub use search::{RecordingSearch, ReplayedSearch};
