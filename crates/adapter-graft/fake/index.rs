//! `build`: a graph of Python files.

use crate::{Faults, fail};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::exit;

/// Names that are passed over on every level.
const SKIPPED: &[&str] = &[
    "node_modules",
    "dist",
    "build",
    "out",
    "target",
    "vendor",
    "coverage",
    "__pycache__",
    "venv",
];

/// A definition while it is read.
struct Def {
    id: String,
    name: String,
    kind: &'static str,
    path: String,
    start: usize,
    end: usize,
    indent: usize,
    header: String,
}

pub fn build(dir: &Path, root: &Path, faults: &Faults) {
    if let Some(children) = repositories(root) {
        // Every child gets an index and an ignore rule, and the directory that was named is removed.
        for child in children {
            let _ = fs::create_dir_all(child.join("graft"));
            let _ = fs::write(child.join(".gitignore"), "/graft/\n");
        }
        let _ = fs::remove_dir_all(dir);
        let _ = fs::write(dir.join("workspace.json"), "{}");
        println!("✓ workspace");
        return;
    }
    if !root.is_dir() {
        fail(&format!(
            "ENOENT: no such file or directory, scandir '{}'",
            root.display()
        ));
    }
    let memo = dir.join(".cache/extract.fake.json");
    let replayed: BTreeSet<String> = fs::read(&memo)
        .ok()
        .and_then(|bytes| serde_json::from_slice(&bytes).ok())
        .unwrap_or_default();
    if faults.has("@bad-memo") && !replayed.is_empty() {
        fail("cannot read properties of undefined (memo)");
    }
    if faults.has("@no-graph") {
        println!("✓ wiring: 0 nodes");
        return;
    }
    let mut files = BTreeMap::new();
    walk(root, root, &mut files);
    // In a work tree of git the files are those that git names.
    if let Some(named) = of_git(root) {
        files.retain(|path, _| named.contains(path));
    }
    if let Ok(settings) = fs::read_to_string(root.join(".graft/config.json"))
        && settings.contains("nothing")
    {
        files.clear();
    }
    let mut defs: Vec<Def> = Vec::new();
    let mut nodes = Vec::new();
    for (path, text) in &files {
        nodes.push(
            json!({"id": path, "name": path.rsplit('/').next(), "kind": "file", "path": path,
            "span": format!("L1-L{}", text.split('\n').count()), "signature": null, "origin": "ast"}),
        );
        defs.extend(extract(path, text));
    }
    for def in &defs {
        nodes.push(
            json!({"id": def.id, "name": def.name, "kind": def.kind, "path": def.path,
            "span": format!("L{}-L{}", def.start, def.end), "signature": def.header, "origin": "ast"}),
        );
    }
    let edges = edges(&files, &defs);
    let graph = json!({
        "meta": {"version": 1, "nodeCount": nodes.len(), "edgeCount": edges.len(), "languages": ["python"]},
        "nodes": nodes,
        "edges": edges,
    });
    let parsed: BTreeSet<String> = files.iter().map(|(path, text)| format!("{path}\0{text}")).collect();
    let again = parsed.intersection(&replayed).count();
    let written = fs::create_dir_all(dir.join(".graph"))
        .and_then(|()| fs::create_dir_all(dir.join(".cache")))
        .and_then(|()| fs::write(dir.join(".graph/wiring.json"), graph.to_string()))
        .and_then(|()| fs::write(&memo, serde_json::to_vec(&parsed)?))
        .and_then(|()| fs::write(dir.join("INDEX.md"), "# index\n"));
    if let Err(e) = written {
        fail(&format!("cannot write {}: {e}", dir.display()));
    }
    if let Some(home) = std::env::var_os("HOME") {
        let _ = fs::write(
            Path::new(&home).join("last-build"),
            format!("{} of {}", again, files.len()),
        );
    }
    println!(
        "✓ wiring: {} nodes\n  parsed: {} of {} files ({again} replayed from cache)",
        defs.len(),
        files.len() - again,
        files.len()
    );
}

fn repositories(root: &Path) -> Option<Vec<PathBuf>> {
    if root.join(".git").exists() {
        return None;
    }
    let children = fs::read_dir(root).ok()?.filter_map(Result::ok).map(|e| e.path());
    let children: Vec<PathBuf> = children.filter(|child| child.join(".git").exists()).collect();
    (children.len() >= 2).then_some(children)
}

#[expect(clippy::disallowed_methods, reason = "Graft asks git in just this way")]
fn of_git(root: &Path) -> Option<BTreeSet<String>> {
    let mut git = std::process::Command::new("git");
    git.args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
    let done = git
        .current_dir(root)
        .output()
        .ok()
        .filter(|done| done.status.success())?;
    let text = String::from_utf8_lossy(&done.stdout).into_owned();
    Some(text.split('\0').map(str::to_owned).collect())
}

fn walk(root: &Path, dir: &Path, files: &mut BTreeMap<String, String>) {
    let Ok(entries) = fs::read_dir(dir) else { return };
    for entry in entries.filter_map(Result::ok) {
        let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
        let Ok(kind) = entry.file_type() else { exit(1) };
        if name.starts_with('.') || SKIPPED.contains(&&*name) {
            continue;
        }
        if kind.is_dir() {
            walk(root, &path, files);
        } else if kind.is_file()
            && name.ends_with(".py")
            && let (Ok(text), Ok(relative)) = (fs::read_to_string(&path), path.strip_prefix(root))
        {
            files.insert(relative.to_string_lossy().into_owned(), text);
        }
    }
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

fn extract(path: &str, text: &str) -> Vec<Def> {
    let lines: Vec<&str> = text.lines().collect();
    let mut open: Vec<(usize, String)> = Vec::new();
    let mut out = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let words = line.trim_start();
        let Some((is_class, rest)) = words
            .strip_prefix("def ")
            .map(|rest| (false, rest))
            .or_else(|| words.strip_prefix("class ").map(|rest| (true, rest)))
        else {
            continue;
        };
        let name: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        let of_line = indent(line);
        open.retain(|(above, _)| *above < of_line);
        let chain = open.iter().map(|(_, name)| name.as_str()).chain([name.as_str()]);
        let id = format!("{path}#{}", chain.collect::<Vec<_>>().join("."));
        let kind = match (is_class, open.is_empty()) {
            (true, _) => "class",
            (false, true) => "function",
            (false, false) => "method",
        };
        let body = lines[at + 1..]
            .iter()
            .take_while(|l| l.trim().is_empty() || indent(l) > of_line);
        let last = body
            .enumerate()
            .filter(|(_, l)| !l.trim().is_empty())
            .last()
            .map_or(at, |(n, _)| at + 1 + n);
        open.push((of_line, name.clone()));
        out.push(Def {
            id,
            name,
            kind,
            path: path.to_owned(),
            start: at + 1,
            end: last + 1,
            indent: of_line,
            header: words.trim_end_matches(':').to_owned(),
        });
    }
    out
}

/// Calls by bare names: to the one of that name in the file, else to the one in the repository.
fn edges(files: &BTreeMap<String, String>, defs: &[Def]) -> Vec<Value> {
    let mut out: BTreeSet<(String, String, &str, &str)> = BTreeSet::new();
    for def in defs {
        let inside = |outer: &&Def| outer.path == def.path && outer.start < def.start && def.end <= outer.end;
        let above = defs.iter().filter(inside).max_by_key(|outer| outer.indent);
        let above = above.map_or(&def.path, |outer| &outer.id);
        out.insert((above.clone(), def.id.clone(), "contains", "extracted"));
    }
    for (path, text) in files {
        for (at, line) in text.lines().enumerate() {
            let number = at + 1;
            let within = defs
                .iter()
                .filter(|d| d.path == *path && (d.start..=d.end).contains(&number));
            let within = within.max_by_key(|d| d.start);
            if within.is_some_and(|d| d.start == number) {
                continue;
            }
            let source = within.map_or(path, |d| &d.id);
            for (open, _) in line.match_indices('(') {
                let head = &line[..open];
                let name = &head[head
                    .rfind(|c: char| !c.is_alphanumeric() && c != '_')
                    .map_or(0, |i| i + 1)..];
                let named = || defs.iter().filter(|d| d.name == name && d.kind != "class");
                let here: Vec<&Def> = named().filter(|d| d.path == *path).collect();
                let all: Vec<&Def> = named().collect();
                if let [one] = here[..] {
                    out.insert((source.clone(), one.id.clone(), "calls", "extracted"));
                } else if let ([], [one]) = (&here[..], &all[..]) {
                    out.insert((source.clone(), one.id.clone(), "calls", "inferred"));
                }
            }
        }
    }
    out.iter()
        .map(|(source, target, relation, confidence)| {
            json!({"source": source, "target": target, "relation": relation, "confidence": confidence})
        })
        .collect()
}
