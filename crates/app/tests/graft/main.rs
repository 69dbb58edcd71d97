//! The Graft backend through the command: provisioned by the real npm, run by the real sandbox on the host's Node.js. The
//! package is one of the test's own under Graft's name, from a registry on loopback; what the host's own registry says is
//! looked at too. It needs Node.js, npm and a host that enforces everything, and fails without them.

#![cfg(target_os = "linux")]
#![expect(
    clippy::disallowed_methods,
    reason = "these tests pack packages with tar and find the host's Node.js"
)]

mod flow;
#[expect(dead_code, reason = "a part of it serves the tests of provisioning alone")]
#[path = "../provision/registry.rs"]
mod registry;
