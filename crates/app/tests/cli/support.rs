//! A small repository in a temporary directory, and the command run over it in an empty environment.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

pub struct Bed {
    temp: tempfile::TempDir,
}

impl Bed {
    /// A plain folder with these files.
    pub fn new(files: &[(&str, &str)]) -> Bed {
        let bed = Bed {
            temp: tempfile::tempdir().unwrap(),
        };
        for dir in ["repo", "home", "cache"] {
            std::fs::create_dir(bed.path(dir)).unwrap();
        }
        for (path, text) in files {
            bed.write(path, text);
        }
        bed
    }

    pub fn write(&self, path: &str, text: &str) {
        let at = self.path("repo").join(path);
        std::fs::create_dir_all(at.parent().unwrap()).unwrap();
        std::fs::write(at, text).unwrap();
    }

    /// A path beside the repository.
    pub fn path(&self, name: &str) -> PathBuf {
        self.temp.path().join(name)
    }

    /// The command with nothing of the host's environment, in a directory of the repository.
    pub fn command(&self, cwd: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_understory"));
        command
            .args(arguments)
            .current_dir(self.path("repo").join(cwd))
            .env_clear()
            .env("HOME", self.path("home"))
            .env("XDG_CACHE_HOME", self.path("cache"))
            .stdin(Stdio::null());
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Output {
        self.command("", arguments).output().unwrap()
    }

    /// The command line, what it printed on both, and its code, with the temporary directory as `<temp>`.
    pub fn transcript(&self, cwd: &str, arguments: &[&str]) -> String {
        let output = self.command(cwd, arguments).output().unwrap();
        let temp = self.temp.path().canonicalize().unwrap();
        let mut text = format!(
            "$ understory {}\n{}",
            arguments.join(" "),
            String::from_utf8_lossy(&output.stdout)
        );
        let stderr = String::from_utf8_lossy(&output.stderr);
        if !stderr.is_empty() {
            text.push_str("--- stderr\n");
            text.push_str(&stderr);
        }
        text.push_str(&format!("--- exit {}", output.status.code().unwrap()));
        let text = text.replace(temp.to_str().unwrap(), "<temp>");
        text.replace(self.temp.path().to_str().unwrap(), "<temp>")
    }

    /// The JSON that the command printed, which must be one object on one line.
    pub fn json(&self, arguments: &[&str]) -> serde_json::Value {
        let output = self.run(arguments);
        let stdout = String::from_utf8(output.stdout).unwrap();
        assert_eq!(stdout.matches('\n').count(), 1, "{stdout}");
        serde_json::from_str(&stdout).unwrap_or_else(|e| panic!("{e}: {stdout}"))
    }

    pub fn assert_home_untouched(&self) {
        assert_eq!(entries(&self.path("home")), Vec::<String>::new());
    }
}

pub fn entries(dir: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(dir)
        .unwrap()
        .map(|e| e.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

pub fn check(bed: &Bed, cwd: &str, arguments: &[&str], expected: &str) {
    let found = bed.transcript(cwd, arguments);
    assert_eq!(found, expected.trim_start_matches('\n'), "\n{found}\n");
}
