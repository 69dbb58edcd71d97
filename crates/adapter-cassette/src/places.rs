//! How far a series of processes has replayed a tape, kept beside it.

use crate::error::TapeError;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use understory_core::fingerprint::ContentHash;

/// The file beside a tape. Written only for calls with several answers.
pub(crate) struct Places {
    path: PathBuf,
    tape: String,
}

#[derive(Default, Serialize, Deserialize)]
struct Stand {
    /// The sum of the tape's last line: another tape begins anew.
    tape: String,
    /// How often each call was asked, by the hash of its key.
    asked: BTreeMap<String, usize>,
}

impl Places {
    pub(crate) fn beside(tape: &Path, sum: &str) -> Self {
        let mut name = tape.as_os_str().to_owned();
        name.push(".places");
        Places {
            path: name.into(),
            tape: sum.to_owned(),
        }
    }

    /// How often a call was asked before; it is asked once more from now on.
    pub(crate) fn next(&self, key: &str) -> Result<usize, TapeError> {
        self.count(key).map_err(|source| TapeError::Io {
            what: "keep the place in",
            path: self.path.clone(),
            source,
        })
    }

    fn count(&self, key: &str) -> std::io::Result<usize> {
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&self.path)?;
        file.lock()?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        // A file that cannot be read is of another tape, or half written: the replay begins anew.
        let mut stand: Stand = serde_json::from_slice(&bytes).unwrap_or_default();
        if stand.tape != self.tape {
            stand = Stand {
                tape: self.tape.clone(),
                asked: BTreeMap::new(),
            };
        }
        let count = stand
            .asked
            .entry(format!("{:?}", ContentHash::of(key.as_bytes())))
            .or_default();
        let before = *count;
        *count = count.saturating_add(1);
        let text = serde_json::to_string(&stand)?;
        file.set_len(0)?;
        file.seek(SeekFrom::Start(0))?;
        file.write_all(text.as_bytes())?;
        file.unlock()?;
        Ok(before)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stand_that_cannot_be_read_begins_anew() {
        let dir = tempfile::tempdir().unwrap();
        let places = Places::beside(&dir.path().join("run.tape"), "sum");
        let next = || places.next("key").unwrap();
        assert_eq!((next(), next()), (0, 1));
        for text in [&b"\xff\xfe"[..], b"", b"[1]", b"{\"tape\":\"another\",\"asked\":{}}"] {
            std::fs::write(dir.path().join("run.tape.places"), text).unwrap();
            assert_eq!((next(), next()), (0, 1), "{text:?}");
        }
    }

    #[test]
    fn a_count_ends_at_its_greatest() {
        let dir = tempfile::tempdir().unwrap();
        let places = Places::beside(&dir.path().join("run.tape"), "sum");
        places.next("key").unwrap();
        let file = dir.path().join("run.tape.places");
        let text = std::fs::read_to_string(&file).unwrap();
        std::fs::write(&file, text.replace(":1}", &format!(":{}}}", usize::MAX))).unwrap();
        assert_eq!(places.next("key").unwrap(), usize::MAX);
        assert_eq!(places.next("key").unwrap(), usize::MAX);
    }
}
