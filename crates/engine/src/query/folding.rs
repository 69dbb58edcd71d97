//! Declarations and the definitions that they stand for: prototypes of C and C++, overload signatures of Python and
//! TypeScript. An answer names the definition; a declaration is a hit of its own only where the tree holds no definition.

use super::view::{Place, View};
use crate::facts::{Kind, SymbolFlags};
use crate::index::segment::SymbolRow;
use crate::languages::Family;
use std::cmp::Reverse;

/// Most symbols of one name among which a declaration looks for its definition. Where there are more it stands for itself: to
/// hold each against all the others would take their square.
const MATES: usize = 128;

/// Whether a symbol only declares.
pub fn declares(row: &SymbolRow<'_>) -> bool {
    row.flags & u32::from(SymbolFlags::DECLARATION) != 0
}

/// Whether a language declares what is defined elsewhere: in another file, or by another signature of the same name.
/// Elsewhere a member without a body is a member of its own.
pub fn folds(family: Option<Family>) -> bool {
    matches!(family, Some(Family::C | Family::Python | Family::JavaScript))
}

/// The definition that a declaration stands with: in the C family one of its qualified name anywhere, else one in its
/// file. The first of several declarations stands for them where nothing defines. Any other symbol stands for itself.
pub fn definition(view: &View<'_>, place: Place) -> Place {
    let row = view.row(place);
    if !declares(&row) || row.kind().is_none() || !folds(view.family(place)) {
        return place;
    }
    let mates = mates(view, place);
    let definitions: Vec<Place> = mates.iter().copied().filter(|&p| !declares(&view.row(p))).collect();
    if definitions.is_empty() {
        let alike = mates
            .into_iter()
            .find(|&p| view.family(p) != Some(Family::C) || agree(view, place, p) == 2);
        return alike.unwrap_or(place);
    }
    nearest_definition(view, place, &definitions)
}

/// Of the definitions that a declaration may stand for, the one whose parameters agree best; among those the one whose
/// file lies nearest, then the first.
pub fn nearest_definition(view: &View<'_>, declaration: Place, definitions: &[Place]) -> Place {
    let own = view.path(declaration);
    let near = |p: Place| common_directories(own, view.path(p));
    let best = definitions.iter().copied().enumerate();
    let best = best.max_by_key(|&(i, p)| (agree(view, declaration, p), near(p), Reverse(i)));
    best.map_or(declaration, |b| b.1)
}

/// Symbols that may be the same thing as a declaration, itself included, by path and line.
fn mates(view: &View<'_>, place: Place) -> Vec<Place> {
    let row = view.row(place);
    let (Some(kind), family) = (row.kind(), view.family(place)) else {
        return vec![place];
    };
    let alike = |p: Place| {
        let other = view.row(p);
        let same_kind = other
            .kind()
            .is_some_and(|k| k == kind || k.is_callable() && kind.is_callable() || is_data(k) && is_data(kind));
        other.qualified == row.qualified && same_kind
    };
    if view.more_named(row.name, MATES) {
        return vec![place];
    }
    if family != Some(Family::C) {
        if !kind.is_callable() {
            return vec![place];
        }
        return view.namesakes(place);
    }
    let private = |p: Place| view.row(p).flags & u32::from(SymbolFlags::FILE_PRIVATE) != 0;
    let own = private(place);
    let reachable = |p: Place| view.path(p) == view.path(place) || !own && !private(p);
    let mut out = view.named(row.name);
    out.retain(|&p| p == place || view.family(p) == family && alike(p) && reachable(p));
    out
}

fn is_data(kind: Kind) -> bool {
    matches!(kind, Kind::Variable | Kind::Field | Kind::Constant)
}

/// How well two headers agree: 2 for the same types of parameters, 1 for the same number of them.
fn agree(view: &View<'_>, a: Place, b: Place) -> u8 {
    let (a, b) = (parameters(view.row(a).signature), parameters(view.row(b).signature));
    match a.len() == b.len() {
        true if a == b => 2,
        true => 1,
        false => 0,
    }
}

/// The parameters of a header, each without its default, its own name left out where there is a type before it.
fn parameters(signature: &str) -> Vec<String> {
    let Some(open) = signature.find('(') else {
        return Vec::new();
    };
    let mut out = Vec::new();
    let mut depth = 0usize;
    let mut part = String::new();
    for c in signature[open..].chars() {
        match c {
            '(' | '[' | '{' | '<' => depth += 1,
            ')' | ']' | '}' | '>' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 || c == ',' && depth == 1 {
            out.push(parameter(&part));
            part.clear();
            if depth == 0 {
                break;
            }
        } else if !(c == '(' && depth == 1 && part.is_empty() && out.is_empty()) {
            part.push(c);
        }
    }
    out.retain(|p| !p.is_empty() && p != "void");
    out
}

fn parameter(text: &str) -> String {
    let text = text.split('=').next().unwrap_or(text).trim();
    let mut words: Vec<&str> = text
        .split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .filter(|w| !w.is_empty())
        .collect();
    let marks: String = text.chars().filter(|c| matches!(c, '*' | '&')).collect();
    if words.len() > 1 {
        words.pop();
    }
    words.retain(|w| !matches!(*w, "const" | "struct" | "enum"));
    format!("{}{marks}", words.join(" "))
}

/// How many leading directories two paths share.
fn common_directories(a: &str, b: &str) -> usize {
    let dirs = |p: &str| p.rsplit_once('/').map_or(String::new(), |d| d.0.to_owned());
    let (a, b) = (dirs(a), dirs(b));
    a.split('/').zip(b.split('/')).take_while(|(x, y)| x == y).count()
}

#[cfg(test)]
mod tests {
    use super::parameters;

    #[test]
    fn parameters_are_compared_by_their_types() {
        for (signature, expected) in [
            ("int f", &[][..]),
            ("int f()", &[]),
            ("int f(void)", &[]),
            ("int f(int a, char *b)", &["int", "char*"]),
            (
                "void f(const Slice& key, std::map<int, int> m = {})",
                &["Slice&", "std map int int"],
            ),
        ] {
            assert_eq!(parameters(signature), expected, "{signature}");
        }
    }
}
