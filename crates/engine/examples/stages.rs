//! What each stage of the engine costs on a directory of code, in CPU seconds and as ratios to parsing alone.
//!
//! `cargo run --release -p understory-engine --example stages -- DIR`; `benches/stages.sh` runs it and ripgrep beside it.
#![expect(clippy::print_stdout, reason = "a program for a person, not a library")]

use rayon::prelude::*;
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};
use understory_core::query::{Mode, SearchQuery};
use understory_engine::index::Index;
use understory_engine::index::update::{Base, FileInput, Text, Texts, Watch, update};
use understory_engine::query::{View, answer};
use understory_engine::{extract, languages, terms};

struct Disk(PathBuf);

impl Texts for Disk {
    fn text(&self, path: &str) -> Text {
        match std::fs::read(self.0.join(path)) {
            Ok(bytes) if bytes.contains(&0) => Text::Binary,
            Ok(bytes) => Text::Text(String::from_utf8_lossy(&bytes).into_owned()),
            Err(_) => Text::Unreadable,
        }
    }
}

/// One file edited in memory.
struct Edited<'a>(&'a Disk, &'a str, String);

impl Texts for Edited<'_> {
    fn text(&self, path: &str) -> Text {
        if path == self.1 {
            Text::Text(self.2.clone())
        } else {
            self.0.text(path)
        }
    }
}

fn walk(root: &Path, dir: &Path, out: &mut Vec<FileInput>) {
    for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
        let path = entry.path();
        let Ok(kind) = entry.file_type() else { continue };
        if kind.is_dir() && entry.file_name() != ".git" {
            walk(root, &path, out);
        } else if kind.is_file()
            && let (Ok(bytes), Some(name)) = (
                std::fs::read(&path),
                path.strip_prefix(root).ok().and_then(Path::to_str),
            )
        {
            let hash = Sha256::digest(&bytes).into();
            out.push(FileInput {
                path: name.into(),
                hash,
                size: bytes.len() as u64,
            });
        }
    }
}

/// CPU seconds of this process so far, all threads together.
fn cpu() -> f64 {
    let t = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    t.tv_sec as f64 + t.tv_nsec as f64 / 1e9
}

fn timed<T>(name: &str, limit: f64, work: impl FnOnce() -> T) -> (T, f64) {
    let before = cpu();
    let out = work();
    let took = cpu() - before;
    let ratio = if limit > 0.0 {
        format!("{:.2} of parsing", took / limit)
    } else {
        String::new()
    };
    println!("{name:<28} {took:>8.3} s  {ratio}");
    (out, took)
}

fn main() {
    let Some(root) = std::env::args().nth(1).map(PathBuf::from) else {
        println!("usage: stages DIR");
        return;
    };
    let disk = Disk(root.clone());
    let mut files = Vec::new();
    walk(&root, &root, &mut files);
    files.sort_by(|a, b| a.path.cmp(&b.path));
    let code: Vec<(&FileInput, &'static languages::Language, String)> = files
        .iter()
        .filter_map(|f| match disk.text(&f.path) {
            Text::Text(text) => Some((f, languages::detect(&f.path, &text)?, text)),
            _ => None,
        })
        .collect();
    let bytes: usize = code.iter().map(|c| c.2.len()).sum();
    println!(
        "{} files, {} of known languages, {:.1} MB",
        files.len(),
        code.len(),
        bytes as f64 / 1e6
    );

    let (_, parse) = timed("parse alone", 0.0, || {
        code.par_iter()
            .for_each_init(tree_sitter::Parser::new, |parser, (_, language, text)| {
                if parser.set_language(&(language.grammar)()).is_ok() {
                    parser.parse(text, None);
                }
            });
    });
    let (facts, _) = timed("parse and extract", parse, || {
        code.par_iter()
            .map(|(_, language, text)| extract::extract(language, text))
            .collect::<Vec<_>>()
    });
    timed("terms", parse, || {
        code.par_iter()
            .zip(&facts)
            .for_each(|((f, _, text), facts)| drop(terms::bag(&f.path, text, facts)));
    });
    drop(facts);
    let (index, _) = timed("cold build", parse, || build(None, &files, &disk));
    timed("update, nothing changed", parse, || build(Some(&index), &files, &disk));
    if let Some((file, _, text)) = code.get(code.len() / 2) {
        let text = format!("{text}\n");
        let mut edited = files.clone();
        for f in edited.iter_mut().filter(|f| f.path == file.path) {
            f.hash = Sha256::digest(text.as_bytes()).into();
        }
        timed("update, one file edited", parse, || {
            build(Some(&index), &edited, &Edited(&disk, &file.path, text))
        });
    }
    for (name, query) in [
        (
            "ask",
            SearchQuery::new(Mode::Ask, "where is the request timeout applied"),
        ),
        ("grep", SearchQuery::new(Mode::Grep, "timeout|retry")),
        ("callers", SearchQuery::new(Mode::Callers, "get")),
        ("map", SearchQuery::new(Mode::Map, "")),
        (
            "explore",
            SearchQuery::new(Mode::Explore, "how is a request retried after an error"),
        ),
    ] {
        for state in ["cold", "warm"] {
            timed(&format!("{name}, {state}"), parse, || {
                let view = View::new(&index, &disk, &|_| false, &|| false);
                drop(answer(&view, &query));
            });
        }
    }
}

fn build(base: Option<&Index>, files: &[FileInput], texts: &dyn Texts) -> Index {
    let base = base.map(Base::from);
    update(base.as_ref(), files.to_vec(), texts, &Watch::SILENT)
        .expect("nothing stops it")
        .0
}
