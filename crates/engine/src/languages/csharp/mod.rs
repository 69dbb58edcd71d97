//! csharp.

mod define;
mod expr;
mod extract;
mod rules;
#[cfg(test)]
mod tests;

use crate::languages::{Family, Language};
use std::sync::OnceLock;

/// The language `csharp`.
pub static LANGUAGE: Language = Language {
    name: "csharp",
    family: Family::CSharp,
    extensions: &["cs", "csx"],
    names: &[],
    interpreters: &[],
    grammar: || tree_sitter_c_sharp::LANGUAGE.into(),
    extract: &extract::Extraction,
    rules: &rules::CSharpRules,
    roles: OnceLock::new(),
};
