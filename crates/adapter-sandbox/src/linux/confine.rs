//! The layers that a process puts on itself before it executes a program. None of them can be taken off again.

use super::plan::{self, Plan, Rule, Step};
use super::{filter, sys};
use landlock::{
    ABI, Access as _, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible as _, PathBeneath, PathFd, PathFdError,
    Ruleset, RulesetAttr as _, RulesetCreatedAttr as _, Scope,
};
use rustix::process::{Resource, Rlimit, setrlimit};
use rustix::thread::{CapabilitySet, CapabilitySets};
use std::io;
use understory_ports::sandbox::Protection;

/// A layer that failed.
#[derive(Debug)]
pub struct Failure {
    /// Which step.
    pub step: Step,
    /// Why.
    pub errno: i32,
}

impl Failure {
    /// With the operating system's number of an error.
    pub fn new(step: Step, error: &io::Error) -> Self {
        Failure {
            step,
            errno: error.raw_os_error().unwrap_or(libc::EIO),
        }
    }
}

/// Sets the resource limits that were asked for, and forbids core files. Says whether the limit on processes binds.
pub fn limit(plan: &Plan) -> Result<bool, Failure> {
    let set = |resource: Resource, value: u64| {
        let now = rustix::process::getrlimit(resource);
        // A limit can be lowered by anyone and raised by few: never above what this process has.
        let value = now.maximum.map_or(value, |maximum| maximum.min(value));
        let limit = Rlimit {
            current: Some(value),
            maximum: Some(value),
        };
        setrlimit(resource, limit).map_err(|e| Failure::new(Step::Limit, &e.into()))
    };
    set(Resource::Core, 0)?;
    if let Some(bytes) = plan.memory {
        set(Resource::Data, bytes)?;
    }
    if let Some(bytes) = plan.file_size {
        set(Resource::Fsize, bytes)?;
    }
    if let Some(count) = plan.processes {
        set(Resource::Nproc, count)?;
    }
    // The kernel exempts the superuser.
    Ok(!rustix::process::getuid().is_root())
}

/// Gives up every capability and the ability to gain any. The superuser keeps the right to read and write files of other
/// users, which its parent has too and which the file layer bounds: a repository often belongs to somebody else there.
pub fn drop_privileges() -> Result<(), Failure> {
    let failed = |e: rustix::io::Errno| Failure::new(Step::Confine, &e.into());
    rustix::thread::set_no_new_privs(true).map_err(failed)?;
    let keep = if rustix::process::geteuid().is_root() {
        CapabilitySet::DAC_OVERRIDE
    } else {
        CapabilitySet::empty()
    };
    let held = rustix::thread::capabilities(None).map_err(failed)?;
    if held.effective.contains(CapabilitySet::SETPCAP) {
        for capability in CapabilitySet::all().difference(keep).iter() {
            // A capability that the kernel does not know is not held either.
            let _ = rustix::thread::remove_capability_from_bounding_set(capability);
        }
    }
    let _ = rustix::thread::clear_ambient_capability_set();
    let left = CapabilitySets {
        effective: held.effective & keep,
        permitted: held.permitted & keep,
        inheritable: CapabilitySet::empty(),
    };
    rustix::thread::set_capabilities(None, left).map_err(failed)
}

/// Confines this thread and what it starts to the plan's paths, and by Landlock's other means. Gives what it could not.
pub fn restrict_files(plan: &Plan) -> Result<Vec<Protection>, Failure> {
    let version = sys::landlock_version();
    if version == 0 {
        return Ok(vec![Protection::Files, Protection::Signals]);
    }
    let failed = |e: &(dyn std::error::Error + 'static)| Failure::new(Step::Confine, &find_io(e));
    let all = AccessFs::from_all(ABI::V6);
    let mut ruleset = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(all)
        .map_err(|e| failed(&e))?
        .scope(Scope::Signal | Scope::AbstractUnixSocket)
        .map_err(|e| failed(&e))?;
    if plan.deny_network {
        ruleset = ruleset
            .handle_access(AccessNet::BindTcp | AccessNet::ConnectTcp)
            .map_err(|e| failed(&e))?;
    }
    let mut ruleset = ruleset.create().map_err(|e| failed(&e))?;
    for (index, rule) in (0u32..).zip(&plan.rules) {
        let path = plan::path(&rule.path);
        let beneath = match PathFd::new(&path) {
            Ok(beneath) => beneath,
            Err(_) if !rule.required => continue,
            Err(PathFdError::OpenCall { source, .. }) => return Err(Failure::new(Step::Grant(index), &source)),
            Err(_) => return Err(Failure::new(Step::Grant(index), &io::ErrorKind::Other.into())),
        };
        let directory = std::fs::metadata(&path).is_ok_and(|m| m.is_dir());
        ruleset = ruleset
            .add_rule(PathBeneath::new(beneath, rights(rule, directory)))
            .map_err(|e| failed(&e))?;
    }
    ruleset.restrict_self().map_err(|e| failed(&e))?;
    let mut missing = Vec::new();
    // Before version 3 a file that may not be written can still be cut to nothing.
    if version < 3 {
        missing.push(Protection::Files);
    }
    if version < 6 {
        missing.push(Protection::Signals);
    }
    Ok(missing)
}

fn rights(rule: &Rule, directory: bool) -> BitFlags<AccessFs> {
    let mut rights = BitFlags::EMPTY;
    if rule.access.read {
        rights |= AccessFs::ReadFile | AccessFs::ReadDir;
    }
    if rule.access.execute {
        rights |= AccessFs::Execute | AccessFs::ReadFile;
    }
    if rule.access.write {
        rights |= AccessFs::from_write(ABI::V6);
        // Nothing that is confined makes devices or talks to them.
        rights.remove(AccessFs::MakeChar | AccessFs::MakeBlock | AccessFs::IoctlDev);
    }
    if directory {
        rights
    } else {
        rights & AccessFs::from_file(ABI::V6)
    }
}

fn find_io(error: &(dyn std::error::Error + 'static)) -> io::Error {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(io) = error.downcast_ref::<io::Error>() {
            return io
                .raw_os_error()
                .map_or_else(|| io.kind().into(), io::Error::from_raw_os_error);
        }
        next = error.source();
    }
    io::Error::from_raw_os_error(libc::EIO)
}

/// Installs the system call filter. Gives what it could not.
pub fn restrict_calls(plan: &Plan) -> Result<Vec<Protection>, Failure> {
    let installed = match filter::program(plan.network()) {
        None => false,
        Some(program) => match sys::install_filter(&program) {
            Ok(()) => true,
            // A kernel without filters, or one whose own confinement forbids more of them.
            Err(e) if matches!(e.raw_os_error(), Some(libc::EINVAL | libc::ENOSYS)) => false,
            Err(e) => return Err(Failure::new(Step::Confine, &e)),
        },
    };
    Ok(if installed {
        Vec::new()
    } else {
        vec![Protection::Network, Protection::SystemCalls]
    })
}
