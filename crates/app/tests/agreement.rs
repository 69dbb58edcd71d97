//! Every reader sees the same tree: what `grep` of the engine finds, `search_text` finds, `list_files` lists the files and
//! `read_file` shows the lines, on random trees, edits and staged sets.

use proptest::prelude::*;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use understory_adapter_native::{NativeConfig, NativeSearch};
use understory_adapter_text::RipgrepText;
use understory_adapter_worktree::GitWorktree;
use understory_core::answer::TextMatch;
use understory_core::guard::Guard;
use understory_core::path::RepoPath;
use understory_core::query::{ListQuery, Mode, ReadQuery, SearchQuery, TextQuery};
use understory_core::staged::{StagedChange, StagedSet};
use understory_core::tree::Tree;
use understory_ports::context::CallContext;
use understory_ports::{CodeSearch, TextSearch, Worktree};

const PATHS: [&str; 14] = [
    "a.py",
    "src/b.rs",
    "src/deep/c.ts",
    "src",
    "notes.txt",
    ".hidden.py",
    "build/out.py",
    "sub/.env",
    "key.pem",
    ".npmrc",
    "x.min.js",
    "odd name\u{e9}.go",
    "link",
    "sub/link.py",
];

const CONTENTS: [&[u8]; 12] = [
    b"",
    b"def alpha():\n    return beta\n",
    b"fn alpha() {\r\n    beta()\r\n}\r\n",
    b"alpha beta",
    b"\n\n\nbeta\n\n",
    b"caf\xe9 alpha\n",
    b"\xff\xfea\0l\0p\0h\0a\0\n\0",
    b"\xef\xbb\xbfalpha = 1\n",
    b"alpha\0beta\n",
    b"-----BEGIN PRIVATE KEY-----\nalpha\n",
    b"//r/:_authToken=alpha\n",
    b"export const alpha = () => beta;\nfunction beta() {}\n",
];

const TARGETS: [&str; 4] = ["a.py", "../a.py", "sub/.env", "nowhere"];

const PATTERNS: [&str; 7] = ["alpha", "beta$", "^", "(?i)ALPHA|BETA", "a.p", "\\s", "return|fn"];

#[derive(Clone, Debug)]
enum What {
    Write(usize),
    Link(usize),
    Delete,
}

fn what() -> impl Strategy<Value = What> {
    prop_oneof![
        8 => (0..CONTENTS.len()).prop_map(What::Write),
        1 => (0..TARGETS.len()).prop_map(What::Link),
        2 => Just(What::Delete),
    ]
}

fn changes() -> impl Strategy<Value = Vec<(usize, What)>> {
    prop::collection::vec((0..PATHS.len(), what()), 0..10)
}

fn edit(root: &Path, path: &str, what: &What) {
    let host = root.join(path);
    let _ = fs::remove_file(&host);
    let _ = fs::remove_dir_all(&host);
    for above in host.ancestors().skip(1).take_while(|above| *above != root) {
        if above.symlink_metadata().is_ok_and(|meta| !meta.is_dir()) {
            fs::remove_file(above).unwrap();
        }
    }
    fs::create_dir_all(host.parent().unwrap()).unwrap();
    match what {
        What::Write(n) => fs::write(&host, CONTENTS[*n]).unwrap(),
        #[cfg(unix)]
        What::Link(n) => std::os::unix::fs::symlink(TARGETS[*n], &host).unwrap(),
        _ => {}
    }
}

fn stage(set: &mut StagedSet, path: &str, what: &What) {
    let change = match what {
        What::Write(n) => StagedChange::Write {
            bytes: CONTENTS[*n].into(),
            executable: false,
        },
        What::Link(n) => StagedChange::Symlink {
            target: TARGETS[*n].into(),
        },
        What::Delete => StagedChange::Delete,
    };
    // What cannot be staged beside the rest is not.
    let _ = set.stage(RepoPath::new(path).unwrap(), change);
}

async fn agree(tree: &Tree, guard: Arc<Guard>) -> Result<(), TestCaseError> {
    let native = NativeSearch::new(NativeConfig {
        cache: None,
        guard: guard.clone(),
    });
    let text = RipgrepText::new(guard);
    let cx = CallContext::new();
    let list = ListQuery {
        path: RepoPath::root(),
        glob: String::new(),
    };
    let listed = text.list(tree, &list, &cx).await.unwrap();
    let listed: BTreeSet<&RepoPath> = listed.paths.iter().collect();
    for pattern in PATTERNS {
        let mut query = SearchQuery::new(Mode::Grep, pattern);
        query.limit = 100_000;
        let by_engine = native.search(tree, &query, &cx).await.unwrap();
        let query = TextQuery {
            pattern: pattern.to_owned(),
            path: RepoPath::root(),
            limit: 100_000,
        };
        let by_text = text.search(tree, &query, &cx).await.unwrap();
        let engine: BTreeSet<(&RepoPath, u32, &str)> = by_engine
            .hits
            .iter()
            .flat_map(|hit| hit.lines.iter().map(|l| (&hit.symbol.path, l.line, l.text.as_str())))
            .collect();
        let plain: BTreeSet<(&RepoPath, u32, &str)> = by_text
            .matches
            .iter()
            .map(|m| (&m.path, m.line, m.text.as_str()))
            .collect();
        prop_assert_eq!(&engine, &plain, "{}", pattern);
        prop_assert_eq!(by_engine.counts.total, by_text.counts.total, "{}", pattern);
        prop_assert_eq!(
            by_engine.not_searched.binary,
            by_text.not_searched.binary,
            "{}",
            pattern
        );
        for TextMatch {
            path,
            line,
            text: shown,
            staged,
        } in &by_text.matches
        {
            prop_assert!(listed.contains(path), "{} is not listed", path);
            let query = ReadQuery {
                path: path.clone(),
                start: *line,
                end: *line,
            };
            let read = text.read(tree, &query, &cx).await.unwrap();
            prop_assert_eq!(
                read.content.trim_end_matches(['\r', '\n']),
                shown.trim_end_matches('\r')
            );
            prop_assert_eq!(read.staged, *staged);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn readers_agree(on_disk in changes(), staged in changes(), is_git in any::<bool>()) {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("repo");
        fs::create_dir(&root).unwrap();
        fs::write(root.join(".gitignore"), "build/\n").unwrap();
        if is_git {
            // A repository as little as makes one.
            fs::create_dir_all(root.join(".git/objects")).unwrap();
            fs::create_dir_all(root.join(".git/refs")).unwrap();
            fs::write(root.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
        }
        for (path, what) in &on_disk {
            edit(&root, PATHS[*path], what);
        }
        let mut set = StagedSet::new();
        for (path, what) in &staged {
            stage(&mut set, PATHS[*path], what);
        }
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let worktree = GitWorktree::new(None).with_user_excludes(None);
            match worktree.snapshot(&root, &set, &CallContext::new()).await {
                Ok(tree) => {
                    prop_assert_eq!(tree.is_git(), is_git);
                    agree(&tree, Arc::new(Guard::default())).await
                }
                // A staged path through a link that leaves the tree.
                Err(understory_ports::WorktreeError::Staged(_)) => Ok(()),
                Err(other) => Err(TestCaseError::fail(other.to_string())),
            }
        })?;
    }
}
