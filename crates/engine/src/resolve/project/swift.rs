//! Targets of a Swift package, as far as its manifest states them plainly.

/// The name of the package.
pub fn name(text: &str) -> Option<String> {
    let at = text.find("Package(")?;
    argument(&text[at..], "name").map(str::to_owned)
}

/// Directories and names of the targets.
pub fn targets(text: &str) -> Vec<(String, String)> {
    let mut starts: Vec<(usize, &str)> = Vec::new();
    for (call, folder) in [
        (".target(", "Sources"),
        (".executableTarget(", "Sources"),
        (".macro(", "Sources"),
        (".testTarget(", "Tests"),
    ] {
        starts.extend(text.match_indices(call).map(|(at, _)| (at + call.len(), folder)));
    }
    starts.sort_unstable();
    let mut out = Vec::new();
    // How many parentheses are open, and up to where they are counted.
    let (mut depth, mut counted) = (0usize, 0);
    for &(from, folder) in &starts {
        for c in text[counted..from].chars() {
            match c {
                '(' => depth += 1,
                ')' => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        counted = from;
        // `.target(name: "A")` among the dependencies of another target names no directory of its own.
        if depth > 2 {
            continue;
        }
        let own = inside(&text[from..]);
        if let Some(name) = argument(own, "name") {
            let place = match argument(own, "path") {
                Some(path) => path.trim_end_matches('/').to_owned(),
                None => format!("{folder}/{name}"),
            };
            out.push((place, name.to_owned()));
        }
    }
    out
}

/// The text up to the parenthesis that closes what is open.
fn inside(text: &str) -> &str {
    let mut depth = 1usize;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => {
                depth -= 1;
                if depth == 0 {
                    return &text[..at];
                }
            }
            _ => {}
        }
    }
    text
}

/// The string given for a label.
fn argument<'t>(text: &'t str, label: &str) -> Option<&'t str> {
    let at = text.find(&format!("{label}:"))?;
    let rest = text[at + label.len() + 1..].trim_start();
    let rest = rest.strip_prefix('"')?;
    rest.split('"').next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_that_are_never_closed_cost_their_length() {
        assert!(targets(&".target(".repeat(100_000)).is_empty());
    }

    #[test]
    fn targets_by_convention_and_by_path() {
        let text = r#"let package = Package(
            name: "Kit",
            products: [.library(name: "Kit", targets: ["Kit"])],
            targets: [
                .target(name: "Kit", dependencies: [.target(name: "Base")], path: "Source/"),
                .target(name: "Base"),
                .testTarget(name: "KitTests", dependencies: ["Kit"]),
            ]
        )"#;
        assert_eq!(name(text), Some("Kit".to_owned()));
        let got = targets(text);
        let got: Vec<(&str, &str)> = got.iter().map(|(d, n)| (&**d, &**n)).collect();
        assert_eq!(
            got,
            [
                ("Source", "Kit"),
                ("Sources/Base", "Base"),
                ("Tests/KitTests", "KitTests")
            ]
        );
    }
}
