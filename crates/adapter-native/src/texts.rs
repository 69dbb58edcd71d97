//! The tree's texts as the engine reads them.

use understory_core::path::RepoPath;
use understory_core::tree::Tree;
use understory_engine::index::update::{FileInput, Text, Texts};
use understory_tree_reader::{Content, Reader};

/// Reads through the guard.
pub struct TreeTexts<'a>(pub &'a Reader<'a>);

impl Texts for TreeTexts<'_> {
    fn text(&self, path: &str) -> Text {
        let Ok(path) = RepoPath::new(path) else {
            return Text::Unreadable;
        };
        match self.0.read(&path) {
            Content::Text(text) => Text::Text(text),
            Content::Binary => Text::Binary,
            Content::TooLarge | Content::Unreadable | Content::Protected | Content::Missing => Text::Unreadable,
        }
    }
}

/// The regular files of a tree that a session may read, in path order.
pub fn inputs(tree: &Tree, reader: &Reader<'_>) -> Vec<FileInput> {
    use understory_core::tree::EntryKind;
    let files = tree.files();
    let open = files
        .iter()
        .filter(|f| f.entry.kind == EntryKind::File && reader.is_open(f));
    open.map(|f| FileInput {
        path: f.path.as_str().into(),
        hash: f.entry.hash.0,
        size: f.entry.size,
    })
    .collect()
}
