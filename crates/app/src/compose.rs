//! Which adapters stand behind the ports. The only module that names them.

use crate::cli::{Backend, Cli};
use crate::environment::Environment;
use crate::failure::Failure;
use crate::place;
use async_trait::async_trait;
use std::path::PathBuf;
use std::sync::Arc;
use understory_adapter_text::RipgrepText;
use understory_adapter_worktree::GitWorktree;
use understory_core::answer::{Answer, BackendIdentity};
use understory_core::guard::Guard;
use understory_core::query::SearchQuery;
use understory_core::tree::Tree;
use understory_ports::{CallContext, Capabilities, CodeSearch, Prepared, SearchError};
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
        Backend::Native => Arc::new(NotLinked),
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

/// Stands for a backend that this build does not have: every question is refused by name.
struct NotLinked;

#[async_trait]
impl CodeSearch for NotLinked {
    fn identity(&self) -> BackendIdentity {
        BackendIdentity {
            name: "native".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        }
    }

    fn supports(&self) -> Capabilities {
        Capabilities {
            modes: Vec::new(),
            staged: false,
            scope: false,
            depth_in: 0,
            depth_out: 0,
        }
    }

    async fn prepare(&self, _: &Tree, _: &CallContext) -> Result<Prepared, SearchError> {
        Err(not_linked())
    }

    async fn search(&self, _: &Tree, _: &SearchQuery, _: &CallContext) -> Result<Answer, SearchError> {
        Err(not_linked())
    }
}

fn not_linked() -> SearchError {
    SearchError::Unavailable {
        message: "This build has no code search in it; search_text, read_file and list_files work.".to_owned(),
        detail: None,
    }
}
