//! What is read of a git repository: where it is, HEAD, the paths that git tracks, the ignore rules of its
//! configuration. Only git's library reads it; no program, hook or filter of the repository runs and nothing is written.

use crate::tracked::Tracked;
use std::fs;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use understory_tree_reader::beneath;

/// Longest `.git` file that is read.
const GIT_FILE_BYTES: u64 = 8 * 1024;

/// Where the walk's root stands.
pub(crate) enum Place {
    /// In the work tree of a repository.
    Work(WorkTree),
    /// In a repository without a work tree, or inside its own directory.
    Bare,
    /// In no repository.
    Plain,
}

/// A repository's work tree.
pub(crate) struct WorkTree {
    /// The directory that holds `.git`.
    pub(crate) workdir: PathBuf,
    repo: git2::Repository,
}

/// Finds the repository that `root` (canonical) lies in.
pub(crate) fn locate(root: &Path) -> Place {
    for dir in root.ancestors() {
        if dir.file_name().is_some_and(|name| name == ".git") && is_git_dir(dir) {
            return Place::Bare;
        }
    }
    if is_git_dir(root) && root.join("refs").is_dir() {
        return Place::Bare;
    }
    for dir in root.ancestors() {
        let Some(git_dir) = git_dir_of(dir) else {
            // A `.git` file that leads nowhere is a work tree without its repository, not a part of one further up.
            if dir.join(".git").is_file() {
                return Place::Plain;
            }
            continue;
        };
        if !is_of_files(&git_dir) {
            return Place::Plain;
        }
        // `open_bare` takes a git directory as it is: it neither looks for another nor minds whose it is. Ownership
        // matters to programs that run what a configuration names, and nothing here does.
        let Ok(repo) = git2::Repository::open_bare(&git_dir) else {
            continue;
        };
        let linked = git_dir.join("commondir").exists();
        let bare = repo
            .config()
            .and_then(|mut c| c.snapshot())
            .and_then(|c| c.get_bool("core.bare"))
            .unwrap_or(false);
        if bare && !linked {
            return Place::Bare;
        }
        return Place::Work(WorkTree {
            workdir: dir.to_owned(),
            repo,
        });
    }
    Place::Plain
}

/// The git directory that `dir/.git` is or names.
fn git_dir_of(dir: &Path) -> Option<PathBuf> {
    let dot_git = dir.join(".git");
    let meta = fs::metadata(&dot_git).ok()?;
    if meta.is_dir() {
        return is_git_dir(&dot_git).then_some(dot_git);
    }
    if !meta.is_file() {
        return None;
    }
    let mut text = Vec::new();
    fs::File::open(&dot_git)
        .ok()?
        .take(GIT_FILE_BYTES)
        .read_to_end(&mut text)
        .ok()?;
    let target = text.strip_prefix(b"gitdir:")?.trim_ascii();
    let git_dir = dir.join(beneath::host(target));
    is_git_dir(&git_dir).then_some(git_dir)
}

fn is_git_dir(dir: &Path) -> bool {
    // HEAD of a repository may be a dangling link.
    dir.join("HEAD").symlink_metadata().is_ok() && (dir.join("objects").is_dir() || dir.join("commondir").is_file())
}

/// Whether what is read to open a repository are files: a pipe or a device in their place would be read for ever.
fn is_of_files(git_dir: &Path) -> bool {
    let read = ["HEAD", "commondir", "config", "config.worktree", "index", "packed-refs"];
    let odd = |name: &str| std::fs::metadata(git_dir.join(name)).is_ok_and(|m| !m.is_file());
    !read.into_iter().any(odd)
}

/// Whether a directory is the top of a repository of its own.
pub(crate) fn is_nested(dir: &Path) -> bool {
    git_dir_of(dir).is_some()
}

/// The commit that is checked out in a nested repository, if there is one.
pub(crate) fn nested_head(dir: &Path) -> Option<String> {
    let git_dir = git_dir_of(dir).filter(|d| is_of_files(d))?;
    head_of(&git2::Repository::open_bare(git_dir).ok()?)
}

fn head_of(repo: &git2::Repository) -> Option<String> {
    let commit = repo.head().ok()?.peel_to_commit().ok()?;
    Some(commit.id().to_string())
}

impl WorkTree {
    /// Commit id of HEAD; `None` before the first commit.
    pub(crate) fn head(&self) -> Option<String> {
        head_of(&self.repo)
    }

    /// Whether names of ignore rules match in any letter case.
    pub(crate) fn ignores_case(&self) -> bool {
        self.config(|c| c.get_bool("core.ignorecase").ok()).unwrap_or(false)
    }

    /// The repository's own exclude file.
    pub(crate) fn info_exclude(&self) -> PathBuf {
        self.repo.commondir().join("info").join("exclude")
    }

    /// The user's exclude file: `core.excludesFile`, else `ignore` beside the user's git configuration.
    pub(crate) fn user_excludes(&self) -> Option<PathBuf> {
        self.config(|c| c.get_path("core.excludesfile").ok()).or_else(|| {
            let beside_xdg = git2::Config::find_xdg().ok().map(|p| p.with_file_name("ignore"));
            beside_xdg.or_else(|| {
                let global = git2::Config::find_global().ok()?;
                Some(global.parent()?.join(".config/git/ignore"))
            })
        })
    }

    fn config<T>(&self, get: impl FnOnce(&git2::Config) -> Option<T>) -> Option<T> {
        let config = self.repo.config().ok()?.snapshot().ok()?;
        get(&config)
    }

    /// Every path in the index. Where the index has a form that is not read here (a split one), the library is asked, and
    /// where it does not read it either, the paths of HEAD stand in for it.
    pub(crate) fn tracked(&self) -> Result<Tracked, git2::Error> {
        match fs::read(self.repo.path().join("index")) {
            Ok(bytes) => {
                if let Some(tracked) = Tracked::parse(bytes) {
                    return Ok(tracked);
                }
            }
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(Tracked::default()),
            Err(_) => {}
        }
        match self.repo.index() {
            Ok(index) => Ok(Tracked::collect(index.iter().map(|entry| {
                let commit = (entry.mode == GITLINK).then_some(entry.id);
                (entry.path, commit)
            }))),
            Err(error) => self.tracked_in_head().map_err(|_| error),
        }
    }

    fn tracked_in_head(&self) -> Result<Tracked, git2::Error> {
        let tree = self.repo.head()?.peel_to_tree()?;
        let mut out = Vec::new();
        tree.walk(git2::TreeWalkMode::PreOrder, |dir, entry| {
            if entry.kind() != Some(git2::ObjectType::Tree) {
                let mut path = dir.as_bytes().to_vec();
                path.extend_from_slice(entry.name_bytes());
                let commit = (entry.kind() == Some(git2::ObjectType::Commit)).then(|| entry.id());
                out.push((path, commit));
            }
            git2::TreeWalkResult::Ok
        })?;
        Ok(Tracked::collect(out.into_iter()))
    }
}

/// The mode of a submodule's entry.
const GITLINK: u32 = 0o160_000;

/// The bytes of a path.
pub(crate) fn bytes(path: &Path) -> &[u8] {
    path.as_os_str().as_bytes()
}
