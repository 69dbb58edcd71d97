//! From a symbol as a model writes it to the definitions that it names.

use super::folding::{declares, folds, nearest_definition};
use super::view::{Place, View, family_of};
use crate::facts::SymbolFlags;
use crate::index::key::SymbolKey;
use crate::languages::Family;
use std::collections::BTreeMap;
use understory_core::near::nearest;
use understory_core::{Refusal, RefusalCode};

/// One thing that a query names: a definition, with the declarations that stand for it.
#[derive(Clone, Debug)]
pub struct Subject {
    /// The definition.
    pub place: Place,
    /// Its key and those of its declarations.
    pub keys: Vec<SymbolKey>,
}

/// Parts of a symbol as written: `path#Type.name`, `Type::name`, `name`.
#[derive(Debug, PartialEq, Eq)]
struct Written<'q> {
    path: Option<&'q str>,
    parts: Vec<&'q str>,
}

fn parse(query: &str) -> Written<'_> {
    let query = query.trim().trim_end_matches("()").trim();
    // A `#` behind something with a slash or a dot-extension is a path's; elsewhere it separates like a dot.
    let (path, rest) = match query.split_once('#') {
        Some((path, rest)) if !rest.is_empty() && (path.contains('/') || path.contains('.')) => (Some(path), rest),
        _ => (None, query),
    };
    let normal = rest
        .split("::")
        .flat_map(|p| p.split("->"))
        .flat_map(|p| p.split(['.', '#', '\\']));
    Written {
        path,
        parts: normal.map(str::trim).filter(|p| !p.is_empty()).collect(),
    }
}

/// The definitions that a query names, by path and line, or the refusal that offers near names.
pub fn subjects(view: &View<'_>, query: &str) -> Result<Vec<Subject>, Refusal> {
    let written = parse(query);
    let mut found = named(view, &written);
    if found.is_empty()
        && let Some(file) = view.find_file(query.trim())
    {
        found.push(file);
    }
    if found.is_empty() {
        return Err(unknown(view, query, &written));
    }
    view.sort(&mut found);
    found.dedup();
    Ok(merge(view, found))
}

fn named(view: &View<'_>, written: &Written<'_>) -> Vec<Place> {
    let Some(last) = written.parts.last() else {
        return Vec::new();
    };
    let exact: Vec<Place> = view
        .named(last)
        .into_iter()
        .filter(|&p| matches(view, p, written, false))
        .collect();
    if !exact.is_empty() {
        return exact;
    }
    let folded = last.to_lowercase();
    let mut out = Vec::new();
    for (n, segment) in view.segments().iter().enumerate() {
        for (name, _) in segment.names() {
            if name.len() < folded.len() * 2 + 4 && name.to_lowercase() == folded {
                out.extend(segment.named(name).map(|row| Place { segment: n as u32, row }));
            }
        }
    }
    out.retain(|&p| matches(view, p, written, true));
    out
}

/// Whether the last parts of a symbol's qualified name are the written ones.
fn matches(view: &View<'_>, place: Place, written: &Written<'_>, fold: bool) -> bool {
    let same = |a: &str, b: &str| {
        if fold {
            a.to_lowercase() == b.to_lowercase()
        } else {
            a == b
        }
    };
    if let Some(path) = written.path {
        let own = view.path(place);
        let path = path.trim_start_matches("./");
        if !(own == path || own.strip_suffix(path).is_some_and(|rest| rest.ends_with('/'))) {
            return false;
        }
    }
    let qualified = view.row(place).qualified;
    let mut own = qualified.rsplit('.');
    written
        .parts
        .iter()
        .rev()
        .all(|part| own.next().is_some_and(|o| same(o, part)))
}

/// A declaration and its definition are one subject, at the definition: by qualified name in the C family, unless it
/// stays in its file there, by file and qualified name elsewhere.
fn merge(view: &View<'_>, places: Vec<Place>) -> Vec<Subject> {
    let mut groups: BTreeMap<(Option<&str>, &str), Vec<Place>> = BTreeMap::new();
    for &p in &places {
        let family = family_of(view.file(p).language);
        let private = view.row(p).flags & u32::from(SymbolFlags::FILE_PRIVATE) != 0;
        let file = if family == Some(Family::C) && !private {
            None
        } else {
            Some(view.path(p))
        };
        groups.entry((file, view.row(p).qualified)).or_default().push(p);
    }
    let mut out = Vec::new();
    for group in groups.into_values() {
        let key = |p: Place| view.row(p).key;
        if !folds(view.family(group[0])) {
            out.extend(group.into_iter().map(|place| Subject {
                place,
                keys: vec![key(place)],
            }));
            continue;
        }
        let (declarations, definitions): (Vec<Place>, Vec<Place>) =
            group.iter().partition(|&&p| declares(&view.row(p)));
        if definitions.is_empty() {
            // Several declarations and no definition: the first stands for all.
            out.push(Subject {
                place: group[0],
                keys: group.iter().map(|&p| key(p)).collect(),
            });
            continue;
        }
        let mut keys: BTreeMap<Place, Vec<SymbolKey>> = definitions.iter().map(|&p| (p, vec![key(p)])).collect();
        for d in declarations {
            keys.entry(nearest_definition(view, d, &definitions))
                .or_default()
                .push(key(d));
        }
        out.extend(keys.into_iter().map(|(place, keys)| Subject { place, keys }));
    }
    out.sort_by_cached_key(|s| view.order(s.place));
    out
}

/// The refusal for a name without a definition: near names, and how many uses still carry the name.
fn unknown(view: &View<'_>, query: &str, written: &Written<'_>) -> Refusal {
    let last = written.parts.last().copied().unwrap_or("");
    let near = near_names(view, last, 5);
    let mut suggestions = Vec::new();
    // A name that exists under other owners is the best offer.
    for place in view.named(last).into_iter().take(5) {
        suggestions.push(view.row(place).qualified.to_owned());
    }
    for name in near {
        if !suggestions.contains(&name) {
            suggestions.push(name);
        }
    }
    suggestions.truncate(8);
    let sites: u64 = view
        .segments()
        .iter()
        .map(|s| u64::from(s.unbound(last)) + s.loose(last).count() as u64)
        .sum();
    let shown: String = understory_core::path::escape_control(query.trim())
        .chars()
        .take(120)
        .collect();
    let mut message = format!("No definition of `{shown}` is in the tree.");
    if sites > 0 {
        message.push_str(&format!(
            " {sites} use site{} still carr{} the name `{last}`; `grep` shows them.",
            if sites == 1 { "" } else { "s" },
            if sites == 1 { "ies" } else { "y" }
        ));
    }
    if suggestions.is_empty() {
        message.push_str(" `ask` finds symbols by words, `grep` by a pattern.");
    } else {
        message.push_str(&format!(" Near names: {}.", suggestions.join(", ")));
    }
    Refusal::new(RefusalCode::NoSymbol, message).suggesting(suggestions)
}

/// Names of the tree that are near to a name, nearest first.
pub fn near_names(view: &View<'_>, name: &str, most: usize) -> Vec<String> {
    let names = view.segments().iter().flat_map(|s| s.names().map(|n| n.0));
    nearest(name, names, most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_symbol_is_read_in_every_spelling() {
        let parts = |q| parse(q).parts;
        assert_eq!(parts("send"), ["send"]);
        assert_eq!(parts("Client.send()"), ["Client", "send"]);
        assert_eq!(parts("net::Client::send"), ["net", "Client", "send"]);
        assert_eq!(parts("Client#send"), ["Client", "send"]);
        assert_eq!(
            parse("src/a.py#Client.send"),
            Written {
                path: Some("src/a.py"),
                parts: vec!["Client", "send"]
            }
        );
    }
}
