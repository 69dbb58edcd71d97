//! The node kinds that matter in TypeScript, TSX and JavaScript, and which module deals with each.
//!
//! The three grammars share their kinds. What a parent knows about a node that the walk has yet to reach is left as
//! a [`Word`].

use super::{assign, classes, define, exprs, module, objects, separate, signature, uses};
use crate::extract::{Cx, Extract, Readable, Walk};
use crate::facts::{Bound, Export, Expr, NameId, ScopeKind, SymbolFlags, SymbolIx};
use crate::lexical::ScopeRules;
use tree_sitter::Node;

/// Extraction for this folder's languages.
pub struct Extraction {
    /// JSX may stand in the text.
    pub jsx: bool,
}

/// What a parent said about a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Word {
    /// The node is dealt with: it is no use of its own.
    Claimed,
    /// The named type is a base.
    Inherit,
    /// The named type is an implemented interface.
    Implement,
    /// An object literal whose functions have no name of their own.
    Anonymous,
    /// An object literal whose functions are named within the innermost definition.
    Named,
    /// The object literal that a module hands out.
    Exports,
    /// The node is the value of this definition.
    Symbol(SymbolIx),
    /// An object literal whose functions belong to an owner: the text of its name; the expression is in `described`.
    Owned(NameId),
}

const SYMBOL: u32 = 1 << 30;
const OWNED: u32 = 1 << 31;

/// Leaves a word for a node.
pub fn say(cx: &mut Cx<'_>, node: Node<'_>, word: Word) {
    let code = match word {
        Word::Claimed => 1,
        Word::Inherit => 2,
        Word::Implement => 3,
        Word::Anonymous => 4,
        Word::Named => 5,
        Word::Exports => 6,
        Word::Symbol(ix) => SYMBOL | (ix & (SYMBOL - 1)),
        Word::Owned(name) => OWNED | (name & (SYMBOL - 1)),
    };
    cx.mark(node, code);
}

/// The word left for a node.
pub fn said(cx: &Cx<'_>, node: Node<'_>) -> Option<Word> {
    Some(match cx.marked(node)? {
        1 => Word::Claimed,
        2 => Word::Inherit,
        3 => Word::Implement,
        4 => Word::Anonymous,
        5 => Word::Named,
        6 => Word::Exports,
        code if code & OWNED != 0 => Word::Owned(code & (SYMBOL - 1)),
        code => Word::Symbol(code & (SYMBOL - 1)),
    })
}

const FUNCTION_DECLARATION: u16 = 1;
const FUNCTION_VALUE: u16 = 2;
const DECLARATOR: u16 = 3;
const CLASS: u16 = 4;
const METHOD: u16 = 5;
const FIELD: u16 = 6;
const INTERFACE: u16 = 7;
const ALIAS: u16 = 8;
const ENUM: u16 = 9;
const NAMESPACE: u16 = 10;
const SIGNATURE_MEMBER: u16 = 11;
const OBJECT: u16 = 12;
const PAIR: u16 = 13;
const ASSIGNMENT: u16 = 14;
const BLOCK: u16 = 15;
const FOR_IN: u16 = 16;
const CATCH: u16 = 17;
const IMPORT: u16 = 18;
const EXPORT: u16 = 19;
const IMPORT_ALIAS: u16 = 20;
const RETURN: u16 = 21;
const CALL: u16 = 22;
const NEW: u16 = 23;
const MEMBER: u16 = 24;
const IDENTIFIER: u16 = 25;
const TYPE_IDENTIFIER: u16 = 26;
const NESTED_TYPE: u16 = 27;
const DECORATOR: u16 = 28;
const JSX_OPEN: u16 = 29;
const JSX_CLOSE: u16 = 30;
const SHORTHAND: u16 = 31;
const STATIC_BLOCK: u16 = 32;
const TYPE_SCOPE: u16 = 33;
const LOOP: u16 = 34;
const CALL_SIGNATURE: u16 = 35;

impl Extract for Extraction {
    fn table(&self) -> &'static [(&'static str, u16)] {
        &[
            ("function_declaration", FUNCTION_DECLARATION),
            ("generator_function_declaration", FUNCTION_DECLARATION),
            ("function_signature", FUNCTION_DECLARATION),
            ("function_expression", FUNCTION_VALUE),
            ("generator_function", FUNCTION_VALUE),
            ("arrow_function", FUNCTION_VALUE),
            ("variable_declarator", DECLARATOR),
            ("class_declaration", CLASS),
            ("abstract_class_declaration", CLASS),
            ("class", CLASS),
            ("method_definition", METHOD),
            ("method_signature", METHOD),
            ("abstract_method_signature", METHOD),
            ("construct_signature", METHOD),
            ("public_field_definition", FIELD),
            ("field_definition", FIELD),
            ("interface_declaration", INTERFACE),
            ("type_alias_declaration", ALIAS),
            ("enum_declaration", ENUM),
            ("internal_module", NAMESPACE),
            ("module", NAMESPACE),
            ("property_signature", SIGNATURE_MEMBER),
            ("object", OBJECT),
            ("pair", PAIR),
            ("assignment_expression", ASSIGNMENT),
            ("statement_block", BLOCK),
            ("switch_body", BLOCK),
            ("class_static_block", STATIC_BLOCK),
            ("for_statement", LOOP),
            ("for_in_statement", FOR_IN),
            ("catch_clause", CATCH),
            ("import_statement", IMPORT),
            ("export_statement", EXPORT),
            ("import_alias", IMPORT_ALIAS),
            ("return_statement", RETURN),
            ("call_expression", CALL),
            ("new_expression", NEW),
            ("member_expression", MEMBER),
            ("identifier", IDENTIFIER),
            ("shorthand_property_identifier", SHORTHAND),
            ("type_identifier", TYPE_IDENTIFIER),
            ("nested_type_identifier", NESTED_TYPE),
            ("decorator", DECORATOR),
            ("jsx_opening_element", JSX_OPEN),
            ("jsx_self_closing_element", JSX_OPEN),
            ("jsx_closing_element", JSX_CLOSE),
            ("function_type", TYPE_SCOPE),
            ("constructor_type", TYPE_SCOPE),
            ("call_signature", CALL_SIGNATURE),
            ("conditional_type", TYPE_SCOPE),
            ("mapped_type_clause", TYPE_SCOPE),
        ]
    }

    fn enter<'t>(&self, role: u16, node: Node<'t>, cx: &mut Cx<'t>) -> Walk {
        match role {
            FUNCTION_DECLARATION => define::function_declaration(node, cx),
            FUNCTION_VALUE => define::function_value(node, cx),
            DECLARATOR => define::declarator(node, cx),
            CLASS => classes::class(node, cx),
            METHOD => classes::method(node, cx),
            FIELD => classes::field(node, cx),
            INTERFACE => classes::interface(node, cx),
            ALIAS => classes::alias(node, cx),
            ENUM => classes::enumeration(node, cx),
            NAMESPACE => define::namespace(node, cx),
            SIGNATURE_MEMBER => classes::property_signature(node, cx),
            OBJECT => objects::object(node, cx),
            PAIR => objects::pair(node, cx),
            ASSIGNMENT => assign::assignment(node, cx),
            BLOCK => block(node, cx),
            LOOP => {
                cx.open_scope(ScopeKind::Block);
            }
            STATIC_BLOCK => {
                cx.open_scope(ScopeKind::Function);
            }
            FOR_IN => define::for_in(node, cx),
            CATCH => define::catch(node, cx),
            IMPORT => return module::import(node, cx),
            EXPORT => return module::export(node, cx),
            IMPORT_ALIAS => return module::import_alias(node, cx),
            RETURN => define::returned(node, cx),
            CALL => uses::call(node, cx),
            NEW => uses::new(node, cx),
            MEMBER => uses::member(node, cx),
            IDENTIFIER | SHORTHAND => uses::identifier(node, cx),
            TYPE_IDENTIFIER => uses::type_identifier(node, cx),
            NESTED_TYPE => return uses::nested_type(node, cx),
            DECORATOR => uses::decorator(node, cx),
            JSX_OPEN => uses::jsx(node, cx),
            JSX_CLOSE => return Walk::Over,
            CALL_SIGNATURE => {
                cx.open_scope(ScopeKind::Block);
                exprs::type_parameters(node, cx);
                signature::call_signature(node, cx);
            }
            TYPE_SCOPE => {
                cx.open_scope(ScopeKind::Block);
                exprs::type_parameters(node, cx);
            }
            _ => {}
        }
        Walk::Into
    }

    fn readable(&self, text: &str) -> Option<Readable> {
        if self.jsx { None } else { separate::separated(text) }
    }

    fn finish(&self, cx: &mut Cx<'_>) {
        flag_exported(cx);
    }

    fn scope_rules(&self) -> ScopeRules {
        ScopeRules {
            type_scopes_visible: false,
            hoisted: true,
        }
    }
}

/// A block has its own scope, except as the body of what opened one.
fn block<'t>(_node: Node<'t>, cx: &mut Cx<'t>) {
    let body = cx.parent().is_some_and(|p| {
        matches!(
            p.kind(),
            "function_declaration"
                | "generator_function_declaration"
                | "function_expression"
                | "generator_function"
                | "arrow_function"
                | "method_definition"
                | "internal_module"
                | "module"
                | "ambient_declaration"
                | "catch_clause"
                | "for_statement"
                | "for_in_statement"
        )
    });
    if !body {
        cx.open_scope(ScopeKind::Block);
    }
}

/// `export { f }` and `module.exports = { f }` mark the definitions that they hand out.
fn flag_exported(cx: &mut Cx<'_>) {
    let mut flagged = Vec::new();
    for export in &cx.facts.exports {
        let (value, default) = match export {
            Export::Local { name, value } => (*value, &**name == "default"),
            Export::Whole { value } => (*value, true),
            Export::From { .. } | Export::Star { .. } => continue,
        };
        let symbol = match cx.facts.exprs[value as usize] {
            Expr::Symbol(ix) => Some(ix),
            Expr::Name { name, scope: 0, .. } => match cx.bound(0, name) {
                Some(Bound::Symbol(ix)) => Some(ix),
                _ => None,
            },
            _ => None,
        };
        if let Some(ix) = symbol {
            flagged.push((ix, default));
        }
    }
    for (ix, default) in flagged {
        let flags = &mut cx.symbol(ix).flags;
        flags.set(SymbolFlags::EXPORTED);
        if default {
            flags.set(SymbolFlags::DEFAULT_EXPORT);
        }
    }
}
