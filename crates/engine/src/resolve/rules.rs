//! What a language adds to the resolver: where its imports lead and which names are visible without one.
//!
//! The core (scopes, bindings, members, chains of supertypes, evaluation) is the same for every language. A language
//! hands in one [`Traits`] value, which is plain data, and overrides those methods of [`Rules`] that its modules need. The
//! defaults give a language lexical look-up, its own file, members by type, and loose uses for the rest.

use super::linker::Linker;
use super::links::{FileId, Target};
use super::project::Project;
use super::value::Value;
use crate::facts::{FileFacts, Import, ImportIx, ScopeId};

/// Number of a named space of definitions: a package, a namespace, a module that is not one file. See [`Rules::space`].
pub type SpaceId = u32;
/// No space.
pub const NO_SPACE: SpaceId = u32::MAX;

/// Where an import leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Place {
    /// A file of the tree.
    File(FileId),
    /// A space: all files that state its key together.
    Space(SpaceId),
    /// A directory that is a module without a file of its own (a Python namespace package). Names in it come from
    /// [`Rules::submodule`] only.
    Dir(u32),
    /// A type: what it hands out are its members (`import static a.B.*`, `using static`, `import Foo._`).
    Type(Target),
    /// Outside the tree. What comes from there never binds inside.
    External,
    /// Cannot be told. Names from there are loose.
    Unknown,
}

/// In which order the supertypes of a type are searched for a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Depth first in the order in which the source states them, each type once.
    Stated,
    /// Python's method resolution order.
    C3,
    /// The nearest first: all direct supertypes, then theirs (embedding in Go).
    Shallow,
}

/// What a bare name may stand for when neither scope, import, visible place nor built-in explains it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Absence {
    /// Nothing: the language has no other way to name things, so the use is bound to nothing in the tree.
    Proved,
    /// Anything of that name: the use is loose.
    Open,
    /// The one top-level definition of that name in the language family that is not private to its file; files that the
    /// using file takes in ([`crate::facts::ImportKind::Include`], transitively) come first. Several are possible; none: nothing.
    Linked,
}

/// The traits of a language, as data.
#[derive(Clone, Copy, Debug)]
pub struct Traits {
    /// Code in a member names other members of the type, inherited ones too, without a receiver (Java, C#, C++, Kotlin, …).
    pub implicit_receiver: bool,
    /// Every top-level name of a file can be imported, marked or not (Python, Go, …). When false only what is marked as
    /// exported, by flag or by an [`crate::facts::Export`], can.
    pub hands_out_all: bool,
    /// A name that a file imports can be imported from it again (Python).
    pub hands_out_imports: bool,
    /// Calling a type makes a value of it (Python, Kotlin, Scala, Swift).
    pub call_constructs: bool,
    /// Names of constructor members, for a class that is called or made. Definitions of the kind
    /// [`crate::facts::Kind::Constructor`] count without being listed.
    pub constructors: &'static [&'static str],
    /// The member that runs when a value is called (`__call__`, `invoke`, `apply`); empty when there is none.
    pub call_operator: &'static str,
    /// Names that the language itself defines, sorted. A use that reaches them is external.
    pub builtins: &'static [&'static str],
    /// Built-in functions that hand back what they are given or an element of it (`next`, `max`); sorted. What they
    /// return is unknown rather than external.
    pub passes_through: &'static [&'static str],
    /// Methods of generic types from outside the tree that give a value of their type argument (`get`, `pop`); sorted.
    pub elements: &'static [&'static str],
    /// Methods of generic types from outside the tree that give such a value again, over the same argument (`rev`, `map_err`); sorted.
    pub keeps: &'static [&'static str],
    /// Functions that a type may have from outside the tree and that make a value of it (`default`); sorted.
    pub makers: &'static [&'static str],
    /// Types that say nothing about their values (`Any`, `object`); sorted.
    pub any_types: &'static [&'static str],
    /// Generic types that act as their last argument: `Optional[Foo]`, `Box<Foo>`, `Readonly<Foo>`; sorted.
    pub transparent: &'static [&'static str],
    /// Generic types whose value is the type argument itself, not a value of it: `type[Foo]`; sorted.
    pub class_of: &'static [&'static str],
    /// A function without a name of its own sees the `this` of the code around it (PHP).
    pub closures_keep_this: bool,
    /// How supertypes are searched.
    pub order: Order,
    /// A type may gain members that no declaration shows (Python, JavaScript, Ruby, PHP, Lua): a member that is not found
    /// in a fully known type is loose. When false such a use is bound to nothing.
    pub dynamic_members: bool,
    /// A type satisfies an interface by having its methods (Go).
    pub structural: bool,
    /// Types of one qualified name in one space are one type (C# `partial`, Ruby and Swift reopenings).
    pub reopens: bool,
    /// Members are defined in blocks away from the type (Rust): those of a plain block come before those of a trait's, and
    /// a field and a method may share a name.
    pub impl_blocks: bool,
    /// Code in a module does not see the names around the module, macros aside (Rust).
    pub closed_modules: bool,
    /// A declaration stands for its definition, in this file or another (C, C++): a use of one is a use of both.
    pub declares: bool,
    /// What a type mixes in, a trait or module, comes before its base class (PHP, Ruby).
    pub mixins_first: bool,
    /// Making a value runs the constructor of a base when the class has none (PHP, Ruby).
    pub inherits_constructors: bool,
    /// Calling a getter reads it, since a call needs no parentheses (Ruby).
    pub calls_read: bool,
    /// A member without a receiver that the type has not is a function of the top level (Ruby).
    pub top_level_members: bool,
    /// Signatures without a body beside a function are that function (`@overload`, TypeScript overloads): a use of it is a
    /// use of each of them. Languages whose overloads are functions of their own leave it false.
    pub overload_signatures: bool,
    /// What an unexplained bare name means.
    pub absence: Absence,
    /// Functions of one name that differ in their parameters stand beside each other, in a type and in its bases: a call takes
    /// the one that fits, and an overload that hands over to another of its name does not call itself.
    pub overloads: bool,
    /// Methods have names of their own: a local or a field never hides a method that is called (Java).
    pub methods_apart: bool,
    /// A class and an object of one name belong together (Scala): a qualifier is the object, a type the class.
    pub companions: bool,
    /// Code in an extension member sees the members of what it extends without a receiver (Kotlin, Swift; not C#).
    pub extension_receiver: bool,
    /// Names of members of the kind [`crate::facts::Kind::Constructor`] that run with every construction and are not called (Kotlin `init`).
    pub initializers: &'static [&'static str],
    /// Code in a namespace sees what any file adds to that namespace (C#, C++).
    pub open_namespaces: bool,
    /// The names of a file's own space come before those of its whole-module imports (Java, Kotlin, C#, Swift; not Scala).
    pub own_space_first: bool,
    /// A space is known by its last name inside the space around it (Scala, C#; not Java).
    pub relative_spaces: bool,
}

/// The plainest language: lexical scopes, nothing handed out by mark, unexplained names open.
pub const PLAIN: Traits = Traits {
    implicit_receiver: false,
    hands_out_all: true,
    hands_out_imports: false,
    call_constructs: true,
    constructors: &[],
    call_operator: "",
    builtins: &[],
    passes_through: &[],
    elements: &[],
    keeps: &[],
    makers: &[],
    any_types: &[],
    transparent: &[],
    class_of: &[],
    closures_keep_this: false,
    order: Order::Stated,
    dynamic_members: true,
    structural: false,
    reopens: false,
    impl_blocks: false,
    closed_modules: false,
    declares: false,
    mixins_first: false,
    inherits_constructors: false,
    calls_read: false,
    top_level_members: false,
    overload_signatures: false,
    absence: Absence::Open,
    overloads: false,
    methods_apart: false,
    companions: false,
    extension_receiver: true,
    initializers: &[],
    open_namespaces: false,
    own_space_first: false,
    relative_spaces: true,
};

/// The rules of one language. All methods are pure: they may look at the project, at paths and, through the linker, at
/// facts of other files (which the linker notes as consulted), and at nothing else.
pub trait Rules: Sync {
    /// The language's traits.
    fn traits(&self) -> &'static Traits {
        &PLAIN
    }

    /// The key of the space to which the file's top-level definitions belong, parts joined with `.`: the package of a
    /// Java file, the directory of a Go file, the crate path of a Rust module. `Some("")` is the root space. Definitions
    /// inside [`crate::facts::Kind::Namespace`] and [`crate::facts::Kind::Module`] symbols get the key with the names of those
    /// appended. `None`: the language's modules are files. Keys are per language family. The default is what the
    /// source declares.
    fn space(&self, _project: &Project, _path: &str, facts: &FileFacts) -> Option<String> {
        (!facts.package.is_empty()).then(|| facts.package.to_string())
    }

    /// Where an import of `file` leads: the place of `import.module`. For [`crate::facts::ImportKind::Name`] the core then looks for
    /// `import.name` in that place. The default knows no modules.
    fn import(&self, _linker: &Linker<'_>, _file: FileId, _import: &Import) -> Place {
        Place::Unknown
    }

    /// What an import names, where a [`Place`] and a name cannot say it (a path through types). Unknown: they can.
    fn imported(&self, _linker: &Linker<'_>, _file: FileId, _import: ImportIx) -> Value {
        Value::Unknown
    }

    /// What a place hands out under a name that neither its definitions nor its imports have. The default is a
    /// [`Rules::submodule`].
    fn inside(&self, linker: &Linker<'_>, place: Place, name: &str, _hash: u64) -> Value {
        Value::place(self.submodule(linker, place, name))
    }

    /// A member that a type has neither by itself nor by its supertypes. Unknown: it has none.
    fn missing_member(&self, _linker: &Linker<'_>, _of: Target, _name: &str, _hash: u64) -> Value {
        Value::Unknown
    }

    /// A member of something outside the tree, when the tree can define one.
    fn foreign_member(&self, _linker: &Linker<'_>, _name: &str, _hash: u64) -> Value {
        Value::external()
    }

    /// What an import of kind [`crate::facts::ImportKind::Module`] binds, when that is not the module that it names: Python's
    /// `import a.b` binds `a`.
    fn binds(&self, _linker: &Linker<'_>, _file: FileId, _import: &Import) -> Option<Place> {
        None
    }

    /// The module `name` inside a module, for `a.b` and for `from a import b`, after the names of `place` itself: Python
    /// submodules. [`Place::Unknown`] when there is none. Nested spaces need no rule.
    fn submodule(&self, _linker: &Linker<'_>, _place: Place, _name: &str) -> Place {
        Place::Unknown
    }

    /// Places whose names a file sees without an import, nearest first: its own package, enclosing namespaces, a prelude.
    /// The default is the file's own space.
    fn visible(&self, linker: &Linker<'_>, file: FileId) -> Vec<Place> {
        match linker.world.space_of(file) {
            NO_SPACE => Vec::new(),
            space => vec![Place::Space(space)],
        }
    }

    /// What a plain name means before any scope is asked: a word of the language (`crate`, `super`). Unknown: none.
    fn word(&self, _linker: &Linker<'_>, _file: FileId, _scope: ScopeId, _name: &str) -> Value {
        Value::Unknown
    }

    /// What a plain name means that no scope, whole-module import or visible place binds. Unknown: the rules do not
    /// explain it.
    fn otherwise(&self, _linker: &Linker<'_>, _file: FileId, _name: &str, _hash: u64) -> Value {
        Value::Unknown
    }

    /// What a plain name at a scope means that nothing explains. `None`: what [`Traits::absence`] says.
    fn absent(&self, _linker: &Linker<'_>, _file: FileId, _scope: ScopeId, _name: &str) -> Option<Value> {
        None
    }

    /// What `base.name` in a file means when `base` has no such member in the tree, or is unknown: an extension, an accessor
    /// under the name that another language gives it. Unknown: nothing; then what the core found stays.
    fn beyond(&self, _linker: &Linker<'_>, _file: FileId, _base: &Value, _name: &str, _hash: u64) -> Value {
        Value::Unknown
    }

    /// Where a name at the root of all names leads ([`crate::facts::Expr::Rooted`]), before the root space is asked: a crate in Rust.
    fn root(&self, _linker: &Linker<'_>, _file: FileId, _name: &str) -> Place {
        Place::Unknown
    }
}

/// The rules of a language that has none of its own.
pub struct Plain;

impl Rules for Plain {}

/// Whether a sorted list holds a name.
pub fn listed(list: &[&str], name: &str) -> bool {
    list.binary_search(&name).is_ok()
}

#[cfg(test)]
mod tests {
    use crate::languages::ALL;

    #[test]
    fn lists_of_names_are_sorted() {
        for language in ALL {
            let t = language.rules.traits();
            for list in [
                t.builtins,
                t.passes_through,
                t.elements,
                t.keeps,
                t.any_types,
                t.transparent,
                t.class_of,
            ] {
                let wrong = list.windows(2).find(|w| w[0] >= w[1]);
                assert_eq!(wrong, None, "{}", language.name);
            }
        }
    }
}
