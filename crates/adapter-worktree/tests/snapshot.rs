//! Which files a snapshot holds, and that it changes nothing.

mod common;

use common::{Repo, add, commit, p, paths, snapshot};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::time::Duration;
use understory_adapter_worktree::GitWorktree;
use understory_core::fingerprint::ContentHash;
use understory_core::staged::{StagedError, StagedSet};
use understory_core::tree::EntryKind;
use understory_ports::context::CallContext;
use understory_ports::worktree::{Worktree, WorktreeError};

#[test]
fn tracked_files_and_untracked_ones_that_no_rule_ignores() {
    let repo = Repo::git();
    repo.write(".gitignore", "/build\n*.gen.py\n!keep.gen.py\n\\#odd\n")
        .write("web/.gitignore", "out/\n*.log\r\n")
        .write(".git/info/exclude", "excluded.txt\n")
        .write(".ignore", "quiet.txt\n!loud.gen.py\n")
        .write("build/y.py", "")
        .write("build/tracked.py", "")
        .write("src/build/z.py", "")
        .write("a.gen.py", "")
        .write("keep.gen.py", "")
        .write("loud.gen.py", "")
        .write("web/out/x.py", "")
        .write("web/out/deep/forced.py", "")
        .write("web/out/deep/not_forced.py", "")
        .write("web/a.log", "")
        .write("web/app.py", "")
        .write("out/o.py", "")
        .write("excluded.txt", "")
        .write("quiet.txt", "")
        .write("quiet_tracked/quiet.txt", "")
        .write("#odd", "")
        .write(".hidden/x", "")
        .add(&[
            "build/tracked.py",
            "web/out/deep/forced.py",
            "quiet_tracked/quiet.txt",
            "src/build/z.py",
        ]);
    let tree = repo.snapshot();
    assert!(tree.is_git());
    assert_eq!(
        paths(&tree),
        [
            ".gitignore",
            ".hidden/x",
            ".ignore",
            "build/tracked.py",
            "keep.gen.py",
            "loud.gen.py",
            "out/o.py",
            "quiet_tracked/quiet.txt",
            "src/build/z.py",
            "web/.gitignore",
            "web/app.py",
            "web/out/deep/forced.py",
        ]
    );
}

#[test]
fn the_users_own_excludes_hold_where_they_are_configured() {
    let repo = Repo::git();
    repo.write("a.swp", "").write("a.txt", "");
    let excludes = repo.dir.path().join("excludes");
    fs::write(&excludes, "*.swp\n").unwrap();
    let given = GitWorktree::new(None).with_user_excludes(Some(excludes.clone()));
    assert_eq!(paths(&snapshot(&repo.root, &given).unwrap()), ["a.txt"]);
    assert_eq!(paths(&repo.snapshot()), ["a.swp", "a.txt"]);

    let mut config = repo
        .open()
        .config()
        .unwrap()
        .open_level(git2::ConfigLevel::Local)
        .unwrap();
    config.set_str("core.excludesFile", excludes.to_str().unwrap()).unwrap();
    let configured = GitWorktree::new(None);
    assert_eq!(paths(&snapshot(&repo.root, &configured).unwrap()), ["a.txt"]);
}

#[test]
fn letter_case_of_rules_follows_the_repository() {
    let repo = Repo::git();
    repo.write(".gitignore", "*.LOG\n")
        .write("a.log", "")
        .write("b.LOG", "");
    assert_eq!(paths(&repo.snapshot()), [".gitignore", "a.log"]);
    repo.open().config().unwrap().set_bool("core.ignorecase", true).unwrap();
    assert_eq!(paths(&repo.snapshot()), [".gitignore"]);
}

#[test]
fn a_cache_inside_the_repository_is_no_part_of_the_tree() {
    for make in [Repo::plain, Repo::git] {
        let mut repo = make();
        repo.write("src/a.py", "a").write("tools/cache/kept", "k");
        repo.cache = repo.root.join("tools/cache/understory");
        let before = repo.snapshot();
        assert_eq!(paths(&before), ["src/a.py", "tools/cache/kept"]);
        repo.write("tools/cache/understory/native/x/y.part", "x");
        let after = repo.snapshot();
        assert!(repo.cache.join("stat").exists());
        assert_eq!(paths(&after), paths(&before));
        assert_eq!(after.fingerprint(), before.fingerprint());

        // Where the cache is the root itself, its parts are left out.
        repo.cache = repo.root.clone();
        repo.snapshot();
        assert!(repo.root.join("stat").exists());
        let left: Vec<String> = paths(&repo.snapshot())
            .into_iter()
            .filter(|p| p.starts_with("stat"))
            .collect();
        assert_eq!(left, Vec::<String>::new());

        // A cache around the repository hides nothing.
        repo.cache = repo.dir.path().to_owned();
        assert!(paths(&repo.snapshot()).contains(&"src/a.py".to_owned()));
    }
    // What is tracked is in the tree wherever it lies.
    let mut repo = Repo::git();
    repo.write("cache/tracked.py", "t")
        .write("cache/other.py", "o")
        .add(&["cache/tracked.py"]);
    repo.cache = repo.root.join("cache");
    assert_eq!(paths(&repo.snapshot()), ["cache/tracked.py"]);
}

#[test]
fn a_plain_folder_needs_no_git() {
    let repo = Repo::plain();
    repo.write(".gitignore", "*.log\n")
        .write("sub/.ignore", "skip\n")
        .write("sub/skip", "")
        .write("sub/kept", "")
        .write("a.log", "")
        .write(".hidden", "");
    let tree = repo.snapshot();
    assert!(!tree.is_git());
    assert_eq!(tree.head(), None);
    assert_eq!(paths(&tree), [".gitignore", ".hidden", "sub/.ignore", "sub/kept"]);
}

#[test]
fn below_a_work_tree_paths_are_relative_and_its_rules_hold() {
    let repo = Repo::git();
    repo.write(".gitignore", "*.log\n/sub/only\n")
        .write("sub/a.py", "")
        .write("sub/a.log", "")
        .write("sub/only", "")
        .write("sub/in/only", "")
        .write("top.py", "")
        .write("subway/x", "")
        .add(&["sub/a.py"]);
    let head = repo.commit();
    let tree = snapshot(&repo.root.join("sub"), &repo.worktree()).unwrap();
    assert_eq!(paths(&tree), ["a.py", "in/only"]);
    assert_eq!(tree.head(), Some(head.as_str()));
    assert_eq!(tree.root(), repo.root.join("sub"));
}

#[test]
fn a_folder_that_the_repository_around_it_ignores_is_one_of_its_own() {
    let repo = Repo::git();
    repo.write(".gitignore", "/ignored\n*.log\n")
        .write("ignored/plain/a.py", "")
        .write("ignored/plain/b.log", "");
    let tree = snapshot(&repo.root.join("ignored/plain"), &repo.worktree()).unwrap();
    assert!(!tree.is_git());
    assert_eq!(paths(&tree), ["a.py", "b.log"]);

    let inner = git2::Repository::init(repo.root.join("ignored/repo")).unwrap();
    repo.write("ignored/repo/c.py", "").write("ignored/repo/d.log", "");
    add(&inner, &["c.py"]);
    let head = commit(&inner);
    let tree = snapshot(&repo.root.join("ignored/repo"), &repo.worktree()).unwrap();
    assert_eq!(tree.head(), Some(head.as_str()));
    assert_eq!(paths(&tree), ["c.py", "d.log"]);
}

#[test]
fn what_is_not_on_disk_is_not_in_the_tree() {
    let repo = Repo::git();
    repo.write("gone", "1")
        .write("kept", "1")
        .write("was_file", "1")
        .write("was_dir/x", "1");
    repo.add(&["gone", "kept", "was_file", "was_dir/x"]).commit();
    fs::remove_file(repo.root.join("gone")).unwrap();
    fs::remove_file(repo.root.join("was_file")).unwrap();
    fs::remove_dir_all(repo.root.join("was_dir")).unwrap();
    repo.write("was_file/now", "2").write("was_dir", "2");
    assert_eq!(paths(&repo.snapshot()), ["kept", "was_dir", "was_file/now"]);
}

#[test]
fn sparse_entries_are_out_and_present_ones_in() {
    let repo = Repo::git();
    repo.write("in/a", "1").write("out/b", "1").write("out/c", "1");
    repo.add(&["in/a", "out/b", "out/c"]).commit();
    let git = repo.open();
    let mut index = git.index().unwrap();
    for path in ["out/b", "out/c"] {
        let mut entry = index.get_path(path.as_ref(), 0).unwrap();
        entry.flags_extended |= 1 << 14; // skip-worktree
        entry.flags |= 0x4000;
        index.add(&entry).unwrap();
    }
    index.write().unwrap();
    fs::remove_file(repo.root.join("out/b")).unwrap();
    assert_eq!(paths(&repo.snapshot()), ["in/a", "out/c"]);
}

#[test]
fn linked_work_trees_and_detached_heads() {
    let repo = Repo::git();
    repo.write("a", "1").add(&["a"]);
    let head = repo.commit();
    let linked = repo.root.parent().unwrap().join("linked");
    repo.open().worktree("linked", &linked, None).unwrap();
    fs::write(linked.join("untracked"), "").unwrap();
    let tree = snapshot(&linked, &repo.worktree()).unwrap();
    assert_eq!(paths(&tree), ["a", "untracked"]);
    assert_eq!(tree.head(), Some(head.as_str()));

    repo.open()
        .set_head_detached(git2::Oid::from_str(&head).unwrap())
        .unwrap();
    assert_eq!(repo.snapshot().head(), Some(head.as_str()));
}

#[test]
fn no_commit_no_directory_no_work_tree() {
    let repo = Repo::git();
    let tree = repo.snapshot();
    assert_eq!((tree.head(), paths(&tree).len(), tree.is_git()), (None, 0, true));
    repo.write("a", "1").add(&["a"]);
    assert_eq!(paths(&repo.snapshot()), ["a"]);

    for missing in ["nowhere", "a"] {
        let error = snapshot(&repo.root.join(missing), &repo.worktree()).unwrap_err();
        assert!(matches!(error, WorktreeError::NoRoot { .. }), "{error}");
    }
    let bare = repo.dir.path().join("bare.git");
    git2::Repository::init_bare(&bare).unwrap();
    for root in [bare, repo.root.join(".git"), repo.root.join(".git/objects")] {
        let error = snapshot(&root, &repo.worktree()).unwrap_err();
        assert!(matches!(error, WorktreeError::Bare { .. }), "{error}");
    }
}

#[test]
fn a_shallow_repository_has_a_head() {
    let repo = Repo::git();
    repo.write("a", "1").add(&["a"]).commit();
    repo.write("b", "1").add(&["b"]);
    let head = repo.commit();
    repo.write(".git/shallow", format!("{head}\n"));
    let tree = repo.snapshot();
    assert_eq!(tree.head(), Some(head.as_str()));
    assert_eq!(paths(&tree), ["a", "b"]);
}

#[test]
fn nested_repositories_and_submodules_are_named_and_not_entered() {
    let repo = Repo::git();
    repo.write(".gitignore", "ignored_nested\n").write("a", "1");
    for nested in ["nested", "sub", "ignored_nested"] {
        let inner = git2::Repository::init(repo.root.join(nested)).unwrap();
        repo.write(&format!("{nested}/x.py"), "1");
        add(&inner, &["x.py"]);
        commit(&inner);
    }
    repo.write("looks_like/.git/nothing", "").write("looks_like/y", "");
    let sub = git2::Repository::open(repo.root.join("sub")).unwrap();
    let sub_head = sub.head().unwrap().target().unwrap();
    let git = repo.open();
    let mut index = git.index().unwrap();
    let mut entry = git2::IndexEntry {
        ctime: git2::IndexTime::new(0, 0),
        mtime: git2::IndexTime::new(0, 0),
        dev: 0,
        ino: 0,
        mode: 0o160_000,
        uid: 0,
        gid: 0,
        file_size: 0,
        id: sub_head,
        flags: 0,
        flags_extended: 0,
        path: b"sub".to_vec(),
    };
    index.add(&entry).unwrap();
    entry.path = b"empty_sub".to_vec();
    index.add(&entry).unwrap();
    entry.path = b"missing_sub".to_vec();
    index.add(&entry).unwrap();
    index.write().unwrap();
    fs::create_dir(repo.root.join("empty_sub")).unwrap();

    let tree = repo.snapshot();
    assert_eq!(
        paths(&tree),
        [".gitignore", "a", "empty_sub", "looks_like/y", "nested", "sub"]
    );
    for path in ["empty_sub", "nested", "sub"] {
        assert_eq!(tree.disk()[&p(path)].kind, EntryKind::Submodule, "{path}");
    }
    assert_eq!(tree.not_searched().nested, 3);
    let before = tree.fingerprint();
    repo.write("sub/y.py", "1");
    add(&sub, &["y.py"]);
    assert_eq!(repo.snapshot().fingerprint(), before);
    commit(&sub);
    assert_ne!(repo.snapshot().fingerprint(), before, "another commit in the submodule");
}

#[test]
fn links_are_listed_and_pipes_are_not() {
    let repo = Repo::plain();
    repo.write("a", "1")
        .link("to_a", "a")
        .link("loop", "loop")
        .link("out", "/etc")
        .link("dir", ".")
        .link("dangling", "none");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        repo.root.join("pipe"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR,
        0,
    )
    .unwrap();
    // A pipe in place of an ignore file must not be waited on.
    rustix::fs::mknodat(
        rustix::fs::CWD,
        repo.root.join(".gitignore"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR,
        0,
    )
    .unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(repo.root.join("socket")).unwrap();
    let tree = repo.snapshot();
    assert_eq!(paths(&tree), ["a", "dangling", "dir", "loop", "out", "to_a"]);
    let out = tree.disk()[&p("out")];
    assert_eq!((out.kind, out.hash), (EntryKind::Symlink, ContentHash::of(b"/etc")));
}

#[test]
fn odd_names_are_exact_and_unnameable_ones_counted() {
    let repo = Repo::git();
    let names = [
        "-dash",
        "a b",
        "quo'te\"s",
        "new\nline",
        "tab\t",
        "日本",
        "A",
        "a",
        "*.py",
        "a#b",
        "back\\slash",
    ];
    for name in names {
        repo.write(name, name);
    }
    for raw in [b"latin\xe9".as_slice(), b"dir\xe9/x"] {
        let path = repo.root.join(std::ffi::OsStr::from_bytes(raw));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "").unwrap();
    }
    repo.add(&["-dash", "new\nline", "A"]);
    let tree = repo.snapshot();
    let mut sorted = names.to_vec();
    sorted.sort_unstable();
    assert_eq!(paths(&tree), sorted);
    assert_eq!(tree.not_searched().bad_name, 2);
}

#[test]
fn what_is_too_deep_to_be_named_is_counted() {
    let repo = Repo::plain();
    let mut dir = rustix::fs::open(&repo.root, rustix::fs::OFlags::RDONLY, rustix::fs::Mode::empty()).unwrap();
    let name = "d".repeat(250);
    for _ in 0..18 {
        rustix::fs::mkdirat(&dir, &name, rustix::fs::Mode::RWXU).unwrap();
        dir = rustix::fs::openat(&dir, &name, rustix::fs::OFlags::RDONLY, rustix::fs::Mode::empty()).unwrap();
    }
    repo.write("a", "");
    let tree = repo.snapshot();
    assert_eq!(paths(&tree), ["a"]);
    assert_eq!(tree.not_searched().unreadable, 1);
}

#[test]
fn an_index_that_the_library_cannot_read_gives_way_to_head() {
    let repo = Repo::git();
    repo.write(".gitignore", "*.log\n")
        .write("a.log", "")
        .write("d/b.log", "")
        .write("c.log", "");
    repo.add(&["a.log", "d/b.log"]).commit();
    fs::write(repo.root.join(".git/index"), b"DIRC not an index at all").unwrap();
    assert_eq!(paths(&repo.snapshot()), [".gitignore", "a.log", "d/b.log"]);
}

#[test]
fn staged_paths_are_held_against_links_on_disk() {
    let repo = Repo::git();
    fs::create_dir(repo.root.parent().unwrap().join("outside")).unwrap();
    repo.write("real/x", "")
        .link("inside", "real")
        .link("out", "../outside")
        .link("dead", "nowhere");
    repo.link("git", ".git").link("real/up", "../out");
    for (set, refused) in [
        (serde_json::json!({"inside/y": "1"}), None),
        (serde_json::json!({"out": "1"}), None),
        (serde_json::json!({"out": null, "out/y": "1"}), None),
        (serde_json::json!({"l": {"symlink": "real/x"}}), None),
        (serde_json::json!({"ok": "1", "out/y": "1"}), Some("out")),
        (serde_json::json!({"out/y": null}), Some("out")),
        (serde_json::json!({"real/up/deep/y": "1"}), Some("real/up")),
        (serde_json::json!({"dead/y": "1"}), Some("dead")),
        (serde_json::json!({"git/hooks/x": "1"}), Some("git")),
        (serde_json::json!({"l": {"symlink": "out/secret"}}), Some("LinkLeaves")),
        (
            serde_json::json!({"d/l": {"symlink": "../real/up"}}),
            Some("LinkLeaves"),
        ),
    ] {
        let staged = StagedSet::from_json(&set).unwrap();
        let result = repo
            .worktree()
            .snapshot_blocking(&repo.root, &staged, &CallContext::new());
        let found = match result {
            Ok(_) => None,
            Err(WorktreeError::Staged(StagedError::ThroughLink { link, .. })) => Some(link.to_string()),
            Err(WorktreeError::Staged(StagedError::LinkLeaves { .. })) => Some("LinkLeaves".to_owned()),
            Err(other) => panic!("{set}: {other}"),
        };
        assert_eq!(found.as_deref(), refused, "{set}");
    }
}

#[test]
fn the_repository_is_left_as_it_was_and_nothing_of_it_runs() {
    let repo = Repo::git();
    repo.write("a", "1")
        .write("b.lfs", "1")
        .write(".gitattributes", "*.lfs filter=evil\n");
    repo.add(&["a"]).commit();
    let ran = repo.dir.path().join("ran");
    let run = format!("touch {}", ran.display());
    let mut config = repo.open().config().unwrap();
    for key in [
        "core.fsmonitor",
        "filter.evil.clean",
        "filter.evil.smudge",
        "filter.evil.process",
        "core.pager",
    ] {
        config.set_str(key, &run).unwrap();
    }
    // An index that is out of date is the case in which git would write a new one.
    repo.write("a", "2");
    let look = || -> Vec<_> {
        let mut all = Vec::new();
        let mut dirs = vec![repo.root.clone()];
        while let Some(dir) = dirs.pop() {
            let mut names: Vec<_> = fs::read_dir(&dir).unwrap().map(|e| e.unwrap().path()).collect();
            names.sort();
            for path in names {
                let meta = path.symlink_metadata().unwrap();
                if meta.is_dir() {
                    dirs.push(path.clone());
                }
                all.push((path, meta.len(), meta.modified().unwrap()));
            }
        }
        all
    };
    let before = look();
    let tree = repo.snapshot();
    assert_eq!(tree.disk()[&p("a")].hash, ContentHash::of(b"2"));
    assert_eq!(look(), before);
    assert!(!ran.exists());
}

#[tokio::test]
async fn a_cancelled_or_late_call_says_so() {
    let repo = Repo::git();
    repo.write("a", "1");
    let staged = StagedSet::new();
    let cx = CallContext::new();
    assert!(repo.worktree().snapshot(&repo.root, &staged, &cx).await.is_ok());
    cx.cancel.cancel();
    let error = repo.worktree().snapshot(&repo.root, &staged, &cx).await.unwrap_err();
    assert!(matches!(error, WorktreeError::Cancelled));
    let late = CallContext::new().with_timeout(Duration::ZERO);
    let error = repo.worktree().snapshot(&repo.root, &staged, &late).await.unwrap_err();
    assert!(matches!(error, WorktreeError::Timeout));
}

#[test]
fn a_git_file_that_leads_nowhere_is_not_a_part_of_the_repository_around_it() {
    let repo = Repo::git();
    repo.write("torn/.git", "gitdir: ../nowhere\n")
        .write("torn/a.py", "")
        .write("b.py", "");
    repo.write(".gitignore", "*.py\n");
    let tree = snapshot(&repo.root.join("torn"), &repo.worktree()).unwrap();
    assert!(!tree.is_git());
    assert_eq!(paths(&tree), ["a.py"]);
}
