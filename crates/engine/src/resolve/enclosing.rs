//! The type whose code a place is, and the type that a member belongs to.

use super::linker::Linker;
use super::links::{FileId, Target};
use super::value::What;
use crate::facts::{Expr, ExprId, Kind, ScopeId, ScopeKind, SymbolFlags};

impl Linker<'_> {
    /// The type whose code a scope is: the innermost type scope, or the owner of a member defined away from it.
    pub fn enclosing_type(&self, file: FileId, scope: ScopeId) -> Option<Target> {
        let facts = &self.view(file).facts;
        let mut at = Some(scope);
        while let Some(id) = at {
            let fact = &facts.scopes[id as usize];
            if let Some(symbol) = fact.symbol {
                let s = &facts.symbols[symbol as usize];
                if fact.kind == ScopeKind::Type && (facts.is_type(symbol) || s.kind.is_callable()) {
                    return Some(Target { file, symbol });
                }
                if s.owner.is_some() && self.sees_owner(file, s) {
                    return self.owner(Target { file, symbol });
                }
                // A function of an object literal, or of a constructor function.
                if s.kind.is_callable()
                    && s.flags.has(SymbolFlags::ASSIGNED)
                    && !self.traits(file).closures_keep_this
                    && let Some(parent) = s.parent
                {
                    return Some(Target { file, symbol: parent });
                }
            }
            if fact.kind == ScopeKind::Type && fact.symbol.is_none() {
                // The body of an extension, or of a class without a name, which is no type of the tree.
                return self.extended(file, id);
            }
            at = fact.parent;
        }
        self.constructor_function(file, scope)
    }

    /// The owner, as written, of the member around a scope.
    pub(super) fn owner_expr(&self, file: FileId, scope: ScopeId) -> Option<ExprId> {
        let facts = &self.view(file).facts;
        let mut at = Some(scope);
        while let Some(id) = at {
            let fact = &facts.scopes[id as usize];
            let owner = fact.symbol.and_then(|s| facts.symbols[s as usize].owner);
            if owner.is_some() {
                return owner;
            }
            at = fact.parent;
        }
        None
    }

    /// The function around a scope that makes values of its own by `this.x = …` or a prototype.
    pub(super) fn constructor_function(&self, file: FileId, scope: ScopeId) -> Option<Target> {
        let view = self.view(file);
        let mut at = Some(scope);
        while let Some(id) = at {
            let fact = &view.facts.scopes[id as usize];
            if fact.kind == ScopeKind::Function
                && let Some(symbol) = fact.symbol
            {
                let s = &view.facts.symbols[symbol as usize];
                let makes = view.has_members(symbol) || !self.world.tables.all_owned(view.hash(s.name)).is_empty();
                return (s.kind == Kind::Function && makes).then_some(Target { file, symbol });
            }
            at = fact.parent;
        }
        None
    }

    /// The type that a member belongs to.
    pub fn owner(&self, member: Target) -> Option<Target> {
        let symbol = self.symbol(member);
        if let Some(owner) = symbol.owner {
            // Members of `Box<T>` are no members of T, even where a value of one acts as the other.
            let owner = match self.view(member.file).facts.exprs[owner as usize] {
                Expr::Apply { base, .. } => base,
                _ => owner,
            };
            let value = self.eval(member.file, owner);
            return value.hits().iter().find_map(|(t, _)| match t.what {
                What::Def(t) | What::Instance(t) => Some(t),
                _ => None,
            });
        }
        symbol.parent.map(|symbol| Target {
            file: member.file,
            symbol,
        })
    }
}
