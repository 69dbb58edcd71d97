//! Names that are near to one that was not found.

/// The `most` names of symbols nearest to `wanted`, nearest first: the same but for case, then by edit distance, a shared
/// last part and containment, then by name. What is too far to be a slip of the same name is left out.
///
/// ```
/// # use understory_core::near::nearest;
/// assert_eq!(nearest("compute_totl", ["compute_total", "other"], 3), ["compute_total"]);
/// ```
pub fn nearest<'a>(wanted: &str, candidates: impl IntoIterator<Item = &'a str>, most: usize) -> Vec<String> {
    near(wanted, candidates, most, |text| {
        text.rsplit(['/', '.', '#', ':']).next().unwrap_or(text)
    })
}

/// As [`nearest`], for paths: the last part is the file's name.
///
/// ```
/// # use understory_core::near::nearest_paths;
/// assert_eq!(nearest_paths("packages/apo", ["packages/api", "docs"], 3), ["packages/api"]);
/// ```
pub fn nearest_paths<'a>(wanted: &str, candidates: impl IntoIterator<Item = &'a str>, most: usize) -> Vec<String> {
    near(wanted, candidates, most, |text| text.rsplit('/').next().unwrap_or(text))
}

fn near<'a>(
    wanted: &str,
    candidates: impl IntoIterator<Item = &'a str>,
    most: usize,
    last_part: fn(&str) -> &str,
) -> Vec<String> {
    let wanted = wanted.to_lowercase();
    // A text that is no name is near to nothing, and must not cost its length squared.
    if wanted.is_empty() || wanted.len() > 400 {
        return Vec::new();
    }
    let last = last_part(&wanted);
    let mut scored: Vec<(usize, &str)> = candidates
        .into_iter()
        .filter(|c| c.len() <= 1_000)
        .filter_map(|candidate| {
            let lower = candidate.to_lowercase();
            score(&wanted, last, &lower, last_part(&lower)).map(|s| (s, candidate))
        })
        .collect();
    scored.sort_unstable();
    scored.dedup_by(|a, b| a.1 == b.1);
    scored.into_iter().take(most).map(|(_, c)| c.to_owned()).collect()
}

fn score(wanted: &str, wanted_last: &str, candidate: &str, last: &str) -> Option<usize> {
    let bound = (wanted.chars().count() / 3).clamp(1, 3);
    if let Some(d) = distance(wanted, candidate, bound) {
        return Some(d);
    }
    if last == wanted_last {
        return Some(5);
    }
    let bound = (wanted_last.chars().count() / 3).clamp(1, 3);
    if let Some(d) = distance(wanted_last, last, bound) {
        return Some(6 + d);
    }
    let long_enough = wanted_last.len() >= 4 && last.len() >= 4;
    if long_enough && (last.contains(wanted_last) || wanted_last.contains(last)) {
        return Some(12 + last.len().abs_diff(wanted_last.len()).min(40));
    }
    None
}

/// The edit distance (with swaps of neighbours) if it is at most `bound`.
fn distance(a: &str, b: &str, bound: usize) -> Option<usize> {
    let a: Vec<char> = a.chars().collect();
    let b: Vec<char> = b.chars().collect();
    if a.len().abs_diff(b.len()) > bound {
        return None;
    }
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut next = vec![i; b.len() + 1];
        let mut best = i;
        for j in 1..=b.len() {
            let change = usize::from(a[i - 1] != b[j - 1]);
            let mut d = (row[j - 1] + change).min(row[j] + 1).min(next[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                d = d.min(before[j - 2] + 1);
            }
            next[j] = d;
            best = best.min(d);
        }
        if best > bound {
            return None;
        }
        before = std::mem::replace(&mut row, next);
    }
    Some(row[b.len()]).filter(|d| *d <= bound)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_come_nearest_first() {
        for (wanted, candidates, expected) in [
            (
                "compute_totl",
                vec!["compute_total", "compute", "other"],
                vec!["compute_total", "compute"],
            ),
            ("Send", vec!["send", "sent"], vec!["send", "sent"]),
            (
                "Clinet.send",
                vec!["Client.send", "Client.sand"],
                vec!["Client.send", "Client.sand"],
            ),
            ("x", vec!["y", "zz"], vec!["y"]),
            ("", vec!["a"], vec![]),
        ] {
            assert_eq!(nearest(wanted, candidates, 5), expected, "{wanted}");
        }
    }

    #[test]
    fn near_paths_come_nearest_first() {
        for (wanted, candidates, expected) in [
            ("poen.txt", vec!["poem.txt", "song.txt"], vec!["poem.txt"]),
            (
                "packages/apo",
                vec!["packages/api", "packages/apis/x", "docs"],
                vec!["packages/api"],
            ),
            ("src/pay.py", vec!["lib/pay.py", "x"], vec!["lib/pay.py"]),
        ] {
            assert_eq!(nearest_paths(wanted, candidates, 5), expected, "{wanted}");
        }
    }

    #[test]
    fn a_huge_text_is_near_to_nothing() {
        assert!(nearest(&"x".repeat(8_000), ["x"], 3).is_empty());
    }
}
