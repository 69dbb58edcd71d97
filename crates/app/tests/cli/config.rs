//! Configuration as a user meets it.

use crate::support::Bed;
use serde_json::{Value, json};

fn bed(user: &str, project: &str) -> Bed {
    let bed = Bed::new(&[
        ("src/a.py", "def a():\n    return 1\n"),
        ("build/out.py", "def a():\n    return 2\n"),
        ("notes.txt", "a\n"),
    ]);
    if !project.is_empty() {
        bed.write(".understory.toml", project);
    }
    let dir = bed.path("home").join(".config/understory");
    std::fs::create_dir_all(&dir).unwrap();
    std::fs::write(dir.join("config.toml"), user).unwrap();
    bed
}

fn config(bed: &Bed, variables: &[(&str, &str)], arguments: &[&str]) -> Value {
    let mut command = bed.command("", &[&["config", "--json"], arguments].concat());
    command.envs(variables.iter().copied());
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn value<'v>(config: &'v Value, key: &str) -> (&'v Value, &'v str) {
    let rows = config["values"].as_array().unwrap();
    let row = rows.iter().find(|r| r["key"] == key).unwrap_or_else(|| panic!("{key}"));
    (&row["value"], row["source"].as_str().unwrap())
}

#[test]
fn the_later_word_of_the_user_stands_and_the_project_only_narrows() {
    let user = "offline = false\nscope = \"src\"\n\n[limits]\nhits = 30\ntext_chars = 5000\n";
    let project = "offline = true\nscope = \"build\"\nguard = [\"*.secret\"]\n[limits]\nhits = 20\ntext_chars = 6000\ntext_lines = 50\n";
    let bed = bed(user, project);
    for (variables, arguments, key, expected, source) in [
        (&[][..], &[][..], "scope", json!("src"), "config.toml:2"),
        (
            &[("UNDERSTORY_SCOPE", "build")],
            &[],
            "scope",
            json!("build"),
            "UNDERSTORY_SCOPE",
        ),
        (
            &[("UNDERSTORY_SCOPE", "build")],
            &["--in", "src"],
            "scope",
            json!("src"),
            "--in",
        ),
        (&[], &[], "offline", json!(true), ".understory.toml:1"),
        (
            &[("UNDERSTORY_OFFLINE", "no")],
            &[],
            "offline",
            json!(true),
            ".understory.toml:1",
        ),
        (
            &[],
            &["--require-sandbox"],
            "require_sandbox",
            json!(true),
            "--require-sandbox",
        ),
        (&[], &[], "require_sandbox", json!(false), "default"),
        (&[], &[], "limits.hits", json!(20), ".understory.toml:5"),
        (
            &[("UNDERSTORY_LIMITS_HITS", "5")],
            &[],
            "limits.hits",
            json!(5),
            "UNDERSTORY_LIMITS_HITS",
        ),
        (&[], &[], "limits.text_chars", json!(5000), "config.toml:6"),
        (&[], &[], "limits.text_lines", json!(50), ".understory.toml:7"),
        (&[], &[], "guard", json!(["*.secret"]), ".understory.toml:3"),
        (
            &[("UNDERSTORY_GUARD", "x/, y")],
            &[],
            "guard",
            json!(["*.secret", "x/", "y"]),
            "UNDERSTORY_GUARD, .understory.toml:3",
        ),
        (&[], &[], "deny", json!([]), "default"),
        (&[], &[], "record", Value::Null, "default"),
    ] {
        let config = config(&bed, variables, arguments);
        assert_eq!(config["findings"], json!([]));
        assert_eq!(value(&config, key), (&expected, source), "{variables:?} {arguments:?}");
    }
}

#[test]
fn what_is_unknown_forbidden_or_wrong_is_a_finding_with_its_line() {
    let check = |user: &str, project: &str, expected: &[(&str, &str)]| {
        let bed = bed(user, project);
        let config = config(&bed, &[], &[]);
        let found: Vec<(&str, &str)> = config["findings"]
            .as_array()
            .unwrap()
            .iter()
            .map(|f| (f["id"].as_str().unwrap(), f["message"].as_str().unwrap()))
            .collect();
        assert_eq!(found, expected, "{user} {project}");
    };
    check(
        "colour = 1\n[limits]\nhits = 41\nsize = 2\n",
        "",
        &[
            ("config.unknown_key", "config.toml:1: there is no key `colour`."),
            (
                "config.bad_value",
                "config.toml:3: `limits.hits`: it must be from 1 to 40.",
            ),
            ("config.unknown_key", "config.toml:4: there is no key `limits.size`."),
        ],
    );
    check(
        "",
        "# a comment\ncache = \"/tmp/x\"\nrecord = \"/tmp/y\"\noffline = false\nrequire_sandbox = false\nbackend = \"graft\"\n",
        &[
            ("config.unknown_key", ".understory.toml:6: there is no key `backend`."),
            (
                "config.forbidden_key",
                ".understory.toml:2: a project's file may not set `cache`.",
            ),
            (
                "config.forbidden_key",
                ".understory.toml:3: a project's file may not set `record`.",
            ),
            (
                "config.forbidden_key",
                ".understory.toml:4: a project's file may only switch `offline` on.",
            ),
            (
                "config.forbidden_key",
                ".understory.toml:5: a project's file may only switch `require_sandbox` on.",
            ),
        ],
    );
    check(
        "",
        "deny = [\n",
        &[(
            "config.unreadable",
            ".understory.toml:1: It is not TOML. Nothing of it holds.",
        )],
    );
    check(
        "cache = \"relative\"\nguard = [\"!a\"]\ndeny = [\"shell\"]\nexclude = \"x\"\noffline = 1\n",
        "",
        &[
            (
                "config.bad_value",
                "config.toml:1: `cache`: it must be an absolute path.",
            ),
            (
                "config.bad_value",
                "config.toml:2: `guard`: a glob cannot be used: a policy adds protection and never takes it away.",
            ),
            (
                "config.bad_value",
                "config.toml:3: `deny`: the tools are search_code, search_text, read_file, list_files, stage_write, unstage, staged.",
            ),
            (
                "config.bad_value",
                "config.toml:4: `exclude`: it must be a list of texts.",
            ),
            (
                "config.bad_value",
                "config.toml:5: `offline`: it must be true or false.",
            ),
        ],
    );
}

#[test]
fn hostile_files_are_left_aside() {
    for text in [
        "[".repeat(60_000),
        "a = ".repeat(1_000),
        "\u{0}".to_owned(),
        format!("x = {}1{}", "[".repeat(20_000), "]".repeat(20_000)),
        "a = 1\n".repeat(20_000),
    ] {
        let bed = bed("", &text);
        let found = config(&bed, &[], &[]);
        assert_eq!(found["findings"][0]["id"], "config.unreadable", "{:.20}", text);
    }
    #[cfg(unix)]
    {
        let bed = bed("", "");
        std::fs::write(bed.path("elsewhere.toml"), "offline = true\n").unwrap();
        std::os::unix::fs::symlink(bed.path("elsewhere.toml"), bed.path("repo").join(".understory.toml")).unwrap();
        let found = config(&bed, &[], &[]);
        assert_eq!(value(&found, "offline").1, "default");
        assert_eq!(
            found["findings"][0]["message"],
            ".understory.toml: It is no regular file. Nothing of it holds."
        );
    }
}

#[test]
fn the_values_hold() {
    let bed = bed(
        "",
        "deny = [\"search_text\"]\nexclude = [\"build/\"]\nguard = [\"notes.*\"]\nscope = \"src\"\n[limits]\nhits = 1\ntext_chars = 300\n",
    );
    let call = |name: &str, arguments: Value| bed.json(&["tool", name, &arguments.to_string()]);
    let grep = call("search_code", json!({"mode": "grep", "query": "return"}));
    assert_eq!(grep["request"]["scope"], "src");
    assert_eq!(grep["request"]["limit"], 1);
    assert_eq!(grep["not_searched"]["excluded"], 1);
    let files = call("list_files", json!({}));
    assert_eq!(files["paths"], json!([".understory.toml", "src/a.py"]));
    assert_eq!(files["not_searched"]["excluded"], 1);
    assert!(
        files["text"]
            .as_str()
            .unwrap()
            .contains("Left out by configuration: 1."),
        "{files}"
    );
    assert_eq!(
        call("read_file", json!({"path": "notes.txt"}))["refusal"]["code"],
        "search_code.protected_path"
    );
    assert_eq!(
        call("read_file", json!({"path": "build/out.py"}))["refusal"]["code"],
        "search_code.no_such_file"
    );
    assert_eq!(
        call("search_text", json!({"pattern": "a"}))["refusal"]["code"],
        "search_code.bad_argument"
    );
    // What a person asks for is a person's own choice.
    assert!(bed.run(&["text", "return"]).status.success());
}

#[test]
fn the_record_is_appended_to_and_has_the_findings() {
    let bed = bed("colour = 1\n", "");
    let record = bed.path("record.jsonl");
    let record = record.to_str().unwrap();
    for _ in 0..2 {
        bed.run(&["tool", "list_files", "{}", "--run-record", record]);
    }
    let text = std::fs::read_to_string(record).unwrap();
    let events: Vec<Value> = text.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    let names: Vec<&str> = events.iter().map(|e| e["event"].as_str().unwrap()).collect();
    assert_eq!(names, ["opened", "finding", "call", "closed"].repeat(2));
    assert_eq!(events[1]["id"], "config.unknown_key");
    let failed = bed.run(&["list", "--run-record", "/"]);
    assert_eq!(failed.status.code(), Some(2));
}

#[cfg(target_os = "linux")]
#[test]
fn a_record_that_cannot_be_written_costs_no_answer_and_is_said() {
    let bed = bed("", "");
    bed.run(&["index"]);
    for line in [
        &["tool", "list_files", "{}"][..],
        &["list"],
        &["grep", "return", "--json"],
        &["index"],
    ] {
        let whole = bed.run(line);
        let full = bed.run(&[line, &["--run-record", "/dev/full"]].concat());
        if line != ["index"] {
            assert_eq!(full.stdout, whole.stdout, "{line:?}");
        }
        assert!(!full.stdout.is_empty(), "{line:?}");
        assert_eq!(full.status.code(), Some(2), "{line:?}");
        let stderr = String::from_utf8(full.stderr).unwrap();
        assert!(
            stderr.contains("error: the record of the run is not complete\n  1: No space left on device"),
            "{line:?}: {stderr}"
        );
    }
}

#[test]
fn offline_installs_nothing() {
    let bed = bed("", "offline = true\n");
    let output = bed.run(&["provision"]);
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        said.contains("offline") && said.contains(".understory.toml:1"),
        "{said}"
    );
}

#[test]
fn the_manual_has_every_key_and_no_other() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/configuration.md");
    let page = std::fs::read_to_string(path).unwrap();
    let bed = bed("", "");
    let config = config(&bed, &[], &[]);
    let keys: Vec<&str> = config["values"]
        .as_array()
        .unwrap()
        .iter()
        .map(|r| r["key"].as_str().unwrap())
        .collect();
    let rows: Vec<Vec<&str>> = page
        .lines()
        .filter(|l| l.starts_with("| `"))
        .map(|l| l.trim_matches('|').split('|').map(str::trim).collect())
        .collect();
    let listed: Vec<&str> = rows.iter().map(|r| r[0].trim_matches('`')).collect();
    assert_eq!(listed, keys);
    for row in rows {
        let key = row[0].trim_matches('`');
        let said = config["values"]
            .as_array()
            .unwrap()
            .iter()
            .find(|r| r["key"] == key)
            .unwrap();
        assert_eq!(row[3].trim_matches('`'), said["variable"], "{key}");
        assert_eq!(row[4].trim_matches('`'), said["option"].as_str().unwrap_or(""), "{key}");
        // What the page says a project may do is what it may do.
        let good = match key {
            "offline" | "require_sandbox" => "true",
            "scope" | "cache" | "record" | "graft_program" => "\"/src\"",
            "deny" => "[\"read_file\"]",
            "guard" | "exclude" => "[\"x\"]",
            _ => "7",
        };
        let good = if key == "scope" { "\"src\"" } else { good };
        let bed = self::bed("", &format!("{key} = {good}\n"));
        let found = self::config(&bed, &[], &[]);
        let allowed = found["findings"] == json!([]);
        assert_eq!(allowed, row[2] != "no", "{key}: {found}");
        assert_eq!(allowed, value(&found, key).1 == ".understory.toml:1", "{key}");
    }
}
