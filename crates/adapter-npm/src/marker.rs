//! The sign that an installation is complete: a file in its prefix, written last before it is renamed into place.

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::Path;
use understory_ports::Pin;

/// Its name.
pub const NAME: &str = ".complete";

const SCHEMA: u32 = 1;

/// What was installed, and the size of each of its main files. All of it would take seconds to hash; a file that is
/// missing or cut is what a broken disk and a half-done removal leave.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Marker {
    schema: u32,
    tool: String,
    version: String,
    manifest: String,
    lock: String,
    files: Vec<(String, u64)>,
}

impl Marker {
    /// The marker of a pin installed at `prefix`, with the sizes of `files`, paths below the prefix.
    pub fn of(pin: &Pin, prefix: &Path, files: &[String]) -> io::Result<Self> {
        let sizes = files
            .iter()
            .map(|file| Ok((file.clone(), fs::metadata(prefix.join(file))?.len())))
            .collect::<io::Result<Vec<_>>>()?;
        Ok(Marker {
            schema: SCHEMA,
            tool: pin.tool.clone().into_owned(),
            version: pin.version.clone().into_owned(),
            manifest: digest(&pin.manifest),
            lock: digest(pin.lock.as_deref().unwrap_or_default()),
            files: sizes,
        })
    }

    /// Writes it so that it is on disk when this returns.
    pub fn write(&self, prefix: &Path) -> io::Result<()> {
        let mut file = File::create(prefix.join(NAME))?;
        file.write_all(&serde_json::to_vec_pretty(self).map_err(io::Error::other)?)?;
        file.sync_all()
    }

    /// Whether a complete installation of exactly this pin is at `prefix`.
    pub fn is_at(pin: &Pin, prefix: &Path) -> bool {
        let Ok(bytes) = fs::read(prefix.join(NAME)) else {
            return false;
        };
        let Ok(marker) = serde_json::from_slice::<Marker>(&bytes) else {
            return false;
        };
        let names: Vec<String> = marker.files.iter().map(|(file, _)| file.clone()).collect();
        !names.is_empty() && Marker::of(pin, prefix, &names).is_ok_and(|now| now == marker)
    }
}

fn digest(text: &str) -> String {
    hex::encode(Sha256::digest(text.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use understory_ports::testing::sample_pin;

    #[test]
    fn only_a_whole_installation_of_the_same_pin_counts() {
        let prefix = tempfile::tempdir().unwrap();
        let prefix = prefix.path();
        fs::write(prefix.join("a"), "aaa").unwrap();
        assert!(!Marker::is_at(&sample_pin(), prefix));
        Marker::of(&sample_pin(), prefix, &["a".into()])
            .unwrap()
            .write(prefix)
            .unwrap();
        assert!(Marker::is_at(&sample_pin(), prefix));
        let changes: [fn(&mut Pin); 4] = [
            |p| p.version = "1.0.1".into(),
            |p| p.tool = "other".into(),
            |p| p.lock = Some("{ }".into()),
            |p| p.manifest = "{ }".into(),
        ];
        for change in changes {
            let mut other = sample_pin();
            change(&mut other);
            assert!(!Marker::is_at(&other, prefix), "{other:?}");
        }
        fs::write(prefix.join("a"), "aa").unwrap();
        assert!(!Marker::is_at(&sample_pin(), prefix), "a cut file");
        fs::remove_file(prefix.join("a")).unwrap();
        assert!(!Marker::is_at(&sample_pin(), prefix), "a missing file");
        for garbage in [
            &b""[..],
            b"{",
            b"{}",
            b"\xff",
            br#"{"schema":1,"tool":"tool","version":"1.0.0","manifest":"","lock":"","files":[]}"#,
        ] {
            fs::write(prefix.join(NAME), garbage).unwrap();
            assert!(!Marker::is_at(&sample_pin(), prefix));
        }
    }

    #[test]
    fn a_missing_file_cannot_be_marked() {
        let prefix = tempfile::tempdir().unwrap();
        assert!(Marker::of(&sample_pin(), prefix.path(), &["nothing".into()]).is_err());
    }
}
