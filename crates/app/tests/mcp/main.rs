//! The MCP server as a client meets it: lines of JSON on its standard input and output.

#![expect(clippy::disallowed_methods, reason = "these tests start the server as a host does")]

mod calls;
#[path = "../random/dice.rs"]
mod dice;
mod docs;
mod hostile;
mod random;
mod replay;
mod roots;
mod staging;
mod support;

#[cfg(feature = "live")]
mod sdks;
