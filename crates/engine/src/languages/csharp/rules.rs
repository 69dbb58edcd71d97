//! Namespaces of C#, what `using` takes in, and extension methods.

use crate::facts::{FileFacts, Import, ImportKind, ScopeId};
use crate::resolve::extensions::{Sight, extensions};
use crate::resolve::hash::name_hash;
use crate::resolve::linker::Linker;
use crate::resolve::links::{FileId, Target};
use crate::resolve::packages::{around, relative, space};
use crate::resolve::project::Project;
use crate::resolve::rules::{Absence, PLAIN, Place, Rules, Traits};
use crate::resolve::value::Value;

/// Resolution rules of C#.
pub struct CSharpRules;

static TRAITS: Traits = Traits {
    implicit_receiver: true,
    call_constructs: false,
    call_operator: "",
    builtins: &[
        "Action",
        "ArgumentException",
        "Attribute",
        "Console",
        "DateTime",
        "Dictionary",
        "Enum",
        "Exception",
        "Func",
        "IDisposable",
        "IEnumerable",
        "List",
        "Math",
        "Object",
        "String",
        "Task",
        "Type",
        "dynamic",
    ],
    any_types: &["Object", "dynamic"],
    transparent: &["Lazy", "Nullable", "Task", "ValueTask"],
    dynamic_members: false,
    reopens: true,
    absence: Absence::Proved,
    overloads: true,
    extension_receiver: false,
    open_namespaces: true,
    own_space_first: true,
    ..PLAIN
};

impl Rules for CSharpRules {
    fn traits(&self) -> &'static Traits {
        &TRAITS
    }

    fn space(&self, _project: &Project, _path: &str, facts: &FileFacts) -> Option<String> {
        Some(facts.package.to_string())
    }

    fn import(&self, linker: &Linker<'_>, file: FileId, import: &Import) -> Place {
        let module = import.module.strip_prefix("global::").unwrap_or(&import.module);
        relative(linker, file, module)
    }

    /// The namespaces around the file, and last what is in none.
    fn visible(&self, linker: &Linker<'_>, file: FileId) -> Vec<Place> {
        let keys = around(linker, file).into_iter().chain([""]);
        keys.filter_map(|key| space(linker, file, key))
            .map(Place::Space)
            .collect()
    }

    /// An attribute is named without the end of its class's name.
    fn absent(&self, linker: &Linker<'_>, file: FileId, scope: ScopeId, name: &str) -> Option<Value> {
        if name.ends_with("Attribute") || !name.starts_with(|c: char| c.is_uppercase()) {
            return None;
        }
        let whole = format!("{name}Attribute");
        let hash = name_hash(&whole);
        if linker.world.tables.named(hash).is_empty() {
            return None;
        }
        let view = linker.view(file);
        let mut at = Some(scope);
        while let Some(id) = at {
            if let Some(name) = view.id(&whole, hash)
                && let [b, ..] = view.bindings(id, name)
                && let crate::facts::Bound::Symbol(symbol) = view.facts.bindings[*b as usize].to
            {
                return Some(Value::def(Target { file, symbol }, crate::resolve::Confidence::Exact));
            }
            at = view.facts.scopes[id as usize].parent;
        }
        let stars = view.facts.imports.iter().enumerate();
        let stars = stars.filter(|(_, i)| i.kind == ImportKind::Star);
        let places = stars.map(|(ix, _)| linker.place_of(file, ix as u32));
        self.visible(linker, file)
            .into_iter()
            .chain(places)
            .map(|place| linker.exported(place, &whole, hash))
            .find(Value::is_inside)
    }

    fn beyond(&self, linker: &Linker<'_>, file: FileId, base: &Value, _name: &str, hash: u64) -> Value {
        extensions(linker, file, base, hash, &|t| sight(linker, file, t))
    }
}

/// Whether the namespace of an extension method is one that the file is in or takes in.
fn sight(linker: &Linker<'_>, file: FileId, extension: Target) -> Sight {
    let full = linker.full_name(extension);
    let namespace = full.rsplitn(3, '.').nth(2).unwrap_or("");
    let view = linker.view(file);
    let own = view.facts.symbols.iter().enumerate();
    let mut inside = own.filter(|(_, s)| s.kind == crate::facts::Kind::Namespace);
    let taken_in_by_all = space(linker, file, "").is_some_and(|root| !linker.world.tables.exporters(root).is_empty());
    let seen = namespace.is_empty()
        || taken_in_by_all
        || around(linker, file).contains(&namespace)
        || inside.any(|(ix, _)| view.facts.qualified(ix as u32).starts_with(namespace))
        || view
            .facts
            .imports
            .iter()
            .any(|i| i.kind == ImportKind::Star && namespace.ends_with(&*i.module));
    if seen { Sight::Near } else { Sight::No }
}
