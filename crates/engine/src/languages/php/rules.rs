//! What PHP's namespaces and `use` mean.
//!
//! A class is found in the file's own namespace or by `use`; a function or constant that the namespace does not have is
//! the global one.

use crate::facts::{FileFacts, Import, ImportKind, Kind};
use crate::languages::Family;
use crate::resolve::linker::Linker;
use crate::resolve::links::FileId;
use crate::resolve::project::Project;
use crate::resolve::project::suffix::{beside, ending};
use crate::resolve::rules::{Absence, NO_SPACE, PLAIN, Place, Rules, Traits};
use crate::resolve::value::{Hit, Value, What};

/// Resolution rules of PHP.
pub struct PhpRules;

static TRAITS: Traits = Traits {
    constructors: &["__construct"],
    call_operator: "__invoke",
    any_types: &["array", "callable", "iterable", "mixed", "object"],
    dynamic_members: true,
    closures_keep_this: true,
    mixins_first: true,
    inherits_constructors: true,
    absence: Absence::Proved,
    ..PLAIN
};

impl Rules for PhpRules {
    fn traits(&self) -> &'static Traits {
        &TRAITS
    }

    fn space(&self, _project: &Project, _path: &str, facts: &FileFacts) -> Option<String> {
        Some(facts.package.to_string())
    }

    fn import(&self, linker: &Linker<'_>, file: FileId, import: &Import) -> Place {
        let world = linker.world;
        if import.kind == ImportKind::Include {
            let path = &*import.module;
            let found = beside(world, world.path(file), path).or_else(|| world.file(path));
            let found = found.or_else(|| {
                let plain = path.trim_start_matches("./").trim_start_matches("../");
                let mut all = ending(world, plain);
                match (all.next(), all.next()) {
                    (Some(one), None) => Some(one),
                    _ => None,
                }
            });
            return found.map_or(Place::External, Place::File);
        }
        let key = import.module.trim_matches('\\').replace('\\', ".");
        match world.tables.space(Family::Php, &key) {
            Some(space) => Place::Space(space),
            None => Place::External,
        }
    }

    /// A name at the root that is a namespace, in a tree without global definitions.
    fn imported(&self, linker: &Linker<'_>, file: FileId, import: u32) -> Value {
        let fact = &linker.view(file).facts.imports[import as usize];
        let tables = &linker.world.tables;
        if fact.kind != ImportKind::Name || !fact.module.is_empty() || tables.space(Family::Php, "").is_some() {
            return Value::Unknown;
        }
        match tables.space(Family::Php, &fact.name) {
            Some(space) => Value::place(Place::Space(space)),
            None => Value::Unknown,
        }
    }

    fn otherwise(&self, linker: &Linker<'_>, file: FileId, name: &str, hash: u64) -> Value {
        let Some(root) = linker.world.tables.space(Family::Php, "") else {
            return Value::Unknown;
        };
        let own = linker.world.space_of(file);
        let found = linker.in_space(root, name, hash);
        if own == root || own == NO_SPACE {
            return found.flat_map(inside);
        }
        let global = |h: &Hit| match h.0.what {
            What::Def(t) => matches!(linker.symbol(t).kind, Kind::Function | Kind::Constant | Kind::Variable),
            _ => false,
        };
        Value::of(found.hits().iter().filter(|h| global(h)).copied().collect())
    }
}

fn inside(thing: crate::resolve::value::Thing) -> Value {
    match thing.what {
        What::External => Value::Unknown,
        what => Value::one(what, crate::resolve::links::Confidence::Exact),
    }
}
