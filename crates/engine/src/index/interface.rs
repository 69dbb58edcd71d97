//! What other files can see of a file: if it did not change, an edit cannot change how they are resolved.

use crate::facts::*;
use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{Hash, Hasher};

/// A digest of what others see of a file, by the name under which they would look it up. Comparable within one process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Interface {
    /// Digest of everything that belongs to a name: its definitions, the types that state it as a supertype, exports.
    pub names: BTreeMap<Box<str>, u64>,
    /// Digest of what belongs to no single name: package, imports, order of definitions.
    pub rest: u64,
}

impl Interface {
    /// The interface of a file's facts.
    pub fn of(facts: &FileFacts) -> Self {
        Digest::new(facts).interface()
    }

    /// Whether others see the same.
    pub fn same(&self, other: &Interface) -> bool {
        self == other
    }

    /// Names whose meaning differs between two states of a file.
    pub fn changed<'a>(&'a self, other: &'a Interface) -> BTreeSet<&'a str> {
        let all = self.names.keys().chain(other.names.keys());
        all.filter(|n| self.names.get(*n) != other.names.get(*n))
            .map(|n| &**n)
            .collect()
    }
}

struct Digest<'a> {
    facts: &'a FileFacts,
    exprs: Vec<u64>,
    scopes: Vec<u64>,
    /// Whether the scope is a function's or lies in one.
    in_function: Vec<bool>,
    /// The outermost function scope around a scope.
    function_root: Vec<Option<ScopeId>>,
    /// The bindings of each scope, in order.
    bound: Vec<Vec<u32>>,
}

fn digest(value: impl Hash) -> u64 {
    let mut h = DefaultHasher::new();
    value.hash(&mut h);
    h.finish()
}

impl<'a> Digest<'a> {
    fn new(facts: &'a FileFacts) -> Self {
        let mut d = Digest {
            facts,
            exprs: Vec::new(),
            scopes: Vec::new(),
            in_function: Vec::new(),
            function_root: Vec::new(),
            bound: vec![Vec::new(); facts.scopes.len()],
        };
        for (i, b) in facts.bindings.iter().enumerate() {
            d.bound[b.scope as usize].push(i as u32);
        }
        for (i, s) in facts.scopes.iter().enumerate() {
            let parent = s.parent.map_or(0, |p| d.scopes[p as usize]);
            let name = s.symbol.map(|x| facts.qualified(x));
            d.scopes.push(digest((parent, s.kind as u8, name)));
            let inside = s.parent.is_some_and(|p| d.in_function[p as usize]);
            let function = inside || s.kind == ScopeKind::Function;
            d.in_function.push(function);
            let root = s.parent.and_then(|p| d.function_root[p as usize]);
            d.function_root
                .push(root.or((s.kind == ScopeKind::Function).then_some(i as ScopeId)));
        }
        for e in &facts.exprs {
            let h = d.expr(e);
            d.exprs.push(h);
        }
        d
    }

    fn expr(&self, e: &Expr) -> u64 {
        let of = |id: ExprId| self.exprs.get(id as usize).copied().unwrap_or(0);
        let name = |n: NameId| self.facts.name(n);
        let scope = |s: ScopeId| self.scopes.get(s as usize).copied().unwrap_or(0);
        match *e {
            Expr::Unknown => digest(0u8),
            Expr::Name { name: n, scope: s, .. } => digest((1u8, name(n), scope(s))),
            Expr::Rooted { name: n } => digest((2u8, name(n))),
            Expr::Member { base, name: n } => digest((3u8, of(base), name(n))),
            Expr::Call { callee, args } => digest((4u8, of(callee), args)),
            Expr::New { ty } => digest((5u8, of(ty))),
            Expr::Typed { ty } => digest((6u8, of(ty))),
            Expr::Element { of: x } => digest((7u8, of(x))),
            Expr::Unwrap { of: x } => digest((8u8, of(x))),
            Expr::Apply { base, arg } => digest((9u8, of(base), of(arg))),
            Expr::This { scope: s } => digest((10u8, scope(s))),
            Expr::Super { scope: s } => digest((11u8, scope(s))),
            Expr::SelfType { scope: s } => digest((12u8, scope(s))),
            Expr::Symbol(s) => digest((13u8, self.facts.qualified(s))),
            Expr::Literal => digest(14u8),
            Expr::Either(a, b) => digest((15u8, of(a), of(b))),
            Expr::Shape { scope: s } => {
                let members = self.bindings_of(s);
                digest((16u8, members.map(|b| self.binding(b)).collect::<Vec<u64>>()))
            }
            Expr::Function { result } => digest((17u8, of(result))),
        }
    }

    fn bindings_of(&self, scope: ScopeId) -> impl Iterator<Item = &'a Binding> + '_ {
        let all = self.bound.get(scope as usize).map_or(&[][..], |b| b);
        all.iter().map(|&b| &self.facts.bindings[b as usize])
    }

    /// Digest of what the header of a callable states of its parameters: others ask for it when they hand over a function.
    fn signature(&self, symbol: &SymbolFact) -> u64 {
        let Some(body) = symbol.body.filter(|_| symbol.kind.is_callable()) else {
            return 0;
        };
        let stated = self.bindings_of(body).filter(|b| {
            b.from == 0
                && matches!(
                    b.to,
                    Bound::Local { ty: Some(_), .. } | Bound::Local { value: Some(_), .. }
                )
        });
        digest(stated.map(|b| self.binding(b)).collect::<Vec<u64>>())
    }

    fn opt(&self, e: Option<ExprId>) -> u64 {
        e.map_or(1, |id| self.exprs.get(id as usize).copied().unwrap_or(0))
    }

    fn binding(&self, b: &Binding) -> u64 {
        let to = match b.to {
            Bound::Symbol(s) => digest((0u8, self.facts.qualified(s))),
            Bound::Import(i) => digest((1u8, i)),
            Bound::Local { ty, value } => digest((2u8, self.opt(ty), self.opt(value))),
        };
        digest((self.facts.name(b.name), self.scopes[b.scope as usize], to))
    }

    /// Digest of the locals that the value of a function's body depends on, in the order of their bindings and uses; what a
    /// callable without a declared type returns depends on them.
    fn locals_of(&self, symbol: &SymbolFact) -> u64 {
        let Some(root) = symbol.body.and_then(|body| self.function_root[body as usize]) else {
            return 0;
        };
        let mut events: Vec<(u32, u64)> = Vec::new();
        let mut seen: BTreeSet<ExprId> = BTreeSet::new();
        let mut names: BTreeSet<NameId> = BTreeSet::new();
        let mut stack: Vec<ExprId> = symbol.value.into_iter().collect();
        while let Some(id) = stack.pop() {
            if !seen.insert(id) {
                continue;
            }
            match self.facts.exprs[id as usize] {
                Expr::Name { at, name, .. } => {
                    events.push((at, digest((1u8, self.facts.name(name)))));
                    if !names.insert(name) {
                        continue;
                    }
                    for b in &self.facts.bindings {
                        if b.name == name && self.function_root[b.scope as usize] == Some(root) {
                            events.push((b.from, self.binding(b)));
                            if let Bound::Local { ty, value } = b.to {
                                stack.extend(ty);
                                stack.extend(value);
                            }
                        }
                    }
                }
                Expr::Member { base, .. } => stack.push(base),
                Expr::Call { callee, .. } => stack.push(callee),
                Expr::New { ty } | Expr::Typed { ty } => stack.push(ty),
                Expr::Element { of } | Expr::Unwrap { of } => stack.push(of),
                Expr::Apply { base, arg } => stack.extend([base, arg]),
                Expr::Either(a, b) => stack.extend([a, b]),
                Expr::Function { result } => stack.push(result),
                Expr::Shape { scope } => {
                    for b in self.bindings_of(scope) {
                        if let Bound::Local { ty, value } = b.to {
                            stack.extend(ty);
                            stack.extend(value);
                        }
                    }
                }
                _ => {}
            }
        }
        events.sort_unstable();
        let order: Vec<u64> = events.into_iter().map(|e| e.1).collect();
        digest(order)
    }

    fn last_name(&self, e: ExprId) -> Option<&'a str> {
        match self.facts.exprs[e as usize] {
            Expr::Name { name, .. } | Expr::Rooted { name } | Expr::Member { name, .. } => Some(self.facts.name(name)),
            Expr::Apply { base, .. } => match self.facts.exprs[base as usize] {
                Expr::Name { name, .. } | Expr::Rooted { name } | Expr::Member { name, .. } => {
                    Some(self.facts.name(name))
                }
                _ => None,
            },
            _ => None,
        }
    }

    fn interface(&self) -> Interface {
        let facts = self.facts;
        let mut names: BTreeMap<Box<str>, Vec<u64>> = BTreeMap::new();
        let mut put = |name: &str, h: u64| names.entry(name.into()).or_default().push(h);
        let mut order = Vec::new();
        for (ix, s) in facts.symbols.iter().enumerate() {
            let qualified = facts.qualified(ix as SymbolIx);
            let supers: Vec<u64> = s
                .supers
                .iter()
                .map(|x| digest((self.exprs[x.ty as usize], x.implements)))
                .collect();
            let h = digest((
                &qualified,
                s.kind as u8,
                s.parent,
                self.opt(s.owner),
                self.opt(s.ty),
                self.opt(s.value),
                &supers,
                (s.params.min, s.params.max, s.flags.0),
                self.scopes[s.scope as usize],
                (if s.value.is_some() { self.locals_of(s) } else { 0 }, self.signature(s)),
            ));
            put(facts.name(s.name), h);
            order.push(qualified);
            for x in &s.supers {
                if let Some(n) = self.last_name(x.ty) {
                    put(n, h);
                }
            }
        }
        for m in &facts.members {
            let h = digest((
                facts.qualified(m.of),
                facts.name(m.name),
                self.opt(m.ty),
                self.opt(m.value),
            ));
            // A member set from a method's locals depends on them.
            put(facts.name(m.name), h);
            put(facts.name(facts.symbols[m.of as usize].name), h);
        }
        for i in &facts.impls {
            let h = digest((self.exprs[i.ty as usize], self.opt(i.super_ty)));
            for e in [Some(i.ty), i.super_ty].into_iter().flatten() {
                if let Some(n) = self.last_name(e) {
                    put(n, h);
                }
            }
        }
        for e in &facts.exports {
            match e {
                Export::Local { name, value } => put(name, digest((0u8, self.exprs[*value as usize]))),
                Export::From { name, import } => {
                    put(name, digest((1u8, import_digest(&facts.imports[*import as usize]))))
                }
                Export::Star { .. } | Export::Whole { .. } => {}
            }
        }
        let bindings: Vec<u64> = facts
            .bindings
            .iter()
            .filter(|b| !self.in_function[b.scope as usize] && !matches!(b.to, Bound::Symbol(_)))
            .map(|b| self.binding(b))
            .collect();
        let imports: Vec<u64> = facts.imports.iter().map(import_digest).collect();
        let exports: Vec<u64> = facts
            .exports
            .iter()
            .map(|e| match e {
                Export::Whole { value } => digest((0u8, self.exprs[*value as usize])),
                Export::Star { import } => digest((1u8, *import)),
                _ => 2,
            })
            .collect();
        // Members and locals that are assigned in functions may be typed by the functions' locals.
        let member_locals: Vec<u64> = facts
            .bindings
            .iter()
            .filter(|b| !facts.members.is_empty() && self.in_function[b.scope as usize])
            .map(|b| self.binding(b))
            .collect();
        let rest = digest((
            &facts.package,
            order,
            bindings,
            imports,
            exports,
            member_locals,
            facts.health.truncated,
        ));
        Interface {
            names: names.into_iter().map(|(n, h)| (n, digest(h))).collect(),
            rest,
        }
    }
}

fn import_digest(i: &Import) -> u64 {
    digest((i.kind as u8, &i.module, &i.name, &i.alias, i.type_only))
}
