//! Cargo packages: their roots, and which crates of the tree their code can name.

use super::paths::{is_under, join};
use std::collections::BTreeMap;

/// A package of Cargo.
#[derive(Debug, Default)]
pub struct Crate {
    /// Its directory.
    pub dir: Box<str>,
    /// The package's name as written.
    pub name: Box<str>,
    /// The library's name in code: the package's with `_` for `-`, or what `[lib] name` says.
    pub lib: Box<str>,
    /// The library's root file, as a path from the root of the tree.
    pub root: Box<str>,
    /// Root files of programs, tests, examples and benchmarks that the manifest names.
    pub targets: Vec<Box<str>>,
    /// Dependencies by their name in code.
    pub dependencies: BTreeMap<Box<str>, Dependency>,
}

/// A dependency as a manifest states it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dependency {
    /// The name of the package.
    pub package: Box<str>,
    /// Its directory, as a path from the root of the tree.
    pub dir: Option<Box<str>>,
    /// It is what the workspace states.
    pub workspace: bool,
}

/// What a workspace's manifest says for its members.
#[derive(Debug, Default)]
pub struct Workspace {
    /// Its directory.
    pub dir: Box<str>,
    /// Dependencies by name in code: those that members take over.
    pub dependencies: BTreeMap<Box<str>, Dependency>,
    /// Packages by name that are taken from the tree, wherever they are a dependency.
    pub patches: BTreeMap<Box<str>, Box<str>>,
}

/// Reads a `Cargo.toml`: the package, and the workspace.
pub fn cargo(dir: &str, text: &str) -> (Option<Crate>, Option<Workspace>) {
    let Ok(value) = text.parse::<toml::Table>() else {
        return (None, None);
    };
    (package(dir, &value), workspace(dir, &value))
}

fn package(dir: &str, value: &toml::Table) -> Option<Crate> {
    let package = value.get("package")?.as_table()?;
    let name = package.get("name")?.as_str()?;
    let lib = value.get("lib").and_then(|l| l.as_table());
    let stated = |key: &str| lib.and_then(|l| l.get(key)).and_then(|v| v.as_str());
    let mut dependencies = BTreeMap::default();
    all_dependencies(dir, value, &mut dependencies);
    for target in value.get("target").and_then(|t| t.as_table()).into_iter().flatten() {
        if let Some(table) = target.1.as_table() {
            all_dependencies(dir, table, &mut dependencies);
        }
    }
    let mut targets: Vec<Box<str>> = Vec::new();
    for kind in ["bin", "test", "example", "bench"] {
        let list = value.get(kind).and_then(|l| l.as_array());
        let paths = list.into_iter().flatten().filter_map(|t| t.get("path")?.as_str());
        targets.extend(paths.filter_map(|p| join(dir, p)).map(Into::into));
    }
    if let Some(build) = package.get("build").and_then(|b| b.as_str()) {
        targets.extend(join(dir, build).map(Into::into));
    }
    Some(Crate {
        dir: dir.into(),
        name: name.into(),
        lib: stated("name")
            .map_or_else(|| name.replace('-', "_"), str::to_owned)
            .into(),
        root: join(dir, stated("path").unwrap_or("src/lib.rs"))?.into(),
        targets,
        dependencies,
    })
}

fn all_dependencies(dir: &str, table: &toml::Table, out: &mut BTreeMap<Box<str>, Dependency>) {
    for section in ["dependencies", "dev-dependencies", "build-dependencies"] {
        if let Some(list) = table.get(section).and_then(|d| d.as_table()) {
            read(dir, list, out);
        }
    }
}

fn read(dir: &str, list: &toml::Table, out: &mut BTreeMap<Box<str>, Dependency>) {
    for (key, spec) in list {
        let text = |k: &str| spec.get(k).and_then(|v| v.as_str());
        let dependency = Dependency {
            package: text("package").unwrap_or(key).into(),
            dir: text("path").and_then(|p| join(dir, p)).map(Into::into),
            workspace: spec.get("workspace").and_then(|w| w.as_bool()) == Some(true),
        };
        let name: Box<str> = key.replace('-', "_").into();
        // A dependency that one section takes from the tree is from the tree in all.
        if dependency.dir.is_some() || !out.contains_key(&name) {
            out.insert(name, dependency);
        }
    }
}

fn workspace(dir: &str, value: &toml::Table) -> Option<Workspace> {
    let stated = value.get("workspace").and_then(|w| w.as_table());
    let patches = value.get("patch").and_then(|p| p.as_table());
    if stated.is_none() && patches.is_none() {
        return None;
    }
    let mut out = Workspace {
        dir: dir.into(),
        ..Workspace::default()
    };
    if let Some(list) = stated.and_then(|w| w.get("dependencies")).and_then(|d| d.as_table()) {
        read(dir, list, &mut out.dependencies);
    }
    for (_, source) in patches.into_iter().flatten() {
        let mut found = BTreeMap::default();
        if let Some(list) = source.as_table() {
            read(dir, list, &mut found);
        }
        for dependency in found.into_values() {
            if let Some(dir) = dependency.dir {
                out.patches.insert(dependency.package, dir);
            }
        }
    }
    Some(out)
}

/// All packages of a tree.
#[derive(Debug, Default)]
pub struct Cargo {
    /// The packages, the deepest directory first.
    pub crates: Vec<Crate>,
    /// The workspaces, the deepest directory first.
    pub workspaces: Vec<Workspace>,
}

/// What a name at the head of a path is to a package.
#[derive(Clone, Copy, Debug)]
pub enum Named<'p> {
    /// A package of the tree.
    Inside(&'p Crate),
    /// A package from elsewhere.
    Outside,
    /// No package.
    Nothing,
}

impl Cargo {
    /// Adds what a manifest says.
    pub fn add(&mut self, dir: &str, text: &str) -> Option<&Crate> {
        let (package, workspace) = cargo(dir, text);
        self.workspaces.extend(workspace);
        self.crates.push(package?);
        self.crates.last()
    }

    /// Brings all into order.
    pub fn close(&mut self) {
        self.crates
            .sort_by(|a, b| (b.dir.len(), &a.dir).cmp(&(a.dir.len(), &b.dir)));
        self.workspaces
            .sort_by(|a, b| (b.dir.len(), &a.dir).cmp(&(a.dir.len(), &b.dir)));
    }

    /// The package that holds a file.
    pub fn package_of(&self, path: &str) -> Option<&Crate> {
        self.crates.iter().find(|c| is_under(path, &c.dir))
    }

    fn at(&self, dir: &str) -> Option<&Crate> {
        self.crates.iter().find(|c| *c.dir == *dir)
    }

    /// What a crate name means to a file.
    pub fn named(&self, path: &str, name: &str) -> Named<'_> {
        let Some(own) = self.package_of(path) else {
            // Without a manifest any library of that name will do.
            return match self.crates.iter().find(|c| *c.lib == *name) {
                Some(found) => Named::Inside(found),
                None => Named::Nothing,
            };
        };
        if let Some(dependency) = own.dependencies.get(name) {
            return match self.dependency(own, name, dependency) {
                Some(found) => Named::Inside(found),
                None => Named::Outside,
            };
        }
        if *own.lib == *name {
            return Named::Inside(own);
        }
        // A library may have another name than its package.
        for (key, dependency) in &own.dependencies {
            if let Some(found) = self.dependency(own, key, dependency)
                && *found.lib == *name
                && *dependency.package == *found.name
                && **key == *found.name.replace('-', "_")
            {
                return Named::Inside(found);
            }
        }
        Named::Nothing
    }

    fn dependency(&self, own: &Crate, name: &str, dependency: &Dependency) -> Option<&Crate> {
        if let Some(dir) = &dependency.dir {
            return self.at(dir);
        }
        let around = || self.workspaces.iter().filter(|w| is_under(&own.dir, &w.dir));
        if dependency.workspace
            && let Some(dir) = around()
                .find_map(|w| w.dependencies.get(name))
                .and_then(|d| d.dir.as_deref())
        {
            return self.at(dir);
        }
        let patched = around().find_map(|w| w.patches.get(&dependency.package))?;
        self.at(patched)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_all(manifests: &[(&str, &str)]) -> Cargo {
        let mut out = Cargo::default();
        for (dir, text) in manifests {
            out.add(dir, text);
        }
        out.close();
        out
    }

    fn named(cargo: &Cargo, path: &str, name: &str) -> String {
        match cargo.named(path, name) {
            Named::Inside(c) => c.dir.to_string(),
            Named::Outside => "outside".into(),
            Named::Nothing => "nothing".into(),
        }
    }

    #[test]
    fn libraries_targets_and_renames() {
        let text = "[package]\nname = \"a-b\"\n[lib]\npath = \"code/lib.rs\"\n[[bin]]\nname = \"x\"\npath = \"x/main.rs\"\n[dependencies]\nnet = { package = \"my-net\", path = \"../net\" }\n";
        let (found, _) = cargo("crates/ab", text);
        let c = found.expect("a package");
        assert_eq!((&*c.lib, &*c.root), ("a_b", "crates/ab/code/lib.rs"));
        assert_eq!(*c.targets[0], *"crates/ab/x/main.rs");
        let net = &c.dependencies["net"];
        assert_eq!((&*net.package, net.dir.as_deref()), ("my-net", Some("crates/net")));
        assert!(cargo("", "[workspace]\nmembers = []").0.is_none());
    }

    #[test]
    fn names_of_crates() {
        let cargo = read_all(&[
            (
                "",
                "[workspace]\n[workspace.dependencies]\nlog = { path = \"log\" }\n[patch.crates-io]\nserde = { path = \"serde\" }\n",
            ),
            ("log", "[package]\nname = \"log\"\n"),
            ("serde", "[package]\nname = \"serde\"\n"),
            ("rand", "[package]\nname = \"rand\"\n[lib]\nname = \"dice\"\n"),
            ("time", "[package]\nname = \"time\"\n"),
            (
                "app",
                "[package]\nname = \"my-app\"\n[dependencies]\nlog.workspace = true\nserde = \"1\"\ntime = \"0.3\"\nrand = { path = \"../rand\" }\n[target.'cfg(unix)'.dependencies]\nlibc = \"1\"\n[dev-dependencies]\nclock = { package = \"time\", path = \"../time\" }\n",
            ),
        ]);
        for (name, expected) in [
            ("log", "log"),
            ("serde", "serde"),
            ("time", "outside"),
            ("clock", "time"),
            ("dice", "rand"),
            ("my_app", "app"),
            ("libc", "outside"),
            ("other", "nothing"),
        ] {
            assert_eq!(named(&cargo, "app/src/main.rs", name), expected, "{name}");
        }
        assert_eq!(named(&cargo, "scripts/x.rs", "log"), "log");
    }
}
