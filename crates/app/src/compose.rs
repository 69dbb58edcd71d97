//! Which adapters stand behind the ports. The only module that names them.

use crate::cli::{Backend, Cli};
use crate::environment::Environment;
use crate::failure::Failure;
use crate::place;
use std::path::PathBuf;
use std::sync::Arc;
use understory_adapter_native::{NativeConfig, NativeSearch};
use understory_adapter_text::RipgrepText;
use understory_adapter_worktree::GitWorktree;
use understory_core::guard::Guard;
use understory_ports::CodeSearch;
use understory_session::Ports;

/// The places of a run, and what is behind the ports.
pub struct Composed {
    /// Host path of the repository.
    pub root: PathBuf,
    /// The cache directory, if there is a place for one.
    pub cache: Option<PathBuf>,
    /// What is not served.
    pub guard: Guard,
    /// The adapters.
    pub ports: Ports,
}

/// Puts the adapters together for a command line.
pub fn compose(cli: &Cli, environment: &Environment) -> Result<Composed, Failure> {
    let root = place::repository(cli.common.repo.as_deref(), environment)?;
    let cache = place::cache(cli.common.cache.as_deref(), environment);
    let guard = Guard::default();
    let search: Arc<dyn CodeSearch> = match cli.common.backend {
        Backend::Native => Arc::new(NativeSearch::new(NativeConfig {
            cache: cache.clone(),
            guard: Arc::new(guard.clone()),
        })),
    };
    let ports = Ports {
        search,
        text: Arc::new(RipgrepText::new(Arc::new(guard.clone()))),
        worktree: Arc::new(GitWorktree::new(cache.clone())),
    };
    Ok(Composed {
        root,
        cache,
        guard,
        ports,
    })
}
