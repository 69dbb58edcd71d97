//! A package registry on loopback, with packages that the test makes.

use base64::Engine as _;
use sha2::{Digest as _, Sha512};
use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// One package in one version.
pub struct Package {
    name: String,
    manifest: serde_json::Value,
    tarball: Vec<u8>,
}

impl Package {
    /// Packs files. `manifest` is merged over a name and version 1.0.0.
    pub fn new(name: &str, manifest: serde_json::Value, files: &[(&str, &str, bool)]) -> Self {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().join("package");
        fs::create_dir(&root).unwrap();
        let mut whole = serde_json::json!({"name": name, "version": "1.0.0"});
        for (key, value) in manifest.as_object().unwrap() {
            whole[key] = value.clone();
        }
        write(&root, "package.json", &whole.to_string(), false);
        for (path, text, executable) in files {
            write(&root, path, text, *executable);
        }
        let archive = place.path().join("package.tgz");
        let packed = Command::new("tar")
            .arg("czf")
            .arg(&archive)
            .arg("-C")
            .arg(place.path())
            .arg("package")
            .status()
            .expect("tar is on PATH");
        assert!(packed.success());
        Package {
            name: name.to_owned(),
            manifest: whole,
            tarball: fs::read(archive).unwrap(),
        }
    }
}

fn write(root: &Path, path: &str, text: &str, executable: bool) {
    use std::os::unix::fs::PermissionsExt as _;
    let file = root.join(path);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, text).unwrap();
    let mode = if executable { 0o755 } else { 0o644 };
    fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
}

/// A registry that is served until the process ends.
pub struct Registry {
    address: String,
    state: Arc<State>,
}

#[derive(Default)]
struct State {
    packages: Mutex<BTreeMap<String, Package>>,
    tarballs: AtomicUsize,
    /// Hands out other bytes than the lock names.
    altered: AtomicBool,
    /// Begins an answer and never ends it.
    stalls: AtomicBool,
}

impl Registry {
    pub fn serve(packages: Vec<Package>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}/", listener.local_addr().unwrap());
        let state = Arc::new(State::default());
        state
            .packages
            .lock()
            .unwrap()
            .extend(packages.into_iter().map(|p| (p.name.clone(), p)));
        let (shared, base) = (state.clone(), address.clone());
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (state, base) = (shared.clone(), base.clone());
                std::thread::spawn(move || answer(&state, &base, stream));
            }
        });
        Registry { address, state }
    }

    /// Its address, as npm wants it.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Packages that were handed out so far.
    pub fn fetches(&self) -> usize {
        self.state.tarballs.load(Ordering::SeqCst)
    }

    pub fn alter(&self, altered: bool) {
        self.state.altered.store(altered, Ordering::SeqCst);
    }

    pub fn stall(&self, stalls: bool) {
        self.state.stalls.store(stalls, Ordering::SeqCst);
    }
}

fn answer(state: &State, base: &str, mut stream: TcpStream) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    loop {
        let mut request = String::new();
        if reader.read_line(&mut request).unwrap_or(0) == 0 {
            return;
        }
        let mut header = String::from("x");
        while !header.trim().is_empty() {
            header.clear();
            if reader.read_line(&mut header).unwrap_or(0) == 0 {
                return;
            }
        }
        let path = request.split_whitespace().nth(1).unwrap_or("/").trim_start_matches('/');
        let path = path.replace("%2f", "/").replace("%2F", "/");
        let (status, kind, mut body) = find(state, base, &path);
        let tarball = path.ends_with(".tgz");
        if tarball {
            state.tarballs.fetch_add(1, Ordering::SeqCst);
            if state.altered.load(Ordering::SeqCst) {
                body.push(0);
            }
        }
        let head = format!(
            "HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        let _ = stream.write_all(head.as_bytes());
        if tarball && state.stalls.load(Ordering::SeqCst) {
            std::thread::sleep(Duration::from_secs(3600));
        }
        if stream.write_all(&body).is_err() {
            return;
        }
    }
}

fn find(state: &State, base: &str, path: &str) -> (&'static str, &'static str, Vec<u8>) {
    let packages = state.packages.lock().unwrap();
    let tarball = path.strip_suffix(".tgz").and_then(|p| p.strip_prefix("tarballs/"));
    if let Some(package) = tarball.and_then(|name| packages.get(name)) {
        return ("200 OK", "application/octet-stream", package.tarball.clone());
    }
    let Some(package) = packages.get(path) else {
        return ("404 Not Found", "application/json", b"{}".to_vec());
    };
    let hash = base64::engine::general_purpose::STANDARD.encode(Sha512::digest(&package.tarball));
    let mut version = package.manifest.clone();
    version["dist"] = serde_json::json!({
        "tarball": format!("{base}tarballs/{path}.tgz"),
        "integrity": format!("sha512-{hash}"),
    });
    let number = version["version"].as_str().unwrap().to_owned();
    let about = serde_json::json!({
        "name": path,
        "dist-tags": {"latest": number},
        "versions": {number.as_str(): version},
    });
    ("200 OK", "application/json", about.to_string().into_bytes())
}
