//! Many sessions at once over one repository, each with its own staged set, for a number of seconds.
//!
//! ```sh
//! cargo run --release --example soak -- /path/to/repository 300 64
//! ```
//!
//! One answer in fifty is held against a cold build of the session's own tree. Ends with 1 when a call was refused, an answer
//! was wrong, or a child process or a temporary file of the cache was left.

#[path = "../tests/soak/work.rs"]
mod work;

use std::error::Error;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let root = PathBuf::from(arguments.next().ok_or("name a repository")?);
    let seconds: u64 = arguments.next().as_deref().unwrap_or("30").parse()?;
    let sessions: u64 = arguments.next().as_deref().unwrap_or("64").parse()?;
    let cache = tempfile::tempdir()?;
    let begin = Instant::now();
    let before = status("VmHWM:");
    let report = work::soak(&root, cache.path(), sessions, &|_| {
        begin.elapsed() >= Duration::from_secs(seconds)
    })?;
    let mut out = std::io::stdout();
    let mut left = Vec::new();
    left_over(cache.path(), &mut left)?;
    let children = children();
    writeln!(
        out,
        "{sessions} sessions, {} s: {} calls, {} refused, {} held against a cold build, {} wrong",
        begin.elapsed().as_secs(),
        report.calls,
        report.errors.len(),
        report.checked,
        report.wrong.len()
    )?;
    writeln!(
        out,
        "peak memory: {before} at the start, {} at the end; now {}",
        status("VmHWM:"),
        status("VmRSS:")
    )?;
    writeln!(
        out,
        "child processes left: {children}; temporary files left in the cache: {left:?}"
    )?;
    for line in report.errors.iter().chain(&report.wrong).take(20) {
        writeln!(out, "{line}")?;
    }
    match report.errors.is_empty() && report.wrong.is_empty() && left.is_empty() && children == 0 {
        true => Ok(()),
        false => Err("not clean".into()),
    }
}

/// A field of the process's status, where the platform tells.
fn status(field: &str) -> String {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|l| l.strip_prefix(field));
    line.map_or("unknown".to_owned(), |l| l.trim().to_owned())
}

fn children() -> usize {
    let tasks = fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    tasks
        .filter_map(|task| fs::read_to_string(task.path().join("children")).ok())
        .map(|list| list.split_whitespace().count())
        .sum()
}

fn left_over(dir: &Path, out: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        if path.is_dir() {
            left_over(&path, out)?;
        } else if path
            .file_name()
            .is_some_and(|name| name.to_string_lossy().starts_with(".new-"))
        {
            out.push(path.strip_prefix(dir).unwrap_or(&path).to_owned());
        }
    }
    Ok(())
}
