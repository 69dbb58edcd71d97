//! A repository, a cache, and the backend over the fake program.

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tempfile::TempDir;
use understory_adapter_graft::{GraftConfig, GraftSearch, Program, Runner};
use understory_adapter_sandbox::{Helper, HostEnvironment, SandboxConfig, SubprocessSandbox};
use understory_adapter_worktree::GitWorktree;
use understory_core::RefusalCode;
use understory_core::answer::Answer;
use understory_core::guard::Guard;
use understory_core::query::{Mode, SearchQuery};
use understory_core::staged::StagedSet;
use understory_core::tree::Tree;
use understory_ports::sandbox::Require;
use understory_ports::{CallContext, CodeSearch, SearchError, Tool, Worktree};

/// The fake program.
pub const FAKE: &str = env!("CARGO_BIN_EXE_understory-fake-graft");

pub const SHOP: &str = "\
def leaf(x):
    return x + 1


def middle(x):
    return leaf(x)


class Till:
    def ring(self, x):
        return leaf(x)
";

pub fn program(faults: &[&str]) -> Program {
    let file = Path::new(FAKE).canonicalize().unwrap();
    Program {
        runner: Runner::Itself,
        first: faults.iter().map(Into::into).collect(),
        read: Vec::new(),
        version: None,
        file,
    }
}

pub fn worktree(cache: &Path) -> GitWorktree {
    GitWorktree::new(Some(cache.to_owned()))
        .with_user_excludes(None)
        .with_guard(Arc::new(Guard::default()))
}

pub fn over(cache: &Path, program: Option<Program>) -> GraftSearch {
    with(cache, program, None, None)
}

/// The git of this host, which development of this project needs anyway.
pub fn git() -> PathBuf {
    let found = ["/usr/bin/git", "/usr/local/bin/git", "/bin/git"].map(PathBuf::from);
    found.into_iter().find(|file| file.is_file()).expect("git is installed")
}

/// Makes a directory a repository.
#[expect(clippy::disallowed_methods, reason = "git itself is what is looked at")]
pub fn init(git: &Path, dir: &Path) {
    let done = std::process::Command::new(git)
        .args(["init", "-q"])
        .arg(dir)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .status();
    assert!(done.unwrap().success());
}

pub fn with(cache: &Path, program: Option<Program>, tool: Option<Tool>, git: Option<PathBuf>) -> GraftSearch {
    // What a host has and a child must not get.
    let host = [
        ("PATH", "/usr/bin:/bin"),
        ("OPENAI_API_KEY", "sk-planted"),
        ("GRAFT_API_KEY", "planted"),
        ("GRAFT_PROVIDER", "planted"),
        ("GRAFT_DIR", "/planted"),
        ("NODE_OPTIONS", "--require /planted"),
        ("HOME", "/planted"),
        ("LC_ALL", "da_DK.UTF-8"),
    ];
    let sandbox = SubprocessSandbox::new(SandboxConfig {
        environment: HostEnvironment::from_variables(host.map(|(name, value)| (name.into(), value.into()))),
        scratch: cache.join("sandbox"),
        helper: Helper::None,
    });
    let config = GraftConfig {
        cache: cache.to_owned(),
        program,
        tool,
        search: std::ffi::OsString::new(),
        guard: Arc::new(Guard::default()),
        git,
        require: Require::BestEffort,
    };
    GraftSearch::new(config, Arc::new(sandbox), Arc::new(worktree(cache)))
}

pub fn backend(cache: &Path, faults: &[&str]) -> GraftSearch {
    over(cache, Some(program(faults)))
}

pub struct Host {
    root: TempDir,
}

impl Host {
    pub fn new() -> Host {
        let host = Host {
            root: tempfile::tempdir().unwrap(),
        };
        fs::create_dir_all(host.path("cache")).unwrap();
        host.write("src/shop.py", SHOP);
        host.write("notes.txt", "leaf is a function\n");
        host
    }

    pub fn path(&self, relative: &str) -> PathBuf {
        self.root.path().canonicalize().unwrap().join(relative)
    }

    pub fn cache(&self) -> PathBuf {
        self.path("cache")
    }

    /// Writes a file of the repository.
    pub fn write(&self, path: &str, text: &str) {
        let file = self.path("repo").join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    pub fn backend(&self, faults: &[&str]) -> GraftSearch {
        backend(&self.cache(), faults)
    }

    pub async fn tree(&self, staged: &Value) -> Tree {
        let staged = match staged {
            Value::Null => StagedSet::new(),
            staged => StagedSet::from_json(staged).unwrap(),
        };
        let repo = self.path("repo");
        worktree(&self.cache())
            .snapshot(&repo, &staged, &CallContext::new())
            .await
            .unwrap()
    }

    pub async fn ask(&self, backend: &GraftSearch, query: &SearchQuery) -> Result<Answer, SearchError> {
        let tree = self.tree(&Value::Null).await;
        backend.search(&tree, query, &CallContext::new()).await
    }

    /// What the program was started with, without the probe of its version.
    pub fn starts(&self) -> Vec<Value> {
        let log = fs::read_to_string(self.cache().join("graft/home/log.jsonl")).unwrap_or_default();
        let all = log.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        all.filter(|start| start["argv"].as_array().unwrap().last() != Some(&"--version".into()))
            .collect()
    }

    /// How often it made an index.
    pub fn builds(&self) -> usize {
        let has_build = |start: &Value| start["argv"].as_array().unwrap().contains(&"build".into());
        self.starts().iter().filter(|start| has_build(start)).count()
    }

    /// Everything in the repository with its bytes.
    pub fn contents(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let (mut out, mut left) = (Vec::new(), vec![self.path("repo")]);
        while let Some(dir) = left.pop() {
            for entry in fs::read_dir(dir).unwrap() {
                let path = entry.unwrap().path();
                match path.is_dir() {
                    true => left.push(path),
                    false => out.push((path.clone(), fs::read(&path).unwrap())),
                }
            }
        }
        out.sort();
        out
    }
}

pub fn query(mode: Mode, text: &str) -> SearchQuery {
    let mut query = SearchQuery::new(mode, text);
    if mode == Mode::Skeleton {
        query.query = String::new();
        query.file = understory_core::RepoPath::new(text).unwrap();
    }
    query
}

pub fn names(answer: &Answer) -> Vec<&str> {
    answer.hits.iter().map(|h| h.symbol.name.as_str()).collect()
}

pub fn code(result: Result<Answer, SearchError>) -> (RefusalCode, String) {
    let refusal = result.unwrap_err().into_refusal();
    (refusal.code, refusal.message)
}

/// A question of each mode.
pub fn questions() -> Vec<SearchQuery> {
    vec![
        query(Mode::Ask, "ring the till"),
        query(Mode::Grep, "leaf"),
        query(Mode::Callers, "leaf"),
        query(Mode::Skeleton, "src/shop.py"),
        query(Mode::Map, ""),
        query(Mode::Explore, "how does ring use leaf"),
    ]
}
