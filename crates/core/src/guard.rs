//! The read guard: which paths a session is never served, whoever asks and by whatever name.
//!
//! A pure function of a path and, for a few names, of the first bytes of the file. The caller hands in every path that
//! leads to the bytes: the path as asked and what a link resolves to. Letter case is ignored throughout, for on a
//! case-folding disk `.ENV` opens `.env`.

use crate::path::RepoPath;
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

/// How many bytes of a file [`Guard::judge_with_head`] looks at.
pub const HEAD_BYTES: usize = 4096;

/// What the guard says about a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// May be named, counted and read.
    Open,
    /// Must not be named, counted or read, whether it exists or not.
    Protected,
    /// The name alone does not say: [`Guard::judge_with_head`] does, with the file's first [`HEAD_BYTES`] bytes. A file
    /// whose bytes cannot be had is protected.
    NeedsHead,
}

/// A glob of the policy that cannot be taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the guard's glob {glob:?} cannot be used: {why}")]
pub struct GuardError {
    /// As given.
    pub glob: String,
    /// What is wrong with it.
    pub why: String,
}

/// The guard. The default protects environment files and key material; globs add to that and never take away.
#[derive(Clone, Debug, Default)]
pub struct Guard {
    /// Match one part of a path, at any depth.
    names: GlobSet,
    /// Match a path from the root, or a directory above it.
    paths: GlobSet,
    /// Match a directory above a path, from the root, but not the path itself.
    dirs: GlobSet,
    /// Match the name of a directory above a path, at any depth.
    dir_names: GlobSet,
}

impl Guard {
    /// The default with further globs, read as lines of an ignore file: without a `/` they match a name at any depth,
    /// with one they are anchored at the root, one that ends in `/` matches directories, and what matches a directory
    /// protects everything below it. `!` is refused: a policy never takes protection away.
    pub fn new<S: AsRef<str>>(globs: impl IntoIterator<Item = S>) -> Result<Self, GuardError> {
        let [mut names, mut paths, mut dirs, mut dir_names] = [(); 4].map(|()| GlobSetBuilder::new());
        for given in globs {
            let given = given.as_ref();
            let bad = |why: &str| GuardError {
                glob: given.to_owned(),
                why: why.to_owned(),
            };
            if given.starts_with('!') {
                return Err(bad("a policy adds protection and never takes it away"));
            }
            let only_dirs = given.ends_with('/');
            let body = given.trim_end_matches('/');
            let anchored = body.contains('/');
            let body = body.trim_start_matches('/');
            if body.trim().is_empty() {
                return Err(bad("it is empty"));
            }
            let glob = GlobBuilder::new(body)
                .literal_separator(true)
                .case_insensitive(true)
                .backslash_escape(true)
                .build()
                .map_err(|e| bad(&e.kind().to_string()))?;
            match (anchored, only_dirs) {
                (false, false) => names.add(glob),
                (false, true) => dir_names.add(glob),
                (true, false) => paths.add(glob),
                (true, true) => dirs.add(glob),
            };
        }
        let build = |builder: GlobSetBuilder| {
            builder.build().map_err(|e| GuardError {
                glob: e.glob().unwrap_or_default().to_owned(),
                why: e.kind().to_string(),
            })
        };
        Ok(Guard {
            names: build(names)?,
            paths: build(paths)?,
            dirs: build(dirs)?,
            dir_names: build(dir_names)?,
        })
    }

    /// Judges a path by its name.
    pub fn judge(&self, path: &RepoPath) -> Verdict {
        let text = path.as_str();
        let name = path.file_name();
        if text.split('/').any(is_protected_name) || self.globs_match(text) {
            Verdict::Protected
        } else if HeadRule::of(name).is_some() {
            Verdict::NeedsHead
        } else {
            Verdict::Open
        }
    }

    /// Judges a path by its name and the first bytes of its file (more than [`HEAD_BYTES`] are not looked at). Never
    /// [`Verdict::NeedsHead`].
    pub fn judge_with_head(&self, path: &RepoPath, head: &[u8]) -> Verdict {
        match self.judge(path) {
            Verdict::NeedsHead => {
                let head = &head[..head.len().min(HEAD_BYTES)];
                match HeadRule::of(path.file_name()) {
                    Some(rule) if rule.protects(head) => Verdict::Protected,
                    _ => Verdict::Open,
                }
            }
            verdict => verdict,
        }
    }

    fn globs_match(&self, text: &str) -> bool {
        if !self.names.is_empty() && text.split('/').any(|part| self.names.is_match(part)) {
            return true;
        }
        let above = || text.match_indices('/').map(|(at, _)| &text[..at]);
        if !self.paths.is_empty() && (self.paths.is_match(text) || above().any(|dir| self.paths.is_match(dir))) {
            return true;
        }
        if !self.dirs.is_empty() && above().any(|dir| self.dirs.is_match(dir)) {
            return true;
        }
        !self.dir_names.is_empty()
            && text
                .rsplit_once('/')
                .is_some_and(|(dirs, _)| dirs.split('/').any(|part| self.dir_names.is_match(part)))
    }
}

/// Whether a name is protected whatever the file holds.
fn is_protected_name(name: &str) -> bool {
    let is = |other: &str| name.eq_ignore_ascii_case(other);
    if let Some(rest) = strip_prefix_ignoring_case(name, ".env") {
        return rest.is_empty()
            || rest.starts_with('.')
                && ![".example", ".sample", ".template"]
                    .iter()
                    .any(|open| rest.eq_ignore_ascii_case(open));
    }
    is(".git")
        || is("id_rsa")
        || is("id_ed25519")
        || is(".netrc")
        || [".p12", ".pfx", ".keystore"]
            .iter()
            .any(|ending| ends_with_ignoring_case(name, ending))
}

fn strip_prefix_ignoring_case<'a>(text: &'a str, prefix: &str) -> Option<&'a str> {
    let head = text.get(..prefix.len())?;
    head.eq_ignore_ascii_case(prefix).then(|| &text[prefix.len()..])
}

fn ends_with_ignoring_case(text: &str, ending: &str) -> bool {
    text.len() >= ending.len() && text.as_bytes()[text.len() - ending.len()..].eq_ignore_ascii_case(ending.as_bytes())
}

/// What the first bytes of a file with a telling name are looked through for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum HeadRule {
    PrivateKey,
    NpmToken,
}

impl HeadRule {
    fn of(name: &str) -> Option<HeadRule> {
        if name.eq_ignore_ascii_case(".npmrc") {
            Some(HeadRule::NpmToken)
        } else if ends_with_ignoring_case(name, ".pem") || ends_with_ignoring_case(name, ".key") {
            Some(HeadRule::PrivateKey)
        } else {
            None
        }
    }

    fn protects(self, head: &[u8]) -> bool {
        // Without its NUL bytes, UTF-16 of ASCII reads as ASCII.
        let text: Vec<u8> = head.iter().copied().filter(|&b| b != 0).collect();
        match self {
            HeadRule::PrivateKey => holds_private_key(&text) || is_der_private_key(head),
            HeadRule::NpmToken => text.split(|&b| b == b'\n' || b == b'\r').any(holds_npm_token),
        }
    }
}

/// Whether a PEM header of any private key stands in the text: plain, encrypted, RSA, EC, OpenSSH, PGP.
fn holds_private_key(text: &[u8]) -> bool {
    const BEGIN: &[u8] = b"-----BEGIN ";
    const KEY: &[u8] = b"PRIVATE KEY";
    let mut rest = text;
    while let Some(at) = find(rest, BEGIN) {
        rest = &rest[at + BEGIN.len()..];
        let label_end = rest
            .iter()
            .position(|b| !(b.is_ascii_alphanumeric() || *b == b' '))
            .unwrap_or(rest.len());
        if find(&rest[..label_end], KEY).is_some() {
            return true;
        }
    }
    false
}

/// Whether the bytes begin as the DER form of a private key: a sequence whose first part is the integer 0 or 1.
fn is_der_private_key(bytes: &[u8]) -> bool {
    let [0x30, length, rest @ ..] = bytes else {
        return false;
    };
    let further = if *length < 0x80 { 0 } else { usize::from(*length & 0x7f) };
    matches!(rest.get(further..), Some([0x02, 0x01, 0x00 | 0x01, ..]))
}

/// Whether a line of an npm configuration sets a credential to anything but an environment variable. A line that is
/// commented out counts: the token in it is one all the same.
fn holds_npm_token(line: &[u8]) -> bool {
    let Some(equals) = line.iter().position(|&b| b == b'=') else {
        return false;
    };
    let key = line[..equals].trim_ascii();
    let value = line[equals + 1..].trim_ascii();
    let value = value.strip_prefix(b"\"").unwrap_or(value);
    let value = value.strip_suffix(b"\"").unwrap_or(value);
    let is_credential = ["_authtoken", "_auth", "_password"]
        .iter()
        .any(|name| key.len() >= name.len() && key[key.len() - name.len()..].eq_ignore_ascii_case(name.as_bytes()));
    let is_variable = value.starts_with(b"${") && value.ends_with(b"}") && !value[2..value.len() - 1].contains(&b'}');
    is_credential && !value.is_empty() && !is_variable
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack.windows(needle.len()).position(|w| w == needle)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn p(s: &str) -> RepoPath {
        RepoPath::new(s).unwrap()
    }

    #[test]
    fn names_are_judged() {
        use Verdict::*;
        let guard = Guard::default();
        for (path, verdict) in [
            (".env", Protected),
            (".ENV", Protected),
            ("svc/.env.local", Protected),
            (".env.Production", Protected),
            (".env/nested", Protected),
            (".env.", Protected),
            (".env.example", Open),
            ("a/.Env.Sample", Open),
            (".env.template", Open),
            (".env.template.local", Protected),
            (".envrc", Open),
            ("env", Open),
            ("x.env", Open),
            ("id_rsa", Protected),
            ("keys/ID_RSA", Protected),
            ("id_rsa.pub", Open),
            ("id_ed25519", Protected),
            ("a/b.p12", Protected),
            ("b.PFX", Protected),
            ("app.keystore", Protected),
            (".keystore", Protected),
            (".netrc", Protected),
            ("_netrc", Open),
            ("server.pem", NeedsHead),
            ("server.KEY", NeedsHead),
            (".npmrc", NeedsHead),
            ("locales/en.key.json", Open),
            ("src/main.rs", Open),
            ("é", Open),
        ] {
            assert_eq!(guard.judge(&p(path)), verdict, "{path}");
        }
        assert_eq!(guard.judge(&RepoPath::root()), Open);
    }

    #[test]
    fn heads_are_judged_for_telling_names() {
        use Verdict::*;
        let guard = Guard::default();
        let begin = |label: &str| format!("-----BEGIN {label}-----\nMIIB\n").into_bytes();
        let utf16: Vec<u8> = begin("PRIVATE KEY").iter().flat_map(|&b| [b, 0]).collect();
        let late = [vec![b'x'; HEAD_BYTES], begin("PRIVATE KEY")].concat();
        for (path, head, verdict) in [
            ("a.pem", begin("PRIVATE KEY"), Protected),
            ("a.pem", begin("RSA PRIVATE KEY"), Protected),
            ("a.key", begin("OPENSSH PRIVATE KEY"), Protected),
            ("a.key", begin("PGP PRIVATE KEY BLOCK"), Protected),
            (
                "a.pem",
                [begin("CERTIFICATE"), begin("EC PRIVATE KEY")].concat(),
                Protected,
            ),
            ("a.pem", begin("CERTIFICATE"), Open),
            ("a.pem", begin("PUBLIC KEY"), Open),
            ("a.key", utf16, Protected),
            ("a.key", vec![0x30, 0x82, 0x04, 0xbd, 0x02, 0x01, 0x00, 0x30], Protected),
            ("a.key", b"PK\x03\x04 a presentation".to_vec(), Open),
            ("a.key", vec![], Open),
            ("a.key", vec![0x30], Open),
            ("a.pem", late, Open),
            (
                ".npmrc",
                b"//registry.npmjs.org/:_authToken=npm_abc\n".to_vec(),
                Protected,
            ),
            (
                ".npmrc",
                b"registry=https://r\r\n_auth = \"Zm9v\"\r\n".to_vec(),
                Protected,
            ),
            (".npmrc", b"; //r/:_password=abc".to_vec(), Protected),
            (".npmrc", b"//r/:_authToken=${NPM_TOKEN}\n".to_vec(), Open),
            (".npmrc", b"//r/:_authToken=${A}b${C}\n".to_vec(), Protected),
            (".npmrc", b"//r/:_authToken=${\n".to_vec(), Protected),
            (".npmrc", b"//r/:_authToken=\nsave-exact=true\n".to_vec(), Open),
            (".npmrc", b"engine-strict=true".to_vec(), Open),
            // A head is not asked for where the name says all.
            ("a.txt", begin("PRIVATE KEY"), Open),
            ("id_rsa", vec![], Protected),
        ] {
            assert_eq!(
                guard.judge_with_head(&p(path), &head),
                verdict,
                "{path}: {:?}",
                String::from_utf8_lossy(&head)
            );
        }
    }

    #[test]
    fn globs_add_and_never_take_away() {
        let guard = Guard::new([
            "*.secret",
            "/vault",
            "conf/*/prod.toml",
            "private/",
            "deep/down/",
            "**/x/y",
        ])
        .unwrap();
        for (path, protected) in [
            ("a/b.SECRET", true),
            ("b.secret/inner", true),
            ("vault", true),
            ("vault/x/y/z", true),
            ("sub/vault", false),
            ("conf/a/prod.toml", true),
            ("conf/a/b/prod.toml", false),
            ("private", false),
            ("a/private/b", true),
            ("deep/down", false),
            ("deep/down/x", true),
            ("x/y", true),
            ("a/b/x/y", true),
            (".env", true),
            ("open.txt", false),
        ] {
            assert_eq!(guard.judge(&p(path)) == Verdict::Protected, protected, "{path}");
        }
        for bad in ["!.env", "", "/", "[z-a]"] {
            let error = Guard::new([bad]).unwrap_err();
            assert_eq!(error.glob, bad);
        }
    }
}
