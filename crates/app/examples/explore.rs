//! An orchestrator in one file: opens a repository, hands out the tools, stages a write, answers calls, keeps the record.
//!
//! ```sh
//! cargo run --example explore -- /path/to/repository "how does a request get retried"
//! ```

use serde_json::json;
use std::error::Error;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use understory_adapter_native::{NativeConfig, NativeSearch};
use understory_adapter_text::RipgrepText;
use understory_adapter_worktree::GitWorktree;
use understory_core::guard::Guard;
use understory_ports::CallContext;
use understory_session::{JsonLines, Options, Ports, Session, model_text};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let root = PathBuf::from(arguments.next().ok_or("name a repository")?);
    let question = arguments
        .next()
        .unwrap_or_else(|| "where does the program start".to_owned());
    let mut out = std::io::stdout();

    // What is not served: environment files and key material, and what this host adds.
    let guard = Arc::new(Guard::new(["internal/secrets/"])?);
    let cache = tempfile_dir()?;
    let ports = Ports {
        search: Arc::new(NativeSearch::new(NativeConfig {
            cache: Some(cache.clone()),
            guard: guard.clone(),
        })),
        text: Arc::new(RipgrepText::new(guard.clone())),
        worktree: Arc::new(GitWorktree::new(Some(cache.clone()))),
    };
    let record = Arc::new(JsonLines::new(Vec::new()));
    let options = Options {
        guard: (*guard).clone(),
        record: record.clone(),
        ..Options::default()
    };
    let session = Session::open(root, ports, options);

    // The index before the first turn of the model. A refusal is no end: every call says for itself what is missing.
    match session.prepare(&CallContext::new()).await {
        Ok(ready) => writeln!(out, "ready: {} files", ready.index.files)?,
        Err(refusal) => writeln!(out, "not ready: {refusal}")?,
    }

    // What the model is told about the tools.
    for tool in session.tools() {
        writeln!(
            out,
            "{}: {} characters, {:?}",
            tool.name,
            tool.description.len(),
            tool.capabilities
        )?;
    }

    // What the agent writes is searched from now on, although it is not on disk.
    session.stage_text("notes/plan.py", "def the_plan():\n    return 'retry, then back off'\n")?;

    // The calls that the model makes, each with a deadline; dropping the future or cancelling the context ends one.
    for (name, arguments) in [
        ("search_code", json!({"mode": "explore", "query": question})),
        ("search_code", json!({"mode": "grep", "query": "the_plan"})),
        ("read_file", json!({"path": "notes/plan.py"})),
    ] {
        let cx = CallContext::new().with_timeout(Duration::from_secs(60));
        let answer = session.call(name, &arguments, &cx).await;
        writeln!(out, "\n> {name} {arguments}\n{}", model_text(&answer))?;
    }

    // Totals end the record.
    session.close();
    drop(session);
    std::fs::remove_dir_all(cache)?;
    if let Some(record) = Arc::into_inner(record) {
        writeln!(out, "\nrecord:\n{}", String::from_utf8(record.into_inner())?)?;
    }
    Ok(())
}

/// A cache for this example alone. A host names a directory that it keeps.
fn tempfile_dir() -> std::io::Result<PathBuf> {
    Ok(tempfile::Builder::new().prefix("understory-example-").tempdir()?.keep())
}
