//! The command as a user meets it: what is printed where, and the exit code.

mod docs;
mod errors;
mod searching;
mod support;
