//! The commands for people: each is one tool call, printed as text.

use super::common::{self, Reader};
use super::tool;
use crate::cli::{Cli, Command, Direction};
use crate::compose::Composed;
use crate::environment::Environment;
use crate::exit;
use crate::failure::Failure;
use crate::output::Output;
use crate::place;
use serde_json::{Map, Value, json};
use understory_core::answer::{Payload, Severity, ToolAnswer};
use understory_core::refusal::Refusal;

/// Runs one of the commands that ask something.
pub fn run(
    cli: &Cli,
    environment: &Environment,
    composed: &Composed,
    command: &Command,
    out: &mut Output,
) -> Result<u8, Failure> {
    let (name, arguments) = call(cli, command, |typed| {
        place::from_root(typed, &composed.root, environment)
    });
    let reader = if cli.common.json {
        Reader::Program
    } else {
        Reader::Person
    };
    let session = match common::open(cli, composed, reader)? {
        Ok(session) => session,
        Err(refusal) if cli.common.json => {
            out.text(&tool::refused(name, arguments, &refusal));
            return Ok(exit::FAILED);
        }
        Err(refusal) => return Err(Failure::from(&refusal)),
    };
    let answer = common::block_on(session.call(name, &arguments, &common::context(out)))?;
    if cli.common.json {
        out.text(&to_json(&answer)?);
        if let Some(detail) = answer.refusal.as_ref().and_then(Refusal::detail) {
            out.note(detail);
        }
        return Ok(code(&answer));
    }
    if let Some(refusal) = &answer.refusal {
        return Err(Failure::from(refusal).not_searched(answer.not_searched.as_ref()));
    }
    out.answer(answer.text.as_deref().unwrap_or_default());
    for finding in &answer.findings {
        if finding.severity > Severity::Note {
            out.note(&format!("{} ({})", finding.message, finding.id));
        }
    }
    Ok(code(&answer))
}

/// The tool and its arguments for a command.
fn call(cli: &Cli, command: &Command, from_root: impl Fn(&str) -> String) -> (&'static str, Value) {
    let mut a = Map::new();
    let mut put = |key: &str, value: Value| {
        a.insert(key.to_owned(), value);
    };
    let limit = cli.common.limit.map(Value::from);
    let scope = cli.common.scope.as_deref().map(&from_root);
    let name = match command {
        Command::Text { pattern, path } => {
            put("pattern", json!(pattern));
            if let Some(path) = path.as_deref().map(&from_root).or(scope) {
                put("path", json!(path));
            }
            limit.into_iter().for_each(|n| put("limit", n));
            "search_text"
        }
        Command::Read { place } => {
            let (path, start, end) = range(place);
            put("path", json!(from_root(path)));
            put("start", json!(start));
            put("end", json!(end));
            "read_file"
        }
        Command::List { glob } => {
            scope.into_iter().for_each(|s| put("path", json!(s)));
            glob.iter().for_each(|g| put("glob", json!(g)));
            "list_files"
        }
        command => {
            scope.into_iter().for_each(|s| put("scope", json!(s)));
            limit.into_iter().for_each(|n| put("limit", n));
            let mode = match command {
                Command::Ask { words } => {
                    put("query", json!(words.join(" ")));
                    "ask"
                }
                Command::Explore { words } => {
                    put("query", json!(words.join(" ")));
                    "explore"
                }
                Command::Grep { pattern } => {
                    put("query", json!(pattern));
                    "grep"
                }
                Command::Callers {
                    symbol,
                    direction,
                    depth,
                } => {
                    put("query", json!(symbol));
                    put(
                        "direction",
                        json!(if *direction == Direction::In { "in" } else { "out" }),
                    );
                    put("depth", json!(depth));
                    "callers"
                }
                Command::Skeleton { file } => {
                    put("file", json!(from_root(file)));
                    "skeleton"
                }
                // The other commands are no questions and do not come here.
                _ => "map",
            };
            put("mode", json!(mode));
            "search_code"
        }
    };
    (name, Value::Object(a))
}

/// `PATH`, `PATH:A`, `PATH:A-` or `PATH:A-B`.
fn range(place: &str) -> (&str, u32, u32) {
    let whole = (place, 1, 0);
    let Some((path, lines)) = place.rsplit_once(':').filter(|(path, _)| !path.is_empty()) else {
        return whole;
    };
    let number = |text: &str| {
        text.strip_prefix('L')
            .unwrap_or(text)
            .parse::<u32>()
            .ok()
            .filter(|n| *n > 0)
    };
    match lines.split_once('-') {
        None => number(lines).map_or(whole, |n| (path, n, n)),
        Some((a, "")) => number(a).map_or(whole, |a| (path, a, 0)),
        Some((a, b)) => match (number(a), number(b)) {
            (Some(a), Some(b)) => (path, a, b),
            _ => whole,
        },
    }
}

/// The exit code that an answer stands for.
fn code(answer: &ToolAnswer) -> u8 {
    if !answer.ok {
        return exit::FAILED;
    }
    let found = match (&answer.payload, &answer.counts) {
        (Some(Payload::Read(_)), _) => true,
        _ if answer.map.is_some() => true,
        (_, Some(counts)) => counts.total > 0,
        (_, None) => false,
    };
    if found { exit::FOUND } else { exit::NOTHING }
}

/// An answer as its JSON form, on one line.
pub fn to_json(answer: &ToolAnswer) -> Result<String, Failure> {
    serde_json::to_string(answer).map_err(|e| Failure::new("the answer cannot be written as JSON").because(&e))
}

#[cfg(test)]
mod tests {
    use super::range;

    #[test]
    fn a_range_of_lines_ends_a_place() {
        for (place, expected) in [
            ("a.py", ("a.py", 1, 0)),
            ("a.py:3", ("a.py", 3, 3)),
            ("a.py:3-", ("a.py", 3, 0)),
            ("a.py:3-5", ("a.py", 3, 5)),
            ("a.py:L3-L5", ("a.py", 3, 5)),
            ("a.py:0", ("a.py:0", 1, 0)),
            ("a:b.py", ("a:b.py", 1, 0)),
            (":3", (":3", 1, 0)),
            ("a.py:x-5", ("a.py:x-5", 1, 0)),
        ] {
            assert_eq!(range(place), expected, "{place}");
        }
    }
}
