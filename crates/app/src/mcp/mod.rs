//! `understory mcp`: the tools as an MCP server over standard input and output.
//!
//! Standard output carries the protocol and nothing else. The server ends when its input does: calls that are under way
//! get a moment to be answered, then everything stops.

mod describe;
mod progress;
mod roots;
mod schema;
mod server;
mod transport;

use crate::failure::Failure;
use rmcp::ServiceExt;
use rmcp::service::ServerInitializeError;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;
use understory_session::Session;

/// Opens the session of a root.
pub type Open = Arc<dyn Fn(&Path) -> Session + Send + Sync>;

/// What a server serves.
pub struct Serving {
    /// The repository when the client names no roots.
    pub home: PathBuf,
    /// Whether the operator named the repository: the roots of a client do not matter then.
    pub pinned: bool,
    /// Opens the session of a root.
    pub open: Open,
}

/// How long what still runs at the end may take to notice.
const END: Duration = Duration::from_secs(2);

/// Serves until the client goes away.
pub fn run(serving: Serving) -> Result<(), Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(4)
        .enable_all()
        .build()
        .map_err(|e| Failure::new("cannot start").because(&e))?;
    let done = runtime.block_on(async {
        let (input, output) = rmcp::transport::stdio_pipes();
        serve(serving, input, output).await
    });
    // A write to a client that does not read never ends; it does not keep the process.
    runtime.shutdown_timeout(END);
    done
}

async fn serve<R, W>(serving: Serving, input: R, output: W) -> Result<(), Failure>
where
    R: tokio::io::AsyncRead + Send + Unpin + 'static,
    W: tokio::io::AsyncWrite + Send + Unpin + 'static,
{
    let stop = CancellationToken::new();
    let server = server::Server::new(serving, stop.clone());
    let sessions = server.clone();
    let transport = transport::Gate::new(rmcp::transport::async_rw::AsyncRwTransport::new_server(input, output));
    let ended = match server.serve(transport).await {
        Ok(running) => running
            .waiting()
            .await
            .map(|_| ())
            .map_err(|e| Failure::new("the server broke").because(&e)),
        // A client that went away before it said anything is no failure of this side.
        Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(e) => Err(Failure::new("the client and the server cannot agree on a protocol version").because(&e)),
    };
    stop.cancel();
    sessions.close();
    ended
}
