//! The contract of the port.

use crate::support::backend;
use std::sync::{Arc, Mutex};
use tempfile::TempDir;
use understory_ports::CodeSearch;
use understory_ports::conformance::code_search;

#[tokio::test(flavor = "multi_thread")]
async fn the_backend_holds_its_contract() {
    let caches: Mutex<Vec<TempDir>> = Mutex::default();
    let new = || {
        let cache = tempfile::tempdir().unwrap();
        let made = backend(&cache.path().canonicalize().unwrap(), &[]);
        caches.lock().unwrap().push(cache);
        Arc::new(made) as Arc<dyn CodeSearch>
    };
    code_search::suite(&new).await.assert_passed(&[]);
}
