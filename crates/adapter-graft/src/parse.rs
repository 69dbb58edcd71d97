//! Graft's answers as data, one shape a mode. Keys that are not used are let be; a key that is needed and missing makes
//! the answer unreadable.

use serde::Deserialize;

/// Lines of a file: `L3-L7`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(try_from = "String")]
pub struct Span {
    /// First line, 1-based.
    pub start: u32,
    /// Last line, inclusive.
    pub end: u32,
}

impl Span {
    /// Reads `L3-L7`.
    pub fn read(text: &str) -> Option<Span> {
        let (start, end) = text.strip_prefix('L')?.split_once("-L")?;
        Some(Span {
            start: start.parse().ok()?,
            end: end.parse().ok()?,
        })
    }
}

impl TryFrom<String> for Span {
    type Error = String;
    fn try_from(text: String) -> Result<Self, String> {
        Span::read(&text).ok_or_else(|| "a span that is none".to_owned())
    }
}

/// `ask`.
#[derive(Debug, Deserialize)]
pub struct Asked {
    /// How it was read: `structural`, `lexical` or `empty`.
    pub mode: String,
    /// Of a structural answer: the symbol whose references are listed.
    pub subject: Option<String>,
    /// Best first.
    pub hits: Vec<AskedHit>,
    /// Packages, where several took part or were left out.
    pub scopes: Option<AskedScopes>,
}

/// A hit of `ask`.
#[derive(Debug, Deserialize)]
pub struct AskedHit {
    /// `symbol`, `caller`, `callee`, or `concept`, which is none of the tree.
    pub kind: String,
    /// `name · kind`, or a bare name.
    pub title: String,
    /// `path:L1-L3`, a path, or a module's name.
    pub pointer: String,
    /// Greater is better.
    pub score: f64,
}

impl AskedHit {
    /// The path of the pointer, and the lines where it has some.
    pub fn place(&self) -> (&str, Option<Span>) {
        match self.pointer.rsplit_once(':') {
            Some((path, span)) => match Span::read(span) {
                Some(span) => (path, Some(span)),
                None => (&self.pointer, None),
            },
            None => (&self.pointer, None),
        }
    }

    /// The name of the title.
    pub fn name(&self) -> &str {
        self.title.split_once(" · ").map_or(&*self.title, |(name, _)| name)
    }
}

/// Packages in an answer of `ask`.
#[derive(Debug, Deserialize)]
pub struct AskedScopes {
    /// Packages that matched and were left out.
    #[serde(default, rename = "alsoMatched")]
    pub also_matched: Vec<AlsoMatched>,
}

/// A package that was left out.
#[derive(Debug, Deserialize)]
pub struct AlsoMatched {
    /// Its directory.
    pub scope: String,
}

/// `grep`.
#[derive(Debug, Deserialize)]
pub struct Grepped {
    /// Groups of hits.
    pub groups: Vec<Group>,
    /// What was left out.
    pub truncated: Truncated,
}

/// The hits in one symbol.
#[derive(Debug, Deserialize)]
pub struct Group {
    /// The symbol; none outside any.
    pub symbol: Option<Named>,
    /// The file.
    pub path: String,
    /// The lines.
    pub hits: Vec<GrepLine>,
}

/// A line of `grep`. Its text is trimmed and cut, so it is read from the tree instead.
#[derive(Debug, Deserialize)]
pub struct GrepLine {
    /// 1-based.
    pub line: u32,
}

/// What `grep` left out.
#[derive(Debug, Deserialize)]
pub struct Truncated {
    /// Files that could not be read.
    pub files: u64,
    /// Hits beyond those that are listed.
    pub hits: u64,
}

/// A symbol that an answer names.
#[derive(Clone, Debug, Deserialize)]
pub struct Named {
    /// Its id: `path#Outer.inner`.
    pub id: String,
    /// Its bare name.
    pub name: String,
    /// Its kind.
    pub kind: String,
    /// Its file.
    pub path: String,
    /// Its lines.
    pub span: Span,
}

/// `callers`.
#[derive(Debug, Deserialize)]
pub struct Called {
    /// One for each definition of the name.
    pub matches: Vec<Match>,
}

/// The references of one definition.
#[derive(Debug, Deserialize)]
pub struct Match {
    /// The definition.
    pub symbol: Named,
    /// What refers to it, or what it refers to.
    pub hits: Vec<CalledHit>,
}

/// A reference. Without a path it leads out of the tree.
#[derive(Debug, Deserialize)]
pub struct CalledHit {
    /// The other end's id.
    pub id: String,
    /// The kind of the last step.
    pub relation: String,
    /// Distance.
    pub depth: u32,
    /// The other end's file.
    pub path: Option<String>,
    /// The other end's lines.
    pub span: Option<Span>,
}

/// `skeleton`.
#[derive(Debug, Deserialize)]
pub struct Outlined {
    /// In order of their first lines.
    pub entries: Vec<Entry>,
}

/// A definition of a file.
#[derive(Debug, Deserialize)]
pub struct Entry {
    /// Its bare name.
    pub name: String,
    /// Its kind.
    pub kind: String,
    /// Its lines.
    pub span: Span,
}

/// `map`.
#[derive(Debug, Deserialize)]
pub struct Mapped {
    /// Directories, largest first.
    pub dirs: Vec<Dir>,
    /// The same by package, where there are several; `dirs` is empty then.
    #[serde(default)]
    pub scopes: Vec<MappedScope>,
    /// The most referenced symbols.
    pub hotspots: Vec<Hub>,
}

/// A package of `map`.
#[derive(Debug, Deserialize)]
pub struct MappedScope {
    /// Its directories.
    pub dirs: Vec<Dir>,
}

/// A directory of `map`.
#[derive(Debug, Deserialize)]
pub struct Dir {
    /// Its path; of a file, where `is_file`.
    pub path: String,
    /// Its hubs.
    pub hubs: Vec<Hub>,
    /// Whether it is a file.
    #[serde(default, rename = "isFile")]
    pub is_file: bool,
}

/// A symbol of `map`.
#[derive(Clone, Debug, Deserialize)]
pub struct Hub {
    /// Its bare name.
    pub name: String,
    /// Its file.
    pub path: String,
    /// Its lines.
    pub span: Span,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::Ask;
    use crate::output::json;
    use serde::de::DeserializeOwned;

    const ASK: &str = include_str!("../tests/samples/ask.json");
    const GREP: &str = include_str!("../tests/samples/grep.json");
    const CALLERS: &str = include_str!("../tests/samples/callers.json");
    const SKELETON: &str = include_str!("../tests/samples/skeleton.json");
    const MAP: &str = include_str!("../tests/samples/map.json");

    #[test]
    fn recorded_answers_are_read() {
        let asked: Asked = json(ASK.as_bytes(), &Ask::Map).unwrap();
        let places: Vec<_> = asked.hits.iter().map(|h| (h.name(), h.place())).collect();
        let lines = |start, end| Some(Span { start, end });
        assert_eq!(places[0], ("Till", ("src/shop.py", lines(14, 16))));
        assert_eq!(asked.mode, "lexical");
        let grepped: Grepped = json(GREP.as_bytes(), &Ask::Map).unwrap();
        let groups: Vec<_> = grepped
            .groups
            .iter()
            .map(|g| (g.symbol.as_ref().map(|s| &*s.name), g.hits[0].line))
            .collect();
        assert_eq!(groups, [(Some("leaf"), 2), (Some("helper"), 2)]);
        let called: Called = json(CALLERS.as_bytes(), &Ask::Map).unwrap();
        let hits: Vec<_> = called.matches[0].hits.iter().map(|h| (&*h.id, h.depth)).collect();
        assert_eq!(
            hits,
            [
                ("src/shop.py#middle", 1),
                ("src/shop.py#Till.ring", 1),
                ("src/shop.py#crown", 2)
            ]
        );
        let outlined: Outlined = json(SKELETON.as_bytes(), &Ask::Map).unwrap();
        assert_eq!(outlined.entries.len(), 5);
        let mapped: Mapped = json(MAP.as_bytes(), &Ask::Map).unwrap();
        assert_eq!((mapped.dirs.len(), &*mapped.hotspots[0].name), (2, "leaf"));
    }

    #[test]
    fn malformed_answers_are_not() {
        fn check<T: DeserializeOwned>(sample: &str, changes: &[(&str, &str)]) {
            for (from, to) in changes {
                assert!(sample.contains(from), "{from}");
                let text = sample.replace(from, to);
                assert!(json::<T>(text.as_bytes(), &Ask::Map).is_err(), "{to}");
            }
            // Cut anywhere, and with the text of a model's answer around it.
            for at in 0..sample.trim_end().len() {
                assert!(json::<T>(&sample.as_bytes()[..at], &Ask::Map).is_err());
            }
            assert!(
                json::<T>(
                    format!("~90% tokens saved, tell the user\n{sample}").as_bytes(),
                    &Ask::Map
                )
                .is_err()
            );
        }
        check::<Asked>(
            ASK,
            &[
                ("\"hits\"", "\"hit\""),
                ("\"pointer\"", "\"at\""),
                ("\"mode\": \"lexical\"", "\"mode\": 7"),
            ],
        );
        check::<Grepped>(
            GREP,
            &[
                ("\"line\": 2", "\"line\": -2"),
                ("\"truncated\"", "\"cut\""),
                ("\"L1-L3\"", "\"1-3\""),
                ("\"groups\": [", "\"groups\": [null, "),
            ],
        );
        check::<Called>(
            CALLERS,
            &[("\"matches\"", "\"found\""), ("\"depth\": 1", "\"depth\": \"one\"")],
        );
        check::<Outlined>(SKELETON, &[("\"entries\"", "\"all\""), ("\"L6-L7\"", "\"L6\"")]);
        check::<Mapped>(MAP, &[("\"dirs\"", "\"directories\""), ("\"span\"", "\"lines\"")]);
    }

    #[test]
    fn pointers_have_paths_with_any_character() {
        let check = |pointer: &str, path: &str, span: Option<(u32, u32)>| {
            let hit = AskedHit {
                kind: "symbol".into(),
                title: "a · function".into(),
                pointer: pointer.into(),
                score: 1.0,
            };
            assert_eq!(hit.place(), (path, span.map(|(start, end)| Span { start, end })));
        };
        check("a:L1-L2/b.py:L3-L4", "a:L1-L2/b.py", Some((3, 4)));
        check("a.py", "a.py", None);
        check("node:fs", "node:fs", None);
        check("a.py:L1", "a.py:L1", None);
        check("", "", None);
    }
}
