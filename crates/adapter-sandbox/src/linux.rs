//! Linux: Landlock, a system call filter, namespaces and resource limits.

mod confine;
mod filter;
pub(crate) mod helper;
mod launch;
mod mounts;
mod namespaces;
mod plan;
mod start;
mod sys;

pub(crate) use launch::{launch, without_namespaces_may_work};
