//! Namespaces: an empty network, a process table and a view of the mounts of their own.

use super::confine::Failure;
use super::plan::{Plan, Step};
use super::sys;
use rustix::thread::{CapabilitySet, UnshareFlags};
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
            Protection::FileMetadata,
        ],
    };
    if !plan.namespaces {
        return Ok(none);
    }
    let mut flags = UnshareFlags::NEWPID | UnshareFlags::NEWIPC | UnshareFlags::NEWNS;
    if plan.deny_network {
        flags |= UnshareFlags::NEWNET;
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
    Ok(Namespaces {
        processes: true,
        missing: Vec::new(),
    })
}

/// Bounds the process table that this process is the first of. Unlike a resource limit it binds the superuser too.
///
/// A kernel before 6.14 has one bound for the whole host behind the same name, which must not be touched.
pub fn bound_processes(count: u64) -> bool {
    /// Numbers that the kernel does not hand out again, and so has to be given room for.
    const RESERVED: u64 = 300;
    let release = rustix::system::uname();
    let own_table = rustix::process::getpid() == rustix::process::Pid::INIT;
    if !own_table || !at_least(release.release().to_str().unwrap_or_default(), (6, 14)) {
        return false;
    }
    let bound = count.saturating_add(RESERVED).min(1 << 22);
    std::fs::write("/proc/sys/kernel/pid_max", bound.to_string()).is_ok()
}

fn at_least(release: &str, wanted: (u32, u32)) -> bool {
    let mut numbers = release.split(|c: char| !c.is_ascii_digit()).map(str::parse::<u32>);
    match (numbers.next(), numbers.next()) {
        (Some(Ok(major)), Some(Ok(minor))) => (major, minor) >= wanted,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_release_is_compared_by_its_numbers() {
        let check = |release: &str, expected| assert_eq!(at_least(release, (6, 14)), expected, "{release}");
        check("6.14.0", true);
        check("6.18.44-fc-v669", true);
        check("7.0", true);
        check("6.9.10", false);
        check("5.15.0-100-generic", false);
        check("6.14-rc1", true);
        check("6", false);
        check("", false);
    }

    #[test]
    fn the_hosts_own_bound_is_never_touched() {
        // This process is not the first of its table.
        assert!(!bound_processes(10));
    }
}
