//! Values of types, and what variables, fields and locals hold.

use super::linker::{Linker, Resume};
use super::links::{Confidence, FileId, Target};
use super::rules::listed;
use super::tables::last_name;
use super::value::{Task, Thing, Value, What, plain};
use crate::facts::{Bound, Expr, ExprId, Kind, SymbolFlags};

impl Linker<'_> {
    /// A value of the type that an expression states.
    pub fn instance(&self, file: FileId, ty: ExprId) -> Value {
        let view = self.view(file);
        let traits = self.traits(file);
        match view.facts.exprs[ty as usize] {
            Expr::Apply { base, arg } if !traits.class_of.is_empty() => {
                let name = last_name(&view.facts, base).unwrap_or("");
                if listed(traits.class_of, name) && !self.eval(file, base).is_inside() {
                    return self.eval(file, arg);
                }
            }
            Expr::Apply { base, arg } if matches!(view.facts.exprs[base as usize], Expr::Unknown) => {
                // The value of a pointer type acts as what it points to; of a slice, only its elements do.
                let inner = self.instance(file, arg);
                return inner.flat_map(|thing| {
                    Value::One((
                        Thing {
                            what: thing.what,
                            arg: thing.arg.or(Some((file, arg))),
                        },
                        Confidence::Exact,
                    ))
                });
            }
            Expr::Either(a, b) => {
                let (a, b) = (self.instance(file, a), self.instance(file, b));
                return Value::of(a.hits().iter().chain(b.hits()).copied().collect()).alternatives();
            }
            _ => {}
        }
        let value = self.eval(file, ty);
        if value.is_external()
            && let Some(name) = last_name(&view.facts, ty)
            && listed(traits.any_types, name)
        {
            return Value::Unknown;
        }
        self.instances(value)
    }

    /// Values of the types that a value names.
    pub(super) fn instances(&self, types: Value) -> Value {
        // One name may be a type and a value at once (TypeScript): the type counts here.
        let types = match &types {
            Value::Many(hits) if hits.iter().any(|(t, _)| self.is_type(t.what)) => {
                let types = Value::of(hits.iter().filter(|(t, _)| self.is_type(t.what)).copied().collect());
                self.side(self.file, types, false)
            }
            _ => types,
        };
        types.flat_map(|thing| match thing.what {
            What::Def(t) => {
                let symbol = self.symbol(t);
                match symbol.kind {
                    Kind::TypeAlias => match symbol.ty.or(symbol.value) {
                        Some(ty) if self.view(t.file).all_children(t.symbol).is_empty() => {
                            let behind = self.task(Task::Value(t), || self.instance(t.file, ty));
                            self.aliased(t, thing, behind)
                        }
                        _ => Value::one(What::Instance(t), Confidence::Exact),
                    },
                    kind if kind.is_type() => Value::One((
                        Thing {
                            what: What::Instance(t),
                            arg: thing.arg,
                        },
                        Confidence::Exact,
                    )),
                    Kind::Function if symbol.ty.is_none() => Value::one(What::Instance(t), Confidence::Exact),
                    Kind::Constructor => match self.owner(t) {
                        Some(owner) => Value::one(What::Instance(owner), Confidence::Exact),
                        None => Value::Unknown,
                    },
                    Kind::Variant => match symbol.parent {
                        Some(p) => Value::one(
                            What::Instance(Target {
                                file: t.file,
                                symbol: p,
                            }),
                            Confidence::Exact,
                        ),
                        None => Value::Unknown,
                    },
                    Kind::Variable | Kind::Constant | Kind::Field | Kind::Property => {
                        // A variable that stands for a type; one that holds something external (a type variable) tells nothing.
                        let held = self.value_of(t);
                        if held.is_inside() {
                            self.held_types(held)
                        } else {
                            Value::Unknown
                        }
                    }
                    _ => Value::Unknown,
                }
            }
            What::Local(f, b) => self.task(Task::LocalType(f, b), || {
                match self.view(f).facts.bindings[b as usize].to {
                    Bound::Local {
                        ty: Some(ty),
                        value: None,
                    } => self.instance(f, ty).weaken(Confidence::Resolved),
                    Bound::Local {
                        ty: None,
                        value: Some(value),
                    } => {
                        let held = self.force(self.eval(f, value));
                        if held.is_inside() {
                            self.held_types(held)
                        } else {
                            Value::Unknown
                        }
                    }
                    _ => Value::Unknown,
                }
            }),
            What::Attr(..) => {
                let held = self.force_thing(thing);
                if held.is_inside() {
                    self.held_types(held)
                } else {
                    Value::Unknown
                }
            }
            What::Instance(_) | What::Shape(..) | What::Callable(..) | What::External => plain(thing),
            What::Above(_) | What::File(_) | What::Space(_) | What::Dir(_) => Value::Unknown,
        })
    }

    /// A value of an alias with the argument that it is applied to, when `behind` is a value of what it stands for.
    pub(super) fn aliased(&self, alias: Target, thing: Thing, behind: Value) -> Value {
        if self.has_methods(alias) {
            // A named type with methods of its own (`type Names []Name`): its elements are those of what it is made of.
            let arg = thing.arg.or_else(|| behind.hits().iter().find_map(|(b, _)| b.arg));
            let what = What::Instance(alias);
            return Value::One((Thing { what, arg }, Confidence::Exact));
        }
        let Some((file, expr)) = thing.arg else { return behind };
        if behind.is_unknown() {
            // The alias wraps its parameter in types that act as it.
            return self.instance(file, expr).weaken(Confidence::Resolved);
        }
        behind.flat_map(|b| {
            let arg = b.arg.and(thing.arg);
            Value::One((Thing { what: b.what, arg }, Confidence::Exact))
        })
    }

    /// Whether methods are defined for an alias itself.
    pub(super) fn has_methods(&self, alias: Target) -> bool {
        let hash = self.view(alias.file).hash(self.symbol(alias).name);
        let family = self.world.family(alias.file);
        let owned = self.world.tables.all_owned(hash);
        let mut near = owned.iter().filter(|o| self.world.family(o.2.file) == family).take(64);
        near.any(|o| self.owner(o.2) == Some(alias))
    }

    /// Values of the types among what a variable holds.
    pub(super) fn held_types(&self, held: Value) -> Value {
        held.flat_map(|thing| match thing.what {
            What::Def(t) if self.symbol(t).kind.is_type() => self.instances(plain(thing)),
            _ => Value::Unknown,
        })
        .weaken(Confidence::Resolved)
    }

    pub(super) fn is_type(&self, what: What) -> bool {
        matches!(what, What::Def(t) if self.symbol(t).kind.is_type())
    }

    /// What a value holds: variables, fields and locals give way to what is in them.
    pub fn force(&self, value: Value) -> Value {
        if value.hits().iter().all(|(t, _)| {
            matches!(
                t.what,
                What::Instance(_) | What::Shape(..) | What::Callable(..) | What::External
            )
        }) {
            return value;
        }
        value.flat_map(|thing| self.force_thing(thing))
    }

    pub(super) fn force_thing(&self, thing: Thing) -> Value {
        match thing.what {
            What::Def(t) => {
                let symbol = self.symbol(t);
                let holds = matches!(
                    symbol.kind,
                    Kind::Variable | Kind::Constant | Kind::Field | Kind::Property
                ) || symbol.flags.has(SymbolFlags::GETTER);
                if !holds {
                    return plain(thing);
                }
                let value = self.value_of(t);
                if !value.is_inside()
                    && let (Some(arg), Some(ty)) = (thing.arg, symbol.ty)
                    && let Some(given) = self.substituted(t.file, ty, arg)
                {
                    return given.weaken(Confidence::Resolved);
                }
                value
            }
            What::Local(..) | What::Attr(..) => {
                let value = self.held(thing.what);
                self.resumes(|| Resume::Held(thing));
                if let (What::Local(f, b), Some(arg), false) = (thing.what, thing.arg, value.is_inside())
                    && let Bound::Local { ty: Some(ty), .. } = self.view(f).facts.bindings[b as usize].to
                    && let Some(given) = self.substituted(f, ty, arg)
                {
                    return given.weaken(Confidence::Resolved);
                }
                value
            }
            _ => plain(thing),
        }
    }

    fn held(&self, what: What) -> Value {
        match what {
            What::Local(f, b) => self.task(Task::Local(f, b), || match self.view(f).facts.bindings[b as usize].to {
                Bound::Local { ty: Some(ty), .. } => self.instance(f, ty),
                Bound::Local { value: Some(value), .. } => self.force(self.eval(f, value)),
                _ => Value::Unknown,
            }),
            What::Attr(f, m) => self.task(Task::Attr(f, m), || {
                let member = self.view(f).facts.members[m as usize];
                match (member.ty, member.value) {
                    (Some(ty), _) => self.instance(f, ty),
                    (None, Some(value)) => self.force(self.eval(f, value)).weaken(Confidence::Resolved),
                    (None, None) => Value::Unknown,
                }
            }),
            _ => Value::Unknown,
        }
    }

    /// What a variable, field or getter holds.
    pub(super) fn value_of(&self, target: Target) -> Value {
        let value = self.task(Task::Value(target), || self.value_new(target));
        self.resumes(|| Resume::Value(target));
        value
    }

    fn value_new(&self, target: Target) -> Value {
        let symbol = self.symbol(target);
        if let Some(ty) = symbol.ty {
            let value = self.instance(target.file, ty);
            if value.is_unknown() && self.traits(target.file).impl_blocks {
                return self.bounded_in_blocks(target, ty);
            }
            return value;
        }
        if symbol.kind == Kind::Variant {
            return self.instances(Value::def(target, Confidence::Exact));
        }
        let held = match symbol.value {
            Some(value) => {
                let made = self.constructs(target.file, value);
                let held = self.force(self.eval(target.file, value));
                // `const x = new Foo()` proves the type; what a call returns only infers it.
                if made && symbol.kind == Kind::Constant {
                    held
                } else {
                    held.weaken(Confidence::Resolved)
                }
            }
            None => Value::Unknown,
        };
        if held.is_inside() || symbol.parent.is_none() {
            return held;
        }
        // A field that is declared here and given a value elsewhere.
        let name = self.view(target.file).facts.name(symbol.name);
        match symbol.parent {
            Some(parent) => {
                let of = Target {
                    file: target.file,
                    symbol: parent,
                };
                let assigned = self.attributes(of, name);
                if assigned.is_unknown() {
                    held
                } else {
                    self.force(assigned).weaken(Confidence::Resolved)
                }
            }
            None => held,
        }
    }

    /// A value of a field whose type is a parameter that only the blocks of its type bound.
    pub(super) fn bounded_in_blocks(&self, field: Target, ty: ExprId) -> Value {
        let view = self.view(field.file);
        let facts = &view.facts;
        let (Expr::Name { name, .. }, Some(parent)) = (facts.exprs[ty as usize], self.symbol(field).parent) else {
            return Value::Unknown;
        };
        let of = facts.symbols[parent as usize].name;
        for block in &facts.impls {
            let head = match facts.exprs[block.ty as usize] {
                Expr::Apply { base, .. } => base,
                _ => block.ty,
            };
            let Expr::Name { name: n, scope, .. } = facts.exprs[head as usize] else {
                continue;
            };
            if n != of {
                continue;
            }
            for &b in view.bindings(scope, name) {
                if let Bound::Local {
                    ty: Some(bound),
                    value: None,
                } = facts.bindings[b as usize].to
                {
                    return self.instance(field.file, bound).weaken(Confidence::Resolved);
                }
            }
        }
        Value::Unknown
    }
}
