//! A child's output as text for a person or a model.

use std::path::Path;

/// The last `lines` lines of some output as text for a person: carriage-return progress reduced to its last state, control
/// characters dropped, decoded lossily.
pub fn tail_lines(bytes: &[u8], lines: usize) -> String {
    let text = String::from_utf8_lossy(bytes);
    let shown: Vec<String> = text
        .split('\n')
        .map(|line| {
            let line = line.trim_end_matches('\r');
            let last = line.rsplit('\r').next().unwrap_or(line);
            last.chars()
                .filter(|c| !c.is_control() || *c == '\t')
                .collect::<String>()
        })
        .filter(|line| !line.trim().is_empty())
        .collect();
    shown[shown.len().saturating_sub(lines)..].join("\n")
}

/// Replaces every occurrence of each path in `text` by its name (`<cache>`, `<repo>`), longest path first, so that text
/// for a model names no place of the host.
pub fn replace_paths(text: &str, names: &[(&Path, &str)]) -> String {
    let mut pairs: Vec<(String, &str)> = names
        .iter()
        .map(|(path, name)| (path.to_string_lossy().into_owned(), *name))
        .filter(|(path, _)| path.len() > 1)
        .collect();
    pairs.sort_by(|a, b| b.0.len().cmp(&a.0.len()).then_with(|| a.cmp(b)));
    pairs
        .iter()
        .fold(text.to_owned(), |text, (path, name)| text.replace(path.as_str(), name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tail_is_the_last_lines_without_progress() {
        let check = |input: &str, lines, expected: &str| assert_eq!(tail_lines(input.as_bytes(), lines), expected);
        check("", 3, "");
        check("a\nb\nc\n", 2, "b\nc");
        check("10%\r20%\r100%\ndone\r\n", 5, "100%\ndone");
        check("\u{1b}[31mred\u{1b}[0m", 5, "[31mred[0m");
        check("a\n\n\nb", 2, "a\nb");
    }

    #[test]
    fn paths_are_replaced_longest_first() {
        let names: &[(&Path, &str)] = &[
            (Path::new("/c"), "<cache>"),
            (Path::new("/c/r"), "<repo>"),
            (Path::new("/"), "<x>"),
        ];
        assert_eq!(replace_paths("/c/r/a.rs and /c/b", names), "<repo>/a.rs and <cache>/b");
    }
}
