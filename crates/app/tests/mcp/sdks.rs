//! The official clients: the TypeScript SDK from npm and the Python SDK from PyPI, installed for the test alone.

use crate::support::Bed;
use std::process::Command;

fn bed() -> Bed {
    Bed::new(&[
        (
            "repo/pay.py",
            "def charge(x):\n    return x\n\n\ndef total():\n    return charge(1)\n",
        ),
        ("other/side.py", "def side():\n    pass\n"),
        ("sdk/client.mjs", include_str!("sdks/client.mjs")),
        ("sdk/client.py", include_str!("sdks/client.py")),
    ])
}

fn run(what: &str, command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|e| panic!("{what}: {e}"));
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{what}: {}\n{stdout}\n{stderr}", output.status);
    stdout
}

#[test]
fn the_typescript_client_is_served() {
    let bed = bed();
    let sdk = bed.path("sdk");
    run(
        "npm install",
        Command::new("npm")
            .args([
                "install",
                "--no-audit",
                "--no-fund",
                "--ignore-scripts",
                "@modelcontextprotocol/sdk@1",
            ])
            .current_dir(&sdk),
    );
    let said = run(
        "node client.mjs",
        Command::new("node")
            .arg("client.mjs")
            .arg(env!("CARGO_BIN_EXE_understory"))
            .arg(bed.path(""))
            .current_dir(&sdk),
    );
    assert_eq!(said.trim(), "all of it");
}

#[test]
fn the_python_client_is_served() {
    let bed = bed();
    let sdk = bed.path("sdk");
    run(
        "python3 -m venv",
        Command::new("python3").args(["-m", "venv", "venv"]).current_dir(&sdk),
    );
    let python = sdk.join(if cfg!(windows) {
        "venv/Scripts/python.exe"
    } else {
        "venv/bin/python"
    });
    run(
        "pip install mcp",
        Command::new(&python)
            .args([
                "-m",
                "pip",
                "install",
                "--quiet",
                "--disable-pip-version-check",
                "mcp>=1.10,<2",
            ])
            .current_dir(&sdk),
    );
    let said = run(
        "client.py",
        Command::new(&python)
            .arg("client.py")
            .arg(env!("CARGO_BIN_EXE_understory"))
            .arg(bed.path(""))
            .current_dir(&sdk),
    );
    assert_eq!(said.trim(), "all of it");
}
