//! Where Graft is: the program that was named, or the provisioned installation. The search path is not looked at: other
//! programs are called `graft` too.

use serde_json::Value;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use understory_cli_backend::search_path;
use understory_ports::Installed;

/// The package's name.
const PACKAGE: &str = "@nanonets/graft";

/// What runs the program's file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Runner {
    /// Node.js, if it was found.
    Node(Option<PathBuf>),
    /// The operating system.
    Itself,
}

/// How Graft is started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// Its script, or its executable.
    pub file: PathBuf,
    /// What runs it.
    pub runner: Runner,
    /// Arguments before any of the command's own.
    pub first: Vec<OsString>,
    /// What it reads of its own.
    pub read: Vec<PathBuf>,
    /// Its version where that is known without asking.
    pub version: Option<String>,
}

impl Program {
    /// Finds Graft: the program that was named, else the provisioned installation.
    pub fn discover(
        named: Option<&Path>,
        installed: Option<&Installed>,
        search: &OsStr,
        windows: bool,
    ) -> Option<Program> {
        if let Some(named) = named {
            return Program::of_file(named, search, windows);
        }
        let installed = installed?;
        let package = installed.file(&format!("node_modules/{PACKAGE}"));
        let manifest = manifest(&package)?;
        let script = script(&manifest)?;
        Some(Program {
            version: Some(installed.version().to_owned()),
            read: vec![installed.prefix().to_owned()],
            ..Program::of_file(&package.join(script), search, windows)?
        })
    }

    fn of_file(file: &Path, search: &OsStr, windows: bool) -> Option<Program> {
        let file = file.canonicalize().ok().filter(|file| file.is_file())?;
        let runner = match is_script(&file) {
            true => Runner::Node(search_path::find("node", search, windows)),
            false => Runner::Itself,
        };
        let package = file
            .ancestors()
            .skip(1)
            .find(|above| above.join("package.json").is_file());
        let version = package.and_then(manifest).and_then(|manifest| {
            let is_graft = manifest.get("name").and_then(Value::as_str) == Some(PACKAGE);
            is_graft.then(|| manifest.get("version")?.as_str().map(str::to_owned))?
        });
        // What it depends on lies in its package or beside it, in the outermost directory of packages.
        let packages = file.ancestors().filter(|above| above.ends_with("node_modules")).last();
        let read = packages.or(package).or(file.parent()).map(Path::to_owned);
        Some(Program {
            file,
            runner,
            first: Vec::new(),
            read: read.into_iter().collect(),
            version,
        })
    }
}

fn manifest(package: &Path) -> Option<Value> {
    serde_json::from_str(&fs::read_to_string(package.join("package.json")).ok()?).ok()
}

/// The script of a package, inside it.
fn script(manifest: &Value) -> Option<&str> {
    let bin = manifest.get("bin")?;
    let script = bin.as_str().or_else(|| bin.get("graft")?.as_str())?;
    let inside = Path::new(script)
        .components()
        .all(|part| matches!(part, std::path::Component::Normal(_) | std::path::Component::CurDir));
    inside.then_some(script)
}

/// Whether Node.js runs a file: by its ending, or by what its first line names.
fn is_script(file: &Path) -> bool {
    if file.extension().is_some_and(|e| e == "js" || e == "mjs" || e == "cjs") {
        return true;
    }
    let mut head = [0; 128];
    let read = fs::File::open(file)
        .and_then(|mut file| file.read(&mut head))
        .unwrap_or(0);
    let line = head[..read].split(|&b| b == b'\n').next().unwrap_or_default();
    line.starts_with(b"#!") && line.windows(4).any(|word| word == b"node")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(root: &Path, files: &[(&str, &str)]) {
        for (file, text) in files {
            let file = root.join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
    }

    #[test]
    fn a_named_program_is_taken_with_its_package() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        put(
            &root,
            &[
                ("bin/node", ""),
                ("g/package.json", r#"{"name":"@nanonets/graft","version":"0.7.1"}"#),
                ("g/dist/cli.js", "#!/usr/bin/env node\n"),
                (
                    "lib/node_modules/@nanonets/graft/package.json",
                    r#"{"name":"@nanonets/graft","version":"9"}"#,
                ),
                ("lib/node_modules/@nanonets/graft/dist/cli", "#!/usr/bin/env node\n"),
                ("own/graft", "#!/bin/sh\n"),
            ],
        );
        let check = |file: &str, script: bool, read: &str, version: Option<&str>| {
            let found = Program::discover(Some(&root.join(file)), None, root.join("bin").as_os_str(), false).unwrap();
            let runner = match script {
                true => Runner::Node(Some(root.join("bin/node"))),
                false => Runner::Itself,
            };
            assert_eq!((&found.runner, found.version.as_deref()), (&runner, version), "{file}");
            assert_eq!(found.read, [root.join(read)], "{file}");
        };
        check("g/dist/cli.js", true, "g", Some("0.7.1"));
        check(
            "lib/node_modules/@nanonets/graft/dist/cli",
            true,
            "lib/node_modules",
            Some("9"),
        );
        check("own/graft", false, "own", None);
        assert_eq!(
            Program::discover(Some(&root.join("gone")), None, OsStr::new(""), false),
            None
        );
        assert_eq!(
            Program::discover(None, None, root.join("bin").as_os_str(), false),
            None,
            "never by the search path"
        );
    }

    #[test]
    fn a_script_outside_its_package_is_none() {
        let check = |bin: &str, expected: Option<&str>| {
            let manifest = serde_json::from_str(&format!(r#"{{"bin":{bin}}}"#)).unwrap();
            assert_eq!(script(&manifest), expected);
        };
        check(r#""dist/cli.js""#, Some("dist/cli.js"));
        check(r#"{"graft":"./x.js"}"#, Some("./x.js"));
        check(r#"{"other":"x.js"}"#, None);
        check(r#""../x.js""#, None);
        check(r#""/bin/sh""#, None);
    }
}
