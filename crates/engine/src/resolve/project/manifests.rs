//! Names of packages in the manifests that are read for little more.

/// The module path of a `go.mod`.
pub fn go_module(text: &str) -> Option<&str> {
    text.lines()
        .find_map(|l| l.trim().strip_prefix("module "))
        .map(|m| m.split("//").next().unwrap_or(m).trim().trim_matches('"'))
        .filter(|m| !m.is_empty())
}

/// The modules that a `go.mod` replaces by directories: module path and directory as written.
pub fn go_replacements(text: &str) -> Vec<(&str, &str)> {
    let mut out = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        let line = line.split("//").next().unwrap_or(line).trim();
        let stated = match line.strip_prefix("replace") {
            Some(rest) if rest.trim() == "(" => {
                inside = true;
                continue;
            }
            Some(rest) if rest.starts_with(char::is_whitespace) => rest,
            _ if line == ")" => {
                inside = false;
                continue;
            }
            _ if inside => line,
            _ => continue,
        };
        if let Some((from, to)) = stated.split_once("=>") {
            let module = from.split_whitespace().next().unwrap_or("").trim_matches('"');
            let to = to.split_whitespace().next().unwrap_or("").trim_matches('"');
            if !module.is_empty() && (to.starts_with("./") || to.starts_with("../")) {
                out.push((module, to));
            }
        }
    }
    out
}

/// What a `pyproject.toml` says: the project's name and the directories that hold its packages, from its own.
pub fn pyproject(text: &str) -> (Option<String>, Vec<String>) {
    let Ok(value) = text.parse::<toml::Table>() else {
        return (None, Vec::new());
    };
    let at = |path: &[&str]| {
        let mut here = value.get(path[0])?;
        for key in &path[1..] {
            here = here.get(key)?;
        }
        Some(here)
    };
    let name = at(&["project", "name"])
        .or_else(|| at(&["tool", "poetry", "name"]))
        .and_then(|n| n.as_str())
        .map(str::to_owned);
    let mut roots = Vec::new();
    let mut push = |v: Option<&toml::Value>| match v {
        Some(toml::Value::String(s)) => roots.push(s.clone()),
        Some(toml::Value::Array(list)) => roots.extend(list.iter().filter_map(|v| v.as_str()).map(str::to_owned)),
        _ => {}
    };
    push(at(&["tool", "setuptools", "packages", "find", "where"]));
    push(at(&["tool", "setuptools", "package-dir", ""]));
    push(at(&["tool", "pytest", "ini_options", "pythonpath"]));
    push(at(&["tool", "pyright", "extraPaths"]));
    push(at(&["tool", "maturin", "python-source"]));
    if let Some(list) = at(&["tool", "poetry", "packages"]).and_then(|p| p.as_array()) {
        for package in list {
            push(package.get("from"));
        }
    }
    (name, roots)
}

/// What a `setup.cfg` says, likewise.
pub fn setup_cfg(text: &str) -> (Option<String>, Vec<String>) {
    let mut section = String::new();
    let (mut name, mut roots) = (None, Vec::new());
    let mut last_key = String::new();
    for line in text.lines() {
        let trimmed = line.trim();
        if let Some(head) = trimmed.strip_prefix('[') {
            section = head.trim_end_matches(']').trim().to_owned();
            continue;
        }
        let indented = line.starts_with([' ', '\t']);
        if let Some((key, value)) = trimmed.split_once('=') {
            let (key, value) = (key.trim(), value.trim());
            if !indented {
                last_key = key.to_owned();
            }
            match (section.as_str(), last_key.as_str(), key) {
                ("metadata", "name", "name") => name = Some(value.to_owned()),
                ("options.packages.find", "where", "where") => roots.push(value.to_owned()),
                ("options", "package_dir", "") => roots.push(value.to_owned()),
                _ => {}
            }
        }
    }
    (name, roots)
}

/// What a `setup.py` says, likewise, as far as plain strings tell.
pub fn setup_py(text: &str) -> (Option<String>, Vec<String>) {
    let name = after(text, "name").into_iter().next();
    let mut roots = Vec::new();
    if let Some(at) = text.find("package_dir") {
        let rest = &text[at..];
        let end = rest.find('}').unwrap_or(rest.len());
        roots.extend(quoted(&rest[..end]).into_iter().nth(1));
    }
    roots.extend(after(text, "where"));
    (name, roots)
}

/// The strings given as `key="…"`.
fn after(text: &str, key: &str) -> Vec<String> {
    let mut out = Vec::new();
    for (at, _) in text.match_indices(key) {
        if text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_') {
            continue;
        }
        let rest = text[at + key.len()..].trim_start();
        if let Some(value) = rest.strip_prefix('=')
            && value.trim_start().starts_with(['"', '\''])
        {
            out.extend(quoted(value).into_iter().next());
        }
    }
    out
}

/// The quoted strings of a text.
pub fn quoted(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut rest = text;
    while let Some(from) = rest.find(['"', '\'']) {
        let quote = rest[from..].chars().next().unwrap_or('"');
        let body = &rest[from + 1..];
        let Some(to) = body.find(quote) else { break };
        out.push(body[..to].to_owned());
        rest = &body[to + 1..];
    }
    out
}

/// The text of the first element `name` of an XML text that is no child of `outside`.
pub fn xml_text(text: &str, name: &str, outside: &str) -> Option<String> {
    let mut text = text.to_owned();
    let (open, close) = (format!("<{outside}>"), format!("</{outside}>"));
    while let (Some(from), Some(to)) = (text.find(&open), text.find(&close)) {
        if to < from {
            break;
        }
        text.replace_range(from..to + close.len(), "");
    }
    let from = text.find(&format!("<{name}>"))? + name.len() + 2;
    let to = text[from..].find("</")?;
    Some(text[from..from + to].trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn python_projects() {
        let (name, roots) = pyproject("[project]\nname = \"x\"\n[tool.setuptools.packages.find]\nwhere = [\"lib\"]\n");
        assert_eq!((name.as_deref(), roots), (Some("x"), vec!["lib".to_owned()]));
        let (name, roots) = setup_py("setup(name='y', package_dir={'': 'code'}, packages=find_packages('code'))");
        assert_eq!((name.as_deref(), roots), (Some("y"), vec!["code".to_owned()]));
        let (name, roots) = setup_cfg("[metadata]\nname = z\n[options]\npackage_dir =\n    = src2\n");
        assert_eq!((name.as_deref(), roots), (Some("z"), vec!["src2".to_owned()]));
    }

    #[test]
    fn go_and_xml() {
        assert_eq!(
            go_module("// c\nmodule github.com/x/y // z\n\ngo 1.22\n"),
            Some("github.com/x/y")
        );
        let text = "replace a.b/c => ../c\nreplace (\n\td.e/f v1.0.0 => ./f // near\n\tg.h/i => g.h/j v2.0.0\n)\n";
        assert_eq!(go_replacements(text), [("a.b/c", "../c"), ("d.e/f", "./f")]);
        let pom = "<project><parent><artifactId>p</artifactId></parent><artifactId>a</artifactId></project>";
        assert_eq!(xml_text(pom, "artifactId", "parent").as_deref(), Some("a"));
    }
}
