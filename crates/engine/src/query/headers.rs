//! Whose a `.h` file is: C and C++ share the extension, and both are read by one grammar that knows more.

use std::collections::HashMap;

/// C and C++ files by the directories above them.
#[derive(Debug, Default)]
pub struct Headers<'a> {
    below: HashMap<&'a str, (u32, u32)>,
}

impl<'a> Headers<'a> {
    /// Counts a file of the tree; a header that may be of either language counts for none.
    pub fn add(&mut self, path: &'a str, language: &str) {
        let (c, cpp) = match language {
            "c" => (1, 0),
            "cpp" if !is_shared(path) => (0, 1),
            _ => return,
        };
        let mut at = path;
        while let Some(dir) = above(at) {
            let entry = self.below.entry(dir).or_default();
            *entry = (entry.0 + c, entry.1 + cpp);
            at = dir;
        }
    }

    /// The language of a file that is read as `language`. A header without a class or a namespace is of the language
    /// that most files beside it are written in, or most below the nearest directory that holds any.
    pub fn language(&self, path: &str, language: &'a str, plain: bool) -> &'a str {
        if language != "cpp" || !plain || !is_shared(path) {
            return language;
        }
        let mut at = path;
        while let Some(dir) = above(at) {
            if let Some((c, cpp)) = self.below.get(dir) {
                return if c >= cpp { "c" } else { "cpp" };
            }
            at = dir;
        }
        "c"
    }
}

fn is_shared(path: &str) -> bool {
    path.ends_with(".h")
}

/// The directory that holds a path, empty for the root; none above the root.
fn above(path: &str) -> Option<&str> {
    match path.rsplit_once('/') {
        Some((dir, _)) => Some(dir),
        None if path.is_empty() => None,
        None => Some(""),
    }
}

#[cfg(test)]
mod tests {
    use super::Headers;

    #[test]
    fn a_header_is_of_the_language_around_it() {
        let mut headers = Headers::default();
        for (path, language) in [
            ("src/a.c", "c"),
            ("src/b.c", "c"),
            ("src/a.h", "cpp"),
            ("src/wrap.cc", "cpp"),
            ("deps/fast/parse.cc", "cpp"),
            ("deps/fast/inc/parse.h", "cpp"),
        ] {
            headers.add(path, language);
        }
        for (path, plain, expected) in [
            ("src/a.h", true, "c"),
            ("src/wrap.h", false, "cpp"),
            ("src/sub/deep.h", true, "c"),
            ("deps/fast/inc/parse.h", true, "cpp"),
            ("include/api.h", true, "c"),
            ("src/x.hpp", true, "cpp"),
        ] {
            assert_eq!(headers.language(path, "cpp", plain), expected, "{path}");
        }
        assert_eq!(Headers::default().language("only.h", "cpp", true), "c");
        assert_eq!(Headers::default().language("a.py", "python", true), "python");
    }
}
