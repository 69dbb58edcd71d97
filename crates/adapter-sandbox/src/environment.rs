//! The environment of a child, built from nothing.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::Path;

/// Names that are taken from the host. None of them can carry a credential.
const FROM_HOST: &[&str] = &["PATH", "LANG", "LC_ALL", "TERM"];

/// Names without which no Windows program starts; taken from the host there.
#[cfg(windows)]
const FROM_HOST_WINDOWS: &[&str] = &[
    "SystemRoot",
    "SystemDrive",
    "windir",
    "ComSpec",
    "PATHEXT",
    "NUMBER_OF_PROCESSORS",
];

/// The part of the host's environment that a child may see.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostEnvironment {
    kept: BTreeMap<OsString, OsString>,
}

impl HostEnvironment {
    /// Keeps the short list of names out of `variables` (the whole environment of the host, say) and forgets the rest.
    pub fn from_variables(variables: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        let known = |name: &OsStr| {
            let known = FROM_HOST.iter().any(|n| OsStr::new(n) == name);
            #[cfg(windows)]
            let known = known
                || FROM_HOST_WINDOWS.iter().any(|n| name.eq_ignore_ascii_case(n))
                || name.eq_ignore_ascii_case("PATH");
            known
        };
        HostEnvironment {
            kept: variables.into_iter().filter(|(name, _)| known(name)).collect(),
        }
    }

    /// The search path for programs, empty when the host has none.
    pub fn path(&self) -> OsString {
        self.kept.get(OsStr::new("PATH")).cloned().unwrap_or_default()
    }

    /// The whole environment of a child: the host's short list, a home and a temporary directory of its own, and the
    /// caller's variables, which win.
    pub fn for_child(
        &self,
        home: &Path,
        temporary: &Path,
        own: &BTreeMap<OsString, OsString>,
    ) -> BTreeMap<OsString, OsString> {
        let mut environment = self.kept.clone();
        let private: &[(&str, &Path)] = if cfg!(windows) {
            &[
                ("USERPROFILE", home),
                ("HOME", home),
                ("TEMP", temporary),
                ("TMP", temporary),
            ]
        } else {
            &[("HOME", home), ("TMPDIR", temporary)]
        };
        for (name, value) in private {
            environment.insert((*name).into(), value.as_os_str().to_owned());
        }
        environment.extend(own.iter().map(|(name, value)| (name.clone(), value.clone())));
        environment
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(pairs: &[(&str, &str)]) -> BTreeMap<OsString, OsString> {
        pairs.iter().map(|(n, v)| (n.into(), v.into())).collect()
    }

    #[test]
    fn only_the_short_list_is_inherited() {
        let host = HostEnvironment::from_variables(map(&[
            ("PATH", "/bin"),
            ("LANG", "de_DE.UTF-8"),
            ("LC_ALL", "C"),
            ("TERM", "xterm"),
            ("HOME", "/home/me"),
            ("TMPDIR", "/var/tmp"),
            ("USER", "me"),
            ("GITHUB_TOKEN", "x"),
            ("OPENAI_API_KEY", "x"),
            ("SSH_AUTH_SOCK", "/run/agent"),
            ("AWS_SECRET_ACCESS_KEY", "x"),
            ("NPM_TOKEN", "x"),
            ("NODE_OPTIONS", "--require /evil"),
            ("LD_PRELOAD", "/evil.so"),
            ("PATH_TO_SECRETS", "x"),
        ]));
        let child = host.for_child(Path::new("/s/home"), Path::new("/s/tmp"), &BTreeMap::new());
        #[cfg(unix)]
        assert_eq!(
            child,
            map(&[
                ("HOME", "/s/home"),
                ("LANG", "de_DE.UTF-8"),
                ("LC_ALL", "C"),
                ("PATH", "/bin"),
                ("TERM", "xterm"),
                ("TMPDIR", "/s/tmp"),
            ])
        );
        assert!(!child.contains_key(OsStr::new("GITHUB_TOKEN")));
    }

    #[test]
    fn the_callers_variables_win() {
        let host = HostEnvironment::from_variables(map(&[("PATH", "/bin"), ("LC_ALL", "C")]));
        let own = map(&[("LC_ALL", "C.UTF-8"), ("HOME", "/cache/home"), ("DO_NOT_TRACK", "1")]);
        let child = host.for_child(Path::new("/s/home"), Path::new("/s/tmp"), &own);
        for (name, value) in [
            ("LC_ALL", "C.UTF-8"),
            ("HOME", "/cache/home"),
            ("DO_NOT_TRACK", "1"),
            ("PATH", "/bin"),
        ] {
            assert_eq!(child.get(OsStr::new(name)), Some(&OsString::from(value)), "{name}");
        }
    }
}
