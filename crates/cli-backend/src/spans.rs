//! Where a definition ends, by the indentation of what follows its header: for answers that name only its first line.

/// Longest definition that is followed.
const LONGEST: usize = 5_000;

/// The last line (1-based) of the definition whose header is on line `start` (1-based). The header's own line at least.
pub fn end_of<S: AsRef<str>>(lines: &[S], start: u32) -> u32 {
    let first = start.max(1) as usize - 1;
    let text = |at: usize| lines.get(at).map(AsRef::as_ref);
    let Some(header) = text(first) else { return start };
    let indent = width(header);
    let mut last = first;
    // Decorators and attributes stand before the header, at its own indentation.
    let mut before = is_mark(header);
    let mut braces = header.trim_end().ends_with('{');
    for at in first + 1..lines.len().min(first + LONGEST) {
        let line = text(at).unwrap_or_default();
        let words = line.trim();
        // Comments stand anywhere, and between braces so do labels and directives: they end nothing.
        if words.is_empty()
            || words.starts_with("//")
            || (width(line) == 0 && words.starts_with('#') && !is_mark(words))
        {
            continue;
        }
        let of_line = width(line);
        if braces && of_line <= indent && is_label(words) {
            continue;
        }
        if before && of_line == indent {
            last = at;
            before = is_mark(line);
            continue;
        }
        if of_line > indent {
            last = at;
            braces |= before && words.ends_with('{');
            continue;
        }
        if of_line < indent {
            break;
        }
        // A header over several lines, a body's opening brace on a line of its own, or the end.
        if words.starts_with([')', ']', '{']) || words.starts_with("->") || words.starts_with("where") {
            last = at;
            braces |= words.ends_with('{');
            if words.ends_with('}') && words.starts_with('{') {
                break;
            }
            continue;
        }
        if words.starts_with('}') || words == "end" || words.starts_with("end ") || words == "end;" {
            last = at;
            // `} else {` and the like go on.
            if words.ends_with('{') {
                continue;
            }
        }
        break;
    }
    last as u32 + 1
}

/// The target of a jump on a line of its own, perhaps with a comment.
fn is_label(words: &str) -> bool {
    let (name, rest) = words.split_once(':').unwrap_or_default();
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    is_name && (rest.is_empty() || rest.trim_start().starts_with("//") || rest.trim_start().starts_with("/*"))
}

/// Words that may stand before the one that says what a definition is.
const MODIFIERS: &[&str] = &[
    "abstract",
    "async",
    "const",
    "data",
    "declare",
    "default",
    "export",
    "extern",
    "final",
    "inline",
    "internal",
    "open",
    "override",
    "partial",
    "private",
    "protected",
    "pub",
    "pub(crate)",
    "public",
    "sealed",
    "static",
    "suspend",
    "unsafe",
    "virtual",
];

/// The kind of the definition of a name by its header: what the word before the name says. `None` where the line does not begin as a
/// definition of it, as prose that mentions one does not.
pub fn kind(header: &str, name: &str) -> Option<&'static str> {
    let mut rest = header.trim_start();
    let word = loop {
        let (word, after) = rest.split_once(char::is_whitespace)?;
        rest = after.trim_start();
        if !MODIFIERS.contains(&word) || (word == "const" && begins_with(rest, name)) {
            break word.trim_end_matches('*');
        }
    };
    let mut is_method = header.starts_with(char::is_whitespace);
    // A receiver stands between the word and the name.
    if word == "func"
        && let Some((_, after)) = rest.strip_prefix('(').and_then(|rest| rest.split_once(')'))
    {
        rest = after.trim_start();
        is_method = true;
    }
    if !begins_with(rest, name) {
        return None;
    }
    let says = |what: &str| rest.split(|c: char| !c.is_alphanumeric()).any(|word| word == what);
    match word {
        "def" | "fn" | "func" | "fun" if is_method => Some("method"),
        "def" | "fn" | "func" | "fun" | "function" => Some("function"),
        "class" => Some("class"),
        "struct" => Some("struct"),
        "interface" => Some("interface"),
        "trait" => Some("trait"),
        "enum" => Some("enum"),
        "module" => Some("module"),
        "object" => Some("object"),
        "protocol" => Some("protocol"),
        "record" => Some("record"),
        "const" => Some("constant"),
        "type" if says("struct") => Some("struct"),
        "type" if says("interface") => Some("interface"),
        "type" => Some("type"),
        _ => None,
    }
}

/// Whether a text begins with a name and not with a longer one.
fn begins_with(text: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    text.strip_prefix(name).is_some_and(|rest| !rest.starts_with(is_part))
}

fn is_mark(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with('@') || line.starts_with("#[")
}

fn width(line: &str) -> usize {
    let blank = line.chars().take_while(|c| c.is_whitespace());
    blank.map(|c| if c == '\t' { 4 } else { 1 }).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_definition_ends_where_the_indentation_does() {
        let check = |text: &str, start: u32, end: u32| {
            let lines: Vec<&str> = text.lines().collect();
            assert_eq!(end_of(&lines, start), end, "{text}");
        };
        check("def a():\n    x\n\n    y\n\n\ndef b():\n    z", 1, 4);
        check("def a():\n    x\n\n    y\n\n\ndef b():\n    z", 7, 8);
        check("@mark\n@other(1)\ndef a():\n    x\nb = 1", 1, 4);
        check(
            "class A:\n    def f(self):\n        x\n\n    def g(self):\n        y\nz",
            2,
            3,
        );
        check(
            "class A:\n    def f(self):\n        x\n\n    def g(self):\n        y\nz",
            1,
            6,
        );
        check("fn a(\n    x: u8,\n) -> u8 {\n    x\n}\n\nfn b() {}", 1, 5);
        check("fn b() {}\nfn c() {}", 1, 1);
        check("int f()\n{\n\treturn 1;\n}\nint g;", 1, 4);
        check("def a\n  1\nend\ndef b\nend", 1, 3);
        check("if (x) {\n  y\n} else {\n  z\n}\nw", 1, 5);
        // Labels, directives and comments on the outermost column end nothing.
        check(
            "func f() {\n\tx()\nwalk: // outer\n\tfor {\n\t}\n}\n\nfunc g() {}",
            1,
            6,
        );
        check(
            "int f() {\n\tx();\n#ifdef A\n\ty();\n#endif\nout:\n\treturn 0;\n}\nint g;",
            1,
            8,
        );
        check("int f()\n{\n\tx();\nout:\n\treturn 0;\n}\nint g;", 1, 6);
        check("def a():\n    x\n# note\n    y\n\n# other\ndef b():\n    z", 1, 4);
        check("def a():\n    x\ntry:\n    y", 1, 2);
        check("x", 1, 1);
        check("", 1, 1);
        check("x", 9, 9);
        check("x\ny", 0, 1);
    }

    #[test]
    fn a_header_tells_its_kind() {
        let check = |header: &str, name: &str, expected: Option<&str>| {
            assert_eq!(kind(header, name), expected, "{header}");
        };
        check("def charge(x):", "charge", Some("function"));
        check("    async def charge(self):", "charge", Some("method"));
        check("func (c *Context) Next() {", "Next", Some("method"));
        check("func New() *Engine {", "New", Some("function"));
        check("type HandlersChain []HandlerFunc", "HandlersChain", Some("type"));
        check("type RouterGroup struct {", "RouterGroup", Some("struct"));
        check("type Binding interface {", "Binding", Some("interface"));
        check("export abstract class Router<T> {", "Router", Some("class"));
        check("export const setCookie = (c) => {", "setCookie", Some("constant"));
        check("pub(crate) const fn most() -> u8 {", "most", Some("function"));
        check("function* walk() {", "walk", Some("function"));
        // Another name, prose, a comment behind the name, a word alone.
        check("def charge(x):", "char", None);
        check(
            "        interface as well as the :class:`SessionMixin` interface.",
            "SessionMixin",
            None,
        );
        check("request: RequestProxy = LocalProxy(  # type: request", "request", None);
        check("class", "class", None);
        check("", "", None);
    }
}
