//! Which members override or implement members of a base.

use super::hash::FastSet;
use super::linker::Linker;
use super::links::{FileId, Override, Target};
use super::tables::Reach;
use super::value::What;
use crate::facts::{Kind, SymbolIx};

/// Most interfaces that one type is compared with.
const INTERFACES: usize = 256;

/// Most types that embed one type which are looked at.
const EMBEDDING: usize = 32;

impl Linker<'_> {
    /// The overrides of this file's members, sorted.
    pub(super) fn overrides(&self) -> Vec<Override> {
        let file = self.file;
        let view = self.view(file);
        let traits = self.traits(file);
        let mut out = Vec::new();
        for (ix, s) in view.facts.symbols.iter().enumerate() {
            let member = ix as SymbolIx;
            let has_owner = s.owner.is_some() || s.parent.is_some_and(|p| view.facts.is_type(p));
            let may = s.kind.is_callable() || matches!(s.kind, Kind::Property | Kind::Field | Kind::Constant);
            let name = view.facts.name(s.name);
            if !has_owner || !may || s.kind == Kind::Constructor || traits.constructors.contains(&name) {
                continue;
            }
            self.begin();
            let Some(of) = self.owner(Target { file, symbol: member }) else {
                // A trait's block for a type from outside the tree, or for all types.
                if let Some(implemented) = self.impl_of(Target { file, symbol: member }) {
                    for (thing, _) in self.eval(file, implemented).hits() {
                        let What::Def(base) = thing.what else { continue };
                        let own = Target { file, symbol: member };
                        for base in self.nearest(base, base, own, name, view.hash(s.name)) {
                            out.push(Override { member, base });
                        }
                    }
                }
                continue;
            };
            let chain = self.chain(of);
            if chain.types.len() > 1 {
                let bases = self.bases(of);
                for base in bases.types {
                    for base in self.nearest(base, of, Target { file, symbol: member }, name, view.hash(s.name)) {
                        out.push(Override { member, base });
                        out.extend(self.signatures(base).into_iter().map(|base| Override { member, base }));
                    }
                }
            }
            if traits.structural && s.kind.is_callable() && self.symbol(of).kind != Kind::Interface {
                self.satisfied(of, member, name, view.hash(s.name), &mut out);
            }
        }
        out.sort_unstable();
        out.dedup();
        out
    }

    /// The first member of a name in the chain of a base; where overloads are definitions of their own, those that `member`
    /// can stand for.
    fn nearest(&self, base: Target, of: Target, member: Target, name: &str, hash: u64) -> Vec<Target> {
        let overloads = self.traits(self.file).overloads;
        for &t in &self.chain(base).types {
            if t == of && t != base {
                continue;
            }
            let found = self.own_member(t, name, hash);
            let mut targets: Vec<Target> = found
                .hits()
                .iter()
                .filter_map(|(thing, _)| match thing.what {
                    What::Def(d) => Some(d),
                    _ => None,
                })
                .collect();
            if overloads {
                self.keep_overridden(member, &mut targets);
            } else {
                targets.truncate(1);
            }
            if !targets.is_empty() {
                return targets;
            }
        }
        Vec::new()
    }

    /// Keeps the overloads that take as many parameters as `member`, of these the ones with the same parameters as written.
    fn keep_overridden(&self, member: Target, targets: &mut Vec<Target>) {
        let own = self.symbol(member);
        if !own.kind.is_callable() {
            return;
        }
        targets.retain(|&t| {
            let s = self.symbol(t);
            !s.kind.is_callable() || s.params.max == own.params.max
        });
        let parameters = |t: Target| {
            let signature = &self.symbol(t).signature;
            signature.find('(').map(|at| signature[at..].to_owned())
        };
        if targets.len() > 1 {
            let wanted = parameters(member);
            if targets.iter().any(|&t| parameters(t) == wanted) {
                targets.retain(|&t| parameters(t) == wanted);
            }
        }
    }

    /// Members of interfaces that a type satisfies by having their methods.
    fn satisfied(&self, of: Target, member: SymbolIx, name: &str, hash: u64, out: &mut Vec<Override>) {
        let family = self.world.family(self.file);
        let candidates: Vec<Target> = self
            .world
            .tables
            .named(hash)
            .iter()
            .filter(|e| e.reach == Reach::Member && e.kind.is_callable() && Some(e.family) == family)
            .filter(|e| e.flags.has(crate::facts::SymbolFlags::DECLARATION))
            .take(INTERFACES)
            .map(|e| e.target)
            .collect();
        for base in candidates {
            if !self.is_named(base, name) {
                continue;
            }
            let Some(interface) = self.owner(base) else { continue };
            let own = Target {
                file: self.file,
                symbol: member,
            };
            let fits = self.symbol(base).params == self.symbol(own).params;
            if !fits || self.symbol(interface).kind != Kind::Interface {
                continue;
            }
            // A method may serve a type that embeds its own.
            if self.has_all(of, interface) || self.embedding(of).into_iter().any(|t| self.has_all(t, interface)) {
                out.push(Override { member, base });
            }
        }
    }

    /// Types that embed a type, directly or through one other.
    fn embedding(&self, of: Target) -> Vec<Target> {
        let mut out = vec![of];
        let mut from = 0;
        for _ in 0..2 {
            let level = out.len();
            for at in from..level {
                let name = self.view(out[at].file).hash(self.symbol(out[at]).name);
                for &(_, sub) in self.world.tables.subtypes(name).iter().take(EMBEDDING) {
                    let kind = self.symbol(sub).kind;
                    if kind != Kind::Interface && !out.contains(&sub) && self.bases(sub).types.contains(&out[at]) {
                        out.push(sub);
                    }
                }
            }
            from = level;
        }
        out.remove(0);
        out.truncate(EMBEDDING);
        out
    }

    /// Whether a type has every method of an interface, its own or promoted.
    fn has_all(&self, of: Target, interface: Target) -> bool {
        // What an interface takes over from outside the tree is not known; its own methods decide.
        let chain = self.chain(interface);
        if chain.unknown {
            return false;
        }
        let mut seen: FastSet<(FileId, SymbolIx)> = FastSet::default();
        for &part in &chain.types {
            let view = self.view(part.file);
            for &method in view.all_children(part.symbol) {
                let s = &view.facts.symbols[method as usize];
                if !s.kind.is_callable() || !seen.insert((part.file, method)) {
                    continue;
                }
                let found = self.member_of_type(of, view.facts.name(s.name), view.hash(s.name));
                let method = found.hits().iter().any(|(t, _)| match t.what {
                    What::Def(d) => self.symbol(d).kind.is_callable() && self.symbol(d).params == s.params,
                    _ => false,
                });
                if !method {
                    return false;
                }
            }
        }
        true
    }
}
