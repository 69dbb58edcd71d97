//! A client that speaks raw lines, and a repository in a temporary directory.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// Longer than anything here takes; what takes longer hangs.
pub const LONG: Duration = Duration::from_secs(120);

pub struct Bed {
    temp: tempfile::TempDir,
}

impl Bed {
    /// Plain folders, each with its files as `folder/path`.
    pub fn new(files: &[(&str, &str)]) -> Bed {
        let bed = Bed {
            temp: tempfile::tempdir().unwrap(),
        };
        for dir in ["repo", "home", "cache"] {
            std::fs::create_dir(bed.path(dir)).unwrap();
        }
        for (path, text) in files {
            let at = bed.path(path);
            std::fs::create_dir_all(at.parent().unwrap()).unwrap();
            std::fs::write(at, text).unwrap();
        }
        bed
    }

    pub fn small() -> Bed {
        Bed::new(&[
            (
                "repo/pay.py",
                "def charge(x):\n    return x\n\n\ndef total():\n    return charge(1)\n",
            ),
            ("repo/notes.txt", "charge twice\n"),
        ])
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.temp.path().join(name)
    }

    pub fn uri(&self, name: &str) -> String {
        format!("file://{}", self.path(name).display())
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_understory"));
        command
            .args(arguments)
            .current_dir(self.path("repo"))
            .env_clear()
            .env("HOME", self.path("home"))
            .env("XDG_CACHE_HOME", self.path("cache"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    pub fn start(&self, arguments: &[&str]) -> Client {
        let mut child = self.command(arguments).spawn().unwrap();
        let stdout = child.stdout.take().unwrap();
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines() {
                let Ok(line) = line else { return };
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Client {
            stdin: child.stdin.take(),
            child,
            lines,
            others: Vec::new(),
            next: 1,
        }
    }

    /// A server that is initialized by a client without roots.
    pub fn open(&self, arguments: &[&str]) -> Client {
        let mut client = self.start(arguments);
        client.initialize(json!({}));
        client
    }
}

pub struct Client {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    /// Messages that came while another was awaited.
    others: Vec<Value>,
    next: u64,
}

impl Client {
    pub fn raw(&mut self, bytes: &[u8]) {
        self.stdin.as_mut().unwrap().write_all(bytes).unwrap();
    }

    pub fn send(&mut self, message: &Value) {
        self.raw(format!("{message}\n").as_bytes());
    }

    pub fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// Sends a request and returns its number.
    pub fn ask(&mut self, method: &str, params: Value) -> u64 {
        let id = self.next;
        self.next += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        id
    }

    /// The first message that fits, in order of arrival; the others are kept.
    pub fn wait(&mut self, fits: impl Fn(&Value) -> bool) -> Value {
        if let Some(at) = self.others.iter().position(&fits) {
            return self.others.remove(at);
        }
        loop {
            let line = self.lines.recv_timeout(LONG).expect("the server says something");
            let message: Value =
                serde_json::from_str(&line).unwrap_or_else(|e| panic!("no JSON on stdout: {e}: {line}"));
            assert_eq!(message["jsonrpc"], "2.0", "{line}");
            if fits(&message) {
                return message;
            }
            self.others.push(message);
        }
    }

    /// What came so far while other messages were awaited.
    pub fn others(&self) -> &[Value] {
        &self.others
    }

    pub fn answer(&mut self, id: u64) -> Value {
        self.wait(|m| m["id"] == json!(id) && m.get("method").is_none())
    }

    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.ask(method, params);
        let answer = self.answer(id);
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].clone()
    }

    pub fn initialize(&mut self, capabilities: Value) -> Value {
        let result = self.request(
            "initialize",
            json!({
                "protocolVersion": "2025-06-18",
                "capabilities": capabilities,
                "clientInfo": {"name": "test", "version": "0"},
            }),
        );
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        result
    }

    pub fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.request("tools/call", json!({"name": tool, "arguments": arguments}))
    }

    pub fn tools(&mut self) -> Vec<Value> {
        self.request("tools/list", json!({}))["tools"]
            .as_array()
            .unwrap()
            .clone()
    }

    /// Answers the server's next question for the roots.
    pub fn tell_roots(&mut self, roots: &Value) {
        let question = self.wait(|m| m["method"] == "roots/list");
        self.send(&json!({"jsonrpc": "2.0", "id": question["id"], "result": {"roots": roots}}));
    }

    /// Closes the server's input and waits for its end; what was still printed, and standard error.
    pub fn end(mut self) -> (ExitStatus, Vec<Value>, String) {
        drop(self.stdin.take());
        let mut rest = std::mem::take(&mut self.others);
        while let Ok(line) = self.lines.recv_timeout(LONG) {
            rest.push(serde_json::from_str(&line).unwrap());
        }
        let mut stderr = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
        (self.child.wait().unwrap(), rest, stderr)
    }

    /// Ends the server as every test does: cleanly, with nothing on standard error.
    pub fn end_cleanly(self) {
        let (status, _, stderr) = self.end();
        assert!(status.success(), "{status} {stderr}");
        assert_eq!(stderr, "");
    }
}
