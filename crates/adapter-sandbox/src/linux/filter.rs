//! The system call filter: what reaches around the file and network layers is denied.
//!
//! It is a list of denials, not of permissions: the programs that run here are whole language runtimes, whose list of
//! calls changes with each release, and the layers below it hold without it. Built as a value, so that a test can run it.

use understory_ports::sandbox::Network;

/// One instruction of the kernel's packet filter.
pub type Instruction = libc::sock_filter;

#[cfg(target_arch = "x86_64")]
const ARCHITECTURE: Option<u32> = Some(0xc000_003e);
#[cfg(target_arch = "aarch64")]
const ARCHITECTURE: Option<u32> = Some(0xc000_00b7);
#[cfg(target_arch = "riscv64")]
const ARCHITECTURE: Option<u32> = Some(0xc000_00f3);
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64")))]
const ARCHITECTURE: Option<u32> = None;

const ALLOW: u32 = 0x7fff_0000;
const KILL: u32 = 0x8000_0000;
const ERRNO: u32 = 0x0005_0000;

// Offsets in `struct seccomp_data`, low halves of the arguments on a little-endian machine.
const NUMBER: u32 = 0;
const ARCH: u32 = 4;
const ARG0: u32 = 16;

/// Calls that fail with EPERM: tracing, key rings, namespaces, mounts, kernel modules, clocks, and files by handle.
fn forbidden() -> Vec<libc::c_long> {
    vec![
        libc::SYS_ptrace,
        libc::SYS_process_vm_readv,
        libc::SYS_process_vm_writev,
        libc::SYS_process_madvise,
        libc::SYS_pidfd_getfd,
        libc::SYS_kcmp,
        libc::SYS_add_key,
        libc::SYS_request_key,
        libc::SYS_keyctl,
        libc::SYS_bpf,
        libc::SYS_perf_event_open,
        libc::SYS_userfaultfd,
        libc::SYS_unshare,
        libc::SYS_setns,
        libc::SYS_mount,
        libc::SYS_umount2,
        libc::SYS_pivot_root,
        libc::SYS_chroot,
        libc::SYS_open_tree,
        libc::SYS_move_mount,
        libc::SYS_fsopen,
        libc::SYS_fsconfig,
        libc::SYS_fsmount,
        libc::SYS_fspick,
        libc::SYS_mount_setattr,
        libc::SYS_open_by_handle_at,
        libc::SYS_name_to_handle_at,
        libc::SYS_init_module,
        libc::SYS_finit_module,
        libc::SYS_delete_module,
        libc::SYS_kexec_load,
        libc::SYS_reboot,
        libc::SYS_swapon,
        libc::SYS_swapoff,
        libc::SYS_acct,
        libc::SYS_syslog,
        libc::SYS_quotactl,
        libc::SYS_settimeofday,
        libc::SYS_clock_settime,
        libc::SYS_clock_adjtime,
        libc::SYS_adjtimex,
        libc::SYS_sethostname,
        libc::SYS_setdomainname,
        libc::SYS_fanotify_init,
        #[cfg(target_arch = "x86_64")]
        libc::SYS_iopl,
        #[cfg(target_arch = "x86_64")]
        libc::SYS_ioperm,
    ]
}

/// Calls that fail with ENOSYS, so that callers take their older way: what an I/O ring or `clone3` asks for lies in memory
/// that a filter cannot read.
const ABSENT: &[libc::c_long] = &[
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_clone3,
];

/// Socket families that stay open with the network: IPv4, IPv6, and the kernel's own, which name resolution asks for the
/// host's addresses. Unix sockets are not among them: agents and daemons listen there.
const FAMILIES: &[libc::c_int] = &[libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK];

/// The `CLONE_NEW*` flags of `clone`.
const NAMESPACES: u32 = 0x7e02_0080;

fn load(offset: u32) -> Instruction {
    Instruction {
        code: 0x20,
        jt: 0,
        jf: 0,
        k: offset,
    }
}

/// Compares the loaded word with `k`; both targets are counts of instructions to jump over.
fn jump(code: u16, k: u32, if_true: u8, if_false: u8) -> Instruction {
    Instruction {
        code,
        jt: if_true,
        jf: if_false,
        k,
    }
}

const EQUAL: u16 = 0x15;
const AT_LEAST: u16 = 0x35;
const ANY_BIT: u16 = 0x45;

fn answer(k: u32) -> Instruction {
    Instruction {
        code: 0x06,
        jt: 0,
        jf: 0,
        k,
    }
}

fn errno(number: libc::c_int) -> Instruction {
    answer(ERRNO | number.unsigned_abs())
}

/// The program, or `None` on an architecture that it was not written for.
pub fn program(network: Network) -> Option<Vec<Instruction>> {
    let architecture = ARCHITECTURE?;
    let call = |number: libc::c_long| u32::try_from(number).unwrap_or(u32::MAX);
    let mut program = vec![
        // A call of another architecture's table has other numbers; nothing that is started here makes one.
        load(ARCH),
        jump(EQUAL, architecture, 1, 0),
        answer(KILL),
        load(NUMBER),
        // The x32 table shares the architecture's name.
        jump(AT_LEAST, 0x4000_0000, 0, 1),
        errno(libc::ENOSYS),
    ];
    for &number in ABSENT {
        program.extend([jump(EQUAL, call(number), 0, 1), errno(libc::ENOSYS)]);
    }
    for number in forbidden() {
        program.extend([jump(EQUAL, call(number), 0, 1), errno(libc::EPERM)]);
    }
    program.extend([
        jump(EQUAL, call(libc::SYS_clone), 0, 4),
        load(ARG0),
        jump(ANY_BIT, NAMESPACES, 0, 1),
        errno(libc::EPERM),
        answer(ALLOW),
    ]);
    let families = match network {
        Network::Allowed => FAMILIES,
        Network::Denied => &[],
    };
    program.push(jump(EQUAL, call(libc::SYS_socket), 1, 0));
    program.push(answer(ALLOW));
    program.push(load(ARG0));
    for &family in families {
        program.extend([jump(EQUAL, family.unsigned_abs(), 0, 1), answer(ALLOW)]);
    }
    program.push(errno(libc::EACCES));
    Some(program)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs the filter as the kernel would.
    fn run(program: &[Instruction], arch: u32, number: libc::c_long, arg0: u32) -> u32 {
        let mut word = 0u32;
        let mut at = 0usize;
        loop {
            let Instruction { code, jt, jf, k } = program[at];
            at += 1;
            match code {
                0x20 => {
                    word = match k {
                        NUMBER => number as u32,
                        ARCH => arch,
                        ARG0 => arg0,
                        _ => panic!("a load from {k}"),
                    }
                }
                0x06 => return k,
                EQUAL => at += usize::from(if word == k { jt } else { jf }),
                AT_LEAST => at += usize::from(if word >= k { jt } else { jf }),
                ANY_BIT => at += usize::from(if word & k != 0 { jt } else { jf }),
                _ => panic!("an instruction {code:#x}"),
            }
        }
    }

    #[test]
    fn the_filter_answers_call_by_call() {
        let Some(arch) = ARCHITECTURE else { return };
        let denied = program(Network::Denied).unwrap();
        let allowed = program(Network::Allowed).unwrap();
        let errno = |n: libc::c_int| ERRNO | n as u32;
        let check = |number, arg0, without: u32, with: u32| {
            assert_eq!(
                run(&denied, arch, number, arg0),
                without,
                "{number}({arg0:#x}) without network"
            );
            assert_eq!(
                run(&allowed, arch, number, arg0),
                with,
                "{number}({arg0:#x}) with network"
            );
        };
        check(libc::SYS_read, 0, ALLOW, ALLOW);
        check(libc::SYS_execve, 0, ALLOW, ALLOW);
        check(libc::SYS_socketpair, libc::AF_UNIX as u32, ALLOW, ALLOW);
        check(libc::SYS_socket, libc::AF_INET as u32, errno(libc::EACCES), ALLOW);
        check(libc::SYS_socket, libc::AF_INET6 as u32, errno(libc::EACCES), ALLOW);
        check(
            libc::SYS_socket,
            libc::AF_UNIX as u32,
            errno(libc::EACCES),
            errno(libc::EACCES),
        );
        check(libc::SYS_socket, 40, errno(libc::EACCES), errno(libc::EACCES));
        check(libc::SYS_clone, 0x3d_0f00, ALLOW, ALLOW);
        check(libc::SYS_clone, 0x1000_0000, errno(libc::EPERM), errno(libc::EPERM));
        check(libc::SYS_clone, 0x4000_0000, errno(libc::EPERM), errno(libc::EPERM));
        check(libc::SYS_clone3, 0, errno(libc::ENOSYS), errno(libc::ENOSYS));
        check(libc::SYS_io_uring_setup, 8, errno(libc::ENOSYS), errno(libc::ENOSYS));
        check(0x4000_0029, 2, errno(libc::ENOSYS), errno(libc::ENOSYS));
        for number in forbidden() {
            check(number, 0, errno(libc::EPERM), errno(libc::EPERM));
        }
        assert_eq!(run(&denied, 0x4000_0003, libc::SYS_read, 0), KILL);
    }
}
