//! Which paths a child may use: the policy's own, and the system's libraries.

use crate::executable::{chain, prefix_on_disk};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use understory_ports::SandboxCommand;
use understory_ports::sandbox::Network;

/// What is granted on a path and everything below it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(target_os = "linux", derive(serde::Serialize, serde::Deserialize))]
pub struct Access {
    /// Open for reading, list.
    pub read: bool,
    /// Open for writing, make, remove, rename.
    pub write: bool,
    /// Execute.
    pub execute: bool,
}

impl Access {
    const READ: Access = Access {
        read: true,
        write: false,
        execute: false,
    };
    const READ_WRITE: Access = Access {
        read: true,
        write: true,
        execute: false,
    };
    const EXECUTE: Access = Access {
        read: true,
        write: false,
        execute: true,
    };
}

/// One path and what is granted on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grant {
    /// The path.
    pub path: PathBuf,
    /// What is granted.
    pub access: Access,
    /// Whether a path that does not exist is an error: true for what the policy names.
    pub required: bool,
}

/// Libraries and what they read at start. Missing ones are passed over.
const SYSTEM: &[&str] = &[
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/usr/lib",
    "/usr/lib32",
    "/usr/lib64",
    "/usr/libx32",
    "/usr/local/lib",
    "/usr/share/locale",
    "/usr/share/zoneinfo",
    "/nix/store",
    "/etc/ld.so.cache",
    "/etc/localtime",
    // Node.js does not start when it cannot read it.
    "/etc/ssl/openssl.cnf",
    "/usr/share/nodejs",
    "/dev/zero",
    "/dev/random",
    "/dev/urandom",
];

/// What resolving names and checking certificates reads.
const SYSTEM_NETWORK: &[&str] = &[
    "/etc/resolv.conf",
    "/etc/hosts",
    "/etc/host.conf",
    "/etc/gai.conf",
    "/etc/nsswitch.conf",
    "/etc/services",
    "/etc/ssl",
    "/etc/pki",
    "/etc/ca-certificates",
    "/usr/share/ca-certificates",
];

/// Every grant of a command, with the directories of this run (`scratch`) writable, in a fixed order. `search` is the
/// child's PATH.
pub fn grants(command: &SandboxCommand, scratch: &Path, search: &OsStr) -> Vec<Grant> {
    grants_with(command, scratch, search, &prefix_on_disk)
}

fn grants_with(
    command: &SandboxCommand,
    scratch: &Path,
    search: &OsStr,
    read: &dyn Fn(&Path) -> Option<Vec<u8>>,
) -> Vec<Grant> {
    let grant = |access: Access, required: bool| {
        move |path: &Path| Grant {
            path: path.to_path_buf(),
            access,
            required,
        }
    };
    let system = |paths: &'static [&'static str]| paths.iter().map(|p| grant(Access::READ, false)(Path::new(p)));

    let mut all: Vec<Grant> = system(SYSTEM).collect();
    // Node.js opens it for writing at start; a device that swallows what is written is no way out.
    all.push(grant(Access::READ_WRITE, false)(Path::new("/dev/null")));
    if command.network == Network::Allowed {
        all.extend(system(SYSTEM_NETWORK));
    }
    all.extend(command.read.iter().map(|p| grant(Access::READ, true)(p)));
    all.extend(command.write.iter().map(|p| grant(Access::READ_WRITE, true)(p)));
    all.push(grant(Access::READ_WRITE, true)(scratch));
    for program in std::iter::once(&command.program).chain(&command.execute) {
        all.extend(
            chain(program, search, read)
                .iter()
                .map(|p| grant(Access::EXECUTE, false)(p)),
        );
    }
    all
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn accesses(command: &SandboxCommand, path: &str) -> Vec<Access> {
        let read = |path: &Path| (path == Path::new("/opt/tool")).then(|| b"#!/bin/sh\n".to_vec());
        grants_with(command, Path::new("/scratch"), OsStr::new("/bin"), &read)
            .into_iter()
            .filter(|g| g.path == Path::new(path))
            .map(|g| g.access)
            .collect()
    }

    #[test]
    fn only_named_files_are_executable() {
        let command = SandboxCommand::new("/opt/tool", "/tree")
            .read("/tree")
            .write("/cache")
            .execute("/usr/bin/git");
        let read = |path: &Path| (path == Path::new("/opt/tool")).then(|| b"#!/bin/sh\n".to_vec());
        let all = grants_with(&command, Path::new("/scratch"), OsStr::new("/bin"), &read);
        let executable: Vec<_> = all
            .iter()
            .filter(|g| g.access.execute)
            .map(|g| g.path.clone())
            .collect();
        assert_eq!(executable, ["/opt/tool", "/bin/sh", "/usr/bin/git"].map(PathBuf::from));
        let writable: Vec<_> = all.iter().filter(|g| g.access.write).map(|g| g.path.clone()).collect();
        assert_eq!(writable, ["/dev/null", "/cache", "/scratch"].map(PathBuf::from));
        assert!(all.iter().all(|g| g.access.read));
    }

    #[test]
    fn nothing_of_the_host_is_readable_by_default() {
        let command = SandboxCommand::new("/opt/tool", "/tree");
        for path in [
            "/",
            "/etc",
            "/home",
            "/root",
            "/proc",
            "/tmp",
            "/var",
            "/run",
            "/etc/passwd",
            "/tree",
        ] {
            assert!(accesses(&command, path).is_empty(), "{path}");
        }
    }

    #[test]
    fn resolving_names_is_granted_with_the_network_alone() {
        let command = SandboxCommand::new("/opt/tool", "/");
        assert!(accesses(&command, "/etc/resolv.conf").is_empty());
        let command = command.network(Network::Allowed);
        assert_eq!(accesses(&command, "/etc/resolv.conf"), [Access::READ]);
    }
}
