//! The conformance suite, in each way of launching.

use crate::support::{Host, helper};
use std::os::unix::fs::PermissionsExt as _;
use std::time::Duration;
use understory_adapter_sandbox::Helper;
use understory_ports::conformance::sandbox::{Behaviour, Fixture, suite};
use understory_ports::sandbox::{Enforcement, StartFailure};
use understory_ports::{Sandbox, SandboxCommand};

struct Real {
    host: Host,
    full: bool,
}

impl Real {
    async fn new(helper: Helper) -> Self {
        let host = Host::new(helper);
        let file = host.tree().join("not-a-program");
        std::fs::write(&file, "data").unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
        let probe = host.run(host.sh("exit 0")).await;
        let full = probe.enforcement == Enforcement::Enforced;
        Real { host, full }
    }
}

impl Fixture for Real {
    fn sandbox(&self) -> &dyn Sandbox {
        &self.host.sandbox
    }

    fn command(&self, behaviour: &Behaviour) -> Option<SandboxCommand> {
        let sh = |script: &str| self.host.sh(script);
        Some(match behaviour {
            Behaviour::Exit(code) => sh("exit $1").arg(code.to_string()),
            Behaviour::Print { stdout, stderr } => sh("printf %s \"$1\"; printf %s \"$2\" >&2").args([stdout, stderr]),
            Behaviour::Complain(bytes) => sh("head -c $1 /dev/zero >&2; printf done").arg(bytes.to_string()),
            Behaviour::PrintArgs(args) => sh("for arg do printf '%s\\n' \"$arg\"; done").args(args.clone()),
            Behaviour::PrintEnv => sh("exec env"),
            Behaviour::ReadStdin => sh("cat; printf closed"),
            Behaviour::KillItself => sh("kill -9 $$"),
            Behaviour::Hang => sh("exec sleep 1000"),
            Behaviour::HangIgnoringTerm => sh("trap '' TERM; while :; do sleep 1000; done"),
            Behaviour::Flood => sh("while :; do echo flood flood flood flood flood flood flood; done"),
            Behaviour::LeaveProcess => sh("sleep 1000 &"),
            Behaviour::MissingProgram => SandboxCommand::new("/usr/bin/there-is-no-such-program", "/"),
            Behaviour::NotExecutable => SandboxCommand::new(self.host.tree().join("not-a-program"), "/"),
        })
    }

    fn fully_enforces(&self) -> bool {
        self.full
    }
}

#[tokio::test]
async fn with_a_helper_the_contract_holds() {
    suite(&Real::new(helper()).await).await.assert_passed(&[]);
}

#[tokio::test]
async fn without_a_helper_the_contract_holds() {
    let real = Real::new(Helper::None).await;
    assert!(!real.full, "a thread cannot make namespaces");
    suite(&real).await.assert_passed(&[]);
}

#[tokio::test]
async fn a_helper_that_is_none_is_told() {
    for program in ["/bin/true", "/there/is/no/such/helper"] {
        let host = Host::new(Helper::Program(program.into()));
        let error = host
            .sandbox
            .run(host.sh("exit 0"), &understory_ports::CallContext::new())
            .await
            .unwrap_err();
        assert!(error.to_string().contains(program), "{error}");
    }
}

#[tokio::test]
async fn a_grant_on_nothing_is_told() {
    let host = Host::new(helper());
    let missing = host.tree().join("missing");
    let result = host
        .sandbox
        .run(host.sh("exit 0").read(&missing), &understory_ports::CallContext::new())
        .await;
    match result {
        Err(understory_ports::SandboxError::Grant { path, .. }) => assert_eq!(path, missing),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_program_whose_interpreter_is_missing_is_not_executable() {
    for mode in [helper(), Helper::None] {
        let host = Host::new(mode);
        let script = host.tree().join("script");
        std::fs::write(&script, "#!/there/is/no/interpreter\n").unwrap();
        std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
        let finished = host.run(SandboxCommand::new(&script, "/")).await;
        assert_eq!(
            finished.outcome,
            understory_ports::sandbox::Outcome::FailedToStart(StartFailure::NotExecutable)
        );
    }
}

#[tokio::test]
async fn the_scratch_of_a_run_is_writable_and_removed() {
    let host = Host::new(helper());
    let finished = host
        .run(host.sh("echo x > \"$HOME/a\" && echo x > \"$TMPDIR/b\" && cat \"$HOME/a\" \"$TMPDIR/b\""))
        .await;
    assert_eq!(crate::support::said(&finished), "x\nx\n");
    assert_eq!(std::fs::read_dir(host.scratch()).unwrap().count(), 0);
    assert!(finished.wall < Duration::from_secs(30));
}
