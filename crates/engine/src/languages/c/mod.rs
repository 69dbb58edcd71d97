//! c, cpp.

mod blank;
mod declarator;
mod define;
mod expr;
mod extract;
mod fragment;
mod lex;
mod macros;
mod prefix;
mod rules;
#[cfg(test)]
mod tests;
mod types;

use crate::languages::{Family, Language};
use std::sync::OnceLock;

/// The language `c`.
pub static C: Language = Language {
    name: "c",
    family: Family::C,
    extensions: &["c"],
    names: &[],
    interpreters: &[],
    grammar: || tree_sitter_c::LANGUAGE.into(),
    extract: &extract::Extraction,
    rules: &rules::CRules,
    roles: OnceLock::new(),
};

/// The language `cpp`.
pub static CPP: Language = Language {
    name: "cpp",
    family: Family::C,
    extensions: &[
        "cc", "cpp", "cxx", "c++", "hpp", "hh", "hxx", "h++", "ipp", "inl", "tcc", "h", "cu", "cuh", "tpp", "txx",
        "ixx", "cppm", "def", "inc",
    ],
    names: &[],
    interpreters: &[],
    grammar: || tree_sitter_cpp::LANGUAGE.into(),
    extract: &extract::Extraction,
    rules: &rules::CRules,
    roles: OnceLock::new(),
};
