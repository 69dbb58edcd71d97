//! Where Python's imports lead, and the names that the language itself defines.

use crate::facts::Import;
use crate::resolve::linker::Linker;
use crate::resolve::links::FileId;
use crate::resolve::rules::{Absence, Order, PLAIN, Place, Rules, Traits, listed};
use crate::resolve::world::World;

/// Resolution rules of Python.
pub struct PythonRules;

static TRAITS: Traits = Traits {
    hands_out_all: true,
    hands_out_imports: true,
    constructors: &["__init__", "__new__"],
    call_operator: "__call__",
    builtins: BUILTINS,
    passes_through: &[
        "__import__",
        "aiter",
        "anext",
        "enumerate",
        "eval",
        "filter",
        "getattr",
        "iter",
        "list",
        "map",
        "max",
        "min",
        "next",
        "reversed",
        "set",
        "sorted",
        "sum",
        "super",
        "tuple",
        "type",
        "vars",
        "zip",
    ],
    elements: &["get", "get_nowait", "pop", "popleft", "result", "setdefault"],
    any_types: &["Any", "object"],
    transparent: &[
        "Annotated",
        "ClassVar",
        "Final",
        "InitVar",
        "NotRequired",
        "Optional",
        "ReadOnly",
        "Required",
    ],
    class_of: &["Type", "type"],
    order: Order::C3,
    overload_signatures: true,
    absence: Absence::Proved,
    ..PLAIN
};

impl Rules for PythonRules {
    fn traits(&self) -> &'static Traits {
        &TRAITS
    }

    fn import(&self, linker: &Linker<'_>, file: FileId, import: &Import) -> Place {
        find(linker.world, file, &import.module)
    }

    fn binds(&self, linker: &Linker<'_>, file: FileId, import: &Import) -> Option<Place> {
        let (top, _) = import.module.split_once('.')?;
        (!top.is_empty() && *import.alias == *top).then(|| find(linker.world, file, top))
    }

    fn submodule(&self, linker: &Linker<'_>, place: Place, name: &str) -> Place {
        let world = linker.world;
        match place {
            Place::File(f) => {
                let path = world.path(f);
                match path
                    .strip_suffix("__init__.py")
                    .or_else(|| path.strip_suffix("__init__.pyi"))
                {
                    Some(dir) => module_at(world, dir.trim_end_matches('/'), name),
                    None => Place::Unknown,
                }
            }
            Place::Dir(d) => module_at(world, world.dir_path(d), name),
            _ => Place::Unknown,
        }
    }
}

/// The module `name` in a directory: a package, a file, or a directory without `__init__.py`.
fn module_at(world: &World, dir: &str, name: &str) -> Place {
    let base = join(dir, name);
    for tail in ["/__init__.py", ".py", "/__init__.pyi", ".pyi"] {
        if let Some(f) = world.file(&format!("{base}{tail}")) {
            return Place::File(f);
        }
    }
    match world.dir(&base) {
        Some(d) => Place::Dir(d),
        None => Place::Unknown,
    }
}

fn join(dir: &str, name: &str) -> String {
    if dir.is_empty() {
        name.to_owned()
    } else {
        format!("{dir}/{name}")
    }
}

fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(dir, _)| dir)
}

fn is_package(world: &World, dir: &str) -> bool {
    world.file(&join(dir, "__init__.py")).is_some() || world.file(&join(dir, "__init__.pyi")).is_some()
}

/// Where a module name leads from a file.
fn find(world: &World, file: FileId, module: &str) -> Place {
    let here = parent(world.path(file));
    let rest = module.trim_start_matches('.');
    let dots = module.len() - rest.len();
    if dots > 0 {
        let mut dir = here;
        for _ in 1..dots {
            if dir.is_empty() {
                return Place::External;
            }
            dir = parent(dir);
        }
        if rest.is_empty() {
            let package = ["__init__.py", "__init__.pyi"]
                .iter()
                .find_map(|n| world.file(&join(dir, n)));
            return match (package, world.dir(dir)) {
                (Some(f), _) => Place::File(f),
                (None, Some(d)) => Place::Dir(d),
                (None, None) => Place::External,
            };
        }
        return descend(world, dir, rest).unwrap_or(Place::External);
    }
    let top = rest.split('.').next().unwrap_or(rest);
    match root_of(world, here, top) {
        Some(root) => descend(world, &root, rest).unwrap_or(Place::External),
        None => Place::External,
    }
}

/// Follows a dotted name from a directory.
fn descend(world: &World, root: &str, dotted: &str) -> Option<Place> {
    let mut dir = root.to_owned();
    let mut place = None;
    for part in dotted.split('.') {
        match module_at(world, &dir, part) {
            Place::Unknown => return None,
            found => place = Some(found),
        }
        dir = join(&dir, part);
    }
    place
}

/// The directory from which a top-level module is imported by a file in `here`: the nearest directory above that is no
/// package, the ones further up, the roots that manifests name, and last a package of that name anywhere, if there
/// is but one.
fn root_of(world: &World, here: &str, top: &str) -> Option<String> {
    let standard = listed(STANDARD, top);
    let holds = |root: &str| match module_at(world, root, top) {
        Place::File(f) => {
            !standard || world.path(f).ends_with("/__init__.py") || world.path(f).ends_with("/__init__.pyi")
        }
        // A directory that merely has the name is no module of the standard library's, nor of a library's.
        Place::Dir(d) => !standard && has_modules(world, d),
        _ => false,
    };
    let mut dir = here;
    let mut found_dir: Option<String> = None;
    let mut candidates: Vec<&str> = Vec::new();
    loop {
        if !is_package(world, dir) {
            candidates.push(dir);
        }
        if dir.is_empty() {
            break;
        }
        dir = parent(dir);
    }
    let stated = world.project.python_roots.iter().map(|r| &**r);
    let sources = std::iter::once("src");
    for root in candidates.into_iter().chain(stated).chain(sources) {
        if holds(root) {
            // A directory without `__init__.py` gives way to a package or file of the name further on.
            if matches!(module_at(world, root, top), Place::Dir(_)) {
                found_dir.get_or_insert_with(|| root.to_owned());
                continue;
            }
            return Some(root.to_owned());
        }
    }
    if found_dir.is_some() {
        return found_dir;
    }
    if standard {
        return None;
    }
    let mut packages = world
        .dirs_named(top)
        .map(|d| world.dir_path(d))
        .filter(|d| is_package(world, d) && !is_package(world, parent(d)));
    let only = packages.next()?;
    packages.next().is_none().then(|| parent(only).to_owned())
}

/// Whether Python files lie in a directory or below it.
fn has_modules(world: &World, dir: u32) -> bool {
    world
        .files_under(world.dir_path(dir))
        .take(200)
        .any(|f| world.path(f).ends_with(".py") || world.path(f).ends_with(".pyi"))
}

const BUILTINS: &[&str] = &[
    "ArithmeticError",
    "AssertionError",
    "AttributeError",
    "BaseException",
    "BaseExceptionGroup",
    "BlockingIOError",
    "BrokenPipeError",
    "BufferError",
    "BytesWarning",
    "ChildProcessError",
    "ConnectionAbortedError",
    "ConnectionError",
    "ConnectionRefusedError",
    "ConnectionResetError",
    "DeprecationWarning",
    "EOFError",
    "Ellipsis",
    "EncodingWarning",
    "EnvironmentError",
    "Exception",
    "ExceptionGroup",
    "False",
    "FileExistsError",
    "FileNotFoundError",
    "FloatingPointError",
    "FutureWarning",
    "GeneratorExit",
    "IOError",
    "ImportError",
    "ImportWarning",
    "IndentationError",
    "IndexError",
    "InterruptedError",
    "IsADirectoryError",
    "KeyError",
    "KeyboardInterrupt",
    "LookupError",
    "MemoryError",
    "ModuleNotFoundError",
    "NameError",
    "None",
    "NotADirectoryError",
    "NotImplemented",
    "NotImplementedError",
    "OSError",
    "OverflowError",
    "PendingDeprecationWarning",
    "PermissionError",
    "ProcessLookupError",
    "PythonFinalizationError",
    "RecursionError",
    "ReferenceError",
    "ResourceWarning",
    "RuntimeError",
    "RuntimeWarning",
    "StopAsyncIteration",
    "StopIteration",
    "SyntaxError",
    "SyntaxWarning",
    "SystemError",
    "SystemExit",
    "TabError",
    "TimeoutError",
    "True",
    "TypeError",
    "UnboundLocalError",
    "UnicodeDecodeError",
    "UnicodeEncodeError",
    "UnicodeError",
    "UnicodeTranslateError",
    "UnicodeWarning",
    "UserWarning",
    "ValueError",
    "Warning",
    "WindowsError",
    "ZeroDivisionError",
    "__build_class__",
    "__builtins__",
    "__class__",
    "__debug__",
    "__doc__",
    "__file__",
    "__import__",
    "__loader__",
    "__name__",
    "__package__",
    "__path__",
    "__spec__",
    "abs",
    "aiter",
    "all",
    "anext",
    "any",
    "ascii",
    "basestring",
    "bin",
    "bool",
    "breakpoint",
    "bytearray",
    "bytes",
    "callable",
    "chr",
    "classmethod",
    "compile",
    "complex",
    "copyright",
    "credits",
    "delattr",
    "dict",
    "dir",
    "divmod",
    "enumerate",
    "eval",
    "exec",
    "exit",
    "filter",
    "float",
    "format",
    "frozenset",
    "getattr",
    "globals",
    "hasattr",
    "hash",
    "help",
    "hex",
    "id",
    "input",
    "int",
    "isinstance",
    "issubclass",
    "iter",
    "len",
    "license",
    "list",
    "locals",
    "long",
    "map",
    "max",
    "memoryview",
    "min",
    "next",
    "object",
    "oct",
    "open",
    "ord",
    "pow",
    "print",
    "property",
    "quit",
    "range",
    "raw_input",
    "reduce",
    "repr",
    "reveal_type",
    "reversed",
    "round",
    "set",
    "setattr",
    "slice",
    "sorted",
    "staticmethod",
    "str",
    "sum",
    "super",
    "tuple",
    "type",
    "unichr",
    "unicode",
    "vars",
    "xrange",
    "zip",
];

const STANDARD: &[&str] = &[
    "__future__",
    "_collections_abc",
    "_io",
    "_thread",
    "abc",
    "aifc",
    "antigravity",
    "argparse",
    "array",
    "ast",
    "asynchat",
    "asyncio",
    "asyncore",
    "atexit",
    "audioop",
    "base64",
    "bdb",
    "binascii",
    "bisect",
    "builtins",
    "bz2",
    "cProfile",
    "calendar",
    "cgi",
    "cgitb",
    "chunk",
    "cmath",
    "cmd",
    "code",
    "codecs",
    "codeop",
    "collections",
    "colorsys",
    "compileall",
    "concurrent",
    "configparser",
    "contextlib",
    "contextvars",
    "copy",
    "copyreg",
    "crypt",
    "csv",
    "ctypes",
    "curses",
    "dataclasses",
    "datetime",
    "dbm",
    "decimal",
    "difflib",
    "dis",
    "distutils",
    "doctest",
    "email",
    "encodings",
    "ensurepip",
    "enum",
    "errno",
    "faulthandler",
    "fcntl",
    "filecmp",
    "fileinput",
    "fnmatch",
    "fractions",
    "ftplib",
    "functools",
    "gc",
    "genericpath",
    "getopt",
    "getpass",
    "gettext",
    "glob",
    "graphlib",
    "grp",
    "gzip",
    "hashlib",
    "heapq",
    "hmac",
    "html",
    "http",
    "idlelib",
    "imaplib",
    "imghdr",
    "imp",
    "importlib",
    "inspect",
    "io",
    "ipaddress",
    "itertools",
    "json",
    "keyword",
    "lib2to3",
    "linecache",
    "locale",
    "logging",
    "lzma",
    "mailbox",
    "mailcap",
    "marshal",
    "math",
    "mimetypes",
    "mmap",
    "modulefinder",
    "msilib",
    "msvcrt",
    "multiprocessing",
    "netrc",
    "nis",
    "nntplib",
    "nt",
    "ntpath",
    "nturl2path",
    "numbers",
    "opcode",
    "operator",
    "optparse",
    "os",
    "ossaudiodev",
    "pathlib",
    "pdb",
    "pickle",
    "pickletools",
    "pipes",
    "pkgutil",
    "platform",
    "plistlib",
    "poplib",
    "posix",
    "posixpath",
    "pprint",
    "profile",
    "pstats",
    "pty",
    "pwd",
    "py_compile",
    "pyclbr",
    "pydoc",
    "pydoc_data",
    "pyexpat",
    "queue",
    "quopri",
    "random",
    "re",
    "readline",
    "reprlib",
    "resource",
    "rlcompleter",
    "runpy",
    "sched",
    "secrets",
    "select",
    "selectors",
    "shelve",
    "shlex",
    "shutil",
    "signal",
    "site",
    "smtpd",
    "smtplib",
    "sndhdr",
    "socket",
    "socketserver",
    "spwd",
    "sqlite3",
    "sre_compile",
    "sre_constants",
    "sre_parse",
    "ssl",
    "stat",
    "statistics",
    "string",
    "stringprep",
    "struct",
    "subprocess",
    "sunau",
    "symtable",
    "sys",
    "sysconfig",
    "syslog",
    "tabnanny",
    "tarfile",
    "telnetlib",
    "tempfile",
    "termios",
    "textwrap",
    "this",
    "threading",
    "time",
    "timeit",
    "tkinter",
    "token",
    "tokenize",
    "tomllib",
    "trace",
    "traceback",
    "tracemalloc",
    "tty",
    "turtle",
    "turtledemo",
    "types",
    "typing",
    "typing_extensions",
    "unicodedata",
    "unittest",
    "urllib",
    "uu",
    "uuid",
    "venv",
    "warnings",
    "wave",
    "weakref",
    "webbrowser",
    "winreg",
    "winsound",
    "wsgiref",
    "xdrlib",
    "xml",
    "xmlrpc",
    "zipapp",
    "zipfile",
    "zipimport",
    "zlib",
    "zoneinfo",
];
