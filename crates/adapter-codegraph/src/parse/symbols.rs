//! The JSON of `query`: symbols with their spans, best first.

use super::{Unreadable, json};
use serde::Deserialize;
use understory_cli_backend::texts::Told;

/// One row.
#[derive(Deserialize)]
struct Row {
    node: Node,
    score: Option<f64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Node {
    kind: String,
    name: String,
    qualified_name: Option<String>,
    file_path: String,
    start_line: u32,
    end_line: Option<u32>,
}

/// Reads it: definitions and their scores. Imports are no definitions and are dropped.
pub fn parse(text: &str) -> Result<Vec<(Told, Option<f64>)>, Unreadable> {
    let rows: Vec<Row> = json(text)?;
    let is_definition = |row: &Row| !matches!(row.node.kind.as_str(), "import" | "export" | "parameter");
    Ok(rows
        .into_iter()
        .filter(is_definition)
        .map(|Row { node, score }| {
            let told = Told {
                path: node.file_path,
                start: node.start_line,
                end: node.end_line,
                kind: node.kind,
                qualified: node.qualified_name.unwrap_or_else(|| node.name.clone()),
                name: node.name,
            };
            (told, score.filter(|s| s.is_finite()))
        })
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recorded_query() {
        let rows = parse(include_str!("../../tests/samples/query.json")).unwrap();
        let shown: Vec<_> = rows
            .iter()
            .map(|(t, _)| (t.qualified.as_str(), t.start, t.end))
            .collect();
        assert_eq!(shown[0], ("OrderStore", 9, Some(19)));
        assert_eq!(shown[3], ("OrderStore::save_order", 15, Some(19)));
        assert!(rows.windows(2).all(|w| w[0].1 >= w[1].1), "best first");
    }

    #[test]
    fn nothing_is_an_empty_list_and_no_other_text() {
        assert_eq!(parse("[]\n"), Ok(Vec::new()));
        for text in ["", "null", "{}", "No results", "[{\"node\": {}}]", "[1"] {
            assert!(parse(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn imports_are_dropped() {
        let row = |kind: &str| {
            format!(r#"{{"node":{{"kind":"{kind}","name":"a","filePath":"a.py","startLine":1}},"score":1}}"#)
        };
        let rows = parse(&format!("[{},{}]", row("import"), row("function"))).unwrap();
        assert_eq!(rows.len(), 1);
        assert_eq!(rows[0].0.qualified, "a");
    }
}
