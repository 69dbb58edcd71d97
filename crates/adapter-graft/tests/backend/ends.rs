//! The ways in which the program can end, and what is missing.

use crate::support::{Host, code, names, over, program, query, questions};
use serde_json::Value;
use std::sync::Arc;
use std::time::{Duration, Instant};
use understory_adapter_graft::{Program, Runner};
use understory_core::RefusalCode;
use understory_core::query::Mode;
use understory_ports::provisioner::Pin;
use understory_ports::testing::CountingProvisioner;
use understory_ports::{CallContext, CodeSearch, Locator, Provisioner, SearchError, Tool};

fn word(mode: Mode) -> &'static str {
    match mode {
        Mode::Explore => "ask",
        other => other.as_str(),
    }
}

#[tokio::test]
async fn text_for_a_model_is_no_answer_and_reaches_nobody() {
    for question in questions() {
        let host = Host::new();
        let backend = host.backend(&[&format!("@text:{}", word(question.mode))]);
        let (found, message) = code(host.ask(&backend, &question).await);
        assert_eq!(found, RefusalCode::BadOutput, "{question:?}");
        assert!(
            message.contains("no JSON") && !message.contains("tokens saved"),
            "{message}"
        );
    }
    let host = Host::new();
    let backend = host.backend(&[]);
    for question in questions() {
        let answer = serde_json::to_string(&host.ask(&backend, &question).await.unwrap()).unwrap();
        assert!(
            !answer.contains("tokens saved") && !answer.contains("IMPORTANT"),
            "{answer}"
        );
    }
}

#[tokio::test]
async fn an_answer_of_a_failing_run_is_not_believed() {
    for question in questions() {
        let host = Host::new();
        let backend = host.backend(&[&format!("@fail:{}", word(question.mode))]);
        let (found, message) = code(host.ask(&backend, &question).await);
        assert_eq!(found, RefusalCode::BadOutput, "{question:?}");
        assert!(
            message.contains("code 1") && message.contains("something broke in <repo>"),
            "{message}"
        );
    }
}

#[tokio::test]
async fn a_flood_ends_by_name() {
    let host = Host::new();
    let (found, message) = code(host.ask(&host.backend(&["@flood:map"]), &query(Mode::Map, "")).await);
    assert!(
        found == RefusalCode::BadOutput && message.contains("more than is read"),
        "{message}"
    );
}

#[tokio::test]
async fn a_cancelled_or_late_call_ends_its_process() {
    let host = Host::new();
    let backend = host.backend(&["@hang:ask"]);
    let tree = host.tree(&Value::Null).await;
    backend.prepare(&tree, &CallContext::new()).await.unwrap();
    let cx = CallContext::new();
    let (running, stop, of) = (backend.clone(), cx.cancel.clone(), tree.clone());
    let call = tokio::spawn(async move { running.search(&of, &query(Mode::Ask, "ring"), &cx).await });
    while !host
        .starts()
        .iter()
        .any(|s| s["argv"].as_array().unwrap().contains(&"ask".into()))
    {
        tokio::task::yield_now().await;
    }
    let asked = Instant::now();
    stop.cancel();
    assert!(matches!(call.await.unwrap(), Err(SearchError::Cancelled)));
    assert!(asked.elapsed() < Duration::from_secs(20));
    let cx = CallContext::new().with_timeout(Duration::from_millis(700));
    let late = backend.search(&tree, &query(Mode::Ask, "ring"), &cx).await;
    assert!(matches!(late, Err(SearchError::Timeout { .. })), "{late:?}");
    // Other questions go on.
    let answer = backend
        .search(&tree, &query(Mode::Callers, "leaf"), &CallContext::new())
        .await
        .unwrap();
    assert_eq!(names(&answer), ["middle", "ring"]);
}

#[tokio::test]
async fn what_is_missing_is_named_with_what_to_do() {
    let host = Host::new();
    let check = async |program: Option<Program>, code_of: RefusalCode, says: &str| {
        let backend = over(&host.cache(), program);
        let (found, message) = code(host.ask(&backend, &query(Mode::Map, "")).await);
        assert!(found == code_of && message.contains(says), "{found:?} {message}");
    };
    check(None, RefusalCode::Unavailable, "understory provision").await;
    let script = |node: Option<&str>| Program {
        runner: Runner::Node(node.map(Into::into)),
        ..program(&[])
    };
    check(Some(script(None)), RefusalCode::NoNode, "version 20").await;
    // What answers as no Node.js does is not one that is new enough.
    check(
        Some(script(Some(crate::support::FAKE))),
        RefusalCode::NoNode,
        "0.16.0 was found",
    )
    .await;
    check(
        Some(program(&["@odd-version"])),
        RefusalCode::Unavailable,
        "does not answer its probe",
    )
    .await;
    let gone = Program {
        file: host.path("gone"),
        ..program(&[])
    };
    check(Some(gone), RefusalCode::Unavailable, "no longer where it was found").await;
    assert!(host.starts().is_empty(), "nothing was built or asked");
    let nowhere = over(std::path::Path::new(""), Some(program(&[])));
    let (found, message) = code(host.ask(&nowhere, &query(Mode::Map, "")).await);
    assert!(
        found == RefusalCode::Unavailable && message.contains("--cache"),
        "{message}"
    );
}

#[tokio::test]
async fn a_file_and_a_scope_that_are_not_there_are_refused_before_anything_runs() {
    let host = Host::new();
    let backend = host.backend(&[]);
    let mut scoped = query(Mode::Map, "");
    scoped.scope = understory_core::RepoPath::new("scr").unwrap();
    let (found, _) = code(host.ask(&backend, &scoped).await);
    assert_eq!(found, RefusalCode::BadScope);
    assert_eq!(
        code(host.ask(&backend, &query(Mode::Skeleton, ".env")).await).0,
        RefusalCode::ProtectedPath
    );
    assert_eq!(
        code(host.ask(&backend, &query(Mode::Skeleton, "src/gone.py")).await).0,
        RefusalCode::NoSuchFile
    );
    assert_eq!(
        code(host.ask(&backend, &query(Mode::Grep, "(?=x)")).await).0,
        RefusalCode::BadQuery
    );
    assert!(host.starts().is_empty());
}

/// A query finds what was installed and installs nothing: it holds a locator, and the provisioner behind it counts.
#[tokio::test]
async fn what_is_installed_is_found_and_a_query_installs_nothing() {
    let host = Host::new();
    let prefix = host.path("prefix");
    let package = prefix.join("node_modules/@nanonets/graft");
    std::fs::create_dir_all(&package).unwrap();
    let manifest = r#"{"name": "@nanonets/graft", "version": "0.16.0", "bin": {"graft": "graft"}}"#;
    std::fs::write(package.join("package.json"), manifest).unwrap();
    std::fs::copy(crate::support::FAKE, package.join("graft")).unwrap();
    let provisioner = Arc::new(CountingProvisioner::new().offering("graft", "0.16.0", &prefix));
    // As where a registry made its lock.
    let pin = Pin {
        lock: Some("{}".into()),
        ..understory_adapter_graft::pin()
    };
    let tool = Tool::new(pin.clone(), Locator::new(provisioner.clone()));
    let backend = crate::support::with(&host.cache(), None, Some(tool), None);
    assert_eq!(backend.requirements(), std::slice::from_ref(&pin));
    let tree = host.tree(&Value::Null).await;
    let (found, _) = code(host.ask(&backend, &query(Mode::Callers, "leaf")).await);
    assert_eq!(found, RefusalCode::Unavailable);
    let refused = backend.prepare(&tree, &CallContext::new()).await.unwrap_err();
    assert_eq!(refused.into_refusal().code, RefusalCode::Unavailable);
    assert_eq!((provisioner.ensures(), host.starts().len()), (0, 0));
    // Whoever may install does; from then on it is a panic.
    provisioner.ensure(&pin, &CallContext::new()).await.unwrap();
    provisioner.begin_turn();
    let answer = host.ask(&backend, &query(Mode::Callers, "leaf")).await.unwrap();
    assert_eq!(names(&answer), ["middle", "ring"]);
    assert_eq!(backend.identity().version, "0.16.0");
    // A program that was named needs nothing.
    assert!(host.backend(&[]).requirements().is_empty());
}
