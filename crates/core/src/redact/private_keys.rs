//! Private key blocks: between their markers, cut at one end, or recognised by how their bytes begin.

use super::Secret;
use std::ops::Range;

const KIND: &str = "private_key";
const BEGIN: &str = "-----BEGIN ";
const END: &str = "-----END ";
/// Greatest length of one block, in bytes.
const BLOCK: usize = 64 * 1024;
/// Fewest base64 characters in a row that make a body; code that only names the marker has none.
const BODY: usize = 20;

/// How the base64 of a private key begins: PKCS#1 and PKCS#8 of RSA, EC, Ed25519, and OpenSSH's own form.
const BEGINNINGS: &[&str] = &[
    "IBAAKCAQEA",
    "IBAAKBgQ",
    "IBAAKCAgEA",
    "IBADANBgkqhkiG9w0BAQEFAASC",
    "MHcCAQEEI",
    "MC4CAQAwBQYDK2VwBCIEI",
    "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg",
    "b3BlbnNzaC1rZXktdjE",
];

/// Adds every private key of `text`.
pub(super) fn find(text: &str, out: &mut Vec<Secret>) {
    if text.contains(BEGIN) || text.contains(END) {
        blocks(text, out);
    }
    for beginning in BEGINNINGS {
        let mut from = 0;
        while let Some(found) = text[from..].find(beginning) {
            let at = from + found;
            let start = back_over_base64(text, at);
            let end = forward_over_base64(text, at);
            from = at + beginning.len();
            if end - start >= 40 {
                push(out, start..following_lines(text, end));
            }
        }
    }
}

fn push(out: &mut Vec<Secret>, range: Range<usize>) {
    out.push(Secret {
        range,
        kind: KIND,
        sure: true,
    });
}

fn blocks(text: &str, out: &mut Vec<Secret>) {
    let mut from = 0;
    while let Some(found) = text[from..].find(BEGIN) {
        let at = from + found;
        let Some(body) = marker_end(text, at + BEGIN.len()) else {
            from = at + BEGIN.len();
            continue;
        };
        let mut limit = (body + BLOCK).min(text.len());
        while !text.is_char_boundary(limit) {
            limit -= 1;
        }
        let rest = &text[body..limit];
        let end = rest
            .find(END)
            .and_then(|e| marker_end(text, body + e + END.len()).map(|end| (body + e, end)));
        from = match end {
            // Another key's begin in between means that this one has no end.
            Some((e, end)) if has_body(&text[body..e]) && !text[body..e].contains(BEGIN) => {
                push(out, at..end);
                end
            }
            _ => {
                let end = following_lines(text, body);
                if has_body(&text[body..end]) {
                    push(out, at..end);
                }
                end.max(body)
            }
        };
    }
    // An end whose begin was not part of the text: the lines before it.
    let mut from = 0;
    while let Some(found) = text[from..].find(END) {
        let at = from + found;
        from = at + END.len();
        if let Some(end) = marker_end(text, from) {
            let start = preceding_lines(text, at);
            if has_body(&text[start..at]) {
                push(out, start..end);
            }
        }
    }
}

/// The end of a marker whose words begin at `at`, if it speaks of a private key.
fn marker_end(text: &str, at: usize) -> Option<usize> {
    let rest = &text[at..];
    let dashes = rest.as_bytes().iter().take(64).position(|b| *b == b'-')?;
    let words = &rest[..dashes];
    let private = words.ends_with("PRIVATE KEY") || words.ends_with("PRIVATE KEY BLOCK");
    (private && rest[dashes..].starts_with("-----")).then_some(at + dashes + 5)
}

fn is_base64(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'=')
}

fn has_body(text: &str) -> bool {
    let mut run = 0;
    for (i, b) in text.bytes().enumerate() {
        // The `n` of an escaped line end belongs to no body.
        let escaped = i > 0 && text.as_bytes()[i - 1] == b'\\';
        run = if is_base64(b) && !escaped { run + 1 } else { 0 };
        if run >= BODY {
            return true;
        }
    }
    false
}

/// Whether a line is one of a key's body, perhaps quoted or commented.
fn is_body_line(line: &str) -> bool {
    let line = line.trim_matches(|c: char| c.is_whitespace() || "\"'`,+#*/\\;|>".contains(c));
    let line = line.trim_end_matches("\\n");
    line.len() >= 8 && line.bytes().all(is_base64) && !line.bytes().all(|b| b.is_ascii_lowercase())
}

/// Past the rest of this line and the body lines after it.
fn following_lines(text: &str, from: usize) -> usize {
    let line_end = text[from..].find('\n').map_or(text.len(), |n| from + n);
    let rest = &text[from..line_end];
    let mut end = if has_body(rest) {
        from + rest
            .bytes()
            .take_while(|b| is_base64(*b) || b"\\ \t".contains(b))
            .count()
    } else {
        from
    };
    if end < line_end && has_body(rest) {
        return end;
    }
    let mut at = line_end;
    while at < text.len() {
        let next = text[at + 1..].find('\n').map_or(text.len(), |n| at + 1 + n);
        if !is_body_line(&text[at + 1..next]) {
            break;
        }
        end = next;
        at = next;
    }
    end
}

/// The beginning of the body lines right before `at`, the rest of its own line included.
fn preceding_lines(text: &str, at: usize) -> usize {
    let line_start = text[..at].rfind('\n').map_or(0, |n| n + 1);
    let mut start = line_start
        + (at - line_start - {
            let before = &text.as_bytes()[line_start..at];
            before
                .iter()
                .rev()
                .take_while(|b| is_base64(**b) || b"\\".contains(b))
                .count()
        });
    let mut at = line_start;
    while at > 0 {
        let before = text[..at - 1].rfind('\n').map_or(0, |n| n + 1);
        if !is_body_line(&text[before..at - 1]) {
            break;
        }
        start = before;
        at = before;
    }
    start
}

fn back_over_base64(text: &str, at: usize) -> usize {
    at - text.as_bytes()[..at]
        .iter()
        .rev()
        .take_while(|b| is_base64(**b))
        .count()
}

fn forward_over_base64(text: &str, at: usize) -> usize {
    at + text.as_bytes()[at..].iter().take_while(|b| is_base64(**b)).count()
}
