//! Ruby.

mod assign;
mod calls;
mod defs;
mod exprs;
mod extract;
mod macros;
mod rules;
#[cfg(test)]
mod tests;

use crate::languages::{Family, Language};
use std::sync::OnceLock;

/// The language `ruby`.
pub static LANGUAGE: Language = Language {
    name: "ruby",
    family: Family::Ruby,
    extensions: &["rb", "rake", "gemspec", "ru", "jbuilder"],
    names: &[
        "Rakefile",
        "Gemfile",
        "Guardfile",
        "Capfile",
        "Vagrantfile",
        "Podfile",
        "Fastfile",
    ],
    interpreters: &["ruby", "jruby"],
    grammar: || tree_sitter_ruby::LANGUAGE.into(),
    extract: &extract::Extraction,
    rules: &rules::RubyRules,
    roles: OnceLock::new(),
};
