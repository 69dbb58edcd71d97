//! The layout of `map`: an orientation in a few dozen lines.

use super::page::{Page, Tail};
use super::words::{head, name, shorten};
use crate::answer::{Answer, Symbol};

/// Names of hubs on a directory's line.
const HUBS: usize = 4;

pub(super) fn rows(page: &mut Page, answer: &Answer) {
    page.tail = Tail::Map {
        narrow: "Narrow with `scope`.".to_owned(),
    };
    let Some(map) = &answer.map else {
        page.row("The tree has no map.", 1);
        return;
    };
    let t = &map.totals;
    page.row(
        format!("{} files, {} symbols, {} references", t.files, t.symbols, t.references),
        1,
    );
    if !map.languages.is_empty() {
        let all: Vec<String> = map
            .languages
            .iter()
            .take(12)
            .map(|l| format!("{} {}", name(&l.name), l.files))
            .collect();
        page.row(format!("Languages (files): {}", all.join(", ")), 1);
    }
    if !map.entry_points.is_empty() {
        page.row("Entry points:", 1);
        symbols(page, &map.entry_points);
    }
    if !map.hotspots.is_empty() {
        page.row("Hotspots (most referenced):", 1);
        symbols(page, &map.hotspots);
    }
    if !map.scopes.is_empty() {
        page.row("Packages:", 1);
        for scope in &map.scopes {
            let path = if scope.path.is_root() { "." } else { scope.path.as_str() };
            page.row(
                format!("  {} {} ({})", name(path), shorten(&name(&scope.name), 100), scope.kind),
                1,
            );
        }
    }
    if !map.dirs.is_empty() {
        page.row("Directories (files, symbols: hubs):", 1);
        for dir in &map.dirs {
            let path = if dir.path.is_root() { "." } else { dir.path.as_str() };
            let hubs: Vec<String> = dir
                .hubs
                .iter()
                .take(HUBS)
                .map(|s| format!("{} ({}←)", shorten(&name(&s.qualified), 60), s.in_degree))
                .collect();
            let hubs = if hubs.is_empty() {
                String::new()
            } else {
                format!(": {}", hubs.join(", "))
            };
            page.row(format!("  {} {}, {}{hubs}", name(path), dir.files, dir.symbols), 1);
        }
    }
}

fn symbols(page: &mut Page, symbols: &[Symbol]) {
    for symbol in symbols {
        page.row(head(symbol), 1);
    }
}
