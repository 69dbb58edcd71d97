//! Sessions that work at the same time over one repository, each with its own staged set: one index, one lock.

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use std::{fs, io, thread};
use understory_adapter_native::{NativeConfig, NativeSearch};
use understory_adapter_text::RipgrepText;
use understory_adapter_worktree::GitWorktree;
use understory_core::guard::Guard;
use understory_ports::CallContext;
use understory_session::{Options, Ports, Session, ToolSet};

/// One answer in so many is held against a cold build of the session's own tree.
const CHECKED: u64 = 50;
/// Files of a repository that the sessions change and ask about.
const FILES: usize = 400;

/// What came of it.
#[derive(Debug, Default)]
pub struct Report {
    pub calls: u64,
    pub checked: u64,
    /// Calls that were refused although they are well formed.
    pub errors: Vec<String>,
    /// Answers that differ from those of a cold build.
    pub wrong: Vec<String>,
}

/// Runs `sessions` sessions until `over` says so of a session's number of rounds.
pub fn soak(repository: &Path, cache: &Path, sessions: u64, over: &(dyn Fn(u64) -> bool + Sync)) -> io::Result<Report> {
    let mut files = Vec::new();
    walk(repository, repository, &mut files)?;
    let search = Arc::new(NativeSearch::new(NativeConfig {
        cache: Some(cache.to_owned()),
        guard: Arc::new(Guard::default()),
    }));
    let mut report = Report::default();
    thread::scope(|scope| {
        let (files, search) = (&files, &search);
        let all: Vec<_> = (0..sessions)
            .map(|n| scope.spawn(move || one(repository, cache, n, files, search.clone(), over)))
            .collect();
        for each in all {
            match each.join() {
                Ok(Ok(one)) => {
                    report.calls += one.calls;
                    report.checked += one.checked;
                    report.errors.extend(one.errors);
                    report.wrong.extend(one.wrong);
                }
                Ok(Err(error)) => report.errors.push(error.to_string()),
                Err(_) => report.errors.push("a session panicked".to_owned()),
            }
        }
    });
    Ok(report)
}

/// The session `number`: stages, asks, checks.
fn one(
    repository: &Path,
    cache: &Path,
    number: u64,
    files: &[String],
    search: Arc<NativeSearch>,
    over: &(dyn Fn(u64) -> bool + Sync),
) -> io::Result<Report> {
    let session = open(repository, Some(cache), search);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let mut dice = number.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut draw = |below: usize| {
        dice ^= dice << 13;
        dice ^= dice >> 7;
        dice ^= dice << 17;
        (dice % below.max(1) as u64) as usize
    };
    let mut staged: BTreeMap<String, Option<String>> = BTreeMap::new();
    let mut report = Report::default();
    let mut round = 0;
    while !over(round) {
        let probe = format!("probe_{number}_{}", round / 4);
        let (path, text) = match draw(4) {
            // A file of its own, one of the repository with a line more, one that is gone, one as it was.
            0 | 1 => (
                format!("soak/of_{number}.py"),
                Some(format!("def {probe}():\n    return soak_shared()\n")),
            ),
            2 if !files.is_empty() => {
                let path = files[draw(files.len())].clone();
                let text = fs::read_to_string(repository.join(&path)).unwrap_or_default();
                (path, Some(format!("{text}\n\n")))
            }
            3 if !files.is_empty() => (files[draw(files.len())].clone(), None),
            _ => (
                "soak/shared.py".to_owned(),
                Some("def soak_shared():\n    return 1\n".to_owned()),
            ),
        };
        let done = match &text {
            Some(text) => session.stage_text(&path, text),
            None => session.stage_delete(&path),
        };
        if let Err(refusal) = done {
            report.errors.push(format!("stage {path}: {refusal}"));
        } else {
            staged.insert(path, text);
        }
        let file = files.get(draw(files.len())).cloned().unwrap_or_default();
        let arguments = match draw(6) {
            0 => json!({"mode": "grep", "query": "def probe_", "limit": 40}),
            1 => json!({"mode": "grep", "query": "soak_shared", "limit": 40}),
            2 => json!({"mode": "ask", "query": "where is the probe made", "limit": 10}),
            3 if staged.get(&file).is_none_or(Option::is_some) && !file.is_empty() => {
                json!({"mode": "skeleton", "file": file})
            }
            4 => json!({"mode": "explore", "query": "how is shared soak returned"}),
            _ => json!({"mode": "map"}),
        };
        let answer = runtime.block_on(ask(&session, &arguments));
        report.calls += 1;
        match answer {
            Err(refused) => report
                .errors
                .push(format!("session {number}, round {round}: {arguments}: {refused}")),
            Ok(text) if (round + number).is_multiple_of(CHECKED) => {
                let cold = cold(repository, &staged, &arguments, &runtime)?;
                report.checked += 1;
                if cold.as_ref() != Ok(&text) {
                    report.wrong.push(format!(
                        "session {number}, round {round}: {arguments}\n{text}\n--- cold\n{cold:?}"
                    ));
                }
            }
            Ok(_) => {}
        }
        round += 1;
    }
    session.close();
    Ok(report)
}

async fn ask(session: &Session, arguments: &Value) -> Result<String, String> {
    let cx = CallContext::new().with_timeout(Duration::from_secs(600));
    let answer = session.call("search_code", arguments, &cx).await;
    match answer.refusal {
        Some(refusal) => Err(format!("{refusal:?}")),
        None => Ok(answer.text.unwrap_or_default()),
    }
}

/// The answer over the session's tree as files on disk, with nothing staged and no index.
fn cold(
    repository: &Path,
    staged: &BTreeMap<String, Option<String>>,
    arguments: &Value,
    runtime: &tokio::runtime::Runtime,
) -> io::Result<Result<String, String>> {
    let temp = tempfile::tempdir()?;
    let root = temp.path().join("tree");
    copy(repository, &root)?;
    for (path, text) in staged {
        let at = root.join(path);
        match text {
            Some(text) => {
                fs::create_dir_all(at.parent().unwrap_or(&root))?;
                fs::write(at, text)?;
            }
            None => fs::remove_file(at)?,
        }
    }
    let search = Arc::new(NativeSearch::new(NativeConfig {
        cache: None,
        guard: Arc::new(Guard::default()),
    }));
    Ok(runtime.block_on(ask(&open(&root, None, search), arguments)))
}

fn open(repository: &Path, cache: Option<&Path>, search: Arc<NativeSearch>) -> Session {
    let ports = Ports {
        search,
        text: Arc::new(RipgrepText::new(Arc::new(Guard::default()))),
        worktree: Arc::new(GitWorktree::new(cache.map(Path::to_owned)).with_user_excludes(None)),
    };
    let options = Options {
        tools: ToolSet::read_only().with_staging(),
        ..Options::default()
    };
    Session::open(repository, ports, options)
}

/// Paths of source files, at most [`FILES`].
fn walk(root: &Path, dir: &Path, out: &mut Vec<String>) -> io::Result<()> {
    let mut entries: Vec<PathBuf> = fs::read_dir(dir)?
        .map(|e| e.map(|e| e.path()))
        .collect::<Result<_, _>>()?;
    entries.sort();
    for path in entries {
        let hidden = path.file_name().is_none_or(|n| n.to_string_lossy().starts_with('.'));
        if hidden || path.is_symlink() || out.len() >= FILES {
            continue;
        }
        if path.is_dir() {
            walk(root, &path, out)?;
        } else if let Some(extension) = path.extension().and_then(|e| e.to_str())
            && ["py", "rs", "ts", "go", "c", "java", "rb", "kt"].contains(&extension)
            && let Ok(relative) = path.strip_prefix(root)
        {
            out.push(relative.to_string_lossy().into_owned());
        }
    }
    Ok(())
}

fn copy(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (kind, at) = (entry.file_type()?, to.join(entry.file_name()));
        if kind.is_dir() {
            copy(&entry.path(), &at)?;
        } else if kind.is_file() {
            fs::copy(entry.path(), at)?;
        }
    }
    Ok(())
}
