//! macOS: a profile for `sandbox-exec`, and a process group.
//!
//! Written from its manual and never run: the project has no such machine. The profile is a pure function, tested
//! everywhere.

use crate::grants::Grant;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use understory_ports::sandbox::Network;

/// What every program on macOS needs beside files. Mach services are those that name resolution and the time zone use.
const BASE: &str = "(version 1)
(deny default)
(allow process-fork)
(allow sysctl-read)
(allow signal (target same-sandbox))
(allow file-read-metadata)
(allow file-read* (literal \"/\") (subpath \"/System\") (subpath \"/usr/share\") (subpath \"/private/var/db/dyld\") (literal \"/dev/autofs_nowait\"))
(allow file-ioctl (literal \"/dev/null\"))
";

/// The profile, or the first path that it cannot name: a profile is text.
pub fn profile(grants: &[Grant], hidden: &[PathBuf], network: Network) -> Result<String, PathBuf> {
    let mut text = String::from(BASE);
    for grant in grants {
        let path = quoted(&grant.path)?;
        let mut operations = Vec::new();
        if grant.access.read {
            operations.push("file-read*");
        }
        if grant.access.write {
            operations.push("file-write*");
        }
        if grant.access.execute {
            operations.push("process-exec");
        }
        // A file's subpath is the file itself.
        let _ = writeln!(text, "(allow {} (subpath {path}))", operations.join(" "));
    }
    if network == Network::Allowed {
        text.push_str(
            "(allow network-outbound (remote ip))\n(allow network-inbound (local ip))\n(allow system-socket)\n\
             (allow mach-lookup (global-name \"com.apple.dnssd.service\"))\n",
        );
    }
    // The last rule that matches decides.
    for path in hidden {
        let _ = writeln!(text, "(deny file-read* file-write* (subpath {}))", quoted(path)?);
    }
    Ok(text)
}

fn quoted(path: &Path) -> Result<String, PathBuf> {
    match path.to_str() {
        Some(text) if !text.contains(char::is_control) => {
            Ok(format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"")))
        }
        _ => Err(path.to_path_buf()),
    }
}

#[cfg(target_os = "macos")]
pub(crate) use launch::launch;

#[cfg(target_os = "macos")]
mod launch {
    use super::profile;
    use crate::adapter::{Job, cannot};
    use crate::direct::DirectProcesses;
    use crate::grants::Grant;
    use crate::supervise::{News, Running};
    use std::io;
    use std::os::unix::fs::PermissionsExt as _;
    use std::os::unix::process::CommandExt as _;
    use std::path::PathBuf;
    use std::process::{Command, Stdio};
    use understory_ports::sandbox::{Enforcement, Network, Protection, Require, SandboxError, StartFailure};

    const SANDBOX_EXEC: &str = "/usr/bin/sandbox-exec";

    /// Starts the run.
    pub(crate) fn launch(job: &Job<'_>) -> Result<Running, SandboxError> {
        let command = job.command;
        match std::fs::metadata(&command.cwd) {
            Ok(metadata) if metadata.is_dir() => {}
            _ => return Running::without_processes(News::NotStarted(StartFailure::CwdMissing)),
        }
        match std::fs::metadata(&command.program) {
            Ok(metadata) if metadata.is_file() && metadata.permissions().mode() & 0o111 != 0 => {}
            Ok(_) => return Running::without_processes(News::NotStarted(StartFailure::NotExecutable)),
            Err(_) => return Running::without_processes(News::NotStarted(StartFailure::ProgramMissing)),
        }
        let reached = Enforcement::missing(missing(command.network, command.limits.processes.is_some()));
        if command.require == Require::Enforced {
            return Err(SandboxError::NotEnforced { reached });
        }
        let grants = resolved(job.grants)?;
        let hidden: Vec<PathBuf> = command.hidden.iter().filter_map(|p| p.canonicalize().ok()).collect();
        let profile = profile(&grants, &hidden, command.network).map_err(|path| SandboxError::Grant {
            path,
            source: io::ErrorKind::InvalidInput.into(),
        })?;
        let mut child = Command::new(SANDBOX_EXEC)
            .arg("-p")
            .arg(profile)
            .arg(&command.program)
            .args(&command.args)
            .env_clear()
            .envs(job.environment)
            .current_dir(&command.cwd)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()
            .map_err(|e| cannot("start sandbox-exec", e))?;
        let stdout = child
            .stdout
            .take()
            .expect("standard output was asked for as a pipe")
            .into();
        let stderr = child
            .stderr
            .take()
            .expect("standard error was asked for as a pipe")
            .into();
        Ok(Running {
            processes: Box::new(DirectProcesses::new(child, reached)),
            stdout,
            stderr,
        })
    }

    /// A profile compares resolved paths: `/tmp` is a link there.
    fn resolved(grants: &[Grant]) -> Result<Vec<Grant>, SandboxError> {
        let mut all = Vec::new();
        for grant in grants {
            match grant.path.canonicalize() {
                Ok(path) => all.push(Grant { path, ..grant.clone() }),
                Err(_) if !grant.required => {}
                Err(source) => {
                    return Err(SandboxError::Grant {
                        path: grant.path.clone(),
                        source,
                    });
                }
            }
        }
        Ok(all)
    }

    fn missing(network: Network, processes: bool) -> Vec<Protection> {
        let mut missing = vec![
            Protection::ProcessNamespace,
            Protection::Privileges,
            Protection::SystemCalls,
            Protection::Limits,
            Protection::Descriptors,
        ];
        if network == Network::Denied {
            missing.push(Protection::NetworkNamespace);
        }
        if processes {
            missing.push(Protection::ProcessLimit);
        }
        missing
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grants::Access;

    fn grant(path: &str, read: bool, write: bool, execute: bool) -> Grant {
        Grant {
            path: path.into(),
            access: Access { read, write, execute },
            required: true,
        }
    }

    #[test]
    fn a_profile_denies_all_but_its_grants() {
        let grants = [
            grant("/tree", true, false, false),
            grant("/cache/a \"b\"\\c", true, true, false),
            grant("/opt/tool", true, false, true),
        ];
        let hidden = [PathBuf::from("/tree/.env")];
        let text = profile(&grants, &hidden, Network::Denied).unwrap();
        let tail = text.strip_prefix(BASE).unwrap();
        assert_eq!(
            tail,
            "(allow file-read* (subpath \"/tree\"))\n\
             (allow file-read* file-write* (subpath \"/cache/a \\\"b\\\"\\\\c\"))\n\
             (allow file-read* process-exec (subpath \"/opt/tool\"))\n\
             (deny file-read* file-write* (subpath \"/tree/.env\"))\n"
        );
        assert!(BASE.contains("(deny default)"));
        assert!(
            profile(&grants, &hidden, Network::Allowed)
                .unwrap()
                .contains("network-outbound")
        );
    }

    #[test]
    fn a_path_that_is_no_line_of_text_is_refused() {
        let bad = grant("/tree\n(allow default)", true, false, false);
        assert_eq!(
            profile(&[bad], &[], Network::Denied),
            Err(PathBuf::from("/tree\n(allow default)"))
        );
    }
}
