//! A session: staged writes, tools, calls, record.

use crate::answers::{Done, Draft};
use crate::calls::{index_finding, stoppable};
use crate::options::{Options, Ports};
use crate::record::{Event, Totals};
use crate::refusals;
use crate::tools::ToolSpec;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use understory_core::answer::{Finding, Request, ToolAnswer, TreeInfo};
use understory_core::fingerprint::Fingerprint;
use understory_core::refusal::{Refusal, RefusalCode};
use understory_core::staged::{StagedChange, StagedSet};
use understory_core::{RepoPath, StagedError};
use understory_ports::{CallContext, IndexReport, Policy, ProvisionError, SearchError, Tape};

/// One agent's run over one repository. Cheap to clone: clones are the same session. Closed by [`Session::close`], or
/// when the last clone is dropped.
#[derive(Clone)]
pub struct Session {
    inner: Arc<Inner>,
}

struct Inner {
    root: PathBuf,
    ports: Ports,
    options: Options,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    staged: StagedSet,
    /// Trees whose index is on the record already.
    searched: BTreeSet<Fingerprint>,
    calls: u64,
    totals: Totals,
    turns: Option<u64>,
    closed: bool,
}

/// What preparing came to.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The tree that is ready.
    pub tree: TreeInfo,
    /// What was done to the index.
    pub index: IndexReport,
    /// Notes for the record, which has them already.
    pub findings: Vec<Finding>,
}

impl Session {
    /// Opens a session over the repository at a host path. Does no input or output but the record's first event; a root
    /// that does not exist is refused by the first call.
    pub fn open(root: impl Into<PathBuf>, ports: Ports, options: Options) -> Session {
        let session = Session {
            inner: Arc::new(Inner {
                root: root.into(),
                ports,
                options,
                state: Mutex::default(),
            }),
        };
        let options = session.options();
        session.append(&Event::Opened {
            time: options.clock.unix_millis(),
            schema: 1,
            backend: session.ports().search.identity(),
            tools: options.tools.names().iter().map(|n| (*n).to_owned()).collect(),
            scope: options.default_scope.clone(),
            limits: options.limits,
        });
        session.record_findings(None, &options.findings);
        session
    }

    /// Opens a session that gives a tape's answers again: no repository, backend, cache or network is touched. Staging
    /// works as ever; a call is found by its tool, its arguments, the staged set, and which time it is asked.
    pub fn replay(tape: Arc<dyn Tape>, options: Options) -> Session {
        let ports = Ports::of_tape(&*tape);
        let tape = Some(tape);
        Session::open(PathBuf::new(), ports, Options { tape, ..options })
    }

    /// The tools to hand the model, in order.
    pub fn tools(&self) -> Vec<ToolSpec> {
        self.options().tools.specs(&self.options().limits)
    }

    /// Makes everything ready, so that the first call of the model finds it so: installs what the backend needs, where
    /// [`Options::provisioner`] is given and [`Options::offline`] is off, and makes the index. Idempotent; when nothing changed
    /// it costs one snapshot. A refusal is no end: calls make the index by themselves (they install nothing), and are refused
    /// by name if that fails.
    pub async fn prepare(&self, cx: &CallContext) -> Result<Outcome, Refusal> {
        let clock = &self.options().clock;
        let start = clock.monotonic();
        let mut draft = Draft {
            tool: String::new(),
            request: Request::Other(Value::Null),
            tree: None,
            findings: Vec::new(),
            left_out: None,
        };
        let cx = self.bounded(cx, self.options().prepare_timeout);
        let outcome = self.taped_prepare(&mut draft, &cx).await;
        let event = Event::Prepared {
            time: clock.unix_millis(),
            backend: self.ports().search.identity(),
            fingerprint: draft.tree.as_ref().map(|t| t.fingerprint),
            index: outcome.as_ref().ok().map(|o| o.index.state),
            parsed: outcome.as_ref().ok().map(|o| o.index.parsed),
            files: outcome.as_ref().ok().map(|o| o.index.files),
            took_ms: millis(clock.monotonic().saturating_sub(start)),
            refused: outcome.as_ref().err().map(|r| r.code),
        };
        self.append(&event);
        let findings = match &outcome {
            Ok(outcome) => outcome.findings.clone(),
            Err(refusal) => vec![Finding::warning(refusal.code.as_str(), "Preparing was refused.")],
        };
        self.record_findings(None, &findings);
        outcome
    }

    pub(crate) async fn prepare_tree(&self, draft: &mut Draft, cx: &CallContext) -> Result<Outcome, Refusal> {
        if self.is_closed() {
            return Err(refusals::closed());
        }
        let installed = self.provision(cx).await?;
        let tree = self.snapshot(draft, cx).await?;
        let search = &self.ports().search;
        let prepared = stoppable(cx, search.prepare(&tree, cx))
            .await
            .unwrap_or(Err(SearchError::Cancelled))
            .map_err(SearchError::into_refusal)?;
        let info = TreeInfo {
            fingerprint: tree.fingerprint(),
            staged: tree.staged().len(),
            index: Some(prepared.index.state),
        };
        let mut findings = installed;
        findings.append(&mut draft.findings);
        findings.extend(prepared.findings);
        if self.first_search_of(info.fingerprint) {
            findings.push(index_finding(
                &search.identity(),
                prepared.index.state,
                info.fingerprint,
            ));
        }
        Ok(Outcome {
            tree: info,
            index: prepared.index,
            findings,
        })
    }

    /// Installs what the backend needs and says what was not there before.
    async fn provision(&self, cx: &CallContext) -> Result<Vec<Finding>, Refusal> {
        let mut findings = Vec::new();
        let Some(provisioner) = &self.options().provisioner else {
            return Ok(findings);
        };
        for pin in self.ports().search.requirements() {
            let was_there = matches!(provisioner.locate(pin).await, Ok(Some(_)));
            let ready = stoppable(cx, provisioner.ensure(pin, cx)).await;
            ready
                .unwrap_or(Err(ProvisionError::Cancelled))
                .map_err(|e| e.to_refusal())?;
            if !was_there {
                let message = format!("{} {} was installed for this session.", pin.tool, pin.version);
                findings.push(Finding::note("search_code.provisioned", message));
            }
        }
        Ok(findings)
    }

    /// Answers a call of a tool by its name. Never fails: what goes wrong is a refusal in the answer. Dropping the future
    /// leaves nothing running; cancelling `cx` refuses the call with `search_code.cancelled`.
    pub async fn call(&self, name: &str, arguments: &Value, cx: &CallContext) -> ToolAnswer {
        let clock = &self.options().clock;
        let start = clock.monotonic();
        let cx = self.bounded(cx, self.options().call_timeout);
        let done = self.taped(name, arguments, &cx).await;
        self.record_call(&done, arguments, clock.monotonic().saturating_sub(start));
        done.answer
    }

    fn bounded(&self, cx: &CallContext, within: Duration) -> CallContext {
        let options = self.options();
        let policy = Policy {
            offline: options.offline,
            require_sandbox: options.require_sandbox,
        };
        cx.clone().with_timeout(within).with_policy(policy)
    }

    /// Stages one change, in place of an earlier one of the path. Refused (`search_code.bad_staged`) when the path or the
    /// change is not allowed; a change that only the disk rules out (a path through a link that leaves the tree) is
    /// refused by the next call.
    pub fn stage(&self, path: &str, change: StagedChange) -> Result<(), Refusal> {
        let refuse = |why: StagedError| {
            Refusal::new(
                RefusalCode::BadStaged,
                format!("{}.", refusals::capital(&why.to_string())),
            )
        };
        let path = RepoPath::new(path).map_err(|why| {
            refuse(StagedError::Path {
                path: path.to_owned(),
                why,
            })
        })?;
        let event = self.staged_event(&path, Some(&change));
        self.state().staged.stage(path, change).map_err(refuse)?;
        self.append(&event);
        Ok(())
    }

    /// Stages a file of text.
    pub fn stage_text(&self, path: &str, text: &str) -> Result<(), Refusal> {
        self.stage_bytes(path, text.as_bytes(), false)
    }

    /// Stages a file of bytes, perhaps executable.
    pub fn stage_bytes(&self, path: &str, bytes: &[u8], executable: bool) -> Result<(), Refusal> {
        let bytes = bytes.into();
        self.stage(path, StagedChange::Write { bytes, executable })
    }

    /// Stages a symbolic link; its target is relative to the link's own directory and stays inside the repository.
    pub fn stage_symlink(&self, path: &str, target: &str) -> Result<(), Refusal> {
        let target = target.into();
        self.stage(path, StagedChange::Symlink { target })
    }

    /// Stages the deletion of a file, or of everything below a directory.
    pub fn stage_delete(&self, path: &str) -> Result<(), Refusal> {
        self.stage(path, StagedChange::Delete)
    }

    /// Puts a whole staged set in place of the session's own.
    pub fn stage_set(&self, set: StagedSet) {
        let mut events = Vec::new();
        {
            let mut state = self.state();
            for (path, _) in state.staged.iter().filter(|(p, _)| set.get(p).is_none()) {
                events.push(self.staged_event(path, None));
            }
            for (path, change) in set.iter().filter(|(p, c)| state.staged.get(p) != Some(c)) {
                events.push(self.staged_event(path, Some(change)));
            }
            state.staged = set;
        }
        events.iter().for_each(|e| self.append(e));
    }

    /// Forgets the staged change of a path. Returns whether there was one.
    pub fn unstage(&self, path: &str) -> bool {
        let Ok(path) = RepoPath::new(path) else { return false };
        let was_there = self.state().staged.unstage(&path);
        if was_there {
            self.append(&self.staged_event(&path, None));
        }
        was_there
    }

    /// The staged set as it is now.
    pub fn staged(&self) -> StagedSet {
        self.state().staged.clone()
    }

    /// Tells how many turns the model took so far, for the record's totals.
    pub fn turns(&self, turns: u64) {
        self.state().turns = Some(turns);
    }

    /// Sums over the calls so far.
    pub fn totals(&self) -> Totals {
        self.state().totals.clone()
    }

    /// Ends the session: the record gets its totals, later calls are refused. Closing twice does nothing.
    pub fn close(&self) {
        self.inner.close();
    }

    pub(crate) fn options(&self) -> &Options {
        &self.inner.options
    }

    pub(crate) fn ports(&self) -> &Ports {
        &self.inner.ports
    }

    pub(crate) fn root(&self) -> &Path {
        &self.inner.root
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.state().closed
    }

    /// Whether this tree's index was not on the record yet; it is from now on.
    pub(crate) fn first_search_of(&self, tree: Fingerprint) -> bool {
        self.state().searched.insert(tree)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.inner.state()
    }

    fn append(&self, event: &Event) {
        self.options().record.append(event);
    }

    fn staged_event(&self, path: &RepoPath, change: Option<&StagedChange>) -> Event {
        let (word, bytes) = change.map_or(("unstage", None), refusals::change_words);
        Event::Staged {
            time: self.options().clock.unix_millis(),
            path: path.clone(),
            change: word.to_owned(),
            bytes,
            sha256: change.and_then(StagedSet::content_hash).map(|h| format!("{h:?}")),
        }
    }

    fn record_call(&self, done: &Done, arguments: &Value, took: Duration) {
        let answer = &done.answer;
        let tree = answer.tree.as_ref().or(done.tree.as_ref());
        let text_bytes = crate::answers::model_text(answer).len() as u64;
        let took_ms = millis(took);
        let refused = answer.refusal.as_ref().map(|r| r.code);
        let counts = answer.counts;
        let number = {
            let mut state = self.state();
            state.calls += 1;
            let known = self.options().tools.contains(&answer.tool);
            // Names of tools that do not exist are the model's own words: they are summed as one.
            let tool = if known {
                answer.tool.clone()
            } else {
                "unknown".to_owned()
            };
            let totals = &mut state.totals;
            *totals.calls.entry(tool.clone()).or_default() += 1;
            *totals.text_bytes.entry(tool.clone()).or_default() += text_bytes;
            *totals.took_ms.entry(tool).or_default() += took_ms;
            if let Some(code) = refused {
                *totals.refusals.entry(code.as_str().to_owned()).or_default() += 1;
            }
            state.calls
        };
        self.append(&Event::Call {
            time: self.options().clock.unix_millis(),
            number,
            tool: answer.tool.clone(),
            arguments: digest(arguments),
            mode: match &answer.request {
                Request::Search(query) => Some(query.mode.as_str().to_owned()),
                Request::Other(_) => None,
            },
            fingerprint: tree.map(|t| t.fingerprint),
            index: tree.and_then(|t| t.index),
            shown: counts.map(|c| c.shown),
            total: counts.map(|c| c.total),
            unit: counts.map(|c| c.unit),
            cut: done.cut,
            fenced: done.fenced,
            refused,
            took_ms,
            text_bytes,
        });
        self.record_findings(Some(number), &answer.findings);
    }

    pub(crate) fn record_findings(&self, call: Option<u64>, findings: &[Finding]) {
        for finding in findings {
            *self.state().totals.findings.entry(finding.id.clone()).or_default() += 1;
            self.append(&Event::Finding {
                time: self.options().clock.unix_millis(),
                call,
                id: finding.id.clone(),
                severity: finding.severity,
                message: finding.message.clone(),
            });
        }
    }
}

impl Inner {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn close(&self) {
        let (totals, turns) = {
            let mut state = self.state();
            if state.closed {
                return;
            }
            state.closed = true;
            (state.totals.clone(), state.turns)
        };
        self.options.record.append(&Event::Closed {
            time: self.options.clock.unix_millis(),
            totals,
            turns,
        });
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.close();
    }
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session")
            .field("root", &self.inner.root)
            .field("staged", &self.state().staged.len())
            .finish_non_exhaustive()
    }
}

fn millis(duration: Duration) -> u64 {
    duration.as_millis().min(u128::from(u64::MAX)) as u64
}

/// Sha-256 of a JSON value with the keys of its objects sorted, so that the order in which a model wrote them does not
/// matter.
pub(crate) fn digest(arguments: &Value) -> String {
    let mut text = String::new();
    canonical(arguments, &mut text);
    Sha256::digest(text.as_bytes())
        .iter()
        .map(|b| format!("{b:02x}"))
        .collect()
}

/// As deep as the value is, which the parser bounds.
fn canonical(value: &Value, out: &mut String) {
    match value {
        Value::Object(object) => {
            let mut keys: Vec<&String> = object.keys().collect();
            keys.sort_unstable();
            out.push('{');
            for key in keys {
                canonical(&Value::String(key.clone()), out);
                out.push(':');
                canonical(&object[key], out);
                out.push(',');
            }
            out.push('}');
        }
        Value::Array(items) => {
            out.push('[');
            for item in items {
                canonical(item, out);
                out.push(',');
            }
            out.push(']');
        }
        scalar => out.push_str(&scalar.to_string()),
    }
}
