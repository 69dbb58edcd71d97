//! Rust.

mod attributes;
mod define;
mod exprs;
mod extract;
mod imports;
mod items;
mod macros;
mod modules;
mod patterns;
mod rules;
#[cfg(test)]
mod tests;
mod uses;

use crate::languages::{Family, Language};
use std::sync::OnceLock;

/// The language `rust`.
pub static LANGUAGE: Language = Language {
    name: "rust",
    family: Family::Rust,
    extensions: &["rs"],
    names: &[],
    interpreters: &["rust-script"],
    grammar: || tree_sitter_rust::LANGUAGE.into(),
    extract: &extract::Extraction,
    rules: &rules::RustRules,
    roles: OnceLock::new(),
};
