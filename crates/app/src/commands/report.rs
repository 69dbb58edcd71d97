//! `understory report`: tables from the records of runs, and a comparison of two sets of them.

use crate::exit;
use crate::failure::Failure;
use crate::output::Output;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use understory_session::Event;

/// Sums over the calls of one tool.
#[derive(Clone, Debug, Default, PartialEq)]
struct Row {
    calls: u64,
    refused: u64,
    cut: u64,
    took_ms: Vec<u64>,
    text_bytes: u64,
}

/// What a set of records holds.
#[derive(Clone, Debug, Default)]
struct Set {
    runs: u64,
    turns: u64,
    by_tool: BTreeMap<String, Row>,
    refusals: BTreeMap<String, u64>,
    findings: BTreeMap<String, u64>,
}

/// Reads the records and prints the tables.
pub fn run(files: &[PathBuf], against: &[PathBuf], as_json: bool, out: &mut Output) -> Result<u8, Failure> {
    let set = read(files, out)?;
    let other = if against.is_empty() {
        None
    } else {
        Some(read(against, out)?)
    };
    if as_json {
        let mut value = json!({"schema": 1, "ok": true, "runs": set.to_json()});
        if let Some(other) = &other {
            value["against"] = other.to_json();
        }
        out.text(&value.to_string());
    } else {
        let mut text = set.table("");
        if let Some(other) = &other {
            text.push_str("\n\n");
            text.push_str(&other.table("against: "));
            text.push_str("\n\n");
            text.push_str(&compare(&set, other));
        }
        out.text(&text);
    }
    let calls: u64 = set.by_tool.values().map(|r| r.calls).sum();
    Ok(if calls > 0 { exit::FOUND } else { exit::NOTHING })
}

fn read(files: &[PathBuf], out: &mut Output) -> Result<Set, Failure> {
    let mut set = Set::default();
    for file in files {
        read_one(file, &mut set, out)?;
    }
    Ok(set)
}

fn read_one(path: &Path, set: &mut Set, out: &mut Output) -> Result<(), Failure> {
    let fail =
        |e: &dyn std::error::Error| Failure::new(format!("cannot read the record {}", path.display())).because(e);
    let file = std::fs::File::open(path).map_err(|e| fail(&e))?;
    let (mut unknown, mut known) = (0u64, 0u64);
    for line in BufReader::new(file).split(b'\n') {
        let line = line.map_err(|e| fail(&e))?;
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        // A newer session may write events that this program does not know; a run that was killed may end in half a line.
        match serde_json::from_slice::<Event>(&line) {
            Ok(event) => {
                known += 1;
                set.add(&event);
            }
            Err(_) => unknown += 1,
        }
    }
    if known == 0 && unknown > 0 {
        return Err(Failure::new(format!("{} is no record of a session", path.display()))
            .hint("a record has one JSON object a line, as docs/record.md describes"));
    }
    if unknown > 0 {
        out.note(&format!("{}: {unknown} lines are no known event", path.display()));
    }
    Ok(())
}

impl Set {
    fn add(&mut self, event: &Event) {
        match event {
            Event::Opened { .. } => self.runs += 1,
            Event::Call {
                tool,
                refused,
                cut,
                took_ms,
                text_bytes,
                ..
            } => {
                let row = self.by_tool.entry(tool.clone()).or_default();
                row.calls += 1;
                row.took_ms.push(*took_ms);
                row.text_bytes += text_bytes;
                row.cut += u64::from(*cut == Some(true));
                if let Some(code) = refused {
                    row.refused += 1;
                    *self.refusals.entry(code.as_str().to_owned()).or_default() += 1;
                }
            }
            Event::Finding { id, .. } => *self.findings.entry(id.clone()).or_default() += 1,
            Event::Closed { turns, .. } => self.turns += turns.unwrap_or(0),
            _ => {}
        }
    }

    fn total(&self) -> Row {
        let mut total = Row::default();
        for row in self.by_tool.values() {
            total.calls += row.calls;
            total.refused += row.refused;
            total.cut += row.cut;
            total.took_ms.extend(&row.took_ms);
            total.text_bytes += row.text_bytes;
        }
        total
    }

    fn table(&self, title: &str) -> String {
        let mut lines = vec![format!(
            "{title}{} runs, {} turns{}",
            self.runs,
            self.turns,
            if self.turns == 0 { " told" } else { "" }
        )];
        lines.push(format!(
            "{:<14}{:>8}{:>9}{:>7}{:>10}{:>10}{:>12}",
            "tool", "calls", "refused", "cut", "p50 ms", "total ms", "bytes"
        ));
        let all = [("all".to_owned(), self.total())];
        for (tool, row) in self.by_tool.iter().map(|(t, r)| (t.clone(), r.clone())).chain(all) {
            lines.push(format!(
                "{:<14}{:>8}{:>9}{:>7}{:>10}{:>10}{:>12}",
                understory_core::path::escape_control(&tool)
                    .chars()
                    .take(13)
                    .collect::<String>(),
                row.calls,
                row.refused,
                row.cut,
                row.median(),
                row.took_ms.iter().sum::<u64>(),
                row.text_bytes
            ));
        }
        for (what, counts) in [("refusals", &self.refusals), ("findings", &self.findings)] {
            if !counts.is_empty() {
                let all: Vec<String> = counts.iter().map(|(k, n)| format!("{k} {n}")).collect();
                lines.push(format!("{what}: {}", all.join(", ")));
            }
        }
        lines.join("\n")
    }

    fn to_json(&self) -> Value {
        let row = |r: &Row| {
            json!({"calls": r.calls, "refused": r.refused, "cut": r.cut, "p50_ms": r.median(),
                   "total_ms": r.took_ms.iter().sum::<u64>(), "text_bytes": r.text_bytes})
        };
        let tools: serde_json::Map<String, Value> = self.by_tool.iter().map(|(t, r)| (t.clone(), row(r))).collect();
        json!({"runs": self.runs, "turns": self.turns, "tools": tools, "all": row(&self.total()),
               "refusals": self.refusals, "findings": self.findings})
    }
}

impl Row {
    fn median(&self) -> u64 {
        let mut sorted = self.took_ms.clone();
        sorted.sort_unstable();
        sorted.get(sorted.len().saturating_sub(1) / 2).copied().unwrap_or(0)
    }
}

/// The first set as a share of the second, for each run.
fn compare(a: &Set, b: &Set) -> String {
    let (ta, tb) = (a.total(), b.total());
    let per_run = |n: u64, set: &Set| n as f64 / set.runs.max(1) as f64;
    let mut lines = vec!["a run of the first set, against one of the second:".to_owned()];
    for (what, x, y) in [
        ("calls", ta.calls, tb.calls),
        ("refused", ta.refused, tb.refused),
        ("bytes", ta.text_bytes, tb.text_bytes),
        ("ms", ta.took_ms.iter().sum(), tb.took_ms.iter().sum()),
        ("turns", a.turns, b.turns),
    ] {
        let (x, y) = (per_run(x, a), per_run(y, b));
        let ratio = if y > 0.0 {
            format!("{:.2}×", x / y)
        } else {
            "–".to_owned()
        };
        lines.push(format!("{what:<10}{x:>12.1}{y:>12.1}{ratio:>9}"));
    }
    lines.join("\n")
}
