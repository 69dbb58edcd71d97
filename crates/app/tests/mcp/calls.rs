//! What a client without roots sees: tools, calls, refusals, progress, cancellation.

use crate::support::Bed;
use serde_json::{Value, json};

#[test]
fn the_handshake_says_who_and_what() {
    let bed = Bed::small();
    let mut client = bed.start(&["mcp"]);
    let said = client.initialize(json!({}));
    assert_eq!(said["serverInfo"]["name"], "understory");
    assert_eq!(said["protocolVersion"], "2025-06-18");
    assert_eq!(said["capabilities"], json!({"tools": {"listChanged": true}}));
    let instructions = said["instructions"].as_str().unwrap();
    assert!(
        instructions.contains("staged") && instructions.len() < 600,
        "{instructions}"
    );
    client.end_cleanly();
}

#[test]
fn the_tools_are_described_in_full() {
    let bed = Bed::small();
    let mut client = bed.open(&["mcp"]);
    let tools = client.tools();
    let names: Vec<_> = tools.iter().map(|t| t["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["search_code", "search_text", "read_file", "list_files"]);
    for tool in &tools {
        let annotations = &tool["annotations"];
        assert_eq!(annotations["readOnlyHint"], true, "{tool}");
        assert_eq!(annotations["destructiveHint"], false);
        assert_eq!(annotations["openWorldHint"], false);
        assert_eq!(tool["inputSchema"]["type"], "object");
        assert_eq!(tool["outputSchema"]["type"], "object");
        assert!(tool["inputSchema"]["properties"].get("root").is_none());
    }
    client.end_cleanly();
}

#[test]
fn an_answer_is_text_and_the_same_json_as_the_command_prints() {
    let bed = Bed::small();
    let mut client = bed.open(&["mcp"]);
    let arguments = json!({"mode": "callers", "query": "charge"});
    let result = client.call("search_code", arguments.clone());
    assert_eq!(result["isError"], false);
    let text = result["content"][0]["text"].as_str().unwrap();
    assert!(text.starts_with("pay.py:L5-L6 function total"), "{text}");
    assert_eq!(result["structuredContent"]["text"], text);
    client.end_cleanly();

    let output = bed
        .command(&["tool", "search_code", &arguments.to_string()])
        .output()
        .unwrap();
    let printed: Value = serde_json::from_slice(&output.stdout).unwrap();
    let mut over_mcp = result["structuredContent"].clone();
    // Which of several calls meets a new index first differs.
    for value in [&mut over_mcp, &mut printed.clone()] {
        value["findings"] = json!([]);
        value["tree"]["index"] = json!("");
    }
    let mut expected = printed;
    expected["findings"] = json!([]);
    expected["tree"]["index"] = json!("");
    assert_eq!(over_mcp, expected);
}

#[test]
fn every_kind_of_answer_fits_its_schema() {
    let bed = Bed::small();
    let mut client = bed.open(&["mcp", "--stage"]);
    let tools = client.tools();
    for (tool, arguments, ok) in [
        (
            "search_code",
            json!({"mode": "ask", "query": "charge a customer"}),
            true,
        ),
        ("search_code", json!({"mode": "grep", "query": "charge"}), true),
        ("search_code", json!({"mode": "callers", "query": "charge"}), true),
        ("search_code", json!({"mode": "skeleton", "file": "pay.py"}), true),
        ("search_code", json!({"mode": "map"}), true),
        ("search_code", json!({"mode": "explore", "query": "total"}), true),
        ("search_code", json!({"mode": "callers", "query": "nobody"}), false),
        ("search_text", json!({"pattern": "charge"}), true),
        ("search_text", json!({"pattern": "("}), false),
        ("read_file", json!({"path": "pay.py"}), true),
        ("read_file", json!({"path": "gone.py"}), false),
        ("list_files", json!({}), true),
        ("list_files", json!({"path": 7, "x": 1}), false),
        ("stage_write", json!({"path": "new.py", "content": "x = 1\n"}), true),
        ("stage_write", json!({"path": "../out", "content": ""}), false),
        ("staged", json!({}), true),
        ("unstage", json!({"path": "new.py"}), true),
        ("unstage", json!({"path": "new.py"}), false),
    ] {
        let result = client.call(tool, arguments.clone());
        assert_eq!(result["isError"], false, "a refusal is an answer: {tool} {arguments}");
        let structured = &result["structuredContent"];
        assert_eq!(structured["ok"], ok, "{tool} {arguments}: {structured}");
        let schema = &tools.iter().find(|t| t["name"] == tool).unwrap()["outputSchema"];
        fits(schema, structured, schema, tool);
    }
    client.end_cleanly();
}

/// The parts of JSON Schema that the output schemas use.
fn fits(schema: &Value, value: &Value, whole: &Value, at: &str) {
    if let Some(name) = schema.get("$ref").and_then(Value::as_str) {
        let name = name.strip_prefix("#/$defs/").unwrap();
        return fits(&whole["$defs"][name], value, whole, at);
    }
    if let Some(only) = schema.get("const") {
        assert_eq!(only, value, "{at}");
    }
    if let Some(allowed) = schema.get("enum") {
        assert!(allowed.as_array().unwrap().contains(value), "{at}: {value}");
    }
    let right = match schema.get("type").and_then(Value::as_str) {
        Some("object") => value.is_object(),
        Some("array") => value.is_array(),
        Some("string") => value.is_string(),
        Some("boolean") => value.is_boolean(),
        Some("integer") => value.is_u64(),
        Some("number") => value.is_number(),
        Some(other) => panic!("{at}: {other}"),
        None => true,
    };
    assert!(right, "{at}: {value} is not {schema}");
    for name in schema.get("required").and_then(Value::as_array).into_iter().flatten() {
        assert!(
            value.get(name.as_str().unwrap()).is_some(),
            "{at} lacks {name}: {value}"
        );
    }
    for (name, value) in value.as_object().into_iter().flatten() {
        let inner = schema["properties"].get(name).or(schema.get("additionalProperties"));
        if let Some(inner) = inner {
            fits(inner, value, whole, &format!("{at}.{name}"));
        } else {
            // Nothing is open by accident: what a schema leaves out is left out on purpose.
            assert!(schema.get("properties").is_none(), "{at}.{name} is in no schema");
        }
    }
    if let Some(items) = schema.get("items") {
        for (i, value) in value.as_array().unwrap().iter().enumerate() {
            fits(items, value, whole, &format!("{at}[{i}]"));
        }
    }
}

#[test]
fn only_an_unknown_tool_is_an_error() {
    let bed = Bed::small();
    let mut client = bed.open(&["mcp"]);
    for name in ["grep", "", "stage_write", "staged"] {
        let result = client.call(name, json!({}));
        assert_eq!(result["isError"], true, "{name}");
        assert_eq!(
            result["structuredContent"]["refusal"]["code"],
            "search_code.bad_argument"
        );
        let text = result["content"][0]["text"].as_str().unwrap();
        assert!(
            text.contains("search_code, search_text, read_file, list_files"),
            "{text}"
        );
    }
    client.end_cleanly();
}

#[test]
fn progress_is_told_when_it_is_asked_for_and_only_grows() {
    let bed = Bed::small();
    let mut client = bed.open(&["mcp"]);
    let arguments = json!({"mode": "grep", "query": "charge"});
    let id = client.ask(
        "tools/call",
        json!({"name": "search_code", "arguments": arguments, "_meta": {"progressToken": "mine"}}),
    );
    client.answer(id);
    let told: Vec<Value> = client
        .others()
        .iter()
        .filter(|m| m["method"] == "notifications/progress")
        .map(|m| m["params"].clone())
        .collect();
    assert!(!told.is_empty());
    assert!(told.iter().all(|p| p["progressToken"] == "mine"), "{told:?}");
    let values: Vec<f64> = told.iter().map(|p| p["progress"].as_f64().unwrap()).collect();
    assert!(values.windows(2).all(|w| w[0] < w[1]), "{values:?}");

    client.call("search_code", arguments);
    let (_, rest, _) = client.end();
    let after = rest.iter().filter(|m| m["method"] == "notifications/progress").count();
    assert_eq!(after, told.len(), "no word after the answer, none without a token");
}

#[test]
fn a_cancelled_call_gets_no_answer_and_the_next_one_does() {
    let bed = Bed::small();
    let mut client = bed.open(&["mcp"]);
    // Both lines are there before the first is looked at.
    let id = 4711;
    let call = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params":
        {"name": "search_code", "arguments": {"mode": "map"}}});
    let cancel =
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id, "reason": "enough"}});
    client.raw(format!("{call}\n{cancel}\n").as_bytes());
    client.notify("notifications/cancelled", json!({"requestId": "never asked"}));
    assert_eq!(client.call("list_files", json!({}))["structuredContent"]["ok"], true);
    let (status, rest, _) = client.end();
    assert!(status.success());
    assert!(rest.iter().all(|m| m["id"] != json!(id)), "{rest:?}");
}
