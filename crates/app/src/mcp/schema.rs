//! JSON Schemas of the answers. Fields may be added to an answer without a new version, so no schema is closed.

use serde_json::{Map, Value, json};

/// The schema of a tool's structured content, refusals included.
pub fn output(tool: &str) -> Value {
    let mut properties = Map::new();
    let mut add = |more: Value| {
        if let Value::Object(more) = more {
            properties.extend(more);
        }
    };
    add(common());
    match tool {
        "search_code" => add(search_code()),
        "search_text" => add(json!({
            "counts": counts(),
            "matches": list(json!({
                "type": "object",
                "properties": {"path": text(), "line": number(), "text": text(), "staged": {"type": "boolean"}},
                "required": ["path", "line", "text", "staged"],
            })),
        })),
        "read_file" => add(json!({
            "path": text(), "start": number(), "end": number(), "total_lines": number(), "content": text(),
            "staged": {"type": "boolean"},
        })),
        "list_files" => add(json!({"counts": counts(), "paths": list(text())})),
        _ => add(json!({
            "changes": list(json!({
                "type": "object",
                "properties": {
                    "path": text(),
                    "change": {"type": "string", "enum": ["write", "symlink", "delete"]},
                    "bytes": number(),
                },
                "required": ["path", "change"],
            })),
        })),
    }
    let mut schema = json!({
        "type": "object",
        "properties": properties,
        "required": ["schema", "ok", "tool", "request", "findings"],
    });
    if tool == "search_code" {
        schema["$defs"] = json!({"symbol": symbol()});
    }
    schema
}

fn common() -> Value {
    json!({
        "schema": {"const": 1},
        "ok": {"type": "boolean", "description": "false for a refusal"},
        "tool": text(),
        "request": {"type": "object", "description": "the effective arguments"},
        "tree": {
            "type": "object",
            "properties": {
                "fingerprint": text(), "staged": number(),
                "index": {"type": "string", "enum": ["built", "updated", "reused", "foreign"]},
            },
            "required": ["fingerprint", "staged"],
        },
        "suggestions": list(text()),
        "not_searched": numbers(),
        "refusal": {
            "type": "object",
            "properties": {"code": text(), "message": text(), "suggestions": list(text())},
            "required": ["code", "message"],
        },
        "findings": list(json!({
            "type": "object",
            "properties": {
                "id": text(),
                "severity": {"type": "string", "enum": ["note", "warning", "serious"]},
                "message": text(),
            },
            "required": ["id", "severity", "message"],
        })),
        "text": text(),
    })
}

fn search_code() -> Value {
    let symbols = list(json!({"$ref": "#/$defs/symbol"}));
    json!({
        "backend": {"type": "object", "properties": {"name": text(), "version": text()}, "required": ["name", "version"]},
        "counts": counts(),
        "subjects": symbols,
        "hits": list(json!({
            "type": "object",
            "properties": {
                "symbol": {"$ref": "#/$defs/symbol"},
                "relation": text(), "depth": number(),
                "confidence": {"type": "string", "enum": ["exact", "resolved", "possible", "name"]},
                "subject": number(), "via": number(), "score": {"type": "number"}, "level": number(), "source": text(),
                "lines": list(json!({
                    "type": "object",
                    "properties": {"line": number(), "text": text()},
                    "required": ["line", "text"],
                })),
            },
            "required": ["symbol"],
        })),
        "unresolved": {"type": "object", "properties": {"sites": number()}, "required": ["sites"]},
        "call_paths": list(list(number())),
        "map": {"type": "object"},
    })
}

fn symbol() -> Value {
    json!({
        "type": "object",
        "properties": {
            "path": text(), "start": number(), "end": number(), "kind": text(), "name": text(), "qualified": text(),
            "signature": text(), "in_degree": number(), "scope": text(), "staged": {"type": "boolean"},
        },
        "required": ["path", "start", "end", "kind", "name", "qualified"],
    })
}

fn counts() -> Value {
    json!({
        "type": "object",
        "properties": {
            "shown": number(), "total": number(), "exact": {"type": "boolean"},
            "unit": {"type": "string", "enum": ["symbols", "lines", "files"]},
        },
        "required": ["shown", "total", "exact", "unit"],
    })
}

fn text() -> Value {
    json!({"type": "string"})
}

fn number() -> Value {
    json!({"type": "integer", "minimum": 0})
}

fn numbers() -> Value {
    json!({"type": "object", "additionalProperties": number()})
}

fn list(items: Value) -> Value {
    json!({"type": "array", "items": items})
}
