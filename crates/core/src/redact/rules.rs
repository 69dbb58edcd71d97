//! The shapes of secrets in plain text: one table, one prefilter over its key words.

use super::Secret;
use super::values::{distinct, is_password, is_placeholder, is_random, is_url_password};
use aho_corasick::{AhoCorasick, MatchKind};
use regex::bytes::{Captures, Regex, RegexBuilder};
use std::sync::{LazyLock, OnceLock};

/// Bytes before a key word that a match may begin in.
const BEFORE: usize = 160;
/// Bytes after a key word that a match may reach to.
const AFTER: usize = 1_200;

/// One shape.
struct Rule {
    kind: &'static str,
    /// Words of which every match holds one; compared without regard to case.
    keys: &'static [&'static str],
    /// The group `s` is the secret; without it the whole match is.
    pattern: &'static str,
    check: Check,
    /// Compiled when a key word was seen for the first time.
    regex: OnceLock<Regex>,
}

/// What a match must hold besides its shape.
enum Check {
    /// Not an example, with a random body.
    Shape,
    /// As `Shape`, and digits and capitals in it.
    Mixed,
    /// A password in an address.
    Url,
    /// A password of a connection string.
    Connection,
    /// Base64 of `user:password`.
    Basic,
    /// An assignment to a secret's name.
    Assigned,
}

const fn rule(kind: &'static str, keys: &'static [&'static str], pattern: &'static str, check: Check) -> Rule {
    Rule {
        kind,
        keys,
        pattern,
        check,
        regex: OnceLock::new(),
    }
}

use Check::{Assigned, Basic, Connection, Mixed, Shape, Url};

static RULES: [Rule; 44] = [
    // Model providers.
    rule(
        "provider_key",
        &["sk-ant-"],
        r"sk-ant-[a-z0-9]{2,12}-[A-Za-z0-9_\-]{20,}",
        Shape,
    ),
    rule(
        "provider_key",
        &["sk-"],
        r"\bsk-(?:proj-|svcacct-|admin-|None-|or-v1-)?[A-Za-z0-9_\-]{20,}",
        Mixed,
    ),
    rule("provider_key", &["hf_"], r"\bhf_[A-Za-z0-9]{30,}", Shape),
    rule("provider_key", &["gsk_"], r"\bgsk_[A-Za-z0-9]{40,}", Shape),
    rule(
        "provider_key",
        &["xai-", "nvapi-", "pplx-"],
        r"\b(?:xai|nvapi|pplx)-[A-Za-z0-9_\-]{40,}",
        Shape,
    ),
    rule("provider_key", &["r8_"], r"\br8_[A-Za-z0-9]{37}\b", Shape),
    rule(
        "provider_key",
        &["lsv2_"],
        r"\blsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}",
        Shape,
    ),
    // Clouds.
    rule(
        "aws_key",
        &["akia", "asia", "abia", "acca"],
        r"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}\b",
        Shape,
    ),
    rule(
        "aws_key",
        &["aws", "secret_access_key", "secretaccesskey", "secret-access-key"],
        r#"(?i)(?:aws[ -~]{0,20}(?:secret|key)|secret[_\-]?access[_\-]?key)[ -~]{0,20}?[=:>]\s*["'`]?(?P<s>[A-Za-z0-9/+]{40})(?:["'`\s,;]|$)"#,
        Mixed,
    ),
    rule("gcp_key", &["aiza"], r"\bAIza[0-9A-Za-z_\-]{35}", Shape),
    rule("gcp_key", &["ya29."], r"\bya29\.[0-9A-Za-z_\-]{20,}", Shape),
    rule("gcp_key", &["gocspx-"], r"\bGOCSPX-[A-Za-z0-9_\-]{20,}", Shape),
    rule("gcp_key", &["1//0"], r"\b1//0[A-Za-z0-9_\-]{40,}", Shape),
    rule(
        "azure_key",
        &["accountkey", "sharedaccesskey"],
        r"(?i)(?:AccountKey|SharedAccessKey)=(?P<s>[A-Za-z0-9+/]{40,}={0,2})",
        Shape,
    ),
    rule(
        "azure_key",
        &["q~"],
        r"[A-Za-z0-9_~.\-]{3}\dQ~[A-Za-z0-9_~.\-]{31,34}",
        Shape,
    ),
    rule(
        "azure_key",
        &["sig="],
        r"[?&]sig=(?P<s>[A-Za-z0-9%/+]{40,}(?:=|%3D)*)",
        Mixed,
    ),
    rule("cloud_token", &["do"], r"\bdo[opr]_v1_[0-9a-f]{64}\b", Shape),
    rule("cloud_token", &["ltai"], r"\bLTAI[A-Za-z0-9]{16,24}\b", Mixed),
    // Code hosts and registries.
    rule(
        "github_token",
        &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"],
        r"gh[pousr]_[A-Za-z0-9]{30,255}",
        Shape,
    ),
    rule(
        "github_token",
        &["github_pat_"],
        r"github_pat_[A-Za-z0-9_]{22,255}",
        Shape,
    ),
    rule(
        "gitlab_token",
        &[
            "glpat-", "gloas-", "gldt-", "glrt-", "glcbt-", "glptt-", "glft-", "glimt-", "glagent-", "glsoat-",
            "glffct-",
        ],
        r"\bgl(?:pat|oas|dt|rt|cbt|ptt|ft|imt|agent|soat|ffct)-[A-Za-z0-9_.\-]{20,}",
        Shape,
    ),
    rule("npm_token", &["npm_"], r"\bnpm_[A-Za-z0-9]{36}", Shape),
    rule(
        "npm_token",
        &["_authtoken", "_auth"],
        r#"_auth(?:Token)?\s*=\s*"?(?P<s>[A-Za-z0-9+/=_\-]{16,})"#,
        Shape,
    ),
    rule("pypi_token", &["pypi-ag"], r"\bpypi-Ag[A-Za-z0-9_\-]{40,}", Shape),
    rule(
        "registry_token",
        &["rubygems_", "dckr_pat_", "cio"],
        r"\b(?:rubygems_[0-9a-f]{48}|dckr_pat_[A-Za-z0-9_\-]{24,}|cio[A-Za-z0-9]{32})\b",
        Mixed,
    ),
    // Services.
    rule(
        "slack_token",
        &["xox"],
        r"\bxox[abeoprs]-(?:\d+-)*[A-Za-z0-9\-]{10,}",
        Shape,
    ),
    rule("slack_token", &["xapp-"], r"\bxapp-\d-[A-Za-z0-9\-]{20,}", Shape),
    rule(
        "slack_token",
        &["hooks.slack.com"],
        r"hooks\.slack\.com/(?:services|workflows)/(?P<s>[A-Za-z0-9]+/[A-Za-z0-9]+/[A-Za-z0-9/]{16,})",
        Shape,
    ),
    rule(
        "stripe_key",
        &["sk_live_", "sk_test_", "rk_live_", "rk_test_"],
        r"\b[sr]k_(?:live|test)_[A-Za-z0-9]{16,}",
        Shape,
    ),
    rule("stripe_key", &["whsec_"], r"\bwhsec_[A-Za-z0-9+/]{24,}", Shape),
    rule(
        "service_token",
        &["sg."],
        r"\bSG\.[A-Za-z0-9_\-]{20,24}\.[A-Za-z0-9_\-]{39,50}",
        Shape,
    ),
    rule(
        "service_token",
        &["shpat_", "shpca_", "shppa_", "shpss_"],
        r"\bshp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}",
        Shape,
    ),
    rule(
        "service_token",
        &["dapi", "key-"],
        r"\b(?:dapi|key-)[0-9a-f]{32}\b",
        Shape,
    ),
    rule(
        "service_token",
        &["hvs.", "hvb."],
        r"\bhv[sb]\.[A-Za-z0-9_\-]{24,}",
        Shape,
    ),
    rule(
        "service_token",
        &["atlasv1"],
        r"\b[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_\-=]{60,}",
        Shape,
    ),
    rule(
        "service_token",
        &[
            "atatt3", "lin_api_", "figd_", "sntrys_", "sntryu_", "nrak-", "pmak-", "dp.pt.", "pscale_", "sq0", "hrku-",
        ],
        r"\b(?:ATATT3|lin_api_|figd_|sntry[su]_|NRAK-|PMAK-|dp\.pt\.|pscale_(?:tkn|pw|oauth)_|sq0[a-z]{3}-|HRKU-)[A-Za-z0-9_=.\-]{20,}",
        Mixed,
    ),
    rule(
        "service_token",
        &[":aa"],
        r"\b\d{8,10}:AA[A-Za-z0-9_\-]{32,34}\b",
        Shape,
    ),
    rule(
        "service_token",
        &["discord"],
        r"discord(?:app)?\.com/api/webhooks/(?P<s>\d{16,20}/[A-Za-z0-9_\-]{40,})",
        Shape,
    ),
    // Forms that any service uses.
    rule(
        "jwt",
        &["eyj"],
        r"\beyJ[A-Za-z0-9_\-]{8,}\.eyJ[A-Za-z0-9_\-]{8,}\.[A-Za-z0-9_\-]{8,}",
        Shape,
    ),
    rule(
        "bearer",
        &["bearer"],
        r"(?i)\bbearer\s+(?P<s>[A-Za-z0-9._~+/\-]{20,}=*)",
        Mixed,
    ),
    rule(
        "basic_auth",
        &["basic "],
        r"(?i)\bbasic\s+(?P<s>[A-Za-z0-9+/]{8,}={0,2})",
        Basic,
    ),
    rule(
        "url_password",
        &["://"],
        r#"[A-Za-z][A-Za-z0-9+.\-]{1,30}://(?P<u>[!-~&&[^:/@'"`<>\\]]{0,100}):(?P<s>[!-~&&[^/@'"`<>\\]]{2,200})@"#,
        Url,
    ),
    rule(
        "connection_string",
        &["password=", "pwd=", "password =", "pwd ="],
        r#"(?i)(?:server|host|data source|uid|user id|user|username|database|initial catalog|endpoint)\s*=[ -~&&[^;"']]{1,200};(?:[ -~&&[^"']]{0,400};)?\s*(?:password|pwd)\s*=\s*(?P<s>[!-~&&[^;"']]{3,200})"#,
        Connection,
    ),
    rule(
        "generic_secret",
        &["key", "secret", "token", "passw", "pwd", "credential", "auth"],
        r#"(?i)(?P<n>[a-z0-9_.\-]{0,60}(?:api[_\-]?key|access[_\-]?key|secret[_\-]?key|private[_\-]?key|encryption[_\-]?key|signing[_\-]?key|auth[_\-]?key|secret|token|passwo?r?d|passwd|pwd|credentials?|auth)[a-z0-9_]{0,20})["'`]?\]?\s{0,8}(?P<o>:=|=>|=|:)\s{0,8}(?:b|r|f|u)?(?:["'`](?P<s>[!-~&&[^"'`]]{8,256})["'`]|(?P<v>[A-Za-z0-9_+/=~\-]{16,256})\s*(?:#|$))"#,
        Assigned,
    ),
];

struct Prefilter {
    words: AhoCorasick,
    /// Word → rule.
    rule_of: Vec<usize>,
}

static PREFILTER: LazyLock<Prefilter> = LazyLock::new(|| {
    let mut words = Vec::new();
    let mut rule_of = Vec::new();
    for (i, rule) in RULES.iter().enumerate() {
        for key in rule.keys {
            words.push(*key);
            rule_of.push(i);
        }
    }
    Prefilter {
        words: AhoCorasick::builder()
            .match_kind(MatchKind::Standard)
            .ascii_case_insensitive(true)
            .build(words)
            .expect("the key words are few and short"),
        rule_of,
    }
});

/// Secrets of a known shape, in no particular order.
pub(super) fn find(text: &str) -> Vec<Secret> {
    let prefilter = &*PREFILTER;
    let mut out = Vec::new();
    // Up to where each rule has seen the text; key words before that need no second look.
    let mut seen = [0usize; RULES.len()];
    for hit in prefilter.words.find_overlapping_iter(text) {
        let i = prefilter.rule_of[hit.pattern().as_usize()];
        if hit.start() < seen[i] {
            continue;
        }
        let line_start = text[..hit.start()].rfind('\n').map_or(0, |n| n + 1);
        let line_end = text[hit.end()..].find('\n').map_or(text.len(), |n| hit.end() + n);
        // A window of a long line: each key word is looked at with all that a match can reach, and long lines cost no more
        // than their length.
        let start = boundary(text, line_start.max(hit.start().saturating_sub(BEFORE)));
        let end = boundary(text, line_end.min(hit.end() + 3 * AFTER));
        seen[i] = if end == line_end {
            end.max(hit.start() + 1)
        } else {
            end - AFTER
        };
        let rule = &RULES[i];
        let regex = rule.regex.get_or_init(|| compile(rule.pattern));
        for captures in regex.captures_iter(&text.as_bytes()[start..end]) {
            if let Some(secret) = judge(rule, &captures, start) {
                out.push(secret);
            }
        }
    }
    out
}

/// Over ASCII alone: secrets are, and the tables of Unicode would cost more to compile than all else of a short answer.
fn compile(pattern: &str) -> Regex {
    RegexBuilder::new(pattern)
        .unicode(false)
        .build()
        .expect("the patterns of the table compile")
}

fn boundary(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at += 1;
    }
    at
}

fn judge(rule: &Rule, captures: &Captures<'_>, offset: usize) -> Option<Secret> {
    let whole = captures.get(0)?;
    let secret = captures.name("s").or_else(|| captures.name("v")).unwrap_or(whole);
    let value = as_text(secret.as_bytes())?;
    let good = match rule.check {
        Shape => !is_placeholder(value) && distinct(value) >= 8,
        Mixed => {
            !is_placeholder(value)
                && distinct(value) >= 10
                && value.bytes().filter(u8::is_ascii_digit).count() >= 2
                && (value.bytes().any(|b| b.is_ascii_uppercase())
                    || value.bytes().filter(u8::is_ascii_digit).count() >= 6)
        }
        Url => is_url_password(
            captures.name("u").and_then(|u| as_text(u.as_bytes())).unwrap_or(""),
            value,
        ),
        Connection => is_url_password("", value),
        Basic => is_basic(value),
        Assigned => assigned(captures, value),
    };
    good.then(|| Secret {
        range: offset + secret.start()..offset + secret.end(),
        kind: rule.kind,
        sure: !matches!(rule.check, Assigned),
    })
}

/// The patterns match ASCII alone.
fn as_text(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok()
}

fn is_basic(value: &str) -> bool {
    use base64::Engine as _;
    base64::engine::general_purpose::STANDARD
        .decode(value)
        .is_ok_and(|bytes| {
            std::str::from_utf8(&bytes).is_ok_and(|text| {
                text.chars().all(|c| !c.is_control())
                    && text
                        .split_once(':')
                        .is_some_and(|(user, password)| is_url_password(user, password))
            })
        })
}

/// Names that mean the secret itself, without doubt.
fn is_strong(name: &str) -> bool {
    [
        "apikey",
        "accesskey",
        "secretkey",
        "privatekey",
        "clientsecret",
        "secret",
        "authtoken",
        "accesstoken",
        "apitoken",
    ]
    .iter()
    .any(|s| name.ends_with(s))
}

fn assigned(captures: &Captures<'_>, value: &str) -> bool {
    let name: String = captures
        .name("n")
        .and_then(|n| as_text(n.as_bytes()))
        .unwrap_or("")
        .chars()
        .filter(|c| c.is_ascii_alphanumeric())
        .map(|c| c.to_ascii_lowercase())
        .collect();
    // `token_url`, `secret_name`, `password_field` name something about a secret.
    let about = [
        "url", "uri", "name", "path", "file", "field", "type", "id", "endpoint", "header", "class", "format", "prefix",
        "regex", "pattern", "length", "size", "hash", "salt", "count", "limit", "author", "provider", "ref", "version",
        "digest", "checksum", "sha", "public",
    ];
    if about.iter().any(|w| name.ends_with(w)) || name.contains("public") || name.ends_with("authority") {
        return false;
    }
    let quoted = captures.name("s").is_some();
    let password = name.contains("passw") || name.ends_with("pwd");
    if quoted && password && is_password(value) {
        return true;
    }
    if name.ends_with("auth") && value.len() < 20 {
        return false;
    }
    if quoted {
        return is_random(value, is_strong(&name));
    }
    // Without quotes a value may be a variable or an expression: it must be plainly random.
    value.bytes().filter(u8::is_ascii_digit).count() >= 3 && !value.contains("__") && is_random(value, is_strong(&name))
}
