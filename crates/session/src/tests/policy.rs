//! What a session forbids and installs.

use super::*;

/// A backend that needs a tool and runs it, as those over other projects' programs do.
struct Running {
    pin: Pin,
    tool: Tool,
    sandbox: RecordingSandbox,
}

impl Running {
    fn over(provisioner: Arc<CountingProvisioner>) -> Running {
        Running {
            pin: sample_pin(),
            tool: Tool::new(sample_pin(), Locator::new(provisioner)),
            sandbox: RecordingSandbox::new()
                .without(&[Protection::Files])
                .on_program("tool", Act::print("")),
        }
    }

    async fn run(&self, cx: &CallContext) -> Result<(), SearchError> {
        let found = self
            .tool
            .locate()
            .await
            .map_err(|e| SearchError::from(e.to_refusal()))?;
        let tool = found.ok_or_else(|| SearchError::Unavailable {
            message: "not installed".to_owned(),
            detail: None,
        })?;
        let command = SandboxCommand::new(tool.prefix().join("tool"), "/tmp").read("/tmp");
        match self.sandbox.run(command, cx).await {
            Ok(_) => Ok(()),
            Err(SandboxError::NotEnforced { reached }) => Err(SearchError::NoSandbox(format!("only {reached}"))),
            Err(other) => Err(SearchError::BadOutput {
                message: other.to_string(),
                detail: None,
            }),
        }
    }
}

#[async_trait]
impl CodeSearch for Running {
    fn identity(&self) -> BackendIdentity {
        MemorySearch::new().identity()
    }

    fn requirements(&self) -> &[Pin] {
        std::slice::from_ref(&self.pin)
    }

    fn supports(&self) -> Capabilities {
        Capabilities::all()
    }

    async fn prepare(&self, tree: &Tree, cx: &CallContext) -> Result<Prepared, SearchError> {
        self.run(cx).await?;
        MemorySearch::new().prepare(tree, cx).await
    }

    async fn search(&self, tree: &Tree, query: &SearchQuery, cx: &CallContext) -> Result<Answer, SearchError> {
        self.run(cx).await?;
        MemorySearch::new().search(tree, query, cx).await
    }
}

#[tokio::test]
async fn what_a_session_forbids_reaches_every_program_and_every_installation() {
    for (offline, require_sandbox, code, installs, runs) in [
        (false, false, None, 1, 2),
        (true, false, Some(RefusalCode::Unavailable), 0, 0),
        (false, true, Some(RefusalCode::NoSandbox), 1, 0),
        (true, true, Some(RefusalCode::Unavailable), 0, 0),
    ] {
        let provisioner = Arc::new(CountingProvisioner::new().offering("tool", "1.0.0", "/opt/tool"));
        let search = Arc::new(Running::over(provisioner.clone()));
        let bed = bed_with(SHOP, search.clone(), MockTextSearch::new(), |o| {
            o.offline = offline;
            o.require_sandbox = require_sandbox;
            o.provisioner = Some(provisioner.clone());
        });
        let prepared = bed.session.prepare(&CallContext::new()).await;
        assert_eq!(prepared.err().map(|r| r.code), code, "{offline} {require_sandbox}");
        let answer = bed.call("search_code", json!({"mode": "map"})).await;
        assert_eq!(answer.refusal.map(|r| r.code), code, "{offline} {require_sandbox}");
        assert_eq!(provisioner.installs(), installs);
        assert_eq!(search.sandbox.commands().len(), runs);
    }
}

#[tokio::test]
async fn preparing_installs_what_the_backend_needs_and_a_call_never_does() {
    let provisioner = Arc::new(CountingProvisioner::new().offering("tool", "1.0.0", "/opt/tool"));
    let search = || Arc::new(Running::over(provisioner.clone()));
    let map = json!({"mode": "map"});
    // A host that gives none lets nothing be installed.
    let bare = bed_with(SHOP, search(), MockTextSearch::new(), |_| {});
    let refused = bare.session.prepare(&CallContext::new()).await.unwrap_err();
    assert_eq!((refused.code, provisioner.ensures()), (RefusalCode::Unavailable, 0));

    let bed = bed_with(SHOP, search(), MockTextSearch::new(), |o| {
        o.provisioner = Some(provisioner.clone())
    });
    assert_eq!(
        bed.refused_as_data("search_code", map.clone()).await,
        RefusalCode::Unavailable
    );
    assert_eq!(provisioner.ensures(), 0, "a call before it is prepared");
    let ready = bed.session.prepare(&CallContext::new()).await.unwrap();
    let ids: Vec<&str> = ready.findings.iter().map(|f| f.id.as_str()).collect();
    assert_eq!(ids, ["search_code.provisioned", "search_code.index"]);
    // What is there already is no news, and costs one look at the files.
    let before = bed.disk.snapshots.load(Ordering::SeqCst);
    let again = bed.session.prepare(&CallContext::new()).await.unwrap();
    assert_eq!(bed.disk.snapshots.load(Ordering::SeqCst), before + 1);
    assert!(again.findings.is_empty(), "{:?}", again.findings);
    // The provisioner panics when it is asked to install from now on.
    provisioner.begin_turn();
    assert!(bed.call("search_code", map.clone()).await.ok);
    provisioner.uninstall();
    assert_eq!(bed.refused_as_data("search_code", map).await, RefusalCode::Unavailable);
    assert_eq!(provisioner.installs(), 1);
}

#[tokio::test]
async fn what_cannot_be_installed_is_a_refusal_of_preparing_and_on_the_record() {
    for (change, code, says) in [
        (
            (|p: CountingProvisioner| p.unreachable()) as fn(CountingProvisioner) -> CountingProvisioner,
            RefusalCode::Unavailable,
            "registry cannot be reached",
        ),
        (|p| p, RefusalCode::Unavailable, "`offline` is on"),
    ] {
        let provisioner = change(CountingProvisioner::new().offering("tool", "1.0.0", "/opt/tool"));
        let provisioner = Arc::new(provisioner);
        let search = Arc::new(Running::over(provisioner.clone()));
        let bed = bed_with(SHOP, search.clone(), MockTextSearch::new(), |o| {
            o.provisioner = Some(provisioner.clone());
            o.offline = says.contains("offline");
        });
        let refused = bed.session.prepare(&CallContext::new()).await.unwrap_err();
        assert!(refused.code == code && refused.message.contains(says), "{refused:?}");
        let events = bed.record.0.lock().unwrap().clone();
        assert!(
            events
                .iter()
                .any(|e| matches!(e, Event::Prepared { refused: Some(c), .. } if *c == code)),
            "{events:?}"
        );
        assert!(search.sandbox.commands().is_empty() && provisioner.installs() == 0);
    }
    // Cancelled while it installs.
    let provisioner = Arc::new(CountingProvisioner::new().offering("tool", "1.0.0", "/opt/tool"));
    let bed = bed_with(
        SHOP,
        Arc::new(Running::over(provisioner.clone())),
        MockTextSearch::new(),
        |o| {
            o.provisioner = Some(provisioner.clone());
        },
    );
    let cx = CallContext::new();
    cx.cancel.cancel();
    assert_eq!(bed.session.prepare(&cx).await.unwrap_err().code, RefusalCode::Cancelled);
    assert_eq!(provisioner.installs(), 0);
}
