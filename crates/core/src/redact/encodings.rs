//! Secrets that are not in plain sight: inside base64 or hexadecimal, or with characters written as escapes.

use super::{Secret, private_keys, rules};

/// Fewest characters of base64 that can hold a secret.
const BASE64_RUN: usize = 24;
/// Fewest printable characters in a row that decoded bytes must have before they are looked at.
const PRINTABLE: usize = 16;

/// Adds every secret that is encoded in `text`.
pub(super) fn find(text: &str, out: &mut Vec<Secret>) {
    runs(text, out);
    escapes(text, out);
}

fn plain(text: &str) -> Vec<Secret> {
    let mut found = rules::find(text);
    private_keys::find(text, &mut found);
    found
}

fn value(b: u8) -> Option<u8> {
    match b {
        b'A'..=b'Z' => Some(b - b'A'),
        b'a'..=b'z' => Some(b - b'a' + 26),
        b'0'..=b'9' => Some(b - b'0' + 52),
        b'+' | b'-' => Some(62),
        b'/' | b'_' => Some(63),
        _ => None,
    }
}

/// Runs of the base64 alphabet (both alphabets), and of hexadecimal digits.
fn runs(text: &str, out: &mut Vec<Secret>) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let length = bytes[at..].iter().take_while(|b| value(**b).is_some()).count();
        if length >= BASE64_RUN {
            let run = &bytes[at..at + length];
            // A run may have foreign characters before it (a path's `/`), so each alignment is tried.
            for shift in 0..4 {
                decoded_base64(&run[shift..], at + shift, out);
            }
            if run.iter().all(u8::is_ascii_hexdigit) && length >= 2 * PRINTABLE && length % 2 == 0 {
                decoded_hex(run, at, out);
            }
        }
        at += length.max(1);
    }
}

fn decoded_base64(run: &[u8], offset: usize, out: &mut Vec<Secret>) {
    let mut bytes = Vec::with_capacity(run.len() / 4 * 3 + 2);
    for group in run.chunks(4) {
        let mut n = 0u32;
        for b in group {
            n = n << 6 | u32::from(value(*b).unwrap_or(0));
        }
        n <<= 6 * (4 - group.len() as u32);
        let whole = n.to_be_bytes();
        bytes.extend_from_slice(&whole[1..(group.len() * 3 / 4 + 1).max(1)]);
    }
    for (start, printable) in printable_runs(&bytes) {
        for secret in plain(printable) {
            let from = offset + (start + secret.range.start) / 3 * 4;
            let to = offset + ((start + secret.range.end).div_ceil(3) * 4).min(run.len());
            out.push(Secret {
                range: from..to,
                kind: secret.kind,
                sure: true,
            });
        }
    }
}

fn decoded_hex(run: &[u8], offset: usize, out: &mut Vec<Secret>) {
    let Ok(bytes) = hex::decode(run) else { return };
    for (start, printable) in printable_runs(&bytes) {
        for secret in plain(printable) {
            out.push(Secret {
                range: offset + 2 * (start + secret.range.start)..offset + 2 * (start + secret.range.end),
                kind: secret.kind,
                sure: true,
            });
        }
    }
}

/// Stretches of printable ASCII that are long enough, with where they begin.
fn printable_runs(bytes: &[u8]) -> Vec<(usize, &str)> {
    let mut out = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let length = bytes[at..]
            .iter()
            .take_while(|b| (0x20..0x7f).contains(*b) || matches!(b, b'\n' | b'\r' | b'\t'))
            .count();
        if length >= PRINTABLE
            && let Ok(text) = std::str::from_utf8(&bytes[at..at + length])
        {
            out.push((at, text));
        }
        at += length.max(1);
    }
    out
}

/// Lines with `%XX`, `\xXX`, `\uXXXX`, `\u{…}` or `&#…;`, looked at with these written out.
fn escapes(text: &str, out: &mut Vec<Secret>) {
    if !text.contains(['%', '\\', '&']) {
        return;
    }
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        if line.contains(['%', '\\', '&']) {
            escaped_line(line, offset, out);
        }
        offset += line.len();
    }
}

fn escaped_line(line: &str, offset: usize, out: &mut Vec<Secret>) {
    let mut written = String::with_capacity(line.len());
    // For each byte of `written`, where its character begins in the line; one more for the end.
    let mut origin = Vec::with_capacity(line.len() + 1);
    let mut was_escape = Vec::with_capacity(line.len());
    let mut any = false;
    let mut at = 0;
    while let Some(first) = line[at..].chars().next() {
        let (c, length, escape) = match unescape(&line[at..]) {
            Some((c, length)) => (c, length, true),
            None => (first, first.len_utf8(), false),
        };
        any |= escape;
        written.push(c);
        for _ in 0..c.len_utf8() {
            origin.push(at);
            was_escape.push(escape);
        }
        at += length;
    }
    if !any {
        return;
    }
    origin.push(at);
    for secret in plain(&written) {
        // What is in plain sight was found already.
        if was_escape[secret.range.clone()].iter().any(|e| *e) {
            out.push(Secret {
                range: offset + origin[secret.range.start]..offset + origin[secret.range.end],
                ..secret
            });
        }
    }
}

/// The printable ASCII character that an escape at the beginning of `text` stands for, and the escape's length.
fn unescape(text: &str) -> Option<(char, usize)> {
    let bytes = text.as_bytes();
    let (digits, radix, length) = match bytes.first()? {
        b'%' => (text.get(1..3)?, 16, 3),
        b'\\' => match bytes.get(1)? {
            b'x' => (text.get(2..4)?, 16, 4),
            b'u' if bytes.get(2) == Some(&b'{') => {
                let end = bytes.iter().take(12).position(|b| *b == b'}')?;
                (text.get(3..end)?, 16, end + 1)
            }
            b'u' => (text.get(2..6)?, 16, 6),
            b'0'..=b'3' => (text.get(1..4)?, 8, 4),
            _ => return None,
        },
        b'&' if bytes.get(1) == Some(&b'#') => {
            let end = bytes.iter().take(10).position(|b| *b == b';')?;
            match bytes.get(2) {
                Some(b'x' | b'X') => (text.get(3..end)?, 16, end + 1),
                _ => (text.get(2..end)?, 10, end + 1),
            }
        }
        _ => return None,
    };
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    let code = u32::from_str_radix(digits, radix).ok()?;
    char::from_u32(code)
        .filter(|c| c.is_ascii_graphic() || *c == ' ')
        .map(|c| (c, length))
}
