//! The contract of [`CodeSearch`] as a suite.
//!
//! ```
//! # use std::sync::Arc;
//! # use understory_ports::{conformance::code_search, testing::MemorySearch};
//! # #[tokio::main(flavor = "current_thread")] async fn main() {
//! code_search::suite(&|| Arc::new(MemorySearch::new())).await.assert_passed(&[]);
//! # }
//! ```

use super::tree::Files;
use super::{Miss, Report, hold};
use crate::code_search::{CodeSearch, SearchError};
use crate::context::CallContext;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;
use understory_core::answer::{Answer, Confidence, Hit, IndexState, Relation, Severity, Unit};
use understory_core::path::RepoPath;
use understory_core::query::{Direction, Mode, SearchQuery};
use understory_core::refusal::RefusalCode;
use understory_core::tree::Tree;

/// Makes the implementation under test, each time over a cache of its own that is empty at first.
pub type Constructor<'a> = &'a (dyn Fn() -> Arc<dyn CodeSearch> + Send + Sync);

/// Runs every case.
pub async fn suite(new: Constructor<'_>) -> Report {
    let mut report = Report::default();
    macro_rules! cases {
        ($($name:ident),+ $(,)?) => { $( report.add(stringify!($name), $name(new).await); )+ };
    }
    cases!(
        it_has_a_name_and_a_version,
        its_requirements_are_pins,
        what_is_declared_works_and_what_is_not_is_unsupported,
        preparing_twice_builds_once,
        searching_needs_no_preparing,
        hits_lie_in_the_tree,
        the_same_question_has_the_same_answer,
        calls_at_once_agree,
        a_limit_bounds_hits_and_not_the_total,
        a_scope_limits_the_hits,
        callers_carry_the_lines_of_the_calls,
        callers_go_as_deep_as_asked,
        what_a_symbol_calls_is_told,
        explore_shows_sources,
        a_skeleton_is_in_order_and_nested,
        staged_writes_are_seen,
        staged_deletions_are_gone,
        a_staged_rename_changes_the_callers,
        staging_back_gives_the_first_answer,
        an_edit_on_disk_is_seen,
        nothing_found_is_an_empty_answer,
        a_query_stays_data,
        an_unknown_symbol_is_refused,
        an_unknown_file_is_refused,
        a_bad_pattern_is_refused,
        a_cancelled_call_says_so,
        a_passed_deadline_says_so,
    );
    report
}

const SHOP: &str = "\
def leaf(x):
    # quokka one
    return x + 1


def middle(x):
    return leaf(x)


def crown(x):
    return middle(x)


class Till:
    def ring(self, x):
        return leaf(x)
";
const OTHER: &str = "\
def helper(x):
    # quokka two
    return \"--deep\"
";

fn files() -> Result<Files, Miss> {
    Ok(Files::new(&[
        ("src/shop.py", SHOP),
        ("lib/other.py", OTHER),
        ("notes.txt", "quokka three\n"),
    ])?)
}

fn query(mode: Mode, text: &str) -> SearchQuery {
    let mut query = SearchQuery::new(mode, text);
    if mode == Mode::Skeleton {
        query.query = String::new();
        query.file = path(text);
    }
    query
}

fn path(text: &str) -> RepoPath {
    RepoPath::new_or_root(text).expect("the suite names paths of a repository")
}

/// A question of each mode that the fixture answers.
fn questions() -> Vec<SearchQuery> {
    vec![
        query(Mode::Ask, "ring the till"),
        query(Mode::Grep, "quokka"),
        query(Mode::Callers, "leaf"),
        query(Mode::Skeleton, "src/shop.py"),
        query(Mode::Map, ""),
        query(Mode::Explore, "how does ring use leaf"),
    ]
}

fn declared(search: &dyn CodeSearch) -> Vec<SearchQuery> {
    let modes = search.supports().modes;
    questions().into_iter().filter(|q| modes.contains(&q.mode)).collect()
}

/// Ends a case that asks for a mode which is not declared: that it is refused is shown elsewhere.
macro_rules! needs {
    ($search:expr, $mode:expr) => {
        if !$search.supports().modes.contains(&$mode) {
            return Err(Miss::CannotRun(format!("the mode {} is not declared", $mode.as_str())));
        }
    };
}

macro_rules! needs_staged {
    ($search:expr) => {
        if !$search.supports().staged {
            return Err(Miss::CannotRun("staged changes are not declared".to_owned()));
        }
    };
}

async fn ask(search: &dyn CodeSearch, tree: &Tree, query: &SearchQuery) -> Result<Answer, Miss> {
    Ok(search.search(tree, query, &CallContext::new()).await?)
}

/// An answer without what may differ between two equal ones.
fn settled(mut answer: Answer) -> Answer {
    answer.index = None;
    answer.findings.clear();
    answer
}

fn names(answer: &Answer) -> Vec<&str> {
    answer.hits.iter().map(|h| h.symbol.name.as_str()).collect()
}

fn find<'a>(answer: &'a Answer, name: &str) -> Result<&'a Hit, Miss> {
    let hit = answer.hits.iter().find(|h| h.symbol.name == name);
    hit.ok_or_else(|| Miss::Broken(format!("no hit {name:?} among {:?}", names(answer))))
}

async fn it_has_a_name_and_a_version(new: Constructor<'_>) -> Result<(), Miss> {
    let (search, other) = (new(), new());
    let identity = search.identity();
    hold!(
        !identity.name.is_empty() && !identity.version.is_empty(),
        "{identity:?}"
    );
    hold!(identity == other.identity(), "two values have two identities");
    hold!(
        search.supports() == other.supports(),
        "two values support different things"
    );
    hold!(!search.supports().modes.is_empty(), "no mode is declared");
    Ok(())
}

async fn what_is_declared_works_and_what_is_not_is_unsupported(new: Constructor<'_>) -> Result<(), Miss> {
    let search = new();
    let can = search.supports();
    let files = files()?;
    let tree = files.tree(&Value::Null)?;
    let cx = CallContext::new();
    let check = |what: String, declared: bool, result: Result<Answer, SearchError>| -> Result<(), Miss> {
        match (declared, result) {
            (true, Ok(_)) | (false, Err(SearchError::Unsupported(_))) => Ok(()),
            (true, Err(e)) => Err(Miss::Broken(format!("{what} is declared but fails: {e}"))),
            (false, other) => Err(Miss::Broken(format!("{what} is not declared, but gives {other:?}"))),
        }
    };
    for q in questions() {
        let works = can.modes.contains(&q.mode);
        check(
            format!("the mode {}", q.mode.as_str()),
            works,
            search.search(&tree, &q, &cx).await,
        )?;
    }
    let first = declared(&*search).into_iter().next().ok_or("no mode is declared")?;
    let mut scoped = declared(&*search)
        .into_iter()
        .find(|q| q.mode != Mode::Skeleton)
        .unwrap_or(first.clone());
    scoped.scope = path("src");
    check(
        "a scope".to_owned(),
        can.scope,
        search.search(&tree, &scoped, &cx).await,
    )?;
    let staged = files.tree(&json!({"new.py": "def fresh(x):\n    return x\n"}))?;
    check(
        "a staged set".to_owned(),
        can.staged,
        search.search(&staged, &first, &cx).await,
    )?;
    if can.modes.contains(&Mode::Callers) {
        for (direction, most) in [(Direction::In, can.depth_in), (Direction::Out, can.depth_out)] {
            for depth in 1..=3 {
                let mut q = query(Mode::Callers, "middle");
                (q.direction, q.depth) = (direction, depth);
                let what = format!("callers {direction:?} to depth {depth}");
                check(what, depth <= most, search.search(&tree, &q, &cx).await)?;
            }
        }
    }
    Ok(())
}

async fn preparing_twice_builds_once(new: Constructor<'_>) -> Result<(), Miss> {
    let search = new();
    let tree = files()?;
    let tree = tree.tree(&Value::Null)?;
    let cx = CallContext::new();
    search.prepare(&tree, &cx).await?;
    let second = search.prepare(&tree, &cx).await?;
    hold!(
        matches!(second.index.state, IndexState::Reused | IndexState::Foreign),
        "the second time it was {:?}",
        second.index.state
    );
    hold!(
        second.index.parsed == 0,
        "the second time {} files were parsed",
        second.index.parsed
    );
    let answered = declared(&*search).into_iter().next().ok_or("no mode is declared")?;
    let answer = ask(&*search, &tree, &answered).await?;
    hold!(
        matches!(answer.index, Some(IndexState::Reused | IndexState::Foreign)),
        "after preparing, a search says {:?}",
        answer.index
    );
    Ok(())
}

async fn searching_needs_no_preparing(new: Constructor<'_>) -> Result<(), Miss> {
    let files = files()?;
    let tree = files.tree(&Value::Null)?;
    let (cold, warm) = (new(), new());
    warm.prepare(&tree, &CallContext::new()).await?;
    for q in declared(&*cold) {
        let a = settled(ask(&*cold, &tree, &q).await?);
        let b = settled(ask(&*warm, &tree, &q).await?);
        hold!(a == b, "{q:?}: {a:?} is not {b:?}");
    }
    Ok(())
}

async fn hits_lie_in_the_tree(new: Constructor<'_>) -> Result<(), Miss> {
    let search = new();
    let files = files()?;
    let tree = files.tree(&Value::Null)?;
    for q in declared(&*search) {
        let answer = ask(&*search, &tree, &q).await?;
        hold!(q.mode == Mode::Map || !answer.hits.is_empty(), "{q:?} has no hits");
        let mut seen = BTreeSet::new();
        for hit in &answer.hits {
            let s = &hit.symbol;
            let text = files
                .text(&s.path)
                .ok_or_else(|| format!("{:?} is not in the tree", s.path))?;
            let lines: Vec<&str> = text.lines().collect();
            hold!(
                1 <= s.start && s.start <= s.end && s.end as usize <= lines.len(),
                "{s:?} lies outside its file"
            );
            hold!(!s.staged, "{s:?} is said to be staged");
            hold!(
                seen.insert((s.path.clone(), s.start, s.qualified.clone(), hit.subject)),
                "{s:?} is a hit twice"
            );
            let mut last = 0;
            for line in &hit.lines {
                hold!(line.line > last, "the lines of {s:?} are not in order");
                last = line.line;
                // What a symbol references is shown at the subject's lines.
                hold!(
                    lines.get(line.line as usize - 1) == Some(&line.text.as_str()),
                    "{line:?} is not that line of {:?}",
                    s.path
                );
            }
        }
    }
    Ok(())
}

async fn the_same_question_has_the_same_answer(new: Constructor<'_>) -> Result<(), Miss> {
    let files = files()?;
    let tree = files.tree(&Value::Null)?;
    let (one, two) = (new(), new());
    for q in declared(&*one) {
        let first = settled(ask(&*one, &tree, &q).await?);
        hold!(first == settled(ask(&*one, &tree, &q).await?), "{q:?} has two answers");
        hold!(
            first == settled(ask(&*two, &tree, &q).await?),
            "{q:?} has another answer elsewhere"
        );
    }
    Ok(())
}

async fn calls_at_once_agree(new: Constructor<'_>) -> Result<(), Miss> {
    let search = new();
    let files = files()?;
    let tree = files.tree(&Value::Null)?;
    let mut running = Vec::new();
    for _ in 0..4 {
        for q in declared(&*search) {
            let (search, tree) = (search.clone(), tree.clone());
            running.push(tokio::spawn(async move {
                let answer = search.search(&tree, &q, &CallContext::new()).await;
                (q, answer)
            }));
        }
    }
    for one in running {
        let (q, answer) = one.await?;
        let alone = settled(ask(&*search, &tree, &q).await?);
        hold!(
            settled(answer?) == alone,
            "{q:?} had another answer at once with others"
        );
    }
    Ok(())
}

async fn a_limit_bounds_hits_and_not_the_total(new: Constructor<'_>) -> Result<(), Miss> {
    let search = new();
    let files = files()?;
    let tree = files.tree(&Value::Null)?;
    for mut q in declared(&*search) {
        if matches!(q.mode, Mode::Map | Mode::Skeleton) {
            continue;
        }
        let all = ask(&*search, &tree, &q).await?;
        q.limit = 1;
        let one = ask(&*search, &tree, &q).await?;
        hold!(one.hits.len() == 1, "{q:?} gives {} hits", one.hits.len());
        hold!(
            one.counts.total == all.counts.total,
            "{q:?}: the total depends on the limit"
        );
        let lines = one.hits[0].lines.len() as u64;
        let (unit, shown) = if q.mode == Mode::Grep {
            (Unit::Lines, lines)
        } else {
            (Unit::Symbols, 1)
        };
        hold!(
            one.counts.unit == unit && one.counts.shown == shown,
            "{q:?} counts {:?}",
            one.counts
        );
        hold!(all.counts.total >= all.counts.shown, "{:?}", all.counts);
        if q.mode == Mode::Grep {
            hold!(
                all.counts.total == 3 && all.counts.exact,
                "3 lines match, counted are {:?}",
                all.counts
            );
        }
    }
    Ok(())
}

async fn a_scope_limits_the_hits(new: Constructor<'_>) -> Result<(), Miss> {
    let search = new();
    if !search.supports().scope {
        return Err(Miss::CannotRun("scopes are not declared".to_owned()));
    }
    let files = files()?;
    let tree = files.tree(&Value::Null)?;
    for mut q in declared(&*search).into_iter().filter(|q| q.mode != Mode::Skeleton) {
        q.scope = path("src");
        let answer = ask(&*search, &tree, &q).await?;
        for hit in &answer.hits {
            hold!(
                hit.symbol.path.is_in(&q.scope),
                "{:?} lies outside the scope",
                hit.symbol
            );
        }
        if q.mode == Mode::Grep {
            hold!(
                answer.counts.total == 1,
                "one line matches in the scope: {:?}",
                answer.counts
            );
        }
    }
    if search.supports().modes.contains(&Mode::Callers) {
        // A scope limits who is listed, not what the query names.
        let mut q = query(Mode::Callers, "leaf");
        q.scope = path("lib");
        let answer = ask(&*search, &tree, &q).await?;
        hold!(answer.hits.is_empty() && answer.subjects.len() == 1, "{answer:?}");
    }
    Ok(())
}

async fn callers_carry_the_lines_of_the_calls(new: Constructor<'_>) -> Result<(), Miss> {
    let search = new();
    needs!(search, Mode::Callers);
    let files = files()?;
    let answer = ask(&*search, &files.tree(&Value::Null)?, &query(Mode::Callers, "leaf")).await?;
    hold!(
        answer.subjects.len() == 1 && answer.subjects[0].name == "leaf",
        "{:?}",
        answer.subjects
    );
    hold!(names(&answer) == ["middle", "ring"], "callers are {:?}", names(&answer));
    for (name, line) in [("middle", 7), ("ring", 16)] {
        let hit = find(&answer, name)?;
        hold!(
            hit.lines.len() == 1 && hit.lines[0].line == line,
            "{name} calls at {:?}",
            hit.lines
        );
        hold!(hit.relation == Some(Relation::Calls), "{name}: {:?}", hit.relation);
        hold!(hit.depth == Some(1) && hit.subject == Some(0), "{hit:?}");
        hold!(
            matches!(hit.confidence, Some(Confidence::Exact | Confidence::Resolved)),
            "{name}: {:?}",
            hit.confidence
        );
    }
    Ok(())
}

async fn callers_go_as_deep_as_asked(new: Constructor<'_>) -> Result<(), Miss> {
    let search = new();
    needs!(search, Mode::Callers);
    if search.supports().depth_in < 2 {
        return Err(Miss::CannotRun("depth 2 is not declared".to_owned()));
    }
    let files = files()?;
    let mut q = query(Mode::Callers, "leaf");
    q.depth = 2;
    let answer = ask(&*search, &files.tree(&Value::Null)?, &q).await?;
    let crown = find(&answer, "crown")?;
    let via = crown
        .via
        .and_then(|v| answer.hits.get(v))
        .map(|h| h.symbol.name.as_str());
    hold!(crown.depth == Some(2) && via == Some("middle"), "{crown:?}");
    hold!(crown.lines.iter().map(|l| l.line).eq([11]), "{:?}", crown.lines);
    Ok(())
}

async fn what_a_symbol_calls_is_told(new: Constructor<'_>) -> Result<(), Miss> {
    let search = new();
    needs!(search, Mode::Callers);
    if search.supports().depth_out < 1 {
        return Err(Miss::CannotRun("the direction out is not declared".to_owned()));
    }
    let files = files()?;
    let mut q = query(Mode::Callers, "Till.ring");
    q.direction = Direction::Out;
    let answer = ask(&*search, &files.tree(&Value::Null)?, &q).await?;
    let leaf = find(&answer, "leaf")?;
    hold!(leaf.lines.iter().map(|l| l.line).eq([16]), "{:?}", leaf.lines);
    Ok(())
}

async fn explore_shows_sources(new: Constructor<'_>) -> Result<(), Miss> {
    let search = new();
    needs!(search, Mode::Explore);
    let files = files()?;
    let answer = ask(
        &*search,
        &files.tree(&Value::Null)?,
        &query(Mode::Explore, "how does ring use leaf"),
    )
    .await?;
    let source = find(&answer, "ring")?.source.as_deref().unwrap_or("");
    hold!(source.contains("return leaf(x)"), "the source of ring is {source:?}");
    let all: usize = answer
        .hits
        .iter()
        .filter_map(|h| h.source.as_deref())
        .map(|s| s.chars().count())
        .sum();
    hold!(
        all <= understory_core::limits::EXPLORE_SOURCE_CHARS,
        "{all} characters of source"
    );
    Ok(())
}

async fn a_skeleton_is_in_order_and_nested(new: Constructor<'_>) -> Result<(), Miss> {
    let search = new();
    needs!(search, Mode::Skeleton);
    let files = files()?;
    let answer = ask(
        &*search,
        &files.tree(&Value::Null)?,
        &query(Mode::Skeleton, "src/shop.py"),
    )
    .await?;
    hold!(
        names(&answer) == ["leaf", "middle", "crown", "Till", "ring"],
        "{:?}",
        names(&answer)
    );
    hold!(
        find(&answer, "ring")?.level == Some(1) && find(&answer, "Till")?.level == Some(0),
        "{answer:?}"
    );
    hold!(find(&answer, "ring")?.symbol.qualified == "Till.ring", "{answer:?}");
    Ok(())
}

async fn staged_writes_are_seen(new: Constructor<'_>) -> Result<(), Miss> {
    let search = new();
    needs_staged!(search);
    let files = files()?;
    let tree = files.tree(
        &json!({"src/new.py": "from src.shop import leaf\n\ndef fresh(x):\n    return leaf(x)  # quokka four\n"}),
    )?;
    let modes = search.supports().modes;
    if modes.contains(&Mode::Grep) {
        let answer = ask(&*search, &tree, &query(Mode::Grep, "quokka four")).await?;
        hold!(
            names(&answer) == ["fresh"] && answer.hits[0].symbol.staged,
            "{answer:?}"
        );
    }
    if modes.contains(&Mode::Callers) {
        let answer = ask(&*search, &tree, &query(Mode::Callers, "leaf")).await?;
        hold!(find(&answer, "fresh")?.lines.iter().any(|l| l.line == 4), "{answer:?}");
    }
    if modes.contains(&Mode::Skeleton) {
        let answer = ask(&*search, &tree, &query(Mode::Skeleton, "src/new.py")).await?;
        hold!(names(&answer) == ["fresh"], "{answer:?}");
    }
    if modes.contains(&Mode::Ask) {
        let answer = ask(&*search, &tree, &query(Mode::Ask, "fresh")).await?;
        hold!(names(&answer).contains(&"fresh"), "{:?}", names(&answer));
    }
    Ok(())
}

async fn staged_deletions_are_gone(new: Constructor<'_>) -> Result<(), Miss> {
    let search = new();
    needs_staged!(search);
    let files = files()?;
    let tree = files.tree(&json!({"src": null}))?;
    let modes = search.supports().modes;
    if modes.contains(&Mode::Grep) {
        let answer = ask(&*search, &tree, &query(Mode::Grep, "quokka")).await?;
        hold!(answer.counts.total == 2, "{:?}", answer.counts);
    }
    if modes.contains(&Mode::Callers) {
        refused(
            search
                .search(&tree, &query(Mode::Callers, "leaf"), &CallContext::new())
                .await,
            RefusalCode::NoSymbol,
        )?;
    }
    if modes.contains(&Mode::Skeleton) {
        let gone = search
            .search(&tree, &query(Mode::Skeleton, "src/shop.py"), &CallContext::new())
            .await;
        refused(gone, RefusalCode::NoSuchFile)?;
    }
    Ok(())
}

async fn a_staged_rename_changes_the_callers(new: Constructor<'_>) -> Result<(), Miss> {
    let search = new();
    needs_staged!(search);
    needs!(search, Mode::Callers);
    let files = files()?;
    let tree = files.tree(&json!({"src/shop.py": SHOP.replace("def leaf", "def frond")}))?;
    let old = search
        .search(&tree, &query(Mode::Callers, "leaf"), &CallContext::new())
        .await;
    refused(old, RefusalCode::NoSymbol)?;
    let new = ask(&*search, &tree, &query(Mode::Callers, "frond")).await?;
    hold!(new.hits.is_empty(), "nothing calls the new name yet: {new:?}");
    Ok(())
}

async fn staging_back_gives_the_first_answer(new: Constructor<'_>) -> Result<(), Miss> {
    let search = new();
    needs_staged!(search);
    let files = files()?;
    let (plain, staged) = (files.tree(&Value::Null)?, files.tree(&json!({"src": null}))?);
    for q in declared(&*search)
        .into_iter()
        .filter(|q| !matches!(q.mode, Mode::Callers | Mode::Skeleton))
    {
        let first = settled(ask(&*search, &plain, &q).await?);
        let other = settled(ask(&*search, &staged, &q).await?);
        hold!(first != other, "{q:?} does not see the staged set");
        hold!(
            first == settled(ask(&*search, &plain, &q).await?),
            "{q:?} kept the staged set"
        );
    }
    Ok(())
}

async fn an_edit_on_disk_is_seen(new: Constructor<'_>) -> Result<(), Miss> {
    let search = new();
    let mut files = files()?;
    search.prepare(&files.tree(&Value::Null)?, &CallContext::new()).await?;
    files.write(
        "lib/other.py",
        "from src.shop import leaf\n\ndef helper(x):\n    return leaf(x)  # wombat\n",
    )?;
    let tree = files.tree(&Value::Null)?;
    let modes = search.supports().modes;
    if modes.contains(&Mode::Grep) {
        let answer = ask(&*search, &tree, &query(Mode::Grep, "wombat")).await?;
        hold!(names(&answer) == ["helper"], "{answer:?}");
    }
    if modes.contains(&Mode::Callers) {
        let answer = ask(&*search, &tree, &query(Mode::Callers, "leaf")).await?;
        find(&answer, "helper")?;
    }
    Ok(())
}

async fn its_requirements_are_pins(new: Constructor<'_>) -> Result<(), Miss> {
    let search = new();
    for pin in search.requirements() {
        hold!(pin.check().is_ok(), "{pin:?}");
    }
    hold!(search.requirements() == search.requirements(), "they are not constant");
    Ok(())
}

async fn nothing_found_is_an_empty_answer(new: Constructor<'_>) -> Result<(), Miss> {
    let search = new();
    let files = files()?;
    let tree = files.tree(&Value::Null)?;
    for (mode, text) in [(Mode::Grep, "zzyzx"), (Mode::Ask, "zzyzx"), (Mode::Callers, "crown")] {
        if search.supports().modes.contains(&mode) {
            let answer = ask(&*search, &tree, &query(mode, text)).await?;
            // A backend that drops the references it cannot bind says of none that it is the only one; one that ranks only the
            // files that it covers says that there were others: by their number, or by a warning.
            let whole = match mode {
                Mode::Callers => true,
                Mode::Ask => {
                    let warned = answer.findings.iter().any(|f| f.severity == Severity::Warning);
                    answer.counts.exact || answer.not_searched.unsupported > 0 || warned
                }
                _ => answer.counts.exact,
            };
            hold!(
                answer.hits.is_empty() && answer.counts.total == 0 && whole,
                "{mode:?}: {answer:?}"
            );
        }
    }
    Ok(())
}

async fn a_query_stays_data(new: Constructor<'_>) -> Result<(), Miss> {
    let search = new();
    let files = files()?;
    let tree = files.tree(&Value::Null)?;
    let cx = CallContext::new();
    for text in [
        "--deep", "-rf", "$(id)", "; exit 1", "`id`", "'\"\\", "a\nb", "../x", "é🦎", "init", "%s%n",
    ] {
        for mode in [Mode::Ask, Mode::Grep, Mode::Callers, Mode::Explore] {
            if !search.supports().modes.contains(&mode) {
                continue;
            }
            match search.search(&tree, &query(mode, text), &cx).await {
                Ok(_) => {}
                Err(SearchError::Refused(r)) if matches!(r.code, RefusalCode::NoSymbol | RefusalCode::BadQuery) => {}
                Err(e) => return Err(Miss::Broken(format!("{mode:?} of {text:?}: {e}"))),
            }
        }
    }
    if search.supports().modes.contains(&Mode::Grep) {
        let answer = ask(&*search, &tree, &query(Mode::Grep, "--deep")).await?;
        hold!(names(&answer) == ["helper"], "{answer:?}");
    }
    Ok(())
}

fn refused(result: Result<Answer, SearchError>, code: RefusalCode) -> Result<Vec<String>, Miss> {
    match result {
        Err(SearchError::Refused(r)) if r.code == code => {
            hold!(!r.message.is_empty(), "a refusal without a sentence");
            Ok(r.suggestions)
        }
        other => Err(Miss::Broken(format!("not refused with {code}: {other:?}"))),
    }
}

async fn an_unknown_symbol_is_refused(new: Constructor<'_>) -> Result<(), Miss> {
    let search = new();
    needs!(search, Mode::Callers);
    let files = files()?;
    let tree = files.tree(&Value::Null)?;
    for name in ["middel", "Till.missing", "Basket.ring", "lib/other.py#leaf"] {
        let result = search
            .search(&tree, &query(Mode::Callers, name), &CallContext::new())
            .await;
        let near = refused(result, RefusalCode::NoSymbol)?;
        let offered = near.iter().any(|s| s.contains("middle"));
        hold!(
            name != "middel" || offered,
            "middle is near to {name}, offered are {near:?}"
        );
    }
    Ok(())
}

async fn an_unknown_file_is_refused(new: Constructor<'_>) -> Result<(), Miss> {
    let search = new();
    needs!(search, Mode::Skeleton);
    let files = files()?;
    let tree = files.tree(&Value::Null)?;
    let result = search
        .search(&tree, &query(Mode::Skeleton, "src/shpo.py"), &CallContext::new())
        .await;
    let near = refused(result, RefusalCode::NoSuchFile)?;
    hold!(near.iter().any(|s| s == "src/shop.py"), "offered are {near:?}");
    Ok(())
}

async fn a_bad_pattern_is_refused(new: Constructor<'_>) -> Result<(), Miss> {
    let search = new();
    needs!(search, Mode::Grep);
    let files = files()?;
    let tree = files.tree(&Value::Null)?;
    for pattern in ["(", "[z-a]", "a{2,1}", "\\"] {
        let result = search
            .search(&tree, &query(Mode::Grep, pattern), &CallContext::new())
            .await;
        refused(result, RefusalCode::BadQuery)?;
    }
    Ok(())
}

async fn a_cancelled_call_says_so(new: Constructor<'_>) -> Result<(), Miss> {
    let search = new();
    let files = files()?;
    let tree = files.tree(&Value::Null)?;
    let cx = CallContext::new();
    cx.cancel.cancel();
    let prepared = search.prepare(&tree, &cx).await;
    hold!(
        matches!(prepared, Err(SearchError::Cancelled)),
        "prepare gave {prepared:?}"
    );
    for q in declared(&*search) {
        let result = search.search(&tree, &q, &cx).await;
        hold!(matches!(result, Err(SearchError::Cancelled)), "{q:?} gave {result:?}");
        // The next call is not harmed by it.
        ask(&*search, &tree, &q).await?;
    }
    Ok(())
}

async fn a_passed_deadline_says_so(new: Constructor<'_>) -> Result<(), Miss> {
    let search = new();
    let files = files()?;
    let tree = files.tree(&Value::Null)?;
    let cx = CallContext::new().with_timeout(Duration::ZERO);
    for q in declared(&*search) {
        let result = search.search(&tree, &q, &cx).await;
        hold!(
            matches!(result, Err(SearchError::Timeout { .. })),
            "{q:?} gave {result:?}"
        );
    }
    Ok(())
}

#[cfg(all(test, feature = "testing"))]
mod tests;
