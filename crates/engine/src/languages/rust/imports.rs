//! `use` trees and `extern crate`.

use super::define::visibility;
use super::exprs::{children, plain};
use crate::extract::{Cx, Walk};
use crate::facts::{Export, ImportKind};
use tree_sitter::Node;

/// `use a::{b, c::*, d as e};`: one import for each name.
pub fn use_declaration<'t>(node: Node<'t>, cx: &mut Cx<'t>) -> Walk {
    let Some(argument) = node.child_by_field_name("argument") else {
        return Walk::Over;
    };
    let public = visibility(node, cx).is_some();
    let mut open = vec![(argument, String::new())];
    while let Some((part, prefix)) = open.pop() {
        match part.kind() {
            "use_list" => {
                // The stack hands out the last first.
                for c in children(part).into_iter().rev() {
                    open.push((c, prefix.clone()));
                }
            }
            "scoped_use_list" => {
                let path = part.child_by_field_name("path").map(|p| path_text(p, cx));
                let prefix = join(&prefix, path.as_deref().unwrap_or(""), cx.src(part));
                if let Some(list) = part.child_by_field_name("list") {
                    open.push((list, prefix));
                }
            }
            "use_wildcard" => {
                let path = children(part).first().map(|p| path_text(*p, cx)).unwrap_or_default();
                let module = join(&prefix, &path, cx.src(part));
                let import = cx.import(ImportKind::Star, &module, "", "", part);
                if public {
                    cx.facts.exports.push(Export::Star { import });
                }
            }
            "use_as_clause" => {
                let (Some(path), Some(alias)) = (part.child_by_field_name("path"), part.child_by_field_name("alias"))
                else {
                    continue;
                };
                let alias = plain(cx, alias);
                one(&prefix, path, if alias == "_" { "" } else { alias }, part, public, cx);
            }
            _ => {
                let last = part.child_by_field_name("name").unwrap_or(part);
                let mut alias = plain(cx, last);
                if alias == "self" {
                    alias = last_of(&prefix);
                }
                let alias = alias.to_owned();
                one(&prefix, part, &alias, part, public, cx);
            }
        }
    }
    Walk::Over
}

fn one<'t>(prefix: &str, path: Node<'t>, alias: &str, node: Node<'t>, public: bool, cx: &mut Cx<'t>) {
    let mut full = join(prefix, &path_text(path, cx), cx.src(path));
    if let Some(whole) = full.strip_suffix("::self") {
        full = whole.to_owned();
    }
    let import = match full.rsplit_once("::") {
        Some((module, name)) if !module.is_empty() && !matches!(name, "super" | "crate" | "self") => {
            cx.import(ImportKind::Name, module, name, alias, node)
        }
        _ => cx.import(ImportKind::Module, &full, "", alias, node),
    };
    if public && !alias.is_empty() {
        cx.facts.exports.push(Export::From {
            name: alias.into(),
            import,
        });
    }
}

fn last_of(path: &str) -> &str {
    path.rsplit("::").next().unwrap_or(path)
}

/// A path as written, without white space and raw marks.
fn path_text<'t>(node: Node<'t>, cx: &Cx<'t>) -> String {
    let text: String = cx.src(node).split_whitespace().collect();
    text.replace("r#", "")
}

/// A list's prefix and a path inside it; a path that begins at the root keeps its `::`.
fn join(prefix: &str, path: &str, source: &str) -> String {
    if prefix.is_empty() {
        if source.trim_start().starts_with("::") && !path.starts_with("::") {
            return format!("::{path}");
        }
        return path.to_owned();
    }
    if path.is_empty() {
        return prefix.to_owned();
    }
    format!("{prefix}::{path}")
}

/// `extern crate a as b;`
pub fn extern_crate<'t>(node: Node<'t>, cx: &mut Cx<'t>) -> Walk {
    if let Some(name) = node.child_by_field_name("name") {
        let alias = node.child_by_field_name("alias").unwrap_or(name);
        let (module, alias) = (plain(cx, name), plain(cx, alias));
        cx.import(ImportKind::Module, module, "", alias, name);
    }
    Walk::Over
}
