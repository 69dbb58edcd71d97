//! `understory provision`: installs the tools of other projects ahead of their use.

use super::common;
use crate::cli::{Backend, Cli};
use crate::environment::Environment;
use crate::exit;
use crate::failure::Failure;
use crate::output::Output;
use crate::{compose, provisioning};
use serde_json::{Value, json};
use std::path::Path;
use understory_adapter_npm::NpmProvisioner;
use understory_core::answer::SCHEMA;
use understory_core::refusal::Refusal;
use understory_ports::provisioner::{Pin, Provisioner as _};
use understory_ports::sandbox::Require;
use understory_ports::{CallContext, Policy};

/// Installs the pinned tools, or makes their locks. The only command that reaches the network.
pub fn run(cli: &Cli, environment: &Environment, write_lock: bool, out: &mut Output) -> Result<u8, Failure> {
    let settings = compose::settings_here(cli, environment);
    if settings.offline() {
        let by = settings.sources("offline");
        return Err(Failure::new(format!("nothing is installed: `offline` is on ({by})"))
            .hint("`understory config` shows where each value comes from"));
    }
    let Some(cache) = compose::cache(cli, environment) else {
        return Err(Failure::new("there is no place for a cache").hint("name a writable directory with --cache DIR"));
    };
    let require = if settings.require_sandbox() {
        Require::Enforced
    } else {
        Require::BestEffort
    };
    let provisioner = provisioning::provisioner(environment, &cache, require);
    let cx = common::context(out).with_policy(Policy {
        offline: settings.offline(),
        require_sandbox: settings.require_sandbox(),
    });
    let mut told = Vec::new();
    let mut first_refusal = None;
    for pin in wanted(cli, &cache, write_lock) {
        let done = common::block_on(async {
            if write_lock {
                lock(&provisioner, &pin, &cache, &cx).await
            } else {
                install(&provisioner, &pin, &cx).await
            }
        })?;
        let name = format!("{} {}", pin.tool, pin.version);
        match done {
            Ok(line) => {
                told.push(json!({"tool": pin.tool, "version": pin.version, "ok": true}));
                if !cli.common.json {
                    out.text(&format!("{name}: {line}"));
                }
            }
            Err(refusal) => {
                told.push(json!({"tool": pin.tool, "version": pin.version, "ok": false, "refusal": refusal}));
                if !cli.common.json {
                    let mut failure = Failure::from(&refusal);
                    failure.heading = format!("{name}: {}", failure.heading);
                    first_refusal.get_or_insert(failure);
                }
            }
        }
    }
    let ok = told.iter().all(|t| t["ok"] == Value::Bool(true));
    if cli.common.json {
        out.text(&json!({"schema": SCHEMA, "ok": ok, "tools": told}).to_string());
    }
    match first_refusal {
        Some(failure) => Err(failure),
        None if ok => Ok(exit::FOUND),
        None => Ok(exit::FAILED),
    }
}

/// The tools that are asked for: the backend's, else every one that can be installed. A tool without a lock is named when it
/// is asked for alone, and when locks are made.
fn wanted(cli: &Cli, cache: &Path, write_lock: bool) -> Vec<Pin> {
    let mut pins = provisioning::pins(cache);
    match cli.common.backend {
        Backend::Native => pins.retain(|pin| write_lock || pin.lock.is_some()),
        Backend::Graft => pins.retain(|pin| pin.tool == "graft"),
        Backend::Codegraph => pins.retain(|pin| pin.tool == "codegraph"),
    }
    pins
}

async fn install(provisioner: &NpmProvisioner, pin: &Pin, cx: &CallContext) -> Result<String, Refusal> {
    let installed = provisioner.ensure(pin, cx).await.map_err(|e| e.to_refusal())?;
    Ok(format!("ready at {}", installed.prefix().display()))
}

async fn lock(provisioner: &NpmProvisioner, pin: &Pin, cache: &Path, cx: &CallContext) -> Result<String, Refusal> {
    let made = provisioner
        .make_lock(&pin.manifest, pin.node, cx)
        .await
        .map_err(|e| e.to_refusal())?;
    let path = provisioning::lock_path(cache, pin);
    let written = path
        .parent()
        .map_or(Ok(()), std::fs::create_dir_all)
        .and_then(|()| std::fs::write(&path, made));
    written.map_err(|source| {
        let path = path.clone();
        understory_ports::ProvisionError::Cache { path, source }.to_refusal()
    })?;
    Ok(format!("lock written to {}", path.display()))
}
