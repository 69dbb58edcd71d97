//! Every process of CodeGraph: its arguments from typed parts, its environment, its grants.

use crate::config::CodegraphConfig;
use crate::output::{OUTPUT_BYTES, STDERR_BYTES};
use crate::program::Program;
use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;
use understory_cli_backend::run::{Kit, equipped};
use understory_core::path::RepoPath;
use understory_core::query::Direction;
use understory_ports::SandboxCommand;

/// The bound of a query.
pub const QUERY_BOUND: Duration = Duration::from_secs(30);
/// The bound of making a managed index.
pub const BUILD_BOUND: Duration = Duration::from_secs(600);

/// Rows that are asked for where the tool takes a number: as many as surely fit what is read of it.
pub const ROWS: u32 = 40;

/// One command. A model's words are only ever the last argument, after `--`.
#[derive(Clone, Copy, Debug)]
pub enum Ask<'a> {
    /// The state of the index.
    Status,
    /// Makes an index.
    Init,
    /// Brings an index up to date.
    Sync,
    /// Makes an index anew.
    Rebuild,
    /// A question.
    Explore(&'a str),
    /// Symbols by words.
    Query(&'a str),
    /// Who references a symbol, or what it references.
    Relations(Direction, Named<'a>),
    /// Who references a symbol, to a depth.
    Impact(u32, Named<'a>),
    /// The definitions of a file.
    Outline(&'a RepoPath),
}

/// A symbol by its name, and perhaps its file.
#[derive(Clone, Copy, Debug)]
pub struct Named<'a> {
    /// `name` or `Type.name`.
    pub name: &'a str,
    /// The file that defines it.
    pub file: Option<&'a RepoPath>,
}

impl Ask<'_> {
    /// The command's word, for messages.
    pub fn word(&self) -> &'static str {
        match self {
            Ask::Status => "status",
            Ask::Init => "init",
            Ask::Sync => "sync",
            Ask::Rebuild => "index",
            Ask::Explore(_) => "explore",
            Ask::Query(_) => "query",
            Ask::Relations(Direction::In, _) => "callers",
            Ask::Relations(Direction::Out, _) => "callees",
            Ask::Impact(..) => "impact",
            Ask::Outline(_) => "node",
        }
    }

    /// How long it may take.
    pub fn bound(&self) -> Duration {
        match self {
            Ask::Init | Ask::Sync | Ask::Rebuild => BUILD_BOUND,
            _ => QUERY_BOUND,
        }
    }

    /// Its arguments over a tree, an absolute path.
    pub fn arguments(&self, tree: &Path) -> Vec<OsString> {
        let mut out = vec![OsString::from(self.word())];
        let mut add = |parts: &[&str]| out.extend(parts.iter().map(OsString::from));
        let rows = ROWS.to_string();
        let (file, words) = match self {
            Ask::Status => {
                add(&["--json"]);
                out.push(tree.into());
                return out;
            }
            Ask::Init => {
                add(&["-y"]);
                out.push(tree.into());
                return out;
            }
            Ask::Sync | Ask::Rebuild => {
                add(&["-q"]);
                out.push(tree.into());
                return out;
            }
            Ask::Explore(words) => (None, Some(*words)),
            Ask::Query(words) => {
                add(&["--json", "-l", &rows]);
                (None, Some(*words))
            }
            Ask::Relations(_, symbol) => {
                add(&["--json", "-l", &rows]);
                (symbol.file, Some(symbol.name))
            }
            Ask::Impact(depth, symbol) => {
                add(&["--json", "-d", &depth.to_string()]);
                (symbol.file, Some(symbol.name))
            }
            Ask::Outline(file) => {
                add(&["--symbols-only"]);
                (Some(*file), None)
            }
        };
        out.push("-p".into());
        out.push(tree.into());
        if let Some(file) = file {
            // In one argument, so that a path which begins with `-` is no option.
            out.push(format!("--file={file}", file = file.as_str()).into());
        }
        if let Some(words) = words {
            out.push("--".into());
            out.push(words.into());
        }
        out
    }
}

/// Where a process works: the tree that was written out, the index that its link leads to, and a home.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// The tree.
    pub tree: &'a Path,
    /// The index; the only thing but the home that may be written.
    pub index: &'a Path,
    /// The home, which is the working directory too.
    pub home: &'a Path,
}

/// What keeps the tool quiet: no telemetry, no look for updates, no download of a missing bundle, no background process.
/// Nothing else named `CODEGRAPH_…` reaches it, since the sandbox starts from an empty environment.
const QUIET: &[(&str, &str)] = &[
    ("DO_NOT_TRACK", "1"),
    ("CODEGRAPH_TELEMETRY", "0"),
    ("CODEGRAPH_NO_UPDATE_CHECK", "1"),
    ("CODEGRAPH_NO_DOWNLOAD", "1"),
    ("CODEGRAPH_NO_DAEMON", "1"),
    ("NO_COLOR", "1"),
    ("OPENSSL_CONF", "/dev/null"),
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GIT_CONFIG_GLOBAL", "/dev/null"),
    ("GIT_TERMINAL_PROMPT", "0"),
];

/// The one function that builds a process of CodeGraph.
pub fn build(config: &CodegraphConfig, program: &Program, ask: &Ask<'_>, place: Place<'_>) -> SandboxCommand {
    let mut command = SandboxCommand::new(&program.file, place.home)
        .args(program.first.iter())
        .args(ask.arguments(place.tree))
        .pinned_locale()
        .env("HOME", place.home)
        .read(place.tree)
        .write(place.index)
        .write(place.home)
        .require(config.require);
    command.execute.extend(program.execute.iter().cloned());
    equipped(
        command,
        Kit {
            settings: QUIET,
            read: &program.read,
            git: config.git.as_deref(),
            time: ask.bound(),
            stdout: OUTPUT_BYTES,
            stderr_tail: STDERR_BYTES,
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::IndexKind;
    use std::sync::Arc;
    use understory_core::guard::Guard;
    use understory_ports::sandbox::{Network, Require};

    fn arguments(ask: Ask<'_>) -> Vec<String> {
        let all = ask.arguments(Path::new("/t"));
        all.into_iter().map(|a| a.into_string().unwrap()).collect()
    }

    #[test]
    fn words_of_a_model_are_one_argument_after_two_dashes() {
        for words in [
            "--help",
            "-p /etc",
            "a \"b\" 'c'",
            "$(id); `id` && x | y > z",
            "é 🦎",
            "init",
            "a\\nb",
            "--",
            "",
        ] {
            assert_eq!(arguments(Ask::Explore(words)), ["explore", "-p", "/t", "--", words]);
            let named = Named {
                name: words,
                file: None,
            };
            for ask in [
                Ask::Query(words),
                Ask::Relations(Direction::In, named),
                Ask::Relations(Direction::Out, named),
                Ask::Impact(2, named),
            ] {
                let all = arguments(ask);
                assert_eq!(all[all.len() - 2..], ["--", words], "{all:?}");
                assert_eq!(all.iter().position(|a| a == "--"), Some(all.len() - 2), "{all:?}");
            }
        }
    }

    #[test]
    fn the_arguments_of_every_command() {
        let file = RepoPath::new("-x/a b.py").unwrap();
        let named = Named {
            name: "A.b",
            file: Some(&file),
        };
        let check = |ask: Ask<'_>, expected: &str| assert_eq!(arguments(ask).join("|"), expected);
        check(Ask::Status, "status|--json|/t");
        check(Ask::Init, "init|-y|/t");
        check(Ask::Sync, "sync|-q|/t");
        check(Ask::Rebuild, "index|-q|/t");
        check(Ask::Query("q"), "query|--json|-l|40|-p|/t|--|q");
        check(
            Ask::Relations(Direction::In, named),
            "callers|--json|-l|40|-p|/t|--file=-x/a b.py|--|A.b",
        );
        check(
            Ask::Relations(Direction::Out, named),
            "callees|--json|-l|40|-p|/t|--file=-x/a b.py|--|A.b",
        );
        check(
            Ask::Impact(3, named),
            "impact|--json|-d|3|-p|/t|--file=-x/a b.py|--|A.b",
        );
        check(Ask::Outline(&file), "node|--symbols-only|-p|/t|--file=-x/a b.py");
    }

    #[test]
    fn a_process_is_quiet_offline_and_writes_only_its_index_and_home() {
        let program = Program {
            file: "/opt/cg/bin/codegraph".into(),
            first: Vec::new(),
            read: vec!["/opt/cg".into()],
            execute: vec!["/opt/cg/node".into()],
            version: None,
        };
        let config = CodegraphConfig {
            cache: "/c".into(),
            program: None,
            tool: None,
            index: IndexKind::User,
            guard: Arc::new(Guard::default()),
            git: Some("/usr/bin/git".into()),
            require: Require::Enforced,
        };
        let place = Place {
            tree: Path::new("/c/trees/t"),
            index: Path::new("/c/run/index"),
            home: Path::new("/c/run/home"),
        };
        for ask in [Ask::Explore("x"), Ask::Init, Ask::Status] {
            let command = build(&config, &program, &ask, place);
            command.check().unwrap();
            assert_eq!(command.network, Network::Denied);
            assert_eq!(command.require, Require::Enforced);
            assert_eq!(command.cwd, place.home);
            assert_eq!(command.write, [place.index, place.home]);
            assert_eq!(command.read, [place.tree, Path::new("/opt/cg")]);
            for (name, value) in [
                ("DO_NOT_TRACK", "1"),
                ("CODEGRAPH_TELEMETRY", "0"),
                ("CODEGRAPH_NO_UPDATE_CHECK", "1"),
                ("CODEGRAPH_NO_DOWNLOAD", "1"),
                ("CODEGRAPH_NO_DAEMON", "1"),
                ("NO_COLOR", "1"),
                ("HOME", "/c/run/home"),
            ] {
                assert_eq!(
                    command.env.get(std::ffi::OsStr::new(name)),
                    Some(&value.into()),
                    "{name}"
                );
            }
            assert_eq!((command.limits.stdout, command.limits.stderr_tail), (51_200, 4_096));
        }
        let seconds = |ask: Ask<'_>| build(&config, &program, &ask, place).limits.time.as_secs();
        assert_eq!(
            (seconds(Ask::Explore("x")), seconds(Ask::Init), seconds(Ask::Sync)),
            (30, 600, 600)
        );
    }
}
