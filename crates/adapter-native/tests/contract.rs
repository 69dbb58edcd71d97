//! The backend keeps the port's contract, and many users of one cache do not disturb each other.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use understory_adapter_native::{NativeConfig, NativeSearch};
use understory_core::answer::NotSearched;
use understory_core::guard::Guard;
use understory_core::tree::EntryKind;
use understory_core::{ContentHash, Mode, RepoPath, SearchQuery, StagedSet, Tree, TreeEntry};
use understory_ports::conformance::code_search;
use understory_ports::{CallContext, CodeSearch};

fn backend(cache: &Path) -> NativeSearch {
    NativeSearch::new(NativeConfig {
        cache: Some(cache.to_path_buf()),
        guard: Arc::new(Guard::default()),
    })
}

#[tokio::test]
async fn it_keeps_the_contract_of_code_search() {
    let place = tempfile::tempdir().unwrap();
    let made = std::sync::atomic::AtomicU32::new(0);
    let make = || -> Arc<dyn CodeSearch> {
        let n = made.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        Arc::new(backend(&place.path().join(n.to_string())))
    };
    code_search::suite(&make).await.assert_passed(&[]);
}

/// Eight backends, each as another process would be, build over one cache at once: all answer right, and nothing but the
/// finished index stays behind.
#[test]
fn many_builders_of_one_cache_agree() {
    let place = tempfile::tempdir().unwrap();
    let (root, cache) = (place.path().join("repo"), place.path().join("cache"));
    std::fs::create_dir_all(&root).unwrap();
    let mut disk = BTreeMap::new();
    for n in 0..80 {
        let text = format!("def step{n}():\n    return target()\n\ndef target{n}():\n    pass\n");
        std::fs::write(root.join(format!("m{n}.py")), &text).unwrap();
        let entry = TreeEntry {
            kind: EntryKind::File,
            executable: false,
            size: text.len() as u64,
            hash: ContentHash::of(text.as_bytes()),
        };
        disk.insert(RepoPath::new(&format!("m{n}.py")).unwrap(), entry);
    }
    let tree = Tree::new(
        root,
        false,
        None,
        Arc::new(disk),
        StagedSet::new(),
        NotSearched::default(),
    );
    let ask = |n: usize| {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let query = SearchQuery::new(Mode::Callers, format!("target{n}"));
        let found = runtime
            .block_on(backend(&cache).search(&tree, &query, &CallContext::new()))
            .unwrap();
        assert_eq!(found.subjects[0].path.as_str(), format!("m{n}.py"));
        assert!(found.findings.is_empty(), "{:?}", found.findings);
    };
    std::thread::scope(|scope| {
        for n in 0..8 {
            scope.spawn(move || ask(n));
        }
    });
    let mut left = Vec::new();
    let mut dirs = vec![cache];
    while let Some(dir) = dirs.pop() {
        for entry in std::fs::read_dir(dir).unwrap().flatten() {
            match entry.path().is_dir() {
                true => dirs.push(entry.path()),
                false => left.push(entry.file_name().into_string().unwrap()),
            }
        }
    }
    left.retain(|name| !name.ends_with(".part"));
    left.sort();
    assert_eq!(left, ["lock", "pointer", "used"]);
}
