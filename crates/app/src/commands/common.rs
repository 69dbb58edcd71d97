//! What the commands over a repository share: the session, the runtime, the staged file.

use crate::cli::Cli;
use crate::compose::Composed;
use crate::failure::Failure;
use crate::output::Output;
use crate::progress::Bar;
use std::io::Read as _;
use std::sync::Arc;
use understory_core::json;
use understory_core::limits::TEXT_CHARS;
use understory_core::refusal::{Refusal, RefusalCode};
use understory_core::staged::StagedSet;
use understory_core::{Limits, RepoPath};
use understory_ports::CallContext;
use understory_session::{Options, Session, ToolSet};

/// Who reads the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reader {
    /// A model: its bounds hold.
    Model,
    /// A person at a terminal: nothing is cut.
    Person,
    /// A program: any number of hits, but the text as a model would read it.
    Program,
}

/// Opens the session of a command. The inner error is a staged set that is not allowed.
pub fn open(cli: &Cli, composed: &Composed, reader: Reader) -> Result<Result<Session, Refusal>, Failure> {
    let options = options(cli, composed, reader)?;
    let session = Session::open(&composed.root, composed.ports.clone(), options);
    Ok(match staged(cli)? {
        Ok(set) => {
            session.stage_set(set);
            Ok(session)
        }
        Err(refusal) => Err(refusal),
    })
}

/// The options of a command's session.
pub fn options(cli: &Cli, composed: &Composed, reader: Reader) -> Result<Options, Failure> {
    let settings = &composed.settings;
    let limits = match reader {
        Reader::Model => settings.limits(),
        Reader::Person => Limits::command(),
        Reader::Program => Limits {
            text_chars: TEXT_CHARS,
            ..Limits::command()
        },
    };
    let default_scope = match (&cli.common.scope, reader) {
        (Some(scope), Reader::Model) => RepoPath::new_or_root(scope).map_err(|why| {
            Failure::new(format!("--in {scope:?}: {why}")).hint("--in takes a directory of the repository")
        })?,
        (None, Reader::Model) => settings.scope(),
        _ => RepoPath::root(),
    };
    Ok(Options {
        guard: composed.guard.clone(),
        limits,
        default_scope,
        tools: match reader {
            Reader::Model => allowed(ToolSet::read_only(), composed),
            Reader::Person | Reader::Program => ToolSet::read_only(),
        },
        record: composed.record.clone(),
        findings: settings.findings.clone(),
        tape: composed.tape.clone(),
        offline: settings.offline(),
        require_sandbox: settings.require_sandbox(),
        ..Options::default()
    })
}

/// The tools that configuration does not deny.
pub fn allowed(tools: ToolSet, composed: &Composed) -> ToolSet {
    composed
        .settings
        .deny()
        .iter()
        .fold(tools, |tools, name| tools.without(name))
}

/// Longest file of `--staged` that is read.
const STAGED_BYTES: u64 = 256 << 20;

/// The staged set of `--staged`. What is no JSON is a usage error; a set that may not be staged is refused by name.
pub fn staged(cli: &Cli) -> Result<Result<StagedSet, Refusal>, Failure> {
    let Some(path) = &cli.common.staged else {
        return Ok(Ok(StagedSet::new()));
    };
    let shape = "--staged takes a JSON object: path → contents, null for a deletion, {\"base64\": …}, \
                 {\"text\": …, \"executable\": true} or {\"symlink\": target}";
    let refused = |why: String| Refusal::new(RefusalCode::BadStaged, format!("{why}. Nothing of the set is staged."));
    // A pipe or a device has no length to look at beforehand, and may have no end.
    let mut text = Vec::new();
    let read = std::fs::File::open(path).and_then(|file| file.take(STAGED_BYTES + 1).read_to_end(&mut text));
    read.map_err(|e| {
        Failure::new(format!("cannot read the staged set {}", path.display()))
            .because(&e)
            .hint(shape)
    })?;
    if text.len() as u64 > STAGED_BYTES {
        let most = STAGED_BYTES >> 20;
        return Ok(Err(refused(format!(
            "The staged set is longer than {most} MiB, the most that is read"
        ))));
    }
    let value = match json::unique(&text) {
        Ok(value) => value,
        Err(e) if e.is_data() => return Ok(Err(refused(format!("The staged set is ambiguous: {e}")))),
        Err(e) => {
            return Err(Failure::new(format!("the staged set {} is not JSON", path.display()))
                .because(&e)
                .hint(shape));
        }
    };
    Ok(StagedSet::from_json(&value).map_err(|why| refused(why.to_string())))
}

/// The context of the command's one call.
pub fn context(out: &Output) -> CallContext {
    let mut cx = CallContext::new();
    if out.shows_progress() {
        cx.events = Arc::new(Bar::default());
    }
    cx
}

/// Runs a future on this thread; adapters bring their own threads for what blocks.
pub fn block_on<T>(work: impl Future<Output = T>) -> Result<T, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|e| Failure::new("cannot start").because(&e))?;
    Ok(runtime.block_on(work))
}
