//! Provisioning with the real npm under the real sandbox, from a registry on loopback and, for the shipped pin, from the
//! public one. It needs Node.js, npm and a host that enforces everything, and fails without them.

#![cfg(target_os = "linux")]
#![expect(
    clippy::disallowed_methods,
    reason = "these tests pack packages with tar and find the host's Node.js"
)]

mod flow;
mod registry;
mod shipped;
mod support;
