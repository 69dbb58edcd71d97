//! Paths inside a tree, as text.

/// The directory of a path; empty at the root.
pub fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(dir, _)| dir)
}

/// `path` as seen from `dir`, `.` and `..` taken out; `None` when it leaves the tree.
pub fn join(dir: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = if path.starts_with('/') {
        Vec::new()
    } else {
        split(dir).collect()
    };
    for part in split(path) {
        match part {
            "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

fn split(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter(|p| !p.is_empty())
}

/// A directory and those above it, nearest first, the root (empty) last.
pub fn upward(dir: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(dir), |d| (!d.is_empty()).then(|| parent(d)))
}

/// Whether `path` lies in `dir` or is it.
pub fn is_under(path: &str, dir: &str) -> bool {
    dir.is_empty() || path == dir || path.strip_prefix(dir).is_some_and(|rest| rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dots_are_taken_out_and_the_tree_is_not_left() {
        assert_eq!(join("a/b", "../c/./d").as_deref(), Some("a/c/d"));
        assert_eq!(join("", "./x").as_deref(), Some("x"));
        assert_eq!(join("a", "../.."), None);
        assert_eq!(upward("a/b").collect::<Vec<_>>(), ["a/b", "a", ""]);
        assert!(is_under("a/b", "a") && !is_under("ab", "a"));
    }
}
