//! Random small trees in several languages, and random edits of them.
//!
//! Names and paths come from small pools, so that files refer to each other, shadow each other, and break each other
//! when they change.

use std::collections::BTreeMap;
use understory_engine::index::Index;
use understory_engine::index::update::{Base, FileInput, Text, Texts, Watch, update};

/// Path → contents.
pub type Files = BTreeMap<String, String>;

/// A small generator of numbers: the same seed gives the same tree everywhere.
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % sides
    }

    fn pick<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.roll(list.len())]
    }
}

const FUNCTIONS: &[&str] = &["load", "save", "send", "merge", "close"];
const TYPES: &[&str] = &["Store", "Client", "Base", "Item"];
const MODULES: &[&str] = &["alpha", "beta", "gamma", "util"];
const DIRS: &[&str] = &["", "core/", "core/net/", "web/"];
const LANGUAGES: &[&str] = &["py", "ts", "go", "java", "rs"];

/// A tree of up to `most` files.
pub fn tree(dice: &mut Dice, most: usize) -> Files {
    let mut files = Files::new();
    for _ in 0..2 + dice.roll(most) {
        let (path, text) = file(dice);
        put(&mut files, path, text);
    }
    if dice.roll(3) == 0 {
        files.insert(
            "package.json".into(),
            r#"{"name": "root", "workspaces": ["core", "web"]}"#.into(),
        );
        files.insert("core/package.json".into(), r#"{"name": "core"}"#.into());
    }
    if dice.roll(3) == 0 {
        files.insert(
            "tsconfig.json".into(),
            r#"{"compilerOptions": {"baseUrl": ".", "paths": {"@c/*": ["core/*"]}}}"#.into(),
        );
    }
    files.insert("go.mod".into(), "module example.org/app\n".into());
    files
}

/// Puts a file; a file in the way of its directory goes, and so do the files below a directory in its place.
pub fn put(files: &mut Files, path: String, text: String) {
    files.retain(|p, _| !p.starts_with(&format!("{path}/")) && !path.starts_with(&format!("{p}/")));
    files.insert(path, text);
}

/// Changes the tree in one to four places: new text, renames of definitions, removal, addition, moves, a file where a directory was.
pub fn edit(dice: &mut Dice, files: &mut Files) {
    for _ in 0..1 + dice.roll(4) {
        let paths: Vec<String> = files.keys().cloned().collect();
        let Some(path) = (!paths.is_empty()).then(|| paths[dice.roll(paths.len())].clone()) else {
            return;
        };
        match dice.roll(9) {
            0 => {
                files.remove(&path);
            }
            1 | 2 => {
                let (new, text) = file(dice);
                put(files, new, text);
            }
            3 | 4 => {
                let (from, to) = (dice.pick(FUNCTIONS), dice.pick(FUNCTIONS));
                if let Some(text) = files.get_mut(&path) {
                    *text = text.replacen(from, to, 1 + dice.roll(3));
                }
            }
            5 => {
                let (from, to) = (dice.pick(TYPES), dice.pick(TYPES));
                if let Some(text) = files.get_mut(&path) {
                    *text = text.replacen(from, to, 1 + dice.roll(3));
                }
            }
            6 => {
                if let Some(text) = files.get_mut(&path) {
                    text.insert_str(
                        0,
                        if path.ends_with(".py") {
                            "# moved down\n\n"
                        } else {
                            "// moved down\n\n"
                        },
                    );
                }
            }
            7 => {
                if let Some(text) = files.remove(&path) {
                    let extension = path.rsplit('.').next().unwrap_or("txt").to_owned();
                    let to = format!("{}{}.{extension}", dice.pick(DIRS), dice.pick(MODULES));
                    put(files, to, text);
                }
            }
            _ => {
                // A module becomes a package, or a directory's place is taken by a file.
                let module = format!("{}{}", dice.pick(DIRS), dice.pick(MODULES));
                let (_, text) = python(dice, &module);
                put(files, format!("{module}/__init__.py"), text);
            }
        }
    }
}

fn file(dice: &mut Dice) -> (String, String) {
    let module = format!("{}{}", dice.pick(DIRS), dice.pick(MODULES));
    match dice.pick(LANGUAGES) {
        "py" => python(dice, &module),
        "ts" => typescript(dice, &module),
        "go" => go(dice, &module),
        "java" => java(dice, &module),
        _ => rust(dice, &module),
    }
}

fn python(dice: &mut Dice, module: &str) -> (String, String) {
    let mut out = String::new();
    for _ in 0..dice.roll(3) {
        let from = format!("{}{}", dice.pick(DIRS), dice.pick(MODULES)).replace('/', ".");
        out += &match dice.roll(4) {
            0 => format!("import {from} as {}\n", dice.pick(MODULES)),
            1 => format!("from {from} import *\n"),
            2 => format!(
                "from {from} import {} as {}\n",
                dice.pick(FUNCTIONS),
                dice.pick(FUNCTIONS)
            ),
            _ => format!("from .{} import {}\n", dice.pick(MODULES), dice.pick(TYPES)),
        };
    }
    for _ in 0..1 + dice.roll(2) {
        let (name, base) = (dice.pick(TYPES), dice.pick(TYPES));
        out += &format!(
            "class {name}({base}):\n    def {}(self, x):\n        self.inner = {}()\n        return self.{}(x)\n",
            dice.pick(FUNCTIONS),
            dice.pick(TYPES),
            dice.pick(FUNCTIONS)
        );
        out += &format!(
            "    def {}(self):\n        return self.inner.{}()\n",
            dice.pick(FUNCTIONS),
            dice.pick(FUNCTIONS)
        );
    }
    out += &format!(
        "def {}(a: {}):\n    b = {}()\n    a.{}()\n    {}.{}()\n    return b\n",
        dice.pick(FUNCTIONS),
        dice.pick(TYPES),
        dice.pick(FUNCTIONS),
        dice.pick(FUNCTIONS),
        dice.pick(MODULES),
        dice.pick(FUNCTIONS)
    );
    out += &format!(
        "{}({}().{})\n",
        dice.pick(FUNCTIONS),
        dice.pick(TYPES),
        dice.pick(FUNCTIONS)
    );
    (format!("{module}.py"), out)
}

fn typescript(dice: &mut Dice, module: &str) -> (String, String) {
    let mut out = String::new();
    for _ in 0..dice.roll(3) {
        let from = match dice.roll(4) {
            0 => format!("@c/{}", dice.pick(MODULES)),
            1 => "core".to_owned(),
            2 => format!("../{}", dice.pick(MODULES)),
            _ => format!("./{}", dice.pick(MODULES)),
        };
        out += &match dice.roll(5) {
            0 => format!("import * as {} from \"{from}\";\n", dice.pick(MODULES)),
            1 => format!("export * from \"{from}\";\n"),
            2 => format!(
                "export {{ {} as {} }} from \"{from}\";\n",
                dice.pick(FUNCTIONS),
                dice.pick(FUNCTIONS)
            ),
            3 => format!("import {} from \"{from}\";\n", dice.pick(TYPES)),
            _ => format!(
                "import {{ {}, {} as {} }} from \"{from}\";\n",
                dice.pick(TYPES),
                dice.pick(FUNCTIONS),
                dice.pick(FUNCTIONS)
            ),
        };
    }
    out += &format!(
        "export interface {} {{ {}(): void; }}\n",
        dice.pick(TYPES),
        dice.pick(FUNCTIONS)
    );
    out += &format!(
        "export class {} extends {} {{\n  private item = new {}();\n  {}(x: {}) {{ return x.{}(); }}\n  {}() {{ return this.item.{}(); }}\n}}\n",
        dice.pick(TYPES),
        dice.pick(TYPES),
        dice.pick(TYPES),
        dice.pick(FUNCTIONS),
        dice.pick(TYPES),
        dice.pick(FUNCTIONS),
        dice.pick(FUNCTIONS),
        dice.pick(FUNCTIONS)
    );
    out += &format!(
        "export {}function {}() {{ const s = {}(); return s.{}(); }}\n",
        if dice.roll(3) == 0 { "default " } else { "" },
        dice.pick(FUNCTIONS),
        dice.pick(FUNCTIONS),
        dice.pick(FUNCTIONS)
    );
    (format!("{module}.ts"), out)
}

fn go(dice: &mut Dice, module: &str) -> (String, String) {
    let package = module.rsplit('/').nth(1).unwrap_or("app").to_owned();
    let mut out = format!(
        "package {package}\n\nimport \"example.org/app/{}\"\n\n",
        dice.pick(&["core", "core/net", "web"])
    );
    out += &format!(
        "type {} struct {{ {}; x int }}\ntype {} interface {{ {}() int }}\n",
        dice.pick(TYPES),
        dice.pick(TYPES),
        dice.pick(TYPES),
        dice.pick(FUNCTIONS)
    );
    out += &format!(
        "func (s *{}) {}() int {{ return s.{}() }}\n",
        dice.pick(TYPES),
        dice.pick(FUNCTIONS),
        dice.pick(FUNCTIONS)
    );
    out += &format!(
        "func {}(a {}) int {{ b := {}(); _ = b; {}.{}(); return a.{}() }}\n",
        dice.pick(FUNCTIONS),
        dice.pick(TYPES),
        dice.pick(FUNCTIONS),
        dice.pick(&["core", "net", "web"]),
        dice.pick(FUNCTIONS),
        dice.pick(FUNCTIONS)
    );
    (format!("{module}.go"), out)
}

fn java(dice: &mut Dice, module: &str) -> (String, String) {
    let package = module
        .rsplit_once('/')
        .map_or(String::new(), |(d, _)| d.replace('/', "."));
    let name = dice.pick(TYPES);
    let mut out = if package.is_empty() {
        String::new()
    } else {
        format!("package {package};\n")
    };
    out += &format!(
        "import {}.{};\n",
        dice.pick(&["core", "core.net", "web"]),
        dice.pick(TYPES)
    );
    out += &format!(
        "public class {name} extends {} implements {} {{\n  {} item = new {}();\n",
        dice.pick(TYPES),
        dice.pick(TYPES),
        dice.pick(TYPES),
        dice.pick(TYPES)
    );
    out += &format!(
        "  public int {}({} a) {{ return a.{}() + item.{}(); }}\n  static int {}() {{ return {}.{}(); }}\n}}\n",
        dice.pick(FUNCTIONS),
        dice.pick(TYPES),
        dice.pick(FUNCTIONS),
        dice.pick(FUNCTIONS),
        dice.pick(FUNCTIONS),
        dice.pick(TYPES),
        dice.pick(FUNCTIONS)
    );
    let dir = module.rsplit_once('/').map_or(String::new(), |(d, _)| format!("{d}/"));
    (format!("{dir}{name}.java"), out)
}

fn rust(dice: &mut Dice, module: &str) -> (String, String) {
    let mut out = format!(
        "use crate::core::{}::{};\nmod {};\n",
        dice.pick(MODULES),
        dice.pick(TYPES),
        dice.pick(MODULES)
    );
    out += &format!(
        "pub trait {} {{ fn {}(&self); }}\npub struct {} {{ item: {} }}\n",
        dice.pick(TYPES),
        dice.pick(FUNCTIONS),
        dice.pick(TYPES),
        dice.pick(TYPES)
    );
    out += &format!(
        "impl {} for {} {{ fn {}(&self) {{ self.item.{}(); }} }}\n",
        dice.pick(TYPES),
        dice.pick(TYPES),
        dice.pick(FUNCTIONS),
        dice.pick(FUNCTIONS)
    );
    out += &format!(
        "pub fn {}(a: &{}) {{ let b = {}(a); b.{}(); {}::{}(); }}\n",
        dice.pick(FUNCTIONS),
        dice.pick(TYPES),
        dice.pick(FUNCTIONS),
        dice.pick(FUNCTIONS),
        dice.pick(MODULES),
        dice.pick(FUNCTIONS)
    );
    (format!("{module}.rs"), out)
}

/// Texts in memory.
pub struct InMemory<'a>(pub &'a Files);

impl Texts for InMemory<'_> {
    fn text(&self, path: &str) -> Text {
        self.0.get(path).map_or(Text::Unreadable, |t| Text::Text(t.clone()))
    }
}

/// The files as an update takes them.
pub fn inputs(files: &Files) -> Vec<FileInput> {
    use sha2::{Digest, Sha256};
    let input = |(path, text): (&String, &String)| FileInput {
        path: path.as_str().into(),
        hash: Sha256::digest(text.as_bytes()).into(),
        size: text.len() as u64,
    };
    files.iter().map(input).collect()
}

/// The index of a tree, from an older one or from nothing.
pub fn index(base: Option<&Index>, files: &Files) -> Index {
    let base = base.map(Base::from);
    update(base.as_ref(), inputs(files), &InMemory(files), &Watch::SILENT)
        .expect("nothing stops it")
        .0
}

/// What an index consists of: the names of its parts are hashes of their bytes.
pub fn parts(index: &Index) -> Vec<String> {
    let mut out: Vec<String> = index.segments().iter().map(|s| s.name().to_owned()).collect();
    out.push(index.degrees().name().to_owned());
    out.push(format!("{:?}", index.meta()));
    out
}
