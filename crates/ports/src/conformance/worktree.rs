//! The contract of [`Worktree`] as a suite.
//!
//! ```
//! # use std::path::Path;
//! # use understory_core::RepoPath;
//! # use understory_ports::{Worktree, conformance::worktree, testing::MemoryWorktree};
//! struct Fake(MemoryWorktree);
//! impl worktree::Fixture for Fake {
//!     fn worktree(&self) -> &dyn Worktree { &self.0 }
//!     fn root(&self) -> &Path { self.0.root() }
//!     fn write(&self, path: &str, bytes: &[u8], executable: bool) -> Result<(), String> {
//!         Ok(self.0.write(RepoPath::new(path).map_err(|e| e.to_string())?, bytes, executable))
//!     }
//!     fn link(&self, path: &str, target: &str) -> Result<(), String> {
//!         Ok(self.0.link(RepoPath::new(path).map_err(|e| e.to_string())?, target))
//!     }
//!     fn remove(&self, path: &str) -> Result<(), String> {
//!         self.0.remove(&RepoPath::new(path).map_err(|e| e.to_string())?).then_some(()).ok_or("none".into())
//!     }
//! }
//! # #[tokio::main(flavor = "current_thread")] async fn main() {
//! worktree::suite(&|| Box::new(Fake(MemoryWorktree::new("/repo")))).await.assert_passed(&[]);
//! # }
//! ```

use super::{Miss, Report, hold};
use crate::context::CallContext;
use crate::worktree::{Materialized, Worktree, WorktreeError};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;
use understory_core::fingerprint::{ContentHash, Fingerprint};
use understory_core::path::RepoPath;
use understory_core::staged::{StagedError, StagedSet};
use understory_core::tree::{EntryKind, Tree};

/// An implementation over an empty repository, with the means to change it as a user would.
pub trait Fixture: Send + Sync {
    /// The implementation.
    fn worktree(&self) -> &dyn Worktree;

    /// The repository's root.
    fn root(&self) -> &Path;

    /// Writes or replaces a file.
    fn write(&self, path: &str, bytes: &[u8], executable: bool) -> Result<(), String>;

    /// Makes a symbolic link.
    fn link(&self, path: &str, target: &str) -> Result<(), String>;

    /// Removes a file or link.
    fn remove(&self, path: &str) -> Result<(), String>;
}

/// Makes a fixture.
pub type Constructor<'a> = &'a (dyn Fn() -> Box<dyn Fixture> + Send + Sync);

/// Runs every case.
pub async fn suite(new: Constructor<'_>) -> Report {
    let mut report = Report::default();
    macro_rules! cases {
        ($($name:ident),+ $(,)?) => { $( report.add(stringify!($name), $name(new).await); )+ };
    }
    cases!(
        the_manifest_has_every_file_with_its_bytes,
        the_fingerprint_follows_bytes_modes_and_names,
        the_staged_set_lies_on_top,
        a_staged_path_through_a_leaving_link_is_refused,
        a_missing_root_is_said,
        a_cancelled_call_says_so,
        a_passed_deadline_says_so,
        a_written_tree_is_the_tree,
        a_written_tree_is_gone_when_dropped,
        one_tree_is_one_directory,
        a_tree_that_changed_is_not_written,
        a_written_tree_becomes_another,
    );
    report
}

async fn snapshot(fixture: &dyn Fixture, staged: &Value) -> Result<Result<Tree, WorktreeError>, Miss> {
    let staged = match staged {
        Value::Null => StagedSet::new(),
        value => StagedSet::from_json(value)?,
    };
    let worktree = fixture.worktree();
    Ok(worktree.snapshot(fixture.root(), &staged, &CallContext::new()).await)
}

async fn tree(fixture: &dyn Fixture, staged: Value) -> Result<Tree, Miss> {
    Ok(snapshot(fixture, &staged).await??)
}

async fn write_out(fixture: &dyn Fixture, tree: &Tree) -> Result<Box<dyn Materialized>, Miss> {
    Ok(fixture.worktree().materialize(tree, &CallContext::new()).await?)
}

fn filled(new: Constructor<'_>) -> Result<Box<dyn Fixture>, Miss> {
    let fixture = new();
    fixture.write("a.txt", b"alpha\r\n", false)?;
    fixture.write("bin/run", b"#!/bin/sh\n", true)?;
    fixture.write("bin/data", b"\0\xff", false)?;
    fixture.write("A.txt", b"another", false)?;
    fixture.write("-odd 'name'\n", b"odd", false)?;
    fixture.link("link", "bin/run")?;
    Ok(fixture)
}

async fn the_manifest_has_every_file_with_its_bytes(new: Constructor<'_>) -> Result<(), Miss> {
    let fixture = filled(new)?;
    let tree = tree(&*fixture, Value::Null).await?;
    let expected: [(&str, EntryKind, bool, &[u8]); 6] = [
        ("-odd 'name'\n", EntryKind::File, false, b"odd"),
        ("A.txt", EntryKind::File, false, b"another"),
        ("a.txt", EntryKind::File, false, b"alpha\r\n"),
        ("bin/data", EntryKind::File, false, b"\0\xff"),
        ("bin/run", EntryKind::File, true, b"#!/bin/sh\n"),
        ("link", EntryKind::Symlink, false, b"bin/run"),
    ];
    hold!(tree.disk().len() == expected.len(), "{:?}", tree.disk().keys());
    for ((path, entry), (name, kind, executable, bytes)) in tree.disk().iter().zip(expected) {
        let found = (path.as_str(), entry.kind, entry.executable, entry.size, entry.hash);
        hold!(
            found == (name, kind, executable, bytes.len() as u64, ContentHash::of(bytes)),
            "{found:?}"
        );
    }
    Ok(())
}

async fn the_fingerprint_follows_bytes_modes_and_names(new: Constructor<'_>) -> Result<(), Miss> {
    let fixture = filled(new)?;
    let first = tree(&*fixture, Value::Null).await?.fingerprint();
    hold!(
        tree(&*fixture, Value::Null).await?.fingerprint() == first,
        "another without a change"
    );
    let mut seen: Vec<(&str, Fingerprint)> = vec![("nothing", first)];
    for what in ["byte", "mode", "added", "removed", "renamed", "link"] {
        match what {
            "byte" => fixture.write("a.txt", b"alphA\r\n", false)?,
            "mode" => fixture.write("bin/run", b"#!/bin/sh\n", false)?,
            "added" => fixture.write("new", b"", false)?,
            "removed" => fixture.remove("bin/data")?,
            "renamed" => {
                fixture.remove("new")?;
                fixture.write("neu", b"", false)?;
            }
            _ => {
                fixture.remove("link")?;
                fixture.link("link", "bin/other")?;
            }
        }
        let now = tree(&*fixture, Value::Null).await?.fingerprint();
        if let Some((same, _)) = seen.iter().find(|(_, f)| *f == now) {
            return Err(Miss::Broken(format!("the same after {what} as after {same}")));
        }
        seen.push((what, now));
    }
    let again = filled(new)?;
    let again = tree(&*again, Value::Null).await?.fingerprint();
    hold!(again == first, "equal repositories differ");
    Ok(())
}

async fn the_staged_set_lies_on_top(new: Constructor<'_>) -> Result<(), Miss> {
    let fixture = filled(new)?;
    let plain = tree(&*fixture, Value::Null).await?;
    let staged = tree(&*fixture, json!({"a.txt": null, "new": "1"})).await?;
    hold!(staged.disk() == plain.disk(), "the manifest is not of the disk");
    hold!(
        staged.disk_key() == plain.disk_key(),
        "the disk's key follows the staged set"
    );
    hold!(staged.fingerprint() != plain.fingerprint(), "the fingerprint does not");
    let paths: Vec<&str> = staged.files().iter().map(|f| f.path.as_str()).collect();
    hold!(paths.contains(&"new") && !paths.contains(&"a.txt"), "{paths:?}");
    Ok(())
}

async fn a_staged_path_through_a_leaving_link_is_refused(new: Constructor<'_>) -> Result<(), Miss> {
    let fixture = filled(new)?;
    fixture.link("out", "/")?;
    let result = snapshot(&*fixture, &json!({"ok": "1", "out/etc/x": "1"})).await?;
    let refused = matches!(
        &result,
        Err(WorktreeError::Staged(StagedError::ThroughLink { link, .. })) if link.as_str() == "out"
    );
    hold!(refused, "{:?}", result.map(|t| t.files().len()));
    hold!(
        snapshot(&*fixture, &json!({"out": "a file"})).await?.is_ok(),
        "a link cannot be replaced"
    );
    Ok(())
}

async fn a_missing_root_is_said(new: Constructor<'_>) -> Result<(), Miss> {
    let fixture = filled(new)?;
    let nowhere = fixture.root().join("nowhere at all");
    let (worktree, nothing, cx) = (fixture.worktree(), StagedSet::new(), CallContext::new());
    let result = worktree.snapshot(&nowhere, &nothing, &cx).await.map(|_| ());
    hold!(matches!(result, Err(WorktreeError::NoRoot { .. })), "{result:?}");
    Ok(())
}

async fn a_cancelled_call_says_so(new: Constructor<'_>) -> Result<(), Miss> {
    let cx = CallContext::new();
    cx.cancel.cancel();
    every_method_ends(new, &cx, |e| matches!(e, WorktreeError::Cancelled)).await
}

async fn a_passed_deadline_says_so(new: Constructor<'_>) -> Result<(), Miss> {
    let cx = CallContext::new().with_timeout(Duration::ZERO);
    every_method_ends(new, &cx, |e| matches!(e, WorktreeError::Timeout)).await
}

async fn every_method_ends(new: Constructor<'_>, cx: &CallContext, so: fn(&WorktreeError) -> bool) -> Result<(), Miss> {
    let fixture = filled(new)?;
    let ended = fixture.worktree().snapshot(fixture.root(), &StagedSet::new(), cx).await;
    hold!(ended.as_ref().is_err_and(so), "snapshot: {:?}", ended.map(|_| ()));
    let tree = tree(&*fixture, Value::Null).await?;
    let ended = fixture.worktree().materialize(&tree, cx).await;
    hold!(ended.as_ref().is_err_and(so), "materialize: {:?}", ended.map(|_| ()));
    let old = write_out(&*fixture, &tree).await?;
    let path = old.path().to_owned();
    let ended = fixture
        .worktree()
        .update(old, &tree.with_staged(StagedSet::from_json(&json!({"x": "1"}))?), cx)
        .await;
    hold!(ended.as_ref().is_err_and(so), "update: {:?}", ended.map(|_| ()));
    hold!(!path.exists(), "the old tree was left");
    Ok(())
}

/// The files and links below a directory: bytes or target, and whether executable.
fn contents(dir: &Path) -> Result<BTreeMap<String, (Vec<u8>, bool)>, Miss> {
    let mut out = BTreeMap::new();
    let mut dirs = vec![dir.to_owned()];
    while let Some(at) = dirs.pop() {
        for entry in std::fs::read_dir(&at)? {
            let path = entry?.path();
            if path.file_name().is_some_and(|n| n == ".git") {
                continue;
            }
            let meta = path.symlink_metadata()?;
            let name = path.strip_prefix(dir)?.to_string_lossy().into_owned();
            if meta.is_dir() {
                dirs.push(path);
            } else if meta.is_symlink() {
                let target = std::fs::read_link(&path)?;
                out.insert(name, (target.to_string_lossy().into_owned().into_bytes(), false));
            } else {
                out.insert(name, (std::fs::read(&path)?, is_executable(&meta)));
            }
        }
    }
    Ok(out)
}

#[cfg(unix)]
fn is_executable(meta: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    meta.permissions().mode() & 0o100 != 0
}

#[cfg(not(unix))]
fn is_executable(_meta: &std::fs::Metadata) -> bool {
    false
}

/// Whether a directory holds exactly the entries of a tree.
fn is_the_tree(dir: &Path, tree: &Tree) -> Result<(), Miss> {
    let found = contents(dir)?;
    let expected: BTreeMap<&str, (ContentHash, bool)> = tree
        .files()
        .iter()
        .map(|f| (f.path.as_str(), (f.entry.hash, f.entry.executable)))
        .collect();
    let found: BTreeMap<&str, (ContentHash, bool)> = found
        .iter()
        .map(|(path, (bytes, executable))| (path.as_str(), (ContentHash::of(bytes), *executable)))
        .collect();
    hold!(
        found == expected,
        "written {:?}, expected {:?}",
        found.keys(),
        expected.keys()
    );
    Ok(())
}

async fn a_written_tree_is_the_tree(new: Constructor<'_>) -> Result<(), Miss> {
    let fixture = filled(new)?;
    for staged in [
        Value::Null,
        json!({"a.txt": null, "bin": "a file now", "d/e/f": {"text": "x", "executable": true}, "l": {"symlink": "d/e"}}),
    ] {
        let tree = tree(&*fixture, staged).await?;
        let written = write_out(&*fixture, &tree).await?;
        is_the_tree(written.path(), &tree)?;
    }
    Ok(())
}

async fn a_written_tree_is_gone_when_dropped(new: Constructor<'_>) -> Result<(), Miss> {
    let fixture = filled(new)?;
    let tree = tree(&*fixture, Value::Null).await?;
    let written = write_out(&*fixture, &tree).await?;
    let path = written.path().to_owned();
    hold!(path.is_dir(), "it is no directory");
    hold!(!path.starts_with(fixture.root()), "it lies in the repository");
    drop(written);
    hold!(!path.exists(), "it was left");
    Ok(())
}

async fn one_tree_is_one_directory(new: Constructor<'_>) -> Result<(), Miss> {
    let fixture = filled(new)?;
    let tree = tree(&*fixture, json!({"s": "1"})).await?;
    let one = write_out(&*fixture, &tree).await?;
    let two = write_out(&*fixture, &tree).await?;
    hold!(one.path() == two.path(), "two directories of one tree");
    drop(one);
    is_the_tree(two.path(), &tree)
}

async fn a_tree_that_changed_is_not_written(new: Constructor<'_>) -> Result<(), Miss> {
    let fixture = filled(new)?;
    let before = tree(&*fixture, Value::Null).await?;
    fixture.write("a.txt", b"ALPHA\r\n", false)?;
    let result = fixture.worktree().materialize(&before, &CallContext::new()).await;
    let says = matches!(&result, Err(WorktreeError::Changed { path }) if path.as_str() == "a.txt");
    hold!(says, "{:?}", result.map(|_| ()));
    // Where the changed file is staged over, the tree is still what it was.
    let over = before.with_staged(StagedSet::from_json(&json!({"a.txt": "staged"}))?);
    let written = write_out(&*fixture, &over).await?;
    is_the_tree(written.path(), &over)
}

async fn a_written_tree_becomes_another(new: Constructor<'_>) -> Result<(), Miss> {
    let fixture = filled(new)?;
    let mut written = write_out(&*fixture, &tree(&*fixture, Value::Null).await?).await?;
    for staged in [
        json!({"a.txt": "2", "new/file": "1"}),
        json!({"bin": "a file now", "a.txt": null, "a.txt/inner": "1"}),
        json!({"A.txt": null, "a.TXT": "1", "link": "a file now"}),
        json!({}),
    ] {
        let tree = tree(&*fixture, staged).await?;
        written = fixture.worktree().update(written, &tree, &CallContext::new()).await?;
        is_the_tree(written.path(), &tree)?;
    }
    let path = RepoPath::new("a.txt")?;
    hold!(written.path().join(path.as_str()).is_file(), "it is not where it says");
    Ok(())
}
