//! `understory mcp`: the tools for an agent host.

use super::common::{self, Reader};
use crate::cli::Cli;
use crate::compose::Composed;
use crate::exit;
use crate::failure::Failure;
use crate::mcp::{self, Serving};
use std::sync::Arc;
use understory_session::Session;

/// Serves until the client goes away. A staged set of the command line is what every session begins with.
pub fn run(cli: &Cli, composed: &Composed, stage: bool) -> Result<u8, Failure> {
    let mut options = common::options(cli, composed, Reader::Model)?;
    if stage {
        options.tools = options.tools.with_staging();
    }
    let staged = common::staged(cli)?.map_err(|refusal| Failure::from(&refusal))?;
    let ports = composed.ports.clone();
    mcp::run(Serving {
        home: composed.root.clone(),
        pinned: cli.common.repo.is_some(),
        open: Arc::new(move |root| {
            let session = Session::open(root, ports.clone(), options.clone());
            session.stage_set(staged.clone());
            session
        }),
    })?;
    Ok(exit::FOUND)
}
