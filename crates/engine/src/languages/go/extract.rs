//! The node kinds that matter in Go, and which module deals with each.

use super::{define, imports, locals, types, uses};
use crate::extract::{Cx, Extract, Walk};
use crate::facts::ScopeKind;
use crate::lexical::ScopeRules;
use tree_sitter::Node;

/// Extraction for this folder's languages.
pub struct Extraction;

/// Word left for a node that is dealt with: it is no use of its own.
pub const CLAIMED: u32 = 1;
/// Word left for an embedded type.
pub const EMBEDDED: u32 = 2;
/// Word left for a field whose struct type is a named definition's.
pub const NAMED: u32 = 3;

const PACKAGE: u16 = 1;
const IMPORT: u16 = 2;
const FUNCTION: u16 = 3;
const METHOD: u16 = 4;
const FUNC_LITERAL: u16 = 5;
const TYPE: u16 = 6;
const FIELD: u16 = 7;
const METHOD_ELEM: u16 = 8;
const TYPE_ELEM: u16 = 9;
const CONST: u16 = 10;
const VAR: u16 = 11;
const SCOPE: u16 = 12;
const SHORT_VAR: u16 = 13;
const ASSIGNMENT: u16 = 14;
const RANGE: u16 = 15;
const TYPE_SWITCH: u16 = 16;
const TYPE_CASE: u16 = 17;
const RECEIVE: u16 = 18;
const CALL: u16 = 19;
const CONVERSION: u16 = 20;
const COMPOSITE: u16 = 21;
const SELECTOR: u16 = 22;
const IDENTIFIER: u16 = 23;
const TYPE_IDENTIFIER: u16 = 24;
const QUALIFIED: u16 = 25;
const CONST_DECLARATION: u16 = 26;

impl Extract for Extraction {
    fn table(&self) -> &'static [(&'static str, u16)] {
        &[
            ("package_clause", PACKAGE),
            ("import_spec", IMPORT),
            ("function_declaration", FUNCTION),
            ("method_declaration", METHOD),
            ("func_literal", FUNC_LITERAL),
            ("type_spec", TYPE),
            ("type_alias", TYPE),
            ("field_declaration", FIELD),
            ("method_elem", METHOD_ELEM),
            ("type_elem", TYPE_ELEM),
            ("const_declaration", CONST_DECLARATION),
            ("const_spec", CONST),
            ("var_spec", VAR),
            ("block", SCOPE),
            ("if_statement", SCOPE),
            ("for_statement", SCOPE),
            ("expression_switch_statement", SCOPE),
            ("select_statement", SCOPE),
            ("expression_case", SCOPE),
            ("default_case", SCOPE),
            ("communication_case", SCOPE),
            ("function_type", SCOPE),
            ("short_var_declaration", SHORT_VAR),
            ("assignment_statement", ASSIGNMENT),
            ("range_clause", RANGE),
            ("type_switch_statement", TYPE_SWITCH),
            ("type_case", TYPE_CASE),
            ("receive_statement", RECEIVE),
            ("call_expression", CALL),
            ("type_conversion_expression", CONVERSION),
            ("composite_literal", COMPOSITE),
            ("selector_expression", SELECTOR),
            ("identifier", IDENTIFIER),
            ("type_identifier", TYPE_IDENTIFIER),
            ("qualified_type", QUALIFIED),
        ]
    }

    fn enter<'t>(&self, role: u16, node: Node<'t>, cx: &mut Cx<'t>) -> Walk {
        match role {
            PACKAGE => return imports::package(node, cx),
            IMPORT => return imports::import(node, cx),
            FUNCTION => define::function(node, cx),
            METHOD => define::method(node, cx),
            FUNC_LITERAL => define::literal(node, cx),
            TYPE => types::named(node, cx),
            FIELD => types::field(node, cx),
            METHOD_ELEM => types::interface_method(node, cx),
            TYPE_ELEM => types::embedded_interface(node, cx),
            CONST_DECLARATION => {
                cx.notes.remove(define::CONST_TYPE);
            }
            CONST => define::constants(node, cx),
            VAR => define::variables(node, cx),
            SCOPE => {
                cx.open_scope(ScopeKind::Block);
            }
            SHORT_VAR => locals::short_var(node, cx),
            ASSIGNMENT => locals::assignment(node, cx),
            RANGE => locals::range(node, cx),
            TYPE_SWITCH => locals::type_switch(node, cx),
            TYPE_CASE => locals::type_case(node, cx),
            RECEIVE => locals::receive(node, cx),
            CALL => uses::call(node, cx),
            CONVERSION => uses::conversion(node, cx),
            COMPOSITE => uses::composite(node, cx),
            SELECTOR => uses::selector(node, cx),
            IDENTIFIER => uses::identifier(node, cx),
            TYPE_IDENTIFIER => uses::type_identifier(node, cx),
            QUALIFIED => return uses::qualified(node, cx),
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
