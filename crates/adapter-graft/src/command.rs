//! Every process of Graft: its arguments from typed parts, its environment, its grants.

use crate::config::GraftConfig;
use crate::home::Home;
use crate::program::{Program, Runner};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;
use understory_cli_backend::run::{Kit, equipped};
use understory_core::path::RepoPath;
use understory_core::query::Direction;
use understory_ports::SandboxCommand;

/// The bound of a query.
pub const QUERY_BOUND: Duration = Duration::from_secs(60);
/// The bound of a build.
pub const BUILD_BOUND: Duration = Duration::from_secs(300);

/// Bytes of standard output that are read.
const OUTPUT_BYTES: usize = 64 << 20;
/// Bytes of the end of standard error that are kept.
const STDERR_BYTES: usize = 16 << 10;

/// One command. A model's words are only ever a positional after `--`.
#[derive(Clone, Copy, Debug)]
pub enum Ask<'a> {
    /// Graft's version.
    Version,
    /// The version of Node.js.
    NodeVersion,
    /// Makes the index.
    Build,
    /// Symbols by words; at most so many.
    Words(&'a str, u32),
    /// Lines that match a JavaScript pattern, perhaps below a directory alone.
    Grep(&'a str, &'a RepoPath),
    /// Who references a symbol, or what it references, to a depth.
    Callers(Direction, u32, &'a str),
    /// The definitions of a file.
    Skeleton(&'a RepoPath),
    /// An orientation.
    Map,
}

impl Ask<'_> {
    /// The command's word, for messages.
    pub fn word(&self) -> &'static str {
        match self {
            Ask::Version | Ask::NodeVersion => "--version",
            Ask::Build => "build",
            Ask::Words(..) => "ask",
            Ask::Grep(..) => "grep",
            Ask::Callers(..) => "callers",
            Ask::Skeleton(_) => "skeleton",
            Ask::Map => "map",
        }
    }

    /// How long it may take.
    pub fn bound(&self) -> Duration {
        match self {
            Ask::Build => BUILD_BOUND,
            _ => QUERY_BOUND,
        }
    }

    /// Its arguments over an index and a tree, absolute paths.
    pub fn arguments(&self, index: &Path, tree: &Path) -> Vec<OsString> {
        if matches!(self, Ask::Version | Ask::NodeVersion) {
            return vec![self.word().into()];
        }
        let mut out = vec!["--dir".into(), index.into(), self.word().into()];
        let mut add = |parts: &[&str]| out.extend(parts.iter().map(OsString::from));
        if !matches!(self, Ask::Build) {
            add(&["--json"]);
        }
        let words = match self {
            Ask::Words(words, limit) => {
                add(&["--limit", &limit.to_string()]);
                Some(*words)
            }
            Ask::Grep(pattern, scope) => {
                if !scope.is_root() {
                    // In one argument, so that a path which begins with `-` is no option.
                    add(&[&format!("--in={}/", scope.as_str())]);
                }
                Some(*pattern)
            }
            Ask::Callers(direction, depth, name) => {
                let direction = match direction {
                    Direction::In => "in",
                    Direction::Out => "out",
                };
                add(&["--direction", direction, "--depth", &depth.to_string()]);
                Some(*name)
            }
            Ask::Skeleton(file) => Some(file.as_str()),
            _ => None,
        };
        add(&["--"]);
        add(words.as_slice());
        // Never left out: a root that is not named is another one in each version.
        out.push(tree.into());
        out
    }
}

/// Where a process works.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// The tree.
    pub tree: &'a Path,
    /// The index.
    pub index: &'a Path,
    /// Files in the tree that it must not see.
    pub hidden: &'a [PathBuf],
    /// Its home.
    pub home: &'a Home,
}

/// No telemetry, no refresh before a query, nothing written beside the repository's files, one order of sorting, and a
/// git that reads no configuration but the repository's own and starts no watcher.
const SETTINGS: &[(&str, &str)] = &[
    ("DO_NOT_TRACK", "1"),
    ("GRAFT_NO_REFRESH", "1"),
    ("GRAFT_NO_GITIGNORE", "1"),
    ("GRAFT_NO_IGNORE", "1"),
    ("GRAFT_NO_SEED", "1"),
    ("LC_ALL", "C"),
    ("LANG", "C"),
    ("NO_COLOR", "1"),
    ("OPENSSL_CONF", "/dev/null"),
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GIT_CONFIG_GLOBAL", "/dev/null"),
    ("GIT_CONFIG_COUNT", "2"),
    ("GIT_CONFIG_KEY_0", "core.fsmonitor"),
    ("GIT_CONFIG_VALUE_0", "false"),
    ("GIT_CONFIG_KEY_1", "safe.directory"),
    ("GIT_CONFIG_VALUE_1", "*"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_TERMINAL_PROMPT", "0"),
];

/// The one function that builds a process of Graft, probes included.
pub fn build(
    config: &GraftConfig,
    program: &Program,
    node: Option<&Path>,
    ask: &Ask<'_>,
    place: Place<'_>,
) -> SandboxCommand {
    let file = match (&program.runner, node) {
        (Runner::Node(_), Some(node)) => node,
        _ => program.file.as_path(),
    };
    let mut command = SandboxCommand::new(file, place.home.work());
    if !matches!(ask, Ask::NodeVersion) {
        if file != program.file {
            command = command.arg(&program.file);
        }
        command = command.args(program.first.iter());
    }
    command = command
        .args(ask.arguments(place.index, place.tree))
        .env("HOME", place.home.home())
        .env("USERPROFILE", place.home.home())
        .env("PATH", place.home.path())
        .read(place.tree)
        .read(place.home.path())
        .read(place.home.work())
        .write(place.home.home())
        .require(config.require);
    // A repository that encloses the tree has no say in which of its files count.
    if let Some(above) = place.tree.parent() {
        command = command.env("GIT_CEILING_DIRECTORIES", above);
    }
    command = match ask {
        Ask::Build => command.write(place.index),
        // A query cannot change its index.
        _ => command.read(place.index),
    };
    command.hidden.extend(place.hidden.iter().cloned());
    equipped(
        command,
        Kit {
            settings: SETTINGS,
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
    use std::ffi::OsStr;
    use std::sync::Arc;
    use understory_core::guard::Guard;
    use understory_ports::sandbox::{Network, Require};

    fn arguments(ask: Ask<'_>) -> Vec<String> {
        let all = ask.arguments(Path::new("/d"), Path::new("/t"));
        all.into_iter().map(|a| a.into_string().unwrap()).collect()
    }

    #[test]
    fn words_of_a_model_are_one_positional_after_two_dashes() {
        for words in [
            "init",
            "--deep",
            "--lsp",
            "-x",
            "mcp",
            "viz",
            "blast",
            "upgrade",
            "",
            "--",
            "a \"b\" 'c'",
            "$(id); `id` && x | y > z",
            "é 🦎",
            "a\nb",
        ] {
            for ask in [
                Ask::Words(words, 9),
                Ask::Grep(words, &RepoPath::root()),
                Ask::Callers(Direction::In, 1, words),
            ] {
                let all = arguments(ask);
                assert_eq!(all[all.len() - 3..], ["--", words, "/t"], "{all:?}");
                let framework = &all[..all.len() - 3];
                for forbidden in ["--deep", "--lsp", "blast", "init", "viz", "mcp", "--", "-x"] {
                    assert!(!framework.iter().any(|a| a == forbidden), "{all:?}");
                }
            }
        }
    }

    #[test]
    fn the_arguments_of_every_command() {
        let path = |text: &str| RepoPath::new(text).unwrap();
        let check = |ask: Ask<'_>, expected: &str| assert_eq!(arguments(ask).join("|"), expected);
        check(Ask::Version, "--version");
        check(Ask::Build, "--dir|/d|build|--|/t");
        check(Ask::Words("q", 7), "--dir|/d|ask|--json|--limit|7|--|q|/t");
        check(Ask::Grep("p", &RepoPath::root()), "--dir|/d|grep|--json|--|p|/t");
        check(Ask::Grep("p", &path("-x/y")), "--dir|/d|grep|--json|--in=-x/y/|--|p|/t");
        check(
            Ask::Callers(Direction::Out, 2, "A.b"),
            "--dir|/d|callers|--json|--direction|out|--depth|2|--|A.b|/t",
        );
        check(Ask::Skeleton(&path("-x.py")), "--dir|/d|skeleton|--json|--|-x.py|/t");
        check(Ask::Map, "--dir|/d|map|--json|--|/t");
    }

    #[test]
    fn a_process_is_sealed_whatever_it_is() {
        let program = Program {
            file: "/opt/g/dist/cli.js".into(),
            runner: Runner::Node(Some("/usr/bin/node".into())),
            first: Vec::new(),
            read: vec!["/opt/g".into()],
            version: None,
        };
        let config = GraftConfig {
            cache: "/c".into(),
            program: None,
            tool: None,
            search: OsString::new(),
            guard: Arc::new(Guard::default()),
            git: Some("/usr/bin/git".into()),
            require: Require::Enforced,
        };
        let home = Home::of(Path::new("/c"), None, None);
        let hidden = [PathBuf::from("/r/.env")];
        let place = Place {
            tree: Path::new("/r"),
            index: Path::new("/c/graft/index/i/s/graft"),
            hidden: &hidden,
            home: &home,
        };
        let file = RepoPath::new("a.py").unwrap();
        for ask in [
            Ask::Version,
            Ask::NodeVersion,
            Ask::Build,
            Ask::Words("x", 1),
            Ask::Grep("x", &file),
            Ask::Callers(Direction::In, 1, "x"),
            Ask::Skeleton(&file),
            Ask::Map,
        ] {
            let command = build(&config, &program, Some(Path::new("/usr/bin/node")), &ask, place);
            command.check().unwrap();
            assert_eq!(command.network, Network::Denied);
            assert_eq!(command.require, Require::Enforced);
            assert_eq!(command.program, Path::new("/usr/bin/node"));
            assert_eq!(command.cwd, Path::new("/c/graft/work"));
            assert_eq!(command.hidden, hidden);
            let mut writes = vec![PathBuf::from("/c/graft/home")];
            if matches!(ask, Ask::Build) {
                writes.push(place.index.to_owned());
            }
            assert_eq!(command.write, writes, "{ask:?}");
            assert_eq!(command.execute, [Path::new("/usr/bin/git")]);
            for (name, value) in [
                ("DO_NOT_TRACK", "1"),
                ("GRAFT_NO_REFRESH", "1"),
                ("GRAFT_NO_GITIGNORE", "1"),
                ("LC_ALL", "C"),
                ("OPENSSL_CONF", "/dev/null"),
                ("HOME", "/c/graft/home"),
                ("GIT_CONFIG_NOSYSTEM", "1"),
                ("GIT_CONFIG_GLOBAL", "/dev/null"),
                ("GIT_CONFIG_KEY_0", "core.fsmonitor"),
                ("GIT_CONFIG_VALUE_0", "false"),
                ("GIT_CEILING_DIRECTORIES", "/"),
            ] {
                assert_eq!(command.env.get(OsStr::new(name)), Some(&value.into()), "{name}");
            }
            // Nothing is taken over from the process that runs this.
            assert_eq!(command.env.len(), SETTINGS.len() + 4);
            let seconds = if matches!(ask, Ask::Build) { 300 } else { 60 };
            assert_eq!(command.limits.time.as_secs(), seconds);
        }
    }
}
