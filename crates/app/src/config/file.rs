//! A file of configuration, read as pairs of key and value with their lines.

use super::value::Written;
use std::io::Read;
use std::path::Path;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Greatest size of a file, in bytes.
const MOST: u64 = 64 * 1024;
/// Greatest number of entries of a file.
const ENTRIES: usize = 1_000;

/// One line of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The key; a dot parts a table from its key.
    pub name: String,
    /// What it is set to.
    pub value: Written,
    /// 1-based.
    pub line: usize,
}

/// Why a file is left aside: a sentence, and the line if there is one.
#[derive(Clone, Debug, PartialEq)]
pub struct Unread {
    pub why: String,
    pub line: Option<usize>,
}

/// Reads a file; `None` when there is none. A link is no file of the repository's own and is left aside.
pub fn read(path: &Path) -> Option<Result<Vec<Entry>, Unread>> {
    let unread = |why: &str| {
        Some(Err(Unread {
            why: why.to_owned(),
            line: None,
        }))
    };
    match path.symlink_metadata() {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return None,
        Err(_) => return unread("It cannot be read."),
        Ok(meta) if !meta.is_file() => return unread("It is no regular file."),
        Ok(_) => {}
    }
    let mut text = String::new();
    let read = std::fs::File::open(path).and_then(|f| f.take(MOST + 1).read_to_string(&mut text));
    match read {
        Err(e) if e.kind() == std::io::ErrorKind::InvalidData => unread("It is not UTF-8."),
        Err(_) => unread("It cannot be read."),
        Ok(size) if size as u64 > MOST => unread("It is larger than 64 KiB."),
        Ok(_) => Some(parse(&text)),
    }
}

/// Reads a text. What it holds is never part of an error: a file may hold anything.
pub fn parse(text: &str) -> Result<Vec<Entry>, Unread> {
    let table = DeTable::parse(text).map_err(|e| Unread {
        why: "It is not TOML.".to_owned(),
        line: e.span().map(|s| line_of(text, s.start)),
    })?;
    let mut entries = Vec::new();
    for (key, value) in table.get_ref() {
        let name = key.get_ref().to_string();
        match value.get_ref() {
            DeValue::Table(inner) => {
                for (key, value) in inner {
                    entries.push(entry(
                        text,
                        format!("{name}.{}", key.get_ref()),
                        key.span().start,
                        value,
                    ));
                }
                if inner.is_empty() {
                    entries.push(entry(text, name, key.span().start, value));
                }
            }
            _ => entries.push(entry(text, name, key.span().start, value)),
        }
    }
    entries.sort_by(|a, b| (a.line, &a.name).cmp(&(b.line, &b.name)));
    entries.truncate(ENTRIES);
    Ok(entries)
}

fn entry(text: &str, name: String, at: usize, value: &Spanned<DeValue<'_>>) -> Entry {
    Entry {
        name,
        value: written(value.get_ref()),
        line: line_of(text, at),
    }
}

fn written(value: &DeValue<'_>) -> Written {
    match value {
        DeValue::String(text) => Written::Text(text.to_string()),
        DeValue::Boolean(on) => Written::Switch(*on),
        DeValue::Integer(n) => i64::from_str_radix(n.as_str(), n.radix()).map_or(Written::Other, Written::Number),
        // One level: no key takes a list of lists.
        DeValue::Array(items) => Written::List(
            items
                .iter()
                .map(|item| match item.get_ref() {
                    DeValue::String(text) => Written::Text(text.to_string()),
                    _ => Written::Other,
                })
                .collect(),
        ),
        _ => Written::Other,
    }
}

fn line_of(text: &str, at: usize) -> usize {
    let before = text.as_bytes().get(..at).unwrap_or(text.as_bytes());
    before.iter().filter(|b| **b == b'\n').count() + 1
}
