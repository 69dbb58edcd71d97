//! What the recorder writes down of a session's calls.

use crate::file::Recorder;
use crate::line::{Call, Line};
use serde_json::Value;
use std::sync::Arc;
use understory_core::Refusal;
use understory_core::answer::BackendIdentity;
use understory_core::redact::redact;
use understory_ports::{Tape, TapeCall, TapeHead, TapeResult};

impl Tape for Recorder {
    fn backend(&self) -> Option<BackendIdentity> {
        None
    }

    fn replay(&self, _: &TapeHead, _: &TapeCall) -> Option<Result<TapeResult, Refusal>> {
        None
    }

    fn record(&self, head: &TapeHead, call: &TapeCall, result: &TapeResult) {
        self.append(|tape| {
            let mut lines = Vec::new();
            if tape.end.head.as_deref() != Some(head) {
                lines.push(Line::Session(head.clone()));
            }
            lines.push(Line::Call(Call {
                n: tape.end.n + 1,
                tool: redact(&call.tool).text.into_owned(),
                request: redacted(&call.request),
                staged: call.staged,
                tree: result.tree,
                cut: result.cut,
                fenced: result.fenced,
                answer: named(&result.answer, &call.tool),
            }));
            lines
        });
    }
}

/// The answer repeats the tool's name, which may be the model's own words.
fn named(answer: &Value, tool: &str) -> Value {
    let mut answer = answer.clone();
    if let Some(Value::String(name)) = answer.get_mut("tool").filter(|t| **t == *tool) {
        *name = redact(name).text.into_owned();
    }
    answer
}

/// A value with every string redacted. As deep as the value is, which the parser bounds.
pub(crate) fn redacted(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::String(redact(text).text.into_owned()),
        Value::Array(items) => Value::Array(items.iter().map(redacted).collect()),
        Value::Object(object) => Value::Object(
            object
                .iter()
                .map(|(key, item)| (redact(key).text.into_owned(), redacted(item)))
                .collect(),
        ),
        other => other.clone(),
    }
}

/// What a call of a session is looked up by: all that is known of it where there is no repository.
pub(crate) fn call_key(head: &TapeHead, call: &TapeCall) -> String {
    let staged = call.staged.map(|s| s.to_string()).unwrap_or_default();
    let limits = head.limits;
    let parts = [
        head.schemas.clone(),
        head.tools.join(","),
        format!("{},{},{}", limits.text_chars, limits.hits, limits.text_lines),
        redact(&call.tool).text.into_owned(),
        staged,
        redacted(&call.request).to_string(),
    ];
    serde_json::Value::from(parts.to_vec()).to_string()
}

/// As [`call_key`], for what stands on a tape.
pub(crate) fn taped_key(head: &Arc<TapeHead>, call: &Call) -> String {
    call_key(
        head,
        &TapeCall {
            tool: call.tool.clone(),
            request: call.request.clone(),
            staged: call.staged,
        },
    )
}
