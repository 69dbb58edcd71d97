//! What the manifests of a tree say: packages, their names and where their modules lie.

pub mod cargo;
pub mod javascript;
mod json;
pub mod manifests;
pub mod paths;
pub mod suffix;
mod swift;

use cargo::Cargo;
use javascript::JavaScript;
use paths::{is_under, join, parent};

/// Whether a file is a manifest that [`Project::new`] reads.
pub fn is_manifest(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    matches!(
        name,
        "package.json"
            | "pnpm-workspace.yaml"
            | "go.mod"
            | "Cargo.toml"
            | "pyproject.toml"
            | "setup.py"
            | "setup.cfg"
            | "pom.xml"
            | "build.gradle"
            | "build.gradle.kts"
            | "composer.json"
            | "Package.swift"
    ) || (name.ends_with(".json") && (name.starts_with("tsconfig") || name.starts_with("jsconfig")))
        || name.ends_with(".csproj")
}

/// A package: a directory with a manifest.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Scope {
    /// Its directory, empty for the root.
    pub path: Box<str>,
    /// Its name.
    pub name: Box<str>,
    /// Which kind of package it is, in the word of its ecosystem.
    pub kind: &'static str,
}

/// What all manifests say.
#[derive(Debug, Default)]
pub struct Project {
    /// The packages, by path; one per directory.
    pub scopes: Vec<Scope>,
    /// Directories from which Python packages are imported, by path.
    pub python_roots: Vec<Box<str>>,
    /// JavaScript packages and TypeScript configurations.
    pub javascript: JavaScript,
    /// Cargo packages.
    pub cargo: Cargo,
    /// Go modules: directory and module path, the deepest directory first.
    pub go_modules: Vec<(Box<str>, Box<str>)>,
    /// PSR-4 prefixes of PHP and the directories that they stand for, the longest prefix first.
    pub psr4: Vec<(Box<str>, Box<str>)>,
    /// Targets of Swift packages: directory and name of the module, the deepest directory first.
    pub swift_targets: Vec<(Box<str>, Box<str>)>,
}

impl Project {
    /// Reads the manifests (path and text). What cannot be read says nothing.
    pub fn new(manifests: &[(Box<str>, Box<str>)]) -> Project {
        let mut out = Project {
            javascript: JavaScript::new(manifests),
            ..Project::default()
        };
        for (path, text) in manifests {
            let name = path.rsplit('/').next().unwrap_or(path);
            out.read(parent(path), name, text);
        }
        for package in out.javascript.packages() {
            let (path, name) = (package.dir.clone(), &package.name);
            let name = if name.is_empty() {
                last(&path).into()
            } else {
                name.clone()
            };
            out.scopes.push(Scope {
                path,
                name,
                kind: "npm",
            });
        }
        out.scopes.sort();
        // A directory with manifests of several ecosystems is one package; a stated name comes before a made one.
        out.scopes.dedup_by(|b, a| a.path == b.path);
        out.cargo.close();
        out.python_roots.sort();
        out.python_roots.dedup();
        out.go_modules
            .sort_by_key(|(dir, module)| (std::cmp::Reverse(dir.len()), dir.clone(), module.clone()));
        out.go_modules.dedup();
        out.swift_targets
            .sort_by_key(|(dir, name)| (std::cmp::Reverse(dir.len()), dir.clone(), name.clone()));
        out.swift_targets.dedup();
        out.psr4
            .sort_by_key(|(prefix, dir)| (std::cmp::Reverse(prefix.len()), prefix.clone(), dir.clone()));
        out
    }

    /// The module to which a file of Swift belongs, empty when no package says.
    pub fn swift_module(&self, path: &str) -> &str {
        let target = self.swift_targets.iter().find(|(dir, _)| is_under(parent(path), dir));
        target.map_or("", |(_, name)| name)
    }

    fn read(&mut self, dir: &str, file: &str, text: &str) {
        let mut scope = |name: Option<String>, kind: &'static str| {
            self.scopes.push(Scope {
                path: dir.into(),
                name: name
                    .filter(|n| !n.is_empty())
                    .unwrap_or_else(|| last(dir).to_owned())
                    .into(),
                kind,
            });
        };
        match file {
            "go.mod" => {
                if let Some(module) = manifests::go_module(text) {
                    scope(Some(module.to_owned()), "go");
                    self.go_modules.push((dir.into(), module.into()));
                }
                for (module, to) in manifests::go_replacements(text) {
                    if let Some(to) = join(dir, to) {
                        self.go_modules.push((to.into(), module.into()));
                    }
                }
            }
            "Cargo.toml" => {
                if let Some(found) = self.cargo.add(dir, text) {
                    scope(Some(found.name.to_string()), "cargo");
                }
            }
            "pyproject.toml" | "setup.py" | "setup.cfg" => {
                let (name, mut roots) = match file {
                    "pyproject.toml" => manifests::pyproject(text),
                    "setup.py" => manifests::setup_py(text),
                    _ => manifests::setup_cfg(text),
                };
                // A `setup.cfg` may hold settings of tools only.
                if file != "setup.cfg" || name.is_some() {
                    scope(name, "python");
                }
                roots.push("src".into());
                roots.push(".".into());
                self.python_roots
                    .extend(roots.iter().filter_map(|r| join(dir, r)).map(Into::into));
            }
            "Package.swift" => {
                scope(swift::name(text), "swift");
                let targets = swift::targets(text);
                self.swift_targets.extend(
                    targets
                        .into_iter()
                        .filter_map(|(place, name)| Some((join(dir, &place)?.into(), name.into()))),
                );
            }
            "pom.xml" => scope(manifests::xml_text(text, "artifactId", "parent"), "maven"),
            "build.gradle" | "build.gradle.kts" => scope(None, "gradle"),
            "composer.json" => {
                let Some(value) = json::read(text) else { return };
                scope(
                    value.get("name").and_then(|n| n.as_str()).map(str::to_owned),
                    "composer",
                );
                for section in ["autoload", "autoload-dev"] {
                    let map = value
                        .get(section)
                        .and_then(|a| a.get("psr-4"))
                        .and_then(|p| p.as_object());
                    for (prefix, to) in map.into_iter().flatten() {
                        let dirs = match to {
                            serde_json::Value::Array(list) => list.iter().filter_map(|d| d.as_str()).collect(),
                            other => other.as_str().into_iter().collect::<Vec<_>>(),
                        };
                        for to in dirs.into_iter().filter_map(|d| join(dir, d)) {
                            self.psr4.push((prefix.as_str().into(), to.into()));
                        }
                    }
                }
            }
            _ if file.ends_with(".csproj") => {
                let name = manifests::xml_text(text, "AssemblyName", "Target")
                    .unwrap_or_else(|| file.trim_end_matches(".csproj").to_owned());
                scope(Some(name), "dotnet");
            }
            _ => {}
        }
    }

    /// The deepest package that holds a file.
    pub fn scope_of(&self, path: &str) -> Option<&Scope> {
        self.scopes
            .iter()
            .filter(|s| is_under(path, &s.path))
            .max_by_key(|s| s.path.len())
    }
}

fn last(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_deepest_package_holds_a_file() {
        let project = Project::new(&[
            ("package.json".into(), "{\"name\": \"root\"}".into()),
            ("packages/a/package.json".into(), "{}".into()),
            ("tools/pyproject.toml".into(), "[project]\nname = \"tools\"".into()),
        ]);
        let scope = |path: &str| project.scope_of(path).map(|s| (&*s.path, &*s.name, s.kind));
        assert_eq!(scope("packages/a/x.ts"), Some(("packages/a", "a", "npm")));
        assert_eq!(scope("packages/ab/x.ts"), Some(("", "root", "npm")));
        assert_eq!(scope("tools/x.py"), Some(("tools", "tools", "python")));
    }
}
