//! The contract of [`Sandbox`] as a suite.

use super::{Miss, Report, hold};
use crate::context::{CallContext, Policy};
use crate::sandbox::{
    Enforcement, Finished, Limits, Network, Outcome, Protection, Require, Sandbox, SandboxCommand, SandboxError,
    StartFailure,
};
use std::ffi::OsString;
use std::time::{Duration, Instant};

/// What a case needs a child to do. A fixture turns it into a command: a shell script for a real sandbox, a script of
/// its own for a fake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Behaviour {
    /// End with this code.
    Exit(i32),
    /// Write these texts on standard output and standard error, and end with code 0.
    Print {
        /// Standard output.
        stdout: &'static str,
        /// Standard error.
        stderr: &'static str,
    },
    /// Write this many bytes on standard error, then "done" on standard output, and end with code 0.
    Complain(usize),
    /// Write every argument after the first ones that the fixture needs, each followed by a line end.
    PrintArgs(Vec<OsString>),
    /// Write the environment, `NAME=value` a line.
    PrintEnv,
    /// Read standard input to its end, write "closed", and end with code 0.
    ReadStdin,
    /// Be ended by signal 9.
    KillItself,
    /// Do nothing until ended.
    Hang,
    /// Do nothing, and ignore the request to end.
    HangIgnoringTerm,
    /// Write output without end.
    Flood,
    /// End with code 0 and leave a process running that holds standard output open.
    LeaveProcess,
    /// A program that does not exist.
    MissingProgram,
    /// A file that exists and is not executable.
    NotExecutable,
}

/// An implementation under test, with the means to put it into each situation.
pub trait Fixture: Send + Sync {
    /// The implementation.
    fn sandbox(&self) -> &dyn Sandbox;

    /// A command of that behaviour, with what it needs granted; `None` where it cannot be had.
    fn command(&self, behaviour: &Behaviour) -> Option<SandboxCommand>;

    /// Whether this host can enforce everything for a command without network.
    fn fully_enforces(&self) -> bool;
}

/// Runs every case.
pub async fn suite(fixture: &dyn Fixture) -> Report {
    let mut report = Report::default();
    macro_rules! cases {
        ($($name:ident),+ $(,)?) => { $( report.add(stringify!($name), $name(fixture).await); )+ };
    }
    cases!(
        the_exit_code_is_told,
        output_is_kept_apart,
        a_signal_is_told,
        standard_input_is_closed,
        arguments_arrive_as_they_are,
        the_environment_starts_from_nothing,
        the_callers_variables_win,
        a_hanging_child_times_out,
        an_earlier_deadline_wins,
        a_passed_deadline_times_out,
        a_child_that_ignores_the_request_is_killed,
        cancelling_ends_the_child,
        a_flood_is_cut,
        standard_error_keeps_its_tail,
        a_left_process_is_told,
        a_missing_program_is_told,
        a_missing_cwd_is_told,
        a_file_that_is_not_executable_is_told,
        a_relative_path_is_refused,
        a_credential_is_refused,
        less_than_required_is_refused,
        runs_do_not_disturb_each_other,
    );
    report
}

async fn run(
    fixture: &dyn Fixture,
    behaviour: Behaviour,
    change: impl FnOnce(&mut SandboxCommand),
) -> Result<Finished, Miss> {
    run_in(fixture, behaviour, &CallContext::new(), change).await
}

async fn run_in(
    fixture: &dyn Fixture,
    behaviour: Behaviour,
    cx: &CallContext,
    change: impl FnOnce(&mut SandboxCommand),
) -> Result<Finished, Miss> {
    let command = command(fixture, &behaviour, change)?;
    Ok(fixture.sandbox().run(command, cx).await?)
}

fn command(
    fixture: &dyn Fixture,
    behaviour: &Behaviour,
    change: impl FnOnce(&mut SandboxCommand),
) -> Result<SandboxCommand, Miss> {
    let mut command = fixture
        .command(behaviour)
        .ok_or_else(|| Miss::CannotRun(format!("the fixture has no command for {behaviour:?}")))?;
    change(&mut command);
    Ok(command)
}

fn ended(finished: &Finished, outcome: Outcome) -> Result<(), Miss> {
    hold!(finished.outcome == outcome, "{outcome:?} was expected: {finished:?}");
    Ok(())
}

async fn the_exit_code_is_told(fixture: &dyn Fixture) -> Result<(), Miss> {
    for code in [0, 1, 42, 255] {
        ended(
            &run(fixture, Behaviour::Exit(code), |_| ()).await?,
            Outcome::Exited(code),
        )?;
    }
    Ok(())
}

async fn output_is_kept_apart(fixture: &dyn Fixture) -> Result<(), Miss> {
    let behaviour = Behaviour::Print {
        stdout: "to out",
        stderr: "to err",
    };
    let finished = run(fixture, behaviour, |_| ()).await?;
    ended(&finished, Outcome::Exited(0))?;
    hold!(finished.stdout == b"to out", "standard output: {finished:?}");
    hold!(finished.stderr == b"to err", "standard error: {finished:?}");
    hold!(finished.stderr_dropped == 0, "nothing was dropped: {finished:?}");
    Ok(())
}

async fn a_signal_is_told(fixture: &dyn Fixture) -> Result<(), Miss> {
    ended(
        &run(fixture, Behaviour::KillItself, |_| ()).await?,
        Outcome::Signalled(9),
    )
}

async fn standard_input_is_closed(fixture: &dyn Fixture) -> Result<(), Miss> {
    let finished = run(fixture, Behaviour::ReadStdin, |_| ()).await?;
    ended(&finished, Outcome::Exited(0))?;
    hold!(finished.stdout == b"closed", "{finished:?}");
    Ok(())
}

async fn arguments_arrive_as_they_are(fixture: &dyn Fixture) -> Result<(), Miss> {
    let mut args: Vec<OsString> = [
        "",
        " ",
        "a b",
        "$(id)",
        "`id`",
        "\"'\\",
        "*",
        "-x",
        "--",
        "é\u{1f600}",
        ";|&",
    ]
    .map(OsString::from)
    .to_vec();
    #[cfg(unix)]
    args.push(std::os::unix::ffi::OsStringExt::from_vec(vec![b'a', 0xff, b'z']));
    let finished = run(fixture, Behaviour::PrintArgs(args.clone()), |_| ()).await?;
    let expected: Vec<u8> = args
        .iter()
        .flat_map(|a| a.as_encoded_bytes().iter().copied().chain([b'\n']))
        .collect();
    hold!(
        finished.stdout == expected,
        "{:?} is not {:?}",
        String::from_utf8_lossy(&finished.stdout),
        String::from_utf8_lossy(&expected)
    );
    Ok(())
}

fn names(finished: &Finished) -> Vec<String> {
    let text = String::from_utf8_lossy(&finished.stdout);
    text.lines()
        .filter_map(|line| Some(line.split_once('=')?.0.to_owned()))
        .collect()
}

async fn the_environment_starts_from_nothing(fixture: &dyn Fixture) -> Result<(), Miss> {
    let finished = run(fixture, Behaviour::PrintEnv, |c| {
        c.env.insert("UNDERSTORY_ONE".into(), "1".into());
    })
    .await?;
    // A shell adds the last three itself.
    let known = [
        "PATH",
        "LANG",
        "LC_ALL",
        "TERM",
        "HOME",
        "TMPDIR",
        "UNDERSTORY_ONE",
        "PWD",
        "SHLVL",
        "_",
    ];
    let names = names(&finished);
    hold!(
        names.iter().any(|n| n == "UNDERSTORY_ONE"),
        "the variable is missing: {names:?}"
    );
    for name in &names {
        hold!(known.contains(&name.as_str()), "{name} was inherited: {names:?}");
    }
    Ok(())
}

async fn the_callers_variables_win(fixture: &dyn Fixture) -> Result<(), Miss> {
    let finished = run(fixture, Behaviour::PrintEnv, |c| {
        c.env.insert("HOME".into(), "/nowhere".into());
        c.env.insert("LC_ALL".into(), "C".into());
    })
    .await?;
    let text = String::from_utf8_lossy(&finished.stdout);
    for line in ["HOME=/nowhere", "LC_ALL=C"] {
        hold!(text.lines().any(|l| l == line), "no line {line}: {text}");
    }
    Ok(())
}

fn short(limits: &mut Limits, time: u64, grace: u64) {
    limits.time = Duration::from_millis(time);
    limits.grace = Duration::from_millis(grace);
}

async fn a_hanging_child_times_out(fixture: &dyn Fixture) -> Result<(), Miss> {
    let finished = run(fixture, Behaviour::Hang, |c| short(&mut c.limits, 100, 500)).await?;
    ended(&finished, Outcome::TimedOut)?;
    hold!(finished.wall >= Duration::from_millis(100), "too early: {finished:?}");
    Ok(())
}

async fn an_earlier_deadline_wins(fixture: &dyn Fixture) -> Result<(), Miss> {
    let cx = CallContext::new().with_timeout(Duration::from_millis(100));
    let finished = run_in(fixture, Behaviour::Hang, &cx, |c| short(&mut c.limits, 60_000, 500)).await?;
    ended(&finished, Outcome::TimedOut)
}

async fn a_passed_deadline_times_out(fixture: &dyn Fixture) -> Result<(), Miss> {
    let mut cx = CallContext::new();
    cx.deadline = Some(Instant::now());
    let finished = run_in(fixture, Behaviour::Hang, &cx, |c| short(&mut c.limits, 60_000, 500)).await?;
    ended(&finished, Outcome::TimedOut)
}

async fn a_child_that_ignores_the_request_is_killed(fixture: &dyn Fixture) -> Result<(), Miss> {
    let finished = run(fixture, Behaviour::HangIgnoringTerm, |c| short(&mut c.limits, 300, 200)).await?;
    ended(&finished, Outcome::TimedOut)
}

async fn cancelling_ends_the_child(fixture: &dyn Fixture) -> Result<(), Miss> {
    let cx = CallContext::new();
    let cancel = cx.cancel.clone();
    let command = command(fixture, &Behaviour::Hang, |c| short(&mut c.limits, 60_000, 500))?;
    let cancelling = async {
        tokio::time::sleep(Duration::from_millis(50)).await;
        cancel.cancel();
    };
    let (finished, ()) = tokio::join!(fixture.sandbox().run(command, &cx), cancelling);
    ended(&finished?, Outcome::Cancelled)
}

async fn a_flood_is_cut(fixture: &dyn Fixture) -> Result<(), Miss> {
    let finished = run(fixture, Behaviour::Flood, |c| {
        short(&mut c.limits, 60_000, 500);
        c.limits.stdout = 100_000;
    })
    .await?;
    ended(&finished, Outcome::OutputLimit)?;
    hold!(
        finished.stdout.len() == 100_000,
        "{} bytes were kept",
        finished.stdout.len()
    );
    Ok(())
}

async fn standard_error_keeps_its_tail(fixture: &dyn Fixture) -> Result<(), Miss> {
    let finished = run(fixture, Behaviour::Complain(300_000), |c| c.limits.stderr_tail = 1000).await?;
    ended(&finished, Outcome::Exited(0))?;
    hold!(
        finished.stdout == b"done",
        "a full standard error must not block: {:?}",
        finished.outcome
    );
    hold!(
        finished.stderr.len() == 1000,
        "{} bytes were kept",
        finished.stderr.len()
    );
    hold!(
        finished.stderr_dropped == 299_000,
        "{} bytes were dropped",
        finished.stderr_dropped
    );
    Ok(())
}

async fn a_left_process_is_told(fixture: &dyn Fixture) -> Result<(), Miss> {
    let finished = run(fixture, Behaviour::LeaveProcess, |c| short(&mut c.limits, 30_000, 500)).await?;
    ended(&finished, Outcome::LeakedDescendants(0))
}

async fn a_missing_program_is_told(fixture: &dyn Fixture) -> Result<(), Miss> {
    let finished = run(fixture, Behaviour::MissingProgram, |_| ()).await?;
    ended(&finished, Outcome::FailedToStart(StartFailure::ProgramMissing))
}

async fn a_missing_cwd_is_told(fixture: &dyn Fixture) -> Result<(), Miss> {
    // A fake cannot tell by itself; it is right to have no such directory.
    let finished = run(fixture, Behaviour::Exit(0), |c| {
        c.cwd.push("there-is-no-such-directory");
    })
    .await?;
    ended(&finished, Outcome::FailedToStart(StartFailure::CwdMissing))
}

async fn a_file_that_is_not_executable_is_told(fixture: &dyn Fixture) -> Result<(), Miss> {
    let finished = run(fixture, Behaviour::NotExecutable, |_| ()).await?;
    ended(&finished, Outcome::FailedToStart(StartFailure::NotExecutable))
}

async fn refused(fixture: &dyn Fixture, change: impl FnOnce(&mut SandboxCommand)) -> Result<(), Miss> {
    let command = command(fixture, &Behaviour::Exit(0), change)?;
    let result = fixture.sandbox().run(command, &CallContext::new()).await;
    hold!(
        matches!(result, Err(SandboxError::Invalid { .. })),
        "not refused: {result:?}"
    );
    Ok(())
}

async fn a_relative_path_is_refused(fixture: &dyn Fixture) -> Result<(), Miss> {
    refused(fixture, |c| c.program = "sh".into()).await?;
    refused(fixture, |c| c.read.push("src".into())).await
}

async fn a_credential_is_refused(fixture: &dyn Fixture) -> Result<(), Miss> {
    for name in ["GITHUB_TOKEN", "ANTHROPIC_API_KEY", "SSH_AUTH_SOCK"] {
        refused(fixture, |c| {
            c.env.insert(name.into(), "x".into());
        })
        .await?;
    }
    Ok(())
}

async fn less_than_required_is_refused(fixture: &dyn Fixture) -> Result<(), Miss> {
    // Asked for by the command, and by the call's policy alone.
    let strict = Policy {
        require_sandbox: true,
        ..Policy::default()
    };
    required(fixture, Require::Enforced, Policy::default()).await?;
    required(fixture, Require::BestEffort, strict).await
}

async fn required(fixture: &dyn Fixture, require: Require, policy: Policy) -> Result<(), Miss> {
    let command = command(fixture, &Behaviour::Exit(7), |c| {
        c.require = require;
        c.network = Network::Denied;
    })?;
    let cx = CallContext::new().with_policy(policy);
    match fixture.sandbox().run(command, &cx).await {
        Ok(finished) => {
            hold!(
                fixture.fully_enforces(),
                "it ran without full enforcement: {finished:?}"
            );
            hold!(finished.enforcement == Enforcement::Enforced, "it ran: {finished:?}");
            hold!(
                Protection::ALL.iter().all(|p| finished.enforcement.holds(*p)),
                "some protection is missing: {finished:?}"
            );
            ended(&finished, Outcome::Exited(7))
        }
        Err(SandboxError::NotEnforced { reached }) => {
            hold!(!fixture.fully_enforces(), "it was refused: {reached}");
            hold!(
                reached != Enforcement::Enforced,
                "it was refused although all is enforced"
            );
            Ok(())
        }
        Err(other) => Err(other.into()),
    }
}

async fn runs_do_not_disturb_each_other(fixture: &dyn Fixture) -> Result<(), Miss> {
    let one = run(fixture, Behaviour::Exit(1), |_| ());
    let two = run(fixture, Behaviour::Hang, |c| short(&mut c.limits, 200, 500));
    let three = run(
        fixture,
        Behaviour::Print {
            stdout: "three",
            stderr: "",
        },
        |_| (),
    );
    let (one, two, three) = tokio::join!(one, two, three);
    ended(&one?, Outcome::Exited(1))?;
    ended(&two?, Outcome::TimedOut)?;
    let three = three?;
    ended(&three, Outcome::Exited(0))?;
    hold!(three.stdout == b"three", "{three:?}");
    Ok(())
}
