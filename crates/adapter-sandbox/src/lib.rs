//! The [`Sandbox`](understory_ports::Sandbox) port over child processes that the operating system confines.
//!
//! A policy is a value, [`SandboxCommand`](understory_ports::SandboxCommand). It is compiled, with what is found on disk,
//! to a plan of plain data, and launching is thin: nothing runs between fork and exec in the host, which may be large and
//! have many threads. On Linux the plan goes to a helper process that puts the layers on itself and becomes the child:
//! the program that the host names, or the host's own binary if its `main` begins with [`helper_main`]. Without either, a
//! thread confines itself and starts the child, and the result says what that leaves out.
//!
//! | layer | Linux, helper | Linux, thread | macOS | Windows |
//! |---|---|---|---|---|
//! | files: read, write, execute | Landlock | Landlock | `sandbox-exec` | – |
//! | hidden paths | mounts | – | `sandbox-exec` | – |
//! | network | filter on `socket`, empty namespace | filter on `socket` | `sandbox-exec` | – |
//! | descendants | process table of their own | process group | process group | job object |
//! | signals out | process table, Landlock | Landlock | – | – |
//! | privileges | `no_new_privs`, capabilities dropped | the same | – | – |
//! | system calls | filter | filter | – | – |
//! | memory, file size | resource limits | – | – | job object (memory) |
//! | descriptors | closed | – | – | not inherited |
//!
//! What it does not do: it bounds no processor time but the wall time, and no disk space but a file's size. A program that
//! may run can run any code that it brings or writes itself (a JavaScript engine does nothing else); granting execution
//! file by file is about the host's other programs.
//!
//! ```no_run
//! use understory_adapter_sandbox::{Helper, HostEnvironment, SandboxConfig, SubprocessSandbox};
//! use understory_ports::{CallContext, Sandbox, SandboxCommand};
//!
//! # async fn run() -> Result<(), Box<dyn std::error::Error>> {
//! let sandbox = SubprocessSandbox::new(SandboxConfig {
//!     environment: HostEnvironment::from_variables(std::env::vars_os()),
//!     scratch: "/var/cache/example/sandbox".into(),
//!     helper: Helper::OwnBinary,
//! });
//! let command = SandboxCommand::new("/usr/bin/node", "/srv/tree").arg("--version").read("/srv/tree");
//! let finished = sandbox.run(command, &CallContext::new()).await?;
//! assert!(finished.outcome.success(), "{} under {}", finished.outcome, finished.enforcement);
//! # Ok(())
//! # }
//! ```

mod adapter;
#[cfg(unix)]
mod direct;
mod environment;
mod executable;
mod grants;
#[cfg(target_os = "linux")]
mod linux;
mod probe;
mod scratch;
#[cfg(any(target_os = "macos", test))]
mod seatbelt;
#[cfg(unix)]
mod supervise;
mod wake;

#[cfg_attr(windows, path = "windows.rs")]
#[cfg_attr(not(windows), path = "unix.rs")]
mod host;

pub use adapter::{Helper, SandboxConfig, SubprocessSandbox};
pub use environment::HostEnvironment;
pub use probe::{Escapes, Probed, probe, probe_under};

use std::sync::atomic::{AtomicBool, Ordering};

/// The first argument of a helper process.
#[cfg(target_os = "linux")]
const HELPER_ARGUMENT: &str = "__understory_sandbox";

/// This program, by a name that stays right when its file is replaced while it runs.
const OWN_BINARY: &str = "/proc/self/exe";

static IS_HELPER: AtomicBool = AtomicBool::new(false);

/// Makes this program able to be its own sandbox helper. Call it first in `main`, before any thread starts and any file
/// is opened. In a helper process, and in the child that [`probe`] starts, it does that work and does not return;
/// otherwise it returns at once.
pub fn helper_main() {
    let mut args = std::env::args_os().skip(1);
    let first = args.next();
    #[cfg(target_os = "linux")]
    if first.as_deref() == Some(HELPER_ARGUMENT.as_ref()) {
        std::process::exit(linux::helper::run());
    }
    if first.as_deref() == Some(probe::PROBE_ARGUMENT.as_ref()) {
        std::process::exit(probe::attempt(&args.collect::<Vec<_>>()));
    }
    IS_HELPER.store(true, Ordering::Relaxed);
}

fn is_helper() -> bool {
    IS_HELPER.load(Ordering::Relaxed)
}
