//! The tools that stage: `stage_write`, `unstage` and `staged`. They change the session's own staged set and nothing on disk.

use crate::answers::{Done, Draft};
use crate::refusals;
use crate::session::Session;
use crate::tools::{STAGE_WRITE, STAGED, UNSTAGE};
use serde_json::{Value, json};
use std::fmt::Write as _;
use understory_core::RepoPath;
use understory_core::answer::{Payload, Request, StagedEntry};
use understory_core::query::{Arguments, refuse_path};
use understory_core::refusal::{Refusal, RefusalCode};
use understory_core::render::Delivered;
use understory_core::staged::{StagedChange, StagedSet};
use understory_ports::CallContext;

/// Changes that an answer lists.
const LISTED: usize = 200;

/// A validated `stage_write` call.
struct Write {
    path: RepoPath,
    change: StagedChange,
}

/// A call of a staging tool, with nothing of it done.
pub(crate) struct Staging {
    /// The request that its answer echoes.
    pub(crate) request: Request,
    /// The path that it is about, when it is a good one.
    pub(crate) path: Option<RepoPath>,
    /// What it stages; `None` when it ends a staged change, or only lists them.
    pub(crate) change: Option<StagedChange>,
}

impl Session {
    /// What a call would stage; `None` for a tool that does not stage, or is not in the set.
    pub(crate) fn staging(&self, name: &str, arguments: &Value) -> Option<Staging> {
        let names = self.options().tools.names();
        let (request, path, change) = match names.iter().copied().find(|known| *known == name)? {
            STAGE_WRITE => {
                let (path, change) = self.write_of(arguments).ok().map(|w| (w.path, w.change)).unzip();
                (without_content(arguments), path, change)
            }
            UNSTAGE => match path_of_unstage(arguments) {
                Ok(path) => (json!({"path": path}), Some(path), None),
                Err(_) => (arguments.clone(), None, None),
            },
            STAGED => match Arguments::new(arguments, &[]) {
                Ok(_) => (json!({}), None, None),
                Err(_) => (arguments.clone(), None, None),
            },
            _ => return None,
        };
        Some(Staging {
            request: Request::Other(request),
            path,
            change,
        })
    }

    pub(crate) async fn stage_write(&self, mut draft: Draft, arguments: &Value, cx: &CallContext) -> Done {
        // The contents are the caller's own words: an echo of them costs the model what it just paid.
        draft.request = Request::Other(without_content(arguments));
        let write = match self.write_of(arguments) {
            Ok(write) => write,
            Err(refusal) => return draft.refuse(refusal),
        };
        let path = write.path.as_str();
        let before = self.staged().get(&write.path).cloned();
        if let Err(refusal) = self.stage(path, write.change) {
            return draft.refuse(refusal);
        }
        // What only the disk rules out (a path through a link that leaves the tree) shows when the tree is taken.
        if let Err(refusal) = self.snapshot(&mut draft, cx).await {
            match before {
                Some(change) => drop(self.stage(path, change)),
                None => drop(self.unstage(path)),
            }
            return draft.refuse(refusal);
        }
        self.answer_staged(draft, format!("Staged {}.", write.path.display_escaped()))
    }

    pub(crate) async fn unstage_path(&self, mut draft: Draft, arguments: &Value, cx: &CallContext) -> Done {
        let path = match path_of_unstage(arguments) {
            Ok(path) => path,
            Err(refusal) => return draft.refuse(refusal),
        };
        draft.request = Request::Other(json!({"path": path}));
        if !self.unstage(path.as_str()) {
            let near =
                understory_core::near::nearest_paths(path.as_str(), self.staged().iter().map(|(p, _)| p.as_str()), 5);
            let message = format!(
                "Nothing is staged at `{}`; `staged` lists what is.",
                path.display_escaped()
            );
            return draft.refuse(Refusal::new(RefusalCode::NoSuchFile, message).suggesting(near));
        }
        if let Err(refusal) = self.snapshot(&mut draft, cx).await {
            return draft.refuse(refusal);
        }
        let done = format!("{} is as on disk again.", path.display_escaped());
        self.answer_staged(draft, done)
    }

    pub(crate) async fn list_staged(&self, mut draft: Draft, arguments: &Value, cx: &CallContext) -> Done {
        if let Err(refusal) = Arguments::new(arguments, &[]) {
            return draft.refuse(refusal);
        }
        draft.request = Request::Other(json!({}));
        if let Err(refusal) = self.snapshot(&mut draft, cx).await {
            return draft.refuse(refusal);
        }
        self.answer_staged(draft, String::new())
    }

    fn write_of(&self, arguments: &Value) -> Result<Write, Refusal> {
        let a = Arguments::new(arguments, &["path", "content", "delete"])?;
        let path = wanted_path(&a, STAGE_WRITE)?;
        self.allow(&path)?;
        let delete = match a.word("delete")?.as_deref() {
            None | Some("false") => false,
            Some("true") => true,
            Some(other) => {
                return Err(Refusal::new(
                    RefusalCode::BadArgument,
                    format!("`delete` is {other:?}; it must be true or false."),
                ));
            }
        };
        let change = match (a.text("content")?, delete) {
            (None, true) => StagedChange::Delete,
            (Some(content), false) => StagedChange::Write {
                bytes: content.into_bytes().into(),
                executable: false,
            },
            (None, false) => {
                return Err(Refusal::new(
                    RefusalCode::BadArgument,
                    "`stage_write` needs `content`, the whole text of the file, or `delete`: true.",
                ));
            }
            (Some(_), true) => {
                return Err(Refusal::new(
                    RefusalCode::BadArgument,
                    "`content` and `delete` exclude each other: a deleted file has no text.",
                ));
            }
        };
        Ok(Write { path, change })
    }

    fn answer_staged(&self, draft: Draft, done: String) -> Done {
        let set = self.staged();
        let changes: Vec<StagedEntry> = set.iter().take(LISTED).map(|(p, c)| entry(p, c)).collect();
        let page = text_of(&done, &set, self.options().limits.text_chars);
        draft.other(Payload::Staged { changes }, None, None, page)
    }
}

fn path_of_unstage(arguments: &Value) -> Result<RepoPath, Refusal> {
    wanted_path(&Arguments::new(arguments, &["path"])?, UNSTAGE)
}

fn wanted_path(arguments: &Arguments<'_>, tool: &str) -> Result<RepoPath, Refusal> {
    let text = arguments.word("path")?.unwrap_or_default();
    if text.is_empty() {
        return Err(Refusal::new(
            RefusalCode::NoFile,
            format!("`{tool}` needs a `path`: one file, relative to the repository's root."),
        ));
    }
    RepoPath::new(&text).map_err(|why| match refuse_path("path", &text, &why) {
        protected if protected.code == RefusalCode::ProtectedPath => protected,
        other => Refusal::new(RefusalCode::BadStaged, other.message),
    })
}

fn without_content(arguments: &Value) -> Value {
    let mut arguments = arguments.clone();
    if let Some(object) = arguments.as_object_mut()
        && let Some(Value::String(content)) = object.remove("content")
    {
        object.insert("bytes".to_owned(), json!(content.len()));
    }
    arguments
}

fn entry(path: &RepoPath, change: &StagedChange) -> StagedEntry {
    let (word, bytes) = refusals::change_words(change);
    StagedEntry {
        path: path.clone(),
        change: word.to_owned(),
        bytes,
    }
}

/// One change a line, cut at a line.
fn text_of(done: &str, set: &StagedSet, most: usize) -> Delivered {
    let mut text = done.to_owned();
    if !text.is_empty() {
        text.push('\n');
    }
    let total = set.len();
    let tail = |shown: usize| match shown == total {
        true => format!("{total} staged."),
        false => format!("{shown} of {total} staged paths shown."),
    };
    // The greatest tail there can be is reserved before a row is taken.
    let mut left = most.saturating_sub(text.chars().count() + tail(usize::MAX).chars().count());
    let mut shown = 0;
    for (path, change) in set.iter().take(LISTED) {
        let (word, bytes) = refusals::change_words(change);
        let mut row = format!("{} {word}", path.display_escaped());
        if let Some(bytes) = bytes {
            let _ = write!(row, " {bytes} bytes");
        }
        row.push('\n');
        let length = row.chars().count();
        if length > left {
            break;
        }
        left -= length;
        text.push_str(&row);
        shown += 1;
    }
    text.push_str(&tail(shown));
    Delivered {
        text,
        cut: shown < total,
        injections: Vec::new(),
    }
}
