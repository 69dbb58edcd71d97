//! The paths that git tracks, read from the index's file.
//!
//! Only paths, modes and submodules' commits are wanted, so the file (versions 2 to 4, full or sparse) is read as it
//! lies: no object is made per entry and no checksum is computed over it. A form that is not understood here is left to
//! git's library.

/// Paths in byte order. A path with several stages of a conflict may stand more than once.
#[derive(Debug, Default)]
pub(crate) struct Tracked {
    arena: Vec<u8>,
    entries: Vec<Entry>,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    start: u32,
    length: u32,
    commit: Option<git2::Oid>,
}

/// The mode of a submodule's entry.
const SUBMODULE: u32 = 0o160_000;
/// The mode of a directory that a sparse index does not list.
const SPARSE_DIRECTORY: u32 = 0o040_000;

impl Tracked {
    /// Collects paths from elsewhere, in any order.
    pub(crate) fn collect(paths: impl Iterator<Item = (Vec<u8>, Option<git2::Oid>)>) -> Tracked {
        let mut out = Tracked::default();
        for (path, commit) in paths {
            let start = out.arena.len() as u32;
            out.arena.extend_from_slice(&path);
            out.entries.push(Entry {
                start,
                length: path.len() as u32,
                commit,
            });
        }
        out.sort();
        out
    }

    /// Reads the bytes of an index file; `None` for a form that is not understood.
    pub(crate) fn parse(bytes: Vec<u8>) -> Option<Tracked> {
        if bytes.len() > u32::MAX as usize || bytes.get(..4)? != b"DIRC" {
            return None;
        }
        let version = be32(&bytes, 4)?;
        let count = be32(&bytes, 8)?;
        if !(2..=4).contains(&version) {
            return None;
        }
        // An entry takes at least 63 bytes, so this cannot reserve more than the file is worth.
        let mut entries = Vec::with_capacity((count as usize).min(bytes.len() / 63));
        let mut joined = Vec::new();
        let mut last = 0..0;
        let mut at = 12;
        for _ in 0..count {
            let mode = be32(&bytes, at + 24)?;
            let id = bytes.get(at + 40..at + 60)?;
            let flags = u16::from_be_bytes([*bytes.get(at + 60)?, *bytes.get(at + 61)?]);
            let mut name = at + 62;
            if flags & 0x4000 != 0 {
                name += 2;
            }
            let path = if version == 4 {
                let (cut, after) = varint(&bytes, name)?;
                let end = after + bytes.get(after..)?.iter().position(|&b| b == 0)?;
                let kept = last.end - last.start;
                let kept: std::ops::Range<usize> = last.start..last.start + kept.checked_sub(cut)?;
                let start = joined.len();
                joined.extend_from_within(kept);
                joined.extend_from_slice(&bytes[after..end]);
                at = end + 1;
                last = start..joined.len();
                last.clone()
            } else {
                let length = usize::from(flags & 0x0fff);
                let end = match length {
                    // The length of a longer name is not said.
                    0x0fff => name + bytes.get(name..)?.iter().position(|&b| b == 0)?,
                    length => name + length,
                };
                if *bytes.get(end)? != 0 {
                    return None;
                }
                // Entries are padded to eight bytes, with at least one NUL.
                at += (end - at + 8) & !7;
                name..end
            };
            if mode == SPARSE_DIRECTORY {
                continue;
            }
            entries.push(Entry {
                start: u32::try_from(path.start).ok()?,
                length: u32::try_from(path.len()).ok()?,
                commit: if mode == SUBMODULE {
                    Some(git2::Oid::from_bytes(id).ok()?)
                } else {
                    None
                },
            });
        }
        if has_link_extension(&bytes, at)? {
            return None;
        }
        let mut out = Tracked {
            arena: if version == 4 { joined } else { bytes },
            entries,
        };
        out.sort();
        Some(out)
    }

    fn sort(&mut self) {
        let Tracked { arena, entries } = self;
        let path = |e: &Entry| &arena[e.start as usize..(e.start + e.length) as usize];
        if !entries.is_sorted_by(|a, b| path(a) <= path(b)) {
            entries.sort_by(|a, b| path(a).cmp(path(b)));
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(crate) fn path(&self, at: usize) -> &[u8] {
        let entry = &self.entries[at];
        &self.arena[entry.start as usize..(entry.start + entry.length) as usize]
    }

    /// The commit of a submodule.
    pub(crate) fn commit(&self, at: usize) -> Option<git2::Oid> {
        self.entries[at].commit
    }
}

/// Whether the index is split: a `link` extension names another file that has the rest. `None` for a file cut short.
fn has_link_extension(bytes: &[u8], mut at: usize) -> Option<bool> {
    // A checksum of 20 bytes ends the file.
    while at + 20 < bytes.len() {
        let name = bytes.get(at..at + 4)?;
        if name == b"link" {
            return Some(true);
        }
        at = at.checked_add(8)?.checked_add(be32(bytes, at + 4)? as usize)?;
    }
    (at + 20 == bytes.len()).then_some(false)
}

fn be32(bytes: &[u8], at: usize) -> Option<u32> {
    let four = bytes.get(at..at.checked_add(4)?)?;
    Some(u32::from_be_bytes(four.try_into().ok()?))
}

/// A number in the variable form of git's pack files, and where it ends.
fn varint(bytes: &[u8], mut at: usize) -> Option<(usize, usize)> {
    let mut byte = *bytes.get(at)?;
    let mut value = usize::from(byte & 0x7f);
    while byte & 0x80 != 0 {
        at += 1;
        byte = *bytes.get(at)?;
        value = value.checked_add(1)?.checked_mul(128)? | usize::from(byte & 0x7f);
    }
    Some((value, at + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(tracked: &Tracked) -> Vec<String> {
        let text = |i| String::from_utf8(tracked.path(i).to_vec()).unwrap();
        (0..tracked.len()).map(text).collect()
    }

    /// An index file as git's library writes it.
    fn written(version: u32, names: &[(&str, u32)]) -> Vec<u8> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("index");
        let mut index = git2::Index::open(&path).unwrap();
        index.set_version(version).unwrap();
        for (name, mode) in names {
            let zero = git2::IndexTime::new(0, 0);
            let entry = git2::IndexEntry {
                ctime: zero,
                mtime: zero,
                dev: 0,
                ino: 0,
                mode: *mode,
                uid: 0,
                gid: 0,
                file_size: 0,
                id: git2::Oid::from_bytes(&[7; 20]).unwrap(),
                flags: if version == 3 { 0x4000 } else { 0 },
                flags_extended: if version == 3 { 1 << 14 } else { 0 },
                path: name.as_bytes().to_vec(),
            };
            index.add(&entry).unwrap();
        }
        index.write().unwrap();
        std::fs::read(path).unwrap()
    }

    #[test]
    fn every_version_is_read_as_the_library_writes_it() {
        let long = "d/".repeat(2100) + "x";
        let mut names = vec![
            ("a", 0o100_644),
            ("aa/b", 0o100_755),
            ("aa/bb", 0o120_000),
            ("sub", SUBMODULE),
            ("é x\n", 0o100_644),
        ];
        for length in 1..20 {
            names.push((&"padpadpadpadpadpadpad"[..length], 0o100_644));
        }
        names.push((&long, 0o100_644));
        for version in [2, 3, 4] {
            let bytes = written(version, &names);
            let tracked = Tracked::parse(bytes).unwrap();
            let mut expected: Vec<&str> = names.iter().map(|n| n.0).collect();
            expected.sort_unstable();
            assert!(paths(&tracked) == expected, "version {version}");
            for i in 0..tracked.len() {
                assert_eq!(tracked.commit(i).is_some(), tracked.path(i) == b"sub");
            }
        }
    }

    #[test]
    fn sparse_directories_are_passed_over_and_split_indexes_left_to_others() {
        let mut bytes = written(2, &[("a", 0o100_644), ("b/", 0o100_644), ("c", 0o100_644)]);
        let sparse = Tracked::parse(bytes.clone()).unwrap();
        assert_eq!(paths(&sparse), ["a", "b/", "c"]);
        // The second entry becomes a directory.
        let second = 12 + 64;
        bytes[second + 24..second + 28].copy_from_slice(&SPARSE_DIRECTORY.to_be_bytes());
        assert_eq!(paths(&Tracked::parse(bytes.clone()).unwrap()), ["a", "c"]);
        let checksum = bytes.split_off(bytes.len() - 20);
        bytes.extend_from_slice(b"link\0\0\0\x01x");
        bytes.extend_from_slice(&checksum);
        assert!(Tracked::parse(bytes).is_none());
    }

    #[test]
    fn a_torn_file_is_not_believed_and_does_not_panic() {
        for version in [2, 3, 4] {
            let bytes = written(version, &[("a", 0o100_644), ("aa/b", 0o100_644), ("sub", SUBMODULE)]);
            for cut in 0..bytes.len() {
                assert!(
                    Tracked::parse(bytes[..cut].to_vec()).is_none(),
                    "version {version}, {cut} bytes"
                );
            }
            for at in 0..bytes.len() {
                for value in [0, 1, 0x7f, 0x80, 0xff] {
                    let mut torn = bytes.clone();
                    torn[at] = value;
                    // Whatever comes of it lies inside the file.
                    if let Some(tracked) = Tracked::parse(torn) {
                        paths_are_readable(&tracked);
                    }
                }
            }
        }
        assert!(Tracked::parse(Vec::new()).is_none());
    }

    fn paths_are_readable(tracked: &Tracked) {
        for i in 0..tracked.len() {
            let _ = tracked.path(i);
        }
    }

    #[test]
    fn collected_paths_are_sorted() {
        let given = ["b", "a/x", "a", "a.x"].map(|p| (p.as_bytes().to_vec(), None));
        assert_eq!(paths(&Tracked::collect(given.into_iter())), ["a", "a.x", "a/x", "b"]);
    }
}
