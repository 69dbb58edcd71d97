//! The node kinds of PHP that extraction cares about, and where each one is dealt with.

use super::{assign, defs, exprs, imports, types, uses};
use crate::extract::{Cx, Extract, Walk};
use crate::facts::ScopeKind;
use crate::lexical::ScopeRules;
use tree_sitter::Node;

/// Extraction for PHP.
pub struct Extraction;

/// Word for a node that its parent dealt with: it is no use of its own.
pub(super) const DONE: u32 = 1;
/// Word for a closure that an assignment names: `SYMBOL + 4 * symbol`.
pub(super) const SYMBOL: u32 = 2;
/// Word for a body whose scope is made: `BODY + 4 * scope`.
pub(super) const BODY: u32 = 3;

const NAMESPACE: u16 = 1;
const USE: u16 = 2;
const INCLUDE: u16 = 3;
const CLASS: u16 = 4;
const INTERFACE: u16 = 5;
const TRAIT: u16 = 6;
const ENUM: u16 = 7;
const ANONYMOUS_CLASS: u16 = 8;
const FUNCTION: u16 = 9;
const METHOD: u16 = 10;
const CLOSURE: u16 = 11;
const PROPERTY: u16 = 12;
const CONST: u16 = 13;
const CASE: u16 = 14;
const TRAIT_USE: u16 = 15;
const HOOK: u16 = 16;
const ASSIGNMENT: u16 = 17;
const FOREACH: u16 = 18;
const CATCH: u16 = 19;
const STATIC_VARIABLE: u16 = 20;
const IF: u16 = 21;
const RETURN: u16 = 22;
const BLOCK: u16 = 23;
const CALL: u16 = 24;
const MEMBER_CALL: u16 = 25;
const SCOPED_CALL: u16 = 26;
const NEW: u16 = 27;
const MEMBER: u16 = 28;
const STATIC_PROPERTY: u16 = 29;
const CLASS_CONSTANT: u16 = 30;
const NAME: u16 = 31;
const VARIABLE: u16 = 32;
const NAMED_TYPE: u16 = 33;
const ATTRIBUTE: u16 = 34;
const INSTANCEOF: u16 = 35;
const ARRAY: u16 = 36;
const ARGUMENT: u16 = 37;
const SKIP: u16 = 38;

impl Extract for Extraction {
    fn table(&self) -> &'static [(&'static str, u16)] {
        &[
            ("namespace_definition", NAMESPACE),
            ("namespace_use_declaration", USE),
            ("include_expression", INCLUDE),
            ("include_once_expression", INCLUDE),
            ("require_expression", INCLUDE),
            ("require_once_expression", INCLUDE),
            ("class_declaration", CLASS),
            ("interface_declaration", INTERFACE),
            ("trait_declaration", TRAIT),
            ("enum_declaration", ENUM),
            ("anonymous_class", ANONYMOUS_CLASS),
            ("function_definition", FUNCTION),
            ("method_declaration", METHOD),
            ("anonymous_function", CLOSURE),
            ("arrow_function", CLOSURE),
            ("property_declaration", PROPERTY),
            ("const_declaration", CONST),
            ("enum_case", CASE),
            ("use_declaration", TRAIT_USE),
            ("property_hook", HOOK),
            ("assignment_expression", ASSIGNMENT),
            ("reference_assignment_expression", ASSIGNMENT),
            ("augmented_assignment_expression", ASSIGNMENT),
            ("foreach_statement", FOREACH),
            ("catch_clause", CATCH),
            ("static_variable_declaration", STATIC_VARIABLE),
            ("if_statement", IF),
            ("else_if_clause", IF),
            ("return_statement", RETURN),
            ("compound_statement", BLOCK),
            ("declaration_list", BLOCK),
            ("enum_declaration_list", BLOCK),
            ("function_call_expression", CALL),
            ("member_call_expression", MEMBER_CALL),
            ("nullsafe_member_call_expression", MEMBER_CALL),
            ("scoped_call_expression", SCOPED_CALL),
            ("object_creation_expression", NEW),
            ("member_access_expression", MEMBER),
            ("nullsafe_member_access_expression", MEMBER),
            ("scoped_property_access_expression", STATIC_PROPERTY),
            ("class_constant_access_expression", CLASS_CONSTANT),
            ("name", NAME),
            ("qualified_name", NAME),
            ("relative_name", NAME),
            ("variable_name", VARIABLE),
            ("named_type", NAMED_TYPE),
            ("attribute", ATTRIBUTE),
            ("binary_expression", INSTANCEOF),
            ("array_creation_expression", ARRAY),
            ("argument", ARGUMENT),
            ("goto_statement", SKIP),
            ("named_label_statement", SKIP),
            ("use_list", SKIP),
        ]
    }

    fn enter<'t>(&self, role: u16, node: Node<'t>, cx: &mut Cx<'t>) -> Walk {
        match role {
            NAMESPACE => defs::namespace(node, cx),
            USE => return imports::uses(node, cx),
            INCLUDE => imports::include(node, cx),
            CLASS | INTERFACE | TRAIT | ENUM => defs::type_definition(node, cx),
            ANONYMOUS_CLASS => defs::anonymous_class(node, cx),
            FUNCTION | METHOD => defs::function(node, cx),
            CLOSURE => defs::closure(node, cx),
            PROPERTY => defs::properties(node, cx),
            CONST => defs::constants(node, cx),
            CASE => defs::enum_case(node, cx),
            TRAIT_USE => defs::trait_use(node, cx),
            HOOK => {
                if let Some(name) = children(node).into_iter().find(|n| n.kind() == "name") {
                    cx.mark(name, DONE);
                }
                cx.open_scope(ScopeKind::Function);
            }
            ASSIGNMENT => assign::assignment(node, cx),
            FOREACH => assign::foreach(node, cx),
            CATCH => assign::catch(node, cx),
            STATIC_VARIABLE => assign::static_variable(node, cx),
            IF => assign::narrow(node, cx),
            RETURN => defs::returned(node, cx),
            BLOCK => {
                if let Some(word) = cx.marked(node)
                    && word % 4 == BODY
                {
                    cx.reopen(word / 4);
                }
            }
            CALL => uses::call(node, cx),
            MEMBER_CALL => uses::member_call(node, cx),
            SCOPED_CALL => uses::scoped_call(node, cx),
            NEW => uses::creation(node, cx),
            MEMBER => uses::member(node, cx),
            STATIC_PROPERTY => uses::static_property(node, cx),
            CLASS_CONSTANT => uses::class_constant(node, cx),
            NAME => return uses::name(node, cx),
            VARIABLE => return uses::variable(node, cx),
            NAMED_TYPE => types::named(node, cx),
            ATTRIBUTE => uses::attribute(node, cx),
            INSTANCEOF => uses::instance_of(node, cx),
            ARRAY => uses::callable_array(node, cx),
            ARGUMENT => {
                if let Some(name) = node.child_by_field_name("name") {
                    cx.mark(name, DONE);
                }
            }
            SKIP => return Walk::Over,
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

/// Describes an expression; see [`exprs::expr`].
pub(super) fn describe<'t>(node: Node<'t>, cx: &mut Cx<'t>) -> crate::facts::ExprId {
    exprs::expr(node, 0, cx)
}
