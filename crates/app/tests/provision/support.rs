//! A host with a cache of its own, the real Node.js and npm, and the real sandbox.

use crate::registry::{Package, Registry};
use async_trait::async_trait;
use serde_json::json;
use std::path::PathBuf;
use std::sync::Arc;
use tempfile::TempDir;
use understory_adapter_npm::{NpmConfig, NpmProvisioner, Settings};
use understory_adapter_sandbox::{Helper, HostEnvironment, SandboxConfig, SubprocessSandbox};
use understory_ports::CallContext;
use understory_ports::conformance::provisioner::Fixture;
use understory_ports::provisioner::{Pin, Probe, Provisioner, Scripts};
use understory_ports::sandbox::Require;

/// The search path of the process that runs the tests.
pub fn search() -> std::ffi::OsString {
    std::env::var_os("PATH").expect("PATH is set")
}

/// A cache, and what provisions into it.
pub struct Host {
    root: TempDir,
    pub settings: Settings,
}

impl Host {
    pub fn new() -> Self {
        Host {
            root: tempfile::tempdir().unwrap(),
            settings: Settings::default(),
        }
    }

    pub fn over(registry: &Registry) -> Self {
        let mut host = Host::new();
        host.settings.set("registry", registry.address());
        host.settings.set("fetch-retries", "0");
        host
    }

    pub fn cache(&self) -> PathBuf {
        self.root.path().join("cache")
    }

    pub fn provisioner(&self) -> NpmProvisioner {
        let environment = HostEnvironment::from_variables([("PATH".into(), search())]);
        let sandbox = SubprocessSandbox::new(SandboxConfig {
            environment,
            scratch: self.cache().join("sandbox"),
            helper: Helper::Program(env!("CARGO_BIN_EXE_understory").into()),
        });
        let config = NpmConfig {
            settings: self.settings.clone(),
            require: Require::Enforced,
            ..NpmConfig::new(self.cache(), search())
        };
        NpmProvisioner::new(config, Arc::new(sandbox))
    }

    /// What lies in a tool's directory, but its lock.
    pub fn left(&self, tool: &str) -> Vec<String> {
        let Ok(entries) = std::fs::read_dir(self.cache().join(tool)) else {
            return Vec::new();
        };
        let mut names: Vec<String> = entries
            .map(|e| e.unwrap().file_name().to_string_lossy().into_owned())
            .filter(|name| name != "lock")
            .collect();
        names.sort();
        names
    }
}

/// The test's tool: a shell script, a dependency, a package for this platform and one for another, and an install script
/// that leaves a mark.
pub fn packages() -> Vec<Package> {
    let script = "#!/bin/sh\necho 1.0.0\n";
    vec![
        Package::new(
            "tool",
            json!({
                "bin": {"tool": "bin/tool"},
                "dependencies": {"@scope/dep": "1.0.0"},
                "optionalDependencies": {"tool-linux-x64": "1.0.0", "tool-darwin-arm64": "1.0.0"},
                "scripts": {"postinstall": "echo ran > mark"},
            }),
            &[("bin/tool", script, true)],
        ),
        Package::new("@scope/dep", json!({}), &[("index.js", "module.exports = 1;\n", false)]),
        Package::new(
            "tool-linux-x64",
            json!({"os": ["linux"], "cpu": ["x64"]}),
            &[("x", "x", false)],
        ),
        Package::new(
            "broken",
            json!({"scripts": {"install": "echo 'gyp ERR! find Python' >&2; exit 1"}}),
            &[("bin/tool", script, true)],
        ),
    ]
}

/// A pin of one of the packages, with the lock that npm makes from the registry.
pub async fn pin(host: &Host, package: &'static str, scripts: Scripts) -> Pin {
    let mut manifest = json!({
        "name": "understory-test",
        "version": "1.0.0",
        "private": true,
        "dependencies": {package: "1.0.0"},
    });
    if let Scripts::Allowed(names) = &scripts {
        manifest["allowScripts"] = names.iter().map(|n| (n.clone(), json!(true))).collect();
    }
    let manifest = manifest.to_string();
    let lock = host
        .provisioner()
        .make_lock(&manifest, 20, &CallContext::new())
        .await
        .expect("npm makes the lock");
    Pin {
        tool: "tool".into(),
        version: "1.0.0".into(),
        package: package.into(),
        manifest: manifest.into(),
        lock: Some(lock.into()),
        node: 20,
        scripts,
        probe: Probe {
            program: format!("node_modules/{package}/bin/tool").into(),
            by_node: false,
            args: vec!["--version".into()],
            expect: "1.0.0".into(),
        },
    }
}

/// The contract's fixture over the loopback registry.
pub struct Loopback {
    pub host: Host,
    pub registry: Registry,
    pub pin: Pin,
}

#[async_trait]
impl Fixture for Loopback {
    fn provisioner(&self) -> Arc<dyn Provisioner> {
        Arc::new(self.host.provisioner())
    }

    fn pin(&self) -> Pin {
        self.pin.clone()
    }

    fn fetches(&self) -> usize {
        self.registry.fetches()
    }

    async fn damage(&self) -> bool {
        let program = self.host.cache().join("tool/1.0.0/node_modules/tool/bin/tool");
        std::fs::write(program, "#!/bin/sh\necho 9.9.9\n").is_ok()
    }

    async fn clear(&self) {
        let _ = std::fs::remove_dir_all(self.host.cache());
    }
}
