//! Kills installers at random moments and looks at what is left:
//! `cargo bench -p understory --features live --bench kill_install -- [ROUNDS] [--real]`.
//!
//! Each round starts this program as an installer, kills it with SIGKILL after a random part of the time that an
//! installation takes, and then checks that no process of it lives on, that what can be found is whole, that the next
//! installation succeeds, and that nothing else is left in the cache. The package comes from a registry on loopback, or
//! with `--real` the shipped pin from the public one.

#![cfg_attr(
    target_os = "linux",
    expect(
        clippy::disallowed_methods,
        reason = "it starts and kills this very program, with the host's environment"
    )
)]

#[cfg(target_os = "linux")]
#[expect(dead_code, reason = "the tests of provisioning use the rest of it")]
#[path = "../tests/provision/registry.rs"]
mod registry;

#[cfg(not(target_os = "linux"))]
fn main() {}

#[cfg(target_os = "linux")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    understory_adapter_sandbox::helper_main();
    let args: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["install", cache, pin, registry] => rounds::install(cache.as_ref(), pin.as_ref(), registry),
        _ => {
            let real = args.iter().any(|a| a == "--real");
            let default = if real { 3 } else { 200 };
            let count = args.iter().find_map(|a| a.parse().ok()).unwrap_or(default);
            rounds::all(count, real)
        }
    }
}

#[cfg(target_os = "linux")]
mod rounds {
    use crate::registry::{Package, Registry};
    use serde_json::json;
    use std::error::Error;
    use std::io::Write as _;
    use std::path::Path;
    use std::process::{Command, Stdio};
    use std::sync::Arc;
    use std::time::{Duration, Instant};
    use understory_adapter_npm::{NpmConfig, NpmProvisioner, Settings};
    use understory_adapter_sandbox::{Helper, HostEnvironment, SandboxConfig, SubprocessSandbox};
    use understory_ports::CallContext;
    use understory_ports::provisioner::{Pin, Probe, Provisioner as _, Scripts};

    type Outcome<T> = Result<T, Box<dyn Error>>;

    fn provisioner(cache: &Path, registry: &str) -> NpmProvisioner {
        let search = std::env::var_os("PATH").unwrap_or_default();
        let sandbox = SubprocessSandbox::new(SandboxConfig {
            environment: HostEnvironment::from_variables([("PATH".into(), search.clone())]),
            scratch: cache.join("sandbox"),
            helper: Helper::OwnBinary,
        });
        let mut settings = Settings::from_variables(std::env::vars_os());
        if !registry.is_empty() {
            settings.set("registry", registry);
        }
        let config = NpmConfig {
            settings,
            ..NpmConfig::new(cache, search)
        };
        NpmProvisioner::new(config, Arc::new(sandbox))
    }

    fn block_on<T>(work: impl Future<Output = T>) -> Outcome<T> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        Ok(runtime.block_on(work))
    }

    /// The pin whose manifest and lock lie in a directory.
    fn pin(at: &Path, real: bool) -> Outcome<Pin> {
        let (tool, version, package, program) = if real {
            let program = "node_modules/@colbymchenry/codegraph-{platform}/bin/codegraph";
            ("codegraph", "1.6.1", "@colbymchenry/codegraph", program)
        } else {
            ("tool", "1.0.0", "tool", "node_modules/tool/bin/tool")
        };
        Ok(Pin {
            tool: tool.into(),
            version: version.into(),
            package: package.into(),
            manifest: std::fs::read_to_string(at.join("package.json"))?.into(),
            lock: Some(std::fs::read_to_string(at.join("package-lock.json"))?.into()),
            node: 20,
            scripts: Scripts::Denied,
            probe: Probe {
                program: program.into(),
                by_node: false,
                args: vec!["--version".into()],
                expect: version.into(),
            },
        })
    }

    /// The role that is killed.
    pub fn install(cache: &Path, at: &Path, registry: &str) -> Outcome<()> {
        let pin = pin(at, registry.is_empty())?;
        block_on(provisioner(cache, registry).ensure(&pin, &CallContext::new()))??;
        Ok(())
    }

    pub fn all(count: u32, real: bool) -> Outcome<()> {
        let place = tempfile::tempdir()?;
        let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("../adapter-codegraph/pin");
        let made = place.path().join("pin");
        let cache = place.path().join("cache");
        let served = Registry::serve(vec![Package::new(
            "tool",
            json!({"bin": {"tool": "bin/tool"}}),
            &[("bin/tool", "#!/bin/sh\necho 1.0.0\n", true)],
        )]);
        let (at, registry) = if real {
            (shipped, String::new())
        } else {
            std::fs::create_dir(&made)?;
            let manifest = json!({"name": "killed", "version": "1.0.0", "dependencies": {"tool": "1.0.0"}}).to_string();
            let (maker, cx) = (provisioner(&cache, served.address()), CallContext::new());
            let lock = block_on(maker.make_lock(&manifest, 20, &cx))??;
            std::fs::write(made.join("package-lock.json"), lock)?;
            std::fs::write(made.join("package.json"), manifest)?;
            (made, served.address().to_owned())
        };
        let pin = pin(&at, real)?;
        let tool = cache.join(&*pin.tool);

        let whole = Instant::now();
        install(&cache, &at, &registry)?;
        let whole = whole.elapsed();
        writeln!(std::io::stdout(), "an installation takes {whole:.1?}; {count} rounds")?;

        let (mut random, mut complete) = (0x2545_f491_4f6c_dd1d_u64, 0);
        for round in 1..=count {
            std::fs::remove_dir_all(&tool)?;
            // A fixed sequence, so that a failure can be looked at again.
            random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let after = whole.mul_f64((random >> 11) as f64 / (1u64 << 53) as f64 * 1.2);
            let mut installer = Command::new(std::env::current_exe()?)
                .arg("install")
                .args([&cache, &at])
                .arg(&registry)
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()?;
            std::thread::sleep(after);
            installer.kill()?;
            installer.wait()?;
            let fail =
                |what: String| -> Box<dyn Error> { format!("round {round}, killed after {after:?}: {what}").into() };

            let died = Instant::now();
            while let Some(line) = living(&cache)? {
                if died.elapsed() > Duration::from_secs(5) {
                    return Err(fail(format!("still alive: {line}")));
                }
                std::thread::sleep(Duration::from_millis(10));
            }
            let next = provisioner(&cache, &registry);
            if block_on(next.locate(&pin))??.is_some() {
                complete += 1;
            }
            let installed = block_on(next.ensure(&pin, &CallContext::new()))??;
            drop(next);
            let mut left = names(&tool)?;
            left.retain(|name| name != "lock");
            if left != [&*pin.version] || installed.prefix() != tool.join(&*pin.version) {
                return Err(fail(format!("left beside the installation: {left:?}")));
            }
            let scratch = names(&cache.join("sandbox"))?;
            if scratch.iter().any(|name| !name.ends_with(".lock")) {
                return Err(fail(format!("left in the sandbox's scratch: {scratch:?}")));
            }
        }
        writeln!(
            std::io::stdout(),
            "{count} installers killed, {complete} of them after they were done; every next installation was right and nothing was left"
        )?;
        Ok(())
    }

    fn names(directory: &Path) -> Outcome<Vec<String>> {
        let mut names = Vec::new();
        for entry in std::fs::read_dir(directory)? {
            names.push(entry?.file_name().to_string_lossy().into_owned());
        }
        Ok(names)
    }

    /// A process other than this one whose command line or environment names the cache.
    fn living(cache: &Path) -> Outcome<Option<String>> {
        let needle = cache.to_string_lossy().into_owned();
        for entry in std::fs::read_dir("/proc")? {
            let path = entry?.path();
            let is_process = path.file_name().is_some_and(|n| {
                n.to_string_lossy()
                    .parse::<u32>()
                    .is_ok_and(|p| p != std::process::id())
            });
            if !is_process {
                continue;
            }
            for file in ["cmdline", "environ"] {
                let text = std::fs::read(path.join(file)).unwrap_or_default();
                let text = String::from_utf8_lossy(&text).replace('\0', " ");
                if text.contains(&needle) {
                    return Ok(Some(format!("{}: {text}", path.display())));
                }
            }
        }
        Ok(None)
    }
}
