//! Which adapters stand behind the ports. The only module that names them.

use crate::cli::{Backend, Cli, CodegraphIndex, Command};
use crate::commands::block_on;
use crate::config::{self, Flags, Settings};
use crate::environment::Environment;
use crate::exclude::excluding;
use crate::failure::Failure;
use crate::place;
use crate::provisioning;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use understory_adapter_cassette::{Recorder, Replay, TapeError};
use understory_adapter_codegraph::{CodegraphConfig, CodegraphSearch, IndexKind, Program, System};
use understory_adapter_graft::{GraftConfig, GraftSearch};
use understory_adapter_native::{NativeConfig, NativeSearch};
use understory_adapter_sandbox::SubprocessSandbox;
use understory_adapter_text::RipgrepText;
use understory_adapter_worktree::GitWorktree;
use understory_core::RepoPath;
use understory_core::answer::Finding;
use understory_core::guard::Guard;
use understory_ports::sandbox::Require;
use understory_ports::{CodeSearch, Installed, Locator, Tape, Tool};
use understory_session::{JsonLines, NoRecord, Ports, Record};

/// The places of a run, and what is behind the ports.
#[derive(Clone)]
pub struct Composed {
    /// Host path of the repository.
    pub root: PathBuf,
    /// The cache directory, if there is a place for one.
    pub cache: Option<PathBuf>,
    /// What is not served.
    pub guard: Guard,
    /// What was configured.
    pub settings: Settings,
    /// Where the record goes.
    pub record: Arc<dyn Record>,
    /// The record again, where it goes to a file: it knows whether it could.
    pub lines: Option<Arc<JsonLines<std::fs::File>>>,
    /// The adapters.
    pub ports: Ports,
    /// What records or replays the calls.
    pub tape: Option<Arc<dyn Tape>>,
    /// The tape again, where it records: it knows whether it could.
    pub recorder: Option<Arc<Recorder>>,
}

impl Composed {
    /// Fails when an answer or an event could not be written down. The answers themselves are out by then.
    pub fn finish(&self) -> Result<(), Failure> {
        if let Some(error) = self.recorder.as_ref().and_then(|r| r.failure()) {
            return Err(Failure::new("the recording is not complete").because(&error));
        }
        match self.lines.as_ref().and_then(|lines| lines.failure()) {
            Some(error) => Err(Failure::new("the record of the run is not complete")
                .because(&error)
                .hint("the answer is whole; free the space, or name another file with --run-record FILE")),
            None => Ok(()),
        }
    }
}

/// Puts the adapters together for a command line.
pub fn compose(cli: &Cli, environment: &Environment) -> Result<Composed, Failure> {
    if let Some(tape) = &cli.common.replay {
        return replaying(cli, environment, tape);
    }
    let root = place::repository(cli.common.repo.as_deref(), environment)?;
    let mut composed = at(cli, environment, root);
    open_record(&mut composed)?;
    if let Some(path) = &cli.common.record {
        let recorder = Arc::new(Recorder::open(path).map_err(|e| unusable(&e))?);
        composed.tape = Some(recorder.clone());
        composed.recorder = Some(recorder);
    }
    Ok(composed)
}

/// Opens the record of the run, if one is to be kept.
fn open_record(composed: &mut Composed) -> Result<(), Failure> {
    if let Some(path) = composed.settings.record() {
        let file = std::fs::OpenOptions::new().append(true).create(true).open(&path);
        let file = file.map_err(|e| {
            Failure::new(format!("the record {} cannot be opened", path.display()))
                .because(&e)
                .hint("name a file that can be written with --run-record FILE")
        })?;
        let lines = Arc::new(JsonLines::new(file));
        composed.lines = Some(lines.clone());
        composed.record = lines;
    }
    Ok(())
}

/// For one repository, without a record.
pub fn at(cli: &Cli, environment: &Environment, root: PathBuf) -> Composed {
    let mut settings = settings(cli, environment, &root);
    let cache = place::cache(settings.cache().as_deref(), environment);
    let guard = Guard::new(settings.guard()).unwrap_or_else(|why| {
        // Each glob was good for itself, and all of them are too much. Protecting less than was asked for is no way out.
        let message = format!(
            "The globs of `guard` cannot be used together ({}): everything is protected.",
            why.why
        );
        settings.findings.push(Finding::warning("config.bad_value", message));
        Guard::new(["*"]).expect("a star is a glob")
    });
    let search: Arc<dyn CodeSearch> = match cli.common.backend {
        Backend::Native => Arc::new(NativeSearch::new(NativeConfig {
            cache: cache.clone(),
            guard: Arc::new(guard.clone()),
        })),
        Backend::Graft => Arc::new(graft(environment, cache.as_deref(), &guard, &settings)),
        Backend::Codegraph => {
            let require = required(&settings);
            Arc::new(codegraph(cli, environment, cache.as_deref(), &guard, require))
        }
    };
    let worktree = Arc::new(GitWorktree::new(cache.clone()));
    let ports = Ports {
        search,
        text: Arc::new(RipgrepText::new(Arc::new(guard.clone()))),
        worktree: excluding(worktree, &settings.exclude(), &guard),
    };
    Composed {
        root,
        cache,
        guard,
        settings,
        record: Arc::new(NoRecord),
        lines: None,
        ports,
        tape: None,
        recorder: None,
    }
}

/// What is configured where the command runs; for commands that need no repository.
pub fn settings_here(cli: &Cli, environment: &Environment) -> Settings {
    let root = place::repository(cli.common.repo.as_deref(), environment).unwrap_or_default();
    settings(cli, environment, &root)
}

/// The cache directory, if there is a place for one.
pub fn cache(cli: &Cli, environment: &Environment) -> Option<PathBuf> {
    place::cache(settings_here(cli, environment).cache().as_deref(), environment)
}

/// What is configured for a repository.
pub fn settings(cli: &Cli, environment: &Environment, root: &std::path::Path) -> Settings {
    let common = &cli.common;
    let absolute = |path: &PathBuf| match &environment.cwd {
        Some(cwd) => cwd.join(path),
        None => path.clone(),
    };
    let flags = Flags {
        cache: common.cache.as_ref().map(absolute),
        record: common.run_record.as_ref().map(absolute),
        graft_program: common.graft_program.as_ref().map(absolute),
        // A scope that is none is refused where it is used.
        scope: common.scope.as_deref().and_then(|s| RepoPath::new_or_root(s).ok()),
        offline: common.offline,
        require_sandbox: common.require_sandbox,
    };
    config::load(&flags, environment, root)
}

/// A tape and nothing else. A repository, where there is one, only tells what a path on the command line means.
fn replaying(cli: &Cli, environment: &Environment, tape: &Path) -> Result<Composed, Failure> {
    // A server's process is a session; another command's is one call of a series.
    let tape = match cli.command {
        Command::Mcp { .. } => Replay::open(tape),
        _ => Replay::open_series(tape),
    }
    .map_err(|e| unusable(&e))?;
    let root = place::repository(cli.common.repo.as_deref(), environment).unwrap_or_default();
    let mut composed = Composed {
        settings: settings(cli, environment, &root),
        root,
        cache: None,
        guard: Guard::default(),
        record: Arc::new(NoRecord),
        lines: None,
        ports: Ports::of_tape(&tape),
        tape: Some(Arc::new(tape)),
        recorder: None,
    };
    open_record(&mut composed)?;
    Ok(composed)
}

fn unusable(error: &TapeError) -> Failure {
    Failure::new("the tape cannot be used").because(error)
}

/// CodeGraph over the real sandbox, and over trees without what the guard protects.
fn codegraph(
    cli: &Cli,
    environment: &Environment,
    cache: Option<&Path>,
    guard: &Guard,
    require: Require,
) -> CodegraphSearch {
    // Without a cache the backend refuses by name.
    let cache = cache.unwrap_or(Path::new(""));
    let search = environment.variable("PATH").unwrap_or_default();
    let system = System::host();
    let named = cli
        .common
        .codegraph_program
        .as_deref()
        .map(|path| match &environment.cwd {
            Some(cwd) => cwd.join(path),
            None => path.to_owned(),
        });
    let guard = Arc::new(guard.clone());
    let tool = tool(environment, cache, require, "codegraph").filter(|_| named.is_none());
    let config = CodegraphConfig {
        cache: cache.to_owned(),
        program: Program::discover(named.as_deref(), located(tool.as_ref()).as_ref(), &search, &system),
        tool,
        index: match cli.common.codegraph_index {
            CodegraphIndex::User => IndexKind::User,
            CodegraphIndex::Managed => IndexKind::Managed,
        },
        guard: guard.clone(),
        git: Program::on_path("git", &search, &system),
        require,
    };
    let sandbox = SubprocessSandbox::new(provisioning::sandbox(environment, &cache.join("sandbox")));
    let worktree = GitWorktree::new(Some(cache.to_owned())).with_guard(guard);
    CodegraphSearch::new(config, Arc::new(sandbox), Arc::new(worktree))
}

fn required(settings: &Settings) -> Require {
    match settings.require_sandbox() {
        true => Require::Enforced,
        false => Require::BestEffort,
    }
}

/// A pinned tool, to be found where it is installed. A backend cannot install it.
fn tool(environment: &Environment, cache: &Path, require: Require, name: &str) -> Option<Tool> {
    let pin = provisioning::pins(cache).into_iter().find(|pin| pin.tool == name)?;
    let provisioner = provisioning::provisioner(environment, cache, require);
    Some(Tool::new(pin, Locator::new(Arc::new(provisioner))))
}

/// Where a tool is now, so that a backend can be named before it is asked.
fn located(tool: Option<&Tool>) -> Option<Installed> {
    let look = || block_on(tool?.locate()).ok()?.ok().flatten();
    // On a thread of its own: this one may be an executor's already.
    std::thread::scope(|scope| scope.spawn(look).join().ok().flatten())
}

/// Graft over the real sandbox, and over trees without what the guard protects.
pub fn graft(environment: &Environment, cache: Option<&Path>, guard: &Guard, settings: &Settings) -> GraftSearch {
    // Without a cache the backend refuses by name.
    let cache = cache.unwrap_or(Path::new(""));
    let require = required(settings);
    let named = settings.graft_program();
    let search = environment.variable("PATH").unwrap_or_default();
    let guard = Arc::new(guard.clone());
    let tool = tool(environment, cache, require, "graft").filter(|_| named.is_none());
    let installed = located(tool.as_ref());
    let config = GraftConfig {
        cache: cache.to_owned(),
        program: understory_adapter_graft::Program::discover(
            named.as_deref(),
            installed.as_ref(),
            &search,
            cfg!(windows),
        ),
        tool,
        search: search.clone(),
        guard: guard.clone(),
        git: Program::on_path("git", &search, &System::host()),
        require,
    };
    let sandbox = SubprocessSandbox::new(provisioning::sandbox(environment, &cache.join("sandbox")));
    let worktree = GitWorktree::new(Some(cache.to_owned())).with_guard(guard);
    GraftSearch::new(config, Arc::new(sandbox), Arc::new(worktree))
}
