//! TypeScript, TSX and JavaScript.

mod assign;
mod classes;
mod define;
mod exprs;
mod extract;
mod module;
mod objects;
mod patterns;
mod rules;
mod separate;
mod signature;
#[cfg(test)]
mod tests;
mod uses;

use crate::languages::{Family, Language};
use std::sync::OnceLock;

/// The language `typescript`.
pub static TYPESCRIPT: Language = Language {
    name: "typescript",
    family: Family::JavaScript,
    extensions: &["ts", "mts", "cts"],
    names: &[],
    interpreters: &["deno", "ts-node", "tsx", "bun"],
    grammar: || tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
    extract: &extract::Extraction { jsx: false },
    rules: &rules::JavaScriptRules,
    roles: OnceLock::new(),
};

/// The language `tsx`.
pub static TSX: Language = Language {
    name: "tsx",
    family: Family::JavaScript,
    extensions: &["tsx"],
    names: &[],
    interpreters: &[],
    grammar: || tree_sitter_typescript::LANGUAGE_TSX.into(),
    extract: &extract::Extraction { jsx: true },
    rules: &rules::JavaScriptRules,
    roles: OnceLock::new(),
};

/// The language `javascript`.
pub static JAVASCRIPT: Language = Language {
    name: "javascript",
    family: Family::JavaScript,
    extensions: &["js", "jsx", "mjs", "cjs"],
    names: &["Jakefile"],
    interpreters: &["node", "nodejs"],
    grammar: || tree_sitter_javascript::LANGUAGE.into(),
    extract: &extract::Extraction { jsx: true },
    rules: &rules::JavaScriptRules,
    roles: OnceLock::new(),
};
