//! What calls give: constructors, return types, type arguments of the receiver.

use super::linker::{Linker, Resume};
use super::links::{Confidence, FileId, Target};
use super::rules::listed;
use super::signatures::RESULT;
use super::tables::last_name;
use super::value::{Task, Thing, Value, What, plain};
use crate::facts::{Bound, Expr, ExprId, Kind, ScopeKind, SymbolFlags};

/// Most type parameters of one type.
const PARAMETERS: usize = 256;

impl Linker<'_> {
    pub(super) fn call(&self, file: FileId, callee: ExprId, args: u8) -> Value {
        let view = self.view(file);
        let named = self.callee(file, callee);
        if named.is_external()
            && let Expr::Member { base, name } = view.facts.exprs[callee as usize]
            && listed(self.traits(file).makers, view.facts.name(name))
        {
            let of = self.eval(file, base);
            return match of.hits() {
                [(thing, _)] if self.is_type(thing.what) => self.instances(of).weaken(Confidence::Resolved),
                _ => Value::Unknown,
            };
        }
        let chosen = self.choose(self.applied(file, named, args), args);
        let receiver = || match view.facts.exprs[callee as usize] {
            Expr::Member { base, .. } => self.force(self.eval(file, base)),
            _ => Value::Unknown,
        };
        chosen.flat_map(|thing| self.called(file, thing, callee, &receiver))
    }

    pub(super) fn called(&self, file: FileId, thing: Thing, callee: ExprId, receiver: &dyn Fn() -> Value) -> Value {
        match thing.what {
            What::Def(t) => {
                let symbol = self.symbol(t);
                match symbol.kind {
                    kind if kind.is_type() => self.instances(plain(thing)),
                    Kind::Constructor | Kind::Variant => self.instances(plain(thing)),
                    Kind::Property if self.traits(t.file).calls_read => self.value_of(t),
                    Kind::Variable | Kind::Constant | Kind::Field | Kind::Property => {
                        let held = self.value_of(t);
                        held.flat_map(|t| self.called_value(t)).weaken(Confidence::Resolved)
                    }
                    _ if symbol.flags.has(SymbolFlags::GETTER) && self.traits(t.file).calls_read => self.value_of(t),
                    _ if symbol.flags.has(SymbolFlags::GETTER) => {
                        let held = self.value_of(t);
                        held.flat_map(|t| self.called_value(t)).weaken(Confidence::Resolved)
                    }
                    _ => self.returned(t, receiver),
                }
            }
            What::Local(..) | What::Attr(..) => {
                let held = self.force_thing(thing);
                held.flat_map(|t| self.called_value(t)).weaken(Confidence::Resolved)
            }
            What::Above(t) => Value::one(What::Above(t), Confidence::Exact),
            What::Instance(_) | What::Callable(..) | What::Shape(..) => self.called_value(thing),
            What::External => {
                // An external class makes external values. What an external function hands back may come from the tree.
                let traits = self.traits(file);
                let name = last_name(&self.view(file).facts, callee).unwrap_or("");
                let class = name.trim_start_matches('_').starts_with(|c: char| c.is_uppercase());
                let own = listed(traits.builtins, name) && !listed(traits.passes_through, name);
                let plain_name = matches!(self.view(file).facts.exprs[callee as usize], Expr::Name { .. });
                if traits.declares && !plain_name {
                    return self.of_container(name, receiver());
                }
                if !plain_name && listed(traits.elements, name) {
                    return receiver().flat_map(|on| match (on.what, on.arg) {
                        (What::External, Some((file, arg))) => self.instance(file, arg).weaken(Confidence::Resolved),
                        _ => Value::Unknown,
                    });
                }
                if !plain_name && listed(traits.keeps, name) {
                    return receiver().flat_map(|on| match (on.what, on.arg) {
                        (What::External, Some(_)) => plain(on),
                        _ => Value::Unknown,
                    });
                }
                // Where values are made with a keyword only, a capital says nothing about what is called.
                let class = class && (traits.call_constructs || !traits.overloads);
                if class || (own && plain_name) {
                    Value::external()
                } else {
                    Value::Unknown
                }
            }
            What::File(_) | What::Space(_) | What::Dir(_) => Value::Unknown,
        }
    }

    /// What a member function of a container or smart pointer of the standard library gives.
    pub(super) fn of_container(&self, name: &str, receiver: Value) -> Value {
        receiver.flat_map(|thing| match (thing.what, thing.arg) {
            (What::External, Some((file, arg))) => match name {
                "at" | "back" | "front" | "get" | "release" | "top" | "value" => self.instance(file, arg),
                "begin" | "cbegin" | "end" | "find" | "lower_bound" | "rbegin" | "upper_bound" => plain(thing),
                _ => Value::Unknown,
            },
            _ => Value::Unknown,
        })
    }

    pub(super) fn called_value(&self, thing: Thing) -> Value {
        match thing.what {
            What::Callable(file, result) => self.instance(file, result).weaken(Confidence::Resolved),
            What::Shape(..) => self
                .force(self.signature_part(thing, RESULT))
                .weaken(Confidence::Resolved),
            What::Def(t) => match self.symbol(t).kind {
                kind if kind.is_type() => self.instances(plain(thing)),
                kind if kind.is_callable() => self.returned(t, &|| Value::Unknown),
                _ => Value::Unknown,
            },
            What::Instance(t) => {
                let operator = self.traits(t.file).call_operator;
                if operator.is_empty() {
                    return self
                        .force(self.signature_part(thing, RESULT))
                        .weaken(Confidence::Resolved);
                }
                let found = self.member(thing, operator, super::hash::name_hash(operator));
                found.flat_map(|m| match m.what {
                    What::Def(m) if self.symbol(m).kind.is_callable() => self.returned(m, &|| plain(thing)),
                    _ => Value::Unknown,
                })
            }
            _ => Value::Unknown,
        }
    }

    /// What calling a function gives.
    pub(super) fn returned(&self, target: Target, receiver: &dyn Fn() -> Value) -> Value {
        let symbol = self.symbol(target);
        let facts = &self.view(target.file).facts;
        let own = |e: ExprId| matches!(facts.exprs[e as usize], Expr::SelfType { .. } | Expr::This { .. });
        // A function that returns its receiver gives the type on which it was called, not the one that defines it.
        if let Some(e) = symbol.ty.or(symbol.value)
            && own(e)
        {
            let on = receiver();
            let on = on.flat_map(|thing| match thing.what {
                What::Instance(_) => plain(thing),
                What::Def(t) if self.symbol(t).kind.is_type() => self.instances(plain(thing)),
                _ => Value::Unknown,
            });
            if on.is_inside() {
                return on.weaken(Confidence::Resolved);
            }
        }
        let value = self.task(Task::Value(target), || {
            let value = match (symbol.ty, symbol.value) {
                (Some(ty), _) => self.instance(target.file, ty),
                (None, Some(value)) => self.force(self.eval(target.file, value)),
                (None, None) => Value::Unknown,
            };
            value.weaken(Confidence::Resolved)
        });
        self.resumes(|| Resume::Returned(target));
        if !value.is_inside()
            && let Some(ty) = symbol.ty
            && let [(on, _)] = receiver().hits()
            && let Some(arg) = on.arg
            && let Some(given) = self.substituted(target.file, ty, arg)
        {
            return given.weaken(Confidence::Resolved);
        }
        value
    }

    /// A value of a type that is the last parameter of the type around it, or a collection of it, for an argument.
    pub(super) fn substituted(&self, file: FileId, ty: ExprId, arg: (FileId, ExprId)) -> Option<Value> {
        let facts = &self.view(file).facts;
        match facts.exprs[ty as usize] {
            Expr::Name { .. } if self.is_last_parameter(file, ty) => Some(self.instance(arg.0, arg.1)),
            Expr::Apply { base, arg: inner } if self.is_last_parameter(file, inner) => {
                let on = match facts.exprs[base as usize] {
                    Expr::Unknown => Value::external(),
                    _ => self.instances(self.eval(file, base)),
                };
                let name = last_name(facts, base).unwrap_or("");
                if !on.is_inside() && listed(self.traits(file).transparent, name) {
                    return Some(self.instance(arg.0, arg.1));
                }
                let applied = |thing: Thing| {
                    let what = thing.what;
                    Value::One((Thing { what, arg: Some(arg) }, Confidence::Exact))
                };
                Some(on.flat_map(applied))
            }
            _ => None,
        }
    }

    /// Whether a type names the last of the type parameters that are bound around the members of a type.
    pub(super) fn is_last_parameter(&self, file: FileId, ty: ExprId) -> bool {
        let view = self.view(file);
        if !matches!(view.facts.exprs[ty as usize], Expr::Name { .. }) {
            return false;
        }
        let value = self.eval(file, ty);
        let [
            (
                Thing {
                    what: What::Local(f, b),
                    ..
                },
                _,
            ),
        ] = value.hits()
        else {
            return false;
        };
        let (f, b) = (*f, *b);
        let facts = &self.view(f).facts;
        let scope = facts.bindings[b as usize].scope;
        let fact = &facts.scopes[scope as usize];
        // A function's own parameters are given by its arguments; only a receiver binds those of its type.
        let around = match fact.kind {
            ScopeKind::Function => {
                let owned = fact.symbol.is_some_and(|s| facts.symbols[s as usize].owner.is_some());
                owned && !self.traits(f).impl_blocks
            }
            ScopeKind::Block => true,
            // Where parameters stand in the scope of the type itself, its members are definitions and no locals.
            ScopeKind::Type => fact.symbol.is_some(),
            _ => false,
        };
        let parameters = self.view(f).all_bindings(scope);
        let mere =
            |b: &&u32| fact.kind != ScopeKind::Type || matches!(facts.bindings[**b as usize].to, Bound::Local { .. });
        around && parameters.len() <= PARAMETERS && parameters.iter().filter(mere).max() == Some(&b)
    }

    /// Members that a value gives, with the type argument of the value where a field's type is a parameter.
    pub(super) fn with_argument(&self, members: Value, of: Thing) -> Value {
        let Some(arg) = of.arg else { return members };
        members.flat_map(|thing| match thing.what {
            What::Def(t)
                if thing.arg.is_none()
                    && matches!(
                        self.symbol(t).kind,
                        Kind::Field | Kind::Property | Kind::Method | Kind::Function
                    ) =>
            {
                let what = thing.what;
                Value::One((Thing { what, arg: Some(arg) }, Confidence::Exact))
            }
            _ => plain(thing),
        })
    }
}
