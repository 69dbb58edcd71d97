//! Resolution: from the uses that files state to the definitions they mean.

pub mod links;

pub use links::{Confidence, FileId, FileLinks, Link, Override, Relation, Target};
