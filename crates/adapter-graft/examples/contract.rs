//! Runs the contract of the port over a program that is named: `cargo run -p understory-adapter-graft --example contract --
//! PATH/dist/cli.js`. For releases of Graft that no registry at hand serves.
#![expect(clippy::print_stdout, clippy::disallowed_methods, reason = "a tool for people")]

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use understory_adapter_graft::{GraftConfig, GraftSearch, Program};
use understory_adapter_sandbox::{Helper, HostEnvironment, SandboxConfig, SubprocessSandbox};
use understory_adapter_worktree::GitWorktree;
use understory_core::guard::Guard;
use understory_ports::CodeSearch;
use understory_ports::conformance::code_search;
use understory_ports::sandbox::Require;

#[tokio::main]
async fn main() {
    let named = std::env::args_os()
        .nth(1)
        .map(PathBuf::from)
        .expect("the path of a program");
    let search = std::env::var_os("PATH").unwrap_or_default();
    let program = Program::discover(Some(&named), None, &search, cfg!(windows));
    let git = std::env::split_paths(&search)
        .map(|dir| dir.join("git"))
        .find(|file| file.is_file());
    let caches = Mutex::new(Vec::new());
    let new = || {
        let cache = tempfile::tempdir().expect("a temporary directory");
        let made = backend(cache.path(), program.clone(), git.clone(), search.clone());
        caches.lock().expect("nobody panics with it").push(cache);
        Arc::new(made) as Arc<dyn CodeSearch>
    };
    let report = code_search::suite(&new).await;
    for name in &report.passed {
        println!("ok      {name}");
    }
    for (name, why) in &report.not_run {
        println!("not run {name}: {why}");
    }
    for (name, why) in &report.failed {
        println!("FAILED  {name}: {why}");
    }
    println!("{} held, {} did not", report.passed.len(), report.failed.len());
}

fn backend(cache: &Path, program: Option<Program>, git: Option<PathBuf>, search: std::ffi::OsString) -> GraftSearch {
    let cache = cache.canonicalize().expect("it was just made");
    let sandbox = SubprocessSandbox::new(SandboxConfig {
        environment: HostEnvironment::from_variables([("PATH".into(), search)]),
        scratch: cache.join("sandbox"),
        helper: Helper::None,
    });
    let config = GraftConfig {
        cache: cache.clone(),
        program,
        tool: None,
        search: std::ffi::OsString::new(),
        guard: Arc::new(Guard::default()),
        git,
        require: Require::BestEffort,
    };
    let worktree = GitWorktree::new(Some(cache)).with_user_excludes(None);
    GraftSearch::new(config, Arc::new(sandbox), Arc::new(worktree))
}
