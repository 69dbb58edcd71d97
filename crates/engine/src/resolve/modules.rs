//! Imports and what modules hand out: aliases, re-exports, barrels, packages.

use super::hash::name_hash;
use super::linker::{Linker, Resume};
use super::links::{Confidence, FileId, Target};
use super::rules::{NO_SPACE, Place, SpaceId};
use super::tables::Reach;
use super::value::{Hit, Task, Thing, Value, What};
use crate::facts::{Bound, Export, ImportIx, ImportKind, Kind, ScopeKind, SymbolFlags};

impl Linker<'_> {
    /// Where an import leads.
    pub fn place_of(&self, file: FileId, import: ImportIx) -> Place {
        let view = self.view(file);
        let fact = &view.facts.imports[import as usize];
        match self.world.rules(file).import(self, file, fact) {
            // A file of another language family has no names for this one.
            Place::File(f) if self.world.family(f).is_some() && self.world.family(f) != self.world.family(file) => {
                Place::External
            }
            place => place,
        }
    }

    /// What the name that an import binds stands for.
    pub fn imported(&self, file: FileId, import: ImportIx) -> Value {
        let fact = &self.view(file).facts.imports[import as usize];
        if fact.kind == ImportKind::Module
            && let Some(place) = self.world.rules(file).binds(self, file, fact)
        {
            return Value::place(place);
        }
        self.import_target(file, import)
    }

    /// What an import names: the definition, or the module.
    pub fn import_target(&self, file: FileId, import: ImportIx) -> Value {
        let value = self.task(Task::Import(file, import), || self.import_new(file, import));
        self.resumes(|| Resume::Import(file, import));
        value
    }

    fn import_new(&self, file: FileId, import: ImportIx) -> Value {
        let named = self.world.rules(file).imported(self, file, import);
        if !named.is_unknown() {
            return named;
        }
        let view = self.view(file);
        let fact = &view.facts.imports[import as usize];
        let place = self.place_of(file, import);
        if matches!(place, Place::External) {
            return Value::external();
        }
        match fact.kind {
            ImportKind::Name => {
                if place == Place::Unknown {
                    return Value::Unknown;
                }
                // A package that imports from itself means its submodule.
                if place == Place::File(file) {
                    let inner = self.submodule(place, &fact.name);
                    if inner.is_inside() {
                        return inner;
                    }
                }
                let hash = name_hash(&fact.name);
                let value = self.exported(place, &fact.name, hash);
                if value.is_unknown() { Value::external() } else { value }
            }
            ImportKind::Default => match place {
                Place::File(f) => self.default_of(f),
                place => Value::place(place),
            },
            ImportKind::Module | ImportKind::Include | ImportKind::Star => match place {
                Place::File(f) if fact.kind == ImportKind::Module => self.whole(f).or_else(|| Value::place(place)),
                place => Value::place(place),
            },
        }
    }

    /// What a whole-module import hands on under a name. Unknown: where it leads cannot be told.
    pub(super) fn through_star(&self, file: FileId, import: ImportIx, name: &str, hash: u64) -> Value {
        match self.import_target(file, import) {
            Value::Unknown => Value::Unknown,
            from if from.is_inside() => {
                let found = from.flat_map(|thing| self.member(thing, name, hash));
                found.or_else(Value::external)
            }
            external => external,
        }
    }

    /// The value that stands for a module as a whole (`module.exports = …`), if it states one.
    fn whole(&self, file: FileId) -> Value {
        if !self.has_facts(file) {
            return Value::Unknown;
        }
        let view = self.view(file);
        let value = view.facts.exports.iter().rev().find_map(|e| match e {
            Export::Whole { value } => Some(*value),
            _ => None,
        });
        match value {
            // An object literal hands its names out as the module's own: see `exported`.
            Some(value) => {
                let value = self.eval(file, value);
                if value.is_inside() { value } else { Value::Unknown }
            }
            None => Value::Unknown,
        }
    }

    fn default_of(&self, file: FileId) -> Value {
        if !self.has_facts(file) {
            return Value::external();
        }
        let found = self.exported(Place::File(file), "default", name_hash("default"));
        if found.is_inside() {
            return found;
        }
        // A CommonJS module read as an ES module: its value is the default.
        let whole = self.whole(file);
        if whole.is_unknown() && found.is_unknown() {
            Value::place(Place::File(file))
        } else {
            whole.or_else(|| found)
        }
    }

    /// What a place hands out under a name. External: the place is known and has no such name.
    pub fn exported(&self, place: Place, name: &str, hash: u64) -> Value {
        match place {
            Place::External => Value::external(),
            Place::Unknown => Value::Unknown,
            Place::Dir(_) => self.inside(place, name, hash).or_else(Value::external),
            Place::Type(t) => self.member_of_type(t, name, hash),
            Place::File(f) if !self.has_facts(f) => Value::external(),
            Place::File(f) => self.handed_out(place, name, hash, || self.exported_by_file(f, name, hash)),
            Place::Space(s) => self.handed_out(place, name, hash, || self.exported_by_space(s, name, hash)),
        }
    }

    fn inside(&self, place: Place, name: &str, hash: u64) -> Value {
        let file = match place {
            Place::File(f) => f,
            _ => self.file,
        };
        self.world.rules(file).inside(self, place, name, hash)
    }

    fn submodule(&self, place: Place, name: &str) -> Value {
        let file = match place {
            Place::File(f) => f,
            _ => self.file,
        };
        Value::place(self.world.rules(file).submodule(self, place, name))
    }

    fn exported_by_file(&self, file: FileId, name: &str, hash: u64) -> Value {
        let view = self.view(file);
        let facts = &view.facts;
        let traits = self.traits(file);
        let mut stated: Vec<Hit> = Vec::new();
        for export in &facts.exports {
            match export {
                Export::Local { name: n, value } if **n == *name => stated.extend(self.eval(file, *value).hits()),
                Export::From { name: n, import } if **n == *name => stated.extend(self.imported(file, *import).hits()),
                _ => {}
            }
        }
        if !stated.is_empty() {
            return Value::of(stated);
        }
        let named =
            |e: &&Export| matches!(e, Export::Local { name: n, .. } | Export::From { name: n, .. } if **n == *name);
        if facts.exports.iter().any(|e| named(&e)) {
            return Value::Unknown;
        }
        if name == "default" {
            let default = facts
                .symbols
                .iter()
                .position(|s| s.flags.has(SymbolFlags::DEFAULT_EXPORT));
            if let Some(symbol) = default {
                let symbol = symbol as u32;
                return Value::def(Target { file, symbol }, Confidence::Exact);
            }
        } else if let Some(id) = view.id(name, hash) {
            let mut own: Vec<Hit> = Vec::new();
            let mut conditional = false;
            for &b in view.bindings(0, id) {
                match facts.bindings[b as usize].to {
                    Bound::Symbol(symbol) => {
                        let s = &facts.symbols[symbol as usize];
                        if traits.hands_out_all || s.flags.has(SymbolFlags::EXPORTED) {
                            let what = What::Def(Target { file, symbol });
                            own.push((Thing { what, arg: None }, Confidence::Exact));
                        }
                    }
                    Bound::Import(import) if traits.hands_out_imports => {
                        conditional = true;
                        own.extend(self.imported(file, import).hits());
                    }
                    Bound::Local { .. } if traits.hands_out_all => {
                        let what = What::Local(file, b);
                        own.push((Thing { what, arg: None }, Confidence::Exact));
                    }
                    _ => {}
                }
            }
            if !own.is_empty() {
                let value = Value::of(own);
                return if conditional { value.alternatives() } else { value };
            }
        }
        let mut unknown = false;
        if name != "default" {
            for export in &facts.exports {
                if let Export::Whole { value } = export {
                    let whole = self.eval(file, *value);
                    let found = whole.flat_map(|thing| self.member(thing, name, hash));
                    if found.is_inside() {
                        return found;
                    }
                    unknown |= whole.is_unknown() || found.is_unknown();
                }
            }
            let mut through: Vec<Hit> = Vec::new();
            let hidden = traits.hands_out_imports && name.starts_with('_');
            for &import in &view.stars {
                let star = facts.imports[import as usize].kind == ImportKind::Star;
                let handed = (traits.hands_out_imports && star && facts.imports[import as usize].scope == 0 && !hidden)
                    || facts
                        .exports
                        .iter()
                        .any(|e| matches!(e, Export::Star { import: i } if *i == import));
                if !handed {
                    continue;
                }
                match self.place_of(file, import) {
                    Place::External => {}
                    Place::Unknown => unknown = true,
                    place => {
                        let value = self.exported(place, name, hash);
                        if value.is_inside() {
                            through.extend(value.hits());
                        }
                    }
                }
            }
            if !through.is_empty() {
                return Value::of(through).alternatives();
            }
        }
        let inner = self.inside(Place::File(file), name, hash);
        if inner.is_inside() {
            return inner;
        }
        if unknown { Value::Unknown } else { Value::external() }
    }

    fn exported_by_space(&self, space: SpaceId, name: &str, hash: u64) -> Value {
        let tables = &self.world.tables;
        let hits: Vec<Hit> = tables
            .in_space(space, hash)
            .iter()
            .filter(|e| e.reach == Reach::Top && !self.is_space(e.target, e.kind))
            .filter(|e| {
                !e.flags.has(SymbolFlags::FILE_PRIVATE)
                    || e.target.file == self.file
                    || (self.traits(self.file).declares && self.includes(self.file).contains(&e.target.file))
            })
            .take(64)
            .filter(|e| self.is_named(e.target, name))
            .map(|e| {
                let what = What::Def(e.target);
                (Thing { what, arg: None }, Confidence::Exact)
            })
            .collect();
        let hits = self.first_parts(hits);
        let of_file = tables.files(space).first();
        if of_file.is_some_and(|&f| self.traits(f).hands_out_imports) {
            return self.open_space(space, name, hash, hits);
        }
        if !hits.is_empty() {
            return Value::of(hits);
        }
        let mut stated: Vec<Hit> = Vec::new();
        let mut through: Vec<Hit> = Vec::new();
        for &file in tables.exporters(space) {
            // What a file hands out belongs to the space of the scope in which it says so.
            let view = self.view(file);
            for export in &view.facts.exports {
                match export {
                    Export::Local { name: n, value } if **n == *name && self.world.space_of(file) == space => {
                        stated.extend(self.eval(file, *value).hits());
                    }
                    Export::From { name: n, import }
                        if **n == *name && self.space_of_import(file, *import) == space =>
                    {
                        stated.extend(self.imported(file, *import).hits());
                    }
                    Export::Star { import } if self.space_of_import(file, *import) == space => {
                        let value = match self.place_of(file, *import) {
                            Place::External | Place::Unknown => continue,
                            place => self.exported(place, name, hash),
                        };
                        if value.is_inside() {
                            through.extend(value.hits());
                        }
                    }
                    _ => {}
                }
            }
        }
        let found = if stated.is_empty() { through } else { stated };
        let value = Value::of(found);
        if value.is_inside() {
            return value;
        }
        if let Some(inner) = self.inner_space(space, name) {
            return Value::place(Place::Space(inner));
        }
        let inner = self.inside(Place::Space(space), name, hash);
        if inner.is_inside() { inner } else { Value::external() }
    }

    /// Whether a definition is no more than the space that it opens.
    fn is_space(&self, target: Target, kind: Kind) -> bool {
        match kind {
            Kind::Namespace => true,
            Kind::Module => !self.view(target.file).facts.is_type(target.symbol),
            _ => false,
        }
    }

    /// One of the parts of a class or module that is written in parts.
    fn first_parts(&self, hits: Vec<Hit>) -> Vec<Hit> {
        let part = |h: &Hit| match h.0.what {
            What::Def(t) if self.traits(t.file).top_level_members => {
                matches!(self.symbol(t).kind, Kind::Class | Kind::Struct | Kind::Module)
            }
            _ => false,
        };
        let mut seen = false;
        hits.into_iter()
            .filter(|h| !part(h) || !std::mem::replace(&mut seen, true))
            .collect()
    }

    /// The space of a name inside a space.
    fn inner_space(&self, space: SpaceId, name: &str) -> Option<SpaceId> {
        let tables = &self.world.tables;
        let key = tables.key(space);
        let inner = if key.is_empty() {
            name.to_owned()
        } else {
            format!("{key}.{name}")
        };
        tables.space(tables.family(space), &inner)
    }

    /// A name of a module that hands out its imports as well, where one name may be a module, a type and a value.
    fn open_space(&self, space: SpaceId, name: &str, hash: u64, own: Vec<Hit>) -> Value {
        let tables = &self.world.tables;
        let mut found = own;
        if let Some(inner) = self.inner_space(space, name) {
            found.extend(Value::place(Place::Space(inner)).hits());
        }
        let mut stars: Vec<(FileId, ImportIx)> = Vec::new();
        for &file in tables.files(space) {
            let facts = &self.view(file).facts;
            for (ix, import) in facts.imports.iter().enumerate() {
                let ix = ix as ImportIx;
                let star = import.kind == ImportKind::Star;
                let top = matches!(
                    facts.scopes[import.scope as usize].kind,
                    ScopeKind::File | ScopeKind::Module
                );
                if !top || !(star || *import.alias == *name) || self.space_of_import(file, ix) != space {
                    continue;
                }
                if star {
                    stars.push((file, ix));
                } else {
                    found.extend(self.imported(file, ix).hits());
                }
            }
        }
        let value = Value::of(found);
        if !value.is_unknown() {
            return value;
        }
        let mut through: Vec<Hit> = Vec::new();
        let mut unknown = false;
        for (file, import) in stars {
            match self.through_star(file, import, name, hash) {
                Value::Unknown => unknown = true,
                value if value.is_inside() => through.extend(value.hits()),
                _ => {}
            }
        }
        let value = Value::of(through).alternatives();
        if value.is_inside() {
            return value;
        }
        match self.inside(Place::Space(space), name, hash) {
            Value::Unknown if unknown => Value::Unknown,
            Value::Unknown => Value::external(),
            inner => inner,
        }
    }

    /// The space to which an import's scope belongs.
    fn space_of_import(&self, file: FileId, import: ImportIx) -> SpaceId {
        let facts = &self.view(file).facts;
        let mut at = Some(facts.imports[import as usize].scope);
        while let Some(id) = at {
            let fact = &facts.scopes[id as usize];
            if let Some(symbol) = fact.symbol
                && matches!(facts.symbols[symbol as usize].kind, Kind::Namespace | Kind::Module)
            {
                let space = self.space_of_symbol(Target { file, symbol });
                if space != NO_SPACE {
                    return space;
                }
            }
            at = fact.parent;
        }
        self.world.space_of(file)
    }
}
