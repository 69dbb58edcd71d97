//! What a tool is asked, validated from the arguments that a model wrote: lenient in what it takes, exact in what it
//! echoes.

use crate::limits::{self, Limits};
use crate::path::{PathError, RepoPath};
use crate::refusal::{Refusal, RefusalCode};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The mode of `search_code`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Symbols ranked for a task in words.
    Ask,
    /// Every line that matches a regex, grouped by the enclosing symbol.
    Grep,
    /// Who references a symbol, or what it references.
    Callers,
    /// A file's signatures.
    Skeleton,
    /// An orientation over the tree.
    Map,
    /// The few symbols that answer a question, with their source and the call paths between them.
    Explore,
}

impl Mode {
    /// Every mode, in the order of the documentation.
    pub const ALL: [Mode; 6] = [
        Mode::Ask,
        Mode::Grep,
        Mode::Callers,
        Mode::Skeleton,
        Mode::Map,
        Mode::Explore,
    ];

    /// Its word.
    pub fn as_str(self) -> &'static str {
        match self {
            Mode::Ask => "ask",
            Mode::Grep => "grep",
            Mode::Callers => "callers",
            Mode::Skeleton => "skeleton",
            Mode::Map => "map",
            Mode::Explore => "explore",
        }
    }

    /// Whether it needs a query.
    pub fn needs_query(self) -> bool {
        matches!(self, Mode::Ask | Mode::Grep | Mode::Callers | Mode::Explore)
    }
}

/// The direction of `callers`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// Who references the symbol.
    #[default]
    In,
    /// What the symbol references.
    Out,
}

/// A validated `search_code` call: the effective arguments after defaults and clamps. Serialises as the `request` of an answer.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SearchQuery {
    /// The mode.
    pub mode: Mode,
    /// Task, regex, symbol or question, by mode; at most 8 KiB.
    pub query: String,
    /// File of `skeleton`; the root when absent.
    pub file: RepoPath,
    /// Directory to which the answer is limited; the root for the whole tree.
    pub scope: RepoPath,
    /// Direction of `callers`.
    pub direction: Direction,
    /// Depth of `callers`, 1 to 3.
    pub depth: u32,
    /// Greatest number of hits (groups for `grep`).
    pub limit: u32,
}

impl SearchQuery {
    /// A query of `mode` with every argument at its default.
    pub fn new(mode: Mode, query: impl Into<String>) -> Self {
        SearchQuery {
            mode,
            query: query.into(),
            file: RepoPath::root(),
            scope: RepoPath::root(),
            direction: Direction::In,
            depth: 1,
            limit: 10,
        }
    }

    /// Validates the JSON arguments of a `search_code` call. `default_scope` holds when no scope is given.
    pub fn from_arguments(arguments: &Value, limits: &Limits, default_scope: &RepoPath) -> Result<Self, Refusal> {
        let a = Arguments::new(
            arguments,
            &["mode", "query", "file", "scope", "direction", "depth", "limit"],
        )?;
        let mode = match a.word("mode")? {
            Some(word) => *Mode::ALL
                .iter()
                .find(|m| m.as_str() == word)
                .ok_or_else(|| bad_mode(&word))?,
            None => return Err(bad_mode("")),
        };
        let query = a.text("query")?.unwrap_or_default();
        check_query_length(&query)?;
        let query = if query.trim().is_empty() { String::new() } else { query };
        if mode.needs_query() && query.is_empty() {
            return Err(Refusal::new(
                RefusalCode::NoQuery,
                format!("The mode `{}` needs a `query`: {}.", mode.as_str(), query_hint(mode)),
            ));
        }
        let file = a.path("file")?;
        if mode == Mode::Skeleton && file.as_ref().is_none_or(RepoPath::is_root) {
            return Err(Refusal::new(
                RefusalCode::NoFile,
                "The mode `skeleton` needs a `file`: the path of one file of the tree, relative to its root.",
            ));
        }
        let scope = a.scope("scope")?.unwrap_or_else(|| default_scope.clone());
        let direction = match a.word("direction")?.as_deref() {
            None | Some("in") => Direction::In,
            Some("out") => Direction::Out,
            Some(other) => {
                return Err(Refusal::new(
                    RefusalCode::BadArgument,
                    format!("`direction` is {other:?}; allowed are `in` (who references the symbol) and `out` (what it references)."),
                )
                .suggesting(vec!["in".into(), "out".into()]));
            }
        };
        let depth = a.integer("depth")?.unwrap_or(1).clamp(1, i64::from(limits::DEPTH)) as u32;
        let limit = a.integer("limit")?.unwrap_or(10).clamp(1, i64::from(limits.hits)) as u32;
        Ok(SearchQuery {
            mode,
            query,
            file: file.unwrap_or_else(RepoPath::root),
            scope,
            direction,
            depth,
            limit,
        })
    }
}

fn bad_mode(given: &str) -> Refusal {
    let modes: Vec<String> = Mode::ALL.iter().map(|m| m.as_str().to_owned()).collect();
    let found = if given.is_empty() {
        "`mode` is missing".to_owned()
    } else {
        format!("`mode` is {given:?}")
    };
    Refusal::new(
        RefusalCode::BadMode,
        format!("{found}; the modes are {}.", modes.join(", ")),
    )
    .suggesting(modes)
}

fn query_hint(mode: Mode) -> &'static str {
    match mode {
        Mode::Ask => "a task in words",
        Mode::Grep => "a regular expression",
        Mode::Callers => "the name of a symbol, `name`, `Type.name` or `path#Type.name`",
        _ => "a question in words",
    }
}

/// Refuses a query that is longer than the bound.
pub fn check_query_length(query: &str) -> Result<(), Refusal> {
    if query.len() > limits::QUERY_BYTES {
        return Err(Refusal::new(
            RefusalCode::BadQuery,
            format!(
                "The query has {} bytes; at most {} are searched. Shorten it.",
                query.len(),
                limits::QUERY_BYTES
            ),
        ));
    }
    Ok(())
}

/// The arguments of any tool, read leniently: integers as strings, null and blank as absent, names of arguments exact.
pub struct Arguments<'a> {
    object: Option<&'a serde_json::Map<String, Value>>,
}

impl<'a> Arguments<'a> {
    /// Takes a JSON object (or null, for none) whose keys are among `known`.
    pub fn new(arguments: &'a Value, known: &[&str]) -> Result<Self, Refusal> {
        match arguments {
            Value::Null => Ok(Arguments { object: None }),
            Value::Object(object) => {
                if let Some(key) = object.keys().find(|k| !known.contains(&k.as_str())) {
                    return Err(Refusal::new(
                        RefusalCode::BadArgument,
                        format!("There is no argument {key:?}; the arguments are {}.", known.join(", ")),
                    )
                    .suggesting(known.iter().map(|k| (*k).to_owned()).collect()));
                }
                Ok(Arguments { object: Some(object) })
            }
            _ => Err(Refusal::new(
                RefusalCode::BadArgument,
                "The arguments of a tool are one JSON object.",
            )),
        }
    }

    fn get(&self, key: &str) -> Option<&'a Value> {
        self.object.and_then(|o| o.get(key)).filter(|v| !v.is_null())
    }

    /// A text, as given. A number or a truth value is taken as its text.
    pub fn text(&self, key: &str) -> Result<Option<String>, Refusal> {
        match self.get(key) {
            None => Ok(None),
            Some(Value::String(s)) => Ok(Some(s.clone())),
            Some(v @ (Value::Number(_) | Value::Bool(_))) => Ok(Some(v.to_string())),
            Some(_) => Err(Refusal::new(
                RefusalCode::BadArgument,
                format!("`{key}` must be a text."),
            )),
        }
    }

    /// A text, trimmed; blank is absent.
    pub fn word(&self, key: &str) -> Result<Option<String>, Refusal> {
        Ok(self.text(key)?.map(|t| t.trim().to_owned()).filter(|t| !t.is_empty()))
    }

    /// An integer, also as a string or a number with an integral value; blank is absent.
    pub fn integer(&self, key: &str) -> Result<Option<i64>, Refusal> {
        let bad = |shown: &str| {
            Refusal::new(
                RefusalCode::BadArgument,
                format!("`{key}` is {shown}; it must be a whole number."),
            )
        };
        match self.get(key) {
            None => Ok(None),
            Some(v @ Value::Number(n)) => match n.as_i64() {
                Some(i) => Ok(Some(i)),
                None => match n.as_f64() {
                    Some(f) if f.fract() == 0.0 => Ok(Some(f.clamp(-9e15, 9e15) as i64)),
                    _ => Err(bad(&v.to_string())),
                },
            },
            Some(Value::String(s)) if s.trim().is_empty() => Ok(None),
            Some(Value::String(s)) => {
                let digits = s.trim();
                let all_digits = digits
                    .trim_start_matches(['-', '+'])
                    .bytes()
                    .all(|b| b.is_ascii_digit());
                match digits.parse::<i64>() {
                    Ok(i) => Ok(Some(i)),
                    Err(_) if all_digits && digits.len() > 1 => {
                        Ok(Some(if digits.starts_with('-') { i64::MIN } else { i64::MAX }))
                    }
                    Err(_) => Err(bad(&format!("{s:?}"))),
                }
            }
            Some(other) => Err(bad(&other.to_string())),
        }
    }

    /// A path of the tree, as typed by a model (surrounding blanks go); blank is absent.
    pub fn path(&self, key: &str) -> Result<Option<RepoPath>, Refusal> {
        match self.text(key)?.filter(|t| !t.trim().is_empty()) {
            None => Ok(None),
            Some(text) => RepoPath::new_or_root(&text)
                .map(Some)
                .map_err(|why| refuse_path(key, &text, &why)),
        }
    }

    /// A directory of the tree; a trailing slash is allowed, blank is absent.
    pub fn scope(&self, key: &str) -> Result<Option<RepoPath>, Refusal> {
        match self.word(key)? {
            None => Ok(None),
            Some(text) => RepoPath::new_or_root(&text).map(Some).map_err(|why| {
                Refusal::new(
                    RefusalCode::BadScope,
                    format!("`{key}` is {text:?}: {why}. A scope is a directory of the tree, relative to its root."),
                )
            }),
        }
    }
}

/// The refusal for a path that is not one of the tree: protected when it lies in `.git`, else no such file.
pub fn refuse_path(key: &str, given: &str, why: &PathError) -> Refusal {
    let shown = crate::path::escape_control(given);
    let shown: String = shown.chars().take(200).collect();
    match why {
        PathError::Git => Refusal::new(
            RefusalCode::ProtectedPath,
            "That path is protected: it is not served to a session.",
        ),
        PathError::Absolute => Refusal::new(
            RefusalCode::NoSuchFile,
            format!("`{key}` is an absolute path; paths are relative to the repository's root."),
        ),
        _ => Refusal::new(RefusalCode::NoSuchFile, format!("`{key}` is {shown:?}: {why}.")),
    }
}

/// A validated `search_text` call.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct TextQuery {
    /// A regex in the syntax of the `regex` crate, matched line by line.
    pub pattern: String,
    /// File or directory to which the search is limited; the root for the whole tree.
    pub path: RepoPath,
    /// Greatest number of lines.
    pub limit: u32,
}

impl TextQuery {
    /// Validates the JSON arguments of a `search_text` call.
    pub fn from_arguments(arguments: &Value, limits: &Limits) -> Result<Self, Refusal> {
        let a = Arguments::new(arguments, &["pattern", "path", "limit"])?;
        let pattern = a.text("pattern")?.unwrap_or_default();
        check_query_length(&pattern)?;
        if pattern.is_empty() {
            return Err(Refusal::new(
                RefusalCode::NoQuery,
                "`search_text` needs a `pattern`: a regular expression.",
            ));
        }
        let path = a.path("path")?.unwrap_or_else(RepoPath::root);
        let limit = a.integer("limit")?.unwrap_or(80).clamp(1, i64::from(limits.text_lines)) as u32;
        Ok(TextQuery { pattern, path, limit })
    }
}

/// A validated `read_file` call.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ReadQuery {
    /// The file.
    pub path: RepoPath,
    /// First line, 1-based.
    pub start: u32,
    /// Last line, inclusive; 0 for the end of the file.
    pub end: u32,
}

impl ReadQuery {
    /// Validates the JSON arguments of a `read_file` call.
    pub fn from_arguments(arguments: &Value) -> Result<Self, Refusal> {
        let a = Arguments::new(arguments, &["path", "start", "end"])?;
        let path = match a.path("path")? {
            Some(path) if !path.is_root() => path,
            _ => {
                return Err(Refusal::new(
                    RefusalCode::NoFile,
                    "`read_file` needs a `path`: one file of the tree, relative to its root.",
                ));
            }
        };
        let start = a.integer("start")?.unwrap_or(1).clamp(1, i64::from(u32::MAX)) as u32;
        let end = a.integer("end")?.unwrap_or(0).clamp(0, i64::from(u32::MAX)) as u32;
        if end != 0 && end < start {
            return Err(Refusal::new(
                RefusalCode::BadArgument,
                format!(
                    "`end` is {end} and `start` is {start}; lines are 1-based, `end` is inclusive, and 0 means the end of the file."
                ),
            ));
        }
        Ok(ReadQuery { path, start, end })
    }
}

/// A validated `list_files` call.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ListQuery {
    /// Directory to list; the root for the whole tree.
    pub path: RepoPath,
    /// A glob in the syntax of ignore files (`*.py`, `src/**/test_*`); empty for all.
    pub glob: String,
}

impl ListQuery {
    /// Validates the JSON arguments of a `list_files` call.
    pub fn from_arguments(arguments: &Value) -> Result<Self, Refusal> {
        let a = Arguments::new(arguments, &["path", "glob"])?;
        let path = a.path("path")?.unwrap_or_else(RepoPath::root);
        let glob = a.text("glob")?.filter(|g| !g.trim().is_empty()).unwrap_or_default();
        check_query_length(&glob)?;
        Ok(ListQuery { path, glob })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn query(arguments: Value) -> Result<SearchQuery, Refusal> {
        SearchQuery::from_arguments(&arguments, &Limits::default(), &RepoPath::root())
    }

    #[test]
    fn lenient_in_and_exact_out() {
        let q = query(json!({"mode": " ask ", "query": "x", "depth": "9", "limit": 999, "scope": "./src/", "direction": null, "file": ""})).unwrap();
        assert_eq!(
            serde_json::to_value(&q).unwrap(),
            json!({"mode": "ask", "query": "x", "file": "", "scope": "src", "direction": "in", "depth": 3, "limit": 40})
        );
        assert_eq!(
            query(json!({"mode": "ask", "query": "x", "limit": "-99999999999999999999"}))
                .unwrap()
                .limit,
            1
        );
        assert_eq!(
            query(json!({"mode": "ask", "query": "x", "limit": 2.0, "depth": " "}))
                .unwrap()
                .limit,
            2
        );
    }

    #[test]
    fn what_is_missing_or_wrong_is_refused_by_its_own_name() {
        use RefusalCode::*;
        for (arguments, code) in [
            (json!({}), BadMode),
            (json!({"mode": "find", "query": "x"}), BadMode),
            (json!({"mode": "ask"}), NoQuery),
            (json!({"mode": "grep", "query": "  "}), NoQuery),
            (json!({"mode": "skeleton"}), NoFile),
            (json!({"mode": "ask", "query": "x".repeat(8193)}), BadQuery),
            (json!({"mode": "callers", "query": "x", "direction": "up"}), BadArgument),
            (json!({"mode": "ask", "query": "x", "limit": "many"}), BadArgument),
            (json!({"mode": "ask", "query": "x", "nope": 1}), BadArgument),
            (json!({"mode": "ask", "query": ["x"]}), BadArgument),
            (json!({"mode": "ask", "query": "x", "scope": "../x"}), BadScope),
            (json!({"mode": "skeleton", "file": "/etc/passwd"}), NoSuchFile),
            (json!({"mode": "skeleton", "file": ".git/config"}), ProtectedPath),
            (json!([1]), BadArgument),
        ] {
            assert_eq!(query(arguments.clone()).unwrap_err().code, code, "{arguments}");
        }
    }
}
