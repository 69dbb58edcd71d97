//! What each stage of the engine costs on a directory of code, in CPU seconds and as ratios to parsing alone.
//!
//! `cargo run --release -p understory-engine --example stages -- DIR`; `benches/stages.sh` runs it and ripgrep beside it.
//! `--generated N` in place of the directory makes up a tree of N files in four languages.
#![expect(clippy::print_stdout, reason = "a program for a person, not a library")]

use rayon::prelude::*;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use understory_core::path::RepoPath;
use understory_core::query::{Mode, SearchQuery};
use understory_engine::index::Index;
use understory_engine::index::update::{Base, FileInput, Text, Texts, Watch, update};
use understory_engine::query::{View, answer};
use understory_engine::{extract, languages, terms};

/// Where the texts are.
enum Source {
    Disk(PathBuf),
    Memory(BTreeMap<String, String>),
}

impl Texts for Source {
    fn text(&self, path: &str) -> Text {
        let root = match self {
            Source::Memory(files) => return files.get(path).cloned().map_or(Text::Unreadable, Text::Text),
            Source::Disk(root) => root,
        };
        match std::fs::read(root.join(path)) {
            Ok(bytes) if bytes.contains(&0) => Text::Binary,
            Ok(bytes) => Text::Text(String::from_utf8_lossy(&bytes).into_owned()),
            Err(_) => Text::Unreadable,
        }
    }
}

impl Source {
    /// The files, sorted by path.
    fn files(&self) -> Vec<FileInput> {
        let mut out = Vec::new();
        match self {
            Source::Disk(root) => walk(root, root, &mut out),
            Source::Memory(files) => out.extend(files.iter().map(|(path, text)| FileInput {
                path: path.as_str().into(),
                hash: Sha256::digest(text).into(),
                size: text.len() as u64,
            })),
        }
        out.sort_by(|a, b| a.path.cmp(&b.path));
        out
    }

    /// A tree of `count` files: modules of one class and a few functions that use the two modules before them.
    fn generated(count: usize) -> Source {
        let file = |n: usize| {
            // Six modules build on each other, then a chain begins at the first again.
            let back = |by: usize| {
                if (n / 4).is_multiple_of(6) {
                    n % 4
                } else {
                    n.saturating_sub(4 * by).max(n % 4)
                }
            };
            let (a, b) = (back(1), back(2));
            match n % 4 {
                0 => (
                    format!("py/m{n}.py"),
                    format!(
                        "from py.m{a} import Store{a}, load{a}\nfrom py import m{b}\n\n\nclass Store{n}(Store{a}):\n    \"\"\"Keeps orders of kind {n}.\"\"\"\n"
                    ) + &(0..12)
                        .map(|i| format!("\n    def step{i}(self, order):\n        held = load{a}(order)\n        self.step{}(held)\n        return m{b}.load{b}(held)\n", (i + 1) % 12))
                        .collect::<String>()
                        + &format!("\n\ndef load{n}(order):\n    return Store{n}().step0(order)\n"),
                ),
                1 => (
                    format!("ts/m{n}.ts"),
                    format!("import {{ Store{a}, load{a} }} from './m{a}'\nimport * as other from './m{b}'\n\n/** Keeps orders of kind {n}. */\nexport class Store{n} extends Store{a} {{\n")
                        + &(0..12)
                            .map(|i| format!("  step{i}(order: string): string {{\n    const held = load{a}(order)\n    this.step{}(held)\n    return other.load{b}(held)\n  }}\n", (i + 1) % 12))
                            .collect::<String>()
                        + &format!("}}\n\nexport const load{n} = (order: string): string => new Store{n}().step0(order)\n"),
                ),
                2 => (
                    format!("java/src/p{}/Store{n}.java", n % 50),
                    format!("package p{};\n\nimport p{}.Store{a};\n\n/** Keeps orders of kind {n}. */\npublic class Store{n} extends Store{a} {{\n", n % 50, a % 50)
                        + &(0..12)
                            .map(|i| format!("    String step{i}(String order) {{\n        Store{a} held = new Store{a}();\n        this.step{}(order);\n        return held.step0(order);\n    }}\n", (i + 1) % 12))
                            .collect::<String>()
                        + "}\n",
                ),
                _ => (
                    format!("go/p{}/m{n}.go", n % 50),
                    format!("package p{}\n\n// Store{n} keeps orders of kind {n}.\ntype Store{n} struct {{ next *Store{n} }}\n", n % 50)
                        + &(0..12)
                            .map(|i| format!("\nfunc (s *Store{n}) Step{i}(order string) string {{\n\theld := Load{n}(order)\n\ts.next.Step{}(held)\n\treturn held\n}}\n", (i + 1) % 12))
                            .collect::<String>()
                        + &format!("\nfunc Load{n}(order string) string {{ return (&Store{n}{{}}).Step0(order) }}\n"),
                ),
            }
        };
        Source::Memory((0..count).map(file).collect())
    }
}

/// One file edited in memory.
struct Edited<'a>(&'a Source, &'a str, String);

impl Texts for Edited<'_> {
    fn text(&self, path: &str) -> Text {
        if path == self.1 {
            Text::Text(self.2.clone())
        } else {
            self.0.text(path)
        }
    }
}

fn walk(root: &Path, dir: &Path, out: &mut Vec<FileInput>) {
    for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
        let path = entry.path();
        let Ok(kind) = entry.file_type() else { continue };
        if kind.is_dir() && entry.file_name() != ".git" {
            walk(root, &path, out);
        } else if kind.is_file()
            && let (Ok(bytes), Some(name)) = (
                std::fs::read(&path),
                path.strip_prefix(root).ok().and_then(Path::to_str),
            )
        {
            let hash = Sha256::digest(&bytes).into();
            out.push(FileInput {
                path: name.into(),
                hash,
                size: bytes.len() as u64,
            });
        }
    }
}

/// CPU seconds of this process so far, all threads together.
fn cpu() -> f64 {
    let t = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    t.tv_sec as f64 + t.tv_nsec as f64 / 1e9
}

fn timed<T>(name: &str, limit: f64, work: impl FnOnce() -> T) -> (T, f64) {
    let before = cpu();
    let out = work();
    let took = cpu() - before;
    let ratio = if limit > 0.0 {
        format!("{:.2} of parsing", took / limit)
    } else {
        String::new()
    };
    println!("{name:<28} {took:>8.3} s  {ratio}");
    (out, took)
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let disk = match arguments.as_slice() {
        [flag, count] if flag == "--generated" => Source::generated(count.parse().unwrap_or(4_000)),
        [dir] => Source::Disk(dir.into()),
        _ => {
            println!("usage: stages DIR | --generated FILES");
            return;
        }
    };
    let files = disk.files();
    let code: Vec<(&FileInput, &'static languages::Language, String)> = files
        .iter()
        .filter_map(|f| match disk.text(&f.path) {
            Text::Text(text) => Some((f, languages::detect(&f.path, &text)?, text)),
            _ => None,
        })
        .collect();
    let bytes: usize = code.iter().map(|c| c.2.len()).sum();
    println!(
        "{} files, {} of known languages, {:.1} MB",
        files.len(),
        code.len(),
        bytes as f64 / 1e6
    );

    let (_, parse) = timed("parse alone", 0.0, || {
        code.par_iter()
            .for_each_init(tree_sitter::Parser::new, |parser, (_, language, text)| {
                if parser.set_language(&(language.grammar)()).is_ok() {
                    parser.parse(text, None);
                }
            });
    });
    let (facts, _) = timed("parse and extract", parse, || {
        code.par_iter()
            .map(|(_, language, text)| extract::extract(language, text))
            .collect::<Vec<_>>()
    });
    timed("terms", parse, || {
        code.par_iter()
            .zip(&facts)
            .for_each(|((f, _, text), facts)| drop(terms::bag(&f.path, text, facts)));
    });
    drop(facts);
    let (index, _) = timed("cold build", parse, || build(None, &files, &disk));
    timed("update, nothing changed", parse, || build(Some(&index), &files, &disk));
    if let Some((file, _, text)) = code.get(code.len() / 2) {
        let text = format!("{text}\n");
        let mut edited = files.clone();
        for f in edited.iter_mut().filter(|f| f.path == file.path) {
            f.hash = Sha256::digest(text.as_bytes()).into();
        }
        timed("update, one file edited", parse, || {
            build(Some(&index), &edited, &Edited(&disk, &file.path, text))
        });
    }
    let mut skeleton = SearchQuery::new(Mode::Skeleton, "");
    if let Some(path) = code.get(code.len() / 2).and_then(|c| RepoPath::new(&c.0.path).ok()) {
        skeleton.file = path;
    }
    for (name, query) in [
        (
            "ask",
            SearchQuery::new(Mode::Ask, "where is the request timeout applied"),
        ),
        ("grep", SearchQuery::new(Mode::Grep, "timeout|retry")),
        ("callers", SearchQuery::new(Mode::Callers, "get")),
        ("skeleton", skeleton),
        ("map", SearchQuery::new(Mode::Map, "")),
        (
            "explore",
            SearchQuery::new(Mode::Explore, "how is a request retried after an error"),
        ),
    ] {
        for state in ["cold", "warm"] {
            timed(&format!("{name}, {state}"), parse, || {
                let view = View::new(&index, &disk, &|_| false, &|| false);
                drop(answer(&view, &query));
            });
        }
    }
}

fn build(base: Option<&Index>, files: &[FileInput], texts: &dyn Texts) -> Index {
    let base = base.map(Base::from);
    update(base.as_ref(), files.to_vec(), texts, &Watch::SILENT)
        .expect("nothing stops it")
        .0
}
