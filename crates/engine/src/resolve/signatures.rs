//! What callables state of their parameters and results.
//!
//! A language that keeps signatures binds the type of parameter `n` as `(n`, that of the elements of a rest parameter as [`REST`] and
//! what a call gives as [`RESULT`]: in the scope of a function or of a function type, or as members of a type whose values can be
//! called. A parameter that an argument names, `f(key=…)`, is asked for as `(=key`. [`Linker::member`] asks here for such names, and a member of a value under such a name is a value of what is stated.

use super::hash::name_hash;
use super::linker::Linker;
use super::links::{Confidence, FileId};
use super::value::{Thing, Value, What, plain};
use crate::facts::{Kind, ScopeId};

/// Name of what a call gives.
pub const RESULT: &str = "()";
/// Name of the elements of a rest parameter.
pub const REST: &str = "(…";
/// Most types of a chain whose call signatures are looked at.
const CHAIN: usize = 16;

/// Whether a name is that of a part of a signature.
pub fn is_part(name: &str) -> bool {
    name.starts_with('(')
}

impl Linker<'_> {
    /// A part of the signature of a thing. What something external hands to a function may come from the tree: unknown.
    pub(super) fn signature_part(&self, thing: Thing, name: &str) -> Value {
        let found = self.stated_part(thing, name);
        // Where the type of the part is a parameter of the receiver's type, the receiver's argument says which it is.
        match thing.arg {
            Some(arg) => found.flat_map(|part| {
                let (what, arg) = (part.what, part.arg.or(Some(arg)));
                Value::One((Thing { what, arg }, Confidence::Exact))
            }),
            None => found,
        }
    }

    fn stated_part(&self, thing: Thing, name: &str) -> Value {
        match thing.what {
            What::Def(t) => {
                let symbol = self.symbol(t);
                match symbol.kind {
                    kind if kind.is_callable() => match symbol.body {
                        Some(body) => self.bound_part(t.file, body, name).weaken(Confidence::Resolved),
                        None => Value::Unknown,
                    },
                    Kind::TypeAlias => self.held_part(self.instances(plain(thing)), thing, name),
                    kind if kind.is_type() && name != RESULT => {
                        let made = self.constructors(t, 255, true);
                        Value::of(
                            made.into_iter()
                                .filter_map(|c| Some((c.file, self.symbol(c).body?)))
                                .flat_map(|(file, body)| self.bound_part(file, body, name).hits().to_vec())
                                .collect(),
                        )
                        .weaken(Confidence::Resolved)
                    }
                    kind if kind.is_type() => Value::Unknown,
                    _ => self.held_part(self.force(plain(thing)), thing, name),
                }
            }
            What::Local(..) | What::Attr(..) => self.held_part(self.force(plain(thing)), thing, name),
            What::Shape(file, scope) => self.bound_part(file, scope, name),
            What::Callable(file, result) if name == RESULT => self.instance(file, result),
            What::Instance(t) => {
                let chain = self.chain(t);
                let stated = chain.types.iter().take(CHAIN).find_map(|&at| {
                    let found = self.attributes(at, name);
                    let found = found.or_else(|| self.attributes(at, REST));
                    (!found.is_unknown()).then_some(found)
                });
                stated.unwrap_or_default().weaken(Confidence::Resolved)
            }
            _ => Value::Unknown,
        }
    }

    /// The part in what a thing holds, the thing itself left out.
    fn held_part(&self, held: Value, of: Thing, name: &str) -> Value {
        held.flat_map(|thing| match thing.what {
            What::Local(..) | What::Attr(..) => Value::Unknown,
            what if what == of.what => Value::Unknown,
            what => {
                let arg = thing.arg.or(of.arg);
                self.signature_part(Thing { what, arg }, name)
            }
        })
    }

    fn bound_part(&self, file: FileId, scope: ScopeId, name: &str) -> Value {
        let view = self.view(file);
        let bound = |name: &str| {
            // A parameter that is named by the argument.
            let name = name.strip_prefix("(=").unwrap_or(name);
            let id = view.id(name, name_hash(name))?;
            view.bindings(scope, id).last().copied()
        };
        let rest = || bound(REST).filter(|_| name != RESULT);
        match bound(name).or_else(rest) {
            Some(b) => Value::one(What::Local(file, b), Confidence::Exact),
            None => Value::Unknown,
        }
    }
}
