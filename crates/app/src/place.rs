//! Which repository, which cache, and what a path on the command line means.

use crate::environment::Environment;
use crate::failure::Failure;
use std::path::{Path, PathBuf};

/// The repository: the given directory, else the one that encloses the current directory, else the current directory.
pub fn repository(given: Option<&Path>, environment: &Environment) -> Result<PathBuf, Failure> {
    let cwd = environment.cwd.as_deref();
    if let Some(given) = given {
        let root = match cwd {
            Some(cwd) => cwd.join(given),
            None => given.to_owned(),
        };
        if !root.is_dir() {
            return Err(Failure::new(format!("{} is not a directory", given.display()))
                .hint("name the repository's directory with --repo DIR"));
        }
        return Ok(root);
    }
    let Some(cwd) = cwd else {
        return Err(Failure::new("the current directory cannot be read").hint("name the repository with --repo DIR"));
    };
    Ok(enclosing(cwd).unwrap_or(cwd).to_owned())
}

/// The nearest directory upwards that holds a `.git` (a directory, or the file of a linked work tree or submodule).
fn enclosing(cwd: &Path) -> Option<&Path> {
    cwd.ancestors().find(|dir| dir.join(".git").symlink_metadata().is_ok())
}

/// The cache: the given directory, else the runner's temporary directory in CI, else the user's cache directory. `None` when
/// there is no place for one; answers come uncached then.
pub fn cache(given: Option<&Path>, environment: &Environment) -> Option<PathBuf> {
    if let Some(given) = given {
        return Some(match &environment.cwd {
            Some(cwd) => cwd.join(given),
            None => given.to_owned(),
        });
    }
    if let Some(temp) = &environment.runner_temp {
        return Some(temp.join("understory"));
    }
    if let Some(cache) = &environment.xdg_cache_home {
        return Some(cache.join("understory"));
    }
    let platform = if cfg!(windows) {
        environment.local_app_data.clone()
    } else if cfg!(target_os = "macos") {
        environment.home.as_ref().map(|home| home.join("Library/Caches"))
    } else {
        environment.home.as_ref().map(|home| home.join(".cache"))
    };
    platform.map(|cache| cache.join("understory"))
}

/// The user's file of configuration, if the host has a place for one.
pub fn user_file(environment: &Environment) -> Option<PathBuf> {
    let directory = if let Some(config) = &environment.xdg_config_home {
        Some(config.clone())
    } else if cfg!(windows) {
        environment.app_data.clone()
    } else {
        environment.home.as_ref().map(|home| home.join(".config"))
    };
    directory.map(|d| d.join("understory").join("config.toml"))
}

/// A path as typed, seen from the repository's root: one that exists from the current directory (or is absolute) and lies in
/// the repository is that one; anything else is taken as it is.
pub fn from_root(typed: &str, root: &Path, environment: &Environment) -> String {
    let Some(cwd) = &environment.cwd else {
        return typed.to_owned();
    };
    let Ok(root) = root.canonicalize() else {
        return typed.to_owned();
    };
    let place = cwd.join(typed);
    // The last part may be a link, which is the file that is meant; only what leads to it is resolved.
    let (Some(parent), Some(name)) = (place.parent(), place.file_name()) else {
        return typed.to_owned();
    };
    if place.symlink_metadata().is_err() {
        return typed.to_owned();
    }
    let found = parent.canonicalize().map(|p| p.join(name));
    match found.as_deref().map(|p| p.strip_prefix(&root)) {
        Ok(Ok(inside)) => match inside.to_str() {
            Some(text) => text.replace('\\', "/"),
            None => typed.to_owned(),
        },
        _ => typed.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cache_is_where_the_first_of_these_says() {
        let environment = |runner: &str, xdg: &str, home: &str| {
            Environment::from(Some("/here".into()), |name| {
                let value = match name {
                    "RUNNER_TEMP" => runner,
                    "XDG_CACHE_HOME" => xdg,
                    "HOME" => home,
                    _ => "",
                };
                (!value.is_empty()).then(|| value.into())
            })
        };
        for (given, runner, xdg, home, expected) in [
            (Some("c"), "/r", "/x", "/h", Some("/here/c")),
            (None, "/r", "/x", "/h", Some("/r/understory")),
            (None, "", "/x", "/h", Some("/x/understory")),
            (None, "", "relative", "", None),
            (None, "", "", "", None),
        ] {
            let found = cache(given.map(Path::new), &environment(runner, xdg, home));
            assert_eq!(
                found.as_deref(),
                expected.map(Path::new),
                "{given:?} {runner} {xdg} {home}"
            );
        }
        if cfg!(target_os = "linux") {
            let found = cache(None, &environment("", "", "/h"));
            assert_eq!(found.as_deref(), Some(Path::new("/h/.cache/understory")));
        }
    }

    #[test]
    fn the_repository_encloses_the_current_directory() {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().join("repo");
        let deep = root.join("src/deep");
        std::fs::create_dir_all(&deep).unwrap();
        let at = |cwd: &Path| Environment {
            cwd: Some(cwd.to_owned()),
            ..Environment::default()
        };
        assert_eq!(repository(None, &at(&deep)).unwrap(), deep, "no repository around it");
        // A linked work tree has a file there.
        std::fs::write(root.join(".git"), "gitdir: elsewhere\n").unwrap();
        assert_eq!(repository(None, &at(&deep)).unwrap(), root);
        assert_eq!(
            repository(Some(Path::new("deep")), &at(&root.join("src"))).unwrap(),
            deep
        );
        assert!(repository(Some(Path::new("gone")), &at(&root)).is_err());
    }

    #[test]
    fn a_typed_path_is_seen_from_where_the_user_stands() {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().join("repo");
        std::fs::create_dir_all(root.join("src")).unwrap();
        std::fs::write(root.join("src/a.py"), "").unwrap();
        let stand = |at: &str| Environment {
            cwd: Some(root.join(at)),
            ..Environment::default()
        };
        let absolute = root.join("src/a.py");
        for (typed, at, expected) in [
            ("a.py", "src", "src/a.py"),
            ("src/a.py", "", "src/a.py"),
            ("src/a.py", "src", "src/a.py"),
            ("../src/a.py", "src", "src/a.py"),
            (absolute.to_str().unwrap(), "src", "src/a.py"),
            ("gone.py", "src", "gone.py"),
            ("../../outside", "src", "../../outside"),
        ] {
            assert_eq!(from_root(typed, &root, &stand(at)), expected, "{typed} in {at}");
        }
    }
}
