//! scala.

mod define;
mod expr;
mod extract;
mod rules;
#[cfg(test)]
mod tests;

use crate::languages::{Family, Language};
use std::sync::OnceLock;

/// The language `scala`.
pub static LANGUAGE: Language = Language {
    name: "scala",
    family: Family::Jvm,
    extensions: &["scala", "sc", "sbt"],
    names: &[],
    interpreters: &["scala"],
    grammar: || tree_sitter_scala::LANGUAGE.into(),
    extract: &extract::Extraction,
    rules: &rules::ScalaRules,
    roles: OnceLock::new(),
};
