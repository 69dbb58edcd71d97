//! The output of resolution for one file.

use crate::facts::SymbolIx;
use serde::{Deserialize, Serialize};

/// Index of a file in the world: files sorted by path.
pub type FileId = u32;

/// A definition anywhere in the tree; `symbol` is [`crate::facts::FILE_SYMBOL`] for the file or module itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Target {
    /// The file.
    pub file: FileId,
    /// The definition in it.
    pub symbol: SymbolIx,
}

/// How a use relates to what it uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Relation {
    /// A call or construction.
    Calls,
    /// A value, type, decorator or element use.
    Uses,
    /// A base class.
    Inherits,
    /// An implemented interface, trait or protocol.
    Implements,
    /// A member that overrides or implements a member of a base.
    Overrides,
    /// An import statement.
    Imports,
}

/// How sure a link is, best first. A binding by name alone is no link: it is listed as loose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Confidence {
    /// The source alone proves the binding: lexical scope, import, package or type path, the receiver's own type stated.
    Exact,
    /// One candidate after scope, import and type rules that infer.
    Resolved,
    /// One of several definitions that the rules allow (a union type, a conditional definition).
    Possible,
}

/// A use bound to a definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Link {
    /// Index into the file's `refs`.
    pub site: u32,
    /// What it is bound to.
    pub target: Target,
    /// How it relates.
    pub relation: Relation,
    /// How sure.
    pub confidence: Confidence,
}

/// A member that overrides or implements a member of a direct or indirect base. Uses of `base` may reach `member`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Override {
    /// The member, in the file at hand.
    pub member: SymbolIx,
    /// The member that it overrides.
    pub base: Target,
}

/// All that resolution says about one file. A pure function of the facts of the whole tree.
///
/// Every ref of the file is in exactly one of: the sites of `links`, `loose`, `unbound`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileLinks {
    /// Bound uses, sorted by site, then target; a site has several links only when several definitions are meant.
    pub links: Vec<Link>,
    /// Indexes into `refs` of uses whose receiver or binding cannot be known: every definition of the name in the same
    /// language family is a candidate. Sorted.
    pub loose: Vec<u32>,
    /// Indexes into `refs` of uses bound to nothing in the tree: imported from outside, a built-in, a local, or undefined.
    /// Sorted.
    pub unbound: Vec<u32>,
    /// Overrides of the file's members, sorted.
    pub overrides: Vec<Override>,
    /// Files whose facts were consulted, the file itself left out. Sorted, without duplicates. With the names that the file's
    /// own facts hold it says what an edit elsewhere must touch for this result to change.
    pub consulted: Vec<FileId>,
}
