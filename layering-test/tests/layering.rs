//! Which crate may name which: one table, checked against what cargo says of every normal, dev and build edge. The pages
//! that list the crates are held to the workspace as well.

use cargo_metadata::{DependencyKind, Metadata, MetadataCommand, Package};
use std::collections::{BTreeMap, BTreeSet};

/// A crate of the workspace and what it may name.
struct Row {
    name: &'static str,
    /// Crates of the workspace that it may link with.
    may_use: &'static [&'static str],
    /// Crates of the workspace that its tests may use on top of that.
    tests_may_use: &'static [&'static str],
}

const fn row(name: &'static str, may_use: &'static [&'static str], tests_may_use: &'static [&'static str]) -> Row {
    Row {
        name,
        may_use,
        tests_may_use,
    }
}

/// The layers, from the inside out: core, ports, session and engine, adapters, app. A crate that is not here fails the test.
const TABLE: &[Row] = &[
    row("understory-core", &[], &[]),
    // A crate's own tests turn its features on by naming it again.
    row("understory-ports", &["understory-core"], &["understory-ports"]),
    row("understory-session", &["understory-core", "understory-ports"], &[]),
    row("understory-engine", &["understory-core"], &[]),
    row("understory-tree-reader", &["understory-core"], &[]),
    row(
        "understory-adapter-native",
        &[
            "understory-core",
            "understory-ports",
            "understory-engine",
            "understory-tree-reader",
        ],
        &["understory-adapter-worktree"],
    ),
    row(
        "understory-adapter-text",
        &["understory-core", "understory-ports", "understory-tree-reader"],
        // One property test holds the text search and the walk to the same files.
        &["understory-adapter-worktree"],
    ),
    row(
        "understory-adapter-worktree",
        &["understory-core", "understory-ports", "understory-tree-reader"],
        &[],
    ),
    row(
        "understory-adapter-cassette",
        &["understory-core", "understory-ports"],
        // What is recorded at a session's dispatch is shown with a session.
        &["understory-session"],
    ),
    row(
        "understory-cli-backend",
        &["understory-core", "understory-ports", "understory-tree-reader"],
        &[],
    ),
    row(
        "understory-adapter-graft",
        &[
            "understory-core",
            "understory-ports",
            "understory-tree-reader",
            "understory-cli-backend",
        ],
        // A program of the tests' own runs under the real sandbox over a tree that is really written out, and the text search
        // is held to the same lines.
        &[
            "understory-adapter-sandbox",
            "understory-adapter-text",
            "understory-adapter-worktree",
        ],
    ),
    row(
        "understory-adapter-codegraph",
        &[
            "understory-core",
            "understory-ports",
            "understory-tree-reader",
            "understory-cli-backend",
        ],
        // A program of the tests' own runs under the real sandbox over a tree that is really written out.
        &["understory-adapter-sandbox", "understory-adapter-worktree"],
    ),
    row("understory-adapter-npm", &["understory-core", "understory-ports"], &[]),
    row(
        "understory-adapter-sandbox",
        &["understory-core", "understory-ports"],
        &[],
    ),
    row(
        "understory",
        &[
            "understory-core",
            "understory-ports",
            "understory-session",
            "understory-adapter-codegraph",
            "understory-adapter-graft",
            "understory-adapter-native",
            "understory-adapter-text",
            "understory-adapter-worktree",
            "understory-adapter-npm",
            "understory-adapter-sandbox",
            "understory-adapter-cassette",
            "understory-tree-reader",
        ],
        &[],
    ),
    row("layering-test", &[], &[]),
];

/// Third-party crates that a crate may not link with, and why. Tests may.
const BANNED: &[(&str, &[&str], &str)] = &[
    (
        "understory-core",
        &[
            "tokio",
            "rayon",
            "git2",
            "ignore",
            "memmap2",
            "rustix",
            "tempfile",
            "clap",
            "grep-searcher",
            "async-trait",
        ],
        "core is plain data and pure rules: no input or output, no runtime, no threads",
    ),
    (
        "understory-ports",
        &[
            "rayon",
            "git2",
            "ignore",
            "memmap2",
            "rustix",
            "clap",
            "grep-searcher",
            "tree-sitter",
        ],
        "ports are contracts: what an adapter is made of belongs in the adapter",
    ),
    (
        "understory-session",
        &[
            "tokio",
            "rayon",
            "git2",
            "ignore",
            "memmap2",
            "rustix",
            "clap",
            "tree-sitter",
        ],
        "session has no runtime, no thread and no file access of its own",
    ),
    (
        "understory-engine",
        &["tokio", "async-trait", "git2", "ignore", "clap"],
        "engine is a library of its own: it knows no runtime, no repository and no command line",
    ),
];

fn metadata() -> Metadata {
    MetadataCommand::new()
        .manifest_path(concat!(env!("CARGO_MANIFEST_DIR"), "/../Cargo.toml"))
        .no_deps()
        .other_options(["--offline".to_owned()])
        .exec()
        .expect("cargo describes the workspace")
}

fn kind_word(kind: DependencyKind) -> &'static str {
    match kind {
        DependencyKind::Development => "dev",
        DependencyKind::Build => "build",
        _ => "normal",
    }
}

/// What is wrong with a package's edges, a sentence each.
fn faults(
    package: &Package,
    workspace: &BTreeSet<String>,
    table: &[Row],
    banned: &[(&str, &[&str], &str)],
) -> Vec<String> {
    let name = package.name.as_str();
    let Some(row) = table.iter().find(|r| r.name == name) else {
        return vec![format!(
            "{name} has no row in the table of layering-test/tests/layering.rs. Add one that says what it may use."
        )];
    };
    let mut out = Vec::new();
    for edge in &package.dependencies {
        let (to, kind) = (edge.name.as_str(), kind_word(edge.kind));
        if workspace.contains(to) {
            let allowed = row.may_use.contains(&to)
                || (edge.kind == DependencyKind::Development && row.tests_may_use.contains(&to));
            if !allowed {
                out.push(format!(
                    "the {kind} edge {name} → {to} is not in the row of {name}. {}",
                    if name.contains("adapter-") && to.contains("adapter-") {
                        "An adapter takes another port as `Arc<dyn Trait>` and never names its adapter; shared code gets a crate of its own."
                    } else {
                        "Depend on a port instead, or move the code inwards; only `understory` (crates/app) names adapters."
                    }
                ));
            }
        } else if edge.kind != DependencyKind::Development {
            for (of, names, why) in banned {
                // An optional dependency serves a feature for tests (fakes, conformance), which no release turns on.
                if *of == name && names.contains(&to) && !edge.optional {
                    out.push(format!(
                        "the {kind} edge {name} → {to} is banned: {why}. Move the code that needs it outwards."
                    ));
                }
            }
        }
    }
    out
}

#[test]
fn every_edge_is_in_the_table() {
    let metadata = metadata();
    let packages = metadata.workspace_packages();
    let workspace: BTreeSet<String> = packages.iter().map(|p| p.name.to_string()).collect();
    assert!(workspace.len() > 5, "cargo names the crates: {workspace:?}");
    let faults: Vec<String> = packages
        .iter()
        .flat_map(|p| faults(p, &workspace, TABLE, BANNED))
        .collect();
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
}

#[test]
fn every_row_is_a_crate_and_no_row_stands_twice() {
    let metadata = metadata();
    let workspace: BTreeSet<String> = metadata
        .workspace_packages()
        .iter()
        .map(|p| p.name.to_string())
        .collect();
    let mut seen = BTreeMap::new();
    for row in TABLE {
        assert!(
            workspace.contains(row.name),
            "{} is no crate of the workspace: take its row out",
            row.name
        );
        assert!(seen.insert(row.name, ()).is_none(), "{} has two rows", row.name);
    }
}

/// The rules fire when they are broken: the same edges under a table that does not allow them.
#[test]
fn a_forbidden_edge_is_named_with_its_rule() {
    let metadata = metadata();
    let packages = metadata.workspace_packages();
    let workspace: BTreeSet<String> = packages.iter().map(|p| p.name.to_string()).collect();
    let package = |name: &str| {
        let found = packages.iter().find(|p| p.name.as_str() == name);
        *found.unwrap_or_else(|| panic!("{name} is a crate of the workspace"))
    };
    let nothing = [row("understory-session", &["understory-core"], &[])];
    let found = faults(package("understory-session"), &workspace, &nothing, &[]);
    assert!(
        found
            .iter()
            .any(|f| f.contains("normal edge understory-session → understory-ports")),
        "{found:?}"
    );
    assert!(
        found
            .iter()
            .any(|f| f.contains("dev edge understory-session → understory-ports")),
        "{found:?}"
    );
    let missing = faults(package("understory-core"), &workspace, &nothing, &[]);
    assert!(missing[0].contains("has no row"), "{missing:?}");
    let banned = [("understory-core", &["regex"][..], "as a test")];
    let found = faults(package("understory-core"), &workspace, TABLE, &banned);
    assert!(
        found[0].contains("understory-core → regex is banned: as a test"),
        "{found:?}"
    );
}

/// The folders that the table under a heading of a page names in its first column.
fn folders_of_table(page: &str, heading: &str) -> Vec<String> {
    page.lines()
        .skip_while(|line| *line != heading)
        .skip(1)
        .take_while(|line| !line.starts_with("## "))
        .filter_map(|line| line.strip_prefix("| `")?.split_once('`'))
        .map(|(folder, _)| folder.to_owned())
        .collect()
}

/// How a page's list of folders differs from those of the workspace, a sentence each.
fn list_faults(page: &str, listed: &[String], folders: &BTreeSet<String>) -> Vec<String> {
    let mut out = Vec::new();
    for folder in folders {
        match listed.iter().filter(|l| *l == folder).count() {
            0 => out.push(format!("{page} does not list {folder}")),
            1 => {}
            _ => out.push(format!("{page} lists {folder} twice")),
        }
    }
    for folder in listed.iter().filter(|l| !folders.contains(*l)) {
        out.push(format!("{page} lists {folder}, which is no crate of the workspace"));
    }
    out
}

#[test]
fn the_pages_list_every_crate() {
    let metadata = metadata();
    let root = &metadata.workspace_root;
    let folders: BTreeSet<String> = metadata
        .workspace_packages()
        .iter()
        .filter_map(|p| p.manifest_path.parent()?.strip_prefix(root).ok())
        .map(|folder| folder.as_str().replace('\\', "/"))
        .collect();
    let read = |name: &str| std::fs::read_to_string(root.join(name)).expect("the page is in the repository");
    let products: BTreeSet<String> = folders.iter().filter(|f| f.starts_with("crates/")).cloned().collect();
    assert_eq!(
        folders.len(),
        products.len() + 1,
        "all but this crate are products: {folders:?}"
    );
    let map = folders_of_table(&read("ARCHITECTURE.md"), "## Code map");
    let mut faults = list_faults("the code map of ARCHITECTURE.md", &map, &folders);
    let table = folders_of_table(&read("README.md"), "## Crates");
    faults.extend(list_faults("the table of README.md", &table, &products));
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
}

#[test]
fn a_list_that_differs_from_the_workspace_is_named() {
    let page = "## Other\n| `crates/x` | no |\n## Crates\n\n| crate | what |\n|---|---|\n| `crates/a` | a |\n| `crates/b` | b |\n\
                | `crates/b` | b |\n| `crates/old` | o |\n## Next\n| `crates/y` | no |\n";
    let listed = folders_of_table(page, "## Crates");
    assert_eq!(listed, ["crates/a", "crates/b", "crates/b", "crates/old"]);
    let folders = ["crates/a", "crates/b", "crates/c"].map(String::from).into();
    assert_eq!(
        list_faults("it", &listed, &folders),
        [
            "it lists crates/b twice",
            "it does not list crates/c",
            "it lists crates/old, which is no crate of the workspace",
        ]
    );
}
