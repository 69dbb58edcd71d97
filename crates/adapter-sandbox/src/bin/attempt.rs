//! Tries one thing that a confined program must not be able to do, for the tests: exit code 0 when it could, 1 when the
//! operating system refused, 2 when the attempt itself is wrong. What happened goes to standard output.

#[cfg(target_os = "linux")]
fn main() {
    use std::io::Write as _;
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let (code, text) = match attempt::attempt(&args) {
        Some(Ok(text)) => (0, text),
        Some(Err(error)) => (1, error.to_string()),
        None => (2, format!("no such attempt: {args:?}")),
    };
    let _ = writeln!(std::io::stdout(), "{text}");
    std::process::exit(code);
}

#[cfg(not(target_os = "linux"))]
fn main() {
    std::process::exit(2);
}

#[cfg(target_os = "linux")]
mod attempt {
    use std::fs;
    use std::io::{self, Read as _, Write as _};
    use std::net::{SocketAddr, TcpListener, TcpStream, UdpSocket};
    use std::os::unix::fs::PermissionsExt as _;
    use std::os::unix::net::{SocketAddr as UnixAddr, UnixStream};
    use std::time::Duration;

    fn check(result: libc::c_long) -> io::Result<String> {
        if result < 0 {
            Err(io::Error::last_os_error())
        } else {
            Ok(result.to_string())
        }
    }

    fn pid(text: &str) -> io::Result<rustix::process::Pid> {
        text.parse()
            .ok()
            .and_then(rustix::process::Pid::from_raw)
            .ok_or(io::ErrorKind::InvalidInput.into())
    }

    pub fn attempt(args: &[&str]) -> Option<io::Result<String>> {
        let done = |result: io::Result<()>| result.map(|()| "done".to_owned());
        Some(match args {
            ["read", path] => fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()),
            ["list", path] => fs::read_dir(path).map(|entries| entries.count().to_string()),
            ["write", path] => done(fs::write(path, "written by the attempt")),
            ["truncate", path] => done(fs::File::options().write(true).open(path).and_then(|f| f.set_len(0))),
            ["remove", path] => done(fs::remove_file(path)),
            ["rename", from, to] => done(fs::rename(from, to)),
            ["link", from, to] => done(fs::hard_link(from, to)),
            ["write-through-link", link, target] => {
                done(std::os::unix::fs::symlink(target, link).and_then(|()| fs::write(link, "written by the attempt")))
            }
            ["mode", path] => done(fs::set_permissions(path, fs::Permissions::from_mode(0o777))),
            ["times", path] => {
                done(fs::File::open(path).and_then(|f| f.set_modified(std::time::SystemTime::UNIX_EPOCH)))
            }
            ["execute", path] => std::process::Command::new(path).output().map(|o| o.status.to_string()),
            ["tcp", address] => connect(address),
            ["listen", address] => TcpListener::bind(address).map(|l| format!("{l:?}")),
            ["udp", address] => UdpSocket::bind("127.0.0.1:0")
                .and_then(|s| s.send_to(b"x", address))
                .map(|n| n.to_string()),
            ["unix", path] => UnixStream::connect(path).map(|_| "connected".into()),
            ["abstract", name] => {
                use std::os::linux::net::SocketAddrExt as _;
                UnixAddr::from_abstract_name(name)
                    .and_then(|address| UnixStream::connect_addr(&address))
                    .map(|_| "connected".into())
            }
            ["signal", process] => {
                pid(process).and_then(|p| done(rustix::process::test_kill_process(p).map_err(Into::into)))
            }
            ["trace", process] => pid(process).and_then(|p| {
                #[expect(unsafe_code, reason = "there is no safe ptrace")]
                // SAFETY: attaching touches no memory of this process.
                check(unsafe { libc::ptrace(libc::PTRACE_SEIZE, p.as_raw_nonzero().get(), 0, 0) })
            }),
            ["namespace"] => {
                #[expect(unsafe_code, reason = "there is no safe form")]
                // SAFETY: a user namespace for this process, which has one thread.
                check(unsafe { libc::unshare(libc::CLONE_NEWUSER) }.into())
            }
            ["ring"] => {
                let mut parameters = [0u64; 32];
                #[expect(unsafe_code, reason = "there is no safe form")]
                // SAFETY: the parameters are larger than the kernel's structure.
                check(unsafe { libc::syscall(libc::SYS_io_uring_setup, 8, parameters.as_mut_ptr()) })
            }
            ["capabilities"] => fs::read_to_string("/proc/self/status").or_else(|_| {
                rustix::thread::capabilities(None)
                    .map(|held| format!("{held:?}"))
                    .map_err(Into::into)
            }),
            ["privileges"] => rustix::thread::no_new_privs()
                .map(|set| set.to_string())
                .map_err(Into::into),
            ["descriptors"] => Ok((0..1024)
                .filter(|number| {
                    #[expect(unsafe_code, reason = "the number is only asked about")]
                    // SAFETY: asking for flags touches no memory.
                    let open = unsafe { libc::fcntl(*number, libc::F_GETFD) } >= 0;
                    open
                })
                .map(|number| number.to_string())
                .collect::<Vec<_>>()
                .join(" ")),
            ["environment"] => Ok(std::env::vars_os()
                .map(|(name, value)| format!("{}={}", name.to_string_lossy(), value.to_string_lossy()))
                .collect::<Vec<_>>()
                .join("\n")),
            ["memory", megabytes] => memory(megabytes.parse().ok()?),
            ["session"] => {
                let (own, session) = (rustix::process::getpid(), rustix::process::getsid(None));
                session.map(|session| (session == own).to_string()).map_err(Into::into)
            }
            _ => return None,
        })
    }

    fn connect(address: &str) -> io::Result<String> {
        let address: SocketAddr = address.parse().map_err(|_| io::ErrorKind::InvalidInput)?;
        let mut stream = TcpStream::connect_timeout(&address, Duration::from_secs(5))?;
        stream.write_all(b"x")?;
        let _ = stream.read(&mut [0]);
        Ok("connected".into())
    }

    /// Touches so much memory, megabyte by megabyte. A limit ends the process; the exit code tells.
    fn memory(megabytes: usize) -> io::Result<String> {
        let mut held: Vec<Vec<u8>> = Vec::new();
        for _ in 0..megabytes {
            let mut block = Vec::new();
            block
                .try_reserve_exact(1 << 20)
                .map_err(|_| io::Error::from(io::ErrorKind::OutOfMemory))?;
            block.resize(1 << 20, 1);
            held.push(block);
        }
        Ok(held.len().to_string())
    }
}
