//! From a file's bytes to its text.

/// Decodes a file: UTF-16 by its mark, else UTF-8, lossily where it is none. `None` when it holds a NUL character, which
/// text does not. A byte order mark is not part of the text.
pub fn decode(mut bytes: Vec<u8>) -> Option<String> {
    if is_utf16(&bytes) {
        let encoding = match bytes[0] {
            0xff => encoding_rs::UTF_16LE,
            _ => encoding_rs::UTF_16BE,
        };
        let (text, _) = encoding.decode_with_bom_removal(&bytes);
        return (!text.contains('\0')).then(|| text.into_owned());
    }
    if memchr::memchr(0, &bytes).is_some() {
        return None;
    }
    if bytes.starts_with(b"\xef\xbb\xbf") {
        bytes.drain(..3);
    }
    Some(match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
    })
}

/// Whether the bytes begin with a UTF-16 mark.
pub fn is_utf16(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_become_text() {
        for (bytes, text) in [
            (b"".as_slice(), Some("")),
            (b"plain\r\n", Some("plain\r\n")),
            ("é".as_bytes(), Some("é")),
            (b"\xef\xbb\xbfmarked", Some("marked")),
            (b"caf\xe9", Some("caf\u{fffd}")),
            (b"\xff\xfea\0\n\0", Some("a\n")),
            (b"\xfe\xff\0a\0\n", Some("a\n")),
            (b"\xff\xfe\x3d\xd8\x00\xde", Some("😀")),
            (b"\xff\xfea", Some("\u{fffd}")),
            (b"\xff\xfe\0\0a\0\0\0", None),
            (b"a\0b", None),
        ] {
            assert_eq!(decode(bytes.to_vec()).as_deref(), text, "{bytes:?}");
        }
    }
}
