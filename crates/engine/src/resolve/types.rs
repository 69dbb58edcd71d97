//! Members of types, and the order in which supertypes are searched for them.

use super::hash::{FastSet, name_hash};
use super::linker::Linker;
use super::links::{Confidence, FileId, Target};
use super::rules::{NO_SPACE, Order, Place};
use super::signatures::is_part;
use super::value::{Hit, Task, Thing, Value, What, plain};
use crate::facts::{Bound, Expr, ExprId, Kind, ScopeId, SymbolFlags, SymbolIx};
use std::collections::VecDeque;
use std::rc::Rc;

/// Most types in one chain.
const LONGEST: usize = 256;

/// A type and its supertypes in the order of search.
#[derive(Debug)]
pub struct Chain {
    /// The types, the type itself first.
    pub types: Vec<Target>,
    /// A supertype lies outside the tree.
    pub external: bool,
    /// A supertype could not be told.
    pub unknown: bool,
}

impl Default for Chain {
    /// The chain of a type whose supertypes could not be worked out.
    fn default() -> Self {
        Chain {
            types: Vec::new(),
            external: false,
            unknown: true,
        }
    }
}

/// The bases of one type.
#[derive(Clone, Debug, Default)]
pub struct Bases {
    /// Those in the tree, in order.
    pub types: Vec<Target>,
    /// One lies outside.
    pub external: bool,
    /// One could not be told.
    pub unknown: bool,
}

impl Linker<'_> {
    /// The member `name` of a thing.
    pub fn member(&self, thing: Thing, name: &str, hash: u64) -> Value {
        let found = self.members(thing, name, hash);
        match &found {
            Value::Many(hits) if self.traits(self.file).dynamic_members && !self.traits(self.file).overloads => {
                self.of_type_or_value(thing, hits).unwrap_or(found)
            }
            _ => found,
        }
    }

    /// Of members of one name, those of the type itself when it is named, those of its values otherwise.
    fn of_type_or_value(&self, thing: Thing, hits: &[Hit]) -> Option<Value> {
        let of_type = match thing.what {
            What::Def(t) => self.view(t.file).facts.is_type(t.symbol),
            What::Instance(_) => false,
            _ => return None,
        };
        let fits = |h: &Hit| match h.0.what {
            What::Def(d) => self.symbol(d).flags.has(SymbolFlags::STATIC) == of_type,
            _ => false,
        };
        let kept: Vec<Hit> = hits.iter().filter(|h| fits(h)).copied().collect();
        (!kept.is_empty() && kept.len() < hits.len()).then(|| Value::of(kept))
    }

    fn members(&self, thing: Thing, name: &str, hash: u64) -> Value {
        if is_part(name) {
            return self.signature_part(thing, name);
        }
        match thing.what {
            What::Def(t) => self.member_of_definition(t, thing, name, hash),
            What::Instance(t) => self.with_argument(self.member_of_type(t, name, hash), thing),
            What::Above(t) => self.member_in_chain(t, name, hash, 1),
            What::Local(..) | What::Attr(..) => self.force(plain(thing)).flat_map(|t| match t.what {
                What::Local(..) | What::Attr(..) => Value::Unknown,
                _ => self.member(t, name, hash),
            }),
            What::File(f) => self.exported(Place::File(f), name, hash),
            What::Space(s) => self.exported(Place::Space(s), name, hash),
            What::Dir(d) => self.exported(Place::Dir(d), name, hash),
            What::Shape(f, s) => self.task(Task::Shape(f, s, hash), || self.member_of_shape(f, s, name, hash)),
            What::Callable(..) => Value::external(),
            What::External => self.world.rules(self.file).foreign_member(self, name, hash),
        }
    }

    /// A member of a type without a name.
    fn member_of_shape(&self, file: FileId, scope: ScopeId, name: &str, hash: u64) -> Value {
        let view = self.view(file);
        let own = view.id(name, hash).map_or(&[][..], |id| view.bindings(scope, id));
        if let Some(&b) = own.last() {
            return Value::one(What::Local(file, b), Confidence::Exact);
        }
        let embedded = |&&b: &&u32| match view.facts.bindings[b as usize].to {
            Bound::Local { ty, value } => ty.is_some() && ty == value,
            _ => false,
        };
        for &b in view.all_bindings(scope).iter().filter(embedded).take(LONGEST) {
            let on = self.force(Value::one(What::Local(file, b), Confidence::Exact));
            let found = on.flat_map(|t| match t.what {
                What::Local(..) => Value::Unknown,
                _ => self.member(t, name, hash),
            });
            if !found.is_external() {
                return found;
            }
        }
        Value::external()
    }

    fn member_of_definition(&self, t: Target, thing: Thing, name: &str, hash: u64) -> Value {
        let view = self.view(t.file);
        let symbol = self.symbol(t);
        match symbol.kind {
            Kind::TypeAlias => {
                let on = self.instances(plain(thing));
                on.flat_map(|t| self.member(t, name, hash))
            }
            kind if kind.is_type() => self.member_of_type(t, name, hash),
            // The fields of a variant; the results of a function beside its first, by number.
            Kind::Variant => self.own_member(t, name, hash).or_else(|| {
                let of = self.instances(plain(thing));
                of.flat_map(|t| self.member(t, name, hash))
            }),
            kind if kind.is_callable() && name.starts_with(|c: char| c.is_ascii_digit()) => {
                self.attributes(t, name).weaken(Confidence::Resolved)
            }
            Kind::Module if self.view(t.file).facts.is_type(t.symbol) => self.member_of_type(t, name, hash),
            Kind::Namespace if self.traits(t.file).declares => {
                let found = self.in_open_namespace(self.space_of_symbol(t), name, hash);
                if found.is_inside() {
                    return found;
                }
                self.own_member(t, name, hash).or_else(Value::external)
            }
            Kind::Namespace | Kind::Module => {
                let own = self.own_member(t, name, hash);
                if !own.is_unknown() {
                    return own;
                }
                match self.space_of_symbol(t) {
                    NO_SPACE => Value::external(),
                    space => self.exported(Place::Space(space), name, hash),
                }
            }
            _ => {
                // An object literal's functions, a function's properties.
                let own = match view.id(name, hash) {
                    Some(id) => view.children(t.symbol, id),
                    None => &[],
                };
                let holds = matches!(
                    symbol.kind,
                    Kind::Variable | Kind::Constant | Kind::Field | Kind::Property
                ) || symbol.flags.has(SymbolFlags::ASSIGNED);
                if !own.is_empty() && holds {
                    return self.definitions(t.file, own);
                }
                let owned = self.owned(t, name, hash);
                if !owned.is_unknown() {
                    return owned;
                }
                let held = self.force(plain(thing));
                if held.hits().iter().any(|(h, _)| h.what == What::Def(t)) {
                    return Value::Unknown;
                }
                held.flat_map(|h| self.member(h, name, hash))
            }
        }
    }

    /// The member of a type, its own or an inherited one. External: the chain leads outside the tree, or has no such
    /// member and the language allows no other.
    pub fn member_of_type(&self, t: Target, name: &str, hash: u64) -> Value {
        self.task(Task::Member(t, hash), || self.member_in_chain(t, name, hash, 0))
    }

    fn member_in_chain(&self, t: Target, name: &str, hash: u64, skip: usize) -> Value {
        let mut found = Value::Unknown;
        let more = |found: &Value| self.traits(t.file).overloads && self.all_callable(found);
        if skip == 0 {
            found = self.own_member(t, name, hash);
            if !found.is_unknown() && !more(&found) {
                return found;
            }
        }
        let chain = self.chain(t);
        for &base in chain.types.iter().skip(skip.max(1)) {
            let here = self.own_member(base, name, hash);
            if here.is_unknown() {
                continue;
            }
            let here = if chain.unknown {
                here.weaken(Confidence::Resolved)
            } else {
                here
            };
            if found.is_unknown() {
                if !more(&here) {
                    return here;
                }
                found = here;
            } else if more(&here) {
                found = self.with_overloads(found, &here);
            }
        }
        if !found.is_unknown() {
            return found;
        }
        if skip == 0 {
            let missing = self.world.rules(t.file).missing_member(self, t, name, hash);
            if !missing.is_unknown() {
                return missing;
            }
        }
        if chain.unknown {
            Value::Unknown
        } else if chain.external {
            Value::external()
        } else if skip == 0 && self.traits(t.file).dynamic_members {
            self.member_of_subtypes(t, name, hash)
        } else if self.symbol(t).kind == Kind::TypeAlias {
            Value::Unknown
        } else {
            Value::external()
        }
    }

    /// The callables that stand in a type with their overloads in extensions and other parts of it.
    fn with_parts(&self, t: Target, own: Value, name: &str, hash: u64) -> Value {
        let mut out = own;
        let owned = self.owned(t, name, hash);
        if !owned.is_unknown() {
            // A member comes before a function from outside that takes the same; members of an extension are members.
            let member = |h: &&Hit| match h.0.what {
                What::Def(d) => {
                    let s = self.symbol(d);
                    s.parent.is_none() && !self.view(d.file).facts.name(s.container).is_empty()
                }
                _ => false,
            };
            let members: Vec<Hit> = owned.hits().iter().filter(member).copied().collect();
            let others: Vec<Hit> = owned.hits().iter().filter(|h| !member(h)).copied().collect();
            out = self.with_overloads(out, &Value::of(others));
            out = Value::of(out.hits().iter().copied().chain(members).collect());
        }
        if self.traits(t.file).reopens {
            let mut hits: Vec<Hit> = out.hits().to_vec();
            for part in self.parts(t) {
                let view = self.view(part.file);
                if let Some(id) = view.id(name, hash) {
                    hits.extend(self.definitions(part.file, view.children(part.symbol, id)).hits());
                }
            }
            out = Value::of(hits);
        }
        out
    }

    fn all_callable(&self, value: &Value) -> bool {
        let callable = |what: What| matches!(what, What::Def(t) if self.symbol(t).kind.is_callable());
        value.hits().iter().all(|h| callable(h.0.what))
    }

    /// The callables of a type with those of a base that take other numbers of arguments.
    fn with_overloads(&self, own: Value, base: &Value) -> Value {
        let params = |h: &Hit| match h.0.what {
            What::Def(t) => Some(self.symbol(t).params),
            _ => None,
        };
        let mut hits: Vec<Hit> = own.hits().to_vec();
        for hit in base.hits() {
            if !own.hits().iter().any(|o| params(o) == params(hit)) {
                hits.push(*hit);
            }
        }
        Value::of(hits)
    }

    /// A member that a type uses and only its subtypes define (a mixin, an abstract base).
    fn member_of_subtypes(&self, t: Target, name: &str, hash: u64) -> Value {
        let view = self.view(t.file);
        let symbol = self.symbol(t);
        let subtypes = self.world.tables.subtypes(view.hash(symbol.name));
        let mut out: Vec<Hit> = Vec::new();
        for &(_, sub) in subtypes.iter().take(64) {
            if sub == t || !self.bases(sub).types.iter().any(|&b| self.same_type(b, t)) {
                continue;
            }
            let found = self.own_member(sub, name, hash);
            out.extend(found.weaken(Confidence::Possible).hits());
        }
        Value::of(out)
    }

    /// The member that a type itself defines, in its body or away from it.
    pub fn own_member(&self, t: Target, name: &str, hash: u64) -> Value {
        let view = self.view(t.file);
        if let Some(id) = view.id(name, hash) {
            let children = view.children(t.symbol, id);
            if !children.is_empty() {
                let own = self.definitions(t.file, children);
                let traits = self.traits(t.file);
                if traits.overloads && self.all_callable(&own) {
                    return self.with_parts(t, own, name, hash);
                }
                if !(traits.impl_blocks || traits.declares && self.only_declared(&own)) {
                    return own;
                }
                let owned = self.owned(t, name, hash);
                return Value::of(own.hits().iter().chain(owned.hits()).copied().collect());
            }
            let beside = self.bound_in_body(t, id);
            if !beside.is_unknown() {
                return beside;
            }
        }
        let owned = self.owned(t, name, hash);
        if !owned.is_unknown() {
            return owned;
        }
        if self.traits(t.file).reopens {
            if self.symbol(t).kind == Kind::Module {
                let found = self.in_module(t, name, hash);
                if !found.is_unknown() {
                    return found;
                }
            }
            for part in self.parts(t) {
                let view = self.view(part.file);
                if let Some(id) = view.id(name, hash) {
                    let children = view.children(part.symbol, id);
                    if !children.is_empty() {
                        return self.definitions(part.file, children);
                    }
                }
                let attributes = self.attributes(part, name);
                if !attributes.is_unknown() && self.attributes(t, name).is_unknown() {
                    return attributes;
                }
            }
        }
        self.attributes(t, name)
    }

    /// Whether a value is declarations and nothing else.
    fn only_declared(&self, value: &Value) -> bool {
        value.hits().iter().all(|(t, _)| match t.what {
            What::Def(d) => {
                let s = self.symbol(d);
                s.flags.has(SymbolFlags::DECLARATION) || s.flags.has(SymbolFlags::STATIC)
            }
            _ => false,
        })
    }

    /// A constant of a plain enum inside a type: a name of the type's scope.
    fn bound_in_body(&self, t: Target, name: crate::facts::NameId) -> Value {
        let view = self.view(t.file);
        let (true, Some(body)) = (self.traits(t.file).declares, self.symbol(t).body) else {
            return Value::Unknown;
        };
        for &b in view.bindings(body, name) {
            if let Bound::Symbol(symbol) = view.facts.bindings[b as usize].to
                && view.facts.symbols[symbol as usize].kind == Kind::Variant
            {
                return Value::def(Target { file: t.file, symbol }, Confidence::Exact);
            }
        }
        Value::Unknown
    }

    /// A definition directly in a module that is written in parts: what its space holds.
    fn in_module(&self, t: Target, name: &str, hash: u64) -> Value {
        let space = self.space_of_symbol(t);
        if space == NO_SPACE {
            return Value::Unknown;
        }
        let entries = self.world.tables.in_space(space, hash).iter();
        let mut hits: Vec<Hit> = Vec::new();
        for e in entries.take(64).filter(|e| self.is_named(e.target, name)) {
            // The parts of a class or module are one.
            let one = matches!(e.kind, Kind::Class | Kind::Module);
            if one
                && hits
                    .iter()
                    .any(|h| matches!(h.0.what, What::Def(d) if self.symbol(d).kind == e.kind))
            {
                continue;
            }
            let what = What::Def(e.target);
            hits.push((Thing { what, arg: None }, Confidence::Exact));
        }
        Value::of(hits)
    }

    fn definitions(&self, file: FileId, symbols: &[SymbolIx]) -> Value {
        match symbols {
            [one] => Value::def(Target { file, symbol: *one }, Confidence::Exact),
            _ => Value::of(
                symbols
                    .iter()
                    .map(|&symbol| {
                        let what = What::Def(Target { file, symbol });
                        (Thing { what, arg: None }, Confidence::Exact)
                    })
                    .collect(),
            ),
        }
    }

    /// Members defined away from the type, by the name of their owner.
    fn owned(&self, t: Target, name: &str, hash: u64) -> Value {
        let view = self.view(t.file);
        let candidates = self.world.tables.owned(view.hash(self.symbol(t).name), hash);
        let family = self.world.family(t.file);
        let language = |file: FileId| self.world.files[file as usize].language.map(|l| l.name);
        let mut out: Vec<Hit> = Vec::new();
        for &(_, _, member) in candidates.iter().take(256) {
            if self.world.family(member.file) != family {
                continue;
            }
            // An extension is a member in its own language only.
            if self.symbol(member).flags.has(SymbolFlags::EXTENSION) && language(member.file) != language(self.file) {
                continue;
            }
            let facts = &self.view(member.file).facts;
            if facts.name(self.symbol(member).name) == name && self.owner(member).is_some_and(|o| self.same_type(o, t))
            {
                let what = What::Def(member);
                out.push((Thing { what, arg: None }, Confidence::Exact));
            }
        }
        if out.len() > 1 && self.traits(t.file).impl_blocks {
            let plain = |h: &Hit| matches!(h.0.what, What::Def(d) if self.impl_of(d).is_none());
            if out.iter().any(plain) {
                out.retain(plain);
            }
        }
        Value::of(out)
    }

    /// The trait whose block defines a member, as an expression of the member's file.
    pub fn impl_of(&self, member: Target) -> Option<ExprId> {
        let owner = self.symbol(member).owner?;
        let facts = &self.view(member.file).facts;
        facts.impls.iter().find(|i| i.ty == owner)?.super_ty
    }

    /// Whether two definitions are one type: the same, or parts of one.
    pub(super) fn same_type(&self, a: Target, b: Target) -> bool {
        a == b || (self.traits(b.file).reopens && self.parts(b).contains(&a))
    }

    /// The other definitions of a type that is written in parts.
    fn parts(&self, t: Target) -> Vec<Target> {
        let view = self.view(t.file);
        let symbol = self.symbol(t);
        let entries = self.world.tables.named(view.hash(symbol.name));
        let qualified = self.full_name(t);
        let family = self.world.family(t.file);
        entries
            .iter()
            .filter(|e| e.target != t && (e.kind.is_type() || e.kind == Kind::Module) && Some(e.family) == family)
            .take(64)
            .filter(|e| self.full_name(e.target) == qualified)
            .map(|e| e.target)
            .collect()
    }

    /// The name of a definition with the space of its file in front.
    pub fn full_name(&self, t: Target) -> String {
        let qualified = self.view(t.file).facts.qualified(t.symbol);
        match self.space_key(t.file) {
            "" => qualified,
            space => format!("{space}.{qualified}"),
        }
    }

    fn space_key(&self, file: FileId) -> &str {
        match self.world.space_of(file) {
            NO_SPACE => "",
            space => self.world.tables.key(space),
        }
    }

    /// Members of a type that are no symbols.
    pub(super) fn attributes(&self, t: Target, name: &str) -> Value {
        let view = self.view(t.file);
        let Some(id) = view.id(name, name_hash(name)) else {
            return Value::Unknown;
        };
        let found = view.members(t.symbol, id);
        let members = &view.facts.members;
        // A key of an object literal that takes a definition over (`{ pad, strip: other }`) stands for it.
        if !self.symbol(t).kind.is_type()
            && let [one] = found
            && let Some(value) = members[*one as usize].value
        {
            let named = self.eval(t.file, value);
            if named.hits().iter().any(|(h, _)| matches!(h.what, What::Def(_))) {
                return named.weaken(Confidence::Resolved);
            }
        }
        // Of several call signatures each may be meant.
        if let Some(&declared) = found.iter().find(|&&m| members[m as usize].ty.is_some())
            && !is_part(name)
        {
            return Value::one(What::Attr(t.file, declared), Confidence::Exact);
        }
        Value::of(
            found
                .iter()
                .map(|&m| {
                    let what = What::Attr(t.file, m);
                    (Thing { what, arg: None }, Confidence::Exact)
                })
                .collect(),
        )
    }

    /// The bases of a type, as stated in its header or by an `impl` elsewhere.
    pub fn bases(&self, t: Target) -> Bases {
        let mut out = Bases::default();
        let symbol = self.symbol(t);
        // `type A = { … } & B`: the members of the literal are its own, B is a base.
        if let (Kind::TypeAlias, Some(ty)) = (symbol.kind, symbol.ty) {
            self.add_base(t, t.file, ty, &mut out);
            out.unknown = true;
        }
        for sup in &symbol.supers {
            self.add_base(t, t.file, sup.ty, &mut out);
        }
        let view = self.view(t.file);
        let family = self.world.family(t.file);
        // Where having the methods is enough, saying so gives a type no members.
        let stated = if self.traits(t.file).structural { 0 } else { 512 };
        for &(_, file, ix) in self.world.tables.impls(view.hash(symbol.name)).iter().take(stated) {
            if self.world.family(file) != family {
                continue;
            }
            let fact = self.view(file).facts.impls[ix as usize];
            let Some(sup) = fact.super_ty else { continue };
            let on = self.header(file, fact.ty, t);
            if on.hits().iter().any(|(h, _)| h.what == What::Def(t)) {
                self.add_base(t, file, sup, &mut out);
            }
        }
        if self.traits(t.file).reopens {
            for part in self.parts(t) {
                for sup in &self.symbol(part).supers {
                    self.add_base(t, part.file, sup.ty, &mut out);
                }
            }
        }
        if self.traits(t.file).mixins_first {
            let mixin = |b: &Target| matches!(self.symbol(*b).kind, Kind::Trait | Kind::Module);
            let (mixed, rest): (Vec<Target>, Vec<Target>) = out.types.iter().partition(|b| mixin(b));
            out.types = mixed.into_iter().rev().chain(rest).collect();
        }
        out
    }

    fn add_base(&self, t: Target, file: FileId, ty: ExprId, out: &mut Bases) {
        let value = self.header(file, ty, t);
        let value = match value.hits() {
            [(thing, _)] if !matches!(thing.what, What::Def(d) if self.view(d.file).facts.is_type(d.symbol)) => {
                self.force(value)
            }
            _ => value,
        };
        if value.is_unknown() {
            out.unknown = true;
        }
        for (thing, _) in value.hits() {
            match thing.what {
                What::Def(base) | What::Instance(base) => {
                    let base = self.behind_alias(base);
                    if base != t && !out.types.contains(&base) {
                        out.types.push(base);
                    }
                }
                What::External => out.external = true,
                _ => out.unknown = true,
            }
        }
    }

    /// The type that an alias of a type stands for.
    fn behind_alias(&self, t: Target) -> Target {
        if self.symbol(t).kind != Kind::TypeAlias {
            return t;
        }
        let on = self.instances(Value::def(t, Confidence::Exact));
        match on.hits() {
            [
                (
                    Thing {
                        what: What::Instance(behind),
                        ..
                    },
                    _,
                ),
            ] => *behind,
            _ => t,
        }
    }

    /// Evaluates a header expression of a type: its own inherited members are not in sight there.
    fn header(&self, file: FileId, expr: ExprId, of: Target) -> Value {
        let view = self.view(file);
        match view.facts.exprs[expr as usize] {
            Expr::Name { name, scope, at } => self.name(file, name, scope, at, Some(of)),
            Expr::Member { base, name } => {
                let base = self.header(file, base, of);
                base.flat_map(|t| self.member(t, view.facts.name(name), view.hash(name)))
            }
            Expr::Apply { base, .. } if !matches!(view.facts.exprs[base as usize], Expr::Unknown) => {
                self.header(file, base, of)
            }
            Expr::Apply { arg, .. } => self.header(file, arg, of),
            _ => self.eval(file, expr),
        }
    }

    /// The chain of a type.
    pub fn chain(&self, t: Target) -> Rc<Chain> {
        if let Some(chain) = self.chains.borrow().get(&t) {
            return chain.clone();
        }
        self.bounded(
            Task::Bases(t),
            || {
                let bases = self.bases(t);
                let mut out = Chain {
                    types: vec![t],
                    external: bases.external,
                    unknown: bases.unknown,
                };
                let linear = self.traits(t.file).order == Order::C3;
                if bases.types.len() > 1 && linear && !self.circular(t, &bases.types) {
                    self.merge(&bases.types, &mut out);
                } else if self.traits(t.file).order == Order::Shallow {
                    self.breadth_first(&bases.types, &mut out);
                } else {
                    self.depth_first(&bases.types, &mut out);
                }
                Rc::new(out)
            },
            |chain| {
                self.chains.borrow_mut().insert(t, chain.clone());
            },
        )
    }

    /// Whether a type is above itself, or has more above it than any chain holds: then there is no order to keep, and to look
    /// for one would go round every circle anew.
    fn circular(&self, t: Target, bases: &[Target]) -> bool {
        let mut seen: FastSet<Target> = FastSet::default();
        let mut open = bases.to_vec();
        while let Some(above) = open.pop() {
            if above == t || seen.len() > LONGEST {
                return true;
            }
            if seen.insert(above) {
                open.extend(self.bases(above).types.iter().copied());
            }
        }
        false
    }

    /// Adds bases depth first without recursion: a chain may be as long as the tree allows.
    fn depth_first(&self, bases: &[Target], out: &mut Chain) {
        let mut stack: Vec<Target> = bases.iter().rev().copied().collect();
        while let Some(t) = stack.pop() {
            if out.types.contains(&t) {
                continue;
            }
            if out.types.len() >= LONGEST {
                out.unknown = true;
                return;
            }
            out.types.push(t);
            let known = self.chains.borrow().get(&t).cloned();
            if let Some(chain) = known {
                out.external |= chain.external;
                out.unknown |= chain.unknown;
                let more: Vec<Target> = chain
                    .types
                    .iter()
                    .skip(1)
                    .copied()
                    .filter(|t| !out.types.contains(t))
                    .collect();
                out.types.extend(more);
                continue;
            }
            let bases = self.bases(t);
            out.external |= bases.external;
            out.unknown |= bases.unknown;
            stack.extend(bases.types.iter().rev());
        }
    }

    /// Adds bases level by level.
    fn breadth_first(&self, bases: &[Target], out: &mut Chain) {
        let mut queue: VecDeque<Target> = bases.iter().copied().collect();
        while let Some(t) = queue.pop_front() {
            if out.types.contains(&t) {
                continue;
            }
            if out.types.len() >= LONGEST {
                out.unknown = true;
                return;
            }
            out.types.push(t);
            let bases = self.bases(t);
            out.external |= bases.external;
            out.unknown |= bases.unknown;
            queue.extend(bases.types);
        }
    }

    /// Adds bases in C3 order; depth first where no such order exists.
    fn merge(&self, bases: &[Target], out: &mut Chain) {
        let chains: Vec<Rc<Chain>> = bases.iter().map(|&b| self.chain(b)).collect();
        let mut lists: Vec<Vec<Target>> = chains.iter().map(|c| c.types.clone()).collect();
        for chain in &chains {
            out.external |= chain.external;
            out.unknown |= chain.unknown;
        }
        lists.push(bases.to_vec());
        for list in &mut lists {
            list.reverse();
        }
        while lists.iter().any(|l| !l.is_empty()) && out.types.len() < LONGEST {
            let next = lists
                .iter()
                .filter_map(|l| l.last().copied())
                .find(|head| lists.iter().all(|l| !l[..l.len().saturating_sub(1)].contains(head)));
            let Some(next) = next.or_else(|| lists.iter().find_map(|l| l.last().copied())) else {
                break;
            };
            if !out.types.contains(&next) {
                out.types.push(next);
            }
            for list in &mut lists {
                if list.last() == Some(&next) {
                    list.pop();
                }
            }
        }
    }
}
