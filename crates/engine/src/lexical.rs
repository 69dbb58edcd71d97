//! Lexical look-up inside one file: does a name at a place stand for a local?

use crate::facts::{Bound, FileFacts, NameId, ScopeId, ScopeKind};
use crate::groups::{Groups, pair};

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
    /// By name: whether any scope binds it.
    bound: Vec<bool>,
    /// Indexes of bindings by scope and name, by where they begin to be visible.
    by_key: Groups,
}

impl Lexical {
    /// Indexes the bindings of `facts`.
    pub fn new(facts: &FileFacts) -> Self {
        let mut bound = vec![false; facts.names.len()];
        for b in &facts.bindings {
            bound[b.name as usize] = true;
        }
        let mut order: Vec<u32> = (0..facts.bindings.len() as u32).collect();
        order.sort_by_key(|&i| facts.bindings[i as usize].from);
        let key = |i: u32| {
            let b = facts.bindings[i as usize];
            (pair(b.scope, b.name), i)
        };
        Lexical {
            bound,
            by_key: Groups::new(order.into_iter().map(key)),
        }
    }

    /// Whether `name`, used at byte `at` in `scope`, stands for a local and nothing else, innermost scope first found.
    pub fn is_local(&self, facts: &FileFacts, rules: ScopeRules, scope: ScopeId, name: NameId, at: u32) -> bool {
        if !self.bound[name as usize] {
            return false;
        }
        let mut current = Some(scope);
        while let Some(id) = current {
            let fact = &facts.scopes[id as usize];
            let seen = fact.kind != ScopeKind::Type || id == scope || rules.type_scopes_visible;
            if seen {
                let found = visible(facts, self.by_key.get(pair(id, name)), at, rules.hoisted);
                if !found.is_empty() {
                    let local = |i: &u32| matches!(facts.bindings[*i as usize].to, Bound::Local { .. });
                    return found.len() <= MOST && found.iter().all(local);
                }
            }
            current = fact.parent;
        }
        false
    }
}

/// More bindings of one name at one place than these are not looked through.
const MOST: usize = 256;

/// Of the bindings of one name in one scope (sorted by `from`), those that a use at `at` can mean.
fn visible<'l>(facts: &FileFacts, list: &'l [u32], at: u32, hoisted: bool) -> &'l [u32] {
    let from = |i: u32| facts.bindings[i as usize].from;
    let before = &list[..list.partition_point(|&i| from(i) <= at)];
    match before.last() {
        Some(&last) => &before[before.partition_point(|&i| from(i) < from(last))..],
        None if hoisted => list,
        None => &[],
    }
}
