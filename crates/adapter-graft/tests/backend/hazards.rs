//! What would lead Graft astray, or let it write where it must not.

use crate::support::{Host, code, names, query, questions};
use serde_json::{Value, json};
use std::fs;
use understory_core::RefusalCode;
use understory_core::RepoPath;
use understory_core::answer::IndexState;
use understory_core::query::Mode;
use understory_ports::{CallContext, CodeSearch};

#[tokio::test]
async fn the_repository_keeps_its_bytes_and_the_index_lies_outside() {
    let host = Host::new();
    host.write(".gitignore", "*.log\n");
    let before = host.contents();
    let backend = host.backend(&[]);
    let staged = host
        .tree(&json!({"src/new.py": "def fresh(x):\n    return leaf(x)\n"}))
        .await;
    for question in questions() {
        host.ask(&backend, &question).await.unwrap();
        backend.search(&staged, &question, &CallContext::new()).await.unwrap();
    }
    drop(backend);
    assert_eq!(host.contents(), before);
    let mut left: Vec<_> = fs::read_dir(host.path(""))
        .unwrap()
        .map(|e| e.unwrap().file_name())
        .collect();
    left.sort();
    assert_eq!(left, ["cache", "repo"]);
}

#[tokio::test]
async fn a_root_that_holds_repositories_is_written_out() {
    let host = Host::new();
    for child in ["one", "two"] {
        host.write(&format!("{child}/.git/HEAD"), "ref: refs/heads/main\n");
        host.write(&format!("{child}/a.py"), "x = 1\n");
    }
    let before = host.contents();
    let backend = host.backend(&[]);
    let answer = host.ask(&backend, &query(Mode::Callers, "leaf")).await.unwrap();
    assert_eq!(names(&answer), ["middle", "ring"]);
    assert!(
        answer.findings.iter().any(|f| f.id == "graft.written_out"),
        "{:?}",
        answer.findings
    );
    assert_eq!(host.contents(), before, "no ignore rule and no index in the children");
    let start = host.starts().pop().unwrap();
    let root = start["argv"]
        .as_array()
        .unwrap()
        .last()
        .unwrap()
        .as_str()
        .unwrap()
        .to_owned();
    assert!(root.starts_with(host.cache().to_str().unwrap()), "{root}");
    // It is a repository of its own: no ignore rule of one that encloses the cache has a say in which files it has.
    assert!(std::path::Path::new(&root).join(".git").exists());
}

#[tokio::test]
async fn settings_in_the_repository_have_no_say() {
    let host = Host::new();
    host.write(".graft/config.json", r#"{"index": "nothing"}"#);
    let backend = host.backend(&[]);
    let answer = host.ask(&backend, &query(Mode::Callers, "leaf")).await.unwrap();
    assert_eq!(names(&answer), ["middle", "ring"]);
    // Nor has one that is staged.
    let host = Host::new();
    let backend = host.backend(&[]);
    let tree = host.tree(&json!({".graft/config.json": "nothing"})).await;
    let answer = backend
        .search(&tree, &query(Mode::Callers, "leaf"), &CallContext::new())
        .await
        .unwrap();
    assert_eq!(names(&answer), ["middle", "ring"]);
}

#[tokio::test]
async fn variables_in_the_repository_are_not_read() {
    let host = Host::new();
    let stolen = host.path("stolen");
    host.write(".env", &format!("GRAFT_DIR={}\nSECRET=1\n", stolen.display()));
    let backend = host.backend(&[]);
    for question in questions() {
        let answer = host.ask(&backend, &question).await.unwrap();
        assert!(answer.hits.iter().all(|hit| hit.symbol.path.as_str() != ".env"));
    }
    assert!(!stolen.exists());
    let answer = host.ask(&backend, &query(Mode::Grep, "SECRET")).await.unwrap();
    assert_eq!(answer.counts.total, 0, "a protected file is searched by nobody");
}

#[tokio::test]
async fn an_index_that_is_gone_is_made_again_and_never_an_empty_answer() {
    let host = Host::new();
    let backend = host.backend(&[]);
    host.ask(&backend, &query(Mode::Ask, "ring")).await.unwrap();
    drop(backend);
    let wiring = || {
        let repository = fs::read_dir(host.cache().join("graft/index"))
            .unwrap()
            .next()
            .unwrap()
            .unwrap()
            .path();
        let slot = fs::read_dir(repository)
            .unwrap()
            .map(|e| e.unwrap().path())
            .find(|p| p.is_dir())
            .unwrap();
        slot.join("graft/.graph/wiring.json")
    };
    fs::remove_file(wiring()).unwrap();
    let backend = host.backend(&[]);
    let answer = host.ask(&backend, &query(Mode::Ask, "ring")).await.unwrap();
    assert_eq!((names(&answer)[0], answer.index), ("ring", Some(IndexState::Built)));
    drop(backend);
    // One that cannot be read is made again too.
    fs::write(wiring(), "{\"nodes\": [").unwrap();
    let answer = host.ask(&host.backend(&[]), &query(Mode::Ask, "ring")).await.unwrap();
    assert_eq!(names(&answer)[0], "ring");
    assert_eq!(host.builds(), 3);
}

#[tokio::test]
async fn a_build_that_leaves_no_graph_is_no_index() {
    let host = Host::new();
    let (found, message) = code(host.ask(&host.backend(&["@no-graph"]), &query(Mode::Ask, "ring")).await);
    assert_eq!(found, RefusalCode::NoIndex);
    assert!(
        message.contains("left no graph") && !message.contains(host.path("").to_str().unwrap()),
        "{message}"
    );
    let (found, message) = code(
        host.ask(&host.backend(&["@fail:build"]), &query(Mode::Ask, "ring"))
            .await,
    );
    assert_eq!(found, RefusalCode::NoIndex);
    assert!(message.contains("something broke in <repo>"), "{message}");
    // The next question tries again.
    let answer = host.ask(&host.backend(&[]), &query(Mode::Ask, "ring")).await.unwrap();
    assert_eq!(answer.index, Some(IndexState::Built));
}

#[tokio::test]
async fn more_hits_than_graft_collects_are_a_lower_bound() {
    let host = Host::new();
    host.write("a/many.py", &"x = needle\n".repeat(299));
    host.write("b/more.py", &"x = needle\n".repeat(2));
    host.write("c.txt", "needle\n");
    let backend = host.backend(&[]);
    let answer = host.ask(&backend, &query(Mode::Grep, "needle")).await.unwrap();
    assert_eq!((answer.counts.total, answer.counts.exact), (301, false));
    let said = answer.findings.iter().find(|f| f.id == "graft.grep_cut").unwrap();
    assert!(said.message.contains("met 1 more"), "{said:?}");
    // A scope gives all of it.
    let mut scoped = query(Mode::Grep, "needle");
    scoped.scope = RepoPath::new("b").unwrap();
    let answer = host.ask(&backend, &scoped).await.unwrap();
    assert_eq!((answer.counts.total, answer.counts.exact), (2, true));
    // One without any indexed file is searched here alone.
    host.write("docs/x.txt", "a needle\n");
    scoped.scope = RepoPath::new("docs").unwrap();
    let answer = host.ask(&backend, &scoped).await.unwrap();
    assert_eq!(
        (
            answer.counts.total,
            answer.counts.exact,
            answer.not_searched.unsupported
        ),
        (1, true, 1)
    );
}

#[tokio::test]
async fn files_that_graft_cannot_read_any_more_are_counted_and_said() {
    let host = Host::new();
    host.write("lib/other.py", "needle = 1\n");
    let backend = host.backend(&["@stale"]);
    let answer = host.ask(&backend, &query(Mode::Grep, "needle")).await.unwrap();
    assert_eq!(answer.not_searched.unreadable, 2);
    assert!(!answer.counts.exact, "{:?}", answer.counts);
    let said = answer.findings.iter().find(|f| f.id == "graft.stale").unwrap();
    assert!(said.message.starts_with("2 files"), "{said:?}");
    let answer = host
        .ask(&host.backend(&[]), &query(Mode::Grep, "needle"))
        .await
        .unwrap();
    assert!(answer.counts.exact && answer.not_searched.unreadable == 0);
}

/// A git that really ignores: Graft asks it for the files, and one that looks beyond the root says that there are none.
#[tokio::test]
async fn a_folder_that_an_enclosing_repository_ignores_is_searched_all_the_same() {
    let host = Host::new();
    let git = crate::support::git();
    crate::support::init(&git, &host.path(""));
    fs::write(host.path(".gitignore"), "repo/\ncache/\n").unwrap();
    let backend = crate::support::with(&host.cache(), Some(crate::support::program(&[])), None, Some(git));
    let answer = host.ask(&backend, &query(Mode::Callers, "leaf")).await.unwrap();
    assert_eq!(names(&answer), ["middle", "ring"]);
    // And so is a tree that is written out below the ignored cache.
    let tree = host
        .tree(&json!({"src/new.py": "def fresh(x):\n    return leaf(x)\n"}))
        .await;
    let answer = backend
        .search(&tree, &query(Mode::Callers, "leaf"), &CallContext::new())
        .await
        .unwrap();
    assert_eq!(names(&answer), ["middle", "ring", "fresh"]);
}

#[tokio::test]
async fn where_nothing_is_indexed_that_is_said_and_no_empty_answer_given() {
    let host = Host::new();
    host.write("rust/a.rs", "fn leaf() {}\n");
    let backend = host.backend(&[]);
    for mode in [Mode::Ask, Mode::Explore, Mode::Map] {
        let mut scoped = query(mode, "leaf");
        scoped.scope = RepoPath::new("rust").unwrap();
        let (found, message) = code(host.ask(&backend, &scoped).await);
        assert!(
            found == RefusalCode::Unsupported && message.contains("none of the 1 files"),
            "{message}"
        );
    }
    fs::remove_dir_all(host.path("repo/src")).unwrap();
    for mode in [Mode::Ask, Mode::Callers] {
        assert_eq!(
            code(host.ask(&backend, &query(mode, "leaf")).await).0,
            RefusalCode::Unsupported
        );
    }
    let answer = host.ask(&backend, &query(Mode::Grep, "fn leaf")).await.unwrap();
    assert_eq!((answer.counts.total, answer.counts.exact), (1, true));
}

#[tokio::test]
async fn lines_are_those_of_the_tree_with_any_line_end() {
    let host = Host::new();
    host.write(
        "src/dos.py",
        "def dos(x):\r\n    return leaf(x)\r\n\r\ndef other(x):\r\n    return x\r\n",
    );
    host.write(
        "src/wide.py",
        &format!("y = '{}needle{}'\n", "é".repeat(300), "z".repeat(900)),
    );
    let backend = host.backend(&[]);
    let answer = host
        .ask(&backend, &query(Mode::Grep, r"return \w+\(x\)$"))
        .await
        .unwrap();
    let lines: std::collections::BTreeMap<_, _> = answer
        .hits
        .iter()
        .flat_map(|h| h.lines.iter().map(|l| (h.symbol.name.as_str(), l.text.as_str())))
        .collect();
    assert_eq!(lines["dos"], "    return leaf(x)");
    assert_eq!(lines["ring"], "        return leaf(x)");
    assert_eq!(lines.len(), 3);
    let callers = host.ask(&backend, &query(Mode::Callers, "leaf")).await.unwrap();
    assert!(names(&callers).contains(&"dos"));
    let answer = host.ask(&backend, &query(Mode::Grep, "needle")).await.unwrap();
    let text = &answer.hits[0].lines[0].text;
    assert!(
        text.chars().count() <= 402 && text.contains("needle") && text.ends_with('…'),
        "{text}"
    );
}

#[tokio::test]
async fn files_that_are_not_of_the_tree_are_not_told_of() {
    let host = Host::new();
    host.write(".gitignore", "generated/\n");
    host.write("generated/out.py", "def made(x):\n    return leaf(x)\n");
    let backend = host.backend(&[]);
    let tree = host.tree(&Value::Null).await;
    assert!(tree.get(&RepoPath::new("generated/out.py").unwrap()).is_none());
    for question in questions()
        .into_iter()
        .chain([query(Mode::Ask, "made"), query(Mode::Grep, "made")])
    {
        let answer = host.ask(&backend, &question).await.unwrap();
        let text = serde_json::to_string(&answer).unwrap();
        assert!(!text.contains("generated/out"), "{question:?}: {text}");
    }
    assert_eq!(
        code(host.ask(&backend, &query(Mode::Callers, "made")).await).0,
        RefusalCode::NoSymbol
    );
}

#[tokio::test]
async fn what_graft_cannot_tell_is_not_made_up() {
    let host = Host::new();
    host.write(
        "lib/use.py",
        "def far(x):\n    return leaf(x)\n\n\ndef spoken(x):\n    # leaf, in words\n    return x\n",
    );
    let backend = host.backend(&[]);
    let answer = host.ask(&backend, &query(Mode::Callers, "leaf")).await.unwrap();
    let sure: Vec<_> = answer
        .hits
        .iter()
        .map(|h| (h.symbol.name.as_str(), h.confidence.unwrap()))
        .collect();
    use understory_core::answer::Confidence::{Name, Resolved};
    assert_eq!(sure, [("middle", Resolved), ("ring", Resolved), ("far", Name)]);
    assert!(!answer.counts.exact && answer.unresolved.is_none(), "{answer:?}");
    let said = answer.findings.iter().find(|f| f.id == "graft.mentions").unwrap();
    assert!(
        said.message.starts_with("2 other lines"),
        "a comment, and a text: {said:?}"
    );
    let none = host.ask(&backend, &query(Mode::Ask, "zzyzx")).await.unwrap();
    assert!(
        none.hits.is_empty() && none.findings.iter().any(|f| f.id == "graft.not_ranked"),
        "{none:?}"
    );
    assert!(!none.counts.exact, "the text of another file was not looked at");
    let said = understory_core::render::search(&query(Mode::Ask, "zzyzx"), &none, 12_000).deliver(12_000);
    assert!(
        !said.text.contains("was searched") && said.text.contains("which are not all"),
        "{}",
        said.text
    );
    // A file of no language that Graft reads.
    let (found, message) = code(host.ask(&backend, &query(Mode::Skeleton, "notes.txt")).await);
    assert!(
        found == RefusalCode::Unsupported && message.contains("read_file"),
        "{message}"
    );
    let answer = host.ask(&backend, &query(Mode::Ask, "who calls leaf")).await.unwrap();
    assert!(
        answer.findings.iter().any(|f| f.id == "graft.structural"),
        "{:?}",
        answer.findings
    );
    assert!(
        !answer.counts.exact,
        "nothing was ranked: other symbols may match the words"
    );
    assert_eq!(answer.not_searched.unsupported, 1);
    let gone = code(host.ask(&backend, &query(Mode::Callers, "notes")).await);
    assert!(
        gone.0 == RefusalCode::NoSymbol && gone.1.contains("0 lines"),
        "{}",
        gone.1
    );
}
