//! The [`Provisioner`](understory_ports::Provisioner) port over npm.
//!
//! A [`Pin`](understory_ports::Pin) is installed with `npm ci` from its own manifest and lock into
//! `<cache>/<tool>/<version>`, under the [`Sandbox`](understory_ports::Sandbox) port with the network allowed and with a
//! home, an npm cache and an npm configuration that lie in the cache too. It is installed beside and renamed into place, so
//! an installation is complete or it is not there.
//!
//! What it takes from the user's npm is a short list ([`Settings`]): where the registry is, which proxy and certificates
//! lead to it. Never a token: a registry that asks for one is refused by name.
//!
//! What it does not do: it resolves nothing (the lock says every version and its bytes), it never installs globally, and it
//! never removes a version that is complete.

mod adapter;
mod classify;
mod doctor;
mod install;
mod lock;
mod marker;
mod node;
mod settings;

pub use adapter::{NpmConfig, NpmProvisioner};
pub use doctor::{Line, doctor};
pub use settings::Settings;
