//! `understory config`: every value and where it came from.

use crate::cli::Cli;
use crate::compose::Composed;
use crate::config::{KEYS, Key, Kind, PROJECT_FILE, Value as Set};
use crate::exit;
use crate::failure::Failure;
use crate::output::Output;
use serde_json::{Value, json};
use understory_core::answer::SCHEMA;
use understory_core::path::escape_control;

/// Prints the table, or the same as JSON.
pub fn run(cli: &Cli, composed: &Composed, out: &mut Output) -> Result<u8, Failure> {
    let settings = &composed.settings;
    let rows: Vec<(&Key, Value, String)> = KEYS.iter().map(|key| row(key, composed)).collect();
    if cli.common.json {
        let values: Vec<Value> = rows
            .into_iter()
            .map(|(key, value, source)| {
                let (variable, option) = (key.variable(), key.flag);
                json!({"key": key.name, "value": value, "source": source, "variable": variable, "option": option})
            })
            .collect();
        let value = json!({
            "schema": SCHEMA,
            "ok": true,
            "files": {"user": settings.user_file, "project": PROJECT_FILE},
            "values": values,
            "findings": settings.findings,
        });
        out.text(&value.to_string());
        return Ok(exit::FOUND);
    }
    let mut lines = vec![match &settings.user_file {
        Some(path) => format!("config.toml is {}", path.display()),
        None => "there is no place for a config.toml".to_owned(),
    }];
    for (key, value, source) in &rows {
        lines.push(format!("{:<18} {}  ({source})", key.name, shown(value)));
    }
    out.text(&lines.join("\n"));
    Ok(exit::FOUND)
}

fn row<'k>(key: &'k Key, composed: &Composed) -> (&'k Key, Value, String) {
    let source = composed.settings.sources(key.name);
    if let Some((value, _)) = composed.settings.get(key.name) {
        let value = match value {
            Set::Path(path) => json!(path),
            Set::Scope(scope) => json!(scope),
            Set::Switch(on) => json!(on),
            Set::Number(n) => json!(n),
            Set::List(items) => json!(items),
        };
        return (key, value, source);
    }
    let value = match key.kind {
        Kind::Directory => json!(composed.cache),
        Kind::File => Value::Null,
        Kind::Scope => json!(""),
        Kind::Switch => json!(false),
        Kind::Number(most) => json!(most),
        Kind::Tools | Kind::Globs => json!([]),
    };
    (key, value, source)
}

fn shown(value: &Value) -> String {
    match value {
        Value::Null => "none".to_owned(),
        Value::String(text) if text.is_empty() => "none".to_owned(),
        Value::String(text) => escape_control(text),
        Value::Array(items) if items.is_empty() => "none".to_owned(),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(shown).collect();
            items.join(", ")
        }
        other => other.to_string(),
    }
}
