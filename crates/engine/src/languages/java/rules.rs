//! Where Java's imports lead, and what a file sees without them.

use super::interop;
use crate::facts::{FileFacts, Import, ScopeId};
use crate::resolve::hash::name_hash;
use crate::resolve::linker::Linker;
use crate::resolve::links::FileId;
use crate::resolve::packages::{lead, nameless, root_space};
use crate::resolve::project::Project;
use crate::resolve::rules::{Absence, PLAIN, Place, Rules, Traits};
use crate::resolve::value::Value;

/// Resolution rules of Java.
pub struct JavaRules;

static TRAITS: Traits = Traits {
    implicit_receiver: true,
    call_constructs: false,
    builtins: &[
        "Boolean",
        "Byte",
        "CharSequence",
        "Character",
        "Class",
        "Comparable",
        "Deprecated",
        "Double",
        "Enum",
        "Error",
        "Exception",
        "Float",
        "FunctionalInterface",
        "IllegalArgumentException",
        "IllegalStateException",
        "Integer",
        "Iterable",
        "Long",
        "Math",
        "NullPointerException",
        "Number",
        "Object",
        "Override",
        "Record",
        "Runnable",
        "RuntimeException",
        "SafeVarargs",
        "Short",
        "String",
        "StringBuilder",
        "SuppressWarnings",
        "System",
        "Thread",
        "Throwable",
        "UnsupportedOperationException",
        "Void",
    ],
    any_types: &["Object"],
    transparent: &["Optional"],
    dynamic_members: false,
    absence: Absence::Proved,
    overloads: true,
    methods_apart: true,
    own_space_first: true,
    relative_spaces: false,
    ..PLAIN
};

impl Rules for JavaRules {
    fn traits(&self) -> &'static Traits {
        &TRAITS
    }

    fn space(&self, _project: &Project, _path: &str, facts: &FileFacts) -> Option<String> {
        Some(facts.package.to_string())
    }

    fn import(&self, linker: &Linker<'_>, file: FileId, import: &Import) -> Place {
        lead(linker, file, &import.module)
    }

    fn submodule(&self, linker: &Linker<'_>, place: Place, name: &str) -> Place {
        interop::file_class(linker, place, name)
    }

    /// A full name begins with its package.
    fn otherwise(&self, linker: &Linker<'_>, file: FileId, name: &str, _hash: u64) -> Value {
        root_space(linker, file, name)
    }

    /// An accessor of a record is its component; a class without a name inherits what is not known here.
    fn absent(&self, linker: &Linker<'_>, file: FileId, scope: ScopeId, name: &str) -> Option<Value> {
        if let Some(symbol) = linker.enclosing_type(file, scope)
            && linker.symbol(symbol).signature.split(' ').any(|w| w == "record")
        {
            let component = linker.own_member(symbol, name, name_hash(name));
            if component.is_inside() {
                return Some(component);
            }
        }
        let member = name.starts_with(|c: char| c.is_lowercase());
        (member && nameless(linker, file, scope).1).then_some(Value::Unknown)
    }

    fn beyond(&self, linker: &Linker<'_>, _file: FileId, base: &Value, name: &str, _hash: u64) -> Value {
        interop::singleton(linker, base, name).or_else(|| interop::property(linker, base, name))
    }
}
