//! A session of a host that lets preparing install: by the real npm, from the registry that the host names.

use crate::support::{Repo, UNDERSTORY};
use serde_json::json;
use std::sync::Arc;
use understory_adapter_codegraph::{CodegraphConfig, CodegraphSearch, IndexKind, pin};
use understory_adapter_npm::{NpmConfig, NpmProvisioner, Settings};
use understory_adapter_sandbox::{Helper, HostEnvironment, SandboxConfig, SubprocessSandbox};
use understory_adapter_text::RipgrepText;
use understory_adapter_worktree::GitWorktree;
use understory_core::RefusalCode;
use understory_core::guard::Guard;
use understory_ports::sandbox::Require;
use understory_ports::{CallContext, Locator, Provisioner, Tool};
use understory_session::{Options, Ports, Session};

#[tokio::test(flavor = "multi_thread")]
async fn preparing_installs_it_and_a_call_does_not() {
    let repo = Repo::new();
    let cache = tempfile::tempdir().unwrap();
    let cache = cache.path().canonicalize().unwrap();
    let search = std::env::var_os("PATH").expect("PATH is set");
    let sandbox = Arc::new(SubprocessSandbox::new(SandboxConfig {
        environment: HostEnvironment::from_variables([("PATH".into(), search.clone())]),
        scratch: cache.join("sandbox"),
        helper: Helper::Program(UNDERSTORY.into()),
    }));
    let npm = NpmConfig {
        settings: Settings::from_variables(std::env::vars_os()),
        require: Require::Enforced,
        ..NpmConfig::new(&cache, search)
    };
    let provisioner: Arc<dyn Provisioner> = Arc::new(NpmProvisioner::new(npm, sandbox.clone()));
    let guard = Arc::new(Guard::default());
    let worktree = || GitWorktree::new(Some(cache.clone())).with_guard(guard.clone());
    let config = CodegraphConfig {
        cache: cache.clone(),
        program: None,
        tool: Some(Tool::new(pin(), Locator::new(provisioner.clone()))),
        index: IndexKind::Managed,
        guard: guard.clone(),
        git: None,
        require: Require::Enforced,
    };
    let ports = Ports {
        search: Arc::new(CodegraphSearch::new(config, sandbox, Arc::new(worktree()))),
        text: Arc::new(RipgrepText::new(guard.clone())),
        worktree: Arc::new(worktree()),
    };
    let session = |offline| {
        let options = Options {
            provisioner: Some(provisioner.clone()),
            offline,
            require_sandbox: true,
            ..Options::default()
        };
        Session::open(repo.path(), ports.clone(), options)
    };
    let cx = CallContext::new();
    let callers = json!({"mode": "callers", "query": "check_order"});
    let refused = session(true).prepare(&cx).await.unwrap_err();
    assert!(
        refused.code == RefusalCode::Unavailable && refused.message.contains("`offline` is on"),
        "{refused:?}"
    );
    let online = session(false);
    let answer = online.call("search_code", &callers, &cx).await;
    assert_eq!(answer.refusal.unwrap().code, RefusalCode::Unavailable);
    assert!(!cache.join("codegraph/1.6.1").exists(), "a call installs nothing");
    let ready = online.prepare(&cx).await.unwrap();
    assert!(
        ready.findings.iter().any(|f| f.id == "search_code.provisioned"),
        "{ready:?}"
    );
    // What is there is used, whoever may install.
    for session in [online, session(true)] {
        assert!(session.prepare(&cx).await.is_ok());
        let answer = session.call("search_code", &callers, &cx).await;
        let hits = answer.hits.unwrap_or_default();
        assert_eq!(hits[0].symbol.name, "save_order");
        assert_eq!(answer.backend.unwrap().version, "1.6.1");
    }
}
