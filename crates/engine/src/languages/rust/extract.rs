//! The node kinds that matter in Rust, and which module deals with each.
//!
//! Paths are chains of names; their heads `crate`, `self` and `super` are plain names, which resolution knows. `mod x;` is an
//! import of the module `self::x`; a `#[path = "…"]` follows behind a `#`: `self::x#other.rs`.

use super::{attributes, define, imports, items, macros, patterns, uses};
use crate::extract::{Cx, Extract, Walk};
use crate::facts::ScopeKind;
use crate::lexical::ScopeRules;
use tree_sitter::Node;

/// Extraction for this folder's languages.
pub struct Extraction;

/// Word left for a node that is dealt with: it is no use of its own.
pub const CLAIMED: u32 = 1;
/// Word left for a supertrait.
pub const INHERIT: u32 = 2;
/// Word left for an implemented trait.
pub const IMPLEMENT: u32 = 3;

const FUNCTION: u16 = 1;
const STRUCT: u16 = 2;
const ENUM: u16 = 3;
const VARIANT: u16 = 4;
const FIELD: u16 = 5;
const TRAIT: u16 = 6;
const IMPL: u16 = 7;
const TYPE_ITEM: u16 = 8;
const CONST: u16 = 9;
const MODULE: u16 = 10;
const MACRO_DEFINITION: u16 = 11;
const USE: u16 = 12;
const EXTERN_CRATE: u16 = 13;
const CLOSURE: u16 = 14;
const BLOCK: u16 = 15;
const LET: u16 = 16;
const LET_CONDITION: u16 = 17;
const FOR: u16 = 18;
const MATCH_ARM: u16 = 19;
const ATTRIBUTE: u16 = 20;
const MACRO: u16 = 21;
const CALL: u16 = 22;
const FIELD_EXPRESSION: u16 = 23;
const SCOPED: u16 = 24;
const IDENTIFIER: u16 = 25;
const TYPE_IDENTIFIER: u16 = 26;
const SCOPED_TYPE: u16 = 27;
const STRUCT_EXPRESSION: u16 = 28;
const FIELD_INITIALIZER: u16 = 29;
const FIELD_PATTERN: u16 = 30;
const ASSIGNMENT: u16 = 31;
const FUNCTION_TYPE: u16 = 32;
const TOKENS: u16 = 33;

impl Extract for Extraction {
    fn table(&self) -> &'static [(&'static str, u16)] {
        &[
            ("function_item", FUNCTION),
            ("function_signature_item", FUNCTION),
            ("struct_item", STRUCT),
            ("union_item", STRUCT),
            ("enum_item", ENUM),
            ("enum_variant", VARIANT),
            ("field_declaration", FIELD),
            ("trait_item", TRAIT),
            ("impl_item", IMPL),
            ("type_item", TYPE_ITEM),
            ("associated_type", TYPE_ITEM),
            ("const_item", CONST),
            ("static_item", CONST),
            ("mod_item", MODULE),
            ("macro_definition", MACRO_DEFINITION),
            ("use_declaration", USE),
            ("extern_crate_declaration", EXTERN_CRATE),
            ("closure_expression", CLOSURE),
            ("block", BLOCK),
            ("if_expression", BLOCK),
            ("while_expression", BLOCK),
            ("let_declaration", LET),
            ("let_condition", LET_CONDITION),
            ("for_expression", FOR),
            ("match_arm", MATCH_ARM),
            ("attribute_item", ATTRIBUTE),
            ("inner_attribute_item", ATTRIBUTE),
            ("macro_invocation", MACRO),
            ("token_tree", TOKENS),
            ("call_expression", CALL),
            ("field_expression", FIELD_EXPRESSION),
            ("scoped_identifier", SCOPED),
            ("identifier", IDENTIFIER),
            ("type_identifier", TYPE_IDENTIFIER),
            ("scoped_type_identifier", SCOPED_TYPE),
            ("struct_expression", STRUCT_EXPRESSION),
            ("field_initializer", FIELD_INITIALIZER),
            ("field_pattern", FIELD_PATTERN),
            ("assignment_expression", ASSIGNMENT),
            ("function_type", FUNCTION_TYPE),
        ]
    }

    fn enter<'t>(&self, role: u16, node: Node<'t>, cx: &mut Cx<'t>) -> Walk {
        match role {
            FUNCTION => define::function(node, cx),
            STRUCT => items::structure(node, cx),
            ENUM => items::enumeration(node, cx),
            VARIANT => items::variant(node, cx),
            FIELD => items::field(node, cx),
            TRAIT => items::trait_item(node, cx),
            IMPL => items::implementation(node, cx),
            TYPE_ITEM => items::type_item(node, cx),
            CONST => items::constant(node, cx),
            MODULE => return items::module(node, cx),
            MACRO_DEFINITION => items::macro_definition(node, cx),
            USE => return imports::use_declaration(node, cx),
            EXTERN_CRATE => return imports::extern_crate(node, cx),
            CLOSURE => define::closure(node, cx),
            BLOCK | FUNCTION_TYPE => {
                cx.open_scope(ScopeKind::Block);
            }
            LET => patterns::let_declaration(node, cx),
            LET_CONDITION => patterns::let_condition(node, cx),
            FOR => patterns::for_expression(node, cx),
            MATCH_ARM => patterns::match_arm(node, cx),
            ATTRIBUTE => return attributes::attribute(node, cx),
            MACRO => return macros::invocation(node, cx),
            TOKENS => return macros::tokens(node, cx),
            CALL => uses::call(node, cx),
            FIELD_EXPRESSION => uses::field(node, cx),
            SCOPED => uses::scoped(node, cx),
            IDENTIFIER => uses::identifier(node, cx),
            TYPE_IDENTIFIER => uses::type_identifier(node, cx),
            SCOPED_TYPE => uses::scoped_type(node, cx),
            STRUCT_EXPRESSION => uses::struct_expression(node, cx),
            FIELD_INITIALIZER => uses::field_initializer(node, cx),
            FIELD_PATTERN => uses::field_pattern(node, cx),
            ASSIGNMENT => patterns::assignment(node, cx),
            _ => {}
        }
        Walk::Into
    }

    fn scope_rules(&self) -> ScopeRules {
        ScopeRules {
            type_scopes_visible: false,
            hoisted: false,
        }
    }
}
