//! Where `source` leads, and what a command means.
//!
//! A command is a function of the file, else of a file that it takes in, directly or not. A function of another file may
//! still be meant, since whoever takes in both files brings them together: such a use is loose.

use crate::facts::Import;
use crate::resolve::hash::FastSet;
use crate::resolve::linker::Linker;
use crate::resolve::links::{Confidence, FileId, Target};
use crate::resolve::project::suffix::{beside, ending};
use crate::resolve::rules::{Absence, PLAIN, Place, Rules, Traits};
use crate::resolve::tables::Reach;
use crate::resolve::value::{Hit, Thing, Value, What};

/// Resolution rules of Bash.
pub struct BashRules;

static TRAITS: Traits = Traits {
    builtins: BUILTINS,
    absence: Absence::Open,
    ..PLAIN
};

impl Rules for BashRules {
    fn traits(&self) -> &'static Traits {
        &TRAITS
    }

    fn import(&self, linker: &Linker<'_>, file: FileId, import: &Import) -> Place {
        let world = linker.world;
        let from = world.path(file);
        let module = &*import.module;
        let of = |f: Option<FileId>| f.filter(|&f| linker.has_facts(f)).map(Place::File);
        if !module.starts_with(['$', '/', '`'])
            && let Some(place) = of(beside(world, from, module)).or_else(|| of(world.file(module)))
        {
            return place;
        }
        // What stands before the first plain part of the path is known at run time only.
        let tail = tail(module);
        if tail.is_empty() {
            return Place::Unknown;
        }
        let found: Vec<FileId> = ending(world, tail).filter(|&f| linker.has_facts(f)).take(2).collect();
        match found.as_slice() {
            [one] => Place::File(*one),
            [] => Place::External,
            _ => of(beside(world, from, tail)).unwrap_or(Place::Unknown),
        }
    }

    fn otherwise(&self, linker: &Linker<'_>, file: FileId, name: &str, hash: u64) -> Value {
        let family = linker.world.family(file);
        let taken: std::rc::Rc<FastSet<FileId>> = linker.includes(file);
        let hits: Vec<Hit> = linker
            .world
            .tables
            .named(hash)
            .iter()
            .filter(|e| Some(e.family) == family && e.reach == Reach::Top && e.target.file != file)
            .filter(|e| taken.contains(&e.target.file))
            .take(16)
            .filter(|e| linker.is_named(e.target, name))
            .map(|e| hit(e.target))
            .collect();
        Value::of(hits)
    }
}

fn hit(target: Target) -> Hit {
    let what = What::Def(target);
    (Thing { what, arg: None }, Confidence::Exact)
}

/// The part of a path behind the last expansion in it, and behind `./` and `../`.
fn tail(path: &str) -> &str {
    let mut out = "";
    let mut at = path;
    // From the end: parts that are plain text.
    while let Some((head, part)) = at.rsplit_once('/') {
        if part.contains(['$', '`', '(', ')', '{', '}', '*']) || part == ".." || part == "." {
            return out;
        }
        out = &path[head.len() + 1..];
        at = head;
    }
    if at.is_empty() || at.contains(['$', '`', '(', ')', '{', '}', '*']) || at.starts_with('.') {
        out
    } else {
        path
    }
}

/// What the shell itself runs.
const BUILTINS: &[&str] = &[
    ".",
    ":",
    "[",
    "alias",
    "bg",
    "bind",
    "break",
    "builtin",
    "caller",
    "cd",
    "command",
    "compgen",
    "complete",
    "compopt",
    "continue",
    "declare",
    "dirs",
    "disown",
    "echo",
    "enable",
    "eval",
    "exec",
    "exit",
    "export",
    "false",
    "fc",
    "fg",
    "getopts",
    "hash",
    "help",
    "history",
    "jobs",
    "kill",
    "let",
    "local",
    "logout",
    "mapfile",
    "popd",
    "printf",
    "pushd",
    "pwd",
    "read",
    "readarray",
    "readonly",
    "return",
    "set",
    "shift",
    "shopt",
    "source",
    "suspend",
    "test",
    "times",
    "trap",
    "true",
    "type",
    "typeset",
    "ulimit",
    "umask",
    "unalias",
    "unset",
    "wait",
];

#[cfg(test)]
mod tests {
    use super::tail;

    #[test]
    fn what_is_plain_at_the_end_of_a_path() {
        for (path, expected) in [
            ("$ROOT/env.sh", "env.sh"),
            ("${A:-$(x)}/lib/b.sh", "lib/b.sh"),
            ("./../up.sh", "up.sh"),
            ("lib/a.sh", "lib/a.sh"),
            ("/usr/lib/a.sh", "usr/lib/a.sh"),
            ("$file", ""),
            ("lib/$name.sh", ""),
            ("", ""),
        ] {
            assert_eq!(tail(path), expected, "{path}");
        }
    }
}
