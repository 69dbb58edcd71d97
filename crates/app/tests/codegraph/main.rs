//! The CodeGraph backend with the real program: provisioned by the real npm from the registry that the host names, run by the
//! real sandbox, held to the contract of its port.

#![expect(
    clippy::disallowed_methods,
    reason = "these tests run the command and the program that it drives"
)]

mod contract;
mod network;
mod program;
mod session;
mod support;
