//! The fakes keep the contracts that they stand in for, and fail loudly where they are used wrongly.

use async_trait::async_trait;
use std::sync::Arc;
use std::sync::Mutex;
use std::time::Duration;
use understory_ports::conformance::sandbox::Behaviour;
use understory_ports::conformance::{provisioner, sandbox};
use understory_ports::sandbox::{Network, Outcome, Protection, Require, StartFailure};
use understory_ports::testing::{Act, CountingProvisioner, RecordingSandbox, sample_pin};
use understory_ports::{CallContext, Pin, Provisioner, Sandbox, SandboxCommand, SandboxError};

/// A script of the fake for each behaviour that the suite asks for, told by the first argument.
fn play(command: &SandboxCommand) -> Option<Act> {
    if !command.cwd.starts_with("/work") || command.cwd != std::path::Path::new("/work") {
        return Some(Act::FailToStart(StartFailure::CwdMissing));
    }
    let what = command.args.first()?.to_str()?.to_owned();
    let rest = &command.args[1..];
    Some(match what.as_str() {
        "exit" => Act::fail(rest[0].to_str()?.parse().ok()?, ""),
        "print" => Act::Exit {
            code: 0,
            stdout: rest[0].as_encoded_bytes().to_vec(),
            stderr: rest[1].as_encoded_bytes().to_vec(),
        },
        "complain" => Act::Exit {
            code: 0,
            stdout: b"done".to_vec(),
            stderr: vec![b'x'; rest[0].to_str()?.parse().ok()?],
        },
        "args" => Act::print(
            rest.iter()
                .flat_map(|a| a.as_encoded_bytes().iter().copied().chain([b'\n']))
                .collect::<Vec<u8>>(),
        ),
        "env" => Act::print(
            command
                .env
                .iter()
                .map(|(name, value)| format!("{}={}\n", name.display(), value.display()))
                .collect::<String>(),
        ),
        "stdin" => Act::print("closed"),
        "kill" => Act::Signal(9),
        "hang" => Act::Hang,
        "flood" => Act::Flood,
        "leave" => Act::Leak,
        "missing" => Act::FailToStart(StartFailure::ProgramMissing),
        "file" => Act::FailToStart(StartFailure::NotExecutable),
        _ => return None,
    })
}

struct FakeSandbox(RecordingSandbox, bool);

impl sandbox::Fixture for FakeSandbox {
    fn sandbox(&self) -> &dyn Sandbox {
        &self.0
    }

    fn command(&self, behaviour: &Behaviour) -> Option<SandboxCommand> {
        let command = SandboxCommand::new("/bin/actor", "/work").read("/work");
        Some(match behaviour {
            Behaviour::Exit(code) => command.arg("exit").arg(code.to_string()),
            Behaviour::Print { stdout, stderr } => command.args(["print", stdout, stderr]),
            Behaviour::Complain(bytes) => command.arg("complain").arg(bytes.to_string()),
            Behaviour::PrintArgs(args) => command.arg("args").args(args.clone()),
            Behaviour::PrintEnv => command.arg("env"),
            Behaviour::ReadStdin => command.arg("stdin"),
            Behaviour::KillItself => command.arg("kill"),
            Behaviour::Hang | Behaviour::HangIgnoringTerm => command.arg("hang"),
            Behaviour::Flood => command.arg("flood"),
            Behaviour::LeaveProcess => command.arg("leave"),
            Behaviour::MissingProgram => command.arg("missing"),
            Behaviour::NotExecutable => command.arg("file"),
        })
    }

    fn fully_enforces(&self) -> bool {
        self.1
    }
}

#[tokio::test]
async fn the_recording_sandbox_keeps_the_contract() {
    let full = FakeSandbox(RecordingSandbox::new().on(play), true);
    sandbox::suite(&full).await.assert_passed(&[]);
    let partial = RecordingSandbox::new()
        .on(play)
        .without(&[Protection::ProcessNamespace]);
    sandbox::suite(&FakeSandbox(partial, false)).await.assert_passed(&[]);
}

/// A sandbox that breaks its contract in one way, to show that the suite notices.
struct Broken(RecordingSandbox);

#[async_trait]
impl Sandbox for Broken {
    async fn run(&self, command: SandboxCommand, cx: &CallContext) -> Result<understory_ports::Finished, SandboxError> {
        let mut finished = self.0.run(command, cx).await?;
        if finished.outcome == Outcome::TimedOut {
            finished.outcome = Outcome::Exited(0);
        }
        Ok(finished)
    }
}

struct BrokenFixture(Broken);

impl sandbox::Fixture for BrokenFixture {
    fn sandbox(&self) -> &dyn Sandbox {
        &self.0
    }

    fn command(&self, behaviour: &Behaviour) -> Option<SandboxCommand> {
        FakeSandbox(RecordingSandbox::new(), true).command(behaviour)
    }

    fn fully_enforces(&self) -> bool {
        true
    }
}

#[tokio::test]
async fn the_suite_notices_a_timeout_that_looks_like_success() {
    let report = sandbox::suite(&BrokenFixture(Broken(RecordingSandbox::new().on(play)))).await;
    let failed: Vec<&str> = report.failed.iter().map(|(name, _)| *name).collect();
    assert!(failed.contains(&"a_hanging_child_times_out"), "{report:?}");
    assert!(!failed.contains(&"the_exit_code_is_told"), "{report:?}");
}

#[tokio::test]
async fn a_recorded_command_is_whole() {
    let sandbox = RecordingSandbox::new()
        .on_program("tool", Act::Delay(Duration::from_millis(1), Box::new(Act::print("x"))))
        .expecting_network();
    let command = SandboxCommand::new("/opt/tool", "/tree")
        .args(["a", "b"])
        .env("A", "1")
        .read("/tree")
        .write("/cache")
        .hide("/tree/.env")
        .network(Network::Allowed);
    sandbox.run(command.clone(), &CallContext::new()).await.unwrap();
    assert_eq!(sandbox.commands(), [command]);
}

#[tokio::test]
async fn a_dropped_run_is_counted() {
    let sandbox = RecordingSandbox::new().on_program("tool", Act::Hang);
    let cx = CallContext::new();
    let mut run = sandbox.run(SandboxCommand::new("/opt/tool", "/"), &cx);
    assert!(std::future::poll_fn(|cx| std::task::Poll::Ready(run.as_mut().poll(cx).is_pending())).await);
    assert_eq!((sandbox.running(), sandbox.abandoned()), (1, 0));
    drop(run);
    assert_eq!((sandbox.running(), sandbox.abandoned()), (0, 1));
}

#[tokio::test]
#[should_panic(expected = "no script knows this command")]
async fn an_unknown_command_is_a_panic() {
    let _ = RecordingSandbox::new()
        .run(SandboxCommand::new("/bin/true", "/"), &CallContext::new())
        .await;
}

#[tokio::test]
#[should_panic(expected = "the network was not expected")]
async fn an_unexpected_network_is_a_panic() {
    let command = SandboxCommand::new("/bin/true", "/").network(Network::Allowed);
    let _ = RecordingSandbox::new().run(command, &CallContext::new()).await;
}

#[tokio::test]
async fn less_than_required_runs_nothing() {
    let sandbox = RecordingSandbox::new()
        .on_program("true", Act::print(""))
        .without(&[Protection::Network]);
    let command = SandboxCommand::new("/bin/true", "/").require(Require::Enforced);
    let refused = sandbox.run(command, &CallContext::new()).await.unwrap_err();
    assert!(refused.to_string().contains("without network"), "{refused}");
    assert!(sandbox.commands().is_empty());
}

/// The counting provisioner behind a handle that the suite can clear.
struct FakeProvisioner(Arc<CountingProvisioner>, Mutex<usize>);

#[async_trait]
impl provisioner::Fixture for FakeProvisioner {
    fn provisioner(&self) -> Arc<dyn Provisioner> {
        self.0.clone()
    }

    fn pin(&self) -> Pin {
        sample_pin()
    }

    fn fetches(&self) -> usize {
        self.0.installs()
    }

    async fn damage(&self) -> bool {
        // The fake has no files; what is damaged is gone.
        self.0.uninstall();
        *self.1.lock().unwrap() += 1;
        true
    }

    async fn clear(&self) {
        self.0.uninstall();
    }
}

#[tokio::test]
async fn the_counting_provisioner_keeps_the_contract() {
    let fake = CountingProvisioner::new()
        .offering("tool", "1.0.0", "/cache/tool/1.0.0")
        .offering("tool", "1/../../x", "/nowhere");
    let fixture = FakeProvisioner(Arc::new(fake), Mutex::new(0));
    provisioner::suite(&fixture).await.assert_passed(&[]);
    assert_eq!(*fixture.1.lock().unwrap(), 1, "the damage case did not run");
}

#[tokio::test]
#[should_panic(expected = "during a model's turn")]
async fn installing_during_a_turn_is_a_panic() {
    let fake = CountingProvisioner::new().offering("tool", "1.0.0", "/x");
    fake.begin_turn();
    let _ = fake.ensure(&sample_pin(), &CallContext::new()).await;
}
