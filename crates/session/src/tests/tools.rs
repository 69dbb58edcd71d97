//! The tools that a model is handed.

use super::*;

#[test]
fn what_the_model_reads_about_the_tools_is_short_and_true() {
    let limits = Limits {
        hits: 20,
        ..Limits::default()
    };
    let specs = ToolSet::read_only().specs(&limits);
    for spec in &specs {
        assert!(spec.description.chars().count() <= 1_500, "{}", spec.name);
        assert_eq!(spec.capabilities, [Capability::ReadsRepo]);
        assert_eq!(spec.schema["additionalProperties"], false);
    }
    let code = &specs[0];
    for part in [
        "staged writes",
        "read_file",
        "search_text",
        "ask:",
        "grep:",
        "callers:",
        "skeleton:",
        "map:",
        "explore:",
    ] {
        assert!(code.description.contains(part), "{part}");
    }
    assert_eq!(code.schema["properties"]["limit"]["maximum"], 20);
    assert_eq!(serde_json::to_value(Capability::ReadsRepo).unwrap(), "READS_REPO");
    // Every argument of the schema is one that a call takes.
    let properties = code.schema["properties"].as_object().unwrap();
    let query = serde_json::to_value(SearchQuery::new(understory_core::Mode::Map, "")).unwrap();
    assert!(properties.keys().all(|k| query.get(k).is_some()) && properties.len() == query.as_object().unwrap().len());
}

#[test]
fn tools_that_stage_come_after_the_others_and_say_so() {
    let limits = Limits::default();
    let reading = ToolSet::read_only().specs(&limits);
    let all = ToolSet::read_only().with_staging().with_staging().specs(&limits);
    assert_eq!(all[..reading.len()], reading[..]);
    let stages = |s: &ToolSpec| s.capabilities.contains(&Capability::StagesWrites);
    let staging: Vec<_> = all[reading.len()..].iter().map(|s| (s.name, stages(s))).collect();
    assert_eq!(staging, [("stage_write", true), ("unstage", true), ("staged", false)]);
    assert!(!reading.iter().any(stages));
    assert_eq!(serde_json::to_value(Capability::StagesWrites).unwrap(), "STAGES_WRITES");
}

#[test]
fn a_set_without_search_code_is_the_other_tools_byte_for_byte() {
    let limits = Limits::default();
    let specs = |set: ToolSet| serde_json::to_string(&set.specs(&limits)).unwrap();
    let whole: Vec<String> = ToolSet::read_only()
        .specs(&limits)
        .iter()
        .map(|s| serde_json::to_string(s).unwrap())
        .collect();
    // What was recorded with three tools replays: search_code leaves no trace in the list that lacks it.
    assert_eq!(
        specs(ToolSet::read_only().without("search_code")),
        format!("[{}]", whole[1..].join(","))
    );
    assert!(!specs(ToolSet::read_only().without("search_code")).contains("search_code"));
}

#[tokio::test]
async fn a_staged_write_that_the_disk_rules_out_leaves_what_was_there() {
    let bed = bed_with(
        &[("a.py", "x = 1\n")],
        Arc::new(MemorySearch::new()),
        MockTextSearch::new(),
        |o| {
            o.tools = ToolSet::read_only().with_staging();
        },
    );
    let done = bed.call("stage_write", json!({"path": "b.py", "content": "y"})).await;
    assert!(done.ok && done.text.unwrap().ends_with("b.py write 1 bytes\n1 staged."));
    for (arguments, code) in [
        (json!({"path": "b.py/c", "content": "z"}), RefusalCode::BadStaged),
        (json!({"path": ".env", "content": "z"}), RefusalCode::ProtectedPath),
        (json!({"content": "z"}), RefusalCode::NoFile),
    ] {
        assert_eq!(
            bed.refused("stage_write", arguments.clone()).await.code,
            code,
            "{arguments}"
        );
        assert_eq!(bed.session.staged().len(), 1);
    }
    let near = bed.refused("unstage", json!({"path": "b.p"})).await;
    assert_eq!(
        (near.code, near.suggestions),
        (RefusalCode::NoSuchFile, vec!["b.py".to_owned()])
    );
    assert!(bed.call("unstage", json!({"path": "b.py"})).await.ok && bed.session.staged().is_empty());
}

/// A backend under another name.
struct Named(&'static str);

#[async_trait]
impl CodeSearch for Named {
    fn identity(&self) -> BackendIdentity {
        BackendIdentity {
            name: self.0.to_owned(),
            version: "1".to_owned(),
        }
    }

    fn supports(&self) -> Capabilities {
        Capabilities::all()
    }

    async fn prepare(&self, tree: &Tree, cx: &CallContext) -> Result<Prepared, SearchError> {
        MemorySearch::new().prepare(tree, cx).await
    }

    async fn search(&self, tree: &Tree, query: &SearchQuery, cx: &CallContext) -> Result<Answer, SearchError> {
        MemorySearch::new().search(tree, query, cx).await
    }
}

#[tokio::test]
async fn a_name_that_is_taken_stays_with_its_first_tool_and_the_later_one_is_reported() {
    let bed = |name, tools: ToolSet| bed_with(SHOP, Arc::new(Named(name)), MockTextSearch::new(), |o| o.tools = tools);
    let first = bed("one", ToolSet::read_only().without("list_files"));
    let second = bed("two", ToolSet::read_only());
    let mut toolbox = Toolbox::new();
    assert!(toolbox.reserve("read_file") && !toolbox.reserve("read_file"));
    let names = |toolbox: &Toolbox| toolbox.specs().iter().map(|s| s.name).collect::<Vec<_>>();
    let skipped = toolbox.register(&first.session);
    assert_eq!(names(&toolbox), ["search_code", "search_text"]);
    assert_eq!(skipped.len(), 1);
    assert!(
        skipped[0]
            .message
            .starts_with("`read_file` of one 1 is skipped: the host"),
        "{skipped:?}"
    );
    // The same session again, and one over another backend.
    assert_eq!(toolbox.register(&first.session).len(), 3);
    let skipped = toolbox.register(&second.session);
    assert_eq!(names(&toolbox), ["search_code", "search_text", "list_files"]);
    let said: Vec<_> = skipped.iter().map(|f| f.message.as_str()).collect();
    assert_eq!(
        said[0],
        "`search_code` of two 1 is skipped: one 1 registered that name first and keeps it."
    );
    assert_eq!(said.len(), 3);
    let events = second.record.0.lock().unwrap().clone();
    let reported = events
        .iter()
        .filter(|e| matches!(e, Event::Finding { id, call: None, .. } if id == "tools.duplicate"));
    assert_eq!(reported.count(), 3);
    let answer = toolbox
        .call("search_code", &json!({"mode": "map"}), &CallContext::new())
        .await;
    assert_eq!(answer.unwrap().backend.unwrap().name, "one");
    assert!(
        toolbox
            .call("read_file", &json!({}), &CallContext::new())
            .await
            .is_none()
    );
}
