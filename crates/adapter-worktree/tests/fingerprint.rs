//! The fingerprint: any change of the tree changes it, nothing else does, and the stat cache never shows.

mod common;

use common::{Repo, p};
use proptest::prelude::*;
use rustix::fs::{AtFlags, CWD, Timespec, Timestamps, utimensat};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use understory_adapter_worktree::GitWorktree;
use understory_core::fingerprint::Fingerprint;
use understory_core::staged::StagedSet;
use understory_core::tree::Tree;
use understory_ports::context::CallContext;

/// Gives a file these access and modification times.
fn touch(path: &Path, seconds: i64, nanoseconds: i64) {
    let time = Timespec {
        tv_sec: seconds,
        tv_nsec: nanoseconds as _,
    };
    let times = Timestamps {
        last_access: time,
        last_modification: time,
    };
    utimensat(CWD, path, &times, AtFlags::SYMLINK_NOFOLLOW).unwrap();
}

/// The snapshot by a worktree without a cache, which hashes everything.
fn cold(repo: &Repo) -> Tree {
    let worktree = GitWorktree::new(None).with_user_excludes(None);
    worktree
        .snapshot_blocking(&repo.root, &StagedSet::new(), &CallContext::new())
        .unwrap()
}

#[test]
fn golden_vectors() {
    let repo = Repo::git();
    repo.write("a.txt", "alpha\n")
        .write("dir/run.sh", "#!/bin/sh\n")
        .executable("dir/run.sh");
    repo.link("link", "a.txt");
    assert_eq!(cold(&repo).fingerprint().to_string(), GOLDEN_NO_HEAD);
    repo.add(&["a.txt", "dir/run.sh", "link"]);
    assert_eq!(repo.commit(), "21f669962bfcda16dc5e849021b0953e52945a70");
    let tree = cold(&repo);
    assert_eq!(tree.fingerprint().to_string(), GOLDEN_HEAD);
    assert_eq!(tree.disk_key(), cold(&repo).disk_key());
    let staged =
        StagedSet::from_json(&serde_json::json!({"a.txt": null, "b": {"text": "x", "executable": true}})).unwrap();
    let staged = tree.with_staged(staged);
    assert_eq!(staged.fingerprint().to_string(), GOLDEN_STAGED);
    assert_eq!(staged.disk_key(), tree.disk_key());
}

const GOLDEN_NO_HEAD: &str = "7cff6ea2c2f30fcf55c377d7b4039fd79985288410d49636eb536d74597b59dd";
const GOLDEN_HEAD: &str = "4c6217dd2b574515ab5e9b173c566f1a60153b1b63dac87178115603f63f6ccd";
const GOLDEN_STAGED: &str = "aa2759cf33e2ec8a7e19a1eb0d9a3ebc4f1a5a6aeee9cf01f21b007ffaf2deea";

#[test]
fn an_edit_that_keeps_size_inode_and_time_is_seen() {
    let repo = Repo::git();
    repo.write("a", "one");
    let path = repo.root.join("a");
    touch(&path, 1_000_000, 5);
    settle(&repo);
    let before = repo.snapshot();
    let inode = fs::metadata(&path).unwrap().ino();
    fs::write(&path, "two").unwrap();
    touch(&path, 1_000_000, 5);
    let meta = fs::metadata(&path).unwrap();
    assert_eq!((meta.ino(), meta.size(), meta.mtime()), (inode, 3, 1_000_000));
    assert_ne!(repo.snapshot().fingerprint(), before.fingerprint());
}

#[test]
fn a_file_that_was_written_just_now_is_hashed_again() {
    let repo = Repo::git();
    repo.write("fresh", "one");
    repo.snapshot();
    // Whatever an edit in the same tick of the clock leaves of the times, the hash of a file so young is not kept.
    assert_eq!(cached(&repo), 0);
    settle(&repo);
    repo.snapshot();
    assert_eq!(cached(&repo), 1);
}

/// Number of hashes in the cache, by the size of its file.
fn cached(repo: &Repo) -> u64 {
    let Ok(entries) = fs::read_dir(repo.cache.join("stat")) else {
        return 0;
    };
    let files: Vec<u64> = entries
        .map(|e| e.unwrap())
        .filter(|e| e.path().extension().is_none())
        .map(|e| e.metadata().unwrap().len())
        .collect();
    assert_eq!(files.len(), 1);
    (files[0] - 40) / 70
}

/// Waits until no file of the repository is so young that its hash would not be kept.
fn settle(repo: &Repo) {
    let youngest = repo
        .snapshot()
        .disk()
        .keys()
        .map(|path| {
            let meta = repo.root.join(path.as_str()).symlink_metadata().unwrap();
            (meta.ctime(), meta.ctime_nsec())
        })
        .max();
    let Some((seconds, nanoseconds)) = youngest else { return };
    let youngest = std::time::UNIX_EPOCH + std::time::Duration::new(seconds as u64, nanoseconds as u32);
    while youngest
        .elapsed()
        .is_ok_and(|age| age < std::time::Duration::from_millis(80))
    {
        std::thread::yield_now();
    }
}

#[test]
fn a_cache_that_is_torn_or_cannot_be_written_is_no_matter() {
    let repo = Repo::git();
    repo.write("a", "one").write("b", "two");
    settle(&repo);
    let expected = cold(&repo).fingerprint();
    assert_eq!(repo.snapshot().fingerprint(), expected);
    let stat = repo.cache.join("stat");
    for entry in fs::read_dir(&stat).unwrap() {
        let path = entry.unwrap().path();
        let bytes = fs::read(&path).unwrap();
        fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
    }
    assert_eq!(repo.snapshot().fingerprint(), expected);
    assert!(repo.snapshot().findings().is_empty());

    fs::remove_dir_all(&stat).unwrap();
    fs::write(&stat, "a file in its place").unwrap();
    let tree = repo.snapshot();
    assert_eq!(tree.fingerprint(), expected);
    let ids: Vec<&str> = tree.findings().iter().map(|f| f.id.as_str()).collect();
    assert_eq!(ids, ["worktree.cache"]);
    let root = repo.root.to_str().unwrap();
    assert!(!tree.findings()[0].message.contains(root));
}

#[derive(Clone, Debug)]
enum Edit {
    Write(usize, Vec<u8>),
    FlipByte(usize, usize),
    Mode(usize),
    Remove(usize),
    Rename(usize, usize),
    ToLink(usize, usize),
    Touch(usize, i64),
    Rewrite(usize),
}

const NAMES: [&str; 8] = ["a", "b", "dir/c", "dir/d", "dir/deep/e", "A", "-x y", "dir2/c"];

fn edit() -> impl Strategy<Value = Edit> {
    let name = 0..NAMES.len();
    prop_oneof![
        (name.clone(), prop::collection::vec(any::<u8>(), 0..20)).prop_map(|(n, b)| Edit::Write(n, b)),
        (name.clone(), 0..20usize).prop_map(|(n, at)| Edit::FlipByte(n, at)),
        name.clone().prop_map(Edit::Mode),
        name.clone().prop_map(Edit::Remove),
        (name.clone(), name.clone()).prop_map(|(a, b)| Edit::Rename(a, b)),
        (name.clone(), name.clone()).prop_map(|(a, b)| Edit::ToLink(a, b)),
        (name.clone(), 0..2_000_000_000i64).prop_map(|(n, t)| Edit::Touch(n, t)),
        name.prop_map(Edit::Rewrite),
    ]
}

fn apply(root: &Path, edit: &Edit) {
    let at = |n: &usize| root.join(NAMES[*n]);
    let write = |path: &Path, bytes: &[u8]| {
        let _ = fs::remove_file(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    };
    match edit {
        Edit::Write(n, bytes) => write(&at(n), bytes),
        Edit::FlipByte(n, byte) => {
            // In place, with the size, the inode and the modification time kept.
            let path = at(n);
            if let Ok(meta) = path.symlink_metadata()
                && meta.is_file()
                && meta.len() > 0
            {
                let mut bytes = fs::read(&path).unwrap();
                let byte = byte % bytes.len();
                bytes[byte] ^= 1;
                fs::write(&path, bytes).unwrap();
                touch(&path, meta.mtime(), meta.mtime_nsec());
            }
        }
        Edit::Mode(n) => {
            if let Ok(meta) = at(n).symlink_metadata()
                && meta.is_file()
            {
                fs::set_permissions(at(n), fs::Permissions::from_mode(meta.mode() ^ 0o111)).unwrap();
            }
        }
        Edit::Remove(n) => {
            let _ = fs::remove_file(at(n));
        }
        Edit::Rename(a, b) => {
            fs::create_dir_all(at(b).parent().unwrap()).unwrap();
            let _ = fs::rename(at(a), at(b));
        }
        Edit::ToLink(a, b) => {
            let path = at(a);
            let _ = fs::remove_file(&path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::os::unix::fs::symlink(NAMES[*b], path).unwrap();
        }
        Edit::Touch(n, time) => {
            if at(n).symlink_metadata().is_ok() {
                touch(&at(n), *time, 0);
            }
        }
        Edit::Rewrite(n) => {
            if let Ok(meta) = at(n).symlink_metadata()
                && meta.is_file()
            {
                let bytes = fs::read(at(n)).unwrap();
                write(&at(n), &bytes);
                fs::set_permissions(at(n), meta.permissions()).unwrap();
            }
        }
    }
}

/// What the fingerprint must tell apart: by name, whether it is a link, whether it can be run, and its bytes.
type State = BTreeMap<&'static str, (bool, bool, Vec<u8>)>;

/// The state of a tree, read without the code under test.
fn state(root: &Path) -> State {
    let mut out = BTreeMap::new();
    for name in NAMES {
        let path = root.join(name);
        let Ok(meta) = path.symlink_metadata() else { continue };
        let link = meta.is_symlink();
        let bytes = if link {
            fs::read_link(&path).unwrap().into_os_string().into_encoded_bytes()
        } else {
            fs::read(&path).unwrap()
        };
        out.insert(name, (link, !link && meta.mode() & 0o100 != 0, bytes));
    }
    out
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn equal_states_have_equal_fingerprints_and_others_do_not(edits in prop::collection::vec(edit(), 1..25)) {
        let repo = Repo::plain();
        let mut seen: BTreeMap<State, Fingerprint> = BTreeMap::new();
        for edit in &edits {
            apply(&repo.root, edit);
            let tree = repo.snapshot();
            let fingerprint = tree.fingerprint();
            prop_assert_eq!(fingerprint, cold(&repo).fingerprint(), "the cache shows after {:?}", edit);
            let state = state(&repo.root);
            prop_assert_eq!(tree.disk().len(), state.len());
            for name in state.keys() {
                prop_assert!(tree.disk().contains_key(&p(name)));
            }
            if let Some(before) = seen.get(&state) {
                prop_assert_eq!(*before, fingerprint, "equal after {:?}", edit);
            } else {
                prop_assert!(!seen.values().any(|f| *f == fingerprint), "told apart after {:?}", edit);
                seen.insert(state, fingerprint);
            }
        }
    }
}
