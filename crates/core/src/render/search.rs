//! The layouts of `search_code`.

use super::page::Page;
use super::words::{LINE_CHARS, head, name, shorten};
use super::{explore, map};
use crate::answer::{Answer, Confidence, Hit, Relation};
use crate::query::{Direction, Mode, SearchQuery};

/// Lays an answer out. `most` is the number of characters that the text will be cut to; `explore` shares it out among
/// its sources.
pub fn search(query: &SearchQuery, answer: &Answer, most: usize) -> Page {
    let mut page = Page::new(answer.counts, answer.not_searched, narrow(query));
    if let Some(unresolved) = answer.unresolved.filter(|u| u.sites > 0) {
        page.note(match unresolved.sites {
            1 => "1 use site of the name is bound to nothing in the tree.".to_owned(),
            n => format!("{n} use sites of the name are bound to nothing in the tree."),
        });
    }
    if !answer.suggestions.is_empty() {
        let near: Vec<String> = answer.suggestions.iter().take(8).map(|s| shorten(s, 100)).collect();
        page.note(format!("Near: {}.", near.join(", ")));
    }
    match query.mode {
        Mode::Map => map::rows(&mut page, answer),
        _ if answer.hits.is_empty() => empty(&mut page, query, answer),
        Mode::Ask => answer.hits.iter().for_each(|hit| ask(&mut page, hit)),
        Mode::Grep => answer.hits.iter().for_each(|hit| {
            page.row(head(&hit.symbol), 0);
            lines(&mut page, hit, 1);
        }),
        Mode::Callers => callers(&mut page, query, answer),
        Mode::Skeleton => skeleton(&mut page, query, answer),
        Mode::Explore => explore::rows(&mut page, answer, most),
    }
    page
}

/// How to get what an answer left out.
fn narrow(query: &SearchQuery) -> String {
    let way = match query.mode {
        Mode::Ask | Mode::Explore => "Narrow with `scope` or more exact words, or raise `limit`.",
        Mode::Grep => "Narrow with `scope` or a longer pattern, or raise `limit` (groups).",
        Mode::Callers => "Narrow with `scope` or name one definition as `path#name`, or raise `limit`.",
        Mode::Skeleton => "See the rest with `read_file`, or find a name with `grep` and a `scope`.",
        Mode::Map => "Narrow with `scope`.",
    };
    way.to_owned()
}

fn empty(page: &mut Page, query: &SearchQuery, answer: &Answer) {
    let place = if query.scope.is_root() {
        "the whole tree was searched".to_owned()
    } else {
        format!("the whole of `{}` was searched", name(query.scope.as_str()))
    };
    let what = match query.mode {
        // Whoever did not look at every file says so by an inexact count.
        Mode::Ask | Mode::Explore if !answer.counts.exact => {
            "Nothing was found in the files that the backend reads, which are not all.".to_owned()
        }
        Mode::Ask | Mode::Explore => format!("Nothing answers these words; {place}."),
        Mode::Grep => format!("No line matches; {place}."),
        Mode::Callers => {
            subjects(page, answer);
            match query.direction {
                _ if !answer.counts.exact => {
                    "Nothing was found, and the backend does not see every reference.".to_owned()
                }
                Direction::In => format!("Nothing references it; {place}."),
                Direction::Out => format!("It references nothing in the tree; {place}."),
            }
        }
        Mode::Skeleton => "The file defines nothing.".to_owned(),
        Mode::Map => return,
    };
    page.notes.insert(0, what);
}

fn ask(page: &mut Page, hit: &Hit) {
    page.row(head(&hit.symbol), 1);
    if !hit.symbol.signature.is_empty() && hit.symbol.kind != "file" {
        page.row(format!("    {}", shorten(hit.symbol.signature.trim(), LINE_CHARS)), 0);
    }
    lines(page, hit, 0);
}

/// The hit's lines under it.
pub(super) fn lines(page: &mut Page, hit: &Hit, adds: u64) {
    for line in &hit.lines {
        page.row(
            format!("    {}: {}", line.line, shorten(line.text.trim(), LINE_CHARS)),
            adds,
        );
    }
}

/// What the query named, when that has to be said: several definitions, or none of them referenced.
fn subjects(page: &mut Page, answer: &Answer) {
    if answer.subjects.is_empty() {
        return;
    }
    if answer.subjects.len() > 1 {
        page.row(format!("{} definitions have this name:", answer.subjects.len()), 0);
    }
    let numbered = answer.subjects.len() > 1;
    for (i, subject) in answer.subjects.iter().enumerate().take(20) {
        let number = if numbered {
            format!("[{}] ", i + 1)
        } else {
            String::new()
        };
        page.row(format!("{number}{}", head(subject)), 0);
    }
    if answer.subjects.len() > 20 {
        page.row(format!("and {} more", answer.subjects.len() - 20), 0);
    }
}

fn callers(page: &mut Page, query: &SearchQuery, answer: &Answer) {
    if answer.subjects.len() > 1 {
        subjects(page, answer);
        page.row(
            match query.direction {
                Direction::In => "Referenced by:",
                Direction::Out => "References:",
            },
            0,
        );
    }
    for hit in &answer.hits {
        let mut text = head(&hit.symbol);
        if let Some(relation) = hit.relation {
            text.push(' ');
            text.push_str(relation_word(relation, query.direction));
        }
        if let Some(subject) = hit.subject.filter(|_| answer.subjects.len() > 1) {
            text.push_str(&format!(" [{}]", subject + 1));
        }
        // `exact` and `resolved` are what a reader expects; the weaker ones are said.
        match hit.confidence {
            Some(Confidence::Possible) => text.push_str(", possible (through a base)"),
            Some(Confidence::Name) => text.push_str(", by name only"),
            _ => {}
        }
        if let Some(depth) = hit.depth.filter(|d| *d > 1) {
            text.push_str(&format!(", depth {depth}"));
            if let Some(via) = hit.via.and_then(|v| answer.hits.get(v)) {
                text.push_str(&format!(" via {}", shorten(&name(&via.symbol.qualified), 100)));
            }
        }
        page.row(text, 1);
        lines(page, hit, 0);
    }
}

fn relation_word(relation: Relation, direction: Direction) -> &'static str {
    match (direction, relation) {
        (Direction::In, Relation::Calls) => "calls it",
        (Direction::In, Relation::Uses) => "uses it",
        (Direction::In, Relation::Inherits) => "inherits it",
        (Direction::In, Relation::Implements) => "implements it",
        (Direction::In, Relation::Overrides) => "overrides it",
        (Direction::In, Relation::Imports) => "imports it",
        (Direction::Out, Relation::Calls) => "called",
        (Direction::Out, Relation::Uses) => "used",
        (Direction::Out, Relation::Inherits) => "inherited",
        (Direction::Out, Relation::Implements) => "implemented",
        (Direction::Out, Relation::Overrides) => "overridden",
        (Direction::Out, Relation::Imports) => "imported",
    }
}

fn skeleton(page: &mut Page, query: &SearchQuery, answer: &Answer) {
    page.row(name(query.file.as_str()), 0);
    for hit in &answer.hits {
        let s = &hit.symbol;
        let indent = "  ".repeat(1 + hit.level.unwrap_or(0).min(20) as usize);
        let signature = if s.signature.is_empty() {
            s.name.clone()
        } else {
            s.signature.trim().to_owned()
        };
        let degree = if s.in_degree > 0 {
            format!(" ({}←)", s.in_degree)
        } else {
            String::new()
        };
        page.row(
            format!(
                "{indent}L{}-L{} {} {}{degree}",
                s.start,
                s.end,
                s.kind,
                shorten(&signature, LINE_CHARS)
            ),
            1,
        );
    }
}
