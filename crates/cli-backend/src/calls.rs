//! Waiting under a call's deadline and cancellation.

use std::fs::File;
use std::io;
use std::time::{Duration, Instant};
use understory_ports::context::Stop;
use understory_ports::{CallContext, SearchError, WorktreeError};

/// How often to look whether another process is done.
const POLL: Duration = Duration::from_millis(50);

/// Refuses a call that is over before it began.
pub fn stopped(cx: &CallContext, bound: Duration, what: &str) -> Result<(), SearchError> {
    match cx.stop() {
        None => Ok(()),
        Some(Stop::Cancelled) => Err(SearchError::Cancelled),
        Some(Stop::Deadline) => Err(SearchError::Timeout {
            bound,
            what: what.to_owned(),
        }),
    }
}

/// Runs work that blocks on a thread for that.
pub async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, SearchError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => Ok(done),
        Err(failed) if failed.is_panic() => std::panic::resume_unwind(failed.into_panic()),
        Err(_) => Err(SearchError::Cancelled),
    }
}

/// Work of the cache, whose failures have one name.
pub async fn in_cache<T: Send + 'static>(
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> Result<T, SearchError> {
    blocking(work).await?.map_err(|e| match e.kind() {
        io::ErrorKind::ResourceBusy => SearchError::Busy,
        _ => SearchError::NoIndex {
            message: "The cache cannot hold the index. Name another one with `--cache`.".to_owned(),
            detail: Some(e.to_string()),
        },
    })
}

/// Tries to take a lock until it is had, the call is over, or the bound has passed.
pub async fn wait_for_lock(
    cx: &CallContext,
    bound: Duration,
    attempt: impl Fn() -> io::Result<Option<File>> + Clone + Send + 'static,
) -> Result<File, SearchError> {
    let end_by = Instant::now() + bound;
    let end_by = cx.deadline.map_or(end_by, |d| d.min(end_by));
    loop {
        let attempt = attempt.clone();
        if let Some(held) = in_cache(attempt).await? {
            return Ok(held);
        }
        if Instant::now() >= end_by {
            return Err(SearchError::Busy);
        }
        tokio::select! {
            biased;
            () = cx.cancel.cancelled() => return Err(SearchError::Cancelled),
            () = tokio::time::sleep(POLL) => {}
        }
    }
}

/// Waits for work of other calls (a lock, a turn) until it is done or this call is over. `what` says what is waited for.
pub async fn waited<T>(
    cx: &CallContext,
    bound: Duration,
    what: &str,
    work: impl Future<Output = T>,
) -> Result<T, SearchError> {
    tokio::select! {
        biased;
        () = cx.cancel.cancelled() => Err(SearchError::Cancelled),
        done = work => Ok(done),
        () = passed(cx.deadline) => Err(SearchError::Timeout {
            bound,
            what: what.to_owned(),
        }),
    }
}

/// Returns when a deadline has passed; never without one.
async fn passed(deadline: Option<Instant>) {
    match deadline {
        Some(at) => tokio::time::sleep_until(at.into()).await,
        None => std::future::pending().await,
    }
}

/// Why a tree could not be written out for a tool.
pub fn of_worktree(error: WorktreeError, tool: &str, bound: Duration) -> SearchError {
    match error {
        WorktreeError::Cancelled => SearchError::Cancelled,
        WorktreeError::Timeout => SearchError::Timeout {
            bound,
            what: "writing the tree out".to_owned(),
        },
        WorktreeError::Changed { path } => SearchError::Unavailable {
            message: format!(
                "`{}` changed while the tree was written out for {tool}. Ask again.",
                path.display_escaped()
            ),
            detail: None,
        },
        other => SearchError::Unavailable {
            message: format!(
                "The tree cannot be written out in the cache for {tool}. Name another one with `--cache`."
            ),
            detail: Some(other.to_string()),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn waiting_ends_with_the_work_the_call_or_its_deadline() {
        let wait = async |cx: &CallContext, work: bool| {
            let work = async {
                if !work {
                    std::future::pending::<()>().await;
                }
            };
            waited(cx, Duration::from_secs(9), "another call", work).await
        };
        let cx = CallContext::new();
        assert!(wait(&cx, true).await.is_ok());
        let late = CallContext::new().with_timeout(Duration::ZERO);
        let error = wait(&late, false).await.unwrap_err();
        assert!(
            matches!(&error, SearchError::Timeout { what, .. } if what == "another call"),
            "{error:?}"
        );
        cx.cancel.cancel();
        assert!(matches!(wait(&cx, false).await, Err(SearchError::Cancelled)));
    }
}
