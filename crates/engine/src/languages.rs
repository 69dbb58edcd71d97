//! The languages: one folder each, with its table of node kinds and what they mean.
//!
//! A language is one [`Language`] value in [`ALL`]. To add one, add a folder with an [`Extract`] implementation, its
//! resolution rules, its tests, and a line in [`ALL`].

use crate::extract::Extract;
use crate::resolve::rules::Rules;
use std::sync::OnceLock;

pub mod bash;
pub mod c;
mod common;
pub mod csharp;
pub mod go;
pub mod java;
pub mod kotlin;
pub mod lua;
pub mod php;
pub mod python;
pub mod ruby;
pub mod rust;
pub mod scala;
pub mod swift;
#[cfg(test)]
pub mod testing;
pub mod typescript;

/// Languages that can call each other share a family: a name in one never binds to a definition in another family.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Family {
    Python,
    JavaScript,
    Go,
    Rust,
    Jvm,
    C,
    CSharp,
    Ruby,
    Php,
    Swift,
    Shell,
    Lua,
}

/// One language.
pub struct Language {
    /// Its name in answers, in lower case: `python`, `typescript`, `csharp`.
    pub name: &'static str,
    /// Which languages it shares definitions with.
    pub family: Family,
    /// File name extensions, without the dot, in lower case.
    pub extensions: &'static [&'static str],
    /// Whole file names that belong to it (`Rakefile`).
    pub names: &'static [&'static str],
    /// Program names in a `#!` line that mark a file without extension.
    pub interpreters: &'static [&'static str],
    /// Its grammar.
    pub grammar: fn() -> tree_sitter::Language,
    /// Its extraction.
    pub extract: &'static dyn Extract,
    /// Its resolution rules.
    pub rules: &'static dyn Rules,
    /// Node kind id → role of [`Extract::table`], made at first use.
    pub roles: OnceLock<Vec<u16>>,
}

impl Language {
    /// Role by node kind id; 0 where the language's table does not name the kind.
    pub fn roles(&self) -> &[u16] {
        self.roles.get_or_init(|| {
            let grammar = (self.grammar)();
            let mut roles = vec![0u16; grammar.node_kind_count()];
            for id in 0..grammar.node_kind_count() as u16 {
                if !grammar.node_kind_is_named(id) {
                    continue;
                }
                if let Some(kind) = grammar.node_kind_for_id(id)
                    && let Some((_, role)) = self.extract.table().iter().find(|(k, _)| *k == kind)
                {
                    roles[id as usize] = *role;
                }
            }
            roles
        })
    }
}

/// Every language, in the order in which they claim file names.
pub static ALL: &[&Language] = &[
    &python::LANGUAGE,
    &typescript::TYPESCRIPT,
    &typescript::TSX,
    &typescript::JAVASCRIPT,
    &go::LANGUAGE,
    &rust::LANGUAGE,
    &java::LANGUAGE,
    &kotlin::LANGUAGE,
    &scala::LANGUAGE,
    &c::C,
    &c::CPP,
    &csharp::LANGUAGE,
    &ruby::LANGUAGE,
    &php::LANGUAGE,
    &swift::LANGUAGE,
    &bash::LANGUAGE,
    &lua::LANGUAGE,
];

/// The language of a file by its name, or by the `#!` line at the start of its text.
pub fn detect(path: &str, head: &str) -> Option<&'static Language> {
    let name = path.rsplit('/').next().unwrap_or(path);
    if let Some(l) = ALL.iter().find(|l| l.names.contains(&name)) {
        return Some(l);
    }
    if let Some((stem, extension)) = name.rsplit_once('.')
        && !stem.is_empty()
    {
        let extension = extension.to_lowercase();
        let claims = |l: &&Language| l.extensions.contains(&&*extension) && l.extract.claims(&extension, head);
        return ALL.iter().copied().find(|l| claims(l));
    }
    let line = head.strip_prefix("#!")?.lines().next()?;
    let mut words = line.split_whitespace().map(|w| w.rsplit('/').next().unwrap_or(w));
    let first = words.next()?;
    let program = if first == "env" {
        words.find(|w| !w.starts_with('-') && !w.contains('='))?
    } else {
        first
    };
    let program = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    ALL.iter().copied().find(|l| l.interpreters.contains(&program))
}

/// The grammars and their versions: they decide what is extracted, so they are part of an index's key.
pub const GRAMMARS: &str = "tree-sitter 0.27.1; bash 0.25.1; c 0.24.2; c-sharp 0.23.5; cpp 0.23.4; go 0.25.0; java 0.23.5; \
javascript 0.25.0; kotlin-ng 1.1.0; lua 0.5.0; php 0.25.1; python 0.25.0; ruby 0.23.1; rust 0.24.2; scala 0.26.9; swift 0.7.4; \
typescript 0.23.2";
