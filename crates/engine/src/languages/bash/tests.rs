//! Small sources and what extraction says about them.

use super::LANGUAGE;
use crate::extract::extract;
use crate::languages::testing::{check, imports, refs, symbols};

#[test]
fn functions_and_variables_are_definitions() {
    let source = "#!/bin/bash\nLIMIT=3\nname=x\nreadonly fixed=1\nexport PATH_X=\"a\"\ndeclare -r FOO=$(stamp)\nalias ll='ls -l'\n\
                  # Says.\nsay() {\n  local at=1\n  OTHER=2\n}\nfunction stamp { date; }\nfunction both() ( sub )\nmain() { inner() { x; }; }\nLIMIT=4\nX=1 cmd\n";
    check(
        symbols(&LANGUAGE, source),
        "constant LIMIT 2-2 -
         variable name 3-3 -
         constant fixed 4-4 -
         constant PATH_X 5-5 -
         constant FOO 6-6 -
         function ll 7-7 - assigned
         function say 9-12 -
         function stamp 13-13 -
         function both 14-14 -
         function main 15-15 - entry
         function main.inner 15-15 main",
    );
    let facts = extract(&LANGUAGE, source);
    let say = facts
        .symbols
        .iter()
        .find(|s| facts.name(s.name) == "say")
        .expect("say is defined");
    assert_eq!((&*say.signature, &*say.doc), ("say()", "Says."));
}

#[test]
fn every_command_is_a_call() {
    let source = r#"
LIMIT=1
say() {
  local at="$(stamp)" quiet
  say "at $at" | tee log.txt
  if ! check "x"; then return 1; fi
  a && b || c
  x=`old`
  cat <<EOF
hi $(inner)
EOF
  trap cleanup EXIT
  for i in $(list); do run_it "$i"; done
  case "$1" in start) start_it ;; esac
  sudo -n helper arg
  xargs -n1 helper
  [[ -n "$LIMIT" ]] && echo "${LIMIT:-$(def)}"
  LIMIT=2
  diff <(left) <(right)
  "$cmd" x
}
export -f say
say
"#;
    check(
        refs(&LANGUAGE, source),
        "call stamp 4 say
         call say 5 say
         call tee 5 say
         call check 6 say
         call return 6 say
         call a 7 say
         call b 7 say
         call c 7 say
         call old 8 say
         call cat 9 say
         call inner 10 say
         value cleanup 12 say
         call trap 12 say
         call list 13 say
         call run_it 13 say
         call start_it 14 say
         call sudo 15 say
         call helper 15 say
         call xargs 16 say
         call helper 16 say
         value LIMIT 17 say
         call echo 17 say
         value LIMIT 17 say
         call def 17 say
         value LIMIT 18 say
         call diff 19 say
         call left 19 say
         call right 19 say
         value say 22 <file>
         call say 23 <file>",
    );
}

#[test]
fn sourced_files_are_imports() {
    let source = "source \"$(dirname \"$0\")/lib.sh\"\n. ./other.sh\nsource \"${BASH_SOURCE%/*}/../up.sh\"\n. \"$ROOT/env.sh\"\nsource lib/a.sh\nsource \"$file\"\nload helper\n";
    check(
        imports(&LANGUAGE, source),
        "include ./lib.sh
         include ./other.sh
         include ./../up.sh
         include $ROOT/env.sh
         include lib/a.sh
         include helper.bash",
    );
}

#[test]
fn broken_and_deep_sources_do_not_stop_it() {
    let deep = format!("x={}y{}\nf() {{ :; }}\n", "$(".repeat(500), ")".repeat(500));
    for source in ["f() {", "source", "$(", "case x in", "cat <<EOF\nx", &deep] {
        extract(&LANGUAGE, source);
    }
}
