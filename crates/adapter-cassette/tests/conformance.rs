//! The contract of code search on the recorder, and on the replay of what the suite itself recorded.

use std::sync::Arc;
use understory_adapter_cassette::{Recorder, RecordingSearch, Replay, ReplayedSearch};
use understory_ports::conformance::code_search;
use understory_ports::testing::MemorySearch;

#[tokio::test]
async fn the_recorder_and_its_replay_keep_the_contract() {
    let temp = tempfile::tempdir().unwrap();
    let path = temp.path().join("suite.tape");
    let recorder = Arc::new(Recorder::open(&path).unwrap());
    let report =
        code_search::suite(&|| Arc::new(RecordingSearch::new(Arc::new(MemorySearch::new()), recorder.clone()))).await;
    report.assert_passed(&[]);
    assert!(recorder.failure().is_none());
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(
        !text.contains(temp.path().to_str().unwrap()),
        "a host path is on the tape"
    );

    let replayed = Arc::new(ReplayedSearch::new(Arc::new(Replay::open(&path).unwrap())).unwrap());
    let replay = code_search::suite(&|| replayed.clone()).await;
    replay.assert_passed(&[]);
    assert_eq!(replay, report);
}
