//! Keys that name files and symbols independent of where they stand in an index.

use crate::facts::{FILE_SYMBOL, FileFacts, SymbolIx};
use sha2::{Digest, Sha256};
use std::collections::HashMap;

/// Greatest number of shards; a key's low bits say which one holds its file.
pub const MAX_SHARDS: u64 = 64;

/// Names a file: a hash of its path whose low six bits choose its shard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileKey(pub u64);

/// Names a symbol: a hash of its path, qualified name and ordinal among namesakes of one file, with the shard bits of
/// its file. An edit that moves the symbol keeps it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SymbolKey(pub u64);

fn hash(parts: &[&[u8]]) -> u64 {
    let mut h = Sha256::new();
    for part in parts {
        h.update((part.len() as u64).to_le_bytes());
        h.update(part);
    }
    let digest = h.finalize();
    u64::from_le_bytes(digest[..8].try_into().expect("a sha-256 has 32 bytes"))
}

impl FileKey {
    /// The key of a path.
    pub fn of(path: &str) -> Self {
        FileKey(hash(&[b"file", path.as_bytes()]))
    }

    /// The shard of `count` (a power of two up to 64) that holds the file.
    pub fn shard(self, count: usize) -> usize {
        (self.0 % MAX_SHARDS) as usize % count
    }

    /// The key of the file's own symbol.
    pub fn symbol(self) -> SymbolKey {
        SymbolKey(self.0)
    }
}

impl SymbolKey {
    /// The shard that holds the symbol's file.
    pub fn shard(self, count: usize) -> usize {
        (self.0 % MAX_SHARDS) as usize % count
    }
}

/// The keys of a file's symbols, in order.
pub fn symbol_keys(path: &str, facts: &FileFacts) -> Vec<SymbolKey> {
    let file = FileKey::of(path);
    let mut seen: HashMap<String, u32> = HashMap::new();
    (0..facts.symbols.len() as SymbolIx)
        .map(|ix| {
            let qualified = facts.qualified(ix);
            let ordinal = seen.entry(qualified.clone()).or_insert(0);
            let h = hash(&[b"symbol", path.as_bytes(), qualified.as_bytes(), &ordinal.to_le_bytes()]);
            *ordinal += 1;
            SymbolKey(h & !(MAX_SHARDS - 1) | (file.0 % MAX_SHARDS))
        })
        .collect()
}

/// The key of one symbol or of the file, given [`symbol_keys`].
pub fn key_of(file: FileKey, keys: &[SymbolKey], symbol: SymbolIx) -> SymbolKey {
    if symbol == FILE_SYMBOL {
        file.symbol()
    } else {
        keys[symbol as usize]
    }
}

/// Number of shards for a tree of `files` files.
pub fn shard_count(files: usize) -> usize {
    match files {
        0..=63 => 1,
        64..=511 => 4,
        512..=4095 => 16,
        _ => 64,
    }
}
