//! Cutting long lines, on a character and not inside a word: half a token is neither of use nor recognised by the
//! redaction that comes after.

/// Longest line that is given whole, in characters.
pub(crate) const LINE_CHARS: usize = 400;

/// What stands for what was cut away.
pub(crate) const MARK: char = '…';

/// A line's text around a match that begins at a byte.
pub(crate) fn line(text: &str, start: usize) -> String {
    if text.len() <= LINE_CHARS || text.chars().count() <= LINE_CHARS {
        return text.to_owned();
    }
    // A third of the room before the match, the rest behind it; what one side does not need the other has.
    let before = text[..start].chars().count();
    let behind = text[start..].chars().count();
    let room = LINE_CHARS - 2;
    let lead = (room / 3).max(room.saturating_sub(behind)).min(before);
    let from = back(text, start, lead);
    let to = word_end_before(text, forward(text, from, room), start);
    let from = word_start_after(text, from, start);
    let mut out = String::with_capacity(to - from + 2 * MARK.len_utf8());
    if from > 0 {
        out.push(MARK);
    }
    out.push_str(&text[from..to]);
    if to < text.len() {
        out.push(MARK);
    }
    out
}

/// The beginning of a text, at most `chars` characters and the mark.
pub(crate) fn beginning(text: &str, chars: usize) -> String {
    let to = forward(text, 0, chars);
    if to == text.len() {
        return text.to_owned();
    }
    let to = forward(text, 0, chars.saturating_sub(1));
    let mut out = text[..word_end_before(text, to, 0)].to_owned();
    out.push(MARK);
    out
}

fn back(text: &str, from: usize, chars: usize) -> usize {
    match chars {
        0 => from,
        n => text[..from].char_indices().rev().nth(n - 1).map_or(0, |(at, _)| at),
    }
}

fn forward(text: &str, from: usize, chars: usize) -> usize {
    text[from..]
        .char_indices()
        .nth(chars)
        .map_or(text.len(), |(at, _)| from + at)
}

fn ends_a_word(c: char) -> bool {
    c.is_whitespace() || matches!(c, ';' | ',' | '(' | ')' | '{' | '}' | '[' | ']' | '<' | '>')
}

/// The first place at or behind `from`, up to `most`, where a word begins; `most` when there is none.
fn word_start_after(text: &str, from: usize, most: usize) -> usize {
    if text[..from].chars().next_back().is_none_or(ends_a_word) {
        return from;
    }
    text[from..most]
        .char_indices()
        .find(|(_, c)| ends_a_word(*c))
        .map_or(most, |(at, c)| from + at + c.len_utf8())
}

/// The last place at or before `to`, behind `least`, where a word has ended; `to` when there is none.
fn word_end_before(text: &str, to: usize, least: usize) -> usize {
    if text[to..].chars().next().is_none_or(ends_a_word) {
        return to;
    }
    text[least..to]
        .char_indices()
        .rev()
        .find(|(_, c)| ends_a_word(*c))
        .map_or(to, |(at, c)| least + at + c.len_utf8())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_is_cut_around_its_match() {
        let filler = "word ".repeat(200);
        let text = format!("{filler}NEEDLE {filler}");
        let at = text.find("NEEDLE").unwrap();
        let cut = line(&text, at);
        assert!(cut.chars().count() <= LINE_CHARS, "{}", cut.chars().count());
        assert!(cut.contains(" NEEDLE "), "{cut}");
        assert!(cut.starts_with("…word ") && cut.ends_with("word…"), "{cut}");

        let cut = line(&text, 0);
        assert!(cut.starts_with("word ") && cut.ends_with('…') && cut.chars().count() > LINE_CHARS - 10);
        let cut = line(&text, text.len() - 5);
        assert!(cut.starts_with('…') && cut.ends_with("word ") && cut.chars().count() > LINE_CHARS - 10);
        assert_eq!(line("short", 0), "short");
    }

    #[test]
    fn cuts_fall_on_characters() {
        for text in [
            "ä".repeat(1000),
            "😀,".repeat(600),
            format!("{}é{}", "x".repeat(777), "é,".repeat(500)),
        ] {
            for (at, c) in text.char_indices().step_by(37) {
                let cut = line(&text, at);
                assert!(cut.chars().count() <= LINE_CHARS, "{at}");
                assert!(cut.contains(c), "{at} {cut}");
            }
            assert!(beginning(&text, 100).chars().count() <= 100);
        }
    }

    #[test]
    fn a_token_at_the_edge_is_left_out_whole() {
        let token = format!("ghp_{}", "a1".repeat(18));
        for pad in 90..140 {
            let text = format!(
                "{} key={token} {} NEEDLE {} {token} {}",
                "x ".repeat(300),
                "y ".repeat(pad),
                "z ".repeat(pad),
                "x ".repeat(300)
            );
            let at = text.find("NEEDLE").unwrap();
            let cut = line(&text, at);
            assert!(cut.contains("NEEDLE"));
            for part in cut
                .split(' ')
                .map(|p| p.trim_matches(MARK))
                .filter(|p| p.contains("a1"))
            {
                assert!(part.ends_with(&token), "{pad}: {cut}");
            }
        }
    }
}
