//! Where Kotlin's imports lead, which extensions a file sees, and what companions add to their classes.

use crate::facts::{FileFacts, Import, ImportKind, Kind, ScopeId};
use crate::languages::java::interop;
use crate::resolve::extensions::{Sight, extensions};
use crate::resolve::hash::name_hash;
use crate::resolve::linker::Linker;
use crate::resolve::links::{FileId, Target};
use crate::resolve::packages::{lead, nameless, root_space};
use crate::resolve::project::Project;
use crate::resolve::rules::{Absence, NO_SPACE, PLAIN, Place, Rules, Traits};
use crate::resolve::value::{Value, What};

/// Resolution rules of Kotlin.
pub struct KotlinRules;

static TRAITS: Traits = Traits {
    implicit_receiver: true,
    call_operator: "invoke",
    builtins: &[
        "Any",
        "Array",
        "Boolean",
        "Byte",
        "ByteArray",
        "Char",
        "CharSequence",
        "Comparable",
        "Double",
        "Exception",
        "Float",
        "IllegalArgumentException",
        "IllegalStateException",
        "Int",
        "IntArray",
        "Long",
        "Nothing",
        "Number",
        "Pair",
        "Short",
        "String",
        "StringBuilder",
        "Throwable",
        "Unit",
        "check",
        "error",
        "print",
        "println",
        "require",
    ],
    any_types: &["Any"],
    dynamic_members: false,
    absence: Absence::Proved,
    overloads: true,
    initializers: &["init"],
    own_space_first: true,
    relative_spaces: false,
    ..PLAIN
};

impl Rules for KotlinRules {
    fn traits(&self) -> &'static Traits {
        &TRAITS
    }

    fn space(&self, _project: &Project, _path: &str, facts: &FileFacts) -> Option<String> {
        Some(facts.package.to_string())
    }

    fn import(&self, linker: &Linker<'_>, file: FileId, import: &Import) -> Place {
        lead(linker, file, &import.module)
    }

    /// A full name begins with its package.
    fn otherwise(&self, linker: &Linker<'_>, file: FileId, name: &str, _hash: u64) -> Value {
        root_space(linker, file, name)
    }

    /// A member of a named companion; in a lambda, perhaps a member of its receiver, which is not known here.
    fn absent(&self, linker: &Linker<'_>, file: FileId, scope: ScopeId, name: &str) -> Option<Value> {
        let facts = &linker.view(file).facts;
        let mut at = Some(scope);
        while let Some(id) = at {
            let fact = &facts.scopes[id as usize];
            if let Some(symbol) = fact.symbol {
                let found = in_companion(linker, Target { file, symbol }, name, name_hash(name));
                if found.is_inside() {
                    return Some(found);
                }
            }
            at = fact.parent;
        }
        let member = name.starts_with(|c: char| c.is_lowercase());
        let (function, class) = nameless(linker, file, scope);
        (member && (function || class)).then_some(Value::Unknown)
    }

    fn beyond(&self, linker: &Linker<'_>, file: FileId, base: &Value, name: &str, hash: u64) -> Value {
        let companion = base.flat_map(|thing| match thing.what {
            What::Def(t) => in_companion(linker, t, name, hash),
            _ => Value::Unknown,
        });
        if companion.is_inside() {
            return companion;
        }
        let renamed = renamed(linker, file, name);
        if renamed.is_inside() {
            return renamed;
        }
        let found = extensions(linker, file, base, hash, &|t| sight(linker, file, t, name));
        found
            .or_else(|| interop::accessor(linker, base, name))
            .or_else(|| interop::singleton(linker, base, name))
    }
}

/// The member of the named companion of a class.
fn in_companion(linker: &Linker<'_>, class: Target, name: &str, hash: u64) -> Value {
    if !linker.symbol(class).kind.is_type() {
        return Value::Unknown;
    }
    let view = linker.view(class.file);
    for &symbol in view.all_children(class.symbol) {
        let s = &view.facts.symbols[symbol as usize];
        if s.kind == Kind::Object && s.signature.split(' ').any(|w| w == "companion") {
            let file = class.file;
            let found = linker.member_of_type(Target { file, symbol }, name, hash);
            if found.is_inside() {
                return found;
            }
        }
    }
    Value::Unknown
}

/// An extension that the file imports under another name.
fn renamed(linker: &Linker<'_>, file: FileId, name: &str) -> Value {
    let facts = &linker.view(file).facts;
    for (ix, import) in facts.imports.iter().enumerate() {
        if *import.alias == *name && *import.name != *name {
            let target = linker.import_target(file, ix as u32);
            return target.flat_map(|thing| match thing.what {
                What::Def(t) if linker.symbol(t).flags.has(crate::facts::SymbolFlags::EXTENSION) => {
                    Value::one(thing.what, crate::resolve::Confidence::Resolved)
                }
                _ => Value::Unknown,
            });
        }
    }
    Value::Unknown
}

/// How a file sees an extension: its own, imported by name, of its package, of a package that it imports whole.
fn sight(linker: &Linker<'_>, file: FileId, extension: Target, name: &str) -> Sight {
    if extension.file == file {
        return Sight::Named;
    }
    let view = linker.view(file);
    let space = linker.world.space_of(extension.file);
    let mut near = space != NO_SPACE && space == linker.world.space_of(file);
    for (ix, import) in view.facts.imports.iter().enumerate() {
        match import.kind {
            ImportKind::Name if *import.alias == *name => {
                let target = linker.import_target(file, ix as u32);
                if target.hits().iter().any(|(t, _)| t.what == What::Def(extension)) {
                    return Sight::Named;
                }
            }
            ImportKind::Star => near |= linker.place_of(file, ix as u32) == Place::Space(space),
            _ => {}
        }
    }
    if near && linker.symbol(extension).parent.is_none() {
        Sight::Near
    } else {
        Sight::No
    }
}
