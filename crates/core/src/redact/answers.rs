//! Redaction of every string of an answer.

use super::{RedactionCounts, redact};
use crate::answer::{Answer, Hit, Line, ListAnswer, MapAnswer, ReadAnswer, Symbol, TextAnswer};
use crate::path::RepoPath;
use crate::refusal::Refusal;
use std::borrow::Cow;

/// Replaces the secrets in every string of a backend's answer.
pub fn redact_answer(answer: &mut Answer) -> RedactionCounts {
    let mut r = Redactor::default();
    answer.subjects.iter_mut().for_each(|s| r.symbol(s));
    answer.hits.iter_mut().for_each(|h| r.hit(h));
    if let Some(map) = &mut answer.map {
        r.map(map);
    }
    answer.suggestions.iter_mut().for_each(|s| r.text(s));
    answer.findings.iter_mut().for_each(|f| r.text(&mut f.message));
    r.counts
}

/// Replaces the secrets in every string of an answer of `search_text`.
pub fn redact_text_answer(answer: &mut TextAnswer) -> RedactionCounts {
    let mut r = Redactor::default();
    // Consecutive lines of one file are read together: a key's body is known by the line before it.
    let mut from = 0;
    while from < answer.matches.len() {
        let mut to = from + 1;
        while to < answer.matches.len()
            && answer.matches[to].path == answer.matches[from].path
            && answer.matches[to].line == answer.matches[to - 1].line + 1
        {
            to += 1;
        }
        let mut texts: Vec<&mut String> = answer.matches[from..to].iter_mut().map(|m| &mut m.text).collect();
        r.together(&mut texts);
        from = to;
    }
    answer.matches.iter_mut().for_each(|m| r.path(&mut m.path));
    r.counts
}

/// Replaces the secrets in every string of an answer of `read_file`.
pub fn redact_read(answer: &mut ReadAnswer) -> RedactionCounts {
    let mut r = Redactor::default();
    r.text(&mut answer.content);
    r.counts
}

/// Replaces the secrets in every path of an answer of `list_files`.
pub fn redact_list(answer: &mut ListAnswer) -> RedactionCounts {
    let mut r = Redactor::default();
    answer.paths.iter_mut().for_each(|p| r.path(p));
    r.counts
}

/// Replaces the secrets in the sentence and the suggestions of a refusal.
pub fn redact_refusal(refusal: &mut Refusal) -> RedactionCounts {
    let mut r = Redactor::default();
    r.text(&mut refusal.message);
    refusal.suggestions.iter_mut().for_each(|s| r.text(s));
    r.counts
}

#[derive(Default)]
struct Redactor {
    counts: RedactionCounts,
}

impl Redactor {
    fn text(&mut self, text: &mut String) {
        let found = redact(text);
        if let Cow::Owned(new) = found.text {
            for (kind, n) in found.counts {
                *self.counts.entry(kind).or_default() += n;
            }
            *text = new;
        }
    }

    fn path(&mut self, path: &mut RepoPath) {
        let mut text = path.as_str().to_owned();
        self.text(&mut text);
        if text != path.as_str()
            && let Ok(new) = RepoPath::new_or_root(&text)
        {
            *path = new;
        }
    }

    fn symbol(&mut self, symbol: &mut Symbol) {
        self.path(&mut symbol.path);
        self.path(&mut symbol.scope);
        self.text(&mut symbol.name);
        self.text(&mut symbol.qualified);
        self.text(&mut symbol.signature);
    }

    fn hit(&mut self, hit: &mut Hit) {
        self.symbol(&mut hit.symbol);
        if let Some(source) = &mut hit.source {
            self.text(source);
        }
        self.lines(&mut hit.lines);
    }

    fn lines(&mut self, lines: &mut [Line]) {
        let mut from = 0;
        while from < lines.len() {
            let mut to = from + 1;
            while to < lines.len() && lines[to].line == lines[to - 1].line + 1 {
                to += 1;
            }
            let mut texts: Vec<&mut String> = lines[from..to].iter_mut().map(|l| &mut l.text).collect();
            self.together(&mut texts);
            from = to;
        }
    }

    /// Redacts lines as one text and gives each its own part back.
    fn together(&mut self, texts: &mut [&mut String]) {
        if let [one] = texts {
            return self.text(one);
        }
        // A line that holds a line end of its own would shift the others.
        if texts.iter().any(|t| t.contains('\n')) {
            return texts.iter_mut().for_each(|t| self.text(t));
        }
        let before: Vec<&str> = texts.iter().map(|t| t.as_str()).collect();
        let mut joined = before.join("\n");
        let length = joined.len();
        self.text(&mut joined);
        if joined.len() == length && joined == before.join("\n") {
            return;
        }
        for (text, new) in texts.iter_mut().zip(joined.split('\n')) {
            if **text != new {
                **text = new.to_owned();
            }
        }
    }

    fn map(&mut self, map: &mut MapAnswer) {
        for scope in &mut map.scopes {
            self.path(&mut scope.path);
            self.text(&mut scope.name);
        }
        for dir in &mut map.dirs {
            self.path(&mut dir.path);
            dir.hubs.iter_mut().for_each(|s| self.symbol(s));
        }
        map.hotspots.iter_mut().for_each(|s| self.symbol(s));
        map.entry_points.iter_mut().for_each(|s| self.symbol(s));
    }
}
