//! Random calls of every tool over the real adapters: each is answered or refused by name, none panics or hangs, none is
//! longer than its bound or names a host path. `benches/random.sh` makes a hundred thousand of them.

#![expect(
    clippy::disallowed_methods,
    reason = "the number of rounds comes from the environment"
)]

#[path = "random/dice.rs"]
mod dice;

use dice::{Dice, arguments, rounds, tool};
use std::sync::Arc;
use std::time::Duration;
use understory_adapter_native::{NativeConfig, NativeSearch};
use understory_adapter_text::RipgrepText;
use understory_adapter_worktree::GitWorktree;
use understory_core::guard::Guard;
use understory_core::limits::TEXT_CHARS;
use understory_core::refusal::RefusalCode;
use understory_ports::CallContext;
use understory_session::{Options, Ports, Session, ToolSet, model_text};

#[test]
fn every_random_call_is_answered_or_refused_by_name() {
    let temp = tempfile::tempdir().unwrap();
    let root = temp.path().join("repo");
    for (path, bytes) in [
        ("src/shop.py", &b"import os\n\n\nclass Shop:\n    def charge(self, x):\n        return x\n\n\ndef total(s):\n    return s.charge(1)\n"[..]),
        ("src/deep/app.ts", b"export function charge(x: number) { return total(x) }\nfunction total(x: number) { return x }\n"),
        ("a b.py", b"def odd():\n    pass\n"),
        ("notes.md", b"# charge\n\ntotal [redact] sk-not-a-key\n"),
        ("blob.bin", b"\0\x01\x02"),
        ("latin.txt", b"caf\xe9\r\n"),
        ("empty.rs", b""),
        (".env", b"KEY=1\n"),
    ] {
        let at = root.join(path);
        std::fs::create_dir_all(at.parent().unwrap()).unwrap();
        std::fs::write(at, bytes).unwrap();
    }
    let guard = Arc::new(Guard::default());
    let cache = temp.path().join("cache");
    let ports = Ports {
        search: Arc::new(NativeSearch::new(NativeConfig {
            cache: Some(cache.clone()),
            guard: guard.clone(),
        })),
        text: Arc::new(RipgrepText::new(guard)),
        worktree: Arc::new(GitWorktree::new(Some(cache)).with_user_excludes(None)),
    };
    let options = Options {
        tools: ToolSet::read_only().with_staging(),
        ..Options::default()
    };
    let session = Session::open(&root, ports, options);
    let host = temp.path().to_str().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let mut dice = Dice::new(1);
    let mut answered = 0;
    let rounds = rounds();
    for round in 0..rounds {
        let (name, arguments) = (tool(&mut dice), arguments(&mut dice));
        let cx = CallContext::new().with_timeout(Duration::from_secs(120));
        let answer = runtime.block_on(session.call(&name, &arguments, &cx));
        let about = || format!("round {round}: {name} {arguments}");
        assert_eq!(answer.ok, answer.refusal.is_none(), "{}", about());
        let late = answer.refusal.as_ref().is_some_and(|r| {
            matches!(
                r.code,
                RefusalCode::Timeout | RefusalCode::BadOutput | RefusalCode::Busy
            )
        });
        assert!(!late, "{}: {answer:?}", about());
        let text = answer.text.as_deref().unwrap_or_default();
        assert!(text.chars().count() <= TEXT_CHARS, "{}", about());
        assert!(!model_text(&answer).is_empty(), "{}", about());
        let json = serde_json::to_string(&answer).unwrap();
        assert!(!json.contains(host), "{}: {json}", about());
        answered += u64::from(answer.ok);
    }
    // A generator that only ever makes nonsense shows nothing.
    assert!(answered * 10 > rounds, "{answered} of {rounds} calls were answered");
}
