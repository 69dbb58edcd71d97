//! The command with the real program.

use crate::support::Repo;
use serde_json::{Value, json};

fn names(answer: &Value) -> Vec<&str> {
    let hits = answer["hits"].as_array().unwrap_or_else(|| panic!("{answer}"));
    hits.iter().map(|h| h["symbol"]["name"].as_str().unwrap()).collect()
}

/// Everything below a directory with its bytes.
fn contents(dir: &std::path::Path) -> Vec<(String, Vec<u8>)> {
    let mut out = Vec::new();
    let mut left = vec![dir.to_owned()];
    while let Some(dir) = left.pop() {
        for entry in std::fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                left.push(path);
            } else {
                out.push((path.display().to_string(), std::fs::read(&path).unwrap()));
            }
        }
    }
    out.sort();
    out
}

/// Processes of CodeGraph that work in a cache.
fn living(cache: &std::path::Path) -> Vec<String> {
    let mark = cache.to_str().unwrap();
    let all = std::fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    all.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok())
        .map(|line| String::from_utf8_lossy(&line).into_owned())
        .filter(|line| line.contains(mark) && line.contains("@colbymchenry"))
        .collect()
}

#[test]
fn the_users_index_is_read_and_nothing_is_written() {
    let repo = Repo::with_cache();
    let ask = json!({"mode": "explore", "query": "save_order check_order validate_fields"});
    let refused = repo.tool(&ask, &[]);
    assert_eq!(refused["refusal"]["code"], "search_code.no_index", "{refused}");
    repo.init();
    let before = contents(&repo.path());
    let answer = repo.tool(&ask, &[]);
    assert_eq!(
        names(&answer)[..3],
        ["save_order", "check_order", "validate_fields"],
        "{answer}"
    );
    assert_eq!(answer["call_paths"], json!([[0, 1, 2]]));
    assert_eq!(answer["tree"]["index"], "foreign");
    assert_eq!(answer["backend"]["version"], "1.6.1");
    let callers = repo.tool(&json!({"mode": "callers", "query": "OrderStore.save_order"}), &[]);
    assert_eq!(names(&callers), ["handle_request"], "{callers}");
    assert_eq!(callers["hits"][0]["lines"][0]["line"], 6);
    assert_eq!(callers["counts"]["exact"], false, "what it cannot bind it drops");
    let skeleton = repo.tool(&json!({"mode": "skeleton", "file": "src/store.py"}), &[]);
    assert_eq!(
        names(&skeleton),
        ["OrderStore", "__init__", "save_order", "check_order", "validate_fields"]
    );
    let asked = repo.tool(&json!({"mode": "ask", "query": "order store"}), &[]);
    assert!(names(&asked).contains(&"OrderStore"), "{asked}");
    assert_eq!(contents(&repo.path()), before, "the repository is as it was");
    assert_eq!(living(repo.cache()), Vec::<String>::new());
    // An edit that the index does not know is told, and refuses nothing.
    repo.write("src/api.py", "def other():\n    pass\n");
    let stale = repo.tool(&ask, &[]);
    let ids: Vec<_> = stale["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|f| f["id"].clone())
        .collect();
    assert!(ids.contains(&json!("codegraph.stale")), "{ids:?}");
}

#[test]
fn a_managed_index_covers_staged_writes() {
    let repo = Repo::new();
    let staged = repo
        .path()
        .parent()
        .unwrap()
        .join(format!("{}.json", repo.path().file_name().unwrap().to_str().unwrap()));
    std::fs::write(
        &staged,
        json!({"src/new.py": "from src.store import check_order\n\n\ndef fresh(x):\n    return check_order(x)\n"})
            .to_string(),
    )
    .unwrap();
    let callers = json!({"mode": "callers", "query": "check_order"});
    let plain = repo.tool(&callers, &["--codegraph-index", "managed"]);
    assert_eq!(names(&plain), ["save_order"], "{plain}");
    let path = staged.to_str().unwrap();
    let over = repo.tool(&callers, &["--codegraph-index", "managed", "--staged", path]);
    assert!(names(&over).contains(&"fresh"), "{over}");
    let users = repo.tool(&callers, &["--staged", path]);
    assert!(
        ["search_code.unsupported"].contains(&users["refusal"]["code"].as_str().unwrap()),
        "{users}"
    );
    assert!(!repo.path().join(".codegraph").exists());
    let again = repo.tool(&callers, &["--codegraph-index", "managed"]);
    assert_eq!(
        (&again["hits"], &again["tree"]["index"]),
        (&plain["hits"], &json!("reused"))
    );
    std::fs::remove_file(staged).unwrap();
}

#[test]
fn words_stay_data() {
    let repo = Repo::new();
    repo.init();
    for words in ["--help", "-p /etc", "$(id)", "a\nb", "é 🦎", "'\"\\", "init"] {
        let answer = repo.tool(&json!({"mode": "explore", "query": words}), &[]);
        assert_eq!(answer["ok"], true, "{words:?}: {answer}");
    }
}
