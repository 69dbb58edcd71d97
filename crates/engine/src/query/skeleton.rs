//! `skeleton`: the signatures of one file in order, nested.

use super::QueryError;
use super::view::{Place, View};
use understory_core::answer::{Answer, Counts, Hit, Unit};
use understory_core::near::nearest_paths;
use understory_core::query::SearchQuery;
use understory_core::{Refusal, RefusalCode};

/// Answers `skeleton`.
pub fn skeleton(view: &View<'_>, query: &SearchQuery) -> Result<Answer, QueryError> {
    let path = query.file.as_str();
    let Some(file) = view.find_file(path) else {
        return Err(no_such_file(view, path).into());
    };
    let segment = view.segment(file.segment);
    let (first, count) = segment.file(segment.symbol(file.row).file).symbols;
    let mut rows: Vec<u32> = (first + 1..first + count).collect();
    rows.sort_by_key(|&r| {
        let s = segment.symbol(r);
        (s.start, std::cmp::Reverse(s.end), r)
    });
    let total = rows.len() as u64;
    rows.truncate(query.limit.max(1) as usize * SKELETON_FACTOR);
    let hits: Vec<Hit> = rows
        .into_iter()
        .map(|row| {
            let mut hit = Hit::new(view.symbol(Place {
                segment: file.segment,
                row,
            }));
            hit.level = Some(segment.symbol(row).level);
            hit
        })
        .collect();
    let counts = Counts {
        shown: hits.len() as u64,
        total,
        exact: true,
        unit: Unit::Symbols,
    };
    Ok(Answer {
        hits,
        counts,
        ..Answer::default()
    })
}

/// A file is asked for as a whole: its limit is much wider than that of a ranked answer, and the text budget cuts.
const SKELETON_FACTOR: usize = 1000;

/// The refusal for a path that the tree does not have, with near ones.
pub fn no_such_file(view: &View<'_>, path: &str) -> Refusal {
    let paths = view
        .segments()
        .iter()
        .flat_map(|s| (0..s.file_count()).map(|row| s.file(row).path));
    let suggestions = nearest_paths(path, paths, 5);
    let shown: String = understory_core::path::escape_control(path).chars().take(200).collect();
    let offer = if suggestions.is_empty() {
        "`list_files` shows what there is.".to_owned()
    } else {
        format!("Near paths: {}.", suggestions.join(", "))
    };
    Refusal::new(
        RefusalCode::NoSuchFile,
        format!("The tree has no file `{shown}`. {offer}"),
    )
    .suggesting(suggestions)
}
