//! The roots of a client.

use crate::support::Bed;
use serde_json::{Value, json};

fn bed() -> Bed {
    Bed::new(&[
        ("repo/here.py", "def here():\n    pass\n"),
        ("one/one.py", "def one():\n    pass\n"),
        ("two dirs/two.py", "def two():\n    pass\n"),
    ])
}

fn files(result: &Value) -> Vec<&str> {
    let paths = result["structuredContent"]["paths"].as_array();
    paths
        .unwrap_or_else(|| panic!("{result}"))
        .iter()
        .map(|p| p.as_str().unwrap())
        .collect()
}

fn choices(tool: &Value) -> Value {
    tool["inputSchema"]["properties"]["root"]["enum"].clone()
}

#[test]
fn one_root_is_served_without_a_choice() {
    let bed = bed();
    let mut client = bed.start(&["mcp"]);
    client.initialize(json!({"roots": {"listChanged": true}}));
    client.tell_roots(&json!([{"uri": bed.uri("one")}]));
    assert_eq!(choices(&client.tools()[0]), Value::Null);
    assert_eq!(files(&client.call("list_files", json!({}))), ["one.py"]);
    client.end_cleanly();
}

#[test]
fn with_two_roots_every_tool_asks_which() {
    let bed = bed();
    let mut client = bed.start(&["mcp", "--stage"]);
    client.initialize(json!({"roots": {"listChanged": true}}));
    let two = bed.uri("two dirs").replace(' ', "%20");
    client.tell_roots(&json!([{"uri": bed.uri("one"), "name": "first"}, {"uri": two}, {"uri": bed.uri("gone")}]));
    let tools = client.tools();
    assert_eq!(tools.len(), 7);
    for tool in &tools {
        assert_eq!(choices(tool), json!(["first", "two dirs"]), "{tool}");
        assert!(
            tool["inputSchema"]["required"]
                .as_array()
                .unwrap()
                .contains(&json!("root"))
        );
    }
    let result = client.call("list_files", json!({"root": "two dirs"}));
    assert_eq!(files(&result), ["two.py"]);
    assert_eq!(result["structuredContent"]["request"]["root"], "two dirs");
    assert_eq!(files(&client.call("list_files", json!({"root": "first"}))), ["one.py"]);
    // Each has a session of its own.
    client.call("stage_write", json!({"root": "first", "path": "new.py", "content": ""}));
    assert_eq!(
        files(&client.call("list_files", json!({"root": "first"}))),
        ["new.py", "one.py"]
    );
    assert_eq!(
        files(&client.call("list_files", json!({"root": "two dirs"}))),
        ["two.py"]
    );

    for arguments in [json!({}), json!({"root": "third"}), json!({"root": 1})] {
        let refused = client.call("list_files", arguments.clone());
        let refusal = &refused["structuredContent"]["refusal"];
        assert_eq!(refusal["code"], "search_code.bad_argument", "{arguments}");
        assert_eq!(refusal["suggestions"], json!(["first", "two dirs"]));
    }
    client.end_cleanly();
}

#[test]
fn changed_roots_change_the_tools_and_keep_what_is_staged() {
    let bed = bed();
    let mut client = bed.start(&["mcp", "--stage"]);
    client.initialize(json!({"roots": {"listChanged": true}}));
    client.tell_roots(&json!([{"uri": bed.uri("one")}]));
    assert_eq!(choices(&client.tools()[0]), Value::Null);
    client.call("stage_write", json!({"path": "new.py", "content": ""}));

    client.notify("notifications/roots/list_changed", json!({}));
    client.tell_roots(&json!([{"uri": bed.uri("two dirs")}, {"uri": bed.uri("one")}]));
    client.wait(|m| m["method"] == "notifications/tools/list_changed");
    assert_eq!(choices(&client.tools()[0]), json!(["two dirs", "one"]));
    assert_eq!(
        files(&client.call("list_files", json!({"root": "one"}))),
        ["new.py", "one.py"]
    );

    client.notify("notifications/roots/list_changed", json!({}));
    client.tell_roots(&json!([]));
    client.wait(|m| m["method"] == "notifications/tools/list_changed");
    assert_eq!(
        files(&client.call("list_files", json!({}))),
        ["here.py"],
        "without roots, where it was started"
    );
    client.end_cleanly();
}

#[test]
fn a_repository_named_by_the_operator_is_the_only_one() {
    let bed = bed();
    let mut client = bed.start(&["mcp", "--repo", "../one"]);
    client.initialize(json!({"roots": {"listChanged": true}}));
    assert_eq!(files(&client.call("list_files", json!({}))), ["one.py"]);
    client.notify("notifications/roots/list_changed", json!({}));
    let (status, rest, _) = client.end();
    assert!(status.success());
    assert!(rest.iter().all(|m| m["method"] != "roots/list"), "{rest:?}");
}

#[test]
fn a_client_that_never_tells_its_roots_is_served_without() {
    let bed = bed();
    let mut client = bed.start(&["mcp"]);
    client.initialize(json!({"roots": {}}));
    assert_eq!(files(&client.call("list_files", json!({}))), ["here.py"]);
    client.end_cleanly();
}
