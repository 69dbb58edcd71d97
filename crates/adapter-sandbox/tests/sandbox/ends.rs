//! However a run ends, nothing of it is left.

use crate::support::{Host, helper};
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::Duration;
use understory_adapter_sandbox::Helper;
use understory_ports::sandbox::{Outcome, Protection};
use understory_ports::{CallContext, Sandbox};

/// A named pipe. Every process that has it open for writing keeps its reader waiting, so a reader that comes to the end
/// knows that all of them are gone.
fn named_pipe(at: &Path) -> PathBuf {
    let path = at.join("alive");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &path,
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::from_raw_mode(0o600),
        0,
    )
    .expect("a named pipe can be made");
    path
}

/// Reads until nobody holds the pipe for writing. What was written tells how many started.
async fn until_gone(pipe: PathBuf) -> String {
    let read = tokio::task::spawn_blocking(move || {
        let mut text = String::new();
        File::open(pipe).unwrap().read_to_string(&mut text).unwrap();
        text
    });
    tokio::time::timeout(Duration::from_secs(20), read)
        .await
        .expect("something of the run is still alive")
        .unwrap()
}

/// Starts processes that ignore every request and hold the pipe: in the background, in a group of their own, and orphaned.
const STUBBORN: &str = "exec 3>\"$1\"
trap '' TERM HUP INT
(trap '' TERM; echo child >&3; sleep 1000) &
(setsid sh -c 'trap \"\" TERM; echo session >&3; sleep 1000' &) &
echo parent >&3
while :; do sleep 1000; done";

fn started(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    lines
}

#[tokio::test]
async fn a_time_out_ends_every_process() {
    let host = Host::new(helper());
    let pipe = named_pipe(&host.cache());
    let mut command = host.sh(STUBBORN).arg(&pipe);
    command.limits.time = Duration::from_millis(1500);
    command.limits.grace = Duration::from_millis(200);
    let (finished, text) = tokio::join!(host.run(command), until_gone(pipe));
    assert_eq!(finished.outcome, Outcome::TimedOut);
    assert_eq!(started(&text), ["child", "parent", "session"]);
}

#[tokio::test]
async fn a_cancelled_run_ends_every_process() {
    let host = Host::new(helper());
    let pipe = named_pipe(&host.cache());
    let mut command = host.sh(STUBBORN).arg(&pipe);
    command.limits.grace = Duration::from_millis(100);
    let cx = CallContext::new();
    let cancel = cx.cancel.clone();
    // The reader gets its first line when the processes are there.
    let (first, lines) = tokio::sync::oneshot::channel();
    let reader = tokio::task::spawn_blocking(move || {
        let mut file = File::open(pipe).unwrap();
        let mut byte = [0];
        file.read_exact(&mut byte).unwrap();
        first.send(()).unwrap();
        let mut rest = String::new();
        file.read_to_string(&mut rest).unwrap();
    });
    let (finished, ()) = tokio::join!(host.sandbox.run(command, &cx), async {
        lines.await.unwrap();
        cancel.cancel();
    });
    assert_eq!(finished.unwrap().outcome, Outcome::Cancelled);
    tokio::time::timeout(Duration::from_secs(20), reader)
        .await
        .expect("something of the run is still alive")
        .unwrap();
}

#[tokio::test]
async fn a_dropped_run_ends_every_process() {
    for mode in [helper(), Helper::None] {
        let host = Host::new(mode);
        let pipe = named_pipe(&host.cache());
        let mut command = host
            .sh("exec 3>\"$1\"; trap '' TERM; echo one >&3; sleep 1000 & sleep 1000")
            .arg(&pipe);
        command.limits.grace = Duration::from_millis(100);
        let cx = CallContext::new();
        let run = tokio::spawn({
            let sandbox = host.sandbox.clone();
            async move { sandbox.run(command, &cx).await }
        });
        let (first, started) = tokio::sync::oneshot::channel();
        let reader = tokio::task::spawn_blocking(move || {
            let mut file = File::open(pipe).unwrap();
            let mut line = [0; 4];
            file.read_exact(&mut line).unwrap();
            first.send(()).unwrap();
            file.read_to_end(&mut Vec::new()).unwrap();
        });
        started.await.unwrap();
        run.abort();
        tokio::time::timeout(Duration::from_secs(20), reader)
            .await
            .expect("something of the run is still alive")
            .unwrap();
    }
}

#[tokio::test]
async fn a_left_process_is_ended_wherever_it_went() {
    let host = Host::new(helper());
    let pipe = named_pipe(&host.cache());
    let command = host
        .sh("exec 3>\"$1\"; setsid sh -c 'echo in >&3; sleep 1000' & read -r _ < /dev/null; sleep 0.2")
        .arg(&pipe);
    let (finished, text) = tokio::join!(host.run(command), until_gone(pipe));
    assert_eq!(finished.outcome, Outcome::LeakedDescendants(0));
    assert_eq!(text, "in\n");
}

#[tokio::test]
async fn no_zombie_is_left() {
    for mode in [helper(), Helper::None] {
        let host = Host::new(mode);
        for script in ["exit 0", "sleep 0 & exit 3", "exec sleep 1000"] {
            let mut command = host.sh(script);
            command.limits.time = Duration::from_millis(300);
            command.limits.grace = Duration::from_millis(100);
            host.run(command).await;
        }
        #[cfg(target_os = "linux")]
        {
            let marker = host.scratch().display().to_string();
            let ours: Vec<String> = zombies_and_helpers(&marker);
            assert!(ours.is_empty(), "{ours:?}");
        }
    }
}

/// Children of this process that are dead and not reaped. Runs of other tests have living helpers, so those do not count.
#[cfg(target_os = "linux")]
fn zombies_and_helpers(_marker: &str) -> Vec<String> {
    let me = std::process::id().to_string();
    let look = || -> Vec<String> {
        std::fs::read_dir("/proc")
            .unwrap()
            .filter_map(|entry| std::fs::read_to_string(entry.ok()?.path().join("stat")).ok())
            .filter(|stat| {
                let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or("").split_whitespace().collect();
                fields.first() == Some(&"Z") && fields.get(1) == Some(&me.as_str())
            })
            .collect()
    };
    // A helper of a test that runs at the same time may be between its end and its wait; a zombie that stays is ours.
    let first = look();
    std::thread::sleep(Duration::from_millis(300));
    look().into_iter().filter(|line| first.contains(line)).collect()
}

#[tokio::test]
async fn ten_gigabytes_of_output_are_cut_at_once() {
    let host = Host::new(helper());
    let mut command = host.sh("head -c 10000000000 /dev/zero");
    command.limits.stdout = 1 << 20;
    let finished = host.run(command).await;
    assert_eq!(finished.outcome, Outcome::OutputLimit);
    assert_eq!(finished.stdout.len(), 1 << 20);
    assert!(finished.wall < Duration::from_secs(10), "{:?}", finished.wall);
}

#[tokio::test]
async fn a_file_larger_than_allowed_is_not_written() {
    let host = Host::new(helper());
    let mut command = host
        .sh("head -c 1000000 /dev/zero > \"$1\"/big; ls -l \"$1\"/big")
        .arg(host.cache());
    command.limits.file_size = Some(10_000);
    host.run(command).await;
    assert_eq!(host.cache().join("big").metadata().unwrap().len(), 10_000);
}

#[tokio::test]
async fn what_is_missing_without_a_helper_is_told() {
    let host = Host::new(Helper::None);
    let finished = host.run(host.sh("exit 0")).await;
    for protection in [
        Protection::NetworkNamespace,
        Protection::ProcessNamespace,
        Protection::Limits,
        Protection::Descriptors,
    ] {
        assert!(
            !finished.enforcement.holds(protection),
            "{protection}: {}",
            finished.enforcement
        );
    }
}
