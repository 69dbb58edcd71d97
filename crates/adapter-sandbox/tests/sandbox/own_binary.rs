//! A host that is its own helper, and the probe.

use crate::support::{Host, helper};
use std::process::Command;
use understory_adapter_sandbox::{Helper, HostEnvironment, SandboxConfig, probe};
use understory_ports::sandbox::Protection;

#[tokio::test]
async fn the_probe_gets_nowhere_where_files_and_network_are_enforced() {
    let host = Host::new(helper());
    let config = SandboxConfig {
        environment: HostEnvironment::default(),
        scratch: host.scratch(),
        helper: helper(),
    };
    let probed = probe(&config).await;
    let escapes = probed.escapes.expect("the helper program is also the child");
    if probed.enforcement.holds(Protection::Files) {
        assert!(!escapes.read && !escapes.write, "{probed:?}");
    }
    if probed.enforcement.holds(Protection::Network) {
        assert!(!escapes.connect, "{probed:?}");
    }
    assert_eq!(std::fs::read_dir(host.scratch()).unwrap().count(), 0);
}

#[tokio::test]
async fn a_host_that_cannot_be_a_helper_is_told() {
    // This test program has no `main` of its own, so it never called `helper_main`.
    let host = Host::new(Helper::OwnBinary);
    let config = SandboxConfig {
        environment: HostEnvironment::default(),
        scratch: host.scratch(),
        helper: Helper::OwnBinary,
    };
    let probed = probe(&config).await;
    assert!(probed.escapes.is_none() && probed.remedy.is_some(), "{probed:?}");
    let finished = host.run(host.sh("exit 0")).await;
    assert!(
        !finished.enforcement.holds(Protection::ProcessNamespace),
        "{}",
        finished.enforcement
    );
}

/// The positive control of the probe: the same child outside can do all three.
#[test]
fn the_probes_child_can_do_all_of_it_outside() {
    let place = tempfile::tempdir().unwrap();
    let secret = place.path().join("secret");
    std::fs::write(&secret, "x").unwrap();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let status = Command::new(env!("CARGO_BIN_EXE_understory-sandbox-helper"))
        .arg("__understory_sandbox_probe")
        .arg(&secret)
        .arg(place.path().join("written"))
        .arg(listener.local_addr().unwrap().to_string())
        .status()
        .unwrap();
    assert_eq!(status.code(), Some(96 + 7));
}

#[test]
fn a_helper_that_is_run_by_hand_ends() {
    let helper = env!("CARGO_BIN_EXE_understory-sandbox-helper");
    for args in [&["__understory_sandbox"][..], &[]] {
        let output = Command::new(helper)
            .args(args)
            .stdin(std::process::Stdio::null())
            .output()
            .unwrap();
        assert!(!output.status.success() && output.stdout.is_empty(), "{output:?}");
    }
}
