//! What the syntax of this folder's languages means.

use crate::extract::{Cx, Extract, Walk};
use crate::lexical::ScopeRules;
use tree_sitter::Node;

/// Extraction for this folder's languages.
pub struct Extraction;

impl Extract for Extraction {
    fn table(&self) -> &'static [(&'static str, u16)] {
        &[]
    }

    fn enter<'t>(&self, _role: u16, _node: Node<'t>, _cx: &mut Cx<'t>) -> Walk {
        Walk::Into
    }

    fn scope_rules(&self) -> ScopeRules {
        ScopeRules {
            type_scopes_visible: false,
            hoisted: false,
        }
    }
}
