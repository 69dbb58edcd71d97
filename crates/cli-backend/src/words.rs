//! What a model says, before a program gets it.

use understory_core::path::RepoPath;
use understory_core::{Refusal, RefusalCode};
use understory_ports::SearchError;
use understory_tree_reader::{Content, Reader};

/// The model's words on one line: programs echo them among their headings, and a NUL is no argument.
pub fn flat(words: &str) -> Result<String, SearchError> {
    let flat: String = words.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    if flat.trim().is_empty() {
        return Err(Refusal::new(RefusalCode::NoQuery, "This mode needs a `query`.").into());
    }
    Ok(flat)
}

/// Refuses a file that a session may not name or the tree does not have.
pub fn check_file(reader: &Reader<'_>, file: &RepoPath) -> Result<(), Refusal> {
    match reader.read(file) {
        Content::Protected => Err(Refusal::new(
            RefusalCode::ProtectedPath,
            "That path is protected: it is not served to a session.",
        )),
        Content::Missing => Err(Refusal::new(
            RefusalCode::NoSuchFile,
            format!("The tree has no file `{}`.", file.display_escaped()),
        )
        .suggesting(reader.near_files(file))),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_put_on_one_line_and_blank_ones_refused() {
        assert_eq!(flat("a\nb\t\"c\" $(d) é\0").unwrap(), "a b \"c\" $(d) é ");
        for blank in ["", "  ", "\n\0"] {
            let refusal = flat(blank).unwrap_err().into_refusal();
            assert_eq!(refusal.code, RefusalCode::NoQuery);
        }
    }
}
