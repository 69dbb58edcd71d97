//! kotlin.

mod define;
mod expr;
mod extract;
mod rules;
#[cfg(test)]
mod tests;

use crate::languages::{Family, Language};
use std::sync::OnceLock;

/// The language `kotlin`.
pub static LANGUAGE: Language = Language {
    name: "kotlin",
    family: Family::Jvm,
    extensions: &["kt", "kts"],
    names: &[],
    interpreters: &[],
    grammar: || tree_sitter_kotlin_ng::LANGUAGE.into(),
    extract: &extract::Extraction,
    rules: &rules::KotlinRules,
    roles: OnceLock::new(),
};
