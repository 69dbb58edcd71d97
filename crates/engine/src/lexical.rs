//! Lexical look-up inside one file: which bindings does a name at a place stand for?

use crate::facts::{Binding, FileFacts, NameId, ScopeId, ScopeKind};
use std::collections::HashMap;

/// How a language sees names through scopes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScopeRules {
    /// Code inside a member sees the names of the enclosing type's scope without `self.` (Java, C#, C++, Kotlin, Swift, Scala).
    /// When false, a type scope is seen only by code that stands in it directly (Python, JavaScript, Rust).
    pub type_scopes_visible: bool,
    /// A name assigned anywhere in a scope belongs to that scope everywhere (Python, JavaScript `var` and functions).
    pub hoisted: bool,
}

/// Bindings of a file by scope and name.
#[derive(Debug, Default)]
pub struct Lexical {
    by_key: HashMap<(ScopeId, NameId), Vec<u32>>,
}

impl Lexical {
    /// Indexes the bindings of `facts`.
    pub fn new(facts: &FileFacts) -> Self {
        let mut by_key: HashMap<(ScopeId, NameId), Vec<u32>> = HashMap::with_capacity(facts.bindings.len());
        for (i, b) in facts.bindings.iter().enumerate() {
            by_key.entry((b.scope, b.name)).or_default().push(i as u32);
        }
        for list in by_key.values_mut() {
            list.sort_by_key(|&i| facts.bindings[i as usize].from);
        }
        Lexical { by_key }
    }

    /// The bindings that `name`, used at byte `at` in `scope`, stands for, innermost scope first found. Several are
    /// returned when the source alone cannot tell them apart (overloads, assignments in branches). Empty: the name is
    /// not bound in this file.
    pub fn lookup(
        &self,
        facts: &FileFacts,
        rules: ScopeRules,
        scope: ScopeId,
        name: NameId,
        at: u32,
    ) -> Vec<(ScopeId, Binding)> {
        let mut current = Some(scope);
        while let Some(id) = current {
            let fact = &facts.scopes[id as usize];
            let seen = fact.kind != ScopeKind::Type || id == scope || rules.type_scopes_visible;
            if seen && let Some(list) = self.by_key.get(&(id, name)) {
                let found = visible(facts, list, at, rules.hoisted);
                if !found.is_empty() {
                    return found.into_iter().map(|b| (id, b)).collect();
                }
            }
            current = fact.parent;
        }
        Vec::new()
    }
}

/// Of the bindings of one name in one scope (sorted by `from`), those that a use at `at` can mean.
fn visible(facts: &FileFacts, list: &[u32], at: u32, hoisted: bool) -> Vec<Binding> {
    let all = || list.iter().map(|&i| facts.bindings[i as usize]);
    let nearest = all().filter(|b| b.from <= at).map(|b| b.from).max();
    match nearest {
        Some(from) => all().filter(|b| b.from == from).collect(),
        None if hoisted => all().collect(),
        None => Vec::new(),
    }
}
