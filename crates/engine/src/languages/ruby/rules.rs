//! Constants, required files and top-level functions of Ruby.
//!
//! A constant is sought in the classes and modules around its use, then in the ancestors of the innermost, then at the
//! top. Classes and modules are open: all parts of one name are one.

use crate::facts::{FileFacts, Import, ScopeId, ScopeKind};
use crate::languages::Family;
use crate::resolve::hash::name_hash;
use crate::resolve::linker::Linker;
use crate::resolve::links::{FileId, Target};
use crate::resolve::project::Project;
use crate::resolve::project::suffix::{beside, nearest};
use crate::resolve::rules::{Absence, PLAIN, Place, Rules, Traits};
use crate::resolve::value::Value;

/// Resolution rules of Ruby.
pub struct RubyRules;

static TRAITS: Traits = Traits {
    constructors: &["initialize"],
    call_operator: "call",
    builtins: BUILTINS,
    reopens: true,
    mixins_first: true,
    inherits_constructors: true,
    calls_read: true,
    top_level_members: true,
    absence: Absence::Linked,
    ..PLAIN
};

impl Rules for RubyRules {
    fn traits(&self) -> &'static Traits {
        &TRAITS
    }

    fn space(&self, _project: &Project, _path: &str, _facts: &FileFacts) -> Option<String> {
        Some(String::new())
    }

    fn import(&self, linker: &Linker<'_>, file: FileId, import: &Import) -> Place {
        let world = linker.world;
        let from = world.path(file);
        let module = &*import.module;
        let name = if module.ends_with(".rb") {
            module.to_owned()
        } else {
            format!("{module}.rb")
        };
        if let Some(found) = beside(world, from, &name).filter(|_| module.starts_with('.')) {
            return Place::File(found);
        }
        let plain = name.trim_start_matches("./").trim_start_matches("../");
        let below = world.file(&format!("lib/{plain}"));
        // `require "set"` is the library unless the tree has `lib/set.rb`; a path of two parts is telling.
        let found = below.or_else(|| match plain.contains('/') {
            true => nearest(world, from, plain),
            false => nearest(world, from, &format!("lib/{plain}")),
        });
        found.map_or(Place::External, Place::File)
    }

    /// All files share the top level; [`Rules::word`] and linkage look there.
    fn visible(&self, _linker: &Linker<'_>, _file: FileId) -> Vec<Place> {
        Vec::new()
    }

    fn word(&self, linker: &Linker<'_>, file: FileId, scope: ScopeId, name: &str) -> Value {
        if !name.starts_with(|c: char| c.is_uppercase()) {
            return Value::Unknown;
        }
        let hash = name_hash(name);
        let around = nesting(linker, file, scope);
        for &of in &around {
            let found = linker.own_member(of, name, hash);
            if found.is_inside() {
                return found;
            }
        }
        let mut unknown = false;
        if let Some(&innermost) = around.first()
            && !linker.seeks_bases(innermost)
        {
            let chain = linker.chain(innermost);
            for &base in chain.types.iter().skip(1) {
                let found = linker.own_member(base, name, hash);
                if found.is_inside() {
                    return found;
                }
            }
            unknown = chain.unknown;
        }
        let top = match linker.world.tables.space(Family::Ruby, "") {
            Some(root) => linker.in_space(root, name, hash),
            None => Value::external(),
        };
        if top.is_inside() || !unknown {
            top
        } else {
            Value::Unknown
        }
    }
}

/// The classes and modules around a scope, innermost first.
fn nesting(linker: &Linker<'_>, file: FileId, scope: ScopeId) -> Vec<Target> {
    let facts = &linker.view(file).facts;
    let mut out = Vec::new();
    let mut at = Some(scope);
    while let Some(id) = at {
        let fact = &facts.scopes[id as usize];
        if fact.kind == ScopeKind::Type
            && let Some(symbol) = fact.symbol
            && facts.is_type(symbol)
        {
            out.push(Target { file, symbol });
        }
        at = fact.parent;
    }
    out
}

/// Methods that every object has.
const BUILTINS: &[&str] = &[
    "Array",
    "Float",
    "Hash",
    "Integer",
    "Rational",
    "String",
    "__dir__",
    "__method__",
    "abort",
    "at_exit",
    "autoload",
    "binding",
    "block_given?",
    "caller",
    "catch",
    "class",
    "clone",
    "dup",
    "eval",
    "exit",
    "extend",
    "fail",
    "format",
    "freeze",
    "frozen?",
    "gets",
    "hash",
    "include",
    "inspect",
    "instance_eval",
    "instance_exec",
    "instance_variable_get",
    "instance_variable_set",
    "is_a?",
    "kind_of?",
    "lambda",
    "load",
    "loop",
    "method",
    "nil?",
    "object_id",
    "p",
    "pp",
    "print",
    "printf",
    "private",
    "proc",
    "protected",
    "public",
    "public_send",
    "putc",
    "puts",
    "raise",
    "rand",
    "require",
    "require_relative",
    "respond_to?",
    "select",
    "send",
    "singleton_class",
    "sleep",
    "sprintf",
    "srand",
    "system",
    "tap",
    "test",
    "then",
    "throw",
    "to_s",
    "trap",
    "warn",
];
