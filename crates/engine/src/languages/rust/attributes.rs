//! Attributes: uses of derive and attribute macros, and what they say of the item below.

use super::exprs::{children, is_upper, path_value, plain};
use crate::extract::{Cx, Walk};
use crate::facts::{ExprId, Role};
use tree_sitter::Node;

/// Attributes that the compiler itself knows.
const KNOWN: &[&str] = &[
    "allow",
    "automatically_derived",
    "bench",
    "cfg",
    "cfg_attr",
    "cold",
    "deny",
    "deprecated",
    "derive",
    "doc",
    "expect",
    "feature",
    "forbid",
    "global_allocator",
    "ignore",
    "inline",
    "link",
    "macro_export",
    "macro_use",
    "must_use",
    "no_mangle",
    "no_std",
    "non_exhaustive",
    "panic_handler",
    "path",
    "proc_macro",
    "proc_macro_attribute",
    "proc_macro_derive",
    "recursion_limit",
    "repr",
    "should_panic",
    "target_feature",
    "test",
    "track_caller",
    "type_length_limit",
    "unsafe",
    "used",
    "warn",
];

/// Derives of the standard library.
const STANDARD_DERIVES: &[&str] = &[
    "Clone",
    "Copy",
    "Debug",
    "Default",
    "Eq",
    "Hash",
    "Ord",
    "PartialEq",
    "PartialOrd",
];

/// `#[derive(A, b::C)]`, `#[a::b(…)]`.
pub fn attribute<'t>(node: Node<'t>, cx: &mut Cx<'t>) -> Walk {
    let Some(attribute) = children(node).into_iter().find(|c| c.kind() == "attribute") else {
        return Walk::Over;
    };
    let Some(path) = children(attribute).into_iter().next() else {
        return Walk::Over;
    };
    let text = cx.src(path);
    if text == "derive" {
        if let Some(list) = attribute.child_by_field_name("arguments") {
            derives(list, cx);
        }
    } else if KNOWN.binary_search(&text).is_err() && matches!(path.kind(), "identifier" | "scoped_identifier") {
        let last = path.child_by_field_name("name").unwrap_or(path);
        let expr = path_value(path, cx, 0);
        cx.refer(Role::Decorator, expr, last, 255);
    }
    Walk::Over
}

fn derives<'t>(list: Node<'t>, cx: &mut Cx<'t>) {
    let mut cursor = list.walk();
    let tokens: Vec<Node<'t>> = list.children(&mut cursor).collect();
    let mut base: Option<ExprId> = None;
    for (n, token) in tokens.iter().enumerate() {
        match token.kind() {
            "::" => {}
            "identifier" | "crate" | "self" | "super" => {
                let text = plain(cx, *token);
                let expr = match base {
                    Some(b) => cx.member_expr(b, text),
                    None => cx.name_expr_of(text, token.start_byte()),
                };
                let more = tokens.get(n + 1).is_some_and(|t| t.kind() == "::");
                if more {
                    base = Some(expr);
                } else {
                    base = None;
                    if STANDARD_DERIVES.binary_search(&text).is_err() && is_upper(text) {
                        cx.refer(Role::Decorator, expr, *token, 255);
                    }
                }
            }
            _ => base = None,
        }
    }
}

/// What the attributes above an item say.
pub struct Above<'t> {
    /// The first of them.
    pub first: Option<Node<'t>>,
    /// A test, or compiled for tests only.
    pub test: bool,
    /// The file that `#[path = "…"]` names.
    pub path: Option<&'t str>,
}

/// The attributes above an item.
pub fn above<'t>(item: Node<'t>, cx: &Cx<'t>) -> Above<'t> {
    let mut out = Above {
        first: None,
        test: false,
        path: None,
    };
    for b in cx.before(item) {
        match b.kind() {
            "attribute_item" => {
                out.first = Some(b);
                let text = cx.src(b);
                out.test |= is_test(text);
                if let Some(rest) = text.strip_prefix("#[path") {
                    let mut quoted = rest.split('"');
                    quoted.next();
                    out.path = quoted.next();
                }
            }
            "line_comment" | "block_comment" => {}
            _ => break,
        }
    }
    out
}

/// `#[test]`, `#[tokio::test(…)]`, `#[rstest]`, `#[cfg(test)]`, `#[cfg(all(test, …))]`.
fn is_test(attribute: &str) -> bool {
    let inner = attribute.trim_start_matches("#[").trim_end_matches(']').trim();
    let path = inner.split(['(', '=']).next().unwrap_or("").trim();
    if path == "cfg" {
        let words = inner.split(|c: char| !c.is_alphanumeric() && c != '_');
        return words.into_iter().any(|w| w == "test") && !inner.contains("not(test");
    }
    matches!(
        path.rsplit("::").next(),
        Some("test" | "rstest" | "bench" | "test_case" | "quickcheck")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sorted() {
        assert!(KNOWN.is_sorted());
        assert!(STANDARD_DERIVES.is_sorted());
    }

    #[test]
    fn tests_are_told_by_their_attribute() {
        for (attribute, expected) in [
            ("#[test]", true),
            ("#[tokio::test(flavor = \"x\")]", true),
            ("#[cfg(test)]", true),
            ("#[cfg(all(test, unix))]", true),
            ("#[cfg(not(test))]", false),
            ("#[cfg(feature = \"contest\")]", false),
            ("#[inline]", false),
        ] {
            assert_eq!(is_test(attribute), expected, "{attribute}");
        }
    }
}
