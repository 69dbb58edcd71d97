//! Where `require` leads, and the globals of Lua.

use crate::facts::Import;
use crate::resolve::linker::Linker;
use crate::resolve::links::FileId;
use crate::resolve::project::suffix::{beside, nearest};
use crate::resolve::rules::{Absence, PLAIN, Place, Rules, Traits};

/// Resolution rules of Lua.
pub struct LuaRules;

static TRAITS: Traits = Traits {
    hands_out_all: false,
    constructors: &["init"],
    call_operator: "__call",
    builtins: BUILTINS,
    passes_through: &[
        "assert",
        "next",
        "pcall",
        "rawget",
        "select",
        "setmetatable",
        "unpack",
        "xpcall",
    ],
    absence: Absence::Linked,
    ..PLAIN
};

impl Rules for LuaRules {
    fn traits(&self) -> &'static Traits {
        &TRAITS
    }

    /// `a.b` is `a/b.lua` or `a/b/init.lua` below one of the places where modules are looked for; which places these are is
    /// known at run time only, so any directory may be one.
    fn import(&self, linker: &Linker<'_>, file: FileId, import: &Import) -> Place {
        let world = linker.world;
        let from = world.path(file);
        let module = &*import.module;
        let of = |f: Option<FileId>| f.filter(|&f| linker.has_facts(f)).map(Place::File);
        if module.ends_with(".lua")
            && let Some(place) = of(beside(world, from, module).or_else(|| world.file(module)))
        {
            return place;
        }
        let written = module.strip_prefix("./").unwrap_or(module);
        let path = if written.contains('/') {
            written.to_owned()
        } else {
            written.replace('.', "/")
        };
        let path = path.trim_matches('/');
        if path.is_empty() {
            return Place::Unknown;
        }
        let names = [format!("{path}.lua"), format!("{path}/init.lua")];
        for root in ["", "src", "lua", "lib"] {
            for name in &names {
                let at = if root.is_empty() {
                    name.clone()
                } else {
                    format!("{root}/{name}")
                };
                if let Some(place) = of(world.file(&at)) {
                    return place;
                }
            }
        }
        if BUILTINS.binary_search(&path).is_ok() {
            return Place::External;
        }
        for name in &names {
            if let Some(place) = of(nearest(world, from, name)) {
                return place;
            }
        }
        Place::External
    }
}

/// The functions and libraries of Lua and LuaJIT.
const BUILTINS: &[&str] = &[
    "_ENV",
    "_G",
    "_VERSION",
    "assert",
    "bit",
    "bit32",
    "collectgarbage",
    "coroutine",
    "debug",
    "dofile",
    "error",
    "ffi",
    "getfenv",
    "getmetatable",
    "io",
    "ipairs",
    "jit",
    "load",
    "loadfile",
    "loadstring",
    "math",
    "module",
    "next",
    "os",
    "package",
    "pairs",
    "pcall",
    "print",
    "rawequal",
    "rawget",
    "rawlen",
    "rawset",
    "require",
    "select",
    "setfenv",
    "setmetatable",
    "string",
    "table",
    "tonumber",
    "tostring",
    "type",
    "unpack",
    "utf8",
    "warn",
    "xpcall",
];
