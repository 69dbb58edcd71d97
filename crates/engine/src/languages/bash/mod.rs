//! Bash.

mod extract;
mod imports;
mod rules;
#[cfg(test)]
mod tests;

use crate::languages::{Family, Language};
use std::sync::OnceLock;

/// The language `bash`.
pub static LANGUAGE: Language = Language {
    name: "bash",
    family: Family::Shell,
    extensions: &["sh", "bash", "bats", "ksh", "zsh"],
    names: &[".bashrc", ".bash_profile", ".profile", ".zshrc", "PKGBUILD"],
    interpreters: &["sh", "bash", "dash", "ksh", "zsh"],
    grammar: || tree_sitter_bash::LANGUAGE.into(),
    extract: &extract::Extraction,
    rules: &rules::BashRules,
    roles: OnceLock::new(),
};
