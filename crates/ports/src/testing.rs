//! Fakes of the ports, each stricter than any real implementation: what a fake does not model fails loudly.

mod provisioner;
mod sandbox;

pub use crate::provisioner::MockProvisioner;
pub use crate::sandbox::MockSandbox;
pub use provisioner::CountingProvisioner;
pub use sandbox::{Act, RecordingSandbox};
