//! The few system calls that no safe binding has, each behind a safe function.

use super::filter::Instruction;
use rustix::process::Pid;
use std::ffi::CString;
use std::io;
use std::os::fd::{AsRawFd as _, BorrowedFd, FromRawFd as _, OwnedFd};

/// Which side of a fork this is.
pub enum Fork {
    /// The new process.
    Child,
    /// The old one, with the new one's number.
    Parent(Pid),
}

/// Forks. Only for a process with one thread, where the child may go on as if nothing had happened.
pub fn fork() -> io::Result<Fork> {
    #[expect(unsafe_code, reason = "there is no safe fork")]
    // SAFETY: the helper process has one thread, so no lock is held by another one at this moment and the child may
    // allocate and use the standard library.
    let number = unsafe { libc::fork() };
    match number {
        -1 => Err(io::Error::last_os_error()),
        0 => Ok(Fork::Child),
        number => Ok(Fork::Parent(
            Pid::from_raw(number).expect("fork gives a positive number to the parent"),
        )),
    }
}

/// Replaces this process by a program. Returns only when that failed.
pub fn execute(program: &CString, args: &[CString], environment: &[CString]) -> io::Error {
    let pointers = |strings: &[CString]| -> Vec<*const libc::c_char> {
        let ends = std::iter::once(std::ptr::null());
        strings.iter().map(|s| s.as_ptr()).chain(ends).collect()
    };
    let (args, environment) = (pointers(args), pointers(environment));
    #[expect(
        unsafe_code,
        reason = "the environment is given as a value, which no safe exec takes"
    )]
    // SAFETY: both lists end in a null pointer and point to NUL-terminated strings that outlive the call.
    unsafe {
        libc::execve(program.as_ptr(), args.as_ptr(), environment.as_ptr());
    }
    io::Error::last_os_error()
}

/// Ends this process at once, running no destructor: for a forked child that failed.
pub fn leave(code: i32) -> ! {
    #[expect(
        unsafe_code,
        reason = "a forked child must not run the exit handlers of the process it was forked from"
    )]
    // SAFETY: `_exit` takes any code and does not return.
    unsafe {
        libc::_exit(code)
    }
}

/// Closes every descriptor above standard error but `keep`.
pub fn close_all_but(keep: BorrowedFd<'_>) -> io::Result<()> {
    let keep = keep.as_raw_fd().unsigned_abs();
    let close = |first: u32, last: u32| -> io::Result<()> {
        if first > last {
            return Ok(());
        }
        #[expect(unsafe_code, reason = "there is no safe call that closes a range of descriptors")]
        // SAFETY: the helper owns no descriptor at this point but the standard ones and `keep`, so none that is closed
        // here is used again.
        let result = unsafe { libc::syscall(libc::SYS_close_range, first, last, 0) };
        if result == 0 {
            Ok(())
        } else {
            Err(io::Error::last_os_error())
        }
    };
    close(3, keep.saturating_sub(1))?;
    close(keep.max(2) + 1, u32::MAX)
}

/// A descriptor that becomes readable when a child of this process ends. From then on SIGCHLD is blocked.
pub fn child_events() -> io::Result<OwnedFd> {
    #[expect(unsafe_code, reason = "there is no safe signal descriptor")]
    // SAFETY: `set` is initialised by `sigemptyset` before it is read, and the descriptor is new and owned here alone.
    unsafe {
        let mut set = std::mem::MaybeUninit::<libc::sigset_t>::uninit();
        libc::sigemptyset(set.as_mut_ptr());
        libc::sigaddset(set.as_mut_ptr(), libc::SIGCHLD);
        let set = set.assume_init();
        if libc::sigprocmask(libc::SIG_BLOCK, &set, std::ptr::null_mut()) != 0 {
            return Err(io::Error::last_os_error());
        }
        match libc::signalfd(-1, &set, libc::SFD_CLOEXEC | libc::SFD_NONBLOCK) {
            -1 => Err(io::Error::last_os_error()),
            number => Ok(OwnedFd::from_raw_fd(number)),
        }
    }
}

/// Gives every signal its default action and blocks none, as a program expects that a shell starts.
pub fn default_signals() {
    #[expect(unsafe_code, reason = "there is no safe call that resets a signal")]
    // SAFETY: the default action needs no handler; signals that cannot be changed are refused without effect. The empty
    // set is initialised before it is read.
    unsafe {
        for signal in 1..=libc::SIGRTMAX() {
            libc::signal(signal, libc::SIG_DFL);
        }
        let mut set = std::mem::MaybeUninit::<libc::sigset_t>::uninit();
        libc::sigemptyset(set.as_mut_ptr());
        libc::sigprocmask(libc::SIG_SETMASK, set.as_ptr(), std::ptr::null_mut());
    }
}

/// Installs a system call filter on this thread. Needs `no_new_privs`.
pub fn install_filter(program: &[Instruction]) -> io::Result<()> {
    let program = libc::sock_fprog {
        len: u16::try_from(program.len()).map_err(|_| io::ErrorKind::InvalidInput)?,
        filter: program.as_ptr().cast_mut(),
    };
    #[expect(unsafe_code, reason = "there is no safe call that installs a filter")]
    // SAFETY: `program` points to `len` instructions, which the kernel copies and checks; it writes nothing through it.
    let result = unsafe { libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &program) };
    if result == 0 {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
}

/// The version of Landlock that the kernel offers; 0 where it offers none.
pub fn landlock_version() -> u32 {
    #[expect(unsafe_code, reason = "the version is asked for by a call that has no safe form")]
    // SAFETY: with the version flag the kernel takes a null pointer and size 0, and touches no memory.
    let version = unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, std::ptr::null::<u8>(), 0, 1) };
    u32::try_from(version).unwrap_or(0)
}

/// Moves this process, or its children where the kernel says so, into new namespaces.
pub fn unshare(flags: rustix::thread::UnshareFlags) -> io::Result<()> {
    debug_assert!(!flags.contains(rustix::thread::UnshareFlags::FILES));
    #[expect(unsafe_code, reason = "it is unsafe for one flag alone, which is not used here")]
    // SAFETY: the table of descriptors stays shared as it is.
    unsafe {
        rustix::thread::unshare_unsafe(flags).map_err(Into::into)
    }
}

/// Signals every process of this process table but the caller, which has to be its first process: anywhere else this
/// would signal the whole host, so there it does nothing.
pub fn signal_namespace(signal: rustix::process::Signal) {
    if rustix::process::getpid() != Pid::INIT {
        return;
    }
    #[expect(unsafe_code, reason = "the safe binding has no form for all processes")]
    // SAFETY: `kill` touches no memory of this process.
    unsafe {
        libc::kill(-1, signal.as_raw());
    }
}

/// Makes the mount at `path` and all below it read-only.
pub fn make_read_only(path: &str) -> io::Result<()> {
    // `struct mount_attr`: attributes to set, to clear, propagation, user namespace.
    const READ_ONLY: u64 = 1;
    let attributes: [u64; 4] = [READ_ONLY, 0, 0, 0];
    let path = CString::new(path)?;
    #[expect(unsafe_code, reason = "there is no safe call that changes mounts recursively")]
    // SAFETY: the path is NUL-terminated and the attributes are as long as the size says; both outlive the call, which
    // writes to neither.
    let result = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            libc::AT_FDCWD,
            path.as_ptr(),
            libc::AT_RECURSIVE,
            attributes.as_ptr(),
            size_of_val(&attributes),
        )
    };
    if result == 0 {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
}
