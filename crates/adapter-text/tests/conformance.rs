//! The contract of the port, by the ports' own suite.

use std::sync::Arc;
use understory_adapter_text::RipgrepText;
use understory_ports::conformance::text_search;

#[tokio::test]
async fn it_keeps_the_contract() {
    let report = text_search::suite(&|_| Arc::new(RipgrepText::default())).await;
    report.assert_passed(&[]);
}
