//! The page on the JSON form names every field that the types write, and no other.

use serde_json::Value;
use std::collections::BTreeSet;
use understory_core::answer::*;
use understory_core::fingerprint::Fingerprint;
use understory_core::query::{ListQuery, Mode, ReadQuery, SearchQuery, TextQuery};
use understory_core::refusal::{Refusal, RefusalCode};
use understory_core::{Limits, RepoPath};

fn page() -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/json.md");
    std::fs::read_to_string(path).unwrap()
}

/// Fields in the first column of the page's tables that have a type in the second.
fn documented(page: &str) -> BTreeSet<String> {
    page.lines()
        .filter(|l| l.starts_with("| `") && l.split('|').count() == 5)
        .filter_map(|l| l.split('`').nth(1))
        .map(str::to_owned)
        .collect()
}

fn symbol() -> Symbol {
    Symbol {
        path: RepoPath::new("a.py").unwrap(),
        start: 1,
        end: 2,
        kind: "function".into(),
        name: "f".into(),
        qualified: "f".into(),
        signature: "def f()".into(),
        in_degree: 1,
        scope: RepoPath::root(),
        staged: false,
    }
}

/// An answer in which nothing is absent but what other tools have.
fn full(tool: &str, request: Request) -> ToolAnswer {
    ToolAnswer {
        schema: SCHEMA,
        ok: true,
        tool: tool.into(),
        request,
        backend: None,
        tree: Some(TreeInfo {
            fingerprint: Fingerprint([0; 32]),
            staged: 0,
            index: Some(IndexState::Built),
        }),
        subjects: None,
        hits: None,
        payload: None,
        call_paths: None,
        map: None,
        counts: Some(Counts::default()),
        unresolved: None,
        not_searched: Some(NotSearched {
            excluded: 1,
            ..NotSearched::default()
        }),
        suggestions: vec!["x".into()],
        refusal: None,
        findings: vec![Finding::note("x", "y")],
        text: Some("t".into()),
    }
}

fn answers() -> Vec<ToolAnswer> {
    let query = SearchQuery::from_arguments(
        &serde_json::json!({"mode": "map"}),
        &Limits::default(),
        &RepoPath::root(),
    );
    let mut search = full("search_code", Request::Search(query.unwrap()));
    search.backend = Some(BackendIdentity {
        name: "native".into(),
        version: "1".into(),
    });
    search.subjects = Some(vec![symbol()]);
    search.hits = Some(vec![Hit {
        relation: Some(Relation::Calls),
        depth: Some(1),
        confidence: Some(Confidence::Exact),
        subject: Some(0),
        via: Some(0),
        score: Some(1.0),
        level: Some(0),
        source: Some("s".into()),
        lines: vec![Line {
            line: 1,
            text: "x".into(),
        }],
        symbol: symbol(),
    }]);
    search.call_paths = Some(vec![vec![0]]);
    search.unresolved = Some(Unresolved { sites: 1 });
    search.map = Some(MapAnswer {
        totals: MapTotals::default(),
        languages: vec![MapLanguage {
            name: "x".into(),
            files: 1,
        }],
        scopes: vec![MapScope {
            path: RepoPath::root(),
            name: "x".into(),
            kind: "npm".into(),
        }],
        dirs: vec![MapDir {
            path: RepoPath::root(),
            files: 1,
            symbols: 1,
            hubs: vec![symbol()],
        }],
        hotspots: vec![symbol()],
        entry_points: vec![symbol()],
    });
    let path = || RepoPath::new("a.py").unwrap();
    let other = |value: Value| Request::Other(value);
    let mut text = full(
        "search_text",
        other(
            serde_json::to_value(TextQuery {
                pattern: "x".into(),
                path: path(),
                limit: 1,
            })
            .unwrap(),
        ),
    );
    text.payload = Some(Payload::Text {
        matches: vec![TextMatch {
            path: path(),
            line: 1,
            text: "x".into(),
            staged: false,
        }],
    });
    let mut read = full(
        "read_file",
        other(
            serde_json::to_value(ReadQuery {
                path: path(),
                start: 1,
                end: 0,
            })
            .unwrap(),
        ),
    );
    read.payload = Some(Payload::Read(ReadAnswer {
        path: path(),
        start: 1,
        end: 1,
        total_lines: 1,
        content: "x".into(),
        staged: false,
    }));
    let mut list = full(
        "list_files",
        other(
            serde_json::to_value(ListQuery {
                path: path(),
                glob: "*".into(),
            })
            .unwrap(),
        ),
    );
    list.payload = Some(Payload::List { paths: vec![path()] });
    let mut staged = full("stage_write", other(serde_json::json!({"path": "a.py", "bytes": 1})));
    staged.payload = Some(Payload::Staged {
        changes: vec![StagedEntry {
            path: path(),
            change: "write".into(),
            bytes: Some(1),
        }],
    });
    let mut refused = full("read_file", Request::Other(Value::Null));
    refused.refusal = Some(Refusal::new(RefusalCode::BadMode, "x"));
    vec![search, text, read, list, staged, refused]
}

/// Every field of a value, by its path; a symbol's fields have one place on the page.
fn fields(value: &Value, at: &str, out: &mut BTreeSet<String>) {
    match value {
        Value::Object(object) => {
            let at = if object.contains_key("in_degree") { "symbol" } else { at };
            for (key, inner) in object {
                let path = if at.is_empty() {
                    key.clone()
                } else {
                    format!("{at}.{key}")
                };
                fields(inner, &path, out);
                out.insert(path);
            }
        }
        Value::Array(items) => items.iter().for_each(|i| fields(i, &format!("{at}[]"), out)),
        _ => {}
    }
}

#[test]
fn every_field_is_on_the_page_and_no_other() {
    let mut written = BTreeSet::new();
    for answer in answers() {
        fields(&serde_json::to_value(&answer).unwrap(), "", &mut written);
    }
    let documented = documented(&page());
    let missing: Vec<_> = written.difference(&documented).collect();
    let invented: Vec<_> = documented.difference(&written).collect();
    assert!(missing.is_empty(), "docs/json.md lacks {missing:?}");
    assert!(
        invented.is_empty(),
        "docs/json.md describes what no answer has: {invented:?}"
    );
}

#[test]
fn every_code_and_mode_is_on_the_page() {
    let page = page();
    for code in RefusalCode::ALL {
        assert!(page.contains(&format!("`{code}`")), "docs/json.md lacks {code}");
    }
    for mode in Mode::ALL {
        assert!(
            page.contains(&format!("`{}`", mode.as_str())),
            "docs/json.md lacks {}",
            mode.as_str()
        );
    }
}
