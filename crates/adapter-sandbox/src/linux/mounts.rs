//! The child's own view of the mounts: everything read-only but the writable grants, and hidden paths covered up.
//!
//! Landlock decides who may open a file; it has no say over a file's mode, owner and times. A read-only mount has.

use super::plan::{self, Plan};
use super::sys;
use rustix::fs::CWD;
use rustix::mount::{
    MountFlags, MountPropagationFlags, MoveMountFlags, OpenTreeFlags, mount, mount_bind, mount_change, move_mount,
    open_tree,
};
use std::io;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use understory_ports::sandbox::Protection;

/// Arranges the mounts of this namespace. Gives what could not be had.
pub fn arrange(plan: &Plan) -> io::Result<Vec<Protection>> {
    mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)?;
    // The order matters: a copy of a writable mount is taken while it is writable, and put back on top once all the
    // rest is not. Only then are paths covered, which may lie inside of a copy.
    let copies = writable_copies(plan);
    let mut missing = Vec::new();
    match copies.and_then(|copies| sys::make_read_only("/").map(|()| copies)) {
        Ok(copies) => {
            for (copy, path) in copies {
                move_mount(&copy, "", CWD, &path, MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH)?;
            }
        }
        Err(_) => missing.push(Protection::FileMetadata),
    }
    hide(plan)?;
    Ok(missing)
}

/// A detached copy of the mount at each writable grant, outer ones first. A path that cannot be opened is left to the
/// file layer, which tells it by name.
fn writable_copies(plan: &Plan) -> io::Result<Vec<(OwnedFd, PathBuf)>> {
    let mut paths: Vec<PathBuf> = plan
        .rules
        .iter()
        .filter(|rule| rule.access.write)
        .filter_map(|rule| plan::path(&rule.path).canonicalize().ok())
        .collect();
    paths.sort();
    paths.dedup();
    let flags = OpenTreeFlags::OPEN_TREE_CLONE | OpenTreeFlags::OPEN_TREE_CLOEXEC | OpenTreeFlags::AT_RECURSIVE;
    paths
        .into_iter()
        .map(|path| Ok((open_tree(CWD, &path, flags)?, path)))
        .collect()
}

/// Covers every hidden path: a file by a device that is always empty, a directory by an empty one. A path that does not
/// exist needs nothing.
fn hide(plan: &Plan) -> io::Result<()> {
    for hidden in &plan.hidden {
        let path = plan::path(hidden);
        match std::fs::metadata(&path) {
            Err(e) if matches!(e.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {}
            Err(e) => return Err(e),
            Ok(metadata) if metadata.is_dir() => {
                let flags = MountFlags::RDONLY | MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
                mount("tmpfs", &path, "tmpfs", flags, c"size=4k,mode=0555")?;
            }
            Ok(_) => mount_bind("/dev/null", &path)?,
        }
    }
    Ok(())
}
