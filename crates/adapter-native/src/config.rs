//! What the adapter is told by its host.

use std::path::PathBuf;
use std::sync::Arc;
use understory_core::guard::Guard;

/// Options of [`crate::NativeSearch`].
#[derive(Clone, Debug)]
pub struct NativeConfig {
    /// The cache directory; `None` keeps nothing between calls of different values.
    pub cache: Option<PathBuf>,
    /// What a session may not read.
    pub guard: Arc<Guard>,
}
