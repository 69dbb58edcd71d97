//! Which file is which module: `mod` declarations, followed both ways.
//!
//! A file belongs to the module whose file declares it; a file that none declares is the root of a crate, or, when it
//! stands where a module would, a module whose declaration a macro writes.

use crate::facts::{Import, ImportKind, Kind, ScopeId};
use crate::resolve::hash::name_hash;
use crate::resolve::linker::Linker;
use crate::resolve::links::{FileId, Target};
use crate::resolve::project::paths::{join, parent};
use crate::resolve::rules::{NO_SPACE, Place, SpaceId};
use crate::resolve::value::{Value, What};

/// Deepest nesting of modules.
const DEEPEST: usize = 64;
/// Most files of a folder of programs or tests that are searched for a declaration.
const SIBLINGS: usize = 64;

/// A module that an import fact declares: `mod name;`, with the file that `#[path]` gives.
#[derive(Clone, Copy)]
pub struct Declared<'f> {
    name: &'f str,
    path: Option<&'f str>,
}

/// The module that an import fact declares, if it is a declaration.
pub fn declared(import: &Import) -> Option<Declared<'_>> {
    if import.kind != ImportKind::Module {
        return None;
    }
    let rest = import.module.strip_prefix("self::")?;
    Some(match rest.split_once('#') {
        Some((name, path)) => Declared { name, path: Some(path) },
        None => Declared { name: rest, path: None },
    })
}

/// The space of the module around a scope.
pub fn module_of(linker: &Linker<'_>, file: FileId, scope: ScopeId) -> SpaceId {
    let facts = &linker.view(file).facts;
    let mut at = Some(scope);
    while let Some(id) = at {
        let fact = &facts.scopes[id as usize];
        if let Some(symbol) = fact.symbol
            && facts.symbols[symbol as usize].kind == Kind::Module
        {
            let space = linker.space_of_symbol(Target { file, symbol });
            if space != NO_SPACE {
                return space;
            }
        }
        at = fact.parent;
    }
    linker.world.space_of(file)
}

/// The names of the inline modules around a scope, outermost first.
fn inline(linker: &Linker<'_>, file: FileId, scope: ScopeId) -> Vec<Box<str>> {
    let facts = &linker.view(file).facts;
    let mut out: Vec<Box<str>> = Vec::new();
    let mut at = Some(scope);
    while let Some(id) = at {
        let fact = &facts.scopes[id as usize];
        if let Some(symbol) = fact.symbol {
            let symbol = &facts.symbols[symbol as usize];
            if symbol.kind == Kind::Module {
                out.push(facts.name(symbol.name).into());
            }
        }
        at = fact.parent;
    }
    out.reverse();
    out
}

fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.strip_suffix(".rs").unwrap_or(name)
}

/// The directories in which the modules of a file may lie.
fn homes(path: &str) -> Vec<String> {
    let dir = parent(path);
    match stem(path) {
        "mod" | "lib" | "main" | "build" => vec![dir.to_owned()],
        // A module's modules lie in a directory of its name; those of a crate's root beside it.
        stem => join(dir, stem).into_iter().chain([dir.to_owned()]).collect(),
    }
}

/// The file of a module that a file declares in a scope.
pub fn file_of(linker: &Linker<'_>, file: FileId, scope: ScopeId, declared: Declared<'_>) -> Option<FileId> {
    let world = linker.world;
    let path = world.path(file);
    let around = inline(linker, file, scope);
    if let Some(stated) = declared.path {
        if around.is_empty() {
            return world
                .file(&join(parent(path), stated)?)
                .filter(|&f| linker.has_facts(f));
        }
        let homes = homes(path).into_iter().chain([parent(path).to_owned()]);
        return homes
            .filter_map(|home| join(&join(&home, &around.join("/"))?, stated))
            .find_map(|p| world.file(&p));
    }
    in_homes(linker, path, &around, declared.name)
}

fn in_homes(linker: &Linker<'_>, path: &str, around: &[Box<str>], name: &str) -> Option<FileId> {
    homes(path).into_iter().find_map(|home| {
        let base = join(&join(&home, &around.join("/"))?, name)?;
        [".rs", "/mod.rs"]
            .iter()
            .find_map(|tail| linker.world.file(&format!("{base}{tail}")))
            .filter(|&f| linker.has_facts(f) && *linker.world.path(f) != *path)
    })
}

/// The file that a space belongs to, and the names of the inline modules in it.
fn location(linker: &Linker<'_>, space: SpaceId) -> Option<(FileId, Vec<Box<str>>)> {
    let tables = &linker.world.tables;
    let file = *tables.files(space).first()?;
    let (own, key) = (tables.key(tables.space_of(file)), tables.key(space));
    let inner = key.strip_prefix(own)?;
    Some((
        file,
        inner.split('.').filter(|p| !p.is_empty()).map(Into::into).collect(),
    ))
}

/// The file of a module that stands where `name` inside a space would, declared by a macro.
pub fn undeclared(linker: &Linker<'_>, space: SpaceId, name: &str) -> Option<FileId> {
    let (file, around) = location(linker, space)?;
    in_homes(linker, linker.world.path(file), &around, name)
}

/// The space of a module that is declared in a module.
pub fn child(linker: &Linker<'_>, space: SpaceId, name: &str) -> Option<SpaceId> {
    let tables = &linker.world.tables;
    if let Some(inner) = tables.space(tables.family(space), &format!("{}.{name}", tables.key(space))) {
        return Some(inner);
    }
    let (file, _) = location(linker, space)?;
    let facts = &linker.view(file).facts;
    let found = facts.imports.iter().find_map(|import| {
        let found = declared(import).filter(|d| d.name == name)?;
        (module_of(linker, file, import.scope) == space).then_some((import.scope, found))
    })?;
    let of = file_of(linker, file, found.0, found.1)?;
    Some(linker.world.space_of(of))
}

/// The space of the module around a module.
pub fn parent_of(linker: &Linker<'_>, space: SpaceId) -> Option<SpaceId> {
    let tables = &linker.world.tables;
    let (file, around) = location(linker, space)?;
    if around.is_empty() {
        return parent_of_file(linker, file);
    }
    let key = tables.key(space).rsplit_once('.')?.0;
    tables.space(tables.family(space), key)
}

/// The root module of a file's crate.
pub fn crate_root(linker: &Linker<'_>, file: FileId) -> SpaceId {
    let found = linker.remembered(Place::File(file), name_hash("crate"), || {
        let mut space = linker.world.space_of(file);
        for _ in 0..DEEPEST {
            match parent_of(linker, space) {
                Some(parent) => space = parent,
                None => break,
            }
        }
        Value::place(Place::Space(space))
    });
    match found.hits() {
        [(thing, _)] => match thing.what {
            What::Space(space) => space,
            _ => linker.world.space_of(file),
        },
        _ => linker.world.space_of(file),
    }
}

/// Whether a file stands where cargo looks for the roots of programs, tests, examples and benchmarks.
fn is_root_by_place(linker: &Linker<'_>, path: &str) -> bool {
    let dir = parent(path).rsplit('/').next().unwrap_or("");
    if matches!(stem(path), "lib" | "main" | "build") || matches!(dir, "tests" | "benches" | "examples" | "bin") {
        return true;
    }
    let package = linker.world.project.cargo.package_of(path);
    package.is_some_and(|p| *p.root == *path || p.targets.iter().any(|t| **t == *path))
}

/// The files whose modules lie in a directory.
fn owners_of(linker: &Linker<'_>, dir: &str) -> Vec<FileId> {
    let world = linker.world;
    let mut out: Vec<FileId> = Vec::new();
    let mut add = |path: Option<String>| {
        if let Some(f) = path.and_then(|p| world.file(&p))
            && linker.has_facts(f)
            && !out.contains(&f)
        {
            out.push(f);
        }
    };
    add(join(dir, "mod.rs"));
    if !dir.is_empty() {
        add(Some(format!("{dir}.rs")));
    }
    add(join(dir, "lib.rs"));
    add(join(dir, "main.rs"));
    if let Some(package) = world.project.cargo.package_of(&format!("{dir}/x")) {
        let stated = std::iter::once(&package.root).chain(&package.targets);
        for path in stated.filter(|p| parent(p) == dir) {
            add(Some(path.to_string()));
        }
    }
    let last = dir.rsplit('/').next().unwrap_or("");
    if matches!(last, "tests" | "benches" | "examples" | "bin") {
        let near = world.files_under(dir).filter(|&f| {
            let path = world.path(f);
            parent(path) == dir && path.ends_with(".rs")
        });
        for f in near.take(SIBLINGS) {
            add(Some(world.path(f).to_owned()));
        }
    }
    out
}

/// The module that declares a file.
fn parent_of_file(linker: &Linker<'_>, file: FileId) -> Option<SpaceId> {
    let world = linker.world;
    let path = world.path(file);
    let dir = parent(path);
    let (name, home) = match stem(path) {
        "mod" => (dir.rsplit('/').next().unwrap_or(""), parent(dir)),
        stem => (stem, dir),
    };
    let owners = owners_of(linker, home);
    // `around`: the inline modules whose names the directories between have.
    let declares = |owner: FileId, around: &[&str]| -> Option<SpaceId> {
        if owner == file {
            return None;
        }
        let facts = &linker.view(owner).facts;
        facts.imports.iter().find_map(|import| {
            let found = declared(import)?;
            let here = match found.path {
                Some(_) => file_of(linker, owner, import.scope, found) == Some(file),
                None => {
                    found.name == name
                        && inline(linker, owner, import.scope)
                            .iter()
                            .map(|n| &**n)
                            .eq(around.iter().copied())
                }
            };
            here.then(|| module_of(linker, owner, import.scope))
        })
    };
    if let Some(found) = owners.iter().find_map(|&o| declares(o, &[])) {
        return Some(found);
    }
    if is_root_by_place(linker, path) {
        return None;
    }
    let mut above = home;
    let mut around: Vec<&str> = Vec::new();
    for _ in 0..2 {
        if above.is_empty() {
            break;
        }
        around.insert(0, above.rsplit('/').next().unwrap_or(above));
        above = parent(above);
        let found = owners_of(linker, above).into_iter().find_map(|o| declares(o, &around));
        if found.is_some() {
            return found;
        }
    }
    // A declaration that a macro writes.
    owners.into_iter().find(|&o| o != file).map(|o| world.space_of(o))
}
