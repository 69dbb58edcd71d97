//! Which program a backend runs.

use std::sync::OnceLock;
use understory_ports::{Installed, SearchError, Tool};

/// The program that a backend runs, chosen when one is needed for the first time and kept from then on: a session does not
/// change from one to the other between two questions.
#[derive(Debug)]
pub struct Chosen<P>(OnceLock<P>);

impl<P> Default for Chosen<P> {
    fn default() -> Self {
        Chosen(OnceLock::new())
    }
}

impl<P: Clone> Chosen<P> {
    /// The program: the installed tool where there is one, else what was found beside it. `of` says how an installation is
    /// run. Where there is neither it is looked for again by the next call.
    pub async fn get(
        &self,
        tool: Option<&Tool>,
        found: Option<&P>,
        of: impl FnOnce(&Installed) -> Option<P>,
    ) -> Result<Option<&P>, SearchError> {
        if let Some(chosen) = self.0.get() {
            return Ok(Some(chosen));
        }
        let installed = match tool {
            Some(tool) => tool.locate().await.map_err(|e| SearchError::Refused(e.to_refusal()))?,
            None => None,
        };
        let program = installed.as_ref().and_then(of).or_else(|| found.cloned());
        Ok(program.map(|program| self.0.get_or_init(|| program)))
    }

    /// The program, if it is chosen.
    pub fn now(&self) -> Option<&P> {
        self.0.get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use understory_ports::testing::{CountingProvisioner, sample_pin};
    use understory_ports::{CallContext, Locator, Provisioner};

    #[tokio::test]
    async fn an_installed_tool_comes_first_and_a_choice_stays() {
        let provisioner = Arc::new(CountingProvisioner::new().offering("tool", "1.0.0", "/opt/tool"));
        let tool = Tool::new(sample_pin(), Locator::new(provisioner.clone()));
        let of = |installed: &Installed| Some(installed.prefix().display().to_string());
        let chosen = Chosen::default();
        assert_eq!(chosen.get(Some(&tool), None, of).await.unwrap(), None);
        let beside = "/usr/bin/tool".to_owned();
        let other = Chosen::default();
        assert_eq!(other.get(Some(&tool), Some(&beside), of).await.unwrap(), Some(&beside));
        provisioner.ensure(&sample_pin(), &CallContext::new()).await.unwrap();
        assert_eq!(
            chosen.get(Some(&tool), Some(&beside), of).await.unwrap().unwrap(),
            "/opt/tool"
        );
        assert_eq!(other.get(Some(&tool), None, of).await.unwrap(), Some(&beside));
        provisioner.uninstall();
        assert_eq!(chosen.get(Some(&tool), None, of).await.unwrap().unwrap(), "/opt/tool");
        assert_eq!(chosen.get(None, None, of).await.unwrap(), chosen.now());
        assert_eq!(provisioner.installs(), 1, "looking installs nothing");
    }
}
