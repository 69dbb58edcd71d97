//! What the command takes from the process: its environment and current directory, read once and here only.

use std::ffi::OsString;
use std::path::PathBuf;

/// The parts of the environment that mean something to the command.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    /// The current directory; `None` when it is gone.
    pub cwd: Option<PathBuf>,
    /// `RUNNER_TEMP`: set by CI runners.
    pub runner_temp: Option<PathBuf>,
    /// `XDG_CACHE_HOME`.
    pub xdg_cache_home: Option<PathBuf>,
    /// `XDG_CONFIG_HOME`.
    pub xdg_config_home: Option<PathBuf>,
    /// `APPDATA`, on Windows.
    pub app_data: Option<PathBuf>,
    /// `HOME`.
    pub home: Option<PathBuf>,
    /// `LOCALAPPDATA`, on Windows.
    pub local_app_data: Option<PathBuf>,
    /// All of it, for what picks its own part: the sandbox and the provisioner, each by a list of names.
    pub variables: Vec<(OsString, OsString)>,
}

impl Environment {
    /// Of this process.
    #[expect(
        clippy::disallowed_methods,
        reason = "the one place that reads the process's environment and directory"
    )]
    pub fn of_process() -> Self {
        Environment {
            variables: std::env::vars_os().collect(),
            ..Self::from(std::env::current_dir().ok(), |name| std::env::var_os(name))
        }
    }

    /// One variable.
    pub fn variable(&self, name: &str) -> Option<OsString> {
        let mut all = self.variables.iter();
        all.find(|(n, _)| n == name).map(|(_, value)| value.clone())
    }

    /// Of a current directory and a look-up.
    pub fn from(cwd: Option<PathBuf>, get: impl Fn(&str) -> Option<OsString>) -> Self {
        // A relative path in such a variable is no place: the XDG rules say to ignore it, and so does sense.
        let place = |name: &str| get(name).map(PathBuf::from).filter(|p| p.is_absolute());
        Environment {
            cwd,
            runner_temp: place("RUNNER_TEMP"),
            xdg_cache_home: place("XDG_CACHE_HOME"),
            xdg_config_home: place("XDG_CONFIG_HOME"),
            app_data: place("APPDATA"),
            home: place("HOME"),
            local_app_data: place("LOCALAPPDATA"),
            variables: Vec::new(),
        }
    }
}
