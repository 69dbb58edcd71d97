//! swift.

mod closure;
mod define;
mod expr;
mod extract;
mod rules;
#[cfg(test)]
mod tests;

use crate::languages::{Family, Language};
use std::sync::OnceLock;

/// The language `swift`.
pub static LANGUAGE: Language = Language {
    name: "swift",
    family: Family::Swift,
    extensions: &["swift"],
    names: &[],
    interpreters: &["swift"],
    grammar: || tree_sitter_swift::LANGUAGE.into(),
    extract: &extract::Extraction,
    rules: &rules::SwiftRules,
    roles: OnceLock::new(),
};
