//! Lua.

mod assign;
mod defs;
mod exprs;
mod extract;
mod rules;
#[cfg(test)]
mod tests;
mod uses;

use crate::languages::{Family, Language};
use std::sync::OnceLock;

/// The language `lua`.
pub static LANGUAGE: Language = Language {
    name: "lua",
    family: Family::Lua,
    extensions: &["lua"],
    names: &[],
    interpreters: &["lua", "luajit"],
    grammar: || tree_sitter_lua::LANGUAGE.into(),
    extract: &extract::Extraction,
    rules: &rules::LuaRules,
    roles: OnceLock::new(),
};
