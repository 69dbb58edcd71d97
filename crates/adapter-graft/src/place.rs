//! Which tree Graft is pointed at: the repository itself, or one that is written out because the repository's own would not
//! be described, or would lead Graft astray.

use std::fs;
use std::path::{Path, PathBuf};
use understory_cli_backend::trees::without;
use understory_core::guard::Verdict;
use understory_core::path::RepoPath;
use understory_core::tree::{EntryKind, Tree};
use understory_tree_reader::Reader;

/// Where Graft keeps settings in a repository. They change which files it takes.
const SETTINGS: &str = ".graft";

/// What Graft is pointed at.
#[derive(Clone, Debug)]
pub enum At {
    /// The repository, with these files out of sight.
    Repository(Vec<PathBuf>),
    /// This tree, written out in the cache.
    WrittenOut(Box<Tree>, Why),
}

/// Why a tree is written out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// Something is staged.
    Staged,
    /// The repository carries settings of Graft.
    Settings,
    /// The root is no repository and holds several: Graft would write into each of them and remove its index.
    Repositories,
}

impl Why {
    /// For the record.
    pub fn words(self) -> &'static str {
        match self {
            Why::Staged => "something is staged",
            Why::Settings => "the repository carries a `.graft` of its own, which has no say here",
            Why::Repositories => "the root is no repository and holds several, which Graft would write into",
        }
    }
}

/// Looks at the repository.
pub fn choose(tree: &Tree, reader: &Reader<'_>) -> At {
    let root = tree.root();
    let why = if !tree.staged().is_empty() {
        Why::Staged
    } else if root.join(SETTINGS).symlink_metadata().is_ok() {
        Why::Settings
    } else if holds_repositories(root) {
        Why::Repositories
    } else {
        return At::Repository(hidden(tree, reader));
    };
    At::WrittenOut(Box::new(without(tree, SETTINGS)), why)
}

/// Whether Graft would take the root for a place where several repositories lie.
fn holds_repositories(root: &Path) -> bool {
    let is_repository = |dir: &Path| dir.join(".git").symlink_metadata().is_ok();
    if is_repository(root) {
        return false;
    }
    let Ok(children) = fs::read_dir(root) else { return false };
    children
        .filter_map(Result::ok)
        .filter(|child| is_repository(&child.path()))
        .take(2)
        .count()
        == 2
}

/// Files that the guard protects, and the root's own `.env` files, which are mostly not in the tree.
fn hidden(tree: &Tree, reader: &Reader<'_>) -> Vec<PathBuf> {
    let root = tree.root();
    let mut out: Vec<PathBuf> = tree
        .files()
        .iter()
        .filter(|file| file.entry.kind == EntryKind::File && !reader.is_open(file))
        .map(|file| root.join(file.path.as_str()))
        .collect();
    let entries = fs::read_dir(root).into_iter().flatten().filter_map(Result::ok);
    let is_protected = |name: &str| {
        // Git's own file of a linked work tree is what Graft's git needs.
        let path = RepoPath::new(name).ok().filter(|path| path.as_str() != ".git");
        path.is_some_and(|path| reader.guard().judge(&path) == Verdict::Protected)
    };
    let of_root = entries.filter(|entry| {
        entry.file_type().is_ok_and(|kind| kind.is_file()) && entry.file_name().to_str().is_some_and(is_protected)
    });
    out.extend(of_root.map(|entry| entry.path()));
    out.sort();
    out.dedup();
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};
    use understory_core::guard::Guard;
    use understory_ports::conformance::tree::Files;

    fn chosen(files: &[(&str, &str)], staged: &Value) -> (At, PathBuf) {
        // What git keeps is none of the tree.
        let (of_git, files): (Vec<_>, Vec<_>) = files.iter().partition(|(path, _)| path.contains(".git"));
        let files = Files::new(&files).unwrap();
        let tree = files.tree(staged).unwrap();
        for (path, text) in of_git {
            let file = tree.root().join(path);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        let guard = Guard::default();
        let at = choose(&tree, &Reader::new(&tree, &guard));
        (at, tree.root().to_owned())
    }

    #[test]
    fn the_repository_itself_unless_it_would_lead_astray() {
        let check = |files: &[(&str, &str)], staged: Value, expected: Option<Why>| {
            let found = match chosen(files, &staged).0 {
                At::Repository(_) => None,
                At::WrittenOut(_, why) => Some(why),
            };
            assert_eq!(found, expected, "{files:?}");
        };
        check(&[("a.py", "")], Value::Null, None);
        check(&[("a.py", "")], json!({"b.py": ""}), Some(Why::Staged));
        check(&[(".graft/config.json", "{}")], Value::Null, Some(Why::Settings));
        check(
            &[("x/.git/HEAD", ""), ("y/.git/HEAD", "")],
            Value::Null,
            Some(Why::Repositories),
        );
        // A linked work tree has a file there.
        check(
            &[("x/.git", "gitdir: z"), ("y/.git", "gitdir: z")],
            Value::Null,
            Some(Why::Repositories),
        );
        check(&[("x/.git/HEAD", ""), ("y/a.py", "")], Value::Null, None);
        check(
            &[(".git/HEAD", ""), ("x/.git/HEAD", ""), ("y/.git/HEAD", "")],
            Value::Null,
            None,
        );
    }

    #[test]
    fn protected_files_are_out_of_sight_and_settings_left_out() {
        let key = "-----BEGIN PRIVATE KEY-----\n";
        let (at, root) = chosen(
            &[
                ("a.py", ""),
                (".env", "A=1"),
                ("x/server.key", key),
                ("x/.env.local", ""),
            ],
            &Value::Null,
        );
        let At::Repository(hidden) = at else { panic!("{at:?}") };
        assert_eq!(
            hidden,
            [".env", "x/.env.local", "x/server.key"].map(|path| root.join(path))
        );
        let (at, _) = chosen(&[("a.py", "")], &json!({".graft/config.json": "{}", "b.py": ""}));
        let At::WrittenOut(tree, _) = at else { panic!("{at:?}") };
        let paths: Vec<&str> = tree.staged().iter().map(|(path, _)| path.as_str()).collect();
        assert_eq!(paths, ["b.py"]);
    }
}
