//! What the commands print when all is well.

use crate::support::{Bed, check, entries};
use serde_json::json;

fn poem() -> Bed {
    Bed::new(&[
        ("poem.txt", "verse one\nverse two\nverse three\n"),
        ("src/a.py", "def one():\n    return 'albatross'\n"),
        (".github/ci.yml", "name: albatross\n"),
        (".gitignore", "*.log\n"),
        ("noise.log", "albatross\n"),
    ])
}

#[test]
fn text_prints_a_match_a_line() {
    let bed = poem();
    check(
        &bed,
        "",
        &["text", "albatross"],
        "
$ understory text albatross
.github/ci.yml:L1: name: albatross
src/a.py:L2: return 'albatross'
2 of 2 lines shown.
--- exit 0",
    );
    check(
        &bed,
        "",
        &["text", "albatross", "--in", "src", "-n", "1"],
        "
$ understory text albatross --in src -n 1
src/a.py:L2: return 'albatross'
1 of 1 line shown.
--- exit 0",
    );
    check(
        &bed,
        "",
        &["text", "--", "-rf"],
        "
$ understory text -- -rf
No line matches; the whole tree was searched. 0 of 0 lines shown.
--- exit 1",
    );
    bed.assert_home_untouched();
}

fn shop() -> Bed {
    Bed::new(&[
        (
            "src/pay.py",
            "RATE = 2\n\n\ndef charge(amount):\n    return amount * RATE\n\n\nclass Till:\n    def ring(self):\n        return charge(1)\n",
        ),
        (
            "main.py",
            "from src.pay import Till, charge\n\n\ndef main():\n    Till().ring()\n    charge(3)\n",
        ),
    ])
}

#[test]
fn each_mode_prints_a_hit_a_line() {
    let bed = shop();
    check(
        &bed,
        "",
        &["grep", "RATE"],
        "
$ understory grep RATE
src/pay.py:L4-L5 function charge (2←)
    5: return amount * RATE
src/pay.py:L1-L10 file src/pay.py (0←)
    1: RATE = 2
2 of 2 lines shown.
--- exit 0",
    );
    check(
        &bed,
        "src",
        &["callers", "charge", "-n", "1", "--repo", ".."],
        "
$ understory callers charge -n 1 --repo ..
main.py:L4-L6 function main (0←) calls it
    6: charge(3)
1 of 3 symbols shown. Narrow with `scope` or name one definition as `path#name`, or raise `limit`.
--- exit 0",
    );
    check(
        &bed,
        "",
        &["skeleton", "src/pay.py"],
        "
$ understory skeleton src/pay.py
src/pay.py
  L1-L1 constant RATE = 2 (1←)
  L4-L5 function def charge(amount) (2←)
  L8-L10 class class Till (1←)
    L9-L10 method def ring(self) (1←)
4 of 4 symbols shown.
--- exit 0",
    );
    check(
        &bed,
        "",
        &["callers", "chrage"],
        "
$ understory callers chrage
--- stderr
error: No definition of `chrage` is in the tree. Near names: charge. (search_code.no_symbol)
--- exit 2",
    );
    for (line, part) in [
        (
            &["ask", "charge", "an", "amount"][..],
            "src/pay.py:L4-L5 function charge (2←)\n    def charge(amount)\n",
        ),
        (
            &["explore", "how is an amount charged"],
            "4\tdef charge(amount):\n5\t    return amount * RATE\n",
        ),
        (&["map"], "Entry points:\nmain.py:L4-L6 function main (0←)\n"),
        (&["index"], "native "),
    ] {
        let text = bed.transcript("", line);
        assert!(text.contains(part) && text.ends_with("--- exit 0"), "{text}");
    }
    bed.assert_home_untouched();
}

#[test]
fn an_index_is_kept_between_runs() {
    let bed = shop();
    let state = |bed: &Bed| {
        let answer = bed.json(&["tool", "search_code", r#"{"mode": "grep", "query": "RATE"}"#]);
        (answer["tree"]["index"].clone(), answer["text"].clone())
    };
    let (first, text) = state(&bed);
    let (second, again) = state(&bed);
    assert_eq!((first, second), (json!("built"), json!("reused")));
    assert_eq!(text, again, "the text does not say what became of the index");
    bed.write("src/new.py", "x = 1\n");
    assert_eq!(state(&bed).0, json!("updated"));
}

#[test]
fn read_prints_lines_with_their_numbers() {
    let bed = poem();
    check(
        &bed,
        "",
        &["read", "poem.txt:2-3"],
        "
$ understory read poem.txt:2-3
poem.txt
2\tverse two
3\tverse three
Lines 2-3 of 3 lines shown.
--- exit 0",
    );
    // A path is seen from where the user stands, in a repository that encloses it.
    std::fs::create_dir(bed.path("repo/.git")).unwrap();
    std::fs::write(bed.path("repo/.git/HEAD"), "ref: refs/heads/main\n").unwrap();
    std::fs::create_dir_all(bed.path("repo/.git/objects")).unwrap();
    std::fs::create_dir_all(bed.path("repo/.git/refs")).unwrap();
    check(
        &bed,
        "src",
        &["read", "a.py:1"],
        "
$ understory read a.py:1
src/a.py
1\tdef one():
Lines 1-1 of 2 lines shown. Read on with `start` 2.
--- exit 0",
    );
}

#[test]
fn list_prints_a_path_a_line() {
    check(
        &poem(),
        "",
        &["list", "*.py"],
        "
$ understory list *.py
src/a.py
1 of 1 file shown.
--- exit 0",
    );
}

#[test]
fn a_tool_call_is_one_json_object() {
    let bed = poem();
    let answer = bed.json(&["tool", "read_file", r#"{"path": "./poem.txt", "start": "2", "end": 2}"#]);
    assert_eq!(answer["schema"], 1);
    assert_eq!(answer["ok"], true);
    assert_eq!(answer["tool"], "read_file");
    assert_eq!(answer["request"], json!({"path": "poem.txt", "start": 2, "end": 2}));
    assert_eq!(
        (&answer["start"], &answer["end"], &answer["total_lines"]),
        (&json!(2), &json!(2), &json!(3))
    );
    assert_eq!(answer["tree"]["fingerprint"].as_str().unwrap().len(), 64);
    let people = bed.json(&["text", "albatross", "--json", "-n", "100000"]);
    assert_eq!(people["request"]["limit"], 100_000);
    let model = bed.json(&["tool", "search_text", r#"{"pattern": "albatross", "limit": 100000}"#]);
    assert_eq!(model["request"]["limit"], 400);
    assert_eq!(people["matches"], model["matches"]);
}

#[test]
fn staged_changes_lie_on_top() {
    let bed = poem();
    let staged = bed.path("staged.json");
    std::fs::write(
        &staged,
        r#"{"poem.txt": "now one\n", "new/x.txt": {"base64": "YWxiYXRyb3NzCg=="}, "src": null}"#,
    )
    .unwrap();
    let staged = staged.to_str().unwrap();
    let answer = bed.json(&["tool", "search_text", r#"{"pattern": "albatross"}"#, "--staged", staged]);
    let paths: Vec<&str> = answer["matches"]
        .as_array()
        .unwrap()
        .iter()
        .map(|m| m["path"].as_str().unwrap())
        .collect();
    assert_eq!(paths, [".github/ci.yml", "new/x.txt"]);
    assert_eq!(answer["tree"]["staged"], 3);
    let answer = bed.json(&["tool", "read_file", r#"{"path": "poem.txt"}"#, "--staged", staged]);
    assert_eq!(answer["content"].as_str().unwrap().trim_end(), "now one");
}

#[test]
fn with_a_cache_named_nothing_else_is_written() {
    let bed = poem();
    let other = bed.path("other");
    let before = entries(&bed.path("repo"));
    bed.json(&["tool", "list_files", "{}", "--cache", other.to_str().unwrap()]);
    bed.assert_home_untouched();
    assert_eq!(entries(&bed.path("cache")), Vec::<String>::new());
    assert_eq!(entries(&bed.path("repo")), before);
}

#[test]
fn an_unwritable_cache_costs_no_answer() {
    let bed = poem();
    // A file where the directory would have to be.
    let blocked = bed.path("blocked");
    std::fs::write(&blocked, "").unwrap();
    let answer = bed.json(&[
        "tool",
        "list_files",
        "{}",
        "--cache",
        blocked.join("x").to_str().unwrap(),
    ]);
    assert_eq!(answer["ok"], true);
    assert_eq!(answer["counts"]["total"], 4);
    let findings = answer["findings"].as_array().unwrap();
    assert!(!findings.is_empty(), "an unwritable cache is a finding");
    assert!(!answer.to_string().contains(bed.path("").to_str().unwrap()), "{answer}");
}

#[test]
fn colour_is_for_those_who_ask_for_it() {
    let bed = poem();
    let always = bed.run(&["text", "albatross", "--color", "always"]);
    assert!(
        String::from_utf8(always.stdout)
            .unwrap()
            .contains("\u{1b}[35m.github/ci.yml:L1:\u{1b}[0m name")
    );
    for color in ["never", "auto"] {
        let plain = bed.run(&["text", "albatross", "--color", color]);
        assert!(!String::from_utf8(plain.stdout).unwrap().contains('\u{1b}'), "{color}");
    }
}

#[test]
fn a_closed_pipe_is_a_quiet_end() {
    use std::io::Read;
    let long: String = (0..200_000).map(|i| format!("albatross {i}\n")).collect();
    let bed = Bed::new(&[("long.txt", &long)]);
    let mut child = bed
        .command("", &["text", "albatross", "-n", "100000"])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = [0u8; 16];
    child.stdout.take().unwrap().read_exact(&mut first).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(output.status.code(), Some(0));
    // Nobody reads from the beginning: the code is that of the answer, and nothing is said.
    for (line, code) in [
        (&["text", "albatross"][..], 0),
        (&["text", "gull"], 1),
        (&["--help"], 0),
        (&["completions", "zsh"], 0),
    ] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = bed.command("", line).stdout(writer).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{line:?}");
        assert_eq!(output.status.code(), Some(code), "{line:?}");
    }
}

#[test]
fn doctor_and_status_say_where_things_are() {
    let bed = poem();
    let status = bed.transcript("", &["status"]);
    for part in [
        "repository   <temp>/repo\n",
        "git          none: a plain folder\n",
        "files        4, 0 KiB\n",
        "staged       nothing\n",
        "cache        <temp>/cache/understory\n",
        "--- exit 0",
    ] {
        assert!(status.contains(part), "{part}\n{status}");
    }
    bed.write("pic.bin", "a\0b");
    let status = bed.transcript("", &["status"]);
    assert!(
        status.contains("binary files, not searched: 1\n  pic.bin\n"),
        "{status}"
    );
    std::fs::remove_file(bed.path("repo/pic.bin")).unwrap();
    let doctor = bed.transcript("", &["doctor"]);
    assert!(
        doctor.contains("ok   repository  <temp>/repo, 4 files, a plain folder\n"),
        "{doctor}"
    );
    assert!(doctor.contains("ok   cache       <temp>/cache/understory"), "{doctor}");
    let value = bed.json(&["status", "--json"]);
    assert_eq!((&value["files"], &value["git"]), (&json!(4), &json!(false)));
}

#[test]
fn completions_name_the_commands() {
    let output = Bed::new(&[]).run(&["completions", "bash"]);
    let script = String::from_utf8(output.stdout).unwrap();
    for word in ["callers", "skeleton", "--staged"] {
        assert!(script.contains(word), "{word}");
    }
}

#[test]
fn report_adds_the_records_of_runs_up() {
    let bed = Bed::new(&[]);
    let call = |tool: &str, ms: u64, refused: &str| {
        let refused = if refused.is_empty() {
            String::new()
        } else {
            format!(r#","refused":"{refused}""#)
        };
        format!(
            r#"{{"event":"call","time":1,"number":1,"tool":"{tool}","arguments":"ab","took_ms":{ms},"text_bytes":100{refused}}}"#
        )
    };
    let opened = r#"{"event":"opened","time":1,"schema":1,"backend":{"name":"native","version":"1"},"tools":[],"scope":"","limits":{"text_chars":1,"hits":1,"text_lines":1}}"#;
    let a = [
        opened,
        &call("search_code", 10, ""),
        &call("search_code", 30, "search_code.no_symbol"),
        &call("read_file", 2, ""),
        "{\"event\":\"cal",
    ]
    .join("\n");
    let b = [opened, &call("search_text", 4, ""), &call("read_file", 4, "")].join("\n");
    std::fs::write(bed.path("a.jsonl"), a).unwrap();
    std::fs::write(bed.path("b.jsonl"), b).unwrap();
    let (a, b) = (bed.path("a.jsonl"), bed.path("b.jsonl"));
    let (a, b) = (a.to_str().unwrap(), b.to_str().unwrap());
    let output = bed.run(&["report", a, "--against", b]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(
        text,
        "\
1 runs, 0 turns told
tool             calls  refused    cut    p50 ms  total ms       bytes
read_file            1        0      0         2         2         100
search_code          2        1      0        10        40         200
all                  3        1      0        10        42         300
refusals: search_code.no_symbol 1

against: 1 runs, 0 turns told
tool             calls  refused    cut    p50 ms  total ms       bytes
read_file            1        0      0         4         4         100
search_text          1        0      0         4         4         100
all                  2        0      0         4         8         200

a run of the first set, against one of the second:
calls              3.0         2.0    1.50×
refused            1.0         0.0        –
bytes            300.0       200.0    1.50×
ms                42.0         8.0    5.25×
turns              0.0         0.0        –
"
    );
    assert!(
        String::from_utf8(output.stderr)
            .unwrap()
            .contains("1 lines are no known event")
    );
    let value = bed.json(&["report", b, "--json"]);
    assert_eq!(value["runs"]["tools"]["read_file"]["calls"], 1);
}
