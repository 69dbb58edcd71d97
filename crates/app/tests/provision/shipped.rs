//! The shipped pin, from the public registry.

use crate::support::{Host, search};
use understory_adapter_npm::Settings;
use understory_ports::CallContext;
use understory_ports::provisioner::{Pin, Probe, Provisioner as _, Scripts};

fn codegraph() -> Pin {
    Pin {
        tool: "codegraph".into(),
        version: "1.6.1".into(),
        package: "@colbymchenry/codegraph".into(),
        manifest: include_str!("../../../../pins/codegraph/package.json").into(),
        lock: Some(include_str!("../../../../pins/codegraph/package-lock.json").into()),
        node: 20,
        scripts: Scripts::Denied,
        probe: Probe {
            program: "node_modules/@colbymchenry/codegraph-{platform}/bin/codegraph".into(),
            by_node: false,
            args: vec!["--version".into()],
            expect: "1.6.1".into(),
        },
    }
}

#[tokio::test]
async fn codegraph_is_installed_and_answers() {
    assert!(!search().is_empty());
    let mut host = Host::new();
    host.settings = Settings::from_variables(std::env::vars_os());
    let pin = codegraph();
    let installed = host.provisioner().ensure(&pin, &CallContext::new()).await.unwrap();
    assert_eq!(installed.version(), "1.6.1");
    assert_eq!(host.left("codegraph"), ["1.6.1"]);
    let found = host.provisioner().locate(&pin).await.unwrap();
    assert_eq!(found, Some(installed));
}
