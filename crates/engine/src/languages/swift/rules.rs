//! Modules of Swift: the targets of packages, else the whole tree; members that extensions add.

use crate::facts::{FileFacts, Import, ScopeId};
use crate::resolve::extensions::{Sight, extensions};
use crate::resolve::linker::Linker;
use crate::resolve::links::FileId;
use crate::resolve::packages::{nameless, space};
use crate::resolve::project::Project;
use crate::resolve::rules::{Absence, PLAIN, Place, Rules, Traits};
use crate::resolve::value::Value;

/// Resolution rules of Swift.
pub struct SwiftRules;

static TRAITS: Traits = Traits {
    implicit_receiver: true,
    constructors: &["init"],
    call_operator: "callAsFunction",
    builtins: &[
        "Any",
        "AnyObject",
        "Array",
        "Bool",
        "Character",
        "Data",
        "Date",
        "Dictionary",
        "Double",
        "Error",
        "Float",
        "Int",
        "Optional",
        "Result",
        "Set",
        "String",
        "URL",
        "UUID",
        "Void",
        "assert",
        "fatalError",
        "precondition",
        "print",
    ],
    any_types: &["Any", "AnyObject"],
    transparent: &["Optional"],
    dynamic_members: false,
    absence: Absence::Proved,
    overloads: true,
    own_space_first: true,
    ..PLAIN
};

impl Rules for SwiftRules {
    fn traits(&self) -> &'static Traits {
        &TRAITS
    }

    fn space(&self, project: &Project, path: &str, _facts: &FileFacts) -> Option<String> {
        Some(project.swift_module(path).replace('.', "_"))
    }

    /// `import struct M.N` names a part of the module that it takes in.
    fn import(&self, linker: &Linker<'_>, file: FileId, import: &Import) -> Place {
        let module = import.module.split('.').next().unwrap_or(&import.module);
        match space(linker, file, module) {
            Some(found) => Place::Space(found),
            None => Place::External,
        }
    }

    /// `M.Foo` names the module.
    fn otherwise(&self, linker: &Linker<'_>, file: FileId, name: &str, _hash: u64) -> Value {
        let own = linker.world.space_of(file);
        match space(linker, file, name).filter(|_| !name.is_empty()) {
            Some(found) if found == own => Value::place(Place::Space(found)),
            Some(found) => {
                let facts = &linker.view(file).facts;
                if facts.imports.iter().any(|i| *i.module == *name) {
                    Value::place(Place::Space(found))
                } else {
                    Value::Unknown
                }
            }
            None => Value::Unknown,
        }
    }

    fn absent(&self, linker: &Linker<'_>, file: FileId, scope: ScopeId, name: &str) -> Option<Value> {
        let member = name.starts_with(|c: char| c.is_lowercase());
        (member && linker.enclosing_type(file, scope).is_none() && nameless(linker, file, scope).1)
            .then_some(Value::Unknown)
    }

    fn beyond(&self, linker: &Linker<'_>, file: FileId, base: &Value, _name: &str, hash: u64) -> Value {
        extensions(linker, file, base, hash, &|_| Sight::Near)
    }
}
