//! Secrets of the parent that a child must not see, planted in a parent of their own.

use crate::support::{Host, helper, said};
use std::os::fd::AsRawFd as _;
use std::process::Command;
use understory_adapter_sandbox::{Helper, HostEnvironment, SandboxConfig, SubprocessSandbox};
use understory_ports::sandbox::Require;
use understory_ports::{CallContext, Sandbox, SandboxCommand};

const ATTEMPT: &str = env!("CARGO_BIN_EXE_understory-sandbox-attempt");

const SECRETS: &[&str] = &[
    "OPENAI_API_KEY",
    "ANTHROPIC_API_KEY",
    "GEMINI_API_KEY",
    "MISTRAL_API_KEY",
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "AZURE_CLIENT_SECRET",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "GITHUB_TOKEN",
    "GH_TOKEN",
    "GITLAB_TOKEN",
    "NPM_TOKEN",
    "NODE_AUTH_TOKEN",
    "npm_config__authToken",
    "SSH_AUTH_SOCK",
    "SSH_AGENT_PID",
    "GPG_AGENT_INFO",
    "GIT_ASKPASS",
    "GIT_CONFIG_PARAMETERS",
    "DATABASE_URL",
    "PGPASSWORD",
    "KUBECONFIG",
    "DOCKER_CONFIG",
    "VAULT_TOKEN",
    "SOME_TOOL_TOKEN",
    "SOME_TOOL_API_KEY",
    "NODE_OPTIONS",
    "LD_PRELOAD_PATHS",
];

#[tokio::test]
async fn no_variable_of_the_parent_reaches_the_child() {
    // Positive control: an ordinary child sees every one of them.
    let output = Command::new(ATTEMPT)
        .arg("environment")
        .envs(
            SECRETS
                .iter()
                .map(|name| (*name, "planted-secret"))
                .filter(|(n, _)| *n != "NODE_OPTIONS"),
        )
        .env("NODE_OPTIONS", "planted-secret")
        .output()
        .unwrap();
    let seen = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(seen.matches("planted-secret").count(), SECRETS.len(), "{seen}");

    for mode in [helper(), Helper::None] {
        let host = Host::new(mode.clone());
        let planted = SECRETS.iter().map(|name| (name.into(), "planted-secret".into()));
        let sandbox = SubprocessSandbox::new(SandboxConfig {
            environment: HostEnvironment::from_variables(planted.chain([("PATH".into(), "/bin".into())])),
            scratch: host.scratch(),
            helper: mode,
        });
        let finished = sandbox
            .run(
                SandboxCommand::new(ATTEMPT, "/").arg("environment"),
                &CallContext::new(),
            )
            .await
            .unwrap();
        let seen = said(&finished);
        assert!(!seen.contains("planted-secret"), "{seen}");
        let mut names: Vec<&str> = seen.lines().filter_map(|l| Some(l.split_once('=')?.0)).collect();
        names.sort_unstable();
        assert_eq!(names, ["HOME", "PATH", "TMPDIR"]);
    }
}

#[tokio::test]
async fn no_descriptor_of_the_parent_reaches_the_child() {
    let host = Host::new(helper());
    let secret = host.cache().join("open");
    std::fs::write(&secret, "planted-secret").unwrap();
    let file = std::fs::File::open(&secret).unwrap();
    // A library that forgot the flag that closes a descriptor when a program is executed.
    rustix::io::fcntl_setfd(&file, rustix::io::FdFlags::empty()).unwrap();
    let output = Command::new(ATTEMPT).arg("descriptors").output().unwrap();
    let outside = String::from_utf8_lossy(&output.stdout).into_owned();
    let number = file.as_raw_fd().to_string();
    assert!(outside.split_whitespace().any(|n| n == number), "{outside}");
    let command = SandboxCommand::new(ATTEMPT, "/")
        .arg("descriptors")
        .require(Require::Enforced);
    assert_eq!(said(&host.run(command).await), "0 1 2\n");
}

#[tokio::test]
async fn no_configuration_of_the_home_reaches_the_child() {
    let host = Host::new(helper());
    let home = tempfile::tempdir().unwrap();
    for name in [".npmrc", ".netrc", ".gitconfig", ".git-credentials", ".env"] {
        std::fs::write(home.path().join(name), "planted-secret").unwrap();
        let path = home.path().join(name).display().to_string();
        assert!(
            Command::new(ATTEMPT)
                .args(["read", &path])
                .output()
                .unwrap()
                .status
                .success()
        );
        let finished = host.run(SandboxCommand::new(ATTEMPT, "/").args(["read", &path])).await;
        assert!(!finished.outcome.success(), "{name}");
    }
    let finished = host.run(host.sh("ls -a \"$HOME\"")).await;
    assert_eq!(said(&finished), ".\n..\n");
}
