//! Uses: calls, `new`, values, types, decorators, JSX elements.

use super::exprs::{arguments, child, peel, plain, type_of, value};
use super::extract::{Word, said, say};
use super::{assign, module};
use crate::extract::{Cx, Walk};
use crate::facts::Role;
use tree_sitter::Node;

/// States a use of a name or member chain and claims its node. A value without a last name is left to its parts.
pub fn refer_to<'t>(role: Role, node: Node<'t>, args: u8, cx: &mut Cx<'t>) {
    let node = peel(node);
    match node.kind() {
        "identifier" => {
            let expr = value(node, cx);
            cx.refer(role, expr, node, args);
            say(cx, node, Word::Claimed);
        }
        "member_expression" => {
            let Some(property) = node.child_by_field_name("property") else {
                return;
            };
            let expr = value(node, cx);
            cx.refer(role, expr, property, args);
            say(cx, node, Word::Claimed);
        }
        "subscript_expression" => {
            let Some(index) = node.child_by_field_name("index").filter(|i| i.kind() == "string") else {
                return;
            };
            let expr = value(node, cx);
            let text = plain(cx, index);
            let (name, line) = (cx.name(text), cx.line(index));
            cx.refer_named(role, expr, name, line, args);
        }
        "super" => {
            let expr = value(node, cx);
            cx.refer(role, expr, node, args);
        }
        _ => {}
    }
}

/// `f(…)`.
pub fn call<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let Some(function) = node.child_by_field_name("function") else {
        return;
    };
    if module::is_module_call(node, cx) {
        module::module_value(node, cx);
        say(cx, function, Word::Claimed);
        return;
    }
    if said(cx, node) == Some(Word::Claimed) {
        return;
    }
    let function = peel(function);
    if function.kind() == "member_expression"
        && let (Some(object), Some(property)) = (
            function.child_by_field_name("object"),
            function.child_by_field_name("property"),
        )
    {
        if cx.src(function) == "Object.assign" {
            assign::object_assign(node, cx);
        }
        // `f.call(x)` calls f; `f.bind(x)` hands it on.
        let role = match cx.src(property) {
            "call" | "apply" => Some(Role::Call),
            "bind" => Some(Role::Value),
            _ => None,
        };
        if let Some(role) = role
            && matches!(peel(object).kind(), "identifier" | "member_expression")
        {
            say(cx, function, Word::Claimed);
            refer_to(role, object, 255, cx);
            return;
        }
    }
    let args = arguments(node);
    refer_to(Role::Call, function, args, cx);
}

/// `new T(…)`.
pub fn new<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    if let Some(constructor) = node.child_by_field_name("constructor") {
        refer_to(Role::New, constructor, arguments(node), cx);
    }
}

/// `a.b` as a value.
pub fn member<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    if said(cx, node) == Some(Word::Claimed) {
        return;
    }
    refer_to(Role::Value, node, 255, cx);
}

/// A name as a value, where it is not the name of a declaration or part of a pattern.
pub fn identifier<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    if said(cx, node) == Some(Word::Claimed) {
        return;
    }
    let Some(parent) = cx.parent() else { return };
    let field = cx.field.unwrap_or("");
    let declares = match parent.kind() {
        "variable_declarator"
        | "function_declaration"
        | "generator_function_declaration"
        | "function_signature"
        | "function_expression"
        | "generator_function"
        | "class"
        | "class_declaration"
        | "enum_declaration"
        | "internal_module"
        | "module"
        | "index_signature"
        | "type_predicate" => field == "name",
        "required_parameter" | "optional_parameter" => field == "pattern" || field == "name",
        "arrow_function" | "catch_clause" => field == "parameter",
        "formal_parameters" | "rest_pattern" | "array_pattern" | "nested_identifier" | "import_alias"
        | "jsx_namespace_name" | "namespace_export" | "asserts" => true,
        "assignment_pattern" | "object_assignment_pattern" => field == "left",
        "pair_pattern" => field == "value",
        "for_in_statement" => field == "left" && parent.child_by_field_name("kind").is_some(),
        _ => false,
    };
    if declares {
        return;
    }
    let text = cx.src(node);
    if matches!(text, "undefined" | "arguments") {
        return;
    }
    let expr = value(node, cx);
    cx.refer(Role::Value, expr, node, 255);
}

/// A named type.
pub fn type_identifier<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let Some(parent) = cx.parent() else { return };
    let declares = match parent.kind() {
        "class_declaration"
        | "abstract_class_declaration"
        | "class"
        | "interface_declaration"
        | "type_alias_declaration"
        | "type_parameter"
        | "mapped_type_clause" => cx.field == Some("name"),
        "infer_type" => true,
        _ => false,
    };
    if declares {
        if parent.kind() == "infer_type" {
            let text = cx.src(node);
            cx.bind(text, 0, None, None);
        }
        return;
    }
    let expr = type_of(node, cx);
    cx.refer(role_of(node, cx), expr, node, 255);
}

fn role_of<'t>(node: Node<'t>, cx: &Cx<'t>) -> Role {
    match said(cx, node) {
        Some(Word::Inherit) => Role::Inherit,
        Some(Word::Implement) => Role::Implement,
        _ => Role::Type,
    }
}

/// `ns.T` as a type.
pub fn nested_type<'t>(node: Node<'t>, cx: &mut Cx<'t>) -> Walk {
    if let Some(name) = node.child_by_field_name("name") {
        let expr = type_of(node, cx);
        cx.refer(role_of(node, cx), expr, name, 255);
    }
    Walk::Over
}

/// `@decorator` and `@decorator(…)`.
pub fn decorator<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let Some(what) = child(node, 0) else { return };
    let callee = match what.kind() {
        "call_expression" => {
            say(cx, what, Word::Claimed);
            what.child_by_field_name("function").unwrap_or(what)
        }
        _ => what,
    };
    refer_to(Role::Decorator, callee, 255, cx);
}

/// `<Component>`; an element in lower case is the platform's own.
pub fn jsx<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let Some(name) = node.child_by_field_name("name") else {
        return;
    };
    if name.kind() == "identifier" {
        let text = cx.src(name);
        if text.starts_with(|c: char| c.is_lowercase()) {
            say(cx, name, Word::Claimed);
            return;
        }
    }
    if matches!(name.kind(), "identifier" | "member_expression") {
        refer_to(Role::Element, name, 255, cx);
    }
}
