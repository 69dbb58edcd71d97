//! Calls that declare something: imports, mixins, attributes, visibility, callbacks, test definitions.

use super::calls::is_method_name;
use super::defs::{HIDDEN_IN, STATIC_IN, define_alias, member_symbol, method_base, owner_type};
use super::exprs::{argument, named};
use super::extract::{BLOCK_OF, DONE, children, describe, in_method};
use crate::extract::{Cx, last_part};
use crate::facts::*;
use tree_sitter::Node;

/// Deals with a call that has no receiver. Returns whether it was a declaration and no call of anything in the tree.
pub(super) fn bare<'t>(name: &'t str, node: Node<'t>, cx: &mut Cx<'t>) -> bool {
    let args = node
        .child_by_field_name("arguments")
        .map(|a| children(a))
        .unwrap_or_default();
    match name {
        "require" | "require_relative" | "load" => return import(name, &args, cx),
        "autoload" => return import(name, args.get(1..).unwrap_or(&[]), cx),
        "lambda" | "proc" | "raise" | "block_given?" => return name != "raise",
        "method" | "send" | "public_send" | "__send__" | "respond_to?" | "instance_method" => {
            refer_symbols(node, args.get(..1).unwrap_or(&[]), cx);
            return false;
        }
        _ => {}
    }
    if test_definition(name, node, &args, cx) {
        return false;
    }
    if in_method(cx) {
        return false;
    }
    match name {
        "include" | "extend" | "prepend" => return mix_in(name, &args, cx),
        "attr_reader"
        | "attr_accessor"
        | "attr_writer"
        | "cattr_accessor"
        | "mattr_accessor"
        | "class_attribute"
        | "cattr_reader"
        | "mattr_reader"
        | "thread_mattr_accessor" => {
            attributes(name, node, &args, cx);
        }
        "alias_method" => {
            if let [new, old, ..] = args.as_slice()
                && let (Some(new_text), Some(old_text)) = (named(*new, cx), named(*old, cx))
            {
                define_alias(node, *new, new_text, *old, old_text, cx);
            }
        }
        "define_method" | "define_singleton_method" => define_method(name, node, &args, cx),
        "delegate" => delegate(node, &args, cx),
        "private"
        | "protected"
        | "public"
        | "module_function"
        | "private_class_method"
        | "private_constant"
        | "public_class_method" => {
            if !args.is_empty() {
                listed(name, &args, cx);
            }
            refer_symbols(node, &args, cx);
        }
        _ if is_callback(name) => {
            refer_symbols(node, &args, cx);
            return false;
        }
        _ => return false,
    }
    true
}

/// Words of a class body that change what follows. Returns whether `text` is one.
pub(super) fn word(text: &str, node: Node<'_>, cx: &mut Cx<'_>) -> bool {
    let Some(owner) = owner_type(cx).filter(|_| !in_method(cx)) else {
        return false;
    };
    match text {
        "private" | "protected" => cx.notes.insert(HIDDEN_IN, owner),
        "public" => cx.notes.remove(HIDDEN_IN),
        "module_function" => cx.notes.insert(STATIC_IN, owner),
        _ => return false,
    };
    let _ = node;
    true
}

/// `require "x"`: the file is taken in. What `require_relative` names gets a leading `./`.
fn import<'t>(how: &str, args: &[Node<'t>], cx: &mut Cx<'t>) -> bool {
    let Some((path, node)) = args.first().and_then(|a| Some((named(*a, cx)?, *a))) else {
        return false;
    };
    let relative = how == "require_relative" && !path.starts_with('.') && !path.starts_with('/');
    let module = if relative { format!("./{path}") } else { path.to_owned() };
    cx.import(ImportKind::Include, &module, "", "", node);
    let last = last_part(&module).trim_end_matches(".rb").to_owned();
    let last = cx.name_owned(&last);
    if let Some(added) = cx.facts.refs.last_mut() {
        added.name = last;
    }
    true
}

/// `include M`, `extend M`, `prepend M` in the body of a class or module.
fn mix_in<'t>(how: &str, args: &[Node<'t>], cx: &mut Cx<'t>) -> bool {
    let Some(owner) = owner_type(cx) else {
        return false;
    };
    for &arg in args {
        match arg.kind() {
            "constant" | "scope_resolution" => {
                let ty = describe(arg, cx);
                cx.symbol(owner).supers.push(Super { ty, implements: true });
                cx.mark(arg, DONE);
                let name = arg.child_by_field_name("name");
                if let Some(name) = name {
                    cx.mark(name, DONE);
                }
                cx.refer(Role::Implement, ty, name.unwrap_or(arg), 255);
            }
            "self" if how == "extend" => {
                cx.notes.insert(STATIC_IN, owner);
            }
            _ => {}
        }
    }
    true
}

/// `attr_reader :a` defines `a`, `attr_writer :a` defines `a=`, `attr_accessor :a` both.
fn attributes<'t>(how: &str, node: Node<'t>, args: &[Node<'t>], cx: &mut Cx<'t>) {
    let class_level = !how.starts_with("attr_");
    for &arg in args {
        let Some(text) = named(arg, cx).filter(|t| is_method_name(t)) else {
            continue;
        };
        if how != "attr_writer" {
            let ix = member_symbol(Kind::Property, node, arg, text, cx);
            let value = method_base(node, cx).filter(|_| !class_level).map(|base| {
                let variable = cx.name_owned(&format!("@{text}"));
                cx.expr(Expr::Member { base, name: variable })
            });
            let symbol = cx.symbol(ix);
            symbol.value = value;
            symbol.flags.set(SymbolFlags::GETTER);
            if class_level {
                symbol.flags.set(SymbolFlags::STATIC);
            }
        }
        if how.ends_with("accessor") || how.ends_with("writer") {
            let ix = member_symbol(Kind::Property, node, arg, &format!("{text}="), cx);
            if class_level {
                cx.symbol(ix).flags.set(SymbolFlags::STATIC);
            }
        }
    }
}

fn define_method<'t>(how: &str, node: Node<'t>, args: &[Node<'t>], cx: &mut Cx<'t>) {
    let Some(text) = args.first().and_then(|a| named(*a, cx)).filter(|t| is_method_name(t)) else {
        return;
    };
    let ix = member_symbol(Kind::Method, node, args[0], text, cx);
    cx.symbol(ix).flags.set(SymbolFlags::ASSIGNED);
    if how == "define_singleton_method" {
        cx.symbol(ix).flags.set(SymbolFlags::STATIC);
    }
    name_block(ix, node, cx);
}

fn name_block<'t>(ix: SymbolIx, node: Node<'t>, cx: &mut Cx<'t>) {
    if let Some(block) = node.child_by_field_name("block") {
        cx.mark(block, BLOCK_OF + 4 * ix);
    }
}

/// `delegate :a, :b, to: :other` defines `a` and `b`, which call those of `other`.
fn delegate<'t>(node: Node<'t>, args: &[Node<'t>], cx: &mut Cx<'t>) {
    let to = args.iter().filter(|a| a.kind() == "pair").find_map(|pair| {
        let key = pair.child_by_field_name("key")?;
        (cx.src(key).trim_end_matches(':') == "to").then(|| pair.child_by_field_name("value"))?
    });
    let Some(to) = to.and_then(|t| named(t, cx)) else {
        return;
    };
    for &arg in args {
        let Some(text) = named(arg, cx).filter(|t| is_method_name(t)) else {
            continue;
        };
        let ix = member_symbol(Kind::Method, node, arg, text, cx);
        if let Some(base) = method_base(node, cx) {
            let of = cx.member_expr(base, to);
            let of = cx.expr(Expr::Call { callee: of, args: 0 });
            let callee = cx.member_expr(of, text);
            let value = cx.expr(Expr::Call { callee, args: 255 });
            cx.symbol(ix).value = Some(value);
            let (name, line) = (cx.name(text), cx.line(arg));
            cx.refer_named(Role::Value, callee, name, line, 255);
        }
        cx.symbol(ix).flags.set(SymbolFlags::ASSIGNED);
    }
}

/// `private :a, :b`, `module_function :a`, `private_class_method :a` about methods that stand above.
fn listed(how: &str, args: &[Node<'_>], cx: &mut Cx<'_>) {
    let Some(owner) = owner_type(cx) else { return };
    for &arg in args {
        let Some(text) = named(arg, cx) else { continue };
        let found = cx
            .facts
            .symbols
            .iter_mut()
            .rev()
            .take(2000)
            .find(|s| s.parent == Some(owner) && &*cx.facts.names[s.name as usize] == text);
        let Some(symbol) = found else { continue };
        match how {
            "module_function" => symbol.flags.set(SymbolFlags::STATIC),
            "public" => symbol.flags.set(SymbolFlags::EXPORTED),
            _ => symbol.flags.0 &= !SymbolFlags::EXPORTED,
        }
    }
}

/// Class-level calls whose symbols name methods of the class.
fn is_callback(name: &str) -> bool {
    [
        "before_",
        "after_",
        "around_",
        "skip_before_",
        "skip_after_",
        "append_",
        "prepend_",
    ]
    .iter()
    .any(|p| name.starts_with(p))
        || matches!(
            name,
            "validate" | "helper_method" | "rescue_from" | "memoize" | "set_callback" | "hide_action"
        )
}

/// The symbols among arguments are uses of methods of the type.
fn refer_symbols<'t>(node: Node<'t>, args: &[Node<'t>], cx: &mut Cx<'t>) {
    for &arg in args {
        // `with: :handler`, `if: :ready?`.
        let arg = match arg.kind() {
            "pair" => match arg.child_by_field_name("value") {
                Some(value) if value.kind() == "simple_symbol" => value,
                _ => continue,
            },
            "simple_symbol" => arg,
            _ => continue,
        };
        let Some(text) = named(arg, cx).filter(|t| is_method_name(t)) else {
            continue;
        };
        let expr = match method_base(node, cx).filter(|_| owner_type(cx).is_some()) {
            Some(base) => cx.member_expr(base, text),
            None => cx.name_expr_of(text, arg.start_byte()),
        };
        let (name, line) = (cx.name(text), cx.line(arg));
        cx.refer_named(Role::Value, expr, name, line, 255);
    }
}

/// `let(:x) { … }` and `subject(:x) { … }` of RSpec define a method.
fn test_definition<'t>(name: &str, node: Node<'t>, args: &[Node<'t>], cx: &mut Cx<'t>) -> bool {
    if !matches!(name, "let" | "let!" | "subject") || node.child_by_field_name("block").is_none() {
        return false;
    }
    let Some(arg) = argument(node, 0).filter(|_| args.len() == 1) else {
        return false;
    };
    let Some(text) = named(arg, cx).filter(|t| is_method_name(t)) else {
        return false;
    };
    let (id, line) = (cx.name(text), cx.line(arg));
    let ix = cx.define_named(Kind::Method, node, id, line);
    cx.sign_to_body(ix, node, None);
    let flags = &mut cx.symbol(ix).flags;
    flags.set(SymbolFlags::TEST);
    flags.set(SymbolFlags::ASSIGNED);
    name_block(ix, node, cx);
    true
}
