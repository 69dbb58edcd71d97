//! Errors of the ports: each is a refusal by name, without a place of the host.

use super::*;

#[tokio::test]
async fn errors_of_the_text_port_are_refusals() {
    for (error, code) in [
        (TextError::Timeout, RefusalCode::Timeout),
        (TextError::Cancelled, RefusalCode::Cancelled),
        (
            Refusal::new(RefusalCode::BadQuery, "unclosed group").into(),
            RefusalCode::BadQuery,
        ),
    ] {
        let mut text = MockTextSearch::new();
        text.expect_search().return_once(move |_, _, _| Err(error));
        let bed = bed_with(SHOP, Arc::new(MemorySearch::new()), text, |_| {});
        assert_eq!(bed.refused("search_text", json!({"pattern": "x"})).await.code, code);
    }
}

struct Failing(Mutex<Option<SearchError>>);

#[async_trait]
impl CodeSearch for Failing {
    fn identity(&self) -> BackendIdentity {
        MemorySearch::new().identity()
    }

    fn supports(&self) -> Capabilities {
        Capabilities::all()
    }

    async fn prepare(&self, _: &Tree, _: &CallContext) -> Result<Prepared, SearchError> {
        Err(self.0.lock().unwrap().take().unwrap())
    }

    async fn search(&self, _: &Tree, _: &SearchQuery, _: &CallContext) -> Result<Answer, SearchError> {
        let error = self.0.lock().unwrap().take();
        match error {
            Some(error) => Err(error),
            None => std::future::pending().await,
        }
    }
}

fn search_errors() -> Vec<(SearchError, RefusalCode)> {
    let detail = || ("no answer".to_owned(), Some("/home/x/.cache said no".to_owned()));
    let (message, detail) = detail();
    vec![
        (SearchError::Unsupported("no map".into()), RefusalCode::Unsupported),
        (
            SearchError::Unavailable {
                message: message.clone(),
                detail: detail.clone(),
            },
            RefusalCode::Unavailable,
        ),
        (SearchError::NoNode("18".into()), RefusalCode::NoNode),
        (
            SearchError::NoIndex {
                message: message.clone(),
                detail: detail.clone(),
            },
            RefusalCode::NoIndex,
        ),
        (
            SearchError::Timeout {
                bound: Duration::from_secs(60),
                what: "the query".into(),
            },
            RefusalCode::Timeout,
        ),
        (SearchError::Cancelled, RefusalCode::Cancelled),
        (SearchError::Busy, RefusalCode::Busy),
        (SearchError::BadOutput { message, detail }, RefusalCode::BadOutput),
        (SearchError::NoSandbox("landlock".into()), RefusalCode::NoSandbox),
        (
            SearchError::NotRecorded(Refusal::new(RefusalCode::NotRecorded, "not on the tape")),
            RefusalCode::NotRecorded,
        ),
    ]
}

#[tokio::test]
async fn errors_of_the_search_port_are_refusals_without_host_paths() {
    let arguments = json!({"mode": "ask", "query": "x"});
    for ((error, code), (again, _)) in search_errors().into_iter().zip(search_errors()) {
        let failing = Arc::new(Failing(Mutex::new(Some(error))));
        let bed = bed_with(SHOP, failing.clone(), MockTextSearch::new(), |_| {});
        let answer = bed.call("search_code", arguments.clone()).await;
        assert_eq!(answer.refusal.as_ref().unwrap().code, code);
        assert_eq!(ids(&answer), [code.as_str()]);
        assert!(!serde_json::to_string(&answer).unwrap().contains("/home/x"));
        *failing.0.lock().unwrap() = Some(again);
        assert_eq!(bed.session.prepare(&CallContext::new()).await.unwrap_err().code, code);
    }
}

struct NoDisk(fn() -> WorktreeError);

#[async_trait]
impl Worktree for NoDisk {
    async fn snapshot(&self, _: &Path, _: &StagedSet, _: &CallContext) -> Result<Tree, WorktreeError> {
        Err((self.0)())
    }

    async fn materialize(&self, _: &Tree, _: &CallContext) -> Result<Box<dyn Materialized>, WorktreeError> {
        panic!("nothing is written out");
    }
}

#[tokio::test]
async fn errors_of_the_worktree_port_are_refusals_without_host_paths() {
    let all: [(fn() -> WorktreeError, RefusalCode); 6] = [
        (
            || WorktreeError::NoRoot { path: "/home/x".into() },
            RefusalCode::Unavailable,
        ),
        (
            || WorktreeError::Bare { path: "/home/x".into() },
            RefusalCode::Unavailable,
        ),
        (
            || {
                WorktreeError::Staged(StagedError::ThroughLink {
                    path: RepoPath::new("l/a").unwrap(),
                    link: RepoPath::new("l").unwrap(),
                })
            },
            RefusalCode::BadStaged,
        ),
        (
            || WorktreeError::Io {
                what: "cannot read",
                path: "/home/x".into(),
                source: std::io::Error::other("no"),
            },
            RefusalCode::Unavailable,
        ),
        (|| WorktreeError::Cancelled, RefusalCode::Cancelled),
        (|| WorktreeError::Timeout, RefusalCode::Timeout),
    ];
    for (error, code) in all {
        let ports = Ports {
            search: Arc::new(MemorySearch::new()),
            text: Arc::new(MockTextSearch::new()),
            worktree: Arc::new(NoDisk(error)),
        };
        let session = Session::open("/home/x", ports, Options::default());
        let answer = session.call("list_files", &json!({}), &CallContext::new()).await;
        assert_eq!(answer.refusal.as_ref().unwrap().code, code);
        assert!(
            !serde_json::to_string(&answer).unwrap().contains("/home/x"),
            "{answer:?}"
        );
        // Preparing degrades in the same way.
        let refused = session.prepare(&CallContext::new()).await.unwrap_err();
        assert!(
            refused.code == code && !refused.message.contains("/home/x"),
            "{refused:?}"
        );
    }
}

#[tokio::test]
async fn a_cancelled_call_ends_although_the_backend_hangs() {
    let bed = bed_with(SHOP, Arc::new(Failing(Mutex::new(None))), MockTextSearch::new(), |_| {});
    let cx = CallContext::new();
    let arguments = json!({"mode": "ask", "query": "x"});
    let (answer, ()) = tokio::join!(bed.session.call("search_code", &arguments, &cx), async {
        cx.cancel.cancel()
    });
    assert_eq!(answer.refusal.unwrap().code, RefusalCode::Cancelled);
}

struct Leaky(MemorySearch);

#[async_trait]
impl CodeSearch for Leaky {
    fn identity(&self) -> BackendIdentity {
        self.0.identity()
    }

    fn supports(&self) -> Capabilities {
        self.0.supports()
    }

    async fn prepare(&self, tree: &Tree, cx: &CallContext) -> Result<Prepared, SearchError> {
        self.0.prepare(tree, cx).await
    }

    async fn search(&self, tree: &Tree, query: &SearchQuery, cx: &CallContext) -> Result<Answer, SearchError> {
        let mut answer = self.0.search(tree, query, cx).await?;
        answer.hits[0].symbol.path = RepoPath::new("svc/.env").unwrap();
        Ok(answer)
    }
}

#[tokio::test]
async fn a_backend_that_names_a_protected_path_is_not_believed() {
    let bed = bed_with(
        SHOP,
        Arc::new(Leaky(MemorySearch::new())),
        MockTextSearch::new(),
        |_| {},
    );
    let answer = bed.call("search_code", json!({"mode": "grep", "query": "def"})).await;
    assert!(ids(&answer).contains(&"guard.backend"));
    assert!(!serde_json::to_string(&answer).unwrap().contains(".env"));
}
