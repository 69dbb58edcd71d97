//! The contract of [`TextSearch`] as a suite.
//!
//! ```
//! # use std::sync::Arc;
//! # use understory_ports::{conformance::text_search, testing::MemoryText};
//! # #[tokio::main(flavor = "current_thread")] async fn main() {
//! let new = |files: &understory_ports::conformance::tree::Files| {
//!     let fake = files.iter().fold(MemoryText::new(), |fake, (path, _, bytes)| fake.holding(path.clone(), bytes));
//!     Arc::new(fake) as Arc<dyn understory_ports::TextSearch>
//! };
//! text_search::suite(&new).await.assert_passed(&[]);
//! # }
//! ```

use super::tree::Files;
use super::{Miss, Report, hold};
use crate::context::CallContext;
use crate::text_search::{TextError, TextSearch};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use understory_core::answer::{ListAnswer, ReadAnswer, TextAnswer, Unit};
use understory_core::limits::Limits;
use understory_core::query::{ListQuery, ReadQuery, TextQuery};
use understory_core::refusal::{Refusal, RefusalCode};
use understory_core::tree::Tree;

/// Makes the implementation under test for these files on disk.
pub type Constructor<'a> = &'a (dyn Fn(&Files) -> Arc<dyn TextSearch> + Send + Sync);

/// Runs every case.
pub async fn suite(new: Constructor<'_>) -> Report {
    let mut report = Report::default();
    macro_rules! cases {
        ($($name:ident),+ $(,)?) => { $( report.add(stringify!($name), $name(new).await); )+ };
    }
    cases!(
        matches_come_by_path_then_line_and_all_are_counted,
        lines_are_matched_alone,
        a_bad_pattern_is_refused,
        a_path_limits_the_search,
        other_encodings_are_text_and_binary_is_counted,
        staged_writes_are_seen_and_deletions_gone,
        what_is_protected_is_never_told,
        ranges_are_one_based_and_inclusive,
        a_long_file_is_cut_at_a_line,
        what_cannot_be_read_is_refused_by_name,
        lists_are_in_order_and_take_globs,
        the_same_question_has_the_same_answer,
        a_cancelled_call_says_so,
        a_passed_deadline_says_so,
    );
    report
}

struct Bench {
    text: Arc<dyn TextSearch>,
    tree: Tree,
    /// The directory lives as long as the case.
    _files: Files,
}

impl Bench {
    fn new(new: Constructor<'_>, staged: &Value) -> Result<Bench, Miss> {
        let mut files = Files::new(&[
            ("src/a.py", "def one():\n    return quokka\n"),
            ("src/b.py", "quokka = 1\n\nquokka quokka\n"),
            ("src/deep/c.ts", "// quokka"),
            ("crlf.txt", "first quokka\r\nsecond\r\n"),
            ("docs/long.md", &format!("{}\n", "x".repeat(99)).repeat(300)),
            ("empty", ""),
            (".env", "QUOKKA=quokka\n"),
            ("keys/server.pem", "-----BEGIN PRIVATE KEY-----\nquokka\n"),
            ("keys/public.pem", "-----BEGIN CERTIFICATE-----\nquokka\n"),
        ])?;
        files.write_bytes("bin.dat", b"quokka\0")?;
        files.write_bytes("utf16.txt", b"\xff\xfeq\0u\0o\0k\0k\0a\0\n\0")?;
        files.write_bytes("latin.txt", b"caf\xe9 quokka\n")?;
        #[cfg(unix)]
        {
            files.link("link.py", "src/a.py")?;
            files.link("notes.txt", ".env")?;
        }
        let tree = files.tree(staged)?;
        let text = new(&files);
        Ok(Bench {
            text,
            tree,
            _files: files,
        })
    }

    async fn search(&self, arguments: Value) -> Result<Result<TextAnswer, Refusal>, Miss> {
        let query = TextQuery::from_arguments(&arguments, &Limits::default())?;
        answered(self.text.search(&self.tree, &query, &CallContext::new()).await)
    }

    async fn read(&self, arguments: Value) -> Result<Result<ReadAnswer, Refusal>, Miss> {
        let query = ReadQuery::from_arguments(&arguments)?;
        answered(self.text.read(&self.tree, &query, &CallContext::new()).await)
    }

    async fn list(&self, arguments: Value) -> Result<Result<ListAnswer, Refusal>, Miss> {
        let query = ListQuery::from_arguments(&arguments)?;
        answered(self.text.list(&self.tree, &query, &CallContext::new()).await)
    }

    async fn found(&self, arguments: Value) -> Result<Vec<(String, u32)>, Miss> {
        let answer = self.search(arguments).await??;
        Ok(places(&answer))
    }
}

fn answered<T>(result: Result<T, TextError>) -> Result<Result<T, Refusal>, Miss> {
    match result {
        Ok(answer) => Ok(Ok(answer)),
        Err(TextError::Refused(refusal)) => Ok(Err(refusal)),
        Err(other) => Err(Miss::Broken(format!("an unexpected error: {other}"))),
    }
}

fn places(answer: &TextAnswer) -> Vec<(String, u32)> {
    let place = |m: &understory_core::answer::TextMatch| (m.path.to_string(), m.line);
    answer.matches.iter().map(place).collect()
}

fn at(list: &[(&str, u32)]) -> Vec<(String, u32)> {
    list.iter().map(|(path, line)| ((*path).to_owned(), *line)).collect()
}

/// Every line of the fixture with the word that is looked for.
const QUOKKA: [(&str, u32); 8] = [
    ("crlf.txt", 1),
    ("keys/public.pem", 2),
    ("latin.txt", 1),
    ("src/a.py", 2),
    ("src/b.py", 1),
    ("src/b.py", 3),
    ("src/deep/c.ts", 1),
    ("utf16.txt", 1),
];

async fn matches_come_by_path_then_line_and_all_are_counted(new: Constructor<'_>) -> Result<(), Miss> {
    let bench = Bench::new(new, &Value::Null)?;
    let answer = bench.search(json!({"pattern": "quokka"})).await??;
    hold!(places(&answer) == at(&QUOKKA), "found {:?}", places(&answer));
    hold!(
        answer.counts.exact && answer.counts.unit == Unit::Lines,
        "{:?}",
        answer.counts
    );
    let answer = bench.search(json!({"pattern": "quokka", "limit": 3})).await??;
    hold!(places(&answer) == at(&QUOKKA[..3]), "found {:?}", places(&answer));
    hold!(
        (answer.counts.shown, answer.counts.total) == (3, 8),
        "{:?}",
        answer.counts
    );
    let answer = bench.search(json!({"pattern": "no such text"})).await??;
    hold!(
        answer.matches.is_empty() && answer.counts.total == 0,
        "{:?}",
        answer.counts
    );
    Ok(())
}

async fn lines_are_matched_alone(new: Constructor<'_>) -> Result<(), Miss> {
    let bench = Bench::new(new, &Value::Null)?;
    for (pattern, expected) in [
        ("first quokka$", vec![("crlf.txt", 1)]),
        ("^second$", vec![("crlf.txt", 2)]),
        ("quokka\\s+second", vec![]),
        ("quokka[^x]second", vec![]),
        ("(?i)^QUOKKA = 1$", vec![("src/b.py", 1)]),
        ("^$", vec![("src/b.py", 2)]),
    ] {
        let found = bench.found(json!({"pattern": pattern})).await?;
        hold!(found == at(&expected), "{pattern}: {found:?}");
    }
    let answer = bench.search(json!({"pattern": "first"})).await??;
    hold!(
        answer.matches[0].text == "first quokka",
        "a line end in {:?}",
        answer.matches[0].text
    );
    Ok(())
}

async fn a_bad_pattern_is_refused(new: Constructor<'_>) -> Result<(), Miss> {
    let bench = Bench::new(new, &Value::Null)?;
    for pattern in ["(", "[z-a]", "a{2,1}", "a(?=b)"] {
        let refused = bench.search(json!({"pattern": pattern})).await?;
        hold!(
            matches!(&refused, Err(r) if r.code == RefusalCode::BadQuery && !r.message.is_empty()),
            "{pattern}: {refused:?}"
        );
    }
    Ok(())
}

async fn a_path_limits_the_search(new: Constructor<'_>) -> Result<(), Miss> {
    let bench = Bench::new(new, &Value::Null)?;
    for (path, lines) in [("src", 4), ("src/b.py", 2), ("src/deep/", 1), ("docs", 0), ("", 8)] {
        let found = bench.found(json!({"pattern": "quokka", "path": path})).await?;
        hold!(found.len() == lines, "{path}: {found:?}");
    }
    for (path, code) in [
        ("srr/b.py", RefusalCode::NoSuchFile),
        (".env", RefusalCode::ProtectedPath),
    ] {
        let refused = bench.search(json!({"pattern": "quokka", "path": path})).await?;
        hold!(matches!(&refused, Err(r) if r.code == code), "{path}: {refused:?}");
    }
    Ok(())
}

async fn other_encodings_are_text_and_binary_is_counted(new: Constructor<'_>) -> Result<(), Miss> {
    let bench = Bench::new(new, &Value::Null)?;
    let answer = bench.search(json!({"pattern": "quokka"})).await??;
    hold!(answer.not_searched.binary == 1, "{:?}", answer.not_searched);
    let content = bench.read(json!({"path": "utf16.txt"})).await??.content;
    hold!(content == "quokka\n", "{content:?}");
    let content = bench.read(json!({"path": "latin.txt"})).await??.content;
    hold!(content == "caf\u{fffd} quokka\n", "{content:?}");
    Ok(())
}

async fn staged_writes_are_seen_and_deletions_gone(new: Constructor<'_>) -> Result<(), Miss> {
    let staged = json!({"src/a.py": null, "src/b.py": "wombat\n", "new/d.py": "quokka\n", "src/deep": "quokka"});
    let bench = Bench::new(new, &staged)?;
    let answer = bench
        .search(json!({"pattern": "quokka|wombat", "path": "src"}))
        .await??;
    hold!(
        places(&answer) == at(&[("src/b.py", 1), ("src/deep", 1)]),
        "found {:?}",
        places(&answer)
    );
    hold!(answer.matches.iter().all(|m| m.staged), "not said to be staged");
    let found = bench.found(json!({"pattern": "quokka", "path": "new"})).await?;
    hold!(found == at(&[("new/d.py", 1)]), "{found:?}");
    let read = bench.read(json!({"path": "src/b.py"})).await??;
    hold!(read.content == "wombat\n" && read.staged, "{read:?}");
    let refused = bench.read(json!({"path": "src/a.py"})).await?;
    hold!(
        matches!(&refused, Err(r) if r.code == RefusalCode::NoSuchFile),
        "{refused:?}"
    );
    let list = bench.list(json!({"path": "src"})).await??;
    let paths: Vec<&str> = list.paths.iter().map(|p| p.as_str()).collect();
    hold!(paths == ["src/b.py", "src/deep"], "{paths:?}");
    Ok(())
}

async fn what_is_protected_is_never_told(new: Constructor<'_>) -> Result<(), Miss> {
    let bench = Bench::new(
        new,
        &json!({"conf/.env.local": "quokka", "made.key": "-----BEGIN PRIVATE KEY-----\nquokka"}),
    )?;
    let hidden = [".env", "keys/server.pem", "conf/.env.local", "made.key", "notes.txt"];
    let answer = bench.search(json!({"pattern": "quokka|PRIVATE"})).await??;
    hold!(
        answer.matches.iter().all(|m| !hidden.contains(&m.path.as_str())),
        "found {:?}",
        places(&answer)
    );
    hold!(answer.counts.total == 8, "counted {}", answer.counts.total);
    let list = bench.list(json!({})).await??;
    hold!(
        list.paths.iter().all(|p| !hidden.contains(&p.as_str())),
        "listed {:?}",
        list.paths
    );
    for path in hidden.iter().copied().chain(["not/there/.env", "id_rsa"]) {
        if cfg!(not(unix)) && path == "notes.txt" {
            continue;
        }
        let refused = bench.read(json!({"path": path})).await?;
        hold!(
            matches!(&refused, Err(r) if r.code == RefusalCode::ProtectedPath),
            "{path}: {refused:?}"
        );
    }
    let refused = bench.read(json!({"path": ".enw"})).await?;
    hold!(
        matches!(&refused, Err(r) if !r.suggestions.iter().any(|s| hidden.contains(&s.as_str()))),
        "offered in {refused:?}"
    );
    Ok(())
}

async fn ranges_are_one_based_and_inclusive(new: Constructor<'_>) -> Result<(), Miss> {
    let bench = Bench::new(new, &Value::Null)?;
    for (path, start, end, expected) in [
        ("src/b.py", 1, 0, (1, 3, 3, "quokka = 1\n\nquokka quokka\n")),
        ("src/b.py", 2, 3, (2, 3, 3, "\nquokka quokka\n")),
        ("src/b.py", 3, 99, (3, 3, 3, "quokka quokka\n")),
        ("crlf.txt", 1, 1, (1, 1, 2, "first quokka\r\n")),
        ("src/deep/c.ts", 1, 0, (1, 1, 1, "// quokka")),
        ("empty", 1, 0, (0, 0, 0, "")),
    ] {
        let read = bench.read(json!({"path": path, "start": start, "end": end})).await??;
        let found = (read.start, read.end, read.total_lines, read.content.as_str());
        hold!(found == expected, "{path} {start}-{end}: {found:?}");
    }
    let refused = bench.read(json!({"path": "src/b.py", "start": 4})).await?;
    hold!(
        matches!(&refused, Err(r) if r.code == RefusalCode::BadArgument),
        "{refused:?}"
    );
    Ok(())
}

async fn a_long_file_is_cut_at_a_line(new: Constructor<'_>) -> Result<(), Miss> {
    let bench = Bench::new(new, &json!({"wide": "é".repeat(20_000)}))?;
    let read = bench.read(json!({"path": "docs/long.md", "start": 2})).await??;
    hold!(
        (read.start, read.end, read.total_lines) == (2, 121, 300),
        "{} {}",
        read.start,
        read.end
    );
    hold!(read.content.len() == 12_000, "{} bytes", read.content.len());
    let read = bench.read(json!({"path": "wide"})).await??;
    hold!(
        read.content.chars().count() == 12_000 && read.end == 1,
        "a line of {}",
        read.content.len()
    );
    Ok(())
}

async fn what_cannot_be_read_is_refused_by_name(new: Constructor<'_>) -> Result<(), Miss> {
    let bench = Bench::new(new, &Value::Null)?;
    for (path, code, near) in [
        ("src/aa.py", RefusalCode::NoSuchFile, Some("src/a.py")),
        ("c.ts", RefusalCode::NoSuchFile, Some("src/deep/c.ts")),
        ("src", RefusalCode::NoSuchFile, None),
        ("bin.dat", RefusalCode::Unsupported, None),
    ] {
        let refused = bench.read(json!({"path": path})).await?;
        hold!(
            matches!(&refused, Err(r) if r.code == code && near.is_none_or(|n| r.suggestions.iter().any(|s| s == n))),
            "{path}: {refused:?}"
        );
    }
    if cfg!(unix) {
        let read = bench.read(json!({"path": "link.py", "start": 1, "end": 1})).await??;
        hold!(
            read.content == "def one():\n" && read.path.as_str() == "link.py",
            "{read:?}"
        );
    }
    Ok(())
}

async fn lists_are_in_order_and_take_globs(new: Constructor<'_>) -> Result<(), Miss> {
    let bench = Bench::new(new, &Value::Null)?;
    for (path, glob, expected) in [
        ("src", "", vec!["src/a.py", "src/b.py", "src/deep/c.ts"]),
        ("src", "*.py", vec!["src/a.py", "src/b.py"]),
        ("", "src/**/*.ts", vec!["src/deep/c.ts"]),
        ("", "*.{md,ts}", vec!["docs/long.md", "src/deep/c.ts"]),
        ("", "/crlf.*", vec!["crlf.txt"]),
        ("docs", "*.py", vec![]),
    ] {
        let list = bench.list(json!({"path": path, "glob": glob})).await??;
        let paths: Vec<&str> = list.paths.iter().map(|p| p.as_str()).collect();
        hold!(paths == expected, "{path} {glob}: {paths:?}");
        hold!(
            list.counts.total == expected.len() as u64 && list.counts.unit == Unit::Files,
            "{:?}",
            list.counts
        );
    }
    let refused = bench.list(json!({"glob": "[z-a]"})).await?;
    hold!(
        matches!(&refused, Err(r) if r.code == RefusalCode::BadQuery),
        "{refused:?}"
    );
    let refused = bench.list(json!({"path": "nowhere/at/all"})).await?;
    hold!(
        matches!(&refused, Err(r) if r.code == RefusalCode::NoSuchFile),
        "{refused:?}"
    );
    Ok(())
}

async fn the_same_question_has_the_same_answer(new: Constructor<'_>) -> Result<(), Miss> {
    let bench = Bench::new(new, &Value::Null)?;
    let first = bench.search(json!({"pattern": "[aeiou]"})).await??;
    for _ in 0..3 {
        let again = bench.search(json!({"pattern": "[aeiou]"})).await??;
        hold!(again == first, "another answer");
    }
    Ok(())
}

async fn a_cancelled_call_says_so(new: Constructor<'_>) -> Result<(), Miss> {
    let cx = CallContext::new();
    cx.cancel.cancel();
    every_method_ends(new, &cx, |e| matches!(e, TextError::Cancelled)).await
}

async fn a_passed_deadline_says_so(new: Constructor<'_>) -> Result<(), Miss> {
    let cx = CallContext::new().with_timeout(Duration::ZERO);
    every_method_ends(new, &cx, |e| matches!(e, TextError::Timeout)).await
}

async fn every_method_ends(new: Constructor<'_>, cx: &CallContext, so: fn(&TextError) -> bool) -> Result<(), Miss> {
    let bench = Bench::new(new, &Value::Null)?;
    let query = TextQuery::from_arguments(&json!({"pattern": "quokka"}), &Limits::default())?;
    let ended = bench.text.search(&bench.tree, &query, cx).await;
    hold!(ended.as_ref().is_err_and(so), "search: {ended:?}");
    let query = ReadQuery::from_arguments(&json!({"path": "src/a.py"}))?;
    let ended = bench.text.read(&bench.tree, &query, cx).await;
    hold!(ended.as_ref().is_err_and(so), "read: {ended:?}");
    let query = ListQuery::from_arguments(&Value::Null)?;
    let ended = bench.text.list(&bench.tree, &query, cx).await;
    hold!(ended.as_ref().is_err_and(so), "list: {ended:?}");
    Ok(())
}
