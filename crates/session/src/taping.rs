//! Recording and replay at a session's dispatch: every tool, and preparing, in one form.

use crate::answers::{Done, Draft};
use crate::reading::{ListFiles, ReadFile, SearchText, effective};
use crate::session::{Outcome, Session, digest};
use crate::staging::Staging;
use crate::tools::{LIST_FILES, READ_FILE, SEARCH_CODE, SEARCH_TEXT};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::time::Duration;
use understory_core::answer::{Finding, IndexState, Request, ToolAnswer, TreeInfo};
use understory_core::fingerprint::{Fingerprint, fingerprint};
use understory_core::query::SearchQuery;
use understory_core::redact;
use understory_core::refusal::{Refusal, RefusalCode};
use understory_ports::tape::PREPARE;
use understory_ports::{CallContext, IndexReport, TapeCall, TapeHead, TapeResult};

/// What preparing came to, as a tape holds it. Not the time it took.
#[derive(Serialize, Deserialize)]
struct TapedOutcome {
    tree: TreeInfo,
    index: IndexState,
    parsed: u64,
    files: u64,
    findings: Vec<Finding>,
}

impl Session {
    /// Answers a call from the tape, or answers it and tells the tape.
    pub(crate) async fn taped(&self, name: &str, arguments: &Value, cx: &CallContext) -> Done {
        let Some(tape) = self.options().tape.as_ref().filter(|_| !self.is_closed()) else {
            return self.dispatch(name, arguments, cx).await;
        };
        let head = self.tape_head();
        let staging = self.staging(name, arguments);
        let request = match &staging {
            Some(staging) => staging.request.clone(),
            None => self.effective(name, arguments),
        };
        let value = serde_json::to_value(&request).unwrap_or(Value::Null);
        let call = self.tape_call(name, value, staging.as_ref());
        let Some(found) = tape.replay(&head, &call) else {
            let done = self.dispatch(name, arguments, cx).await;
            tape.record(&head, &call, &to_tape(&done, &call.request));
            return done;
        };
        match found.and_then(|result| self.of_tape(result, &request)) {
            Ok(done) => {
                self.stage_again(staging, done.answer.ok);
                done
            }
            Err(refusal) => {
                let draft = Draft {
                    tool: name.to_owned(),
                    request,
                    tree: None,
                    findings: Vec::new(),
                    left_out: None,
                };
                draft.refuse(refusal)
            }
        }
    }

    /// As [`Session::taped`], for preparing.
    pub(crate) async fn taped_prepare(&self, draft: &mut Draft, cx: &CallContext) -> Result<Outcome, Refusal> {
        let Some(tape) = self.options().tape.as_ref().filter(|_| !self.is_closed()) else {
            return self.prepare_tree(draft, cx).await;
        };
        let head = self.tape_head();
        let call = self.tape_call(PREPARE, Value::Null, None);
        let Some(found) = tape.replay(&head, &call) else {
            let outcome = self.prepare_tree(draft, cx).await;
            let answer = match &outcome {
                Ok(done) => json!({"ok": TapedOutcome {
                    tree: done.tree.clone(),
                    index: done.index.state,
                    parsed: done.index.parsed,
                    files: done.index.files,
                    findings: done.findings.clone(),
                }}),
                Err(refusal) => {
                    let mut refusal = refusal.clone();
                    redact::redact_refusal(&mut refusal);
                    json!({ "refusal": refusal })
                }
            };
            let result = TapeResult {
                tree: draft.tree.as_ref().map(|t| t.fingerprint),
                cut: None,
                fenced: None,
                answer,
            };
            tape.record(&head, &call, &result);
            return outcome;
        };
        let found = found?;
        draft.tree = found.tree.map(|fingerprint| self.tree_info(fingerprint));
        let answer = found.answer;
        if let Ok(refusal) = Refusal::deserialize(&answer["refusal"]) {
            return Err(refusal);
        }
        let done = TapedOutcome::deserialize(&answer["ok"]).map_err(|_| unreadable())?;
        Ok(Outcome {
            tree: done.tree,
            index: IndexReport {
                state: done.index,
                parsed: done.parsed,
                files: done.files,
                took: Duration::ZERO,
            },
            findings: done.findings,
        })
    }

    fn tape_head(&self) -> TapeHead {
        let schemas: Vec<Value> = self.tools().iter().map(|t| json!([t.name, t.schema])).collect();
        TapeHead {
            backend: self.ports().search.identity(),
            tools: self.options().tools.names().iter().map(|n| (*n).to_owned()).collect(),
            schemas: digest(&Value::Array(schemas)),
            limits: self.options().limits,
        }
    }

    /// A call that stages is named by the staged set that it leaves, so that its contents need not be on the tape.
    fn tape_call(&self, tool: &str, request: Value, staging: Option<&Staging>) -> TapeCall {
        let mut staged = self.staged();
        if let Some(Staging {
            path: Some(path),
            change: Some(change),
            ..
        }) = staging
        {
            // A change that is not allowed leaves the set as it was, here as there.
            let _ = staged.stage(path.clone(), change.clone());
        }
        TapeCall {
            tool: tool.to_owned(),
            request,
            staged: (!staged.is_empty()).then(|| fingerprint(None, std::iter::empty(), &staged)),
        }
    }

    /// Does in a replayed session what a call did to the staged set: the answers after it are over that set.
    fn stage_again(&self, staging: Option<Staging>, answered: bool) {
        match staging {
            Some(Staging {
                path: Some(path),
                change: Some(change),
                ..
            }) if answered => drop(self.stage(path.as_str(), change)),
            Some(Staging {
                path: Some(path),
                change: None,
                ..
            }) => drop(self.unstage(path.as_str())),
            _ => {}
        }
    }

    /// The request that the answer of a call echoes: its effective arguments, or those given where they are refused.
    fn effective(&self, name: &str, arguments: &Value) -> Request {
        let options = self.options();
        let limits = &options.limits;
        let request = match options.tools.names().iter().copied().find(|known| *known == name) {
            Some(SEARCH_CODE) => SearchQuery::from_arguments(arguments, limits, &options.default_scope)
                .ok()
                .map(Request::Search),
            Some(SEARCH_TEXT) => effective::<SearchText>(arguments, limits),
            Some(READ_FILE) => effective::<ReadFile>(arguments, limits),
            Some(LIST_FILES) => effective::<ListFiles>(arguments, limits),
            _ => None,
        };
        request.unwrap_or_else(|| Request::Other(arguments.clone()))
    }

    fn tree_info(&self, fingerprint: Fingerprint) -> TreeInfo {
        TreeInfo {
            fingerprint,
            staged: self.staged().len(),
            index: None,
        }
    }

    fn of_tape(&self, result: TapeResult, request: &Request) -> Result<Done, Refusal> {
        let TapeResult {
            tree,
            cut,
            fenced,
            mut answer,
        } = result;
        if let Some(object) = answer.as_object_mut() {
            object.insert("request".to_owned(), Value::Null);
        }
        let mut answer = ToolAnswer::deserialize(answer).map_err(|_| unreadable())?;
        answer.request = request.clone();
        let refused = answer.tree.is_none();
        Ok(Done {
            answer,
            cut,
            fenced,
            tree: tree.filter(|_| refused).map(|fingerprint| self.tree_info(fingerprint)),
        })
    }
}

/// An answer without its request, which the call has. A secret that the model wrote into its arguments may be echoed in the
/// text; it does not get onto the tape.
fn to_tape(done: &Done, request: &Value) -> TapeResult {
    let mut value = serde_json::to_value(&done.answer).unwrap_or(Value::Null);
    if let Some(object) = value.as_object_mut() {
        object.remove("request");
        if holds_secret(request)
            && let Some(Value::String(text)) = object.get_mut("text")
        {
            *text = redact::redact(text).text.into_owned();
        }
    }
    let tree = done.answer.tree.as_ref().or(done.tree.as_ref());
    TapeResult {
        tree: tree.map(|t| t.fingerprint),
        cut: done.cut,
        fenced: done.fenced,
        answer: value,
    }
}

/// As deep as the value is, which the parser bounds.
fn holds_secret(value: &Value) -> bool {
    match value {
        Value::String(text) => !redact::redact(text).counts.is_empty(),
        Value::Array(items) => items.iter().any(holds_secret),
        Value::Object(object) => object
            .iter()
            .any(|(key, item)| holds_secret(item) || !redact::redact(key).counts.is_empty()),
        _ => false,
    }
}

fn unreadable() -> Refusal {
    Refusal::new(
        RefusalCode::BadOutput,
        "The tape holds an answer of another form; record the session again with this version.",
    )
}
