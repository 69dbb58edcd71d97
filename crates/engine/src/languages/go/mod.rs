//! Go.

mod define;
mod exprs;
mod extract;
mod imports;
mod locals;
mod rules;
#[cfg(test)]
mod tests;
mod types;
mod uses;

use crate::languages::{Family, Language};
use std::sync::OnceLock;

/// The language `go`.
pub static LANGUAGE: Language = Language {
    name: "go",
    family: Family::Go,
    extensions: &["go"],
    names: &[],
    interpreters: &[],
    grammar: || tree_sitter_go::LANGUAGE.into(),
    extract: &extract::Extraction,
    rules: &rules::GoRules,
    roles: OnceLock::new(),
};
