//! The pinned release, for whoever installs it.

use crate::{NODE, VERSION};
use understory_ports::provisioner::{Pin, Probe, Scripts};

/// Graft. No lock is shipped where no registry could make one. One grammar of it is compiled by its script.
pub fn pin() -> Pin {
    Pin {
        tool: "graft".into(),
        version: VERSION.into(),
        package: "@nanonets/graft".into(),
        manifest: include_str!("../pin/package.json").into(),
        lock: None,
        node: NODE,
        scripts: Scripts::Allowed(vec!["tree-sitter-kotlin".into()]),
        probe: Probe {
            program: "node_modules/@nanonets/graft/dist/cli.js".into(),
            by_node: true,
            args: vec!["--version".into()],
            expect: VERSION.into(),
        },
    }
}
