//! The text of `node --symbols-only`: a path and a flat list of definitions.

use super::Unreadable;

/// One definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// Its name.
    pub name: String,
    /// Its kind.
    pub kind: String,
    /// Its first line.
    pub line: u32,
}

/// The definitions of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outline {
    /// The file that the tool took.
    pub path: String,
    /// In order of their lines.
    pub items: Vec<Item>,
}

/// Reads it; `None` when the tool says that its index has no such file.
pub fn parse(text: &str) -> Result<Option<Outline>, Unreadable> {
    if text.trim_start().starts_with("No indexed file matches") {
        return Ok(None);
    }
    let mut path = None;
    let mut items = Vec::new();
    for line in text.lines() {
        if path.is_none()
            && let Some((found, _)) = line.strip_prefix("**").and_then(|rest| rest.split_once("**"))
        {
            path = Some(found.trim_matches('`').to_owned());
        } else if let Some(item) = item(line) {
            items.push(item);
        }
    }
    let Some(path) = path.filter(|p| !p.is_empty()) else {
        return Err(Unreadable("it names no file".to_owned()));
    };
    items.sort_by_key(|item| item.line);
    Ok(Some(Outline { path, items }))
}

/// `- `name` (kind) (signature) — :line`.
fn item(line: &str) -> Option<Item> {
    let rest = line.trim_start().strip_prefix("- `")?;
    let (name, rest) = rest.split_once("` (")?;
    let (kind, rest) = rest.split_once(')')?;
    let number = rest.rsplit_once(':')?.1.trim();
    let line = number.parse().ok().filter(|line| *line > 0)?;
    (!name.is_empty() && !kind.is_empty()).then(|| Item {
        name: name.to_owned(),
        kind: kind.to_owned(),
        line,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recorded_outline() {
        let found = parse(include_str!("../../tests/samples/outline.txt")).unwrap().unwrap();
        assert_eq!(found.path, "src/store.py");
        let items: Vec<_> = found
            .items
            .iter()
            .map(|i| (i.name.as_str(), i.kind.as_str(), i.line))
            .collect();
        assert_eq!(
            items,
            [
                ("Base", "class", 4),
                ("save_order", "method", 5),
                ("OrderStore", "class", 9),
                ("__init__", "method", 12),
                ("save_order", "method", 15),
                ("check_order", "function", 22),
                ("validate_fields", "function", 28),
                ("notify_saved", "function", 32),
            ]
        );
    }

    #[test]
    fn a_file_that_is_not_indexed_and_a_text_that_is_no_outline() {
        assert_eq!(parse(include_str!("../../tests/samples/outline-nothing.txt")), Ok(None));
        for text in ["", "rubbish", "- `a` (function) — :1", "**", "****"] {
            assert!(parse(text).is_err(), "{text:?}");
        }
        let found =
            parse("**a.py** — 3 symbols\n- `a` (function) — :x\n- `b` (function) f(x: y) — :2\n- `` (x) — :1").unwrap();
        assert_eq!(found.unwrap().items.len(), 1);
    }
}
