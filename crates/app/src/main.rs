//! The `understory` command: the composition root. Reads the command line and the environment, puts the adapters
//! together, runs one command, and says by its exit code what came of it.

mod cli;
mod commands;
mod compose;
mod config;
mod environment;
mod exclude;
mod exit;
mod failure;
mod mcp;
mod output;
mod place;
mod progress;
mod provisioning;

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    // First of all: a sandboxed child starts as this program.
    understory_adapter_sandbox::helper_main();
    let cli = cli::Cli::parse();
    let environment = environment::Environment::of_process();
    let mut out = output::Output::new(cli.common.color, cli.common.quiet);
    let code = match commands::run(&cli, &environment, &mut out) {
        Ok(code) => code,
        Err(failure) => {
            out.failure(&failure);
            exit::FAILED
        }
    };
    ExitCode::from(code)
}
