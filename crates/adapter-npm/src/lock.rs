//! A pin's manifest and lock: what they must say before anything is installed from them.
//!
//! Every byte that an installation brings is named by a sha512 in the lock. A package that this platform installs and
//! that has none is a reason to refuse. A package for another platform may have none: not every registry hands out all
//! of them, and no integrity value is ever written by hand.

use serde_json::{Map, Value, json};
use understory_ports::provisioner::{Pin, ProvisionError, Scripts};

/// The command that makes a lock.
pub const WRITE_LOCK: &str = "understory provision --write-lock";

/// This platform in npm's words, operating system first.
pub fn platform() -> (&'static str, &'static str) {
    let system = match std::env::consts::OS {
        "macos" => "darwin",
        "windows" => "win32",
        other => other,
    };
    let processor = match std::env::consts::ARCH {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        "x86" => "ia32",
        "powerpc64" => "ppc64",
        other => other,
    };
    (system, processor)
}

/// A lock that was checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked {
    /// Paths of the packages that this platform installs, in order (`node_modules/…`).
    pub installed: Vec<String>,
}

/// Checks a pin for a platform.
pub fn check(pin: &Pin, platform: (&str, &str)) -> Result<Checked, ProvisionError> {
    pin.check()?;
    let no_lock = || ProvisionError::NoLock {
        tool: pin.tool.clone().into_owned(),
        version: pin.version.clone().into_owned(),
        command: WRITE_LOCK.into(),
    };
    let lock = pin.lock.as_deref().ok_or_else(no_lock)?;
    let bad = |what: String| ProvisionError::BadPin { what };
    let parse = |text: &str, what: &str| -> Result<Value, ProvisionError> {
        serde_json::from_str(text).map_err(|e| bad(format!("its {what} is no JSON ({e})")))
    };
    let manifest = parse(&pin.manifest, "manifest")?;
    let wanted = manifest.get("dependencies").and_then(|d| d.get(&*pin.package));
    if wanted.and_then(Value::as_str) != Some(&*pin.version) {
        return Err(bad(format!(
            "its manifest does not ask for {} {}",
            pin.package, pin.version
        )));
    }
    check_scripts(pin, &manifest)?;
    let lock = parse(lock, "lock")?;
    let packages = lock.get("packages").and_then(Value::as_object);
    let packages = packages.ok_or_else(|| bad("its lock lists no packages".into()))?;
    let main = format!("node_modules/{}", pin.package);
    let locked = packages
        .get(&main)
        .and_then(|p| p.get("version"))
        .and_then(Value::as_str);
    if locked != Some(&*pin.version) {
        return Err(bad(format!("its lock does not name {} {}", pin.package, pin.version)));
    }
    let mut installed = Vec::new();
    for (path, package) in packages {
        if path.is_empty() || !applies(package, platform) {
            continue;
        }
        if path.split('/').any(|part| matches!(part, "" | "." | "..")) || path.contains('\\') {
            return Err(bad(format!("its lock installs to {path:?}")));
        }
        if package.get("link").is_some() {
            return Err(bad(format!("its lock links {path:?} to a place on disk")));
        }
        let integrity = package.get("integrity").and_then(Value::as_str).unwrap_or_default();
        if !integrity
            .split_whitespace()
            .any(|hash| hash.starts_with("sha512-") && hash.len() > 80)
        {
            return Err(no_lock());
        }
        installed.push(path.clone());
    }
    // A tool whose program is a package of its own for each platform is not installed without that package.
    if pin.probe.program.contains("{platform}") {
        let (system, processor) = platform;
        let program = pin
            .probe
            .program
            .replace("{platform}", &format!("{system}-{processor}"));
        if !installed.iter().any(|path| program.starts_with(&format!("{path}/"))) {
            return Err(no_lock());
        }
    }
    installed.sort();
    Ok(Checked { installed })
}

/// The packages whose scripts run are told twice, to npm by the manifest and to people by the pin.
fn check_scripts(pin: &Pin, manifest: &Value) -> Result<(), ProvisionError> {
    let Scripts::Allowed(names) = &pin.scripts else {
        return Ok(());
    };
    let allowed: Vec<&str> = manifest
        .get("allowScripts")
        .and_then(Value::as_object)
        .map(|table| {
            table
                .iter()
                .filter(|(_, yes)| **yes == Value::Bool(true))
                .map(|(name, _)| name.as_str())
                .collect()
        })
        .unwrap_or_default();
    let mut names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut listed = allowed;
    names.sort_unstable();
    listed.sort_unstable();
    if names == listed {
        Ok(())
    } else {
        Err(ProvisionError::BadPin {
            what: "its manifest allows the scripts of other packages than the pin says".into(),
        })
    }
}

/// Whether a package is for a platform: `os` and `cpu` are lists of names, or of names that are not meant.
fn applies(package: &Value, (system, processor): (&str, &str)) -> bool {
    let allows = |key: &str, mine: &str| {
        let Some(list) = package.get(key).and_then(Value::as_array) else {
            return true;
        };
        let names: Vec<&str> = list.iter().filter_map(Value::as_str).collect();
        let excluded = names.iter().any(|n| n.strip_prefix('!') == Some(mine));
        let positive: Vec<&&str> = names.iter().filter(|n| !n.starts_with('!')).collect();
        !excluded && (positive.is_empty() || positive.iter().any(|n| **n == mine))
    };
    allows("os", system) && allows("cpu", processor)
}

/// Names, in a lock that npm made, the platform packages that the registry did not hand out, so that `npm ci` finds lock and
/// manifest in agreement everywhere. They get no integrity: on their platform the pin is refused.
///
/// Only an optional package whose name ends in `-<system>-<processor>` can be named so; `None` when the text is no lock or
/// another one is missing.
pub fn complete(lock: &str) -> Option<String> {
    let mut lock: Value = serde_json::from_str(lock).ok()?;
    let packages = lock.get_mut("packages")?.as_object_mut()?;
    let mut wanted: Vec<(String, String)> = Vec::new();
    for package in packages.values() {
        if let Some(optional) = package.get("optionalDependencies").and_then(Value::as_object) {
            for (name, version) in optional {
                wanted.push((name.clone(), version.as_str()?.to_owned()));
            }
        }
    }
    for (name, version) in wanted {
        let path = format!("node_modules/{name}");
        if packages.contains_key(&path) {
            continue;
        }
        let mut parts = name.rsplit('-');
        let (processor, system) = (parts.next()?, parts.next()?);
        let known = ["darwin", "linux", "win32", "freebsd", "android"].contains(&system);
        if !known || !version.starts_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
        packages.insert(
            path,
            json!({"version": version, "cpu": [processor], "optional": true, "os": [system]}),
        );
    }
    let sorted: std::collections::BTreeMap<String, Value> = std::mem::take(packages).into_iter().collect();
    *packages = sorted.into_iter().collect::<Map<String, Value>>();
    let mut text = serde_json::to_string_pretty(&lock).ok()?;
    text.push('\n');
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use understory_ports::provisioner::Probe;

    const MANIFEST: &str = r#"{"dependencies": {"tool": "1.0.0"}}"#;

    fn hash() -> String {
        format!("sha512-{}==", "A".repeat(86))
    }

    fn pin(packages: &Value) -> Pin {
        Pin {
            tool: "tool".into(),
            version: "1.0.0".into(),
            package: "tool".into(),
            manifest: MANIFEST.into(),
            lock: Some(json!({"packages": packages}).to_string().into()),
            node: 20,
            scripts: Scripts::Denied,
            probe: Probe {
                program: "node_modules/tool-{platform}/bin/tool".into(),
                by_node: false,
                args: vec![],
                expect: "1.0.0".into(),
            },
        }
    }

    fn packages() -> Value {
        json!({
            "": {"dependencies": {"tool": "1.0.0"}},
            "node_modules/tool": {"version": "1.0.0", "integrity": hash()},
            "node_modules/tool-linux-x64": {"version": "1.0.0", "integrity": hash(), "os": ["linux"], "cpu": ["x64"]},
            "node_modules/tool-darwin-arm64": {"version": "1.0.0", "os": ["darwin"], "cpu": ["arm64"]},
        })
    }

    fn name(result: &Result<Checked, ProvisionError>) -> &'static str {
        match result {
            Ok(_) => "ok",
            Err(ProvisionError::NoLock { .. }) => "no lock",
            Err(ProvisionError::BadPin { .. }) => "bad pin",
            Err(_) => "?",
        }
    }

    #[test]
    fn every_byte_of_this_platform_has_a_sha512() {
        let good = check(&pin(&packages()), ("linux", "x64")).unwrap();
        assert_eq!(good.installed, ["node_modules/tool", "node_modules/tool-linux-x64"]);
        let of = |platform, change: fn(&mut Value)| {
            let mut packages = packages();
            change(&mut packages);
            name(&check(&pin(&packages), platform))
        };
        assert_eq!(of(("darwin", "arm64"), |_| ()), "no lock");
        assert_eq!(of(("win32", "x64"), |_| ()), "no lock");
        let linux = ("linux", "x64");
        assert_eq!(
            of(linux, |p| p["node_modules/tool"]["integrity"] = "sha1-abc".into()),
            "no lock"
        );
        assert_eq!(
            of(linux, |p| p["node_modules/tool"]["version"] = "2.0.0".into()),
            "bad pin"
        );
        assert_eq!(
            of(linux, |p| p["node_modules/../../x"] = json!({"integrity": hash()})),
            "bad pin"
        );
        assert_eq!(of(linux, |p| p["node_modules/l"] = json!({"link": true})), "bad pin");
    }

    #[test]
    fn a_pin_is_whole_or_refused() {
        let of = |change: fn(&mut Pin)| {
            let mut pin = pin(&packages());
            change(&mut pin);
            name(&check(&pin, ("linux", "x64")))
        };
        assert_eq!(of(|_| ()), "ok");
        assert_eq!(of(|p| p.lock = None), "no lock");
        assert_eq!(of(|p| p.lock = Some("{".into())), "bad pin");
        assert_eq!(of(|p| p.lock = Some("{}".into())), "bad pin");
        assert_eq!(of(|p| p.manifest = "[]".into()), "bad pin");
        assert_eq!(
            of(|p| p.manifest = r#"{"dependencies": {"tool": "^1.0.0"}}"#.into()),
            "bad pin"
        );
        assert_eq!(of(|p| p.scripts = Scripts::Allowed(vec!["grammar".into()])), "bad pin");
        assert_eq!(
            of(|p| {
                p.scripts = Scripts::Allowed(vec!["grammar".into()]);
                p.manifest =
                    r#"{"dependencies": {"tool": "1.0.0"}, "allowScripts": {"grammar": true, "x": false}}"#.into();
            }),
            "ok"
        );
    }

    #[test]
    fn platforms_are_told_by_inclusion_and_exclusion() {
        let check = |package: Value, expected| assert_eq!(applies(&package, ("linux", "x64")), expected, "{package}");
        check(json!({}), true);
        check(json!({"os": ["linux", "darwin"]}), true);
        check(json!({"os": ["darwin"]}), false);
        check(json!({"os": ["!win32"]}), true);
        check(json!({"os": ["!linux"]}), false);
        check(json!({"os": ["linux"], "cpu": ["arm64"]}), false);
    }

    #[test]
    fn a_lock_is_completed_without_inventing_integrity() {
        let lock = json!({"lockfileVersion": 3, "packages": {
            "": {},
            "node_modules/tool": {"version": "1.0.0", "integrity": hash(),
                "optionalDependencies": {"tool-linux-x64": "1.0.0", "tool-win32-arm64": "1.0.0"}},
            "node_modules/tool-linux-x64": {"version": "1.0.0", "integrity": hash(), "os": ["linux"], "cpu": ["x64"]},
        }});
        let completed: Value = serde_json::from_str(&complete(&lock.to_string()).unwrap()).unwrap();
        let added = &completed["packages"]["node_modules/tool-win32-arm64"];
        assert_eq!(
            *added,
            json!({"version": "1.0.0", "cpu": ["arm64"], "optional": true, "os": ["win32"]})
        );
        assert_eq!(
            completed["packages"]["node_modules/tool-linux-x64"]["integrity"],
            hash()
        );
        let again = complete(&completed.to_string()).unwrap();
        assert_eq!(serde_json::from_str::<Value>(&again).unwrap(), completed);
        assert_eq!(complete("{}"), None);
        let odd = json!({"packages": {"a": {"optionalDependencies": {"fsevents": "~2.3.2"}}}});
        assert_eq!(complete(&odd.to_string()), None);
    }
}
