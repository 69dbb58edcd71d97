//! The sandbox on this host: the contract, and what a child can and cannot reach.

#![cfg(unix)]

mod contract;
mod ends;
#[cfg(all(feature = "live", target_os = "linux"))]
mod escapes;
#[cfg(all(feature = "live", target_os = "linux"))]
mod leaks;
#[cfg(all(feature = "live", target_os = "linux"))]
mod node;
mod own_binary;
mod support;
