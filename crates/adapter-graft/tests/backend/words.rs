//! What a model says reaches the program as data, and the program is sealed.

use crate::support::{Host, code, names, query};
use understory_core::RefusalCode;
use understory_core::query::Mode;

#[tokio::test]
async fn words_stay_data_in_every_mode() {
    let host = Host::new();
    host.write(
        "src/odd.py",
        "def init(x):\n    return \"--deep\"\n\n\ndef viz(x):\n    return init(x)\n\n\ndef mcp(x):\n    return viz(x)\n",
    );
    let backend = host.backend(&[]);
    // Ordinary names that are words of Graft's command line too.
    for (name, caller) in [("init", "viz"), ("viz", "mcp")] {
        let answer = host.ask(&backend, &query(Mode::Callers, name)).await.unwrap();
        assert_eq!(names(&answer), [caller]);
        let answer = host.ask(&backend, &query(Mode::Ask, name)).await.unwrap();
        assert_eq!(names(&answer)[0], name);
    }
    let answer = host.ask(&backend, &query(Mode::Grep, "--deep")).await.unwrap();
    assert_eq!(names(&answer), ["init"]);
    let long = "x".repeat(100_000);
    for words in [
        "--deep",
        "-x",
        "--",
        "--dir=/",
        "a \"b\" 'c' \\\\",
        "$(id); `id` && x | y > z",
        "a\nb\tc",
        "é 🦎",
        "a\0b",
    ] {
        for mode in [Mode::Ask, Mode::Grep, Mode::Callers, Mode::Explore] {
            let words = if mode == Mode::Grep {
                regex_of(words)
            } else {
                words.to_owned()
            };
            match host.ask(&backend, &query(mode, &words)).await {
                Ok(_) => {}
                Err(error) => {
                    let refusal = error.into_refusal();
                    let known = [RefusalCode::NoSymbol, RefusalCode::BadQuery];
                    assert!(known.contains(&refusal.code), "{mode:?} {words:?}: {refusal:?}");
                }
            }
        }
    }
    for mode in [Mode::Ask, Mode::Grep, Mode::Callers, Mode::Explore] {
        assert_eq!(
            code(host.ask(&backend, &query(mode, &long)).await).0,
            RefusalCode::BadQuery
        );
    }
    for mode in [Mode::Ask, Mode::Callers, Mode::Explore] {
        for blank in ["", "  ", "\n\0"] {
            assert_eq!(
                code(host.ask(&backend, &query(mode, blank)).await).0,
                RefusalCode::NoQuery
            );
        }
    }
    for start in host.starts() {
        let argv: Vec<&str> = start["argv"]
            .as_array()
            .unwrap()
            .iter()
            .map(|a| a.as_str().unwrap())
            .collect();
        assert_eq!(argv[0], "--dir", "{argv:?}");
        let dashes = argv.iter().position(|a| *a == "--").unwrap();
        let framework = &argv[..dashes];
        for forbidden in ["--deep", "--lsp", "blast", "init", "viz", "mcp"] {
            assert!(!framework.contains(&forbidden), "{argv:?}");
        }
        assert_eq!(
            argv.last().unwrap(),
            &host.path("repo").to_str().unwrap(),
            "the tree is always named"
        );
        assert!(argv.contains(&"--json") || argv.contains(&"build"), "{argv:?}");
    }
}

fn regex_of(words: &str) -> String {
    // A backslash at the end is no pattern; everything else is one or is refused.
    words.replace('\\', "\\\\")
}

#[tokio::test]
async fn every_process_is_sealed() {
    let host = Host::new();
    let backend = host.backend(&[]);
    for question in crate::support::questions() {
        host.ask(&backend, &question).await.unwrap();
    }
    let log = std::fs::read_to_string(host.cache().join("graft/home/log.jsonl")).unwrap();
    let home = host.cache().join("graft/home");
    assert!(log.lines().count() >= 8, "the probe is there too: {log}");
    for line in log.lines() {
        let start: serde_json::Value = serde_json::from_str(line).unwrap();
        let env = start["env"].as_object().unwrap();
        for (name, value) in [
            ("DO_NOT_TRACK", "1"),
            ("GRAFT_NO_REFRESH", "1"),
            ("GRAFT_NO_GITIGNORE", "1"),
            ("LC_ALL", "C"),
            ("OPENSSL_CONF", "/dev/null"),
            ("GIT_CONFIG_NOSYSTEM", "1"),
            ("HOME", home.to_str().unwrap()),
            ("PATH", host.cache().join("graft/bin").to_str().unwrap()),
        ] {
            assert_eq!(env[name], value, "{name}");
        }
        assert_eq!(start["cwd"], host.cache().join("graft/work").to_str().unwrap());
        assert!(env.contains_key("TMPDIR"));
        for (name, value) in env {
            assert!(!value.as_str().unwrap().contains("planted"), "{name}={value}");
            assert!(
                !name.starts_with("NODE_") && !name.ends_with("_API_KEY") && name != "GRAFT_DIR",
                "{name}"
            );
        }
    }
    assert!(!home.join("npm-started").exists() && !home.join("telemetry.json").exists());
}
