//! The guard at the door: what a client may send before the connection is open, and how much of it may be under way.

use rmcp::RoleServer;
use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ClientRequest, GetMeta, JsonRpcMessage, RequestId, ServerJsonRpcMessage,
};
use rmcp::transport::Transport;
use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

/// Requests that may be under way: read, and their answers not yet written. A client that sends more is not read until it
/// took some answers.
const UNDER_WAY: usize = 512;

/// A transport with that guard.
pub struct Gate<T> {
    inner: T,
    open: bool,
    pending: Arc<Pending>,
}

#[derive(Default)]
struct Pending {
    ids: Mutex<HashSet<RequestId>>,
    fewer: Notify,
}

impl Pending {
    fn ids(&self) -> MutexGuard<'_, HashSet<RequestId>> {
        self.ids.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn done(&self, id: &RequestId) {
        self.ids().remove(id);
        self.fewer.notify_one();
    }

    /// Waits for room. May be dropped while it waits: nothing is lost.
    async fn room(&self) {
        while self.ids().len() >= UNDER_WAY {
            self.fewer.notified().await;
        }
    }
}

impl<T> Gate<T> {
    pub fn new(inner: T) -> Self {
        Gate {
            inner,
            open: false,
            pending: Arc::default(),
        }
    }

    /// Whether a message goes on to the service.
    fn admits(&mut self, message: &ClientJsonRpcMessage) -> bool {
        match message {
            JsonRpcMessage::Request(request) => {
                self.open |= match &request.request {
                    ClientRequest::InitializeRequest(_) => true,
                    // It asks what there is; the connection opens with the next request.
                    ClientRequest::DiscoverRequest(_) => false,
                    other => other.get_meta().protocol_version().is_some(),
                };
                self.pending.ids().insert(request.id.clone());
                true
            }
            // Before the first request there is nothing that these could be about, and the service ends over them.
            _ if !self.open => false,
            JsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) = &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    // A cancelled request gets no answer.
                    self.pending.done(id);
                }
                true
            }
            _ => true,
        }
    }
}

impl<T: Transport<RoleServer>> Transport<RoleServer> for Gate<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let answered = match &message {
            JsonRpcMessage::Response(response) => Some(response.id.clone()),
            JsonRpcMessage::Error(error) => error.id.clone(),
            _ => None,
        };
        let pending = self.pending.clone();
        let sent = self.inner.send(message);
        async move {
            let result = sent.await;
            if let Some(id) = answered {
                pending.done(&id);
            }
            result
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            self.pending.room().await;
            let message = self.inner.receive().await?;
            if self.admits(&message) {
                return Some(message);
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.inner.close().await
    }
}
