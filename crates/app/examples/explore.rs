//! An orchestrator in one file: opens a repository, hands out the tools, stages a write, answers calls, keeps the record.
//!
//! ```sh
//! cargo run --example explore -- /path/to/repository "how does a request get retried"
//! ```

use serde_json::json;
use std::error::Error;
use std::io::Write;
use std::path::{Path, PathBuf};
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
    // A host names a directory that it keeps; this one is gone with the example.
    let cache = tempfile::tempdir()?;
    let guard = guard()?;
    let record = Arc::new(JsonLines::new(Vec::new()));
    let options = Options {
        guard: (*guard).clone(),
        record: record.clone(),
        ..Options::default()
    };
    let session = Session::open(root, ports(cache.path(), &guard), options);
    let mut out = std::io::stdout();
    run(session, &question, &mut out).await?;
    if let Some(record) = Arc::into_inner(record) {
        writeln!(out, "\nrecord:\n{}", String::from_utf8(record.into_inner())?)?;
    }
    Ok(())
}

/// What is not served: environment files and key material, and what this host adds.
fn guard() -> Result<Arc<Guard>, Box<dyn Error>> {
    Ok(Arc::new(Guard::new(["internal/secrets/"])?))
}

/// The adapters behind the ports. Another backend goes in here.
fn ports(cache: &Path, guard: &Arc<Guard>) -> Ports {
    Ports {
        search: Arc::new(NativeSearch::new(NativeConfig {
            cache: Some(cache.to_owned()),
            guard: guard.clone(),
        })),
        text: Arc::new(RipgrepText::new(guard.clone())),
        worktree: Arc::new(GitWorktree::new(Some(cache.to_owned()))),
    }
}

/// One run of an agent, with a fixed script in place of the model.
async fn run(session: Session, question: &str, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
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
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use understory_ports::testing::MemorySearch;

    async fn said(change: impl FnOnce(&mut Ports)) -> String {
        let home = tempfile::tempdir().unwrap();
        let (root, cache) = (home.path().join("repo"), home.path().join("cache"));
        std::fs::create_dir(&root).unwrap();
        std::fs::write(root.join("shop.py"), "def charge(x):\n    return x\n").unwrap();
        let mut ports = ports(&cache, &guard().unwrap());
        change(&mut ports);
        let session = Session::open(root, ports, Options::default());
        let mut out = Vec::new();
        run(session, "how is a customer charged", &mut out).await.unwrap();
        String::from_utf8(out).unwrap()
    }

    #[tokio::test]
    async fn the_whole_run_over_the_real_adapters() {
        let said = said(|_| {}).await;
        assert!(said.starts_with("ready: 1 files\nsearch_code: "), "{said}");
        assert!(said.contains("shop.py:L1-L2 function charge"), "{said}");
        assert!(said.contains("notes/plan.py:L1-L2 function the_plan"), "{said}");
        assert!(said.contains("2\t    return 'retry, then back off'"), "{said}");
    }

    /// What an adopter's own tests do: a fake in place of the backend, so that neither index nor cache is needed.
    #[tokio::test]
    async fn a_fake_backend_is_swapped_in() {
        let fake = said(|ports| ports.search = Arc::new(MemorySearch::new())).await;
        assert!(fake.contains("notes/plan.py:L1-L2 function the_plan"), "{fake}");
    }
}
