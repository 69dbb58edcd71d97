//! What is taken from the user's own npm and network configuration: an explicit list, without credentials.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

/// Variables that lead to the registry through an enterprise's network.
const VARIABLES: &[&str] = &[
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "no_proxy",
    "NODE_EXTRA_CA_CERTS",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
];

/// Variables among them that name a file or directory, which the installer has to be able to read.
const FILES: &[&str] = &["NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR"];

/// Keys of an npm configuration that are kept; `@scope:registry` is kept too.
const KEYS: &[&str] = &[
    "registry",
    "proxy",
    "https-proxy",
    "noproxy",
    "cafile",
    "ca",
    "strict-ssl",
    "maxsockets",
    "fetch-retries",
    "fetch-timeout",
    "nodedir",
];

/// How the registry is reached. Holds no credential.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    variables: BTreeMap<OsString, OsString>,
    configuration: BTreeMap<String, String>,
}

impl Settings {
    /// Takes the list out of `variables` (the whole environment of the host, say). An `npm_config_…` variable for a key of
    /// the list counts as that key.
    pub fn from_variables(variables: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        let mut settings = Settings::default();
        for (name, value) in variables {
            if VARIABLES.iter().any(|n| OsStr::new(n) == name) {
                settings.variables.insert(name, value);
                continue;
            }
            let (Some(name), Some(value)) = (name.to_str(), value.to_str()) else {
                continue;
            };
            let lower = name.to_ascii_lowercase();
            if let Some(key) = lower.strip_prefix("npm_config_") {
                settings.set(&key.replace('_', "-"), value);
            }
        }
        settings
    }

    /// Adds what an `.npmrc` says, where a variable did not say it already.
    pub fn with_npmrc(mut self, text: &str) -> Self {
        for line in text.lines() {
            let line = line.trim();
            if line.starts_with(['#', ';']) {
                continue;
            }
            if let Some((key, value)) = line.split_once('=') {
                let key = key.trim().trim_end_matches("[]");
                if !self.configuration.contains_key(key) {
                    self.set(key, value.trim().trim_matches('"'));
                }
            }
        }
        self
    }

    /// Sets one key, if it is of the list.
    pub fn set(&mut self, key: &str, value: &str) {
        let scope = key.starts_with('@') && key.ends_with(":registry");
        // A value of more than one line would be more than one setting; one that npm would expand reads the environment.
        let plain = !value.contains(['\n', '\r']) && !value.contains("${");
        if (KEYS.contains(&key) || scope) && plain {
            self.configuration.insert(key.to_owned(), value.to_owned());
        }
    }

    /// The variables.
    pub(crate) fn variables(&self) -> &BTreeMap<OsString, OsString> {
        &self.variables
    }

    /// The text of an npm configuration file.
    pub(crate) fn npmrc(&self) -> String {
        self.configuration
            .iter()
            .map(|(key, value)| format!("{key}={value}\n"))
            .collect()
    }

    /// Files and directories that the settings name.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        let named = FILES.iter().filter_map(|name| self.variables.get(OsStr::new(name)));
        let configured = ["cafile", "nodedir"]
            .into_iter()
            .filter_map(|key| self.configuration.get(key))
            .map(OsString::from);
        named
            .cloned()
            .chain(configured)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute() && path.exists())
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_npmrc_gives_places_and_no_credentials() {
        let settings = Settings::default().with_npmrc(
            "; mine\n# too\nregistry = https://npm.example/\n@corp:registry=https://corp.example/npm/\n\
             //npm.example/:_authToken=secret\n_auth=secret\n_password=secret\nemail=me@example\nalways-auth=true\n\
             https-proxy=\"http://proxy:8080\"\ncafile=/etc/corp.pem\nscript-shell=/evil\nignore-scripts=false\n\
             prefix=/usr/local\nnoproxy=${SECRET}\nca[]=\"-----BEGIN\"\n",
        );
        assert_eq!(
            settings.npmrc(),
            "@corp:registry=https://corp.example/npm/\nca=-----BEGIN\ncafile=/etc/corp.pem\n\
             https-proxy=http://proxy:8080\nregistry=https://npm.example/\n"
        );
    }

    #[test]
    fn variables_win_over_an_npmrc() {
        let variables = [
            ("HTTPS_PROXY", "http://proxy:1"),
            ("npm_config_registry", "https://one.example/"),
            ("NPM_CONFIG__AUTHTOKEN", "secret"),
            ("npm_config_script_shell", "/evil"),
            ("NPM_TOKEN", "secret"),
            ("NODE_OPTIONS", "--require=/evil"),
        ];
        let settings = Settings::from_variables(variables.map(|(n, v)| (n.into(), v.into())))
            .with_npmrc("registry=https://two.example/\n");
        assert_eq!(settings.npmrc(), "registry=https://one.example/\n");
        let names: Vec<_> = settings.variables().keys().collect();
        assert_eq!(names, ["HTTPS_PROXY"]);
    }

    #[test]
    fn a_value_cannot_bring_a_second_setting() {
        let mut settings = Settings::default();
        settings.set("registry", "https://a.example/\nscript-shell=/evil");
        settings.set("registry\nx", "y");
        assert_eq!(settings.npmrc(), "");
    }
}
