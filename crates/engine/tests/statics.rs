//! Definitions that stand for others: what a C file keeps for itself, a function and its overloads.

#[allow(dead_code, reason = "shared with tests that use other parts")]
mod common;

use common::{Files, InMemory, index};
use understory_core::query::{Mode, SearchQuery};
use understory_engine::query::{answer, view::View};

/// Who references a symbol, as `path#qualified`.
fn callers(files: &Files, symbol: &str) -> Vec<String> {
    let index = index(None, files);
    let texts = InMemory(files);
    let view = View::new(&index, &texts, &|_| false, &|| false);
    let answer = answer(&view, &SearchQuery::new(Mode::Callers, symbol)).expect("the symbol is in the tree");
    let hits = answer.hits.iter().filter(|h| h.symbol.kind != "file");
    hits.map(|h| format!("{}#{}", h.symbol.path.as_str(), h.symbol.qualified))
        .collect()
}

#[test]
fn a_static_declaration_does_not_stand_for_a_function_elsewhere() {
    let files: Files = [
        ("h.h", "unsigned hash(int key);\n"),
        ("server.c", "#include \"h.h\"\nunsigned hash(int key) { return 1; }\n"),
        ("expire.c", "#include \"h.h\"\nunsigned use(void) { return hash(0); }\n"),
        (
            "bench.c",
            "static unsigned hash(int key);\nstatic unsigned hash(int key) { return 2; }\nunsigned own(void) { return hash(0); }\n",
        ),
    ]
    .map(|(path, text)| (path.to_owned(), text.to_owned()))
    .into();
    assert_eq!(callers(&files, "bench.c#hash"), ["bench.c#own"]);
    assert_eq!(callers(&files, "server.c#hash"), ["expire.c#use"]);
    assert_eq!(callers(&files, "hash"), ["bench.c#own", "expire.c#use"]);
}

#[test]
fn a_table_in_an_included_file_uses_its_functions() {
    let files: Files = [
        ("cmd.c", "void get(void) { }\n"),
        ("table.c", "void get(void);\n#include \"table.def\"\n"),
        (
            "table.def",
            "/* Generated. */\nstruct row table[] = {\n  { \"get\", get },\n};\n",
        ),
    ]
    .map(|(path, text)| (path.to_owned(), text.to_owned()))
    .into();
    assert_eq!(callers(&files, "get"), ["table.def#table"]);
}

#[test]
fn what_is_referenced_begins_at_its_first_overload_in_python() {
    let source = "import typing as t\n\n@t.overload\ndef find(a: int) -> int: ...\n@t.overload\ndef find(a: str) -> str: ...\ndef find(a):\n    return a\n\ndef main():\n    return find(1)\n";
    let files: Files = [("app.py".to_owned(), source.to_owned())].into();
    let index = index(None, &files);
    let texts = InMemory(&files);
    let view = View::new(&index, &texts, &|_| false, &|| false);
    let mut query = SearchQuery::new(Mode::Callers, "main");
    query.direction = understory_core::query::Direction::Out;
    let out = answer(&view, &query).expect("the symbol is in the tree");
    let spans: Vec<(u32, u32)> = out.hits.iter().map(|h| (h.symbol.start, h.symbol.end)).collect();
    assert_eq!(spans, [(3, 8)]);
}
