//! The contract of the port.

use crate::support::backend;
use std::sync::Arc;
use std::sync::Mutex;
use tempfile::TempDir;
use understory_adapter_codegraph::IndexKind;
use understory_ports::conformance::code_search;

#[tokio::test(flavor = "multi_thread")]
async fn the_backend_over_a_managed_index_holds_its_contract() {
    let caches: Mutex<Vec<TempDir>> = Mutex::default();
    let new = || {
        let cache = tempfile::tempdir().unwrap();
        let backend = backend(&cache.path().canonicalize().unwrap(), IndexKind::Managed);
        caches.lock().unwrap().push(cache);
        Arc::new(backend) as Arc<dyn understory_ports::CodeSearch>
    };
    // What the command line has no answer to is refused, which another case shows.
    code_search::suite(&new)
        .await
        .assert_passed(&["a_scope_limits_the_hits", "a_bad_pattern_is_refused"]);
}
