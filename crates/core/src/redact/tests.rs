//! Tables of what is replaced and what stays. Samples are put together at run time, so that no secret-shaped text stands
//! in a file.

use super::*;
use base64::Engine as _;

/// A body of `n` mixed characters.
fn body(n: usize) -> String {
    let alphabet = b"a1B2c3D4e5F6g7H8i9J0kLmNoPqRsTuVwXyZ";
    (0..n).map(|i| alphabet[(i * 7) % alphabet.len()] as char).collect()
}

fn kind_of(text: &str) -> String {
    let found = redact(text);
    let kinds: Vec<&str> = found.counts.keys().copied().collect();
    kinds.join(",")
}

fn samples() -> Vec<(String, &'static str)> {
    let b = body;
    vec![
        (format!("{}{}", "ghp_", b(36)), "github_token"),
        (format!("{}{}", "github_pat_", b(60)), "github_token"),
        (format!("{}{}", "glpat-", b(20)), "gitlab_token"),
        (format!("{}{}", "xoxb-123456789012-", b(24)), "slack_token"),
        (format!("{}{}", "npm_", b(36)), "npm_token"),
        (format!("{}{}", "pypi-AgEIcHlwaS5vcmc", b(60)), "pypi_token"),
        (format!("{}{}", "sk_live_", b(24)), "stripe_key"),
        (format!("{}{}", "sk-ant-api03-", b(80)), "provider_key"),
        (format!("{}{}", "sk-proj-", b(48)), "provider_key"),
        (format!("{}{}", "AIza", b(35)), "gcp_key"),
        (format!("{}{}", "AKIA", "Q3EGR7TUVW2XYZAB"), "aws_key"),
        (format!("aws_secret_access_key = {}", b(40)), "aws_key"),
        (format!("AccountName=x;AccountKey={}==", b(86)), "azure_key"),
        (format!("eyJ{}.eyJ{}.{}", b(20), b(30), b(43)), "jwt"),
        (format!("Authorization: Bearer {}", b(40)), "bearer"),
        ("postgres://app:hunter2z@db.internal/x".to_owned(), "url_password"),
        (
            "Server=db;Database=x;User Id=sa;Password=Tr0ub4dor;".to_owned(),
            "connection_string",
        ),
        (format!("api_key = \"{}\"", b(32)), "generic_secret"),
        (format!("API_SECRET={}", b(32)), "generic_secret"),
        ("password: 'c0rrect-H0rse!9'".to_owned(), "generic_secret"),
        (
            format!("client_secret: \"{}\"", "9f86d081884c7d659a2feaa0c55ad015"),
            "generic_secret",
        ),
    ]
}

#[test]
fn every_shape_is_replaced_by_its_kind() {
    for (text, kind) in samples() {
        let line = format!("x {text} y");
        let line = if text.contains(['=', ':']) { text.clone() } else { line };
        assert_eq!(kind_of(&line), kind, "{line}");
    }
}

#[test]
fn an_encoded_secret_is_replaced_too() {
    for (text, kind) in samples() {
        let base64 = base64::engine::general_purpose::STANDARD.encode(format!("config:\n{text}\nend"));
        let found = redact(&base64);
        assert!(found.counts.contains_key(kind), "base64 of {text}: {found:?}");
        let escaped: String = text.bytes().map(|b| format!("%{b:02X}")).collect();
        assert!(redact(&escaped).counts.contains_key(kind), "escapes of {text}");
        let unicode: String = text.bytes().map(|b| format!("\\u{:04x}", b)).collect();
        assert!(redact(&unicode).counts.contains_key(kind), "unicode escapes of {text}");
        let hex = hex::encode(&text);
        assert!(redact(&hex).counts.contains_key(kind), "hex of {text}");
    }
    // One escaped character is enough to hide a prefix.
    let half = format!("ghp%5F{}", body(36));
    assert_eq!(redact(&half).text, "[redacted:github_token]");
}

#[test]
fn only_the_secret_goes() {
    let token = format!("ghp_{}", body(36));
    assert_eq!(redact(&format!("a({token});")).text, "a([redacted:github_token]);");
    assert_eq!(
        redact("https://bob:s3cr3tpw@x.org/p?q").text,
        "https://bob:[redacted:url_password]@x.org/p?q"
    );
    assert_eq!(
        redact(&format!("token = \"{}\"", body(32))).text,
        "token = \"[redacted:generic_secret]\""
    );
}

#[test]
fn what_only_looks_random_stays() {
    for text in [
        "commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b",
        "rev = \"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b\"",
        "id: 123e4567-e89b-12d3-a456-426614174000",
        "\"integrity\": \"sha512-k1L2m3N4o5P6q7R8s9T0u1V2w3X4y5Z6a7B8c9D0e1F2g3H4i5J6k7L8m9N0o1P2q3R4s5T6u7V8w9X0y1Z2a3==\"",
        "checksum = \"e5f6c1b0a9d8e7f6a5b4c3d2e1f0a9b8c7d6e5f4a3b2c1d0e9f8a7b6c5d4e3f2\"",
        "AKIAIOSFODNN7EXAMPLE",
        "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
        "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        "api_key = \"YOUR_API_KEY_GOES_HERE\"",
        "api_key = os.environ[\"SERVICE_API_KEY\"]",
        "token = request.headers.get(\"x-auth-token-v2\")",
        "const tokenUrl = \"https://login.host/oauth2/v2.0/token\"",
        "password = get_password_from_keyring()",
        "password=\"${DB_PASSWORD}\"",
        "postgres://user:password@localhost/db",
        "postgres://postgres:postgres@localhost/db",
        "amqp://${USER}:${PASS}@host",
        "http://[::1]:8080/a@b",
        "class=\"sk-fading-circle-with-a-very-long-name\"",
        "if text.startswith(\"-----BEGIN PRIVATE KEY-----\"):",
        "PRIVATE_KEY_MARKER = '-----BEGIN RSA PRIVATE KEY-----' # and '-----END RSA PRIVATE KEY-----'",
        "fn authenticate(token: &AuthenticationToken) -> Result<Session2, AuthError>",
        "bearer token authentication is described below",
        "Basic authentication",
        "let secret_name = \"my-service-secret-v2-name\";",
        "TOKEN_EXPIRY_SECONDS = 86400",
        "tokens = tokenize_sentence_2(some_long_argument1)",
        "key: \"resource.kubernetes.io/pod-claim-name1\"",
    ] {
        assert_eq!(redact(text).text, text);
    }
}

#[test]
fn a_private_key_goes_with_its_lines_kept() {
    let line = body(64);
    let (begin, end) = ("-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----");
    let mark = "[redacted:private_key]";
    let whole = format!("a\n{begin}\n{line}\n{line}\n{end}\nb");
    assert_eq!(redact(&whole).text, format!("a\n{mark}\n{mark}\n{mark}\n{mark}\nb"));
    // Cut at the end, and at the beginning.
    assert_eq!(
        redact(&format!("a\n{begin}\n{line}\n{line}")).text,
        format!("a\n{mark}\n{mark}\n{mark}")
    );
    assert_eq!(
        redact(&format!("{line}\n{line}\n{end}\nb")).text,
        format!("{mark}\n{mark}\n{mark}\nb")
    );
    // In one string with escaped line ends.
    let json = format!("{{\"private_key\": \"{begin}\\n{line}\\n{end}\\n\"}}");
    assert_eq!(redact(&json).text, format!("{{\"private_key\": \"{mark}\\n\"}}"));
    // One line of it alone, known by how it begins.
    let first = format!("MIIEpAIBAAKCAQEA{}", body(40));
    assert_eq!(redact(&first).text, mark);
    // A public key or a certificate stays.
    let public = format!("-----BEGIN PUBLIC KEY-----\n{line}\n-----END PUBLIC KEY-----");
    assert_eq!(redact(&public).text, public);
}

#[test]
fn lines_of_one_hit_are_read_together() {
    use crate::answer::Line;
    let line = |n, text: &str| Line {
        line: n,
        text: text.to_owned(),
    };
    let mut answer = crate::answer::Answer {
        hits: vec![crate::answer::Hit {
            lines: vec![
                line(4, "-----BEGIN PRIVATE KEY-----"),
                line(5, &body(64)),
                line(6, "-----END PRIVATE KEY-----"),
                line(9, "x = 1"),
            ],
            ..crate::answer::Hit::new(crate::answer::Symbol {
                path: RepoPath::new("a.txt").unwrap(),
                start: 1,
                end: 9,
                kind: "file".into(),
                name: "a.txt".into(),
                qualified: "a.txt".into(),
                signature: format!("token = \"{}\"", body(32)),
                in_degree: 0,
                scope: RepoPath::root(),
                staged: false,
            })
        }],
        ..Default::default()
    };
    let counts = redact_answer(&mut answer);
    assert_eq!(counts["private_key"], 1);
    assert_eq!(counts["generic_secret"], 1);
    assert_eq!(answer.hits[0].lines[1].text, "[redacted:private_key]");
    assert_eq!(answer.hits[0].lines[3].text, "x = 1");
}

use crate::path::RepoPath;

#[test]
fn text_around_a_secret_may_be_of_any_script() {
    let token = format!("ghp_{}", body(36));
    for text in [
        format!("ключ: «{token}» 🦎"),
        format!("пароль = \"ё\"; token = \"{}\" # ж", body(32)),
    ] {
        assert_eq!(redact(&text).counts.len(), 1, "{text}");
    }
}

#[test]
fn a_long_line_costs_no_more_than_its_length() {
    let line = "token secret key ".repeat(60_000);
    let secret = format!("{line}ghp_{} {line}", body(36));
    let found = redact(&secret);
    assert_eq!(found.counts.len(), 1, "{:?}", found.counts);
}

proptest::proptest! {
    #[test]
    fn any_text_is_redacted_once(text in "[ -~\n]{0,200}", at in 0usize..200) {
        let (whole, _) = samples()[at % samples().len()].clone();
        let cut = text.len().min(at);
        let text = format!("{} {whole} {}", &text[..cut], &text[cut..]);
        let once = redact(&text).text.into_owned();
        proptest::prop_assert_eq!(once.matches('\n').count(), text.matches('\n').count());
        let twice = redact(&once);
        proptest::prop_assert_eq!(twice.text.as_ref(), once.as_str());
    }

    #[test]
    fn no_text_panics(text in "\\PC{0,80}(%[0-9a-f]|\\\\[xu0]|&#|-----|é|\n){0,6}\\PC{0,40}") {
        let _ = redact(&text);
    }
}
