//! The code graph of understory.
//!
//! `facts` is what one file says; `extract` makes it from a syntax tree with the tables of `languages`; `resolve` binds
//! uses to definitions across files; `index` keeps both on disk; `query` answers over the index.

pub mod extract;
pub mod facts;
pub mod groups;
pub mod index;
pub mod languages;
pub mod lexical;
pub mod query;
pub mod resolve;
pub mod terms;
