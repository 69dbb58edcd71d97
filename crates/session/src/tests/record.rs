//! The record of a run.

use super::*;

#[tokio::test]
async fn the_record_tells_the_run_and_no_contents() {
    let bed = bed(SHOP);
    bed.session.prepare(&CallContext::new()).await.unwrap();
    bed.session
        .stage_text("w.py", "def wombat(x):\n    return x\n")
        .unwrap();
    bed.call("search_code", json!({"mode": "grep", "query": "wombat"}))
        .await;
    bed.call("search_code", json!({"query": "wombat", "mode": "grep"}))
        .await;
    bed.call("read_file", json!({"path": ".env"})).await;
    bed.call("nonsense", json!({})).await;
    bed.session.turns(7);
    bed.session.close();
    bed.session.close();
    let answer = bed.call("list_files", json!({})).await;
    assert_eq!(answer.refusal.unwrap().code, RefusalCode::Unavailable);

    let lines = JsonLines::new(Vec::new());
    bed.record.0.lock().unwrap().iter().for_each(|e| lines.append(e));
    let text = String::from_utf8(lines.into_inner()).unwrap();
    assert!(!text.contains("def wombat") && !text.contains("/nowhere"), "{text}");
    let events: Vec<Value> = text.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    let names: Vec<&str> = events.iter().map(|e| e["event"].as_str().unwrap()).collect();
    assert_eq!(
        names,
        [
            "opened", "prepared", "finding", "staged", "call", "finding", "call", "call", "finding", "call", "finding",
            "closed", "call", "finding"
        ]
    );
    assert_eq!(
        events[0]["tools"],
        json!(["search_code", "search_text", "read_file", "list_files"])
    );
    assert_eq!((&events[1]["index"], &events[1]["files"]), (&json!("built"), &json!(2)));
    assert_eq!(
        (&events[3]["change"], &events[3]["bytes"]),
        (&json!("write"), &json!(28))
    );
    assert_eq!(
        events[4]["arguments"], events[6]["arguments"],
        "the order of arguments does not matter"
    );
    assert_eq!(events[4]["mode"], "grep");
    assert_eq!(events[4]["total"], 1);
    assert_eq!(events[4]["index"], "reused");
    assert!(events[4].get("refused").is_none());
    assert_eq!(events[7]["refused"], "search_code.protected_path");
    assert!(events[7].get("shown").is_none(), "absent is not zero");
    assert_eq!(
        events[11]["calls"],
        json!({"search_code": 2, "read_file": 1, "unknown": 1})
    );
    assert_eq!(events[11]["turns"], 7);
    // The form can be read back.
    for (line, event) in text.lines().zip(bed.record.0.lock().unwrap().iter()) {
        assert_eq!(serde_json::from_str::<Event>(line).unwrap(), *event);
    }
}

#[tokio::test]
async fn dropping_the_last_clone_closes_the_session() {
    let bed = bed(SHOP);
    let clone = bed.session.clone();
    drop(bed.session);
    assert_eq!(bed.record.0.lock().unwrap().len(), 1);
    drop(clone);
    assert!(matches!(
        bed.record.0.lock().unwrap().last(),
        Some(Event::Closed { .. })
    ));
}

#[test]
fn a_record_that_cannot_be_written_does_not_end_the_run() {
    struct Full;
    impl std::io::Write for Full {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::Error::other("the disk is full"))
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let lines = JsonLines::new(Full);
    let event = Event::Finding {
        time: 0,
        call: None,
        id: "x".into(),
        severity: Severity::Note,
        message: String::new(),
    };
    lines.append(&event);
    lines.append(&event);
    assert_eq!(lines.failure().unwrap().to_string(), "the disk is full");
    assert!(lines.failure().is_none());
}
