//! Text search over files that a test holds in memory.

use crate::context::{CallContext, Stop};
use crate::text_search::{TextError, TextSearch};
use async_trait::async_trait;
use std::collections::BTreeMap;
use understory_core::answer::{Counts, ListAnswer, ReadAnswer, TextAnswer, TextMatch, Unit};
use understory_core::fingerprint::ContentHash;
use understory_core::guard::{Guard, Verdict};
use understory_core::limits::{LIST_PATHS, READ_CHARS};
use understory_core::near::nearest_paths;
use understory_core::path::RepoPath;
use understory_core::query::{ListQuery, ReadQuery, TextQuery};
use understory_core::refusal::{Refusal, RefusalCode};
use understory_core::staged::StagedChange;
use understory_core::tree::{EntryKind, Tree};

/// A [`TextSearch`] over bytes in memory, under the default guard. Links are followed only as a whole, not in the middle
/// of a path, and globs know `*`, `**`, `?` and braces.
///
/// Stricter than a real one: a tree whose manifest names a file that it does not hold, or holds with other bytes, is a
/// panic.
#[derive(Clone, Debug, Default)]
pub struct MemoryText {
    held: BTreeMap<RepoPath, Vec<u8>>,
    guard: Guard,
}

/// One path of a tree with what it holds.
struct One<'a> {
    path: &'a RepoPath,
    kind: EntryKind,
    bytes: Vec<u8>,
    staged: bool,
}

impl MemoryText {
    /// One that holds nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Holds a file's bytes, or a link's target.
    pub fn holding(mut self, path: RepoPath, bytes: impl Into<Vec<u8>>) -> Self {
        self.held.insert(path, bytes.into());
        self
    }

    fn all<'a>(&self, tree: &'a Tree) -> Vec<One<'a>> {
        tree.files()
            .into_iter()
            .filter(|file| file.entry.kind != EntryKind::Submodule)
            .map(|file| {
                let bytes = match tree.staged().get(file.path) {
                    Some(StagedChange::Write { bytes, .. }) => bytes.to_vec(),
                    Some(StagedChange::Symlink { target }) => target.as_bytes().to_vec(),
                    _ => {
                        let held = self.held.get(file.path);
                        let bytes = held.unwrap_or_else(|| panic!("the fake does not hold {}", file.path));
                        assert_eq!(ContentHash::of(bytes), file.entry.hash, "{} has other bytes", file.path);
                        bytes.clone()
                    }
                };
                One {
                    path: file.path,
                    kind: file.entry.kind,
                    bytes,
                    staged: file.staged,
                }
            })
            .collect()
    }

    /// The file that a path leads to, or why there is none.
    fn resolve<'a>(&self, all: &'a [One<'a>], path: &RepoPath) -> Result<&'a One<'a>, Refusal> {
        let mut at = path.clone();
        for _ in 0..40 {
            if self.guard.judge(&at) == Verdict::Protected {
                return Err(protected());
            }
            let Some(one) = all.iter().find(|one| *one.path == at) else {
                return Err(self.missing(all, path));
            };
            if one.kind == EntryKind::File {
                return match self.guard.judge_with_head(&at, &one.bytes) {
                    Verdict::Protected => Err(protected()),
                    _ => Ok(one),
                };
            }
            let target = String::from_utf8_lossy(&one.bytes).into_owned();
            match join(&at, &target) {
                Some(next) => at = next,
                None => break,
            }
        }
        Err(self.missing(all, path))
    }

    fn is_open(&self, all: &[One<'_>], one: &One<'_>) -> bool {
        match one.kind {
            EntryKind::File => self.guard.judge_with_head(one.path, &one.bytes) == Verdict::Open,
            _ => !matches!(self.resolve(all, one.path), Err(r) if r.code == RefusalCode::ProtectedPath),
        }
    }

    fn missing(&self, all: &[One<'_>], path: &RepoPath) -> Refusal {
        let open = all
            .iter()
            .filter(|one| {
                one.kind == EntryKind::File && self.guard.judge_with_head(one.path, &one.bytes) == Verdict::Open
            })
            .map(|one| one.path.as_str());
        Refusal::new(RefusalCode::NoSuchFile, "The tree has no such file.").suggesting(nearest_paths(
            path.as_str(),
            open,
            5,
        ))
    }

    /// Refuses a path that is neither a file nor a directory of the tree.
    fn scope(&self, tree: &Tree, all: &[One<'_>], path: &RepoPath) -> Result<(), Refusal> {
        if self.guard.judge(path) == Verdict::Protected {
            return Err(protected());
        }
        if tree.has_dir(path) || all.iter().any(|one| one.path == path) {
            return Ok(());
        }
        Err(self.missing(all, path))
    }
}

#[async_trait]
impl TextSearch for MemoryText {
    async fn search(&self, tree: &Tree, query: &TextQuery, cx: &CallContext) -> Result<TextAnswer, TextError> {
        stopped(cx)?;
        let regex = regex::RegexBuilder::new(&query.pattern)
            .multi_line(true)
            .build()
            .map_err(|e| Refusal::new(RefusalCode::BadQuery, e.to_string()))?;
        let all = self.all(tree);
        self.scope(tree, &all, &query.path)?;
        let mut answer = TextAnswer {
            not_searched: tree.not_searched(),
            ..TextAnswer::default()
        };
        let mut total = 0;
        let within = all
            .iter()
            .filter(|one| one.kind == EntryKind::File && one.path.is_in(&query.path));
        for one in within {
            if self.guard.judge_with_head(one.path, &one.bytes) == Verdict::Protected {
                continue;
            }
            let Some(text) = decode(&one.bytes) else {
                answer.not_searched.binary += 1;
                continue;
            };
            for (number, line) in (1..).zip(text.lines()) {
                if !regex.is_match(line) {
                    continue;
                }
                total += 1;
                if answer.matches.len() < query.limit as usize {
                    answer.matches.push(TextMatch {
                        path: one.path.clone(),
                        line: number,
                        text: line.to_owned(),
                        staged: one.staged,
                    });
                }
            }
        }
        answer.counts = counts(answer.matches.len(), total, Unit::Lines);
        Ok(answer)
    }

    async fn read(&self, tree: &Tree, query: &ReadQuery, cx: &CallContext) -> Result<ReadAnswer, TextError> {
        stopped(cx)?;
        let all = self.all(tree);
        let one = self.resolve(&all, &query.path)?;
        let text = decode(&one.bytes).ok_or_else(|| Refusal::new(RefusalCode::Unsupported, "The file is binary."))?;
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let mut answer = ReadAnswer {
            path: query.path.clone(),
            start: query.start,
            end: query.start,
            total_lines: lines.len() as u32,
            content: String::new(),
            staged: one.staged,
        };
        if query.start as usize > lines.len() {
            if query.start == 1 {
                (answer.start, answer.end) = (0, 0);
                return Ok(answer);
            }
            return Err(Refusal::new(RefusalCode::BadArgument, "The file ends before `start`.").into());
        }
        let last = if query.end == 0 {
            lines.len()
        } else {
            (query.end as usize).min(lines.len())
        };
        for (number, line) in (query.start..).zip(&lines[query.start as usize - 1..last]) {
            if answer.content.chars().count() + line.chars().count() > READ_CHARS {
                if answer.content.is_empty() {
                    answer.content = line.chars().take(READ_CHARS).collect();
                }
                break;
            }
            answer.content.push_str(line);
            answer.end = number;
        }
        Ok(answer)
    }

    async fn list(&self, tree: &Tree, query: &ListQuery, cx: &CallContext) -> Result<ListAnswer, TextError> {
        stopped(cx)?;
        let glob = match query.glob.as_str() {
            "" => None,
            glob => {
                let anchored = glob.trim_end_matches('/').contains('/');
                let pattern = if anchored {
                    glob.trim_start_matches('/').to_owned()
                } else {
                    format!("**/{glob}")
                };
                let glob = globset::GlobBuilder::new(&pattern).literal_separator(true).build();
                let glob = glob.map_err(|e| Refusal::new(RefusalCode::BadQuery, e.to_string()))?;
                Some(glob.compile_matcher())
            }
        };
        let all = self.all(tree);
        self.scope(tree, &all, &query.path)?;
        let mut paths: Vec<RepoPath> = all
            .iter()
            .filter(|one| one.path.is_in(&query.path) && self.is_open(&all, one))
            .filter(|one| glob.as_ref().is_none_or(|g| g.is_match(one.path.as_str())))
            .map(|one| one.path.clone())
            .collect();
        let total = paths.len() as u64;
        paths.truncate(LIST_PATHS);
        Ok(ListAnswer {
            counts: counts(paths.len(), total, Unit::Files),
            paths,
            not_searched: tree.not_searched(),
        })
    }
}

fn counts(shown: usize, total: u64, unit: Unit) -> Counts {
    Counts {
        shown: shown as u64,
        total,
        exact: true,
        unit,
    }
}

fn protected() -> Refusal {
    Refusal::new(RefusalCode::ProtectedPath, "That path is protected.")
}

fn stopped(cx: &CallContext) -> Result<(), TextError> {
    match cx.stop() {
        None => Ok(()),
        Some(Stop::Cancelled) => Err(TextError::Cancelled),
        Some(Stop::Deadline) => Err(TextError::Timeout),
    }
}

/// The text of a file; `None` for a binary one.
fn decode(bytes: &[u8]) -> Option<String> {
    let wide = |from: fn([u8; 2]) -> u16| {
        let units: Vec<u16> = bytes[2..].chunks_exact(2).map(|c| from([c[0], c[1]])).collect();
        String::from_utf16_lossy(&units)
    };
    let text = match bytes {
        [0xff, 0xfe, ..] => wide(u16::from_le_bytes),
        [0xfe, 0xff, ..] => wide(u16::from_be_bytes),
        _ => String::from_utf8_lossy(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)).into_owned(),
    };
    (!text.contains('\0')).then_some(text)
}

/// Where a link leads, if that is inside the tree.
pub(super) fn join(link: &RepoPath, target: &str) -> Option<RepoPath> {
    if target.starts_with('/') {
        return None;
    }
    let mut parts: Vec<&str> = link.as_str().split('/').collect();
    parts.pop();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    RepoPath::new_or_root(&parts.join("/")).ok()
}
