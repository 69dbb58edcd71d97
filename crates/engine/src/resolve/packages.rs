//! Modules of languages whose files state a package or namespace: a dotted name leads to a space, or through a space to a type.

use super::hash::name_hash;
use super::linker::Linker;
use super::links::{FileId, Target};
use super::rules::{Place, SpaceId};
use super::value::{Thing, Value, What};
use crate::facts::{Bound, Import, NameId, ScopeKind};

/// Where a dotted name leads: a space, or a type in one.
pub fn lead(linker: &Linker<'_>, file: FileId, module: &str) -> Place {
    let Some(family) = linker.world.family(file) else {
        return Place::External;
    };
    let tables = &linker.world.tables;
    let ends = std::iter::once(module.len()).chain(module.rmatch_indices('.').map(|(at, _)| at));
    for end in ends {
        let Some(space) = tables.space(family, &module[..end]) else {
            continue;
        };
        let rest = module[end..].trim_start_matches('.');
        if rest.is_empty() {
            return Place::Space(space);
        }
        return in_space(linker, space, rest);
    }
    match tables.space(family, "") {
        Some(root) if !module.is_empty() => in_space(linker, root, module),
        Some(root) => Place::Space(root),
        None => Place::External,
    }
}

fn in_space(linker: &Linker<'_>, space: SpaceId, path: &str) -> Place {
    let (first, rest) = path.split_once('.').unwrap_or((path, ""));
    let found = linker.exported(Place::Space(space), first, name_hash(first));
    within(linker, &found, rest)
}

/// Follows the parts of a path from what its first part names.
pub fn within(linker: &Linker<'_>, from: &Value, path: &str) -> Place {
    let mut at = from.clone();
    for part in path.split('.').filter(|p| !p.is_empty()) {
        at = at.flat_map(|thing| linker.member(thing, part, name_hash(part)));
    }
    let mut place = Place::External;
    for (thing, _) in at.hits() {
        match thing.what {
            // Of a class and its companion, the object holds what can be named from outside.
            What::Def(t) | What::Instance(t)
                if linker.symbol(t).kind.is_type()
                    && (place == Place::External || linker.symbol(t).kind == crate::facts::Kind::Object) =>
            {
                place = Place::Type(t);
            }
            What::Space(s) if place == Place::External => place = Place::Space(s),
            What::File(f) if place == Place::External => place = Place::File(f),
            _ => {}
        }
    }
    if at.is_unknown() { Place::Unknown } else { place }
}

/// The keys of the spaces around a file, its own first, the root left out.
pub fn around<'l>(linker: &'l Linker<'_>, file: FileId) -> Vec<&'l str> {
    let package = &*linker.view(file).facts.package;
    if package.is_empty() {
        return Vec::new();
    }
    let ends = std::iter::once(package.len()).chain(package.rmatch_indices('.').map(|(at, _)| at));
    ends.map(|end| &package[..end]).collect()
}

/// The space of a key in the language family of a file.
pub fn space(linker: &Linker<'_>, file: FileId, key: &str) -> Option<SpaceId> {
    linker.world.tables.space(linker.world.family(file)?, key)
}

/// The space that stands for a plain name at the root: `com` in `com.acme.Foo`.
pub fn root_space(linker: &Linker<'_>, file: FileId, name: &str) -> Value {
    match space(linker, file, name) {
        Some(space) => Value::place(Place::Space(space)),
        None => Value::Unknown,
    }
}

/// Where a module leads that may begin with a name of a space around the file, the nearest first.
pub fn relative(linker: &Linker<'_>, file: FileId, module: &str) -> Place {
    for key in around(linker, file) {
        let found = lead(linker, file, &format!("{key}.{module}"));
        if found != Place::External {
            return found;
        }
    }
    lead(linker, file, module)
}

/// What the first name of an import means in the scopes around it: another import, a definition, a local.
pub fn bound(linker: &Linker<'_>, file: FileId, import: &Import, name: &str) -> Value {
    let view = linker.view(file);
    let Some(id): Option<NameId> = view.id(name, name_hash(name)) else {
        return Value::Unknown;
    };
    let mut at = Some(import.scope);
    while let Some(scope) = at {
        for &b in view.bindings(scope, id) {
            match view.facts.bindings[b as usize].to {
                Bound::Import(i) if view.facts.imports[i as usize] != *import => return linker.imported(file, i),
                Bound::Import(_) => {}
                Bound::Symbol(symbol) => {
                    let what = What::Def(Target { file, symbol });
                    return linker.force(Value::One((Thing { what, arg: None }, super::links::Confidence::Exact)));
                }
                Bound::Local { .. } => {
                    return linker.force(Value::one(What::Local(file, b), super::links::Confidence::Exact));
                }
            }
        }
        at = view.facts.scopes[scope as usize].parent;
    }
    Value::Unknown
}

/// Whether a scope lies in a function without a name, and whether in a class without one.
pub fn nameless(linker: &Linker<'_>, file: FileId, scope: u32) -> (bool, bool) {
    let facts = &linker.view(file).facts;
    let (mut function, mut class) = (false, false);
    let mut at = Some(scope);
    while let Some(id) = at {
        let fact = &facts.scopes[id as usize];
        function |= fact.kind == ScopeKind::Function && fact.symbol.is_none();
        class |= fact.kind == ScopeKind::Type && fact.symbol.is_none();
        at = fact.parent;
    }
    (function, class)
}
