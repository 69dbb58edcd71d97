//! The node kinds of Ruby that extraction cares about, and where each one is dealt with.

use super::{assign, calls, defs, exprs};
use crate::extract::{Cx, Extract, Walk};
use crate::facts::{Expr, ScopeKind};
use crate::lexical::ScopeRules;
use tree_sitter::Node;

/// Extraction for Ruby.
pub struct Extraction;

/// Word for a node that its parent dealt with: it is no use of its own.
pub(super) const DONE: u32 = 1;
/// Word for the last statement of a method, which is what it gives: `GIVEN + 4 * symbol`.
pub(super) const GIVEN: u32 = 2;
/// Word for a block whose scope and definition are known: `BLOCK_OF + 4 * symbol`.
pub(super) const BLOCK_OF: u32 = 3;

const MODULE: u16 = 1;
const CLASS: u16 = 2;
const METHOD: u16 = 3;
const SINGLETON: u16 = 4;
const BLOCK: u16 = 5;
const CALL: u16 = 6;
const IDENTIFIER: u16 = 7;
const CONSTANT: u16 = 8;
const SCOPED: u16 = 9;
const ASSIGNMENT: u16 = 10;
const OPERATOR_ASSIGNMENT: u16 = 11;
const ALIAS: u16 = 12;
const SUPER: u16 = 13;
const RETURN: u16 = 14;
const RESCUE: u16 = 15;
const FOR: u16 = 16;
const PATTERN: u16 = 17;
const LAMBDA: u16 = 18;
const SINGLETON_CLASS: u16 = 19;
const OTHER: u16 = 20;
const UNDEF: u16 = 21;
const BODY: u16 = 22;

impl Extract for Extraction {
    fn table(&self) -> &'static [(&'static str, u16)] {
        &[
            ("module", MODULE),
            ("class", CLASS),
            ("singleton_class", SINGLETON_CLASS),
            ("method", METHOD),
            ("singleton_method", SINGLETON),
            ("block", BLOCK),
            ("do_block", BLOCK),
            ("lambda", LAMBDA),
            ("call", CALL),
            ("identifier", IDENTIFIER),
            ("constant", CONSTANT),
            ("scope_resolution", SCOPED),
            ("assignment", ASSIGNMENT),
            ("operator_assignment", OPERATOR_ASSIGNMENT),
            ("alias", ALIAS),
            ("undef", UNDEF),
            ("super", SUPER),
            ("return", RETURN),
            ("rescue", RESCUE),
            ("for", FOR),
            ("in_clause", PATTERN),
            ("match_pattern", PATTERN),
            ("test_pattern", PATTERN),
            ("body_statement", BODY),
            ("conditional", OTHER),
            ("binary", OTHER),
            ("instance_variable", OTHER),
            ("parenthesized_statements", OTHER),
            ("element_reference", OTHER),
        ]
    }

    fn enter<'t>(&self, role: u16, node: Node<'t>, cx: &mut Cx<'t>) -> Walk {
        let word = cx.marked(node).unwrap_or(0);
        if word % 4 == GIVEN && !matches!(role, RETURN | BODY) {
            defs::gives(word / 4, node, cx);
        }
        if word == DONE && matches!(role, IDENTIFIER | CONSTANT | SCOPED) {
            if let Some(last) = node.child_by_field_name("name") {
                cx.mark(last, DONE);
            }
            return Walk::Into;
        }
        match role {
            MODULE => defs::module(node, cx),
            CLASS => defs::class(node, cx),
            SINGLETON_CLASS => defs::singleton_class(node, cx),
            METHOD => defs::method(node, cx),
            SINGLETON => defs::singleton_method(node, cx),
            BLOCK => defs::block(node, cx),
            LAMBDA => defs::lambda(node, cx),
            CALL => calls::call(node, cx),
            IDENTIFIER => calls::identifier(node, cx),
            CONSTANT | SCOPED => calls::constant(node, cx),
            ASSIGNMENT | OPERATOR_ASSIGNMENT => assign::assignment(node, cx),
            ALIAS => defs::alias(node, cx),
            UNDEF => return Walk::Over,
            SUPER if word != DONE => {
                calls::zsuper(node, cx);
            }
            RETURN => defs::returned(node, cx),
            RESCUE => assign::rescue(node, cx),
            FOR => assign::for_in(node, cx),
            PATTERN => assign::pattern(node, cx),
            _ => {}
        }
        Walk::Into
    }

    fn scope_rules(&self) -> ScopeRules {
        ScopeRules {
            type_scopes_visible: true,
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

/// Note: until this byte, `self` is the class.
pub(super) const STATIC_UNTIL: &str = "static until";

/// What `self` is here: an instance in a method, the type itself in a class method and in the body of a class.
pub(super) fn own(node: Node<'_>, cx: &mut Cx<'_>) -> Expr {
    let scope = cx.scope();
    let is_static = cx
        .notes
        .get(STATIC_UNTIL)
        .is_some_and(|&u| (node.start_byte() as u32) < u);
    let in_body = cx.innermost().is_some() && !in_method(cx);
    if is_static || in_body {
        Expr::SelfType { scope }
    } else {
        Expr::This { scope }
    }
}

/// Whether the walk is inside a method or function.
pub(super) fn in_method(cx: &Cx<'_>) -> bool {
    let mut scope = Some(cx.scope());
    while let Some(id) = scope {
        let fact = cx.facts.scopes[id as usize];
        match fact.kind {
            ScopeKind::Function => return true,
            ScopeKind::Type | ScopeKind::Module => return false,
            _ => scope = fact.parent,
        }
    }
    false
}

/// Describes an expression; see [`exprs::expr`].
pub(super) fn describe<'t>(node: Node<'t>, cx: &mut Cx<'t>) -> crate::facts::ExprId {
    exprs::expr(node, 0, cx)
}
