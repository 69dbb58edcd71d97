//! An empty network, a process table of its own, and covered-up paths.

use super::confine::Failure;
use super::plan::{self, Plan, Step};
use super::sys;
use rustix::mount::{MountFlags, MountPropagationFlags, mount, mount_bind, mount_change};
use rustix::thread::{CapabilitySet, UnshareFlags};
use std::io;
use understory_ports::sandbox::Protection;

/// What was reached.
#[derive(Debug, PartialEq, Eq)]
pub struct Namespaces {
    /// Whether the next process that is forked is the first of a process table of its own.
    pub processes: bool,
    /// What is missing.
    pub missing: Vec<Protection>,
}

/// Enters the namespaces that the plan asks for: as one step, so that it is all of them or none.
pub fn enter(plan: &Plan) -> Result<Namespaces, Failure> {
    let none = Namespaces {
        processes: false,
        missing: vec![
            Protection::NetworkNamespace,
            Protection::ProcessNamespace,
            Protection::Hidden,
        ],
    };
    if !plan.namespaces {
        return Ok(none);
    }
    let mut flags = UnshareFlags::NEWPID | UnshareFlags::NEWIPC;
    if plan.deny_network {
        flags |= UnshareFlags::NEWNET;
    }
    if !plan.hidden.is_empty() {
        flags |= UnshareFlags::NEWNS;
    }
    let administers =
        rustix::thread::capabilities(None).is_ok_and(|held| held.effective.contains(CapabilitySet::SYS_ADMIN));
    let (user, group) = (rustix::process::geteuid(), rustix::process::getegid());
    if !administers {
        flags |= UnshareFlags::NEWUSER;
    }
    if sys::unshare(flags).is_err() {
        return Ok(none);
    }
    if !administers {
        let map = |file: &str, text: String| std::fs::write(file, text).map_err(|e| Failure::new(Step::Namespaces, &e));
        map("/proc/self/setgroups", "deny".into())?;
        map("/proc/self/uid_map", format!("{0} {0} 1", user.as_raw()))?;
        map("/proc/self/gid_map", format!("{0} {0} 1", group.as_raw()))?;
    }
    if !plan.hidden.is_empty() {
        hide(plan).map_err(|e| Failure::new(Step::Hide, &e))?;
    }
    Ok(Namespaces {
        processes: true,
        missing: Vec::new(),
    })
}

/// Covers every hidden path: a file by a device that is always empty, a directory by an empty one. A path that does not
/// exist needs nothing.
fn hide(plan: &Plan) -> io::Result<()> {
    mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)?;
    for hidden in &plan.hidden {
        let path = plan::path(hidden);
        match std::fs::metadata(&path) {
            Err(e) if matches!(e.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {}
            Err(e) => return Err(e),
            Ok(metadata) if metadata.is_dir() => {
                let flags = MountFlags::RDONLY | MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
                mount("tmpfs", &path, "tmpfs", flags, c"size=4k,mode=0555")?;
            }
            Ok(_) => mount_bind("/dev/null", &path)?,
        }
    }
    Ok(())
}
