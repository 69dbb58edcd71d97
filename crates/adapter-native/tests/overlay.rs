//! Answers over a staged set equal those over the same tree written out, and an edited tree's those of a fresh cache.

#[allow(dead_code, reason = "shared with tests that use other parts")]
#[path = "../../engine/tests/common/mod.rs"]
mod common;

use common::{Dice, Files, edit, tree};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use understory_adapter_native::{NativeConfig, NativeSearch};
use understory_core::answer::NotSearched;
use understory_core::guard::Guard;
use understory_core::staged::StagedChange;
use understory_core::tree::EntryKind;
use understory_core::{Answer, ContentHash, Direction, Mode, RepoPath, SearchQuery, StagedSet, Tree, TreeEntry};
use understory_ports::{CallContext, CodeSearch, SearchError};

fn write_out(root: &Path, files: &Files) {
    std::fs::create_dir_all(root).unwrap();
    for (path, text) in files {
        let to = root.join(path);
        std::fs::create_dir_all(to.parent().unwrap()).unwrap();
        std::fs::write(to, text).unwrap();
    }
}

fn tree_of(root: &Path, files: &Files, staged: StagedSet) -> Tree {
    let entry = |text: &String| TreeEntry {
        kind: EntryKind::File,
        executable: false,
        size: text.len() as u64,
        hash: ContentHash::of(text.as_bytes()),
    };
    let disk: BTreeMap<RepoPath, TreeEntry> = files
        .iter()
        .map(|(p, t)| (RepoPath::new(p).unwrap(), entry(t)))
        .collect();
    Tree::new(
        root.to_path_buf(),
        false,
        None,
        Arc::new(disk),
        staged,
        NotSearched::default(),
    )
}

/// The staged set that turns one tree into another.
fn difference(from: &Files, to: &Files) -> StagedSet {
    let mut set = StagedSet::new();
    for path in from.keys().filter(|p| !to.contains_key(*p)) {
        set.stage(RepoPath::new(path).unwrap(), StagedChange::Delete).unwrap();
    }
    for (path, text) in to.iter().filter(|(p, t)| from.get(*p) != Some(t)) {
        set.stage(
            RepoPath::new(path).unwrap(),
            StagedChange::Write {
                bytes: text.as_bytes().into(),
                executable: false,
            },
        )
        .unwrap();
    }
    set
}

fn backend(cache: Option<&Path>) -> NativeSearch {
    NativeSearch::new(NativeConfig {
        cache: cache.map(Path::to_path_buf),
        guard: Arc::new(Guard::default()),
    })
}

fn queries() -> Vec<SearchQuery> {
    let mut out = vec![
        SearchQuery::new(Mode::Ask, "load and save the store"),
        SearchQuery::new(Mode::Explore, "how does the client send an item"),
        SearchQuery::new(Mode::Grep, "(load|send)\\("),
        SearchQuery::new(Mode::Map, ""),
    ];
    for name in [
        "load", "save", "send", "merge", "close", "Store", "Client", "Base", "Item",
    ] {
        for direction in [Direction::In, Direction::Out] {
            out.push(SearchQuery {
                direction,
                depth: 2,
                limit: 40,
                ..SearchQuery::new(Mode::Callers, name)
            });
        }
    }
    for file in ["alpha.py", "core/beta.ts", "core/net/util.go"] {
        out.push(SearchQuery {
            file: RepoPath::new(file).unwrap(),
            ..SearchQuery::new(Mode::Skeleton, "")
        });
    }
    out
}

/// What both sides must agree on: everything but whether a file is staged and what happened to the index.
fn comparable(result: Result<Answer, SearchError>) -> serde_json::Value {
    let mut value = match result {
        Ok(answer) => serde_json::to_value(answer).unwrap(),
        Err(e) => serde_json::to_value(e.into_refusal()).unwrap(),
    };
    fn strip(value: &mut serde_json::Value) {
        match value {
            serde_json::Value::Object(o) => {
                o.remove("staged");
                o.remove("index");
                o.values_mut().for_each(strip);
            }
            serde_json::Value::Array(a) => a.iter_mut().for_each(strip),
            _ => {}
        }
    }
    strip(&mut value);
    value
}

fn ask(backend: &NativeSearch, tree: &Tree, query: &SearchQuery) -> serde_json::Value {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    comparable(runtime.block_on(backend.search(tree, query, &CallContext::new())))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn overlay_answers_are_those_of_the_tree_written_out(seed in any::<u64>()) {
        let mut dice = Dice::new(seed);
        let before = tree(&mut dice, 14);
        let mut after = before.clone();
        edit(&mut dice, &mut after);
        let mut fewer = before.clone();
        let gone = before.keys().nth(dice.roll(before.len())).cloned();
        fewer.retain(|path, _| Some(path) != gone.as_ref());
        let place = tempfile::tempdir().unwrap();
        let one = place.path().join("one");
        write_out(&one, &before);
        let overlay = backend(Some(&place.path().join("cache")));
        for (name, after) in [("edited", after), ("fewer", fewer)] {
            let two = place.path().join(name);
            write_out(&two, &after);
            let staged = tree_of(&one, &before, difference(&before, &after));
            let written = tree_of(&two, &after, StagedSet::new());
            let full = backend(None);
            for query in queries() {
                prop_assert_eq!(ask(&overlay, &staged, &query), ask(&full, &written, &query), "{:?}\nbefore {:#?}\nafter {:#?}", query, before, after);
            }
        }
    }
}

#[test]
fn a_damaged_or_foreign_cache_is_rebuilt_and_never_believed() {
    let mut dice = Dice::new(7);
    let files = tree(&mut dice, 30);
    let place = tempfile::tempdir().unwrap();
    let (root, cache) = (place.path().join("repo"), place.path().join("cache"));
    write_out(&root, &files);
    let tree = tree_of(&root, &files, StagedSet::new());
    let right: Vec<serde_json::Value> = queries().iter().map(|q| ask(&backend(None), &tree, q)).collect();
    let again = |what: &str| {
        let fresh = backend(Some(&cache));
        for (query, right) in queries().iter().zip(&right) {
            assert_eq!(&ask(&fresh, &tree, query), right, "{what}: {query:?}");
        }
    };
    again("built");
    let stored = |end: &str| -> Vec<std::path::PathBuf> {
        let mut out = Vec::new();
        let mut dirs = vec![cache.clone()];
        while let Some(dir) = dirs.pop() {
            for entry in std::fs::read_dir(dir).unwrap().flatten() {
                if entry.path().is_dir() {
                    dirs.push(entry.path())
                } else {
                    out.push(entry.path())
                }
            }
        }
        out.retain(|p| p.to_string_lossy().ends_with(end));
        out
    };
    assert!(!stored(".part").is_empty());
    let parts = stored(".part");
    for (n, part) in parts.iter().enumerate() {
        let bytes = std::fs::read(part).unwrap();
        let damaged = match n % 3 {
            0 => bytes[..bytes.len() / 2].to_vec(),
            1 => bytes
                .iter()
                .enumerate()
                .map(|(i, b)| if i == bytes.len() / 2 { b ^ 0x55 } else { *b })
                .collect(),
            _ => Vec::new(),
        };
        // As a writer would leave it: replaced, not changed in place.
        std::fs::remove_file(part).unwrap();
        std::fs::write(part, damaged).unwrap();
    }
    again("damaged parts");
    std::fs::write(&stored("pointer")[0], b"not a pointer").unwrap();
    again("damaged pointer");
    std::fs::remove_file(&stored(".part")[0]).unwrap();
    again("missing part");
}

#[test]
fn a_cache_that_cannot_be_written_is_a_finding() {
    let files = tree(&mut Dice::new(3), 6);
    let place = tempfile::tempdir().unwrap();
    let root = place.path().join("repo");
    write_out(&root, &files);
    // A file where the cache directory should be: not writable for anybody.
    let cache = place.path().join("cache");
    std::fs::write(&cache, b"").unwrap();
    let tree = tree_of(&root, &files, StagedSet::new());
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let answer = runtime
        .block_on(backend(Some(&cache)).search(&tree, &SearchQuery::new(Mode::Map, ""), &CallContext::new()))
        .unwrap();
    assert!(
        answer.findings.iter().any(|f| f.id == "search_code.cache"),
        "{:?}",
        answer.findings
    );
    assert!(answer.map.unwrap().totals.files > 0);
}

#[test]
fn an_index_that_cannot_be_saved_leaves_no_part_behind() {
    let files = tree(&mut Dice::new(5), 6);
    let place = tempfile::tempdir().unwrap();
    let (root, cache) = (place.path().join("repo"), place.path().join("cache"));
    write_out(&root, &files);
    let tree = tree_of(&root, &files, StagedSet::new());
    let query = SearchQuery::new(Mode::Map, "");
    let right = ask(&backend(Some(&cache)), &tree, &query);
    let mut slot = cache.join("native");
    while !slot.join("pointer").exists() {
        slot = std::fs::read_dir(slot).unwrap().next().unwrap().unwrap().path();
    }
    // A directory in the pointer's place: every part can be written, and the last step fails.
    for entry in std::fs::read_dir(&slot).unwrap() {
        std::fs::remove_file(entry.unwrap().path()).unwrap();
    }
    std::fs::create_dir_all(slot.join("pointer/in the way")).unwrap();
    // What a writer left that was killed in the middle.
    std::fs::write(slot.join(".new-half"), "half").unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let found = runtime
        .block_on(backend(Some(&cache)).search(&tree, &query, &CallContext::new()))
        .unwrap();
    assert!(
        found.findings.iter().any(|f| f.id == "search_code.cache"),
        "{:?}",
        found.findings
    );
    let mut left: Vec<_> = std::fs::read_dir(&slot)
        .unwrap()
        .map(|e| e.unwrap().file_name())
        .collect();
    left.sort();
    assert_eq!(left, ["lock", "pointer"]);
    std::fs::remove_dir_all(slot.join("pointer")).unwrap();
    assert_eq!(ask(&backend(Some(&cache)), &tree, &query), right);
}

#[test]
fn a_no_says_what_was_not_searched() {
    let place = tempfile::tempdir().unwrap();
    let root = place.path().join("repo");
    let head = "def hidden():\n    pass\n".repeat(500);
    let files = Files::from([
        ("good.py".into(), "def good():\n    pass\n".into()),
        ("long.py".into(), head.clone()),
    ]);
    write_out(&root, &files);
    let bytes = understory_tree_reader::MAX_BYTES + 1;
    let long = std::fs::File::options().write(true).open(root.join("long.py")).unwrap();
    long.set_len(bytes).unwrap();
    std::fs::write(root.join("blob.py"), b"\0").unwrap();
    let mut disk: BTreeMap<RepoPath, TreeEntry> = tree_of(&root, &files, StagedSet::new()).disk().as_ref().clone();
    disk.get_mut(&RepoPath::new("long.py").unwrap()).unwrap().size = bytes;
    let entry = |size| TreeEntry {
        kind: EntryKind::File,
        executable: false,
        size,
        hash: ContentHash::of(b"x"),
    };
    disk.insert(RepoPath::new("blob.py").unwrap(), entry(1));
    disk.insert(RepoPath::new("gone.py").unwrap(), entry(1));
    let walk = NotSearched {
        unreadable: 2,
        nested: 3,
        bad_name: 4,
        ..NotSearched::default()
    };
    let tree = Tree::new(root, false, None, Arc::new(disk), StagedSet::new(), walk);
    let expected = NotSearched {
        unreadable: 3,
        too_large: 1,
        binary: 1,
        nested: 3,
        bad_name: 4,
        ..NotSearched::default()
    };
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let mut skeleton = SearchQuery::new(Mode::Skeleton, "");
    skeleton.file = RepoPath::new("none.py").unwrap();
    for (query, says) in [
        (SearchQuery::new(Mode::Callers, "hidden"), true),
        (skeleton, true),
        (SearchQuery::new(Mode::Grep, "("), false),
    ] {
        let Err(SearchError::Refused(refusal)) =
            runtime.block_on(backend(None).search(&tree, &query, &CallContext::new()))
        else {
            panic!("{query:?} is refused");
        };
        assert_eq!(refusal.not_searched(), says.then_some(&expected), "{refusal}");
    }
    for query in [
        SearchQuery::new(Mode::Grep, "hidden"),
        SearchQuery::new(Mode::Callers, "good"),
    ] {
        let found = runtime
            .block_on(backend(None).search(&tree, &query, &CallContext::new()))
            .unwrap();
        assert_eq!((found.counts.total, found.not_searched), (0, expected));
    }
}

#[test]
fn cancelled_calls_say_so_and_leave_the_next_one_whole() {
    let files = tree(&mut Dice::new(11), 20);
    let place = tempfile::tempdir().unwrap();
    let root = place.path().join("repo");
    write_out(&root, &files);
    let tree = tree_of(&root, &files, StagedSet::new());
    let native = backend(Some(&place.path().join("cache")));
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let cx = CallContext::new();
    cx.cancel.cancel();
    let query = SearchQuery::new(Mode::Callers, "load");
    let cancelled = runtime.block_on(native.search(&tree, &query, &cx));
    assert!(matches!(cancelled, Err(SearchError::Cancelled)), "{cancelled:?}");
    assert_eq!(ask(&native, &tree, &query), ask(&backend(None), &tree, &query));
}
