//! Which symbols `ask` puts first, and which ones `explore` gives its places to.

#[allow(dead_code, reason = "shared with tests that use other parts")]
mod common;

use common::{Files, InMemory, index};
use understory_core::query::{Mode, SearchQuery};
use understory_engine::query::{answer, view::View};

/// The names of the hits, qualified, in order.
fn names(list: &[(&str, &str)], mode: Mode, words: &str, limit: u32) -> Vec<String> {
    let files: Files = list.iter().map(|(p, t)| ((*p).to_owned(), (*t).to_owned())).collect();
    let index = index(None, &files);
    let texts = InMemory(&files);
    let view = View::new(&index, &texts, &|_| false, &|| false);
    let mut query = SearchQuery::new(mode, words);
    query.limit = limit;
    let answer = answer(&view, &query).expect("it is answered");
    answer.hits.into_iter().map(|h| h.symbol.qualified).collect()
}

#[test]
fn a_test_in_a_source_file_comes_after_the_code() {
    let text = "\
pub struct Printer;

impl Printer {
    pub fn print_heading(&self, heading: bool) {
        let _ = heading;
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn print_heading_heading() {
        // Print the heading, and print no heading.
        super::Printer.print_heading(true);
        super::Printer.print_heading(false);
    }
}
";
    let found = names(&[("src/lib.rs", text)], Mode::Ask, "print heading", 10);
    let place = |name: &str| found.iter().position(|n| n == name);
    assert!(
        place("Printer.print_heading") < place("tests.print_heading_heading"),
        "{found:?}"
    );
    let found = names(&[("src/lib.rs", text)], Mode::Ask, "test that prints the heading", 10);
    assert_eq!(found[0], "tests.print_heading_heading", "a test that is asked for");
}

#[test]
fn a_member_with_a_body_comes_before_what_it_implements() {
    let files = [
        ("go.mod", "module example.org/app\n"),
        (
            "app.go",
            "package app\n\ntype Finder interface {\n\t// FindToken returns the token.\n\tFindToken(token string) string\n}\n",
        ),
        (
            "base.go",
            "package app\n\ntype Base struct{}\n\n// FindToken returns the token.\nfunc (b *Base) FindToken(token string) string {\n\treturn token\n}\n",
        ),
    ];
    let found = names(&files, Mode::Ask, "find token", 10);
    assert_eq!(found[..2], ["Base.FindToken", "Finder.FindToken"]);
}

/// Functions that flush, the first of which calls another that names a word of its own.
const FLUSH: &str = "\
def flush_journal_pages(pages):
    # Flush the journal pages, page by page, until every page of the journal is flushed.
    for page in pages:
        store_block(page)
    return pages


def flush_pages(pages):
    # Flush the pages of the journal.
    for page in pages:
        page.flush()
    return pages


def flush_journal(journal):
    # Flush the pages of a journal.
    for page in journal.pages:
        page.flush()
    return journal


def flush_page(page):
    # Flush one page of the journal.
    page.lock()
    page.flush()
    return page


def store_block(block):
    # Puts a block where the next flush finds it.
    block.dirty = False
    block.queued = True
    return block


def unused_block(block):
    # Puts a block where the next flush finds it.
    block.dirty = False
    block.queued = True
    return block
";

#[test]
fn what_a_chosen_symbol_calls_takes_the_last_places() {
    let words = "how are journal pages flushed";
    let four = names(&[("store.py", FLUSH)], Mode::Explore, words, 4);
    assert_eq!(four[0], "flush_journal_pages");
    assert_eq!(four[3], "store_block", "{four:?}");
    let ranked = names(&[("store.py", FLUSH)], Mode::Ask, words, 4);
    assert!(!ranked.contains(&"store_block".to_owned()), "{ranked:?}");
}

#[test]
fn a_word_that_names_no_other_symbol_takes_a_place() {
    let text = "\
def get_work(worker):
    # A worker thread gets work from its queue, else it may steal.
    work = worker.queue.pop()
    return work


def run_work(worker):
    # A worker thread runs its work, else it may steal.
    work = worker.queue.pop()
    return work.run()


def send_work(worker):
    # A worker thread sends work that others may steal.
    worker.queue.push(worker.job)
    return worker


def steal(stack):
    # Takes the work that the worker of another thread holds: work of a worker.
    half = stack.take(stack.size // 2)
    return half
";
    let words = "how do worker threads steal work";
    let place = |mode| {
        names(&[("walk.py", text)], mode, words, 10)
            .iter()
            .position(|n| n == "steal")
    };
    assert_eq!(place(Mode::Ask), Some(3));
    assert_eq!(place(Mode::Explore), Some(1));
}

#[test]
fn what_stands_in_a_shown_function_takes_no_place() {
    let text = "\
def stream(view):
    # Stream the view.
    def stream_parts():
        for part in view:
            yield part

    return stream_parts()


def other(view):
    # Not the stream.
    return [part for part in view]
";
    for words in ["stream parts of a view", "stream the view"] {
        let found = names(&[("app.py", text)], Mode::Explore, words, 2);
        assert_eq!(found, ["stream", "other"], "{words}");
    }
}

#[test]
fn a_body_is_shown_before_a_line() {
    let text = "\
class Store {
  flushPages() { return this.pages.flush() }

  flushPagesOf(list) {
    const flushed = []
    for (const pages of list) {
      flushed.push(pages.flush())
    }
    return flushed
  }
}
";
    let found = names(&[("store.js", text)], Mode::Explore, "flush pages", 1);
    assert_eq!(found, ["Store.flushPagesOf"]);
}
