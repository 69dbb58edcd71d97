//! The whole flow over the loopback registry.

use crate::registry::Registry;
use crate::support::{Host, Loopback, packages, pin};
use std::time::Duration;
use understory_ports::CallContext;
use understory_ports::conformance::provisioner::suite;
use understory_ports::provisioner::{ProvisionError, Provisioner as _, Scripts};

#[tokio::test]
async fn the_contract_holds() {
    let registry = Registry::serve(packages());
    let host = Host::over(&registry);
    let pin = pin(&host, "tool", Scripts::Denied).await;
    let lock = pin.lock.as_deref().unwrap();
    assert!(lock.contains("tool-darwin-arm64"), "every platform is named: {lock}");
    suite(&Loopback { host, registry, pin }).await.assert_passed(&[]);
}

#[tokio::test]
async fn scripts_run_when_the_pin_says_so_and_only_then() {
    let registry = Registry::serve(packages());
    for (scripts, ran) in [(Scripts::Denied, false), (Scripts::Allowed(vec!["tool".into()]), true)] {
        let host = Host::over(&registry);
        let pin = pin(&host, "tool", scripts).await;
        let installed = host.provisioner().ensure(&pin, &CallContext::new()).await.unwrap();
        assert_eq!(installed.file("node_modules/tool/mark").exists(), ran, "{pin:?}");
        assert_eq!(host.left("tool"), ["1.0.0"]);
    }
}

#[tokio::test]
async fn other_bytes_than_the_lock_names_are_refused() {
    let registry = Registry::serve(packages());
    let host = Host::over(&registry);
    let pin = pin(&host, "tool", Scripts::Denied).await;
    registry.alter(true);
    let error = host.provisioner().ensure(&pin, &CallContext::new()).await.unwrap_err();
    assert!(matches!(error, ProvisionError::Integrity(_)), "{error:?}");
    registry.alter(false);
    host.provisioner().ensure(&pin, &CallContext::new()).await.unwrap();
    assert_eq!(host.left("tool"), ["1.0.0"]);
}

#[tokio::test]
async fn failures_are_told_by_name_and_without_host_paths() {
    let registry = Registry::serve(packages());
    let host = Host::over(&registry);
    let broken = pin(&host, "broken", Scripts::Allowed(vec!["broken".into()])).await;
    let error = host
        .provisioner()
        .ensure(&broken, &CallContext::new())
        .await
        .unwrap_err();
    assert!(matches!(error, ProvisionError::Toolchain(_)), "{error:?}");
    let message = error.to_refusal().message;
    assert!(
        message.contains("gyp ERR!") && !message.contains(host.cache().to_str().unwrap()),
        "{message}"
    );

    let good = pin(&host, "tool", Scripts::Denied).await;
    let mut unreachable = Host::over(&registry);
    // A port that nothing listens on.
    let port = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    unreachable.settings.set("registry", &format!("http://{port}/"));
    let error = unreachable
        .provisioner()
        .ensure(&good, &CallContext::new())
        .await
        .unwrap_err();
    assert!(matches!(error, ProvisionError::Network(_)), "{error:?}");

    let empty = Registry::serve(Vec::new());
    let elsewhere = Host::over(&empty);
    let error = elsewhere
        .provisioner()
        .ensure(&good, &CallContext::new())
        .await
        .unwrap_err();
    assert!(matches!(error, ProvisionError::NotInRegistry(_)), "{error:?}");
}

#[tokio::test]
async fn an_installation_that_is_stopped_half_way_leaves_nothing() {
    let registry = Registry::serve(packages());
    let host = Host::over(&registry);
    let pin = pin(&host, "tool", Scripts::Denied).await;
    registry.stall(true);
    let cx = CallContext::new();
    let cancel = cx.cancel.clone();
    let provisioner = host.provisioner();
    let (stopped, ()) = tokio::join!(provisioner.ensure(&pin, &cx), async {
        while registry.fetches() == 0 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        cancel.cancel();
    });
    assert!(matches!(stopped, Err(ProvisionError::Cancelled)), "{stopped:?}");
    registry.stall(false);
    host.provisioner().ensure(&pin, &CallContext::new()).await.unwrap();
    assert_eq!(host.left("tool"), ["1.0.0"]);
}
