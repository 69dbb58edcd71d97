//! `understory status`: what the tree holds, what is left out, and where the index is.

use super::common;
use crate::cli::Cli;
use crate::compose::Composed;
use crate::exit;
use crate::failure::Failure;
use crate::output::Output;
use serde_json::json;
use understory_core::answer::SCHEMA;
use understory_core::guard::Guard;
use understory_core::staged::StagedSet;
use understory_core::tree::{EntryKind, Tree};
use understory_ports::WorktreeError;
use understory_tree_reader::{Content, Reader};

/// Names of a kind that are printed; the rest is counted.
const NAMES: usize = 20;

/// Takes the tree and describes it.
pub fn run(cli: &Cli, composed: &Composed, out: &mut Output) -> Result<u8, Failure> {
    let cx = common::context(out);
    let staged = match common::open(cli, composed, common::Reader::Program)? {
        Ok(session) => session.staged(),
        Err(refusal) => return Err(Failure::from(&refusal)),
    };
    let tree =
        common::block_on(composed.ports.worktree.snapshot(&composed.root, &staged, &cx))?.map_err(of_worktree)?;
    let unread = unread(&tree, &composed.guard);
    let mut left_out = tree.not_searched();
    left_out.binary += unread.binary.len() as u64;
    left_out.too_large += unread.too_large.len() as u64;
    left_out.unreadable += unread.unreadable.len() as u64;
    let (mut links, mut nested, mut bytes, mut files) = (Vec::new(), Vec::new(), 0, 0u64);
    for file in tree.files() {
        match file.entry.kind {
            EntryKind::File => {
                files += 1;
                bytes += file.entry.size;
            }
            EntryKind::Symlink => links.push(file.path.display_escaped()),
            EntryKind::Submodule => nested.push(file.path.display_escaped()),
        }
    }
    let backend = composed.ports.search.identity();
    if cli.common.json {
        let value = json!({
            "schema": SCHEMA,
            "ok": true,
            "backend": backend,
            "tree": {"fingerprint": tree.fingerprint(), "staged": tree.staged().len()},
            "git": tree.is_git(),
            "head": tree.head(),
            "files": files,
            "bytes": bytes,
            "links": links,
            "nested": nested,
            "binary": unread.binary,
            "too_large": unread.too_large,
            "unreadable": unread.unreadable,
            "not_searched": left_out,
            "findings": tree.findings(),
        });
        out.text(&value.to_string());
        return Ok(exit::FOUND);
    }
    let mut lines = vec![
        format!("repository   {}", composed.root.display()),
        match (tree.is_git(), tree.head()) {
            (true, Some(head)) => format!("git          at {}", &head[..head.len().min(12)]),
            (true, None) => "git          no commit yet".to_owned(),
            (false, _) => "git          none: a plain folder".to_owned(),
        },
        format!("files        {files}, {} KiB", bytes / 1024),
        format!("staged       {}", describe_staged(tree.staged())),
        format!("fingerprint  {}", tree.fingerprint()),
        format!("backend      {} {}", backend.name, backend.version),
        match &composed.cache {
            Some(cache) => format!("cache        {}", cache.display()),
            None => "cache        none: answers come uncached".to_owned(),
        },
    ];
    listed("links, listed and not followed", &links, &mut lines);
    listed("nested repositories, not searched", &nested, &mut lines);
    listed("binary files, not searched", &unread.binary, &mut lines);
    listed("files over 512 MiB, not searched", &unread.too_large, &mut lines);
    listed("unreadable files, not searched", &unread.unreadable, &mut lines);
    lines.extend(counted(&tree));
    out.text(&lines.join("\n"));
    for finding in tree.findings() {
        out.note(&format!("{} ({})", finding.message, finding.id));
    }
    Ok(exit::FOUND)
}

/// What went wrong with the tree, with the host paths that a person may see.
pub fn of_worktree(error: WorktreeError) -> Failure {
    let hint = match &error {
        WorktreeError::NoRoot { .. } => "name the repository's directory with --repo DIR",
        WorktreeError::Bare { .. } => "open a work tree of it with --repo DIR (git worktree add makes one)",
        WorktreeError::Staged(_) => "see `understory help tool` for the form of a staged set",
        _ => "see `understory doctor`",
    };
    Failure::new("the repository cannot be read").because(&error).hint(hint)
}

fn describe_staged(staged: &StagedSet) -> String {
    let deleted = staged
        .iter()
        .filter(|(_, c)| matches!(c, understory_core::staged::StagedChange::Delete))
        .count();
    match staged.len() {
        0 => "nothing".to_owned(),
        n => format!("{} written, {deleted} deleted", n - deleted),
    }
}

fn listed(what: &str, names: &[String], lines: &mut Vec<String>) {
    if names.is_empty() {
        return;
    }
    lines.push(format!("{what}: {}", names.len()));
    lines.extend(names.iter().take(NAMES).map(|n| format!("  {n}")));
    if names.len() > NAMES {
        lines.push(format!("  and {} more", names.len() - NAMES));
    }
}

/// What the walk left out and cannot name.
fn counted(tree: &Tree) -> Vec<String> {
    let n = tree.not_searched();
    let mut out = Vec::new();
    for (count, what) in [
        (n.unreadable, "directories or files that the walk could not open"),
        (n.bad_name, "files whose name is not UTF-8"),
        (n.excluded, "files that configuration leaves out"),
    ] {
        if count > 0 {
            out.push(format!("{what}, not searched: {count}"));
        }
    }
    if out.is_empty() && tree.files().is_empty() {
        out.push("the tree is empty".to_owned());
    }
    out
}

/// Files of the tree that hold no text to search, by name.
#[derive(Default)]
struct Unread {
    binary: Vec<String>,
    too_large: Vec<String>,
    unreadable: Vec<String>,
}

/// Reads every file once. Protected ones are not named.
fn unread(tree: &Tree, guard: &Guard) -> Unread {
    let reader = Reader::new(tree, guard);
    let mut out = Unread::default();
    for file in tree.files() {
        let list = match reader.read(file.path) {
            Content::Binary => &mut out.binary,
            Content::TooLarge => &mut out.too_large,
            Content::Unreadable => &mut out.unreadable,
            _ => continue,
        };
        list.push(file.path.display_escaped());
    }
    out
}
