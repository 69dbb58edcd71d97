//! Paths that may be meant by one that the tree does not have.

use super::Reader;
use std::collections::BTreeSet;
use understory_core::path::RepoPath;
use understory_core::tree::EntryKind;

/// How many are offered.
const NEAR: usize = 5;

impl Reader<'_> {
    /// Files of the tree whose path is near to this one, nearest first: the same but for letter case, the same file name
    /// elsewhere, a name or path a few letters apart. Never a protected one.
    pub fn near_files(&self, path: &RepoPath) -> Vec<String> {
        let files = self.tree.files();
        let candidates = files
            .iter()
            .filter(|f| f.entry.kind != EntryKind::Submodule)
            .map(|f| f.path.as_str());
        let mut ranked = rank(path.as_str(), candidates);
        ranked.retain(|text| {
            let path = RepoPath::new(text).ok();
            path.and_then(|p| self.tree.get(&p).map(|file| self.is_open(&file)))
                .unwrap_or(false)
        });
        ranked.truncate(NEAR);
        ranked
    }

    /// Directories of the tree that are near to this path, nearest first.
    pub fn near_dirs(&self, path: &RepoPath) -> Vec<String> {
        let mut dirs: BTreeSet<&str> = BTreeSet::new();
        let files = self.open_files();
        for file in &files {
            for (at, _) in file.path.as_str().match_indices('/') {
                dirs.insert(&file.path.as_str()[..at]);
            }
        }
        let mut ranked = rank(path.as_str(), dirs.into_iter());
        ranked.truncate(NEAR);
        ranked
    }
}

fn name_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The candidates that are near to `asked`, nearest first, more than are offered so that some may still be left out.
fn rank<'a>(asked: &str, candidates: impl Iterator<Item = &'a str>) -> Vec<String> {
    let lower = asked.to_lowercase();
    let name = name_of(&lower);
    let allowed = |text: &str| match text.chars().count() {
        0..=2 => 1,
        n => (n / 4).clamp(2, 3),
    };
    let mut ranked: Vec<(u32, usize, &str)> = candidates
        .filter_map(|path| {
            let low = path.to_lowercase();
            let low_name = name_of(&low);
            let shared_parts = low
                .split('/')
                .rev()
                .zip(lower.split('/').rev())
                .take_while(|(a, b)| a == b)
                .count();
            let far = usize::MAX - shared_parts;
            if low == lower {
                Some((0, 0, path))
            } else if low_name == name {
                Some((1, far, path))
            } else if let Some(d) = distance(&low, &lower, allowed(&lower)) {
                Some((2, d, path))
            } else {
                distance(low_name, name, allowed(name)).map(|d| (3, d, path))
            }
        })
        .collect();
    ranked.sort_unstable();
    ranked
        .into_iter()
        .take(NEAR * 8)
        .map(|(_, _, p)| p.to_owned())
        .collect()
}

/// The edit distance of two texts when it is at most `most`.
fn distance(a: &str, b: &str, most: usize) -> Option<usize> {
    if a.len().abs_diff(b.len()) > most * 4 {
        return None;
    }
    let a: Vec<char> = a.chars().collect();
    let b: Vec<char> = b.chars().collect();
    if a.len().abs_diff(b.len()) > most {
        return None;
    }
    let far = most + 1;
    let mut row: Vec<usize> = (0..=b.len()).map(|j| j.min(far)).collect();
    for (i, x) in a.iter().enumerate() {
        // Only cells within `most` of the diagonal can count.
        let (from, to) = (i.saturating_sub(most), (i + most + 1).min(b.len()));
        let mut diagonal = row[from];
        let mut left = if from == 0 { (i + 1).min(far) } else { far };
        row[from] = if from == 0 { left } else { row[from] };
        let mut least = far;
        for j in from..to {
            let above = if j + 1 > i + most { far } else { row[j + 1] };
            let cost = (diagonal + usize::from(*x != b[j]))
                .min(above + 1)
                .min(left + 1)
                .min(far);
            diagonal = row[j + 1];
            row[j + 1] = cost;
            left = cost;
            least = least.min(cost);
        }
        if least == far && left == far {
            return None;
        }
    }
    Some(row[b.len()]).filter(|&d| d <= most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_those_of_the_plain_rule() {
        fn plain(a: &[char], b: &[char]) -> usize {
            let mut row: Vec<usize> = (0..=b.len()).collect();
            for (i, x) in a.iter().enumerate() {
                let mut diagonal = row[0];
                row[0] = i + 1;
                for j in 0..b.len() {
                    let cost = (diagonal + usize::from(*x != b[j])).min(row[j + 1] + 1).min(row[j] + 1);
                    diagonal = row[j + 1];
                    row[j + 1] = cost;
                }
            }
            row[b.len()]
        }
        let words = [
            "", "a", "ab", "ba", "poem", "poen", "opem", "poems", "oem", "xpoemy", "abcdef", "fedcba", "é",
        ];
        for a in words {
            for b in words {
                let chars = |t: &str| t.chars().collect::<Vec<_>>();
                for most in 1..=3 {
                    let expected = Some(plain(&chars(a), &chars(b))).filter(|&d| d <= most);
                    assert_eq!(distance(a, b, most), expected, "{a} {b} {most}");
                }
            }
        }
    }

    #[test]
    fn nearest_first() {
        let tree = [
            "README.md",
            "a/poem.txt",
            "b/poem.txt",
            "b/c/poem.txt",
            "poet.txt",
            "zzz.txt",
        ];
        for (asked, expected) in [
            ("readme.md", vec!["README.md"]),
            (
                "c/poem.txt",
                vec!["b/c/poem.txt", "a/poem.txt", "b/poem.txt", "poet.txt"],
            ),
            ("poen.txt", vec!["poet.txt", "a/poem.txt", "b/c/poem.txt", "b/poem.txt"]),
            ("nothing/like/it.rs", vec![]),
        ] {
            assert_eq!(rank(asked, tree.into_iter()), expected, "{asked}");
        }
    }
}
