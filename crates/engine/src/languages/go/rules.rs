//! Where Go's imports lead: modules, replaced modules, vendored packages; and what a package shares.
//!
//! A space is a package: a directory and a package name, since a directory can hold a package beside its external tests.

use super::imports::package_name;
use crate::facts::{FileFacts, Import, ImportKind};
use crate::languages::Family;
use crate::resolve::linker::Linker;
use crate::resolve::links::FileId;
use crate::resolve::project::Project;
use crate::resolve::project::paths::{is_under, join, parent, upward};
use crate::resolve::rules::{Absence, Order, PLAIN, Place, Rules, Traits};
use crate::resolve::value::{Thing, Value, What};

/// Resolution rules of Go.
pub struct GoRules;

static TRAITS: Traits = Traits {
    builtins: BUILTINS,
    any_types: &["any"],
    order: Order::Shallow,
    dynamic_members: false,
    structural: true,
    absence: Absence::Proved,
    ..PLAIN
};

impl Rules for GoRules {
    fn traits(&self) -> &'static Traits {
        &TRAITS
    }

    fn space(&self, _project: &Project, path: &str, facts: &FileFacts) -> Option<String> {
        Some(key(parent(path), &facts.package))
    }

    fn import(&self, linker: &Linker<'_>, file: FileId, import: &Import) -> Place {
        let module = &*import.module;
        let world = linker.world;
        let here = parent(world.path(file));
        if module.starts_with("./") || module.starts_with("../") {
            return match join(here, module) {
                Some(dir) => package_in(linker, &dir, module),
                None => Place::External,
            };
        }
        for dir in upward(here) {
            let vendored = join(dir, "vendor").and_then(|v| join(&v, module));
            if let Some(vendored) = vendored.filter(|v| world.dir(v).is_some()) {
                return package_in(linker, &vendored, module);
            }
        }
        match directory(&world.project, here, module) {
            Some(dir) => package_in(linker, &dir, module),
            None if world.project.go_modules.is_empty() => without_module(linker, module),
            None => Place::External,
        }
    }

    /// A package is known by the name in its files, whatever its path ends in.
    fn otherwise(&self, linker: &Linker<'_>, file: FileId, name: &str, _hash: u64) -> Value {
        let facts = &linker.view(file).facts;
        for (ix, import) in facts.imports.iter().enumerate() {
            if import.kind != ImportKind::Module
                || *import.alias == *name
                || *import.alias != *package_name(&import.module)
            {
                continue;
            }
            let target = linker.import_target(file, ix as u32);
            if let [
                (
                    Thing {
                        what: What::Space(space),
                        ..
                    },
                    _,
                ),
            ] = target.hits()
                && linker.world.tables.key(*space).rsplit(':').next() == Some(name)
            {
                return target;
            }
        }
        Value::Unknown
    }
}

/// The key of a package. Dots part the names of nested spaces, which Go has not.
fn key(dir: &str, package: &str) -> String {
    format!("{}:{package}", dir.replace('.', "\u{1}"))
}

/// The directory of an import path: that of the module with the longest path that begins it, of several modules of one
/// path the nearest.
fn directory(project: &Project, here: &str, path: &str) -> Option<String> {
    let rest_of = |module: &str| match path.strip_prefix(module) {
        Some("") => Some(""),
        Some(rest) => rest.strip_prefix('/'),
        None => None,
    };
    let (dir, module) = project
        .go_modules
        .iter()
        .filter(|(_, module)| rest_of(module).is_some())
        .max_by_key(|(dir, module)| {
            let near = is_under(here, dir);
            (module.len(), near, if near { dir.len() } else { 0 })
        })?;
    join(dir, rest_of(module)?)
}

/// A tree without `go.mod`: the path of a hosted repository (`host/owner/name/dir`) leads to the directory.
fn without_module(linker: &Linker<'_>, path: &str) -> Place {
    let mut parts = path.split('/');
    if !parts.next().is_some_and(|host| host.contains('.')) {
        return Place::External;
    }
    let rest: Vec<&str> = parts.skip(2).collect();
    package_in(linker, &rest.join("/"), path)
}

/// The package in a directory that an import of `path` means.
fn package_in(linker: &Linker<'_>, dir: &str, path: &str) -> Place {
    let world = linker.world;
    let last = dir.rsplit('/').next().unwrap_or(dir);
    for name in [package_name(path), last] {
        if let Some(space) = world.tables.space(Family::Go, &key(dir, name)) {
            return Place::Space(space);
        }
    }
    // The package has another name than its path suggests.
    let mut main = None;
    for file in world.files_under(dir) {
        let path = world.path(file);
        if parent(path) != dir || !path.ends_with(".go") || path.ends_with("_test.go") {
            continue;
        }
        let space = world.space_of(file);
        if &*linker.view(file).facts.package != "main" {
            return Place::Space(space);
        }
        main.get_or_insert(space);
    }
    main.map_or(Place::External, Place::Space)
}

const BUILTINS: &[&str] = &[
    "any",
    "append",
    "bool",
    "byte",
    "cap",
    "clear",
    "close",
    "comparable",
    "complex",
    "complex128",
    "complex64",
    "copy",
    "delete",
    "error",
    "false",
    "float32",
    "float64",
    "imag",
    "int",
    "int16",
    "int32",
    "int64",
    "int8",
    "iota",
    "len",
    "make",
    "max",
    "min",
    "new",
    "nil",
    "panic",
    "print",
    "println",
    "real",
    "recover",
    "rune",
    "string",
    "true",
    "uint",
    "uint16",
    "uint32",
    "uint64",
    "uint8",
    "uintptr",
];
