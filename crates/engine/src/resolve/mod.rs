//! Resolution: from the uses that files state to the definitions they mean.

mod callee;
mod calls;
mod enclosing;
mod eval;
pub mod extensions;
pub mod hash;
mod instances;
mod link;
mod linkage;
pub mod linker;
pub mod links;
mod modules;
mod names;
mod overrides;
pub mod packages;
pub mod project;
pub mod rules;
pub mod signatures;
pub mod tables;
#[cfg(test)]
pub mod testing;
#[cfg(test)]
mod tests;
pub mod types;
pub mod value;
pub mod view;
pub mod world;

pub use link::link;
pub use links::{Confidence, FileId, FileLinks, Link, Override, Relation, Target};
pub use project::is_manifest;
pub use world::{FactsSource, World, WorldFile};
