//! Configuration: the user's file, the project's file, the environment and the command line, laid over each other.
//!
//! What the user says (in the file, the environment, on the command line, the later before the earlier) sets a value. The
//! file of a project comes with the repository, from anybody: it narrows, leaves out and switches off, and does nothing
//! else. A key that is unknown or not allowed where it stands is a finding and never a failure.

mod file;
mod keys;
mod settings;
mod value;

pub use keys::{KEYS, Key, Kind};
pub use settings::{Flags, PROJECT_FILE, Settings, load};
pub use value::Value;
