//! `map`: the directories, hubs and hotspots that Graft picks, counted over the files of the tree.

use super::{is_in, symbol, unindexed};
use crate::graph::{Graph, Node};
use crate::parse::{Hub, Mapped};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use understory_cli_backend::texts::Texts;
use understory_core::answer::{
    Answer, Counts, Finding, MapAnswer, MapDir, MapLanguage, MapScope, MapTotals, Symbol, Unit,
};
use understory_core::path::RepoPath;

const DIRS: usize = 16;
const HUBS: usize = 3;
const HOTSPOTS: usize = 12;

/// Graft's languages by the endings of files.
const LANGUAGES: &[(&str, &[&str])] = &[
    ("c", &["c", "h"]),
    ("clojure", &["clj", "cljs", "cljc", "bb"]),
    ("cpp", &["cpp", "cc", "cxx", "hpp", "hh"]),
    ("csharp", &["cs"]),
    ("dart", &["dart"]),
    ("elixir", &["ex", "exs"]),
    ("go", &["go"]),
    ("java", &["java"]),
    ("javascript", &["js", "jsx", "mjs", "cjs"]),
    ("kotlin", &["kt", "kts"]),
    ("lua", &["lua"]),
    ("nix", &["nix"]),
    ("ocaml", &["ml", "mli"]),
    ("php", &["php"]),
    ("python", &["py", "pyi"]),
    ("r", &["r"]),
    ("ruby", &["rb"]),
    ("rust", &["rs"]),
    ("scala", &["scala", "sc"]),
    ("solidity", &["sol"]),
    ("swift", &["swift"]),
    ("typescript", &["ts", "tsx", "mts", "cts"]),
    ("vue", &["vue"]),
    ("zig", &["zig"]),
];

/// Manifests that make a directory a package, and the kind that they say.
const MANIFESTS: &[(&str, &str)] = &[
    ("Cargo.toml", "cargo"),
    ("go.mod", "go"),
    ("package.json", "npm"),
    ("pom.xml", "maven"),
    ("build.gradle", "gradle"),
    ("build.gradle.kts", "gradle"),
    ("pyproject.toml", "python"),
    ("setup.py", "python"),
];

/// The nodes of the tree's own files in a scope.
struct Seen<'a> {
    files: BTreeSet<&'a str>,
    definitions: Vec<&'a Node>,
}

/// The answer.
pub fn answer(mapped: &Mapped, scope: &RepoPath, graph: &Graph, texts: &mut Texts<'_>) -> Answer {
    let seen = seen(scope, graph, texts);
    let mut languages: BTreeMap<&str, u64> = BTreeMap::new();
    for file in &seen.files {
        let ending = file
            .rsplit_once('.')
            .map_or("", |(_, ending)| ending)
            .to_ascii_lowercase();
        if let Some((name, _)) = LANGUAGES.iter().find(|(_, endings)| endings.contains(&&*ending)) {
            *languages.entry(name).or_default() += 1;
        }
    }
    let mut languages: Vec<MapLanguage> = languages
        .into_iter()
        .map(|(name, files)| MapLanguage {
            name: name.to_owned(),
            files,
        })
        .collect();
    languages.sort_by(|a, b| b.files.cmp(&a.files).then_with(|| a.name.cmp(&b.name)));
    let mut findings = vec![Finding::note("graft.map", "Graft tells no entry points.")];
    let (dirs, hotspots) = if scope.is_root() {
        of_graft(mapped, &seen, graph, texts)
    } else {
        findings.push(Finding::note(
            "graft.map_scope",
            "Graft has no map of a directory: this one is told from its graph.",
        ));
        of_graph(scope, &seen, graph, texts)
    };
    let map = MapAnswer {
        totals: MapTotals {
            files: seen.files.len() as u64,
            symbols: seen.definitions.len() as u64,
            references: graph.references(|path| seen.files.contains(path)),
        },
        languages,
        scopes: packages(scope, texts),
        dirs,
        hotspots,
        entry_points: Vec::new(),
    };
    let shown = map.dirs.len() as u64;
    let mut answer = Answer {
        counts: Counts {
            shown,
            total: shown,
            exact: true,
            unit: Unit::Symbols,
        },
        map: Some(map),
        findings,
        ..Answer::default()
    };
    answer.not_searched.unsupported = unindexed(graph, scope, texts).len() as u64;
    answer
}

fn seen<'a>(scope: &RepoPath, graph: &'a Graph, texts: &Texts<'_>) -> Seen<'a> {
    let reader = texts.reader();
    let is_seen = |path: &str| {
        let path = RepoPath::new(path).ok().filter(|path| is_in(path, scope));
        path.is_some_and(|path| reader.tree().get(&path).is_some_and(|file| reader.is_open(&file)))
    };
    let files: BTreeSet<&str> = graph.files().filter(|path| is_seen(path)).collect();
    let definitions = graph
        .nodes()
        .iter()
        .filter(|n| !n.is_file() && files.contains(n.path.as_str()));
    Seen {
        definitions: definitions.collect(),
        files,
    }
}

impl Seen<'_> {
    /// A directory with its counts.
    fn dir(&self, path: RepoPath, hubs: Vec<Symbol>) -> MapDir {
        let below = |file: &str| RepoPath::new(file).is_ok_and(|file| file == path || is_in(&file, &path));
        MapDir {
            files: self.files.iter().filter(|file| below(file)).count() as u64,
            symbols: self.definitions.iter().filter(|node| below(&node.path)).count() as u64,
            path,
            hubs,
        }
    }

    /// The most referenced of some definitions.
    fn top(&self, most: usize, of: impl Fn(&Node) -> bool, graph: &Graph, texts: &mut Texts<'_>) -> Vec<Symbol> {
        let mut nodes: Vec<(u32, &Node)> = self
            .definitions
            .iter()
            .filter(|node| of(node))
            .map(|node| (graph.in_degree(&node.id), *node))
            .filter(|(degree, _)| *degree > 0)
            .collect();
        nodes.sort_by_key(|(degree, node)| (Reverse(*degree), &node.path, node.span, &node.id));
        nodes.truncate(most);
        nodes
            .into_iter()
            .filter_map(|(_, node)| symbol(node, graph, texts))
            .collect()
    }
}

/// What Graft picked, where it is of the tree.
fn of_graft(mapped: &Mapped, seen: &Seen<'_>, graph: &Graph, texts: &mut Texts<'_>) -> (Vec<MapDir>, Vec<Symbol>) {
    let mut hubs = |hubs: &[Hub]| -> Vec<Symbol> {
        hubs.iter()
            .filter_map(|hub| graph.at(&hub.path, hub.span, &hub.name))
            .filter_map(|node| symbol(node, graph, texts))
            .collect()
    };
    let hotspots = hubs(&mapped.hotspots);
    let all = mapped
        .dirs
        .iter()
        .chain(mapped.scopes.iter().flat_map(|scope| &scope.dirs));
    let mut dirs: Vec<MapDir> = Vec::new();
    for dir in all.filter(|dir| !dir.is_file) {
        let path = RepoPath::new_or_root(dir.path.trim_end_matches('/').trim_start_matches("./"));
        let Ok(path) = path else { continue };
        if dirs.iter().any(|known| known.path == path) {
            continue;
        }
        let dir = seen.dir(path, hubs(&dir.hubs));
        if dir.files > 0 {
            dirs.push(dir);
        }
    }
    (dirs, hotspots)
}

/// The directories directly below a scope.
fn of_graph(scope: &RepoPath, seen: &Seen<'_>, graph: &Graph, texts: &mut Texts<'_>) -> (Vec<MapDir>, Vec<Symbol>) {
    let start = scope.as_str().len() + 1;
    let children: BTreeSet<&str> = seen
        .files
        .iter()
        .filter_map(|file| Some(&file[..start + file.get(start..)?.find('/')?]))
        .collect();
    let mut dirs = Vec::new();
    for child in children {
        let Ok(path) = RepoPath::new(child) else { continue };
        let below = |node: &Node| RepoPath::new(&node.path).is_ok_and(|file| is_in(&file, &path));
        let hubs = seen.top(HUBS, below, graph, texts);
        dirs.push(seen.dir(path, hubs));
    }
    dirs.sort_by(|a, b| b.symbols.cmp(&a.symbols).then_with(|| a.path.cmp(&b.path)));
    dirs.truncate(DIRS);
    (dirs, seen.top(HOTSPOTS, |_| true, graph, texts))
}

/// Directories of the tree that hold a manifest.
fn packages(scope: &RepoPath, texts: &Texts<'_>) -> Vec<MapScope> {
    let mut out: BTreeMap<RepoPath, MapScope> = BTreeMap::new();
    for file in texts.tree().files() {
        let kind = MANIFESTS.iter().find(|(name, _)| *name == file.path.file_name());
        let (Some((_, kind)), Some(path)) = (kind, file.path.parent()) else {
            continue;
        };
        if path.is_root() || !is_in(&path, scope) {
            continue;
        }
        let name = path.file_name().to_owned();
        out.entry(path.clone()).or_insert(MapScope {
            path,
            name,
            kind: (*kind).to_owned(),
        });
    }
    out.into_values().collect()
}
