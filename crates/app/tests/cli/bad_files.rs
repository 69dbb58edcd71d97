//! Files that are no good source text: the others are found as ever, and what can be said of the bad one is said.

use crate::support::Bed;
use serde_json::{Value, json};

const GOOD: &str = "def helper(x):\n    return x\n\n\ndef caller():\n    return helper(1)\n";

/// A repository with a good file and these bytes.
fn bed(path: &str, bytes: &[u8]) -> Bed {
    let bed = Bed::new(&[("good.py", GOOD)]);
    std::fs::write(bed.path("repo").join(path), bytes).unwrap();
    bed
}

fn search(bed: &Bed, arguments: Value) -> Value {
    bed.json(&["tool", "search_code", &arguments.to_string()])
}

/// Every mode answers, and the good file is found in each.
fn every_mode_answers(bed: &Bed, about: &str) {
    for arguments in [
        json!({"mode": "ask", "query": "helper"}),
        json!({"mode": "grep", "query": "return helper"}),
        json!({"mode": "callers", "query": "helper"}),
        json!({"mode": "skeleton", "file": "good.py"}),
        json!({"mode": "map"}),
        json!({"mode": "explore", "query": "helper"}),
    ] {
        let answer = search(bed, arguments.clone());
        assert_eq!(answer["ok"], true, "{about} {arguments}: {answer}");
        assert!(
            answer["text"].as_str().unwrap().contains("good.py") || arguments["mode"] == "map",
            "{about} {answer}"
        );
    }
}

/// Names and first lines of what a file defines.
fn skeleton(bed: &Bed, file: &str) -> Vec<(String, u64)> {
    let answer = search(bed, json!({"mode": "skeleton", "file": file}));
    let hits = answer["hits"].as_array().unwrap_or_else(|| panic!("{answer}"));
    hits.iter()
        .map(|h| {
            (
                h["symbol"]["name"].as_str().unwrap().to_owned(),
                h["symbol"]["start"].as_u64().unwrap(),
            )
        })
        .collect()
}

#[test]
fn odd_texts_are_read_as_far_as_they_go() {
    let utf16: Vec<u8> = [0xff, 0xfe]
        .into_iter()
        .chain("def odd():\n    return 'é'\n".encode_utf16().flat_map(u16::to_le_bytes))
        .collect();
    for (about, bytes, line) in [
        (
            "truncated",
            b"def odd(a):\n    return a\n\nclass Cut:\n    def half(self, (((".to_vec(),
            1,
        ),
        ("truncated in a character", b"def odd():\n    return '\xc3".to_vec(), 1),
        (
            "not UTF-8",
            b"# caf\xe9\ndef odd():\n    return '\xff\xfe\x80'\n".to_vec(),
            2,
        ),
        ("CRLF", b"# one\r\n\r\ndef odd():\r\n    return 1\r\n".to_vec(), 3),
        ("a lone CR", b"# one\rtwo\ndef odd():\n    return 1\n".to_vec(), 2),
        ("BOM", b"\xef\xbb\xbfdef odd():\n    return 1\n".to_vec(), 1),
        ("UTF-16", utf16, 1),
        ("no line end", b"def odd(): return 1".to_vec(), 1),
    ] {
        let bed = bed("odd.py", &bytes);
        every_mode_answers(&bed, about);
        let found = skeleton(&bed, "odd.py");
        assert_eq!(found.first(), Some(&("odd".to_owned(), line)), "{about}");
        let answer = search(&bed, json!({"mode": "grep", "query": "def odd\\(.*:$"}));
        let lines = answer["hits"][0]["lines"].as_array().map_or(0, Vec::len);
        // A line that goes on after the colon is the only one that does not match.
        assert_eq!(lines, usize::from(about != "no line end"), "{about}: {answer}");
        assert!(
            !answer.to_string().contains("\\r"),
            "{about}: a line has no line end: {answer}"
        );
        assert_eq!(answer["not_searched"]["binary"], 0, "{about}");
    }
}

#[test]
fn a_binary_file_is_counted_and_has_no_lines() {
    let bed = bed("blob.py", b"def odd():\n    return 1\n\0\x01\x02");
    every_mode_answers(&bed, "binary");
    for (tool, arguments) in [
        ("search_code", json!({"mode": "grep", "query": "def odd"})),
        ("search_text", json!({"pattern": "def odd"})),
    ] {
        let answer = bed.json(&["tool", tool, &arguments.to_string()]);
        assert_eq!(answer["counts"]["total"], 0, "{answer}");
        assert_eq!(answer["not_searched"]["binary"], 1, "{answer}");
        assert!(
            answer["text"]
                .as_str()
                .unwrap()
                .contains("Files not searched: 1 binary."),
            "{answer}"
        );
    }
    let read = bed.json(&["tool", "read_file", r#"{"path": "blob.py"}"#]);
    assert_eq!(read["refusal"]["code"], "search_code.unsupported");
    // A name that only the binary file may hold is not said to be nowhere without a word on that file.
    let missing = search(&bed, json!({"mode": "callers", "query": "odd"}));
    assert_eq!(missing["refusal"]["code"], "search_code.no_symbol");
    assert_eq!(missing["not_searched"]["binary"], 1, "{missing}");
}

#[test]
fn a_hundred_thousand_brackets_are_survived() {
    for file in [
        "deep.py",
        "deep.js",
        "deep.ts",
        "deep.rs",
        "deep.go",
        "deep.c",
        "deep.java",
        "deep.rb",
        "deep.json",
    ] {
        let bed = bed(file, "[".repeat(100_000).as_bytes());
        std::fs::write(bed.path("repo").join(format!("round.{file}")), "(".repeat(100_000)).unwrap();
        every_mode_answers(&bed, file);
        let closed = format!("x = {}{}\n", "[".repeat(100_000), "]".repeat(100_000));
        std::fs::write(bed.path("repo").join(file), closed).unwrap();
        every_mode_answers(&bed, file);
    }
}

#[test]
fn fifty_megabytes_are_searched_to_the_end() {
    let mut text = String::from("def first():\n    return 1\n\n\nDATA = '''\n");
    while text.len() < 50 << 20 {
        text.push_str("0123456789 abcdefghij 0123456789 abcdefghij 0123456789 abcdefghij 0123456789 abcdefghij\n");
    }
    text.push_str("'''\n\n\ndef last():\n    return helper(2)\n");
    let line = text.lines().count() as u64 - 1;
    let bed = bed("huge.py", text.as_bytes());
    let found = skeleton(&bed, "huge.py");
    assert_eq!(found.first(), Some(&("first".to_owned(), 1)));
    assert_eq!(found.last(), Some(&("last".to_owned(), line)));
    let answer = search(&bed, json!({"mode": "grep", "query": "helper\\(2\\)"}));
    assert_eq!(answer["hits"][0]["symbol"]["name"], "last", "{answer}");
    let answer = search(&bed, json!({"mode": "callers", "query": "helper"}));
    assert_eq!(
        answer["counts"]["total"], 1,
        "another file's `helper` is not imported: {answer}"
    );
    let found = bed.json(&["tool", "search_text", r#"{"pattern": "helper\\(2\\)"}"#]);
    assert_eq!(found["matches"][0]["line"], line + 1);
    let read = bed.json(&[
        "tool",
        "read_file",
        &format!(r#"{{"path": "huge.py", "start": {line}}}"#),
    ]);
    assert_eq!(read["content"], "def last():\n    return helper(2)\n");
}

#[cfg(unix)]
#[test]
fn links_in_a_circle_are_listed_and_lead_nowhere() {
    use std::os::unix::fs::symlink;
    let bed = Bed::new(&[("good.py", GOOD), ("dir/inner.py", "def inner():\n    pass\n")]);
    let repo = bed.path("repo");
    symlink("b.py", repo.join("a.py")).unwrap();
    symlink("a.py", repo.join("b.py")).unwrap();
    symlink("self.py", repo.join("self.py")).unwrap();
    symlink("..", repo.join("dir/up")).unwrap();
    symlink(".", repo.join("dir/here")).unwrap();
    every_mode_answers(&bed, "links");
    let listed = bed.json(&["tool", "list_files", "{}"]);
    assert_eq!(
        listed["paths"],
        json!([
            "a.py",
            "b.py",
            "dir/here",
            "dir/inner.py",
            "dir/up",
            "good.py",
            "self.py"
        ])
    );
    let once = search(&bed, json!({"mode": "grep", "query": "def (inner|helper)"}));
    assert_eq!(once["counts"]["total"], 2, "nothing is searched twice: {once}");
    for file in ["a.py", "self.py", "dir/here", "dir/up/a.py"] {
        for (tool, arguments) in [
            ("search_code", json!({"mode": "skeleton", "file": file})),
            ("read_file", json!({"path": file})),
        ] {
            let answer = bed.json(&["tool", tool, &arguments.to_string()]);
            assert_eq!(
                answer["refusal"]["code"], "search_code.no_such_file",
                "{file}: {answer}"
            );
        }
    }
}

#[cfg(unix)]
#[test]
fn a_skeleton_follows_links_that_stay_in_the_tree() {
    use std::os::unix::fs::symlink;
    let bed = Bed::new(&[("src/good.py", GOOD), (".env", "A=1\n")]);
    let repo = bed.path("repo");
    symlink("src/good.py", repo.join("link.py")).unwrap();
    symlink("src", repo.join("dir")).unwrap();
    symlink(".env", repo.join("secret.py")).unwrap();
    symlink("/etc/hostname", repo.join("away.py")).unwrap();
    std::fs::write(bed.path("staged.json"), r#"{"new.py": {"symlink": "dir/good.py"}}"#).unwrap();
    let staged = bed.path("staged.json");
    for file in ["link.py", "dir/good.py", "new.py"] {
        let arguments = json!({"mode": "skeleton", "file": file}).to_string();
        let answer = bed.json(&["tool", "search_code", &arguments, "--staged", staged.to_str().unwrap()]);
        assert_eq!(answer["hits"][0]["symbol"]["name"], "helper", "{answer}");
        assert_eq!(answer["hits"][0]["symbol"]["path"], "src/good.py", "{answer}");
        assert_eq!(answer["request"]["file"], file, "{answer}");
        assert!(
            answer["text"].as_str().unwrap().starts_with(&format!("{file}\n")),
            "{answer}"
        );
    }
    for (file, code, part) in [
        ("secret.py", "search_code.protected_path", "protected"),
        (
            "away.py",
            "search_code.no_such_file",
            "is a link that leads out of the tree",
        ),
        ("src", "search_code.no_such_file", "is a directory"),
        ("dir", "search_code.no_such_file", "is a directory"),
        ("src/god.py", "search_code.no_such_file", "src/good.py"),
    ] {
        let answer = search(&bed, json!({"mode": "skeleton", "file": file}));
        assert_eq!(answer["refusal"]["code"], code, "{answer}");
        assert!(
            answer["refusal"]["message"].as_str().unwrap().contains(part),
            "{answer}"
        );
    }
}

#[cfg(unix)]
#[test]
fn odd_names_are_exact() {
    let names = [
        "a b.py",
        "it's \"quoted\".py",
        "new\nline.py",
        "-dash.py",
        "--help.py",
        "tab\there.py",
        "$(x);&|*?.py",
        "é ü.py",
    ];
    let files: Vec<(&str, &str)> = names.iter().map(|n| (*n, "def odd():\n    pass\n")).collect();
    let bed = Bed::new(&files);
    let mut sorted = names;
    sorted.sort_unstable();
    assert_eq!(bed.json(&["tool", "list_files", "{}"])["paths"], json!(sorted));
    for name in names {
        assert_eq!(skeleton(&bed, name), [("odd".to_owned(), 1)], "{name:?}");
        let read = bed.json(&["tool", "read_file", &json!({"path": name}).to_string()]);
        assert_eq!(read["content"], "def odd():\n    pass\n", "{name:?}");
        // As a person types it: `--` ends the options.
        assert_eq!(bed.run(&["skeleton", "--", name]).status.code(), Some(0), "{name:?}");
        let callers = search(&bed, json!({"mode": "callers", "query": format!("{name}#odd")}));
        assert_eq!(callers["subjects"][0]["path"], name, "{callers}");
        let text = callers["text"].as_str().unwrap();
        let head = text.lines().next().unwrap();
        assert!(head.contains(":L1-L2 function odd"), "a head is one line: {head:?}");
    }
    let found = search(&bed, json!({"mode": "grep", "query": "def odd"}));
    assert_eq!(found["counts"]["total"], names.len());
}
