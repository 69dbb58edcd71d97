//! The CodeGraph backend with the real program: provisioned by the real npm from the registry that the host names, run by the
//! real sandbox, held to the contract of its port.

mod contract;
mod program;
mod support;
