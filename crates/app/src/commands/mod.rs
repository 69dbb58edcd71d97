//! The commands, one module each.

mod common;
mod config;
mod doctor;
mod index;
mod mcp;
mod people;
mod provision;
mod report;
mod status;
pub mod tool;

pub use common::block_on;

use crate::cli::{Cli, Command};
use crate::compose::{self, Composed};
use crate::environment::Environment;
use crate::exit;
use crate::failure::Failure;
use crate::output::Output;

/// Runs a command; the exit code says what came of it.
pub fn run(cli: &Cli, environment: &Environment, out: &mut Output) -> Result<u8, Failure> {
    match &cli.command {
        Command::Completions { .. }
        | Command::Report { .. }
        | Command::Doctor
        | Command::Config
        | Command::Provision { .. }
            if taped(cli).is_some() =>
        {
            untaped(cli)
        }
        Command::Completions { shell } => {
            completions(*shell, out);
            Ok(exit::FOUND)
        }
        Command::Report { files, against } => report::run(files, against, cli.common.json, out),
        Command::Doctor => doctor::run(cli, environment, out),
        Command::Provision { write_lock } => provision::run(cli, environment, *write_lock, out),
        Command::Status if taped(cli).is_some() => untaped(cli),
        _ => {
            let composed = compose::compose(cli, environment)?;
            for finding in &composed.settings.findings {
                out.note(&format!("{} ({})", finding.message, finding.id));
            }
            let code = run_over(cli, environment, &composed, out)?;
            composed.finish()?;
            Ok(code)
        }
    }
}

/// The option of the command line that records or replays.
fn taped(cli: &Cli) -> Option<&'static str> {
    let record = cli.common.record.as_ref().map(|_| "--record");
    record.or(cli.common.replay.as_ref().map(|_| "--replay"))
}

/// A command that makes no call has nothing to record, and nothing on a tape to answer it.
fn untaped(cli: &Cli) -> Result<u8, Failure> {
    let option = taped(cli).unwrap_or_default();
    Err(Failure::new(format!("{option} has no meaning for this command"))
        .hint("what is recorded are the questions, `understory tool`, `understory index` and `understory mcp`"))
}

/// Runs a command that needs a repository.
fn run_over(cli: &Cli, environment: &Environment, composed: &Composed, out: &mut Output) -> Result<u8, Failure> {
    match &cli.command {
        Command::Tool { name, arguments } => tool::run(cli, composed, name, arguments, out),
        Command::Index => index::run(cli, composed, out),
        Command::Status => status::run(cli, composed, out),
        Command::Config => config::run(cli, composed, out),
        Command::Mcp { stage } => mcp::run(cli, environment, composed, *stage),
        command => people::run(cli, environment, composed, command, out),
    }
}

fn completions(shell: clap_complete::Shell, out: &mut Output) {
    use clap::CommandFactory;
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "understory", &mut script);
    out.text(String::from_utf8_lossy(&script).trim_end());
}

#[cfg(test)]
mod tests;
