//! The container of a stored part: named sections in one buffer, bounds checked at open, each section's checksum at its
//! first use.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

const MAGIC: &[u8; 8] = b"USTYPART";
/// Version of the layout and of everything that goes into parts; two versions never read each other's index.
pub const FORMAT: u32 = 1;
const HEAD: usize = 16;
const ENTRY: usize = 24;

/// Bytes of a part, mapped from a file or held in memory.
pub enum Bytes {
    /// Held in memory.
    Owned(Vec<u8>),
    /// A read-only map of a file that is only ever replaced by renaming.
    Mapped(memmap2::Mmap),
}

impl Deref for Bytes {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        match self {
            Bytes::Owned(v) => v,
            Bytes::Mapped(m) => m,
        }
    }
}

/// Why a part cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Damage {
    /// Not a part, or of another version.
    #[error("it is no part of this version")]
    Foreign,
    /// A section lies outside the file, or is misshapen.
    #[error("section {0} lies outside the file or is misshapen")]
    Bounds(u32),
    /// A section's bytes are not those that were written.
    #[error("section {0} does not match its checksum")]
    Checksum(u32),
}

/// A part: sections by number.
pub struct Part {
    bytes: Arc<Bytes>,
    sections: Vec<Section>,
    checked: AtomicU64,
}

#[derive(Clone, Copy)]
struct Section {
    start: usize,
    len: usize,
    crc: u32,
}

impl fmt::Debug for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Part")
            .field("bytes", &self.bytes.len())
            .field("sections", &self.sections.len())
            .finish()
    }
}

impl Part {
    /// Opens a part: checks its head and that every section lies inside.
    pub fn open(bytes: Bytes) -> Result<Part, Damage> {
        let b: &[u8] = &bytes;
        if b.len() < HEAD || &b[..8] != MAGIC || read_u32(b, 8) != FORMAT {
            return Err(Damage::Foreign);
        }
        let count = read_u32(b, 12) as usize;
        if count > 64 || b.len() < HEAD + count * ENTRY {
            return Err(Damage::Foreign);
        }
        let mut sections = Vec::with_capacity(count);
        for i in 0..count {
            let at = HEAD + i * ENTRY;
            let (start, len) = (read_u64(b, at), read_u64(b, at + 8));
            let inside = start.checked_add(len).is_some_and(|end| end <= b.len() as u64);
            if !inside {
                return Err(Damage::Bounds(i as u32));
            }
            sections.push(Section {
                start: start as usize,
                len: len as usize,
                crc: read_u32(b, at + 16),
            });
        }
        Ok(Part {
            bytes: Arc::new(bytes),
            sections,
            checked: AtomicU64::new(0),
        })
    }

    /// The bytes of a section. Its checksum is compared the first time.
    pub fn section(&self, number: u32) -> Result<&[u8], Damage> {
        let s = self.sections.get(number as usize).ok_or(Damage::Bounds(number))?;
        let bytes = &self.bytes[s.start..s.start + s.len];
        let bit = 1u64 << number;
        if self.checked.load(Ordering::Relaxed) & bit == 0 {
            if crc32fast::hash(bytes) != s.crc {
                return Err(Damage::Checksum(number));
            }
            self.checked.fetch_or(bit, Ordering::Relaxed);
        }
        Ok(bytes)
    }

    /// All bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

/// Puts sections together into the bytes of a part.
pub fn assemble(sections: &[Vec<u8>]) -> Vec<u8> {
    let mut at = HEAD + sections.len() * ENTRY;
    let total: usize = sections.iter().map(|s| s.len().next_multiple_of(8)).sum();
    let mut out = Vec::with_capacity(at + total + 8);
    out.extend_from_slice(MAGIC);
    out.extend_from_slice(&FORMAT.to_le_bytes());
    out.extend_from_slice(&(sections.len() as u32).to_le_bytes());
    for s in sections {
        at = at.next_multiple_of(8);
        out.extend_from_slice(&(at as u64).to_le_bytes());
        out.extend_from_slice(&(s.len() as u64).to_le_bytes());
        out.extend_from_slice(&crc32fast::hash(s).to_le_bytes());
        out.extend_from_slice(&[0; 4]);
        at += s.len();
    }
    for s in sections {
        out.resize(out.len().next_multiple_of(8), 0);
        out.extend_from_slice(s);
    }
    out
}

/// Little-endian `u32` at a byte offset that is known to be inside.
pub fn read_u32(b: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(b[at..at + 4].try_into().expect("four bytes"))
}

/// Little-endian `u64` at a byte offset that is known to be inside.
pub fn read_u64(b: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(b[at..at + 8].try_into().expect("eight bytes"))
}

/// Appends a number in seven-bit groups.
pub fn put_varint(out: &mut Vec<u8>, mut n: u32) {
    while n >= 0x80 {
        out.push(n as u8 | 0x80);
        n >>= 7;
    }
    out.push(n as u8);
}

/// Reads a number in seven-bit groups; `None` at the end of the bytes or for a misshapen one.
pub fn take_varint(b: &mut &[u8]) -> Option<u32> {
    let mut n = 0u32;
    for shift in (0..35).step_by(7) {
        let (&first, rest) = b.split_first()?;
        *b = rest;
        n |= u32::from(first & 0x7f).checked_shl(shift)?;
        if first & 0x80 == 0 {
            return Some(n);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_come_back_and_damage_is_noticed() {
        let bytes = assemble(&[b"one".to_vec(), Vec::new(), vec![7; 100]]);
        let part = Part::open(Bytes::Owned(bytes.clone())).unwrap();
        assert_eq!(part.section(0).unwrap(), b"one");
        assert_eq!(part.section(1).unwrap(), b"");
        assert_eq!(part.section(2).unwrap(), [7; 100]);
        assert_eq!(part.section(3).unwrap_err(), Damage::Bounds(3));

        let mut bad = bytes.clone();
        let last = bad.len() - 1;
        bad[last] ^= 1;
        let part = Part::open(Bytes::Owned(bad)).unwrap();
        assert_eq!(part.section(0).unwrap(), b"one");
        assert_eq!(part.section(2).unwrap_err(), Damage::Checksum(2));

        for cut in [0, 5, 15, 20, bytes.len() - 1] {
            assert!(Part::open(Bytes::Owned(bytes[..cut].to_vec())).is_err(), "{cut}");
        }
    }

    #[test]
    fn varints_come_back() {
        let mut out = Vec::new();
        for n in [0, 1, 127, 128, 300, u32::MAX] {
            put_varint(&mut out, n);
        }
        let mut b = out.as_slice();
        for n in [0, 1, 127, 128, 300, u32::MAX] {
            assert_eq!(take_varint(&mut b), Some(n));
        }
        assert_eq!(take_varint(&mut b), None);
        assert_eq!(take_varint(&mut &[0x80u8][..]), None);
    }
}
