//! One line of a tape, and the sum that it carries.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use understory_core::answer::{BackendIdentity, SCHEMA};
use understory_core::fingerprint::{ContentHash, Fingerprint};
use understory_core::query::Mode;
use understory_ports::{Capabilities, TapeHead};

/// Version of the tape's form.
pub const FORMAT: u32 = 1;

/// A line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "line", rename_all = "snake_case")]
pub(crate) enum Line {
    /// The first.
    Tape { format: u32, answers: u32 },
    /// The calls from here on were made under this.
    Session(TapeHead),
    /// The searches from here on were answered by this backend.
    Backend(Backend),
    /// A call of a session.
    Call(Call),
    /// A call of the code search port.
    Search(Search),
}

/// A backend whose searches are recorded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Backend {
    #[serde(flatten)]
    pub(crate) identity: BackendIdentity,
    modes: Vec<Mode>,
    staged: bool,
    scope: bool,
    depth_in: u32,
    depth_out: u32,
}

impl Backend {
    pub(crate) fn new(identity: BackendIdentity, can: Capabilities) -> Self {
        Backend {
            identity,
            modes: can.modes,
            staged: can.staged,
            scope: can.scope,
            depth_in: can.depth_in,
            depth_out: can.depth_out,
        }
    }

    pub(crate) fn supports(&self) -> Capabilities {
        Capabilities {
            modes: self.modes.clone(),
            staged: self.staged,
            scope: self.scope,
            depth_in: self.depth_in,
            depth_out: self.depth_out,
        }
    }
}

/// A call of a session and its answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Call {
    /// Position on the tape, from 1, searches counted too.
    pub(crate) n: u64,
    pub(crate) tool: String,
    /// Effective arguments, redacted.
    pub(crate) request: Value,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) staged: Option<Fingerprint>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) tree: Option<Fingerprint>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) cut: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) fenced: Option<bool>,
    pub(crate) answer: Value,
}

/// A call of the code search port and what came of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Search {
    /// Position on the tape, from 1, calls counted too.
    pub(crate) n: u64,
    /// `prepare` or `search`.
    pub(crate) op: String,
    /// The query, redacted; null for `prepare`.
    pub(crate) request: Value,
    pub(crate) tree: Fingerprint,
    /// `{"ok": …}` or `{"error": …}`.
    pub(crate) result: Value,
}

impl Line {
    pub(crate) fn heading() -> Line {
        Line::Tape {
            format: FORMAT,
            answers: SCHEMA,
        }
    }
}

/// A sum over a line and all lines before it, as 16 hexadecimal digits.
pub(crate) type Sum = String;

const SUM: &str = ",\"sum\":\"";
const SUM_DIGITS: usize = 16;

/// A line as it stands on the tape, without its line end, and its sum.
pub(crate) fn encode(line: &Line, before: &str) -> Result<(String, Sum), serde_json::Error> {
    let json = serde_json::to_string(line)?;
    let body = json.strip_suffix('}').unwrap_or(&json);
    let sum = sum(body, before);
    Ok((format!("{body}{SUM}{sum}\"}}"), sum))
}

/// What a line says, and its sum; else what is wrong with it.
pub(crate) fn decode(text: &str, before: &str) -> Result<(Line, Sum), String> {
    let (body, found) = text
        .strip_suffix("\"}")
        .filter(|t| t.len() >= SUM_DIGITS && t.is_char_boundary(t.len() - SUM_DIGITS))
        .map(|t| t.split_at(t.len() - SUM_DIGITS))
        .and_then(|(rest, digits)| rest.strip_suffix(SUM).map(|body| (body, digits)))
        .ok_or("it has no sum at its end")?;
    if sum(body, before) != found {
        return Err("its sum is another one: it or a line before it was changed, moved or lost".to_owned());
    }
    let line = serde_json::from_str(&format!("{body}}}")).map_err(|e| e.to_string())?;
    Ok((line, found.to_owned()))
}

fn sum(body: &str, before: &str) -> Sum {
    let mut hash = format!("{:?}", ContentHash::of(format!("{before}\n{body}").as_bytes()));
    hash.truncate(SUM_DIGITS);
    hash
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn call(n: u64, answer: Value) -> Line {
        Line::Call(Call {
            n,
            tool: "read_file".to_owned(),
            request: json!({"path": "a"}),
            staged: None,
            tree: None,
            cut: Some(false),
            fenced: None,
            answer,
        })
    }

    #[test]
    fn a_line_reads_back() {
        for line in [
            Line::heading(),
            call(1, json!({"score": 0.1234567890123456, "text": "é\"},\"sum\":\""})),
            call(2, Value::Null),
        ] {
            let (text, sum) = encode(&line, "x").unwrap();
            assert_eq!(decode(&text, "x"), Ok((line, sum)));
        }
    }

    #[test]
    fn a_line_that_was_changed_or_moved_is_found_out() {
        let (text, _) = encode(&call(1, json!("one")), "x").unwrap();
        for (text, before) in [
            (text.replace("one", "two"), "x"),
            (text.clone(), "y"),
            (text[..text.len() - 1].to_owned(), "x"),
            (text.replace("\"}", "é\"}"), "x"),
            (String::new(), "x"),
            ("{}".to_owned(), "x"),
        ] {
            assert!(decode(&text, before).is_err(), "{text}");
        }
    }
}
