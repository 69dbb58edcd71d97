//! The sandbox on this host: the contract, and what a child can and cannot reach.

#![cfg(unix)]

mod contract;
mod ends;
mod support;
