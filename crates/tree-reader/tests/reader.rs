//! Reading a tree past the guard.

use serde_json::json;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use understory_core::answer::NotSearched;
use understory_core::fingerprint::ContentHash;
use understory_core::guard::Guard;
use understory_core::path::RepoPath;
use understory_core::staged::StagedSet;
use understory_core::tree::{EntryKind, Tree, TreeEntry};
use understory_tree_reader::{Content, Reader, Resolved};

fn p(text: &str) -> RepoPath {
    RepoPath::new(text).unwrap()
}

enum On {
    Bytes(&'static [u8]),
    Link(&'static str),
    Nested,
}

fn tree(dir: &Path, disk: &[(&str, On)], staged: serde_json::Value) -> Tree {
    let mut entries = BTreeMap::new();
    for (path, on) in disk {
        let host = dir.join(path);
        fs::create_dir_all(host.parent().unwrap()).unwrap();
        let (kind, bytes) = match on {
            On::Bytes(bytes) => {
                fs::write(&host, bytes).unwrap();
                (EntryKind::File, *bytes)
            }
            On::Link(target) => {
                std::os::unix::fs::symlink(target, &host).unwrap();
                (EntryKind::Symlink, target.as_bytes())
            }
            On::Nested => (EntryKind::Submodule, b"".as_slice()),
        };
        let entry = TreeEntry {
            kind,
            executable: false,
            size: bytes.len() as u64,
            hash: ContentHash::of(bytes),
        };
        entries.insert(p(path), entry);
    }
    let staged = StagedSet::from_json(&staged).unwrap();
    Tree::new(
        dir.to_owned(),
        false,
        None,
        Arc::new(entries),
        staged,
        NotSearched::default(),
    )
}

const KEY: &[u8] = b"-----BEGIN PRIVATE KEY-----\n";
const CERTIFICATE: &[u8] = b"-----BEGIN CERTIFICATE-----\n";

#[test]
fn contents_by_kind() {
    let dir = tempfile::tempdir().unwrap();
    let disk = [
        ("a.txt", On::Bytes(b"a\r\n")),
        ("bom.txt", On::Bytes(b"\xef\xbb\xbfx")),
        ("utf16.txt", On::Bytes(b"\xff\xfeh\0i\0")),
        ("latin.txt", On::Bytes(b"caf\xe9")),
        ("bin", On::Bytes(b"a\0b")),
        (".env", On::Bytes(b"SECRET")),
        ("key.pem", On::Bytes(KEY)),
        ("cert.pem", On::Bytes(CERTIFICATE)),
        ("link", On::Link("a.txt")),
        ("gone.txt", On::Bytes(b"")),
        ("swapped.txt", On::Bytes(b"")),
        ("deleted.txt", On::Bytes(b"old")),
        ("over.txt", On::Bytes(b"old")),
        ("third", On::Nested),
    ];
    let staged = json!({"deleted.txt": null, "over.txt": "new", "made.key": "-----BEGIN PRIVATE KEY-----", "z": {"base64": "AAE="}});
    let tree = tree(dir.path(), &disk, staged);
    fs::remove_file(dir.path().join("gone.txt")).unwrap();
    fs::remove_file(dir.path().join("swapped.txt")).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", dir.path().join("swapped.txt")).unwrap();
    let guard = Guard::default();
    let reader = Reader::new(&tree, &guard);
    let text = |t: &str| Content::Text(t.to_owned());
    for (path, expected) in [
        ("a.txt", text("a\r\n")),
        ("bom.txt", text("x")),
        ("utf16.txt", text("hi")),
        ("latin.txt", text("caf\u{fffd}")),
        ("bin", Content::Binary),
        (".env", Content::Protected),
        ("not/there/.env", Content::Protected),
        ("key.pem", Content::Protected),
        ("cert.pem", text("-----BEGIN CERTIFICATE-----\n")),
        ("link", Content::Missing),
        ("gone.txt", Content::Unreadable),
        ("swapped.txt", Content::Unreadable),
        ("deleted.txt", Content::Missing),
        ("over.txt", text("new")),
        ("made.key", Content::Protected),
        ("z", Content::Binary),
        ("third", Content::Missing),
        ("nowhere", Content::Missing),
    ] {
        assert_eq!(reader.read(&p(path)), expected, "{path}");
    }
    let open: Vec<&str> = reader.open_files().iter().map(|f| f.path.as_str()).collect();
    assert_eq!(
        open,
        [
            "a.txt",
            "bin",
            "bom.txt",
            "cert.pem",
            "gone.txt",
            "latin.txt",
            "link",
            "over.txt",
            "swapped.txt",
            "third",
            "utf16.txt",
            "z"
        ]
    );
}

#[test]
fn links_are_followed_inside_the_tree_and_judged_on_the_way() {
    let dir = tempfile::tempdir().unwrap();
    let absolute: &'static str = Box::leak(
        dir.path()
            .join("src/a.py")
            .to_str()
            .unwrap()
            .to_owned()
            .into_boxed_str(),
    );
    let disk = [
        ("src/a.py", On::Bytes(b"a")),
        (".env", On::Bytes(b"x")),
        ("key.pem", On::Bytes(KEY)),
        ("to_file", On::Link("src/a.py")),
        ("to_dir", On::Link("./src/")),
        ("src/up", On::Link("../to_dir/a.py")),
        ("absolute", On::Link(absolute)),
        ("notes.txt", On::Link(".env")),
        ("chain", On::Link("notes.txt")),
        ("cert", On::Link("key.pem")),
        ("loop", On::Link("loop")),
        ("a_loop", On::Link("b_loop")),
        ("b_loop", On::Link("a_loop")),
        ("out", On::Link("../../etc/passwd")),
        ("out_absolute", On::Link("/etc/passwd")),
        ("git", On::Link(".git/config")),
        ("dangling", On::Link("nothing")),
        ("dangling_env", On::Link("nothing/.env")),
        ("third", On::Nested),
        ("root", On::Link(".")),
    ];
    let staged = json!({"staged_link": {"symlink": "src/a.py"}, "staged_env": {"symlink": ".env"}});
    let tree = tree(dir.path(), &disk, staged);
    let guard = Guard::default();
    let reader = Reader::new(&tree, &guard);
    let a = || Resolved::File(p("src/a.py"));
    for (path, expected) in [
        ("src/a.py", a()),
        ("to_file", a()),
        ("to_dir/a.py", a()),
        ("src/up", a()),
        ("to_dir/up", a()),
        ("absolute", a()),
        ("root/root/src/a.py", a()),
        ("staged_link", a()),
        ("to_dir", Resolved::Dir(p("src"))),
        ("src", Resolved::Dir(p("src"))),
        ("root", Resolved::Dir(RepoPath::root())),
        (".env", Resolved::Protected),
        ("no/.env", Resolved::Protected),
        ("notes.txt", Resolved::Protected),
        ("chain", Resolved::Protected),
        ("cert", Resolved::Protected),
        ("key.pem", Resolved::Protected),
        ("git", Resolved::Protected),
        ("staged_env", Resolved::Protected),
        ("dangling_env", Resolved::Protected),
        ("root/.env", Resolved::Protected),
        ("loop", Resolved::BrokenLink),
        ("a_loop", Resolved::BrokenLink),
        ("out", Resolved::BrokenLink),
        ("out_absolute", Resolved::BrokenLink),
        ("dangling", Resolved::BrokenLink),
        ("third", Resolved::Nested(p("third"))),
        ("third/x.py", Resolved::Nested(p("third"))),
        ("src/b.py", Resolved::Missing),
        ("src/a.py/x", Resolved::Missing),
    ] {
        assert_eq!(reader.resolve(&p(path)), expected, "{path}");
    }
    let open: Vec<&str> = reader.open_files().iter().map(|f| f.path.as_str()).collect();
    for hidden in [
        "notes.txt",
        "chain",
        "cert",
        "git",
        "staged_env",
        "dangling_env",
        ".env",
        "key.pem",
    ] {
        assert!(!open.contains(&hidden), "{hidden}");
    }
    assert!(open.contains(&"out") && open.contains(&"loop") && open.contains(&"staged_link"));
}

#[test]
fn near_paths_are_offered_and_protected_ones_are_not() {
    let dir = tempfile::tempdir().unwrap();
    let disk = [
        ("src/poem.txt", On::Bytes(b"")),
        (".env.example", On::Bytes(b"")),
        (".env", On::Bytes(b"")),
        ("poems/x", On::Bytes(b"")),
    ];
    let tree = tree(dir.path(), &disk, json!({}));
    let guard = Guard::default();
    let reader = Reader::new(&tree, &guard);
    assert_eq!(reader.near_files(&p("poem.txt")), ["src/poem.txt"]);
    assert_eq!(reader.near_files(&p(".enw")), Vec::<String>::new());
    assert_eq!(reader.near_dirs(&p("poem")), ["poems"]);
}
