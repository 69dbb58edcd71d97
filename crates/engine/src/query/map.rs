//! `map`: an orientation: languages, packages, directories with their hubs, hotspots, entry points.

use super::QueryError;
use super::view::{Place, View, in_scope};
use crate::facts::{Kind, SymbolFlags};
use crate::index::record::FileFlags;
use std::collections::BTreeMap;
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
    let mut entries: Vec<(u8, usize, &str, u32, Place)> = Vec::new();
    // Files and symbols by path, to be grouped into directories.
    let mut files: Vec<(&str, u64)> = Vec::new();
    for (n, segment) in view.segments().iter().enumerate() {
        if view.stopped() {
            return Err(QueryError::Stopped);
        }
        for file_row in 0..segment.file_count() {
            let file = segment.file(file_row);
            if !in_scope(file.path, &query.scope) {
                continue;
            }
            totals.files += 1;
            totals.symbols += u64::from(file.symbols.1.saturating_sub(1));
            if !file.language.is_empty() {
                *languages.entry(file.language).or_default() += 1;
            }
            files.push((file.path, u64::from(file.symbols.1.saturating_sub(1))));
            if file.flags.is_secondary() {
                continue;
            }
            let aside = file.flags.any(FileFlags::TEST | FileFlags::EXAMPLE);
            for row in file.symbols.0..file.symbols.0 + file.symbols.1 {
                totals.references += segment.edges_from(row).count() as u64;
                let s = segment.symbol(row);
                let place = Place { segment: n as u32, row };
                let Some(kind) = s.kind() else { continue };
                if aside {
                    continue;
                }
                if is_entry(kind, s.name, s.flags, s.level) {
                    let depth = file.path.matches('/').count();
                    entries.push((u8::from(s.name != "main"), depth, file.path, s.start, place));
                }
                if matches!(
                    kind,
                    Kind::Module | Kind::Namespace | Kind::Variant | Kind::Field | Kind::Property
                ) {
                    continue;
                }
                let degree = view.rank_degree(place);
                if degree > 0 {
                    hubs.push((degree, file.path, s.start, place));
                }
            }
        }
    }
    // Most referenced first; among equals by path and line.
    hubs.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| (a.1, a.2).cmp(&(b.1, b.2))));
    entries.sort();
    entries.dedup_by_key(|e| e.4);
    files.sort();

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
            .map(|e| view.symbol(e.4))
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

/// Where a program starts by its language's conventions.
fn is_entry(kind: Kind, name: &str, flags: u32, level: u32) -> bool {
    kind.is_callable() && (flags & u32::from(SymbolFlags::ENTRY) != 0 || name == "main" && level <= 1)
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
