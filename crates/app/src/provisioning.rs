//! How tools of other projects are installed and run: the sandbox, the provisioner, and the pins.

use crate::environment::Environment;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use understory_adapter_npm::{NpmConfig, NpmProvisioner, Settings};
use understory_adapter_sandbox::{Helper, HostEnvironment, SandboxConfig, SubprocessSandbox};
use understory_ports::Pin;
use understory_ports::sandbox::Require;

/// The lowest major version of Node.js that a tool needs.
pub const NODE: u32 = 20;

/// The sandbox's configuration: this program is its own helper.
pub fn sandbox(environment: &Environment, scratch: &Path) -> SandboxConfig {
    SandboxConfig {
        environment: HostEnvironment::from_variables(environment.variables.iter().cloned()),
        scratch: scratch.to_owned(),
        helper: Helper::OwnBinary,
    }
}

/// npm's configuration: the user's way to the registry, and a place in the cache for everything else.
pub fn npm(environment: &Environment, cache: &Path) -> NpmConfig {
    let variables = environment.variables.iter().cloned();
    let mut settings = Settings::from_variables(variables);
    let npmrc = environment.home.as_ref().map(|home| home.join(".npmrc"));
    if let Some(text) = npmrc.and_then(|path| std::fs::read_to_string(path).ok()) {
        settings = settings.with_npmrc(&text);
    }
    let search = environment.variable("PATH").unwrap_or_default();
    NpmConfig {
        settings,
        ..NpmConfig::new(cache, search)
    }
}

/// The provisioner over a cache; `require` says whether it may run without a fully enforced sandbox.
pub fn provisioner(environment: &Environment, cache: &Path, require: Require) -> NpmProvisioner {
    let sandbox = SubprocessSandbox::new(sandbox(environment, &cache.join("sandbox")));
    let config = NpmConfig {
        require,
        ..npm(environment, cache)
    };
    NpmProvisioner::new(config, Arc::new(sandbox))
}

/// The pins of every tool that can be provisioned. A lock that was made on this host stands in for the shipped one: the
/// registry that made that one may not have handed out this platform's package.
pub fn pins(cache: &Path) -> Vec<Pin> {
    let mut pins = vec![understory_adapter_codegraph::pin(), understory_adapter_graft::pin()];
    for pin in &mut pins {
        if let Ok(made) = std::fs::read_to_string(lock_path(cache, pin)) {
            pin.lock = Some(made.into());
        }
    }
    pins
}

/// Where a lock that was made on this host lies.
pub fn lock_path(cache: &Path, pin: &Pin) -> PathBuf {
    cache.join("locks").join(format!("{}-{}.json", pin.tool, pin.version))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shipped_lock_names_every_platform_and_only_hashes_from_a_registry() {
        let pin = understory_adapter_codegraph::pin();
        let lock: serde_json::Value = serde_json::from_str(pin.lock.as_deref().unwrap()).unwrap();
        let packages = lock["packages"].as_object().unwrap();
        for platform in [
            "darwin-arm64",
            "darwin-x64",
            "linux-arm64",
            "linux-x64",
            "win32-arm64",
            "win32-x64",
        ] {
            let package = &packages[&format!("node_modules/@colbymchenry/codegraph-{platform}")];
            assert_eq!(package["version"], "1.6.1", "{platform}");
            assert_eq!(package["optional"], true, "{platform}");
        }
        for name in ["", "-linux-x64"] {
            let package = &packages[&format!("node_modules/@colbymchenry/codegraph{name}")];
            let integrity = package["integrity"].as_str().unwrap();
            assert!(integrity.starts_with("sha512-"), "{integrity}");
        }
    }

    #[test]
    fn every_pin_names_one_version_in_its_manifest_its_lock_and_its_probe() {
        for pin in [understory_adapter_codegraph::pin(), understory_adapter_graft::pin()] {
            pin.check().unwrap();
            let manifest: serde_json::Value = serde_json::from_str(&pin.manifest).unwrap();
            assert_eq!(
                manifest["dependencies"][&*pin.package], *pin.version,
                "exact: {manifest}"
            );
            assert_eq!(pin.probe.expect, pin.version);
            let Some(lock) = &pin.lock else { continue };
            let lock: serde_json::Value = serde_json::from_str(lock).unwrap();
            let locked = &lock["packages"][&format!("node_modules/{}", pin.package)];
            assert_eq!(locked["version"], *pin.version);
        }
    }

    #[test]
    fn a_lock_that_was_made_here_stands_in() {
        let cache = tempfile::tempdir().unwrap();
        let shipped = pins(cache.path());
        let path = lock_path(cache.path(), &shipped[0]);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "{}").unwrap();
        assert_eq!(pins(cache.path())[0].lock.as_deref(), Some("{}"));
    }
}
