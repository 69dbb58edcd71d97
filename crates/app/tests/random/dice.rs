//! Random tools and arguments, the same ones for a seed: some good, some nearly, some nonsense.

use serde_json::{Map, Value, json};

/// How many rounds: `UNDERSTORY_ROUNDS`, else as many as a test may take.
pub fn rounds() -> u64 {
    let named = std::env::var("UNDERSTORY_ROUNDS").ok();
    named.map_or(2_000, |n| n.parse().expect("UNDERSTORY_ROUNDS is a number"))
}

/// A generator of numbers (xorshift).
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % most
    }

    pub fn one_of<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }
}

const TOOLS: &[&str] = &[
    "search_code",
    "search_code",
    "search_code",
    "search_text",
    "read_file",
    "list_files",
    "stage_write",
    "unstage",
    "staged",
];
const KEYS: &[&str] = &[
    "mode",
    "query",
    "file",
    "scope",
    "direction",
    "depth",
    "limit",
    "pattern",
    "path",
    "start",
    "end",
    "glob",
    "content",
    "delete",
    "root",
    "nope",
];
const WORDS: &[&str] = &[
    "ask",
    "grep",
    "callers",
    "skeleton",
    "map",
    "explore",
    "in",
    "out",
    "charge",
    "total",
    "Shop.charge",
    "src/shop.py#total",
    "src",
    "src/shop.py",
    "src/deep",
    "a b.py",
    "notes.md",
    "blob.bin",
    "empty.rs",
    "new/file.py",
    ".env",
    ".git/config",
    "../up",
    "/etc/passwd",
    "C:\\x",
    "*.py",
    "src/**/*.ts",
    "!*.md",
    "[a",
    "(",
    "(?i)TOTAL",
    "^.*$",
    "a{1000}{1000}",
    "\\b",
    "$",
    "(?-u)\\xff",
    "",
    " ",
    "\0",
    "\n",
    "\u{202e}x",
    "é",
    "𝒳🦀",
    "-1",
    "1",
    "3",
    "40",
    "99999999999999999999",
    "1.5",
    "true",
    "false",
    "null",
    "--help",
    "$(x)",
    "\"'`",
    "def f():\n    return total(f)\n",
    "class Shop:\n  pass",
    "::",
    "#",
    ".",
    "a.b.c.d",
];

fn text(dice: &mut Dice) -> String {
    match dice.below(12) {
        0 => {
            let length = dice.below(40);
            (0..length)
                .filter_map(|_| char::from_u32(dice.below(0x3000) as u32))
                .collect()
        }
        1 => {
            let (a, b) = (*dice.one_of(WORDS), *dice.one_of(WORDS));
            format!("{a}{b}")
        }
        2 => dice.one_of(WORDS).repeat(dice.below(3_000)),
        _ => (*dice.one_of(WORDS)).to_owned(),
    }
}

fn value(dice: &mut Dice, depth: usize) -> Value {
    match dice.below(16) {
        0 => Value::Null,
        1 => json!(dice.below(2) == 0),
        2 | 3 => json!(dice.below(100)),
        4 => dice
            .one_of(&[
                json!(-1),
                json!(i64::MIN),
                json!(u64::MAX),
                json!(1e300),
                json!(0.5),
                json!(-0.0),
            ])
            .clone(),
        5 if depth < 4 => (0..dice.below(4)).map(|_| value(dice, depth + 1)).collect(),
        6 if depth < 4 => {
            let mut object = Map::new();
            for _ in 0..dice.below(4) {
                object.insert(text(dice), value(dice, depth + 1));
            }
            Value::Object(object)
        }
        _ => json!(text(dice)),
    }
}

pub fn tool(dice: &mut Dice) -> String {
    match dice.below(50) {
        0 => text(dice),
        _ => (*dice.one_of(TOOLS)).to_owned(),
    }
}

pub fn arguments(dice: &mut Dice) -> Value {
    const MODES: &[&str] = &["ask", "grep", "callers", "skeleton", "map", "explore"];
    const FILES: &[&str] = &[
        "src/shop.py",
        "a b.py",
        "new/file.py",
        "notes.md",
        "src/deep/app.ts",
        "src",
    ];
    match dice.below(10) {
        // Whole calls of each kind, with words where words belong.
        0 | 1 => {
            let mut call = json!({"mode": dice.one_of(MODES), "query": text(dice), "file": dice.one_of(FILES)});
            if dice.below(3) == 0 {
                call["depth"] = value(dice, 9);
                call["limit"] = value(dice, 9);
            }
            call
        }
        2 => json!({"pattern": text(dice)}),
        3 => json!({"path": dice.one_of(FILES)}),
        4 => json!({"path": dice.one_of(FILES), "content": text(dice)}),
        5 => json!({"glob": text(dice)}),
        6 => json!({}),
        7 => value(dice, 0),
        _ => {
            let mut object = Map::new();
            for _ in 0..dice.below(6) {
                object.insert((*dice.one_of(KEYS)).to_owned(), value(dice, 0));
            }
            Value::Object(object)
        }
    }
}
