//! An index is a pure function of the tree's files: not of the order of edits, nor of the number of threads.

#[allow(dead_code, reason = "shared with tests that use other parts")]
mod common;

use common::{Dice, edit, index, parts, tree};
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    /// After any sequence of edits the updated index has the bytes of one built from nothing.
    #[test]
    fn an_updated_index_equals_a_cold_one(seed in any::<u64>()) {
        let mut dice = Dice::new(seed);
        let mut files = tree(&mut dice, 14);
        let mut now = index(None, &files);
        for _ in 0..4 {
            let before = files.clone();
            edit(&mut dice, &mut files);
            now = index(Some(&now), &files);
            let cold = index(None, &files);
            prop_assert_eq!(parts(&now), parts(&cold), "before: {:#?}\nafter: {:#?}", before, files);
        }
    }
}

#[test]
fn one_two_and_eight_threads_give_the_same_bytes() {
    for seed in 0..6 {
        let files = tree(&mut Dice::new(seed), 90);
        let build = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            parts(&pool.install(|| index(None, &files)))
        };
        let one = build(1);
        assert_eq!(one, build(2));
        assert_eq!(one, build(8));
    }
}

#[test]
fn an_edit_that_nobody_can_see_resolves_one_file() {
    use understory_engine::index::update::{Base, Watch, update};
    let mut files = common::Files::new();
    for n in 0..40 {
        files.insert(
            format!("pkg/m{n}.py"),
            format!("from pkg.base import helper\n\ndef use{n}():\n    return helper({n})\n"),
        );
    }
    files.insert("pkg/base.py".into(), "def helper(x):\n    return x\n".into());
    let first = index(None, &files);
    files.insert(
        "pkg/base.py".into(),
        "def helper(x):\n    y = x + 1\n    print(y)\n    return x\n".into(),
    );
    let base = Base::from(&first);
    let (_, report) = update(
        Some(&base),
        common::inputs(&files),
        &common::InMemory(&files),
        &Watch::SILENT,
    )
    .unwrap();
    assert_eq!((report.parsed, report.resolved), (1, 1));

    // Taking the name away reaches everybody who uses it.
    files.insert("pkg/base.py".into(), "def other(x):\n    return x\n".into());
    let (_, report) = update(
        Some(&base),
        common::inputs(&files),
        &common::InMemory(&files),
        &Watch::SILENT,
    )
    .unwrap();
    assert_eq!((report.parsed, report.resolved), (1, 41));
}

#[test]
fn an_edit_of_what_a_callback_is_given_reaches_the_callback() {
    let kit = |ty: &str, ts: bool| match ts {
        true => format!(
            "export class A {{ go() {{}} }}\nexport class B {{ go() {{}} }}\nexport function on(f: (x: {ty}) => {ty}): void {{}}\n"
        ),
        false => format!(
            "from typing import Callable\nclass A:\n    def go(self): ...\nclass B:\n    def go(self): ...\ndef on(f: Callable[[{ty}], {ty}]): ...\ndef make() -> Callable[[], {ty}]: ...\n"
        ),
    };
    let mut files = common::Files::new();
    files.insert(
        "use.ts".into(),
        "import { on } from './kit';\non((x) => { x.go(); return x; });\n".into(),
    );
    files.insert(
        "use.py".into(),
        "from kit import on, make\non(lambda x: x.go())\nmake()().go()\n".into(),
    );
    files.insert("kit.ts".into(), kit("A", true));
    files.insert("kit.py".into(), kit("A", false));
    let first = index(None, &files);
    files.insert("kit.ts".into(), kit("B", true));
    files.insert("kit.py".into(), kit("B", false));
    let now = index(Some(&first), &files);
    assert_ne!(parts(&first), parts(&now));
    assert_eq!(parts(&now), parts(&index(None, &files)));
}
