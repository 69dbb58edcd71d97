//! Pure functions from what CodeGraph prints to data. What cannot be read is an error, never an empty answer.

pub mod explore;
pub mod outline;
pub mod relations;
pub mod status;
pub mod symbols;

/// Why an output cannot be read, in a few words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable(pub String);

/// Reads JSON, or says where it stopped being that.
fn json<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, Unreadable> {
    serde_json::from_str(text).map_err(|e| Unreadable(format!("it is not the JSON that was asked for ({e})")))
}

/// `name (path:line)`, as every list of the tool's text has it. A name holds no blank; a path may hold brackets.
fn located(text: &str) -> Option<(&str, &str, u32)> {
    let (head, tail) = text.split_once(" (")?;
    let (path, line) = tail.strip_suffix(')')?.rsplit_once(':')?;
    let line = line.parse().ok().filter(|line| *line > 0)?;
    (!head.is_empty() && !path.is_empty()).then_some((head, path, line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places() {
        let check = |text: &str, expected| assert_eq!(located(text), expected, "{text}");
        check("a.b (src/x.py:12)", Some(("a.b", "src/x.py", 12)));
        check("a (b (c (d.py:1)", Some(("a", "b (c (d.py", 1)));
        check("a (src/x.py:0)", None);
        check("a (src/x.py)", None);
        check("a src/x.py:1", None);
        check(" (x:1)", None);
        check("a (x:99999999999)", None);
    }
}
