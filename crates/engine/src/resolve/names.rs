//! What a plain name stands for: scopes, then imports, then visible places, built-ins and linkage.

use super::linker::{Linker, Resume};
use super::links::{Confidence, FileId, Target};
use super::rules::{Absence, NO_SPACE, Place, SpaceId, listed};
use super::value::{Hit, Task, Value, What};
use super::view::FileView;
use crate::facts::{Bound, Expr, ImportIx, ImportKind, Kind, NameId, ScopeId, ScopeKind, SymbolFact, SymbolFlags};

/// Most bindings of one name in one scope that a use is held against.
const NEAREST: usize = 64;

/// Of very many bindings of one name in one scope: the first, which may declare it, and those nearest before a place.
fn nearest(view: &FileView, list: &[u32], at: u32) -> Vec<u32> {
    let to = list.partition_point(|&i| view.facts.bindings[i as usize].from <= at);
    let to = to.max(NEAREST.min(list.len()));
    let from = to.saturating_sub(NEAREST - 1).max(1);
    std::iter::once(list[0]).chain(list[from..to].iter().copied()).collect()
}

impl Linker<'_> {
    /// What `name` stands for at byte `at` of `scope`. `header` names the type in whose header the name stands: its
    /// inherited members are not in sight there.
    pub(super) fn name(&self, file: FileId, name: NameId, scope: ScopeId, at: u32, header: Option<Target>) -> Value {
        self.name_as(file, name, scope, at, header, false)
    }

    /// As [`Linker::name`]; `called`: only what can be called counts.
    pub(super) fn name_as(
        &self,
        file: FileId,
        name: NameId,
        scope: ScopeId,
        at: u32,
        header: Option<Target>,
        called: bool,
    ) -> Value {
        let view = self.view(file);
        let facts = &view.facts;
        let traits = self.traits(file);
        let scopes_visible = match self.world.files[file as usize].language {
            Some(l) => l.extract.scope_rules().type_scopes_visible,
            None => false,
        };
        let word = self.world.rules(file).word(self, file, scope, facts.name(name));
        if !word.is_unknown() {
            return word;
        }
        // Whether a name that is nowhere else may be inherited from what is not in the tree.
        let (mut external, mut unknown) = (false, false);
        let mut current = Some(scope);
        // Scopes whose whole-module imports count here, and whether a module's end was passed.
        let mut seen: Vec<ScopeId> = Vec::new();
        let mut closed = false;
        while let Some(id) = current {
            let fact = &facts.scopes[id as usize];
            let (mut direct, mut overloaded) = (Vec::new(), false);
            if fact.kind != ScopeKind::Type || id == scope || scopes_visible {
                let mut found = self.bound(view, file, id, name, scope, at);
                if called {
                    found.retain(|&b| match facts.bindings[b as usize].to {
                        Bound::Symbol(s) => facts.symbols[s as usize].kind.is_callable(),
                        Bound::Import(_) => true,
                        Bound::Local { .. } => false,
                    });
                }
                if closed {
                    found.retain(|&i| match facts.bindings[i as usize].to {
                        Bound::Symbol(s) => facts.symbols[s as usize].kind == Kind::Macro,
                        _ => false,
                    });
                }
                // A function that stands in a type may have overloads in other parts of the type and in its bases.
                overloaded = traits.overloads
                    && fact.kind == ScopeKind::Type
                    && found.iter().all(|&b| match facts.bindings[b as usize].to {
                        Bound::Symbol(s) => facts.symbols[s as usize].kind.is_callable(),
                        _ => false,
                    });
                if !found.is_empty() && !overloaded {
                    let value = self.bindings(file, &found);
                    return if traits.declares {
                        self.with_definitions(file, value)
                    } else {
                        value
                    };
                }
                direct = found;
            }
            if !closed {
                seen.push(id);
            }
            closed |= traits.closed_modules && fact.kind == ScopeKind::Module;
            if traits.implicit_receiver
                && let Some(symbol) = fact.symbol
            {
                let s = &facts.symbols[symbol as usize];
                let on = if fact.kind == ScopeKind::Type && s.kind.is_type() {
                    Some(Target { file, symbol })
                } else if s.owner.is_some() && self.sees_owner(file, s) {
                    self.owner(Target { file, symbol })
                } else {
                    None
                };
                if let Some(on) = on
                    && Some(on) != header
                {
                    let found = self.member_of_type(on, facts.name(name), view.hash(name));
                    if found.is_inside() && (!called || found.hits().iter().any(|h| self.is_callable(h.0.what))) {
                        return found;
                    }
                    let chain = self.chain(on);
                    external |= chain.external;
                    unknown |= chain.unknown;
                    // A member defined away from its type sees the namespaces around the type.
                    if traits.declares && fact.kind != ScopeKind::Type {
                        let found = self.around(on, facts.name(name), view.hash(name));
                        if found.is_inside() {
                            return found;
                        }
                    }
                }
                if traits.open_namespaces && s.kind == Kind::Namespace {
                    let space = self.space_of_symbol(Target { file, symbol });
                    if space != NO_SPACE {
                        let found = self.in_space(space, facts.name(name), view.hash(name));
                        if found.is_inside() {
                            return found;
                        }
                    }
                }
            }
            if traits.implicit_receiver
                && fact.symbol.is_none()
                && fact.kind == ScopeKind::Type
                && let Some(on) = self.extended(file, id)
                && Some(on) != header
            {
                let found = self.member_of_type(on, facts.name(name), view.hash(name));
                if found.is_inside() {
                    return found;
                }
                let chain = self.chain(on);
                external |= chain.external;
                unknown |= chain.unknown;
            }
            if overloaded && !direct.is_empty() {
                return self.bindings(file, &direct);
            }
            current = fact.parent;
        }
        let found = self.unbound_name(file, facts.name(name), view.hash(name), &seen);
        if found.is_none() && (unknown || external) && traits.absence == Absence::Linked {
            let linked = self.linked(file, facts.name(name), view.hash(name));
            if linked.is_inside() {
                return linked.weaken(Confidence::Resolved);
            }
        }
        match found {
            Some(value) => value,
            None if unknown => Value::Unknown,
            None => match self.world.rules(file).absent(self, file, scope, facts.name(name)) {
                Some(value) => value,
                None if external => Value::external(),
                None => self.unexplained(file, facts.name(name), view.hash(name)),
            },
        }
    }

    fn is_callable(&self, what: What) -> bool {
        matches!(what, What::Def(t) if self.symbol(t).kind.is_callable())
    }

    /// Whether code in a member that states its owner sees the members of the owner.
    pub(super) fn sees_owner(&self, file: FileId, member: &SymbolFact) -> bool {
        self.traits(file).extension_receiver || !member.flags.has(SymbolFlags::EXTENSION)
    }

    /// The type that a scope without a symbol extends: the owner of the members in it.
    pub(super) fn extended(&self, file: FileId, scope: ScopeId) -> Option<Target> {
        let facts = &self.view(file).facts;
        let inside = facts
            .symbols
            .iter()
            .position(|s| s.scope == scope && s.owner.is_some() && s.flags.has(SymbolFlags::EXTENSION))?;
        let symbol = inside as u32;
        self.owner(Target { file, symbol })
    }

    /// The bindings of a name in one scope that a use at `at` inside `from` can mean.
    fn bound(&self, view: &FileView, file: FileId, scope: ScopeId, name: NameId, from: ScopeId, at: u32) -> Vec<u32> {
        let list = view.bindings(scope, name);
        let narrowed;
        let list = if list.len() > NEAREST {
            narrowed = nearest(view, list, at);
            &narrowed[..]
        } else {
            list
        };
        match list {
            [] => return Vec::new(),
            [one] if view.facts.bindings[*one as usize].from <= at => return vec![*one],
            _ => {}
        }
        let of = |i: u32| view.facts.bindings[i as usize];
        let hoisted = match self.world.files[file as usize].language {
            Some(l) => l.extract.scope_rules().hoisted,
            None => true,
        };
        // Code in a function runs later than the scope around it: it may see any of the bindings there.
        let later = hoisted && self.function_of(view, from) != self.function_of(view, scope);
        let before: Vec<u32> = list.iter().copied().filter(|&i| later || of(i).from <= at).collect();
        let candidates = match (before.is_empty(), hoisted) {
            (true, true) => list.to_vec(),
            (true, false) => return Vec::new(),
            (false, _) => before,
        };
        // A declaration with a type says more than an assignment; a local that is assigned again keeps its last value,
        // and the values before it are in doubt (branches are not told apart).
        let locals = candidates.iter().all(|&i| matches!(of(i).to, Bound::Local { .. }));
        if locals && !hoisted {
            // A later declaration shadows the ones before it.
            let nearest = candidates.iter().copied().max_by_key(|&i| of(i).from);
            return nearest.into_iter().collect();
        }
        if locals {
            if let Some(&declared) = candidates
                .iter()
                .find(|&&i| matches!(of(i).to, Bound::Local { ty: Some(_), .. }))
            {
                return vec![declared];
            }
            return candidates;
        }
        if later {
            return candidates;
        }
        let nearest = candidates.iter().map(|&i| of(i).from).max().unwrap_or(0);
        candidates.into_iter().filter(|&i| of(i).from == nearest).collect()
    }

    /// The innermost function scope around a scope.
    fn function_of(&self, view: &FileView, scope: ScopeId) -> Option<ScopeId> {
        let mut at = Some(scope);
        while let Some(id) = at {
            let fact = &view.facts.scopes[id as usize];
            if fact.kind == ScopeKind::Function {
                return Some(id);
            }
            at = fact.parent;
        }
        None
    }

    fn bindings(&self, file: FileId, found: &[u32]) -> Value {
        let facts = &self.view(file).facts;
        let value = |i: u32| match facts.bindings[i as usize].to {
            Bound::Symbol(symbol) => Value::def(Target { file, symbol }, Confidence::Exact),
            Bound::Import(import) => self.imported(file, import),
            // A class expression's own name, a function literal's: the definition itself.
            Bound::Local {
                ty: None,
                value: Some(v),
            } if matches!(facts.exprs[v as usize], Expr::Symbol(_)) => self.eval(file, v),
            Bound::Local { .. } => Value::one(What::Local(file, i), Confidence::Exact),
        };
        match found {
            [one] => value(*one),
            _ => {
                let all: Vec<Hit> = found.iter().flat_map(|&i| value(i).hits().to_vec()).collect();
                let imports = found
                    .iter()
                    .any(|&i| matches!(facts.bindings[i as usize].to, Bound::Import(_)));
                let value = Value::of(all);
                // The same name imported twice, or an import with a fallback: one of them is meant.
                if imports { value.alternatives() } else { value }
            }
        }
    }

    /// A name that no scope of the file binds: what whole-module imports of the scopes around it, visible places and the
    /// language give.
    fn unbound_name(&self, file: FileId, name: &str, hash: u64, scopes: &[ScopeId]) -> Option<Value> {
        let traits = self.traits(file);
        if traits.own_space_first
            && let Some(found) = self.in_sight(file, name, hash)
        {
            return Some(found);
        }
        let (found, unknown) = self.from_stars(file, name, hash, scopes, None);
        if found.is_inside() {
            return Some(found);
        }
        if !traits.own_space_first
            && let Some(found) = self.in_sight(file, name, hash)
        {
            return Some(found);
        }
        let otherwise = self.world.rules(file).otherwise(self, file, name, hash);
        if !otherwise.is_unknown() {
            return Some(otherwise);
        }
        if listed(traits.builtins, name) {
            return Some(Value::external());
        }
        unknown.then_some(Value::Unknown)
    }

    /// What the places that the language makes visible give under a name.
    fn in_sight(&self, file: FileId, name: &str, hash: u64) -> Option<Value> {
        let traits = self.traits(file);
        for place in self.world.rules(file).visible(self, file) {
            let value = match place {
                Place::Space(space) => self.in_space(space, name, hash),
                place => self.exported(place, name, hash),
            };
            let space = value.hits().iter().any(|h| matches!(h.0.what, What::Space(_)));
            if value.is_inside() && (traits.relative_spaces || !space) {
                return Some(value);
            }
        }
        None
    }

    /// What the whole-module imports in some scopes, one aside, give under a name, and whether one of them leads to the
    /// unknown.
    pub fn from_stars(
        &self,
        file: FileId,
        name: &str,
        hash: u64,
        scopes: &[ScopeId],
        skip: Option<ImportIx>,
    ) -> (Value, bool) {
        let view = self.view(file);
        let mut unknown = false;
        let mut found: Vec<Hit> = Vec::new();
        let mut giving = 0;
        for &import in &view.stars {
            let fact = &view.facts.imports[import as usize];
            if fact.kind != ImportKind::Star || skip == Some(import) || !scopes.contains(&fact.scope) {
                continue;
            }
            match self.through_star(file, import, name, hash) {
                Value::Unknown => unknown = true,
                value if value.is_inside() => {
                    giving += 1;
                    found.extend(value.hits());
                }
                _ => {}
            }
        }
        let value = Value::of(found);
        (if giving > 1 { value.alternatives() } else { value }, unknown)
    }

    fn unexplained(&self, file: FileId, name: &str, hash: u64) -> Value {
        match self.traits(file).absence {
            Absence::Proved => Value::external(),
            Absence::Open => Value::Unknown,
            Absence::Linked => self.linked(file, name, hash),
        }
    }

    /// Whether a definition carries a name; tables hold hashes only.
    pub fn is_named(&self, target: Target, name: &str) -> bool {
        let facts = &self.view(target.file).facts;
        facts.name(facts.symbols[target.symbol as usize].name) == name
    }

    /// A name at the root of all names.
    pub(super) fn rooted(&self, file: FileId, name: &str, hash: u64) -> Value {
        match self.world.rules(file).root(self, file, name) {
            Place::Unknown => {}
            place => return Value::place(place),
        }
        let Some(family) = self.world.family(file) else {
            return Value::Unknown;
        };
        let root = self.world.tables.space(family, "");
        let found = match root {
            Some(root) => self.in_space(root, name, hash),
            None => Value::Unknown,
        };
        if found.is_inside() {
            return found;
        }
        match self.world.tables.space(family, name) {
            Some(space) => Value::place(Place::Space(space)),
            None => Value::external(),
        }
    }

    /// The definitions of a name in a space, then the space of that name inside it.
    pub fn in_space(&self, space: SpaceId, name: &str, hash: u64) -> Value {
        self.exported(Place::Space(space), name, hash)
    }

    /// The space that a namespace or module symbol opens.
    pub fn space_of_symbol(&self, t: Target) -> SpaceId {
        let view = self.view(t.file);
        let symbol = self.symbol(t);
        let Some(family) = self.world.family(t.file) else {
            return NO_SPACE;
        };
        let entries = self.world.tables.named(view.hash(symbol.name));
        let Some(entry) = entries.iter().find(|e| e.target == t && e.space != NO_SPACE) else {
            return NO_SPACE;
        };
        let key = self.world.tables.key(entry.space);
        let name = view.facts.name(symbol.name);
        let inner = if key.is_empty() {
            name.to_owned()
        } else {
            format!("{key}.{name}")
        };
        self.world.tables.space(family, &inner).unwrap_or(NO_SPACE)
    }

    /// Remembers what a place hands out under a name.
    pub(super) fn handed_out(&self, place: Place, name: &str, hash: u64, work: impl FnOnce() -> Value) -> Value {
        let value = self.task(Task::Name(place, hash), work);
        self.resumes(|| Resume::Handed(place, name.into(), hash));
        value
    }

    /// Remembers something of a place under a word of the language, which is no name there.
    pub fn remembered(&self, place: Place, hash: u64, work: impl FnOnce() -> Value) -> Value {
        self.task(Task::Name(place, hash), work)
    }
}
