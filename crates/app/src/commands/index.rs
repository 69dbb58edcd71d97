//! `understory index`: makes the index ready ahead of the first question.

use super::common::{self, Reader};
use super::tool;
use crate::cli::Cli;
use crate::compose::Composed;
use crate::exit;
use crate::failure::Failure;
use crate::output::Output;
use serde_json::{Value, json};
use understory_core::answer::{IndexState, SCHEMA, Severity};

/// Prepares, and says what that came to.
pub fn run(cli: &Cli, composed: &Composed, out: &mut Output) -> Result<u8, Failure> {
    let session = common::open(cli, composed, Reader::Program)?;
    let prepared = match session {
        Err(refusal) => Err(refusal),
        Ok(session) => common::block_on(session.prepare(&common::context(out)))?,
    };
    let done = match prepared {
        Ok(done) => done,
        Err(refusal) if cli.common.json => {
            out.text(&tool::refused("index", Value::Null, &refusal));
            return Ok(exit::FAILED);
        }
        Err(refusal) => return Err(Failure::from(&refusal)),
    };
    let backend = composed.ports.search.identity();
    if cli.common.json {
        let took = done.index.took.as_millis() as u64;
        let value = json!({
            "schema": SCHEMA,
            "ok": true,
            "backend": backend,
            "tree": done.tree,
            "files": done.index.files,
            "parsed": done.index.parsed,
            "took_ms": took,
            "findings": done.findings,
        });
        out.text(&value.to_string());
        return Ok(exit::FOUND);
    }
    let did = match done.index.state {
        IndexState::Built => "built",
        IndexState::Updated => "updated",
        IndexState::Reused => "up to date",
        IndexState::Foreign => "another tool's, used as it is",
    };
    out.text(&format!(
        "{} {}: index {did}, {} files, {} parsed, {:.2} s",
        backend.name,
        backend.version,
        done.index.files,
        done.index.parsed,
        done.index.took.as_secs_f64()
    ));
    for finding in done.findings.iter().filter(|f| f.severity > Severity::Note) {
        out.note(&format!("{} ({})", finding.message, finding.id));
    }
    Ok(exit::FOUND)
}
