//! The tools that a host hands its model: names, descriptions, schemas, capabilities.

use serde_json::{Value, json};
use understory_core::{Limits, limits};

/// What a tool may do, for the host's policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[non_exhaustive]
pub enum Capability {
    /// Reads the repository and the staged set.
    ReadsRepo,
    /// Changes the session's staged set; nothing on disk.
    StagesWrites,
}

/// A tool as a model's host needs it.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct ToolSpec {
    /// The name to call it by.
    pub name: &'static str,
    /// What the model reads about it.
    pub description: String,
    /// JSON Schema of the arguments.
    pub schema: Value,
    /// All that it may do.
    pub capabilities: Vec<Capability>,
}

/// Which tools a session has. One that is not in the set is unknown to the session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolSet {
    names: Vec<&'static str>,
}

pub(crate) const SEARCH_CODE: &str = "search_code";
pub(crate) const SEARCH_TEXT: &str = "search_text";
pub(crate) const READ_FILE: &str = "read_file";
pub(crate) const LIST_FILES: &str = "list_files";

pub(crate) const STAGE_WRITE: &str = "stage_write";
pub(crate) const UNSTAGE: &str = "unstage";
pub(crate) const STAGED: &str = "staged";

const READING: [&str; 4] = [SEARCH_CODE, SEARCH_TEXT, READ_FILE, LIST_FILES];
const STAGING: [&str; 3] = [STAGE_WRITE, UNSTAGE, STAGED];

impl ToolSet {
    /// `search_code`, `search_text`, `read_file` and `list_files`.
    pub fn read_only() -> Self {
        ToolSet {
            names: READING.to_vec(),
        }
    }

    /// With `stage_write`, `unstage` and `staged` too, for a host whose agent has no other way to stage. They are after the
    /// others, so that the list before them stays as it was.
    pub fn with_staging(mut self) -> Self {
        self.names.retain(|n| !STAGING.contains(n));
        self.names.extend(STAGING);
        self
    }

    /// Without a tool.
    pub fn without(mut self, name: &str) -> Self {
        self.names.retain(|n| *n != name);
        self
    }

    /// The names, in the order in which they are handed out.
    pub fn names(&self) -> &[&'static str] {
        &self.names
    }

    /// Whether a tool is in the set.
    pub fn contains(&self, name: &str) -> bool {
        self.names.contains(&name)
    }

    /// The tools of the set under these limits.
    pub fn specs(&self, limits: &Limits) -> Vec<ToolSpec> {
        self.names.iter().filter_map(|name| spec(name, limits)).collect()
    }
}

fn spec(name: &str, limits: &Limits) -> Option<ToolSpec> {
    let (name, description, schema) = match name {
        SEARCH_CODE => (SEARCH_CODE, SEARCH_CODE_TEXT, search_code_schema(limits)),
        SEARCH_TEXT => (SEARCH_TEXT, SEARCH_TEXT_TEXT, search_text_schema(limits)),
        READ_FILE => (READ_FILE, READ_FILE_TEXT, read_file_schema()),
        LIST_FILES => (LIST_FILES, LIST_FILES_TEXT, list_files_schema()),
        STAGE_WRITE => (STAGE_WRITE, STAGE_WRITE_TEXT, stage_write_schema()),
        UNSTAGE => (UNSTAGE, UNSTAGE_TEXT, unstage_schema()),
        STAGED => (STAGED, STAGED_TEXT, object(json!({}), &[])),
        _ => return None,
    };
    let capabilities = match name {
        STAGE_WRITE | UNSTAGE => vec![Capability::ReadsRepo, Capability::StagesWrites],
        _ => vec![Capability::ReadsRepo],
    };
    Some(ToolSpec {
        name,
        description: description.to_owned(),
        schema,
        capabilities,
    })
}

const SEARCH_CODE_TEXT: &str = "\
Search the code by symbol: definitions, who uses them, and where. It searches the files on disk plus this session's own \
staged writes; what you wrote is found, what you deleted is gone.
Modes:
- ask: a task in words; the symbols that matter for it, ranked. First step when you do not know where to look.
- grep: a regex; every matching line, grouped by the function or type that holds it, most used groups first.
- callers: a symbol (name, Type.name or path#Type.name); who references it, with the lines of the call sites. With \
direction=out what it references; depth up to 3 follows further. Use it before changing a signature.
- skeleton: the signatures of one file (file=path), nested; cheaper than reading it.
- map: packages, entry points, hubs and hotspots. First step in an unknown repository.
- explore: a question in words; the few symbols that answer it with their source and the calls between them.
scope limits an answer to a directory. A hit is `path:Lstart-Lend kind name (n←)`, n being how many other symbols \
reference it. `by name only` marks a use that may belong to another definition of the name.
For a known file use read_file, for an exact literal search_text: they are cheaper.";

const SEARCH_TEXT_TEXT: &str = "\
Search every text file line by line with a regular expression (syntax of Rust's regex crate, case-sensitive unless (?i)), \
over the files on disk plus this session's own staged writes. Best for an exact literal, and for files that are not code.";

const READ_FILE_TEXT: &str = "\
Read lines of one file, as on disk or as this session staged it. Lines are 1-based, end is inclusive and 0 means the end of \
the file. A long file comes in parts; the end of the answer says where to read on.";

const LIST_FILES_TEXT: &str = "\
List the files of the tree, this session's own staged writes included, below a directory and by a glob in the syntax of \
ignore files (*.py, src/**/test_*).";

const STAGE_WRITE_TEXT: &str = "\
Stage the whole new text of one file, or its deletion, in this session alone. Nothing is written to disk; every other tool \
answers as if it were. Staging a path again replaces its staged text.";

const UNSTAGE_TEXT: &str = "\
Forget what this session staged at a path: the file is as on disk again.";

const STAGED_TEXT: &str = "\
List what this session staged: path, kind of change, size.";

fn object(properties: Value, required: &[&str]) -> Value {
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

fn search_code_schema(l: &Limits) -> Value {
    object(
        json!({
            "mode": {"type": "string", "enum": ["ask", "grep", "callers", "skeleton", "map", "explore"]},
            "query": {"type": "string", "default": "", "maxLength": limits::QUERY_BYTES,
                      "description": "ask, explore: words; grep: a regex; callers: a symbol"},
            "file": {"type": "string", "default": "", "description": "skeleton: path of the file"},
            "scope": {"type": "string", "default": "", "description": "directory to which the answer is limited"},
            "direction": {"type": "string", "enum": ["in", "out"], "default": "in",
                          "description": "callers: in = who references it, out = what it references"},
            "depth": {"type": "integer", "minimum": 1, "maximum": limits::DEPTH, "default": 1, "description": "callers: how far to follow"},
            "limit": {"type": "integer", "minimum": 1, "maximum": l.hits, "default": 10.min(l.hits),
                      "description": "hits (groups for grep)"},
        }),
        &["mode"],
    )
}

fn search_text_schema(l: &Limits) -> Value {
    object(
        json!({
            "pattern": {"type": "string", "maxLength": limits::QUERY_BYTES, "description": "a regular expression"},
            "path": {"type": "string", "default": "", "description": "file or directory to which the search is limited"},
            "limit": {"type": "integer", "minimum": 1, "maximum": l.text_lines, "default": 80.min(l.text_lines), "description": "lines"},
        }),
        &["pattern"],
    )
}

fn read_file_schema() -> Value {
    object(
        json!({
            "path": {"type": "string", "description": "the file, relative to the repository's root"},
            "start": {"type": "integer", "minimum": 1, "default": 1, "description": "first line"},
            "end": {"type": "integer", "minimum": 0, "default": 0, "description": "last line, inclusive; 0 for the end of the file"},
        }),
        &["path"],
    )
}

fn list_files_schema() -> Value {
    object(
        json!({
            "path": {"type": "string", "default": "", "description": "directory to list"},
            "glob": {"type": "string", "default": "", "description": "e.g. *.py or src/**/test_*"},
        }),
        &[],
    )
}

fn stage_write_schema() -> Value {
    object(
        json!({
            "path": {"type": "string", "description": "the file, relative to the repository's root"},
            "content": {"type": "string", "description": "the whole text of the file"},
            "delete": {"type": "boolean", "default": false, "description": "stage its deletion instead; no content then"},
        }),
        &["path"],
    )
}

fn unstage_schema() -> Value {
    object(
        json!({
            "path": {"type": "string", "description": "the staged path"},
        }),
        &["path"],
    )
}
