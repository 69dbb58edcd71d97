//! The page on the server says what the server does.

use crate::support::Bed;
use serde_json::{Value, json};

fn page() -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/mcp.md");
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// The fenced blocks of a language.
fn blocks<'a>(page: &'a str, language: &str) -> Vec<&'a str> {
    let open = format!("```{language}\n");
    page.split(&open)
        .skip(1)
        .map(|rest| rest.split("```").next().unwrap())
        .collect()
}

/// Every command line in a host's configuration: a `command` with `args`, or one list of both.
fn commands(value: &Value, found: &mut Vec<Vec<String>>) {
    let words = |v: &Value| -> Vec<String> {
        v.as_array()
            .into_iter()
            .flatten()
            .map(|w| w.as_str().unwrap().to_owned())
            .collect()
    };
    match value.get("command") {
        Some(Value::String(command)) => {
            let mut all = vec![command.clone()];
            all.extend(words(&value["args"]));
            found.push(all);
        }
        Some(list) => found.push(words(list)),
        None => value
            .as_object()
            .into_iter()
            .flatten()
            .for_each(|(_, v)| commands(v, found)),
    }
}

#[test]
fn every_configuration_starts_this_server() {
    let page = page();
    let mut found = Vec::new();
    for block in blocks(&page, "json") {
        let value: Value = serde_json::from_str(block).unwrap_or_else(|e| panic!("{e}: {block}"));
        commands(&value, &mut found);
    }
    for block in blocks(&page, "toml") {
        let value: Value = toml::from_str(block).unwrap_or_else(|e| panic!("{e}: {block}"));
        commands(&value, &mut found);
    }
    assert!(found.len() >= 7, "{found:?}");
    let bed = Bed::small();
    for words in found {
        assert_eq!(words[0], "understory", "{words:?}");
        let repo = bed.path("repo");
        let arguments: Vec<&str> = words[1..]
            .iter()
            .map(|w| if w.starts_with('/') { repo.to_str().unwrap() } else { w })
            .collect();
        let mut client = bed.start(&arguments);
        assert_eq!(
            client.initialize(json!({}))["serverInfo"]["name"],
            "understory",
            "{words:?}"
        );
        client.end_cleanly();
    }
}

#[test]
fn every_tool_is_on_the_page() {
    let page = page();
    let bed = Bed::small();
    let mut client = bed.open(&["mcp", "--stage"]);
    for tool in client.tools() {
        let row = format!("| `{}` |", tool["name"].as_str().unwrap());
        assert!(page.contains(&row), "docs/mcp.md lacks {row}");
    }
    client.end_cleanly();
}

#[test]
fn the_manual_for_hosts_names_every_tool_and_what_it_searches() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/extending.md");
    let page = std::fs::read_to_string(path).unwrap();
    let bed = Bed::small();
    let mut client = bed.open(&["mcp", "--stage"]);
    for tool in client.tools() {
        let begin = format!("| `{}` |", tool["name"].as_str().unwrap());
        let row = page
            .lines()
            .find(|l| l.starts_with(&begin))
            .unwrap_or_else(|| panic!("{begin}"));
        assert!(row.contains("stage"), "{row}");
        let stages = tool["annotations"]["readOnlyHint"] == false;
        assert_eq!(row.contains("STAGES_WRITES"), stages, "{row}");
    }
    client.end_cleanly();
}
