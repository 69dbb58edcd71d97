//! The whole flow over a sandbox that runs nothing: an npm that a script plays writes what npm would write.

use async_trait::async_trait;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tempfile::TempDir;
use understory_adapter_npm::{NpmConfig, NpmProvisioner, doctor};
use understory_ports::conformance::provisioner::{Fixture, suite};
use understory_ports::provisioner::{Pin, Probe, ProvisionError, Provisioner, Scripts};
use understory_ports::sandbox::{Protection, Require};
use understory_ports::testing::{Act, RecordingSandbox};
use understory_ports::{CallContext, Event, EventSink, Policy, SandboxCommand};

/// A host with a Node.js and an npm that are files with the right names.
struct Host {
    root: TempDir,
    installs: Arc<AtomicUsize>,
}

impl Host {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        let npm = root.path().join("node/lib/node_modules/npm");
        fs::create_dir_all(npm.join("bin")).unwrap();
        fs::create_dir_all(root.path().join("node/bin")).unwrap();
        fs::write(root.path().join("node/bin/node"), "").unwrap();
        fs::write(npm.join("bin/npm-cli.js"), "").unwrap();
        fs::write(npm.join("package.json"), r#"{"name": "npm", "version": "11.0.0"}"#).unwrap();
        Host {
            root,
            installs: Arc::default(),
        }
    }

    fn cache(&self) -> PathBuf {
        self.root.path().join("cache")
    }

    fn config(&self) -> NpmConfig {
        NpmConfig::new(self.cache(), self.root.path().join("node/bin"))
    }

    /// The host's commands: Node.js of this version, an npm that does `install`, and what was installed.
    fn sandbox(&self, node: &'static str, install: impl Fn(&Path) -> Act + Send + Sync + 'static) -> RecordingSandbox {
        let installs = self.installs.clone();
        RecordingSandbox::new()
            .expecting_network()
            .on(move |command: &SandboxCommand| {
                let name = command.program.file_name()?.to_str()?;
                let says = |word: &str| command.args.iter().any(|a| a == word);
                match name {
                    "node" if says("--version") && command.args.len() == 1 => Some(Act::print(node)),
                    "node" if says("ci") => {
                        installs.fetch_add(1, Ordering::SeqCst);
                        Some(install(&command.cwd))
                    }
                    "tool" => Some(Act::print(fs::read(&command.program).unwrap_or_default())),
                    _ => None,
                }
            })
    }

    fn provisioner(&self, sandbox: RecordingSandbox) -> NpmProvisioner {
        NpmProvisioner::new(self.config(), Arc::new(sandbox))
    }

    /// Everything in the cache but npm's own directory and the tool's lock.
    fn left(&self) -> Vec<String> {
        let Ok(entries) = fs::read_dir(self.cache().join("tool")) else {
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

fn works(at: &Path) -> Act {
    let package = at.join("node_modules/tool");
    fs::create_dir_all(package.join("bin")).unwrap();
    fs::write(package.join("package.json"), "{}").unwrap();
    fs::write(package.join("bin/tool"), "1.0.0").unwrap();
    Act::print("added 1 package")
}

fn pin() -> Pin {
    let integrity = format!("sha512-{}==", "A".repeat(86));
    Pin {
        tool: "tool".into(),
        version: "1.0.0".into(),
        package: "tool".into(),
        manifest: r#"{"dependencies": {"tool": "1.0.0"}}"#.into(),
        lock: Some(
            format!(r#"{{"packages": {{"node_modules/tool": {{"version": "1.0.0", "integrity": "{integrity}"}}}}}}"#)
                .into(),
        ),
        node: 20,
        scripts: Scripts::Denied,
        probe: Probe {
            program: "node_modules/tool/bin/tool".into(),
            by_node: false,
            args: vec!["--version".into()],
            expect: "1.0.0".into(),
        },
    }
}

#[async_trait]
impl Fixture for Host {
    fn provisioner(&self) -> Arc<dyn Provisioner> {
        Arc::new(Host::provisioner(self, self.sandbox("v20.1.0\n", works)))
    }

    fn pin(&self) -> Pin {
        pin()
    }

    fn fetches(&self) -> usize {
        self.installs.load(Ordering::SeqCst)
    }

    async fn damage(&self) -> bool {
        // Of the same size, so that only the probe can tell.
        fs::write(self.cache().join("tool/1.0.0/node_modules/tool/bin/tool"), "9.9.9").is_ok()
    }

    async fn clear(&self) {
        let _ = fs::remove_dir_all(self.cache());
    }
}

#[tokio::test]
async fn the_contract_holds() {
    suite(&Host::new()).await.assert_passed(&[]);
}

#[tokio::test]
async fn the_second_call_in_a_process_starts_nothing() {
    let host = Host::new();
    let sandbox = Arc::new(host.sandbox("v20.1.0\n", works));
    let provisioner = NpmProvisioner::new(host.config(), sandbox.clone());
    provisioner.ensure(&pin(), &CallContext::new()).await.unwrap();
    let commands = sandbox.commands().len();
    provisioner.ensure(&pin(), &CallContext::new()).await.unwrap();
    assert_eq!(sandbox.commands().len(), commands);
    // Another process probes, and does not install.
    let sandbox = Arc::new(host.sandbox("v20.1.0\n", works));
    let provisioner = NpmProvisioner::new(host.config(), sandbox.clone());
    assert!(provisioner.locate(&pin()).await.unwrap().is_some());
    assert!(sandbox.commands().is_empty(), "looking started a process");
    provisioner.ensure(&pin(), &CallContext::new()).await.unwrap();
    assert_eq!(host.installs.load(Ordering::SeqCst), 1);
}

/// What the refusal is when Node.js is `node` and an installation does `install`.
async fn refused(
    host: &Host,
    node: &'static str,
    install: impl Fn(&Path) -> Act + Send + Sync + 'static,
) -> ProvisionError {
    let provisioner = host.provisioner(host.sandbox(node, install));
    let error = provisioner.ensure(&pin(), &CallContext::new()).await.unwrap_err();
    assert!(provisioner.locate(&pin()).await.unwrap().is_none());
    let message = error.to_refusal().message;
    let root = host.root.path().to_str().unwrap();
    assert!(!message.contains(root), "{message}");
    error
}

#[tokio::test]
async fn without_a_node_that_is_new_enough_nothing_is_tried() {
    let host = Host::new();
    let old = refused(&host, "v18.19.0\n", works).await;
    assert!(
        matches!(&old, ProvisionError::OldNode { found, needed: 20 } if found == "18.19.0"),
        "{old}"
    );
    let none = refused(&host, "hello", works).await;
    assert!(matches!(none, ProvisionError::NoNode { needed: 20 }), "{none}");
    fs::remove_file(host.root.path().join("node/lib/node_modules/npm/bin/npm-cli.js")).unwrap();
    let npm = refused(&host, "v20.1.0\n", works).await;
    assert!(matches!(npm, ProvisionError::NoNpm { .. }), "{npm}");
    assert_eq!(host.installs.load(Ordering::SeqCst), 0);
    assert!(!host.cache().exists(), "something was written");
}

#[tokio::test]
async fn a_failed_installation_is_named_and_leaves_nothing() {
    let host = Host::new();
    let cache = host.cache();
    let tail = refused(&host, "v20.1.0\n", move |at| {
        works(at);
        Act::fail(
            1,
            format!("npm error code EINTEGRITY\nnpm error path {}/x\n", cache.display()),
        )
    })
    .await;
    let ProvisionError::Integrity(tail) = tail else {
        panic!("{tail}")
    };
    assert!(tail.shown.contains("<cache>/x"), "{tail:?}");
    assert!(tail.detail.contains(host.cache().to_str().unwrap()), "{tail:?}");
    let network = refused(&host, "v20.1.0\n", |_| Act::fail(1, "npm error code ENOTFOUND")).await;
    assert!(
        matches!(network, ProvisionError::Network(_)) && network.worth_retrying(),
        "{network}"
    );
    let killed = refused(&host, "v20.1.0\n", |_| Act::Signal(9)).await;
    assert!(matches!(killed, ProvisionError::Installer { .. }), "{killed}");
    let missing = refused(&host, "v20.1.0\n", |_| Act::print("added 0 packages")).await;
    assert!(
        matches!(&missing, ProvisionError::Installer { how, .. } if how.contains("node_modules/tool")),
        "{missing}"
    );
    let broken = refused(&host, "v20.1.0\n", |at| {
        works(at);
        fs::write(at.join("node_modules/tool/bin/tool"), "0.9.0").unwrap();
        Act::print("")
    })
    .await;
    assert!(matches!(broken, ProvisionError::Probe { .. }), "{broken}");
    let sandbox = refused(&host, "v20.1.0\n", |_| Act::Launch).await;
    assert!(
        matches!(
            sandbox,
            ProvisionError::Sandbox {
                not_enforced: false,
                ..
            }
        ),
        "{sandbox}"
    );
    // Directories are removed on threads of their own.
    for _ in 0..100 {
        if host.left().is_empty() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("left: {:?}", host.left());
}

#[tokio::test]
async fn an_installation_has_a_bound_and_can_be_cancelled() {
    let host = Host::new();
    let provisioner = host.provisioner(host.sandbox("v20.1.0\n", |_| Act::Hang));
    let cx = CallContext::new().with_timeout(Duration::from_millis(300));
    let late = provisioner.ensure(&pin(), &cx).await.unwrap_err();
    assert!(matches!(late, ProvisionError::Timeout { .. }), "{late}");
    let cx = CallContext::new();
    let cancel = cx.cancel.clone();
    let pin = pin();
    let (cancelled, ()) = tokio::join!(provisioner.ensure(&pin, &cx), async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        cancel.cancel();
    });
    assert!(matches!(cancelled, Err(ProvisionError::Cancelled)), "{cancelled:?}");
}

#[tokio::test]
async fn another_process_is_waited_for_until_the_deadline() {
    let host = Host::new();
    fs::create_dir_all(host.cache().join("tool")).unwrap();
    let held = fs::File::create(host.cache().join("tool/lock")).unwrap();
    held.lock().unwrap();
    let provisioner = host.provisioner(host.sandbox("v20.1.0\n", works));
    let cx = CallContext::new().with_timeout(Duration::from_millis(200));
    let busy = provisioner.ensure(&pin(), &cx).await.unwrap_err();
    assert!(
        matches!(busy, ProvisionError::Busy { .. }) && busy.worth_retrying(),
        "{busy}"
    );
    drop(held);
    provisioner.ensure(&pin(), &CallContext::new()).await.unwrap();
}

#[tokio::test]
async fn what_a_killed_installation_left_is_swept() {
    let host = Host::new();
    let tool = host.cache().join("tool");
    for left in ["1.0.0.tmp-dead", "1.0.0.old-dead", "1.0.0"] {
        fs::create_dir_all(tool.join(left).join("node_modules")).unwrap();
    }
    let provisioner = host.provisioner(host.sandbox("v20.1.0\n", works));
    assert!(
        provisioner.locate(&pin()).await.unwrap().is_none(),
        "half an installation was found"
    );
    provisioner.ensure(&pin(), &CallContext::new()).await.unwrap();
    assert_eq!(host.left(), ["1.0.0"]);
}

#[tokio::test]
async fn required_enforcement_that_is_missing_runs_nothing() {
    let host = Host::new();
    let sandbox = Arc::new(host.sandbox("v20.1.0\n", works).without(&[Protection::Files]));
    // The question for the version carries no requirement; nothing that installs runs.
    let config = NpmConfig {
        require: Require::Enforced,
        ..host.config()
    };
    let provisioner = NpmProvisioner::new(config, sandbox);
    let error = provisioner.ensure(&pin(), &CallContext::new()).await.unwrap_err();
    assert!(
        matches!(error, ProvisionError::Sandbox { not_enforced: true, .. }),
        "{error}"
    );
    assert_eq!(host.installs.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn a_strict_policy_runs_nothing_unconfined() {
    let host = Host::new();
    // The version of Node.js is not asked either: that is a program too.
    let sandbox = Arc::new(host.sandbox("v20.1.0\n", works).without(&[Protection::Files]));
    let provisioner = NpmProvisioner::new(host.config(), sandbox.clone());
    let strict = Policy {
        require_sandbox: true,
        ..Policy::default()
    };
    let cx = CallContext::new().with_policy(strict);
    provisioner.ensure(&pin(), &cx).await.unwrap_err();
    assert_eq!(sandbox.commands(), []);
    provisioner.ensure(&pin(), &CallContext::new()).await.unwrap();
}

#[tokio::test]
async fn offline_only_finds_what_is_there() {
    let host = Host::new();
    let sandbox = Arc::new(host.sandbox("v20.1.0\n", works));
    let provisioner = NpmProvisioner::new(host.config(), sandbox);
    let offline = Policy {
        offline: true,
        ..Policy::default()
    };
    let cx = CallContext::new().with_policy(offline);
    let error = provisioner.ensure(&pin(), &cx).await.unwrap_err();
    assert!(matches!(error, ProvisionError::Offline { .. }), "{error}");
    let error = provisioner.make_lock("{}", 20, &cx).await.unwrap_err();
    assert!(matches!(error, ProvisionError::Offline { .. }), "{error}");
    assert_eq!(host.installs.load(Ordering::SeqCst), 0);
    provisioner.ensure(&pin(), &CallContext::new()).await.unwrap();
    provisioner.ensure(&pin(), &cx).await.unwrap();
    assert_eq!(host.installs.load(Ordering::SeqCst), 1);
}

#[derive(Default)]
struct Events(Mutex<Vec<Event>>);

impl EventSink for Events {
    fn event(&self, event: Event) {
        self.0.lock().unwrap().push(event);
    }
}

#[tokio::test]
async fn progress_is_told() {
    let host = Host::new();
    let events = Arc::new(Events::default());
    let cx = CallContext {
        events: events.clone(),
        ..CallContext::new()
    };
    let provisioner = host.provisioner(host.sandbox("v20.1.0\n", works));
    provisioner.ensure(&pin(), &cx).await.unwrap();
    let told = events.0.lock().unwrap();
    let stages: Vec<&str> = told
        .iter()
        .filter_map(|e| match e {
            Event::Stage { name, .. } => Some(*name),
            _ => None,
        })
        .collect();
    assert_eq!(stages, ["install", "probe"]);
    assert!(
        told.iter()
            .any(|e| matches!(e, Event::Message(m) if m.contains("npm 11.0.0"))),
        "{told:?}"
    );
}

#[tokio::test]
async fn the_doctor_says_what_is_there() {
    let host = Host::new();
    let lines = doctor(
        &host.config(),
        &host.sandbox("v20.1.0\n", works),
        20,
        &CallContext::new(),
    )
    .await;
    let told: Vec<(&str, bool, bool)> = lines.iter().map(|l| (l.id, l.ok, l.remedy.is_some())).collect();
    assert_eq!(
        told,
        [("node", true, false), ("npm", true, false), ("toolchain", false, true)]
    );
    let lines = doctor(
        &host.config(),
        &host.sandbox("v18.0.0\n", works),
        20,
        &CallContext::new(),
    )
    .await;
    assert!(!lines[0].ok && lines[0].message.contains("18.0.0"), "{lines:?}");
}
