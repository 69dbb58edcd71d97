//! What npm's output means. Pure: it is told what npm wrote and how it ended.

use std::path::Path;
use understory_ports::ProvisionError;
use understory_ports::provisioner::Tail;
use understory_ports::sandbox::{replace_paths, tail_lines};

/// Lines of an installer that are shown.
pub const LINES: usize = 20;

/// The last lines of some output, for the model and for the operator.
pub fn tail(output: &[u8], cache: &Path) -> Tail {
    let detail = tail_lines(output, LINES);
    let mut names = vec![(cache, "<cache>")];
    let resolved = cache.canonicalize().ok();
    names.extend(resolved.as_deref().map(|path| (path, "<cache>")));
    Tail {
        shown: without_host_paths(&replace_paths(&detail, &names)),
        detail,
    }
}

/// Replaces every absolute path that is left by `<host>`: a slash at the start of a word, or a drive.
fn without_host_paths(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut before = ' ';
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        let starts = before.is_whitespace() || matches!(before, '\'' | '"' | '(' | '=' | '`' | '[' | ',' | '@' | ':');
        let bytes = rest.as_bytes();
        let unix = next == '/'
            && bytes
                .get(1)
                .is_some_and(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_'));
        let drive = next.is_ascii_alphabetic()
            && bytes.get(1) == Some(&b':')
            && matches!(bytes.get(2), Some(b'\\' | b'/'))
            && !before.is_alphanumeric();
        if (starts && unix) || drive {
            let end = rest
                .find(|c: char| c.is_whitespace() || matches!(c, '\'' | '"' | ')' | '`' | ']' | ','))
                .unwrap_or(rest.len());
            shown.push_str("<host>");
            before = '>';
            rest = &rest[end..];
        } else {
            shown.push(next);
            before = next;
            rest = &rest[next.len_utf8()..];
        }
    }
    shown
}

/// Names of npm's own, or of Node's, for a network that does not answer.
const NETWORK: &[&str] = &[
    "ENOTFOUND",
    "ECONNREFUSED",
    "ECONNRESET",
    "ETIMEDOUT",
    "EAI_AGAIN",
    "ENETUNREACH",
    "EHOSTUNREACH",
    "ERR_SOCKET_TIMEOUT",
    "ERR_SOCKET_CLOSED",
    "EIDLETIMEOUT",
    "ERESPONSETIMEOUT",
    "ECONNECTIONTIMEOUT",
    "EINVALIDPROXYRESPONSE",
    "UNABLE_TO_GET_ISSUER_CERT",
    "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
    "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
    "SELF_SIGNED_CERT_IN_CHAIN",
    "DEPTH_ZERO_SELF_SIGNED_CERT",
    "CERT_HAS_EXPIRED",
    "ERR_TLS_CERT_ALTNAME_INVALID",
    "E500",
    "E502",
    "E503",
    "E504",
];

/// What a failed installation was. `how` completes "the installer …".
pub fn classify(output: &[u8], how: &str, cache: &Path) -> ProvisionError {
    let text = String::from_utf8_lossy(output);
    let code = code(&text);
    let tail = tail(output, cache);
    let says = |words: &[&str]| words.iter().any(|w| text.contains(w));
    match code.as_str() {
        "ENOSPC" | "EDQUOT" => return ProvisionError::DiskFull(tail),
        "EINTEGRITY" => return ProvisionError::Integrity(tail),
        "E404" | "ETARGET" | "E401" | "E403" | "E451" => return ProvisionError::NotInRegistry(tail),
        "EUSAGE" => {
            return ProvisionError::BadPin {
                what: "its manifest and its lock do not agree".into(),
            };
        }
        code if NETWORK.contains(&code) => return ProvisionError::Network(tail),
        _ => {}
    }
    if says(&["no space left on device", "ENOSPC"]) {
        ProvisionError::DiskFull(tail)
    } else if says(&["gyp ERR!", "node-gyp"]) {
        ProvisionError::Toolchain(tail)
    } else {
        ProvisionError::Installer {
            how: how.to_owned(),
            tail,
        }
    }
}

/// The word after `npm error code`, or after `npm ERR! code` of older versions.
fn code(text: &str) -> String {
    text.lines()
        .filter_map(|line| {
            let line = line.trim();
            let rest = line
                .strip_prefix("npm error code ")
                .or_else(|| line.strip_prefix("npm ERR! code "))?;
            rest.split_whitespace().next()
        })
        .next_back()
        .unwrap_or_default()
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(output: &str) -> &'static str {
        match classify(
            output.as_bytes(),
            "exited with code 1",
            Path::new("/home/me/.cache/understory"),
        ) {
            ProvisionError::Network(_) => "network",
            ProvisionError::Integrity(_) => "integrity",
            ProvisionError::NotInRegistry(_) => "registry",
            ProvisionError::Toolchain(_) => "toolchain",
            ProvisionError::DiskFull(_) => "disk",
            ProvisionError::BadPin { .. } => "pin",
            ProvisionError::Installer { .. } => "installer",
            _ => "?",
        }
    }

    #[test]
    fn recorded_output_is_named() {
        let check = |output: &str, expected: &str| assert_eq!(kind(output), expected, "{output}");
        check(
            "npm error code EINTEGRITY\nnpm error sha512-x integrity checksum failed when using sha512",
            "integrity",
        );
        check("npm ERR! code EINTEGRITY\n", "integrity");
        check(
            "npm error code ENOTFOUND\nnpm error syscall getaddrinfo\nnpm error network request failed",
            "network",
        );
        check("npm error code ECONNREFUSED\n", "network");
        check("npm error code SELF_SIGNED_CERT_IN_CHAIN\n", "network");
        check("npm error code E404\nnpm error 404 Not Found - GET", "registry");
        check(
            "npm error code E401\nnpm error Incorrect or missing password.",
            "registry",
        );
        check(
            "npm error code ENOSPC\nnpm error syscall write\nnpm error errno -28",
            "disk",
        );
        check(
            "npm warn tar TAR_ENTRY_ERROR ENOSPC: no space left on device, write\nnpm error code 1",
            "disk",
        );
        check(
            "npm error code 1\nnpm error path /home/me/x\nnpm error gyp ERR! find Python\nnpm error gyp ERR! stack Error",
            "toolchain",
        );
        check(
            "npm error code EUSAGE\nnpm error `npm ci` can only install packages when",
            "pin",
        );
        check("npm error code 1\nnpm error command failed", "installer");
        check("", "installer");
        check("\u{fffd}\0garbage", "installer");
    }

    #[test]
    fn the_model_reads_no_host_path() {
        let check = |line: &str, expected: &str| {
            let shown = tail(line.as_bytes(), Path::new("/home/me/.cache/understory")).shown;
            assert_eq!(shown, expected);
        };
        check(
            "npm error path /home/me/.cache/understory/graft/0.16.0.tmp-1/node_modules/x",
            "npm error path <cache>/graft/0.16.0.tmp-1/node_modules/x",
        );
        check("A log: '/home/me/.npm/_logs/x.log' and", "A log: '<host>' and");
        check(
            "at Object.<anonymous> (/usr/lib/node_modules/npm/lib/cli.js:1:2)",
            "at Object.<anonymous> (<host>)",
        );
        check(
            "GET https://npm.example/@scope%2fname - 404",
            "GET https://npm.example/@scope%2fname - 404",
        );
        check("gcc -I/usr/include and a/b", "gcc -I/usr/include and a/b");
        check("C:\\Users\\me\\npm failed", "<host> failed");
        check("file:/root/x 1/2", "file:<host> 1/2");
    }

    #[test]
    fn a_tail_has_twenty_lines() {
        let output: String = (0..50).map(|n| format!("line {n}\n")).collect();
        let tail = tail(output.as_bytes(), Path::new("/c"));
        assert_eq!(tail.shown.lines().count(), LINES);
        assert!(tail.shown.ends_with("line 49"));
    }
}
