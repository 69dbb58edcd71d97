//! The commands that search code, over the toy search.

use super::*;
use crate::cli::Color;
use clap::Parser;
use std::path::Path;
use std::sync::Arc;
use understory_adapter_text::RipgrepText;
use understory_adapter_worktree::GitWorktree;
use understory_core::guard::Guard;
use understory_ports::testing::MemorySearch;
use understory_session::Ports;

fn run_in(dir: &Path, line: &[&str]) -> Result<u8, Failure> {
    run_with(dir, line, Arc::new(MemorySearch::new()))
}

fn run_with(dir: &Path, line: &[&str], search: Arc<dyn understory_ports::CodeSearch>) -> Result<u8, Failure> {
    let cli = Cli::try_parse_from([&["understory", "-q"], line].concat()).unwrap();
    let guard = Guard::default();
    let composed = Composed {
        root: dir.to_owned(),
        cache: None,
        guard: guard.clone(),
        settings: crate::compose::settings(&cli, &Environment::default(), dir),
        record: Arc::new(understory_session::NoRecord),
        lines: None,
        ports: Ports {
            search,
            text: Arc::new(RipgrepText::new(Arc::new(guard))),
            worktree: Arc::new(GitWorktree::new(None).with_user_excludes(None)),
        },
        tape: None,
        recorder: None,
    };
    let environment = Environment {
        cwd: Some(dir.to_owned()),
        ..Environment::default()
    };
    run_over(&cli, &environment, &composed, &mut Output::new(Color::Never, true))
}

/// Keeps what the calls of a backend were allowed.
struct Allowed(std::sync::Mutex<Vec<understory_ports::Policy>>);

#[async_trait::async_trait]
impl understory_ports::CodeSearch for Allowed {
    fn identity(&self) -> understory_core::answer::BackendIdentity {
        MemorySearch::new().identity()
    }

    fn supports(&self) -> understory_ports::Capabilities {
        MemorySearch::new().supports()
    }

    async fn prepare(
        &self,
        tree: &understory_core::Tree,
        cx: &understory_ports::CallContext,
    ) -> Result<understory_ports::Prepared, understory_ports::SearchError> {
        self.0.lock().unwrap().push(cx.policy);
        MemorySearch::new().prepare(tree, cx).await
    }

    async fn search(
        &self,
        tree: &understory_core::Tree,
        query: &understory_core::SearchQuery,
        cx: &understory_ports::CallContext,
    ) -> Result<understory_core::Answer, understory_ports::SearchError> {
        self.0.lock().unwrap().push(cx.policy);
        MemorySearch::new().search(tree, query, cx).await
    }
}

#[test]
fn what_the_command_line_forbids_reaches_every_call() {
    let temp = tempfile::tempdir().unwrap();
    for (flags, offline, require_sandbox) in [
        (&[][..], false, false),
        (&["--offline"], true, false),
        (&["--require-sandbox"], false, true),
        (&["--offline", "--require-sandbox"], true, true),
    ] {
        for line in [
            &["map"][..],
            &["index"],
            &["tool", "search_code", "{\"mode\": \"map\"}"],
            &["grep", "x", "--json"],
        ] {
            let kept = Arc::new(Allowed(std::sync::Mutex::default()));
            run_with(temp.path(), &[line, flags].concat(), kept.clone()).unwrap();
            let seen = kept.0.lock().unwrap().clone();
            assert!(!seen.is_empty(), "{line:?}");
            let expected = understory_ports::Policy {
                offline,
                require_sandbox,
            };
            assert!(seen.iter().all(|p| *p == expected), "{line:?} {flags:?}: {seen:?}");
        }
    }
}

#[test]
fn the_code_says_what_was_found() {
    let temp = tempfile::tempdir().unwrap();
    std::fs::create_dir(temp.path().join("src")).unwrap();
    std::fs::write(
        temp.path().join("src/shop.py"),
        "def leaf(x):\n    return x\n\n\ndef crown(x):\n    return leaf(x)\n",
    )
    .unwrap();
    for (line, code) in [
        (&["ask", "leaf", "crown"][..], exit::FOUND),
        (&["ask", "zzyzx"], exit::NOTHING),
        (&["grep", "return"], exit::FOUND),
        (&["grep", "--", "--deep"], exit::NOTHING),
        (&["callers", "leaf"], exit::FOUND),
        (&["callers", "crown"], exit::NOTHING),
        (&["callers", "crown", "--direction", "out", "--depth", "2"], exit::FOUND),
        (&["skeleton", "src/shop.py"], exit::FOUND),
        (&["map"], exit::FOUND),
        (&["explore", "how does crown use leaf"], exit::FOUND),
        (&["index"], exit::FOUND),
        (&["index", "--json"], exit::FOUND),
        (&["grep", "return", "--json", "-n", "100000"], exit::FOUND),
        (&["grep", "(", "--json"], exit::FAILED),
        (
            &["tool", "search_code", "{\"mode\": \"grep\", \"query\": \"(\"}"],
            exit::FOUND,
        ),
    ] {
        assert_eq!(run_in(temp.path(), line), Ok(code), "{line:?}");
    }
    for (line, part) in [
        (&["callers", "leef"][..], "search_code.no_symbol"),
        (&["grep", "("], "search_code.bad_query"),
        (&["grep", "x", "--in", "scr"], "search_code.bad_scope"),
        (&["skeleton", "src/shpo.py"], "search_code.no_such_file"),
    ] {
        let failure = run_in(temp.path(), line).unwrap_err();
        assert!(failure.heading.contains(part), "{line:?}: {failure:?}");
        let offered = failure.hints.iter().any(|h| h.starts_with("near: ")) || failure.heading.contains("Near ");
        let near = part == "search_code.bad_query" || offered;
        assert!(near, "{failure:?}");
    }
}
