//! A fast hash for names and small keys. Not for hostile sizes: tables that use it are bounded by the tree, and every hit
//! by name is compared with the name itself.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

/// Multiply-and-rotate hashing, eight bytes at a time.
#[derive(Clone, Copy, Default)]
pub struct Fast(u64);

const SEED: u64 = 0x51_7c_c1_b7_27_22_0a_95;

impl Fast {
    fn mix(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(SEED);
    }
}

impl Hasher for Fast {
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            self.mix(u64::from_le_bytes(*word));
        }
        let mut last = [0u8; 8];
        last[..rest.len()].copy_from_slice(rest);
        self.mix(u64::from_le_bytes(last) ^ ((bytes.len() as u64) << 56));
    }
    fn write_u8(&mut self, n: u8) {
        self.mix(u64::from(n));
    }
    fn write_u32(&mut self, n: u32) {
        self.mix(u64::from(n));
    }
    fn write_u64(&mut self, n: u64) {
        self.mix(n);
    }
    fn write_usize(&mut self, n: usize) {
        self.mix(n as u64);
    }
    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 29)
    }
}

/// A map with the fast hash.
pub type FastMap<K, V> = HashMap<K, V, BuildHasherDefault<Fast>>;
/// A set with the fast hash.
pub type FastSet<K> = HashSet<K, BuildHasherDefault<Fast>>;

/// A map keyed by texts out of files, with seeded hashes: no file can be made so that its texts collide.
pub type TextMap<K, V> = HashMap<K, V, foldhash::fast::RandomState>;

/// The hash of a name; equal in every file.
pub fn name_hash(name: &str) -> u64 {
    let mut hasher = Fast::default();
    hasher.write(name.as_bytes());
    hasher.finish()
}
