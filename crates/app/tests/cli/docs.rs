//! The reference pages say what the program does.

use crate::support::Bed;

fn page(name: &str) -> String {
    let path = format!("{}/../../docs/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// Words of a help text that begin an indented line.
fn listed(help: &str, section: &str) -> Vec<String> {
    let rest = help.split(&format!("{section}:\n")).nth(1).unwrap_or("");
    rest.lines()
        .take_while(|l| !l.is_empty())
        .filter_map(|l| l.strip_prefix("  ").filter(|l| !l.starts_with(' ')))
        .filter_map(|l| l.split_whitespace().next())
        .map(str::to_owned)
        .collect()
}

#[test]
fn every_command_and_option_is_on_the_page() {
    let page = page("cli.md");
    let bed = Bed::new(&[]);
    let help = String::from_utf8(bed.run(&["-h"]).stdout).unwrap();
    let commands = listed(&help, "Commands");
    assert!(commands.len() >= 14, "{help}");
    for command in commands.iter().filter(|c| *c != "help") {
        assert!(
            page.contains(&format!("understory {command}")),
            "docs/cli.md lacks `understory {command}`"
        );
        let help = String::from_utf8(bed.run(&[command, "-h"]).stdout).unwrap();
        for option in help.split_whitespace().filter(|w| w.starts_with("--") && w.len() > 2) {
            let option = option.trim_end_matches([',', '.']);
            assert!(
                page.contains(&format!("`{option}")),
                "docs/cli.md lacks {option} of {command}"
            );
        }
    }
}

#[test]
fn the_exit_codes_are_on_the_page() {
    let page = page("cli.md");
    for row in ["| 0 |", "| 1 |", "| 2 |"] {
        assert!(page.contains(row), "docs/cli.md lacks the row {row}");
    }
}

/// The example of `ARCHITECTURE.md`: paths stand left of column 21, what is in them right of it.
#[test]
fn the_example_from_source_to_hit_is_what_happens() {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../ARCHITECTURE.md")).unwrap();
    let section = page.split("### From source text to a labelled hit").nth(1).unwrap();
    let mut blocks = section.split("```\n").skip(1).step_by(2);
    let (sources, answer) = (blocks.next().unwrap(), blocks.next().unwrap());
    let mut files: Vec<(&str, String)> = Vec::new();
    for line in sources.lines() {
        let (path, text) = line.split_at(21);
        if !path.trim().is_empty() {
            files.push((path.trim(), String::new()));
        }
        let (_, file) = files.last_mut().unwrap();
        file.push_str(text);
        file.push('\n');
    }
    assert_eq!(files.len(), 3, "{sources}");
    let bed = Bed::new(&[]);
    for (path, text) in &files {
        bed.write(path, text);
    }
    let printed = String::from_utf8(bed.run(&["callers", "Store.save"]).stdout).unwrap();
    assert_eq!(printed, answer);
}
