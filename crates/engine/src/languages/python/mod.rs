//! Python.

mod assign;
mod decorate;
mod defs;
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

/// The language `python`.
pub static LANGUAGE: Language = Language {
    name: "python",
    family: Family::Python,
    extensions: &["py", "pyi", "pyw"],
    names: &["SConstruct", "wscript"],
    interpreters: &["python", "pypy"],
    grammar: || tree_sitter_python::LANGUAGE.into(),
    extract: &extract::Extraction,
    rules: &rules::PythonRules,
    roles: OnceLock::new(),
};
