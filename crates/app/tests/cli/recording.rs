//! A series of commands recorded with `--record` and given again with `--replay`.

use crate::support::Bed;
use std::process::{Command, Output, Stdio};

const SHOP: &str = "def leaf(x):\n    return x + 1\n\n\ndef crown(x):\n    return leaf(x)\n";

fn bed() -> Bed {
    Bed::new(&[("src/shop.py", SHOP), (".env", "A=1\n")])
}

/// The command where there is no repository, no home, no cache, no PATH: an empty environment in an empty directory.
fn nowhere(bed: &Bed, arguments: &[&str]) -> Output {
    let empty = bed.path("empty");
    std::fs::create_dir_all(&empty).unwrap();
    Command::new(env!("CARGO_BIN_EXE_understory"))
        .args(arguments)
        .current_dir(&empty)
        .env_clear()
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

#[test]
fn a_series_of_commands_replays_where_nothing_is_left() {
    let bed = bed();
    let staged = bed.path("staged.json");
    std::fs::write(
        &staged,
        r#"{"src/new.py": "def fresh(x):\n    return leaf(x)\n", "src/gone.py": "x"}"#,
    )
    .unwrap();
    let staged = staged.to_str().unwrap().to_owned();
    let callers = r#"{"mode": "callers", "query": "leaf"}"#;
    let series: Vec<Vec<&str>> = vec![
        vec!["index", "-q"],
        vec!["tool", "search_code", callers],
        vec!["tool", "search_code", callers],
        vec!["tool", "search_code", callers, "--staged", &staged],
        vec!["tool", "search_text", r#"{"pattern": "return"}"#],
        vec!["tool", "read_file", r#"{"path": "src/shop.py", "start": 2}"#],
        vec!["tool", "read_file", r#"{"path": "src/shoop.py"}"#],
        vec!["tool", "read_file", r#"{"path": ".env"}"#],
        vec!["tool", "list_files", "{}"],
        vec!["tool", "write_file", "{}"],
        vec!["tool", "search_code", r#"{"mode": "map"}"#, "--in", "src"],
        vec!["ask", "crown of the leaf"],
        vec!["callers", "leaf", "--json"],
        vec!["read", "src/shop.py:1-2"],
        vec!["text", "nothing like it"],
        vec!["skeleton", "src/none.py"],
    ];
    let tape = bed.path("series.tape");
    let tape = tape.to_str().unwrap().to_owned();
    let tail = |line: &[&str], option: &str| -> Vec<String> {
        line.iter().copied().chain([option, &tape]).map(str::to_owned).collect()
    };
    let run_recording = |line: &[&str]| {
        let words = tail(line, "--record");
        bed.run(&words.iter().map(String::as_str).collect::<Vec<_>>())
    };
    let mut recorded: Vec<Output> = series.iter().map(|line| run_recording(line)).collect();
    // A write to disk between two calls: the same question, other answers.
    bed.write("src/more.py", "def more(x):\n    return leaf(x)\n");
    recorded.push(run_recording(&series[1]));
    let mut series = series;
    series.push(series[1].clone());
    assert_ne!(recorded[1].stdout, recorded.last().unwrap().stdout);
    let text = std::fs::read_to_string(&tape).unwrap();
    let host = bed.path("").to_str().unwrap().to_owned();
    assert!(!text.contains(host.trim_end_matches('/')), "a host path is on the tape");

    std::fs::remove_dir_all(bed.path("repo")).unwrap();
    std::fs::remove_dir_all(bed.path("cache")).unwrap();
    for _ in 0..2 {
        for (line, was) in series.iter().zip(&recorded).skip(1) {
            let words = tail(line, "--replay");
            let is = nowhere(&bed, &words.iter().map(String::as_str).collect::<Vec<_>>());
            assert_eq!(
                String::from_utf8_lossy(&is.stdout),
                String::from_utf8_lossy(&was.stdout),
                "{line:?}"
            );
            assert_eq!(
                is.stderr,
                was.stderr,
                "{line:?}: {}",
                String::from_utf8_lossy(&is.stderr)
            );
            assert_eq!(is.status.code(), was.status.code(), "{line:?}");
        }
    }
    // What preparing took is time and not on the tape; the rest is said again.
    let index = nowhere(&bed, &["index", "--replay", &tape]);
    let said = |o: &Output| {
        String::from_utf8_lossy(&o.stdout)
            .rsplit_once(',')
            .unwrap()
            .0
            .to_owned()
    };
    assert_eq!(said(&index), said(&recorded[0]));
    assert!(!bed.path("cache").exists() && !bed.path("repo").exists());
    bed.assert_home_untouched();
}

#[test]
fn what_is_not_on_the_tape_is_refused_by_name() {
    let bed = bed();
    let tape = bed.path("t");
    let tape = tape.to_str().unwrap();
    bed.run(&["tool", "read_file", r#"{"path": "src/shop.py"}"#, "--record", tape]);
    let output = nowhere(
        &bed,
        &[
            "tool",
            "read_file",
            r#"{"path": "src/shop.py", "start": 2}"#,
            "--replay",
            tape,
        ],
    );
    assert_eq!(output.status.code(), Some(0));
    let value: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(value["refusal"]["code"], "search_code.not_recorded");
    let near = value["refusal"]["suggestions"][0].as_str().unwrap();
    assert_eq!(near, r#"read_file {"end":0,"path":"src/shop.py","start":1}"#);
    // A person's command has other bounds than the model's tool.
    let output = nowhere(&bed, &["read", "src/shop.py", "--replay", tape]);
    assert_eq!(output.status.code(), Some(2));
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        stderr.contains("The tape was recorded with bounds of 12000 characters"),
        "{stderr}"
    );
}

#[test]
fn a_tape_that_cannot_be_used_is_said_and_left_alone() {
    let bed = bed();
    bed.write("mine.txt", "my own notes\n");
    let transcript = bed.transcript("", &["list", "--record", "mine.txt"]);
    assert_eq!(
        transcript,
        "$ understory list --record mine.txt\n--- stderr\nerror: the tape cannot be used\n  1: mine.txt is not a tape: \
         its first line is not the heading of one\n--- exit 2"
    );
    assert_eq!(
        std::fs::read_to_string(bed.path("repo/mine.txt")).unwrap(),
        "my own notes\n"
    );
    for line in [
        &["list", "--replay", "gone"][..],
        &["list", "--replay", "mine.txt"],
        &["list", "--record", "no/such/directory"],
        &["list", "--record", "a", "--replay", "b"],
        &["status", "--replay", "mine.txt"],
        &["doctor", "--record", "a"],
        &["provision", "--replay", "a"],
    ] {
        let output = bed.run(line);
        assert_eq!(output.status.code(), Some(2), "{line:?}");
        assert!(output.stdout.is_empty() && !output.stderr.is_empty(), "{line:?}");
    }
    assert!(!bed.path("repo/a").exists(), "nothing was begun");
}
