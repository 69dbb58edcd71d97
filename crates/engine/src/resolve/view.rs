//! One file's facts with the look-ups that resolution makes in them.

use super::hash::name_hash;
use crate::facts::{FileFacts, ImportKind, MemberIx, NameId, ScopeId, SymbolIx};
use crate::groups::{Groups, pair};
use std::sync::Arc;

/// Stands for "no parent" among the keys of children.
const TOP: u32 = u32::MAX;

/// Facts of a file, indexed.
pub struct FileView {
    /// The facts.
    pub facts: Arc<FileFacts>,
    bindings: Groups,
    children: Groups,
    members: Groups,
    ids: Groups,
    hashes: Vec<u64>,
    /// Imports that bring in names without binding them one by one.
    pub stars: Vec<u32>,
}

impl FileView {
    /// Indexes `facts`.
    pub fn new(facts: Arc<FileFacts>) -> Self {
        let hashes: Vec<u64> = facts.names.iter().map(|n| name_hash(n)).collect();
        let bindings = Groups::new(
            facts
                .bindings
                .iter()
                .enumerate()
                .map(|(i, b)| (pair(b.scope, b.name), i as u32)),
        );
        let children = Groups::new(
            facts
                .symbols
                .iter()
                .enumerate()
                .map(|(i, s)| (pair(s.parent.unwrap_or(TOP), s.name), i as u32)),
        );
        let members = Groups::new(
            facts
                .members
                .iter()
                .enumerate()
                .map(|(i, m)| (pair(m.of, m.name), i as u32)),
        );
        let ids = Groups::new(hashes.iter().enumerate().map(|(i, h)| (*h, i as u32)));
        let stars = (0..facts.imports.len() as u32)
            .filter(|&i| matches!(facts.imports[i as usize].kind, ImportKind::Star | ImportKind::Include))
            .collect();
        FileView {
            facts,
            bindings,
            children,
            members,
            ids,
            hashes,
            stars,
        }
    }

    /// The file's own number for a name, if the file has the name at all.
    pub fn id(&self, name: &str, hash: u64) -> Option<NameId> {
        self.ids
            .get(hash)
            .iter()
            .copied()
            .find(|&id| &*self.facts.names[id as usize] == name)
    }

    /// The hash of a name of the file.
    pub fn hash(&self, name: NameId) -> u64 {
        self.hashes[name as usize]
    }

    /// Indexes of the bindings of a name in a scope, in source order.
    pub fn bindings(&self, scope: ScopeId, name: NameId) -> &[u32] {
        self.bindings.get(pair(scope, name))
    }

    /// Indexes of all bindings in a scope.
    pub fn all_bindings(&self, scope: ScopeId) -> &[u32] {
        self.bindings.range(pair(scope, 0), pair(scope + 1, 0))
    }

    /// Definitions of a name directly inside a definition.
    pub fn children(&self, parent: SymbolIx, name: NameId) -> &[SymbolIx] {
        self.children.get(pair(parent, name))
    }

    /// All definitions directly inside a definition.
    pub fn all_children(&self, parent: SymbolIx) -> &[SymbolIx] {
        if parent == TOP {
            return &[];
        }
        self.children.range(pair(parent, 0), pair(parent + 1, 0))
    }

    /// Definitions of a name that stand in no other definition.
    pub fn top(&self, name: NameId) -> &[SymbolIx] {
        self.children.get(pair(TOP, name))
    }

    /// Members of a type that are no symbols.
    pub fn members(&self, of: SymbolIx, name: NameId) -> &[MemberIx] {
        self.members.get(pair(of, name))
    }

    /// Whether a definition has members that are no symbols.
    pub fn has_members(&self, of: SymbolIx) -> bool {
        !self.members.range(pair(of, 0), pair(of, TOP)).is_empty()
    }
}
