//! Declarators: what a declaration of C or C++ names, and how the type around the name is built.

use super::expr::{flatten, type_expr};
use crate::extract::Cx;
use crate::facts::*;
use crate::languages::common::*;
use tree_sitter::Node;

/// What a declarator says.
#[derive(Clone, Copy)]
pub(super) struct Declared<'t> {
    /// The node of the name: an identifier, a qualified, operator or destructor name, a structured binding.
    pub name: Node<'t>,
    /// The innermost function declarator, when the name itself is a function.
    pub function: Option<Node<'t>>,
    /// Number of pointer and array steps around the name (for a function: around its result).
    pub shapes: usize,
    /// The name is a pointer to a function or an array of such.
    pub function_pointer: bool,
}

const WRAPPERS: &[&str] = &[
    "init_declarator",
    "pointer_declarator",
    "reference_declarator",
    "array_declarator",
    "function_declarator",
    "parenthesized_declarator",
    "attributed_declarator",
    "variadic_declarator",
    "pointer_type_declarator",
];

/// Goes through a declarator to its name. Nothing is named by an abstract declarator.
pub(super) fn read(declarator: Node<'_>) -> Option<Declared<'_>> {
    let mut node = declarator;
    let (mut shapes, mut outside) = (0, 0);
    let mut function = None;
    let mut seen_function = false;
    loop {
        match node.kind() {
            "pointer_declarator" | "array_declarator" | "pointer_type_declarator" => {
                shapes += 1;
                function = None;
            }
            "function_declarator" => {
                outside = shapes;
                function = Some(node);
                seen_function = true;
            }
            "operator_cast" => {
                let inner = field(node, "declarator")?;
                return Some(Declared {
                    name: node,
                    function: (inner.kind() == "abstract_function_declarator").then_some(inner),
                    shapes: 0,
                    function_pointer: false,
                });
            }
            kind if WRAPPERS.contains(&kind) => {}
            kind if kind.starts_with("abstract_") => return None,
            "identifier"
            | "field_identifier"
            | "type_identifier"
            | "qualified_identifier"
            | "destructor_name"
            | "operator_name"
            | "template_function"
            | "template_method"
            | "structured_binding_declarator"
            | "primitive_type" => {
                // `*ns::Foo::operator T()` hides the function inside the last part of the name.
                return Some(Declared {
                    name: node,
                    function,
                    shapes: if function.is_some() { outside } else { shapes },
                    function_pointer: seen_function && function.is_none(),
                });
            }
            _ => return None,
        }
        node = match field(node, "declarator") {
            Some(inner) => inner,
            None => named(node)
                .into_iter()
                .rfind(|n| WRAPPERS.contains(&n.kind()) || n.kind().ends_with("identifier"))?,
        };
    }
}

/// The declared type: `type` with the pointers and arrays of the declarator around it. `auto` says nothing.
pub(super) fn declared_type<'t>(cx: &mut Cx<'t>, ty: Option<Node<'t>>, declared: &Declared<'t>) -> Option<ExprId> {
    if declared.function_pointer {
        return None;
    }
    let mut found = type_expr(cx, ty?)?;
    for _ in 0..declared.shapes.min(4) {
        found = shape(cx, found);
    }
    Some(found)
}

/// The result of a function: a trailing return type, or the type in front.
pub(super) fn result_type<'t>(cx: &mut Cx<'t>, ty: Option<Node<'t>>, declared: &Declared<'t>) -> Option<ExprId> {
    let trailing = declared
        .function
        .and_then(|f| child(f, &["trailing_return_type"]))
        .and_then(first);
    match trailing {
        Some(trailing) => type_expr(cx, trailing),
        None => declared_type(cx, ty, declared),
    }
}

/// Numbers of arguments that a parameter list takes.
pub(super) fn parameter_count(cx: &Cx<'_>, list: Node<'_>) -> Params {
    let (mut min, mut max, mut open) = (0, 0, false);
    for one in all(list) {
        match one.kind() {
            "parameter_declaration" => {
                if field(one, "declarator").is_none() && cx.src(one) == "void" {
                    continue;
                }
                min += 1;
                max += 1;
            }
            "identifier" => {
                min += 1;
                max += 1;
            }
            "optional_parameter_declaration" => max += 1,
            "variadic_parameter" | "variadic_parameter_declaration" | "..." => open = true,
            _ => {}
        }
    }
    Params {
        min: count(min),
        max: if open { 255 } else { count(max) },
    }
}

/// A declared name in its parts: the qualifiers and the last name with its text.
pub(super) struct Written<'t> {
    /// The owner as written, without the last name; empty when the name is plain.
    pub owner: Vec<Node<'t>>,
    /// Whether it starts with `::`.
    pub rooted: bool,
    /// The node of the last name.
    pub last: Node<'t>,
    /// The last name: `f`, `~Foo`, `operator==`, `operator bool`.
    pub text: String,
}

/// Takes a declared name apart.
pub(super) fn written<'t>(cx: &Cx<'t>, name: Node<'t>) -> Option<Written<'t>> {
    let (rooted, mut parts) = flatten(name);
    let mut last = parts.pop()?;
    while matches!(last.kind(), "template_function" | "template_method" | "template_type") {
        last = field(last, "name")?;
    }
    let text = match last.kind() {
        "operator_cast" => format!("operator {}", field(last, "type").map_or("", |t| cx.src(t))),
        "operator_name" => {
            let text: Vec<&str> = cx.src(last).split_whitespace().collect();
            let text = text.join(" ");
            match text.strip_prefix("operator ") {
                Some(rest) if !rest.starts_with(|c: char| c.is_alphabetic()) => format!("operator{rest}"),
                _ => text,
            }
        }
        _ => cx.src(last).split_whitespace().collect(),
    };
    Some(Written {
        owner: parts,
        rooted,
        last,
        text,
    })
}
