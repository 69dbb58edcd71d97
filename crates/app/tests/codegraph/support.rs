//! One installation for all tests of this binary, and a repository with an index.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Arc;
use std::sync::OnceLock;
use tempfile::TempDir;
use understory_adapter_codegraph::{CodegraphConfig, CodegraphSearch, IndexKind, Program, System};
use understory_adapter_sandbox::{Helper, HostEnvironment, SandboxConfig, SubprocessSandbox};
use understory_adapter_worktree::GitWorktree;
use understory_core::guard::Guard;
use understory_ports::sandbox::Require;

/// The command under test.
pub const UNDERSTORY: &str = env!("CARGO_BIN_EXE_understory");

/// A cache in which CodeGraph is installed, made once.
pub fn installed() -> &'static Path {
    static CACHE: OnceLock<TempDir> = OnceLock::new();
    let cache = CACHE.get_or_init(|| {
        let cache = tempfile::tempdir().unwrap();
        let done = Command::new(UNDERSTORY)
            .args(["provision", "--cache"])
            .arg(cache.path())
            .output()
            .unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        cache
    });
    cache.path()
}

/// CodeGraph's own program.
pub fn program() -> Program {
    let bundle = format!(
        "codegraph/1.6.1/node_modules/@colbymchenry/codegraph-{}/bin/codegraph",
        System::host().platform
    );
    Program::discover(Some(&installed().join(bundle)), None, "".as_ref(), &System::host()).expect("it was installed")
}

/// The backend over the real sandbox, with all of it required.
pub fn backend(cache: &Path, index: IndexKind) -> CodegraphSearch {
    let sandbox = SubprocessSandbox::new(SandboxConfig {
        environment: HostEnvironment::from_variables([("PATH".into(), "/usr/bin:/bin".into())]),
        scratch: cache.join("sandbox"),
        helper: Helper::Program(UNDERSTORY.into()),
    });
    let guard = Arc::new(Guard::default());
    let config = CodegraphConfig {
        cache: cache.to_owned(),
        program: Some(program()),
        tool: None,
        index,
        guard: guard.clone(),
        git: Program::on_path("git", "/usr/bin:/bin".as_ref(), &System::host()),
        require: Require::Enforced,
    };
    let worktree = GitWorktree::new(Some(cache.to_owned())).with_guard(guard);
    CodegraphSearch::new(config, Arc::new(sandbox), Arc::new(worktree))
}

/// A small repository.
pub struct Repo {
    root: TempDir,
    /// A cache of its own, by which its processes are told from those of the tests beside it.
    cache: Option<TempDir>,
}

const STORE: &str = "\
class OrderStore:
    def __init__(self):
        self.orders = []

    def save_order(self, order):
        check_order(order)
        self.orders.append(order)


def check_order(order):
    return validate_fields(order)


def validate_fields(order):
    return bool(order)
";

const API: &str = "\
from src.store import OrderStore


def handle_request(request):
    store = OrderStore()
    store.save_order(request)
";

impl Repo {
    pub fn new() -> Repo {
        let repo = Repo {
            root: tempfile::tempdir().unwrap(),
            cache: None,
        };
        repo.write("src/store.py", STORE);
        repo.write("src/api.py", API);
        repo
    }

    pub fn with_cache() -> Repo {
        Repo {
            cache: Some(tempfile::tempdir().unwrap()),
            ..Repo::new()
        }
    }

    /// The cache that its commands use.
    pub fn cache(&self) -> &Path {
        self.cache.as_ref().map_or(installed(), |own| own.path())
    }

    pub fn path(&self) -> PathBuf {
        self.root.path().canonicalize().unwrap()
    }

    pub fn write(&self, path: &str, text: &str) {
        let file = self.path().join(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }

    /// Makes the user's index, as a user would.
    pub fn init(&self) {
        let home = tempfile::tempdir().unwrap();
        let done = Command::new(program().file)
            .args(program().first)
            .args(["init", "-y"])
            .arg(self.path())
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("HOME", home.path())
            .env("DO_NOT_TRACK", "1")
            .output()
            .unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    }

    /// Runs the command with this backend.
    pub fn understory(&self, args: &[&str]) -> Output {
        Command::new(UNDERSTORY)
            .args(["--backend", "codegraph", "--repo"])
            .arg(self.path())
            .arg("--cache")
            .arg(self.cache())
            .args(self.cache.as_ref().map(|_| "--codegraph-program"))
            .args(self.cache.as_ref().map(|_| program().file))
            .args(args)
            .output()
            .unwrap()
    }

    /// The JSON answer to a model's call.
    pub fn tool(&self, arguments: &serde_json::Value, args: &[&str]) -> serde_json::Value {
        let text = arguments.to_string();
        let done = self.understory(&[&["tool", "search_code", &text], args].concat());
        let out = String::from_utf8(done.stdout).unwrap();
        serde_json::from_str(&out).unwrap_or_else(|e| panic!("{e}: {out} {}", String::from_utf8_lossy(&done.stderr)))
    }
}
