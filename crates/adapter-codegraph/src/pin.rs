//! The pinned release, for whoever installs it.

use understory_ports::provisioner::{Pin, Probe, Scripts};

/// The release that is installed.
const VERSION: &str = "1.6.1";

/// CodeGraph. Its platform package is a bundle with a runtime of its own: nothing is compiled and no script runs.
pub fn pin() -> Pin {
    Pin {
        tool: "codegraph".into(),
        version: VERSION.into(),
        package: "@colbymchenry/codegraph".into(),
        manifest: include_str!("../pin/package.json").into(),
        lock: Some(include_str!("../pin/package-lock.json").into()),
        node: 20,
        scripts: Scripts::Denied,
        probe: Probe {
            program: "node_modules/@colbymchenry/codegraph-{platform}/bin/codegraph".into(),
            by_node: false,
            args: vec!["--version".into()],
            expect: VERSION.into(),
        },
    }
}
