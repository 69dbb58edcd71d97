//! Repositories and caches of every kind, made with git itself: whole answers, or a no by its name.

use crate::support::{Bed, entries};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;

const CODE: &str = "def helper(x):\n    return x\n\n\ndef caller():\n    return helper(1)\n";

/// Git without the host's configuration.
fn git(dir: &Path, arguments: &[&str]) {
    let output = Command::new("git")
        .args(["-c", "protocol.file.allow=always", "-c", "init.defaultBranch=main"])
        .args(arguments)
        .current_dir(dir)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .envs([("GIT_AUTHOR_NAME", "a"), ("GIT_AUTHOR_EMAIL", "a@example.org")])
        .envs([("GIT_COMMITTER_NAME", "a"), ("GIT_COMMITTER_EMAIL", "a@example.org")])
        .output()
        .expect("git is there");
    assert!(
        output.status.success(),
        "git {arguments:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// A repository with two commits of `src/code.py` and `other/more.py`.
fn committed(bed: &Bed) -> PathBuf {
    let repo = bed.path("repo");
    bed.write("src/code.py", "def old():\n    pass\n");
    git(&repo, &["init", "-q"]);
    git(&repo, &["add", "-A"]);
    git(&repo, &["commit", "-qm", "one"]);
    bed.write("src/code.py", CODE);
    bed.write("other/more.py", "def more():\n    pass\n");
    git(&repo, &["add", "-A"]);
    git(&repo, &["commit", "-qm", "two"]);
    repo
}

fn search(bed: &Bed, repo: &Path, arguments: Value) -> Value {
    let repo = repo.to_str().unwrap();
    bed.json(&["tool", "search_code", &arguments.to_string(), "--repo", repo])
}

/// The callers of `helper` in the repository at a path, and the files of the tree.
fn whole(bed: &Bed, repo: &Path, files: &[&str]) {
    let answer = search(bed, repo, json!({"mode": "callers", "query": "helper"}));
    assert_eq!(answer["hits"][0]["symbol"]["name"], "caller", "{answer}");
    assert_eq!(answer["hits"][0]["lines"][0]["line"], 6, "{answer}");
    let listed = bed.json(&["tool", "list_files", "{}", "--repo", repo.to_str().unwrap()]);
    assert_eq!(listed["paths"], json!(files), "{listed}");
}

#[test]
fn no_git_and_no_commit_are_trees_too() {
    let bed = Bed::new(&[("code.py", CODE)]);
    whole(&bed, &bed.path("repo"), &["code.py"]);
    git(&bed.path("repo"), &["init", "-q"]);
    whole(&bed, &bed.path("repo"), &["code.py"]);
    let status = bed.json(&["status", "--json"]);
    assert_eq!((&status["git"], &status["head"]), (&json!(true), &Value::Null));
}

/// What git keeps its state in is no file: the folder is searched as one without git.
#[cfg(target_os = "linux")]
#[test]
fn a_device_in_place_of_the_index_is_not_read() {
    let bed = Bed::new(&[("code.py", CODE)]);
    let repo = bed.path("repo");
    git(&repo, &["init", "-q"]);
    std::os::unix::fs::symlink("/dev/zero", repo.join(".git/index")).unwrap();
    whole(&bed, &repo, &["code.py"]);
    assert_eq!(bed.json(&["status", "--json"])["git"], json!(false));
}

#[test]
fn a_bare_repository_is_refused_by_name() {
    let bed = Bed::new(&[]);
    let bare = bed.path("bare.git");
    git(&bed.path(""), &["init", "-q", "--bare", "bare.git"]);
    let answer = search(&bed, &bare, json!({"mode": "map"}));
    assert_eq!(answer["refusal"]["code"], "search_code.unavailable", "{answer}");
    assert!(
        answer["refusal"]["message"]
            .as_str()
            .unwrap()
            .contains("bare git repository"),
        "{answer}"
    );
    let output = bed.run(&["map", "--repo", bare.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn shallow_linked_and_sparse_work_trees_are_what_is_on_disk() {
    let bed = Bed::new(&[]);
    let repo = committed(&bed);
    let both = ["other/more.py", "src/code.py"];
    whole(&bed, &repo, &both);

    let url = format!("file://{}", repo.display());
    git(&bed.path(""), &["clone", "-q", "--depth", "1", &url, "shallow"]);
    assert!(bed.path("shallow/.git/shallow").exists());
    whole(&bed, &bed.path("shallow"), &both);

    let linked = bed.path("linked");
    git(&repo, &["worktree", "add", "-q", "--detach", linked.to_str().unwrap()]);
    assert!(linked.join(".git").is_file());
    whole(&bed, &linked, &both);

    git(&bed.path(""), &["clone", "-q", &url, "sparse"]);
    git(&bed.path("sparse"), &["sparse-checkout", "set", "--no-cone", "/src/"]);
    assert!(!bed.path("sparse/other").exists());
    whole(&bed, &bed.path("sparse"), &["src/code.py"]);
}

#[test]
fn submodules_and_nested_repositories_are_said_to_be_left_out() {
    let bed = Bed::new(&[]);
    let repo = committed(&bed);
    let library = bed.path("library");
    std::fs::create_dir(&library).unwrap();
    std::fs::write(library.join("lib.py"), "def only_here():\n    pass\n").unwrap();
    git(&library, &["init", "-q"]);
    git(&library, &["add", "-A"]);
    git(&library, &["commit", "-qm", "one"]);
    git(
        &repo,
        &[
            "submodule",
            "--quiet",
            "add",
            library.to_str().unwrap(),
            "vendor/library",
        ],
    );
    git(
        &bed.path(""),
        &["clone", "-q", library.to_str().unwrap(), "repo/nested"],
    );

    // What is in one of them is not said to be nowhere without a word on them, neither as data nor as text.
    let missing = search(&bed, &repo, json!({"mode": "callers", "query": "only_here"}));
    assert_eq!(missing["refusal"]["code"], "search_code.no_symbol");
    assert_eq!(missing["not_searched"]["nested"], 2, "{missing}");
    let file = search(&bed, &repo, json!({"mode": "skeleton", "file": "lib.py"}));
    assert_eq!(file["refusal"]["code"], "search_code.no_such_file");
    assert_eq!(file["not_searched"]["nested"], 2, "{file}");
    for (tool, arguments) in [
        ("read_file", json!({"path": "library/lib.py"})),
        ("search_text", json!({"pattern": "x", "path": "library"})),
        ("list_files", json!({"path": "library"})),
        ("search_code", json!({"mode": "grep", "query": "x", "scope": "library"})),
    ] {
        let answer = bed.json(&["tool", tool, &arguments.to_string()]);
        assert_eq!(answer["not_searched"]["nested"], 2, "{tool}: {answer}");
    }
    let output = bed.run(&["callers", "only_here"]);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(
        stderr.contains("note: Nested repositories not searched: 2."),
        "{stderr}"
    );

    let nothing = search(&bed, &repo, json!({"mode": "grep", "query": "only_here"}));
    assert_eq!(nothing["counts"]["total"], 0);
    assert_eq!(nothing["not_searched"]["nested"], 2);
    let text = nothing["text"].as_str().unwrap();
    assert!(text.contains("Nested repositories not searched: 2."), "{text}");

    // A refusal that has nothing to do with what is there says nothing of it.
    let other = search(&bed, &repo, json!({"mode": "grep", "query": "("}));
    assert!(other.get("not_searched").is_none(), "{other}");
}

/// Every path below a directory with what a write to it would change.
fn looks(dir: &Path) -> Vec<(PathBuf, u64, std::time::SystemTime)> {
    let mut all = Vec::new();
    let mut dirs = vec![dir.to_owned()];
    while let Some(dir) = dirs.pop() {
        let meta = dir.symlink_metadata().unwrap();
        all.push((dir.clone(), meta.len(), meta.modified().unwrap()));
        if meta.is_dir() {
            dirs.extend(std::fs::read_dir(&dir).unwrap().map(|e| e.unwrap().path()));
        }
    }
    all.sort();
    all
}

#[cfg(unix)]
#[test]
fn a_read_only_repository_is_searched_and_left_as_it_was() {
    use std::os::unix::fs::PermissionsExt;
    let bed = Bed::new(&[]);
    let repo = committed(&bed);
    let set = |write: bool| {
        for (path, ..) in looks(&repo) {
            let mode = match (path.is_dir(), write) {
                (true, true) => 0o755,
                (true, false) => 0o555,
                (false, true) => 0o644,
                (false, false) => 0o444,
            };
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        }
    };
    set(false);
    // Root may write all the same, so it is looked at what is there.
    let before = looks(&repo);
    whole(&bed, &repo, &["other/more.py", "src/code.py"]);
    assert_eq!(bed.run(&["index"]).status.code(), Some(0));
    assert_eq!(bed.run(&["status"]).status.code(), Some(0));
    assert_eq!(looks(&repo), before);
    set(true);
}

/// Every file name below the cache.
fn cached(bed: &Bed) -> Vec<String> {
    let files = looks(&bed.path("cache"))
        .into_iter()
        .filter(|(path, ..)| path.is_file());
    let mut names: Vec<String> = files
        .map(|(p, ..)| p.file_name().unwrap().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// A file whose index is longer than what [`limited`] lets a process write.
fn long_code(functions: usize) -> String {
    (0..functions)
        .map(|n| format!("def step_{n}(value):\n    return step_{}(value)\n\n\n", n + 1))
        .collect()
}

/// The command in a process that may write files of 8 KiB at most. The shell ignores the signal of that limit for it, so that
/// a longer write fails as on a full disk, or leaves it deadly.
#[cfg(unix)]
fn limited(bed: &Bed, deadly: bool, arguments: &[&str]) -> std::process::Output {
    let trap = if deadly { "" } else { "trap '' XFSZ; " };
    let mut command = Command::new("/bin/sh");
    command
        .arg("-c")
        .arg(format!("{trap}ulimit -f 8; exec \"$@\""))
        .arg("sh")
        .arg(env!("CARGO_BIN_EXE_understory"))
        .args(arguments)
        .current_dir(bed.path("repo"))
        .env_clear()
        .env("HOME", bed.path("home"))
        .env("XDG_CACHE_HOME", bed.path("cache"))
        .stdin(std::process::Stdio::null());
    command.output().unwrap()
}

#[cfg(unix)]
#[test]
fn a_full_cache_costs_no_answer_and_keeps_nothing_half() {
    let bed = Bed::new(&[("long.py", &long_code(400)), ("code.py", CODE)]);
    let arguments = json!({"mode": "callers", "query": "helper"}).to_string();
    for round in 0..2 {
        let output = limited(&bed, false, &["tool", "search_code", &arguments]);
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(answer["hits"][0]["symbol"]["name"], "caller", "{answer}");
        assert_eq!(answer["tree"]["index"], "built", "round {round}: nothing was kept");
        let findings = answer["findings"].to_string();
        assert!(findings.contains("search_code.cache"), "{findings}");
        let left = cached(&bed);
        let half = left
            .iter()
            .filter(|n| n.ends_with(".part") || n.starts_with(".new-") || n.ends_with(".tmp"));
        assert_eq!(half.count(), 0, "{left:?}");
    }
    // With room again everything is kept.
    assert_eq!(
        search(&bed, &bed.path("repo"), json!({"mode": "map"}))["tree"]["index"],
        "built"
    );
    assert_eq!(
        search(&bed, &bed.path("repo"), json!({"mode": "map"}))["tree"]["index"],
        "reused"
    );
}

#[test]
fn a_cache_that_cannot_be_written_costs_no_answer() {
    let bed = Bed::new(&[("code.py", CODE)]);
    // A file where the directory would have to be: nobody can write there.
    std::fs::write(bed.path("blocked"), "").unwrap();
    let cache = bed.path("blocked/cache");
    let arguments = json!({"mode": "callers", "query": "helper"}).to_string();
    let answer = bed.json(&["tool", "search_code", &arguments, "--cache", cache.to_str().unwrap()]);
    assert_eq!(answer["hits"][0]["symbol"]["name"], "caller", "{answer}");
    assert!(answer["findings"].to_string().contains("search_code.cache"), "{answer}");
    let output = bed.run(&["callers", "helper", "--cache", cache.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0));
    assert!(String::from_utf8(output.stderr).unwrap().contains("search_code.cache"));
}

#[cfg(unix)]
#[test]
fn a_process_that_dies_while_it_writes_leaves_no_wrong_answer_and_no_rest() {
    use std::os::unix::process::ExitStatusExt;
    let bed = Bed::new(&[("long.py", &long_code(400)), ("code.py", CODE)]);
    let output = limited(&bed, true, &["index"]);
    assert!(output.status.signal().is_some(), "{output:?}");
    let left = cached(&bed);
    assert!(
        left.iter().any(|n| n.starts_with(".new-")),
        "it died in the middle of a part: {left:?}"
    );
    whole(&bed, &bed.path("repo"), &["code.py", "long.py"]);
    let left = cached(&bed);
    assert!(!left.iter().any(|n| n.starts_with(".new-")), "{left:?}");
}

#[cfg(unix)]
#[test]
fn killed_while_it_builds_the_next_one_answers_right() {
    let files: Vec<(String, String)> = (0..40).map(|n| (format!("m{n}.py"), long_code(20))).collect();
    let mut files: Vec<(&str, &str)> = files.iter().map(|(p, t)| (p.as_str(), t.as_str())).collect();
    files.push(("code.py", CODE));
    let bed = Bed::new(&files);
    // At the lock, at the first part, at the pointer: each time as soon as it shows, or after its end.
    for sign in ["lock", ".part", "pointer"] {
        std::fs::remove_dir_all(bed.path("cache")).unwrap();
        std::fs::create_dir(bed.path("cache")).unwrap();
        let mut child = bed
            .command("", &["index", "-q"])
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap();
        while child.try_wait().unwrap().is_none() {
            let native = bed.path("cache/understory/native");
            if native.exists() && find(&native, sign) {
                child.kill().unwrap();
                break;
            }
            std::thread::yield_now();
        }
        child.wait().unwrap();
        let answer = search(&bed, &bed.path("repo"), json!({"mode": "callers", "query": "helper"}));
        assert_eq!(answer["hits"][0]["symbol"]["name"], "caller", "{sign}: {answer}");
        let all = search(
            &bed,
            &bed.path("repo"),
            json!({"mode": "grep", "query": "def step_19\\("}),
        );
        assert_eq!(all["counts"]["total"], 40, "{sign}: {all}");
        assert!(!cached(&bed).iter().any(|n| n.starts_with(".new-")), "{sign}");
    }
}

/// Whether a file below a directory that others write in has a name with this end.
#[cfg(unix)]
fn find(dir: &Path, end: &str) -> bool {
    std::fs::read_dir(dir).into_iter().flatten().flatten().any(|entry| {
        let is_dir = entry.file_type().is_ok_and(|t| t.is_dir());
        entry.file_name().to_string_lossy().ends_with(end) || is_dir && find(&entry.path(), end)
    })
}

#[test]
fn two_processes_that_build_at_once_both_answer() {
    let files: Vec<(String, String)> = (0..20).map(|n| (format!("m{n}.py"), long_code(20))).collect();
    let mut files: Vec<(&str, &str)> = files.iter().map(|(p, t)| (p.as_str(), t.as_str())).collect();
    files.push(("code.py", CODE));
    let bed = Bed::new(&files);
    let arguments = json!({"mode": "callers", "query": "helper"}).to_string();
    let start = || {
        let mut command = bed.command("", &["tool", "search_code", &arguments]);
        command.stdout(std::process::Stdio::piped()).spawn().unwrap()
    };
    let both = [start(), start(), start()];
    for child in both {
        let output = child.wait_with_output().unwrap();
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(answer["hits"][0]["symbol"]["name"], "caller", "{answer}");
        assert!(
            !answer["findings"].to_string().contains("search_code.cache"),
            "{answer}"
        );
    }
    assert!(!cached(&bed).iter().any(|n| n.starts_with(".new-")));
    assert_eq!(entries(&bed.path("cache/understory/native")).len(), 1);
    assert_eq!(
        search(&bed, &bed.path("repo"), json!({"mode": "map"}))["tree"]["index"],
        "reused"
    );
}
