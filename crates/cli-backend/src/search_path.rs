//! Programs by their names on a search path.

use std::ffi::OsStr;
use std::path::PathBuf;

/// The first program of a name on the search path. Relative entries are passed over: they mean another place in each
/// working directory.
pub fn find(name: &str, search: &OsStr, windows: bool) -> Option<PathBuf> {
    // Never the script without an ending on Windows: npm puts it there for other shells, and it cannot be started.
    let endings: &[&str] = if windows { &[".exe", ".cmd"] } else { &[""] };
    std::env::split_paths(search)
        .filter(|directory| directory.is_absolute())
        .flat_map(|directory| {
            endings
                .iter()
                .map(move |ending| directory.join(format!("{name}{ending}")))
        })
        .find(|file| file.is_file())
}
