//! A code search over a toy language, in memory: small, complete, and strict.

mod toy;

use super::code_search::stopped;
use crate::code_search::{Capabilities, CodeSearch, IndexReport, Prepared, SearchError};
use crate::context::CallContext;
use async_trait::async_trait;
use regex::Regex;
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use toy::{Def, World};
use understory_core::answer::{
    Answer, BackendIdentity, Confidence, Counts, Hit, IndexState, Line, MapAnswer, MapDir, MapLanguage, MapTotals,
    Relation, Symbol, Unit, Unresolved,
};
use understory_core::fingerprint::Fingerprint;
use understory_core::near::{nearest, nearest_paths};
use understory_core::path::RepoPath;
use understory_core::query::{Direction, Mode, SearchQuery};
use understory_core::refusal::{Refusal, RefusalCode};
use understory_core::tree::Tree;

/// A [`CodeSearch`] that reads the tree anew for every question. It knows one toy language: files that end in `.py` with
/// `def name(…)` and `class Name`, nested by indentation, and calls `name(…)`.
///
/// Stricter than a real one: what the toy language does not settle is a panic, not a guess (two definitions of a name
/// that is called, a default argument, a decorator, an import).
#[derive(Default)]
pub struct MemorySearch {
    prepared: Mutex<BTreeSet<Fingerprint>>,
}

impl MemorySearch {
    /// One that has seen no tree yet.
    pub fn new() -> Self {
        Self::default()
    }

    fn ready(&self, tree: &Tree) -> IndexState {
        let mut prepared = self.prepared.lock().unwrap_or_else(PoisonError::into_inner);
        if prepared.insert(tree.disk_key()) {
            IndexState::Built
        } else {
            IndexState::Reused
        }
    }
}

#[async_trait]
impl CodeSearch for MemorySearch {
    fn identity(&self) -> BackendIdentity {
        BackendIdentity {
            name: "memory".to_owned(),
            version: "1".to_owned(),
        }
    }

    fn supports(&self) -> Capabilities {
        Capabilities::all()
    }

    async fn prepare(&self, tree: &Tree, cx: &CallContext) -> Result<Prepared, SearchError> {
        stopped(cx)?;
        let files = World::read(tree).files.len() as u64;
        let state = self.ready(tree);
        Ok(Prepared {
            index: IndexReport {
                state,
                parsed: if state == IndexState::Built { files } else { 0 },
                files,
                took: Duration::ZERO,
            },
            findings: Vec::new(),
        })
    }

    async fn search(&self, tree: &Tree, query: &SearchQuery, cx: &CallContext) -> Result<Answer, SearchError> {
        stopped(cx)?;
        let index = self.ready(tree);
        let world = World::read(tree);
        let mut answer = match query.mode {
            Mode::Ask => ask(&world, query, false),
            Mode::Explore => ask(&world, query, true),
            Mode::Grep => grep(&world, query)?,
            Mode::Callers => callers(&world, query)?,
            Mode::Skeleton => skeleton(&world, query)?,
            Mode::Map => map(&world, query),
        };
        answer.not_searched = world.not_searched;
        answer.index = Some(index);
        Ok(answer)
    }
}

fn finish(mut hits: Vec<Hit>, limit: u32) -> Answer {
    let total = hits.len() as u64;
    hits.truncate(limit as usize);
    Answer {
        counts: Counts {
            shown: hits.len() as u64,
            total,
            exact: true,
            unit: Unit::Symbols,
        },
        hits,
        ..Answer::default()
    }
}

fn words(text: &str) -> BTreeSet<String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|w| w.len() > 1)
        .map(str::to_lowercase)
        .collect()
}

fn ask(world: &World, query: &SearchQuery, with_source: bool) -> Answer {
    let wanted = words(&query.query);
    let mut scored: Vec<(usize, Hit)> = Vec::new();
    for (i, def) in world.defs.iter().enumerate() {
        let symbol = world.symbol(i);
        let source = world.source(def);
        let have = words(&source);
        let score = wanted.iter().filter(|w| have.contains(*w)).count();
        if score > 0 && symbol.path.is_in(&query.scope) {
            let mut hit = Hit::new(symbol);
            hit.score = Some(score as f64);
            hit.source = with_source.then_some(source);
            scored.push((score, hit));
        }
    }
    scored.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    let mut answer = finish(scored.into_iter().map(|(_, h)| h).collect(), query.limit);
    if with_source {
        answer.call_paths = Some(Vec::new());
    }
    answer
}

fn grep(world: &World, query: &SearchQuery) -> Result<Answer, SearchError> {
    let regex = Regex::new(&query.query).map_err(|e| Refusal::new(RefusalCode::BadQuery, e.to_string()))?;
    let mut hits: Vec<Hit> = Vec::new();
    let mut total = 0;
    for (f, file) in world
        .files
        .iter()
        .enumerate()
        .filter(|(_, f)| f.path.is_in(&query.scope))
    {
        for (number, text) in file.lines() {
            if !regex.is_match(text) {
                continue;
            }
            total += 1;
            let symbol = match world.innermost(f, number) {
                Some(i) => world.symbol(i),
                None => world.file_symbol(f),
            };
            let line = Line {
                line: number,
                text: text.to_owned(),
            };
            match hits.iter_mut().find(|h| h.symbol == symbol) {
                Some(hit) => hit.lines.push(line),
                None => {
                    let mut hit = Hit::new(symbol);
                    hit.lines.push(line);
                    hits.push(hit);
                }
            }
        }
    }
    hits.sort_by_key(|h| std::cmp::Reverse(h.symbol.in_degree));
    hits.truncate(query.limit as usize);
    Ok(Answer {
        counts: Counts {
            shown: hits.iter().map(|h| h.lines.len() as u64).sum(),
            total,
            exact: true,
            unit: Unit::Lines,
        },
        hits,
        ..Answer::default()
    })
}

fn subjects(world: &World, query: &str) -> Result<Vec<usize>, SearchError> {
    let (path, name) = match query.split_once('#') {
        Some((path, name)) => (Some(path), name),
        None => (None, query),
    };
    let name = name.replace("::", ".");
    let matches = |def: &Def| {
        path.is_none_or(|p| world.files[def.file].path.as_str() == p)
            && (def.qualified == name || def.qualified.ends_with(&format!(".{name}")))
    };
    let found: Vec<usize> = (0..world.defs.len()).filter(|i| matches(&world.defs[*i])).collect();
    if !found.is_empty() {
        return Ok(found);
    }
    let near = nearest(&name, world.defs.iter().map(|d| d.qualified.as_str()), 5);
    let sites = world.calls.iter().filter(|c| c.name == name).count();
    Err(Refusal::new(
        RefusalCode::NoSymbol,
        format!("The tree defines no {name:?}; {sites} use sites carry the name."),
    )
    .suggesting(near)
    .into())
}

fn callers(world: &World, query: &SearchQuery) -> Result<Answer, SearchError> {
    let subjects = subjects(world, &query.query)?;
    let mut hits: Vec<Hit> = Vec::new();
    for (s, subject) in subjects.iter().enumerate() {
        // A place is a definition, or the file outside of any.
        let mut seen = BTreeSet::from([(Some(*subject), world.defs[*subject].file)]);
        let mut round = vec![(*subject, None)];
        for depth in 1..=query.depth {
            let mut next = Vec::new();
            for (at, via) in round {
                for (place, lines) in world.linked(at, query.direction) {
                    if !seen.insert(place) {
                        continue;
                    }
                    let symbol = match place.0 {
                        Some(i) => world.symbol(i),
                        None => world.file_symbol(place.1),
                    };
                    let mut hit = Hit::new(symbol);
                    hit.relation = Some(Relation::Calls);
                    hit.confidence = Some(Confidence::Exact);
                    hit.depth = Some(depth);
                    hit.subject = Some(s);
                    hit.via = via;
                    hit.lines = lines;
                    hits.push(hit);
                    if let Some(i) = place.0 {
                        next.push((i, Some(hits.len() - 1)));
                    }
                }
            }
            round = next;
        }
    }
    // Only a toy tree gets here: the nearer hit of a hit lies before it, and a scope takes single hits away.
    if !query.scope.is_root() {
        assert!(
            query.depth == 1,
            "the toy search limits callers to a scope at depth 1 only"
        );
        hits.retain(|h| h.symbol.path.is_in(&query.scope));
    }
    let mut answer = finish(hits, query.limit);
    answer.subjects = subjects.iter().map(|i| world.symbol(*i)).collect();
    let name = &world.defs[subjects[0]].name;
    answer.unresolved = Some(Unresolved {
        sites: world
            .calls
            .iter()
            .filter(|c| c.target.is_none() && c.name == *name)
            .count() as u64,
    });
    Ok(answer)
}

fn skeleton(world: &World, query: &SearchQuery) -> Result<Answer, SearchError> {
    let Some(file) = world.files.iter().position(|f| f.path == query.file) else {
        let near = nearest_paths(query.file.as_str(), world.files.iter().map(|f| f.path.as_str()), 5);
        let refusal = Refusal::new(
            RefusalCode::NoSuchFile,
            format!("The tree has no file {:?}.", query.file.as_str()),
        );
        return Err(refusal.suggesting(near).into());
    };
    let mut hits = Vec::new();
    for (i, def) in world.defs.iter().enumerate().filter(|(_, d)| d.file == file) {
        let mut hit = Hit::new(world.symbol(i));
        hit.level = Some(def.qualified.matches('.').count() as u32);
        hits.push(hit);
    }
    let all = hits.len() as u32;
    Ok(finish(hits, all))
}

fn map(world: &World, query: &SearchQuery) -> Answer {
    let inside: Vec<usize> = (0..world.defs.len())
        .filter(|i| world.files[world.defs[*i].file].path.is_in(&query.scope))
        .collect();
    let mut hot: Vec<Symbol> = inside.iter().map(|i| world.symbol(*i)).collect();
    hot.sort_by_key(|s| std::cmp::Reverse(s.in_degree));
    let files = world.files.iter().filter(|f| f.path.is_in(&query.scope)).count() as u64;
    let mut answer = finish(Vec::new(), 0);
    answer.counts.total = inside.len() as u64;
    answer.counts.shown = inside.len() as u64;
    answer.map = Some(MapAnswer {
        totals: MapTotals {
            files,
            symbols: inside.len() as u64,
            references: world.calls.iter().filter(|c| c.target.is_some()).count() as u64,
        },
        languages: vec![MapLanguage {
            name: "toy".to_owned(),
            files,
        }],
        scopes: Vec::new(),
        dirs: vec![MapDir {
            path: RepoPath::root(),
            files,
            symbols: inside.len() as u64,
            hubs: hot.iter().take(3).cloned().collect(),
        }],
        hotspots: hot.into_iter().take(10).collect(),
        entry_points: Vec::new(),
    });
    answer
}

/// A definition, or the part of a file that lies outside of any, by the file's number.
type Place = (Option<usize>, usize);

impl World {
    /// Who calls a definition, or what it calls, with the lines of the calls; in the order of the first one.
    fn linked(&self, at: usize, direction: Direction) -> Vec<(Place, Vec<Line>)> {
        let mut out: Vec<(Place, Vec<Line>)> = Vec::new();
        for call in &self.calls {
            let Some(target) = call.target else { continue };
            let place = match direction {
                Direction::In if target == at => (call.within, call.file),
                Direction::Out if call.within == Some(at) => (Some(target), self.defs[target].file),
                _ => continue,
            };
            let line = Line {
                line: call.line,
                text: self.files[call.file].line(call.line).to_owned(),
            };
            match out.iter_mut().find(|(p, _)| *p == place) {
                Some((_, lines)) => lines.push(line),
                None => out.push((place, vec![line])),
            }
        }
        out
    }
}
