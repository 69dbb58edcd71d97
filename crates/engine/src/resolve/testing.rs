//! Fixtures for resolution: a few files as text, and what each of their uses is bound to, one a line.

use super::{FileId, Target, World, WorldFile, is_manifest, link};
use crate::extract::extract;
use crate::facts::{FILE_SYMBOL, FileFacts, Role};
use crate::languages::detect;
use std::sync::Arc;

/// The world of some files.
pub fn world(files: &[(&str, &str)]) -> World {
    let mut files: Vec<(&str, &str)> = files.to_vec();
    files.sort_by_key(|f| f.0);
    let manifests = files
        .iter()
        .filter(|f| is_manifest(f.0))
        .map(|f| (f.0.into(), f.1.into()))
        .collect();
    let (list, facts): (Vec<WorldFile>, Vec<Arc<FileFacts>>) = files
        .iter()
        .map(|&(path, text)| {
            let language = detect(path, text);
            let facts = language.map(|l| extract(l, text)).unwrap_or_default();
            (
                WorldFile {
                    path: path.into(),
                    language,
                },
                Arc::new(facts),
            )
        })
        .unzip();
    World::new(list, Box::new(facts), manifests)
}

/// Every use of the files: `path:line role name -> path#qualified relation confidence`, or `loose`, or `unbound`. Values
/// and types that are unbound are left out.
pub fn links(files: &[(&str, &str)]) -> Vec<String> {
    let world = world(files);
    let files = 0..world.files.len() as FileId;
    files.flat_map(|file| links_of(&world, file)).collect()
}

/// The uses of one file, as [`links`] shows them.
pub fn links_of(world: &World, file: FileId) -> Vec<String> {
    let mut out = Vec::new();
    let links = link(world, file);
    if world.files[file as usize].language.is_some() {
        let facts = &world.view(file).facts;
        for (site, r) in facts.refs.iter().enumerate() {
            let site = site as u32;
            let role = format!("{:?}", r.role).to_lowercase();
            let head = format!("{}:{} {role} {}", world.path(file), r.line, facts.name(r.name));
            let bound: Vec<String> = links
                .links
                .iter()
                .filter(|l| l.site == site)
                .map(|l| {
                    let shown = format!("{} {:?} {:?}", show(world, l.target), l.relation, l.confidence);
                    shown
                        .replace("Calls", "calls")
                        .replace("Uses", "uses")
                        .to_lowercase_tail()
                })
                .collect();
            let places = [
                !bound.is_empty(),
                links.loose.contains(&site),
                links.unbound.contains(&site),
            ];
            assert_eq!(
                places.iter().filter(|p| **p).count(),
                1,
                "{head}: a use is in one place"
            );
            if !bound.is_empty() {
                out.extend(bound.into_iter().map(|b| format!("{head} -> {b}")));
            } else if places[1] {
                out.push(format!("{head} -> loose"));
            } else if !matches!(r.role, Role::Value | Role::Type) {
                out.push(format!("{head} -> unbound"));
            }
        }
        for o in &links.overrides {
            let member = Target { file, symbol: o.member };
            out.push(format!("{} overrides {}", show(world, member), show(world, o.base)));
        }
    }
    out
}

trait Tail {
    fn to_lowercase_tail(self) -> String;
}

impl Tail for String {
    /// Relation and confidence in lower case; paths and names stay.
    fn to_lowercase_tail(self) -> String {
        let words: Vec<&str> = self.split(' ').collect();
        let from = words.len().saturating_sub(2);
        let tail: Vec<String> = words[from..].iter().map(|w| w.to_lowercase()).collect();
        format!("{} {}", words[..from].join(" "), tail.join(" "))
    }
}

fn show(world: &World, target: Target) -> String {
    let path = world.path(target.file);
    if target.symbol == FILE_SYMBOL {
        path.to_owned()
    } else {
        format!("{path}#{}", world.view(target.file).facts.qualified(target.symbol))
    }
}

/// Checks that the links hold each wanted line, and no line that starts with `not `'s text: a line of `wanted` that
/// begins with `!` must have no link that begins with the rest.
pub fn check(files: &[(&str, &str)], wanted: &str) {
    let got = links(files);
    let mut wrong = Vec::new();
    for line in wanted.lines().map(str::trim).filter(|l| !l.is_empty()) {
        let holds = match line.strip_prefix('!') {
            Some(absent) => !got.iter().any(|g| g.starts_with(absent)),
            None => got.iter().any(|g| g == line),
        };
        if !holds {
            wrong.push(line);
        }
    }
    assert!(
        wrong.is_empty(),
        "missing:\n{}\n\ngot:\n{}",
        wrong.join("\n"),
        got.join("\n")
    );
}
