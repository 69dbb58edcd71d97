//! Node.js under full enforcement.

use crate::support::{Host, helper, said};
use std::path::{Path, PathBuf};
use std::time::Duration;
use understory_ports::SandboxCommand;
use understory_ports::sandbox::{Enforcement, Require};

fn node() -> PathBuf {
    let search = std::env::var_os("PATH").expect("PATH is set");
    std::env::split_paths(&search)
        .map(|directory| directory.join("node"))
        .find(|path| path.is_file())
        .expect("Node.js is on PATH; this test needs it")
}

fn command(host: &Host, program: &Path) -> SandboxCommand {
    let mut command = SandboxCommand::new(program, host.cache())
        .read(host.tree())
        .write(host.cache())
        .pinned_locale()
        .require(Require::Enforced);
    command.limits.time = Duration::from_secs(60);
    command
}

#[tokio::test]
async fn node_reads_a_tree_and_writes_an_index() {
    let host = Host::new(helper());
    for (name, text) in [("a.js", "export const a = 1;\n"), ("sub/b.js", "import './a.js';\n")] {
        let path = host.tree().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let script = "
        const fs = require('node:fs'), path = require('node:path'), crypto = require('node:crypto');
        const { Worker, isMainThread } = require('node:worker_threads');
        const [tree, cache] = process.argv.slice(1);
        const walk = d => fs.readdirSync(d, {withFileTypes: true}).flatMap(e =>
            e.isDirectory() ? walk(path.join(d, e.name)) : [path.join(d, e.name)]);
        const index = walk(tree).map(f => [path.relative(tree, f), crypto.createHash('sha256').update(fs.readFileSync(f)).digest('hex')]);
        const worker = new Worker('require(\"node:worker_threads\").parentPort.postMessage(6 * 7)', {eval: true});
        worker.on('message', answer => {
            fs.writeFileSync(path.join(cache, 'index.tmp'), JSON.stringify({index, answer}));
            fs.renameSync(path.join(cache, 'index.tmp'), path.join(cache, 'index.json'));
            let denied = 0;
            for (const bad of [() => fs.writeFileSync(path.join(tree, 'x'), ''), () => fs.readFileSync('/etc/passwd')]) {
                try { bad(); } catch { denied++; }
            }
            console.log(denied);
        });";
    let finished = host
        .run(
            command(&host, &node())
                .args(["-e", script])
                .arg(host.tree())
                .arg(host.cache()),
        )
        .await;
    assert_eq!(said(&finished), "2\n");
    assert_eq!(finished.enforcement, Enforcement::Enforced);
    let index = std::fs::read_to_string(host.cache().join("index.json")).unwrap();
    assert!(index.contains("sub/b.js") && index.contains("\"answer\":42"), "{index}");
}
