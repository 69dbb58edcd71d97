//! `understory mcp`: the tools for an agent host.

use super::common::{self, Reader};
use crate::cli::Cli;
use crate::compose::{self, Composed};
use crate::environment::Environment;
use crate::exit;
use crate::failure::Failure;
use crate::mcp::{self, Serving};
use std::sync::Arc;
use understory_session::Session;

/// Serves until the client goes away. A staged set of the command line is what every session begins with.
pub fn run(cli: &Cli, environment: &Environment, composed: &Composed, stage: bool) -> Result<u8, Failure> {
    // What the command line says wrongly ends the command, not a call.
    common::options(cli, composed, Reader::Model)?;
    let staged = common::staged(cli)?.map_err(|refusal| Failure::from(&refusal))?;
    let (cli, environment, home) = (cli.clone(), environment.clone(), composed.clone());
    let pinned = cli.common.repo.is_some();
    mcp::run(Serving {
        home: composed.root.clone(),
        pinned,
        open: Arc::new(move |root| {
            // Each repository has a configuration of its own; the record is the user's, and one.
            let composed = if root == home.root {
                home.clone()
            } else {
                Composed {
                    record: home.record.clone(),
                    tape: home.tape.clone(),
                    recorder: home.recorder.clone(),
                    ..compose::at(&cli, &environment, root.to_owned())
                }
            };
            let mut options = common::options(&cli, &composed, Reader::Model).unwrap_or_default();
            if stage {
                options.tools = common::allowed(options.tools.with_staging(), &composed);
            }
            let session = Session::open(root, composed.ports, options);
            session.stage_set(staged.clone());
            session
        }),
    })?;
    Ok(exit::FOUND)
}
