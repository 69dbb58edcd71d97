//! Commands of an installation, and the moves on disk around it.

use crate::adapter::NpmConfig;
use crate::lock::platform;
use crate::node::{Node, Npm, major, on_path};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;
use understory_ports::SandboxCommand;
use understory_ports::provisioner::{Pin, Scripts};
use understory_ports::sandbox::{Limits, Network};

/// How long an installation may take.
pub const BOUND: Duration = Duration::from_secs(900);
/// How long a probe may take.
const PROBE_BOUND: Duration = Duration::from_secs(60);

/// Where programs are looked for beside Node.js itself. Not the user's path: a shim of a version manager in it needs the
/// user's home.
const SYSTEM_PATH: &[&str] = &["/usr/local/bin", "/usr/bin", "/bin"];

/// What a lifecycle script that compiles needs: every program of the system, its compilers' parts and its headers.
const TOOLCHAIN: &[&str] = &[
    "/usr/local/bin",
    "/usr/bin",
    "/bin",
    "/usr/lib",
    "/usr/libexec",
    "/lib",
    "/lib64",
];
const TOOLCHAIN_READ: &[&str] = &["/usr/include", "/usr/local/include", "/usr/share", "/usr/src"];

/// Small tools that start-up scripts of command-line programs use.
const SCRIPT_TOOLS: &[&str] = &[
    "sh", "env", "readlink", "dirname", "basename", "uname", "cat", "sed", "realpath",
];

/// The directories and files that npm has for itself.
pub fn npm_home(cache: &Path) -> PathBuf {
    cache.join("npm")
}

/// Makes npm's directories and its configuration.
pub fn prepare_npm(config: &NpmConfig) -> io::Result<()> {
    let home = npm_home(&config.cache);
    fs::create_dir_all(home.join("home"))?;
    fs::create_dir_all(home.join("cache"))?;
    sweep_npm(&home);
    for (name, text) in [("userconfig", config.settings.npmrc()), ("globalconfig", String::new())] {
        let file = tempfile::NamedTempFile::new_in(&home)?;
        fs::write(file.path(), text)?;
        file.persist(home.join(name)).map_err(|e| e.error)?;
    }
    Ok(())
}

/// Removes what processes that were killed left among npm's files. No lock covers those, so age decides.
fn sweep_npm(home: &Path) {
    const KEPT: &[&str] = &["home", "cache", "userconfig", "globalconfig"];
    let Ok(entries) = fs::read_dir(home) else { return };
    for entry in entries.filter_map(Result::ok) {
        let kept = entry.file_name().to_str().is_some_and(|name| KEPT.contains(&name));
        let age = entry
            .metadata()
            .and_then(|m| m.modified())
            .map(|at| at.elapsed().unwrap_or_default());
        if !kept && age.is_ok_and(|age| age > 2 * BOUND) {
            let _ = fs::remove_dir_all(entry.path()).or_else(|_| fs::remove_file(entry.path()));
        }
    }
}

/// npm under the policy of an installation, without its verb.
fn npm_command(config: &NpmConfig, node: &Node, npm: &Npm, at: &Path, bound: Duration) -> SandboxCommand {
    let home = npm_home(&config.cache);
    let mut command = SandboxCommand::new(&node.program, at)
        .arg(&npm.script)
        .env("PATH", path(node))
        .env("HOME", home.join("home"))
        .env("npm_config_cache", home.join("cache"))
        .env("npm_config_userconfig", home.join("userconfig"))
        .env("npm_config_globalconfig", home.join("globalconfig"))
        .env("npm_config_update_notifier", "false")
        .env("npm_config_progress", "false")
        .env("npm_config_color", "false")
        .env("NO_UPDATE_NOTIFIER", "1")
        .pinned_locale()
        .read(&npm.root)
        .write(at)
        .write(&home)
        .network(Network::Allowed)
        .require(config.require)
        .limits(Limits {
            time: bound,
            stdout: 4 << 20,
            ..Limits::default()
        });
    for (name, value) in config.settings.variables() {
        command = command.env(name, value);
    }
    for file in config.settings.files() {
        command = command.read(file);
    }
    command
}

/// `npm ci` of a pin whose files lie in `at`.
pub fn ci(config: &NpmConfig, node: &Node, npm: &Npm, pin: &Pin, at: &Path, bound: Duration) -> SandboxCommand {
    let mut command = npm_command(config, node, npm, at, bound).args(["ci", "--no-audit", "--no-fund"]);
    match &pin.scripts {
        Scripts::Denied => command = command.arg("--ignore-scripts"),
        Scripts::Allowed(_) => {
            // From version 11 on npm asks for consent package by package; the manifest gives it, and whatever it does not
            // name is an error instead of a surprise.
            if major(&npm.version).is_some_and(|m| m >= 11) {
                command = command.arg("--strict-allow-scripts");
            }
            for directory in TOOLCHAIN.iter().map(Path::new).filter(|d| d.is_dir()) {
                command = command.execute(directory);
            }
            for directory in TOOLCHAIN_READ.iter().map(Path::new).filter(|d| d.is_dir()) {
                command = command.read(directory);
            }
            command = command.execute(at).execute(&npm.root);
        }
    }
    command
}

/// npm makes a lock from the manifest in `at`.
pub fn make_lock(config: &NpmConfig, node: &Node, npm: &Npm, at: &Path) -> SandboxCommand {
    npm_command(config, node, npm, at, BOUND).args([
        "install",
        "--package-lock-only",
        "--ignore-scripts",
        "--no-audit",
        "--no-fund",
        // A mirror serves the same bytes from another place; the integrity is what counts.
        "--omit-lockfile-registry-resolved",
    ])
}

fn path(node: &Node) -> OsString {
    let own = node.program.parent().map(Path::to_path_buf);
    let system = SYSTEM_PATH.iter().map(PathBuf::from);
    // An entry that holds a separator cannot be said; the system's directories do without it.
    std::env::join_paths(own.into_iter().chain(system)).unwrap_or_else(|_| "/usr/bin:/bin".into())
}

/// The probe's program below a prefix.
pub fn probe_program(pin: &Pin) -> String {
    let (system, processor) = platform();
    pin.probe
        .program
        .replace("{platform}", &format!("{system}-{processor}"))
}

/// The pin's probe of what lies at `prefix`. It reads the prefix, writes nothing but its own scratch and has no network.
pub fn probe(config: &NpmConfig, node: Option<&Node>, pin: &Pin, prefix: &Path) -> SandboxCommand {
    let file = probe_program(pin)
        .split('/')
        .fold(prefix.to_path_buf(), |at, part| at.join(part));
    let mut command = match node {
        Some(node) if pin.probe.by_node => SandboxCommand::new(&node.program, prefix).arg(&file),
        _ => SandboxCommand::new(&file, prefix),
    };
    command = command
        .args(pin.probe.args.iter().map(|a| OsString::from(&**a)))
        .env("DO_NOT_TRACK", "1")
        .env("NO_COLOR", "1")
        .pinned_locale()
        .read(prefix)
        .execute(prefix)
        .require(config.require);
    if let Some(node) = node {
        command = command.env("PATH", path(node)).execute(&node.program);
    }
    let search = std::env::join_paths(SYSTEM_PATH).unwrap_or_default();
    for tool in SCRIPT_TOOLS {
        if let Some(program) = on_path(&search, tool).into_iter().next() {
            command = command.execute(program);
        }
    }
    command.limits.time = PROBE_BOUND;
    command.limits.stdout = 64 << 10;
    command
}

/// Removes what killed installations of a tool left. Only for the holder of the tool's lock.
pub fn sweep(tool: &Path) {
    let Ok(entries) = fs::read_dir(tool) else { return };
    for entry in entries.filter_map(Result::ok) {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.contains(TEMPORARY) || name.contains(REPLACED) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

const TEMPORARY: &str = ".tmp-";
const REPLACED: &str = ".old-";

/// Makes the directory that an installation is made in.
pub fn stage(tool: &Path, pin: &Pin) -> io::Result<tempfile::TempDir> {
    let directory = tempfile::Builder::new()
        .prefix(&format!("{}{TEMPORARY}", pin.version))
        .tempdir_in(tool)?;
    fs::write(directory.path().join("package.json"), pin.manifest.as_bytes())?;
    if let Some(lock) = &pin.lock {
        fs::write(directory.path().join("package-lock.json"), lock.as_bytes())?;
    }
    Ok(directory)
}

/// Puts a finished installation into its place, in front of what was there.
pub fn replace(staged: tempfile::TempDir, tool: &Path, pin: &Pin) -> io::Result<PathBuf> {
    let prefix = tool.join(&*pin.version);
    sync_directory(staged.path())?;
    let old = if prefix.symlink_metadata().is_ok() {
        let aside = tempfile::Builder::new()
            .prefix(&format!("{}{REPLACED}", pin.version))
            .tempdir_in(tool)?;
        fs::rename(&prefix, aside.path().join("prefix"))?;
        Some(aside)
    } else {
        None
    };
    fs::rename(staged.path(), &prefix)?;
    // Its directory has another name now; there is nothing left to remove.
    let _ = staged.keep();
    sync_directory(tool)?;
    drop(old);
    Ok(prefix)
}

fn sync_directory(path: &Path) -> io::Result<()> {
    if cfg!(unix) {
        File::open(path)?.sync_all()
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use understory_ports::provisioner::Probe;

    fn pin(scripts: Scripts) -> Pin {
        Pin {
            tool: "tool".into(),
            version: "1.0.0".into(),
            package: "tool".into(),
            manifest: "{}".into(),
            lock: Some("{}".into()),
            node: 20,
            scripts,
            probe: Probe {
                program: "bin/{platform}/tool".into(),
                by_node: false,
                args: vec!["--version".into()],
                expect: "1.0.0".into(),
            },
        }
    }

    fn setting() -> (NpmConfig, Node, Npm) {
        let node = Node {
            program: "/opt/node/bin/node".into(),
            version: "20.0.0".into(),
        };
        let npm = Npm {
            script: "/opt/node/lib/node_modules/npm/bin/npm-cli.js".into(),
            root: "/opt/node/lib/node_modules/npm".into(),
            version: "11.19.1".into(),
        };
        (NpmConfig::new("/cache", "/opt/node/bin"), node, npm)
    }

    #[test]
    fn an_installation_writes_its_own_place_only() {
        let (config, node, npm) = setting();
        let command = ci(
            &config,
            &node,
            &npm,
            &pin(Scripts::Denied),
            Path::new("/cache/tool/x"),
            BOUND,
        );
        command.check().unwrap();
        assert_eq!(
            command.args[1..],
            ["ci", "--no-audit", "--no-fund", "--ignore-scripts"].map(OsString::from)
        );
        assert_eq!(command.write, ["/cache/tool/x", "/cache/npm"].map(PathBuf::from));
        assert!(command.execute.is_empty());
        assert_eq!(command.network, Network::Allowed);
        assert_eq!(command.env[&OsString::from("HOME")], "/cache/npm/home");
        assert_ne!(
            command.env[&OsString::from("npm_config_userconfig")],
            command.env[&OsString::from("npm_config_globalconfig")]
        );
    }

    #[test]
    fn scripts_run_for_the_named_packages_only() {
        let (config, node, mut npm) = setting();
        let allowed = pin(Scripts::Allowed(vec!["grammar".into()]));
        let args = |npm: &Npm| {
            let command = ci(&config, &node, npm, &allowed, Path::new("/cache/tool/x"), BOUND);
            assert!(command.execute.contains(&PathBuf::from("/cache/tool/x")));
            command.args[4..].to_vec()
        };
        assert_eq!(args(&npm), ["--strict-allow-scripts"]);
        npm.version = "10.9.0".into();
        assert!(args(&npm).is_empty());
    }

    #[test]
    fn a_probe_has_no_network_and_writes_nothing() {
        let (config, node, _) = setting();
        let command = probe(
            &config,
            Some(&node),
            &pin(Scripts::Denied),
            Path::new("/cache/tool/1.0.0"),
        );
        assert_eq!(command.network, Network::Denied);
        assert!(command.write.is_empty());
        assert!(!command.program.to_string_lossy().contains('{'));
        let by_node = Pin {
            probe: Probe {
                by_node: true,
                ..pin(Scripts::Denied).probe
            },
            ..pin(Scripts::Denied)
        };
        let command = probe(&config, Some(&node), &by_node, Path::new("/cache/tool/1.0.0"));
        assert_eq!(command.program, Path::new("/opt/node/bin/node"));
    }

    #[test]
    fn replacing_is_whole() {
        let tool = tempfile::tempdir().unwrap();
        let pin = pin(Scripts::Denied);
        for content in ["one", "two"] {
            let staged = stage(tool.path(), &pin).unwrap();
            fs::write(staged.path().join("content"), content).unwrap();
            let prefix = replace(staged, tool.path(), &pin).unwrap();
            assert_eq!(fs::read_to_string(prefix.join("content")).unwrap(), content);
        }
        let left: Vec<_> = fs::read_dir(tool.path())
            .unwrap()
            .map(|e| e.unwrap().file_name())
            .collect();
        assert_eq!(left, ["1.0.0"]);
    }

    #[test]
    fn what_is_old_among_npms_files_goes() {
        let cache = tempfile::tempdir().unwrap();
        let config = NpmConfig::new(cache.path(), "/bin");
        prepare_npm(&config).unwrap();
        let home = npm_home(cache.path());
        for name in ["lock-old", "lock-new"] {
            fs::create_dir(home.join(name)).unwrap();
        }
        let old = std::time::SystemTime::UNIX_EPOCH;
        for name in ["lock-old", "userconfig", "cache"] {
            File::open(home.join(name)).unwrap().set_modified(old).unwrap();
        }
        prepare_npm(&config).unwrap();
        let mut left: Vec<_> = fs::read_dir(&home).unwrap().map(|e| e.unwrap().file_name()).collect();
        left.sort();
        assert_eq!(left, ["cache", "globalconfig", "home", "lock-new", "userconfig"]);
    }

    #[test]
    fn the_sweeper_takes_leftovers_only() {
        let tool = tempfile::tempdir().unwrap();
        for name in ["1.0.0", "1.0.0.tmp-abc", "2.0.0.old-def", "0.9.0"] {
            fs::create_dir(tool.path().join(name)).unwrap();
        }
        fs::write(tool.path().join("lock"), "").unwrap();
        sweep(tool.path());
        let mut left: Vec<_> = fs::read_dir(tool.path())
            .unwrap()
            .map(|e| e.unwrap().file_name())
            .collect();
        left.sort();
        assert_eq!(left, ["0.9.0", "1.0.0", "lock"]);
    }
}
