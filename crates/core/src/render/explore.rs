//! The layout of `explore`: heads, call paths, and sources that share what room there is.

use super::page::Page;
use super::words::{head, name, shorten};
use crate::answer::Answer;
use crate::fence::FENCE_CHARS;

/// Characters kept for notes and the tail.
const TAIL: usize = 700;
/// Greatest number of characters of a line of source.
const SOURCE_LINE: usize = 400;

pub(super) fn rows(page: &mut Page, answer: &Answer, most: usize) {
    let paths = call_paths(answer);
    let heads: Vec<String> = answer.hits.iter().map(|h| head(&h.symbol)).collect();
    let fixed: usize = heads.iter().chain(&paths).map(|l| l.chars().count() + 1).sum();
    let mut room = most.saturating_sub(TAIL + FENCE_CHARS).saturating_sub(fixed);
    for path in &paths {
        page.row(path.clone(), 0);
    }
    let mut left = answer.hits.iter().filter(|h| h.source.is_some()).count();
    for (hit, head) in answer.hits.iter().zip(heads) {
        page.row(head, 1);
        let Some(source) = &hit.source else {
            super::search::lines(page, hit, 0);
            continue;
        };
        // The first are the best: each may take half as much again as its even share of what is left.
        let share = ((room / left.max(1)).saturating_mul(3) / 2).min(room);
        left -= 1;
        let mut used = 0;
        let lines: Vec<&str> = source.lines().collect();
        let mut shown = 0;
        for (i, line) in lines.iter().enumerate() {
            let text = format!(
                "{}\t{}",
                hit.symbol.start as usize + i,
                shorten(line.trim_end(), SOURCE_LINE)
            );
            let length = text.chars().count() + 1;
            // Room for the line that says how to read on.
            if used + length + 120 > share && i + 1 < lines.len() || used + length > share {
                break;
            }
            used += length;
            shown += 1;
            page.row(text, 0);
        }
        let spans = (hit.symbol.end.saturating_sub(hit.symbol.start) + 1) as usize;
        if shown < spans {
            let text = format!(
                "\t… {} more lines: `read_file` from line {}",
                spans - shown,
                hit.symbol.start as usize + shown
            );
            used += text.chars().count() + 1;
            page.row(text, 0);
        }
        room = room.saturating_sub(used);
    }
}

fn call_paths(answer: &Answer) -> Vec<String> {
    let paths = answer.call_paths.as_deref().unwrap_or_default();
    let mut out = Vec::new();
    for path in paths.iter().filter(|p| p.len() > 1).take(12) {
        let names: Vec<String> = path
            .iter()
            .filter_map(|i| answer.hits.get(*i))
            .map(|h| shorten(&name(&h.symbol.qualified), 80))
            .collect();
        out.push(format!("  {}", names.join(" → ")));
    }
    if !out.is_empty() {
        out.insert(0, "Call paths:".to_owned());
    }
    out
}
