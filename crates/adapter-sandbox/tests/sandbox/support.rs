//! A sandbox over a fresh directory, and shell commands for it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;
use understory_adapter_sandbox::{Helper, HostEnvironment, SandboxConfig, SubprocessSandbox};
use understory_ports::sandbox::{Finished, Outcome};
use understory_ports::{CallContext, Sandbox, SandboxCommand};

/// A sandbox with a directory of its own.
pub struct Host {
    pub sandbox: SubprocessSandbox,
    root: TempDir,
}

/// The helper program of this package.
pub fn helper() -> Helper {
    Helper::Program(env!("CARGO_BIN_EXE_understory-sandbox-helper").into())
}

impl Host {
    pub fn new(helper: Helper) -> Self {
        let root = tempfile::tempdir().expect("a temporary directory can be made");
        for name in ["tree", "cache", "scratch"] {
            std::fs::create_dir(root.path().join(name)).expect("the directory is new");
        }
        let environment = [("PATH", "/usr/local/bin:/usr/bin:/bin"), ("LANG", "C.UTF-8")];
        let environment = environment.map(|(name, value)| (OsString::from(name), OsString::from(value)));
        Host {
            sandbox: SubprocessSandbox::new(SandboxConfig {
                environment: HostEnvironment::from_variables(environment),
                scratch: root.path().join("scratch"),
                helper,
            }),
            root,
        }
    }

    /// The directory that children may read.
    pub fn tree(&self) -> PathBuf {
        self.root.path().join("tree")
    }

    /// The directory that children may write.
    pub fn cache(&self) -> PathBuf {
        self.root.path().join("cache")
    }

    /// Below it every run makes its own directories.
    pub fn scratch(&self) -> PathBuf {
        self.root.path().join("scratch")
    }

    /// A shell script with the common grants; its arguments are `$1`, `$2`, ….
    pub fn sh(&self, script: &str) -> SandboxCommand {
        let mut command = SandboxCommand::new("/bin/sh", self.tree())
            .args(["-c", script, "sh"])
            .read(self.tree())
            .write(self.cache());
        for tool in [
            "cat", "sleep", "head", "env", "setsid", "ln", "mv", "cp", "ls", "dd", "mkdir", "rm", "touch",
        ] {
            for directory in ["/usr/bin", "/bin"] {
                let path = Path::new(directory).join(tool);
                if path.exists() {
                    command = command.execute(path);
                    break;
                }
            }
        }
        command.limits.time = Duration::from_secs(30);
        command
    }

    pub async fn run(&self, command: SandboxCommand) -> Finished {
        self.sandbox
            .run(command, &CallContext::new())
            .await
            .expect("the run is launched")
    }
}

/// What a run wrote, which must have ended well.
#[track_caller]
pub fn said(finished: &Finished) -> String {
    assert_eq!(
        finished.outcome,
        Outcome::Exited(0),
        "{}{}",
        String::from_utf8_lossy(&finished.stdout),
        String::from_utf8_lossy(&finished.stderr)
    );
    String::from_utf8_lossy(&finished.stdout).into_owned()
}
