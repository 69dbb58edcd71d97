//! PHP.

mod assign;
mod defs;
mod docs;
mod exprs;
mod extract;
mod imports;
mod rules;
#[cfg(test)]
mod tests;
mod types;
mod uses;

use crate::languages::{Family, Language};
use std::sync::OnceLock;

/// The language `php`.
pub static LANGUAGE: Language = Language {
    name: "php",
    family: Family::Php,
    extensions: &["php", "phtml", "php5", "php7", "inc"],
    names: &[],
    interpreters: &["php"],
    grammar: || tree_sitter_php::LANGUAGE_PHP.into(),
    extract: &extract::Extraction,
    rules: &rules::PhpRules,
    roles: OnceLock::new(),
};
