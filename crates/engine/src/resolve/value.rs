//! What an expression evaluates to.

use super::links::{Confidence, FileId, Target};
use super::rules::{Place, SpaceId};
use crate::facts::{ExprId, ImportIx, MemberIx, ScopeId};
use std::rc::Rc;

/// What one thing is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum What {
    /// A definition itself: a function, a class, a variable.
    Def(Target),
    /// A value of a type of the tree.
    Instance(Target),
    /// The bases of a type, as `super` sees them.
    Above(Target),
    /// A local: index into the bindings of a file. What it holds is found when it is needed.
    Local(FileId, u32),
    /// A member that is no symbol: index into the members of a file.
    Attr(FileId, MemberIx),
    /// A file as a module.
    File(FileId),
    /// A space as a module.
    Space(SpaceId),
    /// A directory as a module.
    Dir(u32),
    /// A value of a type without a name: the scope of a file that holds its members.
    Shape(FileId, ScopeId),
    /// A function without a name: the type of what it gives, as an expression of a file.
    Callable(FileId, ExprId),
    /// Something from outside the tree, a built-in, or the name of nothing.
    External,
}

/// A thing with what is known of its type argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Thing {
    /// What it is.
    pub what: What,
    /// The type argument that its elements have, as an expression of a file.
    pub arg: Option<(FileId, ExprId)>,
}

/// A thing and how sure it is.
pub type Hit = (Thing, Confidence);

/// What an expression may be: nothing known (unknown), one thing, or several.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Value {
    /// Unknown.
    #[default]
    Unknown,
    /// One thing.
    One(Hit),
    /// Several things, each at most once.
    Many(Rc<[Hit]>),
}

/// Most things that one value may be; what is above is left out.
const MOST: usize = 16;

impl Value {
    /// One thing without a type argument.
    pub fn one(what: What, confidence: Confidence) -> Value {
        Value::One((Thing { what, arg: None }, confidence))
    }

    /// Something external.
    pub fn external() -> Value {
        Value::one(What::External, Confidence::Exact)
    }

    /// A definition.
    pub fn def(target: Target, confidence: Confidence) -> Value {
        Value::one(What::Def(target), confidence)
    }

    /// The module at a place.
    pub fn place(place: Place) -> Value {
        match place {
            Place::File(f) => Value::one(What::File(f), Confidence::Exact),
            Place::Space(s) => Value::one(What::Space(s), Confidence::Exact),
            Place::Dir(d) => Value::one(What::Dir(d), Confidence::Exact),
            Place::Type(t) => Value::def(t, Confidence::Exact),
            Place::External => Value::external(),
            Place::Unknown => Value::Unknown,
        }
    }

    /// The things, in a fixed order.
    pub fn hits(&self) -> &[Hit] {
        match self {
            Value::Unknown => &[],
            Value::One(hit) => std::slice::from_ref(hit),
            Value::Many(hits) => hits,
        }
    }

    /// Whether nothing is known.
    pub fn is_unknown(&self) -> bool {
        matches!(self, Value::Unknown)
    }

    /// Whether something inside the tree is known.
    pub fn is_inside(&self) -> bool {
        self.hits().iter().any(|(t, _)| t.what != What::External)
    }

    /// Whether all that is known is that it is external.
    pub fn is_external(&self) -> bool {
        !self.is_unknown() && !self.is_inside()
    }

    /// The value of these hits. External ones go when there are others: `None`, `null` and a fallback tell nothing.
    /// Of the same thing the better confidence stays.
    pub fn of(mut hits: Vec<Hit>) -> Value {
        if hits.iter().any(|(t, _)| t.what != What::External) {
            hits.retain(|(t, _)| t.what != What::External);
        }
        let mut out: Vec<Hit> = Vec::with_capacity(hits.len());
        for hit in hits {
            if let Some(h) = out.iter_mut().find(|h| h.0.what == hit.0.what) {
                h.1 = h.1.min(hit.1);
                h.0.arg = h.0.arg.or(hit.0.arg);
            } else if out.len() < MOST {
                out.push(hit);
            }
        }
        match out.len() {
            0 => Value::Unknown,
            1 => Value::One(out[0]),
            _ => Value::Many(out.into()),
        }
    }

    /// The same, at most this sure.
    pub fn weaken(self, most: Confidence) -> Value {
        match self {
            Value::Unknown => Value::Unknown,
            Value::One((t, c)) => Value::One((t, c.max(most))),
            Value::Many(hits) => Value::Many(hits.iter().map(|&(t, c)| (t, c.max(most))).collect()),
        }
    }

    /// Several things that exclude each other: what one of them leads to is inferred at best. A use that is left with
    /// several definitions has them as possible ones.
    pub fn alternatives(self) -> Value {
        match self {
            Value::Many(_) => self.weaken(Confidence::Resolved),
            one => one,
        }
    }

    /// The union of what each hit leads to.
    pub fn flat_map(&self, mut f: impl FnMut(Thing) -> Value) -> Value {
        match self {
            Value::Unknown => Value::Unknown,
            Value::One((t, c)) => f(*t).weaken(*c),
            Value::Many(hits) => {
                let mut out = Vec::new();
                for &(t, c) in hits.iter() {
                    out.extend(f(t).weaken(c).hits());
                }
                Value::of(out)
            }
        }
    }

    /// This, or the other when this is unknown.
    pub fn or_else(self, other: impl FnOnce() -> Value) -> Value {
        if self.is_unknown() { other() } else { self }
    }
}

/// A thing as a value.
pub(super) fn plain(thing: Thing) -> Value {
    Value::One((thing, Confidence::Exact))
}

/// What is being worked out; guards against going round in circles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Task {
    /// An expression.
    Expr(FileId, ExprId),
    /// An import.
    Import(FileId, ImportIx),
    /// A name handed out by a file or space.
    Name(Place, u64),
    /// The bases of a type.
    Bases(Target),
    /// What a definition's value is.
    Value(Target),
    /// What a local's value is.
    Local(FileId, u32),
    /// The type that a local stands for.
    LocalType(FileId, u32),
    /// What a member's value is.
    Attr(FileId, MemberIx),
    /// A member of a type.
    Member(Target, u64),
    /// A member of a type without a name.
    Shape(FileId, ScopeId, u64),
}
