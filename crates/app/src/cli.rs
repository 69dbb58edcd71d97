//! The command line.

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Code search for coding agents, over the tree as a session sees it.
///
/// Exit codes: 0 something found, 1 nothing found, 2 refused, failed or used wrongly.
#[derive(Clone, Debug, Parser)]
#[command(name = "understory", version, max_term_width = 100, propagate_version = true)]
pub struct Cli {
    #[command(flatten)]
    pub common: Common,
    #[command(subcommand)]
    pub command: Command,
}

/// Options of every command.
#[derive(Clone, Debug, Args)]
pub struct Common {
    /// The repository [default: the one that encloses the current directory, else the current directory]
    #[arg(long, value_name = "DIR", global = true)]
    pub repo: Option<PathBuf>,
    /// Limit the answer to this directory of the repository
    #[arg(long = "in", value_name = "SCOPE", global = true)]
    pub scope: Option<String>,
    /// Show at most so many hits (groups for grep, lines for text), up to 100000
    #[arg(short = 'n', value_name = "LIMIT", global = true)]
    pub limit: Option<u32>,
    /// Search the repository with these changes on top: a JSON object, path → contents or null
    #[arg(long, value_name = "FILE", global = true)]
    pub staged: Option<PathBuf>,
    /// What answers search_code
    #[arg(long, value_enum, default_value_t = Backend::Native, global = true)]
    pub backend: Backend,
    /// Graft's program [default: the provisioned one]
    #[arg(long, value_name = "PATH", global = true)]
    pub graft_program: Option<PathBuf>,
    /// CodeGraph's program [default: the provisioned one, else `codegraph` on PATH]
    #[arg(long, value_name = "PATH", global = true)]
    pub codegraph_program: Option<PathBuf>,
    /// Whose index CodeGraph searches
    #[arg(long, value_enum, default_value_t = CodegraphIndex::User, global = true)]
    pub codegraph_index: CodegraphIndex,
    /// Print the answer as one JSON object
    #[arg(long, global = true)]
    pub json: bool,
    /// Where indexes are kept [default: $RUNNER_TEMP, $XDG_CACHE_HOME or the platform's cache directory]
    #[arg(long, value_name = "DIR", global = true)]
    pub cache: Option<PathBuf>,
    /// Append the record of the run to this file
    #[arg(long, value_name = "FILE", global = true)]
    pub run_record: Option<PathBuf>,
    /// Record every call and its answer to this file, after what it holds
    #[arg(long, value_name = "FILE", global = true, conflicts_with = "replay")]
    pub record: Option<PathBuf>,
    /// Answer from this recording alone: no repository, index, cache or network is touched
    #[arg(long, value_name = "FILE", global = true)]
    pub replay: Option<PathBuf>,
    /// Install nothing and reach no network
    #[arg(long, global = true)]
    pub offline: bool,
    /// Run no other program without a sandbox that the kernel enforces
    #[arg(long, global = true)]
    pub require_sandbox: bool,
    /// When to use colour
    #[arg(long, value_enum, default_value_t = Color::Auto, global = true)]
    pub color: Color,
    /// No notes and no progress on standard error
    #[arg(short, long, global = true)]
    pub quiet: bool,
}

/// When to use colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless NO_COLOR is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// What answers `search_code`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Backend {
    /// The engine of this program.
    Native,
    /// The Graft command line.
    Graft,
    /// The CodeGraph command line.
    Codegraph,
}

/// Whose index CodeGraph searches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CodegraphIndex {
    /// The one that the user keeps in the repository.
    User,
    /// One that is made and kept in the cache; covers staged writes.
    Managed,
}

/// The direction of `callers`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Direction {
    /// Who references it.
    In,
    /// What it references.
    Out,
}

/// The commands.
#[derive(Clone, Debug, Subcommand)]
pub enum Command {
    /// Symbols that matter for a task in words
    Ask {
        /// The task
        #[arg(required = true)]
        words: Vec<String>,
    },
    /// Every line that matches a regex, grouped by the symbol that holds it
    Grep {
        /// A regular expression, in the syntax of Rust's regex crate
        pattern: String,
    },
    /// Who references a symbol, or what it references
    Callers {
        /// `name`, `Type.name` or `path#Type.name`
        symbol: String,
        /// in: who references it; out: what it references
        #[arg(long, value_enum, default_value_t = Direction::In)]
        direction: Direction,
        /// How far to follow, up to 3
        #[arg(long, default_value_t = 1)]
        depth: u32,
    },
    /// The signatures of a file, nested
    Skeleton {
        /// The file
        file: String,
    },
    /// An orientation: packages, entry points, hubs, hotspots
    Map,
    /// The few symbols that answer a question, with their source
    Explore {
        /// The question
        #[arg(required = true)]
        words: Vec<String>,
    },
    /// Every line of every text file that matches a regex
    Text {
        /// A regular expression, in the syntax of Rust's regex crate
        pattern: String,
        /// A file or directory to which the search is limited
        path: Option<String>,
    },
    /// Lines of a file
    Read {
        /// The file, perhaps with a range of lines: PATH:A-B, PATH:A- or PATH:A
        #[arg(value_name = "PATH[:A-B]")]
        place: String,
    },
    /// The files of the tree
    List {
        /// A glob in the syntax of ignore files, such as *.py or src/**/test_*
        glob: Option<String>,
    },
    /// A call as a model makes it: prints exactly one JSON object
    Tool {
        /// search_code, search_text, read_file or list_files
        name: String,
        /// The arguments, a JSON object
        #[arg(value_name = "JSON", allow_hyphen_values = true)]
        arguments: String,
    },
    /// Make the index ready
    Index,
    /// What the tree holds, what is left out, and where the index is
    Status,
    /// Install the tools of other projects that a backend needs
    Provision {
        /// Make the tools' locks from the registry instead
        #[arg(long)]
        write_lock: bool,
    },
    /// What this host lacks
    Doctor,
    /// Serve the tools to an agent host: MCP on standard input and output
    Mcp {
        /// Also hand out stage_write, unstage and staged
        #[arg(long)]
        stage: bool,
    },
    /// Every value of the configuration and where it came from
    Config,
    /// Tables of calls, refusals, time and bytes from the records of runs
    Report {
        /// Records, one JSON object a line
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// Records of other runs to compare with
        #[arg(long, value_name = "FILE", num_args = 1..)]
        against: Vec<PathBuf>,
    },
    /// A completion script for a shell
    Completions {
        /// The shell
        #[arg(value_enum)]
        shell: clap_complete::Shell,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        use clap::CommandFactory;
        Cli::command().debug_assert();
    }
}
