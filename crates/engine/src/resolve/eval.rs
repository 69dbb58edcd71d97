//! Evaluation of the expressions that files state.
//!
//! A [`Linker`] works for one file: it remembers what it worked out, so that a chain of uses costs each step once, and it
//! notes whose facts it looked at. Evaluation is bounded: by depth, by steps per use, and by a stack of open tasks
//! that stops circles. A result that such a bound cut short is used but never remembered, so that no other result
//! depends on who asked first.

use super::hash::{FastMap, FastSet};
use super::links::{Confidence, FileId, Target};
use super::rules::{Traits, listed};
use super::tables::last_name;
use super::types::Chain;
use super::value::{Task, Thing, Value, What};
use super::view::FileView;
use super::world::World;
use crate::facts::{Bound, Expr, ExprId, Kind, NameId, ScopeId, ScopeKind, SymbolFact, SymbolFlags};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// Deepest stack of open tasks.
const DEPTH: usize = 72;
/// Most steps for one use.
const STEPS: u32 = 4000;

/// Resolves the uses of one file.
pub struct Linker<'w> {
    /// All files.
    pub world: &'w World,
    /// The file whose uses are resolved.
    pub file: FileId,
    consulted: RefCell<FastSet<FileId>>,
    last_consulted: Cell<FileId>,
    known: RefCell<FastMap<Task, Value>>,
    pub(super) own: RefCell<Vec<Option<Value>>>,
    pub(super) chains: RefCell<FastMap<Target, Rc<Chain>>>,
    pub(super) includes: RefCell<Option<Rc<FastSet<FileId>>>>,
    open: RefCell<Vec<Task>>,
    steps: Cell<u32>,
    cut: Cell<bool>,
}

impl<'w> Linker<'w> {
    /// A linker for `file`, which must have a language.
    pub fn new(world: &'w World, file: FileId) -> Self {
        let exprs = world.view(file).facts.exprs.len();
        Linker {
            world,
            file,
            consulted: RefCell::default(),
            last_consulted: Cell::new(file),
            known: RefCell::default(),
            own: RefCell::new(vec![None; exprs]),
            chains: RefCell::default(),
            includes: RefCell::default(),
            open: RefCell::default(),
            steps: Cell::new(0),
            cut: Cell::new(false),
        }
    }

    /// The facts of a file, noted as consulted.
    pub fn view(&self, file: FileId) -> &'w FileView {
        if file != self.last_consulted.get() {
            self.last_consulted.set(file);
            self.consulted.borrow_mut().insert(file);
        }
        self.world.view(file)
    }

    /// Whether a file has facts.
    pub fn has_facts(&self, file: FileId) -> bool {
        self.world.files[file as usize].language.is_some()
    }

    /// The files whose facts were looked at, this one left out.
    pub fn consulted(&self) -> Vec<FileId> {
        let mut out: Vec<FileId> = self
            .consulted
            .borrow()
            .iter()
            .copied()
            .filter(|&f| f != self.file)
            .collect();
        out.sort_unstable();
        out
    }

    /// The traits of a file's language.
    pub fn traits(&self, file: FileId) -> &'static Traits {
        self.world.rules(file).traits()
    }

    /// A definition's facts.
    pub fn symbol(&self, target: Target) -> &'w SymbolFact {
        &self.view(target.file).facts.symbols[target.symbol as usize]
    }

    /// Begins a new use: the bounds start again.
    pub fn begin(&self) {
        self.steps.set(0);
        self.cut.set(false);
        debug_assert!(self.open.borrow().is_empty());
    }

    /// Does a task unless it is open already or a bound is reached. The result is remembered if nothing cut it.
    pub(super) fn task(&self, task: Task, work: impl FnOnce() -> Value) -> Value {
        if let Some(known) = self.known.borrow().get(&task) {
            return known.clone();
        }
        self.bounded(task, work, |value| {
            self.known.borrow_mut().insert(task, value.clone());
        })
    }

    /// Does a task within the bounds and hands a result that nothing cut to `keep`.
    pub(super) fn bounded<T: Default>(&self, task: Task, work: impl FnOnce() -> T, keep: impl FnOnce(&T)) -> T {
        self.steps.set(self.steps.get() + 1);
        {
            let mut open = self.open.borrow_mut();
            if open.len() >= DEPTH || self.steps.get() > STEPS || open.contains(&task) {
                self.cut.set(true);
                return T::default();
            }
            open.push(task);
        }
        let before = self.cut.replace(false);
        let value = work();
        self.open.borrow_mut().pop();
        if self.cut.get() {
            return value;
        }
        self.cut.set(before);
        keep(&value);
        value
    }

    /// Whether the supertypes of a type are being worked out: whoever asks for them now goes round in a circle.
    pub fn seeks_bases(&self, of: Target) -> bool {
        self.open.borrow().contains(&Task::Bases(of))
    }

    /// What an expression of a file names.
    pub fn eval(&self, file: FileId, expr: ExprId) -> Value {
        if file == self.file {
            if let Some(known) = &self.own.borrow()[expr as usize] {
                return known.clone();
            }
            return self.bounded(
                Task::Expr(file, expr),
                || self.eval_new(file, expr),
                |value| self.own.borrow_mut()[expr as usize] = Some(value.clone()),
            );
        }
        self.task(Task::Expr(file, expr), || self.eval_new(file, expr))
    }

    fn eval_new(&self, file: FileId, expr: ExprId) -> Value {
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
    fn member_by_custom(&self, file: FileId, base: ExprId, name: NameId, found: Value) -> Value {
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
        found
    }

    /// What `->` and `*` see: of a pointer the value itself, of a class with such an operator its type argument.
    fn pointee(&self, t: Target, file: FileId, arg: ExprId) -> Value {
        let value = Value::one(What::Instance(t), Confidence::Exact);
        let arg = self.instance(file, arg);
        if !arg.is_inside() || arg.hits().iter().any(|h| h.0.what == What::Instance(t)) {
            return value;
        }
        let arrow = self.member_of_type(t, "operator->", super::hash::name_hash("operator->"));
        if arrow.is_inside() { arg } else { value }
    }

    /// A function of the top level, for a member without receiver that the type does not have.
    fn top_level_member(&self, file: FileId, name: &str, hash: u64, found: Value) -> Value {
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

    fn apply(&self, file: FileId, base: ExprId, arg: ExprId) -> Value {
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
    fn aliased(&self, alias: Target, thing: Thing, behind: Value) -> Value {
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
    fn has_methods(&self, alias: Target) -> bool {
        let hash = self.view(alias.file).hash(self.symbol(alias).name);
        let family = self.world.family(alias.file);
        let owned = self.world.tables.all_owned(hash);
        let mut near = owned.iter().filter(|o| self.world.family(o.2.file) == family).take(64);
        near.any(|o| self.owner(o.2) == Some(alias))
    }

    /// Values of the types among what a variable holds.
    fn held_types(&self, held: Value) -> Value {
        held.flat_map(|thing| match thing.what {
            What::Def(t) if self.symbol(t).kind.is_type() => self.instances(plain(thing)),
            _ => Value::Unknown,
        })
        .weaken(Confidence::Resolved)
    }

    fn is_type(&self, what: What) -> bool {
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

    fn force_thing(&self, thing: Thing) -> Value {
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
            _ => plain(thing),
        }
    }

    /// What a variable, field or getter holds.
    pub(super) fn value_of(&self, target: Target) -> Value {
        self.task(Task::Value(target), || {
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
        })
    }

    fn constructs(&self, file: FileId, expr: ExprId) -> bool {
        matches!(self.view(file).facts.exprs[expr as usize], Expr::New { .. })
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

    fn call(&self, file: FileId, callee: ExprId, args: u8) -> Value {
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

    fn called(&self, file: FileId, thing: Thing, callee: ExprId, receiver: &dyn Fn() -> Value) -> Value {
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
    fn of_container(&self, name: &str, receiver: Value) -> Value {
        receiver.flat_map(|thing| match (thing.what, thing.arg) {
            (What::External, Some((file, arg))) => match name {
                "at" | "back" | "front" | "get" | "release" | "top" | "value" => self.instance(file, arg),
                "begin" | "cbegin" | "end" | "find" | "lower_bound" | "rbegin" | "upper_bound" => plain(thing),
                _ => Value::Unknown,
            },
            _ => Value::Unknown,
        })
    }

    fn called_value(&self, thing: Thing) -> Value {
        match thing.what {
            What::Callable(file, result) => self.instance(file, result).weaken(Confidence::Resolved),
            What::Def(t) => match self.symbol(t).kind {
                kind if kind.is_type() => self.instances(plain(thing)),
                kind if kind.is_callable() => self.returned(t, &|| Value::Unknown),
                _ => Value::Unknown,
            },
            What::Instance(t) => {
                let operator = self.traits(t.file).call_operator;
                if operator.is_empty() {
                    return Value::Unknown;
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
    fn returned(&self, target: Target, receiver: &dyn Fn() -> Value) -> Value {
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
    fn substituted(&self, file: FileId, ty: ExprId, arg: (FileId, ExprId)) -> Option<Value> {
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
    fn is_last_parameter(&self, file: FileId, ty: ExprId) -> bool {
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
            kind => kind == ScopeKind::Block,
        };
        around && self.view(f).all_bindings(scope).iter().max() == Some(&b)
    }

    /// Members that a value gives, with the type argument of the value where a field's type is a parameter.
    pub(super) fn with_argument(&self, members: Value, of: Thing) -> Value {
        let Some(arg) = of.arg else { return members };
        members.flat_map(|thing| match thing.what {
            What::Def(t) if thing.arg.is_none() && matches!(self.symbol(t).kind, Kind::Field | Kind::Property) => {
                let what = thing.what;
                Value::One((Thing { what, arg: Some(arg) }, Confidence::Exact))
            }
            _ => plain(thing),
        })
    }

    /// A value of a field whose type is a parameter that only the blocks of its type bound.
    fn bounded_in_blocks(&self, field: Target, ty: ExprId) -> Value {
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

    /// The type whose code a scope is: the innermost type scope, or the owner of a member defined away from it.
    pub fn enclosing_type(&self, file: FileId, scope: ScopeId) -> Option<Target> {
        let facts = &self.view(file).facts;
        let mut at = Some(scope);
        while let Some(id) = at {
            let fact = &facts.scopes[id as usize];
            if let Some(symbol) = fact.symbol {
                let s = &facts.symbols[symbol as usize];
                if fact.kind == ScopeKind::Type && (facts.is_type(symbol) || s.kind.is_callable()) {
                    return Some(Target { file, symbol });
                }
                if s.owner.is_some() && self.sees_owner(file, s) {
                    return self.owner(Target { file, symbol });
                }
                // A function of an object literal, or of a constructor function.
                if s.kind.is_callable()
                    && s.flags.has(SymbolFlags::ASSIGNED)
                    && let Some(parent) = s.parent
                {
                    return Some(Target { file, symbol: parent });
                }
            }
            if fact.kind == ScopeKind::Type && fact.symbol.is_none() {
                // The body of an extension, or of a class without a name, which is no type of the tree.
                return self.extended(file, id);
            }
            at = fact.parent;
        }
        self.constructor_function(file, scope)
    }

    /// The owner, as written, of the member around a scope.
    fn owner_expr(&self, file: FileId, scope: ScopeId) -> Option<ExprId> {
        let facts = &self.view(file).facts;
        let mut at = Some(scope);
        while let Some(id) = at {
            let fact = &facts.scopes[id as usize];
            let owner = fact.symbol.and_then(|s| facts.symbols[s as usize].owner);
            if owner.is_some() {
                return owner;
            }
            at = fact.parent;
        }
        None
    }

    /// The function around a scope that makes values of its own by `this.x = …` or a prototype.
    fn constructor_function(&self, file: FileId, scope: ScopeId) -> Option<Target> {
        let view = self.view(file);
        let mut at = Some(scope);
        while let Some(id) = at {
            let fact = &view.facts.scopes[id as usize];
            if fact.kind == ScopeKind::Function
                && let Some(symbol) = fact.symbol
            {
                let s = &view.facts.symbols[symbol as usize];
                let makes = view.has_members(symbol) || !self.world.tables.all_owned(view.hash(s.name)).is_empty();
                return (s.kind == Kind::Function && makes).then_some(Target { file, symbol });
            }
            at = fact.parent;
        }
        None
    }

    /// The type that a member belongs to.
    pub fn owner(&self, member: Target) -> Option<Target> {
        let symbol = self.symbol(member);
        if let Some(owner) = symbol.owner {
            // Members of `Box<T>` are no members of T, even where a value of one acts as the other.
            let owner = match self.view(member.file).facts.exprs[owner as usize] {
                Expr::Apply { base, .. } => base,
                _ => owner,
            };
            let value = self.eval(member.file, owner);
            return value.hits().iter().find_map(|(t, _)| match t.what {
                What::Def(t) | What::Instance(t) => Some(t),
                _ => None,
            });
        }
        symbol.parent.map(|symbol| Target {
            file: member.file,
            symbol,
        })
    }
}

/// A thing as a value.
pub(super) fn plain(thing: Thing) -> Value {
    Value::One((thing, Confidence::Exact))
}
