//! java.

mod define;
mod expr;
mod extract;
pub(crate) mod interop;
mod rules;
#[cfg(test)]
mod tests;

use crate::languages::{Family, Language};
use std::sync::OnceLock;

/// The language `java`.
pub static LANGUAGE: Language = Language {
    name: "java",
    family: Family::Jvm,
    extensions: &["java"],
    names: &[],
    interpreters: &[],
    grammar: || tree_sitter_java::LANGUAGE.into(),
    extract: &extract::Extraction,
    rules: &rules::JavaRules,
    roles: OnceLock::new(),
};
