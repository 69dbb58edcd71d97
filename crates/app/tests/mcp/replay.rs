//! A server's session recorded and given again where nothing of it is left.

use crate::support::{Bed, Client};
use serde_json::{Value, json};

/// What an agent asks, with its staged writes in between.
fn dialogue(client: &mut Client) -> Vec<Value> {
    let mut answers = Vec::new();
    let mut call = |tool: &str, arguments: Value| answers.push(client.call(tool, arguments));
    for round in 0..5 {
        match round {
            1 => call(
                "stage_write",
                json!({"path": "new.py", "content": "from pay import charge\n\n\ndef refund():\n    return charge(-1)\n"}),
            ),
            2 => call("stage_write", json!({"path": "pay.py", "delete": true})),
            3 => call("unstage", json!({"path": "pay.py"})),
            4 => call("unstage", json!({"path": "new.py"})),
            _ => {}
        }
        for (tool, arguments) in [
            ("search_code", json!({"mode": "callers", "query": "charge"})),
            ("search_code", json!({"mode": "ask", "query": "who charges"})),
            ("search_code", json!({"mode": "explore", "query": "total charge"})),
            ("search_code", json!({"mode": "grep", "query": "charge\\("})),
            ("search_code", json!({"mode": "skeleton", "file": "pay.py"})),
            ("search_code", json!({"mode": "map"})),
            ("search_text", json!({"pattern": "charge"})),
            ("read_file", json!({"path": "pay.py"})),
            ("list_files", json!({})),
            ("staged", json!({})),
        ] {
            call(tool, arguments);
        }
    }
    answers
}

#[test]
fn a_recorded_session_is_served_again_without_repository_and_cache() {
    let bed = Bed::small();
    let tape = bed.path("session.tape");
    let tape = tape.to_str().unwrap();
    let mut client = bed.open(&["mcp", "--stage", "--record", tape]);
    let tools = client.tools();
    let recorded = dialogue(&mut client);
    client.end_cleanly();
    assert!(recorded.len() > 40, "{}", recorded.len());
    assert_ne!(recorded[0], recorded[11], "the staged caller is on the tape");

    for dir in ["repo", "cache", "home"] {
        std::fs::remove_dir_all(bed.path(dir)).unwrap();
    }
    std::fs::create_dir(bed.path("repo")).unwrap();
    for _ in 0..2 {
        let mut client = bed.open(&["mcp", "--stage", "--replay", tape]);
        assert_eq!(client.tools(), tools);
        for (n, (is, was)) in dialogue(&mut client).iter().zip(&recorded).enumerate() {
            assert_eq!(is.to_string(), was.to_string(), "call {n}");
        }
        let unknown = client.call("search_code", json!({"mode": "callers", "query": "refunds"}));
        assert_eq!(
            unknown["structuredContent"]["refusal"]["code"],
            "search_code.not_recorded"
        );
        client.end_cleanly();
    }
    assert!(!bed.path("cache").exists() && !bed.path("home").exists());
    assert_eq!(std::fs::read_dir(bed.path("repo")).unwrap().count(), 0);
}
