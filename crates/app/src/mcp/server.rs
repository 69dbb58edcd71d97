//! The service: which requests it answers, and with what.

use super::Serving;
use super::describe::{self, INSTRUCTIONS, ROOT};
use super::progress;
use super::roots::{Root, Roots, choices};
use crate::commands::tool;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig,
};
use rmcp::service::{NotificationContext, Peer, RequestContext};
use rmcp::{ErrorData, RoleServer};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::{Mutex, Semaphore, watch};
use tokio_util::sync::CancellationToken;
use understory_core::refusal::{Refusal, RefusalCode};
use understory_ports::CallContext;
use understory_session::model_text;

/// Calls that run at once; further ones wait.
const AT_ONCE: usize = 8;
/// How long a client may take to say its roots. One that takes longer is served without them.
const ROOTS_WITHIN: Duration = Duration::from_secs(3);

/// The server; clones are the same one.
#[derive(Clone)]
pub struct Server {
    inner: Arc<Inner>,
}

struct Inner {
    roots: Roots,
    calls: Semaphore,
    /// Whether the first word on the client's roots is in.
    settled: watch::Sender<bool>,
    /// One look at the roots at a time, so that the last one told is the one that stays.
    asking: Mutex<()>,
    /// Whether the client has seen the tools.
    listed: AtomicBool,
    stop: CancellationToken,
}

impl Server {
    /// Everything that it runs ends with `stop`.
    pub fn new(serving: Serving, stop: CancellationToken) -> Self {
        let inner = Inner {
            roots: Roots::new(serving),
            calls: Semaphore::new(AT_ONCE),
            settled: watch::channel(false).0,
            asking: Mutex::new(()),
            listed: AtomicBool::new(false),
            stop,
        };
        Server { inner: Arc::new(inner) }
    }

    /// Closes the sessions.
    pub fn close(&self) {
        self.inner.roots.close();
    }

    /// The roots, when the client had its time to name them.
    async fn roots(&self, peer: &Peer<RoleServer>) -> Arc<Vec<Root>> {
        if self.inner.roots.follow_client() && has_roots(peer) {
            let mut settled = self.inner.settled.subscribe();
            // A client that never says that it is initialized is not waited for either.
            let _ = tokio::time::timeout(ROOTS_WITHIN, settled.wait_for(|s| *s)).await;
        }
        self.inner.roots.now()
    }

    /// Asks the client for its roots and takes them.
    #[expect(
        deprecated,
        reason = "roots are deprecated in the newest protocol, and what the hosts of today name"
    )]
    async fn ask_roots(&self, peer: &Peer<RoleServer>) {
        if self.inner.roots.follow_client() && has_roots(peer) {
            let _one = self.inner.asking.lock().await;
            if let Ok(Ok(told)) = tokio::time::timeout(ROOTS_WITHIN, peer.list_roots()).await {
                let named: Vec<_> = told.roots.into_iter().map(|r| (r.uri, r.name)).collect();
                let changed = self.inner.roots.set(&named);
                if changed && self.inner.listed.load(Ordering::SeqCst) {
                    // A client that is gone needs no word of it.
                    let _ = peer.notify_tool_list_changed().await;
                }
            }
        }
        self.inner.settled.send_replace(true);
    }

    /// Makes the indexes ready while the model thinks about its first question.
    async fn prepare(&self) {
        for root in self.inner.roots.now().iter() {
            let mut cx = CallContext::new();
            cx.cancel = self.inner.stop.child_token();
            // A refusal is on the record, and the calls say it again.
            let _ = root.session.prepare(&cx).await;
        }
    }

    async fn call(&self, request: CallToolRequestParams, context: RequestContext<RoleServer>) -> CallToolResult {
        let roots = self.roots(&context.peer).await;
        let mut arguments = Value::Object(request.arguments.unwrap_or_default());
        let (root, choosable) = match choose(&roots, &mut arguments) {
            Ok(chosen) => chosen,
            Err(refusal) => return refused(&request.name, arguments, &refusal),
        };
        let Ok(_turn) = self.inner.calls.acquire().await else {
            let refusal = Refusal::new(RefusalCode::Unavailable, "The server is closing.");
            return refused(&request.name, arguments, &refusal);
        };
        let mut cx = CallContext::new();
        cx.cancel = context.ct.clone();
        let session = &root.session;
        let answer = match context.meta.get_progress_token() {
            Some(token) => {
                progress::told(context.peer.clone(), token, |sink| {
                    cx.events = Arc::new(sink);
                    async { session.call(&request.name, &arguments, &cx).await }
                })
                .await
            }
            None => session.call(&request.name, &arguments, &cx).await,
        };
        let text = model_text(&answer).into_owned();
        let mut structured = serde_json::to_value(&answer).unwrap_or_default();
        if choosable && let Some(Value::Object(request)) = structured.get_mut("request") {
            request.insert(ROOT.to_owned(), json!(root.label));
        }
        let known = session.tools().iter().any(|t| t.name == request.name);
        result(text, structured, !known)
    }
}

/// The root that a call is for, its `root` argument taken out; and whether there was a choice.
fn choose<'a>(roots: &'a [Root], arguments: &mut Value) -> Result<(&'a Root, bool), Refusal> {
    let choices = choices(roots);
    let given = arguments.get(ROOT).and_then(Value::as_str);
    let found = match (given, roots) {
        (_, [only]) => {
            // The list of a moment ago may have had more roots. Any other value is the session's to refuse.
            let ours = given == Some(only.label.as_str());
            (only, false, ours)
        }
        (Some(label), many) => match many.iter().find(|r| r.label == label) {
            Some(root) => (root, true, true),
            None => return Err(no_root(&format!("`root` is {:?}", short(label)), &choices)),
        },
        (None, _) => return Err(no_root("The call names no `root`", &choices)),
    };
    let (root, choosable, ours) = found;
    if ours && let Value::Object(arguments) = arguments {
        arguments.remove(ROOT);
    }
    Ok((root, choosable))
}

fn no_root(found: &str, choices: &[&str]) -> Refusal {
    let allowed: Vec<String> = choices.iter().map(|c| format!("`{c}`")).collect();
    let message = format!("{found}; it is one of {}.", allowed.join(", "));
    Refusal::new(RefusalCode::BadArgument, message).suggesting(choices.iter().map(|c| (*c).to_owned()).collect())
}

/// The beginning of what a model wrote.
fn short(text: &str) -> String {
    text.chars().take(60).collect()
}

fn refused(name: &str, arguments: Value, refusal: &Refusal) -> CallToolResult {
    let text = understory_core::render::refusal(refusal);
    result(text, tool::refused_value(name, arguments, refusal), false)
}

/// A refusal is an answer, which the model reads and the run survives; only a tool that does not exist is an error.
fn result(text: String, structured: Value, error: bool) -> CallToolResult {
    let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
    result.structured_content = Some(structured);
    result.is_error = Some(error);
    result
}

/// Whether the client said at the handshake that it has roots.
fn has_roots(peer: &Peer<RoleServer>) -> bool {
    peer.peer_info().is_some_and(|info| info.capabilities.roots.is_some())
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_tool_list_changed()
            .build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("understory", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        self.roots(&context.peer).await;
        // Before the roots are looked at: a change that comes in between is in the list or told.
        self.inner.listed.store(true, Ordering::SeqCst);
        let roots = self.inner.roots.now();
        Ok(ListToolsResult::with_all_items(describe::tools(&roots)))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        Ok(self.call(request, context).await.into())
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.ask_roots(&context.peer).await;
        self.prepare().await;
    }

    async fn on_roots_list_changed(&self, context: NotificationContext<RoleServer>) {
        self.ask_roots(&context.peer).await;
        self.prepare().await;
    }
}
