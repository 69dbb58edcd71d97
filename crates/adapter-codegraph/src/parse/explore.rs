//! The text of `explore`: a call flow, what is named with its place, and numbered source by file. Headings, preamble and
//! advice are dropped; they are recognised leniently, since no form of them is promised.

use super::{Unreadable, located};

/// A symbol with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Its name.
    pub name: String,
    /// The file.
    pub path: String,
    /// Its first line.
    pub line: u32,
    /// How many call it, where that is said.
    pub callers: Option<u32>,
}

/// Source of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The file.
    pub path: String,
    /// Symbols in it and their kinds.
    pub symbols: Vec<(String, String)>,
    /// First and last line of each run of lines that was shown.
    pub runs: Vec<(u32, u32)>,
}

/// What an `explore` came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Explored {
    /// Chains of calls.
    pub flows: Vec<Vec<Place>>,
    /// What is named beside them.
    pub named: Vec<Place>,
    /// Source.
    pub blocks: Vec<Block>,
}

/// Words that the list of a file's symbols holds and that name an edge.
const EDGES: &[&str] = &[
    "calls",
    "imports",
    "extends",
    "implements",
    "references",
    "instantiates",
    "contains",
    "overrides",
];

/// Which part of the text a line lies in.
enum Part {
    Other,
    Flow,
    Blast,
    /// In the fence of the last block.
    Fence,
}

/// Reads it. Empty only when the tool says that it found nothing.
pub fn parse(text: &str) -> Result<Explored, Unreadable> {
    let mut out = Explored::default();
    let mut part = Part::Other;
    let mut ended = true;
    for line in text.lines() {
        if matches!(part, Part::Fence) {
            if line == "```" {
                part = Part::Other;
                ended = true;
            } else if let Some(block) = out.blocks.last_mut()
                && let Some(number) = numbered(line)
            {
                extend(&mut block.runs, number);
            }
            continue;
        }
        if line.starts_with("```") {
            // A fence belongs to the path before it; one without is of a kind that is not known.
            part = if ended { Part::Other } else { Part::Fence };
            continue;
        }
        if let Some(block) = block(line) {
            out.blocks.push(block);
            part = Part::Other;
            ended = false;
            continue;
        }
        if line.starts_with("**") {
            part = if line.starts_with("**Flow") {
                Part::Flow
            } else if line.starts_with("**Blast radius") {
                Part::Blast
            } else {
                Part::Other
            };
            continue;
        }
        match part {
            Part::Flow => flow(line, &mut out.flows),
            Part::Blast => out.named.extend(blast(line)),
            _ => {}
        }
    }
    out.blocks.retain(|block| !block.runs.is_empty());
    out.flows.retain(|flow| flow.len() > 1);
    let is_empty = out.flows.is_empty() && out.named.is_empty() && out.blocks.is_empty();
    if is_empty && !says_nothing(text) {
        return Err(Unreadable(
            "no place of the tree is in it, and it does not say that nothing was found".to_owned(),
        ));
    }
    Ok(out)
}

/// Whether the tool says that it found nothing.
fn says_nothing(text: &str) -> bool {
    text.trim_start().starts_with("No relevant code found")
}

/// The number of `N<TAB>text`.
fn numbered(line: &str) -> Option<u32> {
    let (number, _) = line.split_once('\t')?;
    number.parse().ok().filter(|n| *n > 0)
}

/// Adds a line to runs of lines that are in order.
fn extend(runs: &mut Vec<(u32, u32)>, line: u32) {
    match runs.last_mut() {
        Some((_, last)) if line <= *last => {}
        Some((_, last)) if line == *last + 1 => *last = line,
        _ => runs.push((line, line)),
    }
}

/// `**`path`** — a(function), b(class), +2 more`.
fn block(line: &str) -> Option<Block> {
    let rest = line.strip_prefix("**`")?;
    let (path, rest) = rest.split_once("`**")?;
    if path.is_empty() {
        return None;
    }
    let list = rest.trim_start().trim_start_matches(['—', '-']).trim();
    let symbols = list.split(", ").filter_map(|item| {
        let (name, kind) = item.trim().strip_suffix(')')?.rsplit_once('(')?;
        let is_edge = EDGES.contains(&kind);
        (!is_edge && !name.is_empty() && !kind.is_empty()).then(|| (name.to_owned(), kind.to_owned()))
    });
    Some(Block {
        path: path.to_owned(),
        symbols: symbols.collect(),
        runs: Vec::new(),
    })
}

/// `2. name (path:line)`; a chain begins with `1.`.
fn flow(line: &str, flows: &mut Vec<Vec<Place>>) {
    let Some((number, rest)) = line.trim().split_once(". ") else {
        return;
    };
    if number.is_empty() || !number.bytes().all(|b| b.is_ascii_digit()) {
        return;
    }
    let Some((name, path, at)) = located(rest) else { return };
    if number == "1" || flows.is_empty() {
        flows.push(Vec::new());
    }
    if let Some(last) = flows.last_mut() {
        last.push(Place {
            name: name.trim_matches('`').to_owned(),
            path: path.to_owned(),
            line: at,
            callers: None,
        });
    }
}

/// `- `name` (path:line) — 3 callers in …; tests: …`.
fn blast(line: &str) -> Option<Place> {
    let rest = line.trim_start().strip_prefix("- `")?;
    let end = rest.find("` (")?;
    let close = end + rest[end..].find(')')?;
    // A path may hold brackets itself: the place ends at the first one that a line number precedes.
    let close = rest[end..]
        .match_indices(')')
        .map(|(at, _)| end + at)
        .find(|&at| located(&rest[..=at]).is_some())
        .unwrap_or(close);
    let (name, path, at) = located(&rest[..=close])?;
    let callers = rest[close + 1..]
        .split_whitespace()
        .collect::<Vec<_>>()
        .windows(2)
        .find(|w| w[1].trim_end_matches([';', ',']) == "caller" || w[1].trim_end_matches([';', ',']) == "callers")
        .and_then(|w| w[0].parse().ok());
    Some(Place {
        name: name.trim_end_matches('`').to_owned(),
        path: path.to_owned(),
        line: at,
        callers,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAMPLE: &str = include_str!("../../tests/samples/explore.txt");
    const NOTHING: &str = include_str!("../../tests/samples/explore-nothing.txt");

    #[test]
    fn a_recorded_answer() {
        let found = parse(SAMPLE).unwrap();
        let names = |places: &[Place]| -> Vec<String> {
            places
                .iter()
                .map(|p| format!("{} {}:{} {:?}", p.name, p.path, p.line, p.callers))
                .collect()
        };
        assert_eq!(found.flows.len(), 1);
        assert_eq!(
            names(&found.flows[0]),
            [
                "save_order src/store.py:15 None",
                "check_order src/store.py:22 None",
                "validate_fields src/store.py:28 None"
            ]
        );
        assert_eq!(
            names(&found.named),
            [
                "save_order src/store.py:15 Some(1)",
                "validate_fields src/store.py:28 Some(1)",
                "check_order src/store.py:22 Some(3)"
            ]
        );
        assert_eq!(found.blocks.len(), 1);
        let block = &found.blocks[0];
        assert_eq!(
            (block.path.as_str(), block.runs.as_slice()),
            ("src/store.py", &[(1, 33)][..])
        );
        assert_eq!(block.symbols[0], ("save_order".to_owned(), "method".to_owned()));
        assert_eq!(
            block.symbols.len(),
            5,
            "the tail `+2 more` is no symbol: {:?}",
            block.symbols
        );
    }

    #[test]
    fn nothing_is_found_only_when_it_says_so() {
        assert_eq!(parse(NOTHING).unwrap(), Explored::default());
        for text in [
            "",
            "\n",
            "Usage: codegraph explore [options] <query...>\n",
            "{}",
            "**Exploration: x**\n\nFound 0 symbols",
        ] {
            assert!(parse(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn a_fence_holds_only_numbered_lines() {
        // What looks like a heading, a flow or a fence inside numbered source is source.
        let text = "**`a.md`** — x(function)\n\n```\n1\t**`b.py`** — y(class)\n2\t```\n... (gap) ...\n9\t1. z (c.py:3)\n```\n\n**`d.py`** — w(function)\n";
        let found = parse(text).unwrap();
        assert_eq!(found.blocks.len(), 1, "a block without lines is none: {found:?}");
        assert_eq!(found.blocks[0].runs, [(1, 2), (9, 9)]);
        assert!(found.flows.is_empty());
    }

    #[test]
    fn malformed_parts_are_passed_over() {
        let text = "**Flow**\n\n1. a (x.py:1)\nrubbish\n2. b (x.py:zz)\n3. c (y (z).py:4)\n1. lonely (x.py:9)\n**Blast radius**\n- `d` no place\n- `e` (p (q).py:7) — no callers\n- `f` (g.py:2) — 12 callers in `x`\n**``** — x(function)\n```\n1\tx\n```\n";
        let found = parse(text).unwrap();
        assert_eq!(found.flows.len(), 1);
        assert_eq!(found.flows[0][1].path, "y (z).py");
        let named: Vec<_> = found
            .named
            .iter()
            .map(|p| (p.name.as_str(), p.path.as_str(), p.callers))
            .collect();
        assert_eq!(named, [("e", "p (q).py", None), ("f", "g.py", Some(12))]);
        assert!(found.blocks.is_empty());
    }

    #[test]
    fn every_cut_of_an_answer_is_read_without_a_panic() {
        for end in (0..SAMPLE.len()).filter(|&at| SAMPLE.is_char_boundary(at)) {
            let _ = parse(&SAMPLE[..end]);
        }
    }
}
