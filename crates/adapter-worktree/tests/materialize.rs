//! Trees written out: exactly the tree, apart from the repository, gone when dropped.

#![expect(
    clippy::disallowed_methods,
    reason = "one test kills a process of its own in the middle of its work"
)]

mod common;

use common::{Repo, add, commit, paths};
use rustix::process::{Signal, getpid, kill_process};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use understory_core::guard::Guard;
use understory_core::staged::StagedSet;
use understory_core::tree::Tree;
use understory_ports::context::{CallContext, Event, EventSink};
use understory_ports::worktree::{Materialized, WorktreeError};

impl Repo {
    fn staged(&self, staged: Value) -> Tree {
        let staged = StagedSet::from_json(&staged).unwrap();
        self.worktree()
            .snapshot_blocking(&self.root, &staged, &CallContext::new())
            .unwrap()
    }

    fn trees(&self) -> Vec<String> {
        names(&self.cache.join("trees"))
    }
}

fn names(dir: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(dir) else {
        return Vec::new();
    };
    let mut names: Vec<String> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Every file and link below a directory but `.git`: its bytes or target, and its mode.
fn contents(dir: &Path) -> BTreeMap<String, (Vec<u8>, u32)> {
    let mut out = BTreeMap::new();
    let mut dirs = vec![dir.to_owned()];
    while let Some(at) = dirs.pop() {
        for entry in fs::read_dir(&at).unwrap() {
            let path = entry.unwrap().path();
            if path.file_name().is_some_and(|n| n == ".git") {
                continue;
            }
            let meta = path.symlink_metadata().unwrap();
            let name = path.strip_prefix(dir).unwrap().to_str().unwrap().to_owned();
            if meta.is_dir() {
                dirs.push(path);
            } else if meta.is_symlink() {
                out.insert(name, (fs::read_link(&path).unwrap().as_os_str().as_bytes().to_vec(), 0));
            } else {
                out.insert(name, (fs::read(&path).unwrap(), meta.permissions().mode() & 0o111));
            }
        }
    }
    out
}

/// What git lists in a written tree.
fn listed(dir: &Path) -> Vec<String> {
    let git = git2::Repository::open(dir).unwrap();
    let index = git.index().unwrap();
    index.iter().map(|e| String::from_utf8(e.path).unwrap()).collect()
}

fn write_out(repo: &Repo, tree: &Tree) -> Box<dyn Materialized> {
    repo.worktree()
        .materialize_blocking(None, tree, &CallContext::new())
        .unwrap()
}

#[test]
fn the_files_as_on_disk_with_the_staged_set_on_top() {
    let repo = Repo::git();
    repo.write(".gitignore", "ignored\n")
        .write("clean.txt", "clean\r\nlines\r\n")
        .write("dirty.txt", "old")
        .write("gone.txt", "x")
        .write("run.sh", "#!/bin/sh\n")
        .write("latin.txt", b"caf\xe9\0")
        .write("deep/er/file", "deep")
        .write("lfs.bin", "version https://git-lfs.github.com/spec/v1\n")
        .write("m.py", "module")
        .write("pkg/a.py", "a")
        .executable("run.sh")
        .link("link", "deep/er/file")
        .link("away", "/etc/hostname");
    repo.add(&[
        "clean.txt",
        "dirty.txt",
        "gone.txt",
        "run.sh",
        "latin.txt",
        "deep/er/file",
        "lfs.bin",
        "m.py",
        "pkg/a.py",
        "link",
    ])
    .commit();
    repo.write("dirty.txt", "new")
        .write("untracked", "u")
        .write("ignored", "i");
    let tree = repo.staged(json!({
        "gone.txt": null,
        "clean.txt": {"base64": "AP8="},
        "tool.sh": {"text": "#!", "executable": true},
        "new/link": {"symlink": "../run.sh"},
        "ignored": "staged all the same",
        "m.py": null,
        "m.py/__init__.py": "package",
        "pkg": "now a file",
        "Deep.txt": "1",
        "deep.txt": "2",
    }));
    let before = contents(&repo.root);
    let written = write_out(&repo, &tree);
    let file = |bytes: &[u8]| (bytes.to_vec(), 0);
    let expected: BTreeMap<String, (Vec<u8>, u32)> = [
        (".gitignore", file(b"ignored\n")),
        ("clean.txt", file(b"\0\xff")),
        ("dirty.txt", file(b"new")),
        ("run.sh", (b"#!/bin/sh\n".to_vec(), 0o111)),
        ("tool.sh", (b"#!".to_vec(), 0o111)),
        ("latin.txt", file(b"caf\xe9\0")),
        ("deep/er/file", file(b"deep")),
        ("lfs.bin", file(b"version https://git-lfs.github.com/spec/v1\n")),
        ("untracked", file(b"u")),
        ("ignored", file(b"staged all the same")),
        ("m.py/__init__.py", file(b"package")),
        ("pkg", file(b"now a file")),
        ("Deep.txt", file(b"1")),
        ("deep.txt", file(b"2")),
        ("link", file(b"deep/er/file")),
        ("away", file(b"/etc/hostname")),
        ("new/link", file(b"../run.sh")),
    ]
    .into_iter()
    .map(|(path, contents)| (path.to_owned(), contents))
    .collect();
    assert_eq!(contents(written.path()), expected);
    assert_eq!(listed(written.path()), expected.keys().cloned().collect::<Vec<_>>());
    assert_eq!(contents(&repo.root), before);
    for path in ["dirty.txt", "run.sh"] {
        let (from, to) = (repo.root.join(path), written.path().join(path));
        assert_ne!(
            fs::metadata(from).unwrap().ino(),
            fs::metadata(to).unwrap().ino(),
            "a copy, not a hard link"
        );
    }

    let path = written.path().to_owned();
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o700);
    drop(written);
    assert!(!path.exists());
    assert_eq!(repo.trees(), Vec::<String>::new());
}

#[test]
fn git_sees_the_trees_files_and_no_history() {
    let repo = Repo::git();
    repo.write("a", "1").write("b", "2").add(&["a"]).commit();
    let inner = git2::Repository::init(repo.root.join("sub")).unwrap();
    repo.write("sub/x", "1");
    add(&inner, &["x"]);
    commit(&inner);
    let written = write_out(&repo, &repo.staged(json!({})));
    assert_eq!(listed(written.path()), ["a", "b", "sub"]);
    assert_eq!(names(&written.path().join("sub")), Vec::<String>::new());
    let git = git2::Repository::open(written.path()).unwrap();
    assert!(git.head().is_err());
    assert_eq!(
        git.workdir(),
        Some(written.path().canonicalize().unwrap().join("").as_path())
    );
}

#[test]
fn a_plain_folder_and_one_without_a_commit_are_written_too() {
    for repo in [Repo::plain(), Repo::git()] {
        repo.write("a/b", "1");
        let written = write_out(&repo, &repo.staged(json!({"c": "2"})));
        assert_eq!(contents(written.path()).keys().collect::<Vec<_>>(), ["a/b", "c"]);
    }
}

#[test]
fn what_the_guard_protects_is_left_out() {
    let repo = Repo::git();
    repo.write(".env", "SECRET")
        .write("key.pem", "-----BEGIN PRIVATE KEY-----\n")
        .write("cert.pem", "-----BEGIN CERTIFICATE-----\n")
        .link("notes", ".env")
        .write("a", "");
    let tree = repo.staged(json!({"conf/.env.local": "x"}));
    let worktree = repo.worktree().with_guard(Arc::new(Guard::default()));
    let written = worktree.materialize_blocking(None, &tree, &CallContext::new()).unwrap();
    assert_eq!(listed(written.path()), ["a", "cert.pem"]);
    assert_eq!(contents(written.path()).keys().collect::<Vec<_>>(), ["a", "cert.pem"]);
}

#[test]
fn a_file_that_changed_after_the_snapshot_is_an_error() {
    let repo = Repo::git();
    for change in ["bytes", "gone", "link", "directory", "link_target"] {
        repo.write("sub/a", "as seen").write("b", "");
        let _ = fs::remove_file(repo.root.join("l"));
        repo.link("l", "b");
        let tree = repo.staged(json!({}));
        let path = repo.root.join("sub/a");
        match change {
            "bytes" => fs::write(&path, "AS SEEN").unwrap(),
            "gone" => fs::remove_file(&path).unwrap(),
            "link" => {
                fs::rename(&path, repo.root.join("elsewhere")).unwrap();
                std::os::unix::fs::symlink("../elsewhere", &path).unwrap();
            }
            "directory" => {
                fs::rename(repo.root.join("sub"), repo.root.join("other")).unwrap();
                std::os::unix::fs::symlink("other", repo.root.join("sub")).unwrap();
            }
            _ => {
                fs::remove_file(repo.root.join("l")).unwrap();
                repo.link("l", "sub");
            }
        }
        let result = repo.worktree().materialize_blocking(None, &tree, &CallContext::new());
        assert!(matches!(result.err(), Some(WorktreeError::Changed { .. })), "{change}");
        assert_eq!(repo.trees(), Vec::<String>::new(), "{change}");
        for path in ["sub", "sub/a", "elsewhere"] {
            let _ = fs::remove_file(repo.root.join(path));
        }
        let _ = fs::remove_dir_all(repo.root.join("other"));
    }
}

#[test]
fn one_tree_is_written_once_and_lives_as_long_as_anyone_holds_it() {
    let repo = Repo::git();
    repo.write("a", "1");
    let worktree = repo.worktree();
    let cx = CallContext::new();
    let tree = repo.staged(json!({"s": "1"}));
    let one = worktree.materialize_blocking(None, &tree, &cx).unwrap();
    let two = worktree.clone().materialize_blocking(None, &tree, &cx).unwrap();
    assert_eq!(one.path(), two.path());
    let other = worktree
        .materialize_blocking(None, &repo.staged(json!({"s": "2"})), &cx)
        .unwrap();
    assert_ne!(one.path(), other.path());
    drop(one);
    assert!(two.path().join("a").exists());
    drop((two, other));
    assert_eq!(repo.trees(), Vec::<String>::new());
    let again = worktree.materialize_blocking(None, &tree, &cx).unwrap();
    assert!(again.path().join("s").exists());
}

#[test]
fn another_staged_set_writes_only_what_differs() {
    let repo = Repo::git();
    repo.write("kept", "1")
        .write("dir/kept", "1")
        .write("edited", "1")
        .write("file", "1")
        .write("d/x/y", "1")
        .write("Case", "1");
    repo.link("l", "kept");
    let worktree = repo.worktree();
    let cx = CallContext::new();
    let sets = [
        json!({}),
        json!({"edited": "2", "new/er/file": "1"}),
        json!({"file": null, "file/inner": "1", "d/x": "file now", "Case": null, "case": "1"}),
        json!({"l": "file now", "d": "file now", "file": {"text": "1", "executable": true}}),
        json!({"l": {"symlink": "edited"}, "dir": null}),
        json!({}),
    ];
    let mut written = worktree
        .materialize_blocking(None, &repo.staged(sets[0].clone()), &cx)
        .unwrap();
    let path = written.path().to_owned();
    let inode = |name: &str| fs::metadata(path.join(name)).unwrap().ino();
    let kept = inode("kept");
    // A tool's own files stay where no file of the tree goes.
    fs::create_dir(path.join("new")).unwrap();
    fs::write(path.join("new/index.db"), "tool").unwrap();
    for set in sets {
        let tree = repo.staged(set.clone());
        written = worktree.materialize_blocking(Some(written), &tree, &cx).unwrap();
        assert_eq!(written.path(), path);
        let mut found = contents(&path);
        assert_eq!(found.remove("new/index.db").map(|f| f.0), Some(b"tool".to_vec()));
        let fresh = write_out(&repo, &tree);
        assert_eq!(found, contents(fresh.path()), "{set}");
        assert_eq!(listed(&path), listed(fresh.path()), "{set}");
        assert_eq!(inode("kept"), kept);
    }
    assert_eq!(repo.trees().len(), 2);
}

#[test]
fn what_a_tool_did_to_a_tree_is_undone_and_not_followed() {
    let repo = Repo::git();
    repo.write("a", "1").write("sub/b", "1").write("sub/deep/c", "1");
    let worktree = repo.worktree();
    let cx = CallContext::new();
    let outside = repo.dir.path().join("outside");
    fs::create_dir_all(outside.join("deep")).unwrap();
    for path in ["b", "deep/c", "index", "HEAD"] {
        fs::write(outside.join(path), "mine").unwrap();
    }
    let written = worktree
        .materialize_blocking(None, &repo.staged(json!({})), &cx)
        .unwrap();
    let path = written.path().to_owned();
    fs::write(path.join("a"), "tampered").unwrap();
    fs::remove_dir_all(path.join("sub")).unwrap();
    std::os::unix::fs::symlink(&outside, path.join("sub")).unwrap();
    fs::remove_dir_all(path.join(".git")).unwrap();
    std::os::unix::fs::symlink(&outside, path.join(".git")).unwrap();
    let before = contents(&outside);
    let tree = repo.staged(json!({"sub/b": null, "sub/deep/c": "2"}));
    let written = worktree.materialize_blocking(Some(written), &tree, &cx).unwrap();
    assert_eq!(contents(&outside), before);
    let found = contents(written.path());
    assert_eq!(found.keys().collect::<Vec<_>>(), ["a", "sub/deep/c"]);
    assert_eq!(
        (found["a"].0.as_slice(), found["sub/deep/c"].0.as_slice()),
        (b"1".as_slice(), b"2".as_slice())
    );
    assert_eq!(listed(written.path()), ["a", "sub/deep/c"]);
}

#[test]
fn ten_at_once() {
    let repo = Repo::git();
    for i in 0..50 {
        repo.write(&format!("d{}/f{i}", i % 7), format!("{i}"));
    }
    let worktree = repo.worktree();
    let trees: Vec<Tree> = (0..10)
        .map(|i| repo.staged(json!({"mine": format!("{}", i / 2)})))
        .collect();
    let written: Vec<Box<dyn Materialized>> = std::thread::scope(|scope| {
        let threads: Vec<_> = trees
            .iter()
            .map(|tree| scope.spawn(|| worktree.materialize_blocking(None, tree, &CallContext::new()).unwrap()))
            .collect();
        threads.into_iter().map(|t| t.join().unwrap()).collect()
    });
    for (i, one) in written.iter().enumerate() {
        assert_eq!(
            fs::read_to_string(one.path().join("mine")).unwrap(),
            format!("{}", i / 2)
        );
        assert_eq!(contents(one.path()).len(), 51);
    }
    let different: std::collections::BTreeSet<PathBuf> = written.iter().map(|w| w.path().to_owned()).collect();
    assert_eq!(different.len(), 5, "equal trees are one directory");
    drop(written);
    assert_eq!(repo.trees(), Vec::<String>::new());
}

#[test]
fn a_failed_or_cancelled_writing_leaves_nothing() {
    let repo = Repo::git();
    for i in 0..500 {
        repo.write(&format!("d{}/f{i}", i % 5), "x");
    }
    let too_long = "n".repeat(300);
    let tree = repo.staged(json!({too_long: "no file system takes this name"}));
    let result = repo.worktree().materialize_blocking(None, &tree, &CallContext::new());
    assert!(matches!(result.err(), Some(WorktreeError::Io { .. })));
    assert_eq!(repo.trees(), Vec::<String>::new());

    struct CancelAtFirstProgress(CallContext);
    impl EventSink for CancelAtFirstProgress {
        fn event(&self, event: Event) {
            if matches!(event, Event::Progress { .. }) {
                self.0.cancel.cancel();
            }
        }
    }
    let mut cx = CallContext::new();
    cx.events = Arc::new(CancelAtFirstProgress(cx.clone()));
    let tree = repo.staged(json!({}));
    let result = repo.worktree().materialize_blocking(None, &tree, &cx);
    assert!(matches!(result.err(), Some(WorktreeError::Cancelled)));
    assert_eq!(repo.trees(), Vec::<String>::new());

    let no_cache = understory_adapter_worktree::GitWorktree::new(None);
    assert!(matches!(
        no_cache.materialize_blocking(None, &tree, &CallContext::new()).err(),
        Some(WorktreeError::Io { .. })
    ));
}

/// Not a test of its own: what the killed child of the next test runs. Without its variable it does nothing.
#[test]
fn killed_child() {
    let Ok(arguments) = std::env::var("UNDERSTORY_KILLED_CHILD") else {
        return;
    };
    let (dir, at) = arguments.rsplit_once(':').unwrap();
    let at: u64 = at.parse().unwrap();
    struct KillAt(u64, AtomicU64);
    impl EventSink for KillAt {
        fn event(&self, _event: Event) {
            if self.1.fetch_add(1, Ordering::SeqCst) == self.0 {
                kill_process(getpid(), Signal::KILL).unwrap();
            }
        }
    }
    let mut cx = CallContext::new();
    cx.events = Arc::new(KillAt(at, AtomicU64::new(0)));
    let worktree =
        understory_adapter_worktree::GitWorktree::new(Some(Path::new(dir).join("cache"))).with_user_excludes(None);
    let tree = worktree
        .snapshot_blocking(&Path::new(dir).join("repo"), &StagedSet::new(), &cx)
        .unwrap();
    let _written = worktree.materialize_blocking(None, &tree, &cx).unwrap();
    kill_process(getpid(), Signal::KILL).unwrap();
}

#[test]
fn what_a_killed_process_left_is_removed_and_the_next_run_is_right() {
    // `benches/kill_snapshot.sh` asks for more.
    let Ok(rounds) = std::env::var("UNDERSTORY_ROUNDS") else {
        return kill_at(150, &[0, 1, 2, 3, 4]);
    };
    let rounds: u64 = rounds.parse().expect("UNDERSTORY_ROUNDS is a number");
    // In an order that has nothing to do with the size of what is left.
    let points: Vec<u64> = (0..rounds).map(|i| i * 7919 % 23).collect();
    kill_at(700, &points);
}

/// Kills a process that takes a snapshot and writes it out, at each of these events of it, and looks after each what a
/// next run finds and leaves.
fn kill_at(files: usize, points: &[u64]) {
    let repo = Repo::git();
    for i in 0..files {
        repo.write(&format!("d{}/f{i}", i % 5), format!("{i}"));
    }
    let mine = write_out(&repo, &repo.staged(json!({"live": "1"})));
    let mut left = 0;
    for (round, at) in points.iter().enumerate() {
        repo.write("changing", format!("{round}"));
        let status = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "killed_child", "--nocapture"])
            .env("UNDERSTORY_KILLED_CHILD", format!("{}:{at}", repo.dir.path().display()))
            .output()
            .unwrap()
            .status;
        assert_eq!(status.signal(), Some(9));
        left += repo.trees().len() - 2;
        let tree = repo.staged(json!({}));
        assert_eq!(paths(&tree).len(), files + 1);
        let written = write_out(&repo, &tree);
        assert_eq!(contents(written.path()), contents(&repo.root));
        drop(written);
        assert_eq!(repo.trees().len(), 2, "only the living one's: {:?}", repo.trees());
    }
    assert!(
        left * 2 >= points.len(),
        "the child was killed while its tree stood: {left}"
    );
    assert!(mine.path().join("live").exists());
    let strays: Vec<String> = names(&repo.cache.join("stat"))
        .into_iter()
        .filter(|n| n.ends_with(".tmp"))
        .collect();
    assert_eq!(strays, Vec::<String>::new());
}
