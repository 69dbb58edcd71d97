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

/// The kind of a definition by the words of its header, where they tell it.
pub fn kind(header: &str) -> Option<&'static str> {
    let is_inner = width(header) > 0;
    let words: Vec<&str> = header
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| !word.is_empty())
        .collect();
    // What stands before the name: modifiers, then the word that says what it is.
    words.iter().take(6).find_map(|word| match *word {
        "def" | "fn" | "func" | "fun" if is_inner || header.trim_start().starts_with("func (") => Some("method"),
        "def" | "fn" | "func" | "fun" | "function" => Some("function"),
        "class" => Some("class"),
        "struct" => Some("struct"),
        "interface" => Some("interface"),
        "trait" => Some("trait"),
        "enum" => Some("enum"),
        "type" => match words.iter().find(|word| ["struct", "interface"].contains(word)) {
            Some(&"struct") => Some("struct"),
            Some(_) => Some("interface"),
            None => Some("type"),
        },
        _ => None,
    })
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
        let check = |header: &str, expected: Option<&str>| assert_eq!(kind(header), expected, "{header}");
        check("def charge(x):", Some("function"));
        check("    async def charge(self):", Some("method"));
        check("func (c *Context) Next() {", Some("method"));
        check("func New() *Engine {", Some("function"));
        check("type HandlersChain []HandlerFunc", Some("type"));
        check("type RouterGroup struct {", Some("struct"));
        check("type Binding interface {", Some("interface"));
        check("export abstract class Router<T> {", Some("class"));
        check("export const setCookie = (c) => {", None);
        check("request: RequestProxy = LocalProxy(", None);
        check("", None);
    }
}
