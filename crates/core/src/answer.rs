//! The answer as data: one schema for every backend (schema 1).

use crate::fingerprint::Fingerprint;
use crate::path::RepoPath;
use crate::query::SearchQuery;
use crate::refusal::Refusal;
use serde::{Deserialize, Serialize};

/// Version of the JSON form.
pub const SCHEMA: u32 = 1;

/// A definition, or the file symbol.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Symbol {
    /// The file.
    pub path: RepoPath,
    /// First line, 1-based; 0 for a file without lines.
    pub start: u32,
    /// Last line, inclusive.
    pub end: u32,
    /// What it is: `function`, `method`, `class`, …, `file`.
    pub kind: String,
    /// The bare name; a file symbol's is its path.
    pub name: String,
    /// The chain of enclosing definitions inside the file, joined with `.`.
    pub qualified: String,
    /// The header, on one line.
    pub signature: String,
    /// Distinct other symbols with a reference other than an import at `possible` or better, in the whole tree.
    pub in_degree: u32,
    /// The package directory that holds it; empty for the root.
    pub scope: RepoPath,
    /// Whether its file is staged.
    pub staged: bool,
}

/// How a use relates to what it uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Relation {
    /// A call or construction.
    Calls,
    /// A value, type, decorator or JSX use.
    Uses,
    /// A base class.
    Inherits,
    /// An implemented interface or trait.
    Implements,
    /// A member that overrides or implements a member of a base.
    Overrides,
    /// An import statement.
    Imports,
}

/// How sure a binding is, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Confidence {
    /// The source alone proves the binding.
    Exact,
    /// One candidate after scope, import and type rules.
    Resolved,
    /// Through an interface, trait or base class that this definition implements or overrides.
    Possible,
    /// Only the name agrees.
    Name,
}

/// A line of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line {
    /// 1-based.
    pub line: u32,
    /// Its text without line end.
    pub text: String,
}

/// One hit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Hit {
    /// The symbol.
    pub symbol: Symbol,
    /// `callers`: how it relates to the subject.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub relation: Option<Relation>,
    /// `callers`: distance from the subject, 1 to 3.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub depth: Option<u32>,
    /// `callers`: confidence of the weakest link.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub confidence: Option<Confidence>,
    /// `callers`: index into `subjects`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub subject: Option<usize>,
    /// `callers` at depth 2 and 3: index into `hits` of the nearer hit.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub via: Option<usize>,
    /// `ask`, `explore`: greater is better; comparable within one answer.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub score: Option<f64>,
    /// `skeleton`: nesting, 0 at the top.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub level: Option<u32>,
    /// `explore`: the symbol's source.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub source: Option<String>,
    /// Matching lines or use sites, in file order.
    #[serde(default)]
    pub lines: Vec<Line>,
}

impl Hit {
    /// A hit on a symbol with nothing else said.
    pub fn new(symbol: Symbol) -> Self {
        Hit {
            symbol,
            relation: None,
            depth: None,
            confidence: None,
            subject: None,
            via: None,
            score: None,
            level: None,
            source: None,
            lines: Vec::new(),
        }
    }
}

/// What is counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    /// Symbols.
    #[default]
    Symbols,
    /// Lines.
    Lines,
    /// Files.
    Files,
}

/// How much of how much an answer holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// What the JSON holds.
    pub shown: u64,
    /// What there is.
    pub total: u64,
    /// Whether `total` is exact; else it is a lower bound.
    pub exact: bool,
    /// What is counted.
    pub unit: Unit,
}

/// Files that were not searched, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotSearched {
    /// Could not be opened or read.
    pub unreadable: u64,
    /// Over a bound of the backend.
    pub too_large: u64,
    /// Hold NUL bytes.
    pub binary: u64,
    /// Of no language that the backend parses: searched by text, without symbols.
    pub unsupported: u64,
    /// Submodules and nested repositories.
    pub nested: u64,
    /// Names that are not UTF-8.
    pub bad_name: u64,
    /// Left out by configuration.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub excluded: u64,
}

fn is_zero(n: &u64) -> bool {
    *n == 0
}

/// How serious a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// For the record.
    Note,
    /// Somebody may want to look.
    Warning,
    /// Somebody should look.
    Serious,
}

/// A non-blocking note on the run record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// A stable name: `search_code.index`, `redaction.<kind>`, `injection.<kind>`, …
    pub id: String,
    /// How serious it is.
    pub severity: Severity,
    /// One sentence; no host path in it.
    pub message: String,
}

impl Finding {
    /// A note.
    pub fn note(id: impl Into<String>, message: impl Into<String>) -> Self {
        Finding {
            id: id.into(),
            severity: Severity::Note,
            message: message.into(),
        }
    }

    /// A warning.
    pub fn warning(id: impl Into<String>, message: impl Into<String>) -> Self {
        Finding {
            id: id.into(),
            severity: Severity::Warning,
            message: message.into(),
        }
    }
}

/// Which backend answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BackendIdentity {
    /// `native`, `graft`, `codegraph`, …
    pub name: String,
    /// Its version.
    pub version: String,
}

/// What happened to the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum IndexState {
    /// Built from nothing.
    Built,
    /// Some files were read again.
    Updated,
    /// As it was (of the base, when writes are staged).
    Reused,
    /// A user's own index of another tool.
    Foreign,
}

/// Which tree an answer describes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TreeInfo {
    /// The fingerprint.
    pub fingerprint: Fingerprint,
    /// Number of staged paths.
    pub staged: usize,
    /// What happened to the index; absent for tools that need none.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub index: Option<IndexState>,
}

/// Uses of a name that are bound to nothing in the tree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unresolved {
    /// Number of use sites.
    pub sites: u64,
}

/// Totals of a `map`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MapTotals {
    /// Files of the tree.
    pub files: u64,
    /// Definitions.
    pub symbols: u64,
    /// Bound references.
    pub references: u64,
}

/// A language and its number of files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MapLanguage {
    /// Its name.
    pub name: String,
    /// Number of files.
    pub files: u64,
}

/// A package of the tree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MapScope {
    /// Its directory.
    pub path: RepoPath,
    /// Its name by its manifest, else its directory's name.
    pub name: String,
    /// The manifest's kind: `npm`, `cargo`, `go`, `python`, `maven`, …
    pub kind: String,
}

/// A directory and its hubs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MapDir {
    /// The directory.
    pub path: RepoPath,
    /// Files below it.
    pub files: u64,
    /// Definitions below it.
    pub symbols: u64,
    /// Its most referenced symbols, most referenced first.
    pub hubs: Vec<Symbol>,
}

/// The orientation that `map` gives.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MapAnswer {
    /// Totals.
    pub totals: MapTotals,
    /// Languages, most files first.
    pub languages: Vec<MapLanguage>,
    /// Packages, by path.
    pub scopes: Vec<MapScope>,
    /// Directories, largest first.
    pub dirs: Vec<MapDir>,
    /// The most referenced symbols of the tree.
    pub hotspots: Vec<Symbol>,
    /// Where programs start.
    pub entry_points: Vec<Symbol>,
}

/// What a backend answers to a [`SearchQuery`]: typed, not yet rendered, redacted or cut.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// What the query named (`callers`), in path order.
    #[serde(default)]
    pub subjects: Vec<Symbol>,
    /// The hits, best first.
    #[serde(default)]
    pub hits: Vec<Hit>,
    /// How many of how many.
    #[serde(default)]
    pub counts: Counts,
    /// `callers`: uses of the name that are bound to nothing.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub unresolved: Option<Unresolved>,
    /// `explore`: lists of hit indexes that call each other in that order.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub call_paths: Option<Vec<Vec<usize>>>,
    /// `map`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub map: Option<MapAnswer>,
    /// Near names or paths that may help.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub suggestions: Vec<String>,
    /// What was not searched.
    #[serde(default)]
    pub not_searched: NotSearched,
    /// What happened to the index.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub index: Option<IndexState>,
    /// Notes for the record.
    #[serde(default)]
    pub findings: Vec<Finding>,
}

/// One matching line of `search_text`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextMatch {
    /// The file.
    pub path: RepoPath,
    /// 1-based.
    pub line: u32,
    /// The line without its line end.
    pub text: String,
    /// Whether the file is staged.
    pub staged: bool,
}

/// What `search_text` answers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextAnswer {
    /// Matches by path, then line.
    pub matches: Vec<TextMatch>,
    /// How many of how many lines.
    pub counts: Counts,
    /// What was not searched.
    pub not_searched: NotSearched,
}

/// What `read_file` answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadAnswer {
    /// The file, as asked.
    pub path: RepoPath,
    /// First line given, 1-based; 0 when the file has no lines.
    pub start: u32,
    /// Last line given, inclusive.
    pub end: u32,
    /// Lines of the whole file.
    pub total_lines: u32,
    /// The lines, at most 12,000 characters, cut at a line.
    pub content: String,
    /// Whether the file is staged.
    pub staged: bool,
}

/// What `list_files` answers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListAnswer {
    /// Paths in order, at most 1,000.
    pub paths: Vec<RepoPath>,
    /// How many of how many files.
    pub counts: Counts,
    /// What was not listed.
    pub not_searched: NotSearched,
}

/// Parts that only one tool's answer has, at the top level of its JSON.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Payload {
    /// `search_text`.
    Text {
        /// The matches.
        matches: Vec<TextMatch>,
    },
    /// `read_file`.
    Read(ReadAnswer),
    /// `list_files`.
    List {
        /// The paths.
        paths: Vec<RepoPath>,
    },
    /// `stage_write`, `unstage` and `staged`.
    Staged {
        /// What is staged, by path.
        changes: Vec<StagedEntry>,
    },
}

/// A staged path, as an answer lists it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StagedEntry {
    /// The path.
    pub path: RepoPath,
    /// `write`, `symlink` or `delete`.
    pub change: String,
    /// Size of what was written.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub bytes: Option<u64>,
}

/// The request that an answer echoes: effective arguments after defaults and clamps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Request {
    /// `search_code`.
    Search(SearchQuery),
    /// Any other tool, or arguments that were refused as given.
    Other(serde_json::Value),
}

/// The whole answer of one tool call, as its JSON form stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolAnswer {
    /// Always [`SCHEMA`].
    pub schema: u32,
    /// Whether the call was answered; false for a refusal.
    pub ok: bool,
    /// The tool's name.
    pub tool: String,
    /// The effective arguments.
    pub request: Request,
    /// Which backend answered; absent in a refusal.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub backend: Option<BackendIdentity>,
    /// Which tree it describes; absent in a refusal.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub tree: Option<TreeInfo>,
    /// `search_code`: what the query named.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub subjects: Option<Vec<Symbol>>,
    /// `search_code`: the hits.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub hits: Option<Vec<Hit>>,
    /// Matches, content or paths of the other tools.
    #[serde(flatten, skip_serializing_if = "Option::is_none", default)]
    pub payload: Option<Payload>,
    /// `explore`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub call_paths: Option<Vec<Vec<usize>>>,
    /// `map`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub map: Option<MapAnswer>,
    /// How many of how many.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub counts: Option<Counts>,
    /// `callers`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub unresolved: Option<Unresolved>,
    /// What was not searched.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub not_searched: Option<NotSearched>,
    /// Near names or paths.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub suggestions: Vec<String>,
    /// Why not, for `ok: false`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub refusal: Option<Refusal>,
    /// Notes for the record.
    pub findings: Vec<Finding>,
    /// What the model reads.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub text: Option<String>,
}
