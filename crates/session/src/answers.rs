//! The whole answer of a call, put together.

use std::borrow::Cow;
use understory_core::answer::{Answer, Finding, Payload, Request, SCHEMA, Severity, ToolAnswer, TreeInfo};
use understory_core::fence::{self, Injection};
use understory_core::redact::{self, RedactionCounts};
use understory_core::refusal::{Refusal, RefusalCode};
use understory_core::render::{Delivered, not_searched, refusal as refusal_text};
use understory_core::{Counts, NotSearched};

/// What the model reads: the text of an answer, or a refusal's sentence and suggestions and what was not searched.
pub fn model_text(answer: &ToolAnswer) -> Cow<'_, str> {
    match (&answer.text, &answer.refusal) {
        (Some(text), _) => Cow::Borrowed(text),
        (None, Some(refusal)) => {
            let missing = answer.not_searched.as_ref().map(not_searched).unwrap_or_default();
            let mut text = refusal_text(refusal);
            if !missing.is_empty() {
                text.push(' ');
                text.push_str(&missing);
            }
            Cow::Owned(text)
        }
        (None, None) => Cow::Borrowed(""),
    }
}

/// An answer in the making: what is known of the call so far.
pub(crate) struct Draft {
    pub(crate) tool: String,
    pub(crate) request: Request,
    pub(crate) tree: Option<TreeInfo>,
    pub(crate) findings: Vec<Finding>,
    /// What the walk left out, once a tree was taken.
    pub(crate) left_out: Option<NotSearched>,
}

/// A finished answer, and what only the record needs of it.
pub(crate) struct Done {
    pub(crate) answer: ToolAnswer,
    pub(crate) cut: Option<bool>,
    pub(crate) fenced: Option<bool>,
    /// The tree of a call that was refused after one was taken.
    pub(crate) tree: Option<TreeInfo>,
}

impl Draft {
    pub(crate) fn redacted(&mut self, counts: &RedactionCounts) {
        self.findings.extend(redact::findings(counts));
    }

    fn scanned(&mut self, injections: &[Injection]) {
        self.findings.extend(fence::findings(injections));
    }

    fn empty(self, ok: bool) -> ToolAnswer {
        ToolAnswer {
            schema: SCHEMA,
            ok,
            tool: self.tool,
            request: self.request,
            backend: None,
            tree: None,
            subjects: None,
            hits: None,
            payload: None,
            call_paths: None,
            map: None,
            counts: None,
            unresolved: None,
            not_searched: None,
            suggestions: Vec::new(),
            refusal: None,
            findings: self.findings,
            text: None,
        }
    }

    /// A refusal is a finding too, so that a run which went on without the tool says so.
    pub(crate) fn refuse(mut self, mut refusal: Refusal) -> Done {
        let counts = redact::redact_refusal(&mut refusal);
        self.redacted(&counts);
        let severity = match refusal.code {
            RefusalCode::Unavailable
            | RefusalCode::NoIndex
            | RefusalCode::NoNode
            | RefusalCode::NoSandbox
            | RefusalCode::BadOutput
            | RefusalCode::Timeout
            | RefusalCode::ProtectedPath => Severity::Warning,
            _ => Severity::Note,
        };
        self.findings.push(Finding {
            id: refusal.code.as_str().to_owned(),
            severity,
            message: format!("A call of {} was refused.", shown(&self.tool)),
        });
        let tree = self.tree.take();
        let walk = self.left_out.take().filter(|_| refusal.code.says_missing());
        let mut answer = self.empty(false);
        // A backend that knows the files of its index says more than the walk does.
        answer.not_searched = refusal.not_searched().copied().or(walk);
        if let (Some(all), Some(walk)) = (&mut answer.not_searched, walk) {
            all.excluded = walk.excluded;
        }
        answer.refusal = Some(refusal);
        Done {
            answer,
            cut: None,
            fenced: None,
            tree,
        }
    }

    pub(crate) fn search(
        mut self,
        answer: Answer,
        page: Delivered,
        backend: understory_core::answer::BackendIdentity,
    ) -> Done {
        self.scanned(&page.injections);
        let tree = self.tree.take();
        let mut out = self.empty(true);
        out.backend = Some(backend);
        out.tree = tree;
        out.subjects = Some(answer.subjects);
        out.hits = Some(answer.hits);
        out.call_paths = answer.call_paths;
        out.map = answer.map;
        out.counts = Some(answer.counts);
        out.unresolved = answer.unresolved;
        out.not_searched = Some(answer.not_searched);
        out.suggestions = answer.suggestions;
        finish(out, page)
    }

    pub(crate) fn other(
        mut self,
        payload: Payload,
        counts: Option<Counts>,
        not_searched: Option<NotSearched>,
        page: Delivered,
    ) -> Done {
        self.scanned(&page.injections);
        let tree = self.tree.take();
        let mut out = self.empty(true);
        out.tree = tree;
        out.payload = Some(payload);
        out.counts = counts;
        out.not_searched = not_searched;
        finish(out, page)
    }
}

fn finish(mut answer: ToolAnswer, page: Delivered) -> Done {
    answer.text = Some(page.text);
    Done {
        answer,
        cut: Some(page.cut),
        fenced: Some(!page.injections.is_empty()),
        tree: None,
    }
}

/// A tool's name as called, for a sentence.
pub(crate) fn shown(name: &str) -> String {
    let short: String = name.chars().take(60).collect();
    understory_core::path::escape_control(&short)
}
