//! Files that C and C++ sources include and whose names do not say what they are: `table.def`, `ops.inc`.
//!
//! Linkers, assemblers, make, Pascal and PHP use the same extensions. What the file begins with tells.

/// How far into a file its beginning goes.
const BEGINNING: usize = 16 * 1024;

const DIRECTIVES: &[&str] = &[
    "#include", "#define", "#undef", "#ifdef", "#ifndef", "#if", "#pragma", "#error",
];

/// Whether a text is a piece of C or C++: behind its comments stands a directive, a use of a macro, a value in braces, or,
/// where the comments are those of C, a line that ends as declarations and tables do.
pub(super) fn is_c(text: &str) -> bool {
    let mut rest = text.trim_start_matches('\u{feff}').trim_start();
    let mut commented = false;
    while text.len() - rest.len() < BEGINNING {
        let end = match rest.get(..2) {
            Some("//") => rest.find('\n').unwrap_or(rest.len()),
            Some("/*") => rest.find("*/").map_or(rest.len(), |n| n + 2),
            _ => break,
        };
        commented = true;
        rest = rest[end..].trim_start();
    }
    let line = rest.lines().next().unwrap_or("").trim_end();
    let word = line
        .find(|c: char| c != '_' && !c.is_ascii_alphanumeric())
        .unwrap_or(line.len());
    let directive = DIRECTIVES.iter().any(|d| {
        line.strip_prefix(d)
            .is_some_and(|l| !l.starts_with(|c: char| c.is_ascii_alphanumeric()))
    });
    let called = word > 0 && line[word..].starts_with('(') && !line.starts_with(|c: char| c.is_ascii_digit());
    let braced = line.starts_with('{') && !line.starts_with("{$");
    let declared = commented && (word > 0 && line.ends_with(['{', ',', '(']) || line.ends_with("};"));
    directive || called || braced || declared
}

#[cfg(test)]
mod tests {
    use crate::languages::detect;

    #[test]
    fn fragments_are_known_by_their_beginning() {
        let check = |path: &str, text: &str, expected: Option<&str>| {
            assert_eq!(detect(path, text).map(|l| l.name), expected, "{path}: {text}");
        };
        check(
            "a/table.def",
            "/* A table. */\n\nconst char *names[] = {\n \"a\" };\n",
            Some("cpp"),
        );
        check("ops.def", "// Operators\nOP(add, 1)\nOP(sub, 2)\n", Some("cpp"));
        check("ops.inc", "#ifndef OP\n#define OP(a)\n#endif\n", Some("cpp"));
        check("rows.inc", "{ \"get\", get_command },\n", Some("cpp"));
        check("lib.def", "LIBRARY foo\nEXPORTS\n  run @1\n", None);
        check("lib.def", "; exports\nEXPORTS\n", None);
        check("page.inc", "<?php function f() {}\n", Some("php"));
        check("unit.inc", "// Settings\n{$IFDEF X}\n", Some("php"));
        check("rules.inc", "# include the rules\nall: ;\n", Some("php"));
        check("empty.def", "", None);
        check("odd.def", "/*", None);
        check("inline.tpp", "", Some("cpp"));
    }
}
