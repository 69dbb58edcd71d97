//! What the commands print when something is wrong, and how they end.

use crate::support::{Bed, check};

fn bed() -> Bed {
    Bed::new(&[("poem.txt", "verse one\n"), (".env", "A=1\n")])
}

#[test]
fn a_refusal_has_its_code_and_what_is_near() {
    let bed = bed();
    let text = bed.transcript("", &["read", "poen.txt"]);
    assert!(
        text.starts_with("$ understory read poen.txt\n--- stderr\nerror: "),
        "{text}"
    );
    assert!(
        text.contains("Near to it: `poem.txt`. (search_code.no_such_file)\n--- exit 2"),
        "{text}"
    );
    check(
        &bed,
        "",
        &["read", ".env"],
        "
$ understory read .env
--- stderr
error: That path is protected: it is not served to a session. (search_code.protected_path)
--- exit 2",
    );
    let refusal = bed.json(&["read", ".env", "--json"]);
    assert_eq!(refusal["ok"], false);
    assert_eq!(refusal["refusal"]["code"], "search_code.protected_path");
}

#[test]
fn a_refusal_of_a_tool_call_is_an_answer() {
    let bed = bed();
    for (arguments, code, exit) in [
        (r#"{"path": "poen.txt"}"#, "search_code.no_such_file", 0),
        (r#"{"path": "/etc/hostname"}"#, "search_code.no_such_file", 0),
        (r#"{"path": "../x"}"#, "search_code.no_such_file", 0),
        (r#"{"nope": 1}"#, "search_code.bad_argument", 0),
        ("[1]", "search_code.bad_argument", 0),
        ("{", "search_code.bad_argument", 2),
        ("", "search_code.bad_argument", 2),
        ("-1x", "search_code.bad_argument", 2),
    ] {
        let output = bed.run(&["tool", "read_file", arguments]);
        let value: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(value["refusal"]["code"], code, "{arguments}");
        assert_eq!(
            (&value["schema"], &value["ok"], &value["tool"]),
            (&1.into(), &false.into(), &"read_file".into())
        );
        assert_eq!(output.status.code(), Some(exit), "{arguments}");
    }
    let unknown = bed.json(&["tool", "write_file", "{}"]);
    assert_eq!(unknown["refusal"]["code"], "search_code.bad_argument");
}

#[test]
fn a_bad_staged_set_stages_nothing() {
    let bed = bed();
    let staged = bed.path("staged.json");
    let path = staged.to_str().unwrap().to_owned();
    for (text, exit) in [
        (r#"{"ok.py": "x", "../out.py": "x"}"#, 0),
        (r#"{"": "x"}"#, 0),
        (r#"{".git/config": "x"}"#, 0),
        (r#"["x"]"#, 0),
        ("not json", 2),
    ] {
        std::fs::write(&staged, text).unwrap();
        let output = bed.run(&["tool", "list_files", "{}", "--staged", &path]);
        assert_eq!(output.status.code(), Some(exit), "{text}");
        if exit == 0 {
            let value: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
            assert_eq!(value["refusal"]["code"], "search_code.bad_staged", "{text}");
        } else {
            assert!(output.stdout.is_empty());
        }
    }
    let text = bed.transcript("", &["list", "--staged", &path]);
    assert_eq!(
        text,
        "$ understory list --staged <temp>/staged.json\n--- stderr\n\
         error: the staged set <temp>/staged.json is not JSON\n  1: expected ident at line 1 column 2\n\
         hint: --staged takes a JSON object: path → contents, null for a deletion, {\"base64\": …}, \
         {\"text\": …, \"executable\": true} or {\"symlink\": target}\n--- exit 2"
    );
}

#[test]
fn a_staged_set_without_end_or_with_a_key_twice_is_refused_by_name() {
    let bed = bed();
    let staged = bed.path("staged.json");
    let twice = staged.to_str().unwrap();
    std::fs::write(&staged, r#"{"a.py": "one", "b.py": "x", "a.py": "two"}"#).unwrap();
    let mut cases = vec![(twice, "the key \"a.py\" stands twice at line 1 column ")];
    if cfg!(target_os = "linux") {
        cases.push(("/dev/zero", "is longer than 256 MiB"));
    }
    for (path, part) in cases {
        let answer = bed.json(&["tool", "list_files", "{}", "--staged", path]);
        assert_eq!(answer["refusal"]["code"], "search_code.bad_staged", "{path}");
        let message = answer["refusal"]["message"].as_str().unwrap();
        assert!(
            message.contains(part) && message.ends_with("Nothing of the set is staged."),
            "{message}"
        );
        let output = bed.run(&["list", "--staged", path]);
        assert_eq!(output.status.code(), Some(2), "{path}");
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(stderr.starts_with("error: ") && stderr.contains(part), "{stderr}");
    }
    // A key twice further down as well, and a pipe is read to its end.
    std::fs::write(&staged, r#"{"a.py": {"text": "1", "text": "2"}}"#).unwrap();
    let answer = bed.json(&["tool", "list_files", "{}", "--staged", twice]);
    assert_eq!(answer["refusal"]["code"], "search_code.bad_staged");
    #[cfg(unix)]
    {
        use std::io::Write as _;
        let mut command = bed.command("", &["list", "--staged", "/dev/stdin"]);
        command
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(br#"{"piped.py": "x"}"#).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(String::from_utf8(output.stdout).unwrap().contains("piped.py"));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn output_that_cannot_be_written_is_a_failure() {
    let bed = bed();
    for line in [
        &["list"][..],
        &["text", "verse"],
        &["text", "no such verse"],
        &["list", "--json"],
        &["read", "gone.txt", "--json"],
        &["tool", "list_files", "{}"],
        &["status"],
        &["index"],
        &["config"],
        &["doctor"],
        &["completions", "bash"],
        &["--help"],
        &["grep", "-h"],
        &["--version"],
    ] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = bed.command("", line).stdout(full).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{line:?}");
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(
            stderr.contains("error: the output could not be written\n  1: No space left on device"),
            "{line:?}: {stderr}"
        );
    }
}

#[test]
fn a_wrong_command_line_is_a_usage_error() {
    let bed = bed();
    for line in [
        &["frobnicate"][..],
        &["grep"],
        &["callers", "x", "--direction", "up"],
        &["text", "x", "-n", "many"],
        &["list", "--backend", "nonsense"],
        &["list", "--repo", "gone"],
        &["tool", "read_file"],
    ] {
        let output = bed.run(line);
        assert_eq!(output.status.code(), Some(2), "{line:?}");
        assert!(output.stdout.is_empty(), "{line:?}");
        assert!(!output.stderr.is_empty(), "{line:?}");
    }
}
