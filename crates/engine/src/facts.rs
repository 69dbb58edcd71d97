//! What one file says, as data: the output of extraction and the input of resolution.
//!
//! [`FileFacts`] is a pure function of a file's language and bytes. It names nothing outside the file: a use is an
//! [`Expr`] as written, and resolution evaluates it later against the other files. Everything refers to everything
//! else by index into the vectors of the same `FileFacts`; lines are 1-based, byte offsets 0-based.
//!
//! Names are interned per file ([`NameId`]), so comparing them inside one file is comparing integers.

use serde::{Deserialize, Serialize};

/// Index into [`FileFacts::names`].
pub type NameId = u32;
/// Index into [`FileFacts::symbols`].
pub type SymbolIx = u32;
/// Index into [`FileFacts::scopes`]; 0 is the file's own scope.
pub type ScopeId = u32;
/// Index into [`FileFacts::exprs`].
pub type ExprId = u32;
/// Index into [`FileFacts::members`].
pub type MemberIx = u32;
/// Index into [`FileFacts::imports`].
pub type ImportIx = u32;

/// Stands for the file itself where a symbol index is expected: code outside any definition belongs to the file symbol.
pub const FILE_SYMBOL: SymbolIx = u32::MAX;

/// All that extraction learned about one file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileFacts {
    /// Interned names in order of first use.
    pub names: Vec<Box<str>>,
    /// Definitions in source order; a parent comes before its children.
    pub symbols: Vec<SymbolFact>,
    /// Lexical scopes; a parent comes before its children. Index 0 is the file scope.
    pub scopes: Vec<ScopeFact>,
    /// Names bound in scopes, in source order.
    pub bindings: Vec<Binding>,
    /// Expressions and type expressions that resolution may evaluate; children come before their parents.
    pub exprs: Vec<Expr>,
    /// Imports in source order, one per imported name.
    pub imports: Vec<Import>,
    /// Names that the file hands out beyond its own definitions, or under another name.
    pub exports: Vec<Export>,
    /// Use sites in source order.
    pub refs: Vec<Ref>,
    /// Members that are not symbols of their own (`self.x = Foo()` in a method, a promoted constructor parameter).
    pub members: Vec<Member>,
    /// Supertypes stated away from the type itself (`impl Trait for Type`, an extension's conformances).
    pub impls: Vec<Impl>,
    /// The package or namespace that the whole file declares (`com.foo.bar`, `App.Models`), joined with `.`;
    /// empty when the language has none or the file declares none.
    pub package: Box<str>,
    /// Number of lines; a last line without line end counts.
    pub lines: u32,
    /// What extraction could not do.
    pub health: Health,
}

/// How much of a file extraction could read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Health {
    /// The parser met text that its grammar does not know; definitions around it are still taken.
    pub syntax_errors: bool,
    /// Extraction stopped early (time bound); the rest of the file has no symbols.
    pub truncated: bool,
}

/// What a definition is, in words that a reader of its language would use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum Kind {
    Module,
    Namespace,
    Class,
    Struct,
    Union,
    Interface,
    Trait,
    Protocol,
    Object,
    Enum,
    /// A member of an enum.
    Variant,
    TypeAlias,
    Function,
    Method,
    Constructor,
    Property,
    Field,
    Constant,
    Variable,
    Macro,
}

impl Kind {
    /// The word that answers carry.
    pub fn as_str(self) -> &'static str {
        match self {
            Kind::Module => "module",
            Kind::Namespace => "namespace",
            Kind::Class => "class",
            Kind::Struct => "struct",
            Kind::Union => "union",
            Kind::Interface => "interface",
            Kind::Trait => "trait",
            Kind::Protocol => "protocol",
            Kind::Object => "object",
            Kind::Enum => "enum",
            Kind::Variant => "variant",
            Kind::TypeAlias => "type",
            Kind::Function => "function",
            Kind::Method => "method",
            Kind::Constructor => "constructor",
            Kind::Property => "property",
            Kind::Field => "field",
            Kind::Constant => "constant",
            Kind::Variable => "variable",
            Kind::Macro => "macro",
        }
    }

    /// A definition whose body is code that runs when it is called.
    pub fn is_callable(self) -> bool {
        matches!(self, Kind::Function | Kind::Method | Kind::Constructor | Kind::Macro)
    }

    /// A definition that has members and can be the type of a value.
    pub fn is_type(self) -> bool {
        matches!(
            self,
            Kind::Class
                | Kind::Struct
                | Kind::Union
                | Kind::Interface
                | Kind::Trait
                | Kind::Protocol
                | Kind::Object
                | Kind::Enum
                | Kind::TypeAlias
        )
    }
}

/// One definition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SymbolFact {
    /// The bare name.
    pub name: NameId,
    /// What it is.
    pub kind: Kind,
    /// The innermost enclosing definition in this file, if any.
    pub parent: Option<SymbolIx>,
    /// The chain of enclosing definitions, or the owner as written (`Client` for a Go receiver, a Rust `impl`, a C++
    /// `Client::send`), joined with `.`; empty at the top. `qualified` is this, a dot, and the name.
    pub container: NameId,
    /// For a member defined away from its type: the expression that names the owner.
    pub owner: Option<ExprId>,
    /// Scope in which the definition's name is bound.
    pub scope: ScopeId,
    /// The scope that the definition opens, if it opens one.
    pub body: Option<ScopeId>,
    /// First line of the definition, decorators and attributes included, doc comment not.
    pub start: u32,
    /// Last line, inclusive.
    pub end: u32,
    /// Line of the name.
    pub name_line: u32,
    /// Byte span of the definition, as `start..end` lines up with it.
    pub bytes: (u32, u32),
    /// The header up to the body, white space folded to single blanks, at most 300 characters.
    pub signature: Box<str>,
    /// The doc comment or docstring without its markers, at most 2,000 characters; empty when there is none.
    pub doc: Box<str>,
    /// Return type of a callable, declared type of a field or variable, target of a type alias.
    pub ty: Option<ExprId>,
    /// Initial value of a variable, field or constant; for a callable without a declared return type, what it returns
    /// if one expression can tell.
    pub value: Option<ExprId>,
    /// Supertypes stated in the definition's header.
    pub supers: Vec<Super>,
    /// Number of parameters that a call may pass, `self` not counted.
    pub params: Params,
    /// Facts about it that resolution needs.
    pub flags: SymbolFlags,
}

/// How many arguments a callable takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Params {
    /// Least number of arguments.
    pub min: u8,
    /// Greatest number of arguments; 255 when unbounded or unknown.
    pub max: u8,
}

/// Facts about a symbol, one bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SymbolFlags(pub u16);

impl SymbolFlags {
    /// Belongs to the type, not to an instance (`static`, a class method, an associated function).
    pub const STATIC: u16 = 1;
    /// Cannot be seen outside its file (C `static`, a Rust item without `pub` is not this).
    pub const FILE_PRIVATE: u16 = 1 << 1;
    /// A declaration without a body (C prototype, abstract or interface method, overload signature).
    pub const DECLARATION: u16 = 1 << 2;
    /// Exported or public in the sense of its language.
    pub const EXPORTED: u16 = 1 << 3;
    /// The file's default export.
    pub const DEFAULT_EXPORT: u16 = 1 << 4;
    /// A test case or test helper by its language's conventions (attribute, name, enclosing test module).
    pub const TEST: u16 = 1 << 5;
    /// Defined through an assignment or object literal (`A.prototype.f = …`, `{ f() {} }`), not by a declaration.
    pub const ASSIGNED: u16 = 1 << 6;
    /// An extension member (Kotlin, Swift, C#): receiver type in `owner`.
    pub const EXTENSION: u16 = 1 << 7;
    /// An entry point by its language's conventions (`main`).
    pub const ENTRY: u16 = 1 << 8;
    /// Reading it calls it (Python `@property`, a getter); a use is no call.
    pub const GETTER: u16 = 1 << 9;
    /// `async`: a call gives a promise or coroutine of `ty`.
    pub const ASYNC: u16 = 1 << 10;
    /// Marked as an override in the source.
    pub const OVERRIDE: u16 = 1 << 11;

    /// Whether all bits of `bit` are set.
    pub fn has(self, bit: u16) -> bool {
        self.0 & bit == bit
    }
    /// Sets the bits of `bit`.
    pub fn set(&mut self, bit: u16) {
        self.0 |= bit;
    }
}

/// A supertype as written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Super {
    /// Names the supertype; type arguments are not part of it.
    pub ty: ExprId,
    /// Whether the source says that it is an interface or trait (`implements`, `impl Trait for`).
    pub implements: bool,
}

/// A supertype stated away from the type: `ty` gets `super_ty`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Impl {
    /// The type that gains a supertype.
    pub ty: ExprId,
    /// The supertype; `None` for a plain reopening (Rust inherent `impl`, Swift `extension` without conformance).
    pub super_ty: Option<ExprId>,
}

/// A member that is not a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Member {
    /// The type it belongs to.
    pub of: SymbolIx,
    /// Its name.
    pub name: NameId,
    /// Its declared type.
    pub ty: Option<ExprId>,
    /// A value assigned to it.
    pub value: Option<ExprId>,
}

/// A lexical scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScopeFact {
    /// The enclosing scope; `None` for the file scope only.
    pub parent: Option<ScopeId>,
    /// What it is.
    pub kind: ScopeKind,
    /// The definition that opened it, if one did.
    pub symbol: Option<SymbolIx>,
}

/// What a scope is; languages differ in what is visible through which.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ScopeKind {
    /// The whole file.
    File,
    /// A module or namespace block.
    Module,
    /// The body of a type.
    Type,
    /// A function, method, closure or lambda.
    Function,
    /// A block, loop, branch or comprehension.
    Block,
}

/// A name bound in a scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Binding {
    /// Where the name is visible, with the scopes inside.
    pub scope: ScopeId,
    /// The name.
    pub name: NameId,
    /// Byte offset from which it is visible; 0 when it is visible in the whole scope (hoisted).
    pub from: u32,
    /// What it stands for.
    pub to: Bound,
}

/// What a bound name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Bound {
    /// A definition of this file.
    Symbol(SymbolIx),
    /// An import of this file.
    Import(ImportIx),
    /// A variable, parameter, pattern or type parameter: whatever is known of its type.
    Local {
        /// Declared type.
        ty: Option<ExprId>,
        /// A value it was given.
        value: Option<ExprId>,
    },
}

/// An expression or type expression, as far as resolution may need it.
///
/// Value and type expressions share one shape: `a.b.C` is the same chain in both. Type arguments are kept only where
/// they tell an element type ([`Expr::Apply`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Expr {
    /// Nothing is known (a dynamic expression, or one nested too deep).
    Unknown,
    /// A plain name, looked up from `scope` as seen at byte `at`.
    Name {
        /// The name.
        name: NameId,
        /// Where the look-up begins.
        scope: ScopeId,
        /// Byte offset of the use.
        at: u32,
    },
    /// A name that starts at the root of all names (`::foo` in Rust and C++, `\Foo` in PHP, `global::Foo` in C#).
    Rooted {
        /// The name.
        name: NameId,
    },
    /// `base.name`, `base::name`, `base->name`, `base\name`.
    Member {
        /// What the name is looked up in.
        base: ExprId,
        /// The name.
        name: NameId,
    },
    /// Calling `callee` with `args` arguments (255: unknown).
    Call {
        /// What is called.
        callee: ExprId,
        /// Number of arguments.
        args: u8,
    },
    /// `new T(…)`, a struct literal, a composite literal: a value of the type `ty`.
    New {
        /// The type.
        ty: ExprId,
    },
    /// A value whose type is `ty` (a cast, an annotation, a pattern that names a type).
    Typed {
        /// The type.
        ty: ExprId,
    },
    /// One element of a collection: `x[i]`, the variable of a `for … in`, `.get(i)` where the language says so.
    Element {
        /// The collection.
        of: ExprId,
    },
    /// What is inside a wrapper: `await x`, `x?`, `x.unwrap()`, `*x`, `x!`.
    Unwrap {
        /// The wrapped value.
        of: ExprId,
    },
    /// A generic type applied to arguments: `List<Foo>`, `Map<K, Foo>`, `[]Foo`, `Foo[]`, `Promise<Foo>`, `*Foo`. `arg` is the last type
    /// argument, which is what iteration, indexing and unwrapping most often give.
    Apply {
        /// The generic type, [`Expr::Unknown`] for a built-in shape such as a slice or pointer.
        base: ExprId,
        /// The last type argument.
        arg: ExprId,
    },
    /// `this`, `self` (as a value), as seen from a scope.
    This {
        /// Where it stands.
        scope: ScopeId,
    },
    /// `super`, `base`, `parent`.
    Super {
        /// Where it stands.
        scope: ScopeId,
    },
    /// `Self`, `cls`, `static`: the enclosing type itself.
    SelfType {
        /// Where it stands.
        scope: ScopeId,
    },
    /// A definition of this file (an anonymous class, a function literal that has a name of its own).
    Symbol(SymbolIx),
    /// A literal of a built-in type (string, number, list, map, regex): never a type of the tree.
    Literal,
    /// Either of two (conditional expression, `a || b`).
    Either(ExprId, ExprId),
    /// A type or value without a name whose members are the names bound in `scope`: an anonymous struct, a tuple (names `0`,
    /// `1`, …). A member that is bound with its type as its value too is embedded: its own members count.
    Shape {
        /// Holds the members.
        scope: ScopeId,
    },
    /// A function type or function value: what a call of it gives.
    Function {
        /// The type of the first result.
        result: ExprId,
    },
}

/// What kind of import a fact is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ImportKind {
    /// One name out of a module: `from m import n`, `import {n} from "m"`, `use m::n`, `import m.N` (Java), `use M\N` (PHP).
    Name,
    /// The module itself is bound: `import m`, `import * as m`, `const m = require("m")`, Go imports, `import m as x`.
    Module,
    /// The module's default export: `import d from "m"`.
    Default,
    /// Everything the module hands out: `from m import *`, `use m::*`, `using M;`, `import m._`, `import m.*`, `. "m"` (Go).
    Star,
    /// The file is taken in as a whole: `#include`, `require "x"` without a binding, `source x`, `import "m"`.
    Include,
}

/// One imported name. A statement that imports three names gives three facts, with a [`Ref`] of role
/// [`Role::Import`] each.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Import {
    /// What kind it is.
    pub kind: ImportKind,
    /// The module as written, without quotes: `./store`, `a.b.c`, `crate::net`, `github.com/x/y`, `<stdio.h>` (with its
    /// angle brackets when it is a system include), `../lib.sh`. Leading dots of Python stay.
    pub module: Box<str>,
    /// The imported name for [`ImportKind::Name`]; empty otherwise.
    pub name: Box<str>,
    /// The name under which it is bound here; empty when nothing is bound ([`ImportKind::Star`], [`ImportKind::Include`]).
    pub alias: Box<str>,
    /// Scope in which it is bound.
    pub scope: ScopeId,
    /// 1-based line.
    pub line: u32,
    /// Only types are imported (`import type`).
    pub type_only: bool,
}

/// A name that the file hands out other than by a symbol's own flags.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Export {
    /// `export { local as name }`, `module.exports.name = local`, `pub use` of a local name, `__all__` is not this.
    Local {
        /// The name outside; `default` for a default export.
        name: Box<str>,
        /// What it stands for.
        value: ExprId,
    },
    /// `export { name as alias } from "m"`, `pub use m::name as alias`: the import has the module and name, and binds nothing.
    From {
        /// The name outside.
        name: Box<str>,
        /// The import that names the source.
        import: ImportIx,
    },
    /// `export * from "m"`, `pub use m::*`.
    Star {
        /// The import of kind [`ImportKind::Star`].
        import: ImportIx,
    },
    /// `export = value`, `module.exports = value`: the module is this value.
    Whole {
        /// The value.
        value: ExprId,
    },
}

/// What a use is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Role {
    /// `f()`, `x.f()`, `m!()`.
    Call,
    /// `new T()`, `T { … }`, where the syntax itself says that a value is made. (`T()` in Python is a [`Role::Call`].)
    New,
    /// A type in an annotation, cast, type argument or pattern.
    Type,
    /// A base class, `extends`.
    Inherit,
    /// An implemented interface, trait or protocol.
    Implement,
    /// A function, class or constant used as a value: passed, assigned, returned, compared.
    Value,
    /// A decorator, annotation or attribute.
    Decorator,
    /// An element in JSX, or a component in a template.
    Element,
    /// An import statement.
    Import,
}

/// One use site.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ref {
    /// The used thing: for a call the callee (not the call), for an import the name as bound.
    pub expr: ExprId,
    /// The last name of the expression: what a reader would search for.
    pub name: NameId,
    /// What kind of use it is.
    pub role: Role,
    /// 1-based line of that name.
    pub line: u32,
    /// The innermost enclosing definition, [`FILE_SYMBOL`] outside any. Functions without a name of their own count as
    /// their enclosing definition.
    pub within: SymbolIx,
    /// Number of arguments of a call; 255 when unknown or not a call.
    pub args: u8,
}

impl FileFacts {
    /// The text of an interned name.
    pub fn name(&self, id: NameId) -> &str {
        &self.names[id as usize]
    }

    /// Whether a definition has members of its own: a type, or a module whose body is one (Ruby).
    pub fn is_type(&self, symbol: SymbolIx) -> bool {
        let s = &self.symbols[symbol as usize];
        s.kind.is_type()
            || (s.kind == Kind::Module && s.body.is_some_and(|b| self.scopes[b as usize].kind == ScopeKind::Type))
    }

    /// The dotted chain of enclosing definitions and the name.
    pub fn qualified(&self, symbol: SymbolIx) -> String {
        let s = &self.symbols[symbol as usize];
        let container = self.name(s.container);
        if container.is_empty() {
            self.name(s.name).to_owned()
        } else {
            format!("{container}.{}", self.name(s.name))
        }
    }
}
