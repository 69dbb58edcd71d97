//! Bounds that hold everywhere.

use serde::{Deserialize, Serialize};

/// Greatest length of a query, in bytes.
pub const QUERY_BYTES: usize = 8 * 1024;
/// Greatest `depth` of `callers`.
pub const DEPTH: u32 = 3;
/// Greatest `limit` of the model's `search_code`.
pub const LIMIT: u32 = 40;
/// Greatest `limit` of a person's command.
pub const COMMAND_LIMIT: u32 = 100_000;
/// Greatest `limit` of `search_text`, in lines.
pub const TEXT_LIMIT: u32 = 400;
/// Greatest number of paths that `list_files` gives.
pub const LIST_PATHS: usize = 1_000;
/// Greatest number of characters of all `source` fields of an `explore` answer together.
pub const EXPLORE_SOURCE_CHARS: usize = 24_000;
/// Greatest number of characters of `read_file`'s `content`.
pub const READ_CHARS: usize = 12_000;
/// Greatest number of characters of `text`.
pub const TEXT_CHARS: usize = 12_000;

/// Bounds that a host may lower, never raise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Characters of `text` that the model reads, notices included.
    pub text_chars: usize,
    /// Greatest `limit` of `search_code`.
    pub hits: u32,
    /// Greatest `limit` of `search_text`, in lines.
    pub text_lines: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            text_chars: TEXT_CHARS,
            hits: LIMIT,
            text_lines: TEXT_LIMIT,
        }
    }
}

impl Limits {
    /// The bounds of a person's command: `limit` up to 100,000.
    pub fn command() -> Self {
        Limits {
            text_chars: usize::MAX,
            hits: COMMAND_LIMIT,
            text_lines: COMMAND_LIMIT,
        }
    }

    /// These bounds, lowered by `other` where it is lower.
    pub fn narrowed(self, other: Limits) -> Self {
        Limits {
            text_chars: self.text_chars.min(other.text_chars),
            hits: self.hits.min(other.hits),
            text_lines: self.text_lines.min(other.text_lines),
        }
    }
}
