//! Where imports of JavaScript and TypeScript lead, and the names that the language and its hosts define.

use crate::facts::{FileFacts, Import, SymbolFlags};
use crate::resolve::linker::Linker;
use crate::resolve::links::FileId;
use crate::resolve::project::Project;
use crate::resolve::project::javascript::{Package, split_name};
use crate::resolve::project::paths::{join, parent};
use crate::resolve::rules::{Absence, NO_SPACE, Order, PLAIN, Place, Rules, Traits};
use crate::resolve::world::World;
use serde_json::Value;

/// Resolution rules of JavaScript and TypeScript.
pub struct JavaScriptRules;

static TRAITS: Traits = Traits {
    hands_out_all: false,
    hands_out_imports: false,
    call_constructs: false,
    constructors: &["constructor"],
    builtins: BUILTINS,
    any_types: &["Function", "Object"],
    transparent: &[
        "Awaited",
        "ComputedRef",
        "DeepPartial",
        "DeepReadonly",
        "Exclude",
        "Extract",
        "Mutable",
        "NonNullable",
        "Omit",
        "Partial",
        "Pick",
        "Readonly",
        "Required",
    ],
    order: Order::Stated,
    dynamic_members: true,
    overload_signatures: true,
    absence: Absence::Proved,
    ..PLAIN
};

/// Key of the space of names that a declaration file without imports or exports gives to every file.
const AMBIENT: &str = "";

impl Rules for JavaScriptRules {
    fn traits(&self) -> &'static Traits {
        &TRAITS
    }

    /// Modules are files. A file without imports and exports is a script: its names are seen by the scripts beside it, and
    /// those of a declaration file by all.
    fn space(&self, _project: &Project, path: &str, facts: &FileFacts) -> Option<String> {
        let module = !facts.imports.is_empty()
            || !facts.exports.is_empty()
            || facts
                .symbols
                .iter()
                .any(|s| s.parent.is_none() && s.flags.has(SymbolFlags::EXPORTED));
        if module {
            return None;
        }
        if [".d.ts", ".d.mts", ".d.cts"].iter().any(|e| path.ends_with(e)) {
            return Some(AMBIENT.to_owned());
        }
        // A directory's name may hold dots, which part the keys of spaces.
        Some(format!("/{}", parent(path).replace('.', ":")))
    }

    fn visible(&self, linker: &Linker<'_>, file: FileId) -> Vec<Place> {
        let own = linker.world.space_of(file);
        let ambient = linker
            .world
            .family(file)
            .and_then(|family| linker.world.tables.space(family, AMBIENT));
        [(own != NO_SPACE).then_some(own), ambient]
            .into_iter()
            .flatten()
            .map(Place::Space)
            .collect()
    }

    fn import(&self, linker: &Linker<'_>, file: FileId, import: &Import) -> Place {
        find(linker.world, file, &import.module)
    }
}

/// Where a module name leads from a file.
fn find(world: &World, file: FileId, module: &str) -> Place {
    let module = module.split(['?', '!']).next().unwrap_or(module);
    let dir = parent(world.path(file));
    let found = if module.starts_with('.') {
        join(dir, module).and_then(|path| at(world, &path))
    } else {
        bare(world, dir, module)
    };
    match found {
        Some(f) => Place::File(f),
        None => Place::External,
    }
}

/// A module that is no path: by the configuration, as a package of the tree, from the base directory.
fn bare(world: &World, dir: &str, module: &str) -> Option<FileId> {
    let project = &world.project.javascript;
    let config = project.config_of(dir);
    if let Some(config) = config {
        for (pattern, targets) in &config.paths {
            let Some(middle) = matched(pattern, module) else {
                continue;
            };
            let found = targets.iter().find_map(|t| at(world, &t.replacen('*', middle, 1)));
            if found.is_some() {
                return found;
            }
        }
    }
    if module.starts_with('#') {
        let package = project.package_of(dir)?;
        return mapped(world, package, package.imports.as_ref()?, module);
    }
    let (name, rest) = split_name(module);
    if let Some(package) = project.named(name, dir) {
        return in_package(world, package, rest);
    }
    if let Some(base) = config.and_then(|c| c.base_url.as_ref())
        && let Some(found) = join(base, module).and_then(|path| at(world, &path))
    {
        return Some(found);
    }
    // What bundlers take `@/` and `~/` for by convention.
    let rest = module.strip_prefix("@/").or_else(|| module.strip_prefix("~/"))?;
    let package = project.package_of(dir).map_or("", |p| &p.dir);
    [join(package, &format!("src/{rest}")), join(package, rest)]
        .into_iter()
        .flatten()
        .find_map(|path| at(world, &path))
}

/// What the star of a pattern stands for; an empty text for a pattern without one.
fn matched<'m>(pattern: &str, module: &'m str) -> Option<&'m str> {
    match pattern.split_once('*') {
        None => (pattern == module).then_some(""),
        Some((before, after)) => {
            let rest = module.strip_prefix(before)?;
            rest.strip_suffix(after)
        }
    }
}

/// The file of a package for the part of the name behind the package's own.
fn in_package(world: &World, package: &Package, rest: &str) -> Option<FileId> {
    if let Some(exports) = &package.exports {
        let key = if rest.is_empty() {
            ".".to_owned()
        } else {
            format!("./{rest}")
        };
        if let Some(found) = mapped(world, package, exports, &key) {
            return Some(found);
        }
    }
    if !rest.is_empty() {
        return [join(&package.dir, rest), join(&package.dir, &format!("src/{rest}"))]
            .into_iter()
            .flatten()
            .find_map(|path| at(world, &path));
    }
    package
        .entries
        .iter()
        .find_map(|entry| entry_at(world, package, entry))
        .or_else(|| {
            ["src/index", "index", "src/main", "lib/index"]
                .iter()
                .filter_map(|p| join(&package.dir, p))
                .find_map(|path| at(world, &path))
        })
}

/// A file that a manifest names; of a built file, the source that it is built from.
fn entry_at(world: &World, package: &Package, entry: &str) -> Option<FileId> {
    let path = join(&package.dir, entry)?;
    if let Some(found) = at(world, &path) {
        return Some(found);
    }
    let inside = entry.trim_start_matches("./");
    let (first, mut rest) = inside.split_once('/')?;
    if !matches!(first, "dist" | "lib" | "build" | "out" | "esm" | "cjs" | "es" | "types") {
        return None;
    }
    loop {
        if let Some(found) = join(&package.dir, &format!("src/{rest}")).and_then(|p| at(world, &p)) {
            return Some(found);
        }
        match rest.split_once('/') {
            Some((_, deeper)) => rest = deeper,
            None => return None,
        }
    }
}

/// Conditions of an `exports` map in the order in which they are tried: what leads to sources first.
const CONDITIONS: &[&str] = &[
    "source",
    "development",
    "types",
    "import",
    "module",
    "node",
    "default",
    "require",
    "browser",
];

/// Looks a key up in an `exports` or `imports` map.
fn mapped(world: &World, package: &Package, map: &Value, key: &str) -> Option<FileId> {
    let entries = map.as_object().filter(|m| m.keys().any(|k| k.starts_with(['.', '#'])));
    let Some(entries) = entries else {
        // The map of a package with one entry point.
        return if key == "." {
            target(world, package, map, "", 0)
        } else {
            None
        };
    };
    if let Some(value) = entries.get(key) {
        return target(world, package, value, "", 0);
    }
    let mut patterns: Vec<(&String, &str)> = entries
        .keys()
        .filter(|k| k.contains('*'))
        .filter_map(|k| Some((k, matched(k, key)?)))
        .collect();
    patterns.sort_by_key(|(k, _)| std::cmp::Reverse(k.len()));
    let (pattern, middle) = patterns.first()?;
    target(world, package, &entries[*pattern], middle, 0)
}

fn target(world: &World, package: &Package, value: &Value, middle: &str, depth: u32) -> Option<FileId> {
    if depth > 8 {
        return None;
    }
    match value {
        Value::String(path) => entry_at(world, package, &path.replace('*', middle)),
        Value::Array(list) => list.iter().find_map(|v| target(world, package, v, middle, depth + 1)),
        Value::Object(map) => {
            let known = CONDITIONS.iter().filter_map(|c| map.get(*c));
            let others = map
                .iter()
                .filter(|(k, _)| !CONDITIONS.contains(&k.as_str()))
                .map(|(_, v)| v);
            known
                .chain(others)
                .find_map(|v| target(world, package, v, middle, depth + 1))
        }
        _ => None,
    }
}

const EXTENSIONS: &[&str] = &[
    ".ts", ".tsx", ".d.ts", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".d.mts", ".d.cts", ".vue", ".svelte",
    ".json",
];

/// The file that a path without (or with the emitted) extension means.
fn at(world: &World, path: &str) -> Option<FileId> {
    // `./x.js` in TypeScript means the source that emits it.
    let emitted: &[(&str, &[&str])] = &[
        (".js", &[".ts", ".tsx", ".d.ts"]),
        (".jsx", &[".tsx"]),
        (".mjs", &[".mts", ".d.mts"]),
        (".cjs", &[".cts", ".d.cts"]),
    ];
    if let Some(exact) = world.file(path) {
        return Some(exact);
    }
    for (extension, sources) in emitted {
        if let Some(stem) = path.strip_suffix(extension) {
            let found = sources.iter().find_map(|s| world.file(&format!("{stem}{s}")));
            if found.is_some() {
                return found;
            }
        }
    }
    let path = path.trim_end_matches('/');
    let found = EXTENSIONS.iter().find_map(|e| world.file(&format!("{path}{e}")));
    if found.is_some() && !path.is_empty() {
        return found;
    }
    let index = if path.is_empty() {
        "index".to_owned()
    } else {
        format!("{path}/index")
    };
    if let Some(found) = EXTENSIONS.iter().find_map(|e| world.file(&format!("{index}{e}"))) {
        return Some(found);
    }
    // A directory with a manifest of its own.
    let package = world
        .project
        .javascript
        .package_of(path)
        .filter(|p| *p.dir == *path && !path.is_empty())?;
    package.entries.iter().find_map(|entry| {
        let target = join(&package.dir, entry)?;
        if target == path {
            return None;
        }
        let exact = world.file(&target);
        exact.or_else(|| EXTENSIONS.iter().find_map(|e| world.file(&format!("{target}{e}"))))
    })
}

const BUILTINS: &[&str] = &[
    "AbortController",
    "AbortSignal",
    "AggregateError",
    "Array",
    "ArrayBuffer",
    "ArrayLike",
    "AsyncDisposable",
    "AsyncGenerator",
    "AsyncIterable",
    "AsyncIterator",
    "Atomics",
    "Audio",
    "Awaited",
    "BigInt",
    "BigInt64Array",
    "BigUint64Array",
    "Blob",
    "BodyInit",
    "Boolean",
    "BroadcastChannel",
    "Buffer",
    "Bun",
    "ByteLengthQueuingStrategy",
    "Cache",
    "CacheStorage",
    "Capitalize",
    "CompressionStream",
    "ConstructorParameters",
    "CountQueuingStrategy",
    "Crypto",
    "CryptoKey",
    "CustomEvent",
    "DOMException",
    "DOMParser",
    "DataView",
    "Date",
    "DecompressionStream",
    "Deno",
    "Disposable",
    "Document",
    "Element",
    "Error",
    "EvalError",
    "Event",
    "EventSource",
    "EventTarget",
    "Exclude",
    "ExecutionContext",
    "Extract",
    "FetchEvent",
    "File",
    "FileList",
    "FileReader",
    "FinalizationRegistry",
    "Float32Array",
    "Float64Array",
    "FormData",
    "Function",
    "Generator",
    "HTMLElement",
    "Headers",
    "HeadersInit",
    "History",
    "Image",
    "Infinity",
    "InstanceType",
    "Int16Array",
    "Int32Array",
    "Int8Array",
    "IntersectionObserver",
    "Intl",
    "Iterable",
    "IterableIterator",
    "Iterator",
    "JSON",
    "JSX",
    "KeyboardEvent",
    "Lowercase",
    "Map",
    "Math",
    "MediaStream",
    "MessageChannel",
    "MessageEvent",
    "MessagePort",
    "MouseEvent",
    "MutationObserver",
    "NaN",
    "Node",
    "NodeJS",
    "NodeList",
    "NonNullable",
    "Number",
    "Object",
    "Omit",
    "OmitThisParameter",
    "Parameters",
    "Partial",
    "PerformanceObserver",
    "Pick",
    "Promise",
    "PromiseLike",
    "PropertyDescriptor",
    "PropertyKey",
    "Proxy",
    "RangeError",
    "React",
    "ReadableStream",
    "ReadableStreamDefaultReader",
    "Readonly",
    "ReadonlyArray",
    "ReadonlyMap",
    "ReadonlySet",
    "Record",
    "ReferenceError",
    "Reflect",
    "RegExp",
    "Request",
    "RequestInfo",
    "RequestInit",
    "Required",
    "ResizeObserver",
    "Response",
    "ResponseInit",
    "ReturnType",
    "Set",
    "SharedArrayBuffer",
    "Storage",
    "String",
    "SubtleCrypto",
    "Symbol",
    "SyntaxError",
    "TemplateStringsArray",
    "TextDecoder",
    "TextDecoderStream",
    "TextEncoder",
    "TextEncoderStream",
    "ThisParameterType",
    "ThisType",
    "TransformStream",
    "TypeError",
    "URIError",
    "URL",
    "URLSearchParams",
    "Uint16Array",
    "Uint32Array",
    "Uint8Array",
    "Uint8ClampedArray",
    "Uncapitalize",
    "Uppercase",
    "WeakMap",
    "WeakRef",
    "WeakSet",
    "WebAssembly",
    "WebSocket",
    "Window",
    "Worker",
    "WritableStream",
    "XMLHttpRequest",
    "__dirname",
    "__filename",
    "addEventListener",
    "after",
    "afterAll",
    "afterEach",
    "alert",
    "arguments",
    "atob",
    "before",
    "beforeAll",
    "beforeEach",
    "btoa",
    "caches",
    "cancelAnimationFrame",
    "chrome",
    "clearImmediate",
    "clearInterval",
    "clearTimeout",
    "confirm",
    "console",
    "crypto",
    "customElements",
    "decodeURI",
    "decodeURIComponent",
    "describe",
    "dispatchEvent",
    "document",
    "encodeURI",
    "encodeURIComponent",
    "escape",
    "eval",
    "expect",
    "expectTypeOf",
    "exports",
    "fetch",
    "getComputedStyle",
    "global",
    "globalThis",
    "history",
    "indexedDB",
    "isFinite",
    "isNaN",
    "it",
    "jest",
    "localStorage",
    "location",
    "matchMedia",
    "module",
    "navigator",
    "parseFloat",
    "parseInt",
    "performance",
    "postMessage",
    "process",
    "prompt",
    "queueMicrotask",
    "removeEventListener",
    "requestAnimationFrame",
    "requestIdleCallback",
    "require",
    "screen",
    "self",
    "sessionStorage",
    "setImmediate",
    "setInterval",
    "setTimeout",
    "structuredClone",
    "suite",
    "test",
    "undefined",
    "unescape",
    "vi",
    "window",
];
