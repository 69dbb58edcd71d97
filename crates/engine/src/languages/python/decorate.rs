//! Decorators: what they say about the definition below them.

use super::defs;
use super::extract::{DONE, SYMBOL, children, describe};
use crate::extract::Cx;
use crate::facts::Role;
use tree_sitter::Node;

/// What the decorators of a definition say.
#[derive(Debug, Default)]
pub(super) struct Decorators {
    /// Reading the member calls it, or assigning or deleting does.
    pub property: bool,
    /// Reading the member calls it.
    pub getter: bool,
    /// `@staticmethod`.
    pub static_method: bool,
    /// `@classmethod`.
    pub class_method: bool,
    /// A signature without a body of its own.
    pub declaration: bool,
    /// `@override`.
    pub overrides: bool,
    /// A test fixture.
    pub fixture: bool,
    /// A context manager made of a generator function.
    pub manager: bool,
}

/// A definition with decorators: the symbol spans them, and their uses lie within it.
pub(super) fn decorated<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let Some(definition) = node.child_by_field_name("definition") else {
        return;
    };
    let decorators: Vec<Node<'t>> = children(node)
        .into_iter()
        .filter(|n| n.kind() == "decorator")
        .filter_map(|n| children(n).first().copied())
        .collect();
    let said = read(&decorators, cx);
    let ix = match definition.kind() {
        "function_definition" => defs::define_function(definition, node, &said, cx),
        _ => defs::define_class(definition, node, cx),
    };
    let Some(ix) = ix else { return };
    cx.mark(definition, SYMBOL + 4 * ix);
    cx.open_plain(ix);
    for decorator in decorators {
        let used = match decorator.kind() {
            "call" => {
                cx.mark(decorator, DONE);
                decorator.child_by_field_name("function")
            }
            _ => Some(decorator),
        };
        if let Some(used) = used
            && matches!(used.kind(), "identifier" | "attribute")
        {
            let expr = describe(used, cx);
            cx.mark(used, DONE);
            let name = used.child_by_field_name("attribute").unwrap_or(used);
            cx.refer(Role::Decorator, expr, name, 255);
        }
    }
}

fn read(decorators: &[Node<'_>], cx: &Cx<'_>) -> Decorators {
    let mut said = Decorators::default();
    for &decorator in decorators {
        let used = decorator.child_by_field_name("function").unwrap_or(decorator);
        let text = cx.src(used);
        match text.rsplit('.').next().unwrap_or(text) {
            "property" | "cached_property" | "abstractproperty" | "hybrid_property" | "classproperty" => {
                said.property = true;
                said.getter = true;
            }
            "getter" if text.contains('.') => {
                said.property = true;
                said.getter = true;
            }
            "setter" | "deleter" if text.contains('.') => said.property = true,
            "staticmethod" => said.static_method = true,
            "classmethod" | "abstractclassmethod" => said.class_method = true,
            "overload" | "abstractmethod" => said.declaration = true,
            "override" => said.overrides = true,
            "fixture" => said.fixture = true,
            "contextmanager" | "asynccontextmanager" => said.manager = true,
            _ => {}
        }
    }
    said
}
