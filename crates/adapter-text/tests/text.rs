//! Text search, reading and listing over real trees.

use serde_json::{Value, json};
use std::fs;
use std::sync::Arc;
use tempfile::TempDir;
use understory_adapter_text::RipgrepText;
use understory_adapter_worktree::GitWorktree;
use understory_core::answer::{ListAnswer, ReadAnswer, TextAnswer, Unit};
use understory_core::guard::Guard;
use understory_core::limits::Limits;
use understory_core::query::{ListQuery, ReadQuery, TextQuery};
use understory_core::refusal::{Refusal, RefusalCode};
use understory_core::staged::StagedSet;
use understory_core::tree::Tree;
use understory_ports::context::CallContext;
use understory_ports::text_search::{TextError, TextSearch};

struct Folder {
    dir: TempDir,
}

impl Folder {
    fn new(files: &[(&str, &[u8])]) -> Folder {
        let dir = tempfile::tempdir().unwrap();
        for (path, bytes) in files {
            let host = dir.path().join(path);
            fs::create_dir_all(host.parent().unwrap()).unwrap();
            fs::write(host, bytes).unwrap();
        }
        Folder { dir }
    }

    fn link(self, path: &str, target: &str) -> Folder {
        std::os::unix::fs::symlink(target, self.dir.path().join(path)).unwrap();
        self
    }

    fn tree(&self, staged: Value) -> Tree {
        let staged = StagedSet::from_json(&staged).unwrap();
        GitWorktree::new(None)
            .snapshot_blocking(self.dir.path(), &staged, &CallContext::new())
            .unwrap()
    }
}

fn text() -> RipgrepText {
    RipgrepText::new(Arc::new(Guard::default()))
}

async fn search(tree: &Tree, arguments: Value) -> Result<TextAnswer, Refusal> {
    let query = TextQuery::from_arguments(&arguments, &Limits::default()).unwrap();
    refusal(text().search(tree, &query, &CallContext::new()).await)
}

async fn read(tree: &Tree, arguments: Value) -> Result<ReadAnswer, Refusal> {
    let query = ReadQuery::from_arguments(&arguments).unwrap();
    refusal(text().read(tree, &query, &CallContext::new()).await)
}

async fn list(tree: &Tree, arguments: Value) -> Result<ListAnswer, Refusal> {
    let query = ListQuery::from_arguments(&arguments).unwrap();
    refusal(text().list(tree, &query, &CallContext::new()).await)
}

fn refusal<T>(result: Result<T, TextError>) -> Result<T, Refusal> {
    result.map_err(|e| match e {
        TextError::Refused(refusal) => refusal,
        other => panic!("{other}"),
    })
}

/// The matches as `path:line:text`.
async fn lines(tree: &Tree, pattern: &str) -> Vec<String> {
    let answer = search(tree, json!({"pattern": pattern})).await.unwrap();
    answer
        .matches
        .iter()
        .map(|m| format!("{}:{}:{}", m.path, m.line, m.text))
        .collect()
}

#[tokio::test]
async fn lines_match_one_by_one() {
    let folder = Folder::new(&[
        ("crlf.txt", b"return amount\r\n\treturn None\r\n\r\nlast"),
        ("lf.txt", b"foo\nbar\n\nfoo bar"),
        ("utf16.txt", b"\xff\xfef\0o\0o\0\r\0\n\0x\0"),
        ("latin.txt", b"caf\xe9 foo\n"),
    ]);
    let tree = folder.tree(json!({}));
    for (pattern, expected) in [
        ("amount$", vec!["crlf.txt:1:return amount"]),
        ("^\\treturn None$", vec!["crlf.txt:2:\treturn None"]),
        ("^$", vec!["crlf.txt:3:", "lf.txt:3:"]),
        ("last$", vec!["crlf.txt:4:last"]),
        ("^bar$", vec!["lf.txt:2:bar"]),
        (
            "(?i)FOO\\s?$",
            vec!["latin.txt:1:caf\u{fffd} foo", "lf.txt:1:foo", "utf16.txt:1:foo"],
        ),
        // Neither a class nor an escape reaches over a line end.
        ("foo[^x]bar", vec!["lf.txt:4:foo bar"]),
        ("foo\\s+bar", vec!["lf.txt:4:foo bar"]),
        ("foo\\nbar", vec![]),
        ("(?s)foo.bar", vec!["lf.txt:4:foo bar"]),
        ("\\Abar\\z", vec!["lf.txt:2:bar"]),
        ("(?-m)^bar$", vec!["lf.txt:2:bar"]),
        ("amount\\r", vec![]),
        ("amount\\s", vec![]),
    ] {
        assert_eq!(lines(&tree, pattern).await, expected, "{pattern}");
    }
    // A pattern that matches nothing at all matches every line.
    assert_eq!(lines(&tree, "x*").await.len(), 4 + 4 + 2 + 1);
}

#[tokio::test]
async fn everything_is_counted_and_the_limit_bounds_what_is_shown() {
    let many = "hit\n".repeat(300);
    let folder = Folder::new(&[
        ("b.txt", many.as_bytes()),
        ("a.txt", b"hit\n"),
        ("bin", b"hit\0"),
        (".env", b"hit"),
        ("late.bin", &[vec![b'x'; 20_000], b"hit\0".to_vec()].concat()),
    ]);
    let tree = folder.tree(json!({"c.txt": "hit", "z.bin": {"base64": "aGl0AA=="}}));
    let answer = search(&tree, json!({"pattern": "hit", "limit": 3})).await.unwrap();
    let shown: Vec<(&str, u32)> = answer.matches.iter().map(|m| (m.path.as_str(), m.line)).collect();
    assert_eq!(shown, [("a.txt", 1), ("b.txt", 1), ("b.txt", 2)]);
    assert_eq!((answer.counts.shown, answer.counts.total), (3, 302));
    assert!(answer.counts.exact && answer.counts.unit == Unit::Lines);
    assert_eq!(answer.not_searched.binary, 3);
    let answer = search(&tree, json!({"pattern": "hit", "path": "c.txt"})).await.unwrap();
    assert!(answer.matches[0].staged);
    assert_eq!(answer.not_searched.binary, 0);
}

#[tokio::test]
async fn a_search_may_be_limited_to_a_file_or_directory() {
    let folder = Folder::new(&[
        ("a/x.txt", b"hit"),
        ("ab/x.txt", b"hit"),
        ("b/.env", b"hit"),
        ("b/y", b""),
    ])
    .link("link", "a")
    .link("env", "b/.env")
    .link("out", "/etc");
    let tree = folder.tree(json!({}));
    for (path, expected) in [("a", 1), ("a/x.txt", 1), ("", 2), ("b", 0), ("link", 1)] {
        let answer = search(&tree, json!({"pattern": "hit", "path": path})).await.unwrap();
        assert_eq!(answer.counts.total, expected, "{path}");
    }
    for (path, code, near) in [
        ("b/.env", RefusalCode::ProtectedPath, vec![]),
        ("env", RefusalCode::ProtectedPath, vec![]),
        ("nowhere/.env", RefusalCode::ProtectedPath, vec![]),
        ("out", RefusalCode::NoSuchFile, vec![]),
        ("aa", RefusalCode::NoSuchFile, vec!["a", "ab"]),
    ] {
        let refusal = search(&tree, json!({"pattern": "hit", "path": path}))
            .await
            .unwrap_err();
        assert_eq!((refusal.code, refusal.suggestions), (code, owned(near)), "{path}");
    }
}

fn owned(list: Vec<&str>) -> Vec<String> {
    list.into_iter().map(str::to_owned).collect()
}

#[tokio::test]
async fn a_long_line_is_cut_and_found_all_the_same() {
    let line = format!(
        "{}needleFn(){}\nneedleFn\n",
        "function a(b){return b+1}".repeat(9000),
        "x;".repeat(900)
    );
    let folder = Folder::new(&[("app.min.js", line.as_bytes())]);
    let tree = folder.tree(json!({}));
    let answer = search(&tree, json!({"pattern": "needleFn"})).await.unwrap();
    assert_eq!(answer.counts.total, 2);
    let text = &answer.matches[0].text;
    assert!(text.chars().count() <= 400 && text.contains("needleFn()"), "{text}");
    assert!(text.starts_with('…') && text.ends_with('…'));
    assert_eq!(answer.matches[1].text, "needleFn");
}

#[tokio::test]
async fn ranges_of_lines() {
    let folder = Folder::new(&[
        ("p", b"1\r\n2\n3\n4"),
        ("empty", b""),
        ("blank", b"\n\n"),
        ("tail", b"a\n"),
    ]);
    let tree = folder.tree(json!({"staged": "s1\ns2"}));
    for (path, start, end, expected) in [
        ("p", 1, 0, (1, 4, 4, "1\r\n2\n3\n4")),
        ("p", 2, 3, (2, 3, 4, "2\n3\n")),
        ("p", 4, 4, (4, 4, 4, "4")),
        ("p", 3, 99, (3, 4, 4, "3\n4")),
        ("empty", 1, 0, (0, 0, 0, "")),
        ("blank", 1, 0, (1, 2, 2, "\n\n")),
        ("tail", 1, 0, (1, 1, 1, "a\n")),
        ("staged", 2, 0, (2, 2, 2, "s2")),
    ] {
        let arguments = json!({"path": path, "start": start, "end": end});
        let a = read(&tree, arguments).await.unwrap();
        let found = (a.start, a.end, a.total_lines, a.content.as_str());
        assert_eq!(found, expected, "{path} {start} {end}");
        assert_eq!(a.staged, path == "staged");
    }
    for (path, start, message) in [
        ("p", 5, "`start` is 5, and the file has 4 lines, numbered 1 to 4."),
        ("tail", 9, "`start` is 9, and the file has 1 line, numbered 1."),
        ("empty", 2, "`start` is 2, and the file has no lines."),
    ] {
        let refusal = read(&tree, json!({"path": path, "start": start})).await.unwrap_err();
        assert_eq!(refusal.code, RefusalCode::BadArgument, "{path} {start}");
        assert_eq!(refusal.message, message);
    }
}

#[tokio::test]
async fn a_long_file_is_cut_at_a_line_and_a_long_line_at_a_character() {
    let hundred = format!("{}\n", "é".repeat(99));
    let folder = Folder::new(&[
        ("long", hundred.repeat(200).as_bytes()),
        ("one", "é".repeat(20_000).as_bytes()),
        ("then", format!("short\n{}", "é".repeat(20_000)).as_bytes()),
    ]);
    let tree = folder.tree(json!({}));
    let a = read(&tree, json!({"path": "long", "start": 11})).await.unwrap();
    assert_eq!((a.start, a.end, a.total_lines), (11, 130, 200));
    assert_eq!(a.content, hundred.repeat(120));
    let a = read(&tree, json!({"path": "one"})).await.unwrap();
    assert_eq!((a.start, a.end, a.content.chars().count()), (1, 1, 12_000));
    assert!(a.content.ends_with("é…"));
    let a = read(&tree, json!({"path": "then"})).await.unwrap();
    assert_eq!((a.end, a.content.as_str()), (1, "short\n"));
}

#[tokio::test]
async fn what_cannot_be_read_is_refused_by_its_own_name() {
    let folder = Folder::new(&[
        ("src/poem.txt", b"x"),
        ("bin", b"\0"),
        (".env", b"SECRET=1"),
        ("key.pem", b"-----BEGIN PRIVATE KEY-----"),
        ("gone", b""),
    ])
    .link("notes.txt", ".env")
    .link("poem", "src/poem.txt")
    .link("dir", "src")
    .link("out", "../../../../etc/passwd");
    let tree = folder.tree(json!({"gone": null}));
    for (path, code, near) in [
        ("poem.txt", RefusalCode::NoSuchFile, vec!["src/poem.txt", "poem"]),
        ("src/poen.txt", RefusalCode::NoSuchFile, vec!["src/poem.txt"]),
        ("src", RefusalCode::NoSuchFile, vec!["src/poem.txt"]),
        ("dir", RefusalCode::NoSuchFile, vec!["src/poem.txt"]),
        ("gone", RefusalCode::NoSuchFile, vec![]),
        ("bin", RefusalCode::Unsupported, vec![]),
        (".env", RefusalCode::ProtectedPath, vec![]),
        ("notes.txt", RefusalCode::ProtectedPath, vec![]),
        ("key.pem", RefusalCode::ProtectedPath, vec![]),
        ("not/here/.env", RefusalCode::ProtectedPath, vec![]),
        ("out", RefusalCode::NoSuchFile, vec![]),
    ] {
        let refusal = read(&tree, json!({"path": path})).await.unwrap_err();
        assert_eq!((refusal.code, refusal.suggestions), (code, owned(near)), "{path}");
        assert!(!refusal.message.contains("SECRET"));
        assert!(!refusal.message.contains(folder.dir.path().to_str().unwrap()));
    }
    let a = read(&tree, json!({"path": "poem"})).await.unwrap();
    assert_eq!((a.path.as_str(), a.content.as_str()), ("poem", "x"));
    assert_eq!(read(&tree, json!({"path": "dir/poem.txt"})).await.unwrap().content, "x");
}

#[tokio::test]
async fn lists_take_globs_of_ignore_files() {
    let folder = Folder::new(&[
        ("a.py", b""),
        ("src/b.py", b""),
        ("src/deep/test_c.py", b""),
        ("src/deep/d.ts", b""),
        ("docs/e.md", b""),
        ("src/.env", b""),
        ("#x", b""),
    ])
    .link("link", "a.py")
    .link("env", "src/.env");
    let tree = folder.tree(json!({"src/new.py": "", "src/b.py": null}));
    let all_src = vec!["src/deep/d.ts", "src/deep/test_c.py", "src/new.py"];
    let all = [vec!["#x", "a.py", "docs/e.md", "link"], all_src.clone()].concat();
    for (path, glob, expected) in [
        ("", "", all),
        ("src", "", all_src),
        ("./src/", "*.py", vec!["src/deep/test_c.py", "src/new.py"]),
        ("", "*.py", vec!["a.py", "src/deep/test_c.py", "src/new.py"]),
        ("", "/*.py", vec!["a.py"]),
        ("", "src/**/test_*", vec!["src/deep/test_c.py"]),
        ("src", "deep/*.ts", vec!["src/deep/d.ts"]),
        ("", "deep/", vec!["src/deep/d.ts", "src/deep/test_c.py"]),
        ("", "docs", vec!["docs/e.md"]),
        ("", "*.{md,ts}", vec!["docs/e.md", "src/deep/d.ts"]),
        ("", "!*.py", vec!["#x", "docs/e.md", "link", "src/deep/d.ts"]),
        ("", "#x", vec!["#x"]),
        ("a.py", "", vec!["a.py"]),
        ("docs", "*.py", vec![]),
    ] {
        let answer = list(&tree, json!({"path": path, "glob": glob})).await.unwrap();
        let paths: Vec<&str> = answer.paths.iter().map(|p| p.as_str()).collect();
        assert_eq!(paths, expected, "{path} {glob}");
        let counts = (answer.counts.total, answer.counts.unit);
        assert_eq!(counts, (expected.len() as u64, Unit::Files));
    }
    let refusal = list(&tree, json!({"glob": "[z-a]"})).await.unwrap_err();
    assert_eq!(refusal.code, RefusalCode::BadQuery);
    let refusal = list(&tree, json!({"path": "scr"})).await.unwrap_err();
    assert_eq!(
        (refusal.code, refusal.suggestions),
        (RefusalCode::NoSuchFile, owned(vec!["src"]))
    );
    let refusal = list(&tree, json!({"path": "src/.env"})).await.unwrap_err();
    assert_eq!(refusal.code, RefusalCode::ProtectedPath);
}

#[tokio::test]
async fn a_list_holds_a_thousand_paths_and_counts_the_rest() {
    let names: Vec<String> = (0..1005).map(|i| format!("f{i:04}")).collect();
    let files: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), b"".as_slice())).collect();
    let tree = Folder::new(&files).tree(json!({}));
    let answer = list(&tree, json!({})).await.unwrap();
    assert_eq!(
        (answer.paths.len(), answer.counts.shown, answer.counts.total),
        (1000, 1000, 1005)
    );
}

#[tokio::test]
async fn a_cancelled_or_late_call_says_so() {
    let tree = Folder::new(&[("a", b"x")]).tree(json!({}));
    let query = TextQuery::from_arguments(&json!({"pattern": "x"}), &Limits::default()).unwrap();
    let cx = CallContext::new();
    cx.cancel.cancel();
    let error = text().search(&tree, &query, &cx).await.unwrap_err();
    assert!(matches!(error, TextError::Cancelled));
    let late = CallContext::new().with_timeout(std::time::Duration::ZERO);
    let error = text().search(&tree, &query, &late).await.unwrap_err();
    assert!(matches!(error, TextError::Timeout));
}
