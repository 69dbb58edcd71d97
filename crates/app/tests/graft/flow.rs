//! From a registry to an answer.

use crate::registry::{Package, Registry};
use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};
use tempfile::TempDir;

struct Host {
    root: TempDir,
    registry: Option<String>,
}

impl Host {
    fn new(registry: Option<&Registry>) -> Host {
        let host = Host {
            root: tempfile::tempdir().unwrap(),
            registry: registry.map(|r| r.address().to_owned()),
        };
        fs::create_dir_all(host.path("repo/src")).unwrap();
        fs::write(
            host.path("repo/src/a.py"),
            "def leaf(x):\n    return x\n\ndef middle(x):\n    return leaf(x)\n",
        )
        .unwrap();
        host
    }

    fn path(&self, relative: &str) -> PathBuf {
        self.root.path().canonicalize().unwrap().join(relative)
    }

    fn understory(&self, args: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_understory"));
        command.args(["--backend", "graft", "--require-sandbox", "--repo"]);
        command
            .arg(self.path("repo"))
            .arg("--cache")
            .arg(self.path("cache"))
            .args(args);
        if let Some(registry) = &self.registry {
            command
                .env("npm_config_registry", registry)
                .env("npm_config_fetch_retries", "0");
        }
        command.output().unwrap()
    }

    fn json(&self, args: &[&str]) -> Value {
        let done = self.understory(args);
        let out = String::from_utf8(done.stdout).unwrap();
        serde_json::from_str(&out).unwrap_or_else(|e| panic!("{e}: {out} {}", String::from_utf8_lossy(&done.stderr)))
    }

    fn callers(&self) -> Value {
        let call = json!({"mode": "callers", "query": "leaf"}).to_string();
        self.json(&["tool", "search_code", &call])
    }
}

fn graft() -> Package {
    Package::new(
        "@nanonets/graft",
        json!({"version": "0.16.0", "bin": {"graft": "dist/cli.js"}}),
        &[("dist/cli.js", include_str!("cli.js"), true)],
    )
}

#[test]
fn what_is_provisioned_answers_and_a_query_never_installs() {
    let registry = Registry::serve(vec![graft()]);
    let host = Host::new(Some(&registry));
    let before = fs::read(host.path("repo/src/a.py")).unwrap();
    // A question with nothing installed is refused, and fetches nothing.
    let refused = host.callers();
    assert_eq!(refused["refusal"]["code"], "search_code.unavailable", "{refused}");
    let text = refused["refusal"]["message"].as_str().unwrap();
    assert!(text.contains("understory provision --backend graft"), "{text}");
    assert_eq!(registry.fetches(), 0);
    // Without a lock nothing says what the bytes must be.
    let told = host.json(&["provision", "--json"]);
    let text = told["tools"][0]["refusal"]["message"].as_str().unwrap();
    assert!(text.contains("--write-lock"), "{told}");
    let told = host.json(&["provision", "--write-lock", "--json"]);
    assert_eq!(told["ok"], true, "{told}");
    let lock: Value = serde_json::from_slice(&fs::read(host.path("cache/locks/graft-0.16.0.json")).unwrap()).unwrap();
    let integrity = lock["packages"]["node_modules/@nanonets/graft"]["integrity"]
        .as_str()
        .unwrap();
    assert!(integrity.starts_with("sha512-"), "{lock}");
    let told = host.json(&["provision", "--json"]);
    assert_eq!(told["ok"], true, "{told}");
    let fetched = registry.fetches();
    let answer = host.callers();
    assert_eq!(answer["hits"][0]["symbol"]["name"], "middle", "{answer}");
    assert_eq!(answer["hits"][0]["lines"][0]["line"], 5, "{answer}");
    assert_eq!(answer["backend"], json!({"name": "graft", "version": "0.16.0"}));
    let ids: Vec<&str> = answer["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|f| f["id"].as_str().unwrap())
        .collect();
    assert!(
        ids.contains(&"search_code.index") && !ids.contains(&"graft.sandbox"),
        "{ids:?}"
    );
    assert_eq!(registry.fetches(), fetched, "a query fetches nothing");
    assert_eq!(fs::read(host.path("repo/src/a.py")).unwrap(), before);
    assert_eq!(fs::read_dir(host.path("repo")).unwrap().count(), 1);
    let doctor = host.json(&["doctor", "--json"]);
    let checks = doctor["checks"].as_array().unwrap();
    let of = |id: &str| {
        checks
            .iter()
            .find(|c| c["id"] == id)
            .unwrap_or_else(|| panic!("{id}: {doctor}"))
    };
    assert_eq!(of("graft probe")["message"], "answers as version 0.16.0", "{doctor}");
    assert_eq!(of("graft")["grade"], "ok", "{doctor}");
}

#[test]
fn what_a_registry_does_not_serve_is_unavailable_in_npms_own_words() {
    let empty = Registry::serve(Vec::new());
    let told = Host::new(Some(&empty)).json(&["provision", "--write-lock", "--json"]);
    let refusal = &told["tools"][0]["refusal"];
    assert_eq!(refusal["code"], "search_code.unavailable", "{told}");
    let text = refusal["message"].as_str().unwrap();
    assert!(text.contains("404") && text.contains("@nanonets/graft"), "{text}");
}

#[test]
fn the_hosts_registry_serves_graft_or_says_that_it_does_not() {
    let host = Host::new(None);
    let told = host.json(&["provision", "--write-lock", "--json"]);
    if told["ok"] == true {
        let lock: Value =
            serde_json::from_slice(&fs::read(host.path("cache/locks/graft-0.16.0.json")).unwrap()).unwrap();
        assert_eq!(lock["packages"]["node_modules/@nanonets/graft"]["version"], "0.16.0");
        return;
    }
    let refusal = &told["tools"][0]["refusal"];
    assert_eq!(refusal["code"], "search_code.unavailable", "{told}");
    let text = refusal["message"].as_str().unwrap();
    assert!(text.contains("npm error") && text.contains("@nanonets/graft"), "{text}");
    let answer = host.callers();
    assert_eq!(answer["refusal"]["code"], "search_code.unavailable", "{answer}");
}
