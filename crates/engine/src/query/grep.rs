//! `grep`: every line that matches a regex, grouped by the enclosing symbol, groups ranked by how much calls them.

use super::view::{Place, View, in_scope, shown_line};
use super::{QueryError, pattern};
use crate::facts::Kind;
use crate::index::record::FileFlags;
use crate::index::segment::{FileRow, Segment};
use crate::index::update::Text;
use rayon::prelude::*;
use regex::Regex;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use understory_core::answer::{Answer, Counts, Hit, Line, Unit};
use understory_core::query::SearchQuery;

/// Answers `grep`.
pub fn grep(view: &View<'_>, query: &SearchQuery) -> Result<Answer, QueryError> {
    let regex = pattern(&query.query)?;
    let by_line = needs_single_lines(&query.query);
    let mut files: Vec<(u32, u32)> = Vec::new();
    for (n, segment) in view.segments().iter().enumerate() {
        for row in 0..segment.file_count() {
            let file = segment.file(row);
            if in_scope(file.path, &query.scope) && !file.flags.any(FileFlags::BINARY | FileFlags::UNREADABLE) {
                files.push((n as u32, row));
            }
        }
    }
    let stopped = AtomicBool::new(false);
    let (segments, texts, stop) = (view.segments(), view.texts(), view.stop());
    let mut groups: Vec<(Place, Vec<Line>)> = files
        .par_iter()
        .map(|&(n, row)| {
            if stopped.load(Ordering::Relaxed) || stop() {
                stopped.store(true, Ordering::Relaxed);
                return Vec::new();
            }
            let segment = &segments[n as usize];
            let file = segment.file(row);
            let Text::Text(text) = texts.text(file.path) else {
                return Vec::new();
            };
            let mut found = Vec::new();
            matching_lines(&regex, by_line, &text, |number, line, at| {
                found.push(Line {
                    line: number,
                    text: shown_line(line, at),
                });
                true
            });
            if found.is_empty() {
                Vec::new()
            } else {
                group(n, segment, &file, found)
            }
        })
        .flatten()
        .collect();
    if stopped.load(Ordering::Relaxed) {
        return Err(QueryError::Stopped);
    }

    let total: u64 = groups.iter().map(|g| g.1.len() as u64).sum();
    groups.sort_by_cached_key(|(place, lines)| {
        let file = view.file(*place);
        (
            file.flags.is_secondary(),
            std::cmp::Reverse(if view.row(*place).kind().is_some() {
                view.rank_degree(*place)
            } else {
                0
            }),
            file.flags.any(FileFlags::TEST | FileFlags::EXAMPLE),
            view.row(*place).kind().is_none(),
            file.path,
            lines[0].line,
        )
    });
    groups.truncate(query.limit as usize);
    let hits: Vec<Hit> = groups
        .into_iter()
        .map(|(place, lines)| {
            let mut hit = Hit::new(view.symbol(place));
            hit.lines = lines;
            hit
        })
        .collect();
    let shown = hits.iter().map(|h| h.lines.len() as u64).sum();
    Ok(Answer {
        hits,
        counts: Counts {
            shown,
            total,
            exact: true,
            unit: Unit::Lines,
        },
        ..Answer::default()
    })
}

/// Hands on each matching line (1-based number, text without line end, byte of the match in it) in order, each once,
/// until `each` says false.
pub fn matching_lines(regex: &Regex, by_line: bool, text: &str, mut each: impl FnMut(u32, &str, usize) -> bool) {
    let mut at = 0;
    let mut number = 1u32;
    let mut counted = 0;
    while at < text.len() {
        let start = if by_line {
            at
        } else {
            let Some(found) = regex.find_at(text, at) else { return };
            // A match behind the last line end is no line of the file.
            let from = found.start().min(text.len());
            text[..from].rfind('\n').map_or(0, |i| i + 1).max(at)
        };
        if start >= text.len() {
            return;
        }
        number += memchr::memchr_iter(b'\n', &text.as_bytes()[counted..start]).count() as u32;
        counted = start;
        let end = memchr::memchr(b'\n', &text.as_bytes()[start..]).map_or(text.len(), |i| start + i);
        let line = text[start..end].strip_suffix('\r').unwrap_or(&text[start..end]);
        if let Some(found) = regex.find(line)
            && !each(number, line, found.start())
        {
            return;
        }
        at = end + 1;
    }
}

/// Whether a pattern may say something else of a line alone than of a line in its text, so that lines must be tried one
/// by one.
pub fn needs_single_lines(pattern: &str) -> bool {
    if pattern.contains("\\A") || pattern.contains("\\z") {
        return true;
    }
    // Flags that change what anchors and line ends mean.
    pattern.match_indices("(?").any(|(i, _)| {
        let flags: String = pattern[i + 2..]
            .chars()
            .take_while(|c| c.is_ascii_alphabetic() || *c == '-')
            .collect();
        pattern[i + 2..]
            .chars()
            .nth(flags.len())
            .is_some_and(|c| c == ')' || c == ':')
            && flags.contains(['m', 'R', 's'])
    })
}

/// Groups lines by the innermost function, method or type; other lines belong to the file symbol.
fn group(n: u32, segment: &Segment, file: &FileRow<'_>, lines: Vec<Line>) -> Vec<(Place, Vec<Line>)> {
    let (first, count) = file.symbols;
    // Definitions by start, widest first: a stack of those that are open gives the innermost.
    let mut spans: Vec<(u32, u32, u32)> = (first + 1..first + count)
        .filter_map(|row| {
            let s = segment.symbol(row);
            s.kind().is_some_and(holds_lines).then_some((s.start, s.end, row))
        })
        .collect();
    spans.sort_by_key(|&(start, end, row)| (start, std::cmp::Reverse(end), row));
    let mut next = 0;
    let mut open: Vec<(u32, u32)> = Vec::new();
    let mut groups: BTreeMap<u32, Vec<Line>> = BTreeMap::new();
    for line in lines {
        while next < spans.len() && spans[next].0 <= line.line {
            open.push((spans[next].1, spans[next].2));
            next += 1;
        }
        open.retain(|&(end, _)| end >= line.line);
        let row = open.last().map_or(first, |o| o.1);
        groups.entry(row).or_default().push(line);
    }
    groups
        .into_iter()
        .map(|(row, lines)| (Place { segment: n, row }, lines))
        .collect()
}

/// Kinds that a line can belong to.
fn holds_lines(kind: Kind) -> bool {
    kind.is_callable() && kind != Kind::Macro || kind.is_type()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pattern_text: &str, text: &str, lines: &[u32]) {
        let regex = pattern(pattern_text).unwrap();
        for by_line in [needs_single_lines(pattern_text), true] {
            let mut found = Vec::new();
            matching_lines(&regex, by_line, text, |n, _, _| {
                found.push(n);
                true
            });
            assert_eq!(found, lines, "{pattern_text} by line: {by_line}");
        }
    }

    #[test]
    fn every_matching_line_once() {
        check("a", "a a\nb\nca\n", &[1, 3]);
        check("b$", "ab\r\nb\r\nba\r\n", &[1, 2]);
        check("^b", "ab\nb\n", &[2]);
        check(r"a\s*b", "a\nb\na b\n", &[3]);
        check("[^x]*z", "q\nz\n", &[2]);
        check("x*", "a\n\nb", &[1, 2, 3]);
        check(r"\Aa", "a\nba\na\n", &[1, 3]);
        check("(?i)ÄRGER", "kein Ärger\n", &[1]);
        check("a", "", &[]);
        check("$", "a\n", &[1]);
        check(r"(?s)a.b", "a\nb\n", &[]);
    }
}
