//! Where `#include`, `using` and namespaces of C and C++ lead.
//!
//! Names at file level are linked: a declaration and its definition in another file are one, and what a file takes in
//! comes first. All top levels together are the root space; a namespace is a space to which any file adds.

use crate::facts::{FileFacts, Import, ImportKind, Kind, ScopeId};
use crate::languages::Family;
use crate::resolve::linker::Linker;
use crate::resolve::links::{FileId, Target};
use crate::resolve::project::Project;
use crate::resolve::project::paths::{join, parent, upward};
use crate::resolve::project::suffix::{beside, nearest};
use crate::resolve::rules::{Absence, NO_SPACE, PLAIN, Place, Rules, Traits};

/// Resolution rules of C and C++.
pub struct CRules;

static TRAITS: Traits = Traits {
    implicit_receiver: true,
    call_operator: "operator()",
    dynamic_members: false,
    open_namespaces: true,
    declares: true,
    absence: Absence::Linked,
    ..PLAIN
};

impl Rules for CRules {
    fn traits(&self) -> &'static Traits {
        &TRAITS
    }

    fn space(&self, _project: &Project, _path: &str, _facts: &FileFacts) -> Option<String> {
        Some(String::new())
    }

    fn import(&self, linker: &Linker<'_>, file: FileId, import: &Import) -> Place {
        match import.kind {
            ImportKind::Include => included(linker, file, &import.module),
            _ => namespace(linker, file, import),
        }
    }

    /// All files share the root; what of it a file means is a matter of linkage.
    fn visible(&self, _linker: &Linker<'_>, _file: FileId) -> Vec<Place> {
        Vec::new()
    }
}

/// The file that an include names: beside the including file, then below a directory above it, then anywhere.
fn included(linker: &Linker<'_>, file: FileId, module: &str) -> Place {
    let world = linker.world;
    let from = world.path(file);
    let system = module.starts_with('<');
    let path = module.trim_matches(['<', '>', '"']);
    if path.is_empty() {
        return Place::Unknown;
    }
    if !system && let Some(found) = beside(world, from, path) {
        return Place::File(found);
    }
    for dir in upward(parent(from)) {
        for below in ["", "include", "src"] {
            let at = join(dir, below).and_then(|d| join(&d, path));
            // A header of one name, `<string.h>`, is the system's unless a directory for headers has it.
            if system && below != "include" && !path.contains('/') {
                continue;
            }
            if let Some(found) = at.and_then(|at| world.file(&at)) {
                return Place::File(found);
            }
        }
    }
    let plain = path.trim_start_matches("../").trim_start_matches("./");
    if system && !plain.contains('/') {
        return Place::External;
    }
    match nearest(world, from, plain) {
        Some(found) => Place::File(found),
        None => Place::External,
    }
}

/// The namespace of a `using` or an alias, as seen from the namespaces around it.
fn namespace(linker: &Linker<'_>, file: FileId, import: &Import) -> Place {
    let tables = &linker.world.tables;
    let key = import.module.trim_start_matches("::").replace("::", ".");
    let rooted = import.module.starts_with("::");
    if !rooted {
        for outer in namespaces_around(linker, file, import.scope) {
            let space = tables.space(Family::C, &format!("{}.{key}", tables.key(outer)));
            if let Some(space) = space {
                return Place::Space(space);
            }
        }
    }
    match tables.space(Family::C, &key) {
        Some(space) => Place::Space(space),
        // `using Base::name` in a class: a member.
        None if import.kind == ImportKind::Name && !key.starts_with("std") => Place::Unknown,
        None => Place::External,
    }
}

/// The spaces of the namespaces around a scope, innermost first.
fn namespaces_around(linker: &Linker<'_>, file: FileId, scope: ScopeId) -> Vec<u32> {
    let facts = &linker.view(file).facts;
    let mut out = Vec::new();
    let mut at = Some(scope);
    while let Some(id) = at {
        let fact = &facts.scopes[id as usize];
        if let Some(symbol) = fact.symbol
            && facts.symbols[symbol as usize].kind == Kind::Namespace
        {
            let space = linker.space_of_symbol(Target { file, symbol });
            if space != NO_SPACE {
                out.push(space);
            }
        }
        at = fact.parent;
    }
    out
}
