//! Where Rust's paths lead: modules, crates, and what they hand out; and the members that blocks elsewhere give a type.
//!
//! Every module is a space of its own: a file's key is its path, an inline module's that of the module around it with its name.
//! Which file is which module of which crate is told by the `mod` declarations: see [`super::modules`].

use super::modules;
use crate::facts::{Bound, FileFacts, ImportIx, ImportKind, Kind, ScopeId, ScopeKind};
use crate::languages::Family;
use crate::resolve::hash::name_hash;
use crate::resolve::linker::Linker;
use crate::resolve::links::{Confidence, FileId, Target};
use crate::resolve::project::Project;
use crate::resolve::project::cargo::Named;
use crate::resolve::rules::{Absence, PLAIN, Place, Rules, SpaceId, Traits, listed};
use crate::resolve::tables::{Entry, Reach, last_name};
use crate::resolve::value::{Hit, Thing, Value, What};

/// Resolution rules of Rust.
pub struct RustRules;

static TRAITS: Traits = Traits {
    hands_out_imports: true,
    builtins: BUILTINS,
    transparent: &[
        "Arc",
        "AssertUnwindSafe",
        "Box",
        "Cell",
        "Cow",
        "LazyCell",
        "LazyLock",
        "ManuallyDrop",
        "Mutex",
        "MutexGuard",
        "OnceCell",
        "OnceLock",
        "Pin",
        "Rc",
        "Ref",
        "RefCell",
        "RefMut",
        "RwLock",
        "RwLockReadGuard",
        "RwLockWriteGuard",
        "UnsafeCell",
        "Weak",
    ],
    keeps: KEEPS,
    makers: MAKERS,
    dynamic_members: false,
    impl_blocks: true,
    closed_modules: true,
    absence: Absence::Proved,
    ..PLAIN
};

/// Crates that come with the compiler.
const STANDARD: &[&str] = &["alloc", "core", "proc_macro", "std", "test"];
/// Most definitions of one name that are looked at for a macro or for a trait's method.
const CANDIDATES: usize = 64;

impl Rules for RustRules {
    fn traits(&self) -> &'static Traits {
        &TRAITS
    }

    fn space(&self, _project: &Project, path: &str, _facts: &FileFacts) -> Option<String> {
        Some(path.strip_suffix(".rs").unwrap_or(path).replace('.', "\u{1}"))
    }

    fn visible(&self, _linker: &Linker<'_>, _file: FileId) -> Vec<Place> {
        // What a module has is bound in its scope.
        Vec::new()
    }

    fn word(&self, linker: &Linker<'_>, file: FileId, scope: ScopeId, name: &str) -> Value {
        let space = match name {
            "crate" => Some(modules::crate_root(linker, file)),
            "self" => Some(modules::module_of(linker, file, scope)),
            "super" => modules::parent_of(linker, modules::module_of(linker, file, scope)),
            _ => return Value::Unknown,
        };
        space.map_or(Value::external(), |s| Value::place(Place::Space(s)))
    }

    fn imported(&self, linker: &Linker<'_>, file: FileId, import: ImportIx) -> Value {
        let facts = &linker.view(file).facts;
        let fact = &facts.imports[import as usize];
        if let Some(declared) = modules::declared(fact) {
            return match modules::file_of(linker, file, fact.scope, declared) {
                Some(f) => Value::place(Place::Space(linker.world.space_of(f))),
                None => Value::external(),
            };
        }
        let name = (fact.kind == ImportKind::Name).then_some(&*fact.name);
        let mut parts = fact.module.split("::").chain(name);
        let value = match parts.next() {
            Some("") => parts
                .next()
                .map_or(Value::Unknown, |krate| match extern_crate(linker, file, krate) {
                    Place::Unknown => Value::external(),
                    place => Value::place(place),
                }),
            Some(head) => self.head(linker, file, fact.scope, head, import),
            None => Value::Unknown,
        };
        let mut value = value;
        let mut parts = parts.peekable();
        while let Some(part) = parts.next() {
            let hash = name_hash(part);
            let within = parts.peek().is_some();
            value = value.flat_map(|thing| match thing.what {
                // A name inside a path is a module before all else: `pub use crate::run::run` names no circle.
                What::Space(space) if within => match modules::child(linker, space, part) {
                    Some(child) => Value::place(Place::Space(child)),
                    None => linker.member(thing, part, hash),
                },
                _ => linker.member(thing, part, hash),
            });
        }
        value
    }

    fn otherwise(&self, linker: &Linker<'_>, file: FileId, name: &str, hash: u64) -> Value {
        match extern_crate(linker, file, name) {
            Place::Unknown => {}
            place => return Value::place(place),
        }
        self.macro_named(linker, name, hash, |root| {
            root == modules::crate_root(linker, file) || uses_macros_of(linker, file, root)
        })
    }

    fn inside(&self, linker: &Linker<'_>, place: Place, name: &str, hash: u64) -> Value {
        let Place::Space(space) = place else {
            return Value::Unknown;
        };
        match name {
            "self" => return Value::place(place),
            "super" => {
                let parent = modules::parent_of(linker, space);
                return parent.map_or(Value::external(), |p| Value::place(Place::Space(p)));
            }
            _ => {}
        }
        if let Some(file) = modules::undeclared(linker, space, name) {
            return Value::place(Place::Space(linker.world.space_of(file)));
        }
        // Macros that are exported stand at the root of their crate.
        self.macro_named(linker, name, hash, |root| root == space)
    }

    fn missing_member(&self, linker: &Linker<'_>, of: Target, name: &str, hash: u64) -> Value {
        if matches!(name, "Target" | "Output") {
            return Value::Unknown;
        }
        // `impl Deref for Type { type Target = … }`
        let behind = linker.own_member(of, "Target", name_hash("Target"));
        for (thing, _) in behind.hits() {
            if let What::Def(alias) = thing.what
                && let Some(ty) = linker.symbol(alias).ty
            {
                let found = linker.instance(alias.file, ty);
                let found = found.flat_map(|t| linker.member(t, name, hash));
                if found.is_inside() {
                    return found.weaken(Confidence::Resolved);
                }
            }
        }
        let for_all = for_all_types(linker, name, hash);
        if for_all.is_empty() {
            Value::Unknown
        } else {
            Value::of(for_all)
        }
    }

    fn beyond(&self, linker: &Linker<'_>, _file: FileId, base: &Value, name: &str, hash: u64) -> Value {
        // What a receiver from outside, or one of an unknown type, may have from the tree is a trait for such types.
        if base.is_inside() || listed(COMMON, name) {
            return Value::Unknown;
        }
        let found = implemented_outside(linker, name, hash);
        let hits = found.into_iter().map(|t| {
            let what = What::Def(t);
            (Thing { what, arg: None }, Confidence::Possible)
        });
        Value::of(hits.collect())
    }

    fn foreign_member(&self, linker: &Linker<'_>, name: &str, hash: u64) -> Value {
        if !implemented_outside(linker, name, hash).is_empty() {
            Value::Unknown
        } else {
            Value::external()
        }
    }

    fn root(&self, linker: &Linker<'_>, file: FileId, name: &str) -> Place {
        match extern_crate(linker, file, name) {
            Place::Unknown => Place::External,
            place => place,
        }
    }
}

impl RustRules {
    /// What the first name of an import's path means: a name of the scopes around, a crate, a name of a whole-module import,
    /// or, in the oldest edition, a name of the crate's root.
    fn head(&self, linker: &Linker<'_>, file: FileId, scope: ScopeId, name: &str, skip: ImportIx) -> Value {
        let word = self.word(linker, file, scope, name);
        if !word.is_unknown() {
            return word;
        }
        let view = linker.view(file);
        let facts = &view.facts;
        let hash = name_hash(name);
        let mut scopes = Vec::new();
        let mut at = Some(scope);
        while let Some(id) = at {
            scopes.push(id);
            let bound = view.id(name, hash).map_or(&[][..], |n| view.bindings(id, n));
            let mut found: Vec<Hit> = Vec::new();
            for &b in bound {
                match facts.bindings[b as usize].to {
                    Bound::Symbol(symbol) => {
                        found.extend(Value::def(Target { file, symbol }, Confidence::Exact).hits());
                    }
                    Bound::Import(import) if import != skip => found.extend(linker.imported(file, import).hits()),
                    _ => {}
                }
            }
            if !found.is_empty() {
                return Value::of(found);
            }
            if facts.scopes[id as usize].kind == ScopeKind::Module {
                break;
            }
            at = facts.scopes[id as usize].parent;
        }
        match extern_crate(linker, file, name) {
            Place::Unknown => {}
            place => return Value::place(place),
        }
        let (found, unknown) = linker.from_stars(file, name, hash, &scopes, Some(skip));
        if found.is_inside() {
            return found;
        }
        let root = modules::crate_root(linker, file);
        if root != linker.world.space_of(file) {
            let found = linker.exported(Place::Space(root), name, hash);
            if found.is_inside() {
                return found;
            }
        }
        if unknown { Value::Unknown } else { Value::external() }
    }

    /// The macros of a name in the crates that `of` accepts by their root.
    fn macro_named(&self, linker: &Linker<'_>, name: &str, hash: u64, of: impl Fn(SpaceId) -> bool) -> Value {
        let entries = linker.world.tables.named(hash).iter();
        let hits = entries
            .filter(|e| e.kind == Kind::Macro && e.family == Family::Rust)
            .take(CANDIDATES)
            .filter(|e| is_named(linker, e.target, name) && of(modules::crate_root(linker, e.target.file)))
            .map(|e| {
                let what = What::Def(e.target);
                (Thing { what, arg: None }, Confidence::Exact)
            });
        Value::of(hits.collect())
    }
}

fn is_named(linker: &Linker<'_>, target: Target, name: &str) -> bool {
    linker.view(target.file).facts.name(linker.symbol(target).name) == name
}

/// Where the name of a crate leads from a file.
fn extern_crate(linker: &Linker<'_>, file: FileId, name: &str) -> Place {
    if listed(STANDARD, name) {
        return Place::External;
    }
    let world = linker.world;
    match world.project.cargo.named(world.path(file), name) {
        Named::Inside(found) => match world.file(&found.root) {
            Some(root) => Place::Space(world.space_of(root)),
            None => Place::Unknown,
        },
        Named::Outside => Place::External,
        Named::Nothing => Place::Unknown,
    }
}

/// Whether a file's crate takes over the macros of another: `#[macro_use] extern crate …` at its root.
fn uses_macros_of(linker: &Linker<'_>, file: FileId, root: SpaceId) -> bool {
    let own = modules::crate_root(linker, file);
    let files = linker.world.tables.files(own);
    files.iter().any(|&f| {
        let facts = &linker.view(f).facts;
        facts.imports.iter().any(|i| {
            i.kind == ImportKind::Module
                && !i.module.contains("::")
                && extern_crate(linker, f, &i.module) == Place::Space(root)
        })
    })
}

/// Methods of a name that blocks for all types, or all that a bound allows, define (`impl<T: A> B for T`).
fn for_all_types(linker: &Linker<'_>, name: &str, hash: u64) -> Vec<Hit> {
    let mut own: Vec<Hit> = Vec::new();
    let mut inherited: Vec<Hit> = Vec::new();
    let entries = linker.world.tables.named(hash).iter();
    let methods = entries.filter(|e| e.reach == Reach::Member && e.kind == Kind::Method && e.family == Family::Rust);
    for e in methods.take(CANDIDATES) {
        if !is_named(linker, e.target, name) {
            continue;
        }
        let symbol = linker.symbol(e.target);
        let hit = |confidence| {
            let what = What::Def(e.target);
            (Thing { what, arg: None }, confidence)
        };
        let file = e.target.file;
        if let Some(owner) = symbol.owner {
            if is_parameter(linker, file, owner) {
                own.push(hit(Confidence::Resolved));
            }
        } else if let Some(parent) = symbol.parent {
            let of = Target { file, symbol: parent };
            let facts = &linker.view(file).facts;
            let for_all = linker.symbol(of).kind == Kind::Trait
                && facts.impls.iter().any(|i| {
                    is_parameter(linker, file, i.ty)
                        && i.super_ty
                            .is_some_and(|s| linker.eval(file, s).hits().iter().any(|(t, _)| t.what == What::Def(of)))
                });
            if for_all {
                inherited.push(hit(Confidence::Resolved));
            }
        }
    }
    if own.is_empty() { inherited } else { own }
}

/// Whether a type is a type parameter.
fn is_parameter(linker: &Linker<'_>, file: FileId, ty: crate::facts::ExprId) -> bool {
    let value = linker.eval(file, ty);
    value.hits().iter().any(|(t, _)| matches!(t.what, What::Local(..)))
}

/// The methods of a name that traits in sight of the file give types from outside the tree, as the traits declare them.
fn implemented_outside(linker: &Linker<'_>, name: &str, hash: u64) -> Vec<Target> {
    let view = linker.view(linker.file);
    let entries = linker.world.tables.named(hash).iter();
    let methods = entries.filter(|e| e.reach == Reach::Member && e.kind == Kind::Method && e.family == Family::Rust);
    let in_trait = |e: &&Entry| {
        let parent = linker.symbol(e.target).parent?;
        let file = e.target.file;
        let of = linker.symbol(Target { file, symbol: parent });
        (of.kind == Kind::Trait && is_named(linker, e.target, name)).then_some((file, of))
    };
    let given = methods.take(CANDIDATES).filter(|e| {
        let Some((file, of)) = in_trait(e) else {
            return false;
        };
        let facts = &linker.view(file).facts;
        let text = facts.name(of.name);
        let named = view.id(text, name_hash(text)).is_some() || !view.stars.is_empty();
        named
            && facts.impls.iter().any(|i| {
                i.super_ty.is_some_and(|s| {
                    last_name(facts, s) == Some(text)
                        && !linker
                            .eval(file, i.ty)
                            .hits()
                            .iter()
                            .any(|(t, _)| matches!(t.what, What::Def(_)))
                })
            })
    });
    given.map(|e| e.target).collect()
}

/// Methods that many types of the standard library have: a trait's method of the name says too little about an unknown receiver.
const COMMON: &[&str] = &[
    "add",
    "all",
    "any",
    "as_mut",
    "as_ref",
    "borrow",
    "chain",
    "clear",
    "clone",
    "cmp",
    "collect",
    "contains",
    "count",
    "default",
    "deref",
    "drain",
    "drop",
    "entry",
    "eq",
    "extend",
    "filter",
    "find",
    "first",
    "flush",
    "fmt",
    "fold",
    "from",
    "get",
    "get_mut",
    "hash",
    "index",
    "insert",
    "into",
    "into_iter",
    "is_empty",
    "is_none",
    "is_some",
    "iter",
    "join",
    "keys",
    "last",
    "len",
    "lines",
    "lock",
    "map",
    "max",
    "min",
    "next",
    "ok",
    "open",
    "parse",
    "path",
    "poll",
    "pop",
    "position",
    "push",
    "read",
    "remove",
    "replace",
    "retain",
    "rev",
    "send",
    "set",
    "skip",
    "sort",
    "split",
    "start",
    "sum",
    "take",
    "to_owned",
    "to_string",
    "trim",
    "unwrap",
    "update",
    "values",
    "wait",
    "write",
    "zip",
];

/// Functions that a type has from a trait of the standard library or a derived one of a common crate, and that make a value of it.
const MAKERS: &[&str] = &[
    "default",
    "deserialize",
    "from",
    "from_iter",
    "from_str",
    "parse",
    "parse_from",
    "try_from",
    "try_parse",
    "try_parse_from",
];

/// Methods of the standard library's (and the error crates') wrappers, collections and iterators that change neither what is
/// inside nor what the elements are.
const KEEPS: &[&str] = &[
    "as_deref",
    "as_deref_mut",
    "as_mut",
    "as_mut_slice",
    "as_ref",
    "as_slice",
    "borrow",
    "borrow_mut",
    "by_ref",
    "chain",
    "cloned",
    "context",
    "copied",
    "cycle",
    "drain",
    "err_into",
    "filter",
    "fuse",
    "get_or_init",
    "inspect",
    "inspect_err",
    "into_boxed_slice",
    "into_inner",
    "into_iter",
    "into_sorted_vec",
    "into_values",
    "into_vec",
    "iter",
    "iter_mut",
    "lock",
    "map_err",
    "ok",
    "ok_or",
    "ok_or_else",
    "or",
    "or_else",
    "par_iter",
    "peekable",
    "read",
    "rev",
    "skip",
    "skip_while",
    "split_off",
    "step_by",
    "take",
    "take_while",
    "to_vec",
    "values",
    "values_mut",
    "with_context",
    "wrap_err",
    "wrap_err_with",
    "write",
];

const BUILTINS: &[&str] = &[
    "Box",
    "Clone",
    "Copy",
    "Debug",
    "Default",
    "DoubleEndedIterator",
    "Drop",
    "Eq",
    "Err",
    "ExactSizeIterator",
    "Extend",
    "Fn",
    "FnMut",
    "FnOnce",
    "From",
    "FromIterator",
    "Hash",
    "Into",
    "IntoIterator",
    "Iterator",
    "None",
    "Ok",
    "Option",
    "Ord",
    "PartialEq",
    "PartialOrd",
    "Result",
    "Send",
    "Sized",
    "Some",
    "String",
    "Sync",
    "ToOwned",
    "ToString",
    "TryFrom",
    "TryInto",
    "Unpin",
    "Vec",
    "bool",
    "char",
    "drop",
    "f32",
    "f64",
    "i128",
    "i16",
    "i32",
    "i64",
    "i8",
    "isize",
    "str",
    "u128",
    "u16",
    "u32",
    "u64",
    "u8",
    "usize",
];
