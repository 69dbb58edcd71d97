//! `import` and `from … import`.

use super::extract::children;
use crate::extract::{Cx, Walk};
use crate::facts::ImportKind;
use tree_sitter::Node;

/// `import a.b.c` binds `a`, and its module is `a.b.c`; `import a.b.c as x` binds the module itself.
pub(super) fn import<'t>(node: Node<'t>, cx: &mut Cx<'t>) -> Walk {
    let mut cursor = node.walk();
    let names: Vec<Node<'t>> = node.children_by_field_name("name", &mut cursor).collect();
    for item in names {
        if item.kind() == "aliased_import" {
            let (Some(name), Some(alias)) = (item.child_by_field_name("name"), item.child_by_field_name("alias"))
            else {
                continue;
            };
            let (module, alias) = (dotted(name, cx), cx.src(alias));
            // `import a.b as a` would look like `import a.b`; it means the same as `from a import b as a`.
            match module.rsplit_once('.') {
                Some((package, last)) if module.split('.').next() == Some(alias) => {
                    cx.import(ImportKind::Name, package, last, alias, item);
                }
                _ => add_module(&module, alias, item, cx),
            }
        } else {
            let module = dotted(item, cx);
            let top = module.split('.').next().unwrap_or("").to_owned();
            add_module(&module, &top, item, cx);
        }
    }
    Walk::Over
}

fn add_module<'t>(module: &str, alias: &str, node: Node<'t>, cx: &mut Cx<'t>) {
    cx.import(ImportKind::Module, module, "", alias, node);
    let last = module.rsplit('.').next().unwrap_or(module);
    let last = cx.name_owned(last);
    if let Some(added) = cx.facts.refs.last_mut() {
        added.name = last;
    }
}

/// `from m import a, b as c` and `from m import *`.
pub(super) fn from<'t>(node: Node<'t>, cx: &mut Cx<'t>) -> Walk {
    let Some(module) = node.child_by_field_name("module_name") else {
        return Walk::Over;
    };
    let module = dotted(module, cx);
    if let Some(&star) = children(node).iter().find(|n| n.kind() == "wildcard_import") {
        cx.import(ImportKind::Star, &module, "", "", star);
        return Walk::Over;
    }
    let mut cursor = node.walk();
    let names: Vec<Node<'t>> = node.children_by_field_name("name", &mut cursor).collect();
    for item in names {
        let (name, alias) = match (item.child_by_field_name("name"), item.child_by_field_name("alias")) {
            (Some(name), Some(alias)) => (dotted(name, cx), cx.src(alias).to_owned()),
            _ => (dotted(item, cx), dotted(item, cx)),
        };
        cx.import(ImportKind::Name, &module, &name, &alias, item);
    }
    Walk::Over
}

/// A dotted name without the blanks that the grammar allows in it.
fn dotted(node: Node<'_>, cx: &Cx<'_>) -> String {
    cx.src(node).split_whitespace().collect()
}
