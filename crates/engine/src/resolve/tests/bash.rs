use crate::resolve::testing::check;

const TREE: &[(&str, &str)] = &[
    (
        "scripts/lib.sh",
        r#"say() { echo "$1"; }
LIMIT=3
. "$ROOT/deep.sh"
"#,
    ),
    (
        "scripts/deep.sh",
        r#"deep() { say x; }
"#,
    ),
    (
        "scripts/main.sh",
        r#"source "$(dirname "$0")/lib.sh"
main() {
  say hi
  deep
  loose_fn
  grep x
  echo "$LIMIT"
}
main
"#,
    ),
    (
        "other/x.sh",
        r#"say() { :; }
loose_fn() { say y; }
"#,
    ),
];

#[test]
fn functions_of_the_file_then_of_sourced_files() {
    check(
        TREE,
        "scripts/main.sh:3 call say -> scripts/lib.sh#say calls exact
         scripts/main.sh:4 call deep -> scripts/deep.sh#deep calls exact
         scripts/main.sh:7 value LIMIT -> scripts/lib.sh#LIMIT uses exact
         other/x.sh:2 call say -> other/x.sh#say calls exact
         scripts/main.sh:9 call main -> scripts/main.sh#main calls exact",
    );
}

#[test]
fn sourced_files_by_path_and_by_the_end_of_a_path() {
    check(
        TREE,
        "scripts/main.sh:1 import lib.sh -> scripts/lib.sh imports exact
         scripts/lib.sh:3 import deep.sh -> scripts/deep.sh imports exact",
    );
}

#[test]
fn others_are_loose_and_commands_are_no_functions() {
    check(
        TREE,
        "scripts/main.sh:5 call loose_fn -> loose
         scripts/deep.sh:1 call say -> loose
         scripts/main.sh:6 call grep -> unbound
         scripts/main.sh:7 call echo -> unbound",
    );
}

#[test]
fn a_trap_uses_the_functions_it_names() {
    check(
        &[(
            "a.sh",
            "clean() { :; }\nsay() { :; }\ntrap clean EXIT\ntrap 'clean now; say \"x\"' INT\n",
        )],
        "a.sh:3 value clean -> a.sh#clean uses exact
         a.sh:4 value clean -> a.sh#clean uses exact
         a.sh:4 value say -> a.sh#say uses exact",
    );
}
