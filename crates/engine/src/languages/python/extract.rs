//! The node kinds of Python that extraction cares about, and where each one is dealt with.

use super::{assign, decorate, defs, exprs, imports, types, uses};
use crate::extract::{Cx, Extract, Walk};
use crate::facts::Role;
use crate::lexical::ScopeRules;
use tree_sitter::Node;

/// Extraction for Python.
pub struct Extraction;

/// Word for a node that its parent dealt with: it is no use of its own.
pub(super) const DONE: u32 = 1;
/// Word for a definition that its decorators opened: `SYMBOL + 4 * index`.
pub(super) const SYMBOL: u32 = 2;
/// Word for a body whose scope is made: `BODY + 4 * scope`.
pub(super) const BODY: u32 = 3;

const FUNCTION: u16 = 1;
const CLASS: u16 = 2;
const DECORATED: u16 = 3;
const BLOCK: u16 = 4;
const LAMBDA: u16 = 5;
const COMPREHENSION: u16 = 6;
const ASSIGNMENT: u16 = 7;
const AUGMENTED: u16 = 8;
const NAMED: u16 = 9;
const FOR: u16 = 10;
const AS: u16 = 11;
const EXCEPT: u16 = 12;
const IF: u16 = 13;
const ASSERT: u16 = 14;
const GLOBAL: u16 = 15;
const NONLOCAL: u16 = 16;
const RETURN: u16 = 17;
const YIELD: u16 = 18;
const IMPORT: u16 = 19;
const FROM: u16 = 20;
const CALL: u16 = 21;
const ATTRIBUTE: u16 = 22;
const IDENTIFIER: u16 = 23;
const KEYWORD: u16 = 24;
const TYPE: u16 = 25;
const STRING: u16 = 26;
const CASE_CLASS: u16 = 27;
const CASE_NAME: u16 = 28;
const CASE_KEYWORD: u16 = 29;
const CASE_SPLAT: u16 = 30;
const ALIAS: u16 = 31;
const FUTURE: u16 = 32;

impl Extract for Extraction {
    fn table(&self) -> &'static [(&'static str, u16)] {
        &[
            ("function_definition", FUNCTION),
            ("class_definition", CLASS),
            ("decorated_definition", DECORATED),
            ("block", BLOCK),
            ("lambda", LAMBDA),
            ("list_comprehension", COMPREHENSION),
            ("set_comprehension", COMPREHENSION),
            ("dictionary_comprehension", COMPREHENSION),
            ("generator_expression", COMPREHENSION),
            ("assignment", ASSIGNMENT),
            ("augmented_assignment", AUGMENTED),
            ("named_expression", NAMED),
            ("for_statement", FOR),
            ("as_pattern", AS),
            ("except_clause", EXCEPT),
            ("if_statement", IF),
            ("elif_clause", IF),
            ("assert_statement", ASSERT),
            ("global_statement", GLOBAL),
            ("nonlocal_statement", NONLOCAL),
            ("return_statement", RETURN),
            ("yield", YIELD),
            ("import_statement", IMPORT),
            ("import_from_statement", FROM),
            ("future_import_statement", FUTURE),
            ("call", CALL),
            ("attribute", ATTRIBUTE),
            ("identifier", IDENTIFIER),
            ("keyword_argument", KEYWORD),
            ("type", TYPE),
            ("string", STRING),
            ("class_pattern", CASE_CLASS),
            ("dotted_name", CASE_NAME),
            ("keyword_pattern", CASE_KEYWORD),
            ("splat_pattern", CASE_SPLAT),
            ("type_alias_statement", ALIAS),
        ]
    }

    fn enter<'t>(&self, role: u16, node: Node<'t>, cx: &mut Cx<'t>) -> Walk {
        match role {
            FUNCTION => defs::function(node, cx),
            CLASS => defs::class(node, cx),
            DECORATED => decorate::decorated(node, cx),
            BLOCK => {
                if let Some(word) = cx.marked(node)
                    && word % 4 == BODY
                {
                    cx.reopen(word / 4);
                }
            }
            LAMBDA => defs::lambda(node, cx),
            COMPREHENSION => assign::comprehension(node, cx),
            ASSIGNMENT => assign::assignment(node, cx),
            AUGMENTED => assign::augmented(node, cx),
            NAMED => assign::walrus(node, cx),
            FOR => assign::for_in(node, cx),
            AS => assign::as_pattern(node, cx),
            EXCEPT => assign::except(node, cx),
            IF => assign::narrow_branch(node, cx),
            ASSERT => assign::narrow_assert(node, cx),
            GLOBAL => assign::global(node, cx),
            NONLOCAL => assign::nonlocal(node, cx),
            RETURN => defs::returned(node, cx),
            YIELD => defs::yielded(node, cx),
            IMPORT => return imports::import(node, cx),
            FROM => return imports::from(node, cx),
            FUTURE => return Walk::Over,
            CALL => uses::call(node, cx),
            ATTRIBUTE => uses::attribute(node, cx),
            IDENTIFIER => uses::identifier(node, cx),
            KEYWORD => {
                if let Some(name) = node.child_by_field_name("name") {
                    cx.mark(name, DONE);
                }
            }
            TYPE => types::enter(node, cx),
            STRING => types::quoted(node, cx),
            CASE_CLASS => uses::case_class(node, cx),
            CASE_NAME => return uses::case_name(node, cx),
            CASE_KEYWORD => uses::case_keyword(node, cx),
            CASE_SPLAT => uses::case_splat(node, cx),
            ALIAS => types::alias(node, cx),
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

/// The named children of a node, comments left out.
pub(super) fn children<'t>(node: Node<'t>) -> Vec<Node<'t>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor)
        .filter(|n| n.kind() != "comment")
        .collect()
}

/// The role of a plain use here: a type inside an annotation, a value elsewhere.
pub(super) fn plain_role(node: Node<'_>, cx: &Cx<'_>) -> Role {
    let until = cx.notes.get(types::UNTIL).copied().unwrap_or(0);
    if (node.start_byte() as u32) < until {
        Role::Type
    } else {
        Role::Value
    }
}

/// Describes an expression; see [`exprs::expr`].
pub(super) fn describe<'t>(node: Node<'t>, cx: &mut Cx<'t>) -> crate::facts::ExprId {
    exprs::expr(node, 0, cx)
}
