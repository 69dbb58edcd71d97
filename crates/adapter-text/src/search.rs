//! `search_text`: every line that matches.

use crate::pattern::{self, Pattern};
use crate::{check, cut, no_such_file, protected};
use grep_matcher::Matcher;
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkMatch};
use rayon::prelude::*;
use std::io;
use understory_core::answer::{Counts, TextAnswer, TextMatch, Unit};
use understory_core::path::RepoPath;
use understory_core::query::TextQuery;
use understory_core::tree::{EntryKind, TreeFile};
use understory_ports::context::CallContext;
use understory_ports::text_search::TextError;
use understory_tree_reader::{Content, Reader, Resolved};

/// How many matching lines lie between two looks at the deadline.
const LINES_PER_CHECK: u64 = 4096;

pub(crate) fn search(reader: &Reader<'_>, query: &TextQuery, cx: &CallContext) -> Result<TextAnswer, TextError> {
    let pattern = pattern::compile(&query.pattern)?;
    let within = scope(reader, &query.path)?;
    let mut files = reader.tree().files();
    files.retain(|file| file.entry.kind == EntryKind::File && file.path.is_in(&within));

    let results: Vec<Result<OfFile, TextError>> = files
        .par_iter()
        .map(|file| {
            check(cx)?;
            of_file(reader, &pattern, file, query.limit, cx)
        })
        .collect();

    let mut answer = TextAnswer {
        not_searched: reader.tree().not_searched(),
        ..TextAnswer::default()
    };
    let mut total = 0;
    for result in results {
        match result? {
            OfFile::Found(found) => {
                total += found.total;
                let room = query.limit as usize - answer.matches.len();
                answer.matches.extend(found.matches.into_iter().take(room));
            }
            OfFile::Binary => answer.not_searched.binary += 1,
            OfFile::TooLarge => answer.not_searched.too_large += 1,
            OfFile::Unreadable => answer.not_searched.unreadable += 1,
            OfFile::Nothing => {}
        }
    }
    answer.counts = Counts {
        shown: answer.matches.len() as u64,
        total,
        exact: true,
        unit: Unit::Lines,
    };
    Ok(answer)
}

/// The file or directory to search in.
fn scope(reader: &Reader<'_>, path: &RepoPath) -> Result<RepoPath, TextError> {
    match reader.resolve(path) {
        Resolved::File(path) | Resolved::Dir(path) => Ok(path),
        Resolved::Protected => Err(protected().into()),
        Resolved::Nested(_) => Err(no_such_file(
            path,
            "lies in a nested repository, whose files are not part of the tree",
            vec![],
        )
        .into()),
        Resolved::BrokenLink => {
            Err(no_such_file(path, "is a link that leads out of the tree or to nothing", vec![]).into())
        }
        Resolved::Missing => {
            let mut near = reader.near_dirs(path);
            near.extend(reader.near_files(path));
            near.truncate(5);
            Err(no_such_file(path, "is no file or directory of the tree", near).into())
        }
    }
}

enum OfFile {
    Found(Found),
    Binary,
    TooLarge,
    Unreadable,
    /// Protected, or gone from the tree's point of view: not counted.
    Nothing,
}

fn of_file(
    reader: &Reader<'_>,
    pattern: &Pattern,
    file: &TreeFile<'_>,
    limit: u32,
    cx: &CallContext,
) -> Result<OfFile, TextError> {
    let text = match reader.read(file.path) {
        Content::Text(text) => text,
        Content::Binary => return Ok(OfFile::Binary),
        Content::TooLarge => return Ok(OfFile::TooLarge),
        Content::Unreadable => return Ok(OfFile::Unreadable),
        Content::Protected | Content::Missing => return Ok(OfFile::Nothing),
    };
    let mut collect = Collect {
        path: file.path,
        staged: file.staged,
        pattern,
        limit: limit as usize,
        cx,
        found: Found::default(),
    };
    if pattern.line_by_line {
        for (at, line) in text.split_inclusive('\n').enumerate() {
            let line = without_end(line);
            if pattern.matcher.is_match(line.as_bytes()).unwrap_or(false) && !collect.take(at as u64 + 1, line) {
                break;
            }
        }
    } else {
        // The sink's only error is the one that it made itself, and then it has stopped.
        let _ = searcher().search_slice(&pattern.matcher, text.as_bytes(), &mut collect);
    }
    check(cx)?;
    Ok(OfFile::Found(collect.found))
}

fn searcher() -> Searcher {
    SearcherBuilder::new()
        .line_number(true)
        .bom_sniffing(false)
        .binary_detection(BinaryDetection::none())
        .line_terminator(grep_matcher::LineTerminator::crlf())
        .build()
}

fn without_end(line: &str) -> &str {
    let line = line.strip_suffix('\n').unwrap_or(line);
    line.strip_suffix('\r').unwrap_or(line)
}

/// The matching lines of one file.
#[derive(Default)]
struct Found {
    matches: Vec<TextMatch>,
    total: u64,
}

/// Takes matching lines as they are found.
struct Collect<'a> {
    path: &'a RepoPath,
    staged: bool,
    pattern: &'a Pattern,
    limit: usize,
    cx: &'a CallContext,
    found: Found,
}

impl Collect<'_> {
    /// Counts a line and keeps it below the limit. Says whether to go on.
    fn take(&mut self, number: u64, line: &str) -> bool {
        self.found.total += 1;
        if self.found.matches.len() < self.limit {
            let at = self.pattern.matcher.find(line.as_bytes()).ok().flatten();
            let start = at.map_or(0, |m| floor(line, m.start()));
            self.found.matches.push(TextMatch {
                path: self.path.clone(),
                line: u32::try_from(number).unwrap_or(u32::MAX),
                text: cut::line(line, start),
                staged: self.staged,
            });
        }
        !self.found.total.is_multiple_of(LINES_PER_CHECK) || self.cx.stop().is_none()
    }
}

/// The character boundary at or before a byte: a pattern with `(?-u)` may match inside a character.
fn floor(text: &str, at: usize) -> usize {
    (0..=at.min(text.len()))
        .rev()
        .find(|&i| text.is_char_boundary(i))
        .unwrap_or(0)
}

impl Sink for Collect<'_> {
    type Error = io::Error;

    fn matched(&mut self, _searcher: &Searcher, found: &SinkMatch<'_>) -> Result<bool, io::Error> {
        let first = found.line_number().unwrap_or(1);
        for (number, line) in (first..).zip(found.lines()) {
            // The searched text is UTF-8 and lines end at ASCII bytes, so a line is UTF-8.
            let line = std::str::from_utf8(line).map_err(io::Error::other)?;
            if !self.take(number, without_end(line)) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
