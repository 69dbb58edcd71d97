//! What is called: methods with names of their own, classes beside objects of their name, call operators.

use super::hash::name_hash;
use super::linker::Linker;
use super::links::{FileId, Target};
use super::value::{Hit, Thing, Value, What, plain};
use crate::facts::{Expr, ExprId, Kind};

impl Linker<'_> {
    /// What is called: where a field and a method may share a name, the method.
    pub fn callee(&self, file: FileId, callee: ExprId) -> Value {
        match self.view(file).facts.exprs[callee as usize] {
            Expr::Name { name, scope, at } if self.traits(file).methods_apart => {
                self.name_as(file, name, scope, at, None, true)
            }
            Expr::Member { base, name } if self.traits(file).impl_blocks => {
                let found = self.member_named(file, base, name);
                if !found.is_inside() {
                    return self.member_by_custom(file, base, name, found);
                }
                let mut hits = found.hits().to_vec();
                self.field_or_method(&mut hits, true);
                Value::of(hits)
            }
            _ => self.eval(file, callee),
        }
    }

    /// Of a class and an object of one name: the object, or the class.
    pub(super) fn side(&self, file: FileId, value: Value, object: bool) -> Value {
        let Value::Many(hits) = &value else { return value };
        if !self.traits(file).companions {
            return value;
        }
        let is_object = |h: &Hit| matches!(h.0.what, What::Def(t) if self.symbol(t).kind == Kind::Object);
        let is_class = |h: &Hit| matches!(h.0.what, What::Def(t) if self.symbol(t).kind.is_type() && self.symbol(t).kind != Kind::Object);
        if !hits.iter().any(is_object) || !hits.iter().any(is_class) {
            return value;
        }
        let kept = hits.iter().copied();
        Value::of(if object {
            kept.filter(|h| !is_class(h)).collect()
        } else {
            kept.filter(|h| !is_object(h)).collect()
        })
    }

    /// What a call of a class and an object of one name runs: the object's call operator if it takes the arguments,
    /// otherwise the class is made.
    pub(super) fn applied(&self, file: FileId, value: Value, args: u8) -> Value {
        let class = self.side(file, value.clone(), false);
        if class == value {
            return value;
        }
        let object = self.side(file, value, true);
        let operators: Vec<Hit> = object
            .hits()
            .iter()
            .flat_map(|&(thing, confidence)| {
                let found = self.call_operators(thing.what, args);
                found.into_iter().map(move |t| {
                    let what = What::Def(t);
                    (Thing { what, arg: None }, confidence)
                })
            })
            .filter(|(t, _)| matches!(t.what, What::Def(t) if self.takes(t, args)))
            .collect();
        if operators.is_empty() {
            class
        } else {
            Value::of(operators)
        }
    }

    /// The call operators of what a thing is or holds.
    pub(super) fn call_operators(&self, what: What, args: u8) -> Vec<Target> {
        let operator = self.traits(self.file).call_operator;
        if operator.is_empty() {
            return Vec::new();
        }
        let thing = Thing { what, arg: None };
        let on = match what {
            What::Def(t) if self.symbol(t).kind == Kind::Object => plain(thing),
            _ => self.force(plain(thing)),
        };
        let on = on.flat_map(|t| match t.what {
            What::Instance(_) => plain(t),
            What::Def(d) if self.symbol(d).kind == Kind::Object => plain(t),
            _ => Value::Unknown,
        });
        let found = on.flat_map(|t| self.member(t, operator, name_hash(operator)));
        let chosen = self.choose(found, args);
        chosen
            .hits()
            .iter()
            .filter_map(|h| match h.0.what {
                What::Def(t) if self.symbol(t).kind.is_callable() => Some(t),
                _ => None,
            })
            .collect()
    }

    /// Whether two definitions are one type: parts of it, or a class and its object.
    pub(super) fn one_type(&self, a: Target, b: Target) -> bool {
        let traits = self.traits(a.file);
        let types = self.symbol(a).kind.is_type() && self.symbol(b).kind.is_type();
        types && (traits.reopens || traits.companions) && self.full_name(a) == self.full_name(b)
    }
}
