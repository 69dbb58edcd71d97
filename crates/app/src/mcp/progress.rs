//! Progress of a call as notifications of the protocol.

use rmcp::RoleServer;
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::Peer;
use std::sync::Mutex;
use tokio::sync::watch;
use understory_ports::{Event, EventSink};

/// How far a call is.
#[derive(Clone, Debug, Default, PartialEq)]
struct Far {
    /// Units over all stages, since the protocol wants a number that only grows.
    units: u64,
    message: String,
}

/// Takes the events of a call. Events that come faster than the client reads are joined.
pub struct Sink {
    stage: Mutex<Stage>,
    far: watch::Sender<Far>,
}

#[derive(Default)]
struct Stage {
    name: &'static str,
    total: Option<u64>,
    /// Units of the stages before.
    before: u64,
    /// Units of this stage.
    done: u64,
}

impl Sink {
    fn new() -> (Sink, watch::Receiver<Far>) {
        let (far, receiver) = watch::channel(Far::default());
        let stage = Mutex::default();
        (Sink { stage, far }, receiver)
    }
}

impl EventSink for Sink {
    fn event(&self, event: Event) {
        let mut stage = self.stage.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        match event {
            Event::Stage { name, total } => {
                let before = stage.before + stage.done;
                *stage = Stage {
                    name,
                    total,
                    before,
                    done: 0,
                };
            }
            Event::Progress { done } => stage.done = stage.done.max(done),
            _ => return,
        }
        let message = match stage.total {
            Some(total) => format!("{} {}/{total}", stage.name, stage.done),
            None => format!("{} {}", stage.name, stage.done),
        };
        let units = stage.before + stage.done;
        self.far.send_replace(Far { units, message });
    }
}

/// Runs a call and tells the client how far it is, until the call is done: nothing is sent after that.
pub async fn told<T, F>(peer: Peer<RoleServer>, token: ProgressToken, call: impl FnOnce(Sink) -> F) -> T
where
    F: Future<Output = T>,
{
    let (sink, mut far) = Sink::new();
    let call = call(sink);
    tokio::pin!(call);
    let mut last = 0.0;
    loop {
        let Far { units, message } = far.borrow_and_update().clone();
        let mut told = ProgressNotificationParam::new(token.clone(), f64::max(units as f64, last));
        last = told.progress + 1.0;
        told.message = Some(message).filter(|m| !m.is_empty());
        // A client that does not read holds up its own call, and no other.
        tokio::select! {
            sent = peer.notify_progress(told) => drop(sent),
            done = &mut call => return done,
        }
        tokio::select! {
            changed = far.changed() => if changed.is_err() { return call.await },
            done = &mut call => return done,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_grow_over_the_stages() {
        let (sink, far) = Sink::new();
        let mut seen = Vec::new();
        for event in [
            Event::Stage {
                name: "walk",
                total: None,
            },
            Event::Progress { done: 7 },
            Event::Progress { done: 5 },
            Event::Stage {
                name: "parse",
                total: Some(4),
            },
            Event::Message("not for the client".to_owned()),
            Event::Progress { done: 4 },
        ] {
            sink.event(event);
            let far = far.borrow().clone();
            seen.push((far.units, far.message));
        }
        let expected = [
            (0, "walk 0"),
            (7, "walk 7"),
            (7, "walk 7"),
            (7, "parse 0/4"),
            (7, "parse 0/4"),
            (11, "parse 4/4"),
        ];
        assert_eq!(seen, expected.map(|(units, message)| (units, message.to_owned())));
    }
}
