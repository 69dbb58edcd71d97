//! The node kinds of shell scripts that extraction cares about, and what each one means.

use super::imports;
use crate::extract::{Cx, Extract, Walk};
use crate::facts::*;
use crate::lexical::ScopeRules;
use tree_sitter::Node;

/// Extraction for shell scripts.
pub struct Extraction;

const FUNCTION: u16 = 1;
const ASSIGNMENT: u16 = 2;
const DECLARATION: u16 = 3;
const COMMAND: u16 = 4;
const EXPANSION: u16 = 5;
const FOR: u16 = 6;

/// Commands that run the command that is their first plain argument.
const RUNNERS: &[&str] = &[
    "builtin", "command", "env", "exec", "nice", "nohup", "run", "sudo", "time", "timeout", "xargs",
];

impl Extract for Extraction {
    fn table(&self) -> &'static [(&'static str, u16)] {
        &[
            ("function_definition", FUNCTION),
            ("variable_assignment", ASSIGNMENT),
            ("declaration_command", DECLARATION),
            ("command", COMMAND),
            ("simple_expansion", EXPANSION),
            ("expansion", EXPANSION),
            ("for_statement", FOR),
        ]
    }

    fn enter<'t>(&self, role: u16, node: Node<'t>, cx: &mut Cx<'t>) -> Walk {
        match role {
            FUNCTION => function(node, cx),
            ASSIGNMENT => assignment(node, cx),
            DECLARATION => declaration(node, cx),
            COMMAND => command(node, cx),
            EXPANSION => expansion(node, cx),
            FOR => {
                if let Some(name) = node.child_by_field_name("variable") {
                    let text = cx.src(name);
                    let scope = cx.function_scope();
                    cx.bind_in(scope, text, 0, None, None);
                }
            }
            _ => {}
        }
        Walk::Into
    }

    fn scope_rules(&self) -> ScopeRules {
        ScopeRules {
            type_scopes_visible: false,
            hoisted: true,
        }
    }
}

fn children<'t>(node: Node<'t>) -> Vec<Node<'t>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor)
        .filter(|n| n.kind() != "comment")
        .collect()
}

/// Functions are global wherever they are defined.
fn function<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let Some(name) = node.child_by_field_name("name") else {
        return;
    };
    let text = cx.src(name);
    let (id, line) = (cx.name(text), cx.line(name));
    let ix = cx.define_unbound(Kind::Function, node, id, line);
    cx.add_binding(0, id, 0, Bound::Symbol(ix));
    cx.sign_to_body(ix, node, node.child_by_field_name("body"));
    cx.document_above(ix, node, &["comment"]);
    let top = cx.innermost().is_none();
    let flags = &mut cx.symbol(ix).flags;
    flags.set(SymbolFlags::EXPORTED);
    if text.starts_with("test_") {
        flags.set(SymbolFlags::TEST);
    }
    if top && text == "main" {
        flags.set(SymbolFlags::ENTRY);
    }
    cx.open_symbol(ix, ScopeKind::Function);
}

/// `X=1` outside of functions defines a variable; inside it writes one, or makes a local.
fn assignment<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let Some(name) = node.child_by_field_name("name").filter(|n| n.kind() == "variable_name") else {
        return;
    };
    // `X=1 command` sets the variable for that command alone.
    if cx.parent().is_some_and(|p| p.kind() == "command") {
        return;
    }
    let text = cx.src(name);
    let (id, line) = (cx.name(text), cx.line(name));
    let head = cx
        .parent()
        .filter(|p| p.kind() == "declaration_command")
        .map_or("", |p| cx.src(p));
    let in_function = cx.in_callable();
    if in_function && (head.starts_with("local") || head.starts_with("declare") || head.starts_with("typeset")) {
        let scope = cx.function_scope();
        cx.bind_in(scope, text, 0, None, None);
        return;
    }
    match cx.bound(0, id) {
        Some(_) if in_function => {
            let expr = cx.name_expr(name);
            cx.refer(Role::Value, expr, name, 255);
        }
        None if !in_function && cx.innermost().is_none() => {
            let shouts = !text.chars().any(char::is_lowercase);
            let fixed = head.starts_with("readonly") || head.contains(" -r");
            let kind = if fixed || shouts {
                Kind::Constant
            } else {
                Kind::Variable
            };
            let ix = cx.define_unbound(kind, node, id, line);
            cx.add_binding(0, id, 0, Bound::Symbol(ix));
            cx.sign_to_body(ix, node, None);
            cx.document_above(ix, node, &["comment"]);
            cx.symbol(ix).flags.set(SymbolFlags::EXPORTED);
            cx.open_plain(ix);
        }
        _ => {}
    }
}

/// `local x`, and `export -f name`, which uses a function.
fn declaration<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let head = cx.src(node);
    let of_functions =
        head.starts_with("export -f") || head.starts_with("declare -f") || head.starts_with("readonly -f");
    for part in children(node).into_iter().filter(|n| n.kind() == "variable_name") {
        if of_functions {
            let expr = cx.name_expr(part);
            cx.refer(Role::Value, expr, part, 255);
        } else if cx.in_callable() && !head.starts_with("export") {
            let text = cx.src(part);
            let scope = cx.function_scope();
            cx.bind_in(scope, text, 0, None, None);
        }
    }
}

/// The word of a command's name or argument when it is written out.
fn plain<'t>(node: Node<'t>, cx: &Cx<'t>) -> Option<&'t str> {
    let node = match node.kind() {
        "command_name" => node.named_child(0)?,
        _ => node,
    };
    let text = match node.kind() {
        "word" => cx.src(node),
        "string" | "raw_string" => cx.src(node).trim_matches(['"', '\'']),
        _ => return None,
    };
    let named = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | ':' | '.' | '/' | '@' | '+' | '[');
    (!text.is_empty() && text.chars().all(named)).then_some(text)
}

/// A command calls what it names.
fn command<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let Some(name) = node.child_by_field_name("name") else {
        return;
    };
    let mut cursor = node.walk();
    let args: Vec<Node<'t>> = node
        .children_by_field_name("argument", &mut cursor)
        .filter(|n| n.is_named())
        .collect();
    let Some(text) = plain(name, cx) else { return };
    match text {
        "source" | "." => {
            if let Some(&path) = args.first() {
                imports::source(path, cx);
            }
            return;
        }
        "load" | "bats_load_library" => {
            if let Some(&path) = args.first() {
                imports::load(path, cx);
            }
        }
        "trap" => {
            if let Some(&handler) = args.first() {
                trapped(handler, cx);
            }
        }
        "complete" => {
            let at = args.iter().position(|a| cx.src(*a) == "-F");
            refer_word(at.and_then(|n| args.get(n + 1).copied()), Role::Value, cx);
        }
        "alias" if cx.innermost().is_none() => {
            for arg in &args {
                alias(*arg, cx);
            }
        }
        _ => {}
    }
    let expr = cx.name_expr_of(text, name.start_byte());
    let (id, line) = (cx.name(text), cx.line(name));
    cx.refer_named(Role::Call, expr, id, line, args.len().min(254) as u8);
    if RUNNERS.contains(&text) {
        let command = args.into_iter().find(|a| {
            plain(*a, cx).is_some_and(|t| !t.starts_with('-') && !t.starts_with(|c: char| c.is_ascii_digit()))
        });
        refer_word(command, Role::Call, cx);
    }
}

/// The commands of a `trap`: one word, or a quoted piece of script.
fn trapped<'t>(handler: Node<'t>, cx: &mut Cx<'t>) {
    if !matches!(handler.kind(), "word" | "string" | "raw_string") {
        return;
    }
    let (text, line) = (cx.src(handler), cx.line(handler));
    for command in text.trim_matches(['"', '\'']).split([';', '|', '&', '\n']) {
        let word = command.split_whitespace().next().unwrap_or("");
        let named = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | ':' | '.');
        if word.starts_with(|c: char| c.is_alphabetic() || c == '_') && word.chars().all(named) {
            let expr = cx.name_expr_of(word, handler.start_byte());
            let id = cx.name(word);
            cx.refer_named(Role::Value, expr, id, line, 255);
        }
    }
}

fn refer_word<'t>(node: Option<Node<'t>>, role: Role, cx: &mut Cx<'t>) {
    let Some(node) = node else { return };
    let Some(text) = plain(node, cx).filter(|t| !t.starts_with('-')) else {
        return;
    };
    let expr = cx.name_expr_of(text, node.start_byte());
    let (id, line) = (cx.name(text), cx.line(node));
    cx.refer_named(role, expr, id, line, 255);
}

/// `alias name='…'`.
fn alias<'t>(argument: Node<'t>, cx: &mut Cx<'t>) {
    let Some((name, _)) = cx.src(argument).split_once('=') else {
        return;
    };
    if name.is_empty()
        || !name
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'))
    {
        return;
    }
    let (id, line) = (cx.name(name), cx.line(argument));
    let ix = cx.define_unbound(Kind::Function, argument, id, line);
    cx.add_binding(0, id, 0, Bound::Symbol(ix));
    cx.sign_to_body(ix, argument, None);
    cx.symbol(ix).flags.set(SymbolFlags::ASSIGNED);
}

/// `$X` and `${X:-…}` use a variable: one of this file, or one that by its capitals comes from a sourced file.
fn expansion<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let Some(name) = children(node).into_iter().find(|n| n.kind() == "variable_name") else {
        return;
    };
    let text = cx.src(name);
    let id = cx.name(text);
    let shouts = text.starts_with(|c: char| c.is_alphabetic()) && !text.chars().any(char::is_lowercase);
    if shouts || cx.bound(0, id).is_some() {
        let expr = cx.name_expr(name);
        cx.refer(Role::Value, expr, name, 255);
    }
}
