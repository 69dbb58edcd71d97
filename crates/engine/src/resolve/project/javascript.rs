//! `package.json`, `pnpm-workspace.yaml` and `tsconfig.json`.

use super::json;
use super::paths::{is_under, join, parent, upward};
use crate::resolve::hash::FastMap;
use serde_json::Value;

/// A `package.json`.
#[derive(Debug, Default)]
pub struct Package {
    /// Its directory.
    pub dir: Box<str>,
    /// The package's name, empty when it has none.
    pub name: Box<str>,
    /// Entry points in the order in which they are tried: `source`, `types`, `module`, `main`.
    pub entries: Vec<Box<str>>,
    /// The `exports` map.
    pub exports: Option<Value>,
    /// The `imports` map (`#name`).
    pub imports: Option<Value>,
}

/// A `tsconfig.json` or `jsconfig.json`, with what it extends.
#[derive(Clone, Debug, Default)]
pub struct TsConfig {
    /// Directory from which plain module names are tried.
    pub base_url: Option<Box<str>>,
    /// Patterns with at most one `*`, and where they lead, as paths from the root of the tree.
    pub paths: Vec<(Box<str>, Vec<Box<str>>)>,
}

/// What the manifests of JavaScript say.
#[derive(Debug, Default)]
pub struct JavaScript {
    packages: Vec<Package>,
    by_dir: FastMap<Box<str>, usize>,
    by_name: FastMap<Box<str>, Vec<usize>>,
    configs: FastMap<Box<str>, TsConfig>,
    workspaces: Vec<(Box<str>, Box<str>)>,
}

/// Longest chain of `extends`.
const EXTENDS: usize = 8;

impl JavaScript {
    /// Reads the manifests among `files` (path and text).
    pub fn new(files: &[(Box<str>, Box<str>)]) -> Self {
        let mut out = JavaScript::default();
        let mut raw: FastMap<Box<str>, Value> = FastMap::default();
        for (path, text) in files {
            let dir = parent(path);
            let name = path.rsplit('/').next().unwrap_or(path);
            match name {
                "package.json" => {
                    if let Some(value) = json::read(text) {
                        out.add_package(dir, &value);
                    }
                }
                "pnpm-workspace.yaml" => {
                    for glob in yaml_list(text, "packages") {
                        out.workspaces.push((dir.into(), glob.into()));
                    }
                }
                _ if name.ends_with(".json") && (name.starts_with("tsconfig") || name.starts_with("jsconfig")) => {
                    if let Some(value) = json::read(text) {
                        raw.insert(path.clone(), value);
                    }
                }
                _ => {}
            }
        }
        // Of a directory with both, `tsconfig.json` counts.
        for name in ["jsconfig.json", "tsconfig.json"] {
            for (path, _) in files {
                if path.rsplit('/').next() == Some(name) && raw.contains_key(path) {
                    let config = out.config(&raw, path, 0);
                    out.configs.insert(parent(path).into(), config);
                }
            }
        }
        out
    }

    fn add_package(&mut self, dir: &str, value: &Value) {
        let text = |key: &str| value.get(key).and_then(Value::as_str);
        let entries = ["source", "types", "typings", "module", "main"]
            .iter()
            .filter_map(|k| text(k))
            .map(Into::into)
            .collect();
        let globs = value
            .get("workspaces")
            .and_then(|w| w.as_array().or_else(|| w.get("packages")?.as_array()));
        for glob in globs.into_iter().flatten().filter_map(Value::as_str) {
            self.workspaces.push((dir.into(), glob.into()));
        }
        let package = Package {
            dir: dir.into(),
            name: text("name").unwrap_or("").into(),
            entries,
            exports: value.get("exports").cloned(),
            imports: value.get("imports").cloned(),
        };
        let at = self.packages.len();
        self.by_dir.insert(dir.into(), at);
        if !package.name.is_empty() {
            self.by_name.entry(package.name.clone()).or_default().push(at);
        }
        self.packages.push(package);
    }

    /// A configuration with what it extends, nearest first.
    fn config(&self, raw: &FastMap<Box<str>, Value>, path: &str, depth: usize) -> TsConfig {
        let Some(value) = raw.get(path) else {
            return TsConfig::default();
        };
        let dir = parent(path);
        let mut out = TsConfig::default();
        if depth < EXTENDS {
            let bases: Vec<&str> = match value.get("extends") {
                Some(Value::String(one)) => vec![one],
                Some(Value::Array(many)) => many.iter().filter_map(Value::as_str).collect(),
                _ => Vec::new(),
            };
            for base in bases {
                if let Some(path) = self.extended(raw, dir, base) {
                    let base = self.config(raw, &path, depth + 1);
                    out.base_url = base.base_url.or(out.base_url);
                    if !base.paths.is_empty() {
                        out.paths = base.paths;
                    }
                }
            }
        }
        let options = value.get("compilerOptions");
        let option = |key: &str| options.and_then(|o| o.get(key));
        if let Some(base) = option("baseUrl").and_then(Value::as_str) {
            out.base_url = join(dir, base).map(Into::into);
        }
        if let Some(paths) = option("paths").and_then(Value::as_object) {
            let from = match option("baseUrl") {
                Some(_) => out.base_url.clone().unwrap_or_else(|| dir.into()),
                None => out.base_url.clone().unwrap_or_else(|| dir.into()),
            };
            out.paths = paths
                .iter()
                .map(|(pattern, to)| {
                    let to = to.as_array().map(|t| &t[..]).unwrap_or(&[]);
                    let to = to
                        .iter()
                        .filter_map(Value::as_str)
                        .filter_map(|t| join(&from, t))
                        .map(Into::into)
                        .collect();
                    (pattern.as_str().into(), to)
                })
                .collect();
            // The most special pattern first: without a star, then by the length before it.
            out.paths.sort_by_key(|(p, _)| {
                let star = p.find('*');
                (star.is_some(), std::cmp::Reverse(star.unwrap_or(p.len())))
            });
        }
        out
    }

    fn extended(&self, raw: &FastMap<Box<str>, Value>, dir: &str, base: &str) -> Option<Box<str>> {
        let path = if base.starts_with('.') || base.starts_with('/') {
            join(dir, base)?
        } else {
            // A package of the tree that holds shared configurations.
            let (package, rest) = split_name(base);
            let package = self.by_name.get(package)?.first()?;
            join(
                &self.packages[*package].dir,
                if rest.is_empty() { "tsconfig.json" } else { rest },
            )?
        };
        [path.clone(), format!("{path}.json"), format!("{path}/tsconfig.json")]
            .into_iter()
            .find(|p| raw.contains_key(&**p))
            .map(Into::into)
    }

    /// The configuration that covers a directory.
    pub fn config_of(&self, dir: &str) -> Option<&TsConfig> {
        upward(dir).find_map(|d| self.configs.get(d))
    }

    /// The package that holds a directory.
    pub fn package_of(&self, dir: &str) -> Option<&Package> {
        upward(dir).find_map(|d| self.by_dir.get(d)).map(|&i| &self.packages[i])
    }

    /// All packages.
    pub fn packages(&self) -> &[Package] {
        &self.packages
    }

    /// The package of the tree that a name means for a file in `dir`: its own, one of the workspace, or, where no
    /// workspace is declared, one that is no fixture.
    pub fn named(&self, name: &str, dir: &str) -> Option<&Package> {
        let own = self.package_of(dir).filter(|p| *p.name == *name);
        if own.is_some() {
            return own;
        }
        let candidates = self.by_name.get(name)?.iter().map(|&i| &self.packages[i]);
        candidates.into_iter().find(|p| self.is_member(&p.dir))
    }

    fn is_member(&self, dir: &str) -> bool {
        if self.workspaces.is_empty() {
            let aside = |part: &str| matches!(part, "node_modules" | "fixtures" | "__fixtures__" | "testdata");
            return !dir.split('/').any(aside);
        }
        let matched = |(base, glob): &(Box<str>, Box<str>)| {
            let (glob, negative) = match glob.strip_prefix('!') {
                Some(rest) => (rest, true),
                None => (&**glob, false),
            };
            let glob = glob.trim_start_matches("./").trim_end_matches('/');
            let rest = match is_under(dir, base) {
                true => dir[base.len()..].trim_start_matches('/'),
                false => return None,
            };
            glob_matches(glob, rest).then_some(!negative)
        };
        self.workspaces.iter().filter_map(matched).next_back().unwrap_or(false)
    }
}

/// The package name and the rest of a module name: `@a/b/c/d` → `@a/b`, `c/d`.
pub fn split_name(module: &str) -> (&str, &str) {
    let skip = if module.starts_with('@') {
        module.find('/').map_or(0, |i| i + 1)
    } else {
        0
    };
    match module[skip..].find('/') {
        Some(i) => (&module[..skip + i], &module[skip + i + 1..]),
        None => (module, ""),
    }
}

/// `*` matches inside one part, `**` any number of parts.
fn glob_matches(glob: &str, path: &str) -> bool {
    let glob: Vec<&str> = glob.split('/').collect();
    let path: Vec<&str> = path.split('/').filter(|p| !p.is_empty()).collect();
    // `reached[i]`: the first parts of the path match the first `i` parts of the glob.
    let mut reached = vec![false; glob.len() + 1];
    reached[0] = true;
    let spread = |reached: &mut Vec<bool>| {
        for i in 0..glob.len() {
            if glob[i] == "**" && reached[i] {
                reached[i + 1] = true;
            }
        }
    };
    spread(&mut reached);
    for part in path {
        let mut next = vec![false; glob.len() + 1];
        for i in 0..glob.len() {
            if !reached[i] {
                continue;
            }
            if glob[i] == "**" {
                next[i] = true;
            } else if part_matches(glob[i], part) {
                next[i + 1] = true;
            }
        }
        spread(&mut next);
        reached = next;
    }
    reached[glob.len()]
}

fn part_matches(glob: &str, part: &str) -> bool {
    match glob.split_once('*') {
        None => glob == part,
        Some((before, after)) => {
            part.len() >= before.len() + after.len()
                && part.starts_with(before)
                && part.ends_with(after.trim_matches('*'))
        }
    }
}

/// The strings of a list under a top-level key of a simple YAML text.
fn yaml_list(text: &str, key: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut inside = false;
    let clean = |item: &str| item.trim().trim_matches(['"', '\'']).to_owned();
    for line in text.lines() {
        let bare = line.split(" #").next().unwrap_or(line);
        let trimmed = bare.trim();
        if trimmed.is_empty() || trimmed.starts_with('#') {
            continue;
        }
        if let Some(item) = trimmed.strip_prefix("- ").filter(|_| inside) {
            out.push(clean(item));
            continue;
        }
        if !bare.starts_with([' ', '\t', '-']) {
            inside = false;
            if let Some(rest) = trimmed.strip_prefix(key).and_then(|r| r.trim_start().strip_prefix(':')) {
                inside = true;
                if let Some(inline) = rest.trim().strip_prefix('[') {
                    out.extend(
                        inline
                            .trim_end_matches(']')
                            .split(',')
                            .map(clean)
                            .filter(|i| !i.is_empty()),
                    );
                }
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workspace_globs() {
        assert!(glob_matches("packages/*", "packages/a"));
        assert!(!glob_matches("packages/*", "packages/a/b"));
        assert!(glob_matches("packages/**", "packages/a/b"));
        assert!(glob_matches("apps/web", "apps/web"));
        assert!(glob_matches("**/x-*", "a/b/x-y"));
    }

    #[test]
    fn yaml_lists_in_both_forms() {
        assert_eq!(
            yaml_list("packages:\n  - \"a/*\" # c\n  - b\ncatalog:\n  - c\n", "packages"),
            ["a/*", "b"]
        );
        assert_eq!(yaml_list("packages: ['a', \"b\"]\n", "packages"), ["a", "b"]);
    }

    #[test]
    fn configurations_extend_each_other() {
        let files: Vec<(Box<str>, Box<str>)> = vec![
            (
                "tsconfig.base.json".into(),
                "{\"compilerOptions\": {\"paths\": {\"@x/*\": [\"./lib/*\"]}}}".into(),
            ),
            (
                "app/tsconfig.json".into(),
                "{\"extends\": \"../tsconfig.base\", /* c */ }".into(),
            ),
        ];
        let project = JavaScript::new(&files);
        let config = project.config_of("app/src").expect("covered");
        assert_eq!(&*config.paths[0].0, "@x/*");
        assert_eq!(&*config.paths[0].1[0], "lib/*");
        assert!(project.config_of("other").is_none());
    }
}
