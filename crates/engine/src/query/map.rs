//! `map`: an orientation: languages, packages, directories with their hubs, hotspots, entry points.

use super::QueryError;
use super::callers::callees;
use super::folding::{declares, definition};
use super::headers::Headers;
use super::view::{Place, View, in_scope};
use crate::facts::{Kind, SymbolFlags};
use crate::index::record::FileFlags;
use crate::index::segment::SymbolRow;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use understory_core::answer::{Answer, Counts, MapAnswer, MapDir, MapLanguage, MapScope, MapTotals, Unit};
use understory_core::path::RepoPath;
use understory_core::query::SearchQuery;

const DIRS: usize = 16;
const HUBS: usize = 3;
const HOTSPOTS: usize = 12;
const ENTRY_POINTS: usize = 12;

/// One symbol with its weight as a hub.
type Weighed<'a> = (u32, &'a str, u32, Place);

/// Answers `map`.
pub fn map(view: &View<'_>, query: &SearchQuery) -> Result<Answer, QueryError> {
    let mut totals = MapTotals::default();
    let mut languages: BTreeMap<&str, u64> = BTreeMap::new();
    let mut hubs: Vec<Weighed<'_>> = Vec::new();
    let mut entries: Vec<(Entry, &str, u32, Place)> = Vec::new();
    let mut headers = Headers::default();
    // Path, language as read, and whether nothing in it is C++ alone.
    let mut read: Vec<(&str, &str, bool)> = Vec::new();
    // Files and symbols by path, to be grouped into directories.
    let mut files: Vec<(&str, u64)> = Vec::new();
    for (n, segment) in view.segments().iter().enumerate() {
        if view.stopped() {
            return Err(QueryError::Stopped);
        }
        for file_row in 0..segment.file_count() {
            let file = segment.file(file_row);
            headers.add(file.path, file.language);
            if !in_scope(file.path, &query.scope) {
                continue;
            }
            totals.files += 1;
            totals.symbols += u64::from(file.symbols.1.saturating_sub(1));
            if !file.language.is_empty() {
                let rows = file.symbols.0..file.symbols.0 + file.symbols.1;
                let plain = !rows.into_iter().any(|r| segment.symbol(r).kind().is_some_and(of_cpp));
                read.push((file.path, file.language, plain));
            }
            files.push((file.path, u64::from(file.symbols.1.saturating_sub(1))));
            if file.flags.is_secondary() {
                continue;
            }
            let example = file.flags.any(FileFlags::EXAMPLE);
            let test = file.flags.any(FileFlags::TEST);
            for row in file.symbols.0..file.symbols.0 + file.symbols.1 {
                totals.references += segment.edges_from(row).count() as u64;
                let s = segment.symbol(row);
                let place = Place { segment: n as u32, row };
                if test {
                    continue;
                }
                if is_entry(&s, file.path, file.language) {
                    let entry = Entry {
                        example,
                        helper: is_helper(file.path),
                        main: s.kind().is_none() || s.name.eq_ignore_ascii_case("main"),
                        reach: reach(view, place),
                    };
                    // The function that a script runs says more than the script.
                    if entries
                        .last()
                        .is_some_and(|e| e.1 == file.path && view.row(e.3).kind().is_none())
                    {
                        entries.pop();
                    }
                    entries.push((entry, file.path, s.start, place));
                }
                let Some(kind) = s.kind() else { continue };
                if example {
                    continue;
                }
                if matches!(
                    kind,
                    Kind::Module | Kind::Namespace | Kind::Variant | Kind::Field | Kind::Property
                ) {
                    continue;
                }
                // A declaration is shown as its definition is.
                let degree = view.rank_degree(place);
                if degree > 0 && definition(view, place) == place && !is_echo(view, place) {
                    hubs.push((degree, file.path, s.start, place));
                }
            }
        }
    }
    // Most referenced first; among equals by path and line.
    hubs.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| (a.1, a.2).cmp(&(b.1, b.2))));
    let mut names = BTreeSet::new();
    hubs.retain(|h| names.insert((h.1, view.row(h.3).qualified)));
    entries.sort_by(|a, b| {
        a.0.order()
            .cmp(&b.0.order())
            .then_with(|| (a.1, a.2, a.3).cmp(&(b.1, b.2, b.3)))
    });
    files.sort();
    for (path, language, plain) in read {
        *languages.entry(headers.language(path, language, plain)).or_default() += 1;
    }

    let mut languages: Vec<MapLanguage> = languages
        .into_iter()
        .map(|(name, files)| MapLanguage {
            name: name.to_owned(),
            files,
        })
        .collect();
    languages.sort_by(|a, b| b.files.cmp(&a.files).then_with(|| a.name.cmp(&b.name)));
    let scopes = view
        .index()
        .meta()
        .scopes
        .iter()
        .filter(|s| !s.path.is_empty() && in_scope(&s.path, &query.scope))
        .map(|s| MapScope {
            path: path(&s.path),
            name: s.name.to_string(),
            kind: s.kind.to_string(),
        })
        .collect();
    let dirs = directories(&files, &query.scope)
        .into_iter()
        .map(|(dir, files, symbols)| {
            let scope = path(&dir);
            let own = hubs.iter().filter(|h| in_scope(h.1, &scope)).take(HUBS);
            MapDir {
                path: scope.clone(),
                files,
                symbols,
                hubs: own.map(|h| view.symbol(h.3)).collect(),
            }
        })
        .collect();
    let answer = MapAnswer {
        totals,
        languages,
        scopes,
        dirs,
        hotspots: hubs.iter().take(HOTSPOTS).map(|h| view.symbol(h.3)).collect(),
        entry_points: entries
            .into_iter()
            .take(ENTRY_POINTS)
            .map(|e| view.symbol(e.3))
            .collect(),
    };
    let counts = Counts {
        shown: answer.dirs.len() as u64,
        total: answer.totals.symbols,
        exact: true,
        unit: Unit::Symbols,
    };
    Ok(Answer {
        map: Some(answer),
        counts: Counts {
            shown: counts.total,
            ..counts
        },
        ..Answer::default()
    })
}

fn path(text: &str) -> RepoPath {
    RepoPath::new_or_root(text).unwrap_or_else(|_| RepoPath::root())
}

/// What tells how much an entry point says of a tree.
struct Entry {
    /// It lies among examples.
    example: bool,
    /// It builds, checks or generates the tree, or helps its developers.
    helper: bool,
    /// It is the `main` of a program.
    main: bool,
    /// How many definitions of other files it references.
    reach: usize,
}

impl Entry {
    /// Programs of the tree first, then examples of its use; those that use most of it before others.
    fn order(&self) -> (bool, bool, bool, Reverse<usize>) {
        (self.helper, self.example, !self.main, Reverse(self.reach))
    }
}

/// Whether a symbol is referenced as often as it is because another one is: the constructor of a type, and a member that
/// is reached through the one that it overrides more than by itself.
fn is_echo(view: &View<'_>, place: Place) -> bool {
    let (row, segment) = (view.row(place), view.segment(place.segment));
    let constructs = match row.kind() {
        Some(Kind::Constructor) => true,
        Some(Kind::Method) => matches!(row.name, "__init__" | "initialize" | "__construct"),
        _ => false,
    };
    if constructs && segment.symbol(row.parent).kind().is_some_and(Kind::is_type) {
        return true;
    }
    let degrees = view.index().degrees();
    let own = degrees.get(row.key);
    segment.overridden(row.key).any(|base| degrees.get(base) >= own)
}

/// Where a program starts by its language's conventions. What a package does when it is loaded is no program.
fn is_entry(row: &SymbolRow<'_>, path: &str, language: &str) -> bool {
    match row.kind() {
        None => is_script(path, language),
        Some(_) if language == "go" && row.name == "init" => false,
        Some(kind) => {
            let flagged = row.flags & u32::from(SymbolFlags::ENTRY) != 0 || row.name == "main" && row.level <= 1;
            kind.is_callable() && flagged && !declares(row)
        }
    }
}

/// Whether a file is a program as a whole: what a Python package runs as, or a script that is installed as a command.
fn is_script(path: &str, language: &str) -> bool {
    let mut parts = path.rsplit('/');
    let name = parts.next();
    let runs = matches!(
        language,
        "bash" | "javascript" | "lua" | "php" | "python" | "ruby" | "typescript"
    );
    name == Some("__main__.py") || runs && matches!(parts.next(), Some("bin" | "exe"))
}

/// Whether a file belongs to what a project is built, checked and cared for with.
fn is_helper(path: &str) -> bool {
    let mut parts = path.rsplit('/');
    let name = parts.next().unwrap_or(path);
    let directory = |d: &str| {
        d.starts_with('.')
            || matches!(
                d,
                "script"
                    | "scripts"
                    | "tools"
                    | "tool"
                    | "utils"
                    | "util"
                    | "hack"
                    | "contrib"
                    | "misc"
                    | "ci"
                    | "build"
                    | "xtask"
                    | "internal"
                    | "benchsuite"
                    | "perf"
                    | "fuzz"
            )
    };
    matches!(name, "build.rs" | "setup.py" | "noxfile.py" | "mkdocs.py") || parts.any(directory)
}

/// How many definitions of other files a symbol references.
fn reach(view: &View<'_>, place: Place) -> usize {
    let file = view.row(place).file;
    let others = callees(view, place).into_iter().filter_map(|(key, _)| view.find(key));
    let others: BTreeSet<Place> = others
        .filter(|p| (p.segment, view.row(*p).file) != (place.segment, file))
        .collect();
    others.len()
}

/// Kinds of definitions that C does not have.
fn of_cpp(kind: Kind) -> bool {
    matches!(kind, Kind::Class | Kind::Namespace | Kind::Method | Kind::Constructor)
}

/// Directories that give a picture of the tree: the largest ones are opened until there are enough, largest first.
fn directories(files: &[(&str, u64)], scope: &RepoPath) -> Vec<(String, u64, u64)> {
    let base = scope.as_str().to_owned();
    let total: u64 = files.len() as u64;
    let mut open: Vec<(String, u64, u64)> = children(files, &base);
    // A directory that holds most of the tree says little: its children take its place.
    for _ in 0..24 {
        let Some(at) = open.iter().position(|d| d.1 * 5 > total * 2 && open.len() < DIRS) else {
            break;
        };
        let (dir, ..) = open[at].clone();
        let inside = children(files, &dir);
        if inside.is_empty() || open.len() + inside.len() > DIRS * 3 {
            break;
        }
        let held: u64 = inside.iter().map(|d| d.1).sum();
        let (own_files, own_symbols) = (open[at].1 - held, open[at].2 - inside.iter().map(|d| d.2).sum::<u64>());
        open.remove(at);
        if own_files > 0 {
            // Files that lie in the opened directory itself keep it in the list, for what is left.
            open.push((dir, own_files, own_symbols));
        }
        open.extend(inside);
        if own_files * 5 > total * 2 {
            break;
        }
    }
    open.sort_by(|a, b| b.2.cmp(&a.2).then_with(|| b.1.cmp(&a.1)).then_with(|| a.0.cmp(&b.0)));
    open.truncate(DIRS);
    open
}

/// The directories right below one, with their numbers of files and symbols.
fn children(files: &[(&str, u64)], dir: &str) -> Vec<(String, u64, u64)> {
    let mut out: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    for (file, symbols) in files {
        let rest = if dir.is_empty() {
            Some(*file)
        } else {
            file.strip_prefix(dir).and_then(|r| r.strip_prefix('/'))
        };
        if let Some((first, _)) = rest.and_then(|r| r.split_once('/')) {
            let name = if dir.is_empty() {
                first.to_owned()
            } else {
                format!("{dir}/{first}")
            };
            let entry = out.entry(name).or_default();
            entry.0 += 1;
            entry.1 += symbols;
        }
    }
    out.into_iter()
        .map(|(name, (files, symbols))| (name, files, symbols))
        .collect()
}
