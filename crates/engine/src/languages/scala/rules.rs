//! Where Scala's imports lead, what packages around a file show, and members that implicit classes add.

use crate::facts::{FileFacts, Import, Kind, ScopeId};
use crate::languages::java::interop;
use crate::resolve::extensions::{Sight, extensions};
use crate::resolve::hash::name_hash;
use crate::resolve::linker::Linker;
use crate::resolve::links::{Confidence, FileId, Target};
use crate::resolve::packages::{around, bound, lead, nameless, relative, root_space, space, within};
use crate::resolve::project::Project;
use crate::resolve::rules::{Absence, PLAIN, Place, Rules, Traits};
use crate::resolve::tables::Reach;
use crate::resolve::value::{Hit, Thing, Value, What};

/// Resolution rules of Scala.
pub struct ScalaRules;

static TRAITS: Traits = Traits {
    implicit_receiver: true,
    call_operator: "apply",
    builtins: &[
        "Any",
        "AnyRef",
        "AnyVal",
        "Array",
        "Boolean",
        "Byte",
        "Char",
        "Double",
        "Either",
        "Exception",
        "Float",
        "Int",
        "Left",
        "List",
        "Long",
        "Map",
        "Nil",
        "None",
        "Nothing",
        "Option",
        "Right",
        "Seq",
        "Set",
        "Short",
        "Some",
        "String",
        "Throwable",
        "Unit",
        "Vector",
        "assert",
        "print",
        "println",
        "require",
    ],
    passes_through: &["Left", "List", "Map", "Option", "Right", "Seq", "Set", "Some", "Vector"],
    any_types: &["Any", "AnyRef"],
    absence: Absence::Proved,
    overloads: true,
    companions: true,
    relative_spaces: false,
    ..PLAIN
};

impl Rules for ScalaRules {
    fn traits(&self) -> &'static Traits {
        &TRAITS
    }

    fn space(&self, _project: &Project, _path: &str, facts: &FileFacts) -> Option<String> {
        Some(facts.package.to_string())
    }

    /// The first name may be one that the file knows already: an import, an object, a value.
    fn import(&self, linker: &Linker<'_>, file: FileId, import: &Import) -> Place {
        let module = import.module.strip_prefix("_root_.").unwrap_or(&import.module);
        let (first, rest) = module.split_once('.').unwrap_or((module, ""));
        let known = bound(linker, file, import, first);
        if known.is_external() {
            return Place::External;
        }
        if known.is_inside() {
            return within(linker, &known, rest);
        }
        // One clause shows its own package only: a full path comes first.
        let found = match lead(linker, file, module) {
            Place::External => relative(linker, file, module),
            place => place,
        };
        match found {
            Place::External => through_earlier(linker, file, import, first, rest),
            place => place,
        }
    }

    /// The members of a package object are names of the package.
    fn inside(&self, linker: &Linker<'_>, place: Place, name: &str, hash: u64) -> Value {
        let Place::Space(of) = place else {
            return Value::Unknown;
        };
        let key = linker.world.tables.key(of);
        let (outer, last) = key.rsplit_once('.').unwrap_or(("", key));
        let Some(outer) = linker.world.tables.space(linker.world.tables.family(of), outer) else {
            return Value::Unknown;
        };
        let entries = linker.world.tables.in_space(outer, name_hash(last));
        for entry in entries
            .iter()
            .filter(|e| e.kind == Kind::Object && e.reach == Reach::Top)
        {
            if linker.symbol(entry.target).signature.contains("package object") {
                let found = linker.member_of_type(entry.target, name, hash);
                if found.is_inside() {
                    return found;
                }
            }
        }
        Value::place(interop::file_class(linker, place, name))
    }

    fn visible(&self, linker: &Linker<'_>, file: FileId) -> Vec<Place> {
        let keys = around(linker, file);
        let keys = if keys.is_empty() { vec![""] } else { keys };
        keys.into_iter()
            .filter_map(|key| space(linker, file, key))
            .map(Place::Space)
            .collect()
    }

    /// A full name begins with its package; nested clauses show a package inside those around the file.
    fn otherwise(&self, linker: &Linker<'_>, file: FileId, name: &str, _hash: u64) -> Value {
        let root = root_space(linker, file, name);
        if root.is_inside() {
            return root;
        }
        let keys = around(linker, file).into_iter();
        let found = keys
            .map(|key| format!("{key}.{name}"))
            .find_map(|key| space(linker, file, &key));
        found.map_or(Value::Unknown, |s| Value::place(Place::Space(s)))
    }

    fn absent(&self, linker: &Linker<'_>, file: FileId, scope: ScopeId, name: &str) -> Option<Value> {
        let member = name.starts_with(|c: char| c.is_lowercase());
        (member && nameless(linker, file, scope).1).then_some(Value::Unknown)
    }

    /// An extension, or a member of an implicit class, which may stand for any value.
    fn beyond(&self, linker: &Linker<'_>, file: FileId, base: &Value, name: &str, hash: u64) -> Value {
        if base.is_unknown() {
            return Value::Unknown;
        }
        let found = extensions(linker, file, base, hash, &|_| Sight::Near);
        if found.is_inside() {
            return found;
        }
        let mut out: Vec<Hit> = Vec::new();
        let entries = linker.world.tables.named(hash).iter();
        for entry in entries.filter(|e| e.reach == Reach::Member).take(64) {
            let t = entry.target;
            if implicit(linker, t) && linker.symbol(t).kind.is_callable() {
                let what = What::Def(t);
                out.push((Thing { what, arg: None }, Confidence::Possible));
            }
        }
        Value::of(out).or_else(|| interop::singleton(linker, base, name))
    }
}

/// Where a path leads whose first name comes from a whole import that stands before.
fn through_earlier(linker: &Linker<'_>, file: FileId, import: &Import, first: &str, rest: &str) -> Place {
    let view = linker.view(file);
    for &ix in &view.stars {
        if view.facts.imports[ix as usize].line >= import.line {
            break;
        }
        let from = linker.import_target(file, ix);
        let found = from.flat_map(|thing| linker.member(thing, first, name_hash(first)));
        if found.is_inside() {
            return within(linker, &found, rest);
        }
    }
    Place::External
}

/// Whether a member is one of an implicit class.
fn implicit(linker: &Linker<'_>, member: Target) -> bool {
    if linker.world.files[member.file as usize].language.map(|l| l.name) != Some("scala") {
        return false;
    }
    let parent = linker.symbol(member).parent.map(|symbol| Target {
        file: member.file,
        symbol,
    });
    parent.is_some_and(|p| linker.symbol(p).signature.contains("implicit class"))
}
