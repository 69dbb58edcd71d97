//! A session is shared between threads, and answers whatever it is called with.

use super::*;

#[test]
fn a_session_can_be_shared() {
    fn shared<T: Send + Sync + Clone + 'static>() {}
    shared::<Session>();
}

fn any_json() -> impl proptest::strategy::Strategy<Value = Value> {
    use proptest::prelude::*;
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "\\PC{0,12}".prop_map(Value::from),
        prop_oneof![
            Just("ask"),
            Just("grep"),
            Just("callers"),
            Just("map"),
            Just("in"),
            Just("packages/api"),
            Just("one"),
            Just("(")
        ]
        .prop_map(Value::from),
    ];
    let key = prop_oneof![
        Just("mode"),
        Just("query"),
        Just("file"),
        Just("scope"),
        Just("direction"),
        Just("depth"),
        Just("limit"),
        Just("path"),
        Just("start"),
        Just("end"),
        Just("pattern"),
        Just("content"),
        Just("delete"),
        Just("x")
    ];
    let object = proptest::collection::vec((key, leaf.clone()), 0..6)
        .prop_map(|pairs| Value::Object(pairs.into_iter().map(|(k, v)| (k.to_owned(), v)).collect()));
    prop_oneof![4 => object, 1 => leaf]
}

proptest::proptest! {
    #[test]
    fn any_arguments_are_answered_or_refused(tool in proptest::sample::select(vec!["search_code", "read_file", "list_files", "stage_write", "unstage", "staged", "x"]), arguments in any_json()) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let mut text = MockTextSearch::new();
        text.expect_read().returning(|_, _, _| Err(TextError::Timeout));
        text.expect_list().returning(|_, _, _| Ok(ListAnswer::default()));
        let bed = bed_with(&[("packages/api/a.py", "def one(x):\n    return x\n")], Arc::new(MemorySearch::new()), text, |o| o.tools = ToolSet::read_only().with_staging());
        let answer = runtime.block_on(bed.call(tool, arguments));
        proptest::prop_assert!(answer.ok == answer.refusal.is_none());
        proptest::prop_assert!(!model_text(&answer).is_empty());
    }
}
