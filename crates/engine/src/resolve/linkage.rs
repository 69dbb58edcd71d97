//! Linkage across files: names that are visible everywhere, files taken in as a whole, declarations and their definitions,
//! namespaces that any file adds to.

use super::hash::FastSet;
use super::linker::Linker;
use super::links::{Confidence, FileId, Target};
use super::project::paths::parent;
use super::rules::{NO_SPACE, Place, SpaceId};
use super::tables::{Entry, Reach};
use super::value::{Hit, Thing, Value, What};
use crate::facts::{ImportKind, Kind, SymbolFlags};
use std::rc::Rc;

/// Most files that a chain of includes is followed through.
const INCLUDES: usize = 4096;
/// Most files of which a linker remembers what they take in.
const CLOSURES: usize = 256;

impl Linker<'_> {
    /// The definitions of a name that linkage makes visible everywhere; failing those, the namespace of that name.
    pub fn linked(&self, file: FileId, name: &str, hash: u64) -> Value {
        let Some(family) = self.world.family(file) else {
            return Value::external();
        };
        let tables = &self.world.tables;
        let root = tables.space(family, "").unwrap_or(NO_SPACE);
        let included = self.includes(file);
        let mut all: Vec<Entry> = tables
            .named(hash)
            .iter()
            .filter(|e| e.family == family && e.reach == Reach::Top && (e.space == NO_SPACE || e.space == root))
            .filter(|e| !e.flags.has(SymbolFlags::FILE_PRIVATE) || included.contains(&e.target.file))
            .filter(|e| e.kind != Kind::Namespace)
            .take(64)
            .filter(|e| self.is_named(e.target, name))
            .copied()
            .collect();
        if all.is_empty() {
            return match tables.space(family, name) {
                Some(space) if !name.is_empty() => Value::place(Place::Space(space)),
                _ => Value::external(),
            };
        }
        // What a file keeps for itself stands for nothing elsewhere.
        let own = |e: &Entry| e.target.file == file && e.flags.has(SymbolFlags::FILE_PRIVATE);
        if all.iter().any(own) {
            all.retain(own);
        }
        let declared = |e: &Entry| e.flags.has(SymbolFlags::DECLARATION);
        let near: Vec<Entry> = all
            .iter()
            .filter(|e| included.contains(&e.target.file))
            .copied()
            .collect();
        // A declaration that the file takes in says which name is meant; the definition may lie elsewhere.
        let (entries, confidence) = match near.iter().any(|e| !declared(e)) {
            true => (near, Confidence::Exact),
            false if near.is_empty() => (self.nearest_definitions(file, all, &[]), Confidence::Resolved),
            false => (self.nearest_definitions(file, all, &near), Confidence::Exact),
        };
        as_value(entries, confidence)
    }

    /// Of several definitions of a name: those in files that take in one of the declarations at hand, then those in the
    /// nearest directory. Several programs of one tree may each have their own.
    fn nearest_definitions(&self, file: FileId, all: Vec<Entry>, declarations: &[Entry]) -> Vec<Entry> {
        let declared = |e: &&Entry| e.flags.has(SymbolFlags::DECLARATION);
        let bodies: Vec<Entry> = all.iter().filter(|e| !declared(e)).copied().collect();
        if bodies.len() < 2 {
            return if bodies.is_empty() { all } else { bodies };
        }
        let mut kept = bodies;
        if !declarations.is_empty() {
            let takes_in = |e: &Entry| {
                let taken = self.includes(e.target.file);
                declarations.iter().any(|d| taken.contains(&d.target.file))
            };
            let linked: Vec<Entry> = kept.iter().copied().filter(takes_in).collect();
            if !linked.is_empty() {
                kept = linked;
            }
        }
        let here = parent(self.world.path(file));
        let beside: Vec<Entry> = kept
            .iter()
            .copied()
            .filter(|e| parent(self.world.path(e.target.file)) == here)
            .collect();
        if beside.is_empty() { kept } else { beside }
    }

    /// Definitions in the place of declarations, wherever they are.
    pub(super) fn with_definitions(&self, file: FileId, value: Value) -> Value {
        let declarations = value.hits().iter().all(|(t, _)| match t.what {
            What::Def(d) => self.symbol(d).flags.has(SymbolFlags::DECLARATION),
            _ => false,
        });
        if value.is_unknown() || !declarations {
            return value;
        }
        let mut found: Vec<Hit> = Vec::new();
        for (thing, _) in value.hits() {
            let What::Def(d) = thing.what else { continue };
            let symbol = self.symbol(d);
            let view = self.view(d.file);
            let (name, hash) = (view.facts.name(symbol.name), view.hash(symbol.name));
            let elsewhere = match symbol.parent {
                Some(p) if view.facts.is_type(p) => self.own_member(
                    Target {
                        file: d.file,
                        symbol: p,
                    },
                    name,
                    hash,
                ),
                Some(p) if view.facts.symbols[p as usize].kind == Kind::Namespace => {
                    let of = Target {
                        file: d.file,
                        symbol: p,
                    };
                    self.in_open_namespace(self.space_of_symbol(of), name, hash)
                }
                _ => self.linked(file, name, hash),
            };
            if elsewhere.is_inside() {
                found.extend(elsewhere.hits());
            }
        }
        if found.is_empty() { value } else { Value::of(found) }
    }

    /// A name of a namespace, definitions before declarations.
    pub(super) fn in_open_namespace(&self, space: SpaceId, name: &str, hash: u64) -> Value {
        if space == NO_SPACE {
            return Value::Unknown;
        }
        self.in_space(space, name, hash)
    }

    /// A name of the namespaces around a type, the innermost first; the root is none.
    pub(super) fn around(&self, of: Target, name: &str, hash: u64) -> Value {
        let view = self.view(of.file);
        let mut at = self.symbol(of).parent;
        while let Some(symbol) = at {
            let s = &view.facts.symbols[symbol as usize];
            let of = Target { file: of.file, symbol };
            let found = match s.kind {
                Kind::Namespace => self.in_open_namespace(self.space_of_symbol(of), name, hash),
                kind if kind.is_type() => self.own_member(of, name, hash),
                _ => Value::Unknown,
            };
            if found.is_inside() {
                return found;
            }
            at = s.parent;
        }
        Value::Unknown
    }

    /// Files that a file takes in as a whole, directly or not, with itself.
    pub fn includes(&self, file: FileId) -> Rc<FastSet<FileId>> {
        if let Some(known) = self.includes.borrow().get(&file) {
            return known.clone();
        }
        let mut seen: FastSet<FileId> = FastSet::default();
        let mut queue = vec![file];
        seen.insert(file);
        while let Some(next) = queue.pop() {
            if seen.len() >= INCLUDES || !self.has_facts(next) {
                continue;
            }
            let view = self.view(next);
            let direct = self.world.included(next, || {
                let includes = view.stars.iter().copied();
                let includes = includes.filter(|&i| view.facts.imports[i as usize].kind == ImportKind::Include);
                includes
                    .filter_map(|i| match self.place_of(next, i) {
                        Place::File(to) => Some(to),
                        _ => None,
                    })
                    .collect()
            });
            queue.extend(direct.iter().copied().filter(|&to| seen.insert(to)));
        }
        let seen = Rc::new(seen);
        let mut known = self.includes.borrow_mut();
        if known.len() >= CLOSURES {
            known.retain(|&of, _| of == self.file);
        }
        known.insert(file, seen.clone());
        seen
    }
}

fn as_value(entries: Vec<Entry>, confidence: Confidence) -> Value {
    let defined = entries.iter().any(|e| !e.flags.has(SymbolFlags::DECLARATION));
    let hits: Vec<Hit> = entries
        .into_iter()
        .filter(|e| !defined || !e.flags.has(SymbolFlags::DECLARATION))
        .map(|e| {
            let what = What::Def(e.target);
            (Thing { what, arg: None }, confidence)
        })
        .collect();
    Value::of(hits)
}
