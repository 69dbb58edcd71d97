//! The shipped pin, from the public registry.

use crate::support::{Host, search};
use understory_adapter_npm::Settings;
use understory_ports::CallContext;
use understory_ports::provisioner::Provisioner as _;

#[tokio::test]
async fn codegraph_is_installed_and_answers() {
    assert!(!search().is_empty());
    let mut host = Host::new();
    host.settings = Settings::from_variables(std::env::vars_os());
    let pin = understory_adapter_codegraph::pin();
    let installed = host.provisioner().ensure(&pin, &CallContext::new()).await.unwrap();
    assert_eq!(installed.version(), "1.6.1");
    assert_eq!(host.left("codegraph"), ["1.6.1"]);
    let found = host.provisioner().locate(&pin).await.unwrap();
    assert_eq!(found, Some(installed));
}
