//! The refusal of what is not on the tape, with the nearest recorded request.

use crate::line::Call;
use crate::record::redacted;
use crate::tape::Contents;
use serde_json::Value;
use std::collections::BTreeSet;
use understory_core::refusal::{Refusal, RefusalCode};
use understory_ports::{TapeCall, TapeHead};

/// Characters of a request that a sentence shows.
const SHOWN: usize = 300;

/// Why a call of a session is not answered; `recorded` is how many answers to it were given already.
pub(crate) fn refusal(tape: &Contents, head: &TapeHead, call: &TapeCall, recorded: usize) -> Refusal {
    let no = |message: String| Refusal::new(RefusalCode::NotRecorded, message);
    if recorded > 0 {
        return no(format!(
            "The tape has this call {recorded} time(s), and each answer was given already."
        ));
    }
    if let Some(other) = tape
        .heads
        .first()
        .filter(|_| !tape.heads.iter().any(|h| h.agrees(head)))
    {
        return no(disagreement(head, other));
    }
    let request = redacted(&call.request);
    let under_head = tape.calls.iter().filter(|(h, _)| tape.heads[*h].agrees(head));
    // The earliest of equally near ones: `max_by_key` takes the last.
    let nearest = under_head
        .map(|(_, taped)| taped)
        .rev()
        .max_by_key(|taped| nearness(call, &request, taped));
    let asked = format!(
        "The tape has no call `{} {}`",
        shown(&call.tool),
        shown(&request.to_string())
    );
    let Some(nearest) = nearest else {
        return no(format!("{asked}; it has no call at all."));
    };
    let near = format!("{} {}", nearest.tool, nearest.request);
    let difference = match (nearest.tool == call.tool && nearest.request == request, call.staged) {
        (true, Some(_)) => " over this staged set",
        (true, None) => " over a tree without staged changes",
        _ => "",
    };
    no(format!(
        "{asked}{difference}. The nearest recorded one is call {}: `{}`. Ask what was recorded, or record the session again.",
        nearest.n,
        shown(&near)
    ))
    .suggesting(vec![near.chars().take(2_000).collect()])
}

/// As [`refusal`], for the code search port: `near` are the recorded queries with whether their tree is the one asked.
pub(crate) fn search_refusal(asked: &str, near: Option<&Value>, recorded: usize, other_tree: bool) -> Refusal {
    let mut message = if recorded > 0 {
        format!("The tape has this search {recorded} time(s) over this tree, and each answer was given already.")
    } else {
        format!("The tape has no search `{}`", shown(asked))
    };
    if recorded == 0 {
        message.push_str(if other_tree { " over this tree." } else { "." });
    }
    let mut refusal = Refusal::new(RefusalCode::NotRecorded, "");
    if let Some(near) = near.filter(|_| recorded == 0) {
        let near = near.to_string();
        message.push_str(&format!(" The nearest recorded one is `{}`.", shown(&near)));
        refusal = refusal.suggesting(vec![near.chars().take(2_000).collect()]);
    }
    refusal.message = message;
    refusal
}

fn disagreement(head: &TapeHead, other: &TapeHead) -> String {
    let differs = if head.tools != other.tools {
        format!(
            "the tools {}, and this session has {}",
            other.tools.join(", "),
            head.tools.join(", ")
        )
    } else if head.limits != other.limits {
        format!(
            "bounds of {} characters, {} hits and {} lines, and this session has {}, {} and {}",
            other.limits.text_chars,
            other.limits.hits,
            other.limits.text_lines,
            head.limits.text_chars,
            head.limits.hits,
            head.limits.text_lines
        )
    } else {
        "other schemas of the same tools".to_owned()
    };
    format!("The tape was recorded with {differs}: a session replays only under the tools of its recording.")
}

/// Greater is nearer: the same tool, then equal arguments, then shared words, then the same staged set.
fn nearness(call: &TapeCall, request: &Value, taped: &Call) -> (bool, usize, usize, bool) {
    let (equal, words) = request_nearness(request, &taped.request);
    (taped.tool == call.tool, equal, words, taped.staged == call.staged)
}

/// Equal arguments, and words that both requests have.
pub(crate) fn request_nearness(a: &Value, b: &Value) -> (usize, usize) {
    let equal = match (a, b) {
        (Value::Object(a), Value::Object(b)) => a.iter().filter(|(k, v)| b.get(*k) == Some(v)).count(),
        _ => usize::from(a == b),
    };
    (equal, words(a).intersection(&words(b)).count())
}

/// The words of a request's texts, and their beginnings, so that a slip of the pen is near.
fn words(value: &Value) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    let mut texts: Vec<&str> = Vec::new();
    match value {
        Value::Object(object) => texts.extend(object.values().filter_map(Value::as_str)),
        other => texts.extend(other.as_str()),
    }
    for word in texts
        .into_iter()
        .flat_map(|t| t.split(|c: char| !c.is_alphanumeric()))
        .filter(|w| !w.is_empty())
        .take(200)
    {
        let word = word.to_lowercase();
        all.insert(word.chars().take(3).collect());
        all.insert(word.chars().take(5).collect());
        all.insert(word);
    }
    all
}

fn shown(text: &str) -> String {
    let mut short: String = text.chars().take(SHOWN).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    understory_core::path::escape_control(&short)
}
