//! What executing a file needs: the interpreters that its first bytes name.
//!
//! The kernel opens a script's interpreter and a program's dynamic loader itself, and asks whether each may be executed.
//! So a grant to execute one file is a grant for that chain.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// What the start of a file says about how it runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Format {
    /// An ELF program with its dynamic loader, if it has one.
    Elf {
        /// The loader.
        loader: Option<PathBuf>,
    },
    /// A script with its interpreter and that one's argument.
    Script {
        /// The interpreter.
        interpreter: PathBuf,
        /// The rest of the line.
        argument: Option<OsString>,
    },
    /// Anything else.
    Other,
}

/// Bytes of a file that [`format_of`] wants. The program headers of every linker in use lie within.
pub const PREFIX: usize = 8192;

/// Tells the format from the first bytes of a file. Total: any bytes give an answer.
pub fn format_of(prefix: &[u8]) -> Format {
    if let Some(rest) = prefix.strip_prefix(b"#!") {
        return script(rest);
    }
    if prefix.starts_with(b"\x7fELF") {
        return Format::Elf { loader: loader(prefix) };
    }
    Format::Other
}

fn script(rest: &[u8]) -> Format {
    let line = rest.split(|b| *b == b'\n').next().unwrap_or_default();
    let line = line.trim_ascii();
    let end = line.iter().position(|b| b.is_ascii_whitespace()).unwrap_or(line.len());
    if end == 0 {
        return Format::Other;
    }
    let argument = line[end..].trim_ascii();
    Format::Script {
        interpreter: PathBuf::from(os(&line[..end])),
        argument: (!argument.is_empty()).then(|| os(argument)),
    }
}

/// The PT_INTERP entry of a little-endian ELF file.
fn loader(bytes: &[u8]) -> Option<PathBuf> {
    let wide = match bytes.get(4)? {
        1 => false,
        2 => true,
        _ => return None,
    };
    if *bytes.get(5)? != 1 {
        return None;
    }
    let number = |at: usize, size: usize| -> Option<usize> {
        let field = bytes.get(at..at.checked_add(size)?)?;
        let value = field
            .iter()
            .rev()
            .fold(0u64, |value, byte| value << 8 | u64::from(*byte));
        usize::try_from(value).ok()
    };
    let (table, entry_size, entries) = if wide {
        (number(32, 8)?, number(54, 2)?, number(56, 2)?)
    } else {
        (number(28, 4)?, number(42, 2)?, number(44, 2)?)
    };
    for index in 0..entries {
        let entry = table.checked_add(index.checked_mul(entry_size)?)?;
        if number(entry, 4)? != 3 {
            continue;
        }
        let (offset, size) = if wide {
            (number(entry.checked_add(8)?, 8)?, number(entry.checked_add(32)?, 8)?)
        } else {
            (number(entry.checked_add(4)?, 4)?, number(entry.checked_add(16)?, 4)?)
        };
        let name = bytes.get(offset..offset.checked_add(size)?)?;
        let name = name.split(|b| *b == 0).next().unwrap_or_default();
        return (!name.is_empty()).then(|| PathBuf::from(os(name)));
    }
    None
}

#[cfg(unix)]
fn os(bytes: &[u8]) -> OsString {
    std::os::unix::ffi::OsStringExt::from_vec(bytes.to_vec())
}

#[cfg(not(unix))]
fn os(bytes: &[u8]) -> OsString {
    String::from_utf8_lossy(bytes).into_owned().into()
}

/// A chain of interpreters longer than this is a loop; the kernel gives up at four.
const LONGEST_CHAIN: usize = 5;

/// `program` and the files that executing it executes: interpreters, loaders, and the program that `/usr/bin/env NAME`
/// finds on `search`. `read` gives the first [`PREFIX`] bytes of a file, `None` when it cannot be read.
pub fn chain(program: &Path, search: &OsStr, read: &dyn Fn(&Path) -> Option<Vec<u8>>) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut next = vec![program.to_path_buf()];
    while let Some(file) = next.pop() {
        if files.contains(&file) || files.len() == LONGEST_CHAIN {
            continue;
        }
        match read(&file).as_deref().map(format_of) {
            Some(Format::Elf { loader: Some(loader) }) => next.push(loader),
            Some(Format::Script { interpreter, argument }) => {
                if interpreter.file_name() == Some(OsStr::new("env")) {
                    next.extend(argument.and_then(|name| on_path(&name, search, read)));
                }
                next.push(interpreter);
            }
            _ => {}
        }
        files.push(file);
    }
    files
}

fn on_path(name: &OsStr, search: &OsStr, read: &dyn Fn(&Path) -> Option<Vec<u8>>) -> Option<PathBuf> {
    if Path::new(name).components().count() != 1 || name.to_string_lossy().contains(char::is_whitespace) {
        return None;
    }
    std::env::split_paths(search)
        .filter(|directory| directory.is_absolute())
        .map(|directory| directory.join(name))
        .find(|file| read(file).is_some())
}

/// The first bytes of a file on disk.
pub fn prefix_on_disk(path: &Path) -> Option<Vec<u8>> {
    use std::io::Read as _;
    let file = std::fs::File::open(path).ok()?;
    if !file.metadata().ok()?.is_file() {
        return None;
    }
    let mut prefix = Vec::new();
    file.take(PREFIX as u64).read_to_end(&mut prefix).ok()?;
    Some(prefix)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// A 64-bit program with one program header that names a loader.
    fn elf(loader: &str) -> Vec<u8> {
        let mut bytes = vec![0u8; 64 + 56];
        bytes[..6].copy_from_slice(b"\x7fELF\x02\x01");
        bytes[32] = 64;
        bytes[54] = 56;
        bytes[56] = 1;
        bytes[64] = 3;
        bytes[64 + 8] = 120;
        bytes[64 + 32] = loader.len() as u8 + 1;
        bytes.extend(loader.as_bytes());
        bytes.push(0);
        bytes
    }

    #[test]
    fn formats() {
        let check = |bytes: &[u8], expected: Format| assert_eq!(format_of(bytes), expected, "{bytes:?}");
        let script = |interpreter: &str, argument: Option<&str>| Format::Script {
            interpreter: interpreter.into(),
            argument: argument.map(Into::into),
        };
        check(b"", Format::Other);
        check(b"#!", Format::Other);
        check(b"#! \n", Format::Other);
        check(b"#!/bin/sh\n", script("/bin/sh", None));
        check(b"#! /usr/bin/env  node \nx", script("/usr/bin/env", Some("node")));
        check(b"#!/bin/sh", script("/bin/sh", None));
        check(
            &elf("/lib64/ld.so"),
            Format::Elf {
                loader: Some("/lib64/ld.so".into()),
            },
        );
        check(b"\x7fELF", Format::Elf { loader: None });
        let whole = elf("/lib64/ld.so");
        for cut in 0..whole.len() {
            format_of(&whole[..cut]);
        }
        let mut hostile = whole;
        hostile[32..40].fill(0xff);
        check(&hostile, Format::Elf { loader: None });
    }

    #[test]
    fn a_chain_follows_interpreters_and_env() {
        let files: BTreeMap<PathBuf, Vec<u8>> = [
            ("/opt/npm", b"#!/usr/bin/env node\n".to_vec()),
            ("/usr/bin/env", elf("/ld")),
            ("/b/node", elf("/ld")),
            ("/ld", b"\x7fELF".to_vec()),
            ("/loop", b"#!/loop\n".to_vec()),
        ]
        .into_iter()
        .map(|(path, bytes)| (PathBuf::from(path), bytes))
        .collect();
        let read = |path: &Path| files.get(path).cloned();
        let check = |program: &str, expected: &[&str]| {
            let got = chain(Path::new(program), OsStr::new("relative:/a:/b"), &read);
            assert_eq!(got, expected.iter().map(PathBuf::from).collect::<Vec<_>>());
        };
        check("/opt/npm", &["/opt/npm", "/usr/bin/env", "/ld", "/b/node"]);
        check("/b/node", &["/b/node", "/ld"]);
        check("/loop", &["/loop"]);
        check("/missing", &["/missing"]);
    }
}
