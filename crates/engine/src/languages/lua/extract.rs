//! The node kinds of Lua that extraction cares about, and where each one is dealt with.

use super::{assign, defs, exprs, uses};
use crate::extract::{Cx, Extract, Walk};
use crate::facts::{Kind, ScopeKind};
use crate::lexical::ScopeRules;
use tree_sitter::Node;

/// Extraction for Lua.
pub struct Extraction;

/// Word for a node that its parent dealt with: it is no use of its own.
pub(super) const DONE: u32 = 1;
/// Word for a function that something names: `SYMBOL + 4 * symbol`.
pub(super) const SYMBOL: u32 = 2;
/// Word for a field of the table that the file returns.
pub(super) const HANDED_OUT: u32 = 3;

const FUNCTION: u16 = 1;
const ANONYMOUS: u16 = 2;
const ASSIGNMENT: u16 = 3;
const LOCAL: u16 = 4;
const FIELD: u16 = 5;
const FOR: u16 = 6;
const BLOCK: u16 = 7;
const RETURN: u16 = 8;
const CALL: u16 = 9;
const INDEX: u16 = 10;
const IDENTIFIER: u16 = 11;
const SKIP: u16 = 12;

impl Extract for Extraction {
    fn table(&self) -> &'static [(&'static str, u16)] {
        &[
            ("function_declaration", FUNCTION),
            ("function_definition", ANONYMOUS),
            ("assignment_statement", ASSIGNMENT),
            ("variable_declaration", LOCAL),
            ("field", FIELD),
            ("for_statement", FOR),
            ("block", BLOCK),
            ("return_statement", RETURN),
            ("function_call", CALL),
            ("dot_index_expression", INDEX),
            ("identifier", IDENTIFIER),
            ("goto_statement", SKIP),
            ("label_statement", SKIP),
            ("attribute", SKIP),
        ]
    }

    fn enter<'t>(&self, role: u16, node: Node<'t>, cx: &mut Cx<'t>) -> Walk {
        match role {
            FUNCTION => defs::function(node, cx),
            ANONYMOUS => defs::anonymous(node, cx),
            ASSIGNMENT => assign::assignment(node, cx),
            LOCAL => assign::declaration(node, cx),
            FIELD => defs::field(node, cx),
            FOR => assign::for_statement(node, cx),
            BLOCK => {
                cx.open_scope(ScopeKind::Block);
            }
            RETURN => defs::returned(node, cx),
            CALL => uses::call(node, cx),
            INDEX => uses::index(node, cx),
            IDENTIFIER => uses::identifier(node, cx),
            SKIP => return Walk::Over,
            _ => {}
        }
        Walk::Into
    }

    /// A table without members is a plain variable.
    fn finish(&self, cx: &mut Cx<'_>) {
        let mut has_members = vec![false; cx.facts.symbols.len()];
        for ix in 0..cx.facts.symbols.len() {
            if let Some(parent) = cx.facts.symbols[ix].parent {
                has_members[parent as usize] = true;
            }
        }
        for member in &cx.facts.members {
            has_members[member.of as usize] = true;
        }
        for binding in &cx.facts.bindings {
            let scope = cx.facts.scopes[binding.scope as usize];
            if let (ScopeKind::Type, Some(symbol)) = (scope.kind, scope.symbol) {
                has_members[symbol as usize] = true;
            }
        }
        for (symbol, members) in cx.facts.symbols.iter_mut().zip(has_members) {
            if symbol.kind == Kind::Object && !members && symbol.supers.is_empty() {
                symbol.kind = Kind::Variable;
                symbol.body = None;
            }
        }
    }

    fn scope_rules(&self) -> ScopeRules {
        ScopeRules {
            type_scopes_visible: false,
            hoisted: false,
        }
    }
}

/// The named children of a node, comments left out.
pub(super) fn children<'t>(node: Node<'t>) -> Vec<Node<'t>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor)
        .filter(|n| n.kind() != "comment")
        .collect()
}

/// Describes an expression; see [`exprs::expr`].
pub(super) fn describe<'t>(node: Node<'t>, cx: &mut Cx<'t>) -> crate::facts::ExprId {
    exprs::expr(node, 0, cx)
}
