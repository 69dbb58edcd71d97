//! The tools of a session as the protocol describes them.

use super::roots::{Root, choices};
use super::schema;
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};
use std::sync::Arc;
use understory_session::{Capability, ToolSpec};

/// The argument that chooses a root.
pub const ROOT: &str = "root";

/// What a host is told once.
pub const INSTRUCTIONS: &str = "\
understory searches a repository by symbol and by text: the files on disk plus what this session staged. It reads the \
repository and never changes it. Paths are relative to the repository's root. A refusal (`ok` is false) says what is missing \
and what to do; an empty answer means that everything was searched.";

/// The tools of the roots, which all have the same.
pub fn tools(roots: &[Root]) -> Vec<Tool> {
    let Some(first) = roots.first() else {
        return Vec::new();
    };
    let choices = choices(roots);
    first.session.tools().iter().map(|spec| tool(spec, &choices)).collect()
}

fn tool(spec: &ToolSpec, roots: &[&str]) -> Tool {
    let mut input = object(spec.schema.clone());
    if !roots.is_empty() {
        if let Some(Value::Object(properties)) = input.get_mut("properties") {
            let root = json!({"type": "string", "enum": roots, "description": "the repository to answer over"});
            properties.insert(ROOT.to_owned(), root);
        }
        if let Some(Value::Array(required)) = input.get_mut("required") {
            required.push(json!(ROOT));
        }
    }
    let stages = spec.capabilities.contains(&Capability::StagesWrites);
    let annotations = ToolAnnotations::with_title(title(spec.name))
        .read_only(!stages)
        .destructive(false)
        .idempotent(true)
        .open_world(false);
    Tool::new(spec.name, spec.description.clone(), Arc::new(input))
        .with_title(title(spec.name))
        .with_raw_output_schema(Arc::new(object(schema::output(spec.name))))
        .with_annotations(annotations)
}

fn title(name: &str) -> &'static str {
    match name {
        "search_code" => "Search code",
        "search_text" => "Search text",
        "read_file" => "Read a file",
        "list_files" => "List files",
        "stage_write" => "Stage a write",
        "unstage" => "Forget a staged write",
        "staged" => "List what is staged",
        _ => "understory",
    }
}

fn object(value: Value) -> JsonObject {
    match value {
        Value::Object(object) => object,
        _ => JsonObject::new(),
    }
}
