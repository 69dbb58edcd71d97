//! The toy language: what a tree of it defines and calls.

use regex::Regex;
use std::collections::BTreeSet;
use std::sync::LazyLock;
use understory_core::answer::{NotSearched, Symbol};
use understory_core::path::RepoPath;
use understory_core::tree::{EntryKind, Source, Tree};

pub(super) struct File {
    pub(super) path: RepoPath,
    pub(super) text: String,
    pub(super) staged: bool,
}

impl File {
    pub(super) fn lines(&self) -> impl Iterator<Item = (u32, &str)> {
        self.text.lines().enumerate().map(|(i, l)| (i as u32 + 1, l))
    }

    pub(super) fn line(&self, number: u32) -> &str {
        self.text.lines().nth(number as usize - 1).unwrap_or("")
    }
}

pub(super) struct Def {
    pub(super) file: usize,
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) kind: &'static str,
    pub(super) name: String,
    pub(super) qualified: String,
    indent: usize,
}

pub(super) struct Call {
    pub(super) file: usize,
    pub(super) line: u32,
    pub(super) name: String,
    pub(super) within: Option<usize>,
    pub(super) target: Option<usize>,
}

pub(super) struct World {
    pub(super) files: Vec<File>,
    pub(super) defs: Vec<Def>,
    pub(super) calls: Vec<Call>,
    pub(super) not_searched: NotSearched,
}

static DEFINITION: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^( *)(def|class) (\w+)(?:\(([\w, ]*)\))?:$").expect("the pattern compiles"));
static CALL: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"(\w+)\(").expect("the pattern compiles"));

impl World {
    /// Reads every file of the tree.
    pub(super) fn read(tree: &Tree) -> World {
        let mut world = World {
            files: Vec::new(),
            defs: Vec::new(),
            calls: Vec::new(),
            not_searched: tree.not_searched(),
        };
        for file in tree.files() {
            if file.entry.kind != EntryKind::File {
                continue;
            }
            let bytes = match tree.source(file.path) {
                Some(Source::Staged(bytes)) => bytes.to_vec(),
                Some(Source::Disk(path)) => match std::fs::read(path) {
                    Ok(bytes) => bytes,
                    Err(_) => {
                        world.not_searched.unreadable += 1;
                        continue;
                    }
                },
                None => continue,
            };
            if bytes.contains(&0) {
                world.not_searched.binary += 1;
                continue;
            }
            world.files.push(File {
                path: file.path.clone(),
                text: String::from_utf8_lossy(&bytes).into_owned(),
                staged: file.staged,
            });
        }
        for f in 0..world.files.len() {
            if world.files[f].path.as_str().ends_with(".py") {
                world.parse(f);
            } else {
                world.not_searched.unsupported += 1;
            }
        }
        world.resolve();
        world
    }

    fn parse(&mut self, f: usize) {
        let mut open: Vec<usize> = Vec::new();
        let text = self.files[f].text.clone();
        for (i, line) in text.lines().enumerate() {
            let number = i as u32 + 1;
            let code = line.split('#').next().unwrap_or("").trim_end();
            if code.trim().is_empty() {
                continue;
            }
            let indent = code.len() - code.trim_start().len();
            while open.last().is_some_and(|d| self.defs[*d].indent >= indent) {
                open.pop();
            }
            // Names bind to every definition of the name, so an import at the top adds nothing.
            if code.starts_with("from ") && code.contains(" import ") && !code.contains(" as ") {
                continue;
            }
            if code.trim_start().starts_with(['@']) || code.contains("import ") || code.contains(" = lambda") {
                panic!("the toy language has no line such as {line:?}");
            }
            if let Some(found) = DEFINITION.captures(code) {
                let name = found[3].to_owned();
                let outer = open
                    .last()
                    .map(|d| self.defs[*d].qualified.clone() + ".")
                    .unwrap_or_default();
                let in_class = open.last().is_some_and(|d| self.defs[*d].kind == "class");
                self.defs.push(Def {
                    file: f,
                    start: number,
                    end: number,
                    kind: match (&found[2], in_class) {
                        ("class", _) => "class",
                        (_, true) => "method",
                        _ => "function",
                    },
                    qualified: outer + &name,
                    name,
                    indent,
                });
                for d in &open {
                    self.defs[*d].end = number;
                }
                open.push(self.defs.len() - 1);
                continue;
            }
            for d in &open {
                self.defs[*d].end = number;
            }
            for found in CALL.captures_iter(code) {
                self.calls.push(Call {
                    file: f,
                    line: number,
                    name: found[1].to_owned(),
                    within: open.last().copied(),
                    target: None,
                });
            }
        }
    }

    fn resolve(&mut self) {
        for call in &mut self.calls {
            let mut named = (0..self.defs.len()).filter(|i| self.defs[*i].name == call.name);
            call.target = named.next();
            if let Some(second) = named.next() {
                panic!(
                    "the toy language cannot tell two definitions of {:?} apart (one in {:?})",
                    call.name,
                    self.files[self.defs[second].file].path.as_str()
                );
            }
        }
    }

    /// The innermost definition that holds a line.
    pub(super) fn innermost(&self, file: usize, line: u32) -> Option<usize> {
        let holds = |d: &&usize| {
            let def = &self.defs[**d];
            def.file == file && def.start <= line && line <= def.end
        };
        let all: Vec<usize> = (0..self.defs.len()).collect();
        all.iter().filter(holds).max_by_key(|d| self.defs[**d].indent).copied()
    }

    pub(super) fn source(&self, def: &Def) -> String {
        let lines: Vec<&str> = self.files[def.file]
            .lines()
            .filter(|(n, _)| (def.start..=def.end).contains(n))
            .map(|(_, l)| l)
            .collect();
        lines.join("\n")
    }

    pub(super) fn symbol(&self, i: usize) -> Symbol {
        let def = &self.defs[i];
        let file = &self.files[def.file];
        let users: BTreeSet<(Option<usize>, usize)> = self
            .calls
            .iter()
            .filter(|c| c.target == Some(i) && c.within != Some(i))
            .map(|c| (c.within, c.file))
            .collect();
        Symbol {
            path: file.path.clone(),
            start: def.start,
            end: def.end,
            kind: def.kind.to_owned(),
            name: def.name.clone(),
            qualified: def.qualified.clone(),
            signature: file.line(def.start).trim().to_owned(),
            in_degree: users.len() as u32,
            scope: RepoPath::root(),
            staged: file.staged,
        }
    }

    pub(super) fn file_symbol(&self, f: usize) -> Symbol {
        let file = &self.files[f];
        let lines = file.lines().count() as u32;
        Symbol {
            path: file.path.clone(),
            start: lines.min(1),
            end: lines,
            kind: "file".to_owned(),
            name: file.path.as_str().to_owned(),
            qualified: file.path.as_str().to_owned(),
            signature: String::new(),
            in_degree: 0,
            scope: RepoPath::root(),
            staged: file.staged,
        }
    }
}
