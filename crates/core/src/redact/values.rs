//! What a value must look like to be a secret, and what marks it as an example.

/// Shannon entropy of the bytes, in bits a byte.
pub(super) fn entropy(value: &str) -> f64 {
    let mut counts = [0u32; 256];
    for b in value.bytes() {
        counts[b as usize] += 1;
    }
    let n = value.len() as f64;
    counts
        .iter()
        .filter(|&&c| c > 0)
        .map(|&c| {
            let p = f64::from(c) / n;
            -p * p.log2()
        })
        .sum()
}

/// Number of distinct bytes.
pub(super) fn distinct(value: &str) -> usize {
    let mut seen = [false; 256];
    for b in value.bytes() {
        seen[b as usize] = true;
    }
    seen.iter().filter(|s| **s).count()
}

/// Words that say of a value of a certain shape that it is none.
const EXAMPLE_WORDS: &[&str] = &[
    "example",
    "placeholder",
    "changeme",
    "change-me",
    "change_me",
    "replace-me",
    "replace_me",
    "replaceme",
    "redacted",
    "xxxx",
    "****",
    "....",
    "your-",
    "your_",
    "yourapi",
    "yourkey",
    "yourtoken",
    "insert",
];

/// Whether a value is an example, a template or a variable rather than a secret.
pub(super) fn is_placeholder(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    EXAMPLE_WORDS.iter().any(|w| lower.contains(w))
        || value.contains("${")
        || value.contains("{{")
        || value.contains("$(")
        || value.contains("%(")
        || value.contains("#{")
        || value.starts_with(['<', '{', '$', '%', '['])
        || distinct(value) < 6
}

fn is_uuid(value: &str) -> bool {
    value.len() == 36
        && value.bytes().enumerate().all(|(i, b)| match i {
            8 | 13 | 18 | 23 => b == b'-',
            _ => b.is_ascii_hexdigit(),
        })
}

/// Words that make a quoted value of a generic assignment a name or a test's filler.
const FILLER_WORDS: &[&str] = &[
    "test", "dummy", "fake", "mock", "sample", "foo", "secret", "password", "passwd", "token", "default", "invalid",
    "wrong", "abcdef", "12345", "key",
];

/// Whether the value of an assignment to a name such as `api_key` is random enough to be the secret itself. `strong_name`:
/// the name says secret without doubt (`api_key`, `client_secret`), so that a hexadecimal value or a UUID counts.
pub(super) fn is_random(value: &str, strong_name: bool) -> bool {
    if value.len() < 16 || is_placeholder(value) {
        return false;
    }
    if is_uuid(value) {
        return strong_name;
    }
    // A path, an address, code or a sentence is no secret.
    if value.contains("://")
        || value.contains("::")
        || value.starts_with(['/', '.', '@', '#'])
        || value.contains(['(', ')', ' ', ',', ';', '<', '>'])
    {
        return false;
    }
    let lower = value.to_ascii_lowercase();
    if FILLER_WORDS.iter().any(|w| lower.contains(w)) && value.len() < 48 {
        return false;
    }
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let letters = value.bytes().filter(u8::is_ascii_alphabetic).count();
    if value.bytes().all(|b| b.is_ascii_hexdigit()) {
        return strong_name && value.len() >= 20 && digits > 0 && letters > 0 && entropy(value) >= 3.0;
    }
    digits >= 2 && letters >= 4 && longest_lower_word(value) <= 9 && entropy(value) >= 3.4
}

/// Whether the value of a password's assignment is one, and not a word, a variable or an example.
pub(super) fn is_password(value: &str) -> bool {
    if value.len() < 8 || value.len() > 128 || is_placeholder(value) {
        return false;
    }
    let lower = value.to_ascii_lowercase();
    if FILLER_WORDS.iter().any(|w| lower.contains(w)) || value.contains("://") || value.contains(['(', ')', '<', '>']) {
        return false;
    }
    let classes = [
        value.bytes().any(|b| b.is_ascii_lowercase()),
        value.bytes().any(|b| b.is_ascii_uppercase()),
        value.bytes().any(|b| b.is_ascii_digit()),
        value.bytes().any(|b| b.is_ascii_punctuation() && !b"_-./".contains(&b)),
    ];
    classes.iter().filter(|c| **c).count() >= 3
        && value.bytes().any(|b| b.is_ascii_digit() || !b.is_ascii_alphanumeric())
}

/// Whether the password in an address is one, and not the word, the user's name again, or an example.
pub(super) fn is_url_password(user: &str, password: &str) -> bool {
    let lower = password.to_ascii_lowercase();
    !(password == user
        || is_template(password)
        || [
            "pass", "password", "passwd", "pwd", "pw", "secret", "user", "username", "token", "test", "example", "foo",
            "bar", "x", "xx", "xxx", "changeme", "p", "s", "port", "key", "api_key", "apikey",
        ]
        .contains(&lower.as_str())
        || lower.contains("example")
        || lower.contains("your")
        || lower.contains("xxxx")
        || password
            .bytes()
            .all(|b| b == b'*' || b == b'.' || b == b'x' || b == b'X'))
}

fn is_template(value: &str) -> bool {
    value.contains("${")
        || value.contains("{{")
        || value.contains("$(")
        || value.contains("#{")
        || value.starts_with(['<', '{', '$', '[', '('])
        || value == "%s"
        || value == "%v"
        || value.starts_with("[redacted")
}

/// The longest run of lower-case letters: words are longer than what chance makes.
fn longest_lower_word(value: &str) -> usize {
    let mut best = 0;
    let mut run = 0;
    for b in value.bytes() {
        run = if b.is_ascii_lowercase() { run + 1 } else { 0 };
        best = best.max(run);
    }
    best
}
