//! A host that is its own helper. It has a `main` of its own, as such a host has, so it is its own test harness too.

use std::error::Error;
use std::io::Write as _;
use understory_adapter_sandbox::{Helper, HostEnvironment, SandboxConfig, SubprocessSandbox, probe};
use understory_ports::sandbox::{Outcome, Protection};
use understory_ports::{CallContext, Sandbox, SandboxCommand};

fn main() -> Result<(), Box<dyn Error>> {
    understory_adapter_sandbox::helper_main();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
    runtime.block_on(a_host_is_its_own_helper())?;
    writeln!(
        std::io::stdout(),
        "\ntest result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out"
    )?;
    Ok(())
}

async fn a_host_is_its_own_helper() -> Result<(), Box<dyn Error>> {
    let root = tempfile::tempdir()?;
    let config = SandboxConfig {
        environment: HostEnvironment::default(),
        scratch: root.path().join("scratch"),
        helper: Helper::OwnBinary,
    };
    let sandbox = SubprocessSandbox::new(config.clone());
    if cfg!(unix) {
        let command = SandboxCommand::new("/bin/sh", "/").args(["-c", "exit 7"]);
        let finished = sandbox.run(command, &CallContext::new()).await?;
        assert_eq!(finished.outcome, Outcome::Exited(7));
        // Only a helper process can close descriptors, on a kernel that knows the call.
        if cfg!(target_os = "linux") {
            assert!(
                finished.enforcement.holds(Protection::Descriptors),
                "{}",
                finished.enforcement
            );
        }
    }
    let probed = probe(&config).await;
    let escapes = probed.escapes.expect("this program is also the child");
    assert!(
        !escapes.read || !probed.enforcement.holds(Protection::Files),
        "{probed:?}"
    );
    Ok(())
}
