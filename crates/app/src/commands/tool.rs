//! `understory tool NAME JSON`: the call that a model makes.

use super::common::{self, Reader};
use crate::cli::Cli;
use crate::compose::Composed;
use crate::exit;
use crate::failure::Failure;
use crate::output::Output;
use serde_json::{Value, json};
use understory_core::answer::SCHEMA;
use understory_core::refusal::{Refusal, RefusalCode};

/// Prints exactly one JSON object. A refusal is an answer; arguments that are no JSON are refused in the same form, but end
/// with the code of a usage error.
pub fn run(cli: &Cli, composed: &Composed, name: &str, arguments: &str, out: &mut Output) -> Result<u8, Failure> {
    let arguments: Value = match serde_json::from_str(arguments) {
        Ok(value) => value,
        Err(e) => {
            let refusal = Refusal::new(RefusalCode::BadArgument, format!("The arguments are not JSON: {e}."));
            out.text(&refused(name, Value::Null, &refusal));
            return Ok(exit::FAILED);
        }
    };
    let session = match common::open(cli, composed, Reader::Model)? {
        Ok(session) => session,
        Err(refusal) => {
            out.text(&refused(name, arguments, &refusal));
            return Ok(exit::FOUND);
        }
    };
    let answer = common::block_on(session.call(name, &arguments, &common::context(out)))?;
    if let Some(detail) = answer.refusal.as_ref().and_then(Refusal::detail) {
        out.note(detail);
    }
    out.text(&super::people::to_json(&answer)?);
    Ok(exit::FOUND)
}

/// A refusal from before there is a session, in the form of any other.
pub fn refused(name: &str, request: Value, refusal: &Refusal) -> String {
    refused_value(name, request, refusal).to_string()
}

/// As [`refused`], as a value.
pub fn refused_value(name: &str, request: Value, refusal: &Refusal) -> Value {
    json!({
        "schema": SCHEMA,
        "ok": false,
        "tool": name,
        "request": request,
        "refusal": refusal,
        "findings": [{"id": refusal.code, "severity": "note", "message": "The call was refused before it began."}],
    })
}
