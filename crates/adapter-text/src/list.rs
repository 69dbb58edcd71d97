//! `list_files`: paths of the tree.

use crate::{no_such_file, protected};
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use understory_core::answer::{Counts, ListAnswer, Unit};
use understory_core::limits::LIST_PATHS;
use understory_core::path::RepoPath;
use understory_core::query::ListQuery;
use understory_core::refusal::{Refusal, RefusalCode};
use understory_core::tree::EntryKind;
use understory_ports::context::CallContext;
use understory_ports::text_search::TextError;
use understory_tree_reader::{Reader, Resolved};

pub(crate) fn list(reader: &Reader<'_>, query: &ListQuery, _cx: &CallContext) -> Result<ListAnswer, TextError> {
    let glob = Glob::new(&query.glob)?;
    let within = match reader.resolve(&query.path) {
        Resolved::Dir(path) | Resolved::File(path) => path,
        Resolved::Protected => return Err(protected().into()),
        Resolved::Nested(_) => {
            let why = "lies in a nested repository, whose files are not part of the tree";
            return Err(no_such_file(&query.path, why, vec![]).into());
        }
        Resolved::BrokenLink => {
            let why = "is a link that leads out of the tree or to nothing";
            return Err(no_such_file(&query.path, why, vec![]).into());
        }
        Resolved::Missing => {
            let near = reader.near_dirs(&query.path);
            return Err(no_such_file(&query.path, "is no directory of the tree", near).into());
        }
    };
    let mut answer = ListAnswer {
        not_searched: reader.tree().not_searched(),
        ..ListAnswer::default()
    };
    let mut total = 0;
    for file in reader.tree().files() {
        if file.entry.kind == EntryKind::Submodule
            || !file.path.is_in(&within)
            || !glob.takes(file.path, &within)
            || !reader.is_open(&file)
        {
            continue;
        }
        total += 1;
        if answer.paths.len() < LIST_PATHS {
            answer.paths.push(file.path.clone());
        }
    }
    answer.counts = Counts {
        shown: answer.paths.len() as u64,
        total,
        exact: true,
        unit: Unit::Files,
    };
    Ok(answer)
}

/// A glob in the syntax of ignore files, read from the root or from the listed directory. `!` turns it around.
struct Glob {
    /// `None` takes everything.
    rule: Option<Gitignore>,
    negated: bool,
}

impl Glob {
    fn new(text: &str) -> Result<Glob, Refusal> {
        let text = text.trim();
        let (negated, body) = match text.strip_prefix('!') {
            Some(body) => (true, body),
            None => (false, text),
        };
        let body = body.strip_prefix("./").unwrap_or(body);
        if body.is_empty() {
            return Ok(Glob { rule: None, negated });
        }
        let bad = |why: String| {
            Refusal::new(
                RefusalCode::BadQuery,
                format!(
                    "`glob` is {text:?}: {why}. It has the syntax of ignore files: `*.py` at any depth, `src/**/test_*` from \
                     the root, `docs/` for a directory."
                ),
            )
        };
        // A name that begins as a comment does is a name here.
        let line = if body.starts_with('#') {
            format!("\\{body}")
        } else {
            body.to_owned()
        };
        let mut builder = GitignoreBuilder::new("");
        builder.allow_unclosed_class(false);
        builder.add_line(None, &line).map_err(|e| bad(e.to_string()))?;
        let rule = builder.build().map_err(|e| bad(e.to_string()))?;
        Ok(Glob {
            rule: Some(rule),
            negated,
        })
    }

    fn takes(&self, path: &RepoPath, within: &RepoPath) -> bool {
        let Some(rule) = &self.rule else {
            return !self.negated;
        };
        let is_match = |text: &str| !text.is_empty() && rule.matched_path_or_any_parents(text, false).is_ignore();
        let below = path
            .as_str()
            .get(within.as_str().len()..)
            .unwrap_or("")
            .trim_start_matches('/');
        (is_match(path.as_str()) || is_match(below)) != self.negated
    }
}
