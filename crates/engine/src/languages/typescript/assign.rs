//! Definitions by assignment: `exports.f = …`, `module.exports = …`, `A.prototype.f = …`, `A.f = …`, `this.f = …`.

use super::define::{is_function, name_function, reassigned, sign};
use super::exprs::{peel, plain, value};
use super::extract::{Word, say};
use super::objects::has_functions;
use super::{classes, exprs};
use crate::extract::Cx;
use crate::facts::{Export, Expr, ExprId, FILE_SYMBOL, Kind, Member, SymbolFlags, SymbolIx};
use tree_sitter::Node;

/// What is assigned to.
enum Place<'t> {
    /// `module.exports`.
    Module,
    /// `exports.name`.
    Export(Node<'t>),
    /// `owner.prototype`.
    Prototype(Node<'t>),
    /// `owner.prototype.name`.
    PrototypeMember(Node<'t>, Node<'t>),
    /// `this.name`.
    This(Node<'t>),
    /// `owner.name`.
    Member(Node<'t>, Node<'t>),
    /// `name`.
    Name(Node<'t>),
    /// Something else.
    Other,
}

fn is_exports<'t>(node: Node<'t>, cx: &Cx<'t>) -> bool {
    matches!(cx.src(node), "exports" | "module.exports")
}

/// Object and property of a member expression; a string index counts.
fn parts<'t>(node: Node<'t>) -> Option<(Node<'t>, Node<'t>)> {
    let object = node.child_by_field_name("object")?;
    let property = match node.kind() {
        "member_expression" => node.child_by_field_name("property")?,
        "subscript_expression" => node.child_by_field_name("index").filter(|i| i.kind() == "string")?,
        _ => return None,
    };
    Some((object, property))
}

/// `owner` of `owner.prototype`.
fn prototype_of<'t>(node: Node<'t>, cx: &Cx<'t>) -> Option<Node<'t>> {
    let (object, property) = parts(node)?;
    (cx.src(property) == "prototype").then_some(object)
}

fn place<'t>(left: Node<'t>, cx: &Cx<'t>) -> Place<'t> {
    if left.kind() == "identifier" {
        return Place::Name(left);
    }
    let Some((object, property)) = parts(left) else {
        return Place::Other;
    };
    if cx.src(left) == "module.exports" {
        return Place::Module;
    }
    if is_exports(object, cx) {
        return Place::Export(property);
    }
    if let Some(owner) = prototype_of(left, cx) {
        return Place::Prototype(owner);
    }
    if let Some(owner) = prototype_of(object, cx) {
        return Place::PrototypeMember(owner, property);
    }
    if object.kind() == "this" {
        return Place::This(property);
    }
    Place::Member(object, property)
}

/// The dotted text of an owner; empty when it is no plain chain.
fn chain<'t>(owner: Node<'t>, cx: &Cx<'t>) -> Option<&'t str> {
    let text = cx.src(owner);
    let plain = text.len() <= 120
        && text
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '.' | '_' | '$'));
    plain.then_some(text)
}

/// `left = right`.
pub fn assignment<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let (Some(left), Some(right)) = (node.child_by_field_name("left"), node.child_by_field_name("right")) else {
        return;
    };
    let given = peel(right);
    let statement = cx
        .parent()
        .filter(|p| p.kind() == "expression_statement")
        .unwrap_or(node);
    match place(left, cx) {
        Place::Module => {
            say(cx, left, Word::Claimed);
            whole(node, statement, given, right, cx);
        }
        Place::Export(name) => {
            say(cx, left, Word::Claimed);
            let text = plain(cx, name);
            match define(statement, name, given, Kind::Function, cx) {
                Some(ix) => {
                    let value = exprs::symbol(ix, cx);
                    cx.symbol(ix).flags.set(SymbolFlags::EXPORTED);
                    if text == "default" {
                        cx.symbol(ix).flags.set(SymbolFlags::DEFAULT_EXPORT);
                    }
                    cx.facts.exports.push(Export::Local {
                        name: text.into(),
                        value,
                    });
                }
                None => {
                    let value = value(right, cx);
                    cx.facts.exports.push(Export::Local {
                        name: text.into(),
                        value,
                    });
                }
            }
        }
        Place::Prototype(owner) => own_object(owner, given, cx),
        Place::PrototypeMember(owner, name) => {
            let Some(container) = chain(owner, cx) else { return };
            if let Some(ix) = define(statement, name, given, Kind::Method, cx) {
                say(cx, left, Word::Claimed);
                let owner = value(owner, cx);
                cx.set_owner(ix, owner, container);
            }
        }
        Place::This(name) => this_member(statement, left, name, given, right, cx),
        Place::Member(owner, name) => {
            let Some(container) = chain(owner, cx) else { return };
            if let Some(ix) = define(statement, name, given, Kind::Method, cx) {
                say(cx, left, Word::Claimed);
                let container = container.strip_prefix("this.").unwrap_or(container);
                let owner = value(owner, cx);
                cx.set_owner(ix, owner, container);
                cx.symbol(ix).flags.set(SymbolFlags::STATIC);
            }
        }
        Place::Name(name) => {
            if is_function(given) && super::define::at_module_level(cx) {
                let ix = cx.define(Kind::Function, statement, name);
                cx.symbol(ix).flags.set(SymbolFlags::ASSIGNED);
                name_function(ix, statement, given, cx);
                say(cx, left, Word::Claimed);
                cx.open_plain(ix);
            } else {
                reassigned(name, right, cx);
            }
        }
        Place::Other => {}
    }
}

/// Defines what is assigned, if it is a function, a class or an object with functions, and opens it.
fn define<'t>(statement: Node<'t>, name: Node<'t>, given: Node<'t>, kind: Kind, cx: &mut Cx<'t>) -> Option<SymbolIx> {
    let kind = match given.kind() {
        "class" => Kind::Class,
        "object" if has_functions(given, 0) => Kind::Property,
        _ if is_function(given) => kind,
        _ => return None,
    };
    let text = plain(cx, name);
    let (id, line) = (cx.name(text), cx.line(name));
    let ix = cx.define_unbound(kind, statement, id, line);
    cx.symbol(ix).flags.set(SymbolFlags::ASSIGNED);
    match kind {
        Kind::Class => classes::name_class(ix, statement, given, cx),
        Kind::Property => {
            sign(ix, statement, Some(given), cx);
            say(cx, given, Word::Symbol(ix));
        }
        _ => name_function(ix, statement, given, cx),
    }
    cx.open_plain(ix);
    Some(ix)
}

/// `module.exports = …`.
fn whole<'t>(node: Node<'t>, statement: Node<'t>, given: Node<'t>, right: Node<'t>, cx: &mut Cx<'t>) {
    if given.kind() == "object" {
        // `var app = module.exports = {}`: what is added to `app` later is handed out too.
        let holder = cx
            .ancestors()
            .find(|a| a.kind() != "assignment_expression")
            .filter(|a| a.kind() == "variable_declarator")
            .and_then(|d| d.child_by_field_name("name"))
            .filter(|n| n.kind() == "identifier");
        if let Some(holder) = holder {
            let text = cx.src(holder);
            let value = cx.name_expr_of(text, node.end_byte());
            cx.facts.exports.push(Export::Whole { value });
        }
        say(cx, given, Word::Exports);
        return;
    }
    if is_function(given) || given.kind() == "class" {
        let own = given.child_by_field_name("name");
        let text = own.map_or("default", |n| cx.src(n));
        let (id, line) = (cx.name(text), cx.line(own.unwrap_or(node)));
        let kind = if given.kind() == "class" {
            Kind::Class
        } else {
            Kind::Function
        };
        let ix = cx.define_unbound(kind, statement, id, line);
        let flags = SymbolFlags::ASSIGNED | SymbolFlags::EXPORTED | SymbolFlags::DEFAULT_EXPORT;
        cx.symbol(ix).flags.set(flags);
        match kind {
            Kind::Class => classes::name_class(ix, statement, given, cx),
            _ => name_function(ix, statement, given, cx),
        }
        let value = exprs::symbol(ix, cx);
        cx.facts.exports.push(Export::Whole { value });
        cx.open_plain(ix);
        return;
    }
    let value = value(right, cx);
    cx.facts.exports.push(Export::Whole { value });
}

/// Gives the functions of an object literal to an owner (`A.prototype = {…}`, `Object.assign(A.prototype, {…})`).
pub fn own_object<'t>(owner: Node<'t>, object: Node<'t>, cx: &mut Cx<'t>) {
    if object.kind() != "object" {
        return;
    }
    let Some(container) = chain(owner, cx) else { return };
    let expr = value(owner, cx);
    let name = cx.name(container);
    cx.described.insert(object.id(), expr);
    say(cx, object, Word::Owned(name));
}

/// `Object.assign(A.prototype, {…})` and `Object.assign(A, {…})`.
pub fn object_assign<'t>(call: Node<'t>, cx: &mut Cx<'t>) {
    let Some(arguments) = call.child_by_field_name("arguments") else {
        return;
    };
    let Some(target) = exprs::child(arguments, 0) else {
        return;
    };
    let mut cursor = arguments.walk();
    let objects: Vec<Node<'t>> = arguments.named_children(&mut cursor).skip(1).collect();
    for object in objects {
        if is_exports(target, cx) && object.kind() == "object" {
            say(cx, object, Word::Exports);
        } else if target.kind() != "object" {
            own_object(prototype_of(target, cx).unwrap_or(target), object, cx);
        }
    }
}

/// The type or constructor function that `this` stands for.
fn holder(cx: &Cx<'_>) -> Option<SymbolIx> {
    if let Some(class) = cx.enclosing_type() {
        return Some(class);
    }
    let within = cx.within();
    (within != FILE_SYMBOL && cx.facts.symbols[within as usize].kind == Kind::Function).then_some(within)
}

fn this_member<'t>(
    statement: Node<'t>,
    left: Node<'t>,
    name: Node<'t>,
    given: Node<'t>,
    right: Node<'t>,
    cx: &mut Cx<'t>,
) {
    let Some(of) = holder(cx) else { return };
    if is_function(given) {
        let scope = cx.scope();
        let owner: ExprId = cx.expr(Expr::This { scope });
        let container = cx.facts.qualified(of);
        if let Some(ix) = define(statement, name, given, Kind::Method, cx) {
            say(cx, left, Word::Claimed);
            cx.set_owner(ix, owner, &container);
        }
        return;
    }
    let value = value(right, cx);
    let text = plain(cx, name);
    let name = cx.name(text);
    cx.facts.members.push(Member {
        of,
        name,
        ty: None,
        value: Some(value),
    });
}
