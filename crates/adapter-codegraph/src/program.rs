//! Where CodeGraph is: the provisioned bundle, a program that was named, or the search path.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use understory_cli_backend::search_path;
use understory_ports::Installed;

/// The operating system and processor as CodeGraph's packages name them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct System {
    /// `linux-x64`, `darwin-arm64`, `win32-x64`, …
    pub platform: String,
    /// Whether programs are found by the endings of Windows.
    pub windows: bool,
}

impl System {
    /// The one that this program was built for.
    pub fn host() -> Self {
        let os = if cfg!(windows) {
            "win32"
        } else if cfg!(target_os = "macos") {
            "darwin"
        } else {
            "linux"
        };
        let processor = if cfg!(target_arch = "aarch64") { "arm64" } else { "x64" };
        System {
            platform: format!("{os}-{processor}"),
            windows: cfg!(windows),
        }
    }
}

/// How CodeGraph is started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The file that is executed.
    pub file: PathBuf,
    /// Arguments before any of the command's own.
    pub first: Vec<OsString>,
    /// What it reads of its own.
    pub read: Vec<PathBuf>,
    /// What it executes of its own.
    pub execute: Vec<PathBuf>,
    /// Its version where that is known without asking.
    pub version: Option<String>,
}

/// Without the first the runtime runs out of a fixed memory zone; without the second it warns on standard error.
const RUNTIME_FLAGS: [&str; 2] = ["--liftoff-only", "--disable-warning=ExperimentalWarning"];

impl Program {
    /// Finds CodeGraph: the program that was named, else the provisioned installation, else the search path. A launcher of
    /// an npm installation is passed over for the bundle that it launches: ending the launcher does not end the work.
    pub fn discover(
        named: Option<&Path>,
        installed: Option<&Installed>,
        search: &OsStr,
        system: &System,
    ) -> Option<Program> {
        if let Some(named) = named {
            return named.is_file().then(|| Program::of_file(named, system));
        }
        if let Some(installed) = installed {
            let root = installed.file(&format!("node_modules/@colbymchenry/codegraph-{}", system.platform));
            let version = Some(installed.version().to_owned());
            return Program::bundle(&root, system).map(|program| Program { version, ..program });
        }
        Program::on_path("codegraph", search, system).map(|file| Program::of_file(&file, system))
    }

    /// A program by its name on the search path.
    pub fn on_path(name: &str, search: &OsStr, system: &System) -> Option<PathBuf> {
        search_path::find(name, search, system.windows)
    }

    /// The bundle with its own runtime that lies in a directory. The runtime is run, and not the bundle's script: that runs
    /// other programs, which the sandbox would have to allow, to find out where it is.
    fn bundle(root: &Path, system: &System) -> Option<Program> {
        let runtime = root.join(if system.windows { "node.exe" } else { "node" });
        let script = root.join("lib/dist/bin/codegraph.js");
        (runtime.is_file() && script.is_file()).then(|| Program {
            file: runtime,
            first: RUNTIME_FLAGS
                .iter()
                .map(OsString::from)
                .chain([script.into()])
                .collect(),
            read: vec![root.to_owned()],
            execute: Vec::new(),
            version: None,
        })
    }

    fn of_file(file: &Path, system: &System) -> Program {
        let real = file.canonicalize().unwrap_or_else(|_| file.to_owned());
        let platform = format!("@colbymchenry/codegraph-{}", system.platform);
        let mut roots = Vec::new();
        if let Some(above) = real.parent().and_then(Path::parent) {
            roots.push(above.to_owned());
        }
        // The launcher lies in its package, or (on Windows) beside the directory of packages.
        for above in real.ancestors().skip(1).take(4) {
            let package = above.join("node_modules/@colbymchenry/codegraph");
            roots.push(package.join("node_modules").join(&platform));
            roots.push(above.join("node_modules").join(&platform));
        }
        for above in real.ancestors().filter(|a| a.ends_with("@colbymchenry/codegraph")) {
            roots.push(above.join("node_modules").join(&platform));
            roots.extend(
                above
                    .parent()
                    .and_then(Path::parent)
                    .map(|packages| packages.join(&platform)),
            );
        }
        if let Some(bundle) = roots.iter().find_map(|root| Program::bundle(root, system)) {
            return bundle;
        }
        Program {
            read: real.parent().map(Path::to_owned).into_iter().collect(),
            file: real,
            first: Vec::new(),
            execute: Vec::new(),
            version: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn system(windows: bool) -> System {
        System {
            platform: if windows { "win32-x64" } else { "linux-x64" }.to_owned(),
            windows,
        }
    }

    fn put(root: &Path, files: &[&str]) {
        for file in files {
            let file = root.join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, "").unwrap();
        }
    }

    #[test]
    fn on_the_search_path_windows_endings_come_in_order_and_the_bare_script_never() {
        let check = |windows: bool, there: &[&str], expected: Option<&str>| {
            let dir = tempfile::tempdir().unwrap();
            let root = dir.path().canonicalize().unwrap();
            put(&root, there);
            let found = Program::discover(None, None, root.as_os_str(), &system(windows));
            let found = found.map(|p| p.file.strip_prefix(&root).unwrap().to_str().unwrap().to_owned());
            assert_eq!(found.as_deref(), expected, "{there:?}");
        };
        check(false, &["codegraph", "codegraph.cmd"], Some("codegraph"));
        check(false, &["codegraph.cmd"], None);
        check(
            true,
            &["codegraph", "codegraph.cmd", "codegraph.exe"],
            Some("codegraph.exe"),
        );
        check(true, &["codegraph", "codegraph.cmd"], Some("codegraph.cmd"));
        check(true, &["codegraph"], None);
        // Beside a launcher lies what it launches.
        let bundle = "node_modules/@colbymchenry/codegraph-win32-x64";
        let (runtime, script) = (
            format!("{bundle}/node.exe"),
            format!("{bundle}/lib/dist/bin/codegraph.js"),
        );
        check(true, &["codegraph.cmd", &runtime, &script], Some(&runtime));
    }

    #[test]
    fn a_relative_directory_of_the_search_path_is_passed_over() {
        assert_eq!(Program::discover(None, None, OsStr::new("src:."), &system(false)), None);
    }

    #[cfg(unix)]
    #[test]
    fn a_launcher_leads_to_its_bundle() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        let bundle = "lib/node_modules/@colbymchenry/codegraph-linux-x64";
        put(
            &root,
            &[
                "lib/node_modules/@colbymchenry/codegraph/npm-shim.js",
                &format!("{bundle}/lib/dist/bin/codegraph.js"),
                &format!("{bundle}/node"),
                "bin/other",
            ],
        );
        std::os::unix::fs::symlink(
            "../lib/node_modules/@colbymchenry/codegraph/npm-shim.js",
            root.join("bin/codegraph"),
        )
        .unwrap();
        let found = Program::discover(None, None, root.join("bin").as_os_str(), &system(false)).unwrap();
        assert_eq!(found.file, root.join(bundle).join("node"));
        assert_eq!(found.first[2], *root.join(bundle).join("lib/dist/bin/codegraph.js"));
        // A program of another kind is taken as it is, and the one that was named before all others.
        let named = Program::discover(
            Some(&root.join("bin/other")),
            None,
            root.join("bin").as_os_str(),
            &system(false),
        );
        assert_eq!(named.unwrap().file, root.join("bin/other"));
        assert_eq!(
            Program::discover(Some(&root.join("gone")), None, OsStr::new(""), &system(false)),
            None
        );
    }
}
