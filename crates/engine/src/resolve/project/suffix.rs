//! Files by the end of their path: `net/loop.h`, `a/b.lua`.

use super::paths::{join, parent};
use crate::resolve::links::FileId;
use crate::resolve::world::World;

/// The files whose path ends in `suffix`, at the start of a part, by path.
pub fn ending<'w>(world: &'w World, suffix: &'w str) -> impl Iterator<Item = FileId> + 'w {
    let last = suffix.rsplit('/').next().unwrap_or(suffix);
    world.files_named(last).filter(move |&file| {
        let path = world.path(file);
        path.strip_suffix(suffix)
            .is_some_and(|head| head.is_empty() || head.ends_with('/'))
    })
}

/// Of the files whose path ends in `suffix`, the one with the most directories in common with `from`; of several such, the
/// one with the shortest path.
pub fn nearest(world: &World, from: &str, suffix: &str) -> Option<FileId> {
    let here = parent(from);
    let common = |path: &str| {
        let both = parent(path).split('/').zip(here.split('/'));
        both.take_while(|(a, b)| a == b && !a.is_empty()).count()
    };
    let found: Vec<FileId> = ending(world, suffix).take(256).collect();
    found.into_iter().min_by_key(|&f| {
        let path = world.path(f);
        (usize::MAX - common(path), path.len(), f)
    })
}

/// The file at `path` as seen from the directory of `from`.
pub fn beside(world: &World, from: &str, path: &str) -> Option<FileId> {
    world.file(&join(parent(from), path)?)
}
