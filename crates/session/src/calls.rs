//! The way of a call: validate, guard, snapshot, backend, redact, cut, fence.

use crate::answers::{Done, Draft, shown};
use crate::reading::{ListFiles, ReadFile, SearchText};
use crate::refusals;
use crate::session::Session;
use crate::tools::{LIST_FILES, READ_FILE, SEARCH_CODE, SEARCH_TEXT, STAGE_WRITE, STAGED, UNSTAGE};
use serde_json::Value;
use std::collections::BTreeSet;
use std::future::Future;
use understory_core::answer::{Answer, Finding, Request, Severity, TreeInfo};
use understory_core::fingerprint::Fingerprint;
use understory_core::guard::Verdict;
use understory_core::near::nearest_paths;
use understory_core::query::SearchQuery;
use understory_core::refusal::{Refusal, RefusalCode};
use understory_core::render::{self, Page};
use understory_core::tree::Tree;
use understory_core::{RepoPath, redact};
use understory_ports::{CallContext, SearchError};

/// Directories and files that are offered for one that the tree does not have.
const OFFERED: usize = 5;

impl Session {
    /// Answers a call up to its record.
    pub(crate) async fn dispatch(&self, name: &str, arguments: &Value, cx: &CallContext) -> Done {
        let draft = Draft {
            tool: name.to_owned(),
            request: Request::Other(arguments.clone()),
            tree: None,
            findings: Vec::new(),
            left_out: None,
        };
        if self.is_closed() {
            return draft.refuse(refusals::closed());
        }
        let tools = &self.options().tools;
        match tools.names().iter().copied().find(|known| *known == name) {
            Some(SEARCH_CODE) => self.search_code(draft, arguments, cx).await,
            Some(SEARCH_TEXT) => self.read::<SearchText>(draft, arguments, cx).await,
            Some(READ_FILE) => self.read::<ReadFile>(draft, arguments, cx).await,
            Some(LIST_FILES) => self.read::<ListFiles>(draft, arguments, cx).await,
            Some(STAGE_WRITE) => self.stage_write(draft, arguments, cx).await,
            Some(UNSTAGE) => self.unstage_path(draft, arguments, cx).await,
            Some(STAGED) => self.list_staged(draft, arguments, cx).await,
            _ => {
                let known: Vec<String> = tools.names().iter().map(|n| (*n).to_owned()).collect();
                let message = format!(
                    "There is no tool {:?}; the tools are {}.",
                    shown(name),
                    known.join(", ")
                );
                draft.refuse(Refusal::new(RefusalCode::BadArgument, message).suggesting(known))
            }
        }
    }

    async fn search_code(&self, mut draft: Draft, arguments: &Value, cx: &CallContext) -> Done {
        match self.found(&mut draft, arguments, cx).await {
            Ok((answer, page)) => {
                let page = page.deliver(self.options().limits.text_chars);
                draft.search(answer, page, self.ports().search.identity())
            }
            Err(refusal) => draft.refuse(refusal),
        }
    }

    /// What the backend answers, and its page.
    async fn found(&self, draft: &mut Draft, arguments: &Value, cx: &CallContext) -> Result<(Answer, Page), Refusal> {
        let options = self.options();
        let query = SearchQuery::from_arguments(arguments, &options.limits, &options.default_scope)?;
        draft.request = Request::Search(query.clone());
        self.allow(&query.file)?;
        self.allow(&query.scope)?;
        let tree = self.snapshot(draft, cx).await?;
        self.check_scope(&tree, &query.scope)?;
        let search = &self.ports().search;
        let found = stoppable(cx, search.search(&tree, &query, cx)).await;
        let mut answer = found
            .unwrap_or(Err(SearchError::Cancelled))
            .map_err(SearchError::into_refusal)?;
        // A backend knows the files of its index; what configuration left out of the tree is in none.
        answer.not_searched.excluded = tree.not_searched().excluded;
        self.keep_guarded_out(draft, &mut answer);
        if let (Some(info), Some(index)) = (&mut draft.tree, answer.index) {
            info.index = Some(index);
            if self.first_search_of(info.fingerprint) {
                draft
                    .findings
                    .push(index_finding(&search.identity(), index, info.fingerprint));
            }
        }
        let counts = redact::redact_answer(&mut answer);
        draft.findings.append(&mut answer.findings);
        draft.redacted(&counts);
        let page = render::search(&query, &answer, options.limits.text_chars);
        Ok((answer, page))
    }

    /// The guard's word on a path by its name. Names that need the file's first bytes are the backends' to judge.
    pub(crate) fn allow(&self, path: &RepoPath) -> Result<(), Refusal> {
        if !path.is_root() && self.options().guard.judge(path) == Verdict::Protected {
            return Err(Refusal::new(
                RefusalCode::ProtectedPath,
                "That path is protected: it is not served to a session.",
            ));
        }
        Ok(())
    }

    /// Refuses a path that names no file or directory of the tree.
    pub(crate) fn check_place(&self, tree: &Tree, path: &RepoPath) -> Result<(), Refusal> {
        if tree.get(path).is_some() || tree.has_dir(path) {
            return Ok(());
        }
        let directories = self.directories(tree);
        let files = tree.files();
        let open = files.iter().map(|f| f.path).filter(|p| self.allow(p).is_ok());
        let all = directories
            .iter()
            .map(RepoPath::as_str)
            .chain(open.map(RepoPath::as_str));
        let near = nearest_paths(path.as_str(), all, OFFERED);
        Err(Refusal::new(
            RefusalCode::NoSuchFile,
            format!("The tree has no file or directory `{}`.", path.display_escaped()),
        )
        .suggesting(near))
    }

    pub(crate) fn check_scope(&self, tree: &Tree, scope: &RepoPath) -> Result<(), Refusal> {
        if tree.has_dir(scope) {
            return Ok(());
        }
        let directories = self.directories(tree);
        let mut near = nearest_paths(scope.as_str(), directories.iter().map(RepoPath::as_str), OFFERED);
        let is_file = tree.get(scope).is_some();
        let found = if is_file {
            near.retain(|d| scope.parent().is_none_or(|p| p.as_str() != d));
            near.insert(0, scope.parent().map_or_else(String::new, |p| p.as_str().to_owned()));
            "is a file"
        } else {
            "names no directory of the tree"
        };
        // The root is written as the blank scope, which is no help as a suggestion.
        near.retain(|d| !d.is_empty());
        let offer = match near.first() {
            Some(first) => format!(" Near is `{}`.", understory_core::path::escape_control(first)),
            None => " `map` lists the packages; a blank scope is the whole tree.".to_owned(),
        };
        Err(Refusal::new(
            RefusalCode::BadScope,
            format!(
                "`scope` {found}: `{}`. A scope is a directory, relative to the root.{offer}",
                scope.display_escaped()
            ),
        )
        .suggesting(near))
    }

    /// Every directory of the tree that may be named.
    fn directories(&self, tree: &Tree) -> BTreeSet<RepoPath> {
        let mut all = BTreeSet::new();
        for file in tree.files() {
            let mut above = file.path.parent();
            while let Some(dir) = above.filter(|d| !d.is_root()) {
                above = dir.parent();
                if self.allow(&dir).is_err() {
                    continue;
                }
                if !all.insert(dir) {
                    break;
                }
            }
        }
        all
    }

    /// Takes the tree as it is now, with the staged set on top.
    pub(crate) async fn snapshot(&self, draft: &mut Draft, cx: &CallContext) -> Result<Tree, Refusal> {
        let staged = self.staged();
        let taking = self.ports().worktree.snapshot(self.root(), &staged, cx);
        let tree = match stoppable(cx, taking).await {
            None => return Err(refusals::cancelled()),
            Some(Err(error)) => return Err(refusals::of_worktree(error)),
            Some(Ok(tree)) => tree,
        };
        draft.tree = Some(TreeInfo {
            fingerprint: tree.fingerprint(),
            staged: tree.staged().len(),
            index: None,
        });
        draft.left_out = Some(tree.not_searched());
        draft.findings.extend(tree.findings().iter().cloned());
        Ok(tree)
    }

    /// A backend does not name what the guard protects. If one does, its hits end here and the record says so.
    fn keep_guarded_out(&self, draft: &mut Draft, answer: &mut understory_core::Answer) {
        let protected = |path: &RepoPath| self.allow(path).is_err();
        let hits = answer.hits.iter().any(|h| protected(&h.symbol.path));
        if !hits && !answer.subjects.iter().any(|s| protected(&s.path)) {
            return;
        }
        // Other parts of the answer point at hits by their number, so the answer goes as a whole.
        answer.subjects.clear();
        answer.hits.clear();
        answer.call_paths = None;
        answer.counts.shown = 0;
        answer.counts.exact = false;
        draft.findings.push(Finding {
            id: "guard.backend".to_owned(),
            severity: Severity::Serious,
            message: "The backend answered with a protected path; the answer was withheld.".to_owned(),
        });
    }
}

/// `search_code.index`: which backend made what of the index.
pub(crate) fn index_finding(
    backend: &understory_core::answer::BackendIdentity,
    index: understory_core::answer::IndexState,
    tree: Fingerprint,
) -> Finding {
    use understory_core::answer::IndexState;
    let did = match index {
        IndexState::Built => "built the index",
        IndexState::Updated => "updated the index",
        IndexState::Reused => "reused the index",
        IndexState::Foreign => "used the index of another tool as it is, over the files",
    };
    Finding::note(
        "search_code.index",
        format!("{} {} {did} of tree {tree}.", backend.name, backend.version),
    )
}

/// Runs a call of a port until it is done or cancelled; `None` when it was cancelled first.
pub(crate) async fn stoppable<T>(cx: &CallContext, work: impl Future<Output = T>) -> Option<T> {
    cx.cancel.run_until_cancelled(work).await
}
