//! The home of Graft's processes in the cache: where they start, what they take for the user's directory, and the only
//! programs that they find.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// Directories below `graft` in the cache.
#[derive(Clone, Debug)]
pub struct Home {
    root: PathBuf,
    /// Names and files of the programs that may be found.
    programs: Vec<(&'static str, PathBuf)>,
}

impl Home {
    /// Of a cache. Touches nothing.
    pub fn of(cache: &Path, node: Option<&Path>, git: Option<&Path>) -> Home {
        let programs = [("node", node), ("git", git)];
        Home {
            root: cache.join("graft"),
            programs: programs
                .into_iter()
                .filter_map(|(name, file)| Some((name, file?.to_owned())))
                .collect(),
        }
    }

    /// What a process takes for its user's directory. It may write there.
    pub fn home(&self) -> PathBuf {
        self.root.join("home")
    }

    /// The working directory: empty, so that no `.env` is there to be read, and not writable.
    pub fn work(&self) -> PathBuf {
        self.root.join("work")
    }

    /// The search path: links to Node.js and git, and no npm.
    pub fn path(&self) -> PathBuf {
        self.root.join("bin")
    }

    /// Makes it ready for a process. The stamp of the last look for an update is written anew each time: where it is missing
    /// or a day old, Graft starts npm in the background.
    #[expect(
        clippy::disallowed_methods,
        reason = "Graft compares the stamp with the host's clock; no answer depends on it"
    )]
    pub fn freshen(&self, version: &str) -> io::Result<()> {
        let state = self.home().join(".graft");
        for dir in [&state, &self.work(), &self.path()] {
            fs::create_dir_all(dir)?;
        }
        for left in fs::read_dir(self.work())?.filter_map(Result::ok) {
            fs::remove_file(left.path())?;
        }
        for (name, file) in &self.programs {
            self.link(name, file)?;
        }
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default()
            .as_millis();
        let stamp = serde_json::json!({"latest": version, "checkedAt": now as u64}).to_string();
        let mut new = tempfile::NamedTempFile::new_in(&state)?;
        new.write_all(stamp.as_bytes())?;
        new.persist(state.join("update-check.json")).map_err(|e| e.error)?;
        Ok(())
    }

    #[cfg(unix)]
    fn link(&self, name: &str, file: &Path) -> io::Result<()> {
        let link = self.path().join(name);
        if fs::read_link(&link).is_ok_and(|to| to == file) {
            return Ok(());
        }
        // Beside and renamed: another process may be starting by it.
        let beside = tempfile::Builder::new().prefix("new-").tempdir_in(self.path())?;
        let new = beside.path().join(name);
        std::os::unix::fs::symlink(file, &new)?;
        fs::rename(new, link)
    }

    #[cfg(not(unix))]
    fn link(&self, name: &str, file: &Path) -> io::Result<()> {
        let script = format!("@\"{}\" %*\r\n", file.display());
        fs::write(self.path().join(format!("{name}.cmd")), script)
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a stamp is fresh by the host's clock")]
    fn a_stamp_is_fresh_and_only_node_and_git_are_found() {
        let cache = tempfile::tempdir().unwrap();
        let home = Home::of(
            cache.path(),
            Some(Path::new("/usr/bin/node")),
            Some(Path::new("/usr/bin/git")),
        );
        home.freshen("0.16.0").unwrap();
        fs::write(home.work().join(".env"), "GRAFT_DIR=/x").unwrap();
        fs::write(home.home().join(".graft/update-check.json"), "{}").unwrap();
        home.freshen("0.16.0").unwrap();
        assert!(
            fs::read_dir(home.work()).unwrap().next().is_none(),
            "nothing to be read at the start"
        );
        let stamp: serde_json::Value =
            serde_json::from_str(&fs::read_to_string(home.home().join(".graft/update-check.json")).unwrap()).unwrap();
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis() as u64;
        let age = now - stamp["checkedAt"].as_u64().unwrap();
        assert!(age < 3_600_000 && stamp["latest"] == "0.16.0", "{stamp}");
        let mut names: Vec<_> = fs::read_dir(home.path())
            .unwrap()
            .map(|e| e.unwrap().file_name())
            .collect();
        names.sort();
        assert_eq!(names, ["git", "node"]);
    }
}
