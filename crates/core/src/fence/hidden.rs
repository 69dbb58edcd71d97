//! Characters that no reader sees, or that turn the order in which text is seen.

/// Whether a character hides or reorders text: bidirectional controls, zero-width spaces, tag characters, variation
/// selectors beyond those of emoji, and other format characters without a shape. The joiners that Persian, Indic scripts and emoji need do
/// not count.
pub fn is_hidden(c: char) -> bool {
    matches!(c as u32,
        0x202a..=0x202e | 0x2066..=0x2069            // bidirectional embeddings, overrides, isolates
        | 0x200b | 0x2060..=0x2064 | 0x180e          // zero-width space, word joiner, invisible operators
        | 0xfeff                                     // a byte-order mark inside a text
        | 0x115f | 0x1160 | 0x3164 | 0xffa0          // fillers that are letters without a shape
        | 0xe0000..=0xe007f                          // tag characters: a whole hidden alphabet
        | 0xe0100..=0xe01ef                          // variation selectors that can carry bytes
    )
}

/// Writes hidden characters as `\u{…}`.
pub fn escape_hidden(text: &str) -> std::borrow::Cow<'_, str> {
    if text.is_ascii() || !text.chars().any(is_hidden) {
        return text.into();
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_hidden(c) {
            out.push_str(&format!("\\u{{{:x}}}", c as u32));
        } else {
            out.push(c);
        }
    }
    out.into()
}

/// Number of hidden characters of a text; a byte-order mark at its beginning is none. The variation selector that
/// follows an ideograph and a joiner inside a word are writing, not hiding.
pub(super) fn count(text: &str) -> u64 {
    if text.is_ascii() {
        return 0;
    }
    let mut before = '\n';
    let mut n = 0;
    for c in text.chars() {
        let mark_at_start = c == '\u{feff}' && before == '\n';
        let ideographic = matches!(c as u32, 0xe0100..=0xe01ef)
            && matches!(before as u32, 0x2e80..=0x9fff | 0xf900..=0xfaff | 0x20000..=0x3ffff);
        if is_hidden(c) && !mark_at_start && !ideographic {
            n += 1;
        }
        before = c;
    }
    n
}
