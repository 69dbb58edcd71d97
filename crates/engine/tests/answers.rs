//! What an agent reads first: the order of hits, one hit for a declaration and its definition, and where programs start.

#[allow(dead_code, reason = "shared with tests that use other parts")]
mod common;

use common::{Files, InMemory, index};
use understory_core::answer::{Answer, Confidence, Symbol};
use understory_core::query::{Direction, Mode, SearchQuery};
use understory_engine::query::{answer, view::View};

fn files<const N: usize>(list: [(&str, &str); N]) -> Files {
    list.map(|(path, text)| (path.to_owned(), text.to_owned())).into()
}

fn ask(files: &Files, query: &SearchQuery) -> Answer {
    let index = index(None, files);
    let texts = InMemory(files);
    let view = View::new(&index, &texts, &|_| false, &|| false);
    answer(&view, query).expect("it is answered")
}

fn at(symbol: &Symbol) -> String {
    format!("{}:{} {}", symbol.path.as_str(), symbol.start, symbol.qualified)
}

fn hits(answer: &Answer) -> Vec<String> {
    answer.hits.iter().map(|h| at(&h.symbol)).collect()
}

#[test]
fn what_only_shares_a_name_comes_after_what_is_called() {
    let files = files([
        (
            "lib/base.rb",
            "class Base\n  def dispatch!\n    @list.each { |x| x }\n    route!\n    static!\n  end\n\n  def route!\n  end\n\n  def static!\n  end\nend\n",
        ),
        ("lib/headers.rb", "class Headers\n  def each\n  end\nend\n"),
        ("lib/body.rb", "class Body\n  def each\n  end\nend\n"),
    ]);
    let mut query = SearchQuery::new(Mode::Callers, "Base.dispatch!");
    query.direction = Direction::Out;
    let found = ask(&files, &query);
    assert_eq!(
        hits(&found),
        [
            "lib/base.rb:8 Base.route!",
            "lib/base.rb:11 Base.static!",
            "lib/body.rb:2 Body.each",
            "lib/headers.rb:2 Headers.each"
        ]
    );
    let named = |h: &understory_core::answer::Hit| h.confidence == Some(Confidence::Name);
    assert_eq!(found.hits.iter().filter(|h| named(h)).count(), 2);
}

#[test]
fn a_total_that_leaves_namesakes_out_is_a_lower_bound() {
    for (classes, exact) in [(200, true), (201, false)] {
        let bodies: String = (0..classes)
            .map(|n| format!("class C{n}\n  def each\n  end\nend\n"))
            .collect();
        let files = files([
            (
                "lib/base.rb",
                "class Base\n  def run\n    @list.each { |x| x }\n  end\nend\n",
            ),
            ("lib/many.rb", &bodies),
        ]);
        let mut query = SearchQuery::new(Mode::Callers, "Base.run");
        query.direction = Direction::Out;
        let found = ask(&files, &query);
        assert_eq!((found.counts.total, found.counts.exact), (200, exact), "{classes}");
        assert_eq!(found.findings.iter().any(|f| f.id == "search_code.cut"), !exact);
    }
}

/// A function that is declared in one place and defined in another, and what uses it.
fn declared() -> [(&'static str, Files, &'static str, &'static str, &'static str); 4] {
    [
        (
            "a prototype of C",
            files([
                (
                    "src/store.h",
                    "/* Merges the shards. */\nint merge_shards(int first, char *name);\n",
                ),
                (
                    "src/store.c",
                    "#include \"store.h\"\n\nint merge_shards(int first, char *name) {\n  return first;\n}\n",
                ),
                (
                    "src/main.c",
                    "#include \"store.h\"\n\nint run_all(void) {\n  return merge_shards(1, 0);\n}\n",
                ),
            ]),
            "merge_shards",
            "src/store.c:3 merge_shards",
            "src/main.c:3 run_all",
        ),
        (
            "a member of C++",
            files([
                (
                    "src/store.h",
                    "class Store {\n public:\n  int MergeShards(int first);\n};\n",
                ),
                (
                    "src/store.cc",
                    "#include \"store.h\"\n\nint Store::MergeShards(int first) {\n  return first;\n}\n",
                ),
                (
                    "src/main.cc",
                    "#include \"store.h\"\n\nint RunAll(Store* store) {\n  return store->MergeShards(1);\n}\n",
                ),
            ]),
            "MergeShards",
            "src/store.cc:3 Store.MergeShards",
            "src/main.cc:3 RunAll",
        ),
        (
            "overloads of TypeScript",
            files([
                (
                    "src/store.ts",
                    "export function mergeShards(first: number): number;\nexport function mergeShards(first: string): string;\nexport function mergeShards(first: any): any {\n  return first;\n}\n",
                ),
                (
                    "src/main.ts",
                    "import { mergeShards } from './store';\n\nexport function runAll() {\n  return mergeShards(1);\n}\n",
                ),
            ]),
            "mergeShards",
            "src/store.ts:3 mergeShards",
            "src/main.ts:3 runAll",
        ),
        (
            "overloads of Python",
            files([
                (
                    "store.py",
                    "from typing import overload\n\n\n@overload\ndef merge_shards(first: int) -> int: ...\n\n\n@overload\ndef merge_shards(first: str) -> str: ...\n\n\ndef merge_shards(first):\n    return first\n",
                ),
                (
                    "main.py",
                    "from store import merge_shards\n\n\ndef run_all():\n    return merge_shards(1)\n",
                ),
            ]),
            "merge_shards",
            "store.py:12 merge_shards",
            "main.py:4 run_all",
        ),
    ]
}

#[test]
fn a_declaration_and_its_definition_are_one_hit() {
    for (what, files, name, definition, user) in declared() {
        for mode in [Mode::Ask, Mode::Explore] {
            let found = ask(
                &files,
                &SearchQuery::new(mode, "where are the shards merged in run all"),
            );
            let own: Vec<String> = hits(&found).into_iter().filter(|h| h.ends_with(name)).collect();
            assert_eq!(own, [definition], "{what}, {mode:?}");
            if mode == Mode::Explore {
                let place = |text: &str| hits(&found).iter().position(|h| h == text);
                let (user, definition) = (place(user), place(definition));
                assert_eq!(
                    found.call_paths,
                    Some(vec![vec![user.unwrap(), definition.unwrap()]]),
                    "{what}"
                );
            }
        }
        let map = ask(&files, &SearchQuery::new(Mode::Map, "")).map.unwrap();
        let own: Vec<String> = map.hotspots.iter().map(at).filter(|h| h.ends_with(name)).collect();
        assert_eq!(own, [definition], "{what}, map");
    }
}

#[test]
fn callers_of_a_name_that_is_declared_and_defined_are_told_once() {
    for (what, files, name, definition, user) in declared() {
        let found = ask(&files, &SearchQuery::new(Mode::Callers, name));
        assert_eq!(found.subjects.len(), 1, "{what}");
        let line = definition.split([':', ' ']).nth(1).unwrap().parse().unwrap();
        // In Python the overloads are a part of the function.
        let first = if what.ends_with("Python") { 4 } else { line };
        assert_eq!(found.subjects[0].start, first, "{what}");
        let users: Vec<String> = hits(&found).into_iter().filter(|h| h == user).collect();
        assert_eq!(users, [user], "{what}");
        let mut out = SearchQuery::new(Mode::Callers, user.rsplit(' ').next().unwrap());
        out.direction = Direction::Out;
        let called: Vec<String> = hits(&ask(&files, &out))
            .into_iter()
            .filter(|h| h.ends_with(name))
            .collect();
        let whole = definition.replace(&format!(":{line} "), &format!(":{first} "));
        assert_eq!(called, [whole], "{what}");
    }
}

#[test]
fn a_declaration_without_a_definition_is_a_hit() {
    let files = files([
        ("api.h", "/* Opens the valve. */\nint open_valve(int wide);\n"),
        (
            "use.c",
            "#include \"api.h\"\n\nint drain(void) {\n  return open_valve(2);\n}\n",
        ),
    ]);
    let found = ask(&files, &SearchQuery::new(Mode::Ask, "open the valve"));
    assert_eq!(hits(&found)[0], "api.h:2 open_valve");
}

#[test]
fn each_declaration_of_an_overloaded_member_goes_to_its_own_definition() {
    let files = files([
        (
            "log.h",
            "class Log {\n public:\n  void Append(int number);\n  void Append(const char* text, int length);\n};\n",
        ),
        (
            "log.cc",
            "#include \"log.h\"\n\nvoid Log::Append(const char* text, int length) {\n}\n\nvoid Log::Append(int number) {\n}\n",
        ),
        (
            "use.cc",
            "#include \"log.h\"\n\nvoid Number(Log* log) {\n  log->Append(1);\n}\n\nvoid Text(Log* log) {\n  log->Append(\"a\", 1);\n}\n",
        ),
    ]);
    let found = ask(&files, &SearchQuery::new(Mode::Callers, "Log.Append"));
    let subjects: Vec<String> = found.subjects.iter().map(at).collect();
    assert_eq!(subjects, ["log.cc:3 Log.Append", "log.cc:6 Log.Append"]);
    let uses: Vec<(&str, Option<usize>)> = found.hits.iter().map(|h| (&*h.symbol.name, h.subject)).collect();
    assert_eq!(uses, [("Number", Some(1)), ("Text", Some(0))]);
    let found = ask(&files, &SearchQuery::new(Mode::Ask, "append to the log"));
    let mut own = hits(&found);
    own.retain(|h| h.ends_with("Append"));
    own.sort();
    assert_eq!(own, ["log.cc:3 Log.Append", "log.cc:6 Log.Append"]);
}

/// What a declaration says is said of the definition whose parameters agree with it, and of the nearest of those.
#[test]
fn a_declaration_speaks_for_the_definition_that_agrees_and_lies_nearest() {
    let files = files([
        (
            "log/log.h",
            "class Log {\n public:\n  // Shreds the paper.\n  void Append(int number);\n  // Waters the plants.\n  void Append(const char* text);\n  // Counts the stars.\n  void Append(std::size_t first, std::size_t last);\n};\n",
        ),
        (
            "log/log.cc",
            "#include \"log.h\"\n\nvoid Log::Append(const char* bytes) {\n}\n\nvoid Log::Append(size_t begin, size_t end) {\n}\n\nvoid Log::Append(int value) {\n}\n",
        ),
        ("one/run.h", "/* Feeds the cats. */\nint start_up(void);\n"),
        ("one/run.c", "int start_up(void) {\n  return 1;\n}\n"),
        ("two/run.h", "/* Walks the dogs. */\nint start_up(void);\n"),
        ("two/run.c", "int start_up(void) {\n  return 2;\n}\n"),
    ]);
    for (words, expected) in [
        ("shreds paper", "log/log.cc:9 Log.Append"),
        ("waters plants", "log/log.cc:3 Log.Append"),
        ("counts stars", "log/log.cc:6 Log.Append"),
        ("feeds cats", "one/run.c:1 start_up"),
        ("walks dogs", "two/run.c:1 start_up"),
    ] {
        let found = ask(&files, &SearchQuery::new(Mode::Ask, words));
        assert_eq!(hits(&found)[0], expected, "{words}");
    }
}

#[test]
fn what_lies_between_two_symbols_is_shown_once() {
    let files = files([(
        "walk.py",
        "from typing import overload\n\n\ndef start_engine():\n    return turn(1)\n\n\n@overload\ndef turn(by: int) -> int: ...\n\n\n@overload\ndef turn(by: str) -> str: ...\n\n\ndef turn(by):\n    return spin_wheels()\n\n\ndef spin_wheels():\n    pass\n",
    )]);
    let mut query = SearchQuery::new(Mode::Explore, "start engine spin wheels");
    query.limit = 2;
    let found = ask(&files, &query);
    let mut all = hits(&found);
    all.sort();
    assert_eq!(
        all,
        ["walk.py:16 turn", "walk.py:20 spin_wheels", "walk.py:4 start_engine"]
    );
    let longest = found.call_paths.unwrap().into_iter().max_by_key(Vec::len).unwrap();
    let path: Vec<&str> = longest.iter().map(|&i| &*found.hits[i].symbol.name).collect();
    assert_eq!(path, ["start_engine", "turn", "spin_wheels"]);
}

#[test]
fn a_header_counts_for_the_language_around_it() {
    let files = files([
        ("src/a.c", "int a(void) { return 1; }\n"),
        ("src/a.h", "int a(void);\n"),
        ("wrap/w.cc", "int w() { return 1; }\n"),
        ("wrap/w.h", "int w();\n"),
        ("src/class.h", "class A { int b; };\n"),
    ]);
    let map = ask(&files, &SearchQuery::new(Mode::Map, "")).map.unwrap();
    let languages: Vec<(&str, u64)> = map.languages.iter().map(|l| (&*l.name, l.files)).collect();
    assert_eq!(languages, [("cpp", 3), ("c", 2)]);
}

#[test]
fn a_program_is_an_entry_point_before_all_else_and_the_load_of_a_package_is_none() {
    let go = files([
        ("go.mod", "module example.org/app\n"),
        ("core/app.go", "package core\n\nfunc init() {\n}\n\nfunc Start() {\n}\n"),
        (
            "core/other.go",
            "package core\n\nfunc init() {\n\tStart()\n}\n\nfunc Stop() {\n}\n",
        ),
        (
            "cmd/zz/main.go",
            "package main\n\nimport \"example.org/app/core\"\n\nfunc main() {\n\tcore.Start()\n\tcore.Stop()\n}\n",
        ),
        (
            "examples/demo/main.go",
            "package main\n\nimport \"example.org/app/core\"\n\nfunc main() {\n\tcore.Start()\n\tcore.Stop()\n}\n",
        ),
        ("cmd/aa/main.go", "package main\n\nfunc main() {\n}\n"),
        ("scripts/gen.go", "package main\n\nfunc main() {\n}\n"),
    ]);
    let entries = |files: &Files| {
        let map = ask(files, &SearchQuery::new(Mode::Map, "")).map.unwrap();
        map.entry_points.iter().map(at).collect::<Vec<String>>()
    };
    assert_eq!(
        entries(&go),
        [
            "cmd/zz/main.go:5 main",
            "cmd/aa/main.go:3 main",
            "examples/demo/main.go:5 main",
            "scripts/gen.go:3 main"
        ]
    );
    let python = files([
        ("app/__main__.py", "from app.cli import start\n\nstart()\n"),
        ("app/cli.py", "def start():\n    pass\n"),
    ]);
    assert_eq!(entries(&python), ["app/__main__.py:1 app/__main__.py"]);
    let scripts = files([
        (
            "bin/serve",
            "#!/usr/bin/env ruby\nrequire_relative '../lib/app'\nApp.new\n",
        ),
        ("bin/tool.sh", "#!/bin/bash\nmain() {\n  echo 1\n}\nmain\n"),
        ("lib/app.rb", "class App\nend\n"),
        ("bin/data.json", "{}\n"),
    ]);
    assert_eq!(entries(&scripts), ["bin/serve:1 bin/serve", "bin/tool.sh:2 main"]);
}

#[test]
fn a_hub_is_named_once_and_not_by_its_constructor_or_what_overrides_it() {
    let files = files([
        (
            "shapes.py",
            "class Shape:\n    def __init__(self, size):\n        self.size = size\n\n    def area(self):\n        return 0\n\n\nclass Square(Shape):\n    def area(self):\n        return 4\n\n    def corner(self):\n        return 1\n",
        ),
        (
            "use.py",
            "from shapes import Shape, Square\n\n\ndef one(s: Shape):\n    return s.area() + Shape(1).area()\n\n\ndef two(s: Shape):\n    return s.area() + Shape(2).area()\n\n\ndef three(q: Square):\n    return q.corner()\n",
        ),
    ]);
    let map = ask(&files, &SearchQuery::new(Mode::Map, "")).map.unwrap();
    let hubs: Vec<&str> = map.hotspots.iter().map(|h| &*h.qualified).collect();
    assert_eq!(hubs, ["Shape", "Shape.area", "Square", "Square.corner"]);
}

#[test]
fn a_member_that_is_used_more_than_what_it_overrides_is_a_hub() {
    let files = files([(
        "shapes.py",
        "class Shape:\n    def area(self):\n        return 0\n\n\nclass Square(Shape):\n    def area(self):\n        return 4\n\n\ndef one(s: Square):\n    return s.area()\n\n\ndef two(s: Square):\n    return s.area()\n\n\ndef three(s: Shape):\n    return s.area()\n",
    )]);
    let map = ask(&files, &SearchQuery::new(Mode::Map, "")).map.unwrap();
    assert!(map.hotspots.iter().any(|h| h.qualified == "Square.area"), "{map:?}");
}

/// Each signature of a name is folded once, however often the name is used; of a great many none is.
#[test]
fn many_signatures_that_are_used_many_times_are_told_in_time() {
    let overloads = |n: usize| {
        let signatures: String = (0..n)
            .map(|i| format!("@overload\ndef on(event: Event{i}) -> Kind{i}: ...\n"))
            .collect();
        let calls: String = (0..n).map(|i| format!("    on({i})\n")).collect();
        format!("from typing import overload\n{signatures}def on(event):\n    return event\n\ndef start():\n{calls}")
    };
    let prototypes = |n: usize| {
        let declared: String = (0..n).map(|i| format!("int on(struct s{i} *p);\n")).collect();
        let calls: String = (0..n).map(|_| "  on(0);\n".to_owned()).collect();
        format!("{declared}int on(struct s0 *p) {{ return 1; }}\nvoid start(void) {{\n{calls}}}\n")
    };
    for (path, text, folded) in [
        ("a.py", overloads(100), true),
        ("b.py", overloads(300), false),
        ("a.c", prototypes(100), true),
        ("b.c", prototypes(300), false),
    ] {
        let files = files([(path, text.as_str())]);
        let mut out = SearchQuery::new(Mode::Callers, "start");
        out.direction = Direction::Out;
        assert!(hits(&ask(&files, &out)).iter().any(|h| h.ends_with(" on")), "{path}");
        let found = ask(&files, &SearchQuery::new(Mode::Ask, "on"));
        let told = hits(&found).iter().filter(|h| h.ends_with(" on")).count();
        assert!(if folded { told == 1 } else { told > 1 }, "{path}: {told}");
    }
}
