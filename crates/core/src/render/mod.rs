//! What the model reads: an answer as text, cut at a line, with a tail that says how much of how much it holds.
//!
//! One hit a line, `path:Lstart-Lend kind name (n←)`, with its lines under it; `n` is the in-degree. The text is a
//! function of the request and the answer alone. Answers are redacted before they come here; [`Page::deliver`] cuts, then
//! scans what is left, and fences it where it speaks to the model. The tail stays outside the fence and survives
//! every cut.

mod explore;
mod map;
mod page;
mod search;
mod texts;
mod words;

pub use page::{Delivered, Page};
pub use search::search;
pub use texts::{list, read, refusal, text};
pub use words::not_searched;

#[cfg(test)]
mod tests;
