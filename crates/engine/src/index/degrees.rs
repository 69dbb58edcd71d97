//! How many distinct other symbols reference each symbol, over the whole tree.

use crate::index::key::SymbolKey;
use crate::index::layout::{Bytes, Damage, Part, assemble, read_u32, read_u64};
use crate::index::segment::Segment;
use crate::index::update::hex_name;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

const ROW: usize = 12;

/// The degrees of all symbols that anything references directly, imports left out.
#[derive(Debug)]
pub struct Degrees {
    part: Part,
    name: String,
}

impl Degrees {
    /// Opens a stored part.
    pub fn open(part: Part, name: &str) -> Result<Self, Damage> {
        if part.section(0)?.len() % ROW != 0 {
            return Err(Damage::Bounds(0));
        }
        Ok(Degrees {
            part,
            name: name.to_owned(),
        })
    }

    /// The degrees over `segments`; from older ones, only the segments that differ are added up.
    pub fn of(segments: &[Arc<Segment>], older: Option<(&Degrees, &[Arc<Segment>])>) -> Self {
        let mut change: BTreeMap<u64, i64> = BTreeMap::new();
        let mut add = |segment: &Segment, sign: i64| {
            for (key, n) in segment.degrees() {
                *change.entry(key.0).or_default() += sign * i64::from(n);
            }
        };
        let rows: Vec<(u64, u32)> = match older {
            None => {
                let mut all: Vec<(u64, u32)> = segments
                    .iter()
                    .flat_map(|s| s.degrees().map(|(k, n)| (k.0, n)).collect::<Vec<_>>())
                    .collect();
                all.sort_unstable();
                let mut rows: Vec<(u64, u32)> = Vec::with_capacity(all.len());
                for (key, n) in all {
                    match rows.last_mut() {
                        Some(last) if last.0 == key => last.1 += n,
                        _ => rows.push((key, n)),
                    }
                }
                rows
            }
            Some((degrees, before)) => {
                let old: BTreeSet<&str> = before.iter().map(|s| s.name()).collect();
                let new: BTreeSet<&str> = segments.iter().map(|s| s.name()).collect();
                before
                    .iter()
                    .filter(|s| !new.contains(s.name()))
                    .for_each(|s| add(s, -1));
                segments
                    .iter()
                    .filter(|s| !old.contains(s.name()))
                    .for_each(|s| add(s, 1));
                let mut rows = Vec::with_capacity(degrees.len());
                let mut changes = change.into_iter().peekable();
                for i in 0..degrees.len() {
                    let (key, mut n) = degrees.row(i);
                    while let Some((k, d)) = changes.next_if(|c| c.0 < key) {
                        rows.push((k, d.max(0) as u32));
                    }
                    if let Some((_, d)) = changes.next_if(|c| c.0 == key) {
                        n = (i64::from(n) + d).max(0) as u32;
                    }
                    rows.push((key, n));
                }
                rows.extend(changes.map(|(k, d)| (k, d.max(0) as u32)));
                rows.retain(|r| r.1 > 0);
                rows
            }
        };
        let mut out = Vec::with_capacity(rows.len() * ROW);
        for (key, n) in rows {
            out.extend_from_slice(&key.to_le_bytes());
            out.extend_from_slice(&n.to_le_bytes());
        }
        let bytes = assemble(&[out]);
        let name = hex_name(&bytes);
        Degrees {
            part: Part::open(Bytes::Owned(bytes)).expect("a part just assembled is well formed"),
            name,
        }
    }

    /// Name of the stored part.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The stored bytes.
    pub fn bytes(&self) -> &[u8] {
        self.part.bytes()
    }

    fn table(&self) -> &[u8] {
        self.part.section(0).unwrap_or(&[])
    }

    fn len(&self) -> usize {
        self.table().len() / ROW
    }

    fn row(&self, i: usize) -> (u64, u32) {
        let t = self.table();
        (read_u64(t, i * ROW), read_u32(t, i * ROW + 8))
    }

    /// The degree of a symbol.
    pub fn get(&self, key: SymbolKey) -> u32 {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low + (high - low) / 2;
            if self.row(middle).0 < key.0 {
                low = middle + 1
            } else {
                high = middle
            }
        }
        if low < self.len() && self.row(low).0 == key.0 {
            self.row(low).1
        } else {
            0
        }
    }
}
