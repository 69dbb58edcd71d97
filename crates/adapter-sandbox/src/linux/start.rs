//! The last process before the program: it enters the directory, confines itself and executes.

use super::confine::{self, Failure};
use super::plan::{self, Message, Plan, Step, send, to_indexes};
use super::sys;
use std::ffi::CString;
use std::fs::File;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use understory_ports::sandbox::Protection;

/// The code of a process that ended before the program ran. Never seen outside.
const NOT_STARTED: i32 = 125;

/// Becomes the program. `missing` is what is known to be missing so far; everything that is told goes to `report`, which
/// closes by itself when the program runs.
pub fn start(plan: &Plan, missing: Vec<Protection>, own_processes: bool, bounded: bool, mut report: File) -> ! {
    let message = match prepare(plan, missing, own_processes, bounded) {
        Ok(missing) => {
            let indexes = to_indexes(&missing);
            if plan.require_all && !missing.is_empty() {
                Message::Refused { missing: indexes }
            } else {
                let starting = Message::Starting {
                    process: 0,
                    missing: indexes,
                };
                match send(&mut report, &starting) {
                    Ok(()) => failed(&execute(plan)),
                    Err(e) => failed(&Failure::new(Step::Execute, &e)),
                }
            }
        }
        Err(failure) => failed(&failure),
    };
    let _ = send(&mut report, &message);
    sys::leave(NOT_STARTED)
}

fn failed(failure: &Failure) -> Message {
    Message::Failed {
        step: failure.step,
        errno: failure.errno,
    }
}

/// Everything before `execve`, in the order in which one step may still do what the next one forbids.
fn prepare(
    plan: &Plan,
    mut missing: Vec<Protection>,
    own_processes: bool,
    bounded: bool,
) -> Result<Vec<Protection>, Failure> {
    let _ = rustix::process::setsid();
    sys::default_signals();
    rustix::process::chdir(plan::path(&plan.cwd)).map_err(|e| Failure::new(Step::Cwd, &e.into()))?;
    find(plan)?;
    if !confine::limit(plan)? && !bounded {
        missing.push(Protection::ProcessLimit);
    }
    confine::drop_privileges()?;
    missing.extend(confine::restrict_files(plan)?);
    missing.extend(confine::restrict_calls(plan)?);
    if own_processes {
        // Nothing outside has a number in here.
        missing.retain(|p| *p != Protection::Signals);
    }
    let wanted = plan.wanted();
    missing.retain(|p| wanted.contains(p));
    Ok(missing)
}

/// Tells a missing program from one that cannot be executed while everything can still be seen.
pub fn find(plan: &Plan) -> Result<(), Failure> {
    let found = std::fs::metadata(plan::path(&plan.program)).map_err(|e| Failure::new(Step::Find, &e))?;
    if !found.is_file() || found.permissions().mode() & 0o111 == 0 {
        return Err(Failure {
            step: Step::Execute,
            errno: libc::EACCES,
        });
    }
    Ok(())
}

fn execute(plan: &Plan) -> Failure {
    let strings = |list: &[Vec<u8>]| -> Result<Vec<CString>, io::Error> {
        list.iter()
            .map(|s| CString::new(s.clone()).map_err(io::Error::from))
            .collect()
    };
    let result = (|| {
        let program = CString::new(plan.program.clone())?;
        let mut args = vec![program.clone()];
        args.extend(strings(&plan.args)?);
        let environment = strings(&plan.environment)?;
        Ok::<_, io::Error>(sys::execute(&program, &args, &environment))
    })();
    match result {
        Ok(error) | Err(error) => Failure::new(Step::Execute, &error),
    }
}
