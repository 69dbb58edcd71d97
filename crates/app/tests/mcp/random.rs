//! Random frames: good calls, broken ones, and noise. The server answers on and ends cleanly.

use crate::dice::{Dice, arguments, rounds, tool};
use crate::support::Bed;
use serde_json::{Value, json};

/// One line for the server.
fn frame(dice: &mut Dice, id: u64) -> Vec<u8> {
    const METHODS: &[&str] = &[
        "tools/call",
        "tools/call",
        "tools/call",
        "tools/list",
        "ping",
        "resources/list",
        "prompts/get",
        "logging/setLevel",
        "completion/complete",
        "initialize",
        "notifications/initialized",
        "notifications/cancelled",
        "notifications/progress",
        "roots/list",
        "",
        "\u{0}",
    ];
    let mut message = json!({"jsonrpc": "2.0", "id": id, "method": dice.one_of(METHODS)});
    message["params"] = match dice.below(4) {
        0 => arguments(dice),
        1 => json!({"requestId": dice.below(id as usize + 1), "_meta": {"progressToken": arguments(dice)}}),
        _ => json!({"name": tool(dice), "arguments": arguments(dice)}),
    };
    let fields = ["jsonrpc", "id", "method", "params"];
    match dice.below(8) {
        0 => message[*dice.one_of(&fields)] = arguments(dice),
        1 => drop(message.as_object_mut().map(|o| o.remove(*dice.one_of(&fields)))),
        2 => message = json!({"jsonrpc": "2.0", "id": dice.below(50), "result": arguments(dice)}),
        3 => message = Value::Array(vec![message; dice.below(3)]),
        _ => {}
    }
    let mut line = message.to_string().into_bytes();
    match dice.below(8) {
        0 => line.truncate(dice.below(line.len() + 1)),
        1 => {
            for _ in 0..=dice.below(8) {
                let at = dice.below(line.len());
                line[at] = dice.below(256) as u8;
            }
        }
        _ => {}
    }
    line.retain(|b| *b != b'\n');
    line.push(b'\n');
    line
}

#[test]
fn random_frames_end_nothing() {
    let bed = Bed::small();
    let mut client = bed.open(&["mcp", "--stage"]);
    let mut dice = Dice::new(2);
    let rounds = rounds();
    for round in 0..rounds {
        client.raw(&frame(&mut dice, 1_000 + round));
        // A sign of life now and then, after which nothing before it is waited for.
        if round % 500 == 499 {
            alive(&mut client, 10_000_000 + round);
        }
    }
    alive(&mut client, 20_000_000);
    let (status, _, stderr) = client.end();
    assert!(status.success(), "{status} {stderr}");
    assert_eq!(stderr, "");
}

fn alive(client: &mut crate::support::Client, id: u64) {
    client.send(&json!({"jsonrpc": "2.0", "id": id, "method": "ping"}));
    let answer = client.wait(|m| m["id"] == json!(id));
    assert_eq!(answer["result"], json!({}), "{answer}");
}
