//! What the sandbox adds to a start of Node.js: `cargo bench -p understory-adapter-sandbox`.
//!
//! Runs `node -e 0` by itself and in the sandbox in turn, so that the load of the machine falls on both, and prints the
//! least and the median of each and of the difference of neighbours. On a busy machine run the program itself at real-time
//! priority: a start is a chain of hand-overs, and at ordinary priority each of them waits for the others' time slices.

use std::ffi::OsString;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use understory_adapter_sandbox::{Helper, HostEnvironment, SandboxConfig, SubprocessSandbox};
use understory_ports::{CallContext, Sandbox, SandboxCommand};

const ROUNDS: usize = 40;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let search = std::env::var_os("PATH").unwrap_or_default();
    let find = |name: &str| -> Option<PathBuf> {
        std::env::split_paths(&search)
            .map(|d| d.join(name))
            .find(|p| p.is_file())
    };
    let root = tempfile::tempdir()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
    for (program, args) in [("true", &[][..]), ("node", &["-e", "0"][..])] {
        let Some(path) = find(program) else {
            writeln!(std::io::stdout(), "{program} is not on PATH")?;
            continue;
        };
        for helper in [
            Helper::Program(env!("CARGO_BIN_EXE_understory-sandbox-helper").into()),
            Helper::None,
        ] {
            let name = if helper == Helper::None { "thread" } else { "helper" };
            let environment: [(OsString, OsString); 1] = [("PATH".into(), search.clone())];
            let sandbox = SubprocessSandbox::new(SandboxConfig {
                environment: HostEnvironment::from_variables(environment),
                scratch: root.path().join("scratch"),
                helper,
            });
            let (mut bare, mut confined, mut added) = (Vec::new(), Vec::new(), Vec::new());
            let mut enforcement = String::new();
            for _ in 0..ROUNDS {
                let started = Instant::now();
                Command::new(&path)
                    .args(args)
                    .env_clear()
                    .stdin(Stdio::null())
                    .stdout(Stdio::null())
                    .stderr(Stdio::null())
                    .status()?;
                let without = started.elapsed();
                let command = SandboxCommand::new(&path, "/").args(args);
                let started = Instant::now();
                let finished = runtime.block_on(sandbox.run(command, &CallContext::new()))?;
                let with = started.elapsed();
                assert!(finished.outcome.success(), "{finished:?}");
                enforcement = finished.enforcement.to_string();
                bare.push(without);
                confined.push(with);
                added.push(with.as_secs_f64() - without.as_secs_f64());
            }
            added.sort_by(f64::total_cmp);
            let (bare, confined) = (ends(bare), ends(confined));
            writeln!(
                std::io::stdout(),
                "{program} ({name}, {enforcement}): alone {:.1}/{:.1} ms, confined {:.1}/{:.1} ms (least/median), added {:.1} ms (median)",
                bare.0,
                bare.1,
                confined.0,
                confined.1,
                added[added.len() / 2] * 1000.0,
            )?;
        }
    }
    Ok(())
}

fn ends(mut times: Vec<Duration>) -> (f64, f64) {
    times.sort();
    let milliseconds = |t: Duration| t.as_secs_f64() * 1000.0;
    (milliseconds(times[0]), milliseconds(times[times.len() / 2]))
}
