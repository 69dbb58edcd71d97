//! A short soak: a few sessions at once over one small repository, each with its own staged set, held against cold builds.
//! `examples/soak.rs` runs it for as long as it is told to.

#[path = "soak/work.rs"]
mod work;

#[test]
fn sessions_over_one_repository_at_once_answer_as_cold_builds_do() {
    let temp = tempfile::tempdir().unwrap();
    let root = temp.path().join("repo");
    std::fs::create_dir_all(root.join("src")).unwrap();
    for n in 0..12 {
        let text = format!(
            "def f{n}():\n    return f{}()\n\n\nclass C{n}:\n    def probe(self):\n        return f{n}()\n",
            n / 2
        );
        std::fs::write(root.join(format!("src/m{n}.py")), text).unwrap();
    }
    let report = work::soak(&root, &temp.path().join("cache"), 4, &|round| round >= 100).unwrap();
    assert!(report.errors.is_empty(), "{:?}", report.errors);
    assert!(report.wrong.is_empty(), "{}", report.wrong.join("\n"));
    assert_eq!((report.calls, report.checked), (400, 4 * 2));
}
