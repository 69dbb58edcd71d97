//! The tools that stage.

use crate::support::Bed;
use serde_json::json;

#[test]
fn staged_writes_are_searched_and_never_on_disk() {
    let bed = Bed::small();
    let mut client = bed.open(&["mcp", "--stage"]);
    let tools = client.tools();
    let read_only: Vec<_> = tools
        .iter()
        .map(|t| (t["name"].as_str().unwrap(), t["annotations"]["readOnlyHint"] == true))
        .collect();
    assert_eq!(
        read_only,
        [
            ("search_code", true),
            ("search_text", true),
            ("read_file", true),
            ("list_files", true),
            ("stage_write", false),
            ("unstage", false),
            ("staged", true)
        ]
    );

    let done = client.call(
        "stage_write",
        json!({"path": "./new.py", "content": "from pay import charge\n\ndef refund():\n    return charge(-1)\n"}),
    );
    assert_eq!(
        done["structuredContent"]["changes"],
        json!([{"path": "new.py", "change": "write", "bytes": 60}])
    );
    assert_eq!(done["structuredContent"]["tree"]["staged"], 1);
    assert_eq!(
        done["structuredContent"]["request"],
        json!({"path": "./new.py", "bytes": 60})
    );
    let callers = client.call("search_code", json!({"mode": "callers", "query": "charge"}));
    let paths: Vec<_> = callers["structuredContent"]["hits"]
        .as_array()
        .unwrap()
        .iter()
        .map(|h| (h["symbol"]["path"].as_str().unwrap(), h["symbol"]["staged"] == true))
        .collect();
    assert!(
        paths.contains(&("new.py", true)) && paths.contains(&("pay.py", false)),
        "{paths:?}"
    );
    assert!(!bed.path("repo/new.py").exists());

    client.call("stage_write", json!({"path": "pay.py", "delete": true}));
    assert_eq!(
        client.call("read_file", json!({"path": "pay.py"}))["structuredContent"]["ok"],
        false
    );
    let text = client.call("staged", json!({}))["content"][0]["text"]
        .as_str()
        .unwrap()
        .to_owned();
    assert_eq!(text, "new.py write 60 bytes\npay.py delete\n2 staged.");
    client.call("unstage", json!({"path": "pay.py"}));
    assert_eq!(
        client.call("read_file", json!({"path": "pay.py"}))["structuredContent"]["ok"],
        true
    );
    client.end_cleanly();
}

#[test]
fn what_may_not_be_staged_is_refused_and_changes_nothing() {
    let bed = Bed::small();
    #[cfg(unix)]
    std::os::unix::fs::symlink(bed.path("home"), bed.path("repo/out")).unwrap();
    let mut client = bed.open(&["mcp", "--stage"]);
    for (arguments, code) in [
        (json!({"path": "/etc/passwd", "content": ""}), "search_code.bad_staged"),
        (json!({"path": "../up", "content": ""}), "search_code.bad_staged"),
        (json!({"path": "", "content": ""}), "search_code.no_file"),
        (json!({"path": ".env", "content": "A=1"}), "search_code.protected_path"),
        (
            json!({"path": ".git/config", "content": ""}),
            "search_code.protected_path",
        ),
        (json!({"path": "a"}), "search_code.bad_argument"),
        (
            json!({"path": "a", "content": "", "delete": true}),
            "search_code.bad_argument",
        ),
        (
            json!({"path": "a", "content": "", "mode": "755"}),
            "search_code.bad_argument",
        ),
        (json!({"path": "a", "delete": "perhaps"}), "search_code.bad_argument"),
        #[cfg(unix)]
        (json!({"path": "out/a", "content": ""}), "search_code.bad_staged"),
    ] {
        let result = client.call("stage_write", arguments.clone());
        assert_eq!(
            result["structuredContent"]["refusal"]["code"], code,
            "{arguments}: {result}"
        );
    }
    assert_eq!(
        client.call("staged", json!({}))["structuredContent"]["changes"],
        json!([])
    );
    client.end_cleanly();
}
