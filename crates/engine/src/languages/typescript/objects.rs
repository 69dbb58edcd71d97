//! Object literals: which of their keys are definitions, and whose.

use super::define::{self, is_function, sign};
use super::exprs::{child, peel, plain, value};
use super::extract::{Word, said, say};
use crate::extract::Cx;
use crate::facts::{Export, Expr, Kind, Member, SymbolFlags, SymbolIx};
use tree_sitter::Node;

/// Whether an object literal has functions among its keys.
pub fn has_functions(object: Node<'_>, depth: u32) -> bool {
    let mut cursor = object.walk();
    object.named_children(&mut cursor).any(|c| match c.kind() {
        "method_definition" => true,
        "pair" => c.child_by_field_name("value").map(peel).is_some_and(|v| {
            is_function(v) || v.kind() == "class" || (v.kind() == "object" && depth < 4 && has_functions(v, depth + 1))
        }),
        _ => false,
    })
}

/// An object literal that nobody has spoken for: what stands around it decides.
pub fn object<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    if said(cx, node).is_none() {
        let word = around(cx);
        say(cx, node, word);
    }
    shorthands(node, cx);
}

fn around(cx: &Cx<'_>) -> Word {
    for above in cx.ancestors() {
        match above.kind() {
            "parenthesized_expression" | "as_expression" | "satisfies_expression" => {}
            "return_statement" | "arrow_function" => return Word::Named,
            // What a call takes inside a function is part of that function's code.
            _ if cx.in_callable() => return Word::Anonymous,
            _ => return Word::Named,
        }
    }
    Word::Anonymous
}

/// `{ a, b }` as the value of a definition, or handed out by a module.
fn shorthands<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let word = said(cx, node);
    if !matches!(word, Some(Word::Symbol(_) | Word::Exports)) {
        return;
    }
    let mut cursor = node.walk();
    let keys: Vec<Node<'t>> = node
        .named_children(&mut cursor)
        .filter(|c| c.kind() == "shorthand_property_identifier")
        .collect();
    for key in keys {
        let value = value(key, cx);
        let text = cx.src(key);
        hold(word, text, value, cx);
    }
}

/// A key that is no definition of its own.
fn hold<'t>(word: Option<Word>, key: &'t str, value: u32, cx: &mut Cx<'t>) {
    match word {
        Some(Word::Symbol(of)) => {
            let name = cx.name(key);
            cx.facts.members.push(Member {
                of,
                name,
                ty: None,
                value: Some(value),
            });
        }
        Some(Word::Exports) => cx.facts.exports.push(Export::Local {
            name: key.into(),
            value,
        }),
        _ => {}
    }
}

/// Whether the functions of this object literal are definitions.
pub fn names<'t>(object: Node<'t>, cx: &Cx<'t>) -> bool {
    !matches!(said(cx, object), Some(Word::Anonymous) | None)
}

/// Gives a definition in an object literal to the object's owner.
pub fn own<'t>(ix: SymbolIx, object: Node<'t>, cx: &mut Cx<'t>) {
    cx.symbol(ix).flags.set(SymbolFlags::ASSIGNED);
    match said(cx, object) {
        Some(Word::Owned(container)) => {
            if let Some(&owner) = cx.described.get(&object.id()) {
                let s = cx.symbol(ix);
                s.owner = Some(owner);
                s.container = container;
            }
        }
        Some(Word::Exports) => {
            let value = cx.expr(Expr::Symbol(ix));
            let name = cx.facts.symbols[ix as usize].name;
            let name = cx.facts.name(name).into();
            cx.facts.exports.push(Export::Local { name, value });
        }
        _ => {}
    }
}

/// `key: value` in an object literal.
pub fn pair<'t>(node: Node<'t>, cx: &mut Cx<'t>) {
    let Some(object) = cx.parent() else { return };
    let (Some(key), Some(raw)) = (node.child_by_field_name("key"), node.child_by_field_name("value")) else {
        return;
    };
    let given = peel(raw);
    if !names(object, cx) {
        if given.kind() == "object" {
            say(cx, given, Word::Anonymous);
        }
        return;
    }
    if key.kind() == "computed_property_name" && child(key, 0).is_none_or(|c| c.kind() != "string") {
        return;
    }
    let text = plain(cx, key);
    let kind = match given.kind() {
        "class" => Kind::Class,
        "object" if has_functions(given, 0) => Kind::Property,
        _ if is_function(given) => match said(cx, object) {
            Some(Word::Exports) => Kind::Function,
            _ => Kind::Method,
        },
        _ => {
            let word = said(cx, object);
            if matches!(word, Some(Word::Symbol(_) | Word::Exports)) {
                let value = value(raw, cx);
                if cx.facts.exprs[value as usize] != Expr::Literal || word == Some(Word::Exports) {
                    hold(word, text, value, cx);
                }
            }
            return;
        }
    };
    let (id, line) = (cx.name(text), cx.line(key));
    let ix = cx.define_unbound(kind, node, id, line);
    own(ix, object, cx);
    match kind {
        Kind::Class => super::classes::name_class(ix, node, given, cx),
        Kind::Property => {
            sign(ix, node, Some(given), cx);
            say(cx, given, Word::Symbol(ix));
            cx.open_plain(ix);
        }
        _ => {
            define::name_function(ix, node, given, cx);
            cx.open_plain(ix);
        }
    }
}
