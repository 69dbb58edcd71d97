//! What an expression names.

use super::linker::{Linker, Resume};
use super::links::{Confidence, FileId, Target};
use super::rules::listed;
use super::tables::last_name;
use super::value::{Task, Thing, Value, What, plain};
use crate::facts::{Expr, ExprId, Kind, NameId};

impl Linker<'_> {
    /// What an expression of a file names.
    pub fn eval(&self, file: FileId, expr: ExprId) -> Value {
        if file == self.file {
            if let Some(known) = &self.own.borrow()[expr as usize] {
                return known.clone();
            }
            let value = self.bounded(
                Task::Expr(file, expr),
                || self.eval_new(file, expr),
                |value| self.own.borrow_mut()[expr as usize] = Some(value.clone()),
            );
            self.resumes(|| Resume::Expr(file, expr));
            return value;
        }
        let value = self.task(Task::Expr(file, expr), || self.eval_new(file, expr));
        self.resumes(|| Resume::Expr(file, expr));
        value
    }

    pub(super) fn eval_new(&self, file: FileId, expr: ExprId) -> Value {
        let view = self.view(file);
        match view.facts.exprs[expr as usize] {
            Expr::Unknown => Value::Unknown,
            Expr::Name { name, scope, at } => self.name(file, name, scope, at, None),
            Expr::Rooted { name } => self.rooted(file, view.facts.name(name), view.hash(name)),
            Expr::Member { base, name } => {
                let found = self.member_named(file, base, name);
                if !found.is_inside() {
                    return self.member_by_custom(file, base, name, found);
                }
                match &found {
                    Value::Many(hits) if self.traits(file).impl_blocks => {
                        let mut hits = hits.to_vec();
                        self.field_or_method(&mut hits, false);
                        Value::of(hits)
                    }
                    _ => found,
                }
            }
            Expr::Call { callee, args } => self.call(file, callee, args),
            Expr::New { ty } | Expr::Typed { ty } => self.instance(file, ty),
            Expr::Element { of } | Expr::Unwrap { of } => {
                let wrapped = matches!(view.facts.exprs[expr as usize], Expr::Unwrap { .. });
                let of = self.force(self.eval(file, of));
                of.flat_map(|thing| match (thing.arg, thing.what) {
                    (Some((f, e)), What::External) => self.instance(f, e),
                    (Some((f, e)), _) if !wrapped => self.instance(f, e),
                    (None, What::Instance(_) | What::Def(_) | What::Shape(..) | What::Callable(..)) if wrapped => {
                        plain(thing)
                    }
                    (Some((f, e)), What::Instance(t)) if self.traits(file).declares => self.pointee(t, f, e),
                    _ => Value::Unknown,
                })
            }
            Expr::Apply { base, arg } => self.apply(file, base, arg),
            Expr::This { scope } => match self.enclosing_type(file, scope) {
                Some(t) => Value::one(What::Instance(t), Confidence::Exact),
                None => match self.owner_expr(file, scope) {
                    Some(owner) => self.instance(file, owner),
                    None => Value::Unknown,
                },
            },
            Expr::Super { scope } => match self.enclosing_type(file, scope) {
                Some(t) => Value::one(What::Above(t), Confidence::Exact),
                None => Value::Unknown,
            },
            Expr::SelfType { scope } => match self.enclosing_type(file, scope) {
                Some(t) => Value::def(t, Confidence::Exact),
                None => match self.owner_expr(file, scope) {
                    Some(owner) => self.eval(file, owner),
                    None => Value::Unknown,
                },
            },
            Expr::Symbol(symbol) => Value::def(Target { file, symbol }, Confidence::Exact),
            Expr::Literal => Value::external(),
            Expr::Shape { scope } => Value::one(What::Shape(file, scope), Confidence::Exact),
            Expr::Function { result } => Value::one(What::Callable(file, result), Confidence::Exact),
            Expr::Either(a, b) => {
                let (a, b) = (self.eval(file, a), self.eval(file, b));
                let one_sided = a.is_unknown() != b.is_unknown();
                if one_sided && !a.is_inside() && !b.is_inside() {
                    return Value::Unknown;
                }
                let both = Value::of(a.hits().iter().chain(b.hits()).copied().collect()).alternatives();
                if one_sided {
                    both.weaken(Confidence::Resolved)
                } else {
                    both
                }
            }
        }
    }

    /// A member that is not where its base says, found as the language has it; `found` failing that.
    pub(super) fn member_by_custom(&self, file: FileId, base: ExprId, name: NameId, found: Value) -> Value {
        let view = self.view(file);
        let traits = self.traits(file);
        let (text, hash) = (view.facts.name(name), view.hash(name));
        // The value of an entry of a map; what iteration gives is the value itself.
        if traits.declares && text == "second" {
            let of = self.eval(file, base);
            return if of.is_inside() { of } else { found };
        }
        let own = matches!(
            view.facts.exprs[base as usize],
            Expr::This { .. } | Expr::SelfType { .. }
        );
        if own && traits.top_level_members {
            return self.top_level_member(file, text, hash, found);
        }
        if own && traits.impl_blocks {
            return self.block_member(file, base, hash, found);
        }
        found
    }

    /// A member of `self` in a block for a type that is not in the tree: what the blocks of the file define for a type so named.
    fn block_member(&self, file: FileId, base: ExprId, hash: u64, found: Value) -> Value {
        let facts = &self.view(file).facts;
        let (Expr::This { scope } | Expr::SelfType { scope }) = facts.exprs[base as usize] else {
            return found;
        };
        let Some(owner) = self.owner_expr(file, scope).and_then(|e| last_name(facts, e)) else {
            return found;
        };
        let members = self.world.tables.owned(super::hash::name_hash(owner), hash);
        let here = members.iter().filter(|o| o.2.file == file);
        let hits = here.map(|o| {
            let what = What::Def(o.2);
            (Thing { what, arg: None }, Confidence::Exact)
        });
        let blocks = Value::of(hits.collect());
        if blocks.is_inside() { blocks } else { found }
    }

    /// What `->` and `*` see: of a pointer the value itself, of a class with such an operator its type argument.
    pub(super) fn pointee(&self, t: Target, file: FileId, arg: ExprId) -> Value {
        let value = Value::one(What::Instance(t), Confidence::Exact);
        let arg = self.instance(file, arg);
        if !arg.is_inside() || arg.hits().iter().any(|h| h.0.what == What::Instance(t)) {
            return value;
        }
        let arrow = self.member_of_type(t, "operator->", super::hash::name_hash("operator->"));
        if arrow.is_inside() { arg } else { value }
    }

    /// A function of the top level, for a member without receiver that the type does not have.
    pub(super) fn top_level_member(&self, file: FileId, name: &str, hash: u64, found: Value) -> Value {
        let linked = self.linked(file, name, hash);
        let functions: Vec<_> = linked
            .hits()
            .iter()
            .filter(|h| matches!(h.0.what, What::Def(d) if self.symbol(d).kind == Kind::Function))
            .copied()
            .collect();
        if !functions.is_empty() {
            return Value::of(functions);
        }
        if listed(self.traits(file).builtins, name) {
            return Value::external();
        }
        found
    }

    pub(super) fn apply(&self, file: FileId, base: ExprId, arg: ExprId) -> Value {
        let facts = &self.view(file).facts;
        let traits = self.traits(file);
        let name = last_name(facts, base).unwrap_or("");
        if matches!(facts.exprs[base as usize], Expr::Unknown) {
            // A pointer, a slice, an array: nothing of the tree by itself.
            return Value::One((
                Thing {
                    what: What::External,
                    arg: Some((file, arg)),
                },
                Confidence::Exact,
            ));
        }
        let value = self.eval(file, base);
        if !value.is_inside() {
            if listed(traits.transparent, name) {
                return self.eval(file, arg);
            }
            if listed(traits.class_of, name) {
                // The value of such a type is the class itself: see `instance`.
                return Value::Unknown;
            }
        }
        value.flat_map(|thing| {
            Value::One((
                Thing {
                    what: thing.what,
                    arg: Some((file, arg)),
                },
                Confidence::Exact,
            ))
        })
    }

    pub(super) fn member_named(&self, file: FileId, base: ExprId, name: NameId) -> Value {
        let view = self.view(file);
        let base = self.side(file, self.eval(file, base), true);
        let (text, hash) = (view.facts.name(name), view.hash(name));
        let found = base.flat_map(|thing| self.member(thing, text, hash));
        if found.is_inside() {
            return found;
        }
        let beyond = self.world.rules(file).beyond(self, file, &base, text, hash);
        beyond.or_else(|| found)
    }

    pub(super) fn constructs(&self, file: FileId, expr: ExprId) -> bool {
        matches!(self.view(file).facts.exprs[expr as usize], Expr::New { .. })
    }
}
