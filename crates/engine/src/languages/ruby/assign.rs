//! What binds names: assignments, `rescue`, `for`, patterns.

use super::defs::{bind_all, define_constant, depth, document, lambda_of, owner_type};
use super::exprs::{argument, join, local_scope, named};
use super::extract::{BLOCK_OF, DONE, children, describe};
use crate::extract::Cx;
use crate::facts::*;
use tree_sitter::Node;

/// `x = …`, `X = …`, `@x ||= …`, `a, b = …`, `x.y = …`.
pub(super) fn assignment<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let Some(left) = node.child_by_field_name("left") else {
        return;
    };
    let right = node.child_by_field_name("right");
    if left.kind() != "left_assignment_list" {
        one(node, left, right, cx);
        return;
    }
    let targets = children(left);
    let values = right
        .filter(|r| matches!(r.kind(), "right_assignment_list" | "array"))
        .map(|r| children(r));
    let paired =
        values.filter(|v| v.len() == targets.len() && targets.iter().all(|t| !matches!(t.kind(), "rest_assignment")));
    for (n, &target) in targets.iter().enumerate() {
        match target.kind() {
            "destructured_left_assignment" | "rest_assignment" => bind_locals(target, node.end_byte(), cx),
            _ => one(node, target, paired.as_ref().map(|v| v[n]), cx),
        }
    }
}

fn bind_locals<'t>(pattern: Node<'t>, from: usize, cx: &mut Cx<'t>) {
    let mut open = vec![pattern];
    while let Some(node) = open.pop() {
        match node.kind() {
            "identifier" => local(node, from, None, cx),
            "destructured_left_assignment" | "rest_assignment" => open.extend(children(node).into_iter().rev()),
            _ => {}
        }
    }
}

fn one<'t>(node: Node<'t>, left: Node<'t>, right: Option<Node<'t>>, cx: &mut Cx<'t>) {
    match left.kind() {
        "identifier" => match right.and_then(|r| lambda_of(r, cx)) {
            Some(lambda) => {
                cx.mark(left, DONE);
                let ix = cx.define(Kind::Function, node, left);
                name_lambda(ix, node, lambda, cx);
            }
            None => {
                let value = right.map(|r| describe(r, cx));
                local(left, node.end_byte(), value, cx);
            }
        },
        "constant" | "scope_resolution" => constant(node, left, right, cx),
        "instance_variable" => {
            let Some(of) = owner_type(cx) else { return };
            let text = cx.src(left);
            let name = cx.name(text);
            let value = right.map(|r| describe(r, cx));
            cx.facts.members.push(Member {
                of,
                name,
                ty: None,
                value,
            });
        }
        "class_variable" | "global_variable" => {
            let text = cx.src(left);
            let name = cx.name(text);
            let kind = if left.kind() == "class_variable" {
                Kind::Field
            } else {
                Kind::Variable
            };
            let scope = match kind {
                Kind::Field => owner_scope(cx),
                _ => 0,
            };
            let value = right.map(|r| describe(r, cx));
            match cx.bound(scope, name) {
                Some(Bound::Symbol(ix)) => {
                    if let Some(new) = value {
                        let before = cx.symbol(ix).value;
                        let joined = match before {
                            None => Some(new),
                            Some(old) if depth(old, cx) < 3 => Some(join(old, new, cx)),
                            old => old,
                        };
                        cx.symbol(ix).value = joined;
                    }
                    let expr = cx.name_expr(left);
                    cx.refer(Role::Value, expr, left, 255);
                }
                _ => {
                    let line = cx.line(left);
                    let ix = cx.define_unbound(kind, node, name, line);
                    cx.add_binding(scope, name, 0, Bound::Symbol(ix));
                    cx.sign_to_body(ix, node, None);
                    document(ix, node, cx);
                    cx.symbol(ix).value = value;
                }
            }
        }
        // `x.name = v` calls `name=`.
        "call" => {
            let (Some(receiver), Some(method)) =
                (left.child_by_field_name("receiver"), left.child_by_field_name("method"))
            else {
                return;
            };
            cx.mark(left, DONE);
            cx.mark(method, DONE);
            let base = describe(receiver, cx);
            let setter = format!("{}=", cx.src(method));
            let name = cx.name_owned(&setter);
            let expr = cx.expr(Expr::Member { base, name });
            let line = cx.line(method);
            cx.refer_named(Role::Call, expr, name, line, 1);
        }
        _ => {}
    }
}

/// The scope of the class around, else the file's.
fn owner_scope(cx: &Cx<'_>) -> ScopeId {
    owner_type(cx)
        .and_then(|ix| cx.facts.symbols[ix as usize].body)
        .unwrap_or(0)
}

/// `X = …`: a constant, or the class that `Struct.new`, `Class.new` and the like make.
fn constant<'t>(node: Node<'t>, left: Node<'t>, right: Option<Node<'t>>, cx: &mut Cx<'t>) {
    let made = right.filter(|r| r.kind() == "call").and_then(|r| {
        let receiver = r.child_by_field_name("receiver")?;
        let method = r.child_by_field_name("method")?;
        Some((r, cx.src(receiver), cx.src(method)))
    });
    let kind = match made {
        Some((_, "Struct" | "Data" | "::Struct" | "::Data", "new" | "define")) => Kind::Struct,
        Some((_, "Class" | "::Class", "new")) => Kind::Class,
        Some((_, "Module" | "::Module", "new")) => Kind::Module,
        _ => Kind::Constant,
    };
    let lambda = right.and_then(|r| lambda_of(r, cx));
    let kind = if lambda.is_some() { Kind::Function } else { kind };
    let ix = define_constant(kind, node, left, cx);
    cx.sign_to_body(ix, node, None);
    document(ix, node, cx);
    cx.symbol(ix).flags.set(SymbolFlags::EXPORTED);
    if let Some(lambda) = lambda {
        name_lambda(ix, node, lambda, cx);
        return;
    }
    cx.open_plain(ix);
    let Some((call, ..)) = made.filter(|_| kind != Kind::Constant) else {
        let value = right.map(|r| describe(r, cx));
        cx.symbol(ix).value = value;
        return;
    };
    match kind {
        Kind::Class => {
            if let Some(base) = argument(call, 0).filter(|b| matches!(b.kind(), "constant" | "scope_resolution")) {
                let ty = describe(base, cx);
                cx.symbol(ix).supers.push(Super { ty, implements: false });
                cx.mark(base, DONE);
                cx.refer(Role::Inherit, ty, base.child_by_field_name("name").unwrap_or(base), 255);
            }
        }
        Kind::Struct => {
            let fields = call
                .child_by_field_name("arguments")
                .map(|a| children(a))
                .unwrap_or_default();
            for field in fields.into_iter().filter(|f| f.kind() == "simple_symbol") {
                if let Some(text) = named(field, cx) {
                    let name = cx.name(text);
                    let line = cx.line(field);
                    let member = cx.define_unbound(Kind::Property, field, name, line);
                    cx.sign_to_body(member, field, None);
                    cx.symbol(member).flags.set(SymbolFlags::GETTER | SymbolFlags::EXPORTED);
                }
            }
        }
        _ => {}
    }
    if let Some(block) = call.child_by_field_name("block") {
        cx.mark(block, BLOCK_OF + 4 * ix);
    }
    // The call itself is how the class is declared.
    if let Some(receiver) = call.child_by_field_name("receiver") {
        cx.mark(receiver, DONE);
    }
    cx.mark(call, DONE);
}

/// A lambda is named by what it is assigned to.
fn name_lambda<'t>(ix: SymbolIx, node: Node<'t>, lambda: Node<'t>, cx: &mut Cx<'t>) {
    cx.sign_to_body(ix, node, None);
    document(ix, node, cx);
    cx.symbol(ix).flags.set(SymbolFlags::ASSIGNED);
    cx.mark(lambda, BLOCK_OF + 4 * ix);
    cx.open_plain(ix);
}

/// Binds a local where it lives: in the scope that has it already, else here.
fn local<'t>(name: Node<'t>, from: usize, value: Option<ExprId>, cx: &mut Cx<'t>) {
    cx.mark(name, DONE);
    let text = cx.src(name);
    let id = cx.name(text);
    let scope = local_scope(id, cx).unwrap_or_else(|| cx.scope());
    cx.bind_in(scope, text, from, None, value);
}

/// `rescue A, B => e`.
pub(super) fn rescue<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let mut ty = None;
    if let Some(kinds) = node.child_by_field_name("exceptions") {
        for kind in children(kinds).into_iter().take(4) {
            if matches!(kind.kind(), "constant" | "scope_resolution") {
                let id = describe(kind, cx);
                ty = Some(match ty {
                    Some(so_far) => join(so_far, id, cx),
                    None => id,
                });
                cx.mark(kind, DONE);
                cx.refer(Role::Type, id, kind.child_by_field_name("name").unwrap_or(kind), 255);
            }
        }
    }
    if let Some(name) = node
        .child_by_field_name("variable")
        .and_then(|v| v.named_child(0))
        .filter(|n| n.kind() == "identifier")
    {
        cx.mark(name, DONE);
        let text = cx.src(name);
        let scope = cx.scope();
        cx.bind_in(scope, text, name.end_byte(), ty, None);
    }
}

/// `for x in xs`.
pub(super) fn for_in<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let (Some(pattern), Some(value)) = (node.child_by_field_name("pattern"), node.child_by_field_name("value")) else {
        return;
    };
    if pattern.kind() == "identifier" {
        let value = value.named_child(0).map(|of| {
            let of = describe(of, cx);
            cx.expr(Expr::Element { of })
        });
        local(pattern, pattern.end_byte(), value, cx);
    } else {
        bind_all(pattern, cx);
    }
}

/// `in pattern`: its plain names are bound, its constants are uses.
pub(super) fn pattern<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let Some(pattern) = node.child_by_field_name("pattern") else {
        return;
    };
    let mut open = vec![pattern];
    while let Some(node) = open.pop() {
        match node.kind() {
            "identifier" => local(node, node.start_byte(), None, cx),
            "keyword_pattern" if node.child_by_field_name("value").is_none() => {
                if let Some(key) = node.child_by_field_name("key") {
                    local(key, key.start_byte(), None, cx);
                }
            }
            "variable_reference_pattern" | "expression_reference_pattern" => {}
            _ => open.extend(children(node)),
        }
    }
}
