//! The command as a user meets it: what is printed where, and the exit code.

#![expect(clippy::disallowed_methods, reason = "these tests run the command as its users do")]

mod bad_files;
mod bad_places;
mod config;
mod docs;
mod errors;
mod recording;
mod searching;
mod support;
