//! What a confined program cannot do. Each attempt succeeds outside first: a denial that would have failed anyway proves
//! nothing. With the feature `live` this host has to enforce everything.

use crate::support::{Host, helper, said};
use std::fs;
use std::io::Write as _;
use std::net::{TcpListener, UdpSocket};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};
use understory_ports::SandboxCommand;
use understory_ports::sandbox::{Enforcement, Network, Outcome, Require};

const ATTEMPT: &str = env!("CARGO_BIN_EXE_understory-sandbox-attempt");

/// Whether the attempt succeeds outside.
#[track_caller]
fn outside(args: &[&str]) -> bool {
    let output = Command::new(ATTEMPT).args(args).output().expect("the attempt runs");
    let code = output.status.code();
    assert!(matches!(code, Some(0 | 1)), "{args:?}: {output:?}");
    code == Some(0)
}

fn inside(host: &Host, args: &[&str]) -> SandboxCommand {
    let mut command = SandboxCommand::new(ATTEMPT, host.tree())
        .args(args)
        .read(host.tree())
        .write(host.cache())
        .require(Require::Enforced);
    command.limits.time = Duration::from_secs(20);
    command
}

/// The attempt succeeds outside and is refused inside.
async fn denied(host: &Host, args: &[&str]) {
    assert!(outside(args), "{args:?} fails outside too, so it proves nothing");
    refused(host, args).await;
}

async fn refused(host: &Host, args: &[&str]) {
    let finished = host.run(inside(host, args)).await;
    assert_eq!(finished.enforcement, Enforcement::Enforced);
    assert_eq!(
        finished.outcome,
        Outcome::Exited(1),
        "{args:?} was not refused: {}",
        String::from_utf8_lossy(&finished.stdout)
    );
}

async fn allowed(host: &Host, args: &[&str]) {
    let finished = host.run(inside(host, args)).await;
    said(&finished);
}

fn text(path: &Path) -> &str {
    path.to_str().expect("temporary paths are text")
}

/// A directory beside the granted ones, with a file in it.
fn elsewhere() -> (tempfile::TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("secret");
    fs::write(&file, "secret").unwrap();
    (directory, file)
}

#[tokio::test]
async fn granted_files_can_be_used() {
    let host = Host::new(helper());
    fs::write(host.tree().join("a"), "a").unwrap();
    allowed(&host, &["read", text(&host.tree().join("a"))]).await;
    allowed(&host, &["list", text(&host.tree())]).await;
    allowed(&host, &["write", text(&host.cache().join("b"))]).await;
    allowed(
        &host,
        &["rename", text(&host.cache().join("b")), text(&host.cache().join("c"))],
    )
    .await;
    allowed(&host, &["mode", text(&host.cache().join("c"))]).await;
    allowed(&host, &["times", text(&host.cache().join("c"))]).await;
    assert!(host.cache().join("c").exists());
}

#[tokio::test]
async fn files_of_the_host_cannot_be_read() {
    let host = Host::new(helper());
    let (other, secret) = elsewhere();
    denied(&host, &["read", text(&secret)]).await;
    denied(&host, &["list", text(other.path())]).await;
    denied(&host, &["read", "/etc/passwd"]).await;
    denied(&host, &["list", "/"]).await;
    denied(&host, &["list", "/proc"]).await;
    let me = std::process::id();
    denied(&host, &["read", &format!("/proc/{me}/environ")]).await;
    denied(&host, &["read", &format!("/proc/{me}/cmdline")]).await;
    if outside(&["read", "/etc/shadow"]) {
        refused(&host, &["read", "/etc/shadow"]).await;
    }
    // A key in a home directory, made here because this host may have none.
    let home = tempfile::tempdir().unwrap();
    let key = home.path().join(".ssh/id_ed25519");
    fs::create_dir(key.parent().unwrap()).unwrap();
    fs::write(&key, "private").unwrap();
    denied(&host, &["read", text(&key)]).await;
    let link = host.tree().join("link");
    std::os::unix::fs::symlink(&key, &link).unwrap();
    denied(&host, &["read", text(&link)]).await;
}

#[tokio::test]
async fn nothing_outside_the_grants_can_be_written() {
    let host = Host::new(helper());
    let (other, secret) = elsewhere();
    let tracked = host.tree().join("tracked");
    fs::write(&tracked, "tracked").unwrap();
    for directory in [host.tree(), other.path().to_path_buf(), std::env::temp_dir()] {
        let file = directory.join(format!("understory-attempt-{}", std::process::id()));
        denied(&host, &["write", text(&file)]).await;
        refused(&host, &["remove", text(&file)]).await;
        assert!(outside(&["remove", text(&file)]));
        refused(&host, &["write", text(&file)]).await;
        assert!(!file.exists());
    }
    for file in [&tracked, &secret] {
        let before = fs::read(file).unwrap();
        refused(&host, &["write", text(file)]).await;
        refused(&host, &["truncate", text(file)]).await;
        assert_eq!(fs::read(file).unwrap(), before);
        let metadata = fs::metadata(file).unwrap();
        refused(&host, &["mode", text(file)]).await;
        refused(&host, &["times", text(file)]).await;
        let after = fs::metadata(file).unwrap();
        assert_eq!(after.permissions(), metadata.permissions());
        assert_eq!(after.modified().unwrap(), metadata.modified().unwrap());
        assert!(
            outside(&["mode", text(file)]) && outside(&["times", text(file)]) && outside(&["truncate", text(file)])
        );
    }
}

#[tokio::test]
async fn nothing_leaves_by_renaming_or_linking() {
    let host = Host::new(helper());
    let (other, secret) = elsewhere();
    let mine = host.cache().join("mine");
    for verb in ["rename", "link"] {
        let out = other.path().join(verb);
        fs::write(&mine, "mine").unwrap();
        refused(&host, &[verb, text(&mine), text(&out)]).await;
        assert!(mine.exists() && !out.exists());
        assert!(outside(&[verb, text(&mine), text(&out)]));
        // And nothing comes in: a link to a secret would make it readable.
        let brought = host.cache().join(format!("brought-{verb}"));
        refused(&host, &[verb, text(&secret), text(&brought)]).await;
        assert!(!brought.exists());
    }
    let link = host.cache().join("link");
    let target = other.path().join("through-a-link");
    refused(&host, &["write-through-link", text(&link), text(&target)]).await;
    assert!(!target.exists());
    let link = host.cache().join("link-2");
    assert!(outside(&["write-through-link", text(&link), text(&target)]));
}

#[tokio::test]
async fn only_named_programs_run() {
    let host = Host::new(helper());
    denied(&host, &["execute", "/bin/true"]).await;
    let dropped = host.cache().join("dropped");
    fs::copy("/bin/true", &dropped).unwrap();
    denied(&host, &["execute", text(&dropped)]).await;
    let finished = host
        .run(inside(&host, &["execute", "/bin/true"]).execute("/bin/true"))
        .await;
    assert_eq!(said(&finished), "exit status: 0\n");
}

#[tokio::test]
async fn no_socket_leaves() {
    let host = Host::new(helper());
    let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = tcp.local_addr().unwrap().to_string();
    std::thread::spawn(move || {
        for mut stream in tcp.incoming().flatten() {
            let _ = stream.write_all(b"x");
        }
    });
    let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
    let udp_address = udp.local_addr().unwrap().to_string();
    let path = host.tree().join("agent.sock");
    let _unix = UnixListener::bind(&path).unwrap();
    let name = format!("understory-{}", std::process::id());
    let _abstract = {
        use std::os::linux::net::SocketAddrExt as _;
        let address = std::os::unix::net::SocketAddr::from_abstract_name(&name).unwrap();
        UnixListener::bind_addr(&address).unwrap()
    };
    denied(&host, &["tcp", &address]).await;
    denied(&host, &["udp", &udp_address]).await;
    denied(&host, &["unix", text(&path)]).await;
    denied(&host, &["abstract", &name]).await;
    denied(&host, &["listen", "127.0.0.1:0"]).await;

    // With the network, TCP and UDP work and the host's own sockets stay shut.
    let networked = |args: &[&str]| inside(&host, args).network(Network::Allowed);
    said(&host.run(networked(&["tcp", &address])).await);
    said(&host.run(networked(&["udp", &udp_address])).await);
    for args in [["unix", text(&path)], ["abstract", &name]] {
        let finished = host.run(networked(&args)).await;
        assert_eq!(finished.outcome, Outcome::Exited(1), "{args:?}");
    }
}

#[tokio::test]
async fn other_processes_are_out_of_reach() {
    let host = Host::new(helper());
    // A process of the same user that is no relative of the child.
    let mut victim = Command::new("/bin/sleep").arg("1000").spawn().unwrap();
    let number = victim.id().to_string();
    denied(&host, &["signal", &number]).await;
    denied(&host, &["trace", &number]).await;
    refused(&host, &["signal", &std::process::id().to_string()]).await;
    assert!(victim.try_wait().unwrap().is_none());
    victim.kill().unwrap();
    victim.wait().unwrap();
}

#[tokio::test]
async fn no_privilege_is_held_or_gained() {
    let host = Host::new(helper());
    let finished = host.run(inside(&host, &["privileges"])).await;
    assert_eq!(said(&finished), "true\n");
    let finished = host.run(inside(&host, &["capabilities"])).await;
    let held = said(&finished);
    let effective = held.split("effective:").nth(1).unwrap_or(&held);
    let effective = &effective[..effective.find("permitted").unwrap_or(effective.len())];
    assert!(
        effective.contains("(0x0)") || effective.contains("(DAC_OVERRIDE)"),
        "more than the right to read the files of others is held: {held}"
    );
    denied(&host, &["namespace"]).await;
    denied(&host, &["ring"]).await;
}

#[tokio::test]
async fn the_child_leads_its_own_session() {
    let host = Host::new(helper());
    assert_eq!(said(&host.run(inside(&host, &["session"])).await), "true\n");
}

#[tokio::test]
async fn memory_is_bounded() {
    let host = Host::new(helper());
    assert!(outside(&["memory", "200"]));
    let mut command = inside(&host, &["memory", "200"]);
    command.limits.memory = Some(100 << 20);
    let finished = host.run(command).await;
    assert_ne!(finished.outcome, Outcome::Exited(0), "{finished:?}");
    let mut command = inside(&host, &["memory", "50"]);
    command.limits.memory = Some(100 << 20);
    said(&host.run(command).await);
}

/// Counts the processes that it could start, each of which waits to be ended.
const COUNT: &str =
    "n=0; while [ $n -lt 2000 ] && (exit 0) 2>/dev/null; do sleep 1000 & n=$((n+1)); done 2>/dev/null; echo $n";

#[tokio::test]
async fn a_fork_bomb_is_bounded_and_ends_with_the_deadline() {
    let host = Host::new(helper());
    let mut command = host.sh("bomb() { bomb | bomb & }; bomb; while :; do sleep 1000; done");
    command.limits.time = Duration::from_millis(700);
    command.limits.grace = Duration::from_millis(50);
    command.limits.processes = Some(100);
    let before = Instant::now();
    let finished = host.run(command.require(Require::Enforced)).await;
    assert!(!finished.outcome.success(), "{finished:?}");
    assert!(before.elapsed() < Duration::from_secs(20), "{:?}", before.elapsed());
    // The host can still start a process.
    assert!(Command::new("/bin/true").status().unwrap().success());
}

#[tokio::test]
async fn the_number_of_processes_is_bounded() {
    let host = Host::new(helper());
    let mut command = host.sh(COUNT).require(Require::Enforced);
    command.limits.processes = Some(50);
    let finished = host.run(command).await;
    let count: u32 = String::from_utf8_lossy(&finished.stdout).trim().parse().unwrap_or(0);
    // The kernel's own bound on a process table is coarse: it may let 300 more through.
    assert!(count < 400, "{finished:?}");
}

#[tokio::test]
async fn hidden_paths_show_nothing() {
    let host = Host::new(helper());
    fs::write(host.tree().join(".env"), "KEY=secret").unwrap();
    fs::write(host.tree().join("a"), "a").unwrap();
    fs::create_dir(host.tree().join("private")).unwrap();
    fs::write(host.tree().join("private/key"), "secret").unwrap();
    let script = "cat .env private/key a; ls private";
    let shown = host.run(host.sh(script)).await;
    assert_eq!(String::from_utf8_lossy(&shown.stdout), "KEY=secretsecretakey\n");
    let hidden = host
        .sh(script)
        .hide(host.tree().join(".env"))
        .hide(host.tree().join("private"))
        .hide(host.tree().join("not-there"))
        .require(Require::Enforced);
    let shown = host.run(hidden).await;
    assert_eq!(String::from_utf8_lossy(&shown.stdout), "a");
    assert_eq!(fs::read_to_string(host.tree().join(".env")).unwrap(), "KEY=secret");
}

#[tokio::test]
async fn a_thread_confines_files_network_and_signals_too() {
    let host = Host::new(understory_adapter_sandbox::Helper::None);
    let (other, secret) = elsewhere();
    let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = tcp.local_addr().unwrap().to_string();
    let path = host.tree().join("agent.sock");
    let _unix = UnixListener::bind(&path).unwrap();
    let me = std::process::id().to_string();
    let environ = format!("/proc/{me}/environ");
    let out = other.path().join("out");
    for args in [
        &["read", text(&secret)][..],
        &["read", &environ],
        &["write", text(&out)],
        &["execute", "/bin/true"],
        &["unix", text(&path)],
        &["signal", &me],
        &["tcp", &address],
    ] {
        // Accepted by the listener's queue; nobody has to answer for the connection to stand.
        if args[0] != "tcp" {
            assert!(outside(args), "{args:?} fails outside too, so it proves nothing");
        }
        let _ = fs::remove_file(&out);
        let command = inside(&host, args).require(Require::BestEffort);
        let finished = host.run(command).await;
        assert_eq!(
            finished.outcome,
            Outcome::Exited(1),
            "{args:?}: {}",
            finished.enforcement
        );
    }
    assert!(!out.exists());
}
