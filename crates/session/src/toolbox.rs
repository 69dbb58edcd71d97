//! The tools of several sessions and of their host in one list.

use crate::session::Session;
use crate::tools::ToolSpec;
use serde_json::Value;
use std::collections::BTreeMap;
use understory_core::answer::{Finding, ToolAnswer};
use understory_ports::CallContext;

/// One list of tools for one model, each name once: the host's own tools, and those of its sessions (over two backends, or
/// two repositories). What is registered first keeps its name; a later tool of that name is skipped, and that is reported, as
/// two versions of one tool would answer in turns and the model would pay for both descriptions.
#[derive(Clone, Default)]
pub struct Toolbox {
    tools: Vec<(ToolSpec, Session)>,
    /// Who has a name.
    owners: BTreeMap<String, String>,
}

impl Toolbox {
    /// Without tools.
    pub fn new() -> Self {
        Self::default()
    }

    /// Keeps a name for a tool of the host's own. Returns whether it was free.
    pub fn reserve(&mut self, name: &str) -> bool {
        let is_free = !self.owners.contains_key(name);
        self.owners
            .entry(name.to_owned())
            .or_insert_with(|| "the host".to_owned());
        is_free
    }

    /// Adds the tools of a session, in their order. Each that is skipped is a finding (`tools.duplicate`), which is on the
    /// session's record too.
    pub fn register(&mut self, session: &Session) -> Vec<Finding> {
        let backend = session.ports().search.identity();
        let owner = format!("{} {}", backend.name, backend.version);
        let mut findings = Vec::new();
        for tool in session.tools() {
            match self.owners.get(tool.name) {
                Some(first) => findings.push(Finding::warning(
                    "tools.duplicate",
                    format!(
                        "`{}` of {owner} is skipped: {first} registered that name first and keeps it.",
                        tool.name
                    ),
                )),
                None => {
                    self.owners.insert(tool.name.to_owned(), owner.clone());
                    self.tools.push((tool, session.clone()));
                }
            }
        }
        session.record_findings(None, &findings);
        findings
    }

    /// The registered tools, in the order of their registration.
    pub fn specs(&self) -> Vec<ToolSpec> {
        self.tools.iter().map(|(tool, _)| tool.clone()).collect()
    }

    /// Answers a call by the session that registered the name; `None` when no session did.
    pub async fn call(&self, name: &str, arguments: &Value, cx: &CallContext) -> Option<ToolAnswer> {
        let (_, session) = self.tools.iter().find(|(tool, _)| tool.name == name)?;
        Some(session.call(name, arguments, cx).await)
    }
}
