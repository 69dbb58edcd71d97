//! What the manifests of a tree say: packages, their names and where their modules lie.

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
    /// The packages, by path.
    pub scopes: Vec<Scope>,
    /// Directories from which Python packages are imported, by path.
    pub python_roots: Vec<Box<str>>,
}

impl Project {
    /// Reads the manifests (path and text). What cannot be read says nothing.
    pub fn new(_manifests: &[(Box<str>, Box<str>)]) -> Project {
        Project::default()
    }

    /// The deepest package that holds a file.
    pub fn scope_of(&self, path: &str) -> Option<&Scope> {
        self.scopes
            .iter()
            .filter(|s| s.path.is_empty() || path.strip_prefix(&*s.path).is_some_and(|rest| rest.starts_with('/')))
            .max_by_key(|s| s.path.len())
    }
}
