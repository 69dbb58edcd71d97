//! All files of a tree as resolution sees them.

use super::hash::{FastMap, name_hash};
use super::links::FileId;
use super::project::Project;
use super::rules::{Rules, SpaceId};
use super::tables::{Summary, Tables};
use super::view::FileView;
use crate::facts::FileFacts;
use crate::languages::{Family, Language};
use rayon::prelude::*;
use std::sync::{Arc, OnceLock};

/// A file of the tree.
pub struct WorldFile {
    /// Its path, `/` between the parts.
    pub path: Box<str>,
    /// Its language; a file without one has no facts, but imports can lead to it.
    pub language: Option<&'static Language>,
}

/// Gives the facts of a file, decoding them when they are first asked for.
pub trait FactsSource: Send + Sync {
    /// The facts of the file with this index. Asked at most once per file and world.
    fn facts(&self, file: FileId) -> Arc<FileFacts>;
}

impl FactsSource for Vec<Arc<FileFacts>> {
    fn facts(&self, file: FileId) -> Arc<FileFacts> {
        self[file as usize].clone()
    }
}

/// All files, the project's manifests and the tables over them.
pub struct World {
    /// The files, sorted by path; a [`FileId`] is an index here.
    pub files: Vec<WorldFile>,
    /// What the manifests say.
    pub project: Project,
    /// Names to definitions.
    pub tables: Tables,
    source: Box<dyn FactsSource>,
    views: Vec<OnceLock<FileView>>,
    included: Vec<OnceLock<Box<[FileId]>>>,
    paths: FastMap<u64, Vec<FileId>>,
    dirs: Vec<Box<str>>,
    named: FastMap<u64, Vec<FileId>>,
    dirs_named: FastMap<u64, Vec<u32>>,
}

impl World {
    /// A world of `files`, which must be sorted by path, and `manifests` (path and text).
    pub fn new(files: Vec<WorldFile>, source: Box<dyn FactsSource>, manifests: Vec<(Box<str>, Box<str>)>) -> World {
        let project = Project::new(&manifests);
        let summaries: Vec<Option<Arc<Summary>>> = (0..files.len())
            .into_par_iter()
            .map(|i| {
                let file = &files[i];
                let language = file.language?;
                Some(Arc::new(World::summary(
                    &project,
                    &file.path,
                    language,
                    &source.facts(i as FileId),
                )))
            })
            .collect();
        World::with_summaries(files, source, project, &summaries)
    }

    /// A world whose summaries are known. They must be those that [`World::summary`] gives for the same files and project.
    pub fn with_summaries(
        files: Vec<WorldFile>,
        source: Box<dyn FactsSource>,
        project: Project,
        summaries: &[Option<Arc<Summary>>],
    ) -> World {
        let tables = Tables::new(
            files
                .iter()
                .zip(summaries)
                .map(|(f, s)| Some((f.language?.family, s.as_deref()?))),
        );
        let mut paths: FastMap<u64, Vec<FileId>> = FastMap::default();
        let mut dirs: Vec<Box<str>> = Vec::new();
        for (i, file) in files.iter().enumerate() {
            paths.entry(name_hash(&file.path)).or_default().push(i as FileId);
            let mut dir = &*file.path;
            while let Some((parent, _)) = dir.rsplit_once('/') {
                if dirs.last().is_some_and(|d| {
                    d.len() >= parent.len() && d.starts_with(parent) && {
                        d.len() == parent.len() || d.as_bytes()[parent.len()] == b'/'
                    }
                }) {
                    break;
                }
                dir = parent;
                dirs.push(parent.into());
            }
        }
        dirs.sort_unstable();
        dirs.dedup();
        let last = |path: &str| name_hash(path.rsplit('/').next().unwrap_or(path));
        let mut named: FastMap<u64, Vec<FileId>> = FastMap::default();
        for (i, file) in files.iter().enumerate() {
            named.entry(last(&file.path)).or_default().push(i as FileId);
        }
        let mut dirs_named: FastMap<u64, Vec<u32>> = FastMap::default();
        for (i, dir) in dirs.iter().enumerate() {
            dirs_named.entry(last(dir)).or_default().push(i as u32);
        }
        World {
            views: (0..files.len()).map(|_| OnceLock::new()).collect(),
            included: (0..files.len()).map(|_| OnceLock::new()).collect(),
            files,
            project,
            tables,
            source,
            paths,
            dirs,
            named,
            dirs_named,
        }
    }

    /// The summary of one file: what the tables hold of it.
    pub fn summary(project: &Project, path: &str, language: &'static Language, facts: &FileFacts) -> Summary {
        Summary::new(facts, language.rules.space(project, path, facts).as_deref())
    }

    /// The file at a path.
    pub fn file(&self, path: &str) -> Option<FileId> {
        let ids = self.paths.get(&name_hash(path))?;
        ids.iter().copied().find(|&id| &*self.files[id as usize].path == path)
    }

    /// The path of a file.
    pub fn path(&self, file: FileId) -> &str {
        &self.files[file as usize].path
    }

    /// The number of a directory that holds files, directly or below; the empty path is none.
    pub fn dir(&self, path: &str) -> Option<u32> {
        self.dirs.binary_search_by(|d| (**d).cmp(path)).ok().map(|i| i as u32)
    }

    /// The path of a directory.
    pub fn dir_path(&self, dir: u32) -> &str {
        &self.dirs[dir as usize]
    }

    /// Files whose path ends in this name, by path.
    pub fn files_named<'a>(&'a self, name: &'a str) -> impl Iterator<Item = FileId> + 'a {
        let ids = self.named.get(&name_hash(name)).map_or(&[][..], |ids| ids);
        ids.iter()
            .copied()
            .filter(move |&id| self.path(id).rsplit('/').next() == Some(name))
    }

    /// Directories whose path ends in this name, by path.
    pub fn dirs_named<'a>(&'a self, name: &'a str) -> impl Iterator<Item = u32> + 'a {
        let ids = self.dirs_named.get(&name_hash(name)).map_or(&[][..], |ids| ids);
        ids.iter()
            .copied()
            .filter(move |&id| self.dir_path(id).rsplit('/').next() == Some(name))
    }

    /// Files directly or deeper inside a directory (empty: all files), by path.
    pub fn files_under(&self, dir: &str) -> std::ops::Range<FileId> {
        if dir.is_empty() {
            return 0..self.files.len() as FileId;
        }
        // Files of a directory are neighbours but for names that sort between `dir` and `dir/`.
        let prefix = format!("{dir}/");
        let from = self.files.partition_point(|f| *f.path < *prefix);
        let rest = &self.files[from..];
        let to = from + rest.partition_point(|f| f.path.starts_with(&prefix));
        from as FileId..to as FileId
    }

    /// The language family of a file.
    pub fn family(&self, file: FileId) -> Option<Family> {
        self.files[file as usize].language.map(|l| l.family)
    }

    /// The rules of a file's language.
    pub fn rules(&self, file: FileId) -> &'static dyn Rules {
        match self.files[file as usize].language {
            Some(l) => l.rules,
            None => &super::rules::Plain,
        }
    }

    /// The space of a file's top level, [`super::rules::NO_SPACE`] when it has none.
    pub fn space_of(&self, file: FileId) -> SpaceId {
        self.tables.space_of(file)
    }

    /// The files that a file takes in directly, worked out at first use. `find` must depend on the file's own text and on
    /// which paths exist, and on nothing else.
    pub fn included(&self, file: FileId, find: impl FnOnce() -> Box<[FileId]>) -> &[FileId] {
        self.included[file as usize].get_or_init(find)
    }

    /// The facts of a file with their look-ups, made at first use. Resolution goes through [`super::linker::Linker::view`], which takes note.
    pub fn view(&self, file: FileId) -> &FileView {
        self.views[file as usize].get_or_init(|| FileView::new(self.source.facts(file)))
    }
}
