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
use std::io::Write as _;
use std::process::ExitCode;

fn main() -> ExitCode {
    // First of all: a sandboxed child starts as this program.
    understory_adapter_sandbox::helper_main();
    let cli = match cli::Cli::try_parse() {
        Ok(cli) => cli,
        Err(told) => return usage(&told),
    };
    let environment = environment::Environment::of_process();
    let mut out = output::Output::new(cli.common.color, cli.common.quiet);
    let code = match commands::run(&cli, &environment, &mut out) {
        Ok(code) => code,
        Err(failure) => {
            out.failure(&failure);
            exit::FAILED
        }
    };
    ended(&mut out, code)
}

/// Help, the version, or what is wrong with the command line.
fn usage(told: &clap::Error) -> ExitCode {
    let mut out = output::Output::new(cli::Color::Auto, false);
    let printed = told.print().and_then(|()| std::io::stdout().flush());
    if told.use_stderr() {
        return ExitCode::from(exit::FAILED);
    }
    out.wrote(printed);
    ended(&mut out, exit::FOUND)
}

/// The code that the process ends with: a command whose output did not arrive has failed, whatever came of it.
fn ended(out: &mut output::Output, code: u8) -> ExitCode {
    if let Some(failure) = out.lost() {
        out.failure(&failure);
        return ExitCode::from(exit::FAILED);
    }
    ExitCode::from(code)
}
