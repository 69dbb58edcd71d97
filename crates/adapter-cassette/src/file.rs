//! A tape that is being recorded: a file to which whole lines are appended.

use crate::error::TapeError;
use crate::line::{Line, encode};
use crate::tape::{self, Contents};
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Records to a file. A file that is a tape already is appended to; several processes may record to one file, line by line
/// under a lock. What is recorded in a row by several processes is what one process would have recorded.
pub struct Recorder {
    state: Mutex<State>,
}

struct State {
    path: PathBuf,
    file: File,
    /// Bytes that were read or written so far.
    length: u64,
    /// Of the tape only its end matters here.
    contents: Contents,
    failure: Option<TapeError>,
}

impl Recorder {
    /// Opens a tape, or begins one. A file that is something else, or a damaged tape, is an error and left as it is.
    pub fn open(path: &Path) -> Result<Recorder, TapeError> {
        let failed = |what| {
            move |source| TapeError::Io {
                what,
                path: path.to_owned(),
                source,
            }
        };
        tape::regular(path).map_err(failed("open"))?;
        let file = OpenOptions::new()
            .read(true)
            .append(true)
            .create(true)
            .open(path)
            .map_err(failed("open"))?;
        let mut state = State {
            path: path.to_owned(),
            file,
            length: 0,
            contents: Contents::default(),
            failure: None,
        };
        state.append(&[])?;
        Ok(Recorder {
            state: Mutex::new(state),
        })
    }

    /// The first failure to keep an answer, once. Nothing was recorded after it.
    pub fn failure(&self) -> Option<TapeError> {
        self.state().failure.take()
    }

    /// Appends the lines that `make` gives for where the tape stands.
    pub(crate) fn append(&self, make: impl FnOnce(&Contents) -> Vec<Line>) {
        let mut state = self.state();
        if state.failure.is_some() {
            return;
        }
        let done = state.locked(|state| {
            let lines = make(&state.contents);
            state.write(&lines)
        });
        state.failure = done.err();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn append(&mut self, lines: &[Line]) -> Result<(), TapeError> {
        self.locked(|state| state.write(lines))
    }

    /// Works while no other process writes, from where the tape stands now.
    fn locked(&mut self, work: impl FnOnce(&mut Self) -> Result<(), TapeError>) -> Result<(), TapeError> {
        self.file.lock().map_err(|e| self.io("lock", e))?;
        let done = self.catch_up().and_then(|()| work(self));
        let unlocked = self.file.unlock().map_err(|e| self.io("unlock", e));
        done.and(unlocked)
    }

    /// Reads what other processes appended.
    fn catch_up(&mut self) -> Result<(), TapeError> {
        self.file
            .seek(SeekFrom::Start(self.length))
            .map_err(|e| self.io("read", e))?;
        let mut bytes = Vec::new();
        self.file.read_to_end(&mut bytes).map_err(|e| self.io("read", e))?;
        if self.length == 0 {
            if bytes.is_empty() {
                return self.write(&[Line::heading()]);
            }
            self.contents = tape::read(&bytes, &self.path)?;
        } else {
            tape::read_on(&mut self.contents, &bytes, &self.path)?;
        }
        self.length += bytes.len() as u64;
        self.forget();
        Ok(())
    }

    /// Writes lines in one piece, or leaves the file as it was.
    fn write(&mut self, lines: &[Line]) -> Result<(), TapeError> {
        let (mut text, mut sum) = (String::new(), self.contents.end.sum.clone());
        for line in lines {
            let (encoded, after) = encode(line, &sum).map_err(|e| self.io("write", e.into()))?;
            text.push_str(&encoded);
            text.push('\n');
            sum = after;
        }
        if text.is_empty() {
            return Ok(());
        }
        // What cannot be read again (nested too deeply, say) does not get onto the tape.
        let mut contents = self.contents.clone();
        tape::read_on(&mut contents, text.as_bytes(), &self.path)?;
        let written = self.file.write_all(text.as_bytes()).and_then(|()| self.file.flush());
        if let Err(e) = written {
            // Half a line would spoil the tape; if it cannot be taken back either, the next reader says so.
            let _ = self.file.set_len(self.length);
            return Err(self.io("write", e));
        }
        self.contents = contents;
        self.length += text.len() as u64;
        self.forget();
        Ok(())
    }

    /// A recorder needs to know where the tape stands, not what is on it.
    fn forget(&mut self) {
        self.contents.calls.clear();
        self.contents.searches.clear();
    }

    fn io(&self, what: &'static str, source: std::io::Error) -> TapeError {
        TapeError::Io {
            what,
            path: self.path.clone(),
            source,
        }
    }
}
