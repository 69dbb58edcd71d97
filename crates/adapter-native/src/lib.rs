//! `CodeSearch` over the in-process engine: nothing to install, no child process, no network, nothing written outside
//! the cache.
//!
//! The index of the files on disk is kept in the cache and updated by what changed. Staged writes are laid over it in memory:
//! only they are parsed, and only what they can reach is resolved again.

mod adapter;
mod config;
mod texts;

pub use adapter::NativeSearch;
pub use config::NativeConfig;
