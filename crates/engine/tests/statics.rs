//! What a C file keeps for itself is a subject of its own.

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
