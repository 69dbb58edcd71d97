//! Indexes and written trees: made once, kept apart, right with several sessions.

use crate::support::{Host, names, query};
use serde_json::{Value, json};
use std::fs;
use std::sync::Arc;
use understory_adapter_text::RipgrepText;
use understory_core::answer::{IndexState, Line};
use understory_core::guard::Guard;
use understory_core::query::{Mode, TextQuery};
use understory_core::{Limits, RepoPath};
use understory_ports::{CallContext, CodeSearch, TextSearch};

fn staged() -> Value {
    json!({"src/new.py": "def fresh(x):\n    return leaf(x)\n", "src/old.py": null})
}

#[tokio::test]
async fn a_protected_file_that_comes_later_is_put_out_of_sight_without_a_build() {
    let host = Host::new();
    host.write(".ignore", ".env\n");
    let backend = host.backend(&[]);
    let question = query(Mode::Callers, "leaf");
    let is_prepared = async || {
        let answer = host.ask(&backend, &question).await.unwrap();
        answer.findings.iter().any(|f| f.id == "graft.covers")
    };
    assert!(is_prepared().await);
    assert!(!is_prepared().await, "nothing changed");
    // It is ignored, so the tree is the same.
    host.write(".env", "SECRET=1\n");
    assert!(is_prepared().await);
    assert!(!is_prepared().await);
    assert_eq!(host.builds(), 1);
}

#[tokio::test]
async fn a_staged_set_is_seen_by_every_mode_and_built_once() {
    let host = Host::new();
    host.write("src/old.py", "def gone(x):\n    return leaf(x)\n");
    let backend = host.backend(&[]);
    let cx = CallContext::new();
    let (plain, over) = (host.tree(&Value::Null).await, host.tree(&staged()).await);
    let callers = query(Mode::Callers, "leaf");
    for _ in 0..2 {
        let base = backend.search(&plain, &callers, &cx).await.unwrap();
        assert_eq!(names(&base), ["middle", "ring", "gone"]);
        let answer = backend.search(&over, &callers, &cx).await.unwrap();
        assert_eq!(names(&answer), ["middle", "ring", "fresh"]);
        let fresh = &answer.hits[2];
        assert!(fresh.symbol.staged && fresh.symbol.path.as_str() == "src/new.py");
        assert_eq!((fresh.symbol.start, fresh.lines[0].line), (1, 2));
    }
    for question in [
        query(Mode::Grep, "def fresh"),
        query(Mode::Ask, "fresh"),
        query(Mode::Skeleton, "src/new.py"),
    ] {
        let answer = backend.search(&over, &question, &cx).await.unwrap();
        assert_eq!(
            (names(&answer), answer.hits[0].symbol.start),
            (vec!["fresh"], 1),
            "{question:?}"
        );
    }
    let lost = backend.search(&over, &query(Mode::Grep, "gone"), &cx).await.unwrap();
    assert_eq!(lost.counts.total, 0);
    assert!(backend.search(&over, &query(Mode::Callers, "gone"), &cx).await.is_err());
    assert_eq!(host.builds(), 2, "the files on disk, and the staged set");
    let trees: Vec<_> = host
        .starts()
        .iter()
        .map(|start| {
            start["argv"]
                .as_array()
                .unwrap()
                .last()
                .unwrap()
                .as_str()
                .unwrap()
                .to_owned()
        })
        .collect();
    let written: std::collections::BTreeSet<_> = trees
        .iter()
        .filter(|t| t.starts_with(host.cache().to_str().unwrap()))
        .collect();
    assert_eq!(
        written.len(),
        1,
        "one written tree while the staged set is the same: {trees:?}"
    );
    assert!(
        trees.iter().any(|t| *t == host.path("repo").to_str().unwrap()),
        "and none without"
    );
}

/// What `grep` finds over a staged set, `search_text` finds: the same lines of the same files.
#[tokio::test]
async fn the_text_search_agrees_over_a_staged_set() {
    let host = Host::new();
    host.write("src/old.py", "def gone(x):\n    return leaf(x)\n");
    host.write("docs/leaf.md", "a leaf\r\nleaf again\r\n");
    let backend = host.backend(&[]);
    let text = RipgrepText::new(Arc::new(Guard::default()));
    let cx = CallContext::new();
    for tree in [host.tree(&Value::Null).await, host.tree(&staged()).await] {
        for pattern in ["leaf", r"def \w+", "again$", "gone|fresh"] {
            let mut wide = query(Mode::Grep, pattern);
            wide.limit = 100;
            let answer = backend.search(&tree, &wide, &cx).await.unwrap();
            let lines = |path: &RepoPath, lines: &[Line]| -> Vec<(String, u32, String)> {
                lines
                    .iter()
                    .map(|l| (path.as_str().to_owned(), l.line, l.text.clone()))
                    .collect()
            };
            let mut found: Vec<_> = answer
                .hits
                .iter()
                .flat_map(|h| lines(&h.symbol.path, &h.lines))
                .collect();
            found.sort();
            let asked = TextQuery::from_arguments(&json!({"pattern": pattern}), &Limits::default()).unwrap();
            let told = text.search(&tree, &asked, &cx).await.unwrap();
            let mut expected: Vec<_> = told
                .matches
                .iter()
                .map(|m| (m.path.as_str().to_owned(), m.line, m.text.clone()))
                .collect();
            expected.sort();
            assert_eq!(found, expected, "{pattern}");
            assert_eq!(answer.counts.total, told.counts.total, "{pattern}");
        }
    }
}

#[tokio::test]
async fn a_new_slot_takes_over_what_was_parsed() {
    let host = Host::new();
    host.write("lib/other.py", "def helper(x):\n    return x\n");
    let backend = host.backend(&[]);
    let cx = CallContext::new();
    let state = |prepared: understory_ports::Prepared| prepared.index.state;
    assert_eq!(
        state(backend.prepare(&host.tree(&Value::Null).await, &cx).await.unwrap()),
        IndexState::Built
    );
    assert_eq!(
        state(backend.prepare(&host.tree(&staged()).await, &cx).await.unwrap()),
        IndexState::Updated
    );
    let replayed = fs::read_to_string(host.cache().join("graft/home/last-build")).unwrap();
    assert_eq!(replayed, "2 of 3");
    // Where what was taken over is bad, it is made from nothing.
    let bad = host.backend(&["@bad-memo"]);
    host.write("lib/other.py", "def helper(y):\n    return y\n");
    assert!(bad.prepare(&host.tree(&Value::Null).await, &cx).await.is_ok());
    assert_eq!(
        fs::read_to_string(host.cache().join("graft/home/last-build")).unwrap(),
        "0 of 2"
    );
}

#[tokio::test]
async fn another_process_finds_what_the_first_made() {
    let host = Host::new();
    let cx = CallContext::new();
    let tree = host.tree(&Value::Null).await;
    host.backend(&[]).prepare(&tree, &cx).await.unwrap();
    let again = host.backend(&[]);
    assert_eq!(again.prepare(&tree, &cx).await.unwrap().index.state, IndexState::Reused);
    assert_eq!(host.builds(), 1);
    assert_eq!(again.identity().version, "0.16.0", "as it says of itself");
    // Bytes that are the same again are the first tree again.
    host.write("src/shop.py", "def leaf(x):\n    return x\n");
    again.prepare(&host.tree(&Value::Null).await, &cx).await.unwrap();
    host.write("src/shop.py", crate::support::SHOP);
    again.prepare(&host.tree(&Value::Null).await, &cx).await.unwrap();
    assert_eq!(host.builds(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn sessions_at_once_make_one_index_of_a_tree() {
    let host = Host::new();
    let (plain, over) = (host.tree(&Value::Null).await, host.tree(&staged()).await);
    let mut running = Vec::new();
    for number in 0..8 {
        let backend = host.backend(&[]);
        let tree = if number % 2 == 0 { plain.clone() } else { over.clone() };
        running.push(tokio::spawn(async move {
            let answer = backend
                .search(&tree, &query(Mode::Callers, "leaf"), &CallContext::new())
                .await;
            (number, answer)
        }));
    }
    for one in running {
        let (number, answer) = one.await.unwrap();
        let answer = answer.unwrap();
        let expected: &[&str] = if number % 2 == 0 {
            &["middle", "ring"]
        } else {
            &["middle", "ring", "fresh"]
        };
        assert_eq!(names(&answer), expected);
    }
    assert_eq!(host.builds(), 2);
}
