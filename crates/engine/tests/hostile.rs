//! Files made to be slow: everything here would take hours, or more memory than there is, if any step were quadratic.

use std::collections::BTreeSet;
use understory_engine::extract::{CONTAINER, SCOPE_DEPTH, SHORTENED, extract};
use understory_engine::facts::{FileFacts, Kind, Role};
use understory_engine::index::key::symbol_keys;
use understory_engine::languages;
use understory_engine::resolve::tables::{SPACE_KEY, Summary};

fn facts(path: &str, text: &str) -> FileFacts {
    let language = languages::detect(path, text).expect("the extension is known");
    extract(language, text)
}

/// The most scopes inside each other.
fn depth(facts: &FileFacts) -> usize {
    let mut depths: Vec<usize> = Vec::with_capacity(facts.scopes.len());
    for scope in &facts.scopes {
        depths.push(scope.parent.map_or(1, |p| depths[p as usize] + 1));
    }
    depths.into_iter().max().unwrap_or(0)
}

#[test]
fn deep_nesting_keeps_every_definition_and_bounds_what_is_stored_of_each() {
    const N: usize = 10_000;
    let nested = |open: &str, close: &str| {
        let mut text: String = (0..N).map(|i| open.replace('#', &i.to_string())).collect();
        text.push_str(&close.repeat(N));
        text
    };
    for (path, open, close) in [
        ("a.java", "class C# {\n", "}"),
        ("a.ts", "namespace C# {\n", "}"),
        ("a.js", "function C#() {\n", "}"),
        ("a.rs", "mod C# {\n", "}"),
        ("a.cpp", "struct C# {\n", "};"),
        ("a.cs", "class C# {\n", "}"),
        ("a.rb", "class C#\n", "end\n"),
        ("a.lua", "function C#()\n", "end "),
    ] {
        let facts = facts(path, &nested(open, close));
        assert_eq!(facts.symbols.len(), N, "{path}");
        let longest = facts.names.iter().map(|n| n.len()).max();
        assert!(longest <= Some(CONTAINER + SHORTENED.len()), "{path}: {longest:?}");
        assert!(depth(&facts) <= SCOPE_DEPTH + 1, "{path}");
        let summary = Summary::new(&facts, Some(""));
        assert_eq!(summary.named.len(), N, "{path}");
        assert!(summary.spaces.iter().all(|k| k.len() <= SPACE_KEY), "{path}");
        let keys: BTreeSet<_> = symbol_keys(path, &facts).into_iter().collect();
        assert_eq!(keys.len(), N, "{path}");
        let last = facts.qualified(N as u32 - 1);
        assert!(
            last.starts_with(SHORTENED) && last.ends_with(&format!(".C{}.C{}", N - 2, N - 1)),
            "{last}"
        );
        assert_eq!(facts.qualified(1), "C0.C1", "{path}");
    }
}

#[test]
fn long_chains_of_branches_keep_every_use() {
    const N: usize = 10_000;
    for (path, head, branch, tail) in [
        ("a.c", "int f(int a) { if (a) {}", " else if (a == #) { g(a); }\n", "}"),
        (
            "a.cpp",
            "int f(int a) { if (a) {}",
            " else if (a == #) { g(a); }\n",
            "}",
        ),
        (
            "a.rs",
            "fn f(a: i32) { if a == 0 {}",
            " else if a == # { g(a); }\n",
            "}",
        ),
        (
            "a.kt",
            "fun f(a: Int) { if (a == 0) {}",
            " else if (a == #) { g(a) }\n",
            "}",
        ),
        (
            "a.js",
            "function f(a) { if (a) {}",
            " else if (a == #) { g(a); }\n",
            "}",
        ),
    ] {
        let mut text = String::from(head);
        for i in 0..N {
            text += &branch.replace('#', &i.to_string());
        }
        text += tail;
        let facts = facts(path, &text);
        let calls = facts
            .refs
            .iter()
            .filter(|r| r.role == Role::Call && facts.name(r.name) == "g");
        assert_eq!(calls.count(), N, "{path}");
        assert!(depth(&facts) <= SCOPE_DEPTH + 1, "{path}");
    }
}

#[test]
fn long_expressions_and_lists_are_read_to_the_end() {
    const N: usize = 20_000;
    let sum = vec!["g(a)"; N].join("+");
    let chain: String = (0..N).map(|i| format!(".b{}()", i % 7)).collect();
    let brackets = format!("{}a{}", "(".repeat(2 * N), ")".repeat(2 * N));
    for (path, head, tail) in [
        ("a.py", "def f(a):\n    return ", "\n"),
        ("a.js", "function f(a) { return ", "; }"),
        ("a.java", "class A { int f(int a) { return ", "; } }"),
        ("a.c", "int f(int a) { return ", "; }"),
        ("a.go", "package p\nfunc f(a int) int { return ", " }"),
        ("a.rs", "fn f(a: i32) -> i32 { ", " }"),
    ] {
        let calls = |text: &str| {
            let facts = facts(path, text);
            facts.refs.iter().filter(|r| r.role == Role::Call).count()
        };
        assert_eq!(calls(&format!("{head}{sum}{tail}")), N, "{path}");
        assert_eq!(calls(&format!("{head}a{chain}{tail}")), N, "{path}");
        let deep = facts(path, &format!("{head}{brackets}{tail}"));
        assert!(deep.symbols.iter().any(|s| deep.name(s.name) == "f"), "{path}");
    }
}

#[test]
fn many_comments_attributes_and_declarators() {
    const N: usize = 50_000;
    let comments = facts("a.py", &format!("{}def f():\n    pass\n", "# c\n".repeat(N)));
    assert!(!comments.symbols[0].doc.is_empty());
    let attributes = facts("a.rs", &format!("{}fn f() {{}}\n", "#[a]\n".repeat(N)));
    assert_eq!(attributes.symbols[0].start, 1);
    let list: Vec<String> = (0..N / 2).map(|i| format!("a{i}")).collect();
    let declared = facts("a.c", &format!("int {};\n", list.join(",")));
    let variables = declared.symbols.iter().filter(|s| s.kind == Kind::Variable);
    assert_eq!(variables.count(), N / 2);
    assert!(declared.symbols.iter().all(|s| s.signature.chars().count() <= 300));
}

#[test]
fn one_name_that_is_bound_over_and_over() {
    const N: usize = 20_000;
    let python = facts("a.py", &format!("def f():\n{}", "    x = x.g()\n".repeat(N)));
    assert_eq!(python.refs.iter().filter(|r| r.role == Role::Call).count(), N);
    let rust = facts("a.rs", &format!("fn f() {{\n{}}}\n", "    let x = x.g();\n".repeat(N)));
    assert_eq!(rust.refs.iter().filter(|r| r.role == Role::Call).count(), N);
}
