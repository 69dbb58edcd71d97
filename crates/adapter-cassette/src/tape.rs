//! A whole tape, read and checked.

use crate::error::TapeError;
use crate::line::{Backend, Call, FORMAT, Line, Search, Sum, decode};
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;
use understory_core::answer::SCHEMA;
use understory_ports::TapeHead;

/// What stands on a tape, in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Contents {
    pub(crate) heads: Vec<Arc<TapeHead>>,
    pub(crate) backends: Vec<Backend>,
    /// With the number of the head in `heads`.
    pub(crate) calls: Vec<(usize, Call)>,
    pub(crate) searches: Vec<Search>,
    /// Where the tape stands: what the next line is appended to.
    pub(crate) end: End,
}

/// The state that a line is appended to.
#[derive(Clone, Debug, Default)]
pub(crate) struct End {
    /// Lines so far.
    pub(crate) lines: usize,
    /// Calls and searches so far.
    pub(crate) n: u64,
    /// The sum of the last line.
    pub(crate) sum: Sum,
    /// What is in force.
    pub(crate) head: Option<Arc<TapeHead>>,
    pub(crate) backend: Option<Backend>,
}

/// That a tape is a file, if it is there: it is read to its end, which a pipe or a device may not have.
pub(crate) fn regular(path: &Path) -> std::io::Result<()> {
    match std::fs::metadata(path) {
        Ok(found) if !found.is_file() => Err(std::io::Error::other(
            "it is no regular file; name a file or a path at which there is none",
        )),
        _ => Ok(()),
    }
}

/// Reads a tape from its beginning.
pub(crate) fn read(bytes: &[u8], path: &Path) -> Result<Contents, TapeError> {
    let first = bytes.split(|b| *b == b'\n').next().unwrap_or_default();
    check_heading(first, path)?;
    let mut contents = Contents::default();
    read_on(&mut contents, bytes, path)?;
    Ok(contents)
}

/// Reads the lines that follow on what was read already.
pub(crate) fn read_on(contents: &mut Contents, bytes: &[u8], path: &Path) -> Result<(), TapeError> {
    let mut rest = bytes;
    while !rest.is_empty() {
        let number = contents.end.lines + 1;
        let Some(end) = rest.iter().position(|b| *b == b'\n') else {
            return Err(TapeError::CutOff {
                path: path.to_owned(),
                line: number,
            });
        };
        let damaged = |why: String| TapeError::Damaged {
            path: path.to_owned(),
            line: number,
            why,
        };
        let text = std::str::from_utf8(&rest[..end]).map_err(|_| damaged("it is not UTF-8".to_owned()))?;
        let (line, sum) = decode(text, &contents.end.sum).map_err(damaged)?;
        contents.take(line, number).map_err(damaged)?;
        contents.end.sum = sum;
        contents.end.lines = number;
        rest = &rest[end + 1..];
    }
    Ok(())
}

impl Contents {
    fn take(&mut self, line: Line, number: usize) -> Result<(), String> {
        match line {
            Line::Tape { .. } if number == 1 => {}
            Line::Tape { .. } => return Err("the heading of a tape stands in its middle".to_owned()),
            Line::Session(head) => {
                let head = Arc::new(head);
                self.heads.push(head.clone());
                self.end.head = Some(head);
            }
            Line::Backend(backend) => {
                self.backends.push(backend.clone());
                self.end.backend = Some(backend);
            }
            Line::Call(call) => {
                let head = self
                    .heads
                    .len()
                    .checked_sub(1)
                    .ok_or("a call stands before its session")?;
                self.count(call.n)?;
                self.calls.push((head, call));
            }
            Line::Search(search) => {
                if self.backends.is_empty() {
                    return Err("a search stands before its backend".to_owned());
                }
                self.count(search.n)?;
                self.searches.push(search);
            }
        }
        Ok(())
    }

    fn count(&mut self, n: u64) -> Result<(), String> {
        if n != self.end.n + 1 {
            return Err(format!("its number is {n} and not {}", self.end.n + 1));
        }
        self.end.n = n;
        Ok(())
    }
}

/// Tells a tape of another version from a file that is no tape, before anything else of it is believed.
fn check_heading(first: &[u8], path: &Path) -> Result<(), TapeError> {
    let not = || TapeError::NotATape { path: path.to_owned() };
    let value: Value = serde_json::from_slice(first).map_err(|_| not())?;
    if value["line"] != "tape" || value["format"].is_null() {
        return Err(not());
    }
    let version = |format: &Value, answers: &Value| format!("{format} (answers {answers})");
    if value["format"] != FORMAT || value["answers"] != SCHEMA {
        return Err(TapeError::Version {
            path: path.to_owned(),
            found: version(&value["format"], &value["answers"]),
            expected: version(&FORMAT.into(), &SCHEMA.into()),
        });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::line::encode;

    fn heading() -> String {
        encode(&Line::heading(), "").unwrap().0
    }

    #[test]
    fn what_is_no_whole_tape_is_told_apart() {
        let other = heading().replace("\"format\":1", "\"format\":9");
        let answers = heading().replace("\"answers\":1", "\"answers\":9");
        for (text, expected) in [
            (String::new(), "is not a tape"),
            ("print('hello')\n".to_owned(), "is not a tape"),
            ("{\"event\":\"opened\"}\n".to_owned(), "is not a tape"),
            ("[1]\n".to_owned(), "is not a tape"),
            (
                format!("{other}\n"),
                "has format 9 (answers 1); this version reads format 1",
            ),
            (
                format!("{answers}\n"),
                "has format 1 (answers 9); this version reads format 1",
            ),
            (heading(), "is cut off in line 1"),
            (format!("{}\n{{\"line\":\"call\"", heading()), "is cut off in line 2"),
            (format!("{}\n\n", heading()), "is damaged in line 2: it has no sum"),
            (
                format!("{0}\n{0}\n", heading()),
                "is damaged in line 2: its sum is another one",
            ),
        ] {
            let error = read(text.as_bytes(), Path::new("t")).unwrap_err().to_string();
            assert!(error.contains(expected), "{text:?}: {error}");
        }
        assert!(read(format!("{}\n", heading()).as_bytes(), Path::new("t")).is_ok());
        let error = read(&[heading().as_bytes(), b"\n\xff\n"].concat(), Path::new("t")).unwrap_err();
        assert!(error.to_string().contains("is damaged in line 2: it is not UTF-8"));
    }

    #[test]
    fn lines_stand_in_their_order() {
        let mut text = format!("{}\n", heading());
        let sum = encode(&Line::heading(), "").unwrap().1;
        let call = Line::Call(Call {
            n: 1,
            tool: "read_file".to_owned(),
            request: Value::Null,
            staged: None,
            tree: None,
            cut: None,
            fenced: None,
            answer: Value::Null,
        });
        text.push_str(&encode(&call, &sum).unwrap().0);
        text.push('\n');
        let error = read(text.as_bytes(), Path::new("t")).unwrap_err().to_string();
        assert!(error.contains("line 2: a call stands before its session"), "{error}");
    }
}
