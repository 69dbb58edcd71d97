//! Chains of re-exports, aliases and values that are longer than any stack.

use crate::resolve::testing::{links_of, world};

const LONG: usize = 1000;

/// Whether the links of the file `last` hold a line.
fn check(files: &[(String, String)], last: &str, wanted: &str) {
    let files: Vec<(&str, &str)> = files.iter().map(|(p, t)| (&**p, &**t)).collect();
    let world = world(&files);
    let file = world.file(last).expect("the file is one of those given");
    let got = links_of(&world, file);
    let from = got.len().saturating_sub(4);
    assert!(got.iter().any(|line| line == wanted), "{:?}", &got[from..]);
}

fn chain(extension: &str, first: &str, link: impl Fn(usize) -> String, last: &str) -> Vec<(String, String)> {
    let mut files = vec![(format!("m0.{extension}"), first.to_owned())];
    files.extend((1..=LONG).map(|i| (format!("m{i}.{extension}"), link(i - 1))));
    files.push((format!("z.{extension}"), last.to_owned()));
    files
}

#[test]
fn a_thousand_python_modules_hand_a_name_on() {
    let def = "def f():\n    pass\n";
    let named = chain(
        "py",
        def,
        |i| format!("from m{i} import f\n"),
        "from m1000 import f\nf()\n",
    );
    check(&named, "z.py", "z.py:2 call f -> m0.py#f calls exact");
    let starred = chain(
        "py",
        def,
        |i| format!("from m{i} import *\n"),
        "from m1000 import *\nf()\n",
    );
    check(&starred, "z.py", "z.py:2 call f -> m0.py#f calls exact");
}

#[test]
fn a_thousand_typescript_barrels_hand_a_name_on() {
    let def = "export function f() {}\n";
    let last = "import { f } from './m1000';\nf();\n";
    let starred = chain("ts", def, |i| format!("export * from './m{i}';\n"), last);
    check(&starred, "z.ts", "z.ts:2 call f -> m0.ts#f calls exact");
    let named = chain("ts", def, |i| format!("export {{ f }} from './m{i}';\n"), last);
    check(&named, "z.ts", "z.ts:2 call f -> m0.ts#f calls exact");
    let aside = |i: usize| format!("export const other{i} = 1;\nexport * from './none{i}';\nexport * from './m{i}';\n");
    let mixed = chain("ts", def, aside, last);
    check(&mixed, "z.ts", "z.ts:2 call f -> m0.ts#f calls exact");
}

#[test]
fn a_long_circle_of_barrels_ends() {
    let mut files = chain(
        "ts",
        "export * from './m1000';\n",
        |i| format!("export * from './m{i}';\n"),
        "import { f } from './m1000';\nf();\n",
    );
    files.push(("f.ts".into(), "export function f() {}\n".into()));
    let shown: Vec<(&str, &str)> = files.iter().map(|(p, t)| (&**p, &**t)).collect();
    let world = world(&shown);
    let got = links_of(&world, world.file("z.ts").expect("it is there"));
    // Nothing proves that no name was missed on the way round.
    assert_eq!(got, ["z.ts:1 import f -> loose", "z.ts:2 call f -> loose"]);
}

#[test]
fn a_thousand_values_hand_a_type_on() {
    let mut text = String::from("class A:\n    def go(self):\n        pass\n\nx0 = A()\n");
    for i in 1..=LONG {
        text += &format!("x{i} = x{}\n", i - 1);
    }
    text += "x1000.go()\n";
    check(
        &[("a.py".into(), text)],
        "a.py",
        "a.py:1006 call go -> a.py#A.go calls resolved",
    );
}
