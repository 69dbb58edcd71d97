//! Reading below one directory without ever leaving it: every open goes from the root's descriptor, follows no link in
//! any part of the path, and never waits on a pipe.

use rustix::fs::{self, AtFlags, Dir, FileType, Mode, OFlags, Stat};
use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// An opened root directory. Paths given to it are relative, `/`-separated bytes; the empty path is the root.
#[derive(Debug)]
pub struct Root {
    fd: OwnedFd,
}

impl Root {
    /// Opens the root itself; here links are followed.
    pub fn open(path: &Path) -> io::Result<Root> {
        let fd = fs::open(
            path,
            OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC,
            Mode::empty(),
        )?;
        Ok(Root { fd })
    }

    /// Opens a directory for listing.
    pub fn open_dir(&self, path: &[u8]) -> io::Result<OwnedFd> {
        self.open_beneath(path, OFlags::RDONLY | OFlags::DIRECTORY)
    }

    /// Opens a regular file for reading. Anything else is an error.
    pub fn open_file(&self, path: &[u8]) -> io::Result<(File, Stat)> {
        regular(self.open_beneath(path, OFlags::RDONLY | OFlags::NONBLOCK)?)
    }

    /// The text of a symbolic link.
    pub fn read_link(&self, path: &[u8]) -> io::Result<Vec<u8>> {
        let (dir, name) = split(path);
        if dir.is_empty() {
            return Ok(fs::readlinkat(&self.fd, name, Vec::new())?.into_bytes());
        }
        let dir = self.open_beneath(dir, OFlags::RDONLY | OFlags::DIRECTORY)?;
        Ok(fs::readlinkat(dir, name, Vec::new())?.into_bytes())
    }

    #[cfg(target_os = "linux")]
    fn open_beneath(&self, path: &[u8], flags: OFlags) -> io::Result<OwnedFd> {
        use rustix::fs::ResolveFlags;
        let path = if path.is_empty() { b".".as_slice() } else { path };
        let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
        match fs::openat2(&self.fd, path, flags, Mode::empty(), resolve) {
            // A kernel or a container's filter without `openat2`.
            Err(rustix::io::Errno::NOSYS | rustix::io::Errno::PERM) => self.open_by_parts(path, flags),
            // Raced with a rename somewhere on the file system; the same question once more decides.
            Err(rustix::io::Errno::AGAIN) => Ok(fs::openat2(&self.fd, path, flags, Mode::empty(), resolve)?),
            other => Ok(other?),
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn open_beneath(&self, path: &[u8], flags: OFlags) -> io::Result<OwnedFd> {
        let path = if path.is_empty() { b".".as_slice() } else { path };
        self.open_by_parts(path, flags | OFlags::NOFOLLOW | OFlags::CLOEXEC)
    }

    /// One part of the path after the other, none of them a link.
    fn open_by_parts(&self, path: &[u8], flags: OFlags) -> io::Result<OwnedFd> {
        let through = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mut parts = path.split(|&b| b == b'/').peekable();
        let mut dir: Option<OwnedFd> = None;
        while let Some(part) = parts.next() {
            if part == b".." {
                return Err(io::ErrorKind::InvalidInput.into());
            }
            let flags = if parts.peek().is_some() { through } else { flags };
            let next = match &dir {
                Some(dir) => fs::openat(dir, part, flags, Mode::empty())?,
                None => fs::openat(&self.fd, part, flags, Mode::empty())?,
            };
            dir = Some(next);
        }
        dir.ok_or_else(|| io::ErrorKind::InvalidInput.into())
    }
}

/// Opens a regular file by its name in an opened directory. Anything else is an error.
pub fn open_file_in(dir: &OwnedFd, name: &[u8]) -> io::Result<(File, Stat)> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    regular(fs::openat(dir, name, flags, Mode::empty())?)
}

/// The text of a symbolic link by its name in an opened directory.
pub fn read_link_in(dir: &OwnedFd, name: &[u8]) -> io::Result<Vec<u8>> {
    Ok(fs::readlinkat(dir, name, Vec::new())?.into_bytes())
}

fn regular(fd: OwnedFd) -> io::Result<(File, Stat)> {
    let stat = fs::fstat(&fd)?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    }
    Ok((File::from(fd), stat))
}

/// One name in a directory.
#[derive(Clone, Copy, Debug)]
pub struct Named<'a> {
    /// Its bytes.
    pub name: &'a [u8],
    /// What it is; never unknown.
    pub kind: FileType,
}

/// The metadata of a name in a directory; a link's own.
pub fn stat_at(dir: &OwnedFd, name: &[u8]) -> io::Result<Stat> {
    Ok(fs::statat(dir, name, AtFlags::SYMLINK_NOFOLLOW)?)
}

/// Calls `each` with every name of a directory but `.` and `..`, in the order of the file system.
pub fn list(fd: &OwnedFd, mut each: impl FnMut(Named<'_>)) -> io::Result<()> {
    for entry in Dir::read_from(fd)? {
        let entry = entry?;
        let name = entry.file_name().to_bytes();
        if name == b"." || name == b".." {
            continue;
        }
        let kind = match entry.file_type() {
            FileType::Unknown => match fs::statat(fd, name, AtFlags::SYMLINK_NOFOLLOW) {
                Ok(stat) => FileType::from_raw_mode(stat.st_mode),
                Err(_) => continue,
            },
            kind => kind,
        };
        each(Named { name, kind });
    }
    Ok(())
}

/// The directory part and the last part of a path.
pub fn split(path: &[u8]) -> (&[u8], &[u8]) {
    match path.iter().rposition(|&b| b == b'/') {
        Some(at) => (&path[..at], &path[at + 1..]),
        None => (b"", path),
    }
}

/// The bytes as a host path.
pub fn host(bytes: &[u8]) -> PathBuf {
    PathBuf::from(OsStr::from_bytes(bytes))
}
