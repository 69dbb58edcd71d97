//! Clients that vanish, flood, or send garbage.

use crate::support::{Bed, LONG};
use serde_json::json;
use std::io::{Read, Write};
use std::time::Instant;

const GARBAGE: [&[u8]; 18] = [
    b"\n",
    b"\r\n",
    b"not json\n",
    b"{\n",
    b"}\n",
    b"null\n",
    b"42\n",
    b"[]\n",
    b"[1, {}]\n",
    b"{}\n",
    b"{\"jsonrpc\": \"2.0\"}\n",
    b"{\"jsonrpc\": \"1.0\", \"id\": 1, \"method\": \"ping\"}\n",
    b"{\"jsonrpc\": \"2.0\", \"id\": {}, \"method\": 7, \"params\": []}\n",
    b"{\"jsonrpc\": \"2.0\", \"method\": \"notifications/unheard\"}\n",
    b"{\"jsonrpc\": \"2.0\", \"method\": \"notifications/cancelled\", \"params\": {\"requestId\": null}}\n",
    b"{\"jsonrpc\": \"2.0\", \"id\": 999, \"result\": {\"roots\": 1}}\n",
    b"{\"jsonrpc\": \"2.0\", \"id\": null, \"error\": {}}\n",
    b"\xff\xfe\x00\x80 \xc3\n",
];

#[test]
fn garbage_before_and_after_the_handshake_ends_nothing() {
    let bed = Bed::small();
    let mut client = bed.start(&["mcp"]);
    let deep = format!("{}\n", "[".repeat(200_000));
    let send_all = |client: &mut crate::support::Client| {
        for line in GARBAGE {
            client.raw(line);
        }
        client.raw(deep.as_bytes());
        client.raw(&[b'x'; 70_000]);
        client.raw(b"\n");
    };
    send_all(&mut client);
    client.initialize(json!({}));
    send_all(&mut client);
    assert_eq!(client.call("list_files", json!({}))["structuredContent"]["ok"], true);
    client.end_cleanly();
}

#[test]
fn a_line_that_is_too_long_is_dropped_and_the_next_one_read() {
    let bed = Bed::small();
    let mut client = bed.open(&["mcp"]);
    let piece = vec![b'['; 1 << 20];
    for _ in 0..17 {
        client.raw(&piece);
    }
    client.raw(b"\n");
    assert_eq!(client.call("list_files", json!({}))["structuredContent"]["ok"], true);
    client.end_cleanly();
}

#[test]
fn methods_that_there_are_not_are_answered_with_an_error() {
    let bed = Bed::small();
    let mut client = bed.open(&["mcp"]);
    for (method, params) in [
        ("resources/list", json!({})),
        ("no/such", json!({})),
        ("tools/call", json!({"arguments": {}})),
        ("tools/call", json!({"name": 7})),
    ] {
        let id = client.ask(method, params.clone());
        // A request whose parameters cannot be read is answered without its number.
        let answer = client.wait(|m| (m["id"] == json!(id) || m["id"].is_null()) && m.get("method").is_none());
        let empty = answer["result"]["resources"] == json!([]);
        assert!(answer.get("error").is_some() || empty, "{method} {params}: {answer}");
    }
    assert_eq!(client.request("ping", json!({})), json!({}));
    client.end_cleanly();
}

#[test]
fn a_flood_is_answered_call_by_call() {
    let bed = Bed::small();
    let mut client = bed.open(&["mcp"]);
    let ids: Vec<u64> = (0..600)
        .map(|i| {
            let (tool, arguments) = match i % 4 {
                0 => ("list_files", json!({})),
                1 => ("no_such_tool", json!({})),
                2 => ("search_text", json!({"pattern": "("})),
                _ => ("search_code", json!({"mode": "nothing"})),
            };
            client.ask("tools/call", json!({"name": tool, "arguments": arguments}))
        })
        .collect();
    for id in ids {
        assert!(client.answer(id).get("result").is_some());
    }
    client.end_cleanly();
}

#[test]
fn a_client_that_floods_and_never_reads_holds_nothing_when_it_goes() {
    let bed = Bed::small();
    let mut child = bed.command(&["mcp"]).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params":
        {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}}});
    // More than the pipes and the bound on what is under way hold: the writer blocks, in a thread of its own, until the
    // server is gone.
    let flood = std::thread::spawn(move || {
        let _ = writeln!(stdin, "{hello}");
        for id in 1..4_000 {
            let call = json!({"jsonrpc": "2.0", "id": id, "method": "tools/list"});
            if writeln!(stdin, "{call}").is_err() {
                return id;
            }
        }
        4_000
    });
    // The first bytes of the answers show that it is at work; then the reader goes.
    let mut stdout = child.stdout.take().unwrap();
    let mut first = [0; 64];
    stdout.read_exact(&mut first).unwrap();
    drop(stdout);
    flood.join().unwrap();
    let begin = Instant::now();
    child.wait().unwrap();
    assert!(begin.elapsed() < LONG);
}

#[test]
fn the_end_of_input_ends_the_server_and_answers_what_was_asked() {
    let bed = Bed::small();
    // Before the handshake.
    bed.start(&["mcp"]).end_cleanly();
    // In the middle of a line.
    let mut client = bed.open(&["mcp"]);
    client.raw(b"{\"jsonrpc\": \"2.0\", \"id\": 5");
    client.end_cleanly();
    // With a call under way: a script that pipes its calls in gets the answers.
    let mut client = bed.open(&["mcp"]);
    let id = client.ask(
        "tools/call",
        json!({"name": "search_code", "arguments": {"mode": "map"}}),
    );
    let (status, rest, stderr) = client.end();
    assert!(status.success(), "{stderr}");
    assert!(rest.iter().any(|m| m["id"] == json!(id)), "{rest:?}");
}

#[test]
#[cfg(target_os = "linux")]
fn nothing_is_left_of_a_server_whose_client_vanished() {
    let bed = Bed::small();
    let mut client = bed.open(&["mcp"]);
    client.call("search_code", json!({"mode": "map"}));
    client.end_cleanly();
    // Nothing beside the cache, and no lock or work tree in it.
    assert_eq!(std::fs::read_dir(bed.path("home")).unwrap().count(), 0);
    let mut kept: Vec<_> = std::fs::read_dir(bed.path("cache/understory"))
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .collect();
    kept.sort();
    assert_eq!(kept, ["native", "stat"]);
}
