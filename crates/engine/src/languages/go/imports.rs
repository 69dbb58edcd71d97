//! The package clause and imports.

use crate::extract::{Cx, Walk};
use crate::facts::ImportKind;
use tree_sitter::Node;

/// `package p`.
pub fn package<'t>(node: Node<'t>, cx: &mut Cx<'t>) -> Walk {
    if let Some(name) = node.named_child(0) {
        cx.facts.package = cx.src(name).into();
    }
    Walk::Over
}

/// `alias "path"`.
pub fn import<'t>(node: Node<'t>, cx: &mut Cx<'t>) -> Walk {
    let Some(path) = node.child_by_field_name("path") else {
        return Walk::Over;
    };
    let module = cx.src(path).trim_matches(['"', '`']);
    let name = node.child_by_field_name("name");
    match name.map(|n| (n.kind(), cx.src(n))) {
        Some(("dot", _)) => cx.import(ImportKind::Star, module, "", "", path),
        Some(("blank_identifier", _)) => cx.import(ImportKind::Include, module, "", "", path),
        Some((_, alias)) => cx.import(ImportKind::Module, module, "", alias, path),
        None => cx.import(ImportKind::Module, module, "", package_name(module), path),
    };
    Walk::Over
}

/// The name that a package most likely has: the last part of its path that is no version, without the `go` that
/// repositories carry in their names. Only the package's own files can tell.
pub fn package_name(path: &str) -> &str {
    let is_version = |p: &str| {
        p.strip_prefix('v')
            .is_some_and(|d| !d.is_empty() && d.bytes().all(|b| b.is_ascii_digit()))
    };
    let mut parts = path.rsplit('/').filter(|p| !p.is_empty());
    let last = parts.next().unwrap_or(path);
    let mut name = if is_version(last) {
        parts.next().unwrap_or(last)
    } else {
        last
    };
    if let Some((stem, version)) = name.rsplit_once('.')
        && is_version(version)
    {
        name = stem;
    }
    for prefix in ["go-", "go."] {
        name = name.strip_prefix(prefix).unwrap_or(name);
    }
    for suffix in ["-go", ".go"] {
        name = name.strip_suffix(suffix).unwrap_or(name);
    }
    name
}
