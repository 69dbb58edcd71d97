//! The suite passes on the toy search and notices each way of breaking the contract.

use super::*;
use crate::code_search::{Capabilities, Prepared};
use crate::testing::MemorySearch;
use async_trait::async_trait;
use understory_core::answer::BackendIdentity;

#[tokio::test]
async fn the_toy_search_keeps_the_contract() {
    suite(&|| Arc::new(MemorySearch::new())).await.assert_passed(&[]);
}

/// How a search is broken.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Break {
    Nothing,
    IgnoresLimit,
    TotalIsWhatIsShown,
    UnknownIsEmpty,
    BadPatternIsEmpty,
    IgnoresCancel,
    IgnoresStaged,
    IgnoresScope,
    ShiftsLines,
    DeclaresLess,
    BuildsAlways,
    LosesSources,
}

struct Broken(MemorySearch, Break);

#[async_trait]
impl CodeSearch for Broken {
    fn identity(&self) -> BackendIdentity {
        self.0.identity()
    }

    fn supports(&self) -> Capabilities {
        let mut all = self.0.supports();
        if self.1 == Break::DeclaresLess {
            all.modes.retain(|m| *m != Mode::Map);
            all.depth_out = 1;
        }
        all
    }

    async fn prepare(&self, tree: &Tree, cx: &CallContext) -> Result<Prepared, SearchError> {
        let cx = if self.1 == Break::IgnoresCancel {
            &CallContext::new()
        } else {
            cx
        };
        let mut prepared = self.0.prepare(tree, cx).await?;
        if self.1 == Break::BuildsAlways {
            prepared.index.state = IndexState::Built;
        }
        Ok(prepared)
    }

    async fn search(&self, tree: &Tree, query: &SearchQuery, cx: &CallContext) -> Result<Answer, SearchError> {
        let mut query = query.clone();
        let mut cx = cx.clone();
        let mut tree = tree.clone();
        match self.1 {
            Break::IgnoresLimit => query.limit = 1_000,
            Break::IgnoresCancel => cx = CallContext::new(),
            Break::IgnoresStaged => tree = tree.with_staged(Default::default()),
            Break::IgnoresScope => query.scope = RepoPath::root(),
            _ => {}
        }
        let mut answer = match self.0.search(&tree, &query, &cx).await {
            Err(SearchError::Refused(r))
                if (self.1 == Break::UnknownIsEmpty && r.code == RefusalCode::NoSymbol)
                    || (self.1 == Break::BadPatternIsEmpty && r.code == RefusalCode::BadQuery) =>
            {
                Answer::default()
            }
            other => other?,
        };
        match self.1 {
            Break::TotalIsWhatIsShown => answer.counts.total = answer.counts.shown,
            Break::ShiftsLines => answer
                .hits
                .iter_mut()
                .flat_map(|h| &mut h.lines)
                .for_each(|l| l.line += 1),
            Break::LosesSources => answer.hits.iter_mut().for_each(|h| h.source = None),
            _ => {}
        }
        Ok(answer)
    }
}

#[tokio::test]
async fn each_broken_rule_is_noticed_by_its_case() {
    for (how, case) in [
        (Break::IgnoresLimit, "a_limit_bounds_hits_and_not_the_total"),
        (Break::TotalIsWhatIsShown, "a_limit_bounds_hits_and_not_the_total"),
        (Break::UnknownIsEmpty, "an_unknown_symbol_is_refused"),
        (Break::BadPatternIsEmpty, "a_bad_pattern_is_refused"),
        (Break::IgnoresCancel, "a_cancelled_call_says_so"),
        (Break::IgnoresCancel, "a_passed_deadline_says_so"),
        (Break::IgnoresStaged, "staged_writes_are_seen"),
        (Break::IgnoresStaged, "staged_deletions_are_gone"),
        (Break::IgnoresStaged, "a_staged_rename_changes_the_callers"),
        (Break::IgnoresStaged, "staging_back_gives_the_first_answer"),
        (Break::IgnoresScope, "a_scope_limits_the_hits"),
        (Break::ShiftsLines, "hits_lie_in_the_tree"),
        (Break::ShiftsLines, "callers_carry_the_lines_of_the_calls"),
        (
            Break::DeclaresLess,
            "what_is_declared_works_and_what_is_not_is_unsupported",
        ),
        (Break::BuildsAlways, "preparing_twice_builds_once"),
        (Break::LosesSources, "explore_shows_sources"),
    ] {
        let report = suite(&move || Arc::new(Broken(MemorySearch::new(), how))).await;
        let failed: Vec<&str> = report.failed.iter().map(|(name, _)| *name).collect();
        assert!(failed.contains(&case), "{how:?} is not noticed by {case}: {failed:?}");
    }
    let whole = suite(&|| Arc::new(Broken(MemorySearch::new(), Break::Nothing))).await;
    whole.assert_passed(&[]);
}
